// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the events that violations cite in the input.
//!
//! A violation names events by their index. Lines are not kept while a trace is checked: that would cost memory for each binding.
//! Instead the few events of the listed violations are looked for afterwards. The input is read again, in the order of the file,
//! from one cited event to the next; a reader that can do so continues at the last checkpoint before an event. An input that
//! cannot be read again has lines where the checkpoints determine them ([`Checkpoints::line_of`](gnomon_trace::Checkpoints::line_of)).

use std::collections::BTreeMap;

use gnomon_core::event::{CASE_MARKER, FieldSelection, PROGRESS_MARKER, Projection};
use gnomon_core::verdict::{DecisionPoint, Origin, Violation};
use gnomon_trace::{AnyReader, Reader, open_input};

use super::reopenable::quiet;
use super::{DivideBy, NamedInput, Options, Report, setup};
use crate::compile::CompiledSpec;
use crate::error::Error;
use crate::externs::{Externs, READ};

/// Longer texts of events are cut.
const LONGEST_TEXT: usize = 4096;

/// The place of an event in its input.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EventLocation {
    /// The line on which it begins, from 1; the row in formats without lines.
    pub line: u64,
    /// The number of bytes before it in the decompressed input, in formats that are text.
    pub offset: Option<u64>,
    /// Its text in the input, if [`Options::keep_raw`] asks for it.
    pub raw: Option<String>,
    /// Its fields without name and time, as `key=value`, first those that the properties use. With [`Options::keep_raw`] its text.
    pub description: String,
}

/// Places of the events that violations cite.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EventLocations {
    by_index: BTreeMap<u64, EventLocation>,
    /// True if [`EventLocation::line`] counts rows.
    pub are_rows: bool,
}

impl EventLocations {
    /// Creates an empty list. `are_rows`: lines are rows of a table.
    pub(crate) fn new(are_rows: bool) -> Self {
        EventLocations { are_rows, ..EventLocations::default() }
    }

    /// Returns the place of an event, if it is known.
    pub fn get(&self, event_index: u64) -> Option<&EventLocation> {
        self.by_index.get(&event_index)
    }
}

/// Lists the events that a violation cites.
fn cited(violation: &Violation) -> impl Iterator<Item = Origin> {
    let decided = match violation.decided {
        DecisionPoint::Event(origin) => Some(origin),
        DecisionPoint::Deadline(_) | DecisionPoint::End(_) => None,
    };
    [violation.at.origin].into_iter().chain(decided).chain(violation.because.iter().map(|cause| cause.origin))
}

/// Finds the events that the first violations of each property cite. What cannot be found has no place.
pub(super) fn locate(compiled: &CompiledSpec, again: Option<NamedInput>, options: &Options, report: &mut Report) {
    let listed = report.outcomes.iter().flat_map(|outcome| outcome.violations.iter().take(options.located_violations));
    let parts = report.parts.values().flatten().flat_map(|part| part.true_at.iter().copied());
    let origins: BTreeMap<u64, Origin> =
        listed.flat_map(cited).chain(parts).map(|origin| (origin.event_index, origin)).collect();
    // The first and the last event of a longer trace have the indices of that one.
    if origins.is_empty() || options.bounds.is_some() {
        return;
    }
    let Some(again) = again else {
        let line = |index: &u64| {
            let line = report.checkpoints.line_of(*index)?;
            Some((*index, EventLocation { line, ..EventLocation::default() }))
        };
        report.locations.by_index = origins.keys().filter_map(line).collect();
        return;
    };
    // An event may have fields that cannot be read and that no property wants.
    let second = again.again();
    let found = read(compiled, again, options, report, &origins, true);
    let found = found.or_else(|error| match second {
        Some(second) => read(compiled, second, options, report, &origins, false),
        None => Err(error),
    });
    report.locations = found.unwrap_or_default();
}

/// Reads the input again up to the last of the events. Fails if it is not what it was.
fn read(
    compiled: &CompiledSpec,
    input: NamedInput,
    options: &Options,
    report: &Report,
    origins: &BTreeMap<u64, Origin>,
    with_fields: bool,
) -> Result<EventLocations, Error> {
    let options = quiet(options);
    let mut setup = setup(compiled, &options);
    let mut externs = Externs::new(&compiled.spec, &compiled.plan, None);
    let mut projection = Projection::default();
    if !externs.is_empty() {
        externs.expect_records(&mut setup.symbols);
        let read = setup.symbols.name(READ);
        externs.record_keys().into_iter().for_each(|key| projection.add_field(read, key));
    }
    for origin in origins.values().filter(|_| with_fields) {
        projection.add_all(setup.symbols.name(report.symbols.name_text(origin.event)));
    }
    setup.projection = projection;
    let markers = [PROGRESS_MARKER, CASE_MARKER].map(|name| setup.symbols.name(name));
    let reads = setup.symbols.find_name(READ).filter(|_| !externs.is_empty());
    let reader = open_input(input.content, &input.name, options.format, setup)?;
    let mut reader = if options.by == DivideBy::Format { reader.by_case().0 } else { reader };
    let mut locations = EventLocations::new(reader.counts_rows());
    let mut wanted = origins.values().peekable();
    let (mut not_events, mut rows) = (0, 0);
    while let Some(&&next) = wanted.peek() {
        // A reader that has read an event knows its header and the notation of times.
        if rows > 0
            && let Some(checkpoint) = report.checkpoints.before(next.event_index).filter(|found| found.index > rows)
        {
            // A reader of another format reads on event by event.
            let _ = reader.skip_to(checkpoint)?;
        }
        let Some(row) = reader.advance()? else { break };
        rows = row.event_index + 1;
        if markers.contains(&row.event) || Some(row.event) == reads && externs.absorb(reader.fields(), row.time) {
            not_events += 1;
            continue;
        }
        if row.event_index - not_events == next.event_index {
            wanted.next();
            let name = reader.symbols().name_text(row.event);
            if name == report.symbols.name_text(next.event) {
                let used = compiled.plan.projection().selection(next.event);
                let is_used = |key: &str| match used {
                    FieldSelection::Fields(keys) => {
                        keys.iter().any(|used| compiled.plan.symbols().key_text(*used) == key)
                    }
                    FieldSelection::Nothing | FieldSelection::All => false,
                };
                locations.by_index.insert(next.event_index, describe(&reader, options.keep_raw, is_used));
            }
        }
    }
    Ok(locations)
}

/// Returns the place of the current event. `is_used` returns true for the fields that the properties use.
fn describe(reader: &AnyReader<'_>, keep_raw: bool, is_used: impl Fn(&str) -> bool) -> EventLocation {
    let (offset, text) = reader.raw().map(|(offset, bytes)| (offset, cut(bytes))).unzip();
    let description = match &text {
        Some(text) if keep_raw => text.clone(),
        _ => {
            let mut fields = reader.entries();
            fields.retain(|field| !field.is_time);
            fields.sort_by_key(|field| !is_used(&field.key));
            let fields: Vec<String> = fields.iter().map(|field| format!("{}={}", field.key, field.value)).collect();
            cut(fields.join(" ").as_bytes())
        }
    };
    EventLocation { line: reader.location().line, offset, raw: text.filter(|_| keep_raw), description }
}

/// Returns the beginning of a text.
fn cut(bytes: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST_TEXT)]).into_owned();
    if bytes.len() > LONGEST_TEXT {
        text.push('…');
    }
    text
}
