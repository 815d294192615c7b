// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a [`Formula`] back to text, in the ASCII spelling and with no more parentheses than it needs.

use std::fmt::Write as _;

use gnomon_ir::formula::{Aggregate, Bounds, Connective, Formula, Kind};
use gnomon_ir::pattern::{Argument, Atom};

use super::Dialect;
use super::operator::{binary_letter, spelt, unary_letter};
use super::slip::is_reserved;
use crate::specfile::print;

/// Writes a formula so that it reads back as the same, spans apart. The variables are those that are quantified. What only
/// other languages have is left out.
pub(crate) fn print(formula: &Formula, dialect: &Dialect, variables: &[&str]) -> String {
    let mut printer = Printer { dialect, variables, out: String::new() };
    printer.formula(formula, Level::Iff);
    printer.out
}

/// How tightly a formula binds, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Iff,
    Implies,
    Or,
    And,
    Until,
    Operand,
}

fn level(formula: &Formula) -> Level {
    match &formula.kind {
        Kind::Connective(Connective::Iff, ..) => Level::Iff,
        Kind::Connective(Connective::Implies, ..) => Level::Implies,
        Kind::Connective(Connective::Or, ..) => Level::Or,
        Kind::Connective(Connective::And, ..) => Level::And,
        Kind::Binary { .. } => Level::Until,
        _ => Level::Operand,
    }
}

struct Printer<'d> {
    dialect: &'d Dialect,
    variables: &'d [&'d str],
    out: String,
}

impl Printer<'_> {
    /// Writes a formula where only those that bind at least this tightly may stand.
    fn formula(&mut self, formula: &Formula, at_least: Level) {
        if level(formula) < at_least {
            self.out.push('(');
            self.formula(formula, Level::Iff);
            self.out.push(')');
            return;
        }
        match &formula.kind {
            Kind::Constant(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Kind::Atom(atom) => self.atom(atom),
            Kind::Not(of) => {
                self.out.push('!');
                self.formula(of, Level::Operand);
            }
            Kind::Connective(connective, left, right) => {
                let (symbol, on_the_left, on_the_right) = match connective {
                    Connective::Iff => (" <-> ", Level::Iff, Level::Implies),
                    Connective::Implies => (" -> ", Level::Or, Level::Implies),
                    Connective::Or => (" || ", Level::Or, Level::And),
                    Connective::And => (" && ", Level::And, Level::Until),
                };
                self.formula(left, on_the_left);
                self.out.push_str(symbol);
                self.formula(right, on_the_right);
            }
            Kind::Unary { operator, times, interval, of, .. } => {
                self.out.push(unary_letter(*operator));
                if *times != 1 {
                    self.fmt(format_args!("^{times}"));
                }
                self.bounds(interval);
                if level(of) == Level::Operand {
                    self.out.push(' ');
                }
                self.formula(of, Level::Operand);
            }
            Kind::Binary { operator, interval, left, right, .. } => {
                self.formula(left, Level::Operand);
                self.fmt(format_args!(" {}", binary_letter(*operator)));
                self.bounds(interval);
                self.out.push(' ');
                self.formula(right, Level::Until);
            }
            Kind::Aggregate { aggregate, comparison, bound, .. } => {
                if self.dialect.letters.contains('C') {
                    self.lettered(aggregate, &format!("_{{{comparison}{bound}}}"));
                } else {
                    self.spelt(aggregate);
                    self.fmt(format_args!(" {comparison} {bound}"));
                }
            }
            // No dialect has what is said of states.
            Kind::OnEvent(_) | Kind::Compare(..) | Kind::InFuture { .. } | Kind::Each { .. } => {}
        }
    }

    fn atom(&mut self, atom: &Atom) {
        // `next(i)` is an event where `i` is a variable; a bare `next` may be followed by anything.
        let known = |argument: &Argument| match argument {
            Argument::Variable(variable) => self.variables.contains(&variable.name.as_str()),
            Argument::Any | Argument::Literal(_) => true,
        };
        let has_parameters = atom.arguments.as_ref().is_some_and(|arguments| arguments.iter().all(known));
        let reserved =
            |word: &str| is_reserved(self.dialect, word) && !(has_parameters && spelt(self.dialect, word).is_some());
        print::atom(atom, &reserved, &mut self.out);
    }

    /// `C^{K}_{<=n}(f)`
    fn lettered(&mut self, aggregate: &Aggregate, compared: &str) {
        match aggregate {
            Aggregate::Count { window, of, .. } => self.of(&format!("C^{{{window}}}{compared}("), &[of], ")"),
            Aggregate::Average { window, step, of } => {
                self.of(&format!("U^{{{window},{step}}}{compared}("), &[of], ")");
            }
            Aggregate::Maximum { window, step, of } => {
                self.of(&format!("M^{{{window},{step}}}{compared}("), &[of], ")");
            }
            Aggregate::Gap { window, from, to } => self.of(&format!("D^{{{window}}}{compared}{{("), &[from, to], ")}"),
            Aggregate::Fold { .. } => self.spelt(aggregate),
        }
    }

    /// `count[K](f)`
    fn spelt(&mut self, aggregate: &Aggregate) {
        match aggregate {
            Aggregate::Count { window, of, .. } => self.of(&format!("count[{window}]("), &[of], ")"),
            Aggregate::Average { window, step, of } => self.of(&format!("avg[{window},{step}]("), &[of], ")"),
            Aggregate::Maximum { window, step, of } => self.of(&format!("max[{window},{step}]("), &[of], ")"),
            Aggregate::Gap { window, from, to } => self.of(&format!("gap[{window}]("), &[from, to], ")"),
            Aggregate::Fold { fold, window, of, field } => {
                self.fmt(format_args!("{}[{window}](", fold.word()));
                // A bare word and a field are one word to the lexer, which ends the event at its last dot.
                let one_word = of.arguments.is_none() && of.condition.is_none() && field.field.contains('.');
                print::atom(of, &|_| one_word, &mut self.out);
                self.out.push('.');
                print::path(field, &mut self.out);
                self.out.push(')');
            }
        }
    }

    fn of(&mut self, opening: &str, parts: &[&Formula], closing: &str) {
        self.out.push_str(opening);
        for (index, part) in parts.iter().enumerate() {
            self.out.push_str(if index == 0 { "" } else { ", " });
            self.formula(part, Level::Iff);
        }
        self.out.push_str(closing);
    }

    /// Writes an interval, unless it was left out.
    fn bounds(&mut self, bounds: &Bounds) {
        if *bounds == self.dialect.omitted() {
            return;
        }
        print::bounds(bounds, &mut self.out);
    }

    fn fmt(&mut self, arguments: std::fmt::Arguments<'_>) {
        self.out.write_fmt(arguments).expect("writing to a string cannot fail");
    }
}
