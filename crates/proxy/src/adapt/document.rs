// SPDX-License-Identifier: MIT OR Apache-2.0
//! The body of a message: decompressed, decoded as text, and parsed as SOAP or JSON.

use std::borrow::Cow;
use std::io::{self, Read};

use gnomon_message::{JsonMessage, ParseData, SoapMessage};
use hyper::header::CONTENT_ENCODING;

use crate::tap::TappedMessage;

/// Largest size of a decompressed body, in bytes.
const MAX_UNPACKED: u64 = 8 << 20;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// A parsed body.
pub(super) enum BodyDocument<'t> {
    Soap(SoapMessage<'t>),
    Json(JsonMessage<'static>),
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
}

/// Returns the body as text; `None` if it is not text or cannot be decompressed.
pub(super) fn text(message: &TappedMessage) -> Option<Cow<'_, str>> {
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
    match body {
        Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
        Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
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
