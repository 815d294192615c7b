// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables of words and their meanings: parsers read them one way, printers the other.

/// Returns the meaning of a word or letter.
pub(crate) fn lookup<K: Copy + PartialEq, T: Copy>(table: &[(K, T)], word: K) -> Option<T> {
    table.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
}

/// Returns the meaning of a word in a table that lists several words for each meaning.
pub(crate) fn lookup_spelling<T: Copy>(table: &[(T, &[&str])], word: &str) -> Option<T> {
    table.iter().find(|(_, words)| words.contains(&word)).map(|(meant, _)| *meant)
}

/// Returns the first word or letter with this meaning; the default if there is none.
pub(crate) fn spelling<K: Copy + Default, T: Copy + PartialEq>(table: &[(K, T)], meaning: T) -> K {
    table.iter().find(|(_, known)| *known == meaning).map_or_else(K::default, |(word, _)| *word)
}

/// Collects items, or returns `None` if one is missing. All items are evaluated first, because each may report an
/// error.
pub(crate) fn collect_all<T>(items: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    let items: Vec<Option<T>> = items.collect();
    items.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_both_ways() {
        let table = [("low", 1), ("high", 2), ("tall", 2)];
        assert_eq!((lookup(&table, "tall"), lookup(&table, "none")), (Some(2), None));
        assert_eq!(lookup_spelling(&[(1, &["a", "b"][..]), (2, &["c"])], "c"), Some(2));
        assert_eq!(collect_all([Some(1), None].into_iter()), None);
        assert_eq!((spelling(&table, 2), spelling(&table, 3)), ("high", ""));
    }
}
