// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties that started together, with one monitor for each case.
//!
//! A case gets its monitor with its first event. `deadlines` has the next deadline of each monitor that has one, so that time that passes
//! visits only the monitors with a deadline before it, whatever the number of cases.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;
use gnomon_core::diagnostic::Span;
use gnomon_core::event::{Event, Fields};
use gnomon_core::symbols::{Key, Symbols};
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::{End, Outcome};
use gnomon_engine::{MemoryUse, Monitor};

use super::{LISTED_VIOLATIONS, NamedFields, NumberedViolation};
use crate::compile::CompiledSpec;
use crate::externs::{Externs, FieldsWithExterns};
use crate::offline::memory::total_memory;

/// Properties of one spec that started at the same event. They share the numbering of names and the monitors of the cases.
#[derive(Clone, Debug)]
pub(super) struct PropertyGroup {
    pub(super) compiled: Arc<CompiledSpec>,
    /// For each property of the plan, its index in the current spec; `None` if the current spec no longer has it.
    pub(super) alive: Vec<Option<usize>>,
    pub(super) symbols: Symbols,
    pub(super) externs: Externs,
    /// Monitors by case number; `None` for a case that had no event since the group started.
    pub(super) runs: Vec<Option<Box<CaseRun>>>,
    /// The deadline of each case that has one, earliest first.
    deadlines: BTreeSet<(Timestamp, usize)>,
    /// The cases that have events at the time `now`.
    open: Vec<usize>,
    /// The time of the latest event.
    pub(super) now: Option<Timestamp>,
}

/// The monitor of one case.
#[derive(Clone, Debug)]
pub(super) struct CaseRun {
    pub(super) monitor: Monitor,
    /// Number of violations at the last drain.
    drained: u64,
    /// The entry of the case in `deadlines`; [`Timestamp::MAX`] if it has none.
    deadline: Timestamp,
    /// For each property, the violation of each part that was drained last: it may grow.
    pub(super) last: Vec<Vec<LastViolation>>,
}

/// A violation that may grow: consecutive positions that fail alike are one violation.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct LastViolation {
    number: u64,
    position: u64,
    part: Span,
}

impl CaseRun {
    pub(super) fn new(mut monitor: Monitor, last: Vec<Vec<LastViolation>>) -> Self {
        monitor.count_violations();
        CaseRun { monitor, drained: 0, deadline: Timestamp::MAX, last }
    }
}

/// Fields of an event by the keys of a plan.
pub(super) struct KeyedFields<'a> {
    pub(super) fields: &'a dyn NamedFields,
    pub(super) symbols: &'a Symbols,
}

impl Fields for KeyedFields<'_> {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.fields.named(self.symbols.key_text(key))
    }
    fn parameter_count(&self) -> usize {
        self.fields.count()
    }
    fn parameter(&self, index: usize) -> Value<'_> {
        self.fields.nth(index)
    }
}

impl PropertyGroup {
    pub(super) fn new(compiled: Arc<CompiledSpec>, alive: Vec<Option<usize>>) -> Self {
        let symbols = compiled.plan.symbols().clone();
        Self::restore(compiled, alive, symbols, vec![], None)
    }

    pub(super) fn restore(
        compiled: Arc<CompiledSpec>,
        alive: Vec<Option<usize>>,
        mut symbols: Symbols,
        runs: Vec<Option<Box<CaseRun>>>,
        now: Option<Timestamp>,
    ) -> Self {
        let mut externs = Externs::new(&compiled.spec, &compiled.plan, None);
        if !externs.is_empty() {
            externs.expect_records(&mut symbols);
        }
        let (deadlines, open) = (BTreeSet::new(), Vec::new());
        let mut group = PropertyGroup { compiled, alive, symbols, externs, runs, deadlines, open, now };
        for case in 0..group.runs.len() {
            group.update_deadline(case);
            if group.run(case).is_some_and(|run| run.monitor.open_position().is_some()) {
                group.open.push(case);
            }
        }
        group
    }

    pub(super) fn run(&self, case: usize) -> Option<&CaseRun> {
        self.runs.get(case).and_then(Option::as_deref)
    }

    /// Returns true if the current spec still has a property of the group.
    pub(super) fn is_alive(&self) -> bool {
        self.alive.iter().any(Option::is_some)
    }

    /// Returns the name of a property of the plan.
    pub(super) fn property_name(&self, index: usize) -> &str {
        &self.compiled.spec.properties[self.compiled.properties[index]].name
    }

    /// Moves to the time of an event, which closes earlier positions. Returns the cases that have new violations.
    pub(super) fn turn_to(&mut self, time: Timestamp) -> Vec<usize> {
        if self.now.replace(time) == Some(time) { vec![] } else { self.close_position() }
    }

    /// Closes the open positions. Returns the cases that have new violations.
    pub(super) fn close_position(&mut self) -> Vec<usize> {
        let mut closed = std::mem::take(&mut self.open);
        for case in &closed {
            if let Some(run) = &mut self.runs[*case] {
                run.monitor.close_position();
            }
            self.update_deadline(*case);
        }
        closed.retain(|case| self.has_new_violations(*case));
        closed
    }

    /// Takes an event of a case.
    pub(super) fn step(&mut self, case: usize, name: &str, index: u64, time: Timestamp, fields: &dyn NamedFields) {
        if self.runs.len() <= case {
            self.runs.resize_with(case + 1, || None);
        }
        let PropertyGroup { compiled, alive, symbols, externs, runs, open, .. } = self;
        let run = runs[case].get_or_insert_with(|| {
            // A monitor may find as many violations between two drains as an outcome lists.
            Box::new(CaseRun::new(compiled.plan.start(2 * LISTED_VIOLATIONS), vec![vec![]; alive.len()]))
        });
        let name = symbols.name(name);
        if run.monitor.open_position().is_none() {
            open.push(case);
        }
        let keyed = KeyedFields { fields, symbols };
        if externs.is_empty() {
            run.monitor.step(&Event { name, index, time, fields: &keyed });
        } else {
            let fields = FieldsWithExterns { fields: &keyed, externs };
            run.monitor.step(&Event { name, index, time, fields: &fields });
        }
        self.update_deadline(case);
    }

    /// Takes an event as a recorded read of an external variable. Returns false if it is not one.
    pub(super) fn absorb(&mut self, time: Timestamp, fields: &dyn NamedFields) -> bool {
        self.externs.absorb(&KeyedFields { fields, symbols: &self.symbols }, time)
    }

    /// Brings the entry of a case in `deadlines` up to date.
    fn update_deadline(&mut self, case: usize) {
        let Some(run) = &mut self.runs[case] else { return };
        let next = run.monitor.next_deadline().unwrap_or(Timestamp::MAX);
        let before = std::mem::replace(&mut run.deadline, next);
        if next != before {
            self.deadlines.remove(&(before, case));
            if next < Timestamp::MAX {
                self.deadlines.insert((next, case));
            }
        }
    }

    /// Advances time: nothing earlier than `to` follows. Returns the cases that have new violations.
    ///
    /// COST: the cases whose deadline has passed, however many cases there are.
    pub(super) fn advance(&mut self, to: Timestamp) -> Vec<usize> {
        let mut changed = if self.now.is_some_and(|now| now < to) { self.close_position() } else { vec![] };
        let closed: HashSet<usize, RandomState> = changed.iter().copied().collect();
        let due: Vec<usize> = self.deadlines.range(..(to, 0)).map(|(_, case)| *case).collect();
        for case in due {
            if let Some(run) = &mut self.runs[case] {
                run.monitor.advance(to);
            }
            self.update_deadline(case);
            if self.has_new_violations(case) && !closed.contains(&case) {
                changed.push(case);
            }
        }
        changed
    }

    /// Returns the earliest deadline of any case.
    pub(super) fn next_deadline(&self) -> Option<Timestamp> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    /// Returns the time of the open position, if further events of this time would belong to it.
    pub(super) fn open_position(&self) -> Option<Timestamp> {
        self.now.filter(|_| !self.open.is_empty() && self.compiled.plan.merges_simultaneous())
    }

    /// Returns true if a case has violations that were not drained.
    pub(super) fn has_new_violations(&self, case: usize) -> bool {
        self.run(case).is_some_and(|run| run.monitor.total_violation_count() != run.drained)
    }

    /// Appends to `found` the violations of a case that are new or grew, and numbers new ones after `last_number`.
    pub(super) fn drain_violations(
        &mut self,
        case: usize,
        label: Option<&Arc<str>>,
        last_number: &mut u64,
        found: &mut Vec<NumberedViolation>,
    ) {
        let Some(run) = self.runs.get_mut(case).and_then(Option::as_mut) else { return };
        run.drained = run.monitor.total_violation_count();
        for (index, alive) in self.alive.iter().enumerate() {
            // Violations of properties that were replaced are drained and dropped, so that they do not accumulate.
            let violations = run.monitor.drain_violations(index, LISTED_VIOLATIONS);
            let Some(property) = *alive else { continue };
            for violation in violations {
                let (position, part) = (violation.at.position, violation.part);
                let mut number = *last_number + 1;
                let mut grew = false;
                // Violations of bindings do not grow, and one that has grown is a range. Two letters of a plug-in at one event are two violations.
                if violation.binding.is_empty() {
                    let last = &mut run.last[index];
                    let known = last.iter().position(|last| last.part == part).map(|at| last.swap_remove(at));
                    let is_range = violation.until_position.is_some();
                    if let Some(known) = known.filter(|known| is_range && known.position == position) {
                        (number, grew) = (known.number, true);
                    }
                    last.push(LastViolation { number, position, part });
                }
                *last_number = number.max(*last_number);
                let (case, compiled) = (label.cloned(), self.compiled.clone());
                found.push(NumberedViolation { number, property, case, violation, grew, compiled });
            }
        }
    }

    /// Ends a case and returns the outcome of each property of the plan; appends the violations that the end decides to `found`.
    /// `until`: the time up to which the case lasted.
    pub(super) fn end_case(
        &mut self,
        case: usize,
        (end, until): (End, Option<Timestamp>),
        label: Option<&Arc<str>>,
        last_number: &mut u64,
        found: &mut Vec<NumberedViolation>,
    ) -> Vec<Outcome> {
        let Some(run) = self.runs.get_mut(case).and_then(Option::as_mut) else { return self.outcomes(case, end) };
        run.monitor.close_position();
        if let Some(until) = until {
            run.monitor.advance(until);
        }
        self.deadlines.remove(&(run.deadline, case));
        self.open.retain(|open| *open != case);
        self.drain_violations(case, label, last_number, found);
        let outcomes = self.runs[case].as_mut().map(|run| run.monitor.conclude(end)).unwrap_or_default();
        self.drain_violations(case, label, last_number, found);
        self.runs[case] = None;
        while self.runs.last().is_some_and(Option::is_none) {
            self.runs.pop();
        }
        if self.runs.capacity() > 4 * self.runs.len() + 1024 {
            self.runs.shrink_to(2 * self.runs.len());
        }
        outcomes
    }

    /// Forgets the last violations, so that none of them grows.
    pub(super) fn forget_last_violations(&mut self) {
        for run in self.runs.iter_mut().flatten() {
            run.last.iter_mut().for_each(Vec::clear);
        }
    }

    /// Returns the outcome of each property of the plan in a case, as if the events ended here.
    pub(super) fn outcomes(&self, case: usize, end: End) -> Vec<Outcome> {
        let run = self.run(case).map(|run| run.monitor.clone());
        run.unwrap_or_else(|| self.compiled.plan.start(LISTED_VIOLATIONS)).finish(end)
    }

    /// Returns the number of cases that wait for a deadline.
    pub(super) fn pending_case_count(&self) -> usize {
        self.deadlines.len()
    }

    /// Returns true if a case violates a property that the current spec has.
    pub(super) fn violates(&self, case: usize) -> bool {
        let mut alive = (0..self.alive.len()).filter(|index| self.alive[*index].is_some());
        self.run(case).is_some_and(|run| alive.any(|index| run.monitor.violation_count(index) > 0))
    }

    /// Returns the memory of all monitors.
    pub(super) fn memory_use(&self) -> MemoryUse {
        let properties = 0..self.alive.len();
        total_memory(
            self.runs
                .iter()
                .flatten()
                .flat_map(|run| properties.clone().map(|property| run.monitor.memory_use(property))),
        )
    }
}
