// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hashes of texts, the same on every machine: cases are assigned to partitions by them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, Int64Array};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3_arrow::PyArray;

/// Returns a number for each text; 0 for null.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "made for the call, of what Python hands over")]
pub(crate) fn text_numbers(texts: PyArray) -> PyResult<PyArray> {
    let array = texts.array();
    let numbers: Int64Array = match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().map(number).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().map(number).collect(),
        DataType::Utf8View => array.as_string_view().iter().map(number).collect(),
        other => return Err(PyTypeError::new_err(format!("texts are expected, not {other}"))),
    };
    Ok(PyArray::from_array_ref(Arc::new(numbers)))
}

/// Computes the 64-bit FNV-1a hash.
fn number(text: Option<&str>) -> i64 {
    const BASIS: u64 = 0xCBF2_9CE4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01B3;
    let hash = |text: &str| text.bytes().fold(BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
    text.map_or(0, hash) as i64
}
