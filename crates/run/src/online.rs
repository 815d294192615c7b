// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks events as they arrive, in order of time, without an end.
//!
//! The caller pushes: [`OnlineMonitor::push`] takes the next item, [`OnlineMonitor::advance`] the promise that nothing earlier
//! follows. [`OnlineMonitor::drain_violations`] returns what was found since the last call; outcomes can be read at any moment
//! and change nothing. The monitor reads no clock and no file, and its state is data: [`OnlineMonitor::save`] and
//! [`OnlineMonitor::restore`].
//!
//! # Replacing the spec
//!
//! [`OnlineMonitor::replace`] changes the properties of a running monitor. A property that has the same name and the same
//! meaning in both specs continues in the `PropertyGroup` in which it started; the new properties start together in a group of
//! their own. Example: the spec `{a, b}` is replaced by `{b, c}`, and later by `{b, c, d}`:
//!
//! ```text
//! group 1: a b      group 1: b      group 1: b
//!                   group 2: c      group 2: c
//!                                   group 3: d
//! ```
//!
//! Every event goes to every group. A group that has no property of the current spec any more is dropped.

mod live_cases;
mod property_group;
pub(crate) mod snapshot;

use std::sync::Arc;

use gnomon_core::event::{CASE_MARKER, CASE_MARKER_FIELDS, Event, OwnedEvent, PROGRESS_MARKER};
use gnomon_core::symbols::Symbols;
use gnomon_core::time::{Duration, Quantity, Timestamp};
use gnomon_core::value::Value;
use gnomon_core::verdict::{End, Outcome, Violation};
use gnomon_engine::{MemoryUse, RestoreError};
use serde::{Deserialize, Serialize};

use crate::compile::CompiledSpec;
use crate::externs::{ExternReport, READ};
use crate::offline::memory::total_memory;
use crate::offline::{CaseSummary, OutcomeSum};
use live_cases::LiveCases;
pub use live_cases::case_value;
use property_group::{KeyedFields, PropertyGroup};

/// Number of violations of each property that outcomes list.
pub const LISTED_VIOLATIONS: usize = 1000;

/// The fields of an event, by name.
pub trait NamedFields {
    /// Returns the value of the field with this name.
    fn named(&self, name: &str) -> Option<Value<'_>>;
    /// Returns the number of fields besides the time.
    fn count(&self) -> usize;
    /// Returns the field at this index.
    fn nth(&self, index: usize) -> Value<'_>;
}

impl<T> NamedFields for OwnedEvent<T> {
    fn named(&self, name: &str) -> Option<Value<'_>> {
        self.fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
    }
    fn count(&self) -> usize {
        self.fields.len()
    }
    fn nth(&self, index: usize) -> Value<'_> {
        self.fields.get(index).map_or(Value::Null, |(_, value)| value.clone())
    }
}

/// Checks a sequence of events that has no end.
#[derive(Clone, Debug)]
pub struct OnlineMonitor {
    /// INVARIANT: every property of the current spec is alive in exactly one group; every group has one that is.
    groups: Vec<PropertyGroup>,
    /// The current spec.
    compiled: Arc<CompiledSpec>,
    cases: LiveCases,
    /// The outcomes of the cases that are over.
    ended: OutcomeSum,
    end_counts: CaseEndCounts,
    /// The silence after which a case is over, if the spec does not declare it.
    default_expiry: Option<Duration>,
    events: u64,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    /// Violations that were not drained.
    found: Vec<NumberedViolation>,
    /// The number of the latest violation.
    last_number: u64,
}

/// Numbers of cases that are over, by the way in which they ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CaseEndCounts {
    /// By an event that the spec declares.
    pub by_event: u64,
    /// By silence.
    pub expired: u64,
    /// At a limit, as inconclusive.
    pub evicted: u64,
}

impl CaseEndCounts {
    fn total(self) -> u64 {
        self.by_event + self.expired + self.evicted
    }
}

/// Assigns the outcomes of a group to the properties of the current spec.
fn collect_alive(outcomes: &mut [Option<Outcome>], alive: &[Option<usize>], of_group: Vec<Outcome>) {
    for (alive, outcome) in alive.iter().zip(of_group) {
        if let Some(property) = *alive {
            outcomes[property] = Some(outcome);
        }
    }
}

/// A violation that became certain, or grew.
#[derive(Clone, Debug)]
pub struct NumberedViolation {
    /// The number of the violation, counted from 1. It stays the same when the violation grows.
    pub number: u64,
    /// The property, by its index in the plan of the current spec.
    pub property: usize,
    /// The case in which it was found.
    pub case: Option<Arc<str>>,
    /// Position and explanation.
    pub violation: Violation,
    /// True if it was drained before and has grown since.
    pub grew: bool,
    /// The spec that spans of the violation refer to.
    pub compiled: Arc<CompiledSpec>,
}

/// The effect of replacing the spec, by names of properties.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SpecChange {
    /// Properties that continue.
    pub kept: Vec<String>,
    /// Properties that start.
    pub begun: Vec<String>,
    /// Properties that end.
    pub ended: Vec<String>,
}

/// A reason why a saved monitor cannot be restored.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// Another version of the program wrote it.
    #[error("the saved state is not in the format of this version of gnomon")]
    Version,
    /// It cannot be decoded.
    #[error("the saved state is damaged")]
    Damaged,
    /// One of its specs does not compile any more.
    #[error("the saved state is of a spec that this version does not understand")]
    Spec,
    /// The engine refused the state of a monitor.
    #[error("{0}")]
    Monitor(RestoreError),
}

impl OnlineMonitor {
    /// Starts a monitor. With `by`, the events that share a value of this field are a trace of their own.
    pub fn new(compiled: Arc<CompiledSpec>, by: Option<&str>) -> Self {
        let all = (0..compiled.properties.len()).map(Some).collect();
        OnlineMonitor {
            groups: vec![PropertyGroup::new(compiled.clone(), all)],
            cases: LiveCases::new(by.map(str::to_owned)),
            ended: OutcomeSum::new(compiled.properties.len(), LISTED_VIOLATIONS),
            end_counts: CaseEndCounts::default(),
            default_expiry: None,
            compiled,
            events: 0,
            first: None,
            last: None,
            found: Vec::new(),
            last_number: 0,
        }
    }

    /// Returns the current spec.
    pub fn compiled(&self) -> &Arc<CompiledSpec> {
        &self.compiled
    }

    /// Returns the number of events so far, including those without a case.
    pub fn event_count(&self) -> u64 {
        self.events
    }

    /// Returns the times of the first and of the last event.
    pub fn extent(&self) -> (Option<Timestamp>, Option<Timestamp>) {
        (self.first, self.last)
    }

    /// Returns the number of violations found so far.
    pub fn violation_count(&self) -> u64 {
        self.last_number
    }

    /// Returns the number of distinct names of events.
    pub fn name_count(&self) -> usize {
        self.groups.iter().map(|group| group.symbols.name_count()).max().unwrap_or_default()
    }

    /// Returns the number of cases so far, those included that are over.
    pub fn case_count(&self) -> u64 {
        self.cases.len() as u64 + self.end_counts.total()
    }

    /// Returns the number of cases that are not over.
    pub fn open_case_count(&self) -> usize {
        self.cases.len()
    }

    /// Returns the numbers of cases that are over.
    pub fn end_counts(&self) -> CaseEndCounts {
        self.end_counts
    }

    /// Sets the silence after which a case is over, unless the spec declares it.
    pub fn set_default_expiry(&mut self, expiry: Option<Duration>) {
        self.default_expiry = expiry;
    }

    fn case_expiry(&self) -> Option<Duration> {
        self.compiled.case_expiry.or(self.default_expiry)
    }

    /// Lists the names of the open cases that have been silent for the longest time.
    pub fn oldest_cases(&self, count: usize) -> Vec<Arc<str>> {
        self.cases.by_silence().take(count).filter_map(|case| self.cases.label(case).cloned()).collect()
    }

    /// Ends an open case as the prefix of what is not known. Returns false if there is no such case.
    pub fn evict_case(&mut self, label: &str) -> bool {
        let case = self.cases.find(label);
        if let Some(case) = case {
            self.end_case(case, (End::Prefix, None));
            self.end_counts.evicted += 1;
        }
        case.is_some()
    }

    /// Iterates over the numbers of the open cases, in the order of their last events.
    fn case_numbers(&self) -> impl Iterator<Item = usize> {
        // Without a field the whole run is case 0, which has no label.
        self.cases.by_silence().chain(self.cases.field.is_none().then_some(0))
    }

    /// Ends the cases that were silent for too long before `now`.
    fn expire_cases(&mut self, now: Timestamp) {
        let Some(expiry) = self.case_expiry() else { return };
        while let Some((case, last)) = self.cases.oldest() {
            let until = last.saturating_add(expiry);
            if until >= now {
                return;
            }
            self.end_case(case, (End::Complete, Some(until)));
            self.end_counts.expired += 1;
        }
    }

    fn end_case(&mut self, case: usize, how: (End, Option<Timestamp>)) {
        let Some(label) = self.cases.close(case) else { return };
        let mut outcomes: Vec<Option<Outcome>> = vec![None; self.compiled.properties.len()];
        for group in &mut self.groups {
            let ended = group.end_case(case, how, Some(&label), &mut self.last_number, &mut self.found);
            collect_alive(&mut outcomes, &group.alive, ended);
        }
        self.ended.add(&label, outcomes.into_iter().flatten().collect());
    }

    /// Takes a case marker.
    fn mark_case(&mut self, fields: &dyn NamedFields) {
        let [case, expires] = CASE_MARKER_FIELDS.map(|field| fields.named(field));
        if let Some(Value::Text(expiry)) = expires
            && self.case_expiry().is_none()
        {
            let expiry = Quantity::read(&expiry).ok();
            self.default_expiry = expiry.and_then(|expiry| self.compiled.clock().duration(expiry));
        }
        if let Some(Value::Text(label)) = case {
            self.evict_case(&label);
        }
    }

    /// Returns the number of cases that wait for a deadline.
    pub fn pending_case_count(&self) -> usize {
        self.groups.iter().map(PropertyGroup::pending_case_count).max().unwrap_or_default()
    }

    /// Returns the number of cases that violate a property.
    pub fn violating_case_count(&self) -> usize {
        let violates = |case: &usize| self.groups.iter().any(|group| group.violates(*case));
        self.case_numbers().filter(violates).count() + self.ended.violating_count() as usize
    }

    /// Returns the number of events that belong to no case.
    pub fn events_without_case(&self) -> u64 {
        self.cases.without
    }

    /// Takes the next item: an event, a progress marker, or a recorded read of an external variable. Returns the index and the
    /// case of an event.
    pub fn push(&mut self, name: &str, time: Timestamp, fields: &dyn NamedFields) -> Option<(u64, Option<Arc<str>>)> {
        if name == PROGRESS_MARKER {
            self.advance(time);
            return None;
        }
        if name == CASE_MARKER {
            self.mark_case(fields);
            return None;
        }
        if name == READ && self.absorb(time, fields) {
            return None;
        }
        Some(self.step(name, time, fields))
    }

    /// Takes an event, which must not be earlier than the event or the advance before it. Returns its index and its case.
    pub fn step(&mut self, name: &str, time: Timestamp, fields: &dyn NamedFields) -> (u64, Option<Arc<str>>) {
        let index = self.events;
        self.events += 1;
        self.first.get_or_insert(time);
        self.last = Some(time);
        self.expire_cases(time);
        let case = self.cases.number_of(fields, time);
        for group in 0..self.groups.len() {
            // An event without a case, too, shows that earlier positions of all cases are complete.
            let closed = self.groups[group].turn_to(time);
            self.collect_violations(group, closed);
            let Some(case) = case else { continue };
            self.groups[group].step(case, name, index, time, fields);
            if self.groups[group].has_new_violations(case) {
                self.collect_violations(group, vec![case]);
            }
        }
        let label = case.and_then(|case| self.cases.label(case).cloned());
        if let Some(case) = case.filter(|_| label.is_some() && self.ends_case(name, (index, time), fields)) {
            self.end_case(case, (End::Complete, None));
            self.end_counts.by_event += 1;
        }
        (index, label)
    }

    /// Returns true if an event is the last of its case.
    fn ends_case(&self, name: &str, (index, time): (u64, Timestamp), fields: &dyn NamedFields) -> bool {
        let plan = &self.compiled.plan;
        let fields = KeyedFields { fields, symbols: plan.symbols() };
        let is_end = |name| plan.ends_case(&Event { name, index, time, fields: &fields });
        plan.has_case_ends() && plan.symbols().find_name(name).is_some_and(is_end)
    }

    /// Takes an event as a recorded read of an external variable. Returns false if it is not one.
    fn absorb(&mut self, time: Timestamp, fields: &dyn NamedFields) -> bool {
        let mut is_read = false;
        for group in &mut self.groups {
            is_read |= group.absorb(time, fields);
        }
        is_read
    }

    /// Takes the result of reading an external variable: later events have this value.
    pub fn read(&mut self, variable: &str, result: &Result<Value<'static>, String>) {
        let time = self.last.unwrap_or(Timestamp::MIN);
        self.groups.iter_mut().for_each(|group| group.externs.note(variable, time, result));
    }

    /// Reports the external variables that the properties use.
    pub fn externs(&self) -> Vec<ExternReport> {
        let mut all: Vec<ExternReport> = Vec::new();
        for one in self.groups.iter().flat_map(|group| group.externs.report()) {
            if all.iter().all(|known| known.name != one.name) {
                all.push(one);
            }
        }
        all
    }

    /// Closes the open position: no further event has the time of the last one.
    pub fn close_position(&mut self) {
        for group in 0..self.groups.len() {
            let closed = self.groups[group].close_position();
            self.collect_violations(group, closed);
        }
    }

    /// Advances time: nothing earlier than `to` follows.
    pub fn advance(&mut self, to: Timestamp) {
        self.expire_cases(to);
        for group in 0..self.groups.len() {
            let changed = self.groups[group].advance(to);
            self.collect_violations(group, changed);
        }
    }

    /// Moves the new violations of some cases of a group to `found`.
    fn collect_violations(&mut self, group: usize, cases: Vec<usize>) {
        for case in cases {
            let label = self.cases.label(case);
            self.groups[group].drain_violations(case, label, &mut self.last_number, &mut self.found);
        }
    }

    /// Returns the earliest time whose passing may decide something.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let expiry = self.cases.oldest().zip(self.case_expiry()).map(|((_, last), expiry)| last.saturating_add(expiry));
        self.groups.iter().filter_map(PropertyGroup::next_deadline).chain(expiry).min()
    }

    /// Returns the time of the open position: further events of this time still belong to it.
    pub fn open_position(&self) -> Option<Timestamp> {
        self.groups.iter().filter_map(PropertyGroup::open_position).max()
    }

    /// Drains the violations found since the last call.
    pub fn drain_violations(&mut self) -> Vec<NumberedViolation> {
        std::mem::take(&mut self.found)
    }

    /// Returns the outcome of each property of the current spec, as if the events ended here.
    pub fn outcomes(&self, end: End) -> (Vec<Outcome>, Option<CaseSummary>) {
        if self.cases.field.is_none() {
            return (self.case_outcomes(0, end), None);
        }
        let mut sum = self.ended.clone();
        for case in self.cases.by_silence() {
            if let Some(label) = self.cases.label(case) {
                sum.add(label, self.case_outcomes(case, end));
            }
        }
        let (outcomes, cases) = sum.finish(self.cases.field.as_deref(), self.cases.without);
        (outcomes, Some(cases))
    }

    /// Returns the outcomes of one case, collected from the groups.
    fn case_outcomes(&self, case: usize, end: End) -> Vec<Outcome> {
        let mut outcomes: Vec<Option<Outcome>> = vec![None; self.compiled.properties.len()];
        for group in &self.groups {
            collect_alive(&mut outcomes, &group.alive, group.outcomes(case, end));
        }
        outcomes.into_iter().flatten().collect()
    }

    /// Returns the names of events as the group of a property numbers them, and the spec with which that group started.
    pub fn context(&self, property: usize) -> Option<(&Symbols, &Arc<CompiledSpec>)> {
        let group = self.groups.iter().find(|group| group.alive.contains(&Some(property)))?;
        Some((&group.symbols, &group.compiled))
    }

    /// Returns the memory of all monitors.
    pub fn memory_use(&self) -> MemoryUse {
        total_memory(self.groups.iter().map(PropertyGroup::memory_use))
    }

    /// Continues with another spec. Properties with the same name and meaning keep their state.
    pub fn replace(&mut self, compiled: Arc<CompiledSpec>) -> SpecChange {
        let mut change = SpecChange::default();
        let names: Vec<String> = compiled.properties().map(|property| property.name.clone()).collect();
        let mut is_kept = vec![false; names.len()];
        let mut before = vec![None; names.len()];
        for group in &mut self.groups {
            for index in 0..group.alive.len() {
                if group.alive[index].is_none() {
                    continue;
                }
                let name = group.property_name(index).to_owned();
                let fingerprint = group.compiled.plan.fingerprint(index);
                let is_same = |new: &usize| {
                    names[*new] == name && !is_kept[*new] && compiled.plan.fingerprint(*new) == fingerprint
                };
                let old = group.alive[index];
                group.alive[index] = (0..names.len()).find(is_same);
                match group.alive[index] {
                    Some(new) => {
                        before[new] = old;
                        is_kept[new] = true;
                        change.kept.push(name);
                    }
                    None => change.ended.push(name),
                }
            }
        }
        let begun: Vec<usize> = (0..names.len()).filter(|new| !is_kept[*new]).collect();
        change.begun = begun.iter().map(|new| names[*new].clone()).collect();
        self.groups.retain(PropertyGroup::is_alive);
        if !begun.is_empty() {
            let some = Arc::new(compiled.only(&begun));
            let mut fresh = PropertyGroup::new(some, begun.into_iter().map(Some).collect());
            self.groups.iter().for_each(|group| fresh.externs.inherit(&group.externs));
            self.groups.push(fresh);
        }
        self.ended.replace(&before);
        self.compiled = compiled;
        change
    }

    /// Numbers new violations after `last`. Violations found before do not grow any more: what continues them is new.
    pub fn continue_numbers(&mut self, last: u64) {
        self.last_number = last;
        self.groups.iter_mut().for_each(PropertyGroup::forget_last_violations);
    }

    /// Saves the monitor for [`OnlineMonitor::restore`].
    pub fn save(&self) -> Vec<u8> {
        snapshot::save(self, true)
    }

    /// Saves the monitor without the text of its spec, for [`OnlineMonitor::resume`]. Returns `None` if the spec was replaced.
    pub fn save_state(&self) -> Option<Vec<u8>> {
        let [group] = &self.groups[..] else { return None };
        (group.compiled.source == self.compiled.source).then(|| snapshot::save(self, false))
    }

    /// Restores what [`OnlineMonitor::save_state`] saved. COST: decoding the state; the spec is shared.
    pub fn resume(bytes: &[u8], compiled: &Arc<CompiledSpec>) -> Result<OnlineMonitor, ResumeError> {
        snapshot::restore(bytes, |text| text.is_empty().then(|| compiled.clone()))
    }

    /// Restores what [`OnlineMonitor::save`] saved. `compile` compiles the text of a spec.
    pub fn restore(bytes: &[u8], compile: impl Fn(&str) -> Option<CompiledSpec>) -> Result<OnlineMonitor, ResumeError> {
        snapshot::restore(bytes, |text| compile(text).map(Arc::new))
    }
}
