// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae of the mu-calculus with one thing less.

use gnomon_ir::modal::{Action, Data, Modal, Regular, Sort, Sorted};
use gnomon_ir::pattern::Atom;

/// Every formula in which one part is replaced by a part of it, or by something plainer. What is no formula any more, because
/// a variable has lost its quantifier, does not pass the checker.
pub(super) fn smaller(modal: &Modal) -> Vec<Modal> {
    let span = gnomon_core::diagnostic::Span::default();
    match modal {
        Modal::Data(data, _) => conditions(data).into_iter().map(|data| Modal::Data(data, span)).collect(),
        Modal::Forall(sorted, of) => {
            let mut found = vec![of.as_ref().clone()];
            found.extend(sorts(sorted).into_iter().map(|sorted| Modal::Forall(sorted, of.clone())));
            found.extend(smaller(of).into_iter().map(|of| Modal::Forall(sorted.clone(), Box::new(of))));
            found
        }
        Modal::Box { regular, then, .. } => {
            let with =
                |regular: &Regular, then: Modal| Modal::Box { regular: regular.clone(), then: Box::new(then), span };
            let mut found = vec![then.as_ref().clone()];
            found.extend(words(regular).iter().map(|regular| with(regular, then.as_ref().clone())));
            found.extend(smaller(then).into_iter().map(|then| with(regular, then)));
            found
        }
        Modal::And(left, right) => {
            let mut found = vec![left.as_ref().clone(), right.as_ref().clone()];
            found.extend(smaller(left).into_iter().map(|left| Modal::And(Box::new(left), right.clone())));
            found.extend(smaller(right).into_iter().map(|right| Modal::And(left.clone(), Box::new(right))));
            found
        }
        Modal::Implies(data, of) => {
            let mut found = vec![of.as_ref().clone()];
            found.extend(conditions(data).into_iter().map(|data| Modal::Implies(data, of.clone())));
            found.extend(smaller(of).into_iter().map(|of| Modal::Implies(data.clone(), Box::new(of))));
            found
        }
    }
}

fn sorts(sorted: &Sorted) -> Vec<Sorted> {
    let any = Sorted { sort: Sort::Any, sort_name: "Any".to_owned(), ..sorted.clone() };
    if sorted.sort == Sort::Any { vec![] } else { vec![any] }
}

fn words(regular: &Regular) -> Vec<Regular> {
    let pair = |left: &Regular, right: &Regular, join: &dyn Fn(Box<Regular>, Box<Regular>) -> Regular| {
        let mut found = vec![left.clone(), right.clone()];
        found.extend(words(left).into_iter().map(|left| join(Box::new(left), Box::new(right.clone()))));
        found.extend(words(right).into_iter().map(|right| join(Box::new(left.clone()), Box::new(right))));
        found
    };
    let many = |of: &Regular, join: &dyn Fn(Box<Regular>) -> Regular| {
        let mut found = vec![of.clone()];
        found.extend(words(of).into_iter().map(|of| join(Box::new(of))));
        found
    };
    match regular {
        Regular::Action(action) => actions(action).into_iter().map(Regular::Action).collect(),
        Regular::Nil => vec![],
        Regular::Then(left, right) => pair(left, right, &Regular::Then),
        Regular::Or(left, right) => pair(left, right, &Regular::Or),
        Regular::Star(of) => many(of, &Regular::Star),
        Regular::Plus(of) => many(of, &Regular::Plus),
    }
}

fn actions(action: &Action) -> Vec<Action> {
    let pair = |left: &Action, right: &Action, join: &dyn Fn(Box<Action>, Box<Action>) -> Action| {
        let mut found = vec![left.clone(), right.clone()];
        found.extend(actions(left).into_iter().map(|left| join(Box::new(left), Box::new(right.clone()))));
        found.extend(actions(right).into_iter().map(|right| join(Box::new(left.clone()), Box::new(right))));
        found
    };
    match action {
        Action::Event(atom) => {
            let mut found = vec![Action::Data(Data::Constant(true))];
            if atom.condition.is_some() {
                found.push(Action::Event(Atom { condition: None, ..atom.clone() }));
            }
            if atom.arguments.is_some() {
                found.push(Action::Event(Atom { arguments: None, ..atom.clone() }));
            }
            found
        }
        Action::Data(data) => conditions(data).into_iter().map(Action::Data).collect(),
        Action::Not(of) => {
            let mut found = vec![of.as_ref().clone()];
            found.extend(actions(of).into_iter().map(|of| Action::Not(Box::new(of))));
            found
        }
        Action::And(left, right) => pair(left, right, &Action::And),
        Action::Or(left, right) => pair(left, right, &Action::Or),
        Action::Quantified(kind, sorted, of) => {
            let mut found = vec![of.as_ref().clone()];
            found.extend(sorts(sorted).into_iter().map(|sorted| Action::Quantified(*kind, sorted, of.clone())));
            let inner = actions(of).into_iter();
            found.extend(inner.map(|of| Action::Quantified(*kind, sorted.clone(), Box::new(of))));
            found
        }
    }
}

fn conditions(data: &Data) -> Vec<Data> {
    match data {
        Data::Constant(_) => vec![],
        Data::Compare(..) => vec![Data::Constant(true), Data::Constant(false)],
        Data::Not(of) => vec![of.as_ref().clone()],
        Data::And(left, right) | Data::Or(left, right) => vec![left.as_ref().clone(), right.as_ref().clone()],
    }
}
