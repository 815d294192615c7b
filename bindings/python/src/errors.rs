// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors as exceptions whose text is the drawing of the command line.

use gnomon::diagnostic::{Diagnostic, line_column};
use gnomon::report::text::failure::Failure;
use gnomon::report::text::paint::Paint;
use gnomon::report::text::{diagnostic, line::sanitised};
use gnomon::trace::TraceError;
use pyo3::prelude::*;

use crate::spec::SpecSource;

/// The module with the classes of exceptions.
const MODULE: &str = "gnomon.errors";

/// The fields of a diagnostic, before it is a Python object.
pub(crate) struct DiagnosticFields<'a> {
    pub(crate) code: &'a str,
    pub(crate) severity: &'a str,
    pub(crate) message: &'a str,
    pub(crate) line: Option<u64>,
    pub(crate) column: Option<u64>,
    pub(crate) help: Option<&'a str>,
    pub(crate) notes: &'a [String],
    pub(crate) rendered: String,
}

impl DiagnosticFields<'_> {
    pub(crate) fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let class = py.import(MODULE)?.getattr("Diagnostic")?;
        class.call1((
            self.code,
            self.severity,
            self.message,
            self.line,
            self.column,
            self.help,
            self.notes.to_vec(),
            &self.rendered,
        ))
    }
}

/// Creates an exception of this class with these diagnostics.
pub(crate) fn raise(class: &str, diagnostics: &[DiagnosticFields<'_>]) -> PyErr {
    Python::attach(|py| {
        let create = || {
            let objects = diagnostics.iter().map(|one| one.object(py)).collect::<PyResult<Vec<_>>>()?;
            py.import(MODULE)?.getattr(class)?.call1((objects,))
        };
        create().map_or_else(|error| error, PyErr::from_value)
    })
}

/// Returns the fields of the diagnostics of a spec, in the order of its text.
pub(crate) fn of_spec<'a>(source: &SpecSource, diagnostics: &'a [Diagnostic]) -> Vec<DiagnosticFields<'a>> {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|diagnostic| diagnostic.primary.span.start);
    let fields = |of: &'a Diagnostic| {
        let (line, column) = line_column(&source.text, of.primary.span.start as usize);
        DiagnosticFields {
            code: of.code,
            severity: of.severity.word(),
            message: &of.message,
            line: Some(line as u64),
            column: Some(column as u64),
            help: of.help.as_ref().map(|help| help.text.as_str()),
            notes: &of.notes,
            rendered: diagnostic::render(of, &source.name, &source.text, Paint::PLAIN),
        }
    };
    sorted.into_iter().map(fields).collect()
}

/// Creates the exception for a spec that cannot be used, for a reason that has no location in its text.
pub(crate) fn spec_failure(code: &'static str, source: &SpecSource, message: &str, help: &str) -> PyErr {
    failure("SpecError", code, sanitised(&source.name), message, help)
}

/// Creates the exception for an argument that cannot be used.
pub(crate) fn argument(message: impl Into<String>) -> PyErr {
    pyo3::exceptions::PyValueError::new_err(message.into())
}

/// Creates an exception of this class with a single diagnostic that has no line.
fn failure(class: &str, code: &'static str, place: impl Into<String>, message: &str, help: &str) -> PyErr {
    let rendered = Failure::new(code, message).at(place).help(help).render(Paint::PLAIN);
    let (line, column, notes) = (None, None, &[][..]);
    raise(
        class,
        &[DiagnosticFields { code, severity: "error", message, line, column, help: Some(help), notes, rendered }],
    )
}

/// Converts the error of a run.
pub(crate) fn of_run(source: &SpecSource, error: &gnomon::run::Error) -> PyErr {
    if let Some(diagnostic) = error.diagnostic() {
        return raise("SpecError", &of_spec(source, std::slice::from_ref(diagnostic)));
    }
    if let Some(error) = error.trace() {
        return of_trace(error);
    }
    let message = error.to_string();
    let help = "allow more with `max_bindings` or `max_memory`, check fewer properties at a time with `properties`, or check each \
                session on its own with `by`";
    failure("LimitError", "G0712", sanitised(&source.name), &message, help)
}

/// Converts the error of a trace.
pub(crate) fn of_trace(error: &TraceError) -> PyErr {
    let fields = DiagnosticFields {
        code: error.code(),
        severity: "error",
        message: error.message(),
        line: Some(error.line()),
        column: Some(error.column()),
        help: error.help(),
        notes: &[],
        rendered: Failure::of_trace(error).render(Paint::PLAIN),
    };
    raise("TraceError", &[fields])
}

/// Creates the exception for a trace in which no event has the field of the cases.
pub(crate) fn no_cases(source: &str, field: &str) -> PyErr {
    let message = format!("no event has the field `{field}`, so there is no case to check");
    let help = "check the name that `by` is given; names are case-sensitive";
    failure("TraceError", "G0710", source, &message, help)
}
