// SPDX-License-Identifier: MIT OR Apache-2.0
//! Responses to senders of spans: an `ExportTraceServiceResponse` or a `google.rpc.Status`. They are small enough to
//! be encoded by hand.

use serde_json::json;

/// Response to accepted spans.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ExportResponse {
    /// Number of spans without any event.
    pub(super) rejected: u64,
    /// Number of spans, and of events on spans, without a time.
    pub(super) untimed: u64,
}

impl ExportResponse {
    /// Returns a message about omitted spans, if there are any.
    fn message(self) -> Option<String> {
        let untimed = self.untimed;
        (untimed > 0)
            .then(|| format!("{untimed} spans or events on spans have no time and were left out; give them one"))
    }

    /// Returns the response as JSON.
    pub(super) fn json(self) -> String {
        // In the JSON of protobuf, 64-bit numbers are strings.
        let partial = |message| json!({ "partialSuccess": { "rejectedSpans": self.rejected.to_string(), "errorMessage": message } });
        self.message().map_or_else(|| json!({}), partial).to_string()
    }

    /// Returns the response as protobuf.
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

/// Encodes a `google.rpc.Status` as protobuf.
pub(super) fn status_message(code: u8, message: &str) -> Vec<u8> {
    let mut status = Vec::new();
    number(&mut status, 1, u64::from(code));
    bytes(&mut status, 2, message.as_bytes());
    status
}

/// Appends a numeric field. Zero is the default and omitted.
fn number(out: &mut Vec<u8>, field: u8, value: u64) {
    if value > 0 {
        out.push(field << 3);
        varint(out, value);
    }
}

/// Appends a text or an embedded message.
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
        let fine = ExportResponse { rejected: 0, untimed: 0 };
        assert_eq!((fine.protobuf(), fine.json()), (Vec::new(), "{}".to_owned()));
        let partial = ExportResponse { rejected: 2, untimed: 300 };
        let written = partial.protobuf();
        assert_eq!((written[0], usize::from(written[1]), &written[2..4]), (0x0a, written.len() - 2, &[0x08, 2][..]));
        assert!(partial.json().contains(r#""rejectedSpans":"2""#), "{}", partial.json());
    }
}
