// SPDX-License-Identifier: MIT OR Apache-2.0
//! A spec file of the user: reading, compiling, and printing its diagnostics.

use std::path::{Path, PathBuf};

use gnomon::compile::{CompiledSpec, compile_file, unknown_events};
use gnomon::diagnostic::{Diagnostic, Severity, Span};
use gnomon::time::Clock;
use gnomon::trace::ReaderSetup;

use crate::args::CatalogueArguments;
use crate::catalogue;
use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::outcome::CommandError;
use crate::render::diagnostic;
use crate::render::line::sanitised;
use crate::render::numbers::counted;
use crate::similar::closest;

/// A spec as the user named it.
pub(crate) struct SpecFile {
    /// The name in messages.
    pub(crate) name: String,
    pub(crate) text: String,
    /// The folder in which files named by the spec are looked for.
    pub(crate) folder: PathBuf,
    /// The messages that catalogues describe; `None` without catalogues.
    messages: Option<Vec<String>>,
}

impl SpecFile {
    pub(crate) fn read(path: &str) -> Result<SpecFile, Failure> {
        let text = files::read_text(path, "spec")?;
        let folder = Path::new(path).parent().map(Path::to_path_buf).unwrap_or_default();
        Ok(SpecFile { folder, ..SpecFile::of_text(files::display_name(path), text) })
    }

    /// Creates a spec that is not in a file.
    pub(crate) fn of_text(name: &str, text: String) -> SpecFile {
        SpecFile { name: name.to_owned(), text, folder: PathBuf::new(), messages: None }
    }

    /// Adds the messages of catalogues, against which the events of the spec are checked.
    pub(crate) fn with(mut self, known: &CatalogueArguments) -> Result<SpecFile, Failure> {
        for path in &known.catalogues {
            let catalogue = catalogue::read(path)?;
            self.messages.get_or_insert_default().extend(catalogue.names().map(str::to_owned));
        }
        Ok(self)
    }

    /// Compiles the spec, which need not have a property. Prints its diagnostics.
    pub(crate) fn compile_any(&self, console: &Console) -> Result<CompiledSpec, CommandError> {
        let (compiled, diagnostics) = compile_file(&self.name, &self.text, &[]);
        self.print_diagnostics(&diagnostics, console);
        compiled.ok_or(CommandError::Reported)
    }

    /// Compiles the properties of these names, or all. Prints the diagnostics.
    pub(crate) fn compile(&self, only: &[String], console: &Console) -> Result<CompiledSpec, CommandError> {
        let (compiled, mut diagnostics) = compile_file(&self.name, &self.text, only);
        if let (Some(compiled), Some(messages)) = (&compiled, &self.messages) {
            let messages: Vec<&str> = messages.iter().map(String::as_str).collect();
            let reported: Vec<Span> = diagnostics.iter().map(|diagnostic| diagnostic.primary.span).collect();
            // One diagnostic for a name is enough.
            let unknown = unknown_events(&compiled.spec, &messages);
            diagnostics.extend(unknown.into_iter().filter(|unknown| !reported.contains(&unknown.primary.span)));
        }
        self.print_diagnostics(&diagnostics, console);
        let compiled = compiled.ok_or(CommandError::Reported)?;
        let names: Vec<&str> = compiled.spec.properties.iter().map(|property| property.name.as_str()).collect();
        if names.is_empty() {
            let failure = Failure::new("G0709", "the spec has no property").at(&self.name);
            return Err(failure.help("write one, for example `soloist calm { G(!alarm) }`").into());
        }
        match only.iter().find(|wanted| !names.contains(&wanted.as_str())) {
            Some(wanted) => Err(self.unknown_property(wanted, &names).into()),
            None => Ok(compiled),
        }
    }

    fn unknown_property(&self, wanted: &str, names: &[&str]) -> Failure {
        let help = match closest(wanted, names.iter().copied()) {
            Some(near) => format!("did you mean `--property {near}`?"),
            None => format!("the properties are {}", names.join(", ")),
        };
        Failure::new("G0705", format!("the spec has no property `{wanted}`")).at(&self.name).help(help)
    }

    /// Prints diagnostics of the spec on standard error.
    pub(crate) fn print_diagnostics(&self, diagnostics: &[Diagnostic], console: &Console) {
        let mut diagnostics: Vec<&Diagnostic> = diagnostics.iter().collect();
        diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span.start);
        for diagnostic in &diagnostics {
            let drawn = diagnostic::render(diagnostic, &self.name, &self.text, console.err_paint) + "\n";
            match diagnostic.severity {
                Severity::Error => console.print_error(&drawn),
                Severity::Warning | Severity::Note => console.inform(&drawn),
            }
        }
        diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
        if let Some(first) = diagnostics.first() {
            let (name, number) = (sanitised(&self.name), counted(diagnostics.len() as u64, "error"));
            console.print_error(&format!("{name}: {number}; `gnomon explain {}` explains the first\n", first.code));
        }
    }
}

/// Returns the setup of a reader that reads all events as a spec declares them.
pub(crate) fn reader_setup(compiled: &CompiledSpec) -> ReaderSetup {
    ReaderSetup {
        name: compiled.name.clone(),
        time_field: compiled.spec.time.field.clone(),
        clock: Clock::new(compiled.spec.time.unit),
        dates: compiled.dates.clone(),
        log: compiled.log.clone(),
        ..ReaderSetup::everything()
    }
}
