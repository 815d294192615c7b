// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the variables of a formula are called when it is printed.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::automaton::Expression;
use gnomon_ir::modal::{Action, Data, Modal, Regular, Sort, Sorted};

use crate::specfile::wildcard;

/// The names that the variables of a formula get in print.
pub(super) struct Names {
    renamed: BTreeMap<String, String>,
    /// Every name that a quantifier binds, as printed: no constant may be written like one.
    bound: BTreeSet<String>,
}

impl Names {
    pub(super) fn of(modal: &Modal) -> Names {
        let mut seen = Seen::default();
        let mut inner = modal;
        // Only what is quantified in front of all, over all values, and never compared is what a `*` would be.
        let mut stars = BTreeSet::new();
        while let Modal::Forall(Sorted { variable, sort: Sort::Any, sort_name }, of) = inner {
            if sort_name == ANY && !stars.insert(variable.name.as_str()) {
                stars.remove(variable.name.as_str());
            }
            inner = of;
        }
        seen.modal(modal);
        let alone = wildcard::alone(&modal.atoms());
        let once = |name: &&str| seen.bound.iter().filter(|known| *known == name).count() == 1;
        stars.retain(|name| alone.contains(name) && once(name) && !seen.compared.contains(name));
        let renamed = wildcard::names(&seen.bound, &stars);
        let shown = |name: &&str| renamed.get(*name).map_or_else(|| (*name).to_owned(), Clone::clone);
        let bound = seen.bound.iter().map(shown).collect();
        Names { renamed, bound }
    }

    /// What a variable is called; `*` if it needs no quantifier.
    pub(super) fn shown<'n>(&'n self, name: &'n str) -> &'n str {
        self.renamed.get(name).map_or(name, String::as_str)
    }

    /// Whether a word would be read as a variable somewhere in the formula.
    pub(super) fn is_bound(&self, word: &str) -> bool {
        self.bound.contains(word)
    }
}

/// The sort of what a `*` stands for.
pub(super) const ANY: &str = "Any";

/// The variables of a formula.
#[derive(Default)]
struct Seen<'m> {
    /// Those that quantifiers name, in the order of the text.
    bound: Vec<&'m str>,
    /// Those that stand in conditions.
    compared: BTreeSet<&'m str>,
}

impl<'m> Seen<'m> {
    fn modal(&mut self, modal: &'m Modal) {
        match modal {
            Modal::Data(data, _) => self.data(data),
            Modal::Forall(sorted, of) => {
                self.bound.push(&sorted.variable.name);
                self.modal(of);
            }
            Modal::Box { regular, then, .. } => {
                self.regular(regular);
                self.modal(then);
            }
            Modal::And(left, right) => {
                self.modal(left);
                self.modal(right);
            }
            Modal::Implies(data, of) => {
                self.data(data);
                self.modal(of);
            }
        }
    }

    fn regular(&mut self, regular: &'m Regular) {
        match regular {
            Regular::Action(action) => self.action(action),
            Regular::Nil => {}
            Regular::Then(left, right) | Regular::Or(left, right) => {
                self.regular(left);
                self.regular(right);
            }
            Regular::Star(of) | Regular::Plus(of) => self.regular(of),
        }
    }

    fn action(&mut self, action: &'m Action) {
        match action {
            Action::Event(_) => {}
            Action::Data(data) => self.data(data),
            Action::Not(of) => self.action(of),
            Action::And(left, right) | Action::Or(left, right) => {
                self.action(left);
                self.action(right);
            }
            Action::Quantified(_, sorted, of) => {
                self.bound.push(&sorted.variable.name);
                self.action(of);
            }
        }
    }

    fn data(&mut self, data: &'m Data) {
        match data {
            Data::Constant(_) => {}
            Data::Compare(left, _, right) => {
                self.expression(left);
                self.expression(right);
            }
            Data::Not(of) => self.data(of),
            Data::And(left, right) | Data::Or(left, right) => {
                self.data(left);
                self.data(right);
            }
        }
    }

    fn expression(&mut self, expression: &'m Expression) {
        match expression {
            Expression::Literal(_) => {}
            Expression::Variable(variable) => {
                self.compared.insert(&variable.name);
            }
            Expression::Arithmetic(_, left, right) => {
                self.expression(left);
                self.expression(right);
            }
        }
    }
}
