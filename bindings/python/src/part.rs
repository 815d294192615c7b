// SPDX-License-Identifier: MIT OR Apache-2.0
//! A part of a trace that was divided by a field: judged where it lies, joined with the others afterwards.

#![expect(clippy::needless_pass_by_value, reason = "arguments are made for the call, of what Python hands over")]

use std::sync::Arc;

use gnomon::compile::Compiled;
use gnomon::offline::part::{Key, Part, judge_part as judge};
use gnomon::offline::{Input, JudgedCase, Listener};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3_arrow::PyTable;
use pyo3_arrow::input::AnyRecordBatch;

use crate::errors::of_run;
use crate::interrupt::{Interrupt, Progress};
use crate::options::Given;
use crate::raw::RawReport;
use crate::spec::Spec;
use crate::stream::Slices;
use crate::table::{CaseRows, ViolationRows};

/// What was found in a part.
#[pyclass(frozen, module = "gnomon._gnomon")]
pub(crate) struct RawPart {
    part: Part,
    cases: CaseRows,
    violations: ViolationRows,
}

#[pymethods]
impl RawPart {
    /// What became of each property in each case.
    fn cases(&self) -> PyResult<PyTable> {
        self.cases.table()
    }

    /// The violations of all cases.
    fn violations(&self) -> PyResult<PyTable> {
        self.violations.table()
    }

    /// What the part adds to the report, for `join_parts`.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.part.save())
    }
}

/// Takes down what each case comes to.
struct Ear<'a> {
    progress: Progress<'a>,
    cases: CaseRows,
    violations: ViolationRows,
    compiled: &'a Compiled,
}

impl Listener for Ear<'_> {
    fn progress(&mut self, bytes: u64, events: u64) {
        self.progress.progress(bytes, events);
    }

    fn case(&mut self, case: &JudgedCase<'_>) {
        self.cases.add(self.compiled, case);
        for (property, outcome) in self.compiled.properties().zip(case.outcomes) {
            for violation in &outcome.violations {
                self.violations.add(self.compiled, &property.name, Some(case.label), violation, case.legend);
            }
        }
    }
}

/// Judges record batches whose events come case by case, each case in the order of time.
#[pyfunction]
pub(crate) fn judge_part(
    py: Python<'_>,
    spec: Spec,
    batches: AnyRecordBatch,
    field: String,
    index: Option<String>,
    kept: usize,
    options: Given,
) -> PyResult<RawPart> {
    let (callback, options) = (options.callback(py), options.options(&spec)?);
    let interrupt = Arc::<Interrupt>::default();
    let slices = Slices::new(batches.into_reader()?, interrupt.clone());
    let key = Key { field, index, kept };
    let (result, ear) = py.detach(|| {
        let progress = Progress { callback, interrupt: &interrupt };
        let (cases, violations) = (CaseRows::default(), ViolationRows::default());
        let mut ear = Ear { progress, cases, violations, compiled: &spec.compiled };
        let input = Input::batches("<batches>".to_owned(), Box::new(slices));
        let result = judge(&spec.compiled, input, &key, &options, &mut ear);
        (result, (ear.cases, ear.violations))
    });
    let (cases, violations) = ear;
    if let Some(error) = interrupt.take() {
        return Err(error);
    }
    let part = result.map_err(|error| of_run(&spec.source, &error))?;
    Ok(RawPart { part, cases, violations })
}

/// The report of the whole, of what its parts have saved.
#[pyfunction]
pub(crate) fn join_parts(
    py: Python<'_>,
    spec: Spec,
    parts: Vec<Vec<u8>>,
    name: &str,
    max_violations: usize,
) -> PyResult<RawReport> {
    let report = py.detach(|| {
        let parts = parts.iter().map(|part| Part::restore(part)).collect::<Result<Vec<_>, _>>()?;
        Part::join(&spec.compiled, parts, name, max_violations)
    });
    let report = report.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(RawReport::new(spec, report, CaseRows::default()))
}
