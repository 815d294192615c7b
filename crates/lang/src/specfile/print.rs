// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints declarations, examples and blocks in a spelling that parses back to the same.

use gnomon_ir::spec::{
    EventDeclaration, ExampleArguments, ExampleEvent, ExternDeclaration, LogDeclaration, NameDeclaration, Options,
    Participant, Property, Spec, TimeDeclaration, UnmatchedLine,
};

use super::parse::is_statement;
use crate::syntax::print::{atom, condition, fmt, list, name, path, quoted, text, value};

/// Writes the declarations of time, names, the log, events and cases, one per line.
pub fn declarations(spec: &Spec) -> String {
    declarations_with(spec, true)
}

/// Writes the same declarations, without what each event stands for if that is the event of the same name.
pub fn plain_declarations(spec: &Spec) -> String {
    declarations_with(spec, false)
}

fn declarations_with(spec: &Spec, explicit: bool) -> String {
    let mut out = String::new();
    let TimeDeclaration { field, unit, format, zone, .. } = &spec.time;
    if field.is_some() || unit.is_some() || format.is_some() || zone.is_some() {
        out.push_str("time");
        if let Some(field) = field {
            out.push(' ');
            // `time in s` has no field.
            name(field, &|word| matches!(word, "in" | "as" | "zone"), &mut out);
        }
        out.push_str(&unit.map_or(String::new(), |unit| format!(" in {unit}")));
        for (word, part) in [(" as ", format), (" zone ", zone)] {
            if let Some((written, _)) = part {
                out.push_str(word);
                quoted(written, &mut out);
            }
        }
        out.push('\n');
    }
    match &spec.name {
        Some(NameDeclaration::Field(field, _)) => {
            out.push_str("name ");
            path(field, &mut out);
            out.push('\n');
        }
        Some(NameDeclaration::Template(template, _)) => {
            out.push_str("name ");
            quoted(template, &mut out);
            out.push('\n');
        }
        None => {}
    }
    if let Some(LogDeclaration { kind, pattern, unmatched, .. }) = &spec.log {
        fmt(&mut out, format_args!("log {}", kind.word()));
        if let Some(pattern) = pattern {
            out.push(' ');
            quoted(pattern, &mut out);
        }
        if *unmatched != UnmatchedLine::default() {
            fmt(&mut out, format_args!(" (unmatched {})", unmatched.word()));
        }
        out.push('\n');
    }
    for event in &spec.events {
        out.push_str(&declaration(event, explicit));
        out.push('\n');
    }
    for end in &spec.cases.ends {
        out.push_str("case ends with ");
        atom(end, &is_statement, &mut out);
        out.push('\n');
    }
    if let Some((expiry, _)) = spec.cases.expiry {
        fmt(&mut out, format_args!("case expires after {expiry}\n"));
    }
    out
}

/// Writes the declaration of an event on one line, without a line end, in a spelling that parses back to the same.
pub fn event(of: &EventDeclaration) -> String {
    declaration(of, false)
}

/// Writes the declaration of an event. An `explicit` one says what the event stands for even if that is the event of
/// the same name, and puts no name in quotes that could be read without.
fn declaration(of: &EventDeclaration, explicit: bool) -> String {
    let EventDeclaration { name: own, parameters, alternatives, participants, .. } = of;
    // A name that a formula must put in quotes is in quotes here too.
    let event_name = |event: &str, out: &mut String| name(event, &|word| !explicit && is_statement(word), out);
    let is_reserved = |word: &str| !explicit && (is_statement(word) || matches!(word, "as" | "from" | "to"));
    let mut out = "event ".to_owned();
    event_name(own, &mut out);
    if let Some(parameters) = parameters {
        list("(", parameters, ")", &mut out, |parameter, out| name(parameter, &is_reserved, out));
    }
    let stands_for_itself = matches!(alternatives.as_slice(), [only] if only.event == *own && only.condition.is_none() && only.renames.is_empty());
    let written = if stands_for_itself && !explicit { &[] } else { alternatives.as_slice() };
    for (index, alternative) in written.iter().enumerate() {
        out.push_str(if index == 0 { " = " } else { " | " });
        event_name(&alternative.event, &mut out);
        let renames = alternative.renames.iter().map(|(field, parameter)| {
            text(|item| {
                path(field, item);
                item.push_str(" as ");
                name(parameter, &is_reserved, item);
            })
        });
        let conditions = alternative.condition.iter().map(|of| text(|item| condition(of, &|_| false, item)));
        let items: Vec<String> = renames.chain(conditions).collect();
        if !items.is_empty() {
            fmt(&mut out, format_args!("[{}]", items.join(", ")));
        }
    }
    if let Some((from, to)) = participants {
        for (word, end) in [(" from ", from), (" to ", to)] {
            out.push_str(word);
            let (mark, end) = match end {
                Participant::Named(name) => ("", name),
                Participant::Field(field) => ("$", field),
            };
            out.push_str(mark);
            name(end, &is_reserved, &mut out);
        }
    }
    out
}

/// Writes the declaration of an external variable on one line, without a line end, in a spelling that parses back to
/// the same.
pub fn external(declaration: &ExternDeclaration) -> String {
    let ExternDeclaration { name: own, source, path, every, .. } = declaration;
    let mut out = "extern $".to_owned();
    name(own, &is_statement, &mut out);
    out.push_str(" from ");
    quoted(source, &mut out);
    if let Some(path) = path {
        out.push_str(" path ");
        quoted(path, &mut out);
    }
    out.push_str(&every.map_or(String::new(), |every| format!(" every {every}")));
    out
}

/// Writes the events of an example, as they stand between its braces.
///
/// ```
/// let (spec, _) = gnomon_lang::parse("pattern p { globally: absence of b } accepts p { a(1,\"x\")@3.c( n : 2 ) }");
/// let gnomon_ir::spec::ExampleTrace::Events(events) = &spec.examples[0].trace else { unreachable!() };
/// assert_eq!(gnomon_lang::print_example(events), "a(1, \"x\")@3. c(n: 2)");
/// ```
pub fn example(events: &[ExampleEvent]) -> String {
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
        out.push_str(&event.time.map_or(String::new(), |time| format!("@{time}")));
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
    let critical = critical.then(|| "critical".to_owned());
    let severity = severity.map(|severity| format!("severity {}", severity.word()));
    let simultaneous = simultaneous.map(|choice| format!("simultaneous {}", choice.word()));
    let own = own.iter().map(|option| (*option).to_owned());
    let options: Vec<String> = critical.into_iter().chain(severity).chain(simultaneous).chain(own).collect();
    if !options.is_empty() {
        fmt(&mut out, format_args!(" ({})", options.join(", ")));
    }
    fmt(&mut out, format_args!(" {{{body}}}\n"));
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn declarations_read_back_as_the_same() {
        let lines = [
            "event next(i)",
            "event open",
            "event none()",
            "event \"time\"(\"from\", x)",
            "event \"a b\"(\"c d\") from \"e f\" to $\"g h\"",
            "event create(c, i) = \"Unsafe Map\"[map as c, it/0/@id as i] | iterator[coll as c, it as i, n > 3 || !(m = \"x\")]",
            "event start = job[EventType = \"start\"] from client to $host",
            "event other = this | that",
            "event itself = itself[n = 1]",
        ];
        for line in lines {
            let (spec, diagnostics) = crate::parse(line);
            assert_eq!(diagnostics, [], "{line}");
            assert_eq!(crate::print_event(&spec.events[0]), line);
        }
    }
}
