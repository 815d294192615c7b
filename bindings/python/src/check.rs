// SPDX-License-Identifier: MIT OR Apache-2.0
//! Judging a trace, wherever Python has it.

#![expect(clippy::needless_pass_by_value, reason = "arguments are made for the call, of what Python hands over")]

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::PathBuf;
use std::sync::Arc;

use gnomon::compile::Compiled;
use gnomon::offline::{self, By, Input, Listener, Options, Report};
use gnomon::trace::Guard;
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;

use crate::errors::{no_cases, of_run};
use crate::events::Events;
use crate::interrupt::{Interrupt, Progress};
use crate::options::Given;
use crate::raw::RawReport;
use crate::spec::{Spec, open_error};
use crate::stream::{Guarded, PyFile, Slices};
use crate::table::CaseRows;

/// Judges a file.
#[pyfunction]
pub(crate) fn check_path(py: Python<'_>, spec: Spec, path: PathBuf, options: Given) -> PyResult<RawReport> {
    let work = Work::new(py, spec, &options)?;
    let name = path.to_string_lossy().into_owned();
    let interrupt = work.interrupt.clone();
    let guard: Guard = Arc::new(move || interrupt.check());
    let open = || -> io::Result<Input> {
        let mut file = File::open(&path)?;
        // A directory can be opened, but nothing of it read: not even no byte.
        let _nothing = file.read(&mut [])?;
        Ok(Input::guarded(name.clone(), file, guard.clone()))
    };
    let first = open().map_err(|error| open_error(py, &path, error))?;
    work.run(py, first, || open().ok())
}

/// Judges the bytes of a file.
#[pyfunction]
pub(crate) fn check_bytes(
    py: Python<'_>,
    spec: Spec,
    bytes: Vec<u8>,
    name: String,
    options: Given,
) -> PyResult<RawReport> {
    let work = Work::new(py, spec, &options)?;
    let bytes: Arc<[u8]> = bytes.into();
    let open = || {
        let bytes = Guarded { bytes: Cursor::new(bytes.clone()), interrupt: work.interrupt.clone() };
        Input::stream(name.clone(), bytes)
    };
    work.run(py, open(), || Some(open()))
}

/// Judges what a file object has. It is read once.
#[pyfunction]
pub(crate) fn check_file(
    py: Python<'_>,
    spec: Spec,
    file: Py<PyAny>,
    name: String,
    options: Given,
) -> PyResult<RawReport> {
    let work = Work::new(py, spec, &options)?;
    let input = Input::stream(name, PyFile::new(file, work.interrupt.clone()));
    work.run(py, input, || None)
}

/// Judges record batches. They are read once.
#[pyfunction]
pub(crate) fn check_arrow(
    py: Python<'_>,
    spec: Spec,
    batches: AnyRecordBatch,
    name: String,
    options: Given,
) -> PyResult<RawReport> {
    let work = Work::new(py, spec, &options)?;
    let slices = Slices::new(batches.into_reader()?, work.interrupt.clone());
    work.run(py, Input::batches(name, Box::new(slices)), || None)
}

/// Judges the events of an iterable.
#[pyfunction]
pub(crate) fn check_events(
    py: Python<'_>,
    spec: Spec,
    events: &Bound<'_, PyAny>,
    name: String,
    options: Given,
) -> PyResult<RawReport> {
    let keys = options.keys(&spec);
    let work = Work::new(py, spec, &options)?;
    let events = Events::new(events, keys, work.interrupt.clone())?;
    work.judge(py, |work, listener| offline::judge_given(&work.spec.compiled, &name, events, &work.options, listener))
}

/// What a trace is judged with.
struct Work {
    spec: Spec,
    options: Options,
    callback: Option<Py<PyAny>>,
    keeps_cases: bool,
    interrupt: Arc<Interrupt>,
}

/// Progress for Python, and what becomes of each case.
struct Ear<'a> {
    progress: Progress<'a>,
    cases: Option<CaseRows>,
    compiled: &'a Compiled,
}

impl Listener for Ear<'_> {
    fn progress(&mut self, bytes: u64, events: u64) {
        self.progress.progress(bytes, events);
    }

    fn case(&mut self, case: &offline::JudgedCase<'_>) {
        if let Some(rows) = &mut self.cases {
            rows.add(self.compiled, case);
        }
    }
}

impl Work {
    fn new(py: Python<'_>, spec: Spec, given: &Given) -> PyResult<Work> {
        let options = given.options(&spec)?;
        let (callback, interrupt) = (given.callback(py), Arc::default());
        Ok(Work { spec, options, callback, keeps_cases: given.cases, interrupt })
    }

    /// Judges an input; `again` opens it once more.
    fn run(
        &self,
        py: Python<'_>,
        input: Input,
        mut again: impl FnMut() -> Option<Input> + Send,
    ) -> PyResult<RawReport> {
        self.judge(py, |work, listener| {
            offline::judge_opened(&work.spec.compiled, input, &mut again, &work.options, listener)
        })
    }

    fn judge(
        &self,
        py: Python<'_>,
        judge: impl FnOnce(&Work, &mut dyn Listener) -> Result<Report, gnomon::Error> + Send,
    ) -> PyResult<RawReport> {
        let callback = self.callback.as_ref().map(|callback| callback.clone_ref(py));
        let work = self;
        let (result, rows) = py.detach(|| {
            let progress = Progress { callback, interrupt: &work.interrupt };
            let cases = work.keeps_cases.then(CaseRows::default);
            let mut ear = Ear { progress, cases, compiled: &work.spec.compiled };
            let result = judge(work, &mut ear);
            (result, ear.cases.unwrap_or_default())
        });
        if let Some(error) = self.interrupt.take() {
            return Err(error);
        }
        let report = result.map_err(|error| of_run(&self.spec.source, &error))?;
        if let (By::Field(field), Some(cases)) = (&self.options.by, &report.cases)
            && cases.total == 0
            && cases.without > 0
        {
            return Err(no_cases(&report.source, field));
        }
        Ok(RawReport::new(self.spec.clone(), report, rows))
    }
}
