// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae over states with one thing less.

use gnomon_core::time::Quantity;
use gnomon_ir::formula::{Formula, Kind, Unary};
use gnomon_ir::pattern::Atom;
use gnomon_ir::term::{Occurrence, Term, TermKind};

use super::less;
use crate::build::state::{becomes, named, number, occurrence, term, value, what_becomes};
use crate::build::{self, children_mut};

pub(super) fn smaller(formula: &Formula) -> Vec<Formula> {
    let mut found = Vec::new();
    if !matches!(formula.kind, Kind::Constant(_)) {
        found.extend([build::constant(true), build::constant(false)]);
        if !matches!(formula.kind, Kind::OnEvent(_)) {
            found.push(build::formula(Kind::OnEvent(occurrence(named("a")))));
        }
    }
    if let Some(of) = what_becomes(formula) {
        found.push(of.clone());
        found.extend(smaller(of).into_iter().map(becomes));
        return found;
    }
    found.extend(formula.children().into_iter().cloned());
    found.extend(of_kind(&formula.kind).into_iter().map(build::formula));
    for index in 0..formula.children().len() {
        for smaller in smaller(formula.children()[index]) {
            let mut changed = formula.clone();
            *children_mut(&mut changed)[index] = smaller;
            found.push(changed);
        }
    }
    found
}

/// With something less beside the formulae inside.
fn of_kind(kind: &Kind) -> Vec<Kind> {
    let mut found = Vec::new();
    match kind {
        Kind::OnEvent(event) => found.extend(smaller_event(event).into_iter().map(Kind::OnEvent)),
        Kind::Compare(left, comparison, right) => {
            let lefts = smaller_term(left).into_iter().map(|left| (Box::new(left), right.clone()));
            let rights = smaller_term(right).into_iter().map(|right| (left.clone(), Box::new(right)));
            found.extend(lefts.chain(rights).map(|(left, right)| Kind::Compare(left, *comparison, right)));
        }
        Kind::InFuture { reach, of } if reach.billionths > 0 => {
            found.push(Kind::InFuture { reach: less(*reach), of: of.clone() });
        }
        Kind::Unary { operator: Unary::Eventually, interval, .. } => {
            if let Some(hi) = interval.hi.filter(|hi| hi.billionths > 0) {
                let mut nearer = kind.clone();
                if let Kind::Unary { interval, .. } = &mut nearer {
                    interval.hi = Some(less(hi));
                }
                found.push(nearer);
            }
        }
        _ => {}
    }
    found
}

fn smaller_event(event: &Occurrence) -> Vec<Occurrence> {
    let Atom { name, arguments, condition, .. } = &event.event;
    let mut found = Vec::new();
    if arguments.is_some() || condition.is_some() {
        found.push(occurrence(named(name)));
    }
    if let Some((_, activity)) = &event.activity {
        found.push(occurrence(activity.clone()));
    }
    found
}

fn smaller_term(of: &Term) -> Vec<Term> {
    let mut found = Vec::new();
    if !matches!(of.kind, TermKind::Literal(_)) {
        found.push(number(0));
        if !matches!(of.kind, TermKind::Variable(_)) {
            found.push(value("v"));
        }
    }
    let boxed = |terms: Vec<Term>| terms.into_iter().map(Box::new);
    let nearer = |window: Quantity| (window.billionths > 0).then(|| less(window));
    match &of.kind {
        TermKind::Literal(_) | TermKind::Time(_) | TermKind::Variable(_) => {}
        TermKind::Operation(operation, left, right) => {
            found.extend([left.as_ref().clone(), right.as_ref().clone()]);
            let lefts = boxed(smaller_term(left)).map(|left| (left, right.clone()));
            let rights = boxed(smaller_term(right)).map(|right| (left.clone(), right));
            found.extend(lefts.chain(rights).map(|(left, right)| term(TermKind::Operation(*operation, left, right))));
        }
        TermKind::Past { of, event, back } => {
            found.push(of.as_ref().clone());
            let past = |of: Box<Term>, event, back| term(TermKind::Past { of, event, back });
            found.extend(boxed(smaller_term(of)).map(|of| past(of, event.clone(), *back)));
            found.extend(smaller_event(event).into_iter().map(|event| past(of.clone(), event, *back)));
            found.extend((*back > 1).then(|| past(of.clone(), event.clone(), back - 1)));
        }
        TermKind::Elapsed(event) => {
            found.extend(smaller_event(event).into_iter().map(|event| term(TermKind::Elapsed(event))));
        }
        TermKind::Count { of, window } => {
            let count = |of: Box<Formula>, window| term(TermKind::Count { of, window });
            found.extend(smaller(of).into_iter().map(|of| count(Box::new(of), *window)));
            found.extend(nearer(*window).map(|window| count(of.clone(), window)));
        }
        TermKind::Fold { fold, of, window } => {
            found.push(of.as_ref().clone());
            let folded = |of: Box<Term>, window| term(TermKind::Fold { fold: *fold, of, window });
            found.extend(boxed(smaller_term(of)).map(|of| folded(of, *window)));
            found.extend(nearer(*window).map(|window| folded(of.clone(), window)));
        }
    }
    found
}
