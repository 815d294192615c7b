// SPDX-License-Identifier: MIT OR Apache-2.0
//! What went wrong, as exceptions that show the picture which the command line draws.

use gnomon::diagnostic::{Diagnostic, Severity, line_column};
use gnomon::report::text::failure::Failure;
use gnomon::report::text::paint::Paint;
use gnomon::report::text::{diagnostic, line::sanitised};
use gnomon::trace::TraceError;
use pyo3::prelude::*;

use crate::spec::Source;

/// The module that has the classes of exceptions.
const MODULE: &str = "gnomon.errors";

/// What a diagnostic says, before it is a Python object.
pub(crate) struct Told<'a> {
    pub(crate) code: &'a str,
    pub(crate) severity: &'a str,
    pub(crate) message: &'a str,
    pub(crate) line: Option<u64>,
    pub(crate) column: Option<u64>,
    pub(crate) help: Option<&'a str>,
    pub(crate) notes: &'a [String],
    pub(crate) rendered: String,
}

impl Told<'_> {
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

/// An exception of this class about these.
pub(crate) fn raise(class: &str, told: &[Told<'_>]) -> PyErr {
    Python::attach(|py| {
        let made = || {
            let objects = told.iter().map(|told| told.object(py)).collect::<PyResult<Vec<_>>>()?;
            py.import(MODULE)?.getattr(class)?.call1((objects,))
        };
        match made() {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    })
}

/// What diagnostics of a spec say, in the order of its text.
pub(crate) fn of_spec<'a>(source: &Source, diagnostics: &'a [Diagnostic]) -> Vec<Told<'a>> {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|diagnostic| diagnostic.primary.span.start);
    let told = |of: &'a Diagnostic| {
        let (line, column) = line_column(&source.text, of.primary.span.start as usize);
        Told {
            code: of.code,
            severity: match of.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            },
            message: &of.message,
            line: Some(line as u64),
            column: Some(column as u64),
            help: of.help.as_ref().map(|help| help.text.as_str()),
            notes: &of.notes,
            rendered: diagnostic::render(of, &source.name, &source.text, Paint::PLAIN),
        }
    };
    sorted.into_iter().map(told).collect()
}

/// A spec that cannot be used, for a reason that has no place in its text.
pub(crate) fn spec_failure(code: &'static str, source: &Source, message: &str, help: &str) -> PyErr {
    let failure = Failure::new(code, message).at(sanitised(&source.name)).help(help);
    raise("SpecError", &[plain(code, message, help, failure.render(Paint::PLAIN))])
}

/// An argument that cannot be used.
pub(crate) fn argument(message: impl Into<String>) -> PyErr {
    pyo3::exceptions::PyValueError::new_err(message.into())
}

fn plain<'a>(code: &'a str, message: &'a str, help: &'a str, rendered: String) -> Told<'a> {
    Told { code, severity: "error", message, line: None, column: None, help: Some(help), notes: &[], rendered }
}

/// Why a trace could not be judged.
pub(crate) fn of_run(source: &Source, error: &gnomon::Error) -> PyErr {
    if let Some(diagnostic) = error.diagnostic() {
        return raise("SpecError", &of_spec(source, std::slice::from_ref(diagnostic)));
    }
    if let Some(error) = error.trace() {
        return of_trace(error);
    }
    let message = error.to_string();
    let help = "allow more with `max_bindings` or `max_memory`, judge fewer properties at a time with `properties`, or judge each \
                session on its own with `by`";
    let failure = Failure::new("G0712", &message).at(sanitised(&source.name)).help(help);
    raise("LimitError", &[plain("G0712", &message, help, failure.render(Paint::PLAIN))])
}

/// What is wrong with a trace.
pub(crate) fn of_trace(error: &TraceError) -> PyErr {
    let told = Told {
        code: error.code(),
        severity: "error",
        message: error.message(),
        line: Some(error.line()),
        column: Some(error.column()),
        help: error.help(),
        notes: &[],
        rendered: Failure::of_trace(error).render(Paint::PLAIN),
    };
    raise("TraceError", &[told])
}

/// No event has the field whose values would be the cases.
pub(crate) fn no_cases(source: &str, field: &str) -> PyErr {
    let message = format!("no event has the field `{field}`, so there is no case to judge");
    let help = "check the name that `by` is given; names are told apart by case";
    let failure = Failure::new("G0710", &message).at(source).help(help);
    raise("TraceError", &[plain("G0710", &message, help, failure.render(Paint::PLAIN))])
}
