// SPDX-License-Identifier: MIT OR Apache-2.0
//! Precedence inside a segment: effects that need causes before them.
// RULE R9

use std::collections::VecDeque;

use gnomon_core::interval::Interval;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_ir::core::AtomId;
use serde::{Deserialize, Serialize};

use super::{AtomMask, Letter, bit, has};

/// A chain of causes that must come before a chain of effects.
#[derive(Clone, Debug)]
pub(super) struct Precedence {
    causes: Vec<AtomMask>,
    effects: Vec<AtomMask>,
    required: bool,
    within: Interval,
    /// One cause and one effect may be one event.
    same_event: bool,
}

/// The progress of the causes and effects of a segment.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct PrecedenceProgress {
    /// The length of the chain of causes that has come.
    causes: u16,
    /// The length of the chain of effects that no causes preceded.
    effects: u16,
    /// Used where distances matter.
    recent: Option<Box<RecentCauses>>,
}

/// The causes that count at a distance.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
struct RecentCauses {
    /// For each number of causes short of all, the latest time at which such a sequence may have begun.
    begun: Vec<Option<Timestamp>>,
    /// Complete chains of causes that are too close to count yet: their end, and their latest possible begin.
    young: VecDeque<(Timestamp, Timestamp)>,
    /// The latest possible begin of the chain that counts.
    ripe: Option<Timestamp>,
}

impl Precedence {
    pub(super) fn new(causes: &[AtomId], effects: &[AtomId], required: bool, within: Interval) -> Self {
        let bits = |atoms: &[AtomId]| atoms.iter().map(|atom| bit(*atom)).collect::<Vec<AtomMask>>();
        Precedence {
            same_event: causes.len() == 1 && effects.len() == 1,
            causes: bits(causes),
            effects: bits(effects),
            required,
            within,
        }
    }

    fn is_timed(&self) -> bool {
        self.within.lo > Duration::ZERO || self.within.hi.is_some()
    }

    /// Takes an event of the segment. Returns false if it completes effects that no causes precede.
    #[inline]
    pub(super) fn step(&self, order: &mut PrecedenceProgress, letter: impl Letter, now: Timestamp) -> bool {
        if self.same_event {
            self.cause(order, letter, now);
        }
        if order.effects > 0 {
            order.effects += u16::from(has(letter, self.effects[usize::from(order.effects)]));
        } else if has(letter, self.effects[0]) && !self.is_covered(order, now) {
            order.effects = 1;
        }
        if usize::from(order.effects) == self.effects.len() {
            return false;
        }
        if !self.same_event {
            self.cause(order, letter, now);
        }
        true
    }

    /// Returns true if an event has an effect.
    pub(super) fn reacts(&self, order: &PrecedenceProgress, letter: impl Letter) -> bool {
        if self.is_timed() {
            return self.causes.iter().chain(&self.effects).any(|one| has(letter, *one));
        }
        let (causes, effects) = (usize::from(order.causes), usize::from(order.effects));
        let leads = self.causes.get(causes).is_some_and(|next| has(letter, *next));
        let follows =
            if effects > 0 || causes < self.causes.len() { has(letter, self.effects[effects]) } else { false };
        leads || follows
    }

    /// Returns true if the causes precede an effect that happens now.
    fn is_covered(&self, order: &mut PrecedenceProgress, now: Timestamp) -> bool {
        if !self.is_timed() {
            return usize::from(order.causes) == self.causes.len();
        }
        let Some(recent) = &mut order.recent else { return false };
        while recent.young.front().is_some_and(|(ended, _)| now - *ended >= self.within.lo) {
            recent.ripe = recent.young.pop_front().map(|(_, begun)| begun).max(recent.ripe);
        }
        recent.ripe.is_some_and(|begun| !self.within.is_past(now - begun))
    }

    /// Takes an event that may be a cause.
    fn cause(&self, order: &mut PrecedenceProgress, letter: impl Letter, now: Timestamp) {
        if !self.is_timed() {
            let next = self.causes.get(usize::from(order.causes));
            order.causes += u16::from(next.is_some_and(|next| has(letter, *next)));
            return;
        }
        let all = self.causes.len();
        // The last first, so that one event is not two causes of a sequence.
        for at in (0..all).rev().filter(|at| has(letter, self.causes[*at])) {
            let recent = order.recent.get_or_insert_with(|| {
                Box::new(RecentCauses { begun: vec![None; all - 1], young: VecDeque::new(), ripe: None })
            });
            let begun = if at == 0 { Some(now) } else { recent.begun[at - 1] };
            let Some(begun) = begun else { continue };
            order.causes = order.causes.max(at as u16 + 1);
            if at + 1 < all {
                recent.begun[at] = Some(begun);
            } else if self.within.lo <= Duration::ZERO {
                recent.ripe = Some(begun).max(recent.ripe);
            } else {
                recent.young.push_back((now, begun));
            }
        }
    }

    /// Returns true if the segment is satisfied when it ends now.
    pub(super) fn is_met(&self, order: &PrecedenceProgress) -> bool {
        !self.required || order.causes > 0
    }

    /// Returns true if the causes precede every later effect.
    pub(super) fn is_safe(&self, order: &PrecedenceProgress) -> bool {
        !self.is_timed() && order.effects == 0 && usize::from(order.causes) == self.causes.len()
    }
}
