// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae written by hand, and words for them.

use gnomon_automaton::{AlternatingAutomaton, BuildContext, TableWord};
use gnomon_core::diagnostic::Span;
use gnomon_core::time::{Clock, Quantity};
use gnomon_ir::atom::Atom;
use gnomon_ir::formula::{Binary, Bounds, Connective, Formula, FormulaKind, Unary};
use gnomon_ir::term::{ActivityPhase, Occurrence};

fn formula(kind: FormulaKind) -> Formula {
    Formula { kind, span: Span::default() }
}

pub(crate) fn atom(name: &str) -> Atom {
    let span = Span::default();
    Atom { name: name.to_owned(), name_span: span, arguments: None, condition: None, span }
}

pub(crate) fn event(name: &str) -> Formula {
    formula(FormulaKind::Atom(atom(name)))
}

pub(crate) fn start(name: &str) -> Formula {
    let activity = Some((ActivityPhase::Start, atom(name)));
    let span = Span::default();
    formula(FormulaKind::OnEvent(Occurrence { event: atom(&format!("start_{name}")), activity, span }))
}

pub(crate) fn not(of: Formula) -> Formula {
    formula(FormulaKind::Not(Box::new(of)))
}

fn connective(connective: Connective, left: Formula, right: Formula) -> Formula {
    formula(FormulaKind::Connective(connective, Box::new(left), Box::new(right)))
}

pub(crate) fn and(left: Formula, right: Formula) -> Formula {
    connective(Connective::And, left, right)
}

pub(crate) fn or(left: Formula, right: Formula) -> Formula {
    connective(Connective::Or, left, right)
}

pub(crate) fn implies(left: Formula, right: Formula) -> Formula {
    connective(Connective::Implies, left, right)
}

pub(crate) fn until(left: Formula, right: Formula) -> Formula {
    let (left, right) = (Box::new(left), Box::new(right));
    formula(FormulaKind::Binary { operator: Binary::Until, strict: false, interval: Bounds::ANY, left, right })
}

fn unary(operator: Unary, interval: Bounds, of: Formula) -> Formula {
    formula(FormulaKind::Unary { operator, strict: false, times: 1, interval, of: Box::new(of) })
}

pub(crate) fn within(of: Formula, reach: i64) -> Formula {
    unary(Unary::Eventually, Bounds { hi: Some(Quantity::whole(reach)), hi_closed: true, ..Bounds::ANY }, of)
}

pub(crate) fn always(of: Formula) -> Formula {
    unary(Unary::Always, Bounds::ANY, of)
}

pub(crate) fn previous(of: Formula) -> Formula {
    unary(Unary::Previous, Bounds::ANY, of)
}

pub(crate) fn in_future(of: Formula, reach: i64) -> Formula {
    formula(FormulaKind::InFuture { reach: Quantity::whole(reach), of: Box::new(of) })
}

/// `Until(!f, f && InFuture(g, K))`
pub(crate) fn between(first: &Formula, then: Formula, reach: i64) -> Formula {
    until(not(first.clone()), and(first.clone(), in_future(then, reach)))
}

/// The automaton of an invariant with this body.
pub(crate) fn automaton(body: Formula) -> AlternatingAutomaton {
    AlternatingAutomaton::of(&always(body), BuildContext::default()).expect("it has an automaton")
}

/// A word for an automaton: states at these times, each with the events that happen in it, separated by spaces.
pub(crate) fn word(automaton: &AlternatingAutomaton, states: &[(i64, &str)]) -> TableWord {
    let times = states.iter().map(|(time, _)| Clock::default().whole(*time)).collect();
    let row = |proposition: &Formula| {
        let FormulaKind::Atom(atom) = &proposition.kind else { panic!("all propositions here are events") };
        states.iter().map(|(_, events)| events.split(' ').any(|event| event == atom.name)).collect()
    };
    TableWord { times, truth: automaton.propositions.iter().map(row).collect() }
}
