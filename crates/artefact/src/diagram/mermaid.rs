// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenarios in Mermaid's notation.

use std::fmt::Write as _;

use super::scenario::{Role, Scenario};
use super::text::Notation;

const NOTATION: Notation = Notation { arrow, colon: ": ", comma: ",", note: "Note over", escaped };

pub(super) fn write(scenario: &Scenario) -> String {
    let mut out = format!("sequenceDiagram\n  title {}\n", escaped(&scenario.title));
    for (index, name) in scenario.participants.iter().enumerate() {
        let _ = writeln!(out, "  participant p{index} as {}", escaped(name));
    }
    NOTATION.write(scenario, 1, &mut out);
    out
}

fn arrow(role: Role) -> &'static str {
    match role {
        Role::Must | Role::Delimits => "->>",
        Role::May => "-->>",
        Role::MustNot => "-x",
    }
}

/// A text that ends no line, opens no comment and is no word of Mermaid's.
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
