// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes scenarios in Mermaid's notation.

use std::fmt::Write as _;

use super::scenario::{MessageRole, Scenario};
use super::text::DiagramNotation;

const NOTATION: DiagramNotation = DiagramNotation { arrow, colon: ": ", comma: ",", note: "Note over", escaped };

pub(super) fn write(scenario: &Scenario) -> String {
    let mut out = format!("sequenceDiagram\n  title {}\n", escaped(&scenario.title));
    for (index, name) in scenario.participants.iter().enumerate() {
        let _ = writeln!(out, "  participant p{index} as {}", escaped(name));
    }
    NOTATION.write(scenario, 1, &mut out);
    out
}

fn arrow(role: MessageRole) -> &'static str {
    match role {
        MessageRole::Must | MessageRole::Delimits => "->>",
        MessageRole::May => "-->>",
        MessageRole::MustNot => "-x",
    }
}

/// Escapes a text, so that it does not end the line, open a comment or read as a keyword.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '#' | ';' | '<' | '>' | '"' | '%' | '&' | '{' | '}' | '`' | '\\' => {
                let _ = write!(out, "#{};", u32::from(letter));
            }
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    // `end` closes a block wherever it stands alone.
    if out.trim().eq_ignore_ascii_case("end") { out.replacen(['e', 'E'], "#101;", 1) } else { out }
}
