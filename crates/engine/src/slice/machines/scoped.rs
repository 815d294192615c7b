// SPDX-License-Identifier: MIT OR Apache-2.0
//! Property patterns as a machine.
//!
//! A pattern requires a behaviour in each segment of a scope. The state of an instance is the segment that is open and the progress
//! of the behaviour in it. Example: for `between start and done: pop(t) responds to push(t)`, `start` opens a segment, `push`
//! makes a stimulus wait, `pop` answers it, and `done` closes the segment: it is violated if a stimulus still waits.

mod behaviour;
mod explanation;
mod precedence;
mod response;

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{Durations, End, Outcome, Verdict};
use gnomon_ir::core::{AtomDefinition, AtomId, PatternCore};
use gnomon_ir::pattern::ScopeKind;
use serde::{Deserialize, Serialize};

use self::behaviour::{Behaviour, BehaviourEffect, BehaviourProgress, SegmentDeadline};
use super::recorder::{self, Activation, Recorder};
use crate::accounting::{ObligationRecord, Trigger, ViolationLog};
use crate::slice::machine::{Attention, BindingPosition, Capabilities, Extent, Machine, NewInstance, Schedule, Sink};

/// An atom, or none, as a bit of a [`Letter`].
#[derive(Clone, Copy, Debug, Default)]
struct AtomMask {
    word: u32,
    /// No bit is set if there is no atom.
    bit: u64,
}

impl AtomMask {
    fn is_none(self) -> bool {
        self.bit == 0
    }

    fn atom(self) -> usize {
        (self.word * u64::BITS + self.bit.trailing_zeros()) as usize
    }
}

fn bit(atom: AtomId) -> AtomMask {
    AtomMask { word: atom.0 / u64::BITS, bit: 1 << (atom.0 % u64::BITS) }
}

/// The atoms that are true of an event, a bit for each.
trait Letter: Copy {
    /// Returns the bits of 64 atoms.
    fn word(self, index: u32) -> u64;
}

/// The letter of a pattern of at most 64 atoms, as most are.
impl Letter for u64 {
    #[inline]
    fn word(self, _: u32) -> u64 {
        self
    }
}

impl Letter for &[u64] {
    fn word(self, index: u32) -> u64 {
        self[index as usize]
    }
}

#[inline]
fn has(letter: impl Letter, some: AtomMask) -> bool {
    letter.word(some.word) & some.bit != 0
}

/// A pattern ready to run.
///
/// COST: O(length of the chains) per event that concerns the binding, whatever the bounds. Memory: what is open.
#[derive(Clone, Debug)]
pub(crate) struct ScopedPattern {
    core: PatternCore,
    behaviour: Behaviour,
    opens: AtomMask,
    closes: AtomMask,
    /// The number of words of a letter.
    words: usize,
    /// A segment that fails is a violation immediately: neither its end nor another opening can undo it.
    immediate: bool,
    /// Time alone can change something.
    timed: bool,
    /// See [`Capabilities::counts_in_root`].
    counts_in_root: bool,
}

/// The state of one binding. At multiples of 32 bytes, three of these lie in two lines of the cache, never in three.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(align(32))]
pub(crate) struct Segment {
    phase: SegmentPhase,
    progress: BehaviourProgress,
    /// Counts of a binding that counts for itself, and of violations found while time passes.
    counted: Option<Box<ObligationRecord>>,
}

/// A change of the layout must be noticed.
const _: () = assert!(size_of::<Segment>() == 96);

/// The place of a binding among the segments.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
enum SegmentPhase {
    /// Before the first segment, or between two.
    Outside,
    /// Inside the segment that this event opened.
    Inside(Activation),
    /// In a segment whose violation was reported. Its end is still to come.
    Reported,
    /// After the only segment; true if it satisfied the behaviour.
    Over(bool),
}

impl ScopedPattern {
    pub(crate) fn new(core: &PatternCore) -> Self {
        let behaviour = Behaviour::new(core);
        let scope = core.scope;
        let quantified = core.prefix.len();
        let bound = |atom: &AtomDefinition| {
            let places = atom.patterns.first().into_iter().flat_map(|pattern| &pattern.variables);
            places.fold(0_u64, |mask, (_, id)| mask | 1 << id.0).count_ones() as usize
        };
        let binds_all = |stimulus: AtomMask| bound(&core.atoms[stimulus.atom()]) == quantified;
        // Nothing can go wrong for a binding before a stimulus names it, and no event names a part of it.
        let counts_in_root = quantified > 0
            && core.atoms.iter().all(|atom| bound(atom) == 0 || bound(atom) == quantified)
            && match &behaviour {
                Behaviour::Response(response) => !response.is_required() && response.stimuli().any(binds_all),
                _ => false,
            };
        ScopedPattern {
            opens: core.opens.map(bit).unwrap_or_default(),
            closes: core.closes.map(bit).unwrap_or_default(),
            words: core.atoms.len().div_ceil(u64::BITS as usize),
            immediate: !scope.needs_end() && !scope.restarts(),
            timed: behaviour.is_timed(),
            counts_in_root,
            behaviour,
            core: core.clone(),
        }
    }

    /// Returns true if events that the pattern does not mention matter.
    fn looks_at_all(&self) -> bool {
        matches!(self.behaviour, Behaviour::Only(_))
    }

    /// Returns the deadline of the open segment.
    #[inline]
    fn due(&self, state: &Segment) -> Option<SegmentDeadline> {
        match state.phase {
            _ if !self.timed => None,
            SegmentPhase::Inside(opened) => self.behaviour.deadline(&state.progress, opened),
            SegmentPhase::Outside | SegmentPhase::Reported | SegmentPhase::Over(_) => None,
        }
    }

    /// Lets time pass. The behaviour is lost if its deadline is before `to`.
    #[inline]
    fn pass_time(&self, state: &mut Segment, to: Timestamp, sink: &mut Sink<'_>) {
        let Some(due) = self.due(state).filter(|due| due.last < to) else { return };
        state.progress = BehaviourProgress::Lost(due.because);
        if self.immediate {
            self.report_violation(state, Trigger::Deadline(due.written), sink);
        }
    }

    /// Reports the violation of the open segment.
    fn report_violation(&self, state: &mut Segment, why: Trigger<'_>, sink: &mut Sink<'_>) {
        let Segment { phase, progress, counted } = state;
        let SegmentPhase::Inside(opened) = *phase else { return };
        Recorder::with(sink, counted, |recorder| self.violate(opened, progress, why, recorder));
        *phase = SegmentPhase::Reported;
    }

    fn violate(&self, opened: Activation, progress: &BehaviourProgress, why: Trigger<'_>, recorder: &mut Recorder<'_>) {
        recorder.totals.violate(1, why);
        let at = opened.at();
        let part = self.core.behaviour_span;
        recorder.log.record(at, at.position, part, why, || (part, self.explanation(opened, progress, why)));
    }

    /// Opens a segment.
    fn open(&self, state: &mut Segment, opened: Activation, sink: &mut Sink<'_>) {
        Recorder::with(sink, &mut state.counted, |recorder| recorder.totals.activated += 1);
        state.phase = SegmentPhase::Inside(opened);
        state.progress = self.behaviour.start(opened);
    }

    /// Closes the segment by an event.
    fn close(&self, state: &mut Segment, why: Trigger<'_>, sink: &mut Sink<'_>) {
        let answer = match state.phase {
            SegmentPhase::Inside(opened) if self.behaviour.is_met(&state.progress, why.time()) => {
                let length = (!self.measures_answers()).then(|| why.time() - opened.time());
                Recorder::with(sink, &mut state.counted, |recorder| satisfy(recorder, length));
                true
            }
            _ => {
                self.report_violation(state, why, sink);
                false
            }
        };
        state.phase = if self.core.scope.repeats() { SegmentPhase::Outside } else { SegmentPhase::Over(answer) };
        state.progress = BehaviourProgress::Number(0);
    }

    /// Returns true if durations are those of responses, not of segments.
    fn measures_answers(&self) -> bool {
        matches!(self.behaviour, Behaviour::Response(_))
    }

    /// Takes an event inside a segment or between segments.
    fn take_event(&self, state: &mut Segment, letter: impl Letter, at: &BindingPosition<'_>, sink: &mut Sink<'_>) {
        let now = Activation::new(0, at.position, at.first);
        if state.phase == SegmentPhase::Outside {
            if self.opens.is_none() {
                // RULE R1: the first event of the trace belongs to the segment that begins with it.
                self.open(state, now, sink);
            } else {
                if has(letter, self.opens) && !has(letter, self.closes) {
                    self.open(state, now, sink);
                }
                return;
            }
        }
        let why = Trigger::Position { position: at.position, decider: at.first, letter: letter.word(0) };
        if has(letter, self.closes) {
            self.close(state, why, sink);
            return;
        }
        let SegmentPhase::Inside(opened) = state.phase else { return };
        if self.core.scope.restarts() && has(letter, self.opens) {
            state.phase = SegmentPhase::Inside(now);
            state.progress = self.behaviour.start(now);
            return;
        }
        match self.behaviour.step(&mut state.progress, letter, now, opened) {
            BehaviourEffect::Answered(waited) => {
                Recorder::with(sink, &mut state.counted, |recorder| recorder.totals.measure(waited));
            }
            BehaviourEffect::Lost if self.immediate => self.report_violation(state, why, sink),
            BehaviourEffect::Lost | BehaviourEffect::Open => {}
        }
    }

    /// Returns true if an event has an effect.
    fn reacts_to(&self, state: &Segment, letter: impl Letter, now: Timestamp) -> bool {
        match state.phase {
            SegmentPhase::Over(_) => false,
            SegmentPhase::Outside => self.opens.is_none() || (has(letter, self.opens) && !has(letter, self.closes)),
            SegmentPhase::Reported => has(letter, self.closes),
            SegmentPhase::Inside(_) => {
                has(letter, self.closes)
                    || (self.core.scope.restarts() && has(letter, self.opens))
                    || self.behaviour.reacts(&state.progress, letter)
                    || self.due(state).is_some_and(|due| due.last < now)
            }
        }
    }

    /// Returns true if the open segment satisfies the behaviour when the trace ends here; `None` if there is no segment then.
    fn answer(&self, state: &Segment, end: Timestamp) -> Option<bool> {
        match state.phase {
            SegmentPhase::Inside(_) if !self.core.scope.needs_end() => {
                Some(self.behaviour.is_met(&state.progress, end))
            }
            SegmentPhase::Inside(_) | SegmentPhase::Outside | SegmentPhase::Reported | SegmentPhase::Over(_) => None,
        }
    }

    /// Returns true if no later event can violate the pattern.
    fn is_safe(&self, state: &Segment) -> bool {
        let single = matches!(self.core.scope, ScopeKind::Globally | ScopeKind::Until | ScopeKind::After);
        match state.phase {
            SegmentPhase::Over(answer) => answer,
            SegmentPhase::Inside(_) => single && self.behaviour.is_safe(&state.progress),
            SegmentPhase::Outside | SegmentPhase::Reported => false,
        }
    }

    /// Ends a trace without events. It has one empty segment if the scope needs no event to open or close it.
    fn finish_empty(&self, mut counted: ObligationRecord, end: End) -> Outcome {
        let is_one = matches!(self.core.scope, ScopeKind::Globally | ScopeKind::Until);
        let nothing = Activation::new(0, 0, &NOWHERE);
        let answer = !is_one || self.behaviour.is_met(&self.behaviour.start(nothing), NOWHERE.time);
        if end == End::Complete && is_one {
            counted.totals.activated = 1;
            counted.totals.satisfied = u64::from(answer);
            counted.totals.violate(u64::from(!answer), Trigger::End(NOWHERE.time));
        }
        counted.conclude(end, answer, 0)
    }
}

/// The origin of no event.
const NOWHERE: gnomon_core::verdict::Origin = gnomon_core::verdict::Origin {
    event_index: 0,
    time: Timestamp::from_ticks(0),
    event: gnomon_core::symbols::Name(0),
};

fn satisfy(recorder: &mut Recorder<'_>, length: Option<gnomon_core::time::Duration>) {
    recorder.totals.satisfied += 1;
    if let Some(length) = length {
        recorder.totals.measure(Durations { min: length, max: length, sum: length.ticks(), count: 1 });
    }
}

impl Machine for ScopedPattern {
    type State = Segment;
    type Scratch = ();

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            counts_in_root: self.counts_in_root,
            is_time_invariant: true,
            visits_every_position: self.looks_at_all(),
            span: self.core.span,
            looks_ahead: true,
            ..Capabilities::default()
        }
    }

    fn start(&self, _: usize) -> Segment {
        Segment { phase: SegmentPhase::Outside, progress: BehaviourProgress::Number(0), counted: None }
    }

    #[inline]
    fn visit(&self, state: &mut Segment, (): &mut (), at: &BindingPosition<'_>, sink: &mut Sink<'_>) {
        if let SegmentPhase::Over(_) = state.phase {
            return;
        }
        self.pass_time(state, at.first.time, sink);
        if self.words <= 1 {
            self.take_event(state, at.letter(), at, sink);
        } else {
            self.take_event(state, &*at.wide_letter(self.words), at, sink);
        }
    }

    fn reacts(&self, state: &Segment, at: &BindingPosition<'_>) -> bool {
        if self.words <= 1 {
            self.reacts_to(state, at.letter(), at.first.time)
        } else {
            self.reacts_to(state, &*at.wide_letter(self.words), at.first.time)
        }
    }

    fn split(&self, from: &Segment, _: &NewInstance<'_>) -> Segment {
        let counted = if self.counts_in_root { None } else { from.counted.clone() };
        Segment { phase: from.phase.clone(), progress: from.progress.clone(), counted }
    }

    #[inline]
    fn is_like(&self, state: &Segment, other: &Segment) -> bool {
        state.progress == other.progress && state.phase == other.phase
    }

    fn advance(&self, state: &mut Segment, (): &mut (), to: Timestamp, sink: &mut Sink<'_>) {
        self.pass_time(state, to, sink);
    }

    #[inline]
    fn schedule(&self, state: &Segment) -> Schedule {
        let is_due = if self.immediate { self.due(state) } else { None };
        Schedule {
            busy_until: if state.phase == SegmentPhase::Outside { Timestamp::MIN } else { Timestamp::MAX },
            deadline: is_due.map_or(Timestamp::MAX, |due| due.last),
        }
    }

    fn attention(&self, state: &Segment) -> Attention {
        match state.phase {
            SegmentPhase::Over(_) => Attention::Nothing,
            SegmentPhase::Reported if !self.core.scope.repeats() => Attention::Nothing,
            _ if self.looks_at_all() => Attention::Every,
            SegmentPhase::Outside if self.opens.is_none() => Attention::Every,
            SegmentPhase::Outside | SegmentPhase::Inside(_) | SegmentPhase::Reported => Attention::Matches,
        }
    }

    #[inline]
    fn record<'s>(&self, state: &'s Segment) -> Option<&'s ObligationRecord> {
        state.counted.as_deref()
    }

    fn record_mut<'s>(&self, state: &'s mut Segment) -> Option<&'s mut ObligationRecord> {
        state.counted.as_deref_mut()
    }

    fn finish(&self, state: &mut Segment, (): &mut (), extent: Extent, end: End) -> Outcome {
        let sink = &mut Sink { totals: None, found: &mut ViolationLog::new(extent.most_listed) };
        if extent.positions > 0 {
            self.pass_time(state, extent.frontier, sink);
        }
        let mut counted = recorder::take(&mut state.counted, extent.most_listed);
        if extent.positions == 0 {
            return self.finish_empty(counted, end);
        }
        let answer = self.answer(state, extent.last_time);
        let if_complete = counted.totals.violated == 0 && answer != Some(false);
        if let SegmentPhase::Inside(opened) = state.phase {
            match answer.filter(|_| end == End::Complete) {
                None => counted.totals.pending = 1,
                Some(true) => {
                    let length = (!self.measures_answers()).then(|| extent.last_time - opened.time());
                    satisfy(&mut Recorder::new(&mut counted), length);
                }
                Some(false) => {
                    let why = Trigger::End(extent.last_time);
                    self.violate(opened, &state.progress, why, &mut Recorder::new(&mut counted));
                }
            }
        }
        if end == End::Prefix && counted.totals.violated == 0 && self.is_safe(state) {
            return counted.outcome(Verdict::Holds, None, extent.positions);
        }
        counted.conclude(end, if_complete, extent.positions)
    }
}
