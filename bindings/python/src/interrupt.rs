// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exceptions of Python that stop a run: an interrupt from the keyboard, a callback or an iterator that fails.
//!
//! A run cannot return a Python exception. The exception is kept here, reading the trace fails with a placeholder, and the
//! exception is raised instead of the failure of the trace.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use gnomon::offline::Listener;
use pyo3::prelude::*;

use crate::errors::of_run;
use crate::spec::Spec;

/// The first exception that was raised during a run.
#[derive(Default)]
pub(crate) struct Interrupt {
    is_set: AtomicBool,
    error: Mutex<Option<PyErr>>,
}

impl Interrupt {
    /// Keeps an exception for later, and fails with a placeholder.
    pub(crate) fn keep<T>(&self, result: PyResult<T>) -> io::Result<T> {
        result.map_err(|error| {
            self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            self.is_set.store(true, Ordering::Release);
            stopped()
        })
    }

    /// Fails if an exception was raised.
    pub(crate) fn check(&self) -> io::Result<()> {
        if self.is_set.load(Ordering::Acquire) { Err(stopped()) } else { Ok(()) }
    }

    /// Returns the exception if one was raised, else the result of a run.
    pub(crate) fn finish<T>(&self, result: Result<T, gnomon::run::Error>, spec: &Spec) -> PyResult<T> {
        match self.error.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => result.map_err(|error| of_run(&spec.source, &error)),
        }
    }
}

fn stopped() -> io::Error {
    io::Error::other("Python raised an exception")
}

/// Reports progress to Python, and checks for interrupts.
pub(crate) struct ProgressCallback<'a> {
    pub(crate) callback: Option<Py<PyAny>>,
    pub(crate) interrupt: &'a Interrupt,
}

impl Listener for ProgressCallback<'_> {
    fn progress(&mut self, bytes: u64, events: u64) {
        let called = Python::attach(|py| {
            py.check_signals()?;
            match &self.callback {
                Some(callback) => callback.call1(py, (bytes, events)).map(drop),
                None => Ok(()),
            }
        });
        // The next read of the trace fails.
        let _ = self.interrupt.keep(called);
    }
}
