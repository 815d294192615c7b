// SPDX-License-Identifier: MIT OR Apache-2.0
//! The wire format of protobuf, field by field, without building messages.

use crate::error::{Error, ErrorKind};

/// A message, or what is left of it.
#[derive(Clone, Copy)]
pub(super) struct Wire<'a> {
    rest: &'a [u8],
    /// Where the rest begins in the request.
    at: usize,
}

/// A field of a message.
pub(super) struct Field<'a> {
    number: u64,
    /// Where its value begins in the request.
    at: usize,
    content: Content<'a>,
}

enum Content<'a> {
    Varint(u64),
    Fixed(u64),
    /// Thirty-two bits, which no field here has.
    Short,
    Bytes(&'a [u8]),
}

impl<'a> Wire<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Wire { rest: bytes, at: 0 }
    }

    /// Where the message goes on, from the beginning of the request.
    pub(super) fn at(self) -> usize {
        self.at
    }

    /// The next field, with its number; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Field<'a>)>, Error> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let start = self.at;
        let tag = self.varint()?;
        let number = tag >> 3;
        if number == 0 || number >= 1 << 29 {
            return Err(wrong(start, "no field of protobuf has this number"));
        }
        let mut at = self.at;
        let content = match tag & 7 {
            0 => Content::Varint(self.varint()?),
            1 => Content::Fixed(self.take(8)?.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))),
            2 => {
                let length = self.varint()?;
                at = self.at;
                Content::Bytes(self.take(usize::try_from(length).unwrap_or(usize::MAX))?)
            }
            5 => {
                self.take(4)?;
                Content::Short
            }
            _ => return Err(wrong(start, "this begins no field of protobuf as exports have them")),
        };
        Ok(Some((number, Field { number, at, content })))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Error> {
        let Some((taken, rest)) = self.rest.split_at_checked(length) else {
            return Err(wrong(self.at, "the message ends inside this field"));
        };
        (self.rest, self.at) = (rest, self.at + length);
        Ok(taken)
    }

    /// Seven bits a byte, the lowest first, until a byte below 128.
    fn varint(&mut self) -> Result<u64, Error> {
        const LONGEST: usize = 10;
        let mut number = 0;
        for (index, byte) in self.rest.iter().take(LONGEST).enumerate() {
            number |= u64::from(byte & 0x7F) << (7 * index);
            if *byte < 0x80 {
                self.take(index + 1)?;
                return Ok(number);
            }
        }
        Err(wrong(self.at, "this number does not end"))
    }
}

impl<'a> Field<'a> {
    /// Where its value begins in the request.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn bytes(&self) -> Result<&'a [u8], Error> {
        match self.content {
            Content::Bytes(bytes) => Ok(bytes),
            _ => Err(self.mistyped()),
        }
    }

    pub(super) fn message(&self) -> Result<Wire<'a>, Error> {
        self.bytes().map(|rest| Wire { rest, at: self.at })
    }

    pub(super) fn text(&self) -> Result<&'a str, Error> {
        str::from_utf8(self.bytes()?)
            .map_err(|error| Error::new(ErrorKind::NotUtf8, self.at + error.valid_up_to(), "this text is not UTF-8"))
    }

    pub(super) fn varint(&self) -> Result<u64, Error> {
        match self.content {
            Content::Varint(number) => Ok(number),
            _ => Err(self.mistyped()),
        }
    }

    pub(super) fn fixed(&self) -> Result<u64, Error> {
        match self.content {
            Content::Fixed(number) => Ok(number),
            _ => Err(self.mistyped()),
        }
    }

    #[cold]
    fn mistyped(&self) -> Error {
        wrong(self.at, &format!("field {} has not the type that it has in exports of traces", self.number))
    }
}

#[cold]
fn wrong(at: usize, message: &str) -> Error {
    Error::new(ErrorKind::NotAnExport, at, message)
        .help("the request should be `ExportTraceServiceRequest` in protobuf, whole and unpacked")
}
