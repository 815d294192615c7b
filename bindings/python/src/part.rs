// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts of a trace that was divided by a field: each is checked by a worker, and the results are joined.

#![expect(clippy::needless_pass_by_value, reason = "pyo3 creates owned arguments for each call")]

use std::sync::Arc;

use gnomon::offline::NamedInput;
use gnomon::offline::part::{PartKey, PartReport, judge_part as judge};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3_arrow::PyTable;
use pyo3_arrow::input::AnyRecordBatch;

use crate::check::CaseCollector;
use crate::interrupt::{Interrupt, ProgressCallback};
use crate::options::CheckOptions;
use crate::raw::RawReport;
use crate::spec::Spec;
use crate::stream::BatchSlices;
use crate::table::TableRows;

/// The result of checking a part.
#[pyclass(frozen, module = "gnomon._gnomon")]
pub(crate) struct RawPart {
    part: PartReport,
    cases: TableRows,
    violations: TableRows,
}

#[pymethods]
impl RawPart {
    /// Returns the table of the outcome of each property in each case.
    fn cases(&self) -> PyResult<PyTable> {
        self.cases.table()
    }

    /// Returns the table of the violations of all cases.
    fn violations(&self) -> PyResult<PyTable> {
        self.violations.table()
    }

    /// Encodes the result for `join_parts`.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.part.save())
    }
}

/// Checks record batches whose events come case by case, each case in order of time.
#[pyfunction]
pub(crate) fn judge_part(
    py: Python<'_>,
    spec: Spec,
    batches: AnyRecordBatch,
    field: String,
    index: Option<String>,
    kept: usize,
    options: CheckOptions,
) -> PyResult<RawPart> {
    let (callback, name, options) = (options.callback(py), options.name.clone(), options.options(&spec)?);
    let interrupt = Arc::<Interrupt>::default();
    let slices = BatchSlices::new(batches.into_reader()?, interrupt.clone());
    let key = PartKey { field, index, kept };
    let (result, collector) = py.detach(|| {
        let progress = ProgressCallback { callback, interrupt: &interrupt };
        let (cases, violations) = (Some(TableRows::cases()), Some(TableRows::violations()));
        let mut collector = CaseCollector { progress, compiled: &spec.compiled, cases, violations };
        let input = NamedInput::batches(name, Box::new(slices));
        let result = judge(&spec.compiled, input, &key, &options, &mut collector);
        (
            result,
            (
                collector.cases.unwrap_or_else(TableRows::cases),
                collector.violations.unwrap_or_else(TableRows::violations),
            ),
        )
    });
    let part = interrupt.finish(result, &spec)?;
    let (cases, violations) = collector;
    Ok(RawPart { part, cases, violations })
}

/// Joins saved parts to the report of the whole trace.
#[pyfunction]
pub(crate) fn join_parts(
    py: Python<'_>,
    spec: Spec,
    parts: Vec<Vec<u8>>,
    name: &str,
    max_violations: usize,
) -> PyResult<RawReport> {
    let report = py.detach(|| {
        let parts = parts.iter().map(|part| PartReport::restore(part)).collect::<Result<Vec<_>, _>>()?;
        PartReport::join(&spec.compiled, parts, name, max_violations)
    });
    let report = report.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(RawReport::new(spec, report, TableRows::cases()))
}
