// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ids of traces and spans, written in hexadecimal.

use std::fmt;

use gnomon_scan::{Code, Fault};

/// Id of a trace or a span; all zero if unknown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TelemetryId<const LENGTH: usize>([u8; LENGTH]);

/// Id of a trace.
pub type TraceId = TelemetryId<16>;
/// Id of a span in its trace.
pub type SpanId = TelemetryId<8>;

impl<const LENGTH: usize> TelemetryId<LENGTH> {
    const NOUN: &str = if LENGTH == 16 { "trace" } else { "span" };

    /// Returns true if the id is unknown.
    pub fn is_absent(self) -> bool {
        self == Self::default()
    }

    /// Decodes the bytes of protobuf, which are empty if the id is unknown.
    pub(crate) fn from_bytes(bytes: &[u8], at: usize) -> Result<Self, Fault> {
        if bytes.is_empty() {
            return Ok(Self::default());
        }
        bytes.try_into().map(TelemetryId).map_err(|_| {
            let message = format!("the id of a {} has {LENGTH} bytes, not {}", Self::NOUN, bytes.len());
            Fault::new(Code::NotAnExport, at, message)
        })
    }

    /// Decodes the digits of JSON, which are empty if the id is unknown.
    pub(crate) fn from_hex(digits: &str, at: usize) -> Result<Self, Fault> {
        let wrong = || {
            let message = format!("the id of a {} is written with {} hexadecimal digits", Self::NOUN, 2 * LENGTH);
            Fault::new(Code::NotAnExport, at, message)
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
        Ok(TelemetryId(bytes))
    }
}

impl<const LENGTH: usize> Default for TelemetryId<LENGTH> {
    fn default() -> Self {
        TelemetryId([0; LENGTH])
    }
}

impl<const LENGTH: usize> fmt::Display for TelemetryId<LENGTH> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
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
            assert_eq!((error.code(), error.at()), (Code::NotAnExport, 9), "{digits}");
        }
        assert_eq!(TraceId::from_bytes(&[1; 15], 0).unwrap_err().message(), "the id of a trace has 16 bytes, not 15");
    }
}
