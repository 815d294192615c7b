// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random traces whose gaps lie around a formula's constants.

use gnomon_core::number::Number;
use gnomon_core::time::{Duration, Quantity, TICKS_PER_BARE_UNIT, Timestamp};
use gnomon_core::value::Value;
use gnomon_ir::formula::{Aggregate, Formula, Kind};
use gnomon_ir::spec::{Body, Property};
use gnomon_oracle::OracleEvent;

use crate::random::Random;

const MOST_POSITIONS: i64 = 11;

pub(super) fn events(random: &mut Random, property: &Property) -> Vec<OracleEvent> {
    let Body::Formula(formula) = &property.body;
    let mut constants = Constants::default();
    constants.collect(formula);
    let mut positions = random.between(1, MOST_POSITIONS);
    match random.below(40) {
        0 => positions = 0,
        1 => positions = 40,
        _ => {}
    }
    let mut times = vec![Timestamp::from_ticks(i128::from(random.between(0, 4)) * TICKS_PER_BARE_UNIT)];
    // A tick off is where open and closed ends differ. Never where both kinds meet: two deadlines, written a tick apart,
    // could pass together, and which of them is told is nobody's concern.
    let ticks_off = random.one_in(3) && !(constants.open_above && constants.closed_above);
    let mut events = Vec::new();
    for _ in 0..positions {
        let time = times[times.len() - 1];
        for _ in 0..*random.pick(&[1, 1, 1, 1, 2, 2, 3]) {
            events.push(event(random, time));
        }
        times.push(later(random, &times, &constants.found, ticks_off));
    }
    events
}

/// A time after the last: a little later, or as far from some earlier position as a constant says.
fn later(random: &mut Random, times: &[Timestamp], constants: &[i128], ticks_off: bool) -> Timestamp {
    let last = times[times.len() - 1];
    if !constants.is_empty() && random.one_in(2) {
        let from = times[times.len() - 1 - random.below(times.len().min(4))];
        let off = if ticks_off { i128::from(random.between(-1, 1)) } else { 0 };
        let off = if random.one_in(4) { TICKS_PER_BARE_UNIT } else { off };
        let time = from + Duration::from_ticks(random.pick(constants) + off);
        if time > last {
            return time;
        }
    }
    last + Duration::from_ticks(random.pick(&[1, 1, 2, 3]) * TICKS_PER_BARE_UNIT)
}

/// The trace with one event more, less or other.
pub(super) fn mutated(random: &mut Random, mut events: Vec<OracleEvent>) -> Vec<OracleEvent> {
    if events.is_empty() {
        return events;
    }
    let at = random.below(events.len());
    let time = events[at].time;
    match random.below(4) {
        0 => {
            events.remove(at);
        }
        1 => events.insert(at, event(random, time)),
        _ => events[at] = event(random, time),
    }
    events
}

fn event(random: &mut Random, time: Timestamp) -> OracleEvent {
    let mut event = OracleEvent::new(*random.pick(&["a", "a", "a", "b", "b", "b", "c", "c", "z"]), time);
    for field in ["v", "w"] {
        if random.one_in(2) {
            event.fields.push((field.to_owned(), Some(Value::Number(Number::Int(random.between(0, 3))))));
        }
    }
    event
}

/// The amounts of time in a formula, in ticks.
#[derive(Default)]
struct Constants {
    found: Vec<i128>,
    open_above: bool,
    closed_above: bool,
}

impl Constants {
    fn collect(&mut self, formula: &Formula) {
        match &formula.kind {
            Kind::Unary { interval, .. } | Kind::Binary { interval, .. } => {
                self.add(&[interval.lo]);
                if let Some(hi) = interval.hi {
                    self.add(&[hi]);
                    self.open_above |= !interval.hi_closed;
                    self.closed_above |= interval.hi_closed;
                }
            }
            Kind::Aggregate { aggregate, bound, .. } => match aggregate.as_ref() {
                Aggregate::Count { window, .. } => self.add(&[*window]),
                Aggregate::Average { window, step, .. } | Aggregate::Maximum { window, step, .. } => {
                    self.add(&[*window, *step]);
                }
                Aggregate::Gap { window, .. } => self.add(&[*window, *bound]),
            },
            _ => {}
        }
        for child in formula.children() {
            self.collect(child);
        }
    }

    fn add(&mut self, constants: &[Quantity]) {
        self.found.extend(constants.iter().map(|quantity| quantity.billionths));
    }
}
