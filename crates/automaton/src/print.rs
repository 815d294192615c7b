// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text of states, in the syntax of the language.

use crate::automaton::{AlternatingAutomaton, Expression, PropositionId, State, StateId};

/// Returns the name of a proposition.
pub type PropositionNames<'a> = &'a dyn Fn(PropositionId) -> String;

impl AlternatingAutomaton {
    /// The invariant as text.
    pub fn print_invariant(&self, names: PropositionNames<'_>) -> String {
        format!("Always({})", self.print(&self.body, false, names))
    }

    /// A state as text.
    pub fn print_state(&self, id: StateId, names: PropositionNames<'_>) -> String {
        let reach = |reach| self.print_length(reach);
        let part = |expression, negated| self.print(expression, negated, names);
        match self.state(id) {
            State::Until { left: Expression::Constant(true), right } => format!("Eventually({})", part(right, false)),
            State::Release { left: Expression::Constant(false), right } => format!("Always({})", part(right, false)),
            State::Until { left, right } => format!("Until({}, {})", part(left, false), part(right, false)),
            State::Release { left, right } => format!("!Until({}, {})", part(left, true), part(right, true)),
            State::Within { reach: bound, of } => format!("Within({}, {})", part(of, false), reach(*bound)),
            State::Throughout { reach: bound, of } => format!("!Within({}, {})", part(of, true), reach(*bound)),
            State::InFuture { reach: bound, of, weak } => {
                let negation = if *weak { "!" } else { "" };
                format!("{negation}InFuture({}, {})", part(of, *weak), reach(*bound))
            }
            State::Next { of, weak } => {
                let negation = if *weak { "!" } else { "" };
                format!("{negation}Next({})", part(of, *weak))
            }
        }
    }

    /// An expression as text, or its negation.
    fn print(&self, expression: &Expression, negated: bool, names: PropositionNames<'_>) -> String {
        match expression {
            Expression::Constant(value) => (*value != negated).to_string(),
            Expression::Literal { proposition, negated: inner } => literal(&names(*proposition), *inner != negated),
            Expression::And(parts) => self.print_parts(parts, !negated, negated, names),
            Expression::Or(parts) => self.print_parts(parts, negated, negated, names),
            Expression::Temporal(id) => {
                let text = self.print_state(*id, names);
                match (negated, text.strip_prefix('!')) {
                    (false, _) => text,
                    (true, Some(rest)) => rest.to_owned(),
                    (true, None) => format!("!{text}"),
                }
            }
            Expression::Previous { of, weak } => {
                let negation = if *weak == negated { "" } else { "!" };
                format!("{negation}Previous({})", self.print(of, *weak, names))
            }
        }
    }

    fn print_parts(&self, parts: &[Expression], is_and: bool, negated: bool, names: PropositionNames<'_>) -> String {
        let texts: Vec<String> = parts.iter().map(|part| self.print(part, negated, names)).collect();
        format!("({})", texts.join(if is_and { " && " } else { " || " }))
    }
}

/// A proposition or its negation. What is more than a name is put in parentheses before it is negated.
pub(crate) fn literal(name: &str, negated: bool) -> String {
    match (negated, name.contains([' ', '<', '>', '='])) {
        (false, _) => name.to_owned(),
        (true, false) => format!("!{name}"),
        (true, true) => format!("!({name})"),
    }
}
