// SPDX-License-Identifier: MIT OR Apache-2.0
//! An event automaton, as a graph.

use std::fmt::Write as _;

use gnomon_ir::automaton::{Automaton, Branch, DefaultMove, Expression, Guard};

use crate::graph::{Graph, NodeShape};

/// Draws an automaton over events; `source` is the text of its spec.
pub fn events(automaton: &Automaton, title: &str, source: &str) -> Graph {
    let mut graph = Graph { title: title.to_owned(), ..Graph::default() };
    for state in &automaton.states {
        let shape = if state.accepting { NodeShape::Accepting } else { NodeShape::State };
        let kind = match state.otherwise {
            DefaultMove::Stay => "skip",
            DefaultMove::Die => "next",
        };
        graph.node(shape, &format!("{}\n{kind}", state.name.name));
    }
    if let Some(first) = graph.nodes.first_mut() {
        first.initial = true;
    }
    for (from, state) in automaton.states.iter().enumerate() {
        for transition in &state.transitions {
            let event = transition.event.span.text(source);
            for (number, branch) in transition.branches.iter().enumerate() {
                graph.edge(from, branch.target, &format!("{event}{}", label(branch, number > 0)));
            }
        }
    }
    if let Some(condition) = &automaton.condition {
        graph.notes.push(format!("where {}", guard(condition)));
    }
    graph.notes.push(
        "double border: accepting; skip: ignores other events of the binding; next: other events end the run"
            .to_owned(),
    );
    let dropped = graph.keep_reachable();
    if !dropped.is_empty() {
        graph.notes.push(format!("not drawn, because no transition leads there: {}", dropped.join(", ")));
    }
    graph
}

fn label(branch: &Branch, is_else: bool) -> String {
    let mut text = String::new();
    if is_else {
        text.push_str(" else");
    }
    if let Some(condition) = &branch.guard {
        let _ = write!(text, " if {}", guard(condition));
    }
    if !branch.assignments.is_empty() {
        let steps =
            branch.assignments.iter().map(|step| format!("{} = {}", step.variable.name, expression(&step.value)));
        let _ = write!(text, " / {}", steps.collect::<Vec<_>>().join("; "));
    }
    text
}

fn guard(of: &Guard) -> String {
    match of {
        Guard::Constant(value) => value.to_string(),
        Guard::Compare(left, comparison, right) => format!("{} {comparison} {}", expression(left), expression(right)),
        Guard::Not(of) => format!("not ({})", guard(of)),
        Guard::And(left, right) => format!("({} and {})", guard(left), guard(right)),
        Guard::Or(left, right) => format!("({} or {})", guard(left), guard(right)),
    }
}

pub(super) fn expression(of: &Expression) -> String {
    match of {
        Expression::Literal(value) => value.to_string(),
        Expression::Variable(variable) => variable.name.clone(),
        Expression::Arithmetic(operation, left, right) => {
            format!("({} {} {})", expression(left), operation.symbol(), expression(right))
        }
    }
}
