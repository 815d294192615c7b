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
        fits(&|line| pattern.matches(line))
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

/// Returns true if the first lines are those of a text log rather than a table: the first begins with a date-time or a level, or has
/// many words and no separator of cells.
pub(crate) fn looks_like_text(head: &[u8]) -> bool {
    let Some(line) = first_lines(head).next() else { return false };
    let has_separator = line.iter().any(|byte| matches!(byte, b',' | b';' | b'\t' | b'|'));
    suggest(line).is_some() || (!has_separator && line.split(u8::is_ascii_whitespace).count() > 3)
}

/// Suggests a pattern for a line that begins with a date-time or a level: `{time} {level} [{thread}] {event}`.
pub(crate) fn suggest(line: &[u8]) -> Option<String> {
    let line = line.split(|byte| *byte == b'\n').next()?.trim_ascii();
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
