// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explains the listed violations by a second look at the input.
//!
//! Monitors keep no events for explanations: that would cost memory for each binding and time for each event. Instead the input is read
//! again once violations are known. For each of the first violations of a property the events of its binding are collected, from before the
//! violation to shortly after the decision, within the limits below. The reference evaluation then says which of them matter
//! ([`gnomon_oracle::explain`]). A violation whose events exceed the limits keeps the explanation of the monitor.

use std::collections::{BTreeMap, HashSet, VecDeque};

use gnomon_core::event::{Event, Fields};
use gnomon_core::symbols::Name;
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::{DecisionPoint, Origin, Violation};
use gnomon_ir::core::Core;
use gnomon_oracle::explain::{Evidence, PartValue, explain, is_relevant, most_others, part_values};
use gnomon_oracle::{OracleEvent, Trace};

use super::division::CaseId;
use super::oracle_event::oracle_event;
use super::reopenable::quiet;
use super::{Division, Driver, EventSource, NamedInput, Options, Report, Visitor, open_stream};
use crate::compile::CompiledSpec;
use crate::error::Error;

/// The most violations of a property that are explained.
const MOST_EXPLAINED: usize = 20;
/// The most events of one violation before and after the event at which it is.
const MOST_BEFORE: usize = 400;
const MOST_AFTER: usize = 400;
/// After the decision of a violation, at most so many events of its binding are collected...
const MOST_LATE: usize = 3;
/// ...among so many events.
const MOST_LATE_READ: u64 = 10_000;
/// The most events that are read again.
const MOST_READ: u64 = 2_000_000;

/// Values of the parts of the formulae of violations, by property and place in the list of violations.
pub type PartValues = BTreeMap<(usize, usize), Vec<PartValue>>;

/// Explains the first violations of each property. What cannot be explained keeps its explanation.
pub(super) fn explain_violations(
    compiled: &CompiledSpec,
    again: Option<NamedInput>,
    options: &Options,
    report: &mut Report,
) {
    let subjects = subjects(compiled, options, report);
    let Some(again) = again.filter(|_| !subjects.is_empty() && options.bounds.is_none()) else { return };
    let Ok(subjects) = collect(compiled, again, options, report, subjects) else { return };
    for subject in subjects {
        subject.explain(compiled, options, report);
    }
}

/// A violation that is to be explained.
struct Subject {
    property: usize,
    number: usize,
    case: Option<String>,
    /// The values of the binding, in the order of the prefix.
    values: Vec<Value<'static>>,
    /// The indices of the events at which the violation is and that decided it.
    at: u64,
    decided: Option<u64>,
    decided_time: Timestamp,
    most_others: usize,
    events: VecDeque<(Origin, OracleEvent)>,
    /// The number of events since the last relevant one.
    others: usize,
    is_from_start: bool,
    /// The numbers of collected events since the violation, and of those after its decision.
    after: usize,
    late: usize,
    /// The number of events read after the decision.
    late_read: u64,
    stage: SubjectStage,
}

/// The part of the trace that is being read, seen from a violation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SubjectStage {
    BeforeViolation,
    AfterViolation,
    AfterDecision,
    /// No later event is needed.
    Done,
}

/// Lists the violations to explain.
fn subjects(compiled: &CompiledSpec, options: &Options, report: &Report) -> Vec<Subject> {
    let most = options.located_violations.min(MOST_EXPLAINED);
    let mut subjects = Vec::new();
    for (property, (core, outcome)) in compiled.plan.cores().iter().zip(&report.outcomes).enumerate() {
        if matches!(core, Core::Rule(_)) || reads_externs(compiled, core) {
            continue;
        }
        for (number, violation) in outcome.violations.iter().take(most).enumerate() {
            let Some(values) = values(core, violation) else { continue };
            let decided = match violation.decided {
                DecisionPoint::Event(origin) => Some(origin.event_index),
                DecisionPoint::Deadline(_) | DecisionPoint::End(_) => None,
            };
            subjects.push(Subject {
                property,
                number,
                case: report.cases.as_ref().and_then(|cases| cases.label(property, number)).map(str::to_owned),
                values,
                at: violation.at.origin.event_index,
                decided,
                decided_time: violation.decided.time(),
                most_others: most_others(core),
                events: VecDeque::new(),
                others: 0,
                is_from_start: true,
                after: 0,
                late: 0,
                late_read: 0,
                stage: SubjectStage::BeforeViolation,
            });
        }
    }
    subjects
}

/// Returns true if a formula compares external variables, which are not fields of events.
fn reads_externs(compiled: &CompiledSpec, core: &Core) -> bool {
    let Core::Formula(formula) = core else { return false };
    compiled.spec.externs.iter().any(|external| formula.variables.contains(&external.field()))
}

/// Returns the values of a binding in the order of the prefix; `None` if the violation is not one of a binding. A part of a
/// mu-calculus formula may have fewer variables: then the events of all values are collected.
fn values(core: &Core, violation: &Violation) -> Option<Vec<Value<'static>>> {
    let named = &violation.binding.values;
    let is_whole = core.prefix().iter().map(|one| &one.variable).eq(named.iter().map(|(name, _)| name));
    match core {
        _ if is_whole => Some(named.iter().map(|(_, value)| value.clone()).collect()),
        Core::Modal(_) => Some(vec![]),
        _ => None,
    }
}

impl Subject {
    /// Takes an event of the case, which has this name in the report.
    fn event(&mut self, core: &Core, event: &Event<'_>, copy: &OracleEvent, name: Name) {
        let is_cited = event.index == self.at || Some(event.index) == self.decided;
        let is_relevant = is_relevant(core, copy, &self.values);
        if self.stage == SubjectStage::AfterDecision {
            self.late_read += 1;
            self.late += usize::from(is_relevant);
            if self.late > MOST_LATE || self.late_read > MOST_LATE_READ {
                self.stage = SubjectStage::Done;
            }
        }
        if event.index == self.at {
            self.stage = self.stage.max(SubjectStage::AfterViolation);
        }
        if Some(event.index) == self.decided || self.decided.is_none() && event.time > self.decided_time {
            self.stage = self.stage.max(SubjectStage::AfterDecision);
        }
        if !is_relevant && !is_cited && self.most_others == 0 {
            return;
        }
        let origin = Origin { event_index: event.index, time: event.time, event: name };
        if is_relevant || is_cited {
            self.others = 0;
        } else {
            self.others += 1;
            if self.others > self.most_others {
                self.events.pop_back();
            }
        }
        self.events.push_back((origin, copy.clone()));
        let has_begun = self.stage >= SubjectStage::AfterViolation;
        self.after += usize::from(has_begun);
        if !has_begun && self.events.len() > MOST_BEFORE {
            self.events.pop_front();
            self.is_from_start = false;
        }
        if self.after > MOST_AFTER {
            self.events.clear();
            self.stage = SubjectStage::Done;
        }
    }

    /// Replaces the explanation of the violation.
    fn explain(self, compiled: &CompiledSpec, options: &Options, report: &mut Report) {
        let Subject { property, number, values, events, is_from_start, .. } = self;
        let (origins, events): (Vec<Origin>, Vec<OracleEvent>) = events.into_iter().unzip();
        let trace = Trace::new(events);
        let evidence = Evidence { trace: &trace, origins: &origins, values: &values, is_from_start };
        let violation = &mut report.outcomes[property].violations[number];
        let Some(found) = explain(&compiled.plan.cores()[property], evidence, violation) else { return };
        (violation.summary, violation.because) = (found.summary, found.because);
        if options.explain_parts
            && let Some(property_of_spec) = compiled.properties().nth(property)
        {
            let parts = part_values(&compiled.spec, property_of_spec, evidence, violation);
            report.parts.insert((property, number), parts);
        }
    }
}

/// Reads the input again and collects the events of the violations.
fn collect(
    compiled: &CompiledSpec,
    input: NamedInput,
    options: &Options,
    report: &Report,
    subjects: Vec<Subject>,
) -> Result<Vec<Subject>, Error> {
    let (name, options) = (input.name.clone(), quiet(options));
    let (mut stream, has_cases) = open_stream(compiled, input, &options)?;
    let division = Division::new(compiled, stream.context().symbols, has_cases, &options);
    let relevant = compiled.plan.cores().iter().map(|core| {
        let patterns = core.atoms().iter().flat_map(|atom| &atom.patterns);
        patterns.filter_map(|pattern| compiled.plan.symbols().find_name(&pattern.event)).collect()
    });
    let mut collector = EvidenceCollector {
        compiled,
        report,
        relevant: relevant.collect(),
        division,
        cases: vec![],
        subjects,
        read: 0,
    };
    let _ = Driver::new(compiled, &name, &options).run(&mut stream, &mut collector)?;
    Ok(collector.subjects)
}

/// Collects the events of violations.
struct EvidenceCollector<'a> {
    compiled: &'a CompiledSpec,
    report: &'a Report,
    /// For each property, the names of events in its atoms.
    relevant: Vec<HashSet<Name>>,
    division: Division,
    /// For each case, the violations in it.
    cases: Vec<Vec<usize>>,
    subjects: Vec<Subject>,
    read: u64,
}

impl EvidenceCollector<'_> {
    /// Adds a case. An earlier case of the same label is over: its violations have their events, and the others are in this one or later.
    fn add_case(&mut self, label: Option<&str>) {
        let mut of_case = Vec::new();
        for (index, subject) in self.subjects.iter_mut().enumerate().filter(|(_, one)| one.case.as_deref() == label) {
            if subject.stage >= SubjectStage::AfterViolation {
                subject.stage = SubjectStage::Done;
            } else {
                subject.events.clear();
                (subject.others, subject.is_from_start) = (0, true);
                of_case.push(index);
            }
        }
        if !of_case.is_empty() {
            self.cases.iter_mut().for_each(|earlier| earlier.retain(|index| !of_case.contains(index)));
        }
        self.cases.push(of_case);
    }
}

impl Visitor for EvidenceCollector<'_> {
    fn event<S: EventSource>(&mut self, event: &Event<'_>, source: &S) -> Result<bool, Error> {
        self.read += 1;
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
        if self.cases[case].is_empty() {
            return Ok(true);
        }
        let symbols = source.context().symbols;
        let mut copy = None;
        let mut name = None;
        for index in &self.cases[case] {
            let subject = &mut self.subjects[*index];
            let core = &self.compiled.plan.cores()[subject.property];
            let has_state = matches!(core, Core::Formula(formula) if !formula.variables.is_empty());
            let may_matter = has_state || self.relevant[subject.property].contains(&event.name);
            if subject.stage == SubjectStage::Done
                || !(may_matter
                    || subject.stage == SubjectStage::AfterDecision
                    || subject.most_others > 0
                    || event.index == subject.at)
            {
                continue;
            }
            let selection = self.compiled.plan.projection().selection(event.name);
            let copied = copy.get_or_insert_with(|| oracle_event(event, selection, symbols));
            let report = self.report;
            let name = *name
                .get_or_insert_with(|| report.symbols.find_name(symbols.name_text(event.name)).unwrap_or(event.name));
            subject.event(core, event, copied, name);
        }
        let subjects = &self.subjects;
        self.cases[case].retain(|index| subjects[*index].stage < SubjectStage::Done);
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
        self.read > MOST_READ || self.subjects.iter().all(|subject| subject.stage == SubjectStage::Done)
    }
}
