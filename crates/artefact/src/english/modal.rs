// SPDX-License-Identifier: MIT OR Apache-2.0
//! Describes formulae of the mu-calculus: sequences of events that must not occur.

use gnomon_ir::modal::{ActionFormula, DataCondition, ModalFormula, RegularFormula};

use super::guard::condition;
use super::words::{capital, enumeration, event};

pub(super) fn sentences(modal: &ModalFormula) -> String {
    match modal {
        ModalFormula::And(left, right) => format!("{} {}", sentences(left), sentences(right)),
        _ => capital(&clause(modal)) + ".",
    }
}

fn clause(modal: &ModalFormula) -> String {
    match modal {
        ModalFormula::Data(DataCondition::Constant(true), _) => "nothing is required".to_owned(),
        ModalFormula::Data(DataCondition::Constant(false), _) => "the property is violated".to_owned(),
        ModalFormula::Data(data, _) => format!("{} must be true", condition(data)),
        ModalFormula::Forall(..) => {
            let mut names = Vec::new();
            let mut inner = modal;
            while let ModalFormula::Forall(sorted, of) = inner {
                names.push(format!("`{}`", sorted.variable.name));
                inner = of;
            }
            format!("for every {}: {}", enumeration(&names, "and"), clause(inner))
        }
        ModalFormula::And(left, right) => format!("{}; and {}", clause(left), clause(right)),
        ModalFormula::Implies(data, then) => format!("if {}, then {}", condition(data), clause(then)),
        ModalFormula::Box { regular, then, .. } => boxed(regular, then),
    }
}

/// Describes `[regular] then`.
fn boxed(regular: &RegularFormula, then: &ModalFormula) -> String {
    let mut parts = Vec::new();
    steps(regular, &mut parts);
    let is_anywhere = matches!(parts.first(), Some(RegularFormula::Star(any)) if is_any(any));
    let parts = if is_anywhere { &parts[1..] } else { &parts[..] };
    let sequence = parts.iter().map(|part| described(part)).collect::<Vec<_>>().join(", then ");
    let never = matches!(then, ModalFormula::Data(DataCondition::Constant(false), _));
    match (parts, is_anywhere, never) {
        ([RegularFormula::Action(ActionFormula::Event(atom))], true, true) => {
            format!("{} must never occur", event(atom))
        }
        ([], _, true) => "the property is violated".to_owned(),
        ([], _, false) => format!("at all times, {}", clause(then)),
        ([_], true, true) => format!("the trace must never contain {sequence}"),
        (_, true, true) => format!("the trace must never contain this uninterrupted sequence: {sequence}"),
        (_, false, true) => format!("the trace must never begin with this sequence: {sequence}"),
        (_, true, false) => {
            format!("whenever the trace contains {sequence}, the following must be true from then on: {}", clause(then))
        }
        (_, false, false) => format!(
            "whenever the trace begins with {sequence}, the following must be true from then on: {}",
            clause(then)
        ),
    }
}

/// Lists the parts of a sequence.
fn steps<'r>(regular: &'r RegularFormula, into: &mut Vec<&'r RegularFormula>) {
    match regular {
        RegularFormula::Then(left, right) => {
            steps(left, into);
            steps(right, into);
        }
        RegularFormula::Nil => {}
        _ => into.push(regular),
    }
}

fn is_any(regular: &RegularFormula) -> bool {
    matches!(regular, RegularFormula::Action(ActionFormula::Data(DataCondition::Constant(true))))
}

fn described(regular: &RegularFormula) -> String {
    match regular {
        RegularFormula::Nil => "nothing".to_owned(),
        RegularFormula::Action(action) => one(action),
        RegularFormula::Or(left, right) => format!("either {} or {}", operand(left), operand(right)),
        RegularFormula::Then(..) => {
            let mut parts = Vec::new();
            steps(regular, &mut parts);
            parts.iter().map(|part| described(part)).collect::<Vec<_>>().join(", then ")
        }
        RegularFormula::Star(of) => repeated("any number of", of),
        RegularFormula::Plus(of) => repeated("one or more", of),
    }
}

fn operand(regular: &RegularFormula) -> String {
    let text = described(regular);
    if matches!(regular, RegularFormula::Action(_)) { text } else { format!("({text})") }
}

fn repeated(amount: &str, of: &RegularFormula) -> String {
    match of {
        RegularFormula::Action(action) => format!("{amount} {}", several(action)),
        _ => format!("{amount} repetitions of ({})", described(of)),
    }
}

/// Describes one event.
fn one(action: &ActionFormula) -> String {
    match action {
        ActionFormula::Data(DataCondition::Constant(true)) => "any event".to_owned(),
        ActionFormula::Event(atom) => event(atom),
        ActionFormula::Or(..) if alternatives(action).is_some() => {
            enumeration(&alternatives(action).unwrap_or_default(), "or")
        }
        ActionFormula::Not(of) if alternatives(of).is_some() => {
            format!("an event other than {}", enumeration(&alternatives(of).unwrap_or_default(), "or"))
        }
        _ => format!("an event that matches `{}`", code(action)),
    }
}

/// Describes the events of a repetition.
fn several(action: &ActionFormula) -> String {
    match action {
        ActionFormula::Data(DataCondition::Constant(true)) => "events".to_owned(),
        ActionFormula::Event(_) => format!("{} events", one(action)),
        ActionFormula::Or(..) if alternatives(action).is_some() => format!("{} events", one(action)),
        ActionFormula::Not(of) if alternatives(of).is_some() => {
            format!("events other than {}", enumeration(&alternatives(of).unwrap_or_default(), "or"))
        }
        _ => format!("events that match `{}`", code(action)),
    }
}

/// Returns the events of a disjunction of events.
fn alternatives(action: &ActionFormula) -> Option<Vec<String>> {
    match action {
        ActionFormula::Event(atom) => Some(vec![event(atom)]),
        ActionFormula::Or(left, right) => {
            let mut all = alternatives(left)?;
            all.extend(alternatives(right)?);
            Some(all)
        }
        _ => None,
    }
}

fn code(action: &ActionFormula) -> String {
    gnomon_lang::mu::print_regular(&RegularFormula::Action(action.clone()))
}
