// SPDX-License-Identifier: MIT OR Apache-2.0
//! The body of a message as something that can be asked: unpacked, as text, and read as SOAP or JSON.

use std::borrow::Cow;
use std::io::{self, Read};

use gnomon_trace::message::{Json, ParseData, Soap};
use hyper::header::CONTENT_ENCODING;

use crate::tap::Tapped;

/// How many bytes a packed body may become.
const UNPACKED: u64 = 8 << 20;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// A body that was understood.
pub(super) enum Content<'t> {
    Soap(Soap<'t>),
    Json(Json<'static>),
}

impl<'t> Content<'t> {
    /// Goes by what the text looks like: types of content are too often wrong.
    pub(super) fn read(text: &'t str) -> Option<Content<'t>> {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        match text.trim_start().as_bytes().first()? {
            b'<' => Soap::parse(text).ok().map(Content::Soap),
            b'{' => Json::parse(text).ok().map(Content::Json),
            _ => None,
        }
    }

    pub(super) fn data(&self) -> &dyn ParseData {
        match self {
            Content::Soap(soap) => soap,
            Content::Json(json) => json,
        }
    }
}

/// The body as a text, if it is one.
pub(super) fn text(tapped: &Tapped) -> Option<Cow<'_, str>> {
    let encodings = tapped.headers.get_all(CONTENT_ENCODING).iter().map(|value| value.to_str().unwrap_or("?"));
    let mut body = Cow::Borrowed(&tapped.body[..]);
    // They are listed in the order in which they were put on.
    let encodings: Vec<&str> = encodings.flat_map(|value| value.split(',')).map(str::trim).collect();
    if encodings.len() > 2 {
        return None;
    }
    for encoding in encodings.into_iter().rev() {
        body = match encoding.to_ascii_lowercase().as_str() {
            "identity" | "" => body,
            "gzip" | "x-gzip" => unpacked(flate2::read::MultiGzDecoder::new(&*body))?,
            "deflate" => unpacked(flate2::read::ZlibDecoder::new(&*body))
                .or_else(|| unpacked(flate2::read::DeflateDecoder::new(&*body)))?,
            "zstd" => unpacked(zstd::Decoder::with_buffer(&*body).and_then(bounded).ok()?)?,
            _ => return None,
        };
    }
    match body {
        Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
        Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
    }
}

/// A frame may ask for as much memory as it likes, but does not get more than for what can be unpacked.
fn bounded<'d>(mut decoder: zstd::Decoder<'d, &'d [u8]>) -> io::Result<zstd::Decoder<'d, &'d [u8]>> {
    decoder.window_log_max(UNPACKED.ilog2())?;
    Ok(decoder)
}

fn unpacked(reader: impl Read) -> Option<Cow<'static, [u8]>> {
    let mut bytes = Vec::new();
    let count = reader.take(UNPACKED + 1).read_to_end(&mut bytes).ok()?;
    (count as u64 <= UNPACKED).then_some(Cow::Owned(bytes))
}
