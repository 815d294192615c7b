// SPDX-License-Identifier: MIT OR Apache-2.0
//! The numbers of traces and spans, written in hexadecimal digits.

use std::fmt;

use crate::error::{Error, ErrorKind};

/// Which trace a span belongs to: sixteen bytes; all zero where none is told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct TraceId([u8; 16]);

/// Which span of its trace: eight bytes; all zero where none is told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SpanId([u8; 8]);

impl TraceId {
    /// Whether none is told.
    pub fn is_absent(self) -> bool {
        self == TraceId::default()
    }

    pub(crate) fn from_bytes(bytes: &[u8], at: usize) -> Result<Self, Error> {
        exact(bytes, at, "trace").map(TraceId)
    }

    pub(crate) fn from_hex(digits: &str, at: usize) -> Result<Self, Error> {
        from_hex(digits, at, "trace").map(TraceId)
    }
}

impl SpanId {
    /// Whether none is told.
    pub fn is_absent(self) -> bool {
        self == SpanId::default()
    }

    pub(crate) fn from_bytes(bytes: &[u8], at: usize) -> Result<Self, Error> {
        exact(bytes, at, "span").map(SpanId)
    }

    pub(crate) fn from_hex(digits: &str, at: usize) -> Result<Self, Error> {
        from_hex(digits, at, "span").map(SpanId)
    }
}

/// The bytes, if there are as many as there must be, or none.
fn exact<const LENGTH: usize>(bytes: &[u8], at: usize, what: &str) -> Result<[u8; LENGTH], Error> {
    if bytes.is_empty() {
        return Ok([0; LENGTH]);
    }
    bytes.try_into().map_err(|_| {
        let message = format!("the id of a {what} has {LENGTH} bytes, not {}", bytes.len());
        Error::new(ErrorKind::NotAnExport, at, message)
    })
}

fn from_hex<const LENGTH: usize>(digits: &str, at: usize, what: &str) -> Result<[u8; LENGTH], Error> {
    let wrong = || {
        let message = format!("the id of a {what} is written with {} hexadecimal digits", 2 * LENGTH);
        Error::new(ErrorKind::NotAnExport, at, message)
            .help("OTLP writes ids in hexadecimal, not in base64 as other JSON of protobuf")
    };
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    if !digits.is_empty() && digits.len() != 2 * LENGTH {
        return Err(wrong());
    }
    let mut bytes = [0; LENGTH];
    for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
        *byte = digit(pair[0]).zip(digit(pair[1])).map(|(high, low)| high << 4 | low).ok_or_else(wrong)?;
    }
    Ok(bytes)
}

fn write_hex(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_a_length_and_digits() {
        assert_eq!(SpanId::from_hex("00FF10ab00000001", 0).unwrap().to_string(), "00ff10ab00000001");
        assert!(SpanId::from_hex("", 0).unwrap().is_absent() && SpanId::from_bytes(&[], 0).unwrap().is_absent());
        assert!(TraceId::from_hex(&"0".repeat(32), 0).unwrap().is_absent());
        assert_eq!(TraceId::from_bytes(&[7; 16], 0).unwrap().to_string(), "07".repeat(16));
        for digits in ["0", "00ff10ab0000000g", "00ff10ab000000010", "+0ff10ab00000001", "ééééé"] {
            let error = SpanId::from_hex(digits, 9).unwrap_err();
            assert_eq!((error.kind(), error.at()), (ErrorKind::NotAnExport, 9), "{digits}");
        }
        assert_eq!(TraceId::from_bytes(&[1; 15], 0).unwrap_err().message(), "the id of a trace has 16 bytes, not 15");
    }
}
