// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes progress, violations and verdicts of events while a trace is being checked.

use gnomon::offline::{EndVerdict, EventVerdict, Listener, ReportedViolation};

use crate::args::ReportFormat;
use crate::console::Console;
use crate::failure::Failure;
use crate::paint::Paint;
use crate::progress_bar::RunProgress;
use crate::render::event_table::EventTable;
use crate::render::json::RenderedVerdicts;
use crate::render::json::write::{ObjectWriter, object};
use crate::render::{SpecContext, json, ndjson};

/// Lines of events are written in blocks of this size; violations are written immediately.
const BUFFER_BYTES: usize = 1 << 15;

/// Writes the report of one trace as it is checked.
pub(crate) struct ReportListener<'a> {
    about: &'a SpecContext<'a>,
    console: &'a Console,
    format: ReportFormat,
    source: &'a str,
    progress: &'a mut RunProgress,
    table: EventTable,
    /// Text that is not written yet.
    buffer: String,
    /// The verdicts at the end, for JSON, where they are a separate list.
    at_end: String,
    failure: Option<Failure>,
}

impl<'a> ReportListener<'a> {
    pub(crate) fn new(
        about: &'a SpecContext<'a>,
        console: &'a Console,
        format: ReportFormat,
        source: &'a str,
        progress: &'a mut RunProgress,
    ) -> ReportListener<'a> {
        let (table, buffer, at_end) = (EventTable::new(), String::new(), String::new());
        ReportListener { about, console, format, source, progress, table, buffer, at_end, failure: None }
    }

    /// Writes the rest. Returns the events for the report formats that are written at the end.
    pub(crate) fn finish(mut self) -> Result<RenderedVerdicts, Failure> {
        self.progress.end();
        let mut events = RenderedVerdicts::default();
        if self.keeps_events() {
            events = RenderedVerdicts {
                at_events: std::mem::take(&mut self.buffer),
                at_end: std::mem::take(&mut self.at_end),
            };
        }
        self.write();
        self.failure.map_or(Ok(events), Err)
    }

    /// Returns true for JSON and XML: they are one document, written at the end.
    fn keeps_events(&self) -> bool {
        matches!(self.format, ReportFormat::Json | ReportFormat::Junit)
    }

    fn write(&mut self) {
        let text = std::mem::take(&mut self.buffer);
        if self.failure.is_none() && !text.is_empty() {
            self.failure = self.console.print(&text).err();
        }
    }
}

impl Listener for ReportListener<'_> {
    fn progress(&mut self, bytes: u64, events: u64) {
        self.progress.update(bytes, events);
    }

    fn violation(&mut self, violation: &ReportedViolation<'_>) {
        if self.format == ReportFormat::Ndjson {
            self.buffer += &ndjson::violation(self.about, self.source, violation);
            self.write();
        }
    }

    fn event(&mut self, verdict: &EventVerdict<'_>) {
        match self.format {
            ReportFormat::Human => self.buffer += &self.table.row(self.about, verdict, self.console.out_paint),
            ReportFormat::Ndjson => self.buffer += &ndjson::event(self.about, self.source, verdict),
            ReportFormat::Json => push_object(&mut self.buffer, |fields| json::event(fields, verdict, self.about)),
            ReportFormat::Junit => self.buffer += &self.table.row(self.about, verdict, Paint::PLAIN),
        }
        if self.buffer.len() >= BUFFER_BYTES && !self.keeps_events() {
            self.write();
        }
    }

    fn end(&mut self, verdict: &EndVerdict<'_>) {
        match self.format {
            ReportFormat::Human => self.buffer += &self.table.end(self.about, verdict, self.console.out_paint),
            ReportFormat::Ndjson => self.buffer += &ndjson::end(self.about, self.source, verdict),
            ReportFormat::Json => push_object(&mut self.at_end, |fields| json::end(fields, verdict, self.about)),
            ReportFormat::Junit => self.buffer += &self.table.end(self.about, verdict, Paint::PLAIN),
        }
    }
}

/// Appends an object to a list.
fn push_object(list: &mut String, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
    if !list.is_empty() {
        list.push(',');
    }
    object(list, fill);
}
