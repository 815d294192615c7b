// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cases and violations as tables that any library of Python can take over without copying.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use gnomon::compile::Compiled;
use gnomon::offline::{JudgedCase, Legend};
use gnomon::report::json::write::object;
use gnomon::report::json::{because_list, value};
use gnomon::report::numbers::Dial;
use gnomon::time::Clock;
use gnomon::verdict::{Decided, Violation};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyTable;

/// The columns that a table has: what is written, and whether it may be missing.
type Columns = [(&'static str, DataType, bool)];

const CASES: &Columns = &[
    ("case", DataType::Utf8, false),
    ("property", DataType::Utf8, false),
    ("verdict", DataType::Utf8, false),
    ("presumably", DataType::Boolean, true),
    ("events", DataType::Int64, false),
    ("positions", DataType::Int64, false),
    ("activated", DataType::Int64, false),
    ("satisfied", DataType::Int64, false),
    ("violated", DataType::Int64, false),
    ("pending", DataType::Int64, false),
];

const VIOLATIONS: &Columns = &[
    ("case", DataType::Utf8, true),
    ("property", DataType::Utf8, false),
    ("event_index", DataType::Int64, false),
    ("position", DataType::Int64, false),
    ("until_position", DataType::Int64, true),
    ("time", DataType::Utf8, false),
    ("event", DataType::Utf8, false),
    ("decided_index", DataType::Int64, true),
    ("decided_time", DataType::Utf8, false),
    ("decided_event", DataType::Utf8, true),
    ("binding", DataType::Utf8, false),
    ("failed", DataType::Utf8, false),
    ("summary", DataType::Utf8, false),
    ("because", DataType::Utf8, false),
];

/// What became of each property in each case, row by row.
#[derive(Default)]
pub(crate) struct CaseRows {
    case: StringBuilder,
    property: StringBuilder,
    verdict: StringBuilder,
    presumably: BooleanBuilder,
    counts: [Int64Builder; 6],
}

impl CaseRows {
    pub(crate) fn add(&mut self, compiled: &Compiled, case: &JudgedCase<'_>) {
        for (property, outcome) in compiled.properties().zip(case.outcomes) {
            self.case.append_value(case.label);
            self.property.append_value(&property.name);
            self.verdict.append_value(outcome.verdict.word());
            self.presumably.append_option(outcome.presumably);
            let counts = [
                case.events,
                outcome.positions,
                outcome.activated,
                outcome.satisfied,
                outcome.violated,
                outcome.pending,
            ];
            for (column, count) in self.counts.iter_mut().zip(counts) {
                column.append_value(count as i64);
            }
        }
    }

    /// The rows as lists, one for each column.
    pub(crate) fn lists<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let lists = PyDict::new(py);
        let texts = [&self.case, &self.property, &self.verdict].map(StringBuilder::finish_cloned);
        for ((name, _, _), column) in CASES.iter().zip(&texts) {
            lists.set_item(*name, column.iter().collect::<Vec<_>>())?;
        }
        lists.set_item(CASES[3].0, self.presumably.finish_cloned().iter().collect::<Vec<_>>())?;
        for ((name, _, _), column) in CASES[4..].iter().zip(&self.counts) {
            lists.set_item(*name, column.values_slice())?;
        }
        Ok(lists)
    }

    /// The rows so far.
    pub(crate) fn table(&self) -> PyResult<PyTable> {
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(self.case.finish_cloned()),
            Arc::new(self.property.finish_cloned()),
            Arc::new(self.verdict.finish_cloned()),
            Arc::new(self.presumably.finish_cloned()),
        ];
        columns.extend(self.counts.iter().map(|column| Arc::new(column.finish_cloned()) as ArrayRef));
        table(CASES, columns)
    }
}

/// Violations, row by row.
#[derive(Default)]
pub(crate) struct ViolationRows {
    case: StringBuilder,
    property: StringBuilder,
    event_index: Int64Builder,
    position: Int64Builder,
    until_position: Int64Builder,
    time: StringBuilder,
    event: StringBuilder,
    decided_index: Int64Builder,
    decided_time: StringBuilder,
    decided_event: StringBuilder,
    binding: StringBuilder,
    failed: StringBuilder,
    summary: StringBuilder,
    because: StringBuilder,
}

impl ViolationRows {
    pub(crate) fn add(
        &mut self,
        compiled: &Compiled,
        property: &str,
        case: Option<&str>,
        violation: &Violation,
        legend: Legend<'_>,
    ) {
        let dial = Dial { clock: Clock::new(compiled.spec.time.unit), kind: legend.time_kind };
        let Violation { at, until_position, decided, binding, failed, summary, because } = violation;
        let name = |event| legend.symbols.name_text(event);
        self.case.append_option(case);
        self.property.append_value(property);
        self.event_index.append_value(at.origin.event_index as i64);
        self.position.append_value(at.position as i64);
        self.until_position.append_option(until_position.map(|last| last as i64));
        self.time.append_value(dial.time(at.origin.time));
        self.event.append_value(name(at.origin.event));
        let origin = match decided {
            Decided::Event(origin) => Some(*origin),
            Decided::Deadline(_) | Decided::End(_) => None,
        };
        self.decided_index.append_option(origin.map(|origin| origin.event_index as i64));
        self.decided_time.append_value(dial.time(decided.time()));
        self.decided_event.append_option(origin.map(|origin| name(origin.event)));
        let mut json = String::new();
        object(&mut json, |fields| value::binding(fields, binding));
        self.binding.append_value(&json);
        self.failed.append_value(failed.text(&compiled.source));
        self.summary.append_value(summary);
        self.because.append_value(because_list(because, dial, legend.symbols));
    }

    /// The rows so far.
    pub(crate) fn table(&self) -> PyResult<PyTable> {
        let texts = |builder: &StringBuilder| Arc::new(builder.finish_cloned()) as ArrayRef;
        let numbers = |builder: &Int64Builder| Arc::new(builder.finish_cloned()) as ArrayRef;
        let columns = vec![
            texts(&self.case),
            texts(&self.property),
            numbers(&self.event_index),
            numbers(&self.position),
            numbers(&self.until_position),
            texts(&self.time),
            texts(&self.event),
            numbers(&self.decided_index),
            texts(&self.decided_time),
            texts(&self.decided_event),
            texts(&self.binding),
            texts(&self.failed),
            texts(&self.summary),
            texts(&self.because),
        ];
        table(VIOLATIONS, columns)
    }
}

fn table(columns: &Columns, arrays: Vec<ArrayRef>) -> PyResult<PyTable> {
    let fields: Vec<Field> =
        columns.iter().map(|(name, of, missing)| Field::new(*name, of.clone(), *missing)).collect();
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(schema.clone(), arrays);
    let batch = batch.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    PyTable::try_new(vec![batch], schema)
}
