// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happens in a segment that answers yes, and in one that answers no.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::{Clock, Quantity, TICKS_PER_BARE_UNIT};
use gnomon_ir::formula::Bounds;
use gnomon_ir::pattern::Atom;
use gnomon_ir::requirement::{Amount, Behaviour};
use gnomon_ir::spec::ExampleEvent;

use super::event::Maker;
use crate::cell::Cell;
use crate::refusal::Refusal;

/// How many events an example may have.
const MAX_EVENTS: u64 = 60;

/// An event, and how long after the one before it.
#[derive(Clone)]
pub(super) struct Step {
    event: ExampleEvent,
    gap: Gap,
}

#[derive(Clone, Copy)]
pub(super) enum Gap {
    /// Not long.
    Short,
    /// In time for what is asked.
    InTime,
    /// Too long.
    Late,
}

/// How examples of a cell are made.
pub(super) struct Recipe<'c, 's> {
    cell: &'c Cell<'s>,
    maker: &'c Maker<'c, 's>,
    clock: Clock,
    pace: Option<Pace>,
}

/// The gaps of a cell with time, in ticks.
struct Pace {
    short: i128,
    in_time: i128,
    late: i128,
    /// Whether coming late is what goes wrong; else it is coming early.
    has_end: bool,
}

impl<'c, 's> Recipe<'c, 's> {
    pub(super) fn of(cell: &'c Cell<'s>, maker: &'c Maker<'c, 's>) -> Result<Self, Refusal> {
        let clock = Clock::new(cell.spec.time.unit);
        let long = match &cell.behaviour {
            Behaviour::Count { number, .. } | Behaviour::Rate { number, .. } => *number >= MAX_EVENTS,
            _ => false,
        };
        if long {
            return Err(Refusal::new(format!("an example would need more than {MAX_EVENTS} events")));
        }
        Ok(Recipe { cell, maker, clock, pace: pace(cell, clock) })
    }

    fn step(&self, gap: Gap, atom: &Atom) -> Step {
        Step { event: self.maker.like(atom), gap }
    }

    fn short(&self, atom: &Atom) -> Step {
        self.step(Gap::Short, atom)
    }

    fn unrelated(&self) -> Step {
        Step { event: self.maker.unrelated(), gap: Gap::Short }
    }

    fn times(&self, number: u64, atom: &Atom) -> Vec<Step> {
        if number == 0 { vec![self.unrelated()] } else { (0..number).map(|_| self.short(atom)).collect() }
    }

    /// Traces that should satisfy it, the most telling first.
    pub(super) fn good(&self) -> Vec<Vec<Step>> {
        let good = self.segment(true);
        let mut traces = Vec::new();
        if let (true, Some(opens), Some(good), Some(bad)) =
            (self.cell.scope.restarts(), &self.cell.opens, &good, self.segment(false))
        {
            // What an earlier opening began is forgotten.
            let restart = std::iter::once(self.short(opens)).chain(good.iter().cloned());
            traces.push(self.around(bad.into_iter().chain(restart).collect()));
        }
        traces.extend(good.map(|good| self.around(good)));
        traces
    }

    /// Traces that should violate it.
    pub(super) fn bad(&self) -> Vec<Vec<Step>> {
        self.segment(false).map(|bad| self.around(bad)).into_iter().collect()
    }

    fn around(&self, segment: Vec<Step>) -> Vec<Step> {
        let opens = self.cell.opens.iter().map(|atom| self.short(atom));
        let closes = self.cell.closes.iter().map(|atom| self.short(atom));
        // Where the trace opens the segment, time is measured from its first event.
        let first = (self.pace.is_some() && self.cell.opens.is_none()).then(|| self.unrelated());
        first.into_iter().chain(opens).chain(segment).chain(closes).collect()
    }

    fn segment(&self, good: bool) -> Option<Vec<Step>> {
        if good { Some(self.answers_yes()) } else { self.answers_no() }
    }

    /// These, the first after this gap and the others soon after.
    fn after(&self, gap: Gap, atoms: &[Atom]) -> Vec<Step> {
        let gaps = std::iter::once(gap).chain(std::iter::repeat(Gap::Short));
        atoms.iter().zip(gaps).map(|(atom, gap)| self.step(gap, atom)).collect()
    }

    fn answers_yes(&self) -> Vec<Step> {
        match &self.cell.behaviour {
            Behaviour::Absence(_) => vec![self.unrelated()],
            Behaviour::Existence { event, .. } => vec![self.step(Gap::InTime, event)],
            Behaviour::Count { number, event, .. } => self.times(*number, event),
            Behaviour::Rate { number, event, .. } => {
                let mut steps = self.times(*number, event);
                steps.extend((*number > 0).then(|| self.step(Gap::Late, event)));
                steps
            }
            Behaviour::Universality(event) => vec![self.short(event)],
            Behaviour::Only(events) => self.after(Gap::Short, events),
            Behaviour::Precedence { causes: before, effects: then, .. }
            | Behaviour::Response { stimuli: before, responses: then, .. } => {
                [self.after(Gap::Short, before), self.after(Gap::InTime, then)].concat()
            }
            Behaviour::Recurrence { event, .. } => {
                vec![self.step(Gap::InTime, event), self.step(Gap::InTime, event)]
            }
        }
    }

    /// `None` if nothing is known that answers no.
    fn answers_no(&self) -> Option<Vec<Step>> {
        let out_of_time = match &self.pace {
            Some(Pace { has_end: false, .. }) => Gap::Short,
            _ => Gap::Late,
        };
        Some(match &self.cell.behaviour {
            Behaviour::Absence(event) => vec![self.short(event)],
            Behaviour::Existence { event, within: Some(_) } => vec![self.step(out_of_time, event)],
            Behaviour::Existence { within: None, .. } | Behaviour::Only(_) => vec![self.unrelated()],
            Behaviour::Count { amount: Amount::AtLeast, number, event } => self.times(number.checked_sub(1)?, event),
            Behaviour::Count { number, event, .. } | Behaviour::Rate { number, event, .. } => {
                self.times(number + 1, event)
            }
            Behaviour::Universality(event) => vec![Step { event: self.maker.unlike(event)?, gap: Gap::Short }],
            Behaviour::Precedence { effects, .. } => self.after(Gap::Short, effects),
            Behaviour::Response { stimuli, responses, within, .. } => {
                let answer = if within.is_some() { self.after(out_of_time, responses) } else { vec![self.unrelated()] };
                [self.after(Gap::Short, stimuli), answer].concat()
            }
            Behaviour::Recurrence { event, .. } => vec![self.step(Gap::InTime, event), self.step(Gap::Late, event)],
        })
    }

    /// Every event that may matter, with every gap.
    pub(super) fn alphabet(&self) -> Vec<Step> {
        let mut events: Vec<ExampleEvent> = Vec::new();
        let universal = match &self.cell.behaviour {
            Behaviour::Universality(event) => self.maker.unlike(event),
            _ => None,
        };
        let atoms = self.cell.atoms().into_iter().map(|atom| self.maker.like(atom));
        for event in atoms.chain(universal).chain([self.maker.unrelated()]) {
            if !events.contains(&event) {
                events.push(event);
            }
        }
        let gaps: &[Gap] = if self.pace.is_some() { &[Gap::Short, Gap::InTime, Gap::Late] } else { &[Gap::Short] };
        let with = |event: &ExampleEvent| gaps.iter().map(|gap| Step { event: event.clone(), gap: *gap }).collect();
        events.iter().flat_map::<Vec<Step>, _>(with).collect()
    }

    /// Whether a trace of these events has something to satisfy: what delimits, and something in between.
    pub(super) fn is_telling(&self, steps: &[Step]) -> bool {
        let place = |atom: &Option<Atom>, none: usize, last: bool| {
            let Some(event) = atom.as_ref().map(|atom| self.maker.like(atom)) else { return Some(none) };
            let is_it = |step: &Step| step.event == event;
            if last { steps.iter().rposition(is_it) } else { steps.iter().position(is_it).map(|place| place + 1) }
        };
        let from = place(&self.cell.opens, 0, false);
        let to = place(&self.cell.closes, steps.len(), true);
        matches!((from, to), (Some(from), Some(to)) if from < to)
    }

    /// The events with their times, if those matter.
    pub(super) fn trace(&self, steps: &[Step]) -> Vec<ExampleEvent> {
        let mut now: i128 = 0;
        let timed = |step: &Step| {
            let mut event = step.event.clone();
            if let Some(pace) = &self.pace {
                now += match step.gap {
                    Gap::Short => pace.short,
                    Gap::InTime => pace.in_time,
                    Gap::Late => pace.late,
                };
                event.time =
                    Some(Quantity { billionths: now * TICKS_PER_BARE_UNIT / self.clock.ticks_per_unit(), unit: None });
            }
            event
        };
        steps.iter().map(timed).collect()
    }
}

/// What gaps matter to a behaviour; `None` if none do.
fn pace(cell: &Cell<'_>, clock: Clock) -> Option<Pace> {
    let ticks = |quantity: Quantity| clock.duration(quantity).map_or(0, gnomon_core::time::Duration::ticks);
    let (bounds, steps) = match &cell.behaviour {
        Behaviour::Existence { within, .. } => ((*within)?, 1),
        Behaviour::Precedence { within, causes, effects, .. } => ((*within)?, causes.len() + effects.len()),
        Behaviour::Response { within, responses, stimuli, .. } => ((*within)?, stimuli.len() + responses.len()),
        Behaviour::Rate { window, number, .. } => (up_to(*window), *number as usize + 1),
        Behaviour::Recurrence { every, .. } => (up_to(*every), 1),
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
    // Several short gaps stay within what is allowed, and below what is asked.
    let divisor = 10 * i128::try_from(steps).unwrap_or(1).max(1);
    let room = hi.map_or(whole, |hi| (hi - in_time).max(0)).min(if lo > 0 { lo } else { whole });
    let short = if steps <= 3 && room >= whole / 10 { whole / 10 } else { room / divisor };
    Some(Pace {
        short,
        in_time,
        late: hi.map_or(in_time, |hi| if hi == 0 { unit } else { hi * 2 }),
        has_end: hi.is_some(),
    })
}

fn up_to(quantity: Quantity) -> Bounds {
    Bounds { hi: Some(quantity), hi_closed: true, span: Some(Span::default()), ..Bounds::ANY }
}
