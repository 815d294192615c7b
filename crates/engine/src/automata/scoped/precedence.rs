// SPDX-License-Identifier: MIT OR Apache-2.0
//! Precedence inside a segment: effects that need causes before them.
// RULE R9

use std::collections::VecDeque;

use gnomon_core::interval::Interval;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_ir::core::AtomId;
use serde::{Deserialize, Serialize};

use super::{Letter, bit, has};

/// What must come before what.
#[derive(Clone, Debug)]
pub(super) struct Precedence {
    causes: Vec<Letter>,
    effects: Vec<Letter>,
    required: bool,
    within: Interval,
    /// One cause and one effect may be one event.
    same_event: bool,
}

/// How far a segment has come.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Order {
    /// How many causes have come one after the other.
    causes: u16,
    /// How many effects have come one after the other, from the first that its causes did not precede.
    effects: u16,
    /// Where distances matter.
    recent: Option<Box<Recent>>,
}

/// The causes that count at a distance.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
struct Recent {
    /// For each number of causes short of all, the latest time at which such a sequence may have begun.
    begun: Vec<Option<Timestamp>>,
    /// Sequences of all causes that are too close to count yet: when they ended, and when they began at the latest.
    young: VecDeque<(Timestamp, Timestamp)>,
    /// When the one that counts began, at the latest.
    ripe: Option<Timestamp>,
}

impl Precedence {
    pub(super) fn new(causes: &[AtomId], effects: &[AtomId], required: bool, within: Interval) -> Self {
        let bits = |atoms: &[AtomId]| atoms.iter().map(|atom| bit(*atom)).collect::<Vec<Letter>>();
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

    /// An event of the segment; `false` if no causes precede the effects that it completes.
    #[inline]
    pub(super) fn step(&self, order: &mut Order, letter: Letter, now: Timestamp) -> bool {
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

    /// Whether an event does anything.
    pub(super) fn reacts(&self, order: &Order, letter: Letter) -> bool {
        if self.is_timed() {
            return self.causes.iter().chain(&self.effects).any(|one| has(letter, *one));
        }
        let (causes, effects) = (usize::from(order.causes), usize::from(order.effects));
        let leads = self.causes.get(causes).is_some_and(|next| has(letter, *next));
        let follows =
            if effects > 0 || causes < self.causes.len() { has(letter, self.effects[effects]) } else { false };
        leads || follows
    }

    /// Whether the causes precede what happens now.
    fn is_covered(&self, order: &mut Order, now: Timestamp) -> bool {
        if !self.is_timed() {
            return usize::from(order.causes) == self.causes.len();
        }
        let Some(recent) = &mut order.recent else { return false };
        while recent.young.front().is_some_and(|(ended, _)| now - *ended >= self.within.lo) {
            recent.ripe = recent.young.pop_front().map(|(_, begun)| begun).max(recent.ripe);
        }
        recent.ripe.is_some_and(|begun| !self.within.is_past(now - begun))
    }

    /// The event may be a cause.
    fn cause(&self, order: &mut Order, letter: Letter, now: Timestamp) {
        if !self.is_timed() {
            let next = self.causes.get(usize::from(order.causes));
            order.causes += u16::from(next.is_some_and(|next| has(letter, *next)));
            return;
        }
        let all = self.causes.len();
        // The last first, so that one event is not two causes of a sequence.
        for at in (0..all).rev().filter(|at| has(letter, self.causes[*at])) {
            let recent = order.recent.get_or_insert_with(|| {
                Box::new(Recent { begun: vec![None; all - 1], young: VecDeque::new(), ripe: None })
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

    /// The answer if the segment ended now.
    pub(super) fn is_met(&self, order: &Order) -> bool {
        !self.required || order.causes > 0
    }

    /// Whether whatever comes is preceded.
    pub(super) fn is_safe(&self, order: &Order) -> bool {
        !self.is_timed() && order.effects == 0 && usize::from(order.causes) == self.causes.len()
    }
}
