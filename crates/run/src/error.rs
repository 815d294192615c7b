// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a trace could not be judged.

use std::fmt;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_trace::TraceError;

/// Why a trace could not be judged.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Trace(TraceError),
    Spec(Box<Diagnostic>),
}

impl Error {
    pub(crate) fn spec(diagnostic: Diagnostic) -> Self {
        Error { kind: Kind::Spec(Box::new(diagnostic)) }
    }

    /// What is wrong with the trace, or with reading it.
    pub fn trace(&self) -> Option<&TraceError> {
        match &self.kind {
            Kind::Trace(error) => Some(error),
            Kind::Spec(_) => None,
        }
    }

    /// What is wrong with the spec for this trace.
    pub fn diagnostic(&self) -> Option<&Diagnostic> {
        match &self.kind {
            Kind::Spec(diagnostic) => Some(diagnostic),
            Kind::Trace(_) => None,
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
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            Kind::Trace(error) => Some(error),
            Kind::Spec(_) => None,
        }
    }
}
