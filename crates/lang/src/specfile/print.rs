// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names, atoms and conditions in the spelling that reads back as the same.

use std::fmt::Write as _;

use gnomon_core::value::{Value, write_quoted};
use gnomon_core::verdict::Simultaneous;
use gnomon_ir::pattern::{Argument, Atom, Condition, Path};
use gnomon_ir::spec::{Importance, Options, Property};

use super::lexer::{is_whole, is_word};

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
    name(&atom.name, reserved, out);
    if let Some(arguments) = &atom.arguments {
        out.push('(');
        for (index, argument) in arguments.iter().enumerate() {
            out.push_str(if index == 0 { "" } else { ", " });
            match argument {
                Argument::Any => out.push('_'),
                Argument::Literal(literal) => value(literal, out),
                Argument::Variable(variable) => out.push_str(&variable.name),
            }
        }
        out.push(')');
    }
    if let Some(of) = &atom.condition {
        out.push('[');
        condition(of, 0, out);
        out.push(']');
    }
}

fn value(value: &Value<'_>, out: &mut String) {
    write!(out, "{value}").expect("writing to a string cannot fail");
}

fn quoted(text: &str, out: &mut String) {
    write_quoted(out, text).expect("writing to a string cannot fail");
}

/// Writes a condition; `level` is 0 where any may stand, 1 under `||`, 2 under `&&`, 3 right of `&&` and under `!`.
fn condition(of: &Condition, level: u8, out: &mut String) {
    let own = match of {
        Condition::Or(..) => 0,
        Condition::And(..) => 2,
        Condition::Compare(..) | Condition::Not(_) => 4,
    };
    if own < level {
        out.push('(');
        condition(of, 0, out);
        out.push(')');
        return;
    }
    match of {
        Condition::Compare(field, comparison, literal) => {
            path(field, out);
            write!(out, " {comparison} ").expect("writing to a string cannot fail");
            value(literal, out);
        }
        Condition::Not(of) => {
            out.push('!');
            // `!a = 1` would read back right, but not to a person.
            condition(of, if matches!(**of, Condition::Not(_)) { 4 } else { 5 }, out);
        }
        Condition::And(left, right) => pair(left, 2, " && ", right, 3, out),
        Condition::Or(left, right) => pair(left, 0, " || ", right, 1, out),
    }
}

fn pair(left: &Condition, left_level: u8, operator: &str, right: &Condition, right_level: u8, out: &mut String) {
    condition(left, left_level, out);
    out.push_str(operator);
    condition(right, right_level, out);
}

/// Writes a field, or a path into one.
pub(crate) fn path(path: &Path, out: &mut String) {
    name(&path.field, &|_| false, out);
    for step in &path.steps {
        out.push('/');
        if !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit()) {
            out.push_str(step);
        } else {
            name(step, &|_| false, out);
        }
    }
}

/// Writes a property as a block around the text of its body.
pub(crate) fn block(property: &Property, body: &str) -> String {
    let mut out = format!("{} ", property.language.word());
    name(&property.name, &|_| false, &mut out);
    if let Some(title) = &property.title {
        out.push(' ');
        quoted(title, &mut out);
    }
    let Options { critical, severity, simultaneous } = &property.options;
    let options = [
        critical.then_some("critical"),
        severity.map(|severity| match severity {
            Importance::Low => "severity low",
            Importance::Medium => "severity medium",
            Importance::High => "severity high",
        }),
        simultaneous.map(|simultaneous| match simultaneous {
            Simultaneous::Merge => "simultaneous merge",
            Simultaneous::Sequence => "simultaneous sequence",
        }),
    ];
    let options: Vec<&str> = options.into_iter().flatten().collect();
    if !options.is_empty() {
        write!(out, " ({})", options.join(", ")).expect("writing to a string cannot fail");
    }
    writeln!(out, " {{{body}}}").expect("writing to a string cannot fail");
    out
}
