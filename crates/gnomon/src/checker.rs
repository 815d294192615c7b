// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks of recorded traces.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use gnomon_core::verdict::End;
use gnomon_run::offline::{DivideBy, Listener, NamedInput, Options, judge_reopenable};

use crate::error::Error;
use crate::outcome::Report;
use crate::spec::Spec;

/// Checks a file of any format. [`Checker`] has options.
pub fn check(spec: &Spec, path: impl AsRef<Path>) -> Result<Report, Error> {
    Checker::new(spec).file(path)
}

/// Options of a check.
///
/// ```
/// let spec = gnomon::Spec::parse("mtl calm { G !alarm }")?;
/// let log = "event,time,room\nping,1,a\nalarm,3,b\n";
/// let report = gnomon::Checker::new(&spec).by("room").reader("day.csv", log.as_bytes())?;
/// assert_eq!(report.violations().next().unwrap().case(), Some("b"));
/// # Ok::<(), gnomon::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Checker {
    spec: Spec,
    options: Options,
}

impl Checker {
    /// Creates a check of whole traces that are complete.
    pub fn new(spec: &Spec) -> Checker {
        Checker { spec: spec.clone(), options: Options { sources: Some(spec.sources()), ..Options::default() } }
    }

    /// Checks the events that share a value of this field as a trace of their own.
    #[must_use]
    pub fn by(mut self, field: &str) -> Checker {
        self.options.by = DivideBy::Field(field.to_owned());
        self
    }

    /// Takes the trace as the beginning of a longer one: what is not decided yet is inconclusive.
    #[must_use]
    pub fn prefix(mut self) -> Checker {
        self.options.end = End::Prefix;
        self
    }

    /// Uses up to this many threads.
    #[must_use]
    pub fn jobs(mut self, threads: usize) -> Checker {
        self.options.jobs = threads.max(1);
        self
    }

    /// Checks a file. Its format is detected.
    pub fn file(&self, path: impl AsRef<Path>) -> Result<Report, Error> {
        let path = path.as_ref();
        let name = path.to_string_lossy().into_owned();
        let open = || {
            let file = File::open(path)?;
            let metadata = file.metadata()?;
            if metadata.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            // A pipe or a device does not support random access.
            Ok(if metadata.is_file() { NamedInput::file(name, file) } else { NamedInput::stream(name, file) })
        };
        self.run(open().map_err(|error| Error::file(path, error))?)
    }

    /// Checks the bytes of a reader, such as a slice, a pipe or a socket. The extension of `name` may determine the format.
    pub fn reader(&self, name: &str, bytes: impl Read + Send + 'static) -> Result<Report, Error> {
        self.run(NamedInput::stream(name.to_owned(), bytes))
    }

    fn run(&self, input: NamedInput) -> Result<Report, Error> {
        let report = judge_reopenable(&self.spec.compiled, input, &self.options, &mut Silent);
        let report = report.map_err(|error| Error::run(error, &self.spec))?;
        if let (DivideBy::Field(field), Some(cases)) = (&self.options.by, &report.cases)
            && cases.total == 0
            && cases.without > 0
        {
            return Err(Error::no_cases(&report.source, field));
        }
        Ok(Report::new(self.spec.clone(), report))
    }
}

/// Ignores progress.
struct Silent;

impl Listener for Silent {}
