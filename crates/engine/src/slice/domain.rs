// SPDX-License-Identifier: MIT OR Apache-2.0
//! The values that variables had, and the bindings that events named without binding every variable.

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::At;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::index::bits;
use super::matches::{Mask, Matches};
use super::store::Shape;
use super::tally::Tally;
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
    /// Whole numbers of which no more than their number is needed.
    counted: Tally,
    members: Vec<Id>,
    /// By the value's number.
    has: Vec<bool>,
}

/// Bindings of the same variables, in the order of first sight.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Marks {
    mask: Mask,
    entries: Vec<(Vec<Id>, Named)>,
    #[serde(skip)]
    places: FxHashMap<Vec<Id>, usize>,
}

/// When events named a binding.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Named {
    /// The first.
    pub(crate) first: At,
    /// The time of the last.
    pub(crate) last: Timestamp,
}

impl Named {
    pub(crate) fn join(self, other: Named) -> Named {
        let first = if self.first.position <= other.first.position { self.first } else { other.first };
        Named { first, last: self.last.max(other.last) }
    }
}

impl Marks {
    fn get(&self, ids: &[Id]) -> Option<Named> {
        self.places.get(ids).map(|place| self.entries[*place].1)
    }

    fn add(&mut self, ids: Vec<Id>, named: Named) {
        if let Some(place) = self.places.get(&ids) {
            let known = &mut self.entries[*place].1;
            *known = known.join(named);
        } else {
            self.places.insert(ids.clone(), self.entries.len());
            self.entries.push((ids, named));
        }
    }
}

impl Domains {
    pub(crate) fn new(shape: &Shape) -> Self {
        Domains { domains: vec![Domain::default(); shape.variables], marks: Vec::new() }
    }

    /// From now on the bindings that events name are remembered too.
    pub(crate) fn with_marks(mut self, shape: &Shape) -> Self {
        let partial = shape.masks.iter().copied().filter(|mask| *mask != shape.full());
        self.marks = partial.map(|mask| Marks { mask, entries: vec![], places: FxHashMap::default() }).collect();
        self
    }

    /// Forgets every value.
    pub(crate) fn clear(&mut self) {
        for Domain { counted, members, has } in &mut self.domains {
            *counted = Tally::default();
            members.clear();
            has.clear();
        }
        for Marks { entries, places, .. } in &mut self.marks {
            entries.clear();
            *places = FxHashMap::default();
        }
    }

    /// Takes in the values of a position.
    pub(crate) fn note(&mut self, shape: &Shape, matches: &Matches, position: u64, values: &mut Values) {
        for (index, one) in matches.iter().enumerate() {
            let ids = matches.ids(index, shape.variables);
            for variable in bits(one.mask) {
                self.domains[variable].add(ids[variable], values);
            }
            if let Some(marks) = self.marks.iter_mut().find(|marks| marks.mask == one.mask) {
                let first = At { position, origin: one.origin };
                marks.add(ids.to_vec(), Named { first, last: one.origin.time });
            }
        }
    }

    /// Takes in the values of a position, where no more than their number is needed.
    #[inline]
    pub(crate) fn count(&mut self, shape: &Shape, matches: &Matches, values: &mut Values) {
        for (index, one) in matches.iter().enumerate() {
            let ids = matches.ids(index, shape.variables);
            for variable in bits(one.mask) {
                match values.whole(ids[variable]) {
                    Some(whole) => self.domains[variable].counted.add(whole),
                    None => self.domains[variable].add(ids[variable], values),
                }
            }
        }
    }

    /// How many values a variable had.
    pub(crate) fn size(&self, variable: usize) -> usize {
        let domain = &self.domains[variable];
        domain.members.len() + domain.counted.count()
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
            own.counted.join(other.counted);
        }
        for (own, other) in self.marks.iter_mut().zip(other.marks) {
            for (ids, named) in other.entries {
                let ids = ids.into_iter().map(|id| if id == NONE { NONE } else { translate(id) }).collect();
                own.add(ids, named);
            }
        }
    }

    /// When events named a full binding without binding every variable.
    pub(crate) fn named(&self, binding: &[Id]) -> Option<Named> {
        let named = self.marks.iter().filter_map(|marks| marks.get(&part(marks.mask, binding)));
        named.reduce(Named::join)
    }

    /// How many full bindings of the domains no event named.
    pub(crate) fn unmarked(&self, shape: &Shape) -> u128 {
        let single = |variable: usize| self.marks.iter().find(|marks| marks.mask == 1 << variable);
        if self.marks.iter().any(|marks| marks.mask == 0 && !marks.entries.is_empty()) {
            return 0;
        }
        let mut candidates: Vec<Vec<Id>> = Vec::new();
        for variable in 0..shape.variables {
            let alone = |id: Id| -> Vec<Id> {
                (0..shape.variables).map(|other| if other == variable { id } else { NONE }).collect()
            };
            let is_free = |id: &Id| single(variable).is_none_or(|marks| marks.get(&alone(*id)).is_none());
            candidates.push(self.of(variable).iter().copied().filter(is_free).collect());
        }
        // Sets of several variables, short of all, are rare: their bindings are taken off one by one.
        let several: Vec<&Marks> = self.marks.iter().filter(|marks| marks.mask.count_ones() > 1).collect();
        if several.iter().all(|marks| marks.entries.is_empty()) {
            return candidates.iter().map(|values| values.len() as u128).product();
        }
        let mut binding = vec![NONE; shape.variables];
        count(&candidates, &several, &mut binding, 0)
    }

    /// Finds the marks of a restored one again.
    pub(crate) fn rebuild(&mut self) {
        self.domains.iter_mut().for_each(|domain| domain.counted.rebuild());
        for marks in &mut self.marks {
            marks.places = marks.entries.iter().enumerate().map(|(place, (ids, _))| (ids.clone(), place)).collect();
        }
    }

    pub(crate) fn fits(&self, shape: &Shape, values: &Values) -> bool {
        let known = |id: &Id| (*id as usize) < values.bound();
        self.domains.len() == shape.variables
            && self.domains.iter().all(|domain| domain.members.iter().all(known))
            && self.marks.iter().all(|marks| marks.entries.iter().all(|(ids, _)| ids.len() == shape.variables))
    }

    pub(crate) fn bytes(&self) -> usize {
        let domain = |domain: &Domain| {
            domain.members.capacity() * size_of::<Id>() + domain.has.capacity() + domain.counted.bytes()
        };
        let marks = |marks: &Marks| marks.entries.capacity() * (size_of::<(Vec<Id>, Named)>() + 64);
        self.domains.iter().map(domain).sum::<usize>() + self.marks.iter().map(marks).sum::<usize>()
    }
}

/// A binding without the variables that are not in the set.
fn part(mask: Mask, binding: &[Id]) -> Vec<Id> {
    binding.iter().enumerate().map(|(at, id)| if mask >> at & 1 == 1 { *id } else { NONE }).collect()
}

fn count(candidates: &[Vec<Id>], several: &[&Marks], binding: &mut Vec<Id>, level: usize) -> u128 {
    if level == candidates.len() {
        let named = several.iter().any(|marks| marks.get(&part(marks.mask, binding)).is_some());
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
