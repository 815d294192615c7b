// SPDX-License-Identifier: MIT OR Apache-2.0
//! The requests of a file, one after the other: JSON objects, or protobuf with or without lengths in front.

use std::io::Read;

use gnomon_otlp::{Error, ErrorKind, Limits, Request, decode_json, decode_protobuf};

use crate::buffer::Buffer;
use crate::cursor::{Cursor, is_space};
use crate::error::{Code, Fault, TraceError};
use crate::fields::MOST_FIELDS;
use crate::json::object_end;
use crate::reader::Place;

/// The largest request that is taken in.
const LARGEST: usize = 64 << 20;
/// What one request of a file may have. How much its events take is not bounded here: they are kept as the projection
/// wants them, and that is counted.
const LIMITS: Limits = Limits {
    bytes: LARGEST,
    depth: 32,
    spans: 1 << 19,
    attributes: MOST_FIELDS,
    values: 1 << 22,
    expanded: usize::MAX,
};
/// How much of a file tells how its requests are written.
const HEAD: usize = 4096;
/// What a request in protobuf begins with: the mark of its only field.
const MARK: u8 = 0x0A;

/// How the requests are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    /// Objects of JSON.
    Json,
    /// Protobuf, one request; requests that follow one another are one request, too.
    Bare,
    /// Protobuf, a length of one byte or more in front of each.
    Lengths,
    /// Protobuf, a length of four bytes in front of each, the highest first.
    WideLengths,
}

pub(super) struct Frames<R> {
    cursor: Cursor<R>,
    shape: Option<Shape>,
    /// Which request this is, from 1.
    number: u64,
}

impl<R: Read> Frames<R> {
    pub(super) fn new(buffer: Buffer<R>) -> Self {
        Frames { cursor: Cursor::new(buffer), shape: None, number: 0 }
    }

    /// The next request; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Request>, Fault> {
        let shape = match self.shape {
            Some(shape) => shape,
            None => self.look()?,
        };
        self.shape = Some(shape);
        if shape == Shape::Json {
            self.cursor.skip_space()?;
        }
        self.cursor.turn();
        let Some(first) = self.cursor.peek()? else { return Ok(None) };
        self.number += 1;
        let (start, end) = match shape {
            Shape::Json if first == b'{' => (0, object_end(&mut self.cursor.buffer)?),
            Shape::Json => return Err(no_request()),
            Shape::Bare => self.bare(first)?,
            Shape::Lengths => self.after_length(0)?,
            Shape::WideLengths => self.after_wide_length()?,
        };
        self.cursor.at = end;
        let request = &self.cursor.row()[start..end];
        let decoded =
            if shape == Shape::Json { decode_json(request, &LIMITS) } else { decode_protobuf(request, &LIMITS) };
        decoded.map(Some).map_err(|error| fault(&error))
    }

    /// How the requests are written, as the first bytes tell.
    fn look(&mut self) -> Result<Shape, Fault> {
        self.cursor.buffer.fill(HEAD)?;
        let head = self.cursor.row();
        let not_blank = |bytes: &[u8]| bytes.iter().position(|byte| !is_space(*byte));
        // A line feed is a blank of JSON and the mark of protobuf, so a brace alone, which may be a length, is not enough.
        let is_json = not_blank(head).is_none_or(|at| {
            let inside = head.get(at + 1..).unwrap_or_default();
            let next = not_blank(inside).map(|next| inside[next]);
            head[at] == b'{' && matches!(next, None | Some(b'"' | b'}'))
        });
        Ok(match head.first() {
            _ if is_json => Shape::Json,
            Some(&MARK) => Shape::Bare,
            Some(0) => Shape::WideLengths,
            _ => Shape::Lengths,
        })
    }

    /// A field of a request without a length in front, which is as good as a request.
    fn bare(&mut self, first: u8) -> Result<(usize, usize), Fault> {
        if first != MARK {
            return Err(no_request());
        }
        self.after_length(1).map(|(_, end)| (0, end))
    }

    /// What follows the length at this place: where it begins and ends.
    fn after_length(&mut self, at: usize) -> Result<(usize, usize), Fault> {
        const LONGEST: usize = 5;
        self.cursor.buffer.fill(at + LONGEST)?;
        let row = self.cursor.row();
        let mut length = 0;
        for (index, byte) in row[at..].iter().take(LONGEST).enumerate() {
            length |= usize::from(byte & 0x7F) << (7 * index);
            if *byte < 0x80 {
                return self.whole(at + index + 1, length);
            }
        }
        Err(no_request())
    }

    fn after_wide_length(&mut self) -> Result<(usize, usize), Fault> {
        self.cursor.buffer.fill(4)?;
        let bytes = self.cursor.row().first_chunk::<4>().ok_or_else(no_request)?;
        let length = u32::from_be_bytes(*bytes) as usize;
        self.whole(4, length)
    }

    /// A message of this length, once all of it is there.
    fn whole(&mut self, start: usize, length: usize) -> Result<(usize, usize), Fault> {
        let is_bare = self.shape == Some(Shape::Bare);
        self.cursor.buffer.fill(start + 1)?;
        let row = self.cursor.row();
        // What is no export at all is told apart here, before its first bytes are taken for the length of a giant.
        if !is_bare && length > 0 && row.get(start).is_some_and(|first| *first != MARK) {
            return Err(no_request());
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

    /// Where a byte of the present request is: protobuf has no lines, so that its requests are counted.
    pub(super) fn place(&self, from: Place, skip: usize, at: usize) -> Place {
        let row = self.cursor.row();
        match self.shape {
            Some(Shape::Json) | None => from.after(&row[skip.min(row.len())..at.min(row.len())]),
            Some(_) => Place { line: self.number, column: at as u64 + 1 },
        }
    }

    /// Where the present request begins.
    pub(super) fn start(&self) -> Place {
        self.place(self.cursor.place(), 0, 0)
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.cursor.buffer.bytes_read()
    }

    #[cold]
    pub(super) fn error(&self, source: &str, fault: Fault) -> TraceError {
        TraceError::new(source, self.place(self.cursor.place(), 0, fault.at()), fault)
    }
}

#[cold]
fn no_request() -> Fault {
    Fault::new(Code::NotAnExport, 0, "no request begins here")
        .help("an export is JSON like `{\"resourceSpans\":[...]}`, or protobuf; if it is none, name its format with `--format`")
}

#[cold]
fn fault(error: &Error) -> Fault {
    let code = match error.kind() {
        ErrorKind::Json => Code::BadJson,
        ErrorKind::NotUtf8 => Code::NotUtf8,
        ErrorKind::NotAnExport => Code::NotAnExport,
        ErrorKind::TooDeep => Code::TooDeep,
        ErrorKind::TooManyAttributes => Code::TooManyCells,
        ErrorKind::TooLarge => Code::TooLong,
    };
    let fault = Fault::new(code, error.at(), error.message());
    match error.advice() {
        Some(advice) => fault.help(advice),
        None => fault,
    }
}
