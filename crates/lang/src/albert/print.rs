// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints a property, in the ASCII spelling and with no more parentheses than it needs.

use gnomon_ir::formula::{Binary, Bounds, Connective, Formula, FormulaKind, Unary};
use gnomon_ir::spec::{Body, Property};
use gnomon_ir::term::{Occurrence, Operation, Reference, Term, TermKind};

use super::value::is_cut;
use crate::specfile::print::block;
use crate::syntax::print::{self, Node, OperatorPrinter};

/// Writes a property as a block that parses back to the same, apart from spans. Forms that only other languages have
/// are left out.
///
/// ```
/// let (spec, _) = gnomon_lang::parse("albert ships { ((onEvent(Pay)) → (Within(onEvent(Ship), 10 s))) }");
/// let printed = gnomon_lang::albert::print(&spec.properties[0]);
/// assert_eq!(printed, "albert ships { onEvent(Pay) -> Within(onEvent(Ship), 10s) }\n");
/// ```
pub fn print(property: &Property) -> String {
    let mut out = " ".to_owned();
    if let Body::Formula(formula) = &property.body {
        // A property is implicitly about every state.
        let body = match &formula.kind {
            FormulaKind::Unary { operator: Unary::Always, of, .. } => of,
            _ => formula,
        };
        Printer.write(body, 0, &mut out);
    }
    out.push(' ');
    block(property, &[], &out)
}

/// The levels of comparisons, sums, products, and operands, which bind more tightly than any operator.
const COMPARE: u8 = print::BELOW_CONNECTIVES;
const SUM: u8 = COMPARE + 1;
const PRODUCT: u8 = SUM + 1;
const OPERAND: u8 = PRODUCT + 1;

/// Returns the c of `Becomes(c)`, if a formula is what that lowers to.
fn becomes(formula: &Formula) -> Option<&Formula> {
    let FormulaKind::Connective(Connective::And, now, before) = &formula.kind else { return None };
    let FormulaKind::Unary { operator: Unary::Previous, of: before, .. } = &before.kind else { return None };
    let FormulaKind::Not(before) = &before.kind else { return None };
    (now == before).then_some(now)
}

struct Printer;

impl OperatorPrinter<Formula> for Printer {
    fn node<'t>(&self, of: &'t Formula) -> Node<'t, Formula> {
        match &of.kind {
            _ if becomes(of).is_some() => Node::Leaf(OPERAND),
            FormulaKind::Not(of) => Node::Prefix(OPERAND, "!", (of, OPERAND)),
            FormulaKind::Connective(connective, left, right) => print::connective(*connective, left, right),
            FormulaKind::Compare(..) => Node::Leaf(COMPARE),
            _ => Node::Leaf(OPERAND),
        }
    }

    fn leaf(&self, of: &Formula, out: &mut String) {
        if let Some(of) = becomes(of) {
            return formulae("Becomes(", &[of], ")", out);
        }
        match &of.kind {
            FormulaKind::Constant(value) => print::constant(*value, out),
            FormulaKind::OnEvent(occurrence) => occurs("", occurrence, "", out),
            FormulaKind::Compare(left, comparison, right) => {
                self.write(left.as_ref(), SUM, out);
                out.extend([" ", comparison.symbol(), " "]);
                self.write(right.as_ref(), SUM, out);
            }
            FormulaKind::Unary { operator: Unary::Always, of, .. } => formulae("Always(", &[of], ")", out),
            FormulaKind::Unary { operator: Unary::Eventually, interval: Bounds { hi: None, .. }, of, .. } => {
                formulae("Eventually(", &[of], ")", out);
            }
            FormulaKind::Unary {
                operator: Unary::Eventually, interval: Bounds { hi: Some(reach), .. }, of, ..
            } => {
                formulae("Within(", &[of], &format!(", {reach})"), out);
            }
            FormulaKind::Binary { operator: Binary::Until, left, right, .. } => until(left, right, out),
            FormulaKind::InFuture { reach, of } => formulae("InFuture(", &[of], &format!(", {reach})"), out),
            FormulaKind::Each { kind, variable, list, of } => {
                print::fmt(out, format_args!("({} {} in ", kind.word(), variable.name));
                reference(list, out);
                formulae("; ", &[of], ")", out);
            }
            // Operators are not leaves; the rest belongs to other languages.
            _ => {}
        }
    }
}

impl OperatorPrinter<Term> for Printer {
    fn node<'t>(&self, of: &'t Term) -> Node<'t, Term> {
        match &of.kind {
            TermKind::Operation(operation, left, right) => match operation {
                Operation::Add => Node::Infix(SUM, (left, SUM), " + ", (right, PRODUCT)),
                Operation::Subtract => Node::Infix(SUM, (left, SUM), " - ", (right, PRODUCT)),
                Operation::Multiply => Node::Infix(PRODUCT, (left, PRODUCT), " * ", (right, OPERAND)),
                Operation::Divide => Node::Infix(PRODUCT, (left, PRODUCT), " / ", (right, OPERAND)),
            },
            _ => Node::Leaf(OPERAND),
        }
    }

    fn leaf(&self, of: &Term, out: &mut String) {
        match &of.kind {
            TermKind::Literal(value) => print::value(value, out),
            TermKind::Time(quantity) => out.push_str(&quantity.to_string()),
            TermKind::Variable(of) => reference(of, out),
            TermKind::Past { of, event, back } => {
                out.push_str("past(");
                self.write(of.as_ref(), SUM, out);
                occurs(", ", event, &format!(", {back})"), out);
            }
            TermKind::Count { of, window } => formulae("count(", &[of], &format!(", {window})"), out),
            TermKind::Fold { fold, of, window } => {
                out.extend([fold.word(), "("]);
                self.write(of.as_ref(), SUM, out);
                print::fmt(out, format_args!(", {window})"));
            }
            TermKind::Elapsed(event) => occurs("elapsed(", event, ")", out),
            TermKind::Operation(..) => {}
        }
    }
}

/// Writes formulae, with commas between them, between two texts.
fn formulae(before: &str, parts: &[&Formula], after: &str, out: &mut String) {
    Printer.write_list(before, parts, after, out);
}

/// Writes `Until(f, g)`, or the `Between` that lowers to it.
fn until(left: &Formula, right: &Formula, out: &mut String) {
    if let (FormulaKind::Not(until), FormulaKind::Connective(Connective::And, first, later)) = (&left.kind, &right.kind)
        && let FormulaKind::InFuture { reach, of } = &later.kind
        && until == first
    {
        return formulae("Between(", &[first, of], &format!(", {reach})"), out);
    }
    formulae("Until(", &[left, right], ")", out);
}

fn reference(reference: &Reference, out: &mut String) {
    out.push('$');
    print::field(&reference.name, &is_cut, out);
    print::steps(&reference.steps, &is_cut, out);
}

/// Writes `onEvent(X)` between two texts.
fn occurs(before: &str, occurrence: &Occurrence, after: &str, out: &mut String) {
    out.extend([before, "onEvent("]);
    print::atom(&occurrence.event, &|_| false, out);
    out.extend([")", after]);
}
