// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties that began together: a monitor for each case.

use std::collections::BTreeSet;
use std::sync::Arc;

use gnomon_core::diagnostic::Span;
use gnomon_core::event::{Event, Fields};
use gnomon_core::symbols::{Key, Symbols};
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::{End, Outcome, Verdict, Violation};
use gnomon_engine::{Load, Monitor};

use super::cases::CaseNumbers;
use super::{KEPT, NamedFields};
use crate::compile::Compiled;
use crate::externs::Externs;
use crate::offline::{Cases, Sum};

#[derive(Clone, Debug)]
pub(super) struct Ensemble {
    pub(super) compiled: Arc<Compiled>,
    /// For each property of the plan, its place in the present spec; `None`: it is not wanted any more.
    pub(super) alive: Vec<Option<usize>>,
    pub(super) symbols: Symbols,
    pub(super) externs: Externs,
    /// By the numbers of cases.
    pub(super) runs: Vec<Option<Run>>,
    /// The cases that wait for a time to pass.
    deadlines: BTreeSet<(Timestamp, usize)>,
    /// The cases that have events at the present time.
    open: Vec<usize>,
    now: Option<Timestamp>,
}

/// One case.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) monitor: Monitor,
    /// How many violations there were when they were last taken.
    taken: u64,
    /// What it waits for.
    deadline: Timestamp,
    /// For each property, the last violation that was told: a later one may be the same, grown.
    pub(super) last: Vec<Option<Last>>,
}

/// A violation that may grow.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Last {
    number: u64,
    position: u64,
    failed: Span,
}

impl Run {
    pub(super) fn new(mut monitor: Monitor, last: Vec<Option<Last>>) -> Self {
        monitor.count_violations();
        Run { monitor, taken: 0, deadline: Timestamp::MAX, last }
    }
}

/// Fields by the numbers that a plan gave their names.
struct View<'a> {
    fields: &'a dyn NamedFields,
    symbols: &'a Symbols,
}

impl Fields for View<'_> {
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

/// The same, with the values of external variables.
struct Supplied<'a> {
    externs: &'a Externs,
    view: View<'a>,
}

impl Fields for Supplied<'_> {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.externs.get(&self.view, key)
    }
    fn parameter_count(&self) -> usize {
        self.view.parameter_count()
    }
    fn parameter(&self, index: usize) -> Value<'_> {
        self.view.parameter(index)
    }
}

impl Ensemble {
    pub(super) fn new(compiled: Arc<Compiled>, alive: Vec<Option<usize>>) -> Self {
        let symbols = compiled.plan.symbols().clone();
        Self::restore(compiled, alive, symbols, vec![], None)
    }

    pub(super) fn restore(
        compiled: Arc<Compiled>,
        alive: Vec<Option<usize>>,
        mut symbols: Symbols,
        runs: Vec<Option<Run>>,
        now: Option<Timestamp>,
    ) -> Self {
        let mut externs = Externs::new(&compiled.spec, &compiled.plan, None);
        if !externs.is_empty() {
            externs.expect_records(&mut symbols);
        }
        let (deadlines, open) = (BTreeSet::new(), Vec::new());
        let mut ensemble = Ensemble { compiled, alive, symbols, externs, runs, deadlines, open, now };
        for case in 0..ensemble.runs.len() {
            ensemble.arm(case);
            let run = ensemble.runs[case].as_ref();
            if run.is_some_and(|run| run.monitor.open_position().is_some()) {
                ensemble.open.push(case);
            }
        }
        ensemble
    }

    pub(super) fn is_alive(&self) -> bool {
        self.alive.iter().any(Option::is_some)
    }

    /// The name of a property of the plan.
    pub(super) fn property_name(&self, index: usize) -> &str {
        &self.compiled.spec.properties[self.compiled.properties[index]].name
    }

    pub(super) fn now(&self) -> Option<Timestamp> {
        self.now
    }

    /// An event is at this time: positions before it are complete. Tells the cases in which that showed something.
    pub(super) fn turn_to(&mut self, time: Timestamp) -> Vec<usize> {
        if self.now.replace(time) == Some(time) { vec![] } else { self.close_position() }
    }

    /// The positions at the present time are complete. Tells the cases in which that showed something.
    pub(super) fn close_position(&mut self) -> Vec<usize> {
        let mut stirred = std::mem::take(&mut self.open);
        for case in &stirred {
            if let Some(run) = &mut self.runs[*case] {
                run.monitor.close_position();
            }
            self.arm(*case);
        }
        stirred.retain(|case| self.stirs(*case));
        stirred
    }

    pub(super) fn step(&mut self, case: usize, name: &str, index: u64, time: Timestamp, fields: &dyn NamedFields) {
        if self.runs.len() <= case {
            self.runs.resize_with(case + 1, || None);
        }
        let Ensemble { compiled, alive, symbols, externs, runs, open, .. } = self;
        // Between two times that it is asked, a monitor lists as much as it keeps.
        let run = runs[case].get_or_insert_with(|| Run::new(compiled.plan.start(2 * KEPT), vec![None; alive.len()]));
        let name = symbols.name(name);
        if run.monitor.open_position().is_none() {
            open.push(case);
        }
        let view = View { fields, symbols };
        if externs.is_empty() {
            run.monitor.step(&Event { name, index, time, fields: &view });
        } else {
            run.monitor.step(&Event { name, index, time, fields: &Supplied { externs, view } });
        }
        self.arm(case);
    }

    /// Whether this is a read that was recorded: then its variable has that value from now on.
    pub(super) fn absorb(&mut self, time: Timestamp, fields: &dyn NamedFields) -> bool {
        self.externs.absorb(&View { fields, symbols: &self.symbols }, time)
    }

    /// Takes note of what a case waits for.
    fn arm(&mut self, case: usize) {
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

    /// Nothing earlier than `to` will come. Tells the cases in which that showed something.
    pub(super) fn tick(&mut self, to: Timestamp) -> Vec<usize> {
        let mut stirred = if self.now.is_some_and(|now| now < to) { self.close_position() } else { vec![] };
        let due: Vec<usize> = self.deadlines.range(..(to, 0)).map(|(_, case)| *case).collect();
        for case in due {
            if let Some(run) = &mut self.runs[case] {
                run.monitor.advance(to);
            }
            self.arm(case);
            if self.stirs(case) && !stirred.contains(&case) {
                stirred.push(case);
            }
        }
        stirred
    }

    pub(super) fn next_deadline(&self) -> Option<Timestamp> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    pub(super) fn open_position(&self) -> Option<Timestamp> {
        self.now.filter(|_| !self.open.is_empty() && self.compiled.plan.merges())
    }

    /// Whether there is something to take.
    pub(super) fn stirs(&self, case: usize) -> bool {
        self.runs[case].as_ref().is_some_and(|run| run.monitor.violations() != run.taken)
    }

    /// The violations of a case that are new or grew: the property by its place in the present spec, the number, and
    /// whether it had that before.
    pub(super) fn take(&mut self, case: usize, numbered: &mut u64) -> Vec<(usize, Violation, u64, bool)> {
        let Some(run) = &mut self.runs[case] else { return vec![] };
        run.taken = run.monitor.violations();
        let mut taken = Vec::new();
        for (index, alive) in self.alive.iter().enumerate() {
            // What is not wanted any more is taken too, so that it does not pile up.
            let violations = run.monitor.tell(index, KEPT);
            let Some(property) = *alive else { continue };
            for violation in violations {
                let (position, failed) = (violation.at.position, violation.failed);
                let same = |last: &&Last| last.position == position && last.failed == failed;
                let known = run.last[index].as_ref().filter(same).filter(|_| violation.binding.is_empty());
                let grew = known.is_some();
                let number = known.map_or_else(|| *numbered + 1, |last| last.number);
                *numbered = number.max(*numbered);
                run.last[index] = Some(Last { number, position, failed });
                taken.push((property, violation, number, grew));
            }
        }
        taken
    }

    /// What became of each property of the plan, as if the events ended here. `violating`: the cases that violate something.
    pub(super) fn outcomes(
        &self,
        cases: &CaseNumbers,
        end: End,
        violating: &mut [bool],
    ) -> (Vec<Outcome>, Option<Cases>) {
        let fresh = || self.compiled.plan.start(KEPT);
        if !cases.is_divided() {
            let run = self.runs.first().and_then(Option::as_ref);
            return (run.map_or_else(fresh, |run| run.monitor.clone()).finish(end), None);
        }
        let mut sum = Sum::new(self.alive.len(), KEPT);
        for (case, label) in cases.labels().iter().enumerate() {
            let run = self.runs.get(case).and_then(Option::as_ref);
            let outcomes = run.map_or_else(fresh, |run| run.monitor.clone()).finish(end);
            let mut wanted = outcomes.iter().zip(&self.alive).filter(|(_, alive)| alive.is_some());
            violating[case] |= wanted.any(|(outcome, _)| outcome.verdict == Verdict::Violated);
            sum.add(label, outcomes);
        }
        let (outcomes, cases) = sum.finish(cases.field(), cases.without);
        (outcomes, Some(cases))
    }

    /// How many cases wait for a time to pass.
    pub(super) fn pending(&self) -> usize {
        self.deadlines.len()
    }

    /// The cases in which something that is wanted was violated.
    pub(super) fn violating(&self) -> impl Iterator<Item = usize> + '_ {
        let is_violated = |run: &Run| {
            let mut wanted = (0..self.alive.len()).filter(|index| self.alive[*index].is_some());
            wanted.any(|index| run.monitor.violated(index) > 0)
        };
        let runs = self.runs.iter().enumerate();
        runs.filter(move |(_, run)| run.as_ref().is_some_and(is_violated)).map(|(case, _)| case)
    }

    pub(super) fn load(&self) -> Load {
        let mut sum = Load::default();
        for run in self.runs.iter().flatten() {
            for property in 0..self.alive.len() {
                let load = run.monitor.load(property);
                sum.bindings += load.bindings;
                sum.bytes += load.bytes;
            }
        }
        sum
    }
}
