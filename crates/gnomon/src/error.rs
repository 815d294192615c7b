// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors of checks and monitors.

use std::path::Path;
use std::{fmt, io};

use gnomon_report::text::failure::Failure;
use gnomon_report::text::paint::Paint;
use gnomon_run::online::ResumeError;

use crate::diagnostics::Diagnostics;
use crate::spec::Spec;

/// A reason why a spec, a trace or an event cannot be used.
///
/// Its text says where, what, and what to do about it, in several lines.
pub struct Error {
    code: &'static str,
    text: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Returns the code, such as `G0508`. `gnomon explain G0508` prints its page.
    pub fn code(&self) -> &'static str {
        self.code
    }

    fn failure(code: &'static str, failure: &Failure) -> Error {
        Error { code, text: failure.render(Paint::PLAIN).trim_end().to_owned(), source: None }
    }

    /// Creates the error of a file that cannot be opened or read.
    pub(crate) fn file(path: &Path, error: io::Error) -> Error {
        let name = path.display();
        let (code, message, help) = match error.kind() {
            io::ErrorKind::NotFound => (
                "G0701",
                format!("there is no file `{name}`"),
                "check the path, and the folder that the program runs in",
            ),
            io::ErrorKind::IsADirectory => ("G0702", format!("`{name}` is a folder, not a file"), "name a file"),
            io::ErrorKind::InvalidData => ("G0704", format!("`{name}` is not UTF-8 text"), "save the file as UTF-8"),
            _ => {
                let help = "check the file's permissions and the disk it is on";
                ("G0703", format!("`{name}` cannot be read: {error}"), help)
            }
        };
        Error { source: Some(error.into()), ..Error::failure(code, &Failure::new(code, message).help(help)) }
    }

    /// Converts the error of a run.
    pub(crate) fn run(error: gnomon_run::Error, spec: &Spec) -> Error {
        let converted = match &error {
            gnomon_run::Error::Spec(diagnostic) => {
                return spec.diagnostics(vec![(**diagnostic).clone()]).into();
            }
            gnomon_run::Error::Trace(error) => Error::failure(error.code(), &Failure::of_trace(error)),
            error => Error::failure("G0712", &Failure::new("G0712", error.to_string())),
        };
        Error { source: Some(error.into()), ..converted }
    }

    /// Creates the error that no event has the field of the cases.
    pub(crate) fn no_cases(trace: &str, field: &str) -> Error {
        let message = format!("no event has the field `{field}`, so there is no case to check");
        let help = "check the name of the field; names are case-sensitive";
        Error::failure("G0710", &Failure::new("G0710", message).at(trace).help(help))
    }

    /// Creates the error of a saved monitor that cannot be restored.
    pub(crate) fn state(error: ResumeError) -> Error {
        let failure = Failure::new("G0713", format!("the monitor cannot be restored: {error}"))
            .help("restore it with the spec and the version of gnomon with which it was saved");
        Error { source: Some(error.into()), ..Error::failure("G0713", &failure) }
    }
}

impl From<Diagnostics> for Error {
    fn from(diagnostics: Diagnostics) -> Error {
        let code = diagnostics.codes().next().unwrap_or_default();
        Error { code, text: diagnostics.to_string(), source: None }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Error {
    /// Writes the same text as `Display`, so that `unwrap` and a `main` that returns an error show it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}
