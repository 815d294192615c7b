// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints a [`Formula`], in the ASCII spelling and with no more parentheses than it needs.

use gnomon_core::{Quantity, Value};
use gnomon_ir::{Aggregate, Argument, Atom, Bounds, Formula, FormulaKind, Path};

use super::Dialect;
use super::operator::{binary_letter, is_reserved, spelt, unary_letter};
use crate::syntax::print::{self, Node, OperatorPrinter};

/// Writes a formula so that it parses back to the same, apart from spans. `variables` are those that are quantified.
/// Forms that only other languages have are left out.
pub(crate) fn print(formula: &Formula, dialect: &Dialect, variables: &[&str]) -> String {
    print::text(|out| Printer { dialect, variables }.write(formula, 0, out))
}

struct Printer<'d> {
    dialect: &'d Dialect,
    variables: &'d [&'d str],
}

/// The levels of `U` and the like, and of operands, which bind more tightly than any operator.
const UNTIL: u8 = print::BELOW_CONNECTIVES;
const OPERAND: u8 = UNTIL + 1;

impl OperatorPrinter<Formula> for Printer<'_> {
    fn node<'t>(&self, of: &'t Formula) -> Node<'t, Formula> {
        match &of.kind {
            FormulaKind::Not(of) => Node::Prefix(OPERAND, "!", (of, OPERAND)),
            FormulaKind::Connective(connective, left, right) => print::connective(*connective, left, right),
            FormulaKind::Binary { .. } => Node::Leaf(UNTIL),
            _ => Node::Leaf(OPERAND),
        }
    }

    fn leaf(&self, of: &Formula, out: &mut String) {
        match &of.kind {
            FormulaKind::Constant(value) => print::constant(*value, out),
            FormulaKind::Atom(atom) => self.atom(atom, out),
            FormulaKind::Unary { operator, times, interval, of, .. } => {
                out.push(unary_letter(*operator));
                if *times != 1 {
                    print::fmt(out, format_args!("^{times}"));
                }
                self.bounds(interval, out);
                let parenthesised = matches!(of.kind, FormulaKind::Connective(..) | FormulaKind::Binary { .. });
                out.push_str(if parenthesised { "" } else { " " });
                self.write(of, OPERAND, out);
            }
            FormulaKind::Binary { operator, interval, left, right, .. } => {
                self.write(left, OPERAND, out);
                out.extend([' ', binary_letter(*operator)]);
                self.bounds(interval, out);
                out.push(' ');
                self.write(right, UNTIL, out);
            }
            FormulaKind::Aggregate { aggregate, comparison, bound, .. } => {
                self.aggregate(aggregate, &format!("{comparison}{bound}"), &format!(" {comparison} {bound}"), out);
            }
            // Operators are not leaves, and no dialect has forms over states.
            _ => {}
        }
    }
}

impl Printer<'_> {
    /// Returns true if an atom would be read as a variable.
    fn is_variable(&self, atom: &Atom, word: &str) -> bool {
        atom.arguments.is_none() && self.variables.contains(&word)
    }

    fn atom(&self, atom: &Atom, out: &mut String) {
        // `next(i)` is an event where `i` is a variable, `next(true)` is not, `next("b")` may be; a bare `next` may be followed
        // by anything.
        let known = |argument: &Argument| match argument {
            Argument::Variable(variable) => self.variables.contains(&variable.name.as_str()),
            Argument::Any | Argument::Literal(_) => true,
        };
        let is_formula =
            |arguments: &[Argument]| matches!(arguments, [Argument::Literal(Value::Bool(_) | Value::Text(_))]);
        let has_parameters =
            atom.arguments.as_ref().is_some_and(|arguments| arguments.iter().all(known) && !is_formula(arguments));
        let reserved = |word: &str| {
            self.is_variable(atom, word)
                || is_reserved(self.dialect, word) && !(has_parameters && spelt(self.dialect, word).is_some())
        };
        print::atom(atom, &reserved, out);
    }

    /// Writes `pay(u).amount` in parentheses.
    fn field(&self, of: &Atom, field: &Path, out: &mut String) {
        out.push('(');
        // The lexer reads a bare word and a field as one word, whose last dot ends the event.
        let one_word = of.arguments.is_none() && of.condition.is_none() && field.field.contains('.');
        print::atom(of, &|word| one_word || self.is_variable(of, word), out);
        out.push('.');
        print::path(field, out);
        out.push(')');
    }

    /// Writes `C^{K}_{<=n}(f)` or `count[K](f) <= n`, with the comparison as a subscript or behind.
    fn aggregate(&self, aggregate: &Aggregate, subscript: &str, behind: &str, out: &mut String) {
        let is_lettered = self.dialect.letters.contains('C');
        let head = |word: &str, window: &Quantity, out: &mut String| {
            if is_lettered {
                print::fmt(out, format_args!("{word}^{{{window}}}_{{{subscript}}}"));
            } else {
                print::fmt(out, format_args!("{word}[{window}]"));
            }
        };
        let (letter, word, window, step, parts) = match aggregate {
            Aggregate::Count { window, of, .. } => ('C', "count", window, None, vec![of]),
            Aggregate::Average { window, step, of } => ('U', "avg", window, Some(step), vec![of]),
            Aggregate::Maximum { window, step, of } => ('M', "max", window, Some(step), vec![of]),
            Aggregate::Gap { window, from, to } => ('D', "gap", window, None, vec![from, to]),
            Aggregate::Fold { fold, window, of, field } => {
                print::fmt(out, format_args!("{}[{window}]", fold.word()));
                self.field(of, field, out);
                // No language of letters folds the values of a field.
                return out.push_str(if is_lettered { "" } else { behind });
            }
            Aggregate::Rate { window, of, .. } => {
                head("rate", window, out);
                self.write_list("(", &[of], ")", out);
                return out.push_str(if is_lettered { "" } else { behind });
            }
            Aggregate::Percentile { percent, window, of, field, .. } => {
                head(&format!("p{percent}"), window, out);
                self.field(of, field, out);
                return out.push_str(if is_lettered { "" } else { behind });
            }
            Aggregate::Distinct { window, of, field, .. } => {
                head("distinct", window, out);
                self.field(of, field, out);
                return out.push_str(if is_lettered { "" } else { behind });
            }
        };
        let window = step.map_or(window.to_string(), |step| format!("{window},{step}"));
        let (opening, closing) = match letter {
            _ if !is_lettered => (format!("{word}[{window}]("), format!("){behind}")),
            'D' => (format!("D^{{{window}}}_{{{subscript}}}{{("), ")}".to_owned()),
            _ => (format!("{letter}^{{{window}}}_{{{subscript}}}("), ")".to_owned()),
        };
        self.write_list(&opening, &parts, &closing, out);
    }

    /// Writes an interval, unless it was left out.
    fn bounds(&self, bounds: &Bounds, out: &mut String) {
        if *bounds != self.dialect.omitted() {
            print::bounds(bounds, out);
        }
    }
}
