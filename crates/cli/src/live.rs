// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is written while a trace is still being judged: progress, violations at once, the verdict at each event.

use gnomon::offline::{Ended, Found, Judged, Listener};

use crate::args::ReportKind;
use crate::console::Console;
use crate::failure::Failure;
use crate::paint::Paint;
use crate::progress::Progress;
use crate::render::events::Table;
use crate::render::json::Events;
use crate::render::json::write::{Fields, object};
use crate::render::{About, json, ndjson};

/// Lines that nobody waits for are written so many bytes at a time.
const BLOCK: usize = 1 << 15;

/// Writes while one trace is judged.
pub(crate) struct Live<'a> {
    about: &'a About<'a>,
    console: &'a Console,
    kind: ReportKind,
    source: &'a str,
    progress: Progress,
    table: Table,
    /// What is not written yet.
    waiting: String,
    /// What the end decided, for a report in which that stands apart.
    at_end: String,
    failure: Option<Failure>,
}

impl<'a> Live<'a> {
    pub(crate) fn new(
        about: &'a About<'a>,
        console: &'a Console,
        kind: ReportKind,
        source: &'a str,
        progress: Progress,
    ) -> Live<'a> {
        let (table, waiting, at_end) = (Table::new(), String::new(), String::new());
        Live { about, console, kind, source, progress, table, waiting, at_end, failure: None }
    }

    /// Writes the rest. What a report that is written at the end needs of the events is handed back.
    pub(crate) fn finish(mut self) -> Result<Events, Failure> {
        let mut events = Events::default();
        if self.keeps_events() {
            events = Events { at_events: std::mem::take(&mut self.waiting), at_end: std::mem::take(&mut self.at_end) };
        }
        self.write();
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(events),
        }
    }

    /// JSON and XML are one value, written when all is known.
    fn keeps_events(&self) -> bool {
        matches!(self.kind, ReportKind::Json | ReportKind::Junit)
    }

    fn write(&mut self) {
        let text = std::mem::take(&mut self.waiting);
        if self.failure.is_none() && !text.is_empty() {
            self.failure = self.console.report(&text).err();
        }
    }
}

impl Listener for Live<'_> {
    fn progress(&mut self, bytes: u64, events: u64) {
        self.progress.update(bytes, events);
    }

    fn violation(&mut self, found: &Found<'_>) {
        if self.kind == ReportKind::Ndjson {
            self.waiting += &ndjson::violation(self.about, self.source, found);
            self.write();
        }
    }

    fn event(&mut self, judged: &Judged<'_>) {
        match self.kind {
            ReportKind::Human => self.waiting += &self.table.row(self.about, judged, self.console.out_paint),
            ReportKind::Ndjson => self.waiting += &ndjson::event(self.about, self.source, judged),
            ReportKind::Json => item(&mut self.waiting, |fields| json::event(fields, judged, self.about)),
            ReportKind::Junit => self.waiting += &self.table.row(self.about, judged, Paint::PLAIN),
        }
        if self.waiting.len() >= BLOCK && !self.keeps_events() {
            self.write();
        }
    }
    fn end(&mut self, ended: &Ended<'_>) {
        match self.kind {
            ReportKind::Human => self.waiting += &self.table.end(self.about, ended, self.console.out_paint),
            ReportKind::Ndjson => self.waiting += &ndjson::end(self.about, self.source, ended),
            ReportKind::Json => item(&mut self.at_end, |fields| json::end(fields, ended, self.about)),
            ReportKind::Junit => self.waiting += &self.table.end(self.about, ended, Paint::PLAIN),
        }
    }
}

/// One more object of a list.
fn item(list: &mut String, fill: impl FnOnce(&mut Fields<'_>)) {
    if !list.is_empty() {
        list.push(',');
    }
    object(list, fill);
}
