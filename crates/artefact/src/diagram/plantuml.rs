// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes scenarios in the notation of `PlantUML`.

use std::fmt::Write as _;

use super::scenario::{MessageRole, Scenario};
use super::text::DiagramNotation;

const NOTATION: DiagramNotation = DiagramNotation { arrow, colon: " : ", comma: ", ", note: "note over", escaped };

pub(super) fn write(scenario: &Scenario) -> String {
    let mut out = format!("@startuml\ntitle {}\n", escaped(&scenario.title));
    for (index, name) in scenario.participants.iter().enumerate() {
        let _ = writeln!(out, "participant \"{}\" as p{index}", escaped(name));
    }
    NOTATION.write(scenario, 0, &mut out);
    out.push_str("@enduml\n");
    out
}

fn arrow(role: MessageRole) -> &'static str {
    match role {
        MessageRole::Delimits => " -[#blue]> ",
        MessageRole::May => " --> ",
        MessageRole::Must => " -[#green]> ",
        MessageRole::MustNot => " -[#red]>x ",
    }
}

/// Escapes the markup of `PlantUML` in a text: quotes, escapes, and doubled punctuation.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    for letter in text.chars() {
        let twice = letter == before && letter.is_ascii_punctuation();
        match letter {
            letter if twice || matches!(letter, '"' | '\\' | '<' | '>' | '~' | '#' | '|' | '`') => {
                let _ = write!(out, "<U+{:04X}>", u32::from(letter));
            }
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
        before = letter;
    }
    out
}
