// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several runs over the same events, each with its share of the bindings, become one.

use super::index::{END, Slot, mask_of};
use super::machine::Machine;
use super::slicer::{Blueprint, Slicer};
use super::values::{Id, NONE};

impl<M: Machine> Slicer<M> {
    /// Takes in the run of another share. What does not bind the variable that shares out is the same in both.
    pub(crate) fn absorb(&mut self, plan: &Blueprint<M>, mut other: Slicer<M>) {
        self.release(plan);
        other.release(plan);
        let Slicer { values: foreign, store, domains, forgotten, lent, violated, merged, .. } = other;
        self.merged |= merged;
        let slots: Vec<Slot> = store.slots().collect();
        for slot in slots {
            let binding: Vec<Id> = store
                .binding(slot)
                .into_iter()
                .map(|id| if id == NONE { NONE } else { self.values.number(&foreign.get(id)) })
                .collect();
            let kind = store.kind(slot);
            if self.store.find(mask_of(&binding), &binding) == END {
                self.store.add(&plan.shape, kind, &binding, store.state(slot).clone(), &mut self.values);
            }
        }
        let Slicer { values, domains: own, .. } = self;
        let mut numbers: Vec<(Id, Id)> = Vec::new();
        for id in domains.ids() {
            numbers.push((id, values.number(&foreign.get(id))));
        }
        numbers.sort_unstable();
        let translate =
            |id: Id| numbers.binary_search_by_key(&id, |(foreign, _)| *foreign).map_or(NONE, |at| numbers[at].1);
        own.absorb(domains, translate, values);
        self.forgotten.join(forgotten);
        self.lent.join(lent);
        self.violated += violated;
        self.values.settle();
    }
}
