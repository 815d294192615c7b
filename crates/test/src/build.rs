// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae, rules and patterns by hand.

pub mod pattern;
pub mod state;

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;
use gnomon_core::value::Comparison;
use gnomon_ir::atom::{Argument, Atom, Condition, Path};
use gnomon_ir::clocks::Clocks;
use gnomon_ir::formula::{Aggregate, Binary, Bounds, Connective, Formula, FormulaKind, Unary};
use gnomon_ir::rule::{RuleAction, RuleContext};
use gnomon_ir::spec::{Alternative, Body, EventDeclaration, Language, Options, Property, Quantifier, Spec, Variable};
use gnomon_ir::walk::{WalkMut, walk_mut};

/// A formula of this kind that stands nowhere.
pub fn formula(kind: FormulaKind) -> Formula {
    Formula { kind, span: Span::default() }
}

/// `true`, `false`
pub fn constant(value: bool) -> Formula {
    formula(FormulaKind::Constant(value))
}

/// An event of this name, with any parameters.
pub fn atom(name: &str) -> Formula {
    let span = Span::default();
    formula(FormulaKind::Atom(Atom { name: name.to_owned(), name_span: span, arguments: None, condition: None, span }))
}

/// An event of this name with these parameters.
pub fn event(name: &str, arguments: Vec<Argument>) -> Atom {
    let span = Span::default();
    Atom { name: name.to_owned(), name_span: span, arguments: Some(arguments), condition: None, span }
}

/// A variable as a parameter.
pub fn argument(name: &str) -> Argument {
    Argument::Variable(variable(name))
}

/// A variable's name.
pub fn variable(name: &str) -> Variable {
    Variable { name: name.to_owned(), span: Span::default() }
}

/// A field of an event.
pub fn path(field: &str) -> Path {
    Path { field: field.to_owned(), steps: vec![] }
}

/// `!of`
pub fn not(of: Formula) -> Formula {
    formula(FormulaKind::Not(Box::new(of)))
}

/// `left op right`
pub fn connective(connective: Connective, left: Formula, right: Formula) -> Formula {
    formula(FormulaKind::Connective(connective, Box::new(left), Box::new(right)))
}

/// `left && right`
pub fn and(left: Formula, right: Formula) -> Formula {
    connective(Connective::And, left, right)
}

/// `left || right`
pub fn or(left: Formula, right: Formula) -> Formula {
    connective(Connective::Or, left, right)
}

/// `op^times interval of`, strict
pub fn unary(operator: Unary, times: u32, interval: Bounds, of: Formula) -> Formula {
    formula(FormulaKind::Unary { operator, strict: true, times, interval, of: Box::new(of) })
}

/// `left op interval right`, strict
pub fn binary(operator: Binary, interval: Bounds, left: Formula, right: Formula) -> Formula {
    formula(FormulaKind::Binary { operator, strict: true, interval, left: Box::new(left), right: Box::new(right) })
}

/// The formula with its outermost operator looking at the present position too.
#[must_use]
pub fn inclusive(mut formula: Formula) -> Formula {
    if let FormulaKind::Unary { strict, .. } | FormulaKind::Binary { strict, .. } = &mut formula.kind {
        *strict = false;
    }
    formula
}

/// `aggregate comparison bound`
pub fn aggregate(aggregate: Aggregate, comparison: Comparison, bound: Quantity, full_window: bool) -> Formula {
    formula(FormulaKind::Aggregate { aggregate: Box::new(aggregate), comparison, bound, full_window })
}

/// The interval from `lo` to `hi`, each end with whether it belongs to it, as if written.
pub fn interval(lo: (i64, bool), hi: Option<(i64, bool)>) -> Bounds {
    Bounds {
        lo: Quantity::whole(lo.0),
        lo_closed: lo.1,
        hi: hi.map(|(hi, _)| Quantity::whole(hi)),
        hi_closed: hi.is_some_and(|(_, closed)| closed),
        span: Some(Span::default()),
    }
}

/// `event name = event[condition]`
pub fn declaration(name: &str, event: &str, condition: Option<Condition>) -> EventDeclaration {
    let span = Span::default();
    EventDeclaration {
        name: name.to_owned(),
        name_span: span,
        parameters: None,
        alternatives: vec![Alternative { event: event.to_owned(), condition, renames: vec![], span }],
        participants: None,
    }
}

/// A spec with one SOLOIST property.
pub fn spec(body: Formula) -> Spec {
    spec_of(Language::Soloist, vec![], Body::Formula(body))
}

/// A spec with one property. Every part of a formula, and every action of a rule, gets a span of its own, so that
/// reports can tell the parts apart.
pub fn spec_of(language: Language, prefix: Vec<Quantifier>, mut body: Body) -> Spec {
    match &mut body {
        Body::Formula(formula) => respan(formula, &mut 0),
        Body::Rule(rule) => {
            let mut next = 0;
            rule.supposition.iter_mut().for_each(|action| respan_action(action, &mut next));
            respan_context(&mut rule.context, &mut next);
        }
        Body::Pattern(pattern) => {
            pattern.scope.span = Span::new(0, 1);
            pattern.behaviour_span = Span::new(2, 3);
        }
        Body::Clocks(clocks) => respan_clocks(clocks),
        Body::Automaton(_) | Body::Modal(_) | Body::Plugin(_) => {}
    }
    let property = Property {
        name: "case".to_owned(),
        name_span: Span::default(),
        title: None,
        language,
        options: Options::default(),
        prefix,
        body,
        body_span: Span::default(),
    };
    Spec { properties: vec![property], ..Spec::default() }
}

fn respan_clocks(clocks: &mut Clocks) {
    let definitions = clocks.definitions.iter_mut().map(|definition| &mut definition.span);
    let spans = definitions.chain(clocks.relations.iter_mut().map(|relation| &mut relation.span));
    for (number, span) in spans.enumerate() {
        *span = Span::new(2 * number, 2 * number + 1);
    }
}

fn respan_context(context: &mut RuleContext, next: &mut usize) {
    match context {
        RuleContext::Action(action) => respan_action(action, next),
        RuleContext::And(left, right) | RuleContext::Or(left, right) => {
            respan_context(left, next);
            respan_context(right, next);
        }
    }
}

fn respan_action(action: &mut RuleAction, next: &mut usize) {
    action.span = Span::new(*next, *next + 1);
    *next += 2;
}

fn respan(formula: &mut Formula, next: &mut usize) {
    let start = *next;
    *next += 1;
    for child in children_mut(formula) {
        respan(child, next);
    }
    *next += 1;
    formula.span = Span::new(start, *next);
}

/// The formulae directly inside this one, to be changed.
pub fn children_mut(formula: &mut Formula) -> Vec<&mut Formula> {
    match &mut formula.kind {
        FormulaKind::Constant(_) | FormulaKind::Atom(_) | FormulaKind::OnEvent(_) | FormulaKind::Compare(..) => vec![],
        FormulaKind::Not(of)
        | FormulaKind::Unary { of, .. }
        | FormulaKind::InFuture { of, .. }
        | FormulaKind::Each { of, .. } => vec![of],
        FormulaKind::Connective(_, left, right) | FormulaKind::Binary { left, right, .. } => vec![left, right],
        FormulaKind::Aggregate { aggregate, .. } => match aggregate.as_mut() {
            Aggregate::Count { of, .. }
            | Aggregate::Rate { of, .. }
            | Aggregate::Average { of, .. }
            | Aggregate::Maximum { of, .. } => vec![of],
            Aggregate::Gap { from, to, .. } => vec![from, to],
            Aggregate::Fold { .. } | Aggregate::Percentile { .. } | Aggregate::Distinct { .. } => vec![],
        },
    }
}

/// Calls `change` on every atom of a body, those of folds included.
pub fn each_atom(body: &mut Body, change: &mut dyn FnMut(&mut Atom)) {
    struct EachAtom<'a>(&'a mut dyn FnMut(&mut Atom));
    impl<'b> WalkMut<'b> for EachAtom<'_> {
        fn atom(&mut self, atom: &'b mut Atom) {
            (self.0)(atom);
        }
    }
    walk_mut::body(&mut EachAtom(change), body);
}

/// The names of the variables that stand in a body, each as often as it does.
pub fn variables(body: &Body) -> Vec<String> {
    let arguments = body.atoms().into_iter().flat_map(|atom| atom.arguments.iter().flatten());
    let names = arguments.filter_map(|argument| match argument {
        Argument::Variable(variable) => Some(variable.name.clone()),
        Argument::Any | Argument::Literal(_) => None,
    });
    names.collect()
}

/// The body with another parameter wherever a variable stands.
#[must_use]
pub fn substitute(body: &Body, variable: &str, by: &Argument) -> Body {
    let mut body = body.clone();
    each_atom(&mut body, &mut |atom| {
        for argument in atom.arguments.iter_mut().flatten() {
            if matches!(argument, Argument::Variable(known) if known.name == variable) {
                argument.clone_from(by);
            }
        }
    });
    body
}
