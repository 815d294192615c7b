// SPDX-License-Identifier: MIT OR Apache-2.0
//! One property, drawn.

use std::path::Path;

use gnomon::automaton::automaton::PropositionId;
use gnomon::automaton::graph::{Graph, dot, svg};
use gnomon::automaton::show::{View, alternating, events, modal, network, requirement, rule};
use gnomon::automaton::{Automaton as Alternating, Mode};
use gnomon::compile::Compiled;
use gnomon::diagnostic::Diagnostic;
use gnomon::ir::core::Core;
use gnomon::ir::pattern::Atom;
use gnomon::ir::spec::{Body, Property};
use gnomon::notation;

use super::{invariant, no_automaton, target, write};
use crate::args::{Automaton, Drawing, SemanticsName};
use crate::console::Console;
use crate::failure::Failure;
use crate::spec::SpecFile;
use crate::status::Status;

pub(super) fn run(
    arguments: &Automaton,
    file: &SpecFile,
    compiled: &Compiled,
    console: &Console,
) -> Result<Status, Failure> {
    let properties: Vec<&Property> = compiled.properties().collect();
    let (property, core) = match (properties.as_slice(), compiled.plan.cores()) {
        ([property], [core]) => (*property, core),
        (several, _) => return Err(choose(file, several)),
    };
    let graph = match graph(arguments.semantics, compiled, property, core) {
        Ok(graph) => graph,
        Err(diagnostic) => {
            file.complain(std::slice::from_ref(&*diagnostic), console);
            return Ok(Status::CouldNotJudge);
        }
    };
    let by_name = arguments.out.as_deref().and_then(|path| Path::new(path).extension());
    let is_svg = by_name.is_some_and(|extension| extension.eq_ignore_ascii_case("svg"));
    let text = match arguments.to.unwrap_or(if is_svg { Drawing::Svg } else { Drawing::Dot }) {
        Drawing::Dot => dot(&graph),
        Drawing::Svg => svg(&graph).map_err(|error| {
            Failure::new("G0912", error.to_string())
                .at(&file.name)
                .help("write it with `--to dot`, or draw a smaller property")
        })?,
    };
    match target(arguments) {
        crate::output::STDOUT => console.report(&text)?,
        path => write(path, &text)?,
    }
    Ok(Status::Fine)
}

fn choose(file: &SpecFile, properties: &[&Property]) -> Failure {
    let names: Vec<&str> = properties.iter().map(|property| property.name.as_str()).collect();
    Failure::new("G0913", format!("{} properties cannot be drawn as one", names.len()))
        .at(&file.name)
        .help(format!("choose one with `--property`: {}", names.join(", ")))
}

/// What is drawn of a property.
pub(super) fn graph(
    semantics: Option<SemanticsName>,
    compiled: &Compiled,
    property: &Property,
    core: &Core,
) -> Result<Graph, Box<Diagnostic>> {
    let formula = invariant(property);
    let view = match (semantics, formula) {
        (None, Some(_)) | (Some(SemanticsName::Asa), _) => Some((View::Asa, "ASA")),
        (Some(SemanticsName::Lasa1), _) => Some((View::Lasa(Mode::Standard), "LASA, optimised semantics 1")),
        (Some(SemanticsName::Lasa2), _) => Some((View::Lasa(Mode::Critical), "LASA, optimised semantics 2")),
        (Some(SemanticsName::Engine), _) | (None, None) => None,
    };
    let title = |what: &str| format!("{}: {what}", property.name);
    let written = |atom: &Atom| notation::atom(atom, &[]);
    match (view, formula) {
        (Some((view, what)), Some(formula)) => {
            let automaton = super::alternating(compiled, property, formula)?;
            Ok(alternating(&automaton, &title(what), &names(&automaton, compiled), view))
        }
        (Some(_), None) => {
            let word = property.language.word();
            Err(no_automaton(property.name_span, &format!("a `{word}` property has no alternating automaton here")))
        }
        (None, _) => Ok(match (core, &property.body) {
            (Core::Formula(core), _) => network(core, &title("the operators that run"), &compiled.source),
            (_, Body::Automaton(automaton)) => events(automaton, &title("event automaton"), &compiled.source),
            (Core::Rule(core), _) => rule(core, &title("the life of an instance")),
            (_, Body::Requirement(pattern)) => {
                requirement(&compiled.spec, pattern, &title("the phases of a binding"), &written)
            }
            (_, Body::Modal(formula)) => modal(&compiled.spec, formula, &title("the words of a binding"), &written),
            (Core::Automaton(_) | Core::Requirement(_) | Core::Modal(_), _) => {
                Graph { title: title("event automaton"), ..Graph::default() }
            }
        }),
    }
}

/// Propositions as they are written. The start of an activity asks for the activity itself, in the next state.
fn names<'a>(automaton: &'a Alternating, compiled: &'a Compiled) -> impl Fn(PropositionId) -> String + 'a {
    |id| {
        let proposition = &automaton.propositions[id.0 as usize];
        match &proposition.kind {
            gnomon::ir::formula::Kind::Atom(atom) => format!("onEvent({})", atom.name),
            _ => proposition.span.text(&compiled.source).split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }
}
