// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a property back to text, in the ASCII spelling and with no more parentheses than it needs.

use std::fmt::Write as _;

use gnomon_core::value::Value;
use gnomon_ir::formula::{Binary, Bounds, Connective, Formula, Kind, Unary};
use gnomon_ir::spec::{Body, Property, QuantifierKind};
use gnomon_ir::term::{Occurrence, Operation, Reference, Term, TermKind};

use super::value::is_cut;
use crate::specfile::print::{self, block};

/// Writes a property as a block that reads back as the same, spans apart. What only other languages have is left out.
///
/// ```
/// let (spec, _) = gnomon_lang::parse("albert ships { ((onEvent(Pay)) → (Within(onEvent(Ship), 10 s))) }");
/// let printed = gnomon_lang::albert::print(&spec.properties[0]);
/// assert_eq!(printed, "albert ships { onEvent(Pay) -> Within(onEvent(Ship), 10s) }\n");
/// ```
pub fn print(property: &Property) -> String {
    let mut printer = Printer { out: " ".to_owned() };
    if let Body::Formula(formula) = &property.body {
        // A property speaks of every state without saying so.
        let body = match &formula.kind {
            Kind::Unary { operator: Unary::Always, of, .. } => of,
            _ => formula,
        };
        printer.formula(body, Level::Iff);
    }
    printer.out.push(' ');
    block(property, &[], &printer.out)
}

/// How tightly a formula or a value binds, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Iff,
    Implies,
    Or,
    And,
    Compare,
    Sum,
    Product,
    Operand,
}

fn level(formula: &Formula) -> Level {
    match &formula.kind {
        _ if becomes(formula).is_some() => Level::Operand,
        Kind::Connective(Connective::Iff, ..) => Level::Iff,
        Kind::Connective(Connective::Implies, ..) => Level::Implies,
        Kind::Connective(Connective::Or, ..) => Level::Or,
        Kind::Connective(Connective::And, ..) => Level::And,
        Kind::Compare(..) => Level::Compare,
        _ => Level::Operand,
    }
}

fn level_of_term(term: &Term) -> Level {
    match &term.kind {
        TermKind::Operation(Operation::Add | Operation::Subtract, ..) => Level::Sum,
        TermKind::Operation(..) => Level::Product,
        _ => Level::Operand,
    }
}

/// The c of `Becomes(c)`, if a formula is what that stands for.
fn becomes(formula: &Formula) -> Option<&Formula> {
    let Kind::Connective(Connective::And, now, before) = &formula.kind else { return None };
    let Kind::Unary { operator: Unary::Previous, of: before, .. } = &before.kind else { return None };
    let Kind::Not(before) = &before.kind else { return None };
    (now == before).then_some(now)
}

struct Printer {
    out: String,
}

impl Printer {
    /// Writes a formula where only those that bind at least this tightly may stand.
    fn formula(&mut self, formula: &Formula, at_least: Level) {
        if level(formula) < at_least {
            self.out.push('(');
            self.formula(formula, Level::Iff);
            self.out.push(')');
            return;
        }
        if let Some(of) = becomes(formula) {
            return self.of("Becomes(", &[of], ")");
        }
        match &formula.kind {
            Kind::Constant(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Kind::OnEvent(occurrence) => self.occurrence(occurrence),
            Kind::Not(of) => {
                self.out.push('!');
                self.formula(of, Level::Operand);
            }
            Kind::Connective(connective, left, right) => {
                let (symbol, on_the_left, on_the_right) = match connective {
                    Connective::Iff => (" <-> ", Level::Iff, Level::Implies),
                    Connective::Implies => (" -> ", Level::Or, Level::Implies),
                    Connective::Or => (" || ", Level::Or, Level::And),
                    Connective::And => (" && ", Level::And, Level::Compare),
                };
                self.formula(left, on_the_left);
                self.out.push_str(symbol);
                self.formula(right, on_the_right);
            }
            Kind::Compare(left, comparison, right) => {
                self.term(left, Level::Sum);
                self.fmt(format_args!(" {comparison} "));
                self.term(right, Level::Sum);
            }
            Kind::Unary { operator: Unary::Always, of, .. } => self.of("Always(", &[of], ")"),
            Kind::Unary { operator: Unary::Eventually, interval: Bounds { hi: None, .. }, of, .. } => {
                self.of("Eventually(", &[of], ")");
            }
            Kind::Unary { operator: Unary::Eventually, interval: Bounds { hi: Some(reach), .. }, of, .. } => {
                self.of("Within(", &[of], &format!(", {reach})"));
            }
            Kind::Binary { operator: Binary::Until, left, right, .. } => self.until(left, right),
            Kind::InFuture { reach, of } => self.of("InFuture(", &[of], &format!(", {reach})")),
            Kind::Each { kind, variable, list, of } => {
                let word = match kind {
                    QuantifierKind::Forall => "forall",
                    QuantifierKind::Exists => "exists",
                };
                self.fmt(format_args!("({word} {} in ", variable.name));
                self.reference(list);
                self.of("; ", &[of], ")");
            }
            Kind::Unary { .. } | Kind::Binary { .. } | Kind::Atom(_) | Kind::Aggregate { .. } => {}
        }
    }

    /// `Until(f, g)`, or the `Between` that stands for it.
    fn until(&mut self, left: &Formula, right: &Formula) {
        if let (Kind::Not(until), Kind::Connective(Connective::And, first, later)) = (&left.kind, &right.kind)
            && let Kind::InFuture { reach, of } = &later.kind
            && until == first
        {
            return self.of("Between(", &[first, of], &format!(", {reach})"));
        }
        self.of("Until(", &[left, right], ")");
    }

    fn term(&mut self, term: &Term, at_least: Level) {
        if level_of_term(term) < at_least {
            self.out.push('(');
            self.term(term, Level::Sum);
            self.out.push(')');
            return;
        }
        match &term.kind {
            TermKind::Literal(value) => self.value(value),
            TermKind::Time(quantity) => self.fmt(format_args!("{quantity}")),
            TermKind::Variable(reference) => self.reference(reference),
            TermKind::Operation(operation, left, right) => {
                let (on_the_left, on_the_right) = match operation {
                    Operation::Add | Operation::Subtract => (Level::Sum, Level::Product),
                    Operation::Multiply | Operation::Divide => (Level::Product, Level::Operand),
                };
                self.term(left, on_the_left);
                self.fmt(format_args!(" {} ", operation.symbol()));
                self.term(right, on_the_right);
            }
            TermKind::Past { of, event, back } => {
                self.out.push_str("past(");
                self.term(of, Level::Sum);
                self.out.push_str(", ");
                self.occurrence(event);
                self.fmt(format_args!(", {back})"));
            }
            TermKind::Count { of, window } => self.of("count(", &[of], &format!(", {window})")),
            TermKind::Fold { fold, of, window } => {
                self.fmt(format_args!("{}(", fold.word()));
                self.term(of, Level::Sum);
                self.fmt(format_args!(", {window})"));
            }
            TermKind::Elapsed(event) => {
                self.out.push_str("elapsed(");
                self.occurrence(event);
                self.out.push(')');
            }
        }
    }

    fn value(&mut self, value: &Value<'_>) {
        self.fmt(format_args!("{value}"));
    }

    fn reference(&mut self, reference: &Reference) {
        self.out.push('$');
        print::field(&reference.name, &is_cut, &mut self.out);
        print::steps(&reference.steps, &is_cut, &mut self.out);
    }

    fn occurrence(&mut self, occurrence: &Occurrence) {
        self.out.push_str("onEvent(");
        print::atom(&occurrence.event, &|_| false, &mut self.out);
        self.out.push(')');
    }

    fn of(&mut self, opening: &str, parts: &[&Formula], closing: &str) {
        self.out.push_str(opening);
        for (index, part) in parts.iter().enumerate() {
            self.out.push_str(if index == 0 { "" } else { ", " });
            self.formula(part, Level::Iff);
        }
        self.out.push_str(closing);
    }

    fn fmt(&mut self, arguments: std::fmt::Arguments<'_>) {
        self.out.write_fmt(arguments).expect("writing to a string cannot fail");
    }
}
