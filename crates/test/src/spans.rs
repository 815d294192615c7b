// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties as if they stood nowhere, so that what was written can be compared with what was read.

use gnomon_core::diagnostic::Span;
use gnomon_ir::automaton::{Automaton, Expression, Guard};
use gnomon_ir::formula::{Formula, Kind};
use gnomon_ir::modal::{Modal, Sorted};
use gnomon_ir::pattern::{Argument, Atom};
use gnomon_ir::requirement::{Behaviour, Requirement};
use gnomon_ir::rule::Rule;
use gnomon_ir::spec::{Body, Property, Variable};
use gnomon_ir::term::{Term, TermKind};

use crate::build::modal::{Visit, visit};
use crate::build::requirement::within_mut;
use crate::build::{children_mut, each_action, each_atom};

/// The property without its spans.
#[must_use]
pub fn without_spans(property: &Property) -> Property {
    let mut property = property.clone();
    (property.name_span, property.body_span) = (Span::default(), Span::default());
    for quantifier in &mut property.prefix {
        quantifier.span = Span::default();
        quantifier.variables.iter_mut().for_each(in_variable);
    }
    each_atom(&mut property.body, &mut in_atom);
    match &mut property.body {
        Body::Formula(formula) => in_formula(formula),
        Body::Automaton(automaton) => in_automaton(automaton),
        Body::Rule(rule) => in_rule(rule),
        Body::Requirement(requirement) => in_requirement(requirement),
        Body::Modal(modal) => visit(modal, &mut WithoutSpans),
    }
    property
}

fn in_variable(variable: &mut Variable) {
    variable.span = Span::default();
}

fn in_atom(atom: &mut Atom) {
    (atom.span, atom.name_span) = (Span::default(), Span::default());
    for argument in atom.arguments.iter_mut().flatten() {
        if let Argument::Variable(variable) = argument {
            in_variable(variable);
        }
    }
}

fn in_formula(formula: &mut Formula) {
    formula.span = Span::default();
    if let Kind::Unary { interval, .. } | Kind::Binary { interval, .. } = &mut formula.kind {
        interval.span = interval.span.map(|_| Span::default());
    }
    match &mut formula.kind {
        Kind::OnEvent(occurrence) => occurrence.span = Span::default(),
        Kind::Compare(left, _, right) => {
            in_term(left);
            in_term(right);
        }
        Kind::Each { variable, list, .. } => {
            in_variable(variable);
            list.span = Span::default();
        }
        _ => {}
    }
    for child in children_mut(formula) {
        in_formula(child);
    }
}

fn in_term(term: &mut Term) {
    term.span = Span::default();
    match &mut term.kind {
        TermKind::Literal(_) | TermKind::Time(_) => {}
        TermKind::Variable(reference) => reference.span = Span::default(),
        TermKind::Operation(_, left, right) => {
            in_term(left);
            in_term(right);
        }
        TermKind::Past { of, event, .. } => {
            in_term(of);
            event.span = Span::default();
        }
        TermKind::Elapsed(event) => event.span = Span::default(),
        TermKind::Count { of, .. } => in_formula(of),
        TermKind::Fold { of, .. } => in_term(of),
    }
}

fn in_automaton(automaton: &mut Automaton) {
    automaton.condition.iter_mut().for_each(in_guard);
    for state in &mut automaton.states {
        in_variable(&mut state.name);
        for transition in &mut state.transitions {
            transition.span = Span::default();
            for branch in &mut transition.branches {
                branch.guard.iter_mut().for_each(in_guard);
                for assignment in &mut branch.assignments {
                    in_variable(&mut assignment.variable);
                    in_expression(&mut assignment.value);
                }
            }
        }
    }
}

fn in_rule(rule: &mut Rule) {
    each_action(rule, &mut |action| action.span = Span::default());
    rule.window.span = Span::default();
    for set in &mut rule.correlations {
        set.span = Span::default();
        set.members.iter_mut().for_each(|member| member.span = Span::default());
    }
}

fn in_requirement(requirement: &mut Requirement) {
    (requirement.scope.span, requirement.behaviour_span) = (Span::default(), Span::default());
    if let Some(Some(within)) = within_mut(&mut requirement.behaviour) {
        within.span = within.span.map(|_| Span::default());
    }
    if let Behaviour::Recurrence { every_span, .. } = &mut requirement.behaviour {
        *every_span = Span::default();
    }
}

struct WithoutSpans;

impl Visit for WithoutSpans {
    fn modal(&mut self, modal: &mut Modal) {
        if let Modal::Data(_, span) | Modal::Box { span, .. } = modal {
            *span = Span::default();
        }
    }

    fn sorted(&mut self, sorted: &mut Sorted) {
        in_variable(&mut sorted.variable);
    }

    fn expression(&mut self, expression: &mut Expression) {
        if let Expression::Variable(variable) = expression {
            in_variable(variable);
        }
    }
}

fn in_guard(guard: &mut Guard) {
    match guard {
        Guard::Compare(left, _, right) => {
            in_expression(left);
            in_expression(right);
        }
        Guard::Not(of) => in_guard(of),
        Guard::And(left, right) | Guard::Or(left, right) => {
            in_guard(left);
            in_guard(right);
        }
    }
}

fn in_expression(expression: &mut Expression) {
    match expression {
        Expression::Literal(_) => {}
        Expression::Variable(variable) => in_variable(variable),
        Expression::Arithmetic(_, left, right) => {
            in_expression(left);
            in_expression(right);
        }
    }
}
