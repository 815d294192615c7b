// SPDX-License-Identifier: MIT OR Apache-2.0
//! "Did you mean": the nearest of several names.

/// The candidate nearest to a misspelt name, if one is near enough: at most a third of the letters differ. Names of one
/// or two letters are near nothing but themselves in other case.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.to_lowercase().chars().collect();
    let allowed = wanted.len() / 3;
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .filter_map(|candidate| {
            let letters: Vec<char> = candidate.to_lowercase().chars().collect();
            (letters.len().abs_diff(wanted.len()) <= allowed).then(|| (distance(&wanted, &letters), candidate))
        })
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours (the restricted Damerau–Levenshtein distance).
fn distance(left: &[char], right: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (row, &letter) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, &other) in right.iter().enumerate() {
            let mut best =
                (above[column] + usize::from(letter != other)).min(above[column + 1] + 1).min(current[column] + 1);
            if row > 0 && column > 0 && letter == right[column - 1] && left[row - 1] == other {
                best = best.min(before[column - 1] + 1);
            }
            current.push(best);
        }
        before = std::mem::replace(&mut above, current);
    }
    above[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        let names = ["repwithdraw", "recvlogoff", "replogon"];
        assert_eq!(closest("repwithdrawl", names), Some("repwithdraw"));
        assert_eq!(closest("recvlogfof", names), Some("recvlogoff"));
        assert_eq!(closest("RepLogon", names), Some("replogon"));
        assert_eq!(closest("shipped", names), None);
        assert_eq!(closest("replogon", ["replogon"]), None);
        assert_eq!(closest("b", ["a"]), None);
    }
}
