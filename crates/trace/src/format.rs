// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace formats, and their detection.
//!
//! A format that the user names is not questioned. Otherwise the extension decides, without that of a compression: `log.csv.gz` is CSV.
//! Extensions that several formats share (`.json`, `.ndjson`, `.xml`), unknown ones, and standard input are decided by the first bytes:
//!
//! | first bytes | format |
//! |---|---|
//! | `PAR1` | Parquet |
//! | `{"resourceSpans"` | OTLP |
//! | `<`, with a mark of XES such as `<trace` | XES |
//! | `<` and a digit | text: the priority of a syslog line |
//! | any other `<` | XML |
//! | `{"logon": {` and no other key | JSON |
//! | `{`, with the members of a captured message | messages |
//! | any other `{` | NDJSON |
//! | `[` before `{`, `[`, `]` or `"` | JSON |
//! | `@` | `MonPoly` |
//! | nothing | CSV |
//! | anything else | text: [`crate::text`] finds the pattern, or a table |
//!
//! Comments, lines that begin with `#`, are skipped.

use std::fmt;
use std::path::Path;

use gnomon_message::{CaptureHint, detect_capture};
use gnomon_scan::json::Scanner;
use memchr::memmem;

gnomon_core::words! {
    /// A trace format. Its word is that of the command line.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Format as word {
        /// Comma-separated values, with a header or with `name=value` cells.
        Csv = "csv",
        /// One flat JSON object per line.
        Ndjson = "ndjson",
        /// JSON objects of the form `{"logon": {"time": 3}}`, in a list or one after the other.
        Json = "json",
        /// `<log>` with one `<event>` after the other, of the runtime verification competitions.
        Xml = "xml",
        /// The event logs of process mining.
        Xes = "xes",
        /// `@3 logon ("ann")`: the logs of `MonPoly`.
        Monpoly = "monpoly",
        /// Lines that match a pattern; see [`crate::TextPattern`].
        Text = "text",
        /// Lines of `key=value` pairs.
        Logfmt = "logfmt",
        /// One captured message per line, its time and participants around it; see [`crate::message`].
        Messages = "messages",
        /// Exports of `OpenTelemetry` traces, in JSON or protobuf.
        Otlp = "otlp",
        /// Parquet files: columns in row groups.
        Parquet = "parquet",
    }
}

/// The first and the last bytes of a Parquet file.
pub(crate) const MAGIC: &[u8] = b"PAR1";

/// The number of bytes from which the format is detected.
pub(crate) const HEAD: usize = 4096;
/// Limit on the bytes from which the format is detected if the first line, or the blank lines and comments before it, are longer.
pub(crate) const LONG_HEAD: usize = 1 << 20;

impl Format {
    /// Returns the file extensions that decide for the format, whatever the content.
    const fn extensions(self) -> &'static [&'static str] {
        match self {
            Format::Csv => &["csv"],
            Format::Ndjson => &["ndjson", "jsonl"],
            Format::Xes => &["xes"],
            Format::Monpoly => &["monpoly"],
            Format::Otlp => &["otlp"],
            Format::Parquet => &["parquet", "pq"],
            Format::Logfmt => &["logfmt"],
            Format::Json | Format::Xml | Format::Text | Format::Messages => &[],
        }
    }

    /// Returns true if traces can be written in the format. A text log, a capture and an export of spans contain more
    /// than events do.
    pub const fn is_writable(self) -> bool {
        match self {
            Format::Text | Format::Logfmt | Format::Messages | Format::Otlp => false,
            Format::Parquet => cfg!(feature = "parquet"),
            _ => true,
        }
    }

    /// Detects the format of an input by its extension (without that of its compression), else by its first bytes. Lines that are
    /// of none of the other formats are a text log or a table: [`Format::Text`].
    pub fn detect(path: Option<&Path>, head: &[u8]) -> Format {
        let extension = path.and_then(extension).unwrap_or_default();
        let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
        let by_extension = Format::of_extension(extension);
        let are_messages = match detect_capture(head) {
            CaptureHint::Messages { alone } => !alone || by_extension == Some(Format::Ndjson),
            CaptureHint::Open { body } => body,
            CaptureHint::Other => false,
        };
        match by_extension {
            Some(Format::Ndjson) | None if is_otlp(head) => return Format::Otlp,
            Some(Format::Ndjson) if are_messages => return Format::Messages,
            Some(format) => return format,
            None if head.starts_with(MAGIC) => return Format::Parquet,
            None => {}
        }
        let head = without_comments(head);
        if extension.eq_ignore_ascii_case("xml") {
            return if is_xes(head) { Format::Xes } else { Format::Xml };
        }
        match head.first() {
            // The priority of a syslog.
            Some(b'<') if head.get(1).is_some_and(u8::is_ascii_digit) => Format::Text,
            Some(b'<') if is_xes(head) => Format::Xes,
            Some(b'<') => Format::Xml,
            Some(b'[') if is_bracketed_text(head) => Format::Text,
            Some(b'[') => Format::Json,
            Some(b'{') if are_messages => Format::Messages,
            Some(b'{') if holds_an_object(head) => Format::Json,
            Some(b'{') => Format::Ndjson,
            Some(b'@') => Format::Monpoly,
            _ if extension.eq_ignore_ascii_case("json") => Format::Json,
            None => Format::Csv,
            Some(_) => Format::Text,
        }
    }

    /// Returns the format if the name of the input alone decides. An input with an extension of no other format has the
    /// declared format of a log, and so has one of JSON if the declared format `is_json`.
    pub(crate) fn of_path(path: &Path, declared: Option<Format>, is_json: bool) -> Option<Format> {
        let extension = extension(path).unwrap_or_default();
        let is = |known: &&str| known.eq_ignore_ascii_case(extension);
        let is_open = extension.eq_ignore_ascii_case("xml") || (!is_json && ["json", "ndjson", "jsonl"].iter().any(is));
        let by_extension = Format::of_extension(extension).filter(|format| *format != Format::Ndjson);
        by_extension.or(declared.filter(|_| !is_open))
    }

    /// Returns true if more of the input is needed to detect its format: it has only blank lines and comments so far, or the first line is
    /// incomplete and could become a captured message.
    pub(crate) fn is_undecided(head: &[u8]) -> bool {
        without_comments(head).is_empty() || matches!(detect_capture(head), CaptureHint::Open { .. })
    }

    /// Returns the format in which a file of this name is written (without that of its compression).
    pub fn named(path: &Path) -> Option<Format> {
        let extension = extension(path)?;
        Format::of_extension(extension).or_else(|| Format::parse(&extension.to_ascii_lowercase()))
    }

    fn of_extension(extension: &str) -> Option<Format> {
        let named = |format: &Format| format.extensions().iter().any(|known| known.eq_ignore_ascii_case(extension));
        Format::ALL.into_iter().find(named)
    }
}

/// Returns the extension of a path, without that of the compression.
fn extension(path: &Path) -> Option<&str> {
    let outer = path.extension()?.to_str()?;
    let is_packed = ["gz", "zst", "zstd", "xz", "bz2", "lz4"].iter().any(|packed| packed.eq_ignore_ascii_case(outer));
    if !is_packed {
        return Some(outer);
    }
    Path::new(path.file_stem()?).extension()?.to_str()
}

/// Skips white space and lines that begin with `#`.
fn without_comments(head: &[u8]) -> &[u8] {
    let mut rest = head.trim_ascii_start();
    while rest.first() == Some(&b'#') {
        let newline = rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |newline| newline + 1);
        rest = rest[newline..].trim_ascii_start();
    }
    rest
}

/// Returns true if a bracket does not begin a list of objects.
fn is_bracketed_text(head: &[u8]) -> bool {
    !matches!(head[1..].trim_ascii_start().first(), None | Some(b'{' | b']' | b'[' | b'"'))
}

fn is_xes(head: &[u8]) -> bool {
    // The other XML format has no attributes and cannot contain these.
    const MARKS: [&[u8]; 8] = [
        b"xes.version",
        b"xes-standard",
        b"<trace",
        b"<extension ",
        b"<classifier ",
        b"<global ",
        b"<string key=",
        b"<date key=",
    ];
    MARKS.iter().any(|mark| memmem::find(head, mark).is_some())
}

/// Returns true if the first key of the first object is that of an export of traces.
fn is_otlp(head: &[u8]) -> bool {
    let object = head.trim_ascii_start().strip_prefix(b"{").unwrap_or_default();
    object.trim_ascii_start().starts_with(b"\"resourceSpans\"")
}

/// Returns true if the value under the first key of the first object is an object, and the object has no other key as far as its first line
/// shows.
fn holds_an_object(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\n').next().and_then(|line| str::from_utf8(line).ok()).unwrap_or_default();
    first_value_is_object(head) && !has_several_keys(line).unwrap_or(false)
}

/// Returns true if a text begins with an object of several keys; `None` if the first value is not complete.
fn has_several_keys(text: &str) -> Option<bool> {
    let mut scanner: Scanner<'_, true> = Scanner::of_text(text);
    scanner.open_object().ok()?;
    scanner.entry(true).ok()??;
    Some(scanner.entry(false).ok()?.is_some())
}

fn first_value_is_object(head: &[u8]) -> bool {
    let Some(rest) = head.strip_prefix(b"{").map(<[u8]>::trim_ascii_start).and_then(|rest| rest.strip_prefix(b"\""))
    else {
        return false;
    };
    let mut escaped = false;
    let end = rest.iter().position(|&byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    });
    let after = end.map_or(&b""[..], |end| rest[end + 1..].trim_ascii_start());
    after.strip_prefix(b":").is_some_and(|value| value.trim_ascii_start().first() == Some(&b'{'))
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        for format in Format::ALL {
            assert_eq!(Format::parse(format.word()), Some(format));
        }
        assert_eq!(Format::parse("CSV"), None);
    }

    #[test]
    fn the_extension_decides_before_the_content() {
        for (path, head, format) in [
            ("a.csv", "{", Format::Csv),
            ("a.CSV", "{", Format::Csv),
            ("a.csv.gz", "{", Format::Csv),
            ("a.b/c.XES.zst", "event, time", Format::Xes),
            ("a.ndjson", "event, time", Format::Ndjson),
            ("a.jsonl", "", Format::Ndjson),
            ("a.log", " \n\t{\"event\": \"a\"", Format::Ndjson),
            ("-", "\u{FEFF}{", Format::Ndjson),
            ("-", "event, time", Format::Text),
            ("", "", Format::Csv),
            ("a.json", "{\"event\": \"a\"}", Format::Ndjson),
            ("a.json", "{\"a\": {\"time\": 1}}", Format::Json),
            ("a.log", "{\"t\": {\"date\": 1}, \"msg\": \"a\"}\n{", Format::Ndjson),
            ("a.log", "{\"a\": {\"time\": 1,\n \"b\": 2}}", Format::Json),
            ("a.json", " [\n", Format::Json),
            ("a.json", "", Format::Json),
            ("-", "{ \"a\\\"b\" :\n{", Format::Json),
            ("a.xml", "<log><event>", Format::Xml),
            ("a.xml", "<log xes.version=\"1.0\">", Format::Xes),
            ("a.xml", "", Format::Xml),
            ("a.xml", "<log><event><field><name>case:concept:name", Format::Xml),
            ("-", "<log><event><string key=\"concept:name\"", Format::Xes),
            ("-", "<?xml version=\"1.0\"?>\n<log><trace>", Format::Xes),
            ("-", "<?xml version=\"1.0\"?>\n<log><event>", Format::Xml),
            ("a.log", "# a log\n\n@3 start ()", Format::Monpoly),
            ("a.gz", "@3 start ()", Format::Monpoly),
            ("a.log", "event, time", Format::Text),
            ("a.log", "{\"time\": 1, \"body\": \"<a/>\"}", Format::Messages),
            ("a.jsonl", "{\"body\": {\"event\": \"a\"}}", Format::Messages),
            ("a.ndjson.gz", "{\"body\": \"<a/>\", \"event\": \"a\"}", Format::Ndjson),
            ("a.json", "{\"body\": {\"time\": 1}}", Format::Json),
            ("a.json", "{\"body\": {\"type\": \"x\"}, \"time\": 1}", Format::Messages),
            ("a.csv", "{\"time\": 1, \"body\": \"<a/>\"}", Format::Csv),
            ("a.json", " {\n \"resourceSpans\": [", Format::Otlp),
            ("a.jsonl.gz", "{\"resourceSpans\":[", Format::Otlp),
            ("-", "{\"resourceSpans\":[{\"resource\":{}}]}", Format::Otlp),
            ("a.otlp", "\n", Format::Otlp),
            ("a.csv", "{\"resourceSpans\":[", Format::Csv),
            ("a.parquet", "", Format::Parquet),
            ("a.PQ", "event, time", Format::Parquet),
            ("-", "PAR1\u{15}", Format::Parquet),
            ("a.csv", "PAR1, event", Format::Csv),
        ] {
            assert_eq!(Format::detect(Some(Path::new(path)), head.as_bytes()), format, "{path} {head}");
        }
        assert_eq!(Format::detect(None, b"{}"), Format::Ndjson);
    }

    #[test]
    fn a_pattern_makes_a_text_log_of_what_nothing_else_claims() {
        for (path, has_pattern, format) in [
            ("a.log", true, Some(Format::Text)),
            ("-", true, Some(Format::Text)),
            ("server.txt.gz", true, Some(Format::Text)),
            ("a.csv", true, Some(Format::Csv)),
            ("a.xml.gz", true, None),
            ("a.log", false, None),
            ("a.xes", false, Some(Format::Xes)),
            ("a.ndjson", true, None),
        ] {
            assert_eq!(Format::of_path(Path::new(path), has_pattern.then_some(Format::Text), false), format, "{path}");
        }
    }
}
