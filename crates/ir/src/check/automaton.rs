// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lowers automata: symbolic events become atoms, names of states and variables become numbers.

use gnomon_core::diagnostic::Diagnostic;

use super::Checker;
use crate::atom::VariableId;
use crate::automaton::{Assignment, Automaton, Branch, Guard, State, Transition};
use crate::core::{AutomatonCore, BranchCore, ExpressionCore, GuardCore, QuantifierCore, StateCore, TransitionCore};
use crate::spec::{Property, Variable};

impl Checker<'_> {
    pub(super) fn automaton(
        &mut self,
        property: &Property,
        automaton: &Automaton,
        prefix: Vec<QuantifierCore>,
    ) -> AutomatonCore {
        // `where [...]` refers to quantified variables alone: no others are known yet.
        let condition = automaton.condition.as_ref().map(|guard| self.guard(guard));
        self.variables.open();
        let states = automaton.states.iter().map(|state| self.state(state)).collect();
        self.unused_variables(property);
        AutomatonCore {
            name: property.name.clone(),
            atoms: std::mem::take(&mut self.atoms),
            prefix,
            registers: self.variables.free(),
            condition,
            states,
            span: property.body_span,
        }
    }

    fn state(&mut self, state: &State) -> StateCore {
        StateCore {
            name: state.name.name.clone(),
            accepting: state.accepting,
            otherwise: state.otherwise,
            transitions: state.transitions.iter().map(|transition| self.transition(transition)).collect(),
        }
    }

    fn transition(&mut self, transition: &Transition) -> TransitionCore {
        TransitionCore {
            atom: self.atom(&transition.event),
            branches: transition.branches.iter().map(|branch| self.branch(branch)).collect(),
            span: transition.span,
        }
    }

    fn branch(&mut self, branch: &Branch) -> BranchCore {
        BranchCore {
            guard: branch.guard.as_ref().map(|guard| self.guard(guard)),
            target: branch.target,
            assignments: branch.assignments.iter().map(|assignment| self.assignment(assignment)).collect(),
        }
    }

    fn assignment(&mut self, assignment: &Assignment) -> (VariableId, ExpressionCore) {
        let value = assignment.value.map(&mut |variable| self.number(variable));
        let id = self.number(&assignment.variable);
        if self.variables.is_quantified(id) {
            let name = &assignment.variable.name;
            self.diagnostics.push(
                Diagnostic::error(
                    "G0313",
                    assignment.variable.span,
                    format!("`{name}` is quantified and cannot change"),
                )
                .label("each of its values has an automaton of its own")
                .help("assign to a variable that is not quantified"),
            );
        }
        (id, value)
    }

    pub(super) fn guard(&mut self, guard: &Guard) -> GuardCore {
        guard.map(&mut |variable| self.number(variable))
    }

    /// The number of a variable in a guard or an assignment.
    pub(super) fn number(&mut self, variable: &Variable) -> VariableId {
        self.named(variable).unwrap_or(VariableId(0))
    }
}
