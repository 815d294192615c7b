// SPDX-License-Identifier: MIT OR Apache-2.0
//! A spec file: read, compiled, complained about.

use std::path::{Path, PathBuf};

use gnomon::compile::{Compiled, compile_file, unknown_events};
use gnomon::diagnostic::{Diagnostic, Severity, Span};
use gnomon::time::Clock;
use gnomon::trace::Setup;

use crate::args::Known;
use crate::catalogue;
use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::render::diagnostic;
use crate::render::line::sanitised;
use crate::render::numbers::counted;
use crate::similar::closest;

/// A spec as the user named it.
pub(crate) struct SpecFile {
    /// What the user calls it.
    pub(crate) name: String,
    /// Its text.
    pub(crate) text: String,
    /// Where the files that it names are looked for.
    pub(crate) folder: PathBuf,
    /// The messages that are known, if somebody said which.
    messages: Option<Vec<String>>,
}

impl SpecFile {
    pub(crate) fn read(path: &str) -> Result<SpecFile, Failure> {
        let text = files::read_text(path, "spec")?;
        let folder = Path::new(path).parent().map(Path::to_path_buf).unwrap_or_default();
        Ok(SpecFile { name: files::display_name(path).to_owned(), text, folder, messages: None })
    }

    /// A spec that is in no file.
    pub(crate) fn of_text(name: &str, text: String) -> SpecFile {
        SpecFile { name: name.to_owned(), text, folder: PathBuf::new(), messages: None }
    }

    /// Compiles whatever is there, also if that is no property. What is wrong goes to standard error; `None` if it is too
    /// wrong.
    pub(crate) fn compile_any(&self, console: &Console) -> Option<Compiled> {
        let (compiled, diagnostics) = compile_file(&self.name, &self.text, &[]);
        self.complain(&diagnostics, console);
        compiled
    }

    /// The same spec, held against what is known of its messages.
    pub(crate) fn with(mut self, known: &Known) -> Result<SpecFile, Failure> {
        for path in &known.catalogues {
            let catalogue = catalogue::read(path)?;
            self.messages.get_or_insert_default().extend(catalogue.names().map(str::to_owned));
        }
        Ok(self)
    }

    /// How the spec says that traces are to be read, for someone who wants all of them. `None` if it has errors.
    pub(crate) fn setup(&self, console: &Console) -> Option<Setup> {
        self.compile_any(console).map(|compiled| Setup {
            time_field: compiled.spec.time.field.clone(),
            clock: Clock::new(compiled.spec.time.unit),
            text: compiled.log,
            ..Setup::everything()
        })
    }

    /// Compiles the properties of these names, or all. What is wrong goes to standard error; `None` if it is too wrong.
    pub(crate) fn compile(&self, only: &[String], console: &Console) -> Result<Option<Compiled>, Failure> {
        let (compiled, mut diagnostics) = compile_file(&self.name, &self.text, only);
        if let (Some(compiled), Some(messages)) = (&compiled, &self.messages) {
            let messages: Vec<&str> = messages.iter().map(String::as_str).collect();
            let told: Vec<Span> = diagnostics.iter().map(|diagnostic| diagnostic.primary.span).collect();
            // What is said of a name already need not be said again.
            let unknown = unknown_events(&compiled.spec, &messages);
            diagnostics.extend(unknown.into_iter().filter(|unknown| !told.contains(&unknown.primary.span)));
        }
        self.complain(&diagnostics, console);
        let Some(compiled) = compiled else { return Ok(None) };
        let names: Vec<&str> = compiled.spec.properties.iter().map(|property| property.name.as_str()).collect();
        if names.is_empty() {
            return Err(Failure::new("G0709", "the spec has no property")
                .at(&self.name)
                .help("write one, for example `soloist calm { G(!alarm) }`"));
        }
        match only.iter().find(|wanted| !names.contains(&wanted.as_str())) {
            Some(wanted) => Err(self.unknown_property(wanted, &names)),
            None => Ok(Some(compiled)),
        }
    }

    fn unknown_property(&self, wanted: &str, names: &[&str]) -> Failure {
        let help = match closest(wanted, names.iter().copied()) {
            Some(near) => format!("did you mean `--property {near}`?"),
            None => format!("the properties are {}", names.join(", ")),
        };
        Failure::new("G0705", format!("the spec has no property `{wanted}`")).at(&self.name).help(help)
    }

    /// Draws what is wrong with the spec on standard error.
    pub(crate) fn complain(&self, diagnostics: &[Diagnostic], console: &Console) {
        let mut diagnostics: Vec<&Diagnostic> = diagnostics.iter().collect();
        diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span.start);
        for diagnostic in &diagnostics {
            let drawn = diagnostic::render(diagnostic, &self.name, &self.text, console.err_paint);
            console.complain(&format!("{drawn}\n"));
        }
        diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
        if let Some(first) = diagnostics.first() {
            let number = counted(diagnostics.len() as u64, "error");
            console.complain(&format!(
                "{}: {number}; `gnomon explain {}` tells more\n",
                sanitised(&self.name),
                first.code
            ));
        }
    }
}
