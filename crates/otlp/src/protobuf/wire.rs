// SPDX-License-Identifier: MIT OR Apache-2.0
//! A reader for the wire format of protobuf that builds no messages.

use gnomon_scan::{Code, Fault};

/// The rest of a message.
#[derive(Clone, Copy)]
pub(super) struct WireReader<'a> {
    rest: &'a [u8],
    /// Offset of the rest in the request.
    at: usize,
}

/// A field of a message.
pub(super) struct WireField<'a> {
    number: u64,
    /// Offset of its value in the request.
    at: usize,
    content: WireValue<'a>,
}

enum WireValue<'a> {
    Varint(u64),
    Fixed(u64),
    /// Thirty-two bits, which no field here has.
    Short,
    Bytes(&'a [u8]),
}

impl<'a> WireReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        WireReader { rest: bytes, at: 0 }
    }

    /// Returns the offset of the rest in the request.
    pub(super) fn at(self) -> usize {
        self.at
    }

    /// Reads the next field with its number; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(u64, WireField<'a>)>, Fault> {
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
            0 => WireValue::Varint(self.varint()?),
            1 => WireValue::Fixed(self.take(8)?.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))),
            2 => {
                let length = self.varint()?;
                at = self.at;
                WireValue::Bytes(self.take(usize::try_from(length).unwrap_or(usize::MAX))?)
            }
            5 => {
                self.take(4)?;
                WireValue::Short
            }
            _ => return Err(wrong(start, "this is not the beginning of a field of an export in protobuf")),
        };
        Ok(Some((number, WireField { number, at, content })))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Fault> {
        let Some((bytes, rest)) = self.rest.split_at_checked(length) else {
            return Err(wrong(self.at, "the message ends inside this field"));
        };
        (self.rest, self.at) = (rest, self.at + length);
        Ok(bytes)
    }

    /// Reads a variable-length integer: seven bits per byte, lowest first, until a byte below 128.
    fn varint(&mut self) -> Result<u64, Fault> {
        const MAX_LENGTH: usize = 10;
        let mut number = 0;
        for (index, byte) in self.rest.iter().take(MAX_LENGTH).enumerate() {
            number |= u64::from(byte & 0x7F) << (7 * index);
            if *byte < 0x80 {
                self.take(index + 1)?;
                return Ok(number);
            }
        }
        Err(wrong(self.at, "this number does not end"))
    }
}

impl<'a> WireField<'a> {
    /// Returns the offset of its value in the request.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn bytes(&self) -> Result<&'a [u8], Fault> {
        match self.content {
            WireValue::Bytes(bytes) => Ok(bytes),
            _ => Err(self.mistyped()),
        }
    }

    pub(super) fn message(&self) -> Result<WireReader<'a>, Fault> {
        self.bytes().map(|rest| WireReader { rest, at: self.at })
    }

    pub(super) fn text(&self) -> Result<&'a str, Fault> {
        str::from_utf8(self.bytes()?)
            .map_err(|error| Fault::new(Code::NotUtf8, self.at + error.valid_up_to(), "this text is not UTF-8"))
    }

    pub(super) fn varint(&self) -> Result<u64, Fault> {
        match self.content {
            WireValue::Varint(number) => Ok(number),
            _ => Err(self.mistyped()),
        }
    }

    pub(super) fn fixed(&self) -> Result<u64, Fault> {
        match self.content {
            WireValue::Fixed(number) => Ok(number),
            _ => Err(self.mistyped()),
        }
    }

    #[cold]
    fn mistyped(&self) -> Fault {
        wrong(self.at, &format!("field {} does not have the type that it has in exports of traces", self.number))
    }
}

#[cold]
fn wrong(at: usize, message: &str) -> Fault {
    Fault::new(Code::NotAnExport, at, message)
        .help("the request should be a complete, uncompressed `ExportTraceServiceRequest` in protobuf")
}
