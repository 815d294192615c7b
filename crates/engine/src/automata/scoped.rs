// SPDX-License-Identifier: MIT OR Apache-2.0
//! Property patterns as the machine of a binding: in which segment it is, and how far the behaviour has come there.

mod behaviour;
mod precedence;
mod response;
mod story;

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{Durations, End, Outcome, Verdict, Violation};
use gnomon_ir::core::{AtomDefinition, AtomId, RequirementCore};
use gnomon_ir::requirement::ScopeKind;
use serde::{Deserialize, Serialize};

use self::behaviour::{Behaviour, Deadline, Effect, Progress};
use super::desk::{Asked, Cause, Counted, Desk};
use crate::slice::Named;
use crate::slice::machine::{Extent, Machine, Moment, Sink};
use crate::slice::matches::Mask;
use crate::slice::values::{Id, Values};

/// The atoms that are true of an event, a bit for each.
type Letter = u64;

fn bit(atom: AtomId) -> Letter {
    1 << atom.0
}

#[inline]
fn has(letter: Letter, some: Letter) -> bool {
    letter & some != 0
}

/// A pattern ready to run.
///
/// COST: O(length of the chains) per event that concerns the binding, whatever the bounds. Memory: what is open.
#[derive(Clone, Debug)]
pub(crate) struct Scoped {
    core: RequirementCore,
    behaviour: Behaviour,
    opens: Letter,
    closes: Letter,
    /// Whether a violation is certain as soon as the answer is.
    immediate: bool,
    /// Whether time alone can change something.
    timed: bool,
    lends: bool,
}

/// The state of one binding. At multiples of 32 bytes, three of these lie in two lines of the cache, never in three.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(align(32))]
pub(crate) struct Segment {
    phase: Phase,
    progress: Progress,
    /// For a binding that counts for itself, and for what is found while time passes.
    counted: Option<Box<Counted>>,
}

/// Kept here so that a change of the layout is noticed.
const _: () = assert!(size_of::<Segment>() == 96);

/// Where a binding is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
enum Phase {
    /// In no segment so far, or after one and before the next.
    Outside,
    /// In the segment that this opened.
    Inside(Asked),
    /// In a segment whose violation is told: its end is waited for.
    Told,
    /// After the only segment; whether its answer was yes.
    Over(bool),
}

impl Scoped {
    pub(crate) fn new(core: &RequirementCore) -> Self {
        let behaviour = Behaviour::new(core);
        let scope = core.scope;
        let quantified = core.prefix.len();
        let bound = |atom: &AtomDefinition| {
            let places = atom.patterns.first().into_iter().flat_map(|pattern| &pattern.variables);
            places.fold(0_u64, |mask, (_, id)| mask | 1 << id.0).count_ones() as usize
        };
        let binds_all = |letter: Letter| bound(&core.atoms[letter.trailing_zeros() as usize]) == quantified;
        // Nothing can go wrong for a binding before a stimulus names it, and no event names a part of it.
        let lends = quantified > 0
            && core.atoms.iter().all(|atom| bound(atom) == 0 || bound(atom) == quantified)
            && match &behaviour {
                Behaviour::Response(response) => !response.is_required() && response.stimuli().any(binds_all),
                _ => false,
            };
        Scoped {
            opens: core.opens.map_or(0, bit),
            closes: core.closes.map_or(0, bit),
            immediate: !scope.needs_end() && !scope.restarts(),
            timed: behaviour.is_timed(),
            lends,
            behaviour,
            core: core.clone(),
        }
    }

    /// Whether events that it does not name matter.
    pub(crate) fn looks_at_all(&self) -> bool {
        matches!(self.behaviour, Behaviour::Only(_))
    }

    /// The end of the time that a segment has left.
    #[inline]
    fn due(&self, state: &Segment) -> Option<Deadline> {
        match state.phase {
            _ if !self.timed => None,
            Phase::Inside(opened) => self.behaviour.deadline(&state.progress, opened),
            Phase::Outside | Phase::Told | Phase::Over(_) => None,
        }
    }

    /// Time has come so far: what should have come before may be missing.
    #[inline]
    fn elapse(&self, state: &mut Segment, to: Timestamp, sink: &mut Sink<'_>) {
        let Some(due) = self.due(state).filter(|due| due.last < to) else { return };
        state.progress = Progress::Lost(due.because);
        if self.immediate {
            self.tell(state, Cause::Deadline(due.told), sink);
        }
    }

    /// The answer is no, and the segment is one.
    fn tell(&self, state: &mut Segment, why: Cause<'_>, sink: &mut Sink<'_>) {
        let Segment { phase, progress, counted } = state;
        let Phase::Inside(opened) = *phase else { return };
        Desk::with(sink, counted, |desk| self.violate(opened, progress, why, desk));
        *phase = Phase::Told;
    }

    fn violate(&self, opened: Asked, progress: &Progress, why: Cause<'_>, desk: &mut Desk<'_>) {
        desk.sum.violated += 1;
        let at = opened.at();
        desk.list(at, at.position, self.core.behaviour_span, why, || self.story(opened, progress, why));
    }

    /// A segment begins.
    fn open(&self, state: &mut Segment, opened: Asked, sink: &mut Sink<'_>) {
        Desk::with(sink, &mut state.counted, |desk| desk.sum.activated += 1);
        state.phase = Phase::Inside(opened);
        state.progress = self.behaviour.start(opened);
    }

    /// A segment is closed by an event.
    fn close(&self, state: &mut Segment, why: Cause<'_>, sink: &mut Sink<'_>) {
        let answer = match state.phase {
            Phase::Inside(opened) if self.behaviour.is_met(&state.progress, why.time()) => {
                let length = (!self.measures_answers()).then(|| why.time() - opened.time());
                Desk::with(sink, &mut state.counted, |desk| satisfy(desk, length));
                true
            }
            _ => {
                self.tell(state, why, sink);
                false
            }
        };
        state.phase = if self.core.scope.repeats() { Phase::Outside } else { Phase::Over(answer) };
        state.progress = Progress::Number(0);
    }

    /// Whether durations are those of responses, not of segments.
    fn measures_answers(&self) -> bool {
        matches!(self.behaviour, Behaviour::Response(_))
    }

    /// An event inside a segment, or before the first.
    fn happen(&self, state: &mut Segment, letter: Letter, moment: &Moment<'_>, sink: &mut Sink<'_>) {
        let now = Asked::new(0, moment.position, moment.first);
        if state.phase == Phase::Outside {
            if self.opens == 0 {
                // RULE R1: the first event of the trace belongs to the segment that begins with it.
                self.open(state, now, sink);
            } else {
                if has(letter, self.opens) && !has(letter, self.closes) {
                    self.open(state, now, sink);
                }
                return;
            }
        }
        let why = Cause::Position { position: moment.position, decider: moment.first, letter: letter as usize };
        if has(letter, self.closes) {
            self.close(state, why, sink);
            return;
        }
        let Phase::Inside(opened) = state.phase else { return };
        if self.core.scope.restarts() && has(letter, self.opens) {
            state.phase = Phase::Inside(now);
            state.progress = self.behaviour.start(now);
            return;
        }
        match self.behaviour.step(&mut state.progress, letter, now, opened) {
            Effect::Answered(waited) => {
                Desk::with(sink, &mut state.counted, |desk| desk.sum.measure(waited));
            }
            Effect::Lost if self.immediate => self.tell(state, why, sink),
            Effect::Lost | Effect::Open => {}
        }
    }

    /// Whether the segment would answer yes if the trace ended here; `None` if there is no segment then.
    fn answer(&self, state: &Segment, end: Timestamp) -> Option<bool> {
        match state.phase {
            Phase::Inside(_) if !self.core.scope.needs_end() => Some(self.behaviour.is_met(&state.progress, end)),
            Phase::Inside(_) | Phase::Outside | Phase::Told | Phase::Over(_) => None,
        }
    }

    /// Whether nothing that may come can break it.
    fn is_safe(&self, state: &Segment) -> bool {
        let single = matches!(self.core.scope, ScopeKind::Globally | ScopeKind::Until | ScopeKind::After);
        match state.phase {
            Phase::Over(answer) => answer,
            Phase::Inside(_) => single && self.behaviour.is_safe(&state.progress),
            Phase::Outside | Phase::Told => false,
        }
    }

    /// A trace without events: one segment without events, if the scope needs none to open and none to close.
    fn finish_empty(&self, mut counted: Counted, end: End) -> Outcome {
        let is_one = matches!(self.core.scope, ScopeKind::Globally | ScopeKind::Until);
        let nothing = Asked::new(0, 0, &NOWHERE);
        let answer = !is_one || self.behaviour.is_met(&self.behaviour.start(nothing), NOWHERE.time);
        if end == End::Complete && is_one {
            counted.sum.activated = 1;
            counted.sum.satisfied = u64::from(answer);
            counted.sum.violated = u64::from(!answer);
        }
        counted.conclude(end, answer, 0)
    }
}

/// A place that no event has.
const NOWHERE: gnomon_core::verdict::Origin = gnomon_core::verdict::Origin {
    event_index: 0,
    time: Timestamp::from_ticks(0),
    event: gnomon_core::symbols::Name(0),
};

fn satisfy(desk: &mut Desk<'_>, length: Option<gnomon_core::time::Duration>) {
    desk.sum.satisfied += 1;
    if let Some(length) = length {
        desk.sum.measure(Durations { min: length, max: length, sum: length.ticks(), count: 1 });
    }
}

impl Machine for Scoped {
    type State = Segment;
    type Scratch = ();
    const COUNTS_IN_SINK: bool = true;

    fn scratch(&self) {}

    fn start(&self, _: usize) -> Segment {
        Segment { phase: Phase::Outside, progress: Progress::Number(0), counted: None }
    }

    #[inline]
    fn visit(&self, state: &mut Segment, (): &mut (), moment: &Moment<'_>, sink: &mut Sink<'_>) {
        if let Phase::Over(_) = state.phase {
            return;
        }
        self.elapse(state, moment.first.time, sink);
        self.happen(state, moment.letter(), moment, sink);
    }

    fn reacts(&self, state: &Segment, moment: &Moment<'_>) -> bool {
        let letter = moment.letter();
        match state.phase {
            Phase::Over(_) => false,
            Phase::Outside => self.opens == 0 || (has(letter, self.opens) && !has(letter, self.closes)),
            Phase::Told => has(letter, self.closes),
            Phase::Inside(_) => {
                has(letter, self.closes)
                    || (self.core.scope.restarts() && has(letter, self.opens))
                    || self.behaviour.reacts(&state.progress, letter)
                    || self.due(state).is_some_and(|due| due.last < moment.first.time)
            }
        }
    }

    fn splits(&self) -> Mask {
        0
    }

    fn replay(&self, from: &Segment, _: &[Id], _: &Values) -> Segment {
        from.clone()
    }

    fn lends(&self) -> bool {
        self.lends
    }

    fn without_counts(&self, state: &Segment) -> Segment {
        Segment { phase: state.phase.clone(), progress: state.progress.clone(), counted: None }
    }

    fn counts(&self, state: &Segment) -> (u64, u64) {
        state.counted.as_ref().map_or((0, 0), |counted| (counted.sum.activated, counted.sum.satisfied))
    }

    #[inline]
    fn is_like(&self, state: &Segment, other: &Segment) -> bool {
        state.progress == other.progress && state.phase == other.phase
    }

    fn advance(&self, state: &mut Segment, (): &mut (), to: Timestamp, most_listed: usize) {
        self.elapse(state, to, &mut Sink { sum: None, found: &mut vec![], most_listed });
    }

    fn skips_idle(&self, state: &Segment) -> bool {
        let is_over = self.is_settled(state);
        is_over || (!self.looks_at_all() && (self.opens != 0 || state.phase != Phase::Outside))
    }

    fn deadline(&self, state: &Segment) -> Timestamp {
        if !self.immediate {
            return Timestamp::MAX;
        }
        self.due(state).map_or(Timestamp::MAX, |due| due.last)
    }

    fn busy_until(&self, state: &Segment) -> Timestamp {
        if state.phase == Phase::Outside { Timestamp::MIN } else { Timestamp::MAX }
    }

    fn is_settled(&self, state: &Segment) -> bool {
        match state.phase {
            Phase::Over(_) => true,
            Phase::Told => !self.core.scope.repeats(),
            Phase::Outside | Phase::Inside(_) => false,
        }
    }

    fn has_counted(&self, state: &Segment) -> bool {
        state.counted.is_some()
    }

    fn violations<'s>(&self, state: &'s Segment) -> (u64, &'s [Violation]) {
        state.counted.as_ref().map_or((0, &[]), |counted| counted.violations())
    }

    fn trim(&self, state: &mut Segment, keep: usize) {
        Counted::trim(&mut state.counted, keep);
    }

    fn outcome(&self, state: &Segment) -> Outcome {
        let counted = state.counted.as_ref().map_or_else(|| Counted::new(0), |counted| (**counted).clone());
        counted.outcome(Verdict::Inconclusive, None, 0)
    }

    fn finish(&self, state: &mut Segment, (): &mut (), extent: Extent, end: End) -> Outcome {
        let sink = &mut Sink { sum: None, found: &mut vec![], most_listed: extent.most_listed };
        if extent.positions > 0 {
            self.elapse(state, extent.frontier, sink);
        }
        let mut counted = state.counted.take().map_or_else(|| Counted::new(extent.most_listed), |counted| *counted);
        if extent.positions == 0 {
            return self.finish_empty(counted, end);
        }
        let answer = self.answer(state, extent.last_time);
        let if_complete = counted.sum.violated == 0 && answer != Some(false);
        if let Phase::Inside(opened) = state.phase {
            match answer.filter(|_| end == End::Complete) {
                None => counted.sum.pending = 1,
                Some(true) => {
                    let length = (!self.measures_answers()).then(|| extent.last_time - opened.time());
                    satisfy(&mut counted.desk(), length);
                }
                Some(false) => {
                    let why = Cause::End(extent.last_time);
                    self.violate(opened, &state.progress, why, &mut counted.desk());
                }
            }
        }
        if end == End::Prefix && counted.sum.violated == 0 && self.is_safe(state) {
            return counted.outcome(Verdict::Holds, None, extent.positions);
        }
        counted.conclude(end, if_complete, extent.positions)
    }

    fn name(&self, _: &mut Segment, _: Named) {}

    fn admits(&self, _: &[Id], _: &Values) -> bool {
        true
    }

    fn is_choosy(&self) -> bool {
        false
    }

    fn whole(&self) -> (Span, bool) {
        (self.core.span, true)
    }

    fn remembers_all(&self) -> bool {
        false
    }

    fn is_steady(&self) -> bool {
        true
    }

    fn weight(&self) -> usize {
        0
    }
}
