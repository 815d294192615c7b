// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events that Python creates: mappings, or tuples of name, time and fields.

use std::io;
use std::sync::Arc;

use gnomon::trace::WrittenEvent;
use gnomon::value::Value;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyTuple};

use crate::interrupt::Interrupt;
use crate::values;

/// Number of events that are converted at a time, so that the interpreter lock is rarely taken.
const BATCH: usize = 1024;

/// The keys of mappings that have the name and the time of an event.
#[derive(Clone, Debug)]
pub(crate) struct EventKeys {
    pub(crate) event: Option<String>,
    pub(crate) time: Option<String>,
}

const NAMES: [&str; 2] = ["event", "name"];
const TIMES: [&str; 3] = ["time", "timestamp", "ts"];

impl EventKeys {
    /// Converts an event of Python.
    pub(crate) fn event(&self, event: &Bound<'_, PyAny>) -> PyResult<WrittenEvent> {
        if let Ok(tuple) = event.cast::<PyTuple>()
            && !event.hasattr("_fields")?
        {
            return from_tuple(tuple);
        }
        if let Ok(dict) = event.cast::<PyDict>() {
            return self.event_of_entries(dict.iter().map(Ok));
        }
        if let Ok(mapping) = event.cast::<PyMapping>() {
            let items = mapping.items()?;
            return self.event_of_entries(items.try_iter()?.map(|item| item?.extract()));
        }
        let kind = event.get_type().name()?.to_cow()?.into_owned();
        Err(PyTypeError::new_err(format!(
            "an event must be a mapping such as {{'event': 'login', 'time': 3, 'user': 'ann'}} or a tuple \
             (name, time, fields), not `{kind}`"
        )))
    }

    fn event_of_entries<'py>(
        &self,
        entries: impl Iterator<Item = PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)>>,
    ) -> PyResult<WrittenEvent> {
        let mut entries = entries
            .map(|entry| entry.and_then(|(key, value)| Ok((values::text_of_key(&key)?, value))))
            .collect::<PyResult<Vec<_>>>()?;
        let named = |usual: &[&str], own: &Option<String>, entries: &[(String, Bound<'py, PyAny>)]| match own {
            Some(own) => entries.iter().position(|(key, _)| key == own),
            None => usual.iter().find_map(|usual| entries.iter().position(|(key, _)| key == usual)),
        };
        let Some(name) = named(&NAMES, &self.event, &entries) else {
            let wanted = self.event.as_deref().unwrap_or("event");
            return Err(PyValueError::new_err(format!(
                "an event has no `{wanted}`, which would be its name; say which key has it with `event=...`"
            )));
        };
        let (_, name) = entries.remove(name);
        let name: String = name.extract()?;
        let time = match named(&TIMES, &self.time, &entries) {
            Some(time) => values::time(&entries.remove(time).1)?,
            None => None,
        };
        let fields = entries.into_iter().map(|(key, value)| Ok((key, values::value(&value)?)));
        Ok(WrittenEvent { name, time, fields: fields.collect::<PyResult<_>>()? })
    }
}

fn from_tuple(tuple: &Bound<'_, PyTuple>) -> PyResult<WrittenEvent> {
    let (name, time) = match tuple.len() {
        2 | 3 => (tuple.get_item(0)?.extract()?, values::time(&tuple.get_item(1)?)?),
        other => {
            return Err(PyValueError::new_err(format!(
                "an event that is a tuple is (name, time) or (name, time, fields), and this one has {other} parts"
            )));
        }
    };
    let fields = if tuple.len() == 3 { fields(tuple.get_item(2)?.cast::<PyDict>()?)? } else { vec![] };
    Ok(WrittenEvent { name, time, fields })
}

/// Converts the fields of an event.
pub(crate) fn fields(dict: &Bound<'_, PyDict>) -> PyResult<Vec<(String, Value<'static>)>> {
    dict.iter().map(|(key, value)| Ok((values::text_of_key(&key)?, values::value(&value)?))).collect()
}

/// The events of an iterable of Python, taken many at a time.
pub(crate) struct PyEvents {
    iterator: Py<PyAny>,
    keys: EventKeys,
    ready: std::vec::IntoIter<WrittenEvent>,
    /// The failure that comes after the events that are ready.
    failed: Option<io::Error>,
    interrupt: Arc<Interrupt>,
    ended: bool,
}

impl PyEvents {
    pub(crate) fn new(iterable: &Bound<'_, PyAny>, keys: EventKeys, interrupt: Arc<Interrupt>) -> PyResult<PyEvents> {
        let iterator = iterable.try_iter()?.into_any().unbind();
        Ok(PyEvents { iterator, keys, ready: Vec::new().into_iter(), failed: None, interrupt, ended: false })
    }

    fn fill(&mut self) -> PyResult<()> {
        let mut batch = Vec::with_capacity(BATCH);
        let result = Python::attach(|py| {
            let mut iterator = self.iterator.bind(py).try_iter()?;
            while batch.len() < BATCH {
                let Some(event) = iterator.next() else {
                    self.ended = true;
                    break;
                };
                batch.push(self.keys.event(&event?)?);
            }
            Ok(())
        });
        self.ready = batch.into_iter();
        result
    }
}

impl Iterator for PyEvents {
    type Item = io::Result<WrittenEvent>;

    fn next(&mut self) -> Option<io::Result<WrittenEvent>> {
        if let Some(event) = self.ready.next() {
            return Some(Ok(event));
        }
        if self.ended {
            return self.failed.take().map(Err);
        }
        // A failure is reported after the events before it; then nothing more is read.
        let filled = self.interrupt.check().and_then(|()| {
            let filled = self.fill();
            self.interrupt.keep(filled)
        });
        if let Err(error) = filled {
            (self.failed, self.ended) = (Some(error), true);
        }
        self.ready.next().map(Ok).or_else(|| self.failed.take().map(Err))
    }
}
