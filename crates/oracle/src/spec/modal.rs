// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae of the mu-calculus as written: quantifiers are met where they stand, variables are known by name.
// RULE W1, W2, W3, W4, W6, W7, W8, W10

use std::cell::LazyCell;
use std::collections::BTreeMap;

use gnomon_core::value::{Comparison, Value};
use gnomon_core::verdict::End;
use gnomon_ir::automaton::Expression;
use gnomon_ir::modal::{Action, Data, Modal, Regular, Sort};
use gnomon_ir::pattern::{Argument, Atom};
use gnomon_ir::spec::{QuantifierKind, Spec};

use super::automaton::value;
use super::declared::{Bound, Sighting, matches, sightings};
use super::scope::with;
use crate::modal::{Claim, Letter, Words, candidates, has};
use crate::trace::{OracleEvent, Trace};
use crate::truth::Truth;

/// What is known of a formula over a trace.
pub(super) fn truth(spec: &Spec, modal: &Modal, trace: &Trace, end: End) -> Truth {
    let events = trace.events();
    let mut reader = Reader { spec, events, letters: 0, sorts: Sorts::new(), quantifiers: 0 };
    let claim = reader.claim(modal, &Bound::new());
    let is_broken = !events.is_empty() && !claim.failures().is_empty();
    let may_go_on = reader.quantifiers > 0 || events.is_empty() || !claim.next(events.len()).is_empty();
    match end {
        _ if is_broken => Truth::False,
        End::Prefix if may_go_on => Truth::Unknown,
        End::Complete | End::Prefix => Truth::True,
    }
}

struct Reader<'a> {
    spec: &'a Spec,
    events: &'a [OracleEvent],
    letters: usize,
    /// The sorts of the variables around.
    sorts: Sorts,
    quantifiers: usize,
}

/// The sorts of variables.
type Sorts = BTreeMap<String, Sort>;

impl Reader<'_> {
    fn claim(&mut self, modal: &Modal, bound: &Bound) -> Claim {
        match modal {
            Modal::Data(data, _) => {
                Claim::Data { is_true: is_true(data, bound), is_certain: *data == Data::Constant(true) }
            }
            Modal::Forall(sorted, of) => {
                let around = self.sorts.clone();
                self.sorts.insert(sorted.variable.name.clone(), sorted.sort);
                let values = self.values(&sorted.variable.name, of);
                self.quantifiers += 1;
                let name = &sorted.variable.name;
                let claims = values.iter().map(|value| self.claim(of, &with(bound, name, value))).collect();
                self.sorts = around;
                Claim::All(claims)
            }
            Modal::Box { regular, then, .. } => {
                let words = self.words(regular, bound);
                Claim::After(words, Box::new(self.claim(then, bound)))
            }
            Modal::And(left, right) => Claim::All(vec![self.claim(left, bound), self.claim(right, bound)]),
            Modal::Implies(data, of) => Claim::If(is_true(data, bound), Box::new(self.claim(of, bound))),
        }
    }

    /// What a variable is in the events that match an atom inside its quantifier.
    // RULE W6
    fn values(&self, name: &str, of: &Modal) -> Vec<Value<'static>> {
        let mut atoms = Vec::new();
        atoms_with(of, name, &self.sorts, &mut atoms);
        let mut found: Vec<Value<'static>> = Vec::new();
        for event in self.events {
            for (atom, sorts) in &atoms {
                let is_of_sort =
                    |(name, value): (&String, &Value<'static>)| sorts.get(name).is_none_or(|sort| has(*sort, value));
                let fits = |sighting: &Sighting<'_>| sighting.values.iter().all(is_of_sort);
                for sighting in sightings(self.spec, atom, event).into_iter().filter(fits) {
                    let new = sighting.values.get(name);
                    found.extend(new.filter(|new| !found.iter().any(|old| Comparison::Equal.holds(old, new))).cloned());
                }
            }
        }
        found
    }

    fn words(&mut self, regular: &Regular, bound: &Bound) -> Words {
        match regular {
            Regular::Action(action) => {
                let mut constants: Vec<Value<'static>> = bound.values().cloned().collect();
                let mut operations = 0;
                collect(action, &mut constants, &mut operations);
                let says = |event: &OracleEvent| {
                    let candidates = LazyCell::new(|| candidates(event, constants.clone(), operations));
                    self.holds(action, event, bound, &|| candidates.clone())
                };
                let matches = self.events.iter().map(says).collect();
                self.letters += 1;
                Words::Letter(Letter { number: self.letters, matches })
            }
            Regular::Nil => Words::Nil,
            Regular::Then(first, second) => {
                let first = self.words(first, bound);
                Words::Then(Box::new(first), Box::new(self.words(second, bound)))
            }
            Regular::Or(one, other) => {
                let one = self.words(one, bound);
                Words::Or(Box::new(one), Box::new(self.words(other, bound)))
            }
            Regular::Star(of) => Words::Star(Box::new(self.words(of, bound))),
            Regular::Plus(of) => {
                let once = self.words(of, bound);
                Words::Then(Box::new(once), Box::new(Words::Star(Box::new(self.words(of, bound)))))
            }
        }
    }

    fn holds(
        &self,
        action: &Action,
        event: &OracleEvent,
        bound: &Bound,
        candidates: &dyn Fn() -> Vec<Value<'static>>,
    ) -> bool {
        match action {
            Action::Event(atom) => matches(self.spec, atom, event, bound),
            Action::Data(data) => is_true(data, bound),
            Action::Not(of) => !self.holds(of, event, bound, candidates),
            Action::And(left, right) => {
                self.holds(left, event, bound, candidates) && self.holds(right, event, bound, candidates)
            }
            Action::Or(left, right) => {
                self.holds(left, event, bound, candidates) || self.holds(right, event, bound, candidates)
            }
            Action::Quantified(kind, sorted, of) => {
                let mut values = candidates().into_iter().filter(|value| has(sorted.sort, value));
                let is_so = |value| self.holds(of, event, &with(bound, &sorted.variable.name, &value), candidates);
                match kind {
                    QuantifierKind::Exists => values.any(is_so),
                    QuantifierKind::Forall => values.all(is_so),
                }
            }
        }
    }
}

fn is_true(data: &Data, bound: &Bound) -> bool {
    match data {
        Data::Constant(value) => *value,
        Data::Compare(left, comparison, right) => {
            let sides = value(left, bound).zip(value(right, bound));
            sides.is_some_and(|(left, right)| comparison.holds(&left, &right))
        }
        Data::Not(of) => !is_true(of, bound),
        Data::And(left, right) => is_true(left, bound) && is_true(right, bound),
        Data::Or(left, right) => is_true(left, bound) || is_true(right, bound),
    }
}

/// The atoms that have a variable, where no quantifier inside has the same name, each with the sorts of all variables there.
fn atoms_with<'a>(modal: &'a Modal, name: &str, sorts: &Sorts, found: &mut Vec<(&'a Atom, Sorts)>) {
    match modal {
        Modal::Data(..) => {}
        Modal::Forall(sorted, _) if sorted.variable.name == name => {}
        Modal::Forall(sorted, of) => {
            let mut sorts = sorts.clone();
            sorts.insert(sorted.variable.name.clone(), sorted.sort);
            atoms_with(of, name, &sorts, found);
        }
        Modal::Implies(_, of) => atoms_with(of, name, sorts, found),
        Modal::Box { regular, then, .. } => {
            in_regular(regular, name, sorts, found);
            atoms_with(then, name, sorts, found);
        }
        Modal::And(left, right) => {
            atoms_with(left, name, sorts, found);
            atoms_with(right, name, sorts, found);
        }
    }
}

fn in_regular<'a>(regular: &'a Regular, name: &str, sorts: &Sorts, found: &mut Vec<(&'a Atom, Sorts)>) {
    match regular {
        Regular::Action(action) => in_action(action, name, sorts, found),
        Regular::Nil => {}
        Regular::Then(left, right) | Regular::Or(left, right) => {
            in_regular(left, name, sorts, found);
            in_regular(right, name, sorts, found);
        }
        Regular::Star(of) | Regular::Plus(of) => in_regular(of, name, sorts, found),
    }
}

fn in_action<'a>(action: &'a Action, name: &str, sorts: &Sorts, found: &mut Vec<(&'a Atom, Sorts)>) {
    let is_it = |argument: &Argument| matches!(argument, Argument::Variable(variable) if variable.name == name);
    match action {
        Action::Event(atom) if atom.arguments.iter().flatten().any(is_it) => found.push((atom, sorts.clone())),
        Action::Event(_) | Action::Data(_) => {}
        Action::Quantified(_, sorted, _) if sorted.variable.name == name => {}
        Action::Quantified(_, sorted, of) => {
            let mut sorts = sorts.clone();
            sorts.insert(sorted.variable.name.clone(), sorted.sort);
            in_action(of, name, &sorts, found);
        }
        Action::Not(of) => in_action(of, name, sorts, found),
        Action::And(left, right) | Action::Or(left, right) => {
            in_action(left, name, sorts, found);
            in_action(right, name, sorts, found);
        }
    }
}

/// The literals that a formula compares with, and how many sums and differences it has.
fn collect(action: &Action, literals: &mut Vec<Value<'static>>, operations: &mut usize) {
    match action {
        Action::Event(_) => {}
        Action::Data(data) => collect_data(data, literals, operations),
        Action::Not(of) | Action::Quantified(_, _, of) => collect(of, literals, operations),
        Action::And(left, right) | Action::Or(left, right) => {
            collect(left, literals, operations);
            collect(right, literals, operations);
        }
    }
}

fn collect_data(data: &Data, literals: &mut Vec<Value<'static>>, operations: &mut usize) {
    match data {
        Data::Constant(_) => {}
        Data::Compare(left, _, right) => {
            let mut pending = vec![left, right];
            while let Some(expression) = pending.pop() {
                match expression {
                    Expression::Literal(value) => literals.push(value.clone()),
                    Expression::Variable(_) => {}
                    Expression::Arithmetic(_, left, right) => {
                        *operations += 1;
                        pending.extend([left.as_ref(), right.as_ref()]);
                    }
                }
            }
        }
        Data::Not(of) => collect_data(of, literals, operations),
        Data::And(left, right) | Data::Or(left, right) => {
            collect_data(left, literals, operations);
            collect_data(right, literals, operations);
        }
    }
}
