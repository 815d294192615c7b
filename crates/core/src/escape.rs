// SPDX-License-Identifier: MIT OR Apache-2.0
//! Escaping of text for XML, pages and JSON.

use std::fmt::Write as _;

/// The part of a document that a text is written into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum XmlContext {
    /// Between the tags of XML that is read without the blanks at the ends of a text: those are written as references.
    Content,
    /// In the double quotes of an attribute, where a reader turns line breaks and tabs into spaces: they are written as references.
    Attribute,
    /// Between the tags or in an attribute of a page, a drawing or a report: line breaks and tabs stay.
    Page,
}

/// Writes a text for XML. Characters that XML cannot carry are replaced; returns the last of them.
pub fn write_xml(out: &mut String, text: &str, place: XmlContext) -> Option<char> {
    const BLANK: [char; 4] = [' ', '\n', '\t', '\r'];
    let inner_start = text.len() - text.trim_start_matches(BLANK).len();
    let inner_end = text.trim_end_matches(BLANK).len();
    let mut replaced = None;
    for (at, character) in text.char_indices() {
        let is_reference = match character {
            '\r' => place != XmlContext::Page,
            '\n' | '\t' if place == XmlContext::Attribute => true,
            ' ' | '\n' | '\t' => place == XmlContext::Content && !(inner_start..inner_end).contains(&at),
            _ => false,
        };
        match character {
            _ if is_reference => {
                let _ = write!(out, "&#{};", u32::from(character));
            }
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if place != XmlContext::Content => out.push_str("&quot;"),
            '\n' | '\t' => out.push(character),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                out.push(char::REPLACEMENT_CHARACTER);
                replaced = Some(character);
            }
            other => out.push(other),
        }
    }
    replaced
}

/// Returns a text as a page, a drawing or a report carries it.
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    write_xml(&mut out, text, XmlContext::Page);
    out
}

/// Writes a text as a string of JSON, in quotes.
pub fn write_json(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

/// Returns a text as a string of JSON, in quotes.
pub fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_json(&mut out, text);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(place: XmlContext, text: &str, expected: &str, replaced: Option<char>) {
        let mut out = String::new();
        assert_eq!((write_xml(&mut out, text, place), out.as_str()), (replaced, expected), "{text:?}");
    }

    #[test]
    fn pages_keep_line_breaks_and_lose_control_characters() {
        assert_eq!(xml("a<b & \"c\">\u{1}\u{ffff}é\n\r"), "a&lt;b &amp; &quot;c&quot;&gt;\u{fffd}\u{fffd}é\n\u{fffd}");
        assert_eq!(xml("it's\t "), "it's\t ");
    }

    #[test]
    fn blanks_of_content_and_attributes_survive_a_reader() {
        check(XmlContext::Content, " a\nb \"c\"\r\t", "&#32;a\nb \"c\"&#13;&#9;", None);
        check(XmlContext::Content, " \n ", "&#32;&#10;&#32;", None);
        check(XmlContext::Attribute, " a\nb\t\"c\"\r", " a&#10;b&#9;&quot;c&quot;&#13;", None);
        check(XmlContext::Attribute, "a\u{1}b\u{fffe}c", "a\u{fffd}b\u{fffd}c", Some('\u{fffe}'));
    }

    #[test]
    fn strings_of_json_are_quoted() {
        assert_eq!(json("a\"b\\\n\u{1}é"), "\"a\\\"b\\\\\\n\\u0001é\"");
    }
}
