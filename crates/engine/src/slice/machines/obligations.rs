// SPDX-License-Identifier: MIT OR Apache-2.0
//! Untimed formulae as a machine: obligations whose progress is looked up in tables (`clause_table.rs`), in a few bytes per
//! binding.
//!
//! Example: for `G(create -> G(modify -> G !next))`, `create` opens an obligation in the state "no modify yet"; `modify` moves it
//! to "no next may come"; `next` moves it to false, which is a violation. The state is one byte.

use gnomon_core::symbols::Name;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{Cause, End, Origin, Outcome, TracePosition};
use gnomon_ir::core::FormulaCore;
use serde::{Deserialize, Serialize};

use super::clause_table::{ClauseTable, Residual, TRUE, tables};
use super::recorder::{self, Activation, Recorder};
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
    fn changes(&self, pending: &PendingObligations, letter: usize) -> bool {
        let changes = |clause: u8, state: Residual| self.clauses[clause as usize].step(state, letter) != state;
        self.activates[letter]
            || match pending {
                PendingObligations::None => false,
                PendingObligations::One(one) => changes(one.clause, one.state),
                PendingObligations::Many(groups) => groups.iter().any(|group| changes(group.clause, group.state)),
            }
    }
}

/// The open obligations of one binding.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OpenObligations {
    pending: PendingObligations,
    /// Counts of a binding that counts for itself.
    counted: Option<Box<ObligationRecord>>,
}

/// Pending obligations, nearly always none or one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
enum PendingObligations {
    #[default]
    None,
    One(CompactObligation),
    /// Several, or one that has no compact form.
    Many(Vec<ObligationGroup>),
}

impl PendingObligations {
    #[inline]
    fn single(one: &Obligation) -> Self {
        match CompactObligation::new(one) {
            Some(compact) => PendingObligations::One(compact),
            None => PendingObligations::Many(vec![ObligationGroup::of(*one)]),
        }
    }
}

/// The only pending obligation of a binding, in 40 bytes: there may be millions.
///
/// INVARIANT: [`CompactObligation::expand`] returns the [`Obligation`] that it was made from. One with a number that does not fit
/// (a time beyond 64 bits, the name number 65,536, a distance of 2^32 events) has no compact form.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct CompactObligation {
    position: u64,
    time: i64,
    /// The time from the activation to the last change.
    change_delay: u64,
    /// The index of the activating event, less its position.
    event_offset: u32,
    /// The number of events from the activation to the last change.
    change_offset: u32,
    event: u16,
    change_event: u16,
    clause: u8,
    state: Residual,
    has_changed: bool,
}

/// A change of the layout must be noticed.
const _: () = assert!(size_of::<CompactObligation>() == 40 && size_of::<OpenObligations>() == 48);

impl CompactObligation {
    /// `None` if a number does not fit.
    #[inline]
    fn new(one: &Obligation) -> Option<Self> {
        let TracePosition { position, origin } = one.activation.at();
        let time = i64::try_from(origin.time.ticks()).ok()?;
        let (change_delay, change_offset, change_event) = if one.has_changed {
            let delay = i128::from(one.change_time) - i128::from(time);
            let offset = one.change_index.checked_sub(origin.event_index)?;
            (delay.try_into().ok()?, offset.try_into().ok()?, one.change_event.try_into().ok()?)
        } else {
            (0, 0, 0)
        };
        Some(CompactObligation {
            position,
            time,
            change_delay,
            event_offset: origin.event_index.checked_sub(position)?.try_into().ok()?,
            change_offset,
            event: origin.event.0.try_into().ok()?,
            change_event,
            clause: one.activation.clause,
            state: one.state,
            has_changed: one.has_changed,
        })
    }

    #[inline]
    fn expand(&self) -> Obligation {
        let event_index = self.position + u64::from(self.event_offset);
        let time = Timestamp::from_ticks(i128::from(self.time));
        let origin = Origin { event_index, time, event: Name(u32::from(self.event)) };
        let activation = Activation::new(self.clause, self.position, &origin);
        if !self.has_changed {
            return Obligation::new(activation, self.state);
        }
        Obligation {
            activation,
            change_index: event_index + u64::from(self.change_offset),
            change_time: self.time.saturating_add_unsigned(self.change_delay),
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
            let mut because = vec![Cause { origin: at.origin, note: "activation for from here on".to_owned() }];
            if let Some(change) = change.filter(|change| change.event_index != at.origin.event_index) {
                because.push(Cause { origin: change, note: "then this".to_owned() });
            }
            let summary = if let Trigger::Position { decider, letter, .. } = why {
                if decider.event_index != at.origin.event_index {
                    because.push(Cause { origin: *decider, note: "broken here".to_owned() });
                }
                format!("{} came", self.name(letter as usize))
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

    /// Moves the pending obligations by a position, and settles those that are decided.
    fn progress(
        &self,
        pending: &mut PendingObligations,
        letter: usize,
        decider: &Origin,
        why: Trigger<'_>,
        recorder: &mut Recorder<'_>,
    ) {
        match pending {
            PendingObligations::None => {}
            PendingObligations::One(one) => {
                let next = self.clauses[one.clause as usize].step(one.state, letter);
                if next <= TRUE {
                    self.settle(&one.expand(), next == TRUE, why, recorder);
                    *pending = PendingObligations::None;
                } else if next != one.state {
                    let mut changed = Obligation { state: next, ..one.expand() };
                    changed.change(decider);
                    *pending = PendingObligations::single(&changed);
                }
            }
            PendingObligations::Many(groups) => {
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
                if groups.is_empty() {
                    *pending = PendingObligations::None;
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

    /// Adds an obligation.
    fn ask(pending: &mut PendingObligations, one: Obligation, most_listed: usize) {
        match pending {
            PendingObligations::None => *pending = PendingObligations::single(&one),
            PendingObligations::One(first) => {
                let mut groups = vec![ObligationGroup::of(first.expand())];
                add(&mut groups, one, most_listed);
                *pending = PendingObligations::Many(groups);
            }
            PendingObligations::Many(groups) => add(groups, one, most_listed),
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
        OpenObligations { pending: PendingObligations::None, counted: None }
    }

    fn visit(&self, state: &mut OpenObligations, (): &mut (), at: &BindingPosition<'_>, sink: &mut Sink<'_>) {
        let OpenObligations { pending, counted } = state;
        let letter = at.letter() as usize;
        if letter == 0 || !self.changes(pending, letter) {
            return;
        }
        let most_listed = sink.found.limit();
        let decider = at.matches().next().map_or(at.first, |one| &one.origin);
        Recorder::with(sink, counted, |recorder| {
            let why = Trigger::Position { position: at.position, decider, letter: letter as u64 };
            self.progress(pending, letter, decider, why, recorder);
            for (number, clause) in self.clauses.iter().enumerate() {
                if !clause.activates[letter] {
                    continue;
                }
                recorder.totals.activated += 1;
                let left = clause.open(letter);
                let one = Obligation::new(Activation::new(number as u8, at.position, decider), left);
                if left <= TRUE {
                    self.settle(&one, left == TRUE, why, recorder);
                } else {
                    Self::ask(pending, one, most_listed);
                }
            }
        });
    }

    fn reacts(&self, state: &OpenObligations, at: &BindingPosition<'_>) -> bool {
        self.changes(&state.pending, at.letter() as usize)
    }

    fn schedule(&self, state: &OpenObligations) -> Schedule {
        Schedule::untimed(matches!(state.pending, PendingObligations::None))
    }

    #[inline]
    fn record<'s>(&self, state: &'s OpenObligations) -> Option<&'s ObligationRecord> {
        state.counted.as_deref()
    }

    fn record_mut<'s>(&self, state: &'s mut OpenObligations) -> Option<&'s mut ObligationRecord> {
        state.counted.as_deref_mut()
    }

    fn finish(&self, state: &mut OpenObligations, (): &mut (), extent: Extent, end: End) -> Outcome {
        let OpenObligations { pending, counted } = state;
        let mut counted = recorder::take(counted, extent.most_listed);
        let groups = match std::mem::take(pending) {
            PendingObligations::None => vec![],
            PendingObligations::One(one) => vec![ObligationGroup::of(one.expand())],
            PendingObligations::Many(groups) => groups,
        };
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
            (5, 9, -1, 65_535, true),
            (u64::MAX - 9, u64::MAX, low, 1, true),
            (0, 0, high + 1, 0, false),
            (0, 0, low - 1, 0, false),
            (0, 1 << 32, 0, 0, false),
            (9, 5, 0, 0, false),
            (0, 0, 0, 65_536, false),
        ] {
            assert_eq!(
                comes_back(&obligation(position, index, ticks, event)),
                fits,
                "{position} {index} {ticks} {event}"
            );
        }
        for (later, ticks, event, fits) in [
            (0, low, 0, true),
            (u64::from(u32::MAX), high, 65_535, true),
            (1 << 32, 0, 0, false),
            (1, 0, 65_536, false),
        ] {
            let mut one = obligation(2, 4, low, 1);
            one.change(&Origin { event_index: 4 + later, time: Timestamp::from_ticks(ticks), event: Name(event) });
            assert_eq!(comes_back(&one), fits, "{later} {ticks} {event}");
        }
    }
}
