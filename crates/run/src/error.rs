// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors of a run.

use std::fmt;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_trace::TraceError;

use crate::offline::Overload;
use crate::offline::stats::IntervalError;

/// A reason why a trace could not be checked.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The trace is malformed or cannot be read.
    Trace(TraceError),
    /// The spec does not fit the trace.
    Spec(Box<Diagnostic>),
    /// The monitors exceed a limit.
    Overload(Overload),
    /// Statistics cannot be kept at the requested interval.
    Interval(IntervalError),
}

impl Error {
    pub(crate) fn spec(diagnostic: Diagnostic) -> Self {
        Error::Spec(Box::new(diagnostic))
    }

    /// Returns the error of the trace or of reading it.
    pub fn trace(&self) -> Option<&TraceError> {
        if let Error::Trace(error) = self { Some(error) } else { None }
    }

    /// Returns the diagnostic about the spec.
    pub fn diagnostic(&self) -> Option<&Diagnostic> {
        if let Error::Spec(diagnostic) = self { Some(diagnostic) } else { None }
    }
}

impl From<TraceError> for Error {
    fn from(error: TraceError) -> Self {
        Error::Trace(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Trace(error) => error.fmt(f),
            Error::Spec(diagnostic) => f.write_str(&diagnostic.message),
            Error::Overload(overload) => overload.fmt(f),
            Error::Interval(interval) => interval.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.trace().map(|error| error as _)
    }
}
