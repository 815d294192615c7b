// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads an input again and collects the events of violations.
//!
//! Violations are processed in the order of their first events. While no events are collected, the reader skips to the last checkpoint
//! before the next violation. Readers without checkpoints read the events in between.

use std::collections::HashMap;

use gnomon_core::event::{Event, Fields};
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::Timestamp;
use gnomon_core::value::{Comparison, Value};
use gnomon_engine::Plan;
use gnomon_ir::ValueLocation;
use gnomon_ir::core::Core;

use super::{Subject, SubjectStage};
use crate::compile::CompiledSpec;
use crate::error::Error;
use crate::offline::division::CaseId;
use crate::offline::oracle_event::oracle_event;
use crate::offline::reopenable::quiet;
use crate::offline::{Division, Driver, EventSource, NamedInput, Options, Report, Visitor, open_stream};

/// Reads at most `budget` events of the input again. Returns the violations whose events were read up to the decision.
pub(super) fn collect(
    compiled: &CompiledSpec,
    input: NamedInput,
    options: &Options,
    report: &Report,
    subjects: Vec<Subject>,
    budget: u64,
) -> Result<Vec<Subject>, Error> {
    let (name, options) = (input.name.clone(), quiet(options));
    let (mut stream, has_cases) = open_stream(compiled, input, &options)?;
    let division = Division::new(compiled, stream.context().symbols, has_cases, &options);
    let filters = compiled.plan.cores().iter().map(|core| RelevanceFilter::new(core, &compiled.plan)).collect();
    let mut collector = EvidenceCollector {
        compiled,
        report,
        filters,
        division,
        cases: vec![],
        subjects,
        waiting: 0,
        is_active: false,
        is_idle: false,
        can_skip: true,
        next: 0,
        read: 0,
        budget,
    };
    while Driver::new(compiled, &name, &options).run(&mut stream, &mut collector)?.is_break() {
        let Some(from) = collector.resume() else {
            collector.subjects.retain(|subject| subject.stage >= SubjectStage::AfterDecision);
            break;
        };
        if let Some(checkpoint) = report.checkpoints.before(from).filter(|found| found.index > collector.next) {
            collector.can_skip = stream.skip_to(checkpoint)?;
        }
    }
    Ok(collector.subjects)
}

/// Collects the events of violations.
struct EvidenceCollector<'a> {
    compiled: &'a CompiledSpec,
    report: &'a Report,
    /// For each property.
    filters: Vec<RelevanceFilter>,
    division: Division,
    /// For each case, the violations in it.
    cases: Vec<Vec<usize>>,
    /// The violations in the order of their first events.
    subjects: Vec<Subject>,
    /// The index of the first violation that is still waiting for its first event.
    waiting: usize,
    /// Events of some violation are collected.
    is_active: bool,
    /// No events are collected before those of the next violation, and the reader can skip some of them.
    is_idle: bool,
    /// False if the reader must read all events.
    can_skip: bool,
    /// The index of the next event.
    next: u64,
    read: u64,
    budget: u64,
}

impl EvidenceCollector<'_> {
    /// Returns the first event of the next violation, to read on from there; `None` if there is no other or too much was read.
    fn resume(&mut self) -> Option<u64> {
        self.is_idle = false;
        self.subjects.get(self.waiting).filter(|_| self.read <= self.budget).map(|subject| subject.from)
    }

    /// Returns true if no event is needed before a later checkpoint, or none at all.
    fn is_next_far(&self) -> bool {
        let Some(next) = self.subjects.get(self.waiting) else { return true };
        self.can_skip && self.report.checkpoints.before(next.from).is_some_and(|found| found.index > self.next)
    }

    /// Begins with the violations whose first event this is.
    fn activate(&mut self, event: &Event<'_>) {
        while let Some(subject) = self.subjects.get_mut(self.waiting).filter(|subject| subject.from <= event.index) {
            subject.stage = subject.stage.max(SubjectStage::BeforeViolation);
            subject.since = (subject.from > 0).then_some(event.time);
            self.waiting += 1;
            self.is_active = true;
        }
    }

    /// Adds a case. An earlier case of the same label is over: its violations have their events, and the others are in this one or later.
    fn add_case(&mut self, label: Option<&str>) {
        let mut of_case = Vec::new();
        for (index, subject) in self.subjects.iter_mut().enumerate().filter(|(_, one)| one.case.as_deref() == label) {
            if subject.stage >= SubjectStage::AfterViolation {
                subject.stage = SubjectStage::Done;
            } else {
                subject.events.clear();
                subject.others = 0;
                subject.since = subject.since.filter(|_| subject.from > 0);
                of_case.push(index);
            }
        }
        if !of_case.is_empty() {
            self.cases.iter_mut().for_each(|earlier| earlier.retain(|index| !of_case.contains(index)));
        }
        self.cases.push(of_case);
    }

    /// Passes an event to the violations of its case.
    fn collect_event<S: EventSource>(&mut self, case: usize, event: &Event<'_>, source: &S) {
        let symbols = source.context().symbols;
        let (mut copy, mut has_done) = (None, false);
        for index in &self.cases[case] {
            let subject = &mut self.subjects[*index];
            if matches!(subject.stage, SubjectStage::Waiting | SubjectStage::Done) {
                continue;
            }
            let core = &self.compiled.plan.cores()[subject.property];
            let may_be_relevant = self.filters[subject.property].may_match(event, &subject.values);
            let copied = subject.needs_copy(event, may_be_relevant).then(|| {
                copy.get_or_insert_with(|| {
                    let name = self.report.symbols.find_name(symbols.name_text(event.name)).unwrap_or(event.name);
                    let selection = self.compiled.plan.projection().selection(event.name);
                    (oracle_event(event, selection, symbols), name)
                })
            });
            subject.event(core, event, copied.map(|(copy, name)| (&*copy, *name)));
            has_done |= subject.stage == SubjectStage::Done;
        }
        if has_done {
            let subjects = &self.subjects;
            self.cases[case].retain(|index| subjects[*index].stage < SubjectStage::Done);
            let mut begun = subjects[..self.waiting].iter();
            self.is_active = begun.any(|subject| subject.stage < SubjectStage::Done);
        }
    }
}

impl Visitor for EvidenceCollector<'_> {
    fn event<S: EventSource>(&mut self, event: &Event<'_>, source: &S) -> Result<bool, Error> {
        self.read += 1;
        self.next = event.index + 1;
        self.activate(event);
        if self.is_active {
            let (number, name) = source.case();
            let case = match self.division.case(event, number, name).case {
                CaseId::None => return Ok(false),
                CaseId::Known(number) => number,
                CaseId::New(label) => {
                    let is_divided = self.division.is_divided();
                    self.add_case(is_divided.then_some(&*label));
                    self.cases.len() - 1
                }
            };
            self.collect_event(case, event, source);
        }
        self.is_idle = !self.is_active && self.is_next_far();
        Ok(true)
    }

    fn progress<S: EventSource>(&mut self, to: Timestamp, _: &S) -> Result<(), Error> {
        self.division.progress(to);
        Ok(())
    }

    fn case_marker<S: EventSource>(&mut self, fields: &dyn Fields, time: Timestamp, _: &S) -> Result<(), Error> {
        self.division.marker(fields, time);
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.is_idle || self.read > self.budget
    }
}

/// The events that can match an atom of a property, found without copying an event: a necessary condition.
struct RelevanceFilter {
    /// The property compares variables of the state, which any event may have.
    has_state: bool,
    /// For each name, the patterns of events with it: where they have the values of which variables.
    by_name: HashMap<Name, Vec<Vec<(ValuePlace, usize)>>>,
}

enum ValuePlace {
    Parameter(usize),
    Field(Key),
}

impl RelevanceFilter {
    fn new(core: &Core, plan: &Plan) -> Self {
        let mut by_name: HashMap<Name, Vec<_>> = HashMap::new();
        for pattern in core.atoms().iter().flat_map(|atom| &atom.patterns) {
            let Some(name) = plan.symbols().find_name(&pattern.event) else { continue };
            let places = pattern.variables.iter().filter_map(|(location, variable)| {
                let place = match location {
                    ValueLocation::Parameter(index) => ValuePlace::Parameter(*index),
                    ValueLocation::Field(path) if path.steps.is_empty() => {
                        ValuePlace::Field(plan.symbols().find_key(&path.field)?)
                    }
                    ValueLocation::Field(_) => return None,
                };
                Some((place, variable.0 as usize))
            });
            by_name.entry(name).or_default().push(places.collect());
        }
        let has_state = matches!(core, Core::Formula(formula) if !formula.variables.is_empty());
        RelevanceFilter { has_state, by_name }
    }

    /// Returns false if the event matches no atom under the binding.
    fn may_match(&self, event: &Event<'_>, binding: &[Value<'static>]) -> bool {
        let agrees = |(place, variable): &(ValuePlace, usize)| {
            let Some(bound) = binding.get(*variable) else { return true };
            let value = match place {
                ValuePlace::Parameter(index) => {
                    (*index < event.fields.parameter_count()).then(|| event.fields.parameter(*index))
                }
                ValuePlace::Field(key) => event.fields.get(*key),
            };
            value.is_some_and(|value| Comparison::Equal.holds(&value, bound))
        };
        let patterns = self.by_name.get(&event.name);
        self.has_state || patterns.is_some_and(|patterns| patterns.iter().any(|places| places.iter().all(agrees)))
    }
}
