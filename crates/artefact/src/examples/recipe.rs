// SPDX-License-Identifier: MIT OR Apache-2.0
//! Generates the events of a segment that satisfies a behaviour, and of one that violates it.

use gnomon_core::list::unique;
use gnomon_core::{Clock, Quantity, TICKS_PER_BARE_UNIT};
use gnomon_ir::{Atom, Behaviour, Bounds, CountBound, ExampleEvent};

use super::event::EventBuilder;
use crate::prepared_pattern::PreparedPattern;
use crate::refusal::Refusal;

/// The maximum number of events of an example.
const MAX_EVENTS: u64 = 60;

/// An event, and the gap between it and the event before it.
#[derive(Clone)]
pub(super) struct TraceStep {
    event: ExampleEvent,
    gap: StepGap,
}

/// The length of a gap.
#[derive(Clone, Copy)]
pub(super) enum StepGap {
    /// A short gap that violates nothing.
    Short,
    /// A gap within the interval of the behaviour.
    InTime,
    /// A gap beyond the interval.
    Late,
}

/// Generates example traces of a pattern.
pub(super) struct Recipe<'c, 's> {
    prepared: &'c PreparedPattern<'s>,
    events: &'c EventBuilder<'c, 's>,
    clock: Clock,
    pace: Option<GapTimes>,
}

/// The lengths of gaps of a pattern with time, in ticks.
struct GapTimes {
    short: i128,
    in_time: i128,
    late: i128,
    /// True if the interval has an upper end, so that an event can come too late; otherwise it can come too early.
    has_end: bool,
}

impl<'c, 's> Recipe<'c, 's> {
    pub(super) fn of(prepared: &'c PreparedPattern<'s>, events: &'c EventBuilder<'c, 's>) -> Result<Self, Refusal> {
        let clock = Clock::new(prepared.spec.time.unit);
        let long = match &prepared.behaviour {
            Behaviour::Count { number, .. } | Behaviour::Rate { number, .. } => *number >= MAX_EVENTS,
            _ => false,
        };
        if long {
            return Err(Refusal::new(format!("an example would need more than {MAX_EVENTS} events")));
        }
        Ok(Recipe { prepared, events, clock, pace: pace(prepared, clock) })
    }

    fn step(&self, gap: StepGap, atom: &Atom) -> TraceStep {
        TraceStep { event: self.events.like(atom), gap }
    }

    fn short(&self, atom: &Atom) -> TraceStep {
        self.step(StepGap::Short, atom)
    }

    fn unrelated(&self) -> TraceStep {
        TraceStep { event: self.events.unrelated(), gap: StepGap::Short }
    }

    fn times(&self, number: u64, atom: &Atom) -> Vec<TraceStep> {
        if number == 0 { vec![self.unrelated()] } else { (0..number).map(|_| self.short(atom)).collect() }
    }

    /// Returns traces that should satisfy the pattern, the most instructive first.
    pub(super) fn good(&self) -> Vec<Vec<TraceStep>> {
        let good = self.segment(true);
        let mut traces = Vec::new();
        if let (true, Some(opens), Some(good), Some(bad)) =
            (self.prepared.scope.restarts(), &self.prepared.opens, &good, self.segment(false))
        {
            // A further opening restarts the segment.
            let restart = std::iter::once(self.short(opens)).chain(good.iter().cloned());
            traces.push(self.around(bad.into_iter().chain(restart).collect()));
        }
        traces.extend(good.map(|good| self.around(good)));
        traces
    }

    /// Returns traces that should violate the pattern.
    pub(super) fn bad(&self) -> Vec<Vec<TraceStep>> {
        self.segment(false).map(|bad| self.around(bad)).into_iter().collect()
    }

    fn around(&self, segment: Vec<TraceStep>) -> Vec<TraceStep> {
        let opens = self.prepared.opens.iter().map(|atom| self.short(atom));
        let closes = self.prepared.closes.iter().map(|atom| self.short(atom));
        // If the segment begins with the trace, time is measured from the first event.
        let first = (self.pace.is_some() && self.prepared.opens.is_none()).then(|| self.unrelated());
        first.into_iter().chain(opens).chain(segment).chain(closes).collect()
    }

    fn segment(&self, good: bool) -> Option<Vec<TraceStep>> {
        if good { Some(self.answers_yes()) } else { self.answers_no() }
    }

    /// Returns events of these atoms, the first after this gap and the others after short ones.
    fn after(&self, gap: StepGap, atoms: &[Atom]) -> Vec<TraceStep> {
        let gaps = std::iter::once(gap).chain(std::iter::repeat(StepGap::Short));
        atoms.iter().zip(gaps).map(|(atom, gap)| self.step(gap, atom)).collect()
    }

    fn answers_yes(&self) -> Vec<TraceStep> {
        match &self.prepared.behaviour {
            Behaviour::Absence(_) => vec![self.unrelated()],
            Behaviour::Existence { event, .. } => vec![self.step(StepGap::InTime, event)],
            Behaviour::Count { number, event, .. } => self.times(*number, event),
            Behaviour::Rate { number, event, .. } => {
                let mut steps = self.times(*number, event);
                steps.extend((*number > 0).then(|| self.step(StepGap::Late, event)));
                steps
            }
            Behaviour::Universality(event) => vec![self.short(event)],
            Behaviour::Only(events) => self.after(StepGap::Short, events),
            Behaviour::Precedence { causes: before, effects: then, .. }
            | Behaviour::Response { stimuli: before, responses: then, .. } => {
                [self.after(StepGap::Short, before), self.after(StepGap::InTime, then)].concat()
            }
            Behaviour::Recurrence { event, .. } => {
                vec![self.step(StepGap::InTime, event), self.step(StepGap::InTime, event)]
            }
        }
    }

    /// Returns a segment that violates the behaviour; `None` if none is known.
    fn answers_no(&self) -> Option<Vec<TraceStep>> {
        let out_of_time = match &self.pace {
            Some(GapTimes { has_end: false, .. }) => StepGap::Short,
            _ => StepGap::Late,
        };
        Some(match &self.prepared.behaviour {
            Behaviour::Absence(event) => vec![self.short(event)],
            Behaviour::Existence { event, within: Some(_) } => vec![self.step(out_of_time, event)],
            Behaviour::Existence { within: None, .. } | Behaviour::Only(_) => vec![self.unrelated()],
            Behaviour::Count { amount: CountBound::AtLeast, number, event } => {
                self.times(number.checked_sub(1)?, event)
            }
            Behaviour::Count { number, event, .. } | Behaviour::Rate { number, event, .. } => {
                self.times(number + 1, event)
            }
            Behaviour::Universality(event) => {
                vec![TraceStep { event: self.events.unlike(event)?, gap: StepGap::Short }]
            }
            Behaviour::Precedence { effects, .. } => self.after(StepGap::Short, effects),
            Behaviour::Response { stimuli, responses, within, .. } => {
                let answer = if within.is_some() { self.after(out_of_time, responses) } else { vec![self.unrelated()] };
                [self.after(StepGap::Short, stimuli), answer].concat()
            }
            Behaviour::Recurrence { event, .. } => {
                vec![self.step(StepGap::InTime, event), self.step(StepGap::Late, event)]
            }
        })
    }

    /// Returns every event that may matter, with every gap.
    pub(super) fn alphabet(&self) -> Vec<TraceStep> {
        let universal = match &self.prepared.behaviour {
            Behaviour::Universality(event) => self.events.unlike(event),
            _ => None,
        };
        let atoms = self.prepared.atoms().into_iter().map(|atom| self.events.like(atom));
        let events = unique(atoms.chain(universal).chain([self.events.unrelated()]));
        let gaps: &[StepGap] =
            if self.pace.is_some() { &[StepGap::Short, StepGap::InTime, StepGap::Late] } else { &[StepGap::Short] };
        let with =
            |event: &ExampleEvent| gaps.iter().map(|gap| TraceStep { event: event.clone(), gap: *gap }).collect();
        events.iter().flat_map::<Vec<TraceStep>, _>(with).collect()
    }

    /// Returns true if a trace of these events is not vacuous: it has the delimiters of the scope and an event between them.
    pub(super) fn is_exercised(&self, steps: &[TraceStep]) -> bool {
        let place = |atom: &Option<Atom>, none: usize, last: bool| {
            let Some(event) = atom.as_ref().map(|atom| self.events.like(atom)) else { return Some(none) };
            let is_it = |step: &TraceStep| step.event == event;
            if last { steps.iter().rposition(is_it) } else { steps.iter().position(is_it).map(|place| place + 1) }
        };
        let from = place(&self.prepared.opens, 0, false);
        let to = place(&self.prepared.closes, steps.len(), true);
        matches!((from, to), (Some(from), Some(to)) if from < to)
    }

    /// Returns the events with their times, if times matter.
    pub(super) fn trace(&self, steps: &[TraceStep]) -> Vec<ExampleEvent> {
        let mut now: i128 = 0;
        let timed = |step: &TraceStep| {
            let mut event = step.event.clone();
            if let Some(pace) = &self.pace {
                now += match step.gap {
                    StepGap::Short => pace.short,
                    StepGap::InTime => pace.in_time,
                    StepGap::Late => pace.late,
                };
                event.time =
                    Some(Quantity { billionths: now * TICKS_PER_BARE_UNIT / self.clock.ticks_per_unit(), unit: None });
            }
            event
        };
        steps.iter().map(timed).collect()
    }
}

/// Returns the gaps that matter to a behaviour; `None` if none do.
fn pace(prepared: &PreparedPattern<'_>, clock: Clock) -> Option<GapTimes> {
    let ticks = |quantity: Quantity| clock.duration(quantity).map_or(0, gnomon_core::time::Duration::ticks);
    let (bounds, steps) = match &prepared.behaviour {
        Behaviour::Existence { within, .. } => ((*within)?, 1),
        Behaviour::Precedence { within, causes, effects, .. } => ((*within)?, causes.len() + effects.len()),
        Behaviour::Response { within, responses, stimuli, .. } => ((*within)?, stimuli.len() + responses.len()),
        Behaviour::Rate { window, number, .. } => (Bounds::up_to(*window), *number as usize + 1),
        Behaviour::Recurrence { every, .. } => (Bounds::up_to(*every), 1),
        _ => return None,
    };
    let (lo, hi) = (ticks(bounds.lo), bounds.hi.map(ticks));
    let unit = clock.ticks_per_unit();
    let whole = hi.filter(|hi| *hi > 0).or(Some(lo).filter(|lo| *lo > 0)).unwrap_or(unit);
    let in_time = match hi {
        Some(hi) if lo > 0 || !bounds.lo_closed => i128::midpoint(lo, hi),
        Some(hi) => hi / 2,
        None => lo + whole / 2,
    };
    // Several short gaps together stay below both ends of the interval.
    let divisor = 10 * i128::try_from(steps).unwrap_or(1).max(1);
    let room = hi.map_or(whole, |hi| (hi - in_time).max(0)).min(if lo > 0 { lo } else { whole });
    let short = if steps <= 3 && room >= whole / 10 { whole / 10 } else { room / divisor };
    Some(GapTimes {
        short,
        in_time,
        late: hi.map_or(in_time, |hi| if hi == 0 { unit } else { hi * 2 }),
        has_end: hi.is_some(),
    })
}
