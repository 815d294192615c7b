// SPDX-License-Identifier: MIT OR Apache-2.0
//! A formula of the mu-calculus as several, each of which asks all that it asks for every value of the same variables.

use std::collections::BTreeSet;

use super::{ActionFormula, AtomDefinition, DataCore, ExpressionCore, ModalCore, ModalNode, RegularCore};
use crate::pattern::VariableId;

impl ModalCore {
    /// The formula's parts, by the variables behind whose quantifiers they stand. Together they say what the formula says: a
    /// box and a conjunction are about all that follows, so quantifiers may go to the front of each part, and there is none inside.
    pub fn parts(&self) -> Vec<ModalCore> {
        let mut scopes = BTreeSet::new();
        collect(&self.body, &mut BTreeSet::new(), &mut scopes);
        scopes.iter().filter_map(|scope| self.part(scope)).collect()
    }

    fn part(&self, scope: &BTreeSet<u32>) -> Option<ModalCore> {
        let body = restrict(&self.body, scope, &mut BTreeSet::new())?;
        let quantified = self.prefix.len() as u32;
        let others: Vec<u32> = (0..quantified).filter(|id| !scope.contains(id)).collect();
        let locals = quantified..quantified + self.locals.len() as u32;
        // Values are seen in all events that carry them, also in those of which this part says nothing.
        let renaming = Renaming { from: scope.iter().copied().chain(locals).chain(others.iter().copied()).collect() };
        let place = |at: &u32| *at as usize;
        let unasked = others.iter().map(place).map(|at| (self.prefix[at].variable.clone(), self.sorts[at]));
        Some(ModalCore {
            name: self.name.clone(),
            atoms: self.atoms.iter().map(|atom| renaming.atom(atom)).collect(),
            prefix: scope.iter().map(place).map(|at| self.prefix[at].clone()).collect(),
            sorts: scope.iter().map(place).map(|at| self.sorts[at]).collect(),
            locals: self.locals.iter().cloned().chain(unasked).collect(),
            body: renaming.node(&body),
            span: self.span,
        })
    }
}

/// The sets of variables behind whose quantifiers something is asked.
fn collect(node: &ModalNode, scope: &mut BTreeSet<u32>, scopes: &mut BTreeSet<BTreeSet<u32>>) {
    match node {
        ModalNode::Data(..) => {
            scopes.insert(scope.clone());
        }
        ModalNode::And(parts) => parts.iter().for_each(|part| collect(part, scope, scopes)),
        ModalNode::Forall(id, of) => {
            scope.insert(id.0);
            collect(of, scope, scopes);
            scope.remove(&id.0);
        }
        ModalNode::Box(_, of) | ModalNode::Implies(_, of) => collect(of, scope, scopes),
    }
}

/// What is asked behind exactly these quantifiers.
fn restrict(node: &ModalNode, wanted: &BTreeSet<u32>, scope: &mut BTreeSet<u32>) -> Option<ModalNode> {
    match node {
        ModalNode::Data(..) => (scope == wanted).then(|| node.clone()),
        ModalNode::And(parts) => {
            let parts: Vec<ModalNode> = parts.iter().filter_map(|part| restrict(part, wanted, scope)).collect();
            (!parts.is_empty()).then_some(ModalNode::And(parts))
        }
        ModalNode::Forall(id, of) => {
            scope.insert(id.0);
            let of = restrict(of, wanted, scope);
            scope.remove(&id.0);
            of
        }
        ModalNode::Box(regular, of) => Some(ModalNode::Box(regular.clone(), Box::new(restrict(of, wanted, scope)?))),
        ModalNode::Implies(data, of) => Some(ModalNode::Implies(data.clone(), Box::new(restrict(of, wanted, scope)?))),
    }
}

/// New numbers for the variables.
struct Renaming {
    /// The old numbers, in the order of the new ones.
    from: Vec<u32>,
}

impl Renaming {
    fn variable(&self, id: VariableId) -> VariableId {
        // Every variable has a new number.
        let found = self.from.iter().position(|old| *old == id.0);
        VariableId(found.unwrap_or_default() as u32)
    }

    fn atom(&self, atom: &AtomDefinition) -> AtomDefinition {
        let mut atom = atom.clone();
        for (_, id) in atom.patterns.iter_mut().flat_map(|pattern| &mut pattern.variables) {
            *id = self.variable(*id);
        }
        atom
    }

    fn node(&self, node: &ModalNode) -> ModalNode {
        match node {
            ModalNode::Data(data, span) => ModalNode::Data(self.data(data), *span),
            ModalNode::And(parts) => ModalNode::And(parts.iter().map(|part| self.node(part)).collect()),
            ModalNode::Forall(_, of) => self.node(of),
            ModalNode::Box(regular, of) => ModalNode::Box(self.regular(regular), Box::new(self.node(of))),
            ModalNode::Implies(data, of) => ModalNode::Implies(self.data(data), Box::new(self.node(of))),
        }
    }

    fn regular(&self, regular: &RegularCore) -> RegularCore {
        match regular {
            RegularCore::Action(action) => RegularCore::Action(self.action(action)),
            RegularCore::Nil => RegularCore::Nil,
            RegularCore::Then(left, right) => {
                RegularCore::Then(Box::new(self.regular(left)), Box::new(self.regular(right)))
            }
            RegularCore::Or(left, right) => {
                RegularCore::Or(Box::new(self.regular(left)), Box::new(self.regular(right)))
            }
            RegularCore::Star(of) => RegularCore::Star(Box::new(self.regular(of))),
        }
    }

    fn action(&self, action: &ActionFormula) -> ActionFormula {
        match action {
            ActionFormula::Event(id) => ActionFormula::Event(*id),
            ActionFormula::Data(data) => ActionFormula::Data(self.data(data)),
            ActionFormula::Not(of) => ActionFormula::Not(Box::new(self.action(of))),
            ActionFormula::And(left, right) => {
                ActionFormula::And(Box::new(self.action(left)), Box::new(self.action(right)))
            }
            ActionFormula::Or(left, right) => {
                ActionFormula::Or(Box::new(self.action(left)), Box::new(self.action(right)))
            }
            ActionFormula::Quantified(kind, id, of) => {
                ActionFormula::Quantified(*kind, self.variable(*id), Box::new(self.action(of)))
            }
        }
    }

    fn data(&self, data: &DataCore) -> DataCore {
        match data {
            DataCore::Constant(truth) => DataCore::Constant(*truth),
            DataCore::Compare(left, comparison, right) => {
                DataCore::Compare(self.expression(left), *comparison, self.expression(right))
            }
            DataCore::Not(of) => DataCore::Not(Box::new(self.data(of))),
            DataCore::And(left, right) => DataCore::And(Box::new(self.data(left)), Box::new(self.data(right))),
            DataCore::Or(left, right) => DataCore::Or(Box::new(self.data(left)), Box::new(self.data(right))),
        }
    }

    fn expression(&self, expression: &ExpressionCore) -> ExpressionCore {
        match expression {
            ExpressionCore::Literal(_) => expression.clone(),
            ExpressionCore::Variable(id) => ExpressionCore::Variable(self.variable(*id)),
            ExpressionCore::Arithmetic(arithmetic, left, right) => ExpressionCore::Arithmetic(
                *arithmetic,
                Box::new(self.expression(left)),
                Box::new(self.expression(right)),
            ),
        }
    }
}
