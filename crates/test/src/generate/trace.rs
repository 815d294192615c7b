// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random traces whose gaps lie around a formula's constants.

use gnomon_core::time::{Duration, Quantity, TICKS_PER_BARE_UNIT, Timestamp};
use gnomon_ir::formula::{Aggregate, Formula, Kind};
use gnomon_ir::requirement::Behaviour;
use gnomon_ir::spec::Body;
use gnomon_oracle::OracleEvent;

use crate::build::requirement::{period_mut, within_mut};
use crate::random::Random;

/// What traces for one kind of property are made of.
pub(super) struct Scenery {
    /// An event at this time, of one of these names.
    pub(super) event: fn(&mut Random, Timestamp, &[&'static str]) -> OracleEvent,
    /// The names, some more often than others.
    pub(super) names: Vec<&'static str>,
    /// How many different times a trace has, mostly.
    pub(super) most: i64,
    /// And how many a long one has.
    pub(super) long: i64,
}

pub(super) fn events(random: &mut Random, body: &Body, scenery: &Scenery) -> Vec<OracleEvent> {
    let mut constants = Constants::default();
    match body {
        Body::Formula(formula) => constants.collect(formula),
        Body::Rule(rule) => rule.window.from.iter().chain(&rule.window.to).for_each(|bound| constants.add(&[*bound])),
        Body::Requirement(requirement) => constants.collect_from(&mut requirement.behaviour.clone()),
        Body::Automaton(_) | Body::Modal(_) => {}
    }
    let mut positions = random.between(1, scenery.most);
    match random.below(40) {
        0 => positions = 0,
        1 => positions = scenery.long,
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
            events.push((scenery.event)(random, time, &scenery.names));
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
pub(super) fn mutated(random: &mut Random, mut events: Vec<OracleEvent>, scenery: &Scenery) -> Vec<OracleEvent> {
    if events.is_empty() {
        return events;
    }
    let at = random.below(events.len());
    let time = events[at].time;
    match random.below(4) {
        0 => {
            events.remove(at);
        }
        1 => events.insert(at, (scenery.event)(random, time, &scenery.names)),
        _ => events[at] = (scenery.event)(random, time, &scenery.names),
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
            Kind::Unary { interval, .. } | Kind::Binary { interval, .. } => {
                self.add(&[interval.lo]);
                if let Some(hi) = interval.hi {
                    self.add(&[hi]);
                    self.open_above |= !interval.hi_closed;
                    self.closed_above |= interval.hi_closed;
                }
            }
            Kind::Aggregate { aggregate, bound, .. } => match aggregate.as_ref() {
                Aggregate::Count { window, .. } | Aggregate::Fold { window, .. } => self.add(&[*window]),
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

    fn collect_from(&mut self, behaviour: &mut Behaviour) {
        if let Some(Some(within)) = within_mut(behaviour) {
            self.add(&[within.lo]);
            self.add(within.hi.as_slice());
        }
        if let Some(period) = period_mut(behaviour) {
            self.add(&[*period]);
        }
    }

    fn add(&mut self, constants: &[Quantity]) {
        self.found.extend(constants.iter().map(|quantity| quantity.billionths));
    }
}
