// SPDX-License-Identifier: MIT OR Apache-2.0
//! A report as the package's `Report` asks for it: as JSON, as text, as HTML, and a table of its cases.

use gnomon::offline::Report;
use gnomon::report::text::human::{self, Look};
use gnomon::report::text::paint::Paint;
use gnomon::report::{html, json};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyTable;

use crate::spec::Spec;
use crate::table::CaseRows;

/// What was found.
#[pyclass(frozen, module = "gnomon._gnomon")]
pub(crate) struct RawReport {
    spec: Spec,
    report: Report,
    cases: CaseRows,
}

impl RawReport {
    pub(crate) fn new(spec: Spec, report: Report, cases: CaseRows) -> RawReport {
        RawReport { spec, report, cases }
    }
}

#[pymethods]
impl RawReport {
    /// The report of the command line, as JSON.
    fn json(&self) -> String {
        json::render(&self.spec.about(), std::slice::from_ref(&self.report), &[None])
    }

    /// What the command line prints, without colours; so many violations of each property are drawn.
    fn text(&self, drawn: usize) -> String {
        let (about, look) = (self.spec.about(), Look { paint: Paint::PLAIN, drawn });
        let trace = human::trace(&about, &self.report, look);
        format!("{trace}{}", human::summary(&about, std::slice::from_ref(&self.report), Paint::PLAIN))
    }

    /// The report as a piece of a page.
    fn html(&self, drawn: usize) -> String {
        html::fragment(&self.spec.about(), &self.report, drawn)
    }

    /// What became of each property in each case, as lists.
    fn case_columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.cases.lists(py)
    }

    /// What became of each property in each case.
    fn cases(&self) -> PyResult<PyTable> {
        self.cases.table()
    }
}
