// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options of a check, as Python passes them.

use gnomon::offline::{BoundaryEvent, DivideBy, Limits, Options, TraceBounds, ViolationMode};
use gnomon::time::Quantity;
use gnomon::trace::{Format, MonotonicTimes};
use gnomon::verdict::End;
use pyo3::prelude::*;

use crate::errors::{argument, of_trace};
use crate::events::EventKeys;
use crate::spec::Spec;

/// An event's index, its time as it is written, and its name.
type BoundaryTuple = (u64, String, String);

/// The keyword arguments of `gnomon.check`, and the name of the trace in messages.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
#[expect(clippy::struct_excessive_bools, reason = "one for one the options of Python")]
pub(crate) struct CheckOptions {
    pub(crate) name: String,
    by: Option<String>,
    whole: bool,
    /// The source can be read more than once.
    pub(crate) repeatable: bool,
    event: Option<String>,
    time: Option<String>,
    end: String,
    reorder: Option<String>,
    jobs: usize,
    max_violations: usize,
    max_bindings: Option<u64>,
    max_memory: Option<u64>,
    format: Option<String>,
    mode: Option<String>,
    externs: bool,
    first: Option<BoundaryTuple>,
    last: Option<BoundaryTuple>,
    pub(crate) cases: bool,
    pub(crate) progress: Option<Py<PyAny>>,
}

impl CheckOptions {
    /// Converts the options to those of the library.
    pub(crate) fn options(&self, spec: &Spec) -> PyResult<Options> {
        let by = match (&self.by, self.whole) {
            (Some(field), _) => DivideBy::Field(field.clone()),
            (None, true) => DivideBy::Whole,
            (None, false) => DivideBy::Format,
        };
        Ok(Options {
            format: self.format.as_deref().map(format).transpose()?,
            end: end(&self.end)?,
            reorder: self.reorder.as_deref().map(quantity).transpose()?,
            max_violations: self.max_violations,
            by,
            mode: self.mode.as_deref().map(mode).transpose()?,
            limits: Limits { bindings: self.max_bindings, memory: self.max_memory },
            jobs: self.jobs.max(1),
            sources: self.externs.then(|| spec.sources()),
            bounds: self.bounds(spec)?,
            event_field: self.event.clone(),
            time_field: self.time.clone(),
            ..Options::default()
        })
    }

    /// Returns the first and the last event of the whole trace, if this is a part of it.
    fn bounds(&self, spec: &Spec) -> PyResult<Option<TraceBounds>> {
        if self.first.is_none() && self.last.is_none() {
            return Ok(None);
        }
        let boundary = |(index, time, event): &BoundaryTuple| {
            let time =
                MonotonicTimes::new(spec.about().clock()).event(event, Some(time)).map_err(|error| of_trace(&error))?;
            Ok::<_, PyErr>(BoundaryEvent { index: *index, time, event: event.clone() })
        };
        let first = self.first.as_ref().map(boundary).transpose()?;
        let last = self.last.as_ref().map(boundary).transpose()?;
        Ok(Some(TraceBounds { first, last }))
    }

    /// Returns the keys of events that are mappings.
    pub(crate) fn keys(&self, spec: &Spec) -> EventKeys {
        let declared = || spec.compiled.spec.time.field.clone();
        EventKeys { event: self.event.clone(), time: self.time.clone().or_else(declared) }
    }

    pub(crate) fn callback(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.progress.as_ref().map(|callback| callback.clone_ref(py))
    }
}

/// Parses the end of a trace.
pub(crate) fn end(word: &str) -> PyResult<End> {
    one_of("end", word, [("complete", End::Complete), ("prefix", End::Prefix)])
}

fn mode(word: &str) -> PyResult<ViolationMode> {
    one_of("mode", word, [("standard", ViolationMode::Standard), ("critical", ViolationMode::Critical)])
}

/// Returns the value of a word that is one of two.
fn one_of<T>(option: &str, word: &str, [first, second]: [(&str, T); 2]) -> PyResult<T> {
    let message = format!("`{option}` is {:?} or {:?}, not {word:?}", first.0, second.0);
    let mut known = [first, second].into_iter();
    known.find(|(known, _)| *known == word).map(|(_, value)| value).ok_or_else(|| argument(message))
}

fn format(word: &str) -> PyResult<Format> {
    Format::parse(word).ok_or_else(|| {
        let known: Vec<String> = Format::ALL.iter().map(|format| format!("{:?}", format.word())).collect();
        argument(format!("{word:?} is not a format of traces; those are {}", known.join(", ")))
    })
}

fn quantity(text: &str) -> PyResult<Quantity> {
    Quantity::read(text).map_err(|error| argument(format!("`reorder`: {error}; write it like \"5s\" or \"12.5\"")))
}
