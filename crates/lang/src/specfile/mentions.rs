// SPDX-License-Identifier: MIT OR Apache-2.0
//! The events that a property mentions.

use gnomon_ir::formula::{Aggregate, Formula, Kind};
use gnomon_ir::pattern::Atom;
use gnomon_ir::spec::Body;
use gnomon_ir::term::{Occurrence, Term, TermKind};

/// The atoms of a property, in any order. `start_X` and `end_X` are atoms of X, unless the whole name is known.
pub(super) fn atoms_of<'b>(body: &'b Body, is_known: &dyn Fn(&str) -> bool) -> Vec<&'b Atom> {
    match body {
        Body::Formula(formula) => atoms_in(formula, is_known),
        Body::Automaton(automaton) => automaton.atoms(),
        Body::Rule(rule) => rule.atoms(),
        Body::Requirement(requirement) => requirement.atoms(),
        Body::Modal(modal) => modal.atoms(),
    }
}

fn atoms_in<'b>(formula: &'b Formula, is_known: &dyn Fn(&str) -> bool) -> Vec<&'b Atom> {
    let mut atoms = Vec::new();
    let (mut formulae, mut terms): (Vec<&Formula>, Vec<&Term>) = (vec![formula], vec![]);
    let meant = |occurrence: &'b Occurrence| match &occurrence.activity {
        Some((_, activity)) if !is_known(&occurrence.event.name) => activity,
        _ => &occurrence.event,
    };
    loop {
        if let Some(term) = terms.pop() {
            match &term.kind {
                TermKind::Literal(_) | TermKind::Time(_) | TermKind::Variable(_) => {}
                TermKind::Operation(_, left, right) => terms.extend([left.as_ref(), right.as_ref()]),
                TermKind::Past { of, event, .. } => {
                    terms.push(of);
                    atoms.push(meant(event));
                }
                TermKind::Fold { of, .. } => terms.push(of),
                TermKind::Count { of, .. } => formulae.push(of),
                TermKind::Elapsed(event) => atoms.push(meant(event)),
            }
        } else if let Some(formula) = formulae.pop() {
            formulae.extend(formula.children());
            match &formula.kind {
                Kind::Atom(atom) => atoms.push(atom),
                Kind::OnEvent(event) => atoms.push(meant(event)),
                Kind::Compare(left, _, right) => terms.extend([left.as_ref(), right.as_ref()]),
                Kind::Aggregate { aggregate, .. } => {
                    if let Aggregate::Fold { of, .. } = aggregate.as_ref() {
                        atoms.push(of);
                    }
                }
                _ => {}
            }
        } else {
            return atoms;
        }
    }
}
