// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the attributes and elements of an element, and the values of attributes.

use gnomon_core::{Diagnostic, Span};

use super::xml::{XmlElement, XmlText};
use crate::syntax::{Diagnostics, nearest, suggest, table};

impl XmlElement {
    /// Returns the attributes of these names; any other is reported, unless it belongs to XML itself or to another
    /// namespace.
    pub(super) fn attributes<const N: usize>(
        &self,
        report: &mut Diagnostics,
        names: [&'static str; N],
    ) -> [Option<&XmlText>; N] {
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
            report.add(suggest(diagnostic, attribute.name_span, nearest(name, names), "leave it out"));
        }
        found
    }

    /// Returns the child elements, which must have one of these names. Others, and text between them, are reported.
    pub(super) fn elements(&self, report: &mut Diagnostics, names: &[&str]) -> Vec<&XmlElement> {
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

    /// Returns the child elements of an element without attributes.
    pub(super) fn bare_elements(&self, report: &mut Diagnostics, names: &[&str]) -> Vec<&XmlElement> {
        let [] = self.attributes(report, []);
        self.elements(report, names)
    }

    /// Returns the attributes of an element without content.
    pub(super) fn leaf_attributes<const N: usize>(
        &self,
        report: &mut Diagnostics,
        names: [&'static str; N],
    ) -> [Option<&XmlText>; N] {
        let attributes = self.attributes(report, names);
        self.elements(report, &[]);
        attributes
    }

    /// Returns the only child element of a name. A missing or second one is reported.
    pub(super) fn one(&self, report: &mut Diagnostics, name: &'static str, help: &str) -> Option<&XmlElement> {
        let mut all = self.children.iter().filter(|child| child.name == name);
        let Some(first) = all.next() else {
            let own = &self.name;
            report.add(
                misplaced(self.tag, format!("this `<{own}>` has no `<{name}>`")).label("one is expected").help(help),
            );
            return None;
        };
        if let Some(second) = all.next() {
            let diagnostic = misplaced(second.name_span, format!("`<{name}>` occurs twice")).label("again here");
            report.add(diagnostic.also(first.name_span, "here first").help("leave one of them out"));
        }
        Some(first)
    }

    /// Reports a missing attribute that is required.
    pub(super) fn needed<'e>(
        &self,
        report: &mut Diagnostics,
        name: &str,
        value: Option<&'e XmlText>,
    ) -> Option<&'e XmlText> {
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

/// Returns the diagnostic about an element or attribute that cannot stand where it does.
pub(super) fn misplaced(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("G0124", span, message)
}

fn listed(names: impl IntoIterator<Item = impl std::fmt::Display>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Returns the meaning of an attribute's value, which must be one of these words.
pub(super) fn choice<T: Copy>(report: &mut Diagnostics, text: &XmlText, choices: &[(&'static str, T)]) -> Option<T> {
    let word = text.value.trim();
    if let Some(choice) = table::lookup(choices, word) {
        return Some(choice);
    }
    let words = choices.iter().map(|(known, _)| *known);
    let diagnostic = Diagnostic::error("G0126", text.span, format!("`{word}` is not a value here"))
        .label(format!("known are {}", listed(words.clone())));
    let meant = table::lookup_spelling(OTHER_WORDS, &word.to_lowercase())
        .filter(|meant| words.clone().any(|known| known == *meant));
    report.add(suggest(diagnostic, text.span, meant.or_else(|| nearest(word, words)), "write one of them"));
    None
}

/// Other words that people write, by their right spelling.
const OTHER_WORDS: &[(&str, &[&str])] = &[
    ("true", &["yes", "p", "permission", "permitted"]),
    ("false", &["no", "f", "prohibition", "prohibited"]),
    ("start", &["begin"]),
    ("done", &["end", "complete"]),
    ("any", &["all"]),
    ("text", &["string"]),
    ("number", &["integer", "decimal"]),
    ("equal", &["=="]),
    ("less", &["lt"]),
    ("at-most", &["le"]),
    ("greater", &["gt"]),
    ("at-least", &["ge"]),
];

/// `true` or `false`, as schemas spell them.
pub(super) const BOOLEANS: &[(&str, bool)] = &[("true", true), ("false", false), ("1", true), ("0", false)];
