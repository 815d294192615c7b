// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon automaton`: draws properties, and runs their automata over a trace.

mod buffered_trace;
mod draw;
mod measure;
mod plot;
mod table;
mod timeline;

use gnomon::automaton::graph::{dot, svg};
use gnomon::automaton::{AlternatingAutomaton as Alternating, AutomatonRefusal, BuildContext};
use gnomon::compile::{CompiledSpec, compile};
use gnomon::diagnostic::{Diagnostic, Span};
use gnomon::ir::core::Core;
use gnomon::ir::formula::Formula;
use gnomon::ir::spec::{Body, Language, Property};
use gnomon::time::Clock;

use crate::args::{AutomatonArguments, ListFormat};
use crate::console::Console;
use crate::files;
use crate::outcome::{CommandResult, ExitStatus};
use crate::output::write_text;
use crate::render::human::TextOptions;
use crate::spec::SpecFile;

pub(crate) fn run(arguments: &AutomatonArguments, console: &Console) -> CommandResult {
    files::at_most_one_stdin(std::iter::once(&arguments.spec).chain(&arguments.trace))?;
    let file = SpecFile::read(&arguments.spec)?;
    let compiled = file.compile(&arguments.properties, console)?;
    let Some(path) = &arguments.trace else { return draw::run(arguments, &file, &compiled, console) };
    if let ([core @ Core::Clocks(clocks)], Some(property)) = (compiled.plan.cores(), compiled.properties().next()) {
        return timeline::run(arguments, path, &file, &compiled, (property, core, clocks), console);
    }
    let rows = measure::run(arguments, path, &file, &compiled, console)?;
    console.print(&match arguments.report {
        ListFormat::Human => {
            table::render(path, &rows, TextOptions { paint: console.out_paint, drawn: 0, width: console.width })
        }
        ListFormat::Json => table::json(path, &rows),
    })?;
    if let Some(plot) = &arguments.plot {
        write_text(plot, &plot::render(path, &rows))?;
    }
    if arguments.out.is_some() { draw::run(arguments, &file, &compiled, console) } else { Ok(ExitStatus::Success) }
}

/// Draws a property as DOT and as SVG. The errors are messages for the user.
pub(crate) fn drawn(source: &str, name: &str) -> Result<(String, Result<String, String>), String> {
    let (compiled, _) = compile(source, &[name.to_owned()]);
    let compiled = compiled.ok_or("the spec has errors")?;
    let property = compiled.properties().next().ok_or("the property does not exist")?;
    let core = compiled.plan.cores().first().ok_or("the property does not exist")?;
    let graph = draw::graph(None, &compiled, property, core).map_err(|diagnostic| diagnostic.message.clone())?;
    Ok((dot(&graph), svg(&graph).map_err(|error| error.to_string())))
}

/// Returns the formula of an `albert` property.
fn invariant(property: &Property) -> Option<&Formula> {
    match &property.body {
        Body::Formula(formula) if property.language == Language::Albert => Some(formula),
        _ => None,
    }
}

/// Builds the alternating automaton of an `albert` property.
fn alternating(
    compiled: &CompiledSpec,
    property: &Property,
    formula: &Formula,
) -> Result<Alternating, Box<Diagnostic>> {
    let setting = BuildContext {
        clock: Clock::new(compiled.spec.time.unit),
        simultaneous: compiled.spec.simultaneous(property),
        is_literal: &|occurrence| compiled.spec.event(&occurrence.event.name).is_some(),
    };
    Alternating::of(formula, setting).map_err(|AutomatonRefusal { span, what }| {
        no_automaton(span, &format!("{what} has no state in an alternating automaton"))
    })
}

/// Returns the diagnostic of a property without an alternating automaton.
fn no_automaton(span: Span, message: &str) -> Box<Diagnostic> {
    let error = Diagnostic::error("G0911", span, message).label("the automata are those of ALBERT");
    Box::new(error.help("draw what the engine runs: `--semantics engine`"))
}
