// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenarios as text. The notations agree on blocks and on the order of things; each has its own arrows and its own escapes.

use std::fmt::Write as _;

use super::scenario::{Item, Message, Role, Scenario};

/// How a notation writes what differs.
pub(super) struct Notation {
    /// The arrow of a message, with the spaces around it.
    pub(super) arrow: fn(Role) -> &'static str,
    /// What stands before a text, and between two participants.
    pub(super) colon: &'static str,
    pub(super) comma: &'static str,
    /// `note over`, in its spelling.
    pub(super) note: &'static str,
    /// A text that breaks nothing.
    pub(super) escaped: fn(&str) -> String,
}

impl Notation {
    /// Writes what happens, indented this deep.
    pub(super) fn write(&self, scenario: &Scenario, depth: usize, out: &mut String) {
        let last = scenario.participants.len().saturating_sub(1);
        let all = if last == 0 { "p0".to_owned() } else { format!("p0{}p{last}", self.comma) };
        self.items(&scenario.items, depth, &all, out);
    }

    fn items(&self, items: &[Item], depth: usize, all: &str, out: &mut String) {
        let Notation { arrow, colon, note, escaped, .. } = self;
        let indent = "  ".repeat(depth);
        for item in items {
            let _ = match item {
                Item::Message(Message { from, to, label, role }) => {
                    let (arrow, word) = (arrow(*role), role.word());
                    writeln!(out, "{indent}p{from}{arrow}p{to}{colon}{word}{}", escaped(label))
                }
                Item::Block(block, inner) => {
                    let _ = writeln!(out, "{indent}{} {}", block.word(), escaped(block.title()));
                    self.items(inner, depth + 1, all, out);
                    writeln!(out, "{indent}end")
                }
                Item::Note(text) => writeln!(out, "{indent}{note} {all}{colon}{}", escaped(text)),
            };
        }
    }
}
