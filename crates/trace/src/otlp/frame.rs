// SPDX-License-Identifier: MIT OR Apache-2.0
//! Splits a file into requests: JSON objects, or protobuf with or without length prefixes.

use gnomon_otlp::{ExportRequest, Limits, decode_json, decode_protobuf};
use gnomon_scan::{Buffer, ByteSource, Code, Cursor, Fault, MOST_FIELDS, TraceError, is_space};

use crate::json::object_end;
use crate::reader::Location;

/// Limit on the size of a request.
const LARGEST: usize = 64 << 20;
/// Limits of one request. The size of its events is limited elsewhere: only the fields that the projection wants are
/// stored and counted.
const LIMITS: Limits = Limits {
    bytes: LARGEST,
    depth: 32,
    spans: 1 << 19,
    attributes: MOST_FIELDS,
    values: 1 << 22,
    expanded: usize::MAX,
};
/// The number of bytes from which the framing is detected.
const HEAD: usize = 4096;
/// The first byte of a request in protobuf: the tag of its only field.
const TAG: u8 = 0x0A;

/// The notation of the requests of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Framing {
    /// JSON objects.
    Json,
    /// Protobuf without lengths; concatenated requests are one request.
    Bare,
    /// Protobuf, each request after its length as a varint.
    Lengths,
    /// Protobuf, each request after its length in four bytes, big endian.
    WideLengths,
}

pub(super) struct Frames<R> {
    cursor: Cursor<R>,
    framing: Option<Framing>,
    /// The number of the current request, from 1.
    number: u64,
}

impl<R: ByteSource> Frames<R> {
    pub(super) fn new(buffer: Buffer<R>) -> Self {
        Frames { cursor: Cursor::new(buffer), framing: None, number: 0 }
    }

    /// Returns the next request; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<ExportRequest>, Fault> {
        let framing = match self.framing {
            Some(framing) => framing,
            None => self.detect()?,
        };
        self.framing = Some(framing);
        if framing == Framing::Json {
            self.cursor.skip_space()?;
        }
        self.cursor.start_row();
        let Some(first) = self.cursor.peek()? else { return Ok(None) };
        self.number += 1;
        let (start, end) = match framing {
            Framing::Json if first == b'{' => (0, object_end(&mut self.cursor.buffer)?),
            Framing::Json => return Err(not_a_request()),
            Framing::Bare => self.bare(first)?,
            Framing::Lengths => self.after_length(0)?,
            Framing::WideLengths => self.after_wide_length()?,
        };
        self.cursor.at = end;
        let request = &self.cursor.row()[start..end];
        let decoded =
            if framing == Framing::Json { decode_json(request, &LIMITS) } else { decode_protobuf(request, &LIMITS) };
        decoded.map(Some)
    }

    /// Detects the framing from the first bytes.
    fn detect(&mut self) -> Result<Framing, Fault> {
        self.cursor.buffer.fill(HEAD)?;
        let row = self.cursor.row();
        // The buffer may hold more, depending on how many bytes each read returned.
        let head = &row[..row.len().min(HEAD)];
        let not_blank = |bytes: &[u8]| bytes.iter().position(|byte| !is_space(*byte));
        // A line feed is white space of JSON and the tag of protobuf, and a brace may be a length: the byte after the
        // brace decides.
        let is_json = not_blank(head).is_none_or(|at| {
            let inside = head.get(at + 1..).unwrap_or_default();
            let next = not_blank(inside).map(|next| inside[next]);
            head[at] == b'{' && matches!(next, None | Some(b'"' | b'}'))
        });
        Ok(match head.first() {
            _ if is_json => Framing::Json,
            Some(&TAG) => Framing::Bare,
            Some(0) => Framing::WideLengths,
            _ => Framing::Lengths,
        })
    }

    /// Returns the range of a field of a request without a length; a single field is a valid request.
    fn bare(&mut self, first: u8) -> Result<(usize, usize), Fault> {
        if first != TAG {
            return Err(not_a_request());
        }
        self.after_length(1).map(|(_, end)| (0, end))
    }

    /// Returns the range of the message whose length, a varint, stands at this offset.
    fn after_length(&mut self, at: usize) -> Result<(usize, usize), Fault> {
        const LONGEST: usize = 5;
        self.cursor.buffer.fill(at + LONGEST)?;
        let row = self.cursor.row();
        let mut length = 0;
        for (index, byte) in row[at..].iter().take(LONGEST).enumerate() {
            length |= usize::from(byte & 0x7F) << (7 * index);
            if *byte < 0x80 {
                return self.read_message(at + index + 1, length);
            }
        }
        Err(not_a_request())
    }

    fn after_wide_length(&mut self) -> Result<(usize, usize), Fault> {
        self.cursor.buffer.fill(4)?;
        let bytes = self.cursor.row().first_chunk::<4>().ok_or_else(not_a_request)?;
        let length = u32::from_be_bytes(*bytes) as usize;
        self.read_message(4, length)
    }

    /// Reads until a message of this length is in the buffer; returns its range.
    fn read_message(&mut self, start: usize, length: usize) -> Result<(usize, usize), Fault> {
        let is_bare = self.framing == Some(Framing::Bare);
        self.cursor.buffer.fill(start + 1)?;
        let row = self.cursor.row();
        // Refuses input that is not an export before its first bytes are taken for the length of a huge request.
        if !is_bare && length > 0 && row.get(start).is_some_and(|first| *first != TAG) {
            return Err(not_a_request());
        }
        if length > LARGEST {
            return Err(
                Fault::new(Code::TooLong, 0, "this request is longer than 64 MiB").help("export smaller batches")
            );
        }
        self.cursor.buffer.fill(start + length)?;
        if self.cursor.row().len() < start + length {
            return Err(Fault::new(Code::NotAnExport, self.cursor.row().len(), "the input ends inside a request")
                .help("the export may have been cut off; get all of it"));
        }
        Ok((start, start + length))
    }

    /// Returns the location of a byte of the current request. Protobuf has no lines: requests are counted instead.
    pub(super) fn location(&self, from: Location, skip: usize, at: usize) -> Location {
        let row = self.cursor.row();
        match self.framing {
            Some(Framing::Json) | None => from.after(&row[skip.min(row.len())..at.min(row.len())]),
            Some(_) => Location { line: self.number, column: at as u64 + 1 },
        }
    }

    /// Returns the location of the current request.
    pub(super) fn start(&self) -> Location {
        self.location(self.cursor.location(), 0, 0)
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.cursor.buffer.bytes_read()
    }

    #[cold]
    pub(super) fn error(&self, source: &str, fault: Fault) -> TraceError {
        TraceError::new(source, self.location(self.cursor.location(), 0, fault.at()), fault)
    }
}

#[cold]
fn not_a_request() -> Fault {
    Fault::new(Code::NotAnExport, 0, "this is not the beginning of a request")
        .help("an export is JSON like `{\"resourceSpans\":[...]}`, or protobuf; if it is none, name its format with `--format`")
}
