// SPDX-License-Identifier: MIT OR Apache-2.0
//! Suggests declarations for a log of no usual format, by its first line.
//!
//! Example: `[2026-11-16T11:42:09.123][info][gc] Using G1` gives `log text "[{time}][{level}][{source}] {event}"`.

mod common_parts;

use std::fmt;

use gnomon_scan::ByteRange;
use memchr::{memchr, memchr2};

use self::common_parts::{CommonParts, common_parts};
use super::pattern::TextPattern;
use super::preset::is_level;
use crate::advice::{likely_name, name_declaration};
use crate::dates::{guess_notation, leading_date_blanks};

/// Declarations that read a line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Suggestion {
    /// The pattern of the line.
    pattern: String,
    /// The rest of the declaration of the time, such as `in s`.
    time: Option<String>,
    /// The declaration of the names of events, if the pattern has no part of this name.
    name: Option<String>,
}

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`log text \"{}\"`", self.pattern.replace('\\', "\\\\").replace('"', "\\\""))?;
        if let Some(time) = &self.time {
            write!(f, " and `time {time}`")?;
        }
        if let Some(name) = &self.name {
            write!(f, " and `{name}`")?;
        }
        Ok(())
    }
}

/// Suggests a pattern for a line with a time or a level among its first words: `{time} {level} [{source}] {event}`.
pub(crate) fn suggest(line: &[u8]) -> Option<Suggestion> {
    let line = line.split(|byte| *byte == b'\n').next()?.trim_ascii();
    suggest_from_start(line).or_else(|| suggest_behind_words(line))
}

/// Suggests a pattern by the line `#Fields: date time c-ip cs-method` of a log in the W3C format, or `#fields` of Zeek.
pub(super) fn suggest_by_fields(head: &[u8]) -> Option<Suggestion> {
    let fields = head.split(|byte| *byte == b'\n').find_map(|line| {
        let line = line.trim_ascii();
        let start = line.get(..7).filter(|start| start.eq_ignore_ascii_case(b"#Fields"))?;
        str::from_utf8(line[start.len()..].strip_prefix(b":").unwrap_or(&line[start.len()..])).ok()
    })?;
    let mut names: Vec<&str> = Vec::new();
    for field in fields.split_ascii_whitespace() {
        let is_known = names.contains(&field) || field.contains(['{', '}']);
        match names.last_mut() {
            Some(last) if *last == "date" && field == "time" => *last = "time",
            _ => names.push(if is_known { "_" } else { field }),
        }
    }
    let name = likely_name(&names)?;
    let name = Some(name).filter(|name| *name != "event" && *name != "name").map(name_declaration);
    let holes: Vec<String> = names.iter().map(|name| format!("{{{name}}}")).collect();
    Some(Suggestion { pattern: holes.join(" "), time: None, name })
}

/// Suggests a pattern that skips the words before a time: `{_} [{time}] {event}`.
fn suggest_behind_words(line: &[u8]) -> Option<Suggestion> {
    const MOST_WORDS: usize = 12;
    let (mut rest, mut pattern) = (line, String::new());
    for _ in 0..=MOST_WORDS {
        let opening = rest.iter().take_while(|byte| matches!(byte, b'[' | b'(')).count();
        let inside = &rest[opening..];
        let end = inside.iter().position(|byte| matches!(byte, b']' | b')')).unwrap_or(inside.len());
        if let Some(blanks) = leading_date_blanks(&inside[..end]).or_else(|| is_epoch(inside).then_some(0)) {
            let words = inside.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            let last = words.take(blanks + 1).last()?;
            let closing = if last.ends_with(b"]") {
                "]"
            } else if last.ends_with(b")") {
                ")"
            } else {
                ""
            };
            let opening = String::from_utf8_lossy(&rest[..opening]);
            let pattern = format!("{pattern}{opening}{{time}}{closing} {{event}}");
            let suggestion = Suggestion { pattern, ..Suggestion::default() };
            return suggestion.reads(line).then_some(suggestion);
        }
        let blank = memchr2(b' ', b'\t', rest)?;
        rest = rest[blank..].trim_ascii_start();
        pattern.push_str("{_} ");
    }
    None
}

/// Returns true if a text begins with a number that is probably a time since 1970, after 2001.
pub(crate) fn is_epoch(text: &[u8]) -> bool {
    let word = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    let whole = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_fraction = |digits: &[u8]| (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    let rest = &word[whole..];
    word.first() == Some(&b'1')
        && matches!(whole, 10 | 13 | 16 | 19)
        && (rest.is_empty() || rest.strip_prefix(b".").is_some_and(is_fraction))
}

/// A time at the beginning of a text.
struct LeadingTime {
    length: usize,
    /// The unit behind it.
    unit: &'static str,
    /// The rest of the declaration of the time.
    declared: Option<String>,
}

/// Finds a time at the beginning of a text; in brackets, it may be a number of seconds.
fn leading_time(text: &[u8], is_bracketed: bool) -> Option<LeadingTime> {
    let word_length = |text: &[u8]| text.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
    let length_with = |blanks: usize| {
        let mut end = word_length(text);
        for _ in 0..blanks {
            end += text[end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            end += word_length(&text[end..]);
        }
        end
    };
    if let Some(blanks) = leading_date_blanks(text) {
        return Some(LeadingTime { length: length_with(blanks), unit: "", declared: None });
    }
    if let Some(notation) = guess_notation(text) {
        let blanks = notation.split_ascii_whitespace().count() - 1;
        return Some(LeadingTime {
            length: length_with(blanks),
            unit: "",
            declared: Some(format!("as \"{notation}\"")),
        });
    }
    // `[    0.000000]` of the kernel, `[0.015s]` of Java.
    let blanks = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(&text[blanks..]);
    let fraction = text.get(blanks + whole..)?.strip_prefix(b".").map(digits)?;
    let length = blanks + whole + 1 + fraction;
    let unit = match text.get(length..)? {
        b"" => "",
        b"s" => "s",
        b"ms" => "ms",
        _ => return None,
    };
    let declared = Some(format!("in {}", if unit == "ms" { "ms" } else { "s" }));
    (is_bracketed && whole > 0 && fraction > 0).then_some(LeadingTime { length, unit, declared })
}

/// Suggests a pattern for a line that begins with a time or a level.
fn suggest_from_start(line: &[u8]) -> Option<Suggestion> {
    let (mut pattern, mut time) = (String::new(), None);
    let (mut rest, mut is_certain) = (line, false);
    // The bracket that closes what is open.
    let mut closing = None;
    for _ in 0..8 {
        let opens = closing.is_none();
        let (open, close) = match rest.first()? {
            b'[' if opens => ("[", Some(b']')),
            b'(' if opens => ("(", Some(b')')),
            _ => ("", closing),
        };
        let inside = &rest[open.len()..];
        let end = close.and_then(|close| memchr(close, inside));
        if close.is_some() && end.is_none() {
            break;
        }
        let candidate = end.map_or(inside, |end| &inside[..end]);
        let word = candidate.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let word = word.split(|byte| matches!(byte, b':' | b'|')).next().unwrap_or_default();
        let mut unit = "";
        let (name, length) = if !pattern.contains("{time}")
            && let Some(found) = leading_time(candidate, end.is_some())
        {
            is_certain = true;
            (unit, time) = (found.unit, found.declared);
            ("time", found.length)
        } else if !pattern.contains("{level}") && is_level(word) {
            is_certain = true;
            ("level", word.len())
        } else if close == Some(b']') && !candidate.is_empty() {
            let names = ["source", "thread", "context"];
            (names.into_iter().find(|name| !pattern.contains(&format!("{{{name}}}")))?, candidate.len())
        } else {
            break;
        };
        pattern = format!("{pattern}{open}{{{name}}}{unit}");
        rest = &inside[length + unit.len()..];
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        closing = close;
        if let Some(byte) = close.filter(|close| rest.get(blanks) == Some(close)) {
            pattern.push(char::from(byte));
            rest = &rest[blanks + 1..];
            closing = None;
        }
        let literal = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b':' | b'-' | b'|' | b',')).count();
        let text = String::from_utf8_lossy(&rest[..literal]);
        let text = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        let blank_before = rest.first().is_some_and(u8::is_ascii_whitespace);
        let blank_after = literal > 0 && rest[literal - 1].is_ascii_whitespace();
        match (text.is_empty(), literal) {
            (_, 0) if pattern.ends_with([']', ')']) && matches!(rest.first(), Some(b'[' | b'(')) => {}
            (_, 0) => return None,
            (true, _) => pattern.push(' '),
            (false, _) => {
                let (before, after) = (if blank_before { " " } else { "" }, if blank_after { " " } else { "" });
                pattern = format!("{pattern}{before}{text}{after}");
            }
        }
        rest = &rest[literal..];
    }
    let suggestion = Suggestion { pattern: pattern + "{event}", time, name: None };
    (is_certain && suggestion.reads(line)).then_some(suggestion)
}

impl Suggestion {
    /// Returns true if events are named by a part of the pattern.
    pub(super) fn names_events(&self) -> bool {
        self.name.is_none()
    }

    /// Divides the last part of the pattern, the rest of the line, into the parts that several lines have in common.
    pub(crate) fn refined<'l>(self, lines: impl Iterator<Item = &'l [u8]>) -> Suggestion {
        let Some(front) = self.pattern.strip_suffix("{event}").map(str::to_owned) else { return self };
        let Ok(pattern) = TextPattern::holes(&self.pattern) else { return self };
        let lines: Vec<&str> =
            lines.filter(|line| self.reads(line)).filter_map(|line| str::from_utf8(line).ok()).collect();
        let time = pattern.names().position(|name| name == "time");
        let mut parts: Vec<(String, Vec<&str>)> = pattern.names().map(|name| (name.to_owned(), Vec::new())).collect();
        let mut found = pattern.room();
        for line in &lines {
            found.time_blanks = self.time_blanks();
            if !pattern.find(line.as_bytes(), time, &mut found) {
                return self;
            }
            for (place, (_, texts)) in parts.iter_mut().enumerate() {
                let ByteRange { start, end } = found.part(place);
                texts.extend(line.get(start..end));
            }
        }
        let messages = parts.pop().map(|(_, texts)| texts).unwrap_or_default();
        let Some(CommonParts { pattern, name }) = common_parts(parts, &messages) else { return self };
        let refined = Suggestion { pattern: format!("{front}{pattern}"), name, time: self.time.clone() };
        if lines.iter().all(|line| refined.reads(line.as_bytes())) { refined } else { self }
    }

    /// Returns the number of blanks inside a time of the declared notation.
    fn time_blanks(&self) -> Option<usize> {
        self.time.as_ref().map(|time| time.split_ascii_whitespace().count() - 2)
    }

    /// Returns true if the pattern matches a line, and its time is one.
    fn reads(&self, line: &[u8]) -> bool {
        let Ok(pattern) = TextPattern::holes(&self.pattern) else { return false };
        let time = pattern.names().position(|name| name == "time");
        let mut found = pattern.room();
        found.time_blanks = self.time_blanks();
        let is_time = |time: ByteRange| {
            let written = time.of(line).trim_ascii();
            leading_time(written, true).is_some_and(|found| found.length == written.len()) || is_epoch(written)
        };
        pattern.find(line, time, &mut found) && time.is_none_or(|time| is_time(found.part(time)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggested(line: &str) -> String {
        suggest(line.as_bytes()).map_or_else(|| "none".to_owned(), |suggestion| suggestion.to_string())
    }

    #[test]
    fn patterns_are_suggested_by_a_line() {
        for (line, expected) in [
            (
                "2026-11-16 11:42:09,123 INFO  [main] com.App - Starting",
                "`log text \"{time} {level} [{source}] {event}\"`",
            ),
            ("[2026-11-16T11:42:09.123+0100][info][gc] Using G1", "`log text \"[{time}][{level}][{source}] {event}\"`"),
            (
                "[2026-11-16T11:42:09,123][INFO ][o.e.n.Node    ] [a] b",
                "`log text \"[{time}][{level}][{source}] [{thread}] {event}\"`",
            ),
            ("[2026-11-16T11:42:09Z INFO  shop::pay] charge", "`log text \"[{time} {level} {source}] {event}\"`"),
            ("[Mon Nov 16 11:42:09 2026] usb 1-1: new", "`log text \"[{time}] {event}\"`"),
            ("[    0.000000] Linux version", "`log text \"[{time}] {event}\"` and `time in s`"),
            ("[0.015s][info][gc] Using G1", "`log text \"[{time}s][{level}][{source}] {event}\"` and `time in s`"),
            ("x 192.0.2.17 [16/Nov/2026:11:42:09.123] GET /", "`log text \"{_} {_} [{time}] {event}\"`"),
            ("a b c d e f 1794829329 logon", "`log text \"{_} {_} {_} {_} {_} {_} {time} {event}\"`"),
            ("2 123456789010 eni-1 6 ACCEPT", "none"),
            ("WARNING:shop.pay:charge failed", "`log text \"{level}:{event}\"`"),
            ("hello world", "none"),
        ] {
            assert_eq!(suggested(line), expected, "{line}");
        }
    }

    #[test]
    #[cfg(feature = "dates")]
    fn notations_are_suggested_with_the_pattern() {
        for (line, expected) in [
            (
                "11:42:09.123 [main] INFO  com.App - Starting",
                "`log text \"{time} [{source}] {level} {event}\"` and `time as \"%H:%M:%S%.f\"`",
            ),
            (
                "[11:42:09] [Server thread/INFO]: joined",
                "`log text \"[{time}] [{source}]: {event}\"` and `time as \"%H:%M:%S%.f\"`",
            ),
            (
                "11-16 11:42:09.123  1234  1250 I Activity: Start",
                "`log text \"{time} {event}\"` and `time as \"%m-%d %H:%M:%S%.f\"`",
            ),
        ] {
            assert_eq!(suggested(line), expected, "{line}");
        }
    }

    #[test]
    fn the_fields_of_a_header_are_suggested() {
        let head =
            b"#Version: 1.0\n#Fields: date time c-ip cs-method sc-status\n2026-11-16 11:42:09 192.0.2.4 GET 200\n";
        let suggestion = suggest_by_fields(head).map(|suggestion| suggestion.to_string());
        let expected = "`log text \"{time} {c-ip} {cs-method} {sc-status}\"` and `name cs-method`";
        assert_eq!(suggestion.as_deref(), Some(expected));
        assert_eq!(suggest_by_fields(b"# a comment\n1 2\n"), None);
    }
}
