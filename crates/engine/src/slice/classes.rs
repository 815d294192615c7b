// SPDX-License-Identifier: MIT OR Apache-2.0
//! Classes of bindings: the full bindings that an instance stands for.
//!
//! An instance that does not bind every variable stands for all full bindings of the domains that agree with it and with no more
//! specific instance. Example: `c` had the values 1 and 2, `i` the value 5, and there are the instances (_,_), (1,_) and (1,5). The
//! class of the root is {(2,5)}, that of (1,_) is empty.

use rustc_hash::FxHashMap;

use super::machine::Machine;
use super::slicing::SlicePlan;
use super::storage::index::{END, Mask, Slot};
use super::storage::values::{Id, NONE};
use super::storage::{ROOT, Storage};
use crate::work;

/// The classes of the instances of a property.
pub(super) struct BindingClasses<'a, M: Machine> {
    pub(super) plan: &'a SlicePlan<M>,
    pub(super) storage: &'a Storage<M::State>,
}

/// Values that variables had for the first time, with the variables.
pub(super) type NewValues<'a> = &'a [(usize, Id)];

impl<M: Machine> BindingClasses<'_, M> {
    fn is_full(&self, slot: Slot) -> bool {
        self.storage.table.kind(slot).mask == self.plan.shape.full()
    }

    /// The number of full bindings that each partial instance stands for.
    ///
    /// COST: the full bindings, or for each instance the sets of variables within its own, whichever is likely less; constant if the
    /// root is the only partial one and all bindings are covered.
    pub(super) fn sizes(&self) -> FxHashMap<Slot, u128> {
        let Storage { table, domains, partials, .. } = self.storage;
        let variables = self.plan.shape.variables;
        if self.plan.capabilities.filters_bindings {
            let partial = table.slots().filter(|slot| !self.is_full(*slot));
            return partial.map(|slot| (slot, self.members(slot, usize::MAX).len() as u128)).collect();
        }
        let all: u128 = (0..variables).map(|variable| domains.size(variable) as u128).product();
        if *partials == 0 {
            return FxHashMap::from_iter([(ROOT, all.saturating_sub(table.live() as u128 - 1))]);
        }
        if all <= table.live() as u128 {
            let mut sizes = FxHashMap::default();
            self.count_members(&mut vec![], &mut sizes);
            return sizes;
        }
        let mut slots: Vec<Slot> = table.slots().collect();
        slots.sort_by_key(|slot| std::cmp::Reverse(table.kind(*slot).mask.count_ones()));
        let mut masks: Vec<Mask> = table.kinds().map(|(_, kind)| kind.mask).collect();
        masks.sort_unstable();
        masks.dedup();
        let mut covered: FxHashMap<Slot, u128> = FxHashMap::default();
        let mut sizes: FxHashMap<Slot, u128> = FxHashMap::default();
        for slot in slots {
            let mask = table.kind(slot).mask;
            let free = (0..variables).filter(|variable| mask >> variable & 1 == 0);
            let all: u128 = free.map(|variable| domains.size(variable) as u128).product();
            let size = all - covered.get(&slot).copied().unwrap_or(0);
            for part in masks.iter().filter(|part| **part != mask && **part & !mask == 0) {
                let wider = table.find(*part, table.ids(slot));
                if wider != END {
                    *covered.entry(wider).or_default() += size;
                }
            }
            if mask != self.plan.shape.full() {
                sizes.insert(slot, size);
            }
        }
        sizes
    }

    /// Counts each full binding that begins with `binding` for the instance that stands for it, unless it has one of its own.
    fn count_members(&self, binding: &mut Vec<Id>, sizes: &mut FxHashMap<Slot, u128>) {
        let (full, table) = (self.plan.shape.full(), &self.storage.table);
        if binding.len() == self.plan.shape.variables {
            if table.find(full, binding) == END {
                *sizes.entry(table.parent(full, binding)).or_default() += 1;
            }
            return;
        }
        for id in self.storage.domains.of(binding.len()) {
            binding.push(*id);
            self.count_members(binding, sizes);
            binding.pop();
        }
    }

    /// The first full bindings, in the order of reports, that an instance stands for and that the property covers.
    pub(super) fn members(&self, slot: Slot, most: usize) -> Vec<Vec<Id>> {
        let choices: Vec<Vec<Id>> = self.choices(slot, |variable| self.sorted_domain(variable));
        let mut found = Vec::new();
        self.walk(slot, &choices, &mut vec![], most, &mut found);
        found
    }

    /// Some of the members that have one of the new values.
    ///
    /// COST: the bindings that have one of them, however many do not.
    pub(super) fn new_members(&self, slot: Slot, new_values: NewValues<'_>, most: usize) -> Vec<Vec<Id>> {
        let mut found = Vec::new();
        let own = self.storage.table.ids(slot);
        if new_values.iter().any(|(variable, id)| own[*variable] == *id) {
            return self.members(slot, most);
        }
        let is_new = |variable: usize, id: &Id| new_values.contains(&(variable, *id));
        for first in 0..own.len() {
            // The first variable that has a new value.
            let choices = self.choices(slot, |variable| {
                let new = new_values.iter().filter(|(one, _)| *one == variable).map(|(_, id)| *id);
                let all = || self.storage.domains.of(variable).iter().copied();
                match variable.cmp(&first) {
                    std::cmp::Ordering::Less => all().filter(|id| !is_new(variable, id)).collect(),
                    std::cmp::Ordering::Equal => new.collect(),
                    std::cmp::Ordering::Greater => all().collect(),
                }
            });
            if own[first] == NONE && !choices[first].is_empty() {
                self.walk(slot, &choices, &mut vec![], most, &mut found);
            }
        }
        found
    }

    /// For each variable the value that an instance has, or else a choice of values.
    fn choices(&self, slot: Slot, of: impl Fn(usize) -> Vec<Id>) -> Vec<Vec<Id>> {
        let own = self.storage.table.ids(slot);
        own.iter().enumerate().map(|(variable, id)| if *id == NONE { of(variable) } else { vec![*id] }).collect()
    }

    fn walk(&self, slot: Slot, choices: &[Vec<Id>], binding: &mut Vec<Id>, most: usize, found: &mut Vec<Vec<Id>>) {
        work::add(1);
        if found.len() >= most {
            return;
        }
        let Some(choice) = choices.get(binding.len()) else {
            let (full, table) = (self.plan.shape.full(), &self.storage.table);
            let is_own = table.find(full, binding) == END && table.parent(full, binding) == slot;
            if is_own && self.plan.machine.admits(binding, &self.storage.values) {
                found.push(binding.clone());
            }
            return;
        };
        for id in choice {
            binding.push(*id);
            self.walk(slot, choices, binding, most, found);
            binding.pop();
        }
    }

    /// The values of a variable, in the order of reports.
    pub(super) fn sorted_domain(&self, variable: usize) -> Vec<Id> {
        let mut ids = self.storage.domains.of(variable).to_vec();
        ids.sort_by(|left, right| self.storage.values.get(*left).order(&self.storage.values.get(*right)));
        ids
    }
}
