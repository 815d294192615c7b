// SPDX-License-Identifier: MIT OR Apache-2.0
//! Describes the moments that a temporal operator refers to, and what happens at them.

use gnomon_ir::formula::{Bounds, Formula, FormulaKind};

use super::clause::{Clause, neither};
use super::formula::{alternatives, clause, implication, occurrence_of};
use super::words::{range, time, unit_time, within};

/// The direction in time of a temporal operator.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Future,
    Past,
}

/// The moments that a temporal operator refers to.
#[derive(Clone, Copy)]
pub(super) struct Moments<'f> {
    pub(super) direction: Direction,
    pub(super) strict: bool,
    pub(super) interval: &'f Bounds,
    /// True if the present moment is the first event of the trace. Its future is the whole trace.
    pub(super) is_first_event: bool,
}

impl Moments<'_> {
    /// Describes that something is the case at one of the moments.
    pub(super) fn some(&self, of: &Formula, positive: bool) -> Clause {
        if let Some(event) = occurrence_of(of).filter(|_| positive) {
            return Clause::simple(format!("{event} {}", self.verb()));
        }
        if is_constant(of, positive) && (self.excludes_present() || self.during().is_some()) {
            return Clause::simple(format!("there is {}", self.an_event("an")));
        }
        let inner = clause(of, positive);
        inner.placed(&self.place(true))
    }

    /// Describes that something is the case at all moments.
    pub(super) fn every(&self, of: &Formula, positive: bool) -> Clause {
        let absent = match &of.kind {
            FormulaKind::Not(inner) if positive => alternatives(inner),
            _ if positive => None,
            _ => alternatives(of),
        };
        if let Some(events) = absent {
            return Clause::simple(self.absence(&events));
        }
        if is_constant(of, !positive) && (self.excludes_present() || self.during().is_some()) {
            return Clause::simple(format!("there is {}", self.an_event("no")));
        }
        if self.direction == Direction::Future
            && let Some((left, right)) = implication(of, positive)
        {
            let lead = match (self.during(), self.excludes_present()) {
                (Some(during), _) => format!("{during}, "),
                (None, true) if self.is_first_event => "after the first event, ".to_owned(),
                (None, false) if self.is_first_event => String::new(),
                (None, true) => "afterwards, ".to_owned(),
                (None, false) => "from then on, ".to_owned(),
            };
            let text = format!("{lead}whenever {}, {}", left.introduced(), right.text);
            return Clause::around(text, &[&left, &right]);
        }
        let inner = clause(of, positive);
        inner.placed(&self.place(false))
    }

    /// Returns true if the present moment is not one of them.
    fn excludes_present(&self) -> bool {
        self.strict || self.interval.lo.billionths > 0 || !self.interval.lo_closed
    }

    /// Returns "occurs within 10 seconds".
    pub(super) fn verb(&self) -> String {
        let hi = within(self.interval);
        let far = range(self.interval);
        let excluded = self.excludes_present();
        if self.is_first_event {
            return match (excluded, hi, self.during()) {
                (true, Some(hi), _) => format!("follows the first event {hi}"),
                (_, _, Some(during)) => format!("occurs {during}"),
                (true, ..) => "occurs after the first event".to_owned(),
                (false, ..) => "eventually occurs".to_owned(),
            };
        }
        match (self.direction, excluded, hi, far) {
            (Direction::Future, true, Some(hi), _) => format!("follows {hi}"),
            (Direction::Future, false, Some(hi), _) => format!("occurs {hi}"),
            (Direction::Future, _, None, Some(far)) => format!("occurs {far} later"),
            (Direction::Future, true, None, None) => "occurs later".to_owned(),
            (Direction::Future, false, None, None) => "eventually occurs".to_owned(),
            (Direction::Past, _, Some(_), _) => {
                let has = if self.interval.hi_closed { "has occurred" } else { "occurred" };
                format!("{has} {}", self.during().unwrap_or_default())
            }
            (Direction::Past, _, None, Some(far)) => format!("occurred {far} earlier"),
            (Direction::Past, true, None, None) => "has occurred before".to_owned(),
            (Direction::Past, false, None, None) => "has occurred".to_owned(),
        }
    }

    /// Returns "`a` does not occur during the next 10 seconds".
    fn absence(&self, events: &[String]) -> String {
        let (subject, is_one) = match events {
            [only] => (only.clone(), true),
            several => (neither(several), false),
        };
        let is_near = self.interval.lo.billionths == 0 && self.interval.hi.is_some_and(|hi| hi.billionths > 0);
        let is_open = is_near && !self.interval.hi_closed;
        let (verb, when) = match (self.direction, self.excludes_present(), self.during()) {
            // "does not occur at least 5 seconds later" would have two readings.
            (direction, _, Some(_))
                if self.interval.hi.is_none() && self.interval.lo_closed && !self.is_first_event =>
            {
                let lo = time(self.interval.lo);
                match direction {
                    Direction::Future => {
                        (if is_one { "does not occur" } else { "occurs" }, format!("{lo} or more later"))
                    }
                    Direction::Past => {
                        (if is_one { "did not occur" } else { "occurred" }, format!("{lo} or more earlier"))
                    }
                }
            }
            (Direction::Future, true, Some(_)) if is_near && !is_open && !self.is_first_event => {
                let within = within(self.interval).unwrap_or_default();
                (if is_one { "does not follow" } else { "follows" }, within)
            }
            // "does not occur less than 5 seconds later" would have two readings, too.
            (direction, excluded, Some(_)) if is_open && !self.is_first_event => {
                let hi = self.interval.hi.map(unit_time).unwrap_or_default();
                let (verb, when) = match (direction, excluded) {
                    (Direction::Future, _) => (["does not occur", "occurs"], "during the next"),
                    (Direction::Past, true) => (["has not occurred", "has occurred"], "in the previous"),
                    (Direction::Past, false) => (["has not occurred", "has occurred"], "in the last"),
                };
                (verb[usize::from(!is_one)], format!("{when} {hi} (exclusive)"))
            }
            (Direction::Future, _, Some(during)) => (if is_one { "does not occur" } else { "occurs" }, during),
            // "has not occurred in the last hour", but "did not occur more than an hour earlier".
            (Direction::Past, _, Some(during)) if during.ends_with("earlier") => {
                (if is_one { "did not occur" } else { "occurred" }, during)
            }
            (Direction::Past, _, Some(during)) => (if is_one { "has not occurred" } else { "has occurred" }, during),
            (Direction::Past, true, None) => {
                (if is_one { "has not occurred" } else { "has occurred" }, "before".to_owned())
            }
            (Direction::Past, false, None) => {
                return format!("{subject} {}", if is_one { "has not occurred" } else { "has occurred" });
            }
            (Direction::Future, excluded, None) => {
                let verb = if is_one { "never occurs" } else { "ever occurs" };
                match (excluded, self.is_first_event) {
                    (true, true) => (verb, "after the first event".to_owned()),
                    (true, false) => (verb, "afterwards".to_owned()),
                    (false, false) => (verb, "from then on".to_owned()),
                    (false, true) => return format!("{subject} {verb}"),
                }
            }
        };
        format!("{subject} {verb} {when}")
    }

    /// Returns "during the next 10 seconds"; `None` if there is no limit.
    fn during(&self) -> Option<String> {
        let Bounds { lo, hi, hi_closed, .. } = self.interval;
        let excluded = self.excludes_present();
        match (hi, self.direction) {
            (Some(hi), direction) if lo.billionths == 0 => Some(match direction {
                _ if hi.billionths == 0 && self.is_first_event => "at the time of the first event".to_owned(),
                _ if hi.billionths == 0 => "at the same time".to_owned(),
                _ if self.is_first_event && !*hi_closed => format!("less than {} after the first event", time(*hi)),
                _ if self.is_first_event && excluded => format!("in the {} after the first event", unit_time(*hi)),
                _ if self.is_first_event => format!("within {} of the first event", time(*hi)),
                Direction::Future if *hi_closed => format!("during the next {}", unit_time(*hi)),
                Direction::Future => format!("less than {} later", time(*hi)),
                Direction::Past if !*hi_closed => format!("less than {} earlier", time(*hi)),
                Direction::Past if excluded => format!("in the previous {}", unit_time(*hi)),
                Direction::Past => format!("in the last {}", unit_time(*hi)),
            }),
            (_, direction) => range(self.interval).map(|far| match direction {
                _ if self.is_first_event => format!("{far} after the first event"),
                Direction::Future => format!("{far} later"),
                Direction::Past => format!("{far} earlier"),
            }),
        }
    }

    /// Returns "at some event during the next 10 seconds".
    pub(super) fn place(&self, exists: bool) -> String {
        let which = if exists { "some" } else { "every" };
        match (self.during(), self.direction, self.excludes_present()) {
            (Some(during), ..) => format!("at {which} event {during}"),
            (None, Direction::Future, true) if self.is_first_event => format!("at {which} event after the first"),
            (None, Direction::Future, false) if self.is_first_event => format!("at {which} event"),
            (None, Direction::Future, true) => format!("at {which} later event"),
            (None, Direction::Future, false) => format!("at {which} event from then on"),
            (None, Direction::Past, true) => format!("at {which} earlier event"),
            (None, Direction::Past, false) => format!("at {which} event up to then"),
        }
    }

    /// Returns "an event during the next 10 seconds", with another article on request.
    fn an_event(&self, article: &str) -> String {
        let short = if article == "an" { "a" } else { article };
        match (self.during(), self.direction) {
            (Some(during), _) => format!("{article} event {during}"),
            (None, Direction::Future) if self.is_first_event => format!("{article} event after the first"),
            (None, Direction::Future) => format!("{short} later event"),
            (None, Direction::Past) => format!("{article} earlier event"),
        }
    }
}

fn is_constant(formula: &Formula, value: bool) -> bool {
    formula.kind == FormulaKind::Constant(value)
}
