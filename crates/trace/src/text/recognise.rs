// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recognises the usual formats of log lines, and suggests a pattern for others.

use gnomon_scan::{Code, Fault, quote};

use super::pattern::TextPattern;
use super::preset::{Preset, is_level};
use crate::dates::leading_date_blanks;
use crate::format::Format;
use crate::logfmt;
use crate::reader::LogFormat;

/// The number of lines that are looked at.
const LINES: usize = 20;

/// A format that was recognised by its first lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Recognised {
    Preset(Preset),
    Logfmt,
}

impl Recognised {
    /// Returns true if a log of the format looks like one of JSON objects too.
    pub(crate) fn is_object_of(self, detected: Format) -> bool {
        self == Recognised::Preset(Preset::Docker) && matches!(detected, Format::Ndjson | Format::Json)
    }

    /// Returns the format of the log, and a note that says what was recognised.
    pub(crate) fn log(self) -> (LogFormat, String) {
        let (log, what, word) = match self {
            Recognised::Preset(preset) => {
                (LogFormat::Lines(TextPattern::preset(preset)), preset.description(), preset.word())
            }
            Recognised::Logfmt => (LogFormat::Logfmt { strict: false }, "lines of `key=value` pairs", "logfmt"),
        };
        (log, format!("recognised as {what}; `log {word}` in the spec says so"))
    }
}

/// Recognises the format of a log by its first lines: more than half of them match.
pub(crate) fn recognise(head: &[u8]) -> Option<Recognised> {
    let lines: Vec<&[u8]> = first_lines(head).collect();
    let fits = |matches: &dyn Fn(&[u8]) -> bool| {
        let count = lines.iter().filter(|line| matches(line)).count();
        count > 0 && 2 * count > lines.len()
    };
    // A line of several formats belongs to the first of them.
    let presets = [Preset::Docker, Preset::Cri, Preset::Nginx, Preset::Syslog];
    let is_preset = |preset: &Preset| {
        let pattern = TextPattern::preset(*preset);
        fits(&|line| pattern.matches(line) && (*preset != Preset::Syslog || is_certain_syslog(line)))
    };
    if let Some(preset) = presets.into_iter().find(is_preset) {
        return Some(Recognised::Preset(preset));
    }
    let is_prefixed = |line: &[u8]| {
        line.first() != Some(&b'{')
            && !logfmt::is_line(line)
            && memchr::memchr(b'{', line).is_some_and(|open| logfmt::is_object(&line[open..]))
    };
    if fits(&is_prefixed) {
        return Some(Recognised::Preset(Preset::Json));
    }
    fits(&logfmt::is_line).then_some(Recognised::Logfmt)
}

/// Returns the first lines that are complete, not blank, and no comments.
fn first_lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = memchr::memrchr(b'\n', head).unwrap_or(head.len());
    let lines = head[..end].split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    lines.filter(|line| !line.is_empty() && line[0] != b'#').take(LINES)
}

/// Returns true if the first lines are those of a text log rather than a table: the first begins with a date-time or a level, has a quote
/// in the middle of a cell, or is neither one cell nor several.
pub(crate) fn looks_like_text(head: &[u8]) -> bool {
    let Some(line) = first_lines(head).next() else { return false };
    let is_separator = |byte: &u8| matches!(byte, b',' | b';' | b'\t' | b'|');
    let has_cells = line.iter().any(is_separator) || !line.iter().any(u8::is_ascii_whitespace);
    !has_cells || quotes_inside_cell(line, is_separator) || suggest(line).is_some()
}

/// Returns true if a quote stands in the middle of a cell.
fn quotes_inside_cell(line: &[u8], is_separator: impl Fn(&u8) -> bool) -> bool {
    let (mut is_quoted, mut is_inside) = (false, false);
    for byte in line {
        match byte {
            b'"' if is_inside && !is_quoted => return true,
            // An escaped quote ends the text in quotes and begins it again.
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            byte if is_separator(byte) => is_inside = false,
            byte => is_inside |= !byte.is_ascii_whitespace(),
        }
    }
    false
}

/// Returns true if the first bytes are not those of a text: they contain control characters that no log has.
pub(crate) fn is_binary(head: &[u8]) -> bool {
    head.iter().any(|byte| matches!(byte, 0..=6 | 0x0E..=0x1A | 0x1C..=0x1F))
}

/// Creates the fault that an input is not text.
#[cold]
pub(crate) fn binary() -> Fault {
    Fault::new(Code::NotText, 0, "the input is binary, not text").help(
        "pass on text: `tar -xOf FILE` or `unzip -p FILE` unpacks an archive, `journalctl -o short-iso` prints the journal; then `| gnomon check SPEC -`",
    )
}

/// Returns true if a line that matches the format of a syslog is one: a date-time in front of a word begins many other logs, too.
fn is_certain_syslog(line: &[u8]) -> bool {
    if !line.first().is_some_and(u8::is_ascii_digit) {
        return true;
    }
    let mut words = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).skip(1);
    let (host, tag) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b':');
    host.iter().all(is_name)
        && !host.ends_with(b":")
        && !is_level(host)
        && tag.first().is_some_and(|byte| !matches!(byte, b'[' | b'('))
        && tag.ends_with(b":")
}

/// Suggests a pattern for a line with a date-time or a level among its first words: `{time} {level} [{thread}] {event}`.
pub(crate) fn suggest(line: &[u8]) -> Option<String> {
    let line = line.split(|byte| *byte == b'\n').next()?.trim_ascii();
    suggest_from_start(line).or_else(|| suggest_behind_words(line))
}

/// Suggests a pattern that skips the words before a date-time: `{_} [{time} {event}`.
fn suggest_behind_words(line: &[u8]) -> Option<String> {
    const MOST_WORDS: usize = 4;
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
            let is_match = TextPattern::holes(&pattern).is_ok_and(|compiled| compiled.matches(line));
            return is_match.then_some(pattern);
        }
        let blank = memchr::memchr2(b' ', b'\t', rest)?;
        rest = rest[blank..].trim_ascii_start();
        pattern.push_str("{_} ");
    }
    None
}

/// Returns true if a text begins with a number that is probably a time since 1970.
fn is_epoch(text: &[u8]) -> bool {
    let word = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    let whole = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_fraction = |digits: &[u8]| (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    let rest = &word[whole..];
    (10..=19).contains(&whole) && (rest.is_empty() || rest.strip_prefix(b".").is_some_and(is_fraction))
}

/// Suggests a pattern for a line that begins with a date-time or a level.
fn suggest_from_start(line: &[u8]) -> Option<String> {
    let mut pattern = String::new();
    let (mut rest, mut is_certain) = (line, false);
    for _ in 0..6 {
        let (bracket, inside) = match rest.first()? {
            b'[' => (Some(("[", b']', "]")), &rest[1..]),
            b'(' => (Some(("(", b')', ")")), &rest[1..]),
            _ => (None, rest),
        };
        let closed = bracket.and_then(|(_, close, _)| memchr::memchr(close, inside));
        let candidate = closed.map_or(inside, |close| &inside[..close]);
        let word_length = |text: &[u8]| text.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
        let (name, length) = if !pattern.contains("{time}")
            && let Some(blanks) = leading_date_blanks(candidate)
        {
            is_certain = true;
            let mut end = word_length(candidate);
            for _ in 0..blanks {
                end += candidate[end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                end += word_length(&candidate[end..]);
            }
            ("time", end)
        } else if !pattern.contains("{level}")
            && let word = &candidate[..word_length(candidate)]
            && is_level(word.strip_suffix(b":").unwrap_or(word))
        {
            is_certain = true;
            ("level", word.strip_suffix(b":").unwrap_or(word).len())
        } else if closed.is_some() && bracket.is_some_and(|(open, ..)| open == "[") {
            let names = ["source", "thread", "context"];
            (names.into_iter().find(|name| !pattern.contains(&format!("{{{name}}}")))?, candidate.len())
        } else {
            break;
        };
        let after = &inside[length..];
        match bracket {
            Some((open, close, closing)) if after.first() == Some(&close) => {
                pattern = format!("{pattern}{open}{{{name}}}{closing}");
                rest = &after[1..];
            }
            _ => {
                pattern = format!("{pattern}{{{name}}}");
                rest = after;
            }
        }
        let literal = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b':' | b'-' | b'|' | b',')).count();
        let text = String::from_utf8_lossy(&rest[..literal]);
        let text = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        let blank_before = rest.first().is_some_and(u8::is_ascii_whitespace);
        let blank_after = literal > 0 && rest[literal - 1].is_ascii_whitespace();
        match (text.is_empty(), literal) {
            (_, 0) => return (is_certain && rest.is_empty() && pattern.contains("{event}")).then_some(pattern),
            (true, _) => pattern.push(' '),
            (false, _) => {
                let (before, after) = (if blank_before { " " } else { "" }, if blank_after { " " } else { "" });
                pattern = format!("{pattern}{before}{text}{after}");
            }
        }
        rest = &rest[literal..];
        if rest.is_empty() {
            break;
        }
    }
    let pattern = pattern + "{event}";
    let is_match = TextPattern::holes(&pattern).is_ok_and(|compiled| compiled.matches(line));
    (is_certain && is_match).then_some(pattern)
}

/// Creates the fault that an input is a text log of no usual format.
#[cold]
pub(crate) fn not_recognised(head: &[u8]) -> Fault {
    let line = first_lines(head).next().unwrap_or_default();
    let fault = Fault::new(
        Code::NoPattern,
        0,
        format!("the log has no format that is recognised by its first line, {}", quote(line)),
    );
    match suggest(line) {
        Some(pattern) => fault.help(format!(
            "declare in the spec what its lines mean, such as `log text \"{pattern}\"`; the hole `event` is the name of the event, `{{_}}` skips"
        )),
        None => fault.help(
            "declare in the spec what its lines mean, such as `log text \"{time} {level} {event} user={user}\"`, or name its format: `log nginx`, `apache`, `syslog`, `logfmt`, `cri`, `docker`, `json` or `csv`",
        ),
    }
}
