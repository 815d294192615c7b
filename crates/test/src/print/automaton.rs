// SPDX-License-Identifier: MIT OR Apache-2.0
//! Automata as text.

use gnomon_ir::automaton::{Automaton, Branch, DefaultMove, Expression, Guard, State, Transition};
use gnomon_ir::spec::{Quantifier, QuantifierKind};

use super::atom_text;

pub(super) fn text(prefix: &[Quantifier], automaton: &Automaton) -> String {
    let mut lines: Vec<String> = prefix.iter().map(quantifier).collect();
    lines.extend(automaton.condition.as_ref().map(|condition| format!("where [ {} ]", guard(condition))));
    let name = |index: usize| automaton.states[index].name.name.as_str();
    lines.extend(automaton.states.iter().map(|whole| state(whole, &name)));
    lines.join("\n")
}

fn quantifier(quantifier: &Quantifier) -> String {
    let word = match quantifier.kind {
        QuantifierKind::Forall => "Forall",
        QuantifierKind::Exists => "Exists",
    };
    let names: Vec<&str> = quantifier.variables.iter().map(|variable| variable.name.as_str()).collect();
    format!("{word}({})", names.join(", "))
}

fn state<'a>(state: &State, name: &dyn Fn(usize) -> &'a str) -> String {
    let accept = if state.accepting { "accept " } else { "" };
    let word = match state.otherwise {
        DefaultMove::Stay => "skip",
        DefaultMove::Die => "next",
    };
    let transitions: Vec<String> = state.transitions.iter().map(|whole| transition(whole, name)).collect();
    let transitions = transitions.join("\n  ");
    format!("{accept}{word}({}) {{\n  {transitions}\n}}", state.name.name)
}

fn transition<'a>(transition: &Transition, name: &dyn Fn(usize) -> &'a str) -> String {
    let branches: Vec<String> = transition.branches.iter().map(|whole| branch(whole, name)).collect();
    format!("{} {}", atom_text(&transition.event), branches.join(" else "))
}

fn branch<'a>(branch: &Branch, name: &dyn Fn(usize) -> &'a str) -> String {
    let condition = branch.guard.as_ref().map_or(String::new(), |whole| format!("if [ {} ] ", guard(whole)));
    let assignments: Vec<String> = branch
        .assignments
        .iter()
        .map(|assignment| format!("{} = {}", assignment.variable.name, expression(&assignment.value)))
        .collect();
    let assignments =
        if assignments.is_empty() { String::new() } else { format!(" do [ {} ]", assignments.join("; ")) };
    format!("{condition}-> {}{assignments}", name(branch.target))
}

fn guard(whole: &Guard) -> String {
    condition(whole, ["not ", " and ", " or "])
}

/// A condition, given how a language writes negation, conjunction and disjunction.
pub(super) fn condition(whole: &Guard, words: [&str; 3]) -> String {
    let [not, and, or] = words;
    let part = |of: &Guard| condition(of, words);
    match whole {
        Guard::Constant(value) => value.to_string(),
        Guard::Compare(left, comparison, right) => {
            format!("{} {comparison} {}", expression(left), expression(right))
        }
        Guard::Not(of) => format!("{not}({})", part(of)),
        Guard::And(left, right) => format!("({}){and}({})", part(left), part(right)),
        Guard::Or(left, right) => format!("({}){or}({})", part(left), part(right)),
    }
}

fn expression(whole: &Expression) -> String {
    match whole {
        Expression::Literal(value) => value.to_string(),
        Expression::Variable(variable) => variable.name.clone(),
        Expression::Arithmetic(arithmetic, left, right) => {
            let symbol = arithmetic.symbol();
            format!("({} {symbol} {})", expression(left), expression(right))
        }
    }
}
