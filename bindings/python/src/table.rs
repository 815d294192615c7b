// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables of cases and of violations, in Arrow columns that any library of Python can take over without copying.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Int64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use gnomon::compile::CompiledSpec;
use gnomon::offline::{CaseOutcomes, TraceContext};
use gnomon::report::json::write::object_text;
use gnomon::report::json::{because_list, value};
use gnomon::report::numbers::TimeFormat;
use gnomon::value::label_text;
use gnomon::verdict::{DecisionPoint, Outcome, Violation};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyTable;

/// The columns of a table: name, type, and true if cells may be missing.
type TableColumns = [(&'static str, DataType, bool)];

const CASES: &TableColumns = &[
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

const VIOLATIONS: &TableColumns = &[
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

/// A table that is built row by row. It has a builder for each column, in the order of the columns of each type.
pub(crate) struct TableRows {
    columns: &'static TableColumns,
    texts: Vec<StringBuilder>,
    numbers: Vec<Int64Builder>,
    flags: Vec<BooleanBuilder>,
}

impl TableRows {
    fn new(columns: &'static TableColumns) -> Self {
        let count = |wanted: DataType| columns.iter().filter(|(_, data_type, _)| *data_type == wanted).count();
        TableRows {
            columns,
            texts: (0..count(DataType::Utf8)).map(|_| StringBuilder::new()).collect(),
            numbers: (0..count(DataType::Int64)).map(|_| Int64Builder::new()).collect(),
            flags: (0..count(DataType::Boolean)).map(|_| BooleanBuilder::new()).collect(),
        }
    }

    /// Creates a table of the outcome of each property in each case.
    pub(crate) fn cases() -> Self {
        Self::new(CASES)
    }

    /// Creates a table of violations.
    pub(crate) fn violations() -> Self {
        Self::new(VIOLATIONS)
    }

    /// Adds a row: the cells of the columns of each type, in order.
    fn add(&mut self, texts: &[Option<&str>], numbers: &[Option<u64>], flags: &[Option<bool>]) {
        self.texts.iter_mut().zip(texts).for_each(|(column, text)| column.append_option(*text));
        let numbers = numbers.iter().map(|number| number.map(|number| number as i64));
        self.numbers.iter_mut().zip(numbers).for_each(|(column, number)| column.append_option(number));
        self.flags.iter_mut().zip(flags).for_each(|(column, flag)| column.append_option(*flag));
    }

    /// Adds a row for each property of a case.
    pub(crate) fn add_case(&mut self, compiled: &CompiledSpec, case: &CaseOutcomes<'_>) {
        let label = label_text(case.label);
        for (property, outcome) in compiled.properties().zip(case.outcomes) {
            let Outcome { verdict, presumably, positions, activated, satisfied, violated, pending, .. } = outcome;
            let texts = [&*label, &property.name, verdict.word()].map(Some);
            let numbers = [case.events, *positions, *activated, *satisfied, *violated, *pending].map(Some);
            self.add(&texts, &numbers, &[*presumably]);
        }
    }

    /// Adds the row of a violation.
    pub(crate) fn add_violation(
        &mut self,
        compiled: &CompiledSpec,
        property: &str,
        case: &str,
        violation: &Violation,
        context: TraceContext<'_>,
    ) {
        let time_format = TimeFormat::new(compiled.clock(), context.time_kind);
        let Violation { at, until_position, decided, binding, failed, summary, because, .. } = violation;
        let name = |event| context.symbols.name_text(event);
        let deciding_event = match decided {
            DecisionPoint::Event(origin) => Some(*origin),
            DecisionPoint::Deadline(_) | DecisionPoint::End(_) => None,
        };
        let values = object_text(|fields| value::binding(fields, binding));
        let texts = [
            Some(&*label_text(case)),
            Some(property),
            Some(&*time_format.time(at.origin.time)),
            Some(name(at.origin.event)),
            Some(&*time_format.time(decided.time())),
            deciding_event.map(|origin| name(origin.event)),
            Some(&values),
            Some(failed.text(&compiled.source)),
            Some(summary),
            Some(&*because_list(because, time_format, context.symbols)),
        ];
        let deciding_index = deciding_event.map(|origin| origin.event_index);
        let numbers = [Some(at.origin.event_index), Some(at.position), *until_position, deciding_index];
        self.add(&texts, &numbers, &[]);
    }

    /// Returns the columns as arrays.
    fn arrays(&self) -> Vec<ArrayRef> {
        let mut texts = self.texts.iter().map(|column| Arc::new(column.finish_cloned()) as ArrayRef);
        let mut numbers = self.numbers.iter().map(|column| Arc::new(column.finish_cloned()) as ArrayRef);
        let mut flags = self.flags.iter().map(|column| Arc::new(column.finish_cloned()) as ArrayRef);
        let next = |(_, data_type, _): &(&str, DataType, bool)| match data_type {
            DataType::Int64 => numbers.next(),
            DataType::Boolean => flags.next(),
            _ => texts.next(),
        };
        self.columns.iter().filter_map(next).collect()
    }

    /// Returns the rows as lists, one for each column.
    pub(crate) fn lists<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let lists = PyDict::new(py);
        for ((name, data_type, _), array) in self.columns.iter().zip(self.arrays()) {
            match data_type {
                DataType::Int64 => lists.set_item(name, Vec::from_iter(array.as_primitive::<Int64Type>()))?,
                DataType::Boolean => lists.set_item(name, Vec::from_iter(array.as_boolean()))?,
                _ => lists.set_item(name, Vec::from_iter(array.as_string::<i32>()))?,
            }
        }
        Ok(lists)
    }

    /// Returns the rows as an Arrow table.
    pub(crate) fn table(&self) -> PyResult<PyTable> {
        let field = |(name, of, nullable): &(&'static str, DataType, bool)| Field::new(*name, of.clone(), *nullable);
        let schema = Arc::new(Schema::new(self.columns.iter().map(field).collect::<Vec<_>>()));
        let batch = RecordBatch::try_new(schema.clone(), self.arrays());
        let batch = batch.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        PyTable::try_new(vec![batch], schema)
    }
}
