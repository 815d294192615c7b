// SPDX-License-Identifier: MIT OR Apache-2.0
//! The usual formats of log lines: each matches one line in one pass and finds its parts.
//!
//! Example: [`Preset::Syslog`] on `<34>Nov 16 11:42:20 web sshd[77]: failed` finds the ranges of `34` (facility and severity), the time, `web`
//! (host), `sshd` (app), `77` (pid) and `failed` (message). A [`PartKind`] says how a range becomes a value, which happens only if a
//! property uses the part.

use std::borrow::Cow;

use gnomon_core::value::Value;
use gnomon_scan::ByteRange;
use gnomon_scan::json::{JsonString, Scanner, text, value};
use memchr::{memchr, memchr2, memrchr};

use crate::dates::leading_date_blanks;

gnomon_core::words! {
    /// A usual format of log lines. Its word is that of a `log` declaration.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Preset as word {
        /// Access logs of nginx: the combined format.
        Nginx = "nginx",
        /// Access logs of Apache: the common and the combined format, with or without the virtual host.
        Apache = "apache",
        /// RFC 3164 and RFC 5424, and what `journalctl` prints.
        Syslog = "syslog",
        /// Logs of containers as containerd and CRI-O write them.
        Cri = "cri",
        /// Logs of containers as the `json-file` driver of Docker writes them.
        Docker = "docker",
        /// A JSON object per line, with text before it.
        Json = "json",
    }
}

/// The conversion of a part to a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PartKind {
    /// The type that it looks like.
    Cell,
    /// Text, whatever it looks like.
    Text,
    /// Text, or a map where it is a JSON object.
    Message,
    /// The inside of a JSON string, with a message in it.
    JsonMessage,
    /// JSON.
    Json,
    /// The severity in a priority of syslog.
    Severity,
    /// The facility in a priority of syslog.
    Facility,
    /// Not a field.
    Hidden,
}

use PartKind::{Cell, Facility, Hidden, Json, JsonMessage, Message, Severity, Text};

const ACCESS: &[(&str, PartKind)] = &[
    ("vhost", Text),
    ("remote", Text),
    ("user", Text),
    ("time", Text),
    ("request", Text),
    ("method", Text),
    ("path", Text),
    ("query", Text),
    ("protocol", Text),
    ("status", Cell),
    ("bytes", Cell),
    ("referer", Text),
    ("agent", Text),
    ("rest", Text),
];

const SYSLOG: &[(&str, PartKind)] = &[
    ("facility", Facility),
    ("severity", Severity),
    ("time", Text),
    ("host", Text),
    ("app", Text),
    ("pid", Cell),
    ("msgid", Text),
    ("data", Text),
    ("message", Message),
];

const CRI: &[(&str, PartKind)] = &[("time", Text), ("stream", Text), ("tag", Text), ("message", Message)];

const DOCKER: &[(&str, PartKind)] = &[("log", JsonMessage), ("stream", Text), ("time", Text), ("attrs", Json)];

const JSON: &[(&str, PartKind)] = &[("time", Text), ("level", Text), ("prefix", Text), ("", Hidden)];

/// The part of [`Preset::Json`] that is the object.
pub(super) const JSON_OBJECT: usize = 3;

impl Preset {
    /// Returns the names and kinds of the parts.
    pub(super) fn parts(self) -> &'static [(&'static str, PartKind)] {
        match self {
            Preset::Nginx | Preset::Apache => ACCESS,
            Preset::Syslog => SYSLOG,
            Preset::Cri => CRI,
            Preset::Docker => DOCKER,
            Preset::Json => JSON,
        }
    }

    /// Returns the part that names events; `None` if all have the same name, or the object has it.
    pub(super) fn name_part(self) -> Option<&'static str> {
        match self {
            Preset::Nginx | Preset::Apache | Preset::Json => None,
            Preset::Syslog => Some("app"),
            Preset::Cri | Preset::Docker => Some("stream"),
        }
    }

    /// Returns the name of events that have no other.
    pub(super) fn usual_name(self) -> Option<&'static str> {
        match self {
            Preset::Nginx | Preset::Apache => Some("request"),
            Preset::Syslog => Some("syslog"),
            Preset::Cri | Preset::Docker | Preset::Json => None,
        }
    }

    /// Returns what a log of the format is called in messages.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Preset::Nginx => "an access log of nginx or Apache",
            Preset::Apache => "an access log of Apache",
            Preset::Syslog => "a syslog",
            Preset::Cri => "a container log of containerd or CRI-O",
            Preset::Docker => "a container log of Docker",
            Preset::Json => "JSON objects with text before them",
        }
    }

    /// Returns an example of a line, for messages.
    pub(super) fn example(self) -> &'static str {
        match self {
            Preset::Nginx | Preset::Apache => {
                "192.0.2.1 - - [16/Nov/2026:11:42:20 +0000] \"GET / HTTP/1.1\" 200 612 \"-\" \"curl/8.5\""
            }
            Preset::Syslog => "Nov 16 11:42:20 host app[7]: message",
            Preset::Cri => "2026-11-16T11:42:20.25Z stdout F message",
            Preset::Docker => "{\"log\":\"message\\n\",\"stream\":\"stdout\",\"time\":\"2026-11-16T11:42:20.25Z\"}",
            Preset::Json => "2026-11-16 11:42:20 INFO {\"event\": \"logon\"}",
        }
    }

    /// Finds the parts of a line, as offsets from its start; `None` if it does not match. A part that is absent is empty.
    pub(super) fn find(self, line: &[u8], parts: &mut [ByteRange]) -> Option<()> {
        match self {
            Preset::Nginx | Preset::Apache => access(line, parts.first_chunk_mut()?),
            Preset::Syslog => syslog(line, parts.first_chunk_mut()?),
            Preset::Cri => cri(line, parts.first_chunk_mut()?),
            Preset::Docker => docker(line, parts.first_chunk_mut()?),
            Preset::Json => json(line, parts.first_chunk_mut()?),
        }
    }
}

/// Returns the value of a part.
pub(super) fn part_value(kind: PartKind, part: &[u8]) -> Option<Value<'_>> {
    let trimmed = part.trim_ascii();
    if trimmed.is_empty() {
        return None;
    }
    let written = || str::from_utf8(trimmed).map_or_else(|_| String::from_utf8_lossy(trimmed), Cow::Borrowed);
    match kind {
        Cell => Some(Value::from_cell(written())),
        Text => Some(Value::Text(written())),
        Message => Some(object(trimmed).unwrap_or_else(|| Value::Text(written()))),
        JsonMessage => {
            let inside = JsonString { range: ByteRange { start: 0, end: part.len() }, has_escapes: true };
            let message = text(part, inside).trim_ascii_end().to_owned();
            let map = object(message.as_bytes()).map(Value::into_owned);
            (!message.is_empty()).then(|| map.unwrap_or_else(|| Value::Text(message.into())))
        }
        Json => Some(value(trimmed, ByteRange { start: 0, end: trimmed.len() })),
        Severity | Facility => {
            let priority: u16 = str::from_utf8(trimmed).ok()?.parse().ok()?;
            Some(Value::Number(i128::from(if kind == Severity { priority % 8 } else { priority / 8 }).into()))
        }
        Hidden => None,
    }
}

/// Returns the map that a text is, if it is a JSON object.
fn object(text: &[u8]) -> Option<Value<'_>> {
    if text.first() != Some(&b'{') {
        return None;
    }
    let mut scanner: Scanner<'_, true> = Scanner::of_text(str::from_utf8(text).ok()?);
    scanner.skip_value().ok()?;
    scanner.end().ok()?;
    Some(value(text, ByteRange { start: 0, end: text.len() }))
}

/// A position in a line.
struct LineCursor<'a> {
    line: &'a [u8],
    at: usize,
}

impl LineCursor<'_> {
    fn rest(&self) -> &[u8] {
        &self.line[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// Returns the range up to the next blank or the end, and skips the blanks behind it.
    fn word(&mut self) -> ByteRange {
        let start = self.at;
        let length = memchr(b' ', self.rest()).unwrap_or(self.rest().len());
        self.at += length;
        let end = self.at;
        self.skip_blanks();
        ByteRange { start, end }
    }

    /// Returns the range inside the double quotes that begin here.
    fn quoted(&mut self) -> Option<ByteRange> {
        self.take(b'"')?;
        let start = self.at;
        loop {
            self.at += memchr2(b'"', b'\\', self.rest())?;
            if self.peek() == Some(b'"') {
                break;
            }
            self.at += 2;
            self.line.get(self.at)?;
        }
        let end = self.at;
        self.at += 1;
        Some(ByteRange { start, end })
    }

    fn to_end(&self) -> ByteRange {
        ByteRange { start: self.at.min(self.line.len()), end: self.line.len() }
    }
}

/// Returns nothing for `-`, which stands for a value that is absent.
fn unless_nil(line: &[u8], range: ByteRange) -> ByteRange {
    if range.of(line) == b"-" { ByteRange::default() } else { range }
}

/// `VHOST REMOTE IDENT USER [TIME] "METHOD PATH?QUERY PROTOCOL" STATUS BYTES "REFERER" "AGENT" REST`; the host at the beginning and
/// everything behind the bytes may be missing. A user may contain blanks.
fn access(line: &[u8], parts: &mut [ByteRange; 14]) -> Option<()> {
    let open = memchr(b'[', line)?;
    let mut cursor = LineCursor { line: &line[..open], at: 0 };
    let mut first = cursor.word();
    // The proxies in front of the server, as in `X-Forwarded-For`.
    while first.of(line).ends_with(b",") {
        let next = cursor.word();
        if next.len() == 0 {
            return None;
        }
        first.end = next.end;
    }
    let (second, third) = (cursor.word(), cursor.word());
    let before = cursor.to_end();
    let (vhost, remote, user) = if before.len() > 0 && second.of(line) != b"-" {
        (first, second, before)
    } else {
        (ByteRange::default(), first, ByteRange { start: third.start, end: before.end.max(third.end) })
    };
    if third.len() == 0 {
        return None;
    }
    let user_end = user.start + user.of(line).trim_ascii_end().len();
    let mut cursor = LineCursor { line, at: open + 1 };
    let close = cursor.at + memchr(b']', cursor.rest())?;
    let time = ByteRange { start: open + 1, end: close };
    cursor.at = close + 1;
    cursor.skip_blanks();
    let request = cursor.quoted()?;
    cursor.skip_blanks();
    let (status, bytes) = (cursor.word(), cursor.word());
    if status.of(line) != b"-" && !(status.len() > 0 && status.of(line).iter().all(u8::is_ascii_digit)) {
        return None;
    }
    let mut tail = || {
        let quoted = if cursor.peek() == Some(b'"') { cursor.quoted() } else { None };
        cursor.skip_blanks();
        unless_nil(line, quoted.unwrap_or_default())
    };
    let (referer, agent) = (tail(), tail());
    let rest = cursor.to_end();
    let [method, path, query, protocol] = request_line(line, request);
    *parts = [
        vhost,
        remote,
        unless_nil(line, ByteRange { start: user.start, end: user_end }),
        time,
        unless_nil(line, request),
        method,
        path,
        query,
        protocol,
        unless_nil(line, status),
        unless_nil(line, bytes),
        referer,
        agent,
        rest,
    ];
    Some(())
}

/// Returns the method, path, query and protocol of a request; empty if it is not of this form.
fn request_line(line: &[u8], request: ByteRange) -> [ByteRange; 4] {
    let text = request.of(line);
    let parsed = || {
        let method = memchr(b' ', text)?;
        let protocol = memrchr(b' ', text).filter(|at| *at > method && text[at + 1..].starts_with(b"HTTP"));
        let end = protocol.unwrap_or(text.len());
        if method == 0 || !text[..method].iter().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'-' | b'_')) {
            return None;
        }
        let question = memchr(b'?', &text[method + 1..end]).map(|at| method + 1 + at);
        let range = |start: usize, end: usize| ByteRange { start, end }.shifted(request.start);
        Some([
            range(0, method),
            range(method + 1, question.unwrap_or(end)),
            question.map_or(ByteRange::default(), |question| range(question + 1, end)),
            protocol.map_or(ByteRange::default(), |protocol| range(protocol + 1, text.len())),
        ])
    };
    parsed().unwrap_or_default()
}

/// `<PRI>1 TIME HOST APP PID MSGID DATA MESSAGE` (RFC 5424), or `<PRI>TIME HOST APP[PID]: MESSAGE`; the priority may be missing.
fn syslog(line: &[u8], parts: &mut [ByteRange; 9]) -> Option<()> {
    let mut cursor = LineCursor { line, at: 0 };
    let mut priority = ByteRange::default();
    if cursor.take(b'<').is_some() {
        let close = memchr(b'>', &line[..line.len().min(5)])?;
        priority = ByteRange { start: 1, end: close };
        if close == 1 || !priority.of(line).iter().all(u8::is_ascii_digit) {
            return None;
        }
        cursor.at = close + 1;
    }
    let is_new = matches!(cursor.rest(), [b'1'..=b'9', b' ', b'0'..=b'9' | b'-', ..]);
    if is_new {
        cursor.at += 2;
    }
    let time = syslog_time(&mut cursor)?;
    let host = unless_nil(line, cursor.word());
    let [app, pid, msgid, data] = if is_new {
        let words = [cursor.word(), cursor.word(), cursor.word()];
        let data = structured_data(&mut cursor)?;
        let [app, pid, msgid] = words.map(|word| unless_nil(line, word));
        [app, pid, msgid, data]
    } else {
        let [app, pid] = tag(&mut cursor);
        [app, pid, ByteRange::default(), ByteRange::default()]
    };
    cursor.skip_blanks();
    if cursor.rest().starts_with(b"\xEF\xBB\xBF") {
        cursor.at += 3;
    }
    *parts = [priority, priority, time, host, app, pid, msgid, data, cursor.to_end()];
    (host.len() > 0 || is_new).then_some(())
}

/// Reads `Nov 16 11:42:20`, with or without a year or a fraction, or a date-time without blanks.
fn syslog_time(cursor: &mut LineCursor<'_>) -> Option<ByteRange> {
    let start = cursor.at;
    let first = cursor.word();
    let mut end = first.end;
    match first.of(cursor.line) {
        [b'A'..=b'Z', b'a'..=b'z', b'a'..=b'z'] => {
            let is_number = |range: ByteRange, line: &[u8]| range.of(line).iter().all(u8::is_ascii_digit);
            let day = cursor.word();
            let mut clock = cursor.word();
            if clock.len() == 4 && is_number(clock, cursor.line) {
                clock = cursor.word();
            }
            end = clock.end;
            let text = clock.of(cursor.line);
            let has_clock = matches!(text, [b'0'..=b'2', b'0'..=b'9', b':', _, _, b':', ..]);
            // Cisco writes a colon behind the time.
            end -= usize::from(text.last() == Some(&b':'));
            (day.len() > 0 && is_number(day, cursor.line) && has_clock).then_some(())?;
        }
        [b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', b'-', .., _]
            if memchr(b'T', first.of(cursor.line)).is_some() => {}
        b"-" => {}
        _ => return None,
    }
    Some(ByteRange { start, end })
}

/// Reads `APP[PID]:` or `APP:`; both are empty if there is no colon behind them.
fn tag(cursor: &mut LineCursor<'_>) -> [ByteRange; 2] {
    let (start, nothing) = (cursor.at, [ByteRange::default(); 2]);
    let word = cursor.rest();
    let Some(length) = word.iter().position(|byte| matches!(byte, b':' | b'[' | b' ')) else { return nothing };
    let app = ByteRange { start, end: start + length };
    if length == 0 {
        return nothing;
    }
    match word[length] {
        b':' => {
            cursor.at = app.end + 1;
            [app, ByteRange::default()]
        }
        b'[' => match memchr(b']', &word[length..]).map(|close| app.end + close) {
            Some(close) if close < cursor.line.len() => {
                cursor.at = close + 1;
                let _ = cursor.take(b':');
                [app, ByteRange { start: app.end + 1, end: close }]
            }
            _ => nothing,
        },
        _ => nothing,
    }
}

/// Reads `-` or `[id name="value" ...]...`, where `\]` and `\"` are inside values.
fn structured_data(cursor: &mut LineCursor<'_>) -> Option<ByteRange> {
    if cursor.peek() != Some(b'[') {
        let nil = cursor.word();
        return matches!(nil.of(cursor.line), b"-" | b"").then(ByteRange::default);
    }
    let start = cursor.at;
    while cursor.take(b'[').is_some() {
        loop {
            cursor.at += memchr2(b']', b'"', cursor.rest())?;
            if cursor.take(b']').is_some() {
                break;
            }
            cursor.quoted()?;
        }
    }
    Some(ByteRange { start, end: cursor.at })
}

/// `TIME STREAM TAG MESSAGE`
fn cri(line: &[u8], parts: &mut [ByteRange; 4]) -> Option<()> {
    let mut cursor = LineCursor { line, at: 0 };
    let (time, stream) = (cursor.word(), cursor.word());
    matches!(stream.of(line), b"stdout" | b"stderr").then_some(())?;
    let start = cursor.at;
    let length = memchr(b' ', cursor.rest()).unwrap_or(cursor.rest().len());
    let tag = ByteRange { start, end: start + length };
    matches!(tag.of(line).first(), Some(b'F' | b'P')).then_some(())?;
    cursor.at = tag.end + 1;
    *parts = [time, stream, tag, cursor.to_end()];
    Some(())
}

/// `{"log": MESSAGE, "stream": STREAM, "attrs": {...}, "time": TIME}`, in any order.
fn docker(line: &[u8], parts: &mut [ByteRange; 4]) -> Option<()> {
    let mut scanner: Scanner<'_, true> = Scanner::of_text(str::from_utf8(line).ok()?);
    scanner.open_object().ok()?;
    *parts = <[ByteRange; 4]>::default();
    let (mut is_first, mut is_log) = (true, false);
    while let Some((key, range)) = scanner.entry(is_first).ok()? {
        is_first = false;
        let is_string = line[range.start] == b'"';
        let inside = ByteRange { start: range.start + 1, end: range.end.saturating_sub(1) };
        match key.range.of(line) {
            b"log" if is_string => {
                is_log = true;
                parts[0] = inside;
            }
            b"stream" if is_string => parts[1] = inside,
            b"time" if is_string => parts[2] = inside,
            b"attrs" => parts[3] = range,
            _ => return None,
        }
    }
    scanner.end().ok()?;
    (is_log && parts[2].len() > 0).then_some(())
}

/// `TIME LEVEL PREFIX {...}`; anything may be missing before the object.
fn json(line: &[u8], parts: &mut [ByteRange; 4]) -> Option<()> {
    let open = memchr(b'{', line)?;
    (line.last() == Some(&b'}')).then_some(())?;
    let prefix = &line[..open];
    let mut cursor = LineCursor { line: prefix, at: 0 };
    let is_bracketed = cursor.take(b'[').is_some();
    let mut time = ByteRange::default();
    if cursor.peek().is_some_and(|byte| byte.is_ascii_alphanumeric())
        && let Some(blanks) = leading_date_blanks(cursor.rest().split(|byte| *byte == b']').next().unwrap_or_default())
    {
        time.start = cursor.at;
        for _ in 0..=blanks {
            time.end = cursor.word().end;
        }
        if is_bracketed {
            time.end = time.start + time.of(line).iter().take_while(|byte| **byte != b']').count();
            cursor.at = time.end + 1;
            cursor.skip_blanks();
        }
    } else {
        cursor.at = 0;
    }
    let mut level = cursor.word();
    let inside = level.of(line).trim_ascii();
    let name = inside.strip_prefix(b"[").unwrap_or(inside);
    let name = name.strip_suffix(b":").unwrap_or(name);
    let name = name.strip_suffix(b"]").unwrap_or(name);
    if is_level(name) {
        level.start += usize::from(inside.first() == Some(&b'['));
        level.end = level.start + name.len();
    } else {
        cursor.at = level.start;
        level = ByteRange::default();
    }
    *parts = [time, level, cursor.to_end(), ByteRange { start: open, end: line.len() }];
    Some(())
}

/// Returns true if a word is a usual level of a log.
pub(super) fn is_level(word: &[u8]) -> bool {
    const LEVELS: &[&[u8]] = &[
        b"TRACE",
        b"DEBUG",
        b"INFO",
        b"NOTICE",
        b"WARN",
        b"WARNING",
        b"ERROR",
        b"ERR",
        b"CRITICAL",
        b"CRIT",
        b"FATAL",
        b"SEVERE",
        b"ALERT",
        b"EMERG",
        b"PANIC",
        b"LOG",
        b"FINE",
        b"VERBOSE",
    ];
    LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests;
