// SPDX-License-Identifier: MIT OR Apache-2.0
//! `--record FILE`: the trace as it was judged, reads of external variables included, as NDJSON.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use gnomon::externs::{Recorder, Recording};
use gnomon::offline::Report;
use gnomon::trace::{Format, NdjsonWriter, Record, Writer as _};

use crate::console::Console;
use crate::convert;
use crate::failure::Failure;
use crate::output::{Output, cannot_write};

/// What is written while a trace is judged.
pub(crate) struct Tape {
    path: String,
    shared: Arc<Mutex<Writing>>,
}

struct Writing {
    writer: Option<NdjsonWriter<Output>>,
    /// Why nothing more is written.
    error: Option<io::Error>,
}

impl Recorder for Writing {
    fn event(&mut self, record: &Record<'_>) {
        if let Some(writer) = &mut self.writer
            && self.error.is_none()
        {
            self.error = writer.write(record).err();
        }
    }
}

impl Tape {
    pub(crate) fn create(path: &str) -> Result<Tape, Failure> {
        let writer = Some(NdjsonWriter::new(Output::create(path)?));
        Ok(Tape { path: path.to_owned(), shared: Arc::new(Mutex::new(Writing { writer, error: None })) })
    }

    /// Who takes down what is judged.
    pub(crate) fn recording(&self) -> Recording {
        Recording::to(self.shared.clone())
    }

    /// The trace was judged: puts the file in its place.
    pub(crate) fn finish(self, report: &Report, console: &Console) -> Result<(), Failure> {
        if report.cases.as_ref().is_some_and(|cases| cases.field.is_none()) {
            return Err(Failure::new("G0741", "a trace that comes in cases cannot be recorded as one")
                .at(&report.source)
                .help("judge it as one trace with `--by none`, or record a single case"));
        }
        let mut writing = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = |error: io::Error| cannot_write(&self.path, &error);
        if let Some(error) = writing.error.take() {
            return Err(failed(error));
        }
        let Some(writer) = writing.writer.take() else { return Ok(()) };
        convert::tell(writer.losses(), Format::Ndjson, console);
        writer.into_inner().map_err(failed)?.finish()
    }
}

/// A file has room for one trace.
pub(crate) fn only_one_trace(traces: &[String]) -> Result<(), Failure> {
    if traces.len() > 1 {
        return Err(Failure::new("G0741", format!("`--record` is for one trace, and {} are named", traces.len()))
            .help("judge them one by one, each with a file of its own"));
    }
    Ok(())
}
