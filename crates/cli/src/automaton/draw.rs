// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws one property.

use std::path::Path;

use gnomon::automaton::automaton::PropositionId;
use gnomon::automaton::graph::{Graph, dot, svg};
use gnomon::automaton::show::{
    BodyAutomaton, CopyView, alternating, automaton as body_automaton, clocks, events, formula as operators, grammar,
    machine, modal, pattern, rule,
};
use gnomon::automaton::{AlternatingAutomaton as Alternating, ViolationMode};
use gnomon::compile::CompiledSpec;
use gnomon::diagnostic::Diagnostic;
use gnomon::engine::body_graph;
use gnomon::ir::atom::Atom;
use gnomon::ir::core::{Category, Core, ForbiddenCore, PluginBody, PluginCore};
use gnomon::ir::plugin::{Logic, Plugin};
use gnomon::ir::spec::{Body, Property};
use gnomon::notation;

use super::{invariant, no_automaton};
use crate::args::{AutomatonArguments, DrawingFormat, DrawnSemantics};
use crate::console::Console;
use crate::failure::Failure;
use crate::outcome::{CommandError, CommandResult, ExitStatus};
use crate::output::{STDOUT, write_text};
use crate::spec::SpecFile;

pub(super) fn run(
    arguments: &AutomatonArguments,
    file: &SpecFile,
    compiled: &CompiledSpec,
    console: &Console,
) -> CommandResult {
    let properties: Vec<&Property> = compiled.properties().collect();
    let (property, core) = match (properties.as_slice(), compiled.plan.cores()) {
        ([property], [core]) => (*property, core),
        (several, _) => return Err(choose(file, several).into()),
    };
    let graph = match graph(arguments.semantics, compiled, property, core) {
        Ok(graph) => graph,
        Err(diagnostic) => {
            file.print_diagnostics(std::slice::from_ref(&*diagnostic), console);
            return Err(CommandError::Reported);
        }
    };
    let by_name = arguments.out.as_deref().and_then(|path| Path::new(path).extension());
    let is_svg = by_name.is_some_and(|extension| extension.eq_ignore_ascii_case("svg"));
    let text = match arguments.to.unwrap_or(if is_svg { DrawingFormat::Svg } else { DrawingFormat::Dot }) {
        DrawingFormat::Dot => dot(&graph),
        DrawingFormat::Svg => svg(&graph).map_err(|error| {
            Failure::new("G0912", error.to_string())
                .at(&file.name)
                .help("write it with `--to dot`, or draw a smaller property")
        })?,
    };
    match arguments.out.as_deref().unwrap_or(STDOUT) {
        STDOUT => console.print(&text)?,
        path => write_text(path, &text)?,
    }
    Ok(ExitStatus::Success)
}

fn choose(file: &SpecFile, properties: &[&Property]) -> Failure {
    let names: Vec<&str> = properties.iter().map(|property| property.name.as_str()).collect();
    Failure::new("G0913", format!("{} properties cannot be drawn as one", names.len()))
        .at(&file.name)
        .help(format!("choose one with `--property`: {}", names.join(", ")))
}

/// Builds the graph of a property for the chosen semantics.
pub(super) fn graph(
    semantics: Option<DrawnSemantics>,
    compiled: &CompiledSpec,
    property: &Property,
    core: &Core,
) -> Result<Graph, Box<Diagnostic>> {
    let formula = invariant(property);
    let view = match (semantics, formula) {
        (None, Some(_)) | (Some(DrawnSemantics::Asa), _) => Some((CopyView::Asa, "ASA")),
        (Some(DrawnSemantics::Lasa1), _) => {
            Some((CopyView::Lasa(ViolationMode::Standard), "LASA, optimised semantics 1"))
        }
        (Some(DrawnSemantics::Lasa2), _) => {
            Some((CopyView::Lasa(ViolationMode::Critical), "LASA, optimised semantics 2"))
        }
        (Some(DrawnSemantics::Engine), _) | (None, None) => None,
    };
    let title = |what: &str| format!("{}: {what}", property.name);
    let written = |atom: &Atom| notation::atom(atom, &[]);
    match (view, formula) {
        (Some((view, what)), Some(formula)) => {
            let automaton = super::alternating(compiled, property, formula)?;
            Ok(alternating(&automaton, &title(what), &names(&automaton, compiled), view))
        }
        (Some(_), None) => {
            let language = property.language.a_property();
            Err(no_automaton(property.name_span, &format!("{language} has no alternating automaton here")))
        }
        (None, _) => Ok(match (&property.body, core) {
            (Body::Formula(formula), _) => {
                operators(&property.prefix, formula, &title("operators"), &compiled.source, compiled.clock())
            }
            (Body::Automaton(automaton), _) => events(automaton, &title("event automaton"), &compiled.source),
            (Body::Rule(body), Core::Rule(core)) => rule(core, &body.window, &title("life cycle of an instance")),
            (Body::Pattern(body), _) => pattern(&compiled.spec, body, &title("phases of a binding"), &written),
            (Body::Modal(formula), _) => modal(&compiled.spec, formula, &title("states of a binding"), &written),
            (Body::Plugin(body), Core::Plugin(core)) => plugin(body, core, property, &title)?,
            (Body::Clocks(_), Core::Clocks(core)) => clocks(core, &title("clocks and relations")),
            (Body::Rule(_) | Body::Plugin(_) | Body::Clocks(_), _) => {
                Graph { title: title("no drawing"), ..Graph::default() }
            }
        }),
    }
}

/// The most states of an automaton that is drawn.
const MOST_STATES: usize = 200;

/// Draws the body of a logic plug-in: a machine as it is written, a grammar by its rules, other bodies by the automaton that runs them.
fn plugin(
    body: &Plugin,
    core: &PluginCore,
    property: &Property,
    title: &dyn Fn(&str) -> String,
) -> Result<Graph, Box<Diagnostic>> {
    let of_states = |name: &str, one: &ForbiddenCore| match (&one.category, &core.body) {
        (Category::States { states, .. }, PluginBody::Fsm(machine)) => {
            machine.states.iter().zip(states).any(|(state, is_in)| *is_in && state.name == name)
        }
        _ => false,
    };
    match &body.logic {
        Logic::Fsm(fsm) => {
            let is_forbidden = |name: &str| core.forbidden.iter().any(|one| of_states(name, one));
            let fails = core.forbidden.iter().any(|one| matches!(one.category, Category::States { fail: true, .. }));
            Ok(machine(fsm, &title("state machine"), &is_forbidden, fails))
        }
        Logic::Cfg(rules) => Ok(grammar(rules, &title("grammar"))),
        Logic::Ere(_) | Logic::Ltl(_) | Logic::PastLtl(_) => {
            let Some(found) = body_graph(core, MOST_STATES) else {
                let message = format!("the automaton of its body has more than {MOST_STATES} states");
                return Err(no_automaton(property.name_span, &message));
            };
            let name = |place: usize| core.forbidden[place].category.name().to_owned();
            let categories = found.categories.iter().map(|place| place.map(name)).collect();
            let letters: Vec<&str> = core.letters.iter().map(|letter| letter.name.as_str()).collect();
            let drawn = BodyAutomaton { targets: found.targets, categories };
            Ok(body_automaton(&drawn, &letters, &title("automaton of an instance")))
        }
    }
}

/// Returns the printed form of propositions. The start of an activity is a proposition about its event, in the next state.
fn names<'a>(automaton: &'a Alternating, compiled: &'a CompiledSpec) -> impl Fn(PropositionId) -> String + 'a {
    |id| {
        let proposition = &automaton.propositions[id.0 as usize];
        match &proposition.kind {
            gnomon::ir::formula::FormulaKind::Atom(atom) => format!("onEvent({})", atom.name),
            _ => proposition.span.text(&compiled.source).split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }
}
