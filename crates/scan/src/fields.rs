// SPDX-License-Identifier: MIT OR Apache-2.0
//! Limits and rules for the fields of one event, shared by the formats.

use std::collections::HashMap;
use std::hash::Hash;

use crate::error::{Code, Fault};

/// Limit on the fields of an event. More are a mistake such as an open quote, and must not fill the memory.
pub const MOST_FIELDS: usize = 1 << 16;

/// Creates the fault that a row has more fields than [`MOST_FIELDS`].
#[cold]
pub fn too_many_fields(at: usize) -> Fault {
    Fault::new(Code::TooManyCells, at, format!("more than {MOST_FIELDS} fields in one event"))
        .help("a quotation mark or a line end may be missing")
}

/// Removes repeated keys: the last value of a key takes the position of its first.
pub fn last_wins<T: Copy, K: Hash + Eq>(items: &mut Vec<T>, key: impl Fn(&T) -> K) {
    const FEW: usize = 16;
    let repeated = |(index, item)| items[..index].iter().any(|earlier| key(earlier) == key(item));
    if items.len() <= FEW && !items.iter().enumerate().any(repeated) {
        return;
    }
    let mut places: HashMap<K, usize> = HashMap::with_capacity(items.len());
    let mut kept: Vec<T> = Vec::with_capacity(items.len());
    for item in items.iter() {
        let place = *places.entry(key(item)).or_insert(kept.len());
        if place < kept.len() {
            kept[place] = *item;
        } else {
            kept.push(*item);
        }
    }
    drop(places);
    *items = kept;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_takes_the_first_place() {
        let mut few = vec![(1, 'a'), (2, 'b'), (1, 'c'), (3, 'd')];
        last_wins(&mut few, |item| item.0);
        assert_eq!(few, [(1, 'c'), (2, 'b'), (3, 'd')]);
        let mut many: Vec<(u32, u32)> = (0..100).map(|number| (number % 40, number)).collect();
        last_wins(&mut many, |item| item.0);
        assert_eq!(many.len(), 40);
        assert_eq!((many[0], many[39]), ((0, 80), (39, 79)));
    }
}
