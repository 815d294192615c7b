// SPDX-License-Identifier: MIT OR Apache-2.0
//! Splits the data of a connection into bodies of complete lines or complete XML elements.

use bytes::{Buf, Bytes, BytesMut};
use gnomon_live::BodyFormat;

use super::super::xml_splitter::{CutPoint, XmlSplitter};
use super::greeting::Greeting;

/// A complete part of the data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ConnectionChunk {
    /// The greeting before the events.
    Greeting(Bytes),
    /// Events, and the line of the connection that they begin in.
    Events(Bytes, u64),
}

/// Start of every body of elements.
const ROOT: &[u8] = b"<log>";

/// Data that was received and not submitted yet.
#[derive(Debug)]
pub(super) struct ConnectionBuffer {
    buffer: BytesMut,
    format: Option<BodyFormat>,
    /// True if a greeting may still come.
    is_fresh: bool,
    /// The line that the buffer begins in.
    line: u64,
    splitter: XmlSplitter,
    /// Number of bytes that the splitter has scanned.
    scanned: usize,
    /// Maximum length of a line.
    limit: usize,
}

impl ConnectionBuffer {
    pub(super) fn new(limit: usize) -> ConnectionBuffer {
        ConnectionBuffer {
            buffer: BytesMut::new(),
            format: None,
            is_fresh: true,
            line: 1,
            splitter: XmlSplitter::default(),
            scanned: 0,
            limit,
        }
    }

    /// Returns the buffer to append to.
    pub(super) fn buffer(&mut self) -> &mut BytesMut {
        self.buffer.reserve(16 << 10);
        &mut self.buffer
    }

    /// Returns the number of buffered bytes.
    pub(super) fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Returns the format of the events.
    pub(super) fn format(&self) -> BodyFormat {
        self.format.unwrap_or(BodyFormat::Ndjson)
    }

    /// Returns the next complete part. `is_over`: no data follows, so the rest is complete.
    pub(super) fn next(&mut self, is_over: bool) -> Option<ConnectionChunk> {
        if self.format.is_none() {
            self.skip_blanks();
            match self.buffer.first()? {
                b'<' => self.format = Some(BodyFormat::Xml),
                _ if self.is_fresh => {
                    let end = memchr::memchr(b'\n', &self.buffer).map(|at| at + 1);
                    let end = end.or((is_over || self.len() > self.limit).then_some(self.len()))?;
                    self.is_fresh = false;
                    if Greeting::is_greeting(&self.buffer[..end]) {
                        return Some(ConnectionChunk::Greeting(self.take(end)));
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

    fn next_lines(&mut self, is_over: bool) -> Option<ConnectionChunk> {
        let end = if is_over { self.len() } else { memchr::memrchr(b'\n', &self.buffer).map_or(0, |at| at + 1) };
        let line = self.line;
        let body = self.take(end);
        (!body.trim_ascii().is_empty()).then_some(ConnectionChunk::Events(body, line))
    }

    fn next_xml(&mut self, is_over: bool) -> Option<ConnectionChunk> {
        let scanned = self.scanned;
        // Ranges of complete events; between them are tags of the root element.
        let (mut from, mut end, mut ranges) = (0, 0, Vec::new());
        self.splitter.read(&self.buffer[scanned..], |cut| match cut {
            CutPoint::Event(at) => end = scanned + at,
            CutPoint::Opened(at) | CutPoint::Closed(at) => {
                ranges.push(from..end);
                (from, end) = (scanned + at, scanned + at);
            }
        });
        ranges.push(from..end);
        ranges.retain(|range| !range.is_empty());
        let mut body = BytesMut::from(ROOT);
        for range in &ranges {
            body.extend_from_slice(&self.buffer[range.clone()]);
        }
        let line = self.line + newlines(&self.buffer[..ranges.first().map_or(end, |range| range.start)]);
        self.scanned = self.buffer.len() - end;
        self.take(end);
        if is_over && body.len() == ROOT.len() {
            // An incomplete event: the reader reports the error.
            let rest = self.take(self.len());
            self.scanned = 0;
            body.extend_from_slice(rest.trim_ascii());
        }
        if body.len() == ROOT.len() {
            return None;
        }
        body.extend_from_slice(b"</log>");
        Some(ConnectionChunk::Events(body.freeze(), line))
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
        let bytes_before = Bytes::copy_from_slice(&self.buffer[..bytes]);
        self.line += newlines(&bytes_before);
        self.buffer.advance(bytes);
        bytes_before
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(text: &str, size: usize) -> Vec<ConnectionChunk> {
        let (mut chunks, mut found) = (ConnectionBuffer::new(1 << 20), Vec::new());
        for part in text.as_bytes().chunks(size) {
            chunks.buffer().extend_from_slice(part);
            while let Some(piece) = chunks.next(false) {
                found.push(piece);
            }
        }
        while let Some(piece) = chunks.next(true) {
            found.push(piece);
        }
        assert_eq!(chunks.len(), 0);
        found
    }

    fn events(chunks: &[ConnectionChunk]) -> String {
        let text = |piece: &ConnectionChunk| match piece {
            ConnectionChunk::Greeting(_) => None,
            ConnectionChunk::Events(body, _) => Some(String::from_utf8(body.to_vec()).unwrap()),
        };
        chunks.iter().filter_map(text).collect()
    }

    #[test]
    fn lines_come_whole_however_they_are_cut() {
        let text = "\n{\"gnomon\": {}}\n{\"event\": \"a\"}\n{\"event\": \"b\"}\n\n{\"event\": \"c\"}";
        for size in 1..=text.len() {
            let found = chunks(text, size);
            assert_eq!(found[0], ConnectionChunk::Greeting("{\"gnomon\": {}}\n".into()), "{size}");
            assert_eq!(events(&found).lines().filter(|line| !line.is_empty()).count(), 3, "{size}");
            assert!(matches!(found[1], ConnectionChunk::Events(_, 3)), "{size}: {found:?}");
        }
    }

    #[test]
    fn an_event_may_stand_where_a_greeting_could() {
        let found = chunks("{\"event\": \"a\"}\n{\"gnomon\": {}}\n", 100);
        assert_eq!(events(&found), "{\"event\": \"a\"}\n{\"gnomon\": {}}\n");
    }

    #[test]
    fn elements_come_whole_in_a_root_of_their_own() {
        let text = "{\"gnomon\": {}}\n<?xml version='1.0'?>\n<log>\n<event>a</event>\n<event>b</event></log>\n<log><event>c</event></log>\n";
        for size in 1..=text.len() {
            let found = chunks(text, size);
            let bare = events(&found).replace("<log>", "").replace("</log>", "").replace('\n', "");
            assert_eq!(bare, "<event>a</event><event>b</event><event>c</event>", "{size}");
            assert!(matches!(found[1], ConnectionChunk::Events(_, 3 | 4)), "{size}: {found:?}");
        }
    }

    #[test]
    fn what_is_broken_off_is_handed_on_to_be_refused() {
        assert_eq!(events(&chunks("<log><event>a</event><eve", 100)), "<log><event>a</event></log><log><eve</log>");
    }
}
