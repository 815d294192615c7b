// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which attributes and elements may stand where, and what their values may be.

use gnomon_core::diagnostic::Diagnostic;

use super::report::{Report, misplaced};
use super::xml::{Element, Text};
use crate::specfile::similar::nearest;

impl Element {
    /// The attributes of these names; any other is reported, unless it belongs to XML itself or to another namespace.
    pub(super) fn known<const N: usize>(&self, report: &mut Report, names: [&'static str; N]) -> [Option<&Text>; N] {
        let mut found = [None; N];
        for attribute in &self.attributes {
            let name = attribute.name.as_str();
            if let Some(place) = names.iter().position(|known| *known == name) {
                found[place] = Some(&attribute.value);
                continue;
            }
            if name == "xmlns" || name.contains(':') {
                continue;
            }
            let element = &self.name;
            let diagnostic =
                misplaced(attribute.name_span, format!("`<{element}>` has no attribute `{name}`")).label(if N == 0 {
                    "no attribute is expected here".to_owned()
                } else {
                    format!("known are {}", listed(names))
                });
            report.add(match nearest(name, names) {
                Some(meant) => diagnostic.edit(format!("write `{meant}`"), attribute.name_span, meant),
                None => diagnostic.help("leave it out"),
            });
        }
        found
    }

    /// The elements in it, which must have one of these names; others, and text between them, are reported.
    pub(super) fn elements(&self, report: &mut Report, names: &[&str]) -> Vec<&Element> {
        if !self.text.value.is_empty() {
            let name = &self.name;
            report.add(
                misplaced(self.text.span, format!("there is text in `<{name}>`"))
                    .label("only elements are expected here")
                    .help("leave it out, or write it as a comment: `<!-- ... -->`"),
            );
        }
        for child in self.children.iter().filter(|child| !names.contains(&child.name.as_str())) {
            let (name, inside) = (&self.name, &child.name);
            let diagnostic = misplaced(child.name_span, format!("`<{name}>` has no `<{inside}>` in it"));
            let diagnostic = diagnostic.label(if names.is_empty() {
                "no element is expected here".to_owned()
            } else {
                format!("known are {}", listed(names.iter().map(|known| format!("<{known}>"))))
            });
            report.add(match nearest(inside, names.iter().copied()) {
                // The end tag would have to change with it.
                Some(meant) => diagnostic.help(format!("write `<{meant}>`")),
                None => diagnostic.help("leave it out"),
            });
        }
        self.children.iter().filter(|child| names.contains(&child.name.as_str())).collect()
    }

    /// Reports whatever is in it.
    pub(super) fn nothing_inside(&self, report: &mut Report) {
        self.elements(report, &[]);
    }

    /// The only element of a name; that it is missing or there twice is reported.
    pub(super) fn one(&self, report: &mut Report, name: &'static str, help: &str) -> Option<&Element> {
        let mut all = self.children.iter().filter(|child| child.name == name);
        let Some(first) = all.next() else {
            let own = &self.name;
            report.add(
                misplaced(self.tag, format!("this `<{own}>` has no `<{name}>`")).label("one is expected").help(help),
            );
            return None;
        };
        if let Some(second) = all.next() {
            report.add(
                misplaced(second.name_span, format!("`<{name}>` is there twice"))
                    .label("again here")
                    .also(first.name_span, "here first")
                    .help("leave one of them out"),
            );
        }
        Some(first)
    }

    /// An attribute that must be there and say something.
    pub(super) fn needed<'e>(&self, report: &mut Report, name: &str, value: Option<&'e Text>) -> Option<&'e Text> {
        if value.is_none() {
            let own = &self.name;
            report.add(
                misplaced(self.tag, format!("this `<{own}>` has no `{name}`"))
                    .label(format!("`{name}=\"...\"` is expected"))
                    .help(format!("write `<{own} {name}=\"...\">`")),
            );
        }
        value
    }
}

fn listed(names: impl IntoIterator<Item = impl std::fmt::Display>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// One of the words that an attribute may have.
pub(super) fn choice<T: Copy>(report: &mut Report, text: &Text, choices: &[(&'static str, T)]) -> Option<T> {
    let word = text.value.trim();
    if let Some((_, choice)) = choices.iter().find(|(known, _)| *known == word) {
        return Some(*choice);
    }
    let words = choices.iter().map(|(known, _)| *known);
    let diagnostic = Diagnostic::error("G0126", text.span, format!("`{word}` is no value here"))
        .label(format!("known are {}", listed(words.clone())));
    let other = OTHER_WORDS.iter().find(|(other, _)| *other == word.to_lowercase()).map(|(_, meant)| *meant);
    let meant = other.filter(|meant| words.clone().any(|known| known == *meant));
    report.add(match meant.or_else(|| nearest(word, words)) {
        Some(meant) => diagnostic.edit(format!("write `{meant}`"), text.span, meant),
        None => diagnostic.help("write one of them"),
    });
    None
}

/// What people write, and what they mean.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("yes", "true"),
    ("p", "true"),
    ("permission", "true"),
    ("permitted", "true"),
    ("no", "false"),
    ("f", "false"),
    ("prohibition", "false"),
    ("prohibited", "false"),
    ("begin", "start"),
    ("end", "done"),
    ("complete", "done"),
    ("all", "any"),
    ("string", "text"),
    ("integer", "number"),
    ("decimal", "number"),
    ("==", "equal"),
    ("lt", "less"),
    ("le", "at-most"),
    ("gt", "greater"),
    ("ge", "at-least"),
];

/// `true` or `false`, as schemas spell them.
pub(super) const BOOLEANS: &[(&str, bool)] = &[("true", true), ("false", false), ("1", true), ("0", false)];
