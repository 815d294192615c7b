// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cases of a trace. Those that had no event lately are packed: most cases of a long trace are over, and nobody knows
//! which. A packed one takes a tenth of the memory, and is unpacked when an event of it comes after all.

use gnomon_engine::{Monitor, Plan};

use super::burden::CASE_BYTES;
use super::case::{Case, Packed};
use super::limit::Limits;

/// Cases by their numbers.
pub(super) struct Roster {
    plan: Plan,
    places: Vec<Place>,
    /// The cases that are not packed.
    ready: Vec<usize>,
    /// How many may be, and how many might if the same ones come back again and again.
    most_ready: usize,
    many_ready: usize,
    /// Monitors of cases that were packed: new cases take them, so that their memory is used again.
    #[allow(clippy::vec_box)] // a case takes the box
    spare: Vec<Box<Monitor>>,
    /// How many were unpacked since some were packed.
    unpacked: usize,
    /// What the packed ones take, in bytes.
    packed_bytes: usize,
    /// Cases that were packed since someone asked.
    fresh: Vec<usize>,
}

enum Place {
    Ready(Box<Case>),
    Packed(Box<Packed>),
    /// It is over.
    Gone,
}

/// As many cases as ten megabytes hold: so that those which take turns stay in the processor's cache.
const FEWEST_READY: usize = 1 << 11;
/// As many as some hundred megabytes hold; where the memory that may be taken is known, as many as fit a quarter of it.
const MANY_READY: usize = 1 << 17;

impl Roster {
    pub(super) fn new(plan: Plan, limits: Limits) -> Self {
        let fitting = limits.memory.map(|memory| usize::try_from(memory).unwrap_or(usize::MAX) / 4 / CASE_BYTES);
        Roster {
            plan,
            places: Vec::new(),
            ready: Vec::new(),
            most_ready: FEWEST_READY,
            many_ready: fitting.unwrap_or(MANY_READY),
            spare: Vec::new(),
            unpacked: 0,
            packed_bytes: 0,
            fresh: Vec::new(),
        }
    }

    /// How many cases there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// A monitor that has seen nothing.
    pub(super) fn monitor(&mut self, max_violations: usize) -> Box<Monitor> {
        let Some(mut monitor) = self.spare.pop() else { return Box::new(self.plan.start(max_violations)) };
        monitor.restart(max_violations);
        monitor
    }

    /// Adds a case; its number.
    pub(super) fn add(&mut self, case: Case) -> usize {
        self.make_room();
        self.ready.push(self.places.len());
        self.places.push(Place::Ready(Box::new(case)));
        self.places.len() - 1
    }

    /// The case of a number that [`Roster::add`] gave.
    #[inline]
    pub(super) fn case(&mut self, number: usize) -> &mut Case {
        if !matches!(self.places[number], Place::Ready(_)) {
            self.unpack(number);
        }
        match &mut self.places[number] {
            Place::Ready(case) => case,
            Place::Packed(_) | Place::Gone => unreachable!("a case is asked for before it is over"),
        }
    }

    /// A case that is ready.
    pub(super) fn ready(&self, number: usize) -> Option<&Case> {
        match self.places.get(number)? {
            Place::Ready(case) => Some(case),
            Place::Packed(_) | Place::Gone => None,
        }
    }

    /// What the cases take beside what their properties know of bindings, in bytes, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<Place>()
            + (self.ready.len() + self.spare.len()) * CASE_BYTES
            + self.packed_bytes
    }

    /// The cases that were packed since the last call.
    pub(super) fn packed(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.fresh)
    }

    /// Takes a case that is over.
    pub(super) fn take(&mut self, number: usize) -> Case {
        match std::mem::replace(&mut self.places[number], Place::Gone) {
            Place::Ready(case) => *case,
            Place::Packed(packed) => packed.unpack(&self.plan),
            Place::Gone => unreachable!("a case is over once"),
        }
    }

    /// There are no cases any more.
    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.ready.clear();
        self.fresh.clear();
        self.packed_bytes = 0;
    }

    #[inline(never)]
    fn unpack(&mut self, number: usize) {
        self.make_room();
        if let Place::Packed(packed) = std::mem::replace(&mut self.places[number], Place::Gone) {
            self.packed_bytes -= packed.bytes();
            self.places[number] = Place::Ready(Box::new(packed.unpack(&self.plan)));
            self.ready.push(number);
            self.unpacked += 1;
        }
    }

    /// Packs the half that had no event for the longest time, if too many are ready.
    fn make_room(&mut self) {
        if self.ready.len() < self.most_ready {
            return;
        }
        // Mostly the same cases come back: then more of them are to stay.
        if self.unpacked > self.most_ready / 4 && self.most_ready * 2 <= self.many_ready {
            self.most_ready *= 2;
            self.unpacked = 0;
            return;
        }
        self.unpacked = 0;
        let Roster { places, ready, packed_bytes, fresh, spare, .. } = self;
        let used = |number: usize| match &places[number] {
            Place::Ready(case) => case.last_index,
            Place::Packed(_) | Place::Gone => 0,
        };
        let middle = ready.len() / 2;
        ready.select_nth_unstable_by_key(middle, |number| used(*number));
        let (old, recent) = ready.split_at(middle);
        let mut kept = recent.to_vec();
        for number in old {
            match std::mem::replace(&mut places[*number], Place::Gone) {
                Place::Ready(case) if case.can_be_packed() => {
                    let (packed, monitor) = case.pack();
                    spare.push(monitor);
                    *packed_bytes += packed.bytes();
                    places[*number] = Place::Packed(Box::new(packed));
                    fresh.push(*number);
                }
                other => {
                    places[*number] = other;
                    kept.push(*number);
                }
            }
        }
        *ready = kept;
        spare.truncate(FEWEST_READY);
    }
}
