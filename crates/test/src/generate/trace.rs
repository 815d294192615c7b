// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random traces whose gaps lie around a formula's constants.

use gnomon_core::time::{Duration, Quantity, TICKS_PER_BARE_UNIT, Timestamp};
use gnomon_ir::formula::{Aggregate, Formula, FormulaKind};
use gnomon_ir::pattern::Behaviour;
use gnomon_ir::spec::Body;
use gnomon_oracle::OracleEvent;

use crate::build::pattern::{period, within};
use crate::choices::Choices;

/// The names, fields and times of traces for one kind of property.
pub(super) struct TraceShape {
    /// An event at this time, of one of these names.
    pub(super) event: fn(&mut Choices, Timestamp, &[&'static str]) -> OracleEvent,
    /// The names, some more often than others.
    pub(super) names: Vec<&'static str>,
    /// Typical number of distinct times of a trace.
    pub(super) most: i64,
    /// Number of distinct times of a long trace.
    pub(super) long: i64,
}

pub(super) fn events(choices: &mut Choices, body: &Body, shape: &TraceShape) -> Vec<OracleEvent> {
    let mut constants = Constants::default();
    match body {
        Body::Formula(formula) => constants.collect(formula),
        Body::Rule(rule) => rule.window.from.iter().chain(&rule.window.to).for_each(|bound| constants.add(&[*bound])),
        Body::Pattern(pattern) => constants.collect_from(&pattern.behaviour),
        Body::Automaton(_) | Body::Modal(_) | Body::Plugin(_) | Body::Clocks(_) => {}
    }
    let mut positions = choices.between(1, shape.most);
    match choices.below(40) {
        0 => positions = 0,
        1 => positions = shape.long,
        _ => {}
    }
    let mut times = vec![Timestamp::from_ticks(i128::from(choices.between(0, 4)) * TICKS_PER_BARE_UNIT)];
    // Open and closed ends differ one tick off a constant. Not used where both kinds occur: two deadlines one tick apart could pass
    // together, and the semantics does not define which of them is reported.
    let ticks_off = choices.one_in(3) && !(constants.open_above && constants.closed_above);
    let mut events = Vec::new();
    for _ in 0..positions {
        let time = times[times.len() - 1];
        for _ in 0..*choices.pick(&[1, 1, 1, 1, 2, 2, 3]) {
            events.push((shape.event)(choices, time, &shape.names));
        }
        times.push(later(choices, &times, &constants.found, ticks_off));
    }
    events
}

/// A time after the last: a little later, or as far from some earlier position as a constant says.
fn later(choices: &mut Choices, times: &[Timestamp], constants: &[i128], ticks_off: bool) -> Timestamp {
    let last = times[times.len() - 1];
    if !constants.is_empty() && choices.one_in(2) {
        let from = times[times.len() - 1 - choices.index(times.len().min(4))];
        let off = if ticks_off { i128::from(choices.between(-1, 1)) } else { 0 };
        let off = if choices.one_in(4) { TICKS_PER_BARE_UNIT } else { off };
        let time = from + Duration::from_ticks(choices.pick(constants) + off);
        if time > last {
            return time;
        }
    }
    last + Duration::from_ticks(choices.pick(&[1, 1, 2, 3]) * TICKS_PER_BARE_UNIT)
}

/// Inserts, removes or replaces one event.
pub(super) fn mutated(choices: &mut Choices, mut events: Vec<OracleEvent>, shape: &TraceShape) -> Vec<OracleEvent> {
    if events.is_empty() {
        return events;
    }
    let at = choices.index(events.len());
    let time = events[at].time;
    match choices.below(4) {
        0 => {
            events.remove(at);
        }
        1 => events.insert(at, (shape.event)(choices, time, &shape.names)),
        _ => events[at] = (shape.event)(choices, time, &shape.names),
    }
    events
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
            FormulaKind::Unary { interval, .. } | FormulaKind::Binary { interval, .. } => {
                self.add(&[interval.lo]);
                if let Some(hi) = interval.hi {
                    self.add(&[hi]);
                    self.open_above |= !interval.hi_closed;
                    self.closed_above |= interval.hi_closed;
                }
            }
            FormulaKind::Aggregate { aggregate, bound, .. } => match aggregate.as_ref() {
                Aggregate::Count { .. }
                | Aggregate::Rate { .. }
                | Aggregate::Fold { .. }
                | Aggregate::Percentile { .. }
                | Aggregate::Distinct { .. } => self.add(&[aggregate.window()]),
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

    fn collect_from(&mut self, behaviour: &Behaviour) {
        if let Some(within) = within(behaviour) {
            self.add(&[within.lo]);
            self.add(within.hi.as_slice());
        }
        self.add(period(behaviour).as_slice());
    }

    fn add(&mut self, constants: &[Quantity]) {
        self.found.extend(constants.iter().map(|quantity| quantity.billionths));
    }
}
