// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names, atoms, conditions and declarations in the spelling that reads back as the same.

use std::fmt::Write as _;

use gnomon_core::value::{Value, write_quoted};
use gnomon_core::verdict::Simultaneous;
use gnomon_ir::formula::Bounds;
use gnomon_ir::pattern::{Argument, Atom, Condition, Path};
use gnomon_ir::spec::{
    EventDeclaration, ExampleArguments, ExampleEvent, Importance, Options, Participant, Property, Spec, TimeDeclaration,
};

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
        field_condition(of, &|_| false, out);
    }
}

/// Writes the condition of an atom, in its brackets.
pub(crate) fn field_condition(of: &Condition, reserved: &dyn Fn(&str) -> bool, out: &mut String) {
    out.push('[');
    condition(of, 0, reserved, out);
    out.push(']');
}

/// Writes a literal.
pub(crate) fn value(value: &Value<'_>, out: &mut String) {
    write!(out, "{value}").expect("writing to a string cannot fail");
}

/// Writes a text in quotes.
pub(crate) fn quoted(text: &str, out: &mut String) {
    write_quoted(out, text).expect("writing to a string cannot fail");
}

/// Writes a condition; `level` is 0 where any may stand, 1 under `||`, 2 under `&&`, 3 right of `&&` and under `!`.
pub(super) fn condition(of: &Condition, level: u8, reserved: &dyn Fn(&str) -> bool, out: &mut String) {
    let own = match of {
        Condition::Or(..) => 0,
        Condition::And(..) => 2,
        Condition::Compare(..) | Condition::Not(_) => 4,
    };
    if own < level {
        out.push('(');
        condition(of, 0, reserved, out);
        out.push(')');
        return;
    }
    match of {
        Condition::Compare(field, comparison, literal) => {
            path_in(field, reserved, out);
            write!(out, " {comparison} ").expect("writing to a string cannot fail");
            value(literal, out);
        }
        Condition::Not(of) => {
            out.push('!');
            // `!a = 1` would read back right, but not to a person.
            condition(of, if matches!(**of, Condition::Not(_)) { 4 } else { 5 }, reserved, out);
        }
        Condition::And(left, right) => {
            condition(left, 2, reserved, out);
            out.push_str(" && ");
            condition(right, 3, reserved, out);
        }
        Condition::Or(left, right) => {
            condition(left, 0, reserved, out);
            out.push_str(" || ");
            condition(right, 1, reserved, out);
        }
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

/// Writes the name of a field; that of an attribute begins with `@`.
pub(crate) fn field(of: &str, reserved: &dyn Fn(&str) -> bool, out: &mut String) {
    match of.strip_prefix('@').filter(|rest| is_word(rest) && is_whole(rest) && !reserved(rest)) {
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
    let written = match hi {
        Some(hi) => write!(out, "{opening}{lo},{hi}{}", if *hi_closed { ']' } else { ')' }),
        None => write!(out, "{opening}{lo},inf)"),
    };
    written.expect("writing to a string cannot fail");
}

/// Writes the declarations of time and events, one a line.
pub(crate) fn declarations(spec: &Spec) -> String {
    let mut out = String::new();
    let TimeDeclaration { field, unit, .. } = &spec.time;
    if field.is_some() || unit.is_some() {
        out.push_str("time");
        if let Some(field) = field {
            out.push(' ');
            // `time in s` has no field.
            name(field, &|word| word == "in", &mut out);
        }
        out.push_str(&unit.map_or(String::new(), |unit| format!(" in {unit}")));
        out.push('\n');
    }
    spec.events.iter().for_each(|declaration| event(declaration, &mut out));
    out
}

fn event(declaration: &EventDeclaration, out: &mut String) {
    let EventDeclaration { name: own, parameters, alternatives, participants, .. } = declaration;
    out.push_str("event ");
    name(own, &|_| false, out);
    if let Some(parameters) = parameters {
        list("(", parameters, ")", out, |parameter, out| name(parameter, &|_| false, out));
    }
    for (index, alternative) in alternatives.iter().enumerate() {
        out.push_str(if index == 0 { " = " } else { " | " });
        name(&alternative.event, &|_| false, out);
        let renames = alternative.renames.iter().map(Item::Rename);
        let items: Vec<Item<'_>> = renames.chain(alternative.condition.iter().map(Item::Condition)).collect();
        if !items.is_empty() {
            list("[", &items, "]", out, item);
        }
    }
    if let Some((from, to)) = participants {
        out.push_str(" from ");
        participant(from, out);
        out.push_str(" to ");
        participant(to, out);
    }
    out.push('\n');
}

enum Item<'d> {
    Rename(&'d (Path, String)),
    Condition(&'d Condition),
}

fn item(item: &Item<'_>, out: &mut String) {
    match item {
        Item::Condition(of) => condition(of, 0, &|_| false, out),
        Item::Rename((field, parameter)) => {
            path(field, out);
            out.push_str(" as ");
            name(parameter, &|_| false, out);
        }
    }
}

fn list<T>(opening: &str, items: &[T], closing: &str, out: &mut String, write: impl Fn(&T, &mut String)) {
    out.push_str(opening);
    for (index, item) in items.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        write(item, out);
    }
    out.push_str(closing);
}

fn participant(participant: &Participant, out: &mut String) {
    match participant {
        Participant::Named(named) => name(named, &|_| false, out),
        Participant::Field(field) => {
            out.push('$');
            name(field, &|_| false, out);
        }
    }
}

/// Writes the events of an example, as they stand between its braces.
pub(crate) fn example(events: &[ExampleEvent]) -> String {
    let mut out = String::new();
    for (index, event) in events.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { ". " });
        name(&event.name, &|_| false, &mut out);
        match &event.arguments {
            ExampleArguments::Positional(values) if values.is_empty() => {}
            ExampleArguments::Positional(values) => list("(", values, ")", &mut out, value),
            ExampleArguments::Named(fields) => list("(", fields, ")", &mut out, |(field, of), out| {
                name(field, &|_| false, out);
                out.push_str(": ");
                value(of, out);
            }),
        }
        if let Some(time) = event.time {
            write!(out, "@{time}").expect("writing to a string cannot fail");
        }
    }
    out
}

/// Writes a property as a block around the text of its body; `own` are the options that only its language has.
pub(crate) fn block(property: &Property, own: &[&'static str], body: &str) -> String {
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
    let options: Vec<&str> = options.into_iter().flatten().chain(own.iter().copied()).collect();
    if !options.is_empty() {
        write!(out, " ({})", options.join(", ")).expect("writing to a string cannot fail");
    }
    writeln!(out, " {{{body}}}").expect("writing to a string cannot fail");
    out
}
