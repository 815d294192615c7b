// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors of a run.

use gnomon_core::diagnostic::Diagnostic;
use gnomon_trace::TraceError;

use crate::offline::Overload;
use crate::offline::stats::IntervalError;

/// A reason why a trace could not be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The trace is malformed or cannot be read.
    #[error("{0}")]
    Trace(#[from] TraceError),
    /// The spec does not fit the trace.
    #[error("{}", .0.message)]
    Spec(Box<Diagnostic>),
    /// The monitors exceed a limit.
    #[error("{0}")]
    Overload(Overload),
    /// Statistics cannot be kept at the requested interval.
    #[error("{0}")]
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
