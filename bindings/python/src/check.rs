// SPDX-License-Identifier: MIT OR Apache-2.0
//! The functions behind `gnomon.check`: one for each form in which Python passes a trace.
//!
//! Each opens the trace and calls [`TraceCheck::run`], which releases the interpreter lock while the trace is checked. Progress callbacks
//! and signals of Python are handled at regular intervals ([`Interrupt`]).

#![expect(clippy::needless_pass_by_value, reason = "pyo3 creates owned arguments for each call")]

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

use gnomon::compile::CompiledSpec;
use gnomon::offline::{CaseOutcomes, DivideBy, Listener, NamedInput, Options, judge_reopenable};
use gnomon::trace::{CancelCheck, TraceInput};
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;

use crate::errors::no_cases;
use crate::events::PyEvents;
use crate::interrupt::{Interrupt, ProgressCallback};
use crate::options::CheckOptions;
use crate::raw::RawReport;
use crate::spec::{Spec, open_error};
use crate::stream::{BatchSlices, PyFile};
use crate::table::TableRows;

/// Checks a file.
#[pyfunction]
pub(crate) fn check_path(py: Python<'_>, spec: Spec, path: PathBuf, options: CheckOptions) -> PyResult<RawReport> {
    let check = TraceCheck::new(py, spec, &options)?;
    let open = || -> io::Result<File> {
        let mut file = File::open(&path)?;
        // A directory can be opened, but reading from it fails, even zero bytes.
        let _nothing = file.read(&mut [])?;
        Ok(file)
    };
    let file = open().map_err(|error| open_error(py, &path, error))?;
    check.run(py, NamedInput::guarded(path.to_string_lossy().into_owned(), file, check.cancel_check()))
}

/// Checks the bytes of a file.
#[pyfunction]
pub(crate) fn check_bytes(py: Python<'_>, spec: Spec, bytes: Vec<u8>, options: CheckOptions) -> PyResult<RawReport> {
    let check = TraceCheck::new(py, spec, &options)?;
    check.run(py, NamedInput::memory(options.name, bytes.into(), check.cancel_check()))
}

/// Checks the content of a file object, which is read once.
#[pyfunction]
pub(crate) fn check_file(py: Python<'_>, spec: Spec, file: Py<PyAny>, options: CheckOptions) -> PyResult<RawReport> {
    let check = TraceCheck::new(py, spec, &options)?;
    check.run(py, NamedInput::stream(options.name, PyFile::new(file, check.interrupt.clone())))
}

/// Checks a source of record batches.
#[pyfunction]
pub(crate) fn check_arrow(
    py: Python<'_>,
    spec: Spec,
    batches: Bound<'_, PyAny>,
    options: CheckOptions,
) -> PyResult<RawReport> {
    let check = TraceCheck::new(py, spec, &options)?;
    let interrupt = check.interrupt.clone();
    let open = move |batches: &Bound<'_, PyAny>| -> PyResult<TraceInput> {
        let reader = batches.extract::<AnyRecordBatch>()?.into_reader()?;
        Ok(TraceInput::Batches(Box::new(BatchSlices::new(reader, interrupt.clone()))))
    };
    check.run_opened(py, batches, &options, open)
}

/// Checks the events of an iterable.
#[pyfunction]
pub(crate) fn check_events(
    py: Python<'_>,
    spec: Spec,
    events: Bound<'_, PyAny>,
    options: CheckOptions,
) -> PyResult<RawReport> {
    let keys = options.keys(&spec);
    let check = TraceCheck::new(py, spec, &options)?;
    let interrupt = check.interrupt.clone();
    let open = move |events: &Bound<'_, PyAny>| -> PyResult<TraceInput> {
        Ok(TraceInput::Events(Box::new(PyEvents::new(events, keys.clone(), interrupt.clone())?)))
    };
    check.run_opened(py, events, &options, open)
}

/// Reports progress to Python, and collects the outcomes of cases and their violations in tables.
pub(crate) struct CaseCollector<'a> {
    pub(crate) progress: ProgressCallback<'a>,
    pub(crate) compiled: &'a CompiledSpec,
    pub(crate) cases: Option<TableRows>,
    pub(crate) violations: Option<TableRows>,
}

impl Listener for CaseCollector<'_> {
    fn progress(&mut self, bytes: u64, events: u64) {
        self.progress.progress(bytes, events);
    }

    fn case(&mut self, case: &CaseOutcomes<'_>) {
        if let Some(rows) = &mut self.cases {
            rows.add_case(self.compiled, case);
        }
        if let Some(rows) = &mut self.violations {
            for (property, outcome) in self.compiled.properties().zip(case.outcomes) {
                for violation in &outcome.violations {
                    rows.add_violation(self.compiled, &property.name, case.label, violation, case.context);
                }
            }
        }
    }
}

/// The arguments of a check.
struct TraceCheck {
    spec: Spec,
    options: Options,
    callback: Option<Py<PyAny>>,
    keeps_cases: bool,
    interrupt: Arc<Interrupt>,
}

impl TraceCheck {
    fn new(py: Python<'_>, spec: Spec, options: &CheckOptions) -> PyResult<TraceCheck> {
        let (callback, interrupt) = (options.callback(py), Arc::default());
        Ok(TraceCheck { options: options.options(&spec)?, spec, callback, keeps_cases: options.cases, interrupt })
    }

    /// Returns a check that cancels reading once Python has raised an exception.
    fn cancel_check(&self) -> CancelCheck {
        let interrupt = self.interrupt.clone();
        Arc::new(move || interrupt.check())
    }

    /// Checks a source of Python, which is opened again for explanations if it can be read more than once.
    fn run_opened(
        &self,
        py: Python<'_>,
        source: Bound<'_, PyAny>,
        options: &CheckOptions,
        open: impl Fn(&Bound<'_, PyAny>) -> PyResult<TraceInput> + Send + Sync + 'static,
    ) -> PyResult<RawReport> {
        let input = NamedInput { name: options.name.clone(), content: open(&source)? };
        if !options.repeatable {
            return self.run(py, input);
        }
        let source = source.unbind();
        let reopen = move || Python::attach(|py| open(source.bind(py)).ok());
        self.run(py, input.repeatable(Arc::new(reopen)))
    }

    fn run(&self, py: Python<'_>, input: NamedInput) -> PyResult<RawReport> {
        let callback = self.callback.as_ref().map(|callback| callback.clone_ref(py));
        let (result, rows) = py.detach(|| {
            let compiled = &*self.spec.compiled;
            let progress = ProgressCallback { callback, interrupt: &self.interrupt };
            let cases = self.keeps_cases.then(TableRows::cases);
            let mut collector = CaseCollector { progress, compiled, cases, violations: None };
            let result = judge_reopenable(compiled, input, &self.options, &mut collector);
            (result, collector.cases.unwrap_or_else(TableRows::cases))
        });
        let report = self.interrupt.finish(result, &self.spec)?;
        if let (DivideBy::Field(field), Some(cases)) = (&self.options.by, &report.cases)
            && cases.total == 0
            && cases.without > 0
        {
            return Err(no_cases(&report.source, field));
        }
        Ok(RawReport::new(self.spec.clone(), report, rows))
    }
}
