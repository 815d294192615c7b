// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event declarations in the spelling that reads back as the same.

use gnomon_ir::spec::{Alternative, EventDeclaration, Participant};

use super::parse::is_statement;
use super::print;

/// Writes a declaration, on one line without its end.
pub(crate) fn print(declaration: &EventDeclaration) -> String {
    let EventDeclaration { name, parameters, alternatives, participants, .. } = declaration;
    let mut out = "event ".to_owned();
    event_name(name, &mut out);
    if let Some(parameters) = parameters {
        out.push('(');
        for (index, parameter) in parameters.iter().enumerate() {
            out.push_str(if index == 0 { "" } else { ", " });
            word(parameter, &mut out);
        }
        out.push(')');
    }
    if !stands_for_itself(name, alternatives) {
        for (index, of) in alternatives.iter().enumerate() {
            out.push_str(if index == 0 { " = " } else { " | " });
            alternative(of, &mut out);
        }
    }
    if let Some((sender, receiver)) = participants {
        out.push_str(" from ");
        participant(sender, &mut out);
        out.push_str(" to ");
        participant(receiver, &mut out);
    }
    out
}

/// Whether what stands behind a name is the event of that name, as without a word about it.
fn stands_for_itself(name: &str, alternatives: &[Alternative]) -> bool {
    matches!(alternatives, [only] if only.event == name && only.condition.is_none() && only.renames.is_empty())
}

fn alternative(of: &Alternative, out: &mut String) {
    event_name(&of.event, out);
    if of.condition.is_none() && of.renames.is_empty() {
        return;
    }
    out.push('[');
    for (index, (field, parameter)) in of.renames.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        print::path(field, out);
        out.push_str(" as ");
        word(parameter, out);
    }
    if let Some(condition) = &of.condition {
        out.push_str(if of.renames.is_empty() { "" } else { ", " });
        print::condition(condition, 0, &|_| false, out);
    }
    out.push(']');
}

fn participant(of: &Participant, out: &mut String) {
    match of {
        Participant::Named(name) => word(name, out),
        Participant::Field(name) => {
            out.push('$');
            word(name, out);
        }
    }
}

/// A name that a formula must put in quotes is in quotes here too.
fn event_name(name: &str, out: &mut String) {
    print::name(name, &is_statement, out);
}

fn word(name: &str, out: &mut String) {
    print::name(name, &|word| is_statement(word) || matches!(word, "as" | "from" | "to"), out);
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
