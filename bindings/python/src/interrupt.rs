// SPDX-License-Identifier: MIT OR Apache-2.0
//! What Python has against going on: a key that was pressed, a callback or an iterator that failed. Judging is ended by letting
//! the trace fail, and the exception is told instead of that.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use gnomon::offline::Listener;
use pyo3::prelude::*;

/// The first exception that came up while something was judged.
#[derive(Default)]
pub(crate) struct Interrupt {
    is_set: AtomicBool,
    error: Mutex<Option<PyErr>>,
}

impl Interrupt {
    /// Keeps an exception for later, and fails in its place.
    pub(crate) fn keep<T>(&self, result: PyResult<T>) -> io::Result<T> {
        result.map_err(|error| {
            self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            self.is_set.store(true, Ordering::Release);
            stopped()
        })
    }

    /// Fails if an exception came up.
    pub(crate) fn check(&self) -> io::Result<()> {
        if self.is_set.load(Ordering::Acquire) { Err(stopped()) } else { Ok(()) }
    }

    /// The exception, if one came up.
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn stopped() -> io::Error {
    io::Error::other("Python raised an exception")
}

/// Tells Python of progress, and hears from it.
pub(crate) struct Progress<'a> {
    pub(crate) callback: Option<Py<PyAny>>,
    pub(crate) interrupt: &'a Interrupt,
}

impl Listener for Progress<'_> {
    fn progress(&mut self, bytes: u64, events: u64) {
        let heard = Python::attach(|py| {
            py.check_signals()?;
            match &self.callback {
                Some(callback) => callback.call1(py, (bytes, events)).map(drop),
                None => Ok(()),
            }
        });
        // The trace fails when it is next read.
        let _ = self.interrupt.keep(heard);
    }
}
