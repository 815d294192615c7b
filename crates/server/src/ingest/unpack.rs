// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packed bodies. A few bytes can unpack to very many: the limit holds while they are unpacked, not after.

use std::io::{self, Read};

use axum::http::HeaderMap;
use axum::http::header::CONTENT_ENCODING;
use bytes::Bytes;

use super::budget::Held;

/// How a body is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

/// Why a body was not unpacked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum UnpackError {
    /// It is larger than it may be.
    TooLarge,
    /// Others hold too much.
    Busy,
    /// It is not what its header says.
    Broken(String),
}

/// How much is unpacked at a time.
const PIECE: usize = 256 << 10;

impl Packing {
    /// What the headers say; `Err` has the word that is not known.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Packing, String> {
        let Some(value) = headers.get(CONTENT_ENCODING) else { return Ok(Packing::Plain) };
        match value.to_str().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Ok(Packing::Plain),
            "gzip" | "x-gzip" => Ok(Packing::Gzip),
            "zstd" => Ok(Packing::Zstd),
            other => Err(other.chars().take(40).collect()),
        }
    }

    /// Unpacks a body of at most `limit` bytes, which count as held.
    pub(crate) fn unpack(self, body: Bytes, limit: usize, held: &mut Held) -> Result<Bytes, UnpackError> {
        match self {
            Packing::Plain => Ok(body),
            Packing::Gzip => read(flate2::read::MultiGzDecoder::new(&body[..]), limit, held),
            Packing::Zstd => {
                let mut reader = zstd::stream::read::Decoder::new(&body[..]).map_err(broken)?;
                // What a frame may ask for as its window: 2^26 is more than any body may have.
                reader.window_log_max(26).map_err(broken)?;
                read(reader, limit, held)
            }
        }
    }
}

fn read(mut packed: impl Read, limit: usize, held: &mut Held) -> Result<Bytes, UnpackError> {
    let mut out = Vec::new();
    loop {
        let piece = PIECE.min(limit + 1 - out.len());
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

    use super::super::budget::Budget;
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
            [(Packing::Gzip, gzip(&text)), (Packing::Zstd, zstd::encode_all(&text[..], 3).unwrap().into())]
        {
            let mut held = Budget::new(1 << 30).hold();
            assert_eq!(packing.unpack(packed.clone(), text.len(), &mut held).unwrap(), text);
            assert_eq!(packing.unpack(packed, text.len() - 1, &mut held), Err(UnpackError::TooLarge));
        }
    }

    #[test]
    fn a_bomb_does_not_go_off() {
        let bomb = gzip(&vec![0; 64 << 20]);
        assert!(bomb.len() < 100 << 10);
        let mut held = Budget::new(8 << 20).hold();
        assert_eq!(Packing::Gzip.unpack(bomb.clone(), 1 << 20, &mut held), Err(UnpackError::TooLarge));
        assert_eq!(Packing::Gzip.unpack(bomb, 64 << 20, &mut held), Err(UnpackError::Busy));
    }

    #[test]
    fn garbage_is_refused() {
        for packing in [Packing::Gzip, Packing::Zstd] {
            for garbage in [&b"hello"[..], &[0x1f, 0x8b, 8, 0, 0], &[0x28, 0xb5, 0x2f, 0xfd, 0xff]] {
                let mut held = Budget::new(8 << 20).hold();
                let unpacked = packing.unpack(Bytes::copy_from_slice(garbage), 1 << 20, &mut held);
                assert!(matches!(unpacked, Err(UnpackError::Broken(_))), "{packing:?} {garbage:?} {unpacked:?}");
            }
        }
    }
}
