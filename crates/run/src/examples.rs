// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the examples inside a spec: unit tests of properties.

use std::io::{self, Read};

use gnomon_core::event::{Event, OwnedFields, PROGRESS_MARKER};
use gnomon_core::symbols::{Key, Symbols};
use gnomon_core::time::{Clock, Duration, Quantity, TimeKind, Timestamp};
use gnomon_core::value::Value;
use gnomon_core::verdict::{End, Outcome, Verdict};
use gnomon_engine::plan;
use gnomon_ir::check::check;
use gnomon_ir::core::Core;
use gnomon_ir::spec::{Alternative, Example, ExampleArguments, ExampleEvent, ExampleTrace, Spec};

use crate::compile::{compile, with_events};
use crate::externs::{Externs, FieldsWithExterns, READ};
use crate::offline::{NamedInput, Options, Report, judge, literal_starts};

/// The result of one example.
#[derive(Debug)]
pub struct ExampleResult {
    /// The index in `spec.examples`.
    pub index: usize,
    /// The verdict that the spec expects.
    pub expected: Verdict,
    /// The report of the one property, or the reason why there is none.
    pub got: Result<Report, String>,
}

impl ExampleResult {
    /// Returns the outcome of the example's property.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.got.as_ref().ok().and_then(|report| report.outcomes.first())
    }

    /// Returns true if the verdict is the expected one.
    pub fn is_ok(&self) -> bool {
        self.outcome().is_some_and(|outcome| outcome.verdict == self.expected)
    }
}

/// Checks every example of a spec that compiles. `open` opens a file that an `expect` line names.
pub fn examples(
    source: &str,
    spec: &Spec,
    open: &mut dyn FnMut(&str) -> io::Result<Box<dyn Read + Send>>,
) -> Vec<ExampleResult> {
    let judge_one = |(index, example): (usize, &Example)| ExampleResult {
        index,
        expected: example.verdict,
        got: match &example.trace {
            ExampleTrace::Events(events) => judge_events(spec, &example.property, events),
            ExampleTrace::File(name) => judge_file(source, &example.property, name, open),
        },
    };
    spec.examples.iter().enumerate().map(judge_one).collect()
}

fn judge_file(
    source: &str,
    property: &str,
    name: &str,
    open: &mut dyn FnMut(&str) -> io::Result<Box<dyn Read + Send>>,
) -> Result<Report, String> {
    let bytes = open(name).map_err(|error| format!("cannot open `{name}`: {error}"))?;
    let (compiled, _) = compile(source, &[property.to_owned()]);
    let compiled = compiled.ok_or_else(|| "the spec has errors".to_owned())?;
    let input = NamedInput::stream(name.to_owned(), bytes);
    let mut literal = Vec::new();
    if !compiled.starts().is_empty() {
        let bytes = open(name).map_err(|error| format!("cannot open `{name}`: {error}"))?;
        literal = literal_starts(&compiled, NamedInput::stream(name.to_owned(), bytes), &Options::default());
    }
    let compiled = if literal.is_empty() { compiled } else { compiled.with_literal(&literal) };
    judge(&compiled, input, &Options::default(), &mut |_: u64, _: u64| {}).map_err(|error| error.to_string())
}

/// Checks a complete trace in the notation of examples. Fails with the reason if the property or the trace has errors.
pub fn judge_events(spec: &Spec, property: &str, events: &[ExampleEvent]) -> Result<Report, String> {
    let spec = with_declared_events(&with_literal_starts(spec, property, events));
    let property = spec.property(property).ok_or_else(|| format!("no property `{property}`"))?;
    let core = check(&spec, property).0.ok_or_else(|| "the property has errors".to_owned())?;
    let plan = plan(vec![core]);
    let clock = Clock::new(spec.time.unit);
    let mut symbols = plan.symbols().clone();
    // External variables have only the values that the example records, so that its verdict never depends on a server.
    let mut externs = Externs::new(&spec, &plan, None);
    externs.expect_records(&mut symbols);
    let mut monitor = plan.start(Options::default().max_violations);
    let (mut first, mut last) = (None, Timestamp::default());
    for (index, event) in events.iter().enumerate() {
        let time = time(clock, event.time, last)?;
        if index > 0 && time < last {
            return Err(format!("time goes back at `{}`", event.name));
        }
        last = time;
        first.get_or_insert(time);
        if event.name == PROGRESS_MARKER {
            monitor.advance(time);
            continue;
        }
        let name = symbols.name(&trace_name(&spec, event));
        let fields = fields(&spec, event, &mut symbols);
        if event.name == READ && externs.absorb(&fields, time) {
            continue;
        }
        let fields = FieldsWithExterns { fields: &fields, externs: &externs };
        monitor.step(&Event { name, index: index as u64, time, fields: &fields });
    }
    Ok(Report {
        source: "example".to_owned(),
        events: events.len() as u64,
        first_time: first,
        last_time: first.map(|_| last),
        clock,
        time_kind: TimeKind::Number,
        symbols,
        outcomes: monitor.finish(End::Complete),
        externs: externs.report(),
        ..Report::default()
    })
}

/// Reads a name such as `start_X` as an event if the example has an event of this name.
fn with_literal_starts(spec: &Spec, property: &str, events: &[ExampleEvent]) -> Spec {
    let core = spec.property(property).and_then(|property| check(spec, property).0);
    let Some(Core::Formula(formula)) = core else { return spec.clone() };
    let mut names = formula.starts;
    names.retain(|name| events.iter().any(|event| event.name == *name));
    with_events(spec, &names)
}

/// Adds to each declaration an alternative for the events of examples, which use the declared name.
fn with_declared_events(spec: &Spec) -> Spec {
    let mut spec = spec.clone();
    for declaration in &mut spec.events {
        let event = declared_name(&declaration.name, &declaration.alternatives);
        let span = declaration.name_span;
        declaration.alternatives.push(Alternative { event, condition: None, renames: vec![], span });
    }
    spec
}

/// Returns a name for a declared event of an example: its own, unless an alternative already uses this name for the trace.
fn declared_name(name: &str, alternatives: &[Alternative]) -> String {
    let is_used = |candidate: &str| alternatives.iter().any(|alternative| alternative.event == candidate);
    let mut candidate = name.to_owned();
    while is_used(&candidate) {
        candidate.push_str(" (declared)");
    }
    candidate
}

/// Returns the name under which an event of an example is checked. It is an event of the trace, not a declared one, if no
/// declaration has its name, or if it names a field that is not a declared parameter.
fn trace_name(spec: &Spec, event: &ExampleEvent) -> String {
    let Some(declaration) = spec.event(&event.name) else { return event.name.clone() };
    let parameters = declaration.parameters.as_deref().unwrap_or_default();
    let own = declaration.alternatives.iter().any(|alternative| alternative.event == event.name);
    match &event.arguments {
        ExampleArguments::Named(fields) if own && fields.iter().any(|(name, _)| !parameters.contains(name)) => {
            event.name.clone()
        }
        _ => match declaration.alternatives.split_last() {
            Some((declared, _)) => declared.event.clone(),
            None => event.name.clone(),
        },
    }
}

fn fields(spec: &Spec, event: &ExampleEvent, symbols: &mut Symbols) -> OwnedFields {
    let parameters = spec.event(&event.name).and_then(|declaration| declaration.parameters.as_deref());
    let mut entry = |name: &str, value: &Value<'static>| (symbols.key(name), value.clone());
    let entries = match (&event.arguments, parameters) {
        (ExampleArguments::Named(fields), _) => fields.iter().map(|(name, value)| entry(name, value)).collect(),
        (ExampleArguments::Positional(values), Some(names)) => {
            names.iter().zip(values).map(|(name, value)| entry(name, value)).collect()
        }
        (ExampleArguments::Positional(values), None) => {
            values.iter().map(|value| (Key::OTHER, value.clone())).collect()
        }
    };
    OwnedFields { entries }
}

fn time(clock: Clock, written: Option<Quantity>, last: Timestamp) -> Result<Timestamp, String> {
    let Some(quantity) = written else {
        return Ok(last + Duration::from_ticks(clock.ticks_per_unit()));
    };
    if quantity.unit.is_some() && clock.unit.is_none() {
        return Err(format!(
            "`@{quantity}` has a unit, but the trace's is unknown: declare it, for example `time in s`"
        ));
    }
    let duration = clock.duration(quantity);
    let duration = duration.ok_or_else(|| format!("`@{quantity}` is finer than a nanosecond"))?;
    Ok(Timestamp::from_ticks(duration.ticks()))
}
