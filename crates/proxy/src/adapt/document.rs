// SPDX-License-Identifier: MIT OR Apache-2.0
//! The body of a message: decompressed, decoded as text, and parsed as SOAP or JSON.

use std::borrow::Cow;
use std::io::{self, Read};

use gnomon_message::{JsonMessage, ParseData, SoapMessage};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};

use crate::tap::TappedMessage;

/// Largest size of a decompressed body, in bytes.
const MAX_UNPACKED: u64 = 8 << 20;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// A parsed body.
pub(super) enum BodyDocument<'t> {
    Soap(SoapMessage<'t>),
    Json(JsonMessage<'static>),
}

gnomon_core::words! {
    /// Reason why a message cannot be read, or can be read in more than one way.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum UnreadableReason as word {
        /// The body is longer than what is read of it, or it is a stream.
        Truncated = "truncated",
        /// The body is not compressed as its header says, or in an unknown way.
        Encoding = "encoding",
        /// The body is not text in the charset that its header names.
        Charset = "charset",
        /// The body is neither a JSON object nor a SOAP message.
        Format = "format",
        /// A member of a JSON object, the content of a SOAP body, a query parameter or a header that names the session occurs more than
        /// once.
        Repeated = "repeated",
        /// The path has segments `.` or `..`, empty segments, or encoded slashes.
        Path = "path",
        /// The session is a list or an object.
        Session = "session",
    }
}

impl UnreadableReason {
    /// Returns the reason as part of a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            UnreadableReason::Truncated => "its body exceeds the limit, or is a stream",
            UnreadableReason::Encoding => "its body is not compressed as its header says",
            UnreadableReason::Charset => "its body is not text in the charset that its header names",
            UnreadableReason::Format => "its body is neither a JSON object nor a SOAP message",
            UnreadableReason::Repeated => "a member of its body, a parameter or a header occurs more than once",
            UnreadableReason::Path => "its path has empty segments, dots or encoded slashes",
            UnreadableReason::Session => "the value that names its session is a list or an object",
        }
    }
}

impl<'t> BodyDocument<'t> {
    /// Parses a body by its first character, because declared content types are too often wrong.
    pub(super) fn read(text: &'t str) -> Option<BodyDocument<'t>> {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        match text.trim_start().as_bytes().first()? {
            b'<' => SoapMessage::parse(text).ok().map(BodyDocument::Soap),
            b'{' => JsonMessage::parse(text).ok().map(BodyDocument::Json),
            _ => None,
        }
    }

    pub(super) fn data(&self) -> &dyn ParseData {
        match self {
            BodyDocument::Soap(soap) => soap,
            BodyDocument::Json(json) => json,
        }
    }

    /// Returns true if another reader could find other values in the body.
    pub(super) fn is_ambiguous(&self) -> bool {
        match self {
            BodyDocument::Soap(soap) => soap.has_further_content(),
            BodyDocument::Json(json) => json.has_repeated_members(),
        }
    }
}

/// Returns true if the message declares a body in JSON or XML. The sender of a request can declare anything, but a service
/// means it.
pub(super) fn declares_document(headers: &HeaderMap) -> bool {
    let (essence, _) = content_type(headers);
    ["json", "xml"].iter().any(|kind| essence.rsplit(['/', '+']).next() == Some(kind))
}

/// Returns the media type and the charset that the message declares, both in lower case and possibly empty.
fn content_type(headers: &HeaderMap) -> (String, String) {
    let text = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default().to_ascii_lowercase();
    let mut parts = text.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default().to_owned();
    let charset = parts.find_map(|part| part.strip_prefix("charset=")).unwrap_or_default();
    (essence, charset.trim_matches(['"', '\'', ' ']).to_owned())
}

/// Returns the body as text; an empty text if there is no body.
pub(super) fn text(message: &TappedMessage) -> Result<Cow<'_, str>, UnreadableReason> {
    if message.truncated {
        return Err(UnreadableReason::Truncated);
    }
    if message.body.is_empty() {
        return Ok(Cow::Borrowed(""));
    }
    let body = unpacked(message).ok_or(UnreadableReason::Encoding)?;
    decoded(body, &content_type(&message.headers).1).ok_or(UnreadableReason::Charset)
}

fn unpacked(message: &TappedMessage) -> Option<Cow<'_, [u8]>> {
    let encodings = message.headers.get_all(CONTENT_ENCODING).iter().map(|value| value.to_str().unwrap_or("?"));
    let mut body = Cow::Borrowed(&message.body[..]);
    // Encodings are listed in the order in which they were applied.
    let encodings: Vec<&str> = encodings.flat_map(|value| value.split(',')).map(str::trim).collect();
    if encodings.len() > 2 {
        return None;
    }
    for encoding in encodings.into_iter().rev() {
        body = match encoding.to_ascii_lowercase().as_str() {
            "identity" | "" => body,
            "gzip" | "x-gzip" => decompress(flate2::read::MultiGzDecoder::new(&*body))?,
            "deflate" => decompress(flate2::read::ZlibDecoder::new(&*body))
                .or_else(|| decompress(flate2::read::DeflateDecoder::new(&*body)))?,
            "zstd" => decompress(zstd::Decoder::with_buffer(&*body).and_then(limit_window).ok()?)?,
            _ => return None,
        };
    }
    Some(body)
}

/// Decodes UTF-8 and UTF-16. Services that read XML or JSON recognise UTF-16 by itself, whatever charset is declared.
fn decoded<'b>(body: Cow<'b, [u8]>, charset: &str) -> Option<Cow<'b, str>> {
    let read_unit: Option<fn([u8; 2]) -> u16> = match (&*body, charset) {
        ([0xfe, 0xff, ..] | [0, 1..=255, ..], _) | (_, "utf-16be") => Some(u16::from_be_bytes),
        ([0xff, 0xfe, ..] | [1..=255, 0, ..], _) | (_, "utf-16" | "utf-16le") => Some(u16::from_le_bytes),
        _ => None,
    };
    if let Some(read_unit) = read_unit {
        let (pairs, rest) = body.as_chunks::<2>();
        let units = pairs.iter().map(|pair| read_unit(*pair));
        let text: Option<String> = char::decode_utf16(units).map(Result::ok).collect();
        return text.filter(|_| rest.is_empty()).map(|text| Cow::Owned(without_declaration(text)));
    }
    match charset {
        "" | "utf-8" | "utf8" => {}
        // Other readings of the same bytes; they agree on ASCII.
        "us-ascii" | "ascii" | "iso-8859-1" | "latin1" | "windows-1252" if body.is_ascii() => {}
        _ => return None,
    }
    match body {
        Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
        Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
    }
}

/// Removes an XML declaration, which names an encoding that no longer applies.
fn without_declaration(text: String) -> String {
    let body = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
    match body.strip_prefix("<?xml ").and_then(|rest| rest.split_once("?>")) {
        Some((_, rest)) => rest.to_owned(),
        None => text,
    }
}

/// Limits the window of a zstd frame, which otherwise may demand any amount of memory.
fn limit_window<'d>(mut decoder: zstd::Decoder<'d, &'d [u8]>) -> io::Result<zstd::Decoder<'d, &'d [u8]>> {
    decoder.window_log_max(MAX_UNPACKED.ilog2())?;
    Ok(decoder)
}

fn decompress(reader: impl Read) -> Option<Cow<'static, [u8]>> {
    let mut bytes = Vec::new();
    let count = reader.take(MAX_UNPACKED + 1).read_to_end(&mut bytes).ok()?;
    (count as u64 <= MAX_UNPACKED).then_some(Cow::Owned(bytes))
}
