// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes scenarios as text. The notations have the same blocks and order; arrows and escapes differ.

use std::fmt::Write as _;

use super::scenario::{MessageRole, Scenario, ScenarioItem, ScenarioMessage};

/// The differences between text notations.
pub(super) struct DiagramNotation {
    /// The arrow of a message, with the spaces around it.
    pub(super) arrow: fn(MessageRole) -> &'static str,
    /// The separators before a text, and between two participants.
    pub(super) colon: &'static str,
    pub(super) comma: &'static str,
    /// The keyword of a note.
    pub(super) note: &'static str,
    /// Escapes a text.
    pub(super) escaped: fn(&str) -> String,
}

impl DiagramNotation {
    /// Writes the items of a scenario with this indentation.
    pub(super) fn write(&self, scenario: &Scenario, depth: usize, out: &mut String) {
        let last = scenario.participants.len().saturating_sub(1);
        let all = if last == 0 { "p0".to_owned() } else { format!("p0{}p{last}", self.comma) };
        self.items(&scenario.items, depth, &all, out);
    }

    fn items(&self, items: &[ScenarioItem], depth: usize, all: &str, out: &mut String) {
        let DiagramNotation { arrow, colon, note, escaped, .. } = self;
        let indent = "  ".repeat(depth);
        for item in items {
            let _ = match item {
                ScenarioItem::Message(ScenarioMessage { from, to, label, role }) => {
                    let (arrow, word) = (arrow(*role), role.word());
                    writeln!(out, "{indent}p{from}{arrow}p{to}{colon}{word}{}", escaped(label))
                }
                ScenarioItem::Block(block, inner) => {
                    let _ = writeln!(out, "{indent}{} {}", block.word(), escaped(block.title()));
                    self.items(inner, depth + 1, all, out);
                    writeln!(out, "{indent}end")
                }
                ScenarioItem::Note(text) => writeln!(out, "{indent}{note} {all}{colon}{}", escaped(text)),
            };
        }
    }
}
