// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks a part of a trace that was divided by a field, and joins the results of the parts.
//!
//! An engine such as Spark divides a trace by the values of a field: all events of one value are in one part. Each worker
//! checks its part with [`judge_part`]; the result is a [`PartReport`], which is small data that can be sent to the driver
//! of the job. [`PartReport::join`] makes the report of the whole trace from them.
//!
//! ```text
//! worker 1:  cases ann, bob  --judge_part-->  PartReport  \\
//! worker 2:  cases cid       --judge_part-->  PartReport   +--join-->  Report
//! worker 3:  (no events)     --judge_part-->  PartReport  /
//! ```
//!
//! The outcome of a case does not depend on other cases, so the joined report is that of checking the whole trace by the
//! field. Three things need care:
//!
//! - **Names.** Each worker numbers the names of events as it meets them. A `PartReport` carries its table of names, and
//!   joining renumbers the names in the violations.
//! - **Indices.** A worker does not know the events of the others. If the engine provides a column with the index of each
//!   event in the whole trace ([`PartKey::index`]), violations have that index. Otherwise indices count within a part, and the
//!   joined report orders violations by time.
//! - **Critical properties** stop nothing here, because workers do not know of one another.

use std::fmt;
use std::sync::Arc;

use gnomon_core::event::Event;
use gnomon_core::number::Number;
use gnomon_core::symbols::{Key as FieldKey, Name, Symbols};
use gnomon_core::time::{Clock, TimeKind, Timestamp};
use gnomon_core::value::Value;
use gnomon_core::verdict::{DecisionPoint, End, Origin, Outcome, Violation};
use gnomon_engine::Monitor;
use gnomon_trace::{AnyReader, CaseReader, Reader, SkippedEvents, open_input};
use serde::{Deserialize, Serialize};

use super::bounds::ResolvedBounds;
use super::outcome_sum::{CaseSummary, OutcomeSum};
use super::{
    CaseOutcomes, DivideBy, EventSource, EventStream, Listener, NamedInput, Options, Report, TraceContext, Visitor,
    order, setup,
};
use crate::compile::CompiledSpec;
use crate::driver::{CheckJob, Driver, TraceExtent};
use crate::error::Error;
use crate::expectations::{ExpectationFindings, Expectations};
use crate::externs::Externs;

/// The division of a trace into parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartKey {
    /// The field whose values are the cases.
    pub field: String,
    /// The field with the index of an event in the whole trace, if there is one.
    pub index: Option<String>,
    /// Number of violations of each property that the part keeps for the report; the listener receives
    /// [`Options::max_violations`] in each case.
    pub kept: usize,
}

/// Checks the cases of a part. Events must come case by case, each case in order of time. The listener receives each case.
///
/// Progress markers need no case. A marker applies to the cases that end after it in the part, so the markers of the whole
/// trace, or the last of them, must be at the front of each part.
pub fn judge_part(
    compiled: &CompiledSpec,
    input: NamedInput,
    key: &PartKey,
    options: &Options,
    listener: &mut dyn Listener,
) -> Result<PartReport, Error> {
    let options = &Options { by: DivideBy::Field(key.field.clone()), ..options.clone() };
    let mut setup = setup(compiled, options);
    let index = key.index.as_ref().map(|index| setup.symbols.key(index));
    if let Some(index) = index {
        setup.projection.add_everywhere(index);
    }
    let NamedInput { name, content } = input;
    let cases = PartVisitor {
        compiled,
        options,
        index,
        sum: OutcomeSum::new(compiled.properties.len(), key.kept).by_time(),
        present: None,
        monitor: compiled.plan.start(options.max_violations),
        bounds: ResolvedBounds::new(options.bounds.as_ref(), &setup.symbols),
        listener,
    };
    let job = CheckJob { compiled, name: &name, options };
    match open_input(content, &name, options.format, setup)? {
        // The usual case gets a loop of its own.
        AnyReader::Arrow(reader) => judge_cases(job, reader, key, cases),
        reader => judge_cases(job, reader, key, cases),
    }
}

fn judge_cases<R: Reader>(
    job: CheckJob<'_>,
    reader: R,
    key: &PartKey,
    mut cases: PartVisitor<'_>,
) -> Result<PartReport, Error> {
    let CheckJob { compiled, options, .. } = job;
    let keyed = CaseReader::new(reader, &key.field);
    let externs = Externs::new(&compiled.spec, &compiled.plan, None);
    let mut stream = EventStream::new(keyed, order(compiled, options)?, false, externs, None);
    let mut driver = Driver::of(job);
    let _ = driver.run(&mut stream, &mut cases)?;
    cases.end_case(cases.bounds.until(), stream.context());
    let (outcomes, cases) = cases.sum.finish(Some(&key.field), stream.reader().excluded_count());
    let part = PartReport::new(compiled, &driver.extent, outcomes, &cases, stream.context());
    let SkippedEvents { unnamed, untimed } = stream.skipped();
    Ok(PartReport { skipped: (unnamed, untimed), ..part })
}

/// Checks the cases of a part one after the other.
struct PartVisitor<'a> {
    compiled: &'a CompiledSpec,
    options: &'a Options,
    /// The field with the index of an event in the whole trace.
    index: Option<FieldKey>,
    sum: OutcomeSum,
    present: Option<CurrentCase>,
    /// The monitor of the current case; it restarts for each case.
    monitor: Monitor,
    /// First and last event of the whole trace. Progress markers apply to every case that ends after them in the part.
    bounds: ResolvedBounds,
    listener: &'a mut dyn Listener,
}

/// The current case.
struct CurrentCase {
    number: u64,
    label: Arc<str>,
    events: u64,
    /// Index and time of its last event.
    last: (u64, Timestamp),
    /// True if the last event ends the case.
    is_over: bool,
}

impl PartVisitor<'_> {
    /// Returns the time at which the current case expired before `now`.
    fn expired(&self, now: Option<Timestamp>) -> Option<Timestamp> {
        let expiry = self.present.as_ref()?.last.1.saturating_add(self.compiled.case_expiry?);
        now.filter(|now| *now > expiry).map(|_| expiry)
    }

    /// Ends the current case. `now`: the time that the trace has reached.
    fn end_case(&mut self, now: Option<Timestamp>, context: TraceContext<'_>) {
        let expired = self.expired(now);
        let Some(CurrentCase { label, events, last, is_over, .. }) = self.present.take() else { return };
        let end = if is_over {
            End::Complete
        } else if let Some(expired) = expired {
            self.monitor.advance(expired);
            End::Complete
        } else {
            self.bounds.end(&mut self.monitor, last.0, last.1);
            self.options.end
        };
        let outcomes = self.monitor.finish_and_restart(end, self.options.max_violations);
        self.listener.case(&CaseOutcomes { label: &label, events, outcomes: &outcomes, context });
        self.sum.add(&label, outcomes);
    }
}

impl Visitor for PartVisitor<'_> {
    #[inline]
    fn event<S: EventSource>(&mut self, event: &Event<'_>, source: &S) -> Result<bool, Error> {
        let index = match self.index.and_then(|index| event.fields.get(index)) {
            Some(Value::Number(Number::Int(index))) => u64::try_from(index).unwrap_or(event.index),
            _ => event.index,
        };
        let (number, name) = source.case();
        let is_same = self.present.as_ref().is_some_and(|present| present.number == number);
        let now = if is_same { Some(event.time) } else { self.bounds.until() };
        if !is_same || self.present.as_ref().is_some_and(|present| present.is_over) || self.expired(now).is_some() {
            self.end_case(now, source.context());
            let label = name.unwrap_or_default().into();
            self.present = Some(CurrentCase { number, label, events: 0, last: (index, event.time), is_over: false });
            self.bounds.begin(&mut self.monitor, index, event.time);
        }
        // No advance is needed before the event: it decides deadlines in the same way.
        self.monitor.step(&Event { index, ..*event });
        if let Some(present) = &mut self.present {
            present.events += 1;
            present.last = (index, event.time);
            present.is_over = self.compiled.plan.ends_case(event);
        }
        Ok(true)
    }

    fn progress<S: EventSource>(&mut self, to: Timestamp, _: &S) -> Result<(), Error> {
        self.bounds.progress(to);
        Ok(())
    }

    fn report_progress(&mut self, bytes: u64, events: u64) {
        self.listener.progress(bytes, events);
    }
}

/// The result of checking a part, without the outcome of each case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PartReport {
    version: u16,
    meanings: Vec<u64>,
    field: String,
    events: u64,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    time_kind: TimeKind,
    /// Names of events, by the numbers that violations use.
    names: Vec<String>,
    findings: ExpectationFindings,
    /// Numbers of events without a name and without a time.
    skipped: (u64, u64),
    cases: u64,
    violating: u64,
    without: u64,
    properties: Vec<PartProperty>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct PartProperty {
    outcome: Outcome,
    violating: u64,
    /// The case of each violation.
    labels: Vec<String>,
}

const VERSION: u16 = 4;

/// A reason why parts cannot be joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JoinError {
    /// A part cannot be decoded.
    Damaged,
    /// A part was checked against other properties.
    OtherProperties,
    /// A part was divided by another field.
    OtherField,
    /// Times are numbers in one part and date-times in another.
    OtherTimes,
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            JoinError::Damaged => "a part cannot be read: it is damaged, or of another version of gnomon",
            JoinError::OtherProperties => "a part was checked with other properties",
            JoinError::OtherField => "the parts were divided by different fields",
            JoinError::OtherTimes => "the times of one part are numbers, those of another date-times",
        })
    }
}

impl std::error::Error for JoinError {}

impl PartReport {
    fn new(
        compiled: &CompiledSpec,
        extent: &TraceExtent,
        outcomes: Vec<Outcome>,
        cases: &CaseSummary,
        context: TraceContext<'_>,
    ) -> PartReport {
        let TraceContext { symbols, time_kind } = context;
        let labels = |index: usize| cases.labels[index].iter().map(ToString::to_string).collect();
        let property =
            |(index, outcome)| PartProperty { outcome, violating: cases.violating_each[index], labels: labels(index) };
        PartReport {
            version: VERSION,
            meanings: meanings(compiled),
            field: cases.field.clone().unwrap_or_default(),
            events: extent.events,
            first: extent.first,
            last: extent.last,
            time_kind,
            names: (0..symbols.name_count() as u32).map(|name| symbols.name_text(Name(name)).to_owned()).collect(),
            findings: extent.expectations.findings(),
            skipped: (0, 0),
            cases: cases.total,
            violating: cases.violating,
            without: cases.without,
            properties: outcomes.into_iter().enumerate().map(property).collect(),
        }
    }

    /// Encodes the part.
    pub fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("it has only types that postcard writes, into memory")
    }

    /// Decodes a saved part.
    pub fn restore(bytes: &[u8]) -> Result<PartReport, JoinError> {
        let part: PartReport = postcard::from_bytes(bytes).map_err(|_| JoinError::Damaged)?;
        let fits = |property: &PartProperty| property.labels.len() == property.outcome.violations.len();
        let whole = part.version == VERSION && part.properties.iter().all(fits);
        if whole { Ok(part) } else { Err(JoinError::Damaged) }
    }

    /// Joins the parts to the report of the whole trace, called `name`.
    pub fn join(
        compiled: &CompiledSpec,
        parts: Vec<PartReport>,
        name: &str,
        max_violations: usize,
    ) -> Result<Report, JoinError> {
        let mut symbols = compiled.plan.symbols().clone();
        let mut sum = OutcomeSum::new(compiled.properties.len(), max_violations).by_time();
        let (mut events, mut without, mut first, mut last) = (0, 0, None::<Timestamp>, None::<Timestamp>);
        let (mut field, mut kind, mut skipped) = (None::<String>, None, SkippedEvents::default());
        let mut expectations = Expectations::new(compiled);
        for part in parts {
            if part.meanings != meanings(compiled) || part.properties.len() != compiled.properties.len() {
                return Err(JoinError::OtherProperties);
            }
            if *field.get_or_insert_with(|| part.field.clone()) != part.field {
                return Err(JoinError::OtherField);
            }
            if part.events > 0 && *kind.get_or_insert(part.time_kind) != part.time_kind {
                return Err(JoinError::OtherTimes);
            }
            events += part.events;
            without += part.without;
            first = earliest(first, part.first);
            last = last.max(part.last);
            skipped.unnamed += part.skipped.0;
            skipped.untimed += part.skipped.1;
            if !expectations.join(part.findings.clone()) {
                return Err(JoinError::Damaged);
            }
            part.join_into(&mut sum, &mut symbols)?;
        }
        let (outcomes, cases) = sum.finish(field.as_deref(), without);
        Ok(Report {
            source: name.to_owned(),
            events,
            first_time: first,
            last_time: last,
            clock: Clock::new(compiled.spec.time.unit),
            time_kind: kind.unwrap_or_default(),
            symbols,
            outcomes,
            unseen: expectations.unseen(compiled),
            unmet: expectations.unmet(compiled),
            empty_ranges: expectations.empty_ranges(compiled),
            skipped,
            cases: Some(cases),
            ..Report::default()
        })
    }

    fn join_into(self, sum: &mut OutcomeSum, symbols: &mut Symbols) -> Result<(), JoinError> {
        let names: Vec<Name> = self.names.iter().map(|name| symbols.name(name)).collect();
        let mut cases = CaseSummary { total: self.cases, violating: self.violating, ..CaseSummary::default() };
        let mut outcomes = Vec::new();
        for PartProperty { mut outcome, violating, labels } in self.properties {
            for violation in &mut outcome.violations {
                rename(violation, &names).ok_or(JoinError::Damaged)?;
            }
            cases.violating_each.push(violating);
            cases.labels.push(labels.into_iter().map(Into::into).collect());
            outcomes.push(outcome);
        }
        sum.join(outcomes, &cases);
        Ok(())
    }
}

fn meanings(compiled: &CompiledSpec) -> Vec<u64> {
    (0..compiled.properties.len()).map(|property| compiled.plan.fingerprint(property)).collect()
}

fn earliest(left: Option<Timestamp>, right: Option<Timestamp>) -> Option<Timestamp> {
    [left, right].into_iter().flatten().min()
}

/// Renumbers the names in a violation. Returns `None` if one is out of range.
fn rename(violation: &mut Violation, names: &[Name]) -> Option<()> {
    let anew = |origin: &mut Origin| {
        origin.event = *names.get(origin.event.0 as usize)?;
        Some(())
    };
    anew(&mut violation.at.origin)?;
    if let DecisionPoint::Event(origin) = &mut violation.decided {
        anew(origin)?;
    }
    violation.because.iter_mut().try_for_each(|because| anew(&mut because.origin))
}
