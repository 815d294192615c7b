// SPDX-License-Identifier: MIT OR Apache-2.0
//! The values that variables had, and the bindings that events named without binding every variable.

use gnomon_core::verdict::Origin;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::index::bits;
use super::matches::{Mask, Matches};
use super::store::Shape;
use super::values::{Id, NONE, Values};

/// RULE Q1. Memory: a few bytes for every value that a variable ever had.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Domains {
    /// For each variable, its values in the order of first sight.
    domains: Vec<Domain>,
    /// For each set of variables that an atom binds, short of all of them: the first event for each binding of them.
    marks: Vec<Marks>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Domain {
    members: Vec<Id>,
    /// By the value's number.
    has: Vec<bool>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Marks {
    mask: Mask,
    first: FxHashMap<Vec<Id>, Origin>,
}

impl Domains {
    pub(crate) fn new(shape: &Shape) -> Self {
        Domains { domains: vec![Domain::default(); shape.variables], marks: Vec::new() }
    }

    /// From now on the bindings that events name are remembered too.
    pub(crate) fn with_marks(mut self, shape: &Shape) -> Self {
        let partial = shape.masks.iter().copied().filter(|mask| *mask != shape.full());
        self.marks = partial.map(|mask| Marks { mask, first: FxHashMap::default() }).collect();
        self
    }

    /// Takes in the values of a position.
    pub(crate) fn note(&mut self, shape: &Shape, matches: &Matches, values: &mut Values) {
        for (index, one) in matches.iter().enumerate() {
            let ids = matches.ids(index, shape.variables);
            for variable in bits(one.mask) {
                self.domains[variable].add(ids[variable], values);
            }
            if let Some(marks) = self.marks.iter_mut().find(|marks| marks.mask == one.mask)
                && !marks.first.contains_key(ids)
            {
                marks.first.insert(ids.to_vec(), one.origin);
            }
        }
    }

    /// Whether a variable had a value.
    pub(crate) fn has(&self, variable: usize, id: Id) -> bool {
        self.domains[variable].has.get(id as usize).copied().unwrap_or(false)
    }

    pub(crate) fn of(&self, variable: usize) -> &[Id] {
        &self.domains[variable].members
    }

    /// Every value that occurs, each once.
    pub(crate) fn ids(&self) -> Vec<Id> {
        let mut ids: Vec<Id> = self.domains.iter().flat_map(|domain| domain.members.iter().copied()).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Takes over what another run saw, its numbers translated.
    pub(crate) fn absorb(&mut self, other: Domains, translate: impl Fn(Id) -> Id, values: &mut Values) {
        for (own, other) in self.domains.iter_mut().zip(other.domains) {
            for id in other.members {
                own.add(translate(id), values);
            }
        }
        for (own, other) in self.marks.iter_mut().zip(other.marks) {
            let mut entries: Vec<(Vec<Id>, Origin)> = other.first.into_iter().collect();
            entries.sort_by_key(|(_, origin)| origin.event_index);
            for (ids, origin) in entries {
                let ids = ids.into_iter().map(|id| if id == NONE { NONE } else { translate(id) }).collect();
                let first = own.first.entry(ids).or_insert(origin);
                if origin.event_index < first.event_index {
                    *first = origin;
                }
            }
        }
    }

    /// The first event that named a full binding without binding every variable.
    pub(crate) fn first_mark(&self, binding: &[Id]) -> Option<Origin> {
        let firsts = self.marks.iter().filter_map(|marks| {
            let part: Vec<Id> =
                binding.iter().enumerate().map(|(at, id)| if marks.mask >> at & 1 == 1 { *id } else { NONE }).collect();
            marks.first.get(&part).copied()
        });
        firsts.min_by_key(|origin| origin.event_index)
    }

    /// How many full bindings of the domains no event named.
    pub(crate) fn unmarked(&self, shape: &Shape) -> u128 {
        let single = |variable: usize| self.marks.iter().find(|marks| marks.mask == 1 << variable);
        if self.marks.iter().any(|marks| marks.mask == 0 && !marks.first.is_empty()) {
            return 0;
        }
        let mut candidates: Vec<Vec<Id>> = Vec::new();
        for variable in 0..shape.variables {
            let alone = |id: Id| -> Vec<Id> {
                (0..shape.variables).map(|other| if other == variable { id } else { NONE }).collect()
            };
            let is_free =
                |id: &Id| single(variable).is_none_or(|marks| !marks.first.contains_key(&alone(*id)));
            candidates.push(self.of(variable).iter().copied().filter(is_free).collect());
        }
        // Sets of several variables, short of all, are rare: their bindings are taken off one by one.
        let several: Vec<&Marks> = self.marks.iter().filter(|marks| marks.mask.count_ones() > 1).collect();
        if several.iter().all(|marks| marks.first.is_empty()) {
            return candidates.iter().map(|values| values.len() as u128).product();
        }
        let mut binding = vec![NONE; shape.variables];
        count(&candidates, &several, &mut binding, 0)
    }

    pub(crate) fn fits(&self, shape: &Shape, values: &Values) -> bool {
        let known = |id: &Id| (*id as usize) < values.bound();
        self.domains.len() == shape.variables
            && self.domains.iter().all(|domain| domain.members.iter().all(known))
            && self.marks.iter().all(|marks| marks.first.keys().all(|ids| ids.len() == shape.variables))
    }

    pub(crate) fn bytes(&self) -> usize {
        let domain = |domain: &Domain| domain.members.capacity() * size_of::<Id>() + domain.has.capacity();
        let marks = |marks: &Marks| marks.first.capacity() * (size_of::<(Vec<Id>, Origin)>() + 16);
        self.domains.iter().map(domain).sum::<usize>() + self.marks.iter().map(marks).sum::<usize>()
    }
}

fn count(candidates: &[Vec<Id>], several: &[&Marks], binding: &mut Vec<Id>, level: usize) -> u128 {
    if level == candidates.len() {
        let named = several.iter().any(|marks| {
            let part = binding.iter().enumerate().map(|(at, id)| if marks.mask >> at & 1 == 1 { *id } else { NONE });
            marks.first.contains_key(&part.collect::<Vec<Id>>())
        });
        return u128::from(!named);
    }
    let mut sum = 0;
    for id in &candidates[level] {
        binding[level] = *id;
        sum += count(candidates, several, binding, level + 1);
    }
    binding[level] = NONE;
    sum
}

impl Domain {
    fn add(&mut self, id: Id, values: &mut Values) {
        let at = id as usize;
        if self.has.len() <= at {
            self.has.resize(at + 1, false);
        }
        if !std::mem::replace(&mut self.has[at], true) {
            values.hold(id);
            self.members.push(id);
        }
    }
}
