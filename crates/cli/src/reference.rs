// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon check --reference`: loads the whole trace into memory and evaluates it with the reference semantics.
//!
//! It shares the readers with an ordinary check, but no evaluation.

use std::sync::Arc;

use gnomon::compile::CompiledSpec;
use gnomon::event::{Event, Fields};
use gnomon::offline::{
    CaseEnd, CaseId, CaseSummary, Division, Driver, EventSource, Listener, NamedInput, Options, OutcomeSum, Report,
    ReportedViolation, TraceContext, Visitor, open_stream, oracle_event,
};
use gnomon::run::Error;
use gnomon::symbols::{Key, Symbols};
use gnomon::time::Timestamp;
use gnomon::value::Value;
use gnomon::verdict::{DecisionPoint, Origin, Outcome};
use gnomon_oracle::{OracleEvent, Trace, judge_at};

/// Checks one trace with the oracle.
pub(crate) fn judge(
    compiled: &CompiledSpec,
    input: NamedInput,
    options: &Options,
    listener: &mut dyn Listener,
) -> Result<Report, Error> {
    let name = input.name.clone();
    let (mut stream, has_cases) = open_stream(compiled, input, options)?;
    let externs = compiled.spec.externs.iter().filter_map(|external| {
        let field = external.field();
        compiled.plan.symbols().find_key(&field).map(|key| (field, key))
    });
    let division = Division::new(compiled, stream.context().symbols, has_cases, options);
    let mut collector = Collector { compiled, externs: externs.collect(), division, cases: Vec::new(), listener };
    let mut driver = Driver::new(compiled, &name, options);
    let _ = driver.run(&mut stream, &mut collector)?;
    let Collector { division, mut cases, listener, .. } = collector;
    let context = stream.context();
    let judge = |case: CollectedCase| case.judge(compiled, options, context.symbols);
    let (outcomes, cases) = if division.is_divided() {
        let mut sum = OutcomeSum::new(compiled.plan.cores().len(), options.max_violations);
        let empty = stream.empty_cases().iter().filter(|_| division.is_sequential());
        cases.extend(empty.map(|label| CollectedCase { label: label.as_str().into(), ..CollectedCase::default() }));
        for (number, mut case) in cases.into_iter().enumerate() {
            case.end = division.end(number).filter(|_| !division.is_sequential());
            sum.add(&case.label.clone(), judge(case));
        }
        let (outcomes, cases) = sum.finish(division.field(), division.without());
        (outcomes, Some(cases))
    } else {
        (judge(cases.pop().unwrap_or_default()), None)
    };
    report_violations(&outcomes, cases.as_ref(), context, options, listener);
    Ok(Report { cases, ..driver.report(&stream, outcomes) })
}

/// Collects a trace, or its cases, in memory.
struct Collector<'a> {
    compiled: &'a CompiledSpec,
    /// The external variables that properties use, with the keys of their values in events.
    externs: Vec<(String, Key)>,
    division: Division,
    cases: Vec<CollectedCase>,
    listener: &'a mut dyn Listener,
}

impl Visitor for Collector<'_> {
    fn event<S: EventSource>(&mut self, event: &Event<'_>, source: &S) -> Result<bool, Error> {
        let (number, name) = source.case();
        let case = match self.division.case(event, number, name).case {
            CaseId::None => return Ok(false),
            CaseId::Known(number) => number,
            CaseId::New(label) => {
                self.cases.push(CollectedCase { label, ..CollectedCase::default() });
                self.cases.len() - 1
            }
        };
        let case = &mut self.cases[case];
        let want = self.compiled.plan.projection().selection(event.name);
        case.events.push(oracle_event(event, want, source.context().symbols));
        case.file_indices.push(event.index);
        for (name, key) in &self.externs {
            case.assign(name, event.fields.get(*key));
        }
        Ok(true)
    }

    fn progress<S: EventSource>(&mut self, to: Timestamp, _: &S) -> Result<(), Error> {
        // If cases come one after the other, time passes only in the current one.
        self.division.progress(to);
        let first = if self.division.is_sequential() { self.cases.len().saturating_sub(1) } else { 0 };
        self.cases[first..].iter_mut().for_each(|case| case.now = Some(to));
        Ok(())
    }

    fn case_marker<S: EventSource>(&mut self, fields: &dyn Fields, time: Timestamp, _: &S) -> Result<(), Error> {
        self.division.marker(fields, time);
        Ok(())
    }

    fn report_progress(&mut self, bytes: u64, events: u64) {
        self.listener.progress(bytes, events);
    }
}

/// A whole trace, or one case of it.
#[derive(Default)]
struct CollectedCase {
    label: Arc<str>,
    events: Vec<OracleEvent>,
    /// The indices of its events in the file.
    file_indices: Vec<u64>,
    /// Changes of external variables: index of the event, variable, new value.
    assigned: Vec<(usize, String, Value<'static>)>,
    /// The time of the last progress marker.
    now: Option<Timestamp>,
    /// The end of the case, if it is before the end of the trace.
    end: Option<CaseEnd>,
}

impl CollectedCase {
    /// Sets the value of an external variable at the latest event.
    fn assign(&mut self, variable: &str, value: Option<Value<'_>>) {
        let known = self.assigned.iter().rev().find(|(_, name, _)| name == variable).map(|(.., value)| value);
        if let Some(value) = value.filter(|value| known != Some(value)) {
            self.assigned.push((self.events.len() - 1, variable.to_owned(), value.into_owned()));
        }
    }

    /// Evaluates each property.
    fn judge(self, compiled: &CompiledSpec, options: &Options, symbols: &Symbols) -> Vec<Outcome> {
        let CaseEnd { end, until } = self.end.unwrap_or(CaseEnd { end: options.end, until: self.now });
        let now = until.filter(|now| self.events.last().is_some_and(|last| last.time < *now));
        let mut trace = Trace::with_symbols(self.events, symbols.clone());
        for (from, variable, value) in self.assigned {
            trace.assign(from, &variable, value);
        }
        let cores = compiled.plan.cores().iter();
        let judged = cores.map(|core| judge_at(core, &trace, end, now, options.max_violations));
        judged.map(|outcome| in_file_order(outcome, &self.file_indices)).collect()
    }
}

/// Reports all violations at the end, because the oracle evaluates complete traces only.
fn report_violations(
    outcomes: &[Outcome],
    cases: Option<&CaseSummary>,
    context: TraceContext<'_>,
    options: &Options,
    listener: &mut dyn Listener,
) {
    for (property, outcome) in outcomes.iter().enumerate().filter(|_| options.report_violations) {
        for (number, violation) in outcome.violations.iter().enumerate() {
            let case = cases.and_then(|cases| cases.label(property, number));
            listener.violation(&ReportedViolation { property, violation, case, context });
        }
    }
}

/// Converts event indices from the order of time, which the oracle uses, to the order of the file.
fn in_file_order(mut outcome: Outcome, file_indices: &[u64]) -> Outcome {
    let convert = |origin: &mut Origin| origin.event_index = file_indices[origin.event_index as usize];
    for violation in &mut outcome.violations {
        convert(&mut violation.at.origin);
        if let DecisionPoint::Event(origin) = &mut violation.decided {
            convert(origin);
        }
        violation.because.iter_mut().for_each(|because| convert(&mut because.origin));
    }
    outcome
}
