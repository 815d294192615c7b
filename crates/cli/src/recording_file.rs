// SPDX-License-Identifier: MIT OR Apache-2.0
//! `--record FILE`: writes the checked trace as NDJSON, including the values read for external variables.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use gnomon::externs::{SharedRecorder, TraceRecorder};
use gnomon::offline::Report;
use gnomon::trace::{EventRecord, Format, NdjsonWriter, Writer as _};

use crate::console::Console;
use crate::convert;
use crate::failure::Failure;
use crate::output::{OutputFile, cannot_write};

/// Writes the events of a trace while it is checked.
pub(crate) struct RecordingFile {
    path: String,
    shared: Arc<Mutex<RecorderState>>,
}

struct RecorderState {
    writer: Option<NdjsonWriter<OutputFile>>,
    /// The first error; nothing is written after it.
    error: Option<io::Error>,
}

impl TraceRecorder for RecorderState {
    fn event(&mut self, record: &EventRecord<'_>) {
        if let Some(writer) = &mut self.writer
            && self.error.is_none()
        {
            self.error = writer.write(record).err();
        }
    }
}

impl RecordingFile {
    pub(crate) fn create(path: &str) -> Result<RecordingFile, Failure> {
        let writer = Some(NdjsonWriter::new(OutputFile::create(path)?));
        Ok(RecordingFile { path: path.to_owned(), shared: Arc::new(Mutex::new(RecorderState { writer, error: None })) })
    }

    /// Returns the handle for the options of the check.
    pub(crate) fn recording(&self) -> SharedRecorder {
        SharedRecorder::to(self.shared.clone())
    }

    /// Completes the file after the check.
    pub(crate) fn finish(self, report: &Report, console: &Console) -> Result<(), Failure> {
        if report.cases.as_ref().is_some_and(|cases| cases.field.is_none()) {
            return Err(Failure::new("G0741", "a trace that comes in cases cannot be recorded as one")
                .at(&report.source)
                .help("check it as one trace with `--by none`, or record a single case"));
        }
        let mut state = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = |error: io::Error| cannot_write(&self.path, &error);
        if let Some(error) = state.error.take() {
            return Err(failed(error));
        }
        let Some(writer) = state.writer.take() else { return Ok(()) };
        convert::print_losses(writer.losses(), Format::Ndjson, console);
        writer.into_inner().map_err(failed)?.finish()
    }
}

/// Returns a failure for several traces: a file records one.
pub(crate) fn only_one_trace(traces: &[String]) -> Result<(), Failure> {
    if traces.len() > 1 {
        return Err(Failure::new("G0741", format!("`--record` is for one trace, but {} are given", traces.len()))
            .help("check them one by one, each with a file of its own"));
    }
    Ok(())
}
