// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lowers mu-calculus formulae: quantifiers move to the front, each variable gets a unique name.

use super::Checker;
use super::prefix::Variables;
use crate::core::{ActionFormulaCore, ModalCore, ModalNode, QuantifierCore};
use crate::modal::{ActionFormula, ModalFormula, SortedVariable};
use crate::spec::{Property, QuantifierKind, Variable};
use crate::walk::{WalkMut, walk_mut};

impl Checker<'_> {
    pub(super) fn modal(&mut self, property: &Property, modal: &ModalFormula) -> ModalCore {
        let mut names = UniqueNames::default();
        let mut modal = modal.clone();
        names.modal(&mut modal);
        let variables: Vec<Variable> = names.whole.iter().map(|sorted| sorted.variable.clone()).collect();
        let spans: Vec<_> = variables.iter().map(|variable| variable.span).collect();
        self.too_many_variables(&spans);
        self.variables = Variables::inside(names_of(&names.whole), names_of(&names.parts));
        let body = self.modal_node(&modal);
        self.unused(variables.iter());
        let quantifier = |variable: Variable| QuantifierCore {
            variable: variable.name,
            kind: QuantifierKind::Forall,
            threshold: None,
        };
        ModalCore {
            name: property.name.clone(),
            atoms: std::mem::take(&mut self.atoms),
            prefix: variables.into_iter().map(quantifier).collect(),
            sorts: names.whole.iter().map(|sorted| sorted.sort).collect(),
            locals: names.parts.iter().map(|sorted| (sorted.variable.name.clone(), sorted.sort)).collect(),
            body,
            span: property.body_span,
        }
    }

    fn modal_node(&mut self, modal: &ModalFormula) -> ModalNode {
        match modal {
            ModalFormula::Data(data, span) => ModalNode::Data(self.guard(data), *span),
            ModalFormula::Forall(sorted, of) => {
                let id = self.number(&sorted.variable);
                ModalNode::Forall(id, Box::new(self.modal_node(of)))
            }
            ModalFormula::Box { regular, then, .. } => {
                let regular = regular.map(&mut |action| self.action_formula(action));
                ModalNode::Box(regular.with_first_rounds(), Box::new(self.modal_node(then)))
            }
            ModalFormula::And(left, right) => ModalNode::And(vec![self.modal_node(left), self.modal_node(right)]),
            ModalFormula::Implies(data, of) => ModalNode::Implies(self.guard(data), Box::new(self.modal_node(of))),
        }
    }

    fn action_formula(&mut self, action: &ActionFormula) -> ActionFormulaCore {
        let mut boxed = |of: &ActionFormula| Box::new(self.action_formula(of));
        match action {
            ActionFormula::Event(atom) => ActionFormula::Event(self.atom(atom)),
            ActionFormula::Data(data) => ActionFormula::Data(self.guard(data)),
            ActionFormula::Not(of) => ActionFormula::Not(boxed(of)),
            ActionFormula::And(left, right) => ActionFormula::And(boxed(left), boxed(right)),
            ActionFormula::Or(left, right) => ActionFormula::Or(boxed(left), boxed(right)),
            ActionFormula::Quantified(kind, sorted, of) => {
                let id = self.number(&sorted.variable);
                ActionFormula::Quantified(*kind, id, Box::new(self.action_formula(of)))
            }
        }
    }
}

fn names_of(variables: &[SortedVariable]) -> Vec<String> {
    variables.iter().map(|sorted| sorted.variable.name.clone()).collect()
}

/// Gives every quantified variable a name of its own, so that all of them may stand side by side.
#[derive(Default)]
struct UniqueNames {
    /// Variables quantified over the whole formula.
    whole: Vec<SortedVariable>,
    /// Variables quantified inside action formulae.
    parts: Vec<SortedVariable>,
    /// Written name and unique name of each variable in scope, innermost last.
    meanings: Vec<(String, String)>,
}

impl UniqueNames {
    fn fresh(&self, name: &str) -> String {
        let mut fresh = name.to_owned();
        while self.whole.iter().chain(&self.parts).any(|known| known.variable.name == fresh) {
            fresh.push('\'');
        }
        fresh
    }

    fn bind(&mut self, sorted: &mut SortedVariable) {
        let fresh = self.fresh(&sorted.variable.name);
        let name = std::mem::replace(&mut sorted.variable.name, fresh.clone());
        self.meanings.push((name, fresh));
    }
}

impl<'b> WalkMut<'b> for UniqueNames {
    fn modal(&mut self, modal: &'b mut ModalFormula) {
        let ModalFormula::Forall(sorted, of) = modal else { return walk_mut::modal(self, modal) };
        self.bind(sorted);
        self.whole.push(sorted.clone());
        self.modal(of);
        self.meanings.pop();
    }

    fn action(&mut self, action: &'b mut ActionFormula) {
        let ActionFormula::Quantified(_, sorted, of) = action else { return walk_mut::action(self, action) };
        self.bind(sorted);
        self.parts.push(sorted.clone());
        self.action(of);
        self.meanings.pop();
    }

    fn variable(&mut self, variable: &'b mut Variable) {
        if let Some((_, fresh)) = self.meanings.iter().rev().find(|(name, _)| *name == variable.name) {
            variable.name.clone_from(fresh);
        }
    }
}
