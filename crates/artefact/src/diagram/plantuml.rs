// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenarios in the notation of `PlantUML`.

use std::fmt::Write as _;

use super::scenario::{Role, Scenario};
use super::text::Notation;

const NOTATION: Notation = Notation { arrow, colon: " : ", comma: ", ", note: "note over", escaped };

pub(super) fn write(scenario: &Scenario) -> String {
    let mut out = format!("@startuml\ntitle {}\n", escaped(&scenario.title));
    for (index, name) in scenario.participants.iter().enumerate() {
        let _ = writeln!(out, "participant \"{}\" as p{index}", escaped(name));
    }
    NOTATION.write(scenario, 0, &mut out);
    out.push_str("@enduml\n");
    out
}

fn arrow(role: Role) -> &'static str {
    match role {
        Role::Delimits => " -[#blue]> ",
        Role::May => " --> ",
        Role::Must => " -[#green]> ",
        Role::MustNot => " -[#red]>x ",
    }
}

/// A text without what `PlantUML` takes for markup: quotes, escapes, and signs that stand twice.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    for letter in text.chars() {
        let twice = letter == before && letter.is_ascii_punctuation();
        match letter {
            '"' | '\\' | '<' | '>' | '~' | '#' | '|' | '`' => {
                let _ = write!(out, "<U+{:04X}>", u32::from(letter));
            }
            letter if twice => {
                let _ = write!(out, "<U+{:04X}>", u32::from(letter));
            }
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
        before = letter;
    }
    out
}
