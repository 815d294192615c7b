// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a trace could not be judged.

use std::fmt;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_trace::TraceError;

use crate::offline::Overload;
use crate::offline::stats::BadInterval;

/// Why a trace could not be judged.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Trace(TraceError),
    Spec(Box<Diagnostic>),
    Overload(Overload),
    Interval(BadInterval),
}

impl Error {
    pub(crate) fn spec(diagnostic: Diagnostic) -> Self {
        Error { kind: Kind::Spec(Box::new(diagnostic)) }
    }

    pub(crate) fn overload(overload: Overload) -> Self {
        Error { kind: Kind::Overload(overload) }
    }

    pub(crate) fn interval(interval: BadInterval) -> Self {
        Error { kind: Kind::Interval(interval) }
    }

    /// Why statistics cannot be told at the interval that was asked for.
    pub fn as_interval(&self) -> Option<&BadInterval> {
        match &self.kind {
            Kind::Interval(interval) => Some(interval),
            Kind::Trace(_) | Kind::Spec(_) | Kind::Overload(_) => None,
        }
    }

    /// What took more than it may.
    pub fn as_overload(&self) -> Option<&Overload> {
        match &self.kind {
            Kind::Overload(overload) => Some(overload),
            Kind::Trace(_) | Kind::Spec(_) | Kind::Interval(_) => None,
        }
    }

    /// What is wrong with the trace, or with reading it.
    pub fn trace(&self) -> Option<&TraceError> {
        match &self.kind {
            Kind::Trace(error) => Some(error),
            Kind::Spec(_) | Kind::Overload(_) | Kind::Interval(_) => None,
        }
    }

    /// What is wrong with the spec for this trace.
    pub fn diagnostic(&self) -> Option<&Diagnostic> {
        match &self.kind {
            Kind::Spec(diagnostic) => Some(diagnostic),
            Kind::Trace(_) | Kind::Overload(_) | Kind::Interval(_) => None,
        }
    }
}

impl From<TraceError> for Error {
    fn from(error: TraceError) -> Self {
        Error { kind: Kind::Trace(error) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Trace(error) => error.fmt(f),
            Kind::Spec(diagnostic) => f.write_str(&diagnostic.message),
            Kind::Overload(overload) => overload.fmt(f),
            Kind::Interval(interval) => interval.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            Kind::Trace(error) => Some(error),
            Kind::Spec(_) | Kind::Overload(_) | Kind::Interval(_) => None,
        }
    }
}
