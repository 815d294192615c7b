// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints an automaton, one transition per line.

use gnomon_ir::{Automaton, Body, Branch, DefaultMove, Expression, Guard, Property, Quantifier, QuantifierKind, State};

use super::parse::INSIDE;
use crate::specfile::is_statement;
use crate::specfile::print::block;
use crate::syntax::print::{self, Node, OperatorPrinter};
use crate::syntax::quantifier;

/// Writes a property as a block that parses back to the same, apart from spans. The body of a property of another kind
/// is left empty.
///
/// ```
/// let (spec, _) = gnomon_lang::parse("qea(safe){ Forall(f) accept skip(shut){ use(f) -> failed, open(f) -> open } accept skip(open){} }");
/// let printed = gnomon_lang::qea::print(&spec.properties[0]);
/// assert_eq!(printed.lines().nth(3), Some("    use(f) -> failed"));
/// assert_eq!(printed.lines().count(), 9);
/// ```
pub fn print(property: &Property) -> String {
    let mut out = String::from("\n");
    for Quantifier { kind, variables, .. } in &property.prefix {
        let word = if *kind == QuantifierKind::Forall { "Forall" } else { "Exists" };
        print::fmt(&mut out, format_args!("  {word}({})\n", quantifier::names(variables)));
    }
    if let Body::Automaton(automaton) = &property.body {
        if let Some(condition) = &automaton.condition {
            guard("  where ", condition, &mut out);
            out.push('\n');
        }
        for state in &automaton.states[..declared(automaton)] {
            self::state(automaton, state, &mut out);
        }
    }
    block(property, &[], &out)
}

/// Returns the number of states that must be declared. The states after them are as if they were only named as targets.
fn declared(automaton: &Automaton) -> usize {
    let states = &automaton.states;
    let plain =
        |state: &State| !state.accepting && state.otherwise == DefaultMove::Stay && state.transitions.is_empty();
    let count = states.iter().rposition(|state| !plain(state)).map_or(0, |last| last + 1).max(states.len().min(1));
    let mut next = count;
    for transition in states[..count].iter().flat_map(|state| &state.transitions) {
        for branch in &transition.branches {
            // States that are only named have indices in the order in which they are named first.
            next += usize::from(branch.target == next);
            if branch.target >= next {
                return states.len();
            }
        }
    }
    if next == states.len() { count } else { states.len() }
}

fn state(automaton: &Automaton, state: &State, out: &mut String) {
    out.push_str(if state.accepting { "  accept " } else { "  " });
    out.push_str(if state.otherwise == DefaultMove::Stay { "skip(" } else { "next(" });
    print::name(&state.name.name, &|_| false, out);
    out.push_str(") {\n");
    for transition in &state.transitions {
        out.push_str("    ");
        // A line must not look like the next statement of the file.
        let reserved = |word: &str| INSIDE.contains(&word) || is_statement(word);
        print::atom(&transition.event, &reserved, out);
        for (index, branch) in transition.branches.iter().enumerate() {
            out.push_str(if index == 0 { "" } else { " else" });
            self::branch(automaton, branch, out);
        }
        out.push('\n');
    }
    out.push_str("  }\n");
}

fn branch(automaton: &Automaton, branch: &Branch, out: &mut String) {
    branch.guard.iter().for_each(|condition| guard(" if ", condition, out));
    out.push_str(" -> ");
    if let Some(target) = automaton.states.get(branch.target) {
        print::name(&target.name.name, &|word| INSIDE.contains(&word), out);
    }
    for (index, assignment) in branch.assignments.iter().enumerate() {
        out.push_str(if index == 0 { " do [ " } else { "; " });
        out.extend([assignment.variable.name.as_str(), " = "]);
        Printer.write(&assignment.value, 0, out);
    }
    out.push_str(if branch.assignments.is_empty() { "" } else { " ]" });
}

fn guard(before: &str, guard: &Guard, out: &mut String) {
    out.extend([before, "[ "]);
    Printer.write(guard, 0, out);
    out.push_str(" ]");
}

struct Printer;

impl OperatorPrinter<Guard> for Printer {
    fn node<'t>(&self, of: &'t Guard) -> Node<'t, Guard> {
        print::guard(of, [" or ", " and ", "not "])
    }

    fn leaf(&self, of: &Guard, out: &mut String) {
        // This language has no constants.
        let Guard::Compare(left, comparison, right) = of else { return };
        self.write(left, 0, out);
        out.extend([" ", comparison.symbol(), " "]);
        self.write(right, 0, out);
    }
}

impl OperatorPrinter<Expression> for Printer {
    fn node<'t>(&self, of: &'t Expression) -> Node<'t, Expression> {
        print::arithmetic(of)
    }

    fn leaf(&self, of: &Expression, out: &mut String) {
        match of {
            Expression::Literal(value) => print::value(value, out),
            Expression::Variable(variable) => out.push_str(&variable.name),
            Expression::Arithmetic(..) => {}
        }
    }
}
