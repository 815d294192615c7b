// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon automaton`: properties drawn, and their automata run.

mod draw;
mod measure;
mod plot;
mod table;
mod word;

use std::io::Write as _;

use gnomon::automaton::graph::{dot, svg};
use gnomon::automaton::{Automaton as Alternating, Refusal, Setting};
use gnomon::compile::{Compiled, compile};
use gnomon::diagnostic::{Diagnostic, Span};
use gnomon::ir::formula::Formula;
use gnomon::ir::spec::{Body, Language, Property};
use gnomon::time::Clock;

use crate::args::Automaton;
use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::output::{Output, STDOUT, cannot_write};
use crate::spec::SpecFile;
use crate::status::Status;

pub(crate) fn run(arguments: &Automaton, console: &Console) -> Result<Status, Failure> {
    files::at_most_one_stdin(std::iter::once(&arguments.spec).chain(&arguments.trace))?;
    let file = SpecFile::read(&arguments.spec)?;
    let Some(compiled) = file.compile(&arguments.properties, console)? else {
        return Ok(Status::CouldNotJudge);
    };
    let Some(path) = &arguments.trace else { return draw::run(arguments, &file, &compiled, console) };
    let Some(rows) = measure::run(arguments, path, &file, &compiled, console)? else {
        return Ok(Status::CouldNotJudge);
    };
    console.report(&table::render(path, &rows, console.out_paint))?;
    if let Some(plot) = &arguments.plot {
        write(plot, &plot::render(path, &rows))?;
    }
    if arguments.out.is_some() { draw::run(arguments, &file, &compiled, console) } else { Ok(Status::Fine) }
}

/// A property as DOT and as SVG; otherwise why it cannot be drawn.
pub(crate) fn drawn(source: &str, name: &str) -> Result<(String, Result<String, String>), String> {
    let (compiled, _) = compile(source, &[name.to_owned()]);
    let compiled = compiled.ok_or("the spec has errors")?;
    let property = compiled.properties().next().ok_or("there is no such property")?;
    let core = compiled.plan.cores().first().ok_or("there is no such property")?;
    let graph = draw::graph(None, &compiled, property, core).map_err(|diagnostic| diagnostic.message.clone())?;
    Ok((dot(&graph), svg(&graph).map_err(|error| error.to_string())))
}

/// Writes a drawing to a file, or to standard output.
fn write(path: &str, text: &str) -> Result<(), Failure> {
    let mut output = Output::create(path)?;
    output.write_all(text.as_bytes()).map_err(|error| cannot_write(path, &error))?;
    output.finish()
}

/// The formula of an `albert` property.
fn invariant(property: &Property) -> Option<&Formula> {
    match &property.body {
        Body::Formula(formula) if property.language == Language::Albert => Some(formula),
        _ => None,
    }
}

/// The automaton of an `albert` property.
fn alternating(compiled: &Compiled, property: &Property, formula: &Formula) -> Result<Alternating, Box<Diagnostic>> {
    let setting = Setting {
        clock: Clock::new(compiled.spec.time.unit),
        simultaneous: compiled.spec.simultaneous(property),
        is_literal: &|occurrence| {
            let name = &occurrence.event.name;
            compiled.spec.event(name).is_some()
        },
    };
    Alternating::of(formula, setting).map_err(|Refusal { span, what }| {
        no_automaton(span, &format!("{what} has no state in an alternating automaton"))
    })
}

/// Why a property cannot be an alternating automaton.
fn no_automaton(span: Span, message: &str) -> Box<Diagnostic> {
    let error = Diagnostic::error("G0911", span, message).label("the automata are those of ALBERT");
    Box::new(error.help("draw what the engine runs: `--semantics engine`"))
}

/// Where a drawing goes.
fn target(arguments: &Automaton) -> &str {
    arguments.out.as_deref().unwrap_or(STDOUT)
}
