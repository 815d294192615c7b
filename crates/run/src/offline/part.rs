// SPDX-License-Identifier: MIT OR Apache-2.0
//! A part of a trace that someone has divided by a field: the cases in it, one after the other, and the sum of the parts.
//!
//! What is found in a case is the same as when the whole trace is judged by that field, so the parts together say what the whole
//! would. A [`Part`] is data and small: it can travel to whoever joins the parts. Properties that are critical stop nothing here:
//! the parts do not know of one another.

use std::fmt;
use std::sync::Arc;

use gnomon_core::event::Event;
use gnomon_core::symbols::{Name, Symbols};
use gnomon_core::time::{Clock, TimeKind, Timestamp};
use gnomon_core::verdict::{Decided, Origin, Outcome, Violation};
use gnomon_engine::Monitor;
use gnomon_trace::{AnyReader, Keyed, Ordered, Reader, open_content};
use serde::{Deserialize, Serialize};

use super::frame::Bounds;
use super::sum::{Cases, Sum};
use super::{
    By, Extent, Input, JudgedCase, Legend, Listener, Options, PROGRESS_EVERY, Report, order, setup, units_are_known,
};
use crate::compile::Compiled;
use crate::error::Error;

/// How a trace was divided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    /// The field by which.
    pub field: String,
    /// The field that has an event's place in the whole trace, if one has.
    pub index: Option<String>,
    /// How many violations of each property the part keeps for the report; the listener hears of [`Options::max_violations`] in
    /// each case.
    pub kept: usize,
}

/// Judges the cases of a part whose events come case by case, each case in the order of time. The
/// listener hears of each case.
pub fn judge_part(
    compiled: &Compiled,
    input: Input,
    key: &Key,
    options: &Options,
    listener: &mut dyn Listener,
) -> Result<Part, Error> {
    let options = Options { by: By::Field(key.field.clone()), ..options.clone() };
    let mut setup = setup(compiled, &options);
    if let Some(index) = &key.index {
        let index = setup.symbols.key(index);
        setup.projection.add_everywhere(index);
    }
    match open_content(input.content, &input.name, options.format, setup)? {
        // The usual way, whose loop is compiled for itself.
        AnyReader::Arrow(reader) => judge_cases(compiled, reader, key, &options, listener),
        reader => judge_cases(compiled, reader, key, &options, listener),
    }
}

fn judge_cases<R: Reader>(
    compiled: &Compiled,
    reader: R,
    key: &Key,
    options: &Options,
    listener: &mut dyn Listener,
) -> Result<Part, Error> {
    let keyed = Keyed::new(reader, &key.field, key.index.as_deref());
    let keyed = if options.frame.is_some() { keyed.with_null() } else { keyed };
    let mut reader = Ordered::new(keyed, order(compiled, options)?);
    let mut run = Run {
        options,
        extent: Extent::new(compiled),
        sum: Sum::new(compiled.properties.len(), key.kept).by_time(),
        present: None,
        monitor: compiled.plan.start(options.max_violations),
        bounds: Bounds::new(options.frame.as_ref(), reader.symbols()),
        listener,
    };
    while let Some(origin) = reader.advance()? {
        if run.extent.events == 0 {
            units_are_known(compiled, reader.time_kind(), options.reorder)?;
        }
        let number = reader.case_number();
        if run.present.as_ref().is_none_or(|present| present.number != number) {
            let legend = Legend { symbols: reader.symbols(), time_kind: reader.time_kind() };
            run.end_case(legend);
            run.begin_case(number, reader.case().unwrap_or_default(), &origin);
        }
        run.step(&Event { name: origin.event, index: origin.event_index, time: origin.time, fields: reader.fields() });
        let events = run.extent.events;
        if events % PROGRESS_EVERY == 1 {
            run.listener.progress(reader.bytes_read(), events);
        }
    }
    run.end_case(Legend { symbols: reader.symbols(), time_kind: reader.time_kind() });
    let Run { extent, sum, .. } = run;
    let (outcomes, cases) = sum.finish(Some(&key.field), reader.inner().without());
    Ok(Part::new(compiled, &extent, outcomes, &cases, reader.symbols(), reader.time_kind()))
}

struct Run<'a> {
    options: &'a Options,
    extent: Extent,
    sum: Sum,
    present: Option<Present>,
    /// Judges one case after the other, and is as if it were new between them.
    monitor: Monitor,
    /// Where the whole trace begins and ends, as far as cases are to be told.
    bounds: Bounds,
    listener: &'a mut dyn Listener,
}

/// The case whose events are coming.
struct Present {
    number: u64,
    label: Arc<str>,
    events: u64,
    /// The number and the time of its last event.
    last: (u64, Timestamp),
}

impl Run<'_> {
    fn begin_case(&mut self, number: u64, label: &str, first: &Origin) {
        self.bounds.begin(&mut self.monitor, first.event_index, first.time);
        let last = (first.event_index, first.time);
        self.present = Some(Present { number, label: label.into(), events: 0, last });
        // The cases lie one behind the other, and their times do not.
        self.extent.first = earliest(self.extent.first, Some(first.time));
    }

    #[inline]
    fn step(&mut self, event: &Event<'_>) {
        self.extent.events += 1;
        self.extent.seen.add(event.name);
        if let Some(present) = &mut self.present {
            // Time need not be told before: what an event decides is the same.
            self.monitor.step(event);
            present.events += 1;
            present.last = (event.index, event.time);
        }
    }

    fn end_case(&mut self, legend: Legend<'_>) {
        let Some(Present { label, events, last, .. }) = self.present.take() else { return };
        self.extent.last = self.extent.last.max(Some(last.1));
        self.bounds.end(&mut self.monitor, last.0, last.1);
        let outcomes = self.monitor.finish_and_restart(self.options.end, self.options.max_violations);
        self.listener.case(&JudgedCase { label: &label, events, outcomes: &outcomes, legend });
        self.sum.add(&label, outcomes);
    }
}

/// What was found in a part, without what was found in each of its cases.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Part {
    version: u16,
    meanings: Vec<u64>,
    field: String,
    events: u64,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    time_kind: TimeKind,
    /// The names of events, by the numbers that violations have them.
    names: Vec<String>,
    unseen: Vec<String>,
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

const VERSION: u16 = 1;

/// Why parts cannot be joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JoinError {
    /// One cannot be read.
    Damaged,
    /// One is of another spec.
    OtherProperties,
    /// One was divided by another field.
    OtherField,
    /// Times are numbers in one and date-times in another.
    OtherTimes,
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            JoinError::Damaged => "a part cannot be read: it is damaged, or of another version of gnomon",
            JoinError::OtherProperties => "a part was judged by other properties",
            JoinError::OtherField => "the parts were divided by different fields",
            JoinError::OtherTimes => "the times of one part are numbers, those of another date-times",
        })
    }
}

impl std::error::Error for JoinError {}

impl Part {
    fn new(
        compiled: &Compiled,
        extent: &Extent,
        outcomes: Vec<Outcome>,
        cases: &Cases,
        symbols: &Symbols,
        time_kind: TimeKind,
    ) -> Part {
        let labels = |index: usize| cases.labels[index].iter().map(ToString::to_string).collect();
        let property =
            |(index, outcome)| PartProperty { outcome, violating: cases.violating_each[index], labels: labels(index) };
        Part {
            version: VERSION,
            meanings: meanings(compiled),
            field: cases.field.clone().unwrap_or_default(),
            events: extent.events,
            first: extent.first,
            last: extent.last,
            time_kind,
            names: (0..symbols.name_count() as u32).map(|name| symbols.name_text(Name(name)).to_owned()).collect(),
            unseen: extent.seen.missing(compiled),
            cases: cases.total,
            violating: cases.violating,
            without: cases.without,
            properties: outcomes.into_iter().enumerate().map(property).collect(),
        }
    }

    /// The part as data.
    pub fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("it has only types that postcard writes, into memory")
    }

    /// A part as it was saved.
    pub fn restore(bytes: &[u8]) -> Result<Part, JoinError> {
        let part: Part = postcard::from_bytes(bytes).map_err(|_| JoinError::Damaged)?;
        let fits = |property: &PartProperty| property.labels.len() == property.outcome.violations.len();
        let whole = part.version == VERSION && part.properties.iter().all(fits);
        if whole { Ok(part) } else { Err(JoinError::Damaged) }
    }

    /// What the whole trace, called `name`, says: the report of judging it by the field.
    pub fn join(compiled: &Compiled, parts: Vec<Part>, name: &str, max_violations: usize) -> Result<Report, JoinError> {
        let mut symbols = compiled.plan.symbols().clone();
        let mut sum = Sum::new(compiled.properties.len(), max_violations).by_time();
        let (mut events, mut without, mut first, mut last) = (0, 0, None::<Timestamp>, None::<Timestamp>);
        let (mut field, mut kind, mut unseen) = (None::<String>, None, None::<Vec<String>>);
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
            match &mut unseen {
                None => unseen = Some(part.unseen.clone()),
                Some(unseen) => unseen.retain(|name| part.unseen.contains(name)),
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
            late: gnomon_trace::Late::default(),
            unseen: unseen.unwrap_or_default(),
            unmatched: gnomon_trace::Unmatched::default(),
            stopped: None,
            cases: Some(cases),
            freer: vec![],
            externs: vec![],
        })
    }

    fn join_into(self, sum: &mut Sum, symbols: &mut Symbols) -> Result<(), JoinError> {
        let names: Vec<Name> = self.names.iter().map(|name| symbols.name(name)).collect();
        let mut cases = Cases { total: self.cases, violating: self.violating, ..Cases::default() };
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

fn meanings(compiled: &Compiled) -> Vec<u64> {
    (0..compiled.properties.len()).map(|property| compiled.plan.meaning(property)).collect()
}

fn earliest(left: Option<Timestamp>, right: Option<Timestamp>) -> Option<Timestamp> {
    [left, right].into_iter().flatten().min()
}

/// Numbers the names in a violation anew.
fn rename(violation: &mut Violation, names: &[Name]) -> Option<()> {
    let anew = |origin: &mut Origin| {
        origin.event = *names.get(origin.event.0 as usize)?;
        Some(())
    };
    anew(&mut violation.at.origin)?;
    if let Decided::Event(origin) = &mut violation.decided {
        anew(origin)?;
    }
    violation.because.iter_mut().try_for_each(|because| anew(&mut because.origin))
}
