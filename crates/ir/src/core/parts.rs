// SPDX-License-Identifier: MIT OR Apache-2.0
//! Splits a mu-calculus formula into parts that each quantify over a fixed set of variables.

use std::collections::BTreeSet;

use super::{ActionFormulaCore, AtomDefinition, GuardCore, ModalCore, ModalNode};
use crate::{ActionFormula, VariableId};

impl ModalCore {
    /// Returns the parts of the formula, one for each set of quantified variables. Their conjunction is equivalent to the formula: boxes and
    /// conjunctions are universal, so the quantifiers can be moved to the front of each part.
    pub fn parts(&self) -> Vec<ModalCore> {
        let mut scopes = BTreeSet::new();
        collect(&self.body, &mut BTreeSet::new(), &mut scopes);
        scopes.iter().filter_map(|scope| self.part(scope)).collect()
    }

    fn part(&self, scope: &BTreeSet<u32>) -> Option<ModalCore> {
        let quantified = self.prefix.len() as u32;
        let others: Vec<u32> = (0..quantified).filter(|id| !scope.contains(id)).collect();
        let locals = quantified..quantified + self.locals.len() as u32;
        // Values are seen in all events that carry them, also in those of which this part says nothing.
        let renaming = Renaming { from: scope.iter().copied().chain(locals).chain(others.iter().copied()).collect() };
        let body = renaming.restrict(&self.body, scope, &mut BTreeSet::new())?;
        let place = |at: &u32| *at as usize;
        let unasked = others.iter().map(place).map(|at| (self.prefix[at].variable.clone(), self.sorts[at]));
        Some(ModalCore {
            name: self.name.clone(),
            atoms: self.atoms.iter().map(|atom| renaming.atom(atom)).collect(),
            prefix: scope.iter().map(place).map(|at| self.prefix[at].clone()).collect(),
            sorts: scope.iter().map(place).map(|at| self.sorts[at]).collect(),
            locals: self.locals.iter().cloned().chain(unasked).collect(),
            body,
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

/// New numbers for the variables of a part.
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

    /// Returns the part of the formula that stands behind exactly these quantifiers.
    fn restrict(&self, node: &ModalNode, wanted: &BTreeSet<u32>, scope: &mut BTreeSet<u32>) -> Option<ModalNode> {
        Some(match node {
            ModalNode::Data(data, span) => return (scope == wanted).then(|| ModalNode::Data(self.data(data), *span)),
            ModalNode::And(parts) => {
                let parts: Vec<ModalNode> =
                    parts.iter().filter_map(|part| self.restrict(part, wanted, scope)).collect();
                return (!parts.is_empty()).then_some(ModalNode::And(parts));
            }
            ModalNode::Forall(id, of) => {
                scope.insert(id.0);
                let of = self.restrict(of, wanted, scope);
                scope.remove(&id.0);
                return of;
            }
            ModalNode::Box(regular, of) => {
                let of = self.restrict(of, wanted, scope)?;
                ModalNode::Box(regular.map(&mut |action| self.action(action)), Box::new(of))
            }
            ModalNode::Implies(data, of) => {
                ModalNode::Implies(self.data(data), Box::new(self.restrict(of, wanted, scope)?))
            }
        })
    }

    fn action(&self, action: &ActionFormulaCore) -> ActionFormulaCore {
        let boxed = |of: &ActionFormulaCore| Box::new(self.action(of));
        match action {
            ActionFormula::Event(id) => ActionFormula::Event(*id),
            ActionFormula::Data(data) => ActionFormula::Data(self.data(data)),
            ActionFormula::Not(of) => ActionFormula::Not(boxed(of)),
            ActionFormula::And(left, right) => ActionFormula::And(boxed(left), boxed(right)),
            ActionFormula::Or(left, right) => ActionFormula::Or(boxed(left), boxed(right)),
            ActionFormula::Quantified(kind, id, of) => ActionFormula::Quantified(*kind, self.variable(*id), boxed(of)),
        }
    }

    fn data(&self, data: &GuardCore) -> GuardCore {
        data.map(&mut |id| self.variable(*id))
    }
}

#[cfg(test)]
mod tests {
    use gnomon_core::diagnostic::Span;

    use super::super::Core;
    use crate::check::check;
    use crate::modal::{ActionFormula, DataCondition, ModalFormula, RegularFormula, Sort, SortedVariable};
    use crate::spec::{Body, Language};
    use crate::testing::{event, property, variable};

    fn forall(name: &str, of: ModalFormula) -> ModalFormula {
        ModalFormula::Forall(
            SortedVariable { variable: variable(name), sort: Sort::Any, sort_name: "Data".to_owned() },
            Box::new(of),
        )
    }

    /// `[name(variables)] false`
    fn never(name: &str, variables: &[&str]) -> ModalFormula {
        let span = Span::default();
        let regular = RegularFormula::Action(ActionFormula::Event(event(name, variables)));
        ModalFormula::Box { regular, then: Box::new(ModalFormula::Data(DataCondition::Constant(false), span)), span }
    }

    #[test]
    fn a_part_has_the_variables_it_is_about_in_front() {
        // Both quantifiers say x: the second is another variable.
        let body =
            ModalFormula::And(Box::new(forall("x", never("a", &["x"]))), Box::new(forall("x", never("b", &["x"]))));
        let (spec, property) = property(Language::Mu, &[], Body::Modal(body));
        let (Some(Core::Modal(core)), diagnostics) = check(&spec, &property) else { panic!() };
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let names: Vec<&str> = core.prefix.iter().map(|quantifier| quantifier.variable.as_str()).collect();
        assert_eq!(names, ["x", "x'"]);
        let parts = core.parts();
        assert_eq!(parts.len(), 2);
        for (part, atom) in parts.iter().zip([0, 1]) {
            assert_eq!((part.prefix.len(), part.locals.len()), (1, 1));
            assert_eq!(part.atoms[atom].patterns[0].variables[0].1.0, 0, "the variable of its own atom comes first");
        }
    }
}
