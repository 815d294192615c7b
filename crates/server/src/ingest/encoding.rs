// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compressed bodies. The limit applies during decompression: a few bytes can expand to very many.

use std::io::{self, Read};

use axum::http::HeaderMap;
use axum::http::header::CONTENT_ENCODING;
use bytes::Bytes;

use super::budget::HeldBytes;

/// Encoding of a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BodyEncoding {
    Plain,
    Gzip,
    Zstd,
}

/// Reason why a body cannot be decompressed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum UnpackError {
    /// It exceeds the limit.
    TooLarge,
    /// The memory budget is exhausted.
    Busy,
    /// It does not have the announced encoding.
    Broken(String),
}

/// Number of bytes decompressed at a time.
const PIECE: usize = 256 << 10;

impl BodyEncoding {
    /// Returns the announced encoding; `Err` has an unknown one.
    pub(crate) fn of(headers: &HeaderMap) -> Result<BodyEncoding, String> {
        let Some(value) = headers.get(CONTENT_ENCODING) else { return Ok(BodyEncoding::Plain) };
        match value.to_str().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Ok(BodyEncoding::Plain),
            "gzip" | "x-gzip" => Ok(BodyEncoding::Gzip),
            "zstd" => Ok(BodyEncoding::Zstd),
            other => Err(other.chars().take(40).collect()),
        }
    }

    /// Decompresses a body to at most `limit` bytes, which are reserved in `held`.
    pub(crate) fn unpack(self, body: Bytes, limit: usize, held: &mut HeldBytes) -> Result<Bytes, UnpackError> {
        match self {
            BodyEncoding::Plain => Ok(body),
            BodyEncoding::Gzip => read(flate2::read::MultiGzDecoder::new(&body[..]), limit, held),
            BodyEncoding::Zstd => {
                let mut reader = zstd::stream::read::Decoder::new(&body[..]).map_err(broken)?;
                // Limits the window that a frame may request: 2^26 bytes exceed every permitted body.
                reader.window_log_max(26).map_err(broken)?;
                read(reader, limit, held)
            }
        }
    }
}

fn read(mut packed: impl Read, limit: usize, held: &mut HeldBytes) -> Result<Bytes, UnpackError> {
    let mut out = Vec::new();
    loop {
        let piece = PIECE.min(limit.saturating_add(1) - out.len());
        if !held.add(piece) {
            return Err(UnpackError::Busy);
        }
        let read = (&mut packed).take(piece as u64).read_to_end(&mut out).map_err(broken)?;
        if out.len() > limit {
            return Err(UnpackError::TooLarge);
        }
        if read < piece {
            return Ok(out.into());
        }
    }
}

#[allow(clippy::needless_pass_by_value)] // it is handed over by `map_err`
fn broken(error: io::Error) -> UnpackError {
    UnpackError::Broken(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::super::budget::MemoryBudget;
    use super::*;

    fn gzip(bytes: &[u8]) -> Bytes {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap().into()
    }

    #[test]
    fn what_was_packed_comes_out() {
        let text = b"{\"event\": \"a\"}\n".repeat(50_000);
        for (packing, packed) in
            [(BodyEncoding::Gzip, gzip(&text)), (BodyEncoding::Zstd, zstd::encode_all(&text[..], 3).unwrap().into())]
        {
            let mut held = MemoryBudget::new(1 << 30).hold();
            assert_eq!(packing.unpack(packed.clone(), text.len(), &mut held).unwrap(), text);
            assert_eq!(packing.unpack(packed, text.len() - 1, &mut held), Err(UnpackError::TooLarge));
        }
    }

    #[test]
    fn a_bomb_does_not_go_off() {
        let bomb = gzip(&vec![0; 64 << 20]);
        assert!(bomb.len() < 100 << 10);
        let mut held = MemoryBudget::new(8 << 20).hold();
        assert_eq!(BodyEncoding::Gzip.unpack(bomb.clone(), 1 << 20, &mut held), Err(UnpackError::TooLarge));
        assert_eq!(BodyEncoding::Gzip.unpack(bomb, 64 << 20, &mut held), Err(UnpackError::Busy));
    }

    #[test]
    fn garbage_is_refused() {
        for packing in [BodyEncoding::Gzip, BodyEncoding::Zstd] {
            for garbage in [&b"hello"[..], &[0x1f, 0x8b, 8, 0, 0], &[0x28, 0xb5, 0x2f, 0xfd, 0xff]] {
                let mut held = MemoryBudget::new(8 << 20).hold();
                let unpacked = packing.unpack(Bytes::copy_from_slice(garbage), 1 << 20, &mut held);
                assert!(matches!(unpacked, Err(UnpackError::Broken(_))), "{packing:?} {garbage:?} {unpacked:?}");
            }
        }
    }
}
