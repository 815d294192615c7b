// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints names, atoms, conditions, intervals and trees of operators in a spelling that parses back to the same.
//!
//! Trees of operators are printed with no more parentheses than they need. Every node has a *level*, which says how
//! tightly its operator binds (0 is the loosest), and every operand has the lowest level that may stand there without
//! parentheses. For a sum, grouped from the left, the node is `Infix(0, (left, 0), " + ", (right, 1))`: a sum on the
//! left needs no parentheses, a sum on the right does, so `(a + b) + c` prints as `a + b + c`, and `a + (b + c)` keeps
//! them. A language describes its nodes once ([`OperatorPrinter::node`]) and [`OperatorPrinter::write`] does the rest.

use std::fmt::Write as _;

use gnomon_core::datetime::TimePart;
use gnomon_core::value::{Value, write_quoted};
use gnomon_ir::{
    Argument, Arithmetic, Atom, Bounds, Condition, Connective, Expression, Formula, Guard, Path, TimeComparison,
};

use super::lexer::{is_whole, is_word};

/// A node of a tree of operators, with levels as the module describes them.
pub(crate) enum Node<'t, T> {
    /// The level of a node that is not an operator before or between nodes of the same type.
    Leaf(u8),
    /// The level, the operator, and its operand with the level that it needs.
    Prefix(u8, &'static str, (&'t T, u8)),
    /// The level, and the operator between its operands with the levels that they need.
    Infix(u8, (&'t T, u8), &'static str, (&'t T, u8)),
}

/// A printer of trees with no more parentheses than they need.
pub(crate) trait OperatorPrinter<T> {
    /// Describes a node.
    fn node<'t>(&self, of: &'t T) -> Node<'t, T>;

    /// Writes a leaf.
    fn leaf(&self, of: &T, out: &mut String);

    /// Writes a tree, in parentheses if its level is below `at_least`.
    fn write(&self, of: &T, at_least: u8, out: &mut String) {
        let node = self.node(of);
        let (Node::Leaf(own) | Node::Prefix(own, ..) | Node::Infix(own, ..)) = node;
        out.push_str(if own < at_least { "(" } else { "" });
        match node {
            Node::Leaf(_) => self.leaf(of, out),
            Node::Prefix(_, symbol, (of, level)) => {
                out.push_str(symbol);
                self.write(of, level, out);
            }
            Node::Infix(_, (left, on_the_left), symbol, (right, on_the_right)) => {
                self.write(left, on_the_left, out);
                out.push_str(symbol);
                self.write(right, on_the_right, out);
            }
        }
        out.push_str(if own < at_least { ")" } else { "" });
    }

    /// Writes trees with commas between them and brackets around them.
    fn write_list(&self, opening: &str, parts: &[&T], closing: &str, out: &mut String) {
        list(opening, parts, closing, out, |part, out| self.write(part, 0, out));
    }
}

/// The level of the operators that bind next more tightly than the connectives.
pub(crate) const BELOW_CONNECTIVES: u8 = 4;

/// Returns the node of a connective between two formulae.
pub(crate) fn connective<'f>(connective: Connective, left: &'f Formula, right: &'f Formula) -> Node<'f, Formula> {
    match connective {
        Connective::Iff => Node::Infix(0, (left, 0), " <-> ", (right, 1)),
        Connective::Implies => Node::Infix(1, (left, 2), " -> ", (right, 1)),
        Connective::Or => Node::Infix(2, (left, 2), " || ", (right, 3)),
        Connective::And => Node::Infix(3, (left, 3), " && ", (right, BELOW_CONNECTIVES)),
    }
}

/// Returns the node of a computed value.
pub(crate) fn arithmetic(of: &Expression) -> Node<'_, Expression> {
    match of {
        Expression::Literal(_) | Expression::Variable(_) => Node::Leaf(2),
        Expression::Arithmetic(Arithmetic::Add, left, right) => Node::Infix(0, (left, 0), " + ", (right, 1)),
        Expression::Arithmetic(Arithmetic::Subtract, left, right) => Node::Infix(0, (left, 0), " - ", (right, 1)),
        Expression::Arithmetic(Arithmetic::Multiply, left, right) => Node::Infix(1, (left, 1), " * ", (right, 2)),
    }
}

/// Returns the node of a guard, in a language with these words for "or", "and" and "not".
pub(crate) fn guard<'t>(of: &'t Guard, [or, and, not]: [&'static str; 3]) -> Node<'t, Guard> {
    match of {
        Guard::Or(left, right) => Node::Infix(0, (left, 0), or, (right, 1)),
        Guard::And(left, right) => Node::Infix(2, (left, 2), and, (right, 3)),
        Guard::Compare(..) => Node::Leaf(3),
        Guard::Not(of) => Node::Prefix(4, not, (of, 4)),
        Guard::Constant(_) => Node::Leaf(4),
    }
}

/// Writes a truth value.
pub(crate) fn constant(value: bool, out: &mut String) {
    out.push_str(if value { "true" } else { "false" });
}

/// Writes a name, in quotes where it would not be read as one.
pub(crate) fn name(name: &str, reserved: &dyn Fn(&str) -> bool, out: &mut String) {
    if is_word(name) && is_whole(name) && name != "_" && !reserved(name) {
        out.push_str(name);
    } else {
        quoted(name, out);
    }
}

/// Writes an atom.
pub(crate) fn atom(atom: &Atom, reserved: &dyn Fn(&str) -> bool, out: &mut String) {
    atom_with(atom, reserved, &|_| false, &mut argument, out);
}

/// Writes an argument.
pub(crate) fn argument(argument: &Argument, out: &mut String) {
    match argument {
        Argument::Any => out.push('_'),
        Argument::Literal(literal) => value(literal, out),
        Argument::Variable(variable) => out.push_str(&variable.name),
    }
}

/// Writes an atom of a language that writes arguments in its own way, or has other reserved words for fields.
pub(crate) fn atom_with(
    atom: &Atom,
    reserved: &dyn Fn(&str) -> bool,
    reserved_field: &dyn Fn(&str) -> bool,
    argument: &mut dyn FnMut(&Argument, &mut String),
    out: &mut String,
) {
    name(&atom.name, reserved, out);
    if let Some(arguments) = &atom.arguments {
        list("(", arguments, ")", out, argument);
    }
    if let Some(of) = &atom.condition {
        out.push('[');
        condition(of, reserved_field, out);
        out.push(']');
    }
}

/// Returns the text that a function writes.
pub(crate) fn text(write: impl FnOnce(&mut String)) -> String {
    let mut out = String::new();
    write(&mut out);
    out
}

/// Writes formatted text.
pub(crate) fn fmt(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    out.write_fmt(arguments).expect("writing to a string cannot fail");
}

/// Writes a literal.
pub(crate) fn value(value: &Value<'_>, out: &mut String) {
    fmt(out, format_args!("{value}"));
}

/// Writes a text in quotes.
pub(crate) fn quoted(text: &str, out: &mut String) {
    write_quoted(out, text).expect("writing to a string cannot fail");
}

/// Writes a condition on fields.
pub(crate) fn condition(of: &Condition, reserved: &dyn Fn(&str) -> bool, out: &mut String) {
    ConditionPrinter { reserved }.write(of, 0, out);
}

struct ConditionPrinter<'o> {
    reserved: &'o dyn Fn(&str) -> bool,
}

impl OperatorPrinter<Condition> for ConditionPrinter<'_> {
    fn node<'t>(&self, of: &'t Condition) -> Node<'t, Condition> {
        match of {
            Condition::Or(left, right) => Node::Infix(0, (left, 0), " || ", (right, 1)),
            Condition::And(left, right) => Node::Infix(2, (left, 2), " && ", (right, 3)),
            Condition::Compare(..) | Condition::Time(_) => Node::Leaf(4),
            // `!a = 1` would be parsed correctly, but misread by people.
            Condition::Not(of) => Node::Prefix(4, "!", (of, if matches!(**of, Condition::Not(_)) { 4 } else { 5 })),
        }
    }

    fn leaf(&self, of: &Condition, out: &mut String) {
        let (comparison, literal) = match of {
            Condition::Compare(field, comparison, literal) => {
                path_in(field, self.reserved, out);
                (comparison, literal)
            }
            Condition::Time(time) => {
                let TimeComparison { part, comparison, literal, .. } = &**time;
                out.extend(["@", part.word()]);
                (comparison, literal)
            }
            _ => return,
        };
        out.extend([" ", comparison.symbol(), " "]);
        value(literal, out);
    }
}

/// Writes a field, or a path into one.
pub(crate) fn path(path: &Path, out: &mut String) {
    path_in(path, &|_| false, out);
}

fn path_in(path: &Path, reserved: &dyn Fn(&str) -> bool, out: &mut String) {
    field(&path.field, reserved, out);
    steps(&path.steps, reserved, out);
}

/// Writes the name of a field; the name of an XML attribute begins with `@`.
pub(crate) fn field(of: &str, reserved: &dyn Fn(&str) -> bool, out: &mut String) {
    let is_plain = |rest: &&str| is_word(rest) && is_whole(rest) && !reserved(rest) && TimePart::parse(rest).is_none();
    match of.strip_prefix('@').filter(is_plain) {
        Some(rest) => out.extend(["@", rest]),
        None => name(of, reserved, out),
    }
}

/// Writes the steps into a field.
pub(crate) fn steps(steps: &[String], reserved: &dyn Fn(&str) -> bool, out: &mut String) {
    for step in steps {
        out.push('/');
        if !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit()) {
            out.push_str(step);
        } else {
            field(step, reserved, out);
        }
    }
}

/// Writes an interval.
pub(crate) fn bounds(bounds: &Bounds, out: &mut String) {
    let Bounds { lo, lo_closed, hi, hi_closed, .. } = bounds;
    let opening = if *lo_closed { '[' } else { '(' };
    match hi {
        Some(hi) => fmt(out, format_args!("{opening}{lo},{hi}{}", if *hi_closed { ']' } else { ')' })),
        None => fmt(out, format_args!("{opening}{lo},inf)")),
    }
}

/// Writes items with commas between them and brackets around them.
pub(crate) fn list<T>(
    opening: &str,
    items: &[T],
    closing: &str,
    out: &mut String,
    mut write: impl FnMut(&T, &mut String),
) {
    out.push_str(opening);
    for (index, item) in items.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        write(item, out);
    }
    out.push_str(closing);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `-x`, sums grouped from the left, products.
    enum Sum {
        Leaf(char),
        Minus(Box<Sum>),
        Add(Box<Sum>, Box<Sum>),
        Multiply(Box<Sum>, Box<Sum>),
    }

    struct SumPrinter;

    impl OperatorPrinter<Sum> for SumPrinter {
        fn node<'t>(&self, of: &'t Sum) -> Node<'t, Sum> {
            match of {
                Sum::Leaf(_) => Node::Leaf(3),
                Sum::Minus(of) => Node::Prefix(2, "-", (of, 2)),
                Sum::Add(left, right) => Node::Infix(0, (left, 0), " + ", (right, 1)),
                Sum::Multiply(left, right) => Node::Infix(1, (left, 1), "*", (right, 2)),
            }
        }

        fn leaf(&self, of: &Sum, out: &mut String) {
            if let Sum::Leaf(letter) = of {
                out.push(*letter);
            }
        }
    }

    #[test]
    fn parentheses_stand_only_where_they_must() {
        let leaf = |letter| Box::new(Sum::Leaf(letter));
        let sum = || Box::new(Sum::Add(leaf('a'), leaf('b')));
        let minus = |of| Box::new(Sum::Minus(of));
        for (tree, expected) in [
            (Sum::Add(sum(), leaf('c')), "a + b + c"),
            (Sum::Add(leaf('c'), sum()), "c + (a + b)"),
            (Sum::Multiply(sum(), minus(sum())), "(a + b)*-(a + b)"),
            (Sum::Add(minus(minus(leaf('a'))), Box::new(Sum::Multiply(leaf('b'), leaf('c')))), "--a + b*c"),
        ] {
            let mut out = String::new();
            SumPrinter.write(&tree, 0, &mut out);
            assert_eq!(out, expected);
        }
    }
}
