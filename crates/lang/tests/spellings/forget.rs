// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties without their places in a text, so that they can be compared.

use gnomon_core::diagnostic::Span;
use gnomon_ir::automaton::{Expression, Guard};
use gnomon_ir::formula::{Aggregate, Formula, Kind};
use gnomon_ir::modal::{self, Data, Modal, Regular};
use gnomon_ir::pattern::{Argument, Atom};
use gnomon_ir::requirement::{Behaviour, Requirement};
use gnomon_ir::rule::{Action, Context, Rule};
use gnomon_ir::spec::{Body, Property};
use gnomon_ir::term::{Occurrence, Reference, Term, TermKind};

/// Forgets where a property and all its parts stand.
pub(crate) fn forget_property(property: &mut Property) {
    (property.name_span, property.body_span) = (Span::default(), Span::default());
    for quantifier in &mut property.prefix {
        quantifier.span = Span::default();
        quantifier.variables.iter_mut().for_each(|variable| variable.span = Span::default());
    }
    let automaton = match &mut property.body {
        Body::Formula(formula) => return forget(formula),
        Body::Automaton(automaton) => automaton,
        Body::Rule(rule) => return forget_rule(rule),
        Body::Requirement(requirement) => return forget_requirement(requirement),
        Body::Modal(of) => return modal(of),
    };
    automaton.condition.iter_mut().for_each(guard);
    for state in &mut automaton.states {
        state.name.span = Span::default();
        for transition in &mut state.transitions {
            transition.span = Span::default();
            atom(&mut transition.event);
            for branch in &mut transition.branches {
                branch.guard.iter_mut().for_each(guard);
                for assignment in &mut branch.assignments {
                    assignment.variable.span = Span::default();
                    expression(&mut assignment.value);
                }
            }
        }
    }
}

fn forget_rule(rule: &mut Rule) {
    rule.supposition.iter_mut().for_each(action);
    rule.window.span = Span::default();
    context(&mut rule.context);
    for set in &mut rule.correlations {
        set.span = Span::default();
        set.members.iter_mut().for_each(|member| member.span = Span::default());
    }
}

fn forget_requirement(requirement: &mut Requirement) {
    let Requirement { scope, behaviour, behaviour_span } = requirement;
    (scope.span, *behaviour_span) = (Span::default(), Span::default());
    scope.opens.iter_mut().chain(&mut scope.closes).for_each(atom);
    let within = match behaviour {
        Behaviour::Absence(event)
        | Behaviour::Universality(event)
        | Behaviour::Count { event, .. }
        | Behaviour::Rate { event, .. } => return atom(event),
        Behaviour::Only(events) => return events.iter_mut().for_each(atom),
        Behaviour::Recurrence { event, every_span, .. } => {
            *every_span = Span::default();
            return atom(event);
        }
        Behaviour::Existence { event, within } => {
            atom(event);
            within
        }
        Behaviour::Precedence { causes, effects, within, .. } => {
            causes.iter_mut().chain(effects).for_each(atom);
            within
        }
        Behaviour::Response { stimuli, responses, without, within, .. } => {
            stimuli.iter_mut().chain(responses).chain(without).for_each(atom);
            within
        }
    };
    if let Some(bounds) = within {
        bounds.span = Some(Span::default());
    }
}

fn modal(of: &mut Modal) {
    match of {
        Modal::Data(of, span) => {
            *span = Span::default();
            data(of);
        }
        Modal::Forall(sorted, of) => {
            sorted.variable.span = Span::default();
            modal(of);
        }
        Modal::Box { regular: of, then, span } => {
            *span = Span::default();
            regular(of);
            modal(then);
        }
        Modal::And(left, right) => {
            modal(left);
            modal(right);
        }
        Modal::Implies(premise, of) => {
            data(premise);
            modal(of);
        }
    }
}

fn regular(of: &mut Regular) {
    match of {
        Regular::Action(of) => action_formula(of),
        Regular::Nil => {}
        Regular::Then(left, right) | Regular::Or(left, right) => {
            regular(left);
            regular(right);
        }
        Regular::Star(of) | Regular::Plus(of) => regular(of),
    }
}

fn action_formula(of: &mut modal::Action) {
    match of {
        modal::Action::Event(event) => atom(event),
        modal::Action::Data(of) => data(of),
        modal::Action::Not(of) => action_formula(of),
        modal::Action::And(left, right) | modal::Action::Or(left, right) => {
            action_formula(left);
            action_formula(right);
        }
        modal::Action::Quantified(_, sorted, of) => {
            sorted.variable.span = Span::default();
            action_formula(of);
        }
    }
}

fn data(of: &mut Data) {
    match of {
        Data::Constant(_) => {}
        Data::Compare(left, _, right) => {
            expression(left);
            expression(right);
        }
        Data::Not(of) => data(of),
        Data::And(left, right) | Data::Or(left, right) => {
            data(left);
            data(right);
        }
    }
}

fn action(action: &mut Action) {
    action.span = Span::default();
    atom(&mut action.message);
}

fn context(of: &mut Context) {
    match of {
        Context::Action(of) => action(of),
        Context::And(left, right) | Context::Or(left, right) => {
            context(left);
            context(right);
        }
    }
}

fn guard(of: &mut Guard) {
    match of {
        Guard::Compare(left, _, right) => {
            expression(left);
            expression(right);
        }
        Guard::Not(of) => guard(of),
        Guard::And(left, right) | Guard::Or(left, right) => {
            guard(left);
            guard(right);
        }
    }
}

fn expression(of: &mut Expression) {
    match of {
        Expression::Literal(_) => {}
        Expression::Variable(variable) => variable.span = Span::default(),
        Expression::Arithmetic(_, left, right) => {
            expression(left);
            expression(right);
        }
    }
}

fn atom(atom: &mut Atom) {
    (atom.span, atom.name_span) = (Span::default(), Span::default());
    for argument in atom.arguments.iter_mut().flatten() {
        if let Argument::Variable(variable) = argument {
            variable.span = Span::default();
        }
    }
}

/// Forgets where a formula and all its parts stand.
pub(crate) fn forget(formula: &mut Formula) {
    formula.span = Span::default();
    match &mut formula.kind {
        Kind::Constant(_) => {}
        Kind::Atom(of) => atom(of),
        Kind::Not(of) | Kind::InFuture { of, .. } => forget(of),
        Kind::Connective(_, left, right) => {
            forget(left);
            forget(right);
        }
        Kind::Unary { interval, of, .. } => {
            interval.span = interval.span.map(|_| Span::default());
            forget(of);
        }
        Kind::Binary { interval, left, right, .. } => {
            interval.span = interval.span.map(|_| Span::default());
            forget(left);
            forget(right);
        }
        Kind::Aggregate { aggregate, .. } => match aggregate.as_mut() {
            Aggregate::Count { of, .. } | Aggregate::Average { of, .. } | Aggregate::Maximum { of, .. } => forget(of),
            Aggregate::Gap { from, to, .. } => {
                forget(from);
                forget(to);
            }
            Aggregate::Fold { of, .. } => atom(of),
        },
        Kind::OnEvent(of) => occurrence(of),
        Kind::Compare(left, _, right) => {
            term(left);
            term(right);
        }
        Kind::Each { variable, list, of, .. } => {
            variable.span = Span::default();
            reference(list);
            forget(of);
        }
    }
}

fn occurrence(of: &mut Occurrence) {
    of.span = Span::default();
    atom(&mut of.event);
    of.activity.iter_mut().for_each(|(_, activity)| atom(activity));
}

fn reference(of: &mut Reference) {
    of.span = Span::default();
}

fn term(of: &mut Term) {
    of.span = Span::default();
    match &mut of.kind {
        TermKind::Literal(_) | TermKind::Time(_) => {}
        TermKind::Variable(of) => reference(of),
        TermKind::Operation(_, left, right) => {
            term(left);
            term(right);
        }
        TermKind::Past { of, event, .. } => {
            term(of);
            occurrence(event);
        }
        TermKind::Count { of, .. } => forget(of),
        TermKind::Fold { of, .. } => term(of),
        TermKind::Elapsed(event) => occurrence(event),
    }
}
