// SPDX-License-Identifier: MIT OR Apache-2.0
//! A set of partial bindings, found by equality, containment and compatibility.
//!
//! Members that bind the same variables form a group. A search goes through the groups, of which a property has few, and
//! looks for the members of a group that agree with a binding on some variables. Example: in a set with c=1, c=2 and (c=1, i=5),
//! the members within (c=1, i=5) are c=1 of the group {c} and (c=1, i=5) of the group {c, i}.
//!
//! COST: a search takes constant time per group and member found. Most positions have one or two matches, so small groups have
//! no hash tables.

use rustc_hash::FxHashMap;

use crate::slice::storage::index::{Mask, bits, join, mask_of};
use crate::slice::storage::values::{Id, NONE};
use crate::work;

/// Groups up to this size are searched linearly.
const MAX_LINEAR: usize = 12;

/// Partial bindings, each once, numbered in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct BindingSet {
    members: Vec<Vec<Id>>,
    groups: Vec<MaskGroup>,
}

/// The members that bind the same variables.
#[derive(Debug)]
struct MaskGroup {
    mask: Mask,
    numbers: Vec<usize>,
    /// Numbers of the members by their values of some variables, for each set of variables that was searched by.
    indexes: Vec<(Mask, ProjectionIndex)>,
}

/// Numbers of members by their values of some variables.
type ProjectionIndex = FxHashMap<Vec<Id>, Vec<usize>>;

impl BindingSet {
    /// Adds the joins of a binding with the members that are compatible with it, except those that `is_known`.
    ///
    /// A set that grew by one binding after the other in this way is closed under join: the join of several of them is the join of
    /// the last one with a member.
    pub(super) fn add_joins(&mut self, ids: &[Id], is_known: impl Fn(&[Id]) -> bool) {
        for number in self.compatible(ids) {
            let joined = join(&self.members[number], ids);
            if !is_known(&joined) {
                self.insert(&joined);
            }
        }
    }

    pub(super) fn members(&self) -> &[Vec<Id>] {
        &self.members
    }

    /// Adds a binding. Returns its number, and true if it is new.
    pub(super) fn insert(&mut self, ids: &[Id]) -> (usize, bool) {
        let mask = mask_of(ids);
        let at = self.groups.iter().position(|group| group.mask == mask).unwrap_or_else(|| {
            self.groups.push(MaskGroup { mask, numbers: vec![], indexes: vec![] });
            self.groups.len() - 1
        });
        let mut known = Vec::new();
        self.agreeing(at, mask, ids, &mut known);
        if let [known] = known[..] {
            return (known, false);
        }
        let number = self.members.len();
        self.members.push(ids.to_vec());
        let group = &mut self.groups[at];
        group.numbers.push(number);
        for (on, index) in &mut group.indexes {
            index.entry(projection(*on, ids)).or_default().push(number);
        }
        (number, true)
    }

    /// The members whose values a binding has.
    pub(super) fn within(&mut self, binding: &[Id]) -> Vec<usize> {
        let mask = mask_of(binding);
        let mut found = Vec::new();
        for at in 0..self.groups.len() {
            let on = self.groups[at].mask;
            if on & !mask == 0 {
                self.agreeing(at, on, binding, &mut found);
            }
        }
        found
    }

    /// The members that agree with a binding on all variables that both bind, and that bind variables which it does not.
    fn compatible(&mut self, binding: &[Id]) -> Vec<usize> {
        let mask = mask_of(binding);
        let mut found = Vec::new();
        for at in 0..self.groups.len() {
            let group = self.groups[at].mask;
            if group & !mask != 0 {
                self.agreeing(at, group & mask, binding, &mut found);
            }
        }
        found
    }

    /// Adds the members of a group that have the values of a binding for the variables of `on` to `found`.
    fn agreeing(&mut self, at: usize, on: Mask, binding: &[Id], found: &mut Vec<usize>) {
        let MaskGroup { numbers, indexes, .. } = &mut self.groups[at];
        let members = &self.members;
        work::add(1 + numbers.len().min(MAX_LINEAR));
        if numbers.len() <= MAX_LINEAR {
            let agrees = |number: &&usize| bits(on).all(|variable| members[**number][variable] == binding[variable]);
            found.extend(numbers.iter().filter(agrees));
            return;
        }
        let at = indexes.iter().position(|(known, _)| *known == on).unwrap_or_else(|| {
            let mut index = ProjectionIndex::default();
            for number in numbers.iter() {
                index.entry(projection(on, &members[*number])).or_default().push(*number);
            }
            indexes.push((on, index));
            indexes.len() - 1
        });
        found.extend(indexes[at].1.get(&projection(on, binding)).into_iter().flatten());
    }
}

/// The values of some variables.
fn projection(on: Mask, binding: &[Id]) -> Vec<Id> {
    binding.iter().enumerate().map(|(at, id)| if on >> at & 1 == 1 { *id } else { NONE }).collect()
}

#[cfg(test)]
mod tests {
    use gnomon_core::random::Random;

    use super::*;

    fn is_within(part: &[Id], whole: &[Id]) -> bool {
        part.iter().zip(whole).all(|(part, whole)| *part == NONE || part == whole)
    }

    fn is_compatible(left: &[Id], right: &[Id]) -> bool {
        left.iter().zip(right).all(|(left, right)| *left == NONE || *right == NONE || left == right)
    }

    #[test]
    fn joins_contain_every_combination_of_compatible_bindings_once() {
        let (c, i, other) = (vec![1, NONE], vec![NONE, 5], vec![2, NONE]);
        let mut set = BindingSet::default();
        for ids in [&c, &i, &other, &c] {
            set.add_joins(ids, |_| false);
            set.insert(ids);
        }
        let mut members = set.members().to_vec();
        members.sort_unstable();
        let mut expected = vec![vec![1, NONE], vec![1, 5], vec![NONE, 5], vec![2, 5], vec![2, NONE]];
        expected.sort_unstable();
        assert_eq!(members, expected);
    }

    /// Compares searches with the definitions, in sets with and without hash tables.
    #[test]
    fn searches_find_what_the_definitions_say() {
        let mut random = Random::new(7);
        for size in [3, MAX_LINEAR, 200] {
            let mut binding =
                || (0..3).map(|_| if random.below(2) == 0 { NONE } else { random.below(6) as Id }).collect::<Vec<Id>>();
            let mut set = BindingSet::default();
            for _ in 0..size {
                let ids = binding();
                let known = set.members.iter().position(|member| *member == ids);
                assert_eq!(set.insert(&ids), (known.unwrap_or(set.members.len() - 1), known.is_none()));
                let asked = binding();
                let by = |holds: &dyn Fn(&Vec<Id>) -> bool| {
                    (0..set.members.len()).filter(|number| holds(&set.members[*number])).collect::<Vec<usize>>()
                };
                let contained = by(&|member| is_within(member, &asked));
                let matching = by(&|member| is_compatible(member, &asked) && mask_of(member) & !mask_of(&asked) != 0);
                for (mut found, expected) in [(set.within(&asked), contained), (set.compatible(&asked), matching)] {
                    found.sort_unstable();
                    assert_eq!(found, expected);
                }
            }
        }
    }
}
