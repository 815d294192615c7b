// SPDX-License-Identifier: MIT OR Apache-2.0
//! Converts values of Python to values of events, and times to the text that a file would have.

use std::borrow::Cow;

use gnomon::number::{Number, NumberError};
use gnomon::value::Value;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

/// Deeper values are refused, as they are in files.
const MAX_DEPTH: usize = 64;

/// Converts the value of a field.
pub(crate) fn value(of: &Bound<'_, PyAny>) -> PyResult<Value<'static>> {
    nested(of, 0)
}

fn nested(of: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value<'static>> {
    if depth > MAX_DEPTH {
        return Err(PyValueError::new_err(format!("a value is nested more than {MAX_DEPTH} levels deep")));
    }
    if let Ok(text) = of.cast::<PyString>() {
        return Ok(Value::Text(Cow::Owned(text.to_cow()?.into_owned())));
    }
    if of.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(truth) = of.cast::<PyBool>() {
        return Ok(Value::Bool(truth.is_true()));
    }
    if let Ok(number) = of.cast::<PyInt>() {
        return match number.extract::<i64>() {
            Ok(number) => Ok(Value::Number(Number::Int(number))),
            Err(_) => of_text(&number.str()?.to_cow()?),
        };
    }
    if let Ok(number) = of.cast::<PyFloat>() {
        return Ok(float(number.value()));
    }
    if let Ok(map) = of.cast::<PyDict>() {
        let mut entries = Vec::with_capacity(map.len());
        for (key, item) in map {
            entries.push((Cow::Owned(text_of_key(&key)?), nested(&item, depth + 1)?));
        }
        return Ok(Value::Map(entries));
    }
    if of.is_instance_of::<PyList>() || of.is_instance_of::<PyTuple>() {
        let items = of.try_iter()?.map(|item| nested(&item?, depth + 1)).collect::<PyResult<_>>()?;
        return Ok(Value::List(items));
    }
    foreign(of, depth)
}

/// Converts types of the standard library and of `NumPy`, recognised by their methods.
fn foreign(of: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value<'static>> {
    let kind = of.get_type();
    let name = kind.name()?;
    match &*name.to_cow()? {
        "Decimal" => return of_text(&of.str()?.to_cow()?),
        "UUID" => return Ok(Value::Text(Cow::Owned(of.str()?.to_cow()?.into_owned()))),
        _ => {}
    }
    if of.hasattr("isoformat")? {
        return Ok(Value::Text(Cow::Owned(date_time(of)?)));
    }
    // A scalar of `NumPy`, a member of an enumeration.
    for (method, called) in [("item", true), ("value", false)] {
        if let Ok(inner) = of.getattr(method) {
            let inner = if called { inner.call0()? } else { inner };
            if !inner.get_type().is(&kind) {
                return nested(&inner, depth + 1);
            }
        }
    }
    Err(PyTypeError::new_err(format!(
        "a value of type `{name}` cannot be a field of an event; use None, bool, int, float, Decimal, str, a date or time, list or dict"
    )))
}

/// Parses a number with all its digits.
fn of_text(text: &str) -> PyResult<Value<'static>> {
    Number::parse(text).map(Value::Number).map_err(|error| {
        PyValueError::new_err(match error {
            NumberError::Malformed => format!("`{text}` is not a number that an event can have"),
            NumberError::OutOfRange => format!("the number {text} has more than 128 bits; {}", NumberError::HELP),
        })
    })
}

/// Converts a float to the number that it stands for, and NaN to null.
fn float(number: f64) -> Value<'static> {
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

pub(crate) fn text_of_key(key: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = key.cast::<PyString>().map_err(|_| {
        let kind = key.get_type().name().map(|name| name.to_string()).unwrap_or_default();
        PyTypeError::new_err(format!("the name of a field must be a str, not `{kind}`"))
    })?;
    Ok(text.to_cow()?.into_owned())
}

/// Converts a time to the text that a file would have.
pub(crate) fn time(of: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if of.is_none() {
        return Ok(None);
    }
    if let Ok(text) = of.cast::<PyString>() {
        return Ok(Some(text.to_cow()?.into_owned()));
    }
    if of.is_instance_of::<PyBool>() {
        return Err(not_a_time(of));
    }
    if of.is_instance_of::<PyInt>() {
        return Ok(Some(of.str()?.to_cow()?.into_owned()));
    }
    if let Ok(number) = of.cast::<PyFloat>() {
        // Without an exponent, and with the fewest digits that identify the number.
        return Ok(Some(number.value().to_string()));
    }
    if of.hasattr("isoformat")? {
        return date_time(of).map(Some);
    }
    let name = of.get_type().name()?.to_cow()?.into_owned();
    match name.as_str() {
        "Decimal" => Ok(Some(of.call_method1("__format__", ("f",))?.extract()?)),
        "datetime64" => {
            let text: String = of.str()?.extract()?;
            Ok(Some(text))
        }
        _ => match of.getattr("item") {
            Ok(item) => time(&item.call0()?),
            Err(_) => Err(not_a_time(of)),
        },
    }
}

/// Converts a date or a date-time. Without a zone it is in UTC, as in a file.
fn date_time(of: &Bound<'_, PyAny>) -> PyResult<String> {
    // A Timestamp of pandas has nanoseconds, which its own text contains.
    of.call_method0("isoformat")?.extract()
}

fn not_a_time(of: &Bound<'_, PyAny>) -> PyErr {
    let kind = of.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    PyTypeError::new_err(format!("a time cannot be of type `{kind}`; use int, float, Decimal, str, date or datetime"))
}
