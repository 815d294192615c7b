// SPDX-License-Identifier: MIT OR Apache-2.0
//! One rule's state, however its messages are matched.

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{End, Outcome, Violation};
use gnomon_ir::core::Direction;
use gnomon_ir::rule::Matching;
use serde::{Deserialize, Serialize};

use super::any_future::AnyFuture;
use super::any_past::AnyPast;
use super::desk::Desk;
use super::paired::Paired;
use super::tally::Tally;
use super::{Compiled, Message};
use crate::slice::values::Values;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Run {
    alive: Alive,
    tally: Tally,
}

/// What is alive of a rule.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Alive {
    Paired(Paired),
    AnyFuture(AnyFuture),
    AnyPast(AnyPast),
}

/// Calls the same method of whatever kind it is.
macro_rules! with {
    ($alive:expr, |$own:ident| $body:expr) => {
        match $alive {
            Alive::Paired($own) => $body,
            Alive::AnyFuture($own) => $body,
            Alive::AnyPast($own) => $body,
        }
    };
}

impl Run {
    pub(super) fn new(rule: &Compiled, max_violations: usize) -> Self {
        let alive = match (rule.core.matching, rule.core.direction) {
            (Matching::Paired, _) => Alive::Paired(Paired::new(rule)),
            (Matching::Any, Direction::Future) => Alive::AnyFuture(AnyFuture::new(rule)),
            (Matching::Any, Direction::Past) => Alive::AnyPast(AnyPast::new(rule)),
        };
        Run { alive, tally: Tally::new(max_violations) }
    }

    #[inline]
    pub(super) fn step(&mut self, rule: &Compiled, message: &Message<'_>, values: &mut Values) {
        let desk = &mut Desk { values, tally: &mut self.tally };
        with!(&mut self.alive, |alive| alive.step(rule, message, desk));
    }

    /// Windows that ended before `now` are closed.
    pub(super) fn close(&mut self, rule: &Compiled, now: Timestamp, values: &mut Values) {
        let desk = &mut Desk { values, tally: &mut self.tally };
        with!(&mut self.alive, |alive| alive.close(rule, now, desk));
    }

    /// When the next window ends.
    #[inline]
    pub(super) fn deadline(&self, rule: &Compiled) -> Timestamp {
        with!(&self.alive, |alive| alive.deadline(rule))
    }

    pub(super) fn finish(
        mut self,
        rule: &Compiled,
        end: End,
        last: Timestamp,
        positions: u64,
        values: &mut Values,
    ) -> Outcome {
        let strict = rule.core.strict_end;
        let pending = match (&self.alive, rule.core.direction) {
            (_, Direction::Past) => 0,
            (alive, Direction::Future) => with!(alive, |alive| alive.live()) as u64,
        };
        if end == End::Complete && strict && pending > 0 {
            let desk = &mut Desk { values, tally: &mut self.tally };
            match &self.alive {
                Alive::Paired(alive) => alive.end(rule, last, desk),
                Alive::AnyFuture(alive) => alive.end(rule, last, desk),
                Alive::AnyPast(_) => {}
            }
            return self.tally.outcome(end, 0, false, positions);
        }
        self.tally.outcome(end, pending, !strict, positions)
    }

    pub(super) fn violated(&self) -> u64 {
        self.tally.violated
    }

    pub(super) fn news(&mut self) -> &[Violation] {
        self.tally.news()
    }

    pub(super) fn tell(&mut self, keep: usize) -> Vec<Violation> {
        self.tally.tell(keep)
    }

    pub(super) fn live(&self) -> usize {
        with!(&self.alive, |alive| alive.live())
    }

    pub(super) fn bytes(&self) -> usize {
        with!(&self.alive, |alive| alive.bytes())
    }

    /// Makes a restored one whole; `false` if it cannot have been saved like this.
    pub(super) fn rebuild(&mut self, rule: &Compiled, bound: usize) -> bool {
        let is_right = match (&mut self.alive, rule.core.matching, rule.core.direction) {
            (Alive::Paired(alive), Matching::Paired, _) => alive.rebuild(rule, bound),
            (Alive::AnyFuture(alive), Matching::Any, Direction::Future) => alive.rebuild(rule, bound),
            (Alive::AnyPast(alive), Matching::Any, Direction::Past) => alive.rebuild(rule, bound),
            _ => false,
        };
        is_right && self.tally.is_sound()
    }
}
