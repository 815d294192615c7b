// SPDX-License-Identifier: MIT OR Apache-2.0
//! Specs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, fs};

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_report::SpecContext;
use gnomon_run::compile::{CompiledSpec, compile_file};
use gnomon_run::externs::ExternSources;

use crate::diagnostics::Diagnostics;
use crate::error::Error;
use crate::monitor::Monitor;

/// Properties against which traces are checked. It is cheap to clone, and can be shared between threads.
#[derive(Clone)]
pub struct Spec {
    pub(crate) compiled: Arc<CompiledSpec>,
    origin: Arc<SpecOrigin>,
}

struct SpecOrigin {
    /// The name in messages.
    name: String,
    /// The folder of files that the spec names.
    folder: PathBuf,
    warnings: Diagnostics,
}

impl Spec {
    /// Parses and checks the text of a spec.
    pub fn parse(text: &str) -> Result<Spec, Diagnostics> {
        Spec::named("<spec>", text, PathBuf::new())
    }

    /// Reads a spec from a file.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Spec, Error> {
        let path = path.as_ref();
        let text = fs::read_to_string(path).map_err(|error| Error::file(path, error))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Ok(Spec::named(&path.to_string_lossy(), text, folder)?)
    }

    fn named(name: &str, text: &str, folder: PathBuf) -> Result<Spec, Diagnostics> {
        let (compiled, mut list) = compile_file(name, text, &[]);
        let compiled = compiled.filter(|compiled| {
            let is_empty = compiled.properties.is_empty();
            if is_empty {
                let help = "write one, for example `soloist calm { G(!alarm) }`";
                list.push(Diagnostic::error("G0709", Span::default(), "the spec has no property").help(help));
            }
            !is_empty
        });
        let warnings = Diagnostics::new(name, text, list);
        let Some(compiled) = compiled else { return Err(warnings.errors()) };
        let origin = SpecOrigin { name: name.to_owned(), folder, warnings };
        Ok(Spec { compiled: Arc::new(compiled), origin: Arc::new(origin) })
    }

    /// Returns the text of the spec.
    pub fn text(&self) -> &str {
        &self.compiled.source
    }

    /// Lists the names of the properties.
    pub fn properties(&self) -> impl Iterator<Item = &str> {
        self.compiled.properties().map(|property| property.name.as_str())
    }

    /// Returns the warnings about the spec.
    pub fn warnings(&self) -> &Diagnostics {
        &self.origin.warnings
    }

    /// Starts a monitor for the events of a program.
    pub fn monitor(&self) -> Monitor {
        Monitor::new(self, None)
    }

    /// Starts a monitor for which the events that share a value of this field are a trace of their own: a session, an order.
    pub fn monitor_by(&self, field: &str) -> Monitor {
        Monitor::new(self, Some(field))
    }

    /// Restores a monitor that [`Monitor::save`] saved.
    pub fn restore(&self, state: &[u8]) -> Result<Monitor, Error> {
        Monitor::restore(self, state)
    }

    pub(crate) fn context(&self) -> SpecContext<'_> {
        SpecContext { spec_name: &self.origin.name, compiled: &self.compiled }
    }

    /// Returns the access to external variables.
    pub(crate) fn sources(&self) -> ExternSources {
        ExternSources::beside(self.origin.folder.clone())
    }

    pub(crate) fn diagnostics(&self, list: Vec<Diagnostic>) -> Diagnostics {
        Diagnostics::new(&self.origin.name, self.text(), list)
    }
}

impl fmt::Debug for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spec").field("properties", &self.properties().collect::<Vec<_>>()).finish_non_exhaustive()
    }
}
