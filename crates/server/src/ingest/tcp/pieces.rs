// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes of a connection as bodies that can be judged: whole lines, or whole elements of XML.

use bytes::{Buf, Bytes, BytesMut};
use gnomon_live::BodyFormat;

use super::super::xml::{Cut, Cutter};
use super::greeting::Greeting;

/// A whole part of what came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    /// The line before the events.
    Greeting(Bytes),
    /// Events, and the line of the connection that they begin in.
    Events(Bytes, u64),
}

/// What every body of elements begins with.
const ROOT: &[u8] = b"<log>";

/// Bytes that came and were not handed on.
#[derive(Debug)]
pub(super) struct Pieces {
    buffer: BytesMut,
    format: Option<BodyFormat>,
    /// Whether a greeting may still come.
    is_fresh: bool,
    /// The line that the buffer begins in.
    line: u64,
    cutter: Cutter,
    /// How much of the buffer the cutter has seen.
    seen: usize,
    /// The longest line that may be waited for.
    limit: usize,
}

impl Pieces {
    pub(super) fn new(limit: usize) -> Pieces {
        Pieces {
            buffer: BytesMut::new(),
            format: None,
            is_fresh: true,
            line: 1,
            cutter: Cutter::default(),
            seen: 0,
            limit,
        }
    }

    /// Where bytes are added.
    pub(super) fn buffer(&mut self) -> &mut BytesMut {
        self.buffer.reserve(16 << 10);
        &mut self.buffer
    }

    /// How much is waiting.
    pub(super) fn len(&self) -> usize {
        self.buffer.len()
    }

    /// What is being sent.
    pub(super) fn format(&self) -> BodyFormat {
        self.format.unwrap_or(BodyFormat::Ndjson)
    }

    /// The next whole part. `is_over`: nothing more comes, so the rest is one.
    pub(super) fn next(&mut self, is_over: bool) -> Option<Piece> {
        if self.format.is_none() {
            self.skip_blanks();
            match self.buffer.first()? {
                b'<' => self.format = Some(BodyFormat::Xml),
                _ if self.is_fresh => {
                    let end = memchr::memchr(b'\n', &self.buffer).map(|at| at + 1);
                    let end = end.or((is_over || self.len() > self.limit).then_some(self.len()))?;
                    self.is_fresh = false;
                    if Greeting::is_one(&self.buffer[..end]) {
                        return Some(Piece::Greeting(self.take(end)));
                    }
                    self.format = Some(BodyFormat::Ndjson);
                }
                _ => self.format = Some(BodyFormat::Ndjson),
            }
        }
        match self.format() {
            BodyFormat::Xml => self.next_xml(is_over),
            BodyFormat::Ndjson => self.next_lines(is_over),
        }
    }

    fn next_lines(&mut self, is_over: bool) -> Option<Piece> {
        let end = if is_over { self.len() } else { memchr::memrchr(b'\n', &self.buffer).map_or(0, |at| at + 1) };
        let line = self.line;
        let body = self.take(end);
        (!body.trim_ascii().is_empty()).then_some(Piece::Events(body, line))
    }

    fn next_xml(&mut self, is_over: bool) -> Option<Piece> {
        let seen = self.seen;
        // Stretches of whole events; between them are tags of the root, which are no part of any.
        let (mut from, mut end, mut stretches) = (0, 0, Vec::new());
        self.cutter.read(&self.buffer[seen..], |cut| match cut {
            Cut::Event(at) => end = seen + at,
            Cut::Opened(at) | Cut::Closed(at) => {
                stretches.push(from..end);
                (from, end) = (seen + at, seen + at);
            }
        });
        stretches.push(from..end);
        stretches.retain(|stretch| !stretch.is_empty());
        let mut body = BytesMut::from(ROOT);
        for stretch in &stretches {
            body.extend_from_slice(&self.buffer[stretch.clone()]);
        }
        let line = self.line + newlines(&self.buffer[..stretches.first().map_or(end, |stretch| stretch.start)]);
        self.seen = self.buffer.len() - end;
        self.take(end);
        if is_over && body.len() == ROOT.len() {
            // An event that was broken off: the reader says so.
            let rest = self.take(self.len());
            self.seen = 0;
            body.extend_from_slice(rest.trim_ascii());
        }
        if body.len() == ROOT.len() {
            return None;
        }
        body.extend_from_slice(b"</log>");
        Some(Piece::Events(body.freeze(), line))
    }

    fn skip_blanks(&mut self) {
        let blanks = self.buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.take(blanks);
    }

    fn take(&mut self, bytes: usize) -> Bytes {
        if bytes == self.buffer.len() {
            self.line += newlines(&self.buffer);
            return self.buffer.split().freeze();
        }
        let taken = Bytes::copy_from_slice(&self.buffer[..bytes]);
        self.line += newlines(&taken);
        self.buffer.advance(bytes);
        taken
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str, size: usize) -> Vec<Piece> {
        let (mut pieces, mut found) = (Pieces::new(1 << 20), Vec::new());
        for part in text.as_bytes().chunks(size) {
            pieces.buffer().extend_from_slice(part);
            while let Some(piece) = pieces.next(false) {
                found.push(piece);
            }
        }
        while let Some(piece) = pieces.next(true) {
            found.push(piece);
        }
        assert_eq!(pieces.len(), 0);
        found
    }

    fn events(pieces: &[Piece]) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Greeting(_) => None,
            Piece::Events(body, _) => Some(String::from_utf8(body.to_vec()).unwrap()),
        };
        pieces.iter().filter_map(text).collect()
    }

    #[test]
    fn lines_come_whole_however_they_are_cut() {
        let text = "\n{\"gnomon\": {}}\n{\"event\": \"a\"}\n{\"event\": \"b\"}\n\n{\"event\": \"c\"}";
        for size in 1..=text.len() {
            let found = pieces(text, size);
            assert_eq!(found[0], Piece::Greeting("{\"gnomon\": {}}\n".into()), "{size}");
            assert_eq!(events(&found).lines().filter(|line| !line.is_empty()).count(), 3, "{size}");
            assert!(matches!(found[1], Piece::Events(_, 3)), "{size}: {found:?}");
        }
    }

    #[test]
    fn an_event_may_stand_where_a_greeting_could() {
        let found = pieces("{\"event\": \"a\"}\n{\"gnomon\": {}}\n", 100);
        assert_eq!(events(&found), "{\"event\": \"a\"}\n{\"gnomon\": {}}\n");
    }

    #[test]
    fn elements_come_whole_in_a_root_of_their_own() {
        let text = "{\"gnomon\": {}}\n<?xml version='1.0'?>\n<log>\n<event>a</event>\n<event>b</event></log>\n<log><event>c</event></log>\n";
        for size in 1..=text.len() {
            let found = pieces(text, size);
            let bare = events(&found).replace("<log>", "").replace("</log>", "").replace('\n', "");
            assert_eq!(bare, "<event>a</event><event>b</event><event>c</event>", "{size}");
            assert!(matches!(found[1], Piece::Events(_, 3 | 4)), "{size}: {found:?}");
        }
    }

    #[test]
    fn what_is_broken_off_is_handed_on_to_be_refused() {
        assert_eq!(events(&pieces("<log><event>a</event><eve", 100)), "<log><event>a</event></log><log><eve</log>");
    }
}
