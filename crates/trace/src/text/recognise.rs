// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recognises the usual formats of log lines.

use gnomon_scan::{Code, Fault, quote};

use super::pattern::TextPattern;
use super::preset::{Preset, is_level};
use super::suggest::{suggest, suggest_by_fields};
use crate::csv::column_advice;
use crate::format::Format;
use crate::logfmt;
use crate::reader::LogFormat;
use crate::state::RecognisedFact;

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

    /// Returns the format of the log, and what was recognised.
    pub(crate) fn log(self) -> (LogFormat, RecognisedFact) {
        let log = match self {
            Recognised::Preset(preset) => LogFormat::Lines(TextPattern::preset(preset)),
            Recognised::Logfmt => LogFormat::Logfmt { strict: false },
        };
        let fact = format!("recognised as {}", self.description());
        (log, RecognisedFact { fact, declaration: self.declaration() })
    }

    /// Describes the format.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Recognised::Preset(preset) => preset.description(),
            Recognised::Logfmt => "lines of `key=value` pairs",
        }
    }

    /// Returns the declaration of the format.
    pub(crate) fn declaration(self) -> String {
        let word = match self {
            Recognised::Preset(preset) => preset.word(),
            Recognised::Logfmt => "logfmt",
        };
        format!("log {word}")
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
    let is_cell = |byte: &u8| !byte.is_ascii_whitespace() && !matches!(byte, b':' | b'=' | b'[' | b'(');
    let has_cells = line.iter().any(is_separator) || line.iter().all(is_cell);
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
        "pass on text: `tar -xOf FILE` or `unzip -p FILE` extracts an archive, `journalctl -o short-iso` prints the journal; then `| gnomon check SPEC -`",
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

/// Returns the cells of the first line, if all first lines have the same number of cells with tabs or semicolons between them.
fn table_cells(head: &[u8]) -> Option<Vec<String>> {
    let line = first_lines(head).next()?;
    let separator = [b'\t', b';'].into_iter().find(|separator| line.contains(separator))?;
    let count = |line: &[u8]| memchr::memchr_iter(separator, line).count();
    let is_table = first_lines(head).all(|other| count(other) == count(line));
    let cell = |cell: &[u8]| String::from_utf8_lossy(cell.trim_ascii()).into_owned();
    is_table.then(|| line.split(|byte| *byte == separator).map(cell).collect())
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
    if let Some(suggestion) = suggest_by_fields(head) {
        return fault.help(format!("declare in the spec what the fields of its lines are: {suggestion}"));
    }
    if let Some(cells) = table_cells(head) {
        return fault.help(column_advice(&cells));
    }
    match suggest(line).map(|suggestion| suggestion.refined(first_lines(head))) {
        Some(suggestion) => {
            let event = if suggestion.names_events() { "the hole `event` is the name of the event, " } else { "" };
            fault.help(format!("declare in the spec what its lines mean, such as {suggestion}; {event}`{{_}}` skips a part"))
        }
        None => fault.help(
            "declare in the spec what its lines mean, such as `log text \"{event}\"`, which makes each line an event without a time; `{time} {level} {event} user={user}` would give it a time and fields, and `log csv`, `log json` or `log syslog` are usual formats",
        ),
    }
}
