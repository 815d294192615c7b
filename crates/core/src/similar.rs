// SPDX-License-Identifier: MIT OR Apache-2.0
//! Edit distance between names, for "did you mean".

/// Longer names are cut before they are compared: the cost is quadratic.
const MAX_LENGTH: usize = 100;

/// Returns the candidate with the least edit distance to a word, the first of several, if it is at most `allowed`.
///
/// Insertions, deletions, replacements and swaps of neighbours count one each (optimal string alignment); case does not count.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>, allowed: usize) -> Option<&'a str> {
    let lower = |text: &str| text.chars().take(MAX_LENGTH).flat_map(char::to_lowercase).collect::<String>();
    let word = lower(word);
    let length = word.chars().count();
    let distance = |candidate: &'a str| {
        let candidate = lower(candidate);
        // The distance is at least the difference of the lengths.
        (candidate.chars().count().abs_diff(length) <= allowed).then(|| strsim::osa_distance(&word, &candidate))
    };
    let near = candidates.into_iter().filter_map(|candidate| Some((distance(candidate)?, candidate)));
    near.filter(|(distance, _)| *distance <= allowed).min_by_key(|(distance, _)| *distance).map(|near| near.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_nearest_is_found() {
        assert_eq!(nearest("holsd", ["sold", "holds", "Holds"], 2), Some("holds"));
        assert_eq!(nearest("ab", ["cb", "ac"], 1), Some("cb"));
        assert_eq!(nearest("ÉTÉ", ["été"], 0), Some("été"));
        assert_eq!(nearest("banana", ["critical"], 2), None);
        assert_eq!(nearest("", [""], 0), Some(""));
        let long = "a".repeat(5_000);
        assert_eq!(nearest(&long, [format!("{long}b").as_str()], 0).map(str::len), Some(5_001));
    }
}
