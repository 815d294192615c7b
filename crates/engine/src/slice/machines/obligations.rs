// SPDX-License-Identifier: MIT OR Apache-2.0
//! Untimed formulae as a machine: obligations whose progress is looked up in tables (`clause_table.rs`), in a few bytes per
//! binding.
//!
//! Example: for `G(create -> G(modify -> G !next))`, `create` opens an obligation in the state "no modify yet"; `modify` moves it
//! to "no next may come"; `next` moves it to false, which is a violation. The state is one byte.

use gnomon_core::symbols::Name;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{Cause, End, Origin, Outcome, TracePosition};
use gnomon_ir::core::{AtomId, FormulaCore};
use serde::{Deserialize, Serialize};

use super::clause_table::{ClauseTable, Residual, TRUE, tables};
use super::recorder::{self, Activation, Niche, Recorder};
use crate::accounting::{ObligationCount, ObligationRecord, Trigger};
use crate::slice::machine::{BindingPosition, Capabilities, Extent, Machine, Schedule, Sink};

/// A property of the form `G(a -> b)`, or a conjunction of such; each is a table.
#[derive(Clone, Debug)]
pub(crate) struct Obligations {
    core: FormulaCore,
    clauses: Vec<ClauseTable>,
    /// For each set of atoms, true if it activates some clause.
    activates: Vec<bool>,
}

impl Obligations {
    /// `None` if the property does not have the form.
    pub(crate) fn new(core: &FormulaCore) -> Option<Self> {
        let clauses = tables(core)?;
        let activates = |letter: usize| clauses.iter().any(|clause| clause.activates[letter]);
        let activates = (0..1 << core.atoms.len()).map(activates).collect();
        Some(Obligations { clauses, activates, core: core.clone() })
    }

    /// Returns true if a position activates a clause or moves a pending obligation.
    #[inline]
    fn changes(&self, open: &OpenObligations, letter: usize) -> bool {
        let changes = |clause: u8, state: Residual| self.clauses[clause as usize].step(state, letter) != state;
        self.activates[letter]
            || match open {
                OpenObligations::None => false,
                OpenObligations::One(one) => changes(one.clause, one.state),
                OpenObligations::Many(many) => many.groups.iter().any(|group| changes(group.clause, group.state)),
            }
    }
}

/// The open obligations of one binding, nearly always none or one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) enum OpenObligations {
    #[default]
    None,
    One(CompactObligation),
    /// Several, or one that has no compact form, or those of a binding that counts for itself.
    Many(Box<ObligationGroups>),
}

/// Open obligations that need memory of their own.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ObligationGroups {
    groups: Vec<ObligationGroup>,
    /// Counts of a binding that counts for itself.
    counted: Option<Box<ObligationRecord>>,
}

impl OpenObligations {
    #[inline]
    fn single(one: &Obligation) -> Self {
        CompactObligation::new(one).map_or_else(|| Self::of(vec![ObligationGroup::of(*one)]), OpenObligations::One)
    }

    fn of(groups: Vec<ObligationGroup>) -> Self {
        OpenObligations::Many(Box::new(ObligationGroups { groups, counted: None }))
    }

    fn is_empty(&self) -> bool {
        match self {
            OpenObligations::None => true,
            OpenObligations::One(_) => false,
            OpenObligations::Many(many) => many.groups.is_empty(),
        }
    }

    /// Returns the obligations as groups, after turning them into such.
    fn groups(&mut self) -> &mut ObligationGroups {
        if !matches!(self, OpenObligations::Many(_)) {
            *self = Self::of(match self {
                OpenObligations::One(one) => vec![ObligationGroup::of(one.expand())],
                OpenObligations::None | OpenObligations::Many(_) => vec![],
            });
        }
        match self {
            OpenObligations::Many(many) => many,
            OpenObligations::None | OpenObligations::One(_) => unreachable!("turned into groups above"),
        }
    }
}

/// The only open obligation of a binding, in 32 bytes: there may be millions.
///
/// INVARIANT: [`CompactObligation::expand`] returns the [`Obligation`] that it was made from. One with a number that does not fit
/// (a time beyond 64 bits, the name number 256, a distance of 2^32 events, a position beyond 40 bits) has no compact form.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct CompactObligation {
    time: i64,
    /// The index of the activating event, less its position.
    event_offset: u32,
    /// The number of events from the activation to the last change; 0 if there was none.
    change_offset: u32,
    position: [u8; 5],
    /// The time from the activation to the last change.
    change_delay: [u8; 6],
    event: u8,
    change_event: u8,
    clause: u8,
    state: Residual,
    #[serde(skip)]
    room: Niche,
}

/// A change of the layout must be noticed.
const _: () = assert!(size_of::<CompactObligation>() == 32 && size_of::<OpenObligations>() == 32);

/// Returns the lowest bytes of a number; `None` if others are not 0.
#[inline]
fn narrow<const BYTES: usize>(number: u64) -> Option<[u8; BYTES]> {
    let bytes = number.to_le_bytes();
    let (low, high) = bytes.split_first_chunk()?;
    high.iter().all(|byte| *byte == 0).then_some(*low)
}

/// Returns the number that [`narrow`] made bytes of.
#[inline]
fn widen<const BYTES: usize>(bytes: [u8; BYTES]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

impl CompactObligation {
    /// `None` if a number does not fit.
    #[inline]
    fn new(one: &Obligation) -> Option<Self> {
        let TracePosition { position, origin } = one.activation.at();
        let time = i64::try_from(origin.time.ticks()).ok()?;
        let (change_delay, change_offset, change_event) = if one.has_changed {
            let delay = u64::try_from(i128::from(one.change_time) - i128::from(time)).ok()?;
            let offset: u32 = one.change_index.checked_sub(origin.event_index)?.try_into().ok()?;
            if offset == 0 {
                return None;
            }
            (narrow(delay)?, offset, one.change_event.try_into().ok()?)
        } else {
            ([0; 6], 0, 0)
        };
        Some(CompactObligation {
            time,
            event_offset: origin.event_index.checked_sub(position)?.try_into().ok()?,
            change_offset,
            position: narrow(position)?,
            change_delay,
            event: origin.event.0.try_into().ok()?,
            change_event,
            clause: one.activation.clause,
            state: one.state,
            room: Niche::Empty,
        })
    }

    #[inline]
    fn expand(&self) -> Obligation {
        let position = widen(self.position);
        let event_index = position + u64::from(self.event_offset);
        let time = Timestamp::from_ticks(i128::from(self.time));
        let origin = Origin { event_index, time, event: Name(u32::from(self.event)) };
        let activation = Activation::new(self.clause, position, &origin);
        if self.change_offset == 0 {
            return Obligation::new(activation, self.state);
        }
        Obligation {
            activation,
            change_index: event_index + u64::from(self.change_offset),
            change_time: self.time.saturating_add_unsigned(widen(self.change_delay)),
            change_event: u32::from(self.change_event),
            state: self.state,
            has_changed: true,
        }
    }
}

/// An activation, and the residual formula that must still hold.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Obligation {
    activation: Activation,
    change_index: u64,
    /// The time of the last event that changed the residual, if 64 bits hold it: the explanation can do without.
    change_time: i64,
    change_event: u32,
    state: Residual,
    has_changed: bool,
}

/// Obligations with the same residual: one event settles them all.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ObligationGroup {
    clause: u8,
    state: Residual,
    /// Those that can be listed as violations.
    listed: Vec<Obligation>,
    /// The number and times of the others.
    unlisted: Option<ObligationCount>,
}

impl Obligation {
    fn new(activation: Activation, state: Residual) -> Self {
        Obligation { activation, change_index: 0, change_time: 0, change_event: 0, state, has_changed: false }
    }

    fn change(&mut self, origin: &Origin) {
        if let Ok(time) = i64::try_from(origin.time.ticks()) {
            self.change_event = origin.event.0;
            self.change_index = origin.event_index;
            self.change_time = time;
            self.has_changed = true;
        }
    }

    fn last_change(&self) -> Option<Origin> {
        self.has_changed.then(|| Origin {
            event_index: self.change_index,
            time: Timestamp::from_ticks(i128::from(self.change_time)),
            event: Name(self.change_event),
        })
    }
}

impl Obligations {
    fn settle(&self, one: &Obligation, value: bool, why: Trigger<'_>, recorder: &mut Recorder<'_>) {
        let Obligation { activation, .. } = one;
        if value {
            let time = activation.time();
            self.satisfy(activation.clause, 1, (time, time), time.ticks(), why, recorder);
        } else {
            recorder.totals.violate(1, why);
            self.list(activation.clause, activation.at(), activation.position(), one.last_change(), why, recorder);
        }
    }

    fn settle_unlisted(
        &self,
        clause: u8,
        unlisted: &ObligationCount,
        value: bool,
        why: Trigger<'_>,
        recorder: &mut Recorder<'_>,
    ) {
        if value {
            let ends = (unlisted.first.origin.time, unlisted.last.origin.time);
            self.satisfy(clause, unlisted.count, ends, unlisted.times, why, recorder);
            return;
        }
        recorder.totals.violate(unlisted.count, why);
        if unlisted.is_range() {
            self.list(clause, unlisted.first, unlisted.last.position, None, why, recorder);
        }
    }

    fn satisfy(
        &self,
        clause: u8,
        count: u64,
        (first, last): (Timestamp, Timestamp),
        times: i128,
        why: Trigger<'_>,
        recorder: &mut Recorder<'_>,
    ) {
        let until = if self.clauses[clause as usize].takes_time { why.time() } else { last };
        recorder.totals.satisfy_group(count, first, last, times, until);
    }

    fn list(
        &self,
        clause: u8,
        at: TracePosition,
        to: u64,
        change: Option<Origin>,
        why: Trigger<'_>,
        recorder: &mut Recorder<'_>,
    ) {
        let failed = self.clauses[clause as usize].consequent;
        recorder.log.record(at, to, failed, why, || {
            let mut because = vec![Cause { origin: at.origin, note: "required from here on".to_owned() }];
            if let Some(change) = change.filter(|change| change.event_index != at.origin.event_index) {
                because.push(Cause { origin: change, note: "the obligation changes here".to_owned() });
            }
            let summary = if let Trigger::Position { decider, letter, .. } = why {
                if decider.event_index != at.origin.event_index {
                    because.push(Cause { origin: *decider, note: "violated here".to_owned() });
                }
                format!("{} occurred", self.name(letter as usize))
            } else {
                "not met before the trace ended".to_owned()
            };
            because.dedup_by_key(|because| because.origin.event_index);
            (failed, (summary, because))
        });
    }

    /// Returns the names of the atoms of a position.
    fn name(&self, letter: usize) -> String {
        let atoms = self.core.atoms.iter().enumerate().filter(|(atom, _)| letter >> atom & 1 == 1);
        atoms.map(|(_, atom)| format!("`{}`", atom.name)).collect::<Vec<_>>().join(" and ")
    }

    /// Moves the open obligations by a position, and settles those that are decided.
    fn progress(
        &self,
        open: &mut OpenObligations,
        letter: usize,
        decider: &Origin,
        why: Trigger<'_>,
        recorder: &mut Recorder<'_>,
    ) {
        match open {
            OpenObligations::None => {}
            OpenObligations::One(one) => {
                let next = self.clauses[one.clause as usize].step(one.state, letter);
                if next <= TRUE {
                    self.settle(&one.expand(), next == TRUE, why, recorder);
                    *open = OpenObligations::None;
                } else if next != one.state {
                    let mut changed = Obligation { state: next, ..one.expand() };
                    changed.change(decider);
                    *open = OpenObligations::single(&changed);
                }
            }
            OpenObligations::Many(many) => {
                let groups = &mut many.groups;
                for group in groups.iter_mut() {
                    let next = self.clauses[group.clause as usize].step(group.state, letter);
                    if next == group.state {
                        continue;
                    }
                    group.state = next;
                    if next <= TRUE {
                        self.settle_group(group, next == TRUE, why, recorder);
                    } else {
                        group.listed.iter_mut().for_each(|one| one.change(decider));
                    }
                }
                groups.retain(|group| group.state > TRUE);
                merge(groups);
                if groups.is_empty() && many.counted.is_none() {
                    *open = OpenObligations::None;
                }
            }
        }
    }

    fn settle_group(&self, group: &mut ObligationGroup, value: bool, why: Trigger<'_>, recorder: &mut Recorder<'_>) {
        group.listed.sort_by_key(|one| one.activation.position());
        group.listed.iter().for_each(|one| self.settle(one, value, why, recorder));
        if let Some(unlisted) = &group.unlisted {
            self.settle_unlisted(group.clause, unlisted, value, why, recorder);
        }
    }

    /// Applies a position that changes something: moves the open obligations and opens those that it activates. They are counted in the
    /// sink, or else in the state.
    fn apply(&self, open: &mut OpenObligations, letter: usize, position: u64, decider: &Origin, sink: &mut Sink<'_>) {
        let most_listed = sink.found.limit();
        let mut counted = if sink.totals.is_none() { open.groups().counted.take() } else { None };
        Recorder::with(sink, &mut counted, |recorder| {
            let why = Trigger::Position { position, decider, letter: letter as u64 };
            self.progress(open, letter, decider, why, recorder);
            for (number, clause) in self.clauses.iter().enumerate() {
                if !clause.activates[letter] {
                    continue;
                }
                recorder.totals.activated += 1;
                let left = clause.open(letter);
                let one = Obligation::new(Activation::new(number as u8, position, decider), left);
                if left <= TRUE {
                    self.settle(&one, left == TRUE, why, recorder);
                } else {
                    Self::ask(open, one, most_listed);
                }
            }
        });
        if counted.is_some() {
            open.groups().counted = counted;
        }
    }

    /// Adds an obligation.
    fn ask(open: &mut OpenObligations, one: Obligation, most_listed: usize) {
        match open {
            OpenObligations::None => *open = OpenObligations::single(&one),
            OpenObligations::One(_) | OpenObligations::Many(_) => add(&mut open.groups().groups, one, most_listed),
        }
    }
}

impl ObligationGroup {
    fn of(one: Obligation) -> Self {
        ObligationGroup { clause: one.activation.clause, state: one.state, listed: vec![one], unlisted: None }
    }
}

fn add(groups: &mut Vec<ObligationGroup>, one: Obligation, most_listed: usize) {
    let key = (one.activation.clause, one.state);
    let Some(group) = groups.iter_mut().find(|group| (group.clause, group.state) == key) else {
        groups.push(ObligationGroup::of(one));
        return;
    };
    if group.listed.len() < most_listed {
        group.listed.push(one);
        return;
    }
    ObligationCount::push(&mut group.unlisted, one.activation.at());
}

/// Joins groups that have the same residual now.
fn merge(groups: &mut Vec<ObligationGroup>) {
    let mut index = 0;
    while index < groups.len() {
        let key = (groups[index].clause, groups[index].state);
        if let Some(other) =
            (index + 1..groups.len()).find(|other| (groups[*other].clause, groups[*other].state) == key)
        {
            let joined = groups.swap_remove(other);
            let group = &mut groups[index];
            group.listed.extend(joined.listed);
            group.unlisted = match (group.unlisted, joined.unlisted) {
                (Some(left), Some(right)) => Some(ObligationCount {
                    first: if left.first.position < right.first.position { left.first } else { right.first },
                    last: if left.last.position > right.last.position { left.last } else { right.last },
                    times: left.times + right.times,
                    count: left.count + right.count,
                }),
                (left, right) => left.or(right),
            };
        } else {
            index += 1;
        }
    }
}

impl Machine for Obligations {
    type State = OpenObligations;
    type Scratch = ();
    const IS_KEYED: bool = true;

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            initial_is_quiescent: true,
            is_time_invariant: true,
            span: self.core.span(self.core.formula.node),
            looks_ahead: true,
            ..Capabilities::default()
        }
    }

    fn start(&self, _: usize) -> OpenObligations {
        OpenObligations::None
    }

    fn visit(&self, state: &mut OpenObligations, (): &mut (), at: &BindingPosition<'_>, sink: &mut Sink<'_>) {
        let letter = at.letter() as usize;
        if letter == 0 || !self.changes(state, letter) {
            return;
        }
        let decider = at.matches().next().map_or(at.first, |one| &one.origin);
        self.apply(state, letter, at.position, decider, sink);
    }

    fn take(&self, state: &mut OpenObligations, atom: AtomId, position: u64, origin: &Origin, sink: &mut Sink<'_>) {
        let letter = 1 << atom.0;
        if self.changes(state, letter) {
            self.apply(state, letter, position, origin, sink);
        }
    }

    fn begins_with(&self, atom: AtomId) -> bool {
        self.activates[1 << atom.0]
    }

    fn reacts(&self, state: &OpenObligations, at: &BindingPosition<'_>) -> bool {
        self.changes(state, at.letter() as usize)
    }

    fn schedule(&self, state: &OpenObligations) -> Schedule {
        Schedule::untimed(state.is_empty())
    }

    #[inline]
    fn record<'s>(&self, state: &'s OpenObligations) -> Option<&'s ObligationRecord> {
        match state {
            OpenObligations::Many(many) => many.counted.as_deref(),
            OpenObligations::None | OpenObligations::One(_) => None,
        }
    }

    fn record_mut<'s>(&self, state: &'s mut OpenObligations) -> Option<&'s mut ObligationRecord> {
        match state {
            OpenObligations::Many(many) => many.counted.as_deref_mut(),
            OpenObligations::None | OpenObligations::One(_) => None,
        }
    }

    fn finish(&self, state: &mut OpenObligations, (): &mut (), extent: Extent, end: End) -> Outcome {
        let ObligationGroups { groups, mut counted } = match std::mem::take(state) {
            OpenObligations::None => ObligationGroups::default(),
            OpenObligations::One(one) => {
                ObligationGroups { groups: vec![ObligationGroup::of(one.expand())], counted: None }
            }
            OpenObligations::Many(many) => *many,
        };
        let mut counted = recorder::take(&mut counted, extent.most_listed);
        let met = |group: &ObligationGroup| self.clauses[group.clause as usize].met_at_end[group.state as usize];
        let size =
            |group: &ObligationGroup| group.listed.len() as u64 + group.unlisted.map_or(0, |unlisted| unlisted.count);
        let if_complete = counted.totals.violated == 0 && groups.iter().all(met);
        if end == End::Prefix {
            counted.totals.pending = groups.iter().map(size).sum();
        } else {
            let why = Trigger::End(extent.last_time);
            for mut group in groups {
                let value = met(&group);
                self.settle_group(&mut group, value, why, &mut Recorder::new(&mut counted));
            }
        }
        counted.conclude(end, if_complete, extent.positions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn obligation(position: u64, event_index: u64, ticks: i128, event: u32) -> Obligation {
        let origin = Origin { event_index, time: Timestamp::from_ticks(ticks), event: Name(event) };
        Obligation::new(Activation::new(3, position, &origin), 7)
    }

    fn comes_back(one: &Obligation) -> bool {
        let Some(back) = CompactObligation::new(one).map(|compact| compact.expand()) else { return false };
        assert_eq!(format!("{back:?}"), format!("{one:?}"));
        true
    }

    #[test]
    fn what_fits_comes_back_and_the_rest_is_refused() {
        let (low, high) = (i128::from(i64::MIN), i128::from(i64::MAX));
        for (position, index, ticks, event, fits) in [
            (0, 0, 0, 0, true),
            (5, 9, -1, 255, true),
            ((1 << 40) - 1, (1 << 40) + 9, low, 1, true),
            (0, 0, high + 1, 0, false),
            (0, 0, low - 1, 0, false),
            (0, 1 << 32, 0, 0, false),
            (9, 5, 0, 0, false),
            (0, 0, 0, 256, false),
            (1 << 40, 1 << 40, 0, 0, false),
        ] {
            assert_eq!(
                comes_back(&obligation(position, index, ticks, event)),
                fits,
                "{position} {index} {ticks} {event}"
            );
        }
        for (later, ticks, event, fits) in [
            (0, low, 0, false),
            (1, low + (1 << 48) - 1, 255, true),
            (u64::from(u32::MAX), low, 1, true),
            (1, low + (1 << 48), 0, false),
            (1 << 32, 0, 0, false),
            (1, low, 256, false),
        ] {
            let mut one = obligation(2, 4, low, 1);
            one.change(&Origin { event_index: 4 + later, time: Timestamp::from_ticks(ticks), event: Name(event) });
            assert_eq!(comes_back(&one), fits, "{later} {ticks} {event}");
        }
    }
}
