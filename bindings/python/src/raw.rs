// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report behind the package's `Report`: as JSON, text, HTML, and a table of cases.

use gnomon::offline::Report;
use gnomon::report::text::human::{self, TextOptions};
use gnomon::report::{html, json};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyTable;

use crate::spec::Spec;
use crate::table::TableRows;

/// The result of a check.
#[pyclass(frozen, module = "gnomon._gnomon")]
pub(crate) struct RawReport {
    spec: Spec,
    report: Report,
    cases: TableRows,
}

impl RawReport {
    pub(crate) fn new(spec: Spec, report: Report, cases: TableRows) -> RawReport {
        RawReport { spec, report, cases }
    }
}

#[pymethods]
impl RawReport {
    /// Renders the JSON report of the command line.
    fn json(&self) -> String {
        json::render(&self.spec.about(), std::slice::from_ref(&self.report), &[None], &[])
    }

    /// Renders the text report without colours, with up to `drawn` violations of each property.
    fn text(&self, drawn: usize) -> String {
        let (about, look) = (self.spec.about(), TextOptions::plain(drawn));
        let trace = human::trace(&about, &self.report, look);
        format!("{trace}{}", human::summary(&about, std::slice::from_ref(&self.report), 0, look))
    }

    /// Renders the report as a fragment of a page.
    fn html(&self, drawn: usize) -> String {
        html::fragment(&self.spec.about(), &self.report, drawn)
    }

    /// Returns the table of cases as lists.
    fn case_columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.cases.lists(py)
    }

    /// Returns the table of cases.
    fn cases(&self) -> PyResult<PyTable> {
        self.cases.table()
    }
}
