// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a [`Formula`] back to text, in the ASCII spelling and with no more parentheses than it needs.

use std::fmt::Write as _;

use gnomon_ir::formula::{Aggregate, Binary, Bounds, Connective, Formula, Kind, Unary};

use super::slip::is_reserved;
use crate::specfile::print;

/// Writes a formula so that it reads back as the same, spans apart. The option `full-window` belongs to the property
/// and is not part of the text.
///
/// ```
/// let (formula, _) = gnomon_lang::parse_formula("G ((request) → F_{[0,10]} (reply))");
/// assert_eq!(gnomon_lang::soloist::print(&formula.unwrap()), "G(request -> F[0,10] reply)");
/// ```
pub fn print(formula: &Formula) -> String {
    let mut out = String::new();
    write(formula, Level::Iff, &mut out);
    out
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
        Kind::Constant(_) | Kind::Atom(_) | Kind::Not(_) | Kind::Unary { .. } | Kind::Aggregate { .. } => {
            Level::Operand
        }
    }
}

/// Writes a formula where only those that bind at least this tightly may stand.
fn write(formula: &Formula, at_least: Level, out: &mut String) {
    if level(formula) < at_least {
        out.push('(');
        write(formula, Level::Iff, out);
        out.push(')');
        return;
    }
    match &formula.kind {
        Kind::Constant(value) => out.push_str(if *value { "true" } else { "false" }),
        Kind::Atom(atom) => print::atom(atom, &is_reserved, out),
        Kind::Not(of) => {
            out.push('!');
            write(of, Level::Operand, out);
        }
        Kind::Connective(connective, left, right) => {
            let (symbol, on_the_left, on_the_right) = match connective {
                Connective::Iff => (" <-> ", Level::Iff, Level::Implies),
                Connective::Implies => (" -> ", Level::Or, Level::Implies),
                Connective::Or => (" || ", Level::Or, Level::And),
                Connective::And => (" && ", Level::And, Level::Until),
            };
            write(left, on_the_left, out);
            out.push_str(symbol);
            write(right, on_the_right, out);
        }
        Kind::Unary { operator, times, interval, of } => {
            out.push(unary(*operator));
            if *times != 1 {
                fmt(out, format_args!("^{times}"));
            }
            bounds(interval, out);
            if level(of) == Level::Operand {
                out.push(' ');
            }
            write(of, Level::Operand, out);
        }
        Kind::Binary { operator, interval, left, right } => {
            write(left, Level::Operand, out);
            out.push_str(if *operator == Binary::Until { " U" } else { " S" });
            bounds(interval, out);
            out.push(' ');
            write(right, Level::Until, out);
        }
        Kind::Aggregate { aggregate, comparison, bound, .. } => {
            let compared = format!("_{{{comparison}{bound}}}");
            match aggregate.as_ref() {
                Aggregate::Count { window, of } => one(&format!("C^{{{window}}}{compared}"), of, out),
                Aggregate::Average { window, step, of } => one(&format!("U^{{{window},{step}}}{compared}"), of, out),
                Aggregate::Maximum { window, step, of } => one(&format!("M^{{{window},{step}}}{compared}"), of, out),
                Aggregate::Gap { window, from, to } => {
                    fmt(out, format_args!("D^{{{window}}}{compared}{{("));
                    write(from, Level::Iff, out);
                    out.push_str(", ");
                    write(to, Level::Iff, out);
                    out.push_str(")}");
                }
            }
        }
    }
}

fn one(head: &str, of: &Formula, out: &mut String) {
    out.push_str(head);
    out.push('(');
    write(of, Level::Iff, out);
    out.push(')');
}

fn unary(operator: Unary) -> char {
    match operator {
        Unary::Always => 'G',
        Unary::Eventually => 'F',
        Unary::Historically => 'H',
        Unary::Once => 'P',
        Unary::Next => 'X',
        Unary::Previous => 'Y',
    }
}

/// Writes an interval, unless it was left out.
fn bounds(bounds: &Bounds, out: &mut String) {
    if *bounds == Bounds::POSITIVE {
        return;
    }
    let Bounds { lo, lo_closed, hi, hi_closed, .. } = bounds;
    fmt(out, format_args!("{}{lo},", if *lo_closed { '[' } else { '(' }));
    match hi {
        Some(hi) => fmt(out, format_args!("{hi}{}", if *hi_closed { ']' } else { ')' })),
        None => out.push_str("inf)"),
    }
}

fn fmt(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    out.write_fmt(arguments).expect("writing to a string cannot fail");
}
