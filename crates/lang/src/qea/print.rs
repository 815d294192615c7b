// SPDX-License-Identifier: MIT OR Apache-2.0
//! From an automaton back to text, one transition a line.

use std::fmt::Write as _;

use gnomon_ir::automaton::{Arithmetic, Automaton, Branch, Expression, Guard, Otherwise, State, Transition};
use gnomon_ir::spec::{Body, Property, QuantifierKind};

use super::parse::INSIDE;
use crate::specfile::is_statement;
use crate::specfile::print::{self, block};

/// Writes a property as a block that reads back as the same, spans apart. The body of a property of another kind is left
/// empty.
///
/// ```
/// let (spec, _) = gnomon_lang::parse("qea(safe){ Forall(f) accept skip(shut){ use(f) -> failed, open(f) -> open } accept skip(open){} }");
/// let printed = gnomon_lang::qea::print(&spec.properties[0]);
/// assert_eq!(printed.lines().nth(3), Some("    use(f) -> failed"));
/// assert_eq!(printed.lines().count(), 9);
/// ```
pub fn print(property: &Property) -> String {
    let mut body = String::from("\n");
    for quantifier in &property.prefix {
        let word = match quantifier.kind {
            QuantifierKind::Forall => "Forall",
            QuantifierKind::Exists => "Exists",
        };
        let variables: Vec<&str> = quantifier.variables.iter().map(|variable| variable.name.as_str()).collect();
        fmt(&mut body, format_args!("  {word}({})\n", variables.join(", ")));
    }
    if let Body::Automaton(automaton) = &property.body {
        if let Some(condition) = &automaton.condition {
            body.push_str("  where [ ");
            guard(condition, 0, &mut body);
            body.push_str(" ]\n");
        }
        for state in &automaton.states[..declared(automaton)] {
            print_state(automaton, state, &mut body);
        }
    }
    block(property, &[], &body)
}

/// How many states must be declared: the others, at the end, are as if they were only named.
fn declared(automaton: &Automaton) -> usize {
    let states = &automaton.states;
    let plain = |state: &State| !state.accepting && state.otherwise == Otherwise::Stay && state.transitions.is_empty();
    let count = states.iter().rposition(|state| !plain(state)).map_or(0, |last| last + 1).max(states.len().min(1));
    let mut next = count;
    for transition in states[..count].iter().flat_map(|state| &state.transitions) {
        for branch in &transition.branches {
            // Those that are only named have their places in the order in which they are named first.
            next += usize::from(branch.target == next);
            if branch.target >= next {
                return states.len();
            }
        }
    }
    if next == states.len() { count } else { states.len() }
}

fn print_state(automaton: &Automaton, state: &State, out: &mut String) {
    out.push_str(if state.accepting { "  accept " } else { "  " });
    out.push_str(match state.otherwise {
        Otherwise::Stay => "skip(",
        Otherwise::Die => "next(",
    });
    print::name(&state.name.name, &|_| false, out);
    out.push_str(") {\n");
    for transition in &state.transitions {
        print_transition(automaton, transition, out);
    }
    out.push_str("  }\n");
}

fn print_transition(automaton: &Automaton, transition: &Transition, out: &mut String) {
    out.push_str("    ");
    // A line may not look like the next statement of the file.
    let reserved = |word: &str| INSIDE.contains(&word) || is_statement(word);
    print::atom(&transition.event, &reserved, out);
    for (index, branch) in transition.branches.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { " else" });
        print_branch(automaton, branch, out);
    }
    out.push('\n');
}

fn print_branch(automaton: &Automaton, branch: &Branch, out: &mut String) {
    if let Some(condition) = &branch.guard {
        out.push_str(" if [ ");
        guard(condition, 0, out);
        out.push_str(" ]");
    }
    out.push_str(" -> ");
    if let Some(target) = automaton.states.get(branch.target) {
        print::name(&target.name.name, &|word| INSIDE.contains(&word), out);
    }
    if branch.assignments.is_empty() {
        return;
    }
    out.push_str(" do [ ");
    for (index, assignment) in branch.assignments.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { "; " });
        fmt(out, format_args!("{} = ", assignment.variable.name));
        expression(&assignment.value, 0, out);
    }
    out.push_str(" ]");
}

/// Writes a condition; `level` is 0 where any may stand, 1 right of `or`, 2 under `and`, 3 right of `and`, 4 under `not`.
fn guard(of: &Guard, level: u8, out: &mut String) {
    let own = match of {
        Guard::Or(..) => 0,
        Guard::And(..) => 2,
        Guard::Compare(..) => 3,
        Guard::Not(_) => 4,
    };
    if own < level {
        out.push('(');
        guard(of, 0, out);
        out.push(')');
        return;
    }
    match of {
        Guard::Compare(left, comparison, right) => {
            expression(left, 0, out);
            fmt(out, format_args!(" {comparison} "));
            expression(right, 0, out);
        }
        Guard::Not(of) => {
            out.push_str("not ");
            guard(of, 4, out);
        }
        Guard::And(left, right) => {
            guard(left, 2, out);
            out.push_str(" and ");
            guard(right, 3, out);
        }
        Guard::Or(left, right) => {
            guard(left, 0, out);
            out.push_str(" or ");
            guard(right, 1, out);
        }
    }
}

/// Writes a value; `level` is 0 where any may stand, 1 right of `+` and `-` and left of `*`, 2 right of `*`.
fn expression(of: &Expression, level: u8, out: &mut String) {
    let (operator, left, right) = match of {
        Expression::Literal(value) => return fmt(out, format_args!("{value}")),
        Expression::Variable(variable) => return out.push_str(&variable.name),
        Expression::Arithmetic(operator, left, right) => (operator, left, right),
    };
    let (symbol, own, on_the_right) = match operator {
        Arithmetic::Add => (" + ", 0, 1),
        Arithmetic::Subtract => (" - ", 0, 1),
        Arithmetic::Multiply => (" * ", 1, 2),
    };
    if own < level {
        out.push('(');
    }
    expression(left, own, out);
    out.push_str(symbol);
    expression(right, on_the_right, out);
    if own < level {
        out.push(')');
    }
}

fn fmt(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    out.write_fmt(arguments).expect("writing to a string cannot fail");
}
