// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes and record batches that come from Python.

use std::io::{self, Read};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::interrupt::Interrupt;

/// Larger batches are passed on in slices, so that an interrupt is noticed.
const MAX_ROWS: usize = 1 << 18;
/// Number of bytes that are read at a time.
const CHUNK: usize = 1 << 18;

/// A file object.
pub(crate) struct PyFile {
    file: Py<PyAny>,
    chunk: Vec<u8>,
    at: usize,
    interrupt: Arc<Interrupt>,
}

impl PyFile {
    pub(crate) fn new(file: Py<PyAny>, interrupt: Arc<Interrupt>) -> PyFile {
        PyFile { file, chunk: Vec::new(), at: 0, interrupt }
    }

    fn read_chunk(&self) -> PyResult<Vec<u8>> {
        Python::attach(|py| {
            let read = self.file.call_method1(py, "read", (CHUNK,))?;
            let read = read.bind(py);
            if let Ok(bytes) = read.cast::<PyBytes>() {
                return Ok(bytes.as_bytes().to_vec());
            }
            if let Ok(text) = read.cast::<PyString>() {
                return Ok(text.to_cow()?.as_bytes().to_vec());
            }
            read.extract()
        })
    }
}

impl Read for PyFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.interrupt.check()?;
        if self.at == self.chunk.len() {
            self.chunk = self.interrupt.keep(self.read_chunk())?;
            self.at = 0;
        }
        let rest = &self.chunk[self.at..];
        let length = rest.len().min(into.len());
        into[..length].copy_from_slice(&rest[..length]);
        self.at += length;
        Ok(length)
    }
}

/// Record batches, sliced without copying.
pub(crate) struct BatchSlices {
    reader: Box<dyn RecordBatchReader + Send>,
    rest: Option<RecordBatch>,
    interrupt: Arc<Interrupt>,
}

impl BatchSlices {
    pub(crate) fn new(reader: Box<dyn RecordBatchReader + Send>, interrupt: Arc<Interrupt>) -> BatchSlices {
        BatchSlices { reader, rest: None, interrupt }
    }
}

impl Iterator for BatchSlices {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Err(error) = self.interrupt.check() {
            return Some(Err(ArrowError::from_external_error(Box::new(error))));
        }
        let batch = match self.rest.take() {
            Some(batch) => batch,
            None => match self.reader.next()? {
                Ok(batch) => batch,
                Err(error) => return Some(Err(error)),
            },
        };
        if batch.num_rows() <= MAX_ROWS {
            return Some(Ok(batch));
        }
        self.rest = Some(batch.slice(MAX_ROWS, batch.num_rows() - MAX_ROWS));
        Some(Ok(batch.slice(0, MAX_ROWS)))
    }
}

impl RecordBatchReader for BatchSlices {
    fn schema(&self) -> SchemaRef {
        self.reader.schema()
    }
}
