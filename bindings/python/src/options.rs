// SPDX-License-Identifier: MIT OR Apache-2.0
//! How to judge, as Python says it.

use gnomon::offline::{By, Frame, Landmark, Limits, Mode, Options};
use gnomon::time::Quantity;
use gnomon::trace::{Format, Stamps};
use gnomon::verdict::End;
use pyo3::prelude::*;

use crate::errors::{argument, of_trace};
use crate::events::Keys;
use crate::spec::Spec;

/// An event's index, its time as it is written, and its name.
type Landmarked = (u64, String, String);

/// What `gnomon.check` was called with, its first two arguments left out.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Given {
    by: Option<String>,
    whole: bool,
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
    first: Option<Landmarked>,
    last: Option<Landmarked>,
    pub(crate) cases: bool,
    pub(crate) progress: Option<Py<PyAny>>,
}

impl Given {
    /// The same, for the library.
    pub(crate) fn options(&self, spec: &Spec) -> PyResult<Options> {
        let by = match (&self.by, self.whole) {
            (Some(field), _) => By::Field(field.clone()),
            (None, true) => By::Whole,
            (None, false) => By::Format,
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
            frame: self.frame(spec)?,
            event_field: self.event.clone(),
            time_field: self.time.clone(),
            ..Options::default()
        })
    }

    /// Where the whole trace begins and ends, of which this is a part.
    fn frame(&self, spec: &Spec) -> PyResult<Option<Frame>> {
        if self.first.is_none() && self.last.is_none() {
            return Ok(None);
        }
        let landmark = |(index, time, event): &Landmarked| {
            let time = Stamps::new(spec.about().clock()).event(event, Some(time)).map_err(|error| of_trace(&error))?;
            Ok::<_, PyErr>(Landmark { index: *index, time, event: event.clone() })
        };
        let first = self.first.as_ref().map(landmark).transpose()?;
        let last = self.last.as_ref().map(landmark).transpose()?;
        Ok(Some(Frame { first, last }))
    }

    /// The keys of events that are mappings.
    pub(crate) fn keys(&self, spec: &Spec) -> Keys {
        let declared = || spec.compiled.spec.time.field.clone();
        Keys { event: self.event.clone(), time: self.time.clone().or_else(declared) }
    }

    pub(crate) fn callback(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.progress.as_ref().map(|callback| callback.clone_ref(py))
    }
}

/// How a trace ends.
pub(crate) fn end(word: &str) -> PyResult<End> {
    match word {
        "complete" => Ok(End::Complete),
        "prefix" => Ok(End::Prefix),
        other => Err(argument(format!("`end` is \"complete\" or \"prefix\", not {other:?}"))),
    }
}

fn mode(word: &str) -> PyResult<Mode> {
    match word {
        "standard" => Ok(Mode::Standard),
        "critical" => Ok(Mode::Critical),
        other => Err(argument(format!("`mode` is \"standard\" or \"critical\", not {other:?}"))),
    }
}

fn format(word: &str) -> PyResult<Format> {
    Format::parse(word).ok_or_else(|| {
        let known: Vec<String> = Format::ALL.iter().map(|format| format!("{:?}", format.word())).collect();
        argument(format!("{word:?} is no format of traces; those are {}", known.join(", ")))
    })
}

fn quantity(text: &str) -> PyResult<Quantity> {
    Quantity::read(text).map_err(|error| argument(format!("`reorder`: {error}; write it like \"5s\" or \"12.5\"")))
}
