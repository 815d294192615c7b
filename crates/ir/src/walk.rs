// SPDX-License-Identifier: MIT OR Apache-2.0
//! Walkers over properties as written: a method for each kind of part, which visits what is inside unless it is replaced.
//!
//! [`Walk`] reads and [`WalkMut`] changes; parts are visited in the order of the text. A method that is replaced continues
//! with the function of the same name in [`walk`] or [`walk_mut`]:
//!
//! ```
//! use gnomon_ir::atom::Atom;
//! use gnomon_ir::spec::Body;
//! use gnomon_ir::walk::{Walk, walk};
//!
//! struct Names<'b>(Vec<&'b str>);
//! impl<'b> Walk<'b> for Names<'b> {
//!     fn atom(&mut self, atom: &'b Atom) {
//!         self.0.push(&atom.name);
//!     }
//! }
//! fn names(body: &Body) -> Vec<&str> {
//!     let mut names = Names(vec![]);
//!     walk::body(&mut names, body);
//!     names.0
//! }
//! ```

use std::collections::BTreeSet;

use gnomon_core::diagnostic::Span;

use crate::{
    ActionFormula, Aggregate, Argument, Atom, Automaton, Behaviour, Body, Bounds, ClockExpression, Clocks, Ere,
    Expression, Formula, FormulaKind, Guard, Linear, Logic, ModalFormula, Occurrence, Pattern, Plugin, Property,
    Reference, RegularFormula, Rule, RuleContext, SortedVariable, Term, TermKind, Variable,
};

// One text for both walkers: they differ in `mut` alone.
macro_rules! walker {
    ($(#[$doc:meta])* $Walk:ident, $walk:ident $(, $mut:tt)?) => {
        $(#[$doc])*
        pub trait $Walk<'b> {
            /// Visits a formula.
            fn formula(&mut self, formula: &'b $($mut)? Formula) {
                $walk::formula(self, formula);
            }
            /// Visits a value of a state.
            fn term(&mut self, term: &'b $($mut)? Term) {
                $walk::term(self, term);
            }
            /// Visits an event of a state, or an end of an activity.
            fn occurrence(&mut self, occurrence: &'b $($mut)? Occurrence) {
                $walk::occurrence(self, occurrence);
            }
            /// Visits an event atom.
            fn atom(&mut self, atom: &'b $($mut)? Atom) {
                $walk::atom(self, atom);
            }
            /// Visits a guard of an automaton, or a condition on data of a modal formula.
            fn guard(&mut self, guard: &'b $($mut)? Guard) {
                $walk::guard(self, guard);
            }
            /// Visits an expression over variables.
            fn expression(&mut self, expression: &'b $($mut)? Expression) {
                $walk::expression(self, expression);
            }
            /// Visits a state formula of the mu-calculus.
            fn modal(&mut self, modal: &'b $($mut)? ModalFormula) {
                $walk::modal(self, modal);
            }
            /// Visits a regular formula.
            fn regular(&mut self, regular: &'b $($mut)? RegularFormula) {
                $walk::regular(self, regular);
            }
            /// Visits an action formula.
            fn action(&mut self, action: &'b $($mut)? ActionFormula) {
                $walk::action(self, action);
            }
            /// Visits a variable, where it is quantified and where it is used.
            fn variable(&mut self, variable: &'b $($mut)? Variable) {
                self.span(&$($mut)? variable.span);
            }
            /// Visits a place in the text.
            fn span(&mut self, _: &'b $($mut)? Span) {}
        }

        #[doc = concat!("What a [`", stringify!($Walk), "`] does with the inside of a part.")]
        pub mod $walk {
            use super::*;

            /// Visits the name, the quantifiers and the body of a property.
            pub fn property<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, property: &'b $($mut)? Property) {
                walk.span(&$($mut)? property.name_span);
                for quantifier in &$($mut)? property.prefix {
                    for variable in &$($mut)? quantifier.variables {
                        walk.variable(variable);
                    }
                    walk.span(&$($mut)? quantifier.span);
                }
                body(walk, &$($mut)? property.body);
                walk.span(&$($mut)? property.body_span);
            }

            /// Visits a body of any language.
            pub fn body<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, body: &'b $($mut)? Body) {
                match body {
                    Body::Formula(formula) => walk.formula(formula),
                    Body::Automaton(of) => automaton(walk, of),
                    Body::Rule(of) => rule(walk, of),
                    Body::Pattern(of) => pattern(walk, of),
                    Body::Modal(modal) => walk.modal(modal),
                    Body::Plugin(of) => plugin(walk, of),
                    Body::Clocks(of) => clocks(walk, of),
                }
            }

            /// Visits the inside of a formula.
            pub fn formula<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, formula: &'b $($mut)? Formula) {
                match &$($mut)? formula.kind {
                    FormulaKind::Constant(_) => {}
                    FormulaKind::Atom(atom) => walk.atom(atom),
                    FormulaKind::OnEvent(event) => walk.occurrence(event),
                    FormulaKind::Compare(left, _, right) => {
                        walk.term(left);
                        walk.term(right);
                    }
                    FormulaKind::Not(of) | FormulaKind::InFuture { of, .. } => walk.formula(of),
                    FormulaKind::Each { variable, list, of, .. } => {
                        walk.variable(variable);
                        reference(walk, list);
                        walk.formula(of);
                    }
                    FormulaKind::Unary { interval, of, .. } => {
                        bounds(walk, interval);
                        walk.formula(of);
                    }
                    FormulaKind::Connective(_, left, right) => {
                        walk.formula(left);
                        walk.formula(right);
                    }
                    FormulaKind::Binary { interval, left, right, .. } => {
                        walk.formula(left);
                        bounds(walk, interval);
                        walk.formula(right);
                    }
                    FormulaKind::Aggregate { aggregate, .. } => match &$($mut)? **aggregate {
                        Aggregate::Count { of, .. }
                        | Aggregate::Rate { of, .. }
                        | Aggregate::Average { of, .. }
                        | Aggregate::Maximum { of, .. } => walk.formula(of),
                        Aggregate::Gap { from, to, .. } => {
                            walk.formula(from);
                            walk.formula(to);
                        }
                        Aggregate::Fold { of, .. } | Aggregate::Percentile { of, .. } | Aggregate::Distinct { of, .. } => {
                            walk.atom(of);
                        }
                    },
                }
                walk.span(&$($mut)? formula.span);
            }

            fn bounds<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, bounds: &'b $($mut)? Bounds) {
                if let Some(span) = &$($mut)? bounds.span {
                    walk.span(span);
                }
            }

            /// Visits the inside of a term.
            pub fn term<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, term: &'b $($mut)? Term) {
                match &$($mut)? term.kind {
                    TermKind::Literal(_) | TermKind::Time(_) => {}
                    TermKind::Variable(of) => reference(walk, of),
                    TermKind::Operation(_, left, right) => {
                        walk.term(left);
                        walk.term(right);
                    }
                    TermKind::Past { of, event, .. } => {
                        walk.term(of);
                        walk.occurrence(event);
                    }
                    TermKind::Count { of, .. } => walk.formula(of),
                    TermKind::Fold { of, .. } => walk.term(of),
                    TermKind::Elapsed(event) => walk.occurrence(event),
                }
                walk.span(&$($mut)? term.span);
            }

            fn reference<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, reference: &'b $($mut)? Reference) {
                walk.span(&$($mut)? reference.span);
            }

            /// Visits the event as it is written, then the activity that it may stand for.
            pub fn occurrence<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, occurrence: &'b $($mut)? Occurrence) {
                walk.atom(&$($mut)? occurrence.event);
                if let Some((_, activity)) = &$($mut)? occurrence.activity {
                    walk.atom(activity);
                }
                walk.span(&$($mut)? occurrence.span);
            }

            /// Visits the variables among an atom's arguments.
            pub fn atom<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, atom: &'b $($mut)? Atom) {
                walk.span(&$($mut)? atom.name_span);
                for argument in (&$($mut)? atom.arguments).into_iter().flatten() {
                    if let Argument::Variable(variable) = argument {
                        walk.variable(variable);
                    }
                }
                walk.span(&$($mut)? atom.span);
            }

            fn automaton<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, automaton: &'b $($mut)? Automaton) {
                if let Some(condition) = &$($mut)? automaton.condition {
                    walk.guard(condition);
                }
                for state in &$($mut)? automaton.states {
                    walk.span(&$($mut)? state.name.span);
                    for transition in &$($mut)? state.transitions {
                        walk.atom(&$($mut)? transition.event);
                        for branch in &$($mut)? transition.branches {
                            if let Some(guard) = &$($mut)? branch.guard {
                                walk.guard(guard);
                            }
                            for assignment in &$($mut)? branch.assignments {
                                walk.variable(&$($mut)? assignment.variable);
                                walk.expression(&$($mut)? assignment.value);
                            }
                        }
                        walk.span(&$($mut)? transition.span);
                    }
                }
            }

            /// Visits the comparisons inside a guard.
            pub fn guard<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, guard: &'b $($mut)? Guard) {
                match guard {
                    Guard::Constant(_) => {}
                    Guard::Compare(left, _, right) => {
                        walk.expression(left);
                        walk.expression(right);
                    }
                    Guard::Not(of) => walk.guard(of),
                    Guard::And(left, right) | Guard::Or(left, right) => {
                        walk.guard(left);
                        walk.guard(right);
                    }
                }
            }

            /// Visits the inside of an expression.
            pub fn expression<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, expression: &'b $($mut)? Expression) {
                match expression {
                    Expression::Literal(_) => {}
                    Expression::Variable(variable) => walk.variable(variable),
                    Expression::Arithmetic(_, left, right) => {
                        walk.expression(left);
                        walk.expression(right);
                    }
                }
            }

            fn rule<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, rule: &'b $($mut)? Rule) {
                for action in &$($mut)? rule.supposition {
                    walk.atom(&$($mut)? action.message);
                    walk.span(&$($mut)? action.span);
                }
                walk.span(&$($mut)? rule.window.span);
                context(walk, &$($mut)? rule.context);
                for set in &$($mut)? rule.correlations {
                    for member in &$($mut)? set.members {
                        walk.span(&$($mut)? member.span);
                    }
                    walk.span(&$($mut)? set.span);
                }
            }

            fn context<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, of: &'b $($mut)? RuleContext) {
                match of {
                    RuleContext::Action(action) => {
                        walk.atom(&$($mut)? action.message);
                        walk.span(&$($mut)? action.span);
                    }
                    RuleContext::And(left, right) | RuleContext::Or(left, right) => {
                        context(walk, left);
                        context(walk, right);
                    }
                }
            }

            /// Visits the delimiters of a scope, then the behaviour.
            pub fn pattern<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, pattern: &'b $($mut)? Pattern) {
                for delimiter in (&$($mut)? pattern.scope.opens).into_iter().chain(&$($mut)? pattern.scope.closes) {
                    walk.atom(delimiter);
                }
                walk.span(&$($mut)? pattern.scope.span);
                behaviour(walk, &$($mut)? pattern.behaviour);
                walk.span(&$($mut)? pattern.behaviour_span);
            }

            /// Visits the events and bounds of a behaviour.
            pub fn behaviour<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, behaviour: &'b $($mut)? Behaviour) {
                let mut all = |atoms: &'b $($mut)? Vec<Atom>| atoms.into_iter().for_each(|atom| walk.atom(atom));
                let within = match behaviour {
                    Behaviour::Absence(event)
                    | Behaviour::Universality(event)
                    | Behaviour::Count { event, .. }
                    | Behaviour::Rate { event, .. } => {
                        walk.atom(event);
                        None
                    }
                    Behaviour::Only(events) => {
                        all(events);
                        None
                    }
                    Behaviour::Existence { event, within } => {
                        walk.atom(event);
                        Some(within)
                    }
                    Behaviour::Precedence { causes, effects, within, .. } => {
                        all(causes);
                        all(effects);
                        Some(within)
                    }
                    Behaviour::Response { stimuli, responses, without, within, .. } => {
                        all(stimuli);
                        all(responses);
                        if let Some(without) = without {
                            walk.atom(without);
                        }
                        Some(within)
                    }
                    Behaviour::Recurrence { event, every_span, .. } => {
                        walk.atom(event);
                        walk.span(every_span);
                        None
                    }
                };
                if let Some(Some(within)) = within {
                    bounds(walk, within);
                }
            }

            fn plugin<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, plugin: &'b $($mut)? Plugin) {
                for event in &$($mut)? plugin.events {
                    walk.atom(&$($mut)? event.atom);
                }
                for creation in &$($mut)? plugin.creation {
                    walk.span(&$($mut)? creation.span);
                }
                match &$($mut)? plugin.logic {
                    Logic::Ere(of) => ere(walk, of),
                    Logic::Fsm(fsm) => {
                        for state in &$($mut)? fsm.states {
                            walk.span(&$($mut)? state.name.span);
                            for (event, target) in &$($mut)? state.transitions {
                                walk.span(&$($mut)? event.span);
                                walk.span(&$($mut)? target.span);
                            }
                            if let Some(default) = &$($mut)? state.default {
                                walk.span(&$($mut)? default.span);
                            }
                        }
                        for alias in &$($mut)? fsm.aliases {
                            walk.span(&$($mut)? alias.name.span);
                            for state in &$($mut)? alias.states {
                                walk.span(&$($mut)? state.span);
                            }
                        }
                    }
                    Logic::Cfg(rules) => {
                        for rule in rules {
                            walk.span(&$($mut)? rule.name.span);
                            ere(walk, &$($mut)? rule.right);
                        }
                    }
                    Logic::Ltl(of) | Logic::PastLtl(of) => linear(walk, of),
                }
                for forbidden in &$($mut)? plugin.forbidden {
                    walk.span(&$($mut)? forbidden.name.span);
                }
            }

            fn clocks<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, clocks: &'b $($mut)? Clocks) {
                let defined: BTreeSet<String> = clocks.definitions.iter().map(|one| one.clock.name.clone()).collect();
                for definition in &$($mut)? clocks.definitions {
                    walk.span(&$($mut)? definition.clock.span);
                    let (first, second) = match &$($mut)? definition.expression {
                        ClockExpression::Union(left, right)
                        | ClockExpression::Intersection(left, right)
                        | ClockExpression::Difference(left, right)
                        | ClockExpression::UpTo(left, right)
                        | ClockExpression::Then(left, right)
                        | ClockExpression::Infimum(left, right)
                        | ClockExpression::Supremum(left, right)
                        | ClockExpression::DelayOn { of: left, on: right, .. }
                        | ClockExpression::Sampled { of: left, by: right, .. } => (left, Some(right)),
                        ClockExpression::Delay(of, _)
                        | ClockExpression::Every { of, .. }
                        | ClockExpression::Filter(of, _)
                        | ClockExpression::Wait(of, _) => (of, None),
                    };
                    clock(walk, &defined, first);
                    if let Some(second) = second {
                        clock(walk, &defined, second);
                    }
                    walk.span(&$($mut)? definition.span);
                }
                for relation in &$($mut)? clocks.relations {
                    clock(walk, &defined, &$($mut)? relation.left);
                    clock(walk, &defined, &$($mut)? relation.right);
                    walk.span(&$($mut)? relation.span);
                }
            }

            /// Visits a clock: an event, unless it has a definition.
            fn clock<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, defined: &BTreeSet<String>, clock: &'b $($mut)? Atom) {
                if defined.contains(&clock.name) {
                    walk.span(&$($mut)? clock.name_span);
                    walk.span(&$($mut)? clock.span);
                } else {
                    walk.atom(clock);
                }
            }

            fn ere<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, of: &'b $($mut)? Ere) {
                match of {
                    Ere::Empty | Ere::Epsilon => {}
                    Ere::Letter(letter) => walk.span(&$($mut)? letter.span),
                    Ere::Or(left, right) | Ere::And(left, right) | Ere::Then(left, right) => {
                        ere(walk, left);
                        ere(walk, right);
                    }
                    Ere::Not(of) | Ere::Star(of) | Ere::Plus(of) | Ere::Optional(of) | Ere::Power(of, _) => ere(walk, of),
                }
            }

            fn linear<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, of: &'b $($mut)? Linear) {
                match of {
                    Linear::Constant(_) => {}
                    Linear::Event(event) => walk.span(&$($mut)? event.span),
                    Linear::Not(of) | Linear::Unary(_, of) => linear(walk, of),
                    Linear::Binary(_, left, right) => {
                        linear(walk, left);
                        linear(walk, right);
                    }
                }
            }

            /// Visits the inside of a state formula.
            pub fn modal<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, modal: &'b $($mut)? ModalFormula) {
                match modal {
                    ModalFormula::Data(data, span) => {
                        walk.guard(data);
                        walk.span(span);
                    }
                    ModalFormula::Forall(of, inner) => {
                        sorted(walk, of);
                        walk.modal(inner);
                    }
                    ModalFormula::Box { regular, then, span } => {
                        walk.regular(regular);
                        walk.modal(then);
                        walk.span(span);
                    }
                    ModalFormula::And(left, right) => {
                        walk.modal(left);
                        walk.modal(right);
                    }
                    ModalFormula::Implies(data, of) => {
                        walk.guard(data);
                        walk.modal(of);
                    }
                }
            }

            fn sorted<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, sorted: &'b $($mut)? SortedVariable) {
                walk.variable(&$($mut)? sorted.variable);
            }

            /// Visits the inside of a regular formula.
            pub fn regular<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, regular: &'b $($mut)? RegularFormula) {
                match regular {
                    RegularFormula::Action(action) => walk.action(action),
                    RegularFormula::Nil => {}
                    RegularFormula::Then(left, right) | RegularFormula::Or(left, right) => {
                        walk.regular(left);
                        walk.regular(right);
                    }
                    RegularFormula::Star(of) | RegularFormula::Plus(of) => walk.regular(of),
                }
            }

            /// Visits the inside of an action formula.
            pub fn action<'b, W: $Walk<'b> + ?Sized>(walk: &mut W, action: &'b $($mut)? ActionFormula) {
                match action {
                    ActionFormula::Event(atom) => walk.atom(atom),
                    ActionFormula::Data(data) => walk.guard(data),
                    ActionFormula::Not(of) => walk.action(of),
                    ActionFormula::And(left, right) | ActionFormula::Or(left, right) => {
                        walk.action(left);
                        walk.action(right);
                    }
                    ActionFormula::Quantified(_, of, inner) => {
                        sorted(walk, of);
                        walk.action(inner);
                    }
                }
            }
        }
    };
}

walker! {
    /// Visits the parts of a property.
    Walk, walk
}

walker! {
    /// Visits the parts of a property to change them.
    WalkMut, walk_mut, mut
}

/// Collects the atoms, including those of activities that names may stand for.
#[derive(Default)]
pub struct AtomCollector<'b> {
    /// The atoms so far.
    pub found: Vec<&'b Atom>,
}

impl<'b> AtomCollector<'b> {
    /// Returns the atoms that a walk meets.
    pub fn collect(walk: impl FnOnce(&mut Self)) -> Vec<&'b Atom> {
        let mut atoms = AtomCollector::default();
        walk(&mut atoms);
        atoms.found
    }
}

impl<'b> Walk<'b> for AtomCollector<'b> {
    fn atom(&mut self, atom: &'b Atom) {
        self.found.push(atom);
    }
}

/// Removes every place in the text, so that what was written can be compared with what was read.
pub struct SpanEraser;

impl<'b> WalkMut<'b> for SpanEraser {
    fn span(&mut self, span: &'b mut Span) {
        *span = Span::default();
    }
}
