// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a formula back to text, in the notation of mCRL2.

use std::fmt::Write as _;

use gnomon_core::value::{Comparison, Value};
use gnomon_ir::automaton::{Arithmetic, Expression};
use gnomon_ir::modal::{Action, Data, Modal, Regular, Sorted};
use gnomon_ir::pattern::{Argument, Atom};
use gnomon_ir::spec::{Body, Property, QuantifierKind};

use super::KEYWORDS;
use super::names::Names;
use crate::specfile::lexer::is_plain_word;
use crate::specfile::print::{self, block};

/// Writes a property as a block that reads back as the same, spans apart. The body of a property of another kind is left
/// empty.
///
/// ```
/// let (spec, _) = gnomon_lang::parse("mu done { forall t:Int.[true*.push(Job,t).(not (pop(Job) or done))*.done]false }");
/// let printed = gnomon_lang::mu::print(&spec.properties[0]);
/// assert_eq!(printed, "mu done { forall t:Int. [true* . push(Job, t) . (!(pop(Job) || done))* . done] false }\n");
/// ```
pub fn print(property: &Property) -> String {
    let body = match &property.body {
        Body::Modal(modal) => print_modal(modal),
        _ => String::new(),
    };
    block(property, &[], &format!(" {body} "))
}

/// Writes a formula, as it stands between the braces or in a file of its own.
///
/// A variable that stands for a `*` is written as that if it stands at one place, else under a name of its own.
pub fn print_modal(modal: &Modal) -> String {
    let mut printer = Printer { names: Names::of(modal), out: String::new() };
    printer.modal(modal, Level::Forall);
    printer.out
}

/// How tightly a state formula binds, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Forall,
    Implies,
    And,
    Operand,
}

struct Printer {
    names: Names,
    out: String,
}

impl Printer {
    /// Writes a formula where only those that bind at least this tightly may stand.
    fn modal(&mut self, modal: &Modal, at_least: Level) {
        let own = match modal {
            Modal::Forall(sorted, of) if self.names.shown(&sorted.variable.name) == "*" => {
                return self.modal(of, at_least);
            }
            Modal::Forall(..) => Level::Forall,
            Modal::Implies(..) => Level::Implies,
            Modal::And(..) => Level::And,
            Modal::Box { .. } | Modal::Data(..) => Level::Operand,
        };
        self.bracketed(own < at_least, |printer| match modal {
            Modal::Data(data, _) => printer.val(data),
            Modal::Forall(sorted, of) => printer.forall(sorted, of),
            Modal::Implies(data, of) => {
                printer.val(data);
                printer.out.push_str(" => ");
                printer.modal(of, Level::Implies);
            }
            Modal::And(left, right) => {
                printer.modal(left, Level::And);
                printer.out.push_str(" && ");
                printer.modal(right, Level::Operand);
            }
            Modal::Box { regular, then, .. } => {
                printer.out.push('[');
                printer.regular(regular, 0, true);
                printer.out.push_str("] ");
                printer.modal(then, Level::Operand);
            }
        });
    }

    fn bracketed(&mut self, brackets: bool, write: impl FnOnce(&mut Self)) {
        self.out.push_str(if brackets { "(" } else { "" });
        write(self);
        self.out.push_str(if brackets { ")" } else { "" });
    }

    /// `forall x:Nat, b:Bool. phi`: neighbouring quantifiers share a word.
    fn forall(&mut self, first: &Sorted, of: &Modal) {
        self.out.push_str("forall ");
        self.sorted(first);
        let mut inner = of;
        while let Modal::Forall(sorted, of) = inner {
            if self.names.shown(&sorted.variable.name) != "*" {
                self.out.push_str(", ");
                self.sorted(sorted);
            }
            inner = of;
        }
        self.out.push_str(". ");
        self.modal(inner, Level::Forall);
    }

    fn sorted(&mut self, sorted: &Sorted) {
        let Sorted { variable, sort_name, .. } = sorted;
        let name = self.names.shown(&variable.name);
        write!(self.out, "{name}:{sort_name}").expect("writing to a string cannot fail");
    }

    /// Writes a regular formula; `level` is 0 where any may stand, 1 right of `+`, and left of `.`, 2 right of `.`, 3 before
    /// an iteration. An action formula of several parts stands in parentheses unless it is `alone`.
    fn regular(&mut self, regular: &Regular, level: u8, alone: bool) {
        let own = match regular {
            Regular::Or(..) => 0,
            Regular::Then(..) => 1,
            _ => 3,
        };
        self.bracketed(own < level, |printer| match regular {
            Regular::Nil => printer.out.push_str("nil"),
            Regular::Action(action) => printer.action(action, if alone { 0 } else { ATOMIC }),
            Regular::Or(left, right) => {
                printer.regular(left, 0, false);
                printer.out.push_str(" + ");
                printer.regular(right, 1, false);
            }
            Regular::Then(left, right) => {
                printer.regular(left, 1, false);
                printer.out.push_str(" . ");
                printer.regular(right, 2, false);
            }
            Regular::Star(of) => {
                printer.regular(of, 3, false);
                printer.out.push('*');
            }
            Regular::Plus(of) => {
                printer.regular(of, 3, false);
                printer.out.push('+');
            }
        });
    }

    /// Writes an action formula; `level` is 0 where any may stand, 1 left of `||`, 2 right of `||` and left of `&&`, 3 right
    /// of `&&`, 4 under `!`, [`ATOMIC`] where no operator may stand.
    fn action(&mut self, action: &Action, level: u8) {
        let own = match action {
            Action::Quantified(..) => 0,
            Action::Or(..) => 1,
            Action::And(..) => 2,
            Action::Not(_) => 4,
            Action::Event(_) | Action::Data(_) => ATOMIC,
        };
        self.bracketed(own < level, |printer| match action {
            Action::Event(atom) => printer.atom(atom),
            Action::Data(data) => printer.val(data),
            Action::Not(of) => {
                printer.out.push('!');
                printer.action(of, 4);
            }
            Action::And(left, right) => {
                printer.action(left, 2);
                printer.out.push_str(" && ");
                printer.action(right, 3);
            }
            Action::Or(left, right) => {
                printer.action(left, 1);
                printer.out.push_str(" || ");
                printer.action(right, 2);
            }
            Action::Quantified(kind, sorted, of) => {
                printer.out.push_str(match kind {
                    QuantifierKind::Forall => "forall ",
                    QuantifierKind::Exists => "exists ",
                });
                printer.sorted(sorted);
                printer.out.push_str(". ");
                printer.action(of, 0);
            }
        });
    }

    fn atom(&mut self, atom: &Atom) {
        let Atom { name, arguments, condition, .. } = atom;
        print::name(name, &|word| KEYWORDS.contains(&word) || !is_plain_word(word), &mut self.out);
        if let Some(arguments) = arguments {
            self.out.push('(');
            for (index, argument) in arguments.iter().enumerate() {
                self.out.push_str(if index == 0 { "" } else { ", " });
                match argument {
                    Argument::Any => self.out.push('_'),
                    Argument::Literal(literal) => self.literal(literal),
                    Argument::Variable(variable) => self.out.push_str(self.names.shown(&variable.name)),
                }
            }
            self.out.push(')');
        }
        if let Some(condition) = condition {
            print::field_condition(condition, &|word| !is_plain_word(word), &mut self.out);
        }
    }

    /// Writes a condition as a formula.
    fn val(&mut self, data: &Data) {
        let is_constant = matches!(data, Data::Constant(_));
        self.out.push_str(if is_constant { "" } else { "val" });
        self.bracketed(!is_constant, |printer| printer.data(data, 0));
    }

    /// Writes a condition; `level` is 0 where any may stand, 1 right of `||`, 2 left of `&&`, 3 right of `&&`, 4 under `!`.
    fn data(&mut self, data: &Data, level: u8) {
        let own = match data {
            Data::Or(..) => 0,
            Data::And(..) => 2,
            Data::Compare(..) => 3,
            Data::Not(_) | Data::Constant(_) => 4,
        };
        self.bracketed(own < level, |printer| match data {
            Data::Constant(value) => printer.out.push_str(if *value { "true" } else { "false" }),
            Data::Compare(left, comparison, right) => {
                printer.expression(left, false);
                let symbol = if *comparison == Comparison::Equal { "==" } else { comparison.symbol() };
                write!(printer.out, " {symbol} ").expect("writing to a string cannot fail");
                printer.expression(right, false);
            }
            Data::Not(of) => {
                printer.out.push('!');
                printer.data(of, 4);
            }
            Data::And(left, right) => {
                printer.data(left, 2);
                printer.out.push_str(" && ");
                printer.data(right, 3);
            }
            Data::Or(left, right) => {
                printer.data(left, 0);
                printer.out.push_str(" || ");
                printer.data(right, 1);
            }
        });
    }

    /// Writes a value; one that is computed stands in parentheses where it is an operand on the right.
    fn expression(&mut self, expression: &Expression, on_the_right: bool) {
        match expression {
            Expression::Literal(value) => self.literal(value),
            Expression::Variable(variable) => self.out.push_str(self.names.shown(&variable.name)),
            Expression::Arithmetic(operator, left, right) => self.bracketed(on_the_right, |printer| {
                printer.expression(left, false);
                printer.out.push_str(match operator {
                    Arithmetic::Add => " + ",
                    Arithmetic::Subtract => " - ",
                    // Not read, but nothing else could be written.
                    Arithmetic::Multiply => " * ",
                });
                printer.expression(right, true);
            }),
        }
    }

    /// Writes a literal. A text that could be a constant of mCRL2 is written as one.
    fn literal(&mut self, value: &Value<'_>) {
        match value {
            Value::Text(text)
                if is_plain_word(text) && text != "_" && !KEYWORDS.contains(&&**text) && !self.names.is_bound(text) =>
            {
                self.out.push_str(text);
            }
            _ => print::value(value, &mut self.out),
        }
    }
}

/// Where no operator may stand without parentheses.
const ATOMIC: u8 = 5;
