// SPDX-License-Identifier: MIT OR Apache-2.0
//! States of instances that are found by the number of their only value.
//!
//! Where a property has one variable and every event binds it, an instance needs no row, no index and no slot of its own: its state is at the
//! number of its value. An event costs one lookup of the value; the number is the place of the state.
//!
//! Example: `forall i. G(request(i) -> F[0,10] response(i))`. `request(7)` gives the value 7 a number, say 0, and the state 0 waits until 10.
//! `response(7)` finds the number 0, the obligation is met, and both are free for the next value.
//!
//! INVARIANT: a number is held by its instance and by nothing else, so the numbers in use are the instances.

use gnomon_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::chunks::ChunkedVec;
use super::deadlines::DeadlineQueue;
use super::values::{Id, ValueInterner};

/// The states of instances by the numbers of their values.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeyedStates<S> {
    /// True once the instances are in the table instead: an event came that needs more than one of them.
    is_closed: bool,
    states: ChunkedVec<S>,
    live: usize,
    pub(crate) deadlines: DeadlineQueue,
}

impl<S> Default for KeyedStates<S> {
    fn default() -> Self {
        KeyedStates { is_closed: false, states: ChunkedVec::default(), live: 0, deadlines: DeadlineQueue::default() }
    }
}

impl<S: Clone> KeyedStates<S> {
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        !self.is_closed
    }

    /// Returns the number of instances.
    pub(crate) fn live(&self) -> usize {
        self.live
    }

    /// Adds an instance, which holds its value.
    #[inline]
    pub(crate) fn add(&mut self, id: Id, state: S, values: &mut ValueInterner) {
        values.hold(id);
        self.live += 1;
        if (id as usize) < self.states.len() {
            *self.states.get_mut(id) = state;
        } else {
            self.extend(id, state);
        }
    }

    #[cold]
    fn extend(&mut self, id: Id, state: S) {
        while self.states.len() <= id as usize {
            self.states.push(state.clone());
        }
    }

    /// Removes an instance and its value. Its state stays in memory, unread, until another takes the place.
    #[inline]
    pub(crate) fn remove(&mut self, id: Id, values: &mut ValueInterner) {
        self.live -= 1;
        values.release_last(id);
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: Id) -> &mut S {
        self.states.get_mut(id)
    }

    #[inline]
    pub(crate) fn get(&self, id: Id) -> &S {
        self.states.get(id)
    }

    /// Returns the numbers of all instances.
    pub(crate) fn ids(&self, values: &ValueInterner) -> impl Iterator<Item = Id> {
        let bound = if self.live == 0 { 0 } else { values.bound() as Id };
        (0..bound).filter(|id| values.is_held(*id))
    }

    /// Removes all instances and returns them: from now on they are in the table.
    pub(crate) fn close(&mut self, values: &ValueInterner) -> Vec<(Id, S)> {
        let instances = self.ids(values).map(|id| (id, self.get(id).clone())).collect();
        self.clear();
        self.is_closed = true;
        instances
    }

    /// Removes everything. Allocated memory is kept.
    pub(crate) fn clear(&mut self) {
        self.states.clear();
        self.deadlines.clear();
        (self.live, self.is_closed) = (0, false);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.states.bytes() + self.deadlines.bytes()
    }

    /// Adds a deadline that an instance waits for.
    #[inline]
    pub(crate) fn wait(&mut self, id: Id, until: Timestamp) {
        if until != Timestamp::MAX {
            self.deadlines.push(until, id);
        }
    }

    /// Completes restored states. Returns false if they are damaged.
    pub(crate) fn rebuild(&mut self, values: &ValueInterner) -> bool {
        let is_used = self.live > 0;
        self.states.is_sound()
            && self.deadlines.rebuild(values.bound())
            && (!is_used || self.ids(values).count() == self.live)
            && (!is_used || self.ids(values).all(|id| (id as usize) < self.states.len() && values.is_held_once(id)))
            && !(is_used && self.is_closed)
    }
}
