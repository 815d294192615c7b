// SPDX-License-Identifier: MIT OR Apache-2.0
//! Functions on lists: repetitions, indices, enumerations in sentences, three-valued conjunctions, and everything that steps lead to.

use std::collections::BTreeSet;

/// Returns the items without repetitions, each at its first place.
///
/// ```
/// assert_eq!(gnomon_core::list::unique(["b", "a", "b"]), ["b", "a"]);
/// ```
pub fn unique<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut unique = Vec::new();
    for item in items {
        index_of(&mut unique, item);
    }
    unique
}

/// Returns the index of an item, which is added to the list unless it is there.
///
/// ```
/// let mut list = vec!["a", "b"];
/// let (known, new) = (gnomon_core::list::index_of(&mut list, "a"), gnomon_core::list::index_of(&mut list, "c"));
/// assert_eq!((known, new, list), (0, 2, vec!["a", "b", "c"]));
/// ```
pub fn index_of<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    list.iter().position(|known| *known == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}

/// Returns everything that any number of steps leads to, the beginning included.
///
/// ```
/// let halves = |number: u32| (number % 2 == 0).then_some(number / 2);
/// assert!(gnomon_core::list::reachable([12], halves).into_iter().eq([3, 6, 12]));
/// ```
pub fn reachable<T: Copy + Ord, N: IntoIterator<Item = T>>(
    from: impl IntoIterator<Item = T>,
    mut step: impl FnMut(T) -> N,
) -> BTreeSet<T> {
    let mut pending: Vec<T> = from.into_iter().collect();
    let mut reached = BTreeSet::new();
    while let Some(item) = pending.pop() {
        if reached.insert(item) {
            pending.extend(step(item));
        }
    }
    reached
}

/// Lists items in a sentence, with a word before the last one.
///
/// ```
/// let items = |items: &[&str]| gnomon_core::list::enumeration(&items.iter().map(ToString::to_string).collect::<Vec<_>>(), "and");
/// assert_eq!([items(&["a"]), items(&["a", "b"]), items(&["a", "b", "c"])], ["a", "a and b", "a, b and c"]);
/// ```
pub fn enumeration(items: &[String], last: &str) -> String {
    match items.split_last() {
        Some((end, before)) if !before.is_empty() => format!("{} {last} {end}", before.join(", ")),
        _ => items.concat(),
    }
}

/// Returns the conjunction of values, of which those that are unknown are `None`.
///
/// ```
/// use gnomon_core::list::all_true;
///
/// assert_eq!(all_true([Some(true), None, Some(false)]), Some(false));
/// assert_eq!((all_true([Some(true), None]), all_true([])), (None, Some(true)));
/// ```
pub fn all_true(parts: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for part in parts {
        match part {
            Some(false) => return Some(false),
            Some(true) => {}
            None => all = None,
        }
    }
    all
}
