// SPDX-License-Identifier: MIT OR Apache-2.0
//! The domains of variables: the values that they had, and the partial bindings that events mentioned.

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{Origin, TracePosition};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::Shape;
use super::index::{Mask, bits};
use super::integer_set::IntegerSet;
use super::values::{Id, NONE, ValueInterner};

/// The domain of each variable. RULE Q1. Memory: a few bytes for every value that a variable ever had.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Domains {
    /// For each variable, its values in the order of their first events.
    domains: Vec<VariableDomain>,
    /// For each set of variables that an atom binds, except the full set: the bindings of them that events mentioned.
    mentions: Vec<MentionedBindings>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct VariableDomain {
    /// Integers of which only the count is needed.
    counted: IntegerSet,
    members: Vec<Id>,
    /// For each member, the first event that has it.
    shown: Vec<Origin>,
    /// By number of the value: one more than its place among the members, 0 for other values.
    places: Vec<u32>,
}

/// Bindings of the same variables, in the order of their first events.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct MentionedBindings {
    mask: Mask,
    entries: Vec<(Vec<Id>, Mentions)>,
    #[serde(skip)]
    by_binding: FxHashMap<Vec<Id>, usize>,
}

/// The events that mentioned a binding.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Mentions {
    /// The first.
    pub(crate) first: TracePosition,
    /// The time of the last.
    pub(crate) last: Timestamp,
}

impl Mentions {
    pub(crate) fn join(self, other: Mentions) -> Mentions {
        let first = if self.first.position <= other.first.position { self.first } else { other.first };
        Mentions { first, last: self.last.max(other.last) }
    }
}

impl MentionedBindings {
    fn get(&self, ids: &[Id]) -> Option<Mentions> {
        self.by_binding.get(ids).map(|place| self.entries[*place].1)
    }

    fn add(&mut self, ids: Vec<Id>, mentions: Mentions) {
        if let Some(place) = self.by_binding.get(&ids) {
            let known = &mut self.entries[*place].1;
            *known = known.join(mentions);
        } else {
            self.by_binding.insert(ids.clone(), self.entries.len());
            self.entries.push((ids, mentions));
        }
    }
}

impl Domains {
    /// With `mentions`, the bindings that events mention are remembered too.
    pub(crate) fn new(shape: &Shape, mentions: bool) -> Self {
        let partial = shape.masks.iter().copied().filter(|mask| mentions && *mask != shape.full());
        let mentions =
            partial.map(|mask| MentionedBindings { mask, entries: vec![], by_binding: FxHashMap::default() }).collect();
        Domains { domains: vec![VariableDomain::default(); shape.variables], mentions }
    }

    /// Removes every value.
    pub(crate) fn clear(&mut self) {
        for VariableDomain { counted, members, shown, places } in &mut self.domains {
            *counted = IntegerSet::default();
            members.clear();
            shown.clear();
            places.clear();
        }
        for MentionedBindings { entries, by_binding, .. } in &mut self.mentions {
            entries.clear();
            *by_binding = FxHashMap::default();
        }
    }

    /// Adds the values of a match at a position, and the binding if mentions are kept. Appends the values that are new, with
    /// their variables, to `new_values`.
    pub(crate) fn note(
        &mut self,
        mask: Mask,
        ids: &[Id],
        at: TracePosition,
        values: &mut ValueInterner,
        new_values: &mut Vec<(usize, Id)>,
    ) {
        for variable in bits(mask) {
            if self.domains[variable].add(ids[variable], at.origin, values) {
                new_values.push((variable, ids[variable]));
            }
        }
        if let Some(mentions) = self.mentions.iter_mut().find(|mentions| mentions.mask == mask) {
            mentions.add(ids.to_vec(), Mentions { first: at, last: at.origin.time });
        }
    }

    /// Adds the values of a match where no more than the number of values is needed.
    #[inline]
    pub(crate) fn count(&mut self, mask: Mask, ids: &[Id], origin: Origin, values: &mut ValueInterner) {
        for variable in bits(mask) {
            match values.whole(ids[variable]) {
                Some(whole) => self.domains[variable].counted.add(whole),
                None => {
                    self.domains[variable].add(ids[variable], origin, values);
                }
            }
        }
    }

    /// Returns the number of values of a variable.
    pub(crate) fn size(&self, variable: usize) -> usize {
        let domain = &self.domains[variable];
        domain.members.len() + domain.counted.count()
    }

    /// Returns true if a variable had a value.
    pub(crate) fn has(&self, variable: usize, id: Id) -> bool {
        self.domains[variable].place(id).is_some()
    }

    /// Returns the first event after which every value of a full binding has been seen, if the values are remembered.
    pub(crate) fn shown(&self, binding: &[Id]) -> Option<Origin> {
        let shown =
            self.domains.iter().zip(binding).filter_map(|(domain, id)| domain.place(*id).map(|at| domain.shown[at]));
        shown.max_by_key(Origin::order)
    }

    pub(crate) fn of(&self, variable: usize) -> &[Id] {
        &self.domains[variable].members
    }

    /// Returns every value that occurs, each once.
    pub(crate) fn ids(&self) -> Vec<Id> {
        let mut ids: Vec<Id> = self.domains.iter().flat_map(|domain| domain.members.iter().copied()).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Adds the domains of another shard, its numbers translated.
    pub(crate) fn absorb(&mut self, other: Domains, translate: impl Fn(Id) -> Id, values: &mut ValueInterner) {
        for (own, other) in self.domains.iter_mut().zip(other.domains) {
            for (id, shown) in other.members.into_iter().zip(other.shown) {
                let id = translate(id);
                own.add(id, shown, values);
                if let Some(known) = own.place(id).map(|at| &mut own.shown[at])
                    && shown.order() < known.order()
                {
                    *known = shown;
                }
            }
            own.counted.join(other.counted);
        }
        for (own, other) in self.mentions.iter_mut().zip(other.mentions) {
            for (ids, mentions) in other.entries {
                let ids = ids.into_iter().map(|id| if id == NONE { NONE } else { translate(id) }).collect();
                own.add(ids, mentions);
            }
        }
    }

    /// Returns the events that mentioned a full binding without binding every variable.
    pub(crate) fn mentions(&self, binding: &[Id]) -> Option<Mentions> {
        let mentions = self.mentions.iter().filter_map(|mentions| mentions.get(&part(mentions.mask, binding)));
        mentions.reduce(Mentions::join)
    }

    /// Returns the number of full bindings of the domains that no event mentioned.
    pub(crate) fn unmentioned_count(&self, shape: &Shape) -> u128 {
        let single = |variable: usize| self.mentions.iter().find(|mentions| mentions.mask == 1 << variable);
        if self.mentions.iter().any(|mentions| mentions.mask == 0 && !mentions.entries.is_empty()) {
            return 0;
        }
        let mut candidates: Vec<Vec<Id>> = Vec::new();
        for variable in 0..shape.variables {
            let alone = |id: Id| -> Vec<Id> {
                (0..shape.variables).map(|other| if other == variable { id } else { NONE }).collect()
            };
            let is_free = |id: &Id| single(variable).is_none_or(|mentions| mentions.get(&alone(*id)).is_none());
            candidates.push(self.of(variable).iter().copied().filter(is_free).collect());
        }
        // Atoms that bind several variables, but not all, are rare: their bindings are subtracted one by one.
        let several: Vec<&MentionedBindings> =
            self.mentions.iter().filter(|mentions| mentions.mask.count_ones() > 1).collect();
        if several.iter().all(|mentions| mentions.entries.is_empty()) {
            return candidates.iter().map(|values| values.len() as u128).product();
        }
        let mut binding = vec![NONE; shape.variables];
        count(&candidates, &several, &mut binding, 0)
    }

    /// Rebuilds the maps after a restore.
    pub(crate) fn rebuild(&mut self) {
        self.domains.iter_mut().for_each(|domain| domain.counted.rebuild());
        for mentions in &mut self.mentions {
            mentions.by_binding =
                mentions.entries.iter().enumerate().map(|(place, (ids, _))| (ids.clone(), place)).collect();
        }
    }

    pub(crate) fn fits(&self, shape: &Shape, values: &ValueInterner) -> bool {
        let known = |id: &Id| (*id as usize) < values.bound();
        self.domains.len() == shape.variables
            && self
                .domains
                .iter()
                .all(|domain| domain.members.iter().all(known) && domain.shown.len() == domain.members.len())
            && self.mentions.iter().all(|mentions| mentions.entries.iter().all(|(ids, _)| ids.len() == shape.variables))
    }

    pub(crate) fn bytes(&self) -> usize {
        let domain = |domain: &VariableDomain| {
            domain.members.capacity() * (size_of::<Id>() + size_of::<Origin>())
                + domain.places.capacity() * size_of::<u32>()
                + domain.counted.bytes()
        };
        let mentions =
            |mentions: &MentionedBindings| mentions.entries.capacity() * (size_of::<(Vec<Id>, Mentions)>() + 64);
        self.domains.iter().map(domain).sum::<usize>() + self.mentions.iter().map(mentions).sum::<usize>()
    }
}

/// A binding without the variables that are not in the set.
fn part(mask: Mask, binding: &[Id]) -> Vec<Id> {
    binding.iter().enumerate().map(|(at, id)| if mask >> at & 1 == 1 { *id } else { NONE }).collect()
}

fn count(candidates: &[Vec<Id>], several: &[&MentionedBindings], binding: &mut Vec<Id>, level: usize) -> u128 {
    if level == candidates.len() {
        let mentions = several.iter().any(|mentions| mentions.get(&part(mentions.mask, binding)).is_some());
        return u128::from(!mentions);
    }
    let mut sum = 0;
    for id in &candidates[level] {
        binding[level] = *id;
        sum += count(candidates, several, binding, level + 1);
    }
    binding[level] = NONE;
    sum
}

impl VariableDomain {
    /// Returns the place of a value among the members.
    fn place(&self, id: Id) -> Option<usize> {
        self.places.get(id as usize).and_then(|place| (*place as usize).checked_sub(1))
    }

    /// Adds a value that an event has. Returns true if it is new.
    fn add(&mut self, id: Id, shown: Origin, values: &mut ValueInterner) -> bool {
        let at = id as usize;
        if self.places.len() <= at {
            self.places.resize(at + 1, 0);
        }
        let is_new = self.places[at] == 0;
        if is_new {
            values.hold(id);
            self.members.push(id);
            self.shown.push(shown);
            self.places[at] = self.members.len() as u32;
        }
        is_new
    }
}
