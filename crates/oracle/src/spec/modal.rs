// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mu-calculus formulae as written: quantifiers are evaluated where they occur, variables are looked up by name.
// RULE W1, W2, W3, W4, W6, W7, W8, W10

use std::collections::BTreeMap;

use gnomon_core::{Comparison, End, Value};
use gnomon_ir::atom::{Argument, Atom};
use gnomon_ir::modal::{ActionFormula, DataCondition, ModalFormula, RegularFormula, Sort, SortedVariable};
use gnomon_ir::spec::{Spec, Variable};
use gnomon_ir::walk::{Walk, walk};

use super::atom::{AtomMatch, VariableValues, atom_matches};
use super::automaton::holds;
use super::quantifiers::with;
use crate::modal::{ActionMatches, ActionReading, Claim, WordSet, has};
use crate::trace::{OracleEvent, Trace};
use crate::truth::Truth;

/// Returns the truth value of a formula on a trace.
pub(super) fn truth(spec: &Spec, modal: &ModalFormula, trace: &Trace, end: End) -> Truth {
    let events = trace.events();
    let mut evaluator = Evaluator { spec, events, letters: 0, sorts: Sorts::new(), quantifiers: 0 };
    let claim = evaluator.claim(modal, &VariableValues::new());
    let is_broken = !events.is_empty() && !claim.failures().is_empty();
    let may_go_on = evaluator.quantifiers > 0 || events.is_empty() || !claim.next(events.len()).is_empty();
    match end {
        _ if is_broken => Truth::False,
        End::Prefix if may_go_on => Truth::Unknown,
        End::Complete | End::Prefix => Truth::True,
    }
}

struct Evaluator<'a> {
    spec: &'a Spec,
    events: &'a [OracleEvent],
    /// Number of action formulae so far; each gets a number of its own.
    letters: usize,
    /// The sorts of the variables in scope.
    sorts: Sorts,
    /// Number of quantifiers so far. With one, later events may bring values that violate the formula.
    quantifiers: usize,
}

/// The sorts of variables.
type Sorts = BTreeMap<String, Sort>;

impl Evaluator<'_> {
    fn claim(&mut self, modal: &ModalFormula, bound: &VariableValues) -> Claim {
        match modal {
            ModalFormula::Data(data, _) => {
                Claim::Data { is_true: holds(data, bound), is_certain: *data == DataCondition::Constant(true) }
            }
            ModalFormula::Forall(sorted, of) => {
                let around = self.sorts.clone();
                self.sorts.insert(sorted.variable.name.clone(), sorted.sort);
                let values = self.values(&sorted.variable.name, of);
                self.quantifiers += 1;
                let name = &sorted.variable.name;
                let claims = values.iter().map(|value| self.claim(of, &with(bound, name, value))).collect();
                self.sorts = around;
                Claim::All(claims)
            }
            ModalFormula::Box { regular, then, .. } => {
                let words = self.words(regular, bound);
                Claim::After(words, Box::new(self.claim(then, bound)))
            }
            ModalFormula::And(left, right) => Claim::All(vec![self.claim(left, bound), self.claim(right, bound)]),
            ModalFormula::Implies(data, of) => Claim::If(holds(data, bound), Box::new(self.claim(of, bound))),
        }
    }

    /// Collects the values of a variable in the events that match an atom inside its quantifier.
    // RULE W6
    fn values(&self, name: &str, of: &ModalFormula) -> Vec<Value<'static>> {
        let mut atoms = AtomsWith { name, sorts: self.sorts.clone(), found: vec![] };
        atoms.modal(of);
        let mut found: Vec<Value<'static>> = Vec::new();
        for event in self.events {
            for (atom, sorts) in &atoms.found {
                let is_of_sort =
                    |(name, value): (&String, &Value<'static>)| sorts.get(name).is_none_or(|sort| has(*sort, value));
                let fits = |atom_match: &AtomMatch<'_>| atom_match.values.iter().all(is_of_sort);
                for atom_match in atom_matches(self.spec, atom, event).into_iter().filter(fits) {
                    let new = atom_match.values.get(name);
                    found.extend(new.filter(|new| !found.iter().any(|old| Comparison::Equal.holds(old, new))).cloned());
                }
            }
        }
        found
    }

    fn words(&mut self, regular: &RegularFormula, bound: &VariableValues) -> WordSet {
        regular.map(&mut |action| {
            let matches = self.events.iter().map(|event| self.holds(action, event, bound)).collect();
            self.letters += 1;
            ActionMatches { number: self.letters, matches, is_positive: true }
        })
    }

    fn holds(&self, action: &ActionFormula, event: &OracleEvent, bound: &VariableValues) -> bool {
        let matches = |atom: &Atom| {
            let found = atom_matches(self.spec, atom, event).into_iter();
            found.map(|atom_match| atom_match.values.into_iter().collect()).collect()
        };
        let sorted = |sorted: &SortedVariable| (sorted.variable.name.clone(), sorted.sort);
        let reading = ActionReading {
            matches: &matches,
            variable: &|variable: &Variable| variable.name.clone(),
            quantified: &sorted,
        };
        reading.holds(action, bound.clone().into_iter())
    }
}

/// Collects the atoms that have a variable, where no quantifier inside has the same name, each with the sorts of all variables
/// there.
struct AtomsWith<'m, 'n> {
    name: &'n str,
    sorts: Sorts,
    found: Vec<(&'m Atom, Sorts)>,
}

impl AtomsWith<'_, '_> {
    /// Visits what is inside a quantifier, unless that hides the variable.
    fn inside(&mut self, sorted: &SortedVariable, visit: impl FnOnce(&mut Self)) {
        if sorted.variable.name != self.name {
            let around = self.sorts.clone();
            self.sorts.insert(sorted.variable.name.clone(), sorted.sort);
            visit(self);
            self.sorts = around;
        }
    }
}

impl<'m> Walk<'m> for AtomsWith<'m, '_> {
    fn modal(&mut self, modal: &'m ModalFormula) {
        match modal {
            ModalFormula::Forall(sorted, of) => self.inside(sorted, |walk| walk.modal(of)),
            _ => walk::modal(self, modal),
        }
    }

    fn action(&mut self, action: &'m ActionFormula) {
        match action {
            ActionFormula::Quantified(_, sorted, of) => self.inside(sorted, |walk| walk.action(of)),
            _ => walk::action(self, action),
        }
    }

    fn atom(&mut self, atom: &'m Atom) {
        let is_it =
            |argument: &Argument| matches!(argument, Argument::Variable(variable) if variable.name == self.name);
        if atom.arguments.iter().flatten().any(is_it) {
            self.found.push((atom, self.sorts.clone()));
        }
    }
}
