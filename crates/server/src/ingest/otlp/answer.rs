// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a sender of spans is told: an `ExportTraceServiceResponse`, or a `google.rpc.Status`. Both are so small that they are
//! written here.

use serde_json::json;

/// What became of spans that were taken in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Answer {
    /// How many spans tell nothing.
    pub(super) rejected: u64,
    /// How many spans, and notes on spans, have no time.
    pub(super) untimed: u64,
}

impl Answer {
    /// What was left out, if something was.
    fn message(self) -> Option<String> {
        let untimed = self.untimed;
        (untimed > 0)
            .then(|| format!("{untimed} spans or events on spans have no time and were left out; give them one"))
    }

    /// The response as JSON.
    pub(super) fn json(self) -> String {
        // Numbers of 64 bits are texts in the JSON of protobuf.
        let partial = |message| json!({ "partialSuccess": { "rejectedSpans": self.rejected.to_string(), "errorMessage": message } });
        self.message().map_or_else(|| json!({}), partial).to_string()
    }

    /// The response as protobuf.
    pub(super) fn protobuf(self) -> Vec<u8> {
        let Some(message) = self.message() else { return Vec::new() };
        let mut partial = Vec::new();
        number(&mut partial, 1, self.rejected);
        bytes(&mut partial, 2, message.as_bytes());
        let mut response = Vec::new();
        bytes(&mut response, 1, &partial);
        response
    }
}

/// A `google.rpc.Status` as protobuf.
pub(super) fn status_message(code: u8, message: &str) -> Vec<u8> {
    let mut status = Vec::new();
    number(&mut status, 1, u64::from(code));
    bytes(&mut status, 2, message.as_bytes());
    status
}

/// A field that is a number. Zero is what is not there.
fn number(out: &mut Vec<u8>, field: u8, value: u64) {
    if value > 0 {
        out.push(field << 3);
        varint(out, value);
    }
}

/// A field that is a text or another message.
fn bytes(out: &mut Vec<u8>, field: u8, value: &[u8]) {
    out.push(field << 3 | 2);
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_written_as_protobuf_has_them() {
        assert_eq!(status_message(3, "no"), b"\x08\x03\x12\x02no");
        assert_eq!(status_message(0, &"x".repeat(300))[..3], [0x12, 0xac, 0x02]);
        let fine = Answer { rejected: 0, untimed: 0 };
        assert_eq!((fine.protobuf(), fine.json()), (Vec::new(), "{}".to_owned()));
        let partial = Answer { rejected: 2, untimed: 300 };
        let written = partial.protobuf();
        assert_eq!((written[0], usize::from(written[1]), &written[2..4]), (0x0a, written.len() - 2, &[0x08, 2][..]));
        assert!(partial.json().contains(r#""rejectedSpans":"2""#), "{}", partial.json());
    }
}
