// SPDX-License-Identifier: MIT OR Apache-2.0
//! The interface between slicing and the machines: the [`Machine`] trait and the data that a visit passes.
//!
//! Slicing decides which instances a position affects and calls [`Machine::visit`] for each of them with a
//! [`BindingPosition`]; quantifiers call [`Machine::finish`] at the end of the trace. Machines call neither: they know one
//! binding, and report counts and violations to a [`Sink`].

use std::fmt::Debug;

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Timestamp;
use gnomon_core::value::{Comparison, Value};
use gnomon_core::verdict::{End, Origin, Outcome, Verdict};
use gnomon_ir::core::{AtomId, MeasureId};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::accounting::{ObligationRecord, Totals, ViolationLog};
use crate::slice::storage::domains::Mentions;
use crate::slice::storage::index::Mask;
use crate::slice::storage::values::{Id, NONE, ValueInterner};

/// A property compiled for one binding. The slicer keeps a state per instance; the machine changes it.
pub(crate) trait Machine: Debug {
    type State: Clone + Debug + Serialize + DeserializeOwned;
    /// Buffers that live for one call.
    type Scratch: Clone + Debug + Default;
    /// A visit with a [`Sink::totals`] counts there and leaves the counts of the state unchanged.
    const COUNTS_IN_SINK: bool = true;
    /// Instances of a property with one variable, which all of its events bind, are stored by the [number](KeyedStates) of their value. A
    /// visit then costs no more than [`Machine::take`].
    ///
    /// [`KeyedStates`]: crate::slice::storage::keyed::KeyedStates
    const IS_KEYED: bool = false;

    /// Returns properties of the machine that hold for every state. Called once per plan.
    fn capabilities(&self) -> Capabilities;

    /// Divides the state of a full binding into parts, each of which depends on events that bind one set of variables, and a rest that is
    /// initial until an event binds all variables. Returns the sets of variables, or `None` if there is no such division. `atoms` are the
    /// variables that each atom binds. Called once per plan, if each of several variables is bound by `forall`.
    fn divide(&mut self, _atoms: &[Mask], _variables: usize) -> Option<Vec<Mask>> {
        None
    }

    /// Assembles the state of a full binding from the states of its instances that bind the sets of variables of [`Machine::divide`], as
    /// far as they exist; those of `root` otherwise.
    fn assemble(&self, root: &Self::State, _parts: &[(Mask, &Self::State)]) -> Self::State {
        root.clone()
    }

    /// Returns the schedule of an assembled state: it is busy while it differs from what [`Machine::assemble`] would return now.
    fn schedule_assembled(&self, state: &Self::State) -> Schedule {
        self.schedule(state)
    }

    /// Returns the state before the first position.
    fn start(&self, max_violations: usize) -> Self::State;

    /// Takes in a new position. Its time is not before that of any earlier call.
    fn visit(
        &self,
        state: &mut Self::State,
        scratch: &mut Self::Scratch,
        at: &BindingPosition<'_>,
        sink: &mut Sink<'_>,
    );

    /// Takes in a position at which one atom matches, of a binding that is reported on its own. Called if [`Machine::IS_KEYED`].
    fn take(&self, _: &mut Self::State, _: AtomId, _position: u64, _: &Origin, _: &mut Sink<'_>) {}

    /// Returns true if a position at which one atom matches changes the initial state. Called if [`Machine::IS_KEYED`].
    fn begins_with(&self, _: AtomId) -> bool {
        true
    }

    /// Returns `false` if a visit would leave the state unchanged; `true` if that is not known.
    fn reacts(&self, state: &Self::State, at: &BindingPosition<'_>) -> bool;

    /// Returns the state of a more specific binding that leaves the instance `from`.
    #[inline]
    fn split(&self, from: &Self::State, _: &NewInstance<'_>) -> Self::State {
        from.clone()
    }

    /// Returns true if two states have the same future, whatever they have counted. Called only if the machine
    /// [counts in the root](Capabilities::counts_in_root).
    fn is_like(&self, _: &Self::State, _: &Self::State) -> bool {
        false
    }

    /// Lets time pass: no position earlier than `to` will come.
    fn advance(&self, _: &mut Self::State, _: &mut Self::Scratch, _to: Timestamp, _: &mut Sink<'_>) {}

    /// Returns the times at which a state must be visited again.
    fn schedule(&self, state: &Self::State) -> Schedule;

    /// Returns the positions at which a state must be visited.
    fn attention(&self, _: &Self::State) -> Attention {
        Attention::Matches
    }

    /// Returns the record of a state that counts for itself; `None` if it has counted nothing.
    #[inline]
    fn record<'s>(&self, _: &'s Self::State) -> Option<&'s ObligationRecord> {
        None
    }

    fn record_mut<'s>(&self, _: &'s mut Self::State) -> Option<&'s mut ObligationRecord> {
        None
    }

    /// Returns the counts of a state so far.
    #[inline]
    fn counts(&self, state: &Self::State) -> StateCounts {
        self.record(state).map_or_else(StateCounts::default, StateCounts::of)
    }

    /// Drops listed violations beyond the first `keep`, where the state keeps a list.
    fn trim(&self, state: &mut Self::State, keep: usize) {
        if let Some(record) = self.record_mut(state) {
            record.log.truncate(keep);
        }
    }

    /// Returns the counts of a state that is evicted, as an outcome.
    fn outcome(&self, state: &Self::State) -> Outcome {
        let record = self.record(state).map_or_else(|| ObligationRecord::new(0), ObligationRecord::clone);
        record.outcome(Verdict::Inconclusive, None, 0)
    }

    /// Ends the trace.
    fn finish(&self, state: &mut Self::State, scratch: &mut Self::Scratch, extent: Extent, end: End) -> Outcome;

    /// Returns true if the property covers a binding. Called only if the machine
    /// [filters bindings](Capabilities::filters_bindings).
    fn admits(&self, _: &[Id], _: &ValueInterner) -> bool {
        true
    }
}

/// Properties of a machine that hold for every state.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // independent facts about a machine
pub(crate) struct Capabilities {
    /// Nothing can go wrong for a binding while it has no instance. Instances then count what happens while they exist, the
    /// root counts the rest, and an instance that has become [like](Machine::is_like) the root is evicted.
    pub(crate) counts_in_root: bool,
    /// A state that is not [busy](Schedule::busy_until) is the initial one, whatever it has counted. Positions that do
    /// not match leave it unchanged, the first position included.
    pub(crate) initial_is_quiescent: bool,
    /// The variables whose values the machine reads, in guards. A state that lacks one of them stands for no binding
    /// in particular; it keeps what [`Machine::split`] needs.
    pub(crate) guarded_variables: Mask,
    /// A set of atoms has the same effect on the initial state at every time.
    pub(crate) is_time_invariant: bool,
    /// [`Machine::admits`] may return `false`.
    pub(crate) filters_bindings: bool,
    /// The state records every event that binds all variables, even one that changes nothing else.
    pub(crate) records_all_events: bool,
    /// Every instance is visited at every position.
    pub(crate) visits_every_position: bool,
    /// Some states must see the next position, even without a match; others need not.
    pub(crate) may_be_restless: bool,
    /// A visit must know the event of the position before. A state then remembers events, which violations cite.
    pub(crate) reads_previous: bool,
    /// The approximate number of heap bytes of a state.
    pub(crate) heap_bytes: usize,
    /// The text of the whole property.
    pub(crate) span: Span,
    /// The property looks ahead.
    pub(crate) looks_ahead: bool,
}

/// A binding that splits from an instance and becomes one of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewInstance<'a> {
    pub(crate) ids: &'a [Id],
    pub(crate) values: &'a ValueInterner,
    /// Some [guarded variable](Capabilities::guarded_variables) has a value that the original instance lacks.
    pub(crate) binds_guarded: bool,
    /// Earlier events that mentioned the binding and changed nothing.
    pub(crate) mentions: Option<Mentions>,
}

/// The times at which a state must be visited again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schedule {
    /// The last time at which the state may behave unlike the initial one if nothing more matches:
    /// [`Timestamp::MIN`] if it does not, [`Timestamp::MAX`] if that never ends.
    pub(crate) busy_until: Timestamp,
    /// The earliest time whose passing changes something; [`Timestamp::MAX`] if none does.
    pub(crate) deadline: Timestamp,
}

impl Schedule {
    /// A state that no passing of time changes.
    #[inline]
    pub(crate) fn untimed(is_initial: bool) -> Self {
        let busy_until = if is_initial { Timestamp::MIN } else { Timestamp::MAX };
        Schedule { busy_until, deadline: Timestamp::MAX }
    }
}

/// The positions at which a state must be visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Attention {
    /// The next one, with or without a match.
    Every,
    /// Those with a match, and those that pass its deadline.
    Matches,
    /// None: nothing can change any more.
    Nothing,
}

/// The counts of a state so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StateCounts {
    /// Something was counted at all.
    pub(crate) any: bool,
    pub(crate) activated: u64,
    pub(crate) satisfied: u64,
    pub(crate) violated: u64,
}

impl StateCounts {
    #[inline]
    pub(crate) fn of(record: &ObligationRecord) -> Self {
        let Totals { activated, satisfied, violated, .. } = record.totals;
        StateCounts { any: true, activated, satisfied, violated }
    }
}

/// A position as one binding sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BindingPosition<'a> {
    pub(crate) position: u64,
    /// The first event of the position.
    pub(crate) first: &'a Origin,
    /// The first event of the position before it.
    pub(crate) previous: Option<&'a Origin>,
    pub(crate) matches: &'a Matches,
    /// Indexes of the matches that apply to the binding.
    pub(crate) applying: &'a [u32],
    /// The binding.
    pub(crate) ids: &'a [Id],
    pub(crate) values: &'a ValueInterner,
}

impl<'a> BindingPosition<'a> {
    pub(crate) fn matches(&self) -> impl Iterator<Item = &'a Match> {
        let matches = self.matches;
        self.applying.iter().map(|index| matches.get(*index))
    }

    /// Returns the atoms that match, a bit for each.
    #[inline]
    pub(crate) fn letter(&self) -> u64 {
        let bit = |index: u32| 1 << self.matches.get(index).atom().0;
        match *self.applying {
            [only] => bit(only),
            ref some => some.iter().fold(0, |letter, index| letter | bit(*index)),
        }
    }

    /// Returns the atoms that match, a bit for each, of a property with more than 64 atoms.
    pub(crate) fn wide_letter(&self, words: usize) -> Vec<u64> {
        let mut letter = vec![0; words];
        for index in self.applying {
            let atom = self.matches.get(*index).atom().0;
            letter[(atom / u64::BITS) as usize] |= 1 << (atom % u64::BITS);
        }
        letter
    }
}

/// Receives counts and violations of a binding that is reported on its own. Counting here instead of in the state keeps
/// states small.
#[derive(Debug)]
pub(crate) struct Sink<'a> {
    /// `None`: the state itself must count.
    pub(crate) totals: Option<&'a mut Totals>,
    /// Receives the violations found, without their binding. Its limit is the most violations to list.
    pub(crate) found: &'a mut ViolationLog,
}

/// The length of a trace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) positions: u64,
    pub(crate) last_time: Timestamp,
    /// No later position is earlier than this.
    pub(crate) frontier: Timestamp,
    /// The first event.
    pub(crate) first: Option<Origin>,
    /// The last event, if a property [reads](crate::engine::Engine::reads_previous) it.
    pub(crate) last: Option<Origin>,
    /// The most violations to list.
    pub(crate) most_listed: usize,
}

/// The matches of the open position.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Matches {
    list: Vec<Match>,
    /// For each match, the value of each quantified variable, or [`NONE`].
    pub(crate) ids: Vec<Id>,
    registers: Vec<(u32, Value<'static>)>,
    measured: Vec<(u32, Value<'static>)>,
}

/// A match of an event with an atom, for the bindings that have certain values.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Match {
    atom: u32,
    pub(crate) origin: Origin,
    pub(crate) mask: Mask,
    registers: (u32, u32),
    measured: (u32, u32),
}

impl Match {
    #[inline]
    pub(crate) fn atom(&self) -> AtomId {
        AtomId(self.atom)
    }

    /// Returns true if it carries values for measures.
    #[inline]
    pub(crate) fn has_measured(&self) -> bool {
        self.measured.0 < self.measured.1
    }
}

impl Matches {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.ids.clear();
        self.registers.clear();
        self.measured.clear();
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> &Match {
        &self.list[index as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Match> {
        self.list.iter()
    }

    /// The values that a match binds, one per variable.
    #[inline]
    pub(crate) fn ids(&self, index: usize, variables: usize) -> &[Id] {
        &self.ids[index * variables..(index + 1) * variables]
    }

    /// Replaces everything by a single match, which binds the only variable.
    #[inline]
    pub(crate) fn set(&mut self, atom: AtomId, origin: &Origin, id: Id) {
        self.ids.clear();
        self.ids.push(id);
        self.list.clear();
        self.list.push(Match { atom: atom.0, origin: *origin, mask: 1, registers: (0, 0), measured: (0, 0) });
    }

    /// Begins a match. What is added until [`Matches::commit`] belongs to it.
    #[inline]
    pub(crate) fn begin(&mut self, variables: usize) -> MatchDraft {
        self.ids.extend(std::iter::repeat_n(NONE, variables));
        MatchDraft { variables, mask: 0, registers: self.registers.len() as u32, measured: self.measured.len() as u32 }
    }

    /// Binds a variable. Returns `false` if another place of the event gives it another value.
    #[inline]
    pub(crate) fn bind(&mut self, draft: &mut MatchDraft, variable: usize, id: Id) -> bool {
        let slot = &mut self.ids[self.list.len() * draft.variables + variable];
        let fits = *slot == NONE || *slot == id;
        *slot = id;
        draft.mask |= 1 << variable;
        fits
    }

    /// Gives a free variable a value. Returns `false` if another place of the event gives it another value.
    pub(crate) fn register(&mut self, draft: &MatchDraft, register: u32, value: Value<'static>) -> bool {
        let own = &self.registers[draft.registers as usize..];
        if let Some((_, known)) = own.iter().find(|(known, _)| *known == register) {
            return Comparison::Equal.holds(known, &value);
        }
        self.registers.push((register, value));
        true
    }

    pub(crate) fn measure(&mut self, measure: MeasureId, value: Value<'static>) {
        self.measured.push((measure.0, value));
    }

    /// Discards the match.
    pub(crate) fn abandon(&mut self, draft: &MatchDraft) {
        self.ids.truncate(self.list.len() * draft.variables);
        self.registers.truncate(draft.registers as usize);
        self.measured.truncate(draft.measured as usize);
    }

    /// Keeps the match, unless the same event already matches the same atom for the same values.
    #[inline]
    pub(crate) fn commit(&mut self, draft: MatchDraft, atom: AtomId, origin: &Origin) {
        let (last, variables) = (self.list.len(), draft.variables);
        let same = |index: usize| {
            let other = &self.list[index];
            other.atom == atom.0
                && self.ids(index, variables) == self.ids(last, variables)
                && self.registers[other.registers.0 as usize..other.registers.1 as usize]
                    == self.registers[draft.registers as usize..]
        };
        // The matches of one event are the last ones.
        let mut of_event =
            (0..last).rev().take_while(|index| self.list[*index].origin.event_index == origin.event_index);
        if of_event.any(same) {
            self.abandon(&draft);
            return;
        }
        self.list.push(Match {
            atom: atom.0,
            origin: *origin,
            mask: draft.mask,
            registers: (draft.registers, self.registers.len() as u32),
            measured: (draft.measured, self.measured.len() as u32),
        });
    }

    /// Copies some of the matches, without the values of quantified variables.
    pub(crate) fn extract(&self, some: &[u32]) -> Matches {
        let mut matches = Matches::default();
        for index in some {
            let one = self.get(*index);
            let draft = matches.begin(0);
            matches.registers.extend_from_slice(self.registers(one));
            matches.measured.extend_from_slice(&self.measured[one.measured.0 as usize..one.measured.1 as usize]);
            matches.commit(draft, one.atom(), &one.origin);
        }
        matches
    }

    /// The values that a match gives to free variables.
    pub(crate) fn registers(&self, of: &Match) -> &[(u32, Value<'static>)] {
        &self.registers[of.registers.0 as usize..of.registers.1 as usize]
    }

    /// The values that a match has for measures.
    pub(crate) fn measured(&self, of: &Match) -> impl Iterator<Item = (MeasureId, &Value<'static>)> {
        let measured = &self.measured[of.measured.0 as usize..of.measured.1 as usize];
        measured.iter().map(|(measure, value)| (MeasureId(*measure), value))
    }
}

/// A match that is not complete.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MatchDraft {
    variables: usize,
    mask: Mask,
    registers: u32,
    measured: u32,
}
