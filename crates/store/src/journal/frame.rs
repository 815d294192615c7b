// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bytes of a segment: a header, then frames.
//!
//! All numbers are little-endian. The header is 48 bytes: the letters `GNOMONJ` and a zero, the version (u32), a checksum of
//! the rest of the header (u32), the *salt* (u64), the number of the first record (u64), and of the segment before it the
//! number of its first record and its size (u64 each; zero if there was none). A frame is the length of the payload (u32), a
//! checksum (u32), the sequence number exclusive-or the salt (u64), the kind (u8), the payload. The checksum is the CRC-32 of
//! payload, length, sequence number, kind and salt, in this order.
//!
//! The salt is random and never leaves the file. Payloads come from strangers: without it, one of them might contain what looks like a
//! frame, and be taken for one when the journal looks for intact frames behind a damaged one.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher as _};
use std::io::{self, Read};

use crc32fast::Hasher;

/// The size of a segment's header.
pub(super) const HEADER: u64 = 48;
/// The size of a frame without its payload.
pub(super) const HEAD: u64 = 17;
/// The largest payload.
pub(super) const MAX_PAYLOAD: usize = 256 << 20;

const MAGIC: [u8; 8] = *b"GNOMONJ\0";
const VERSION: u32 = 1;

/// What a segment says about itself, and about the one before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Header {
    pub(super) salt: u64,
    pub(super) first: u64,
    pub(super) previous_first: u64,
    pub(super) previous_bytes: u64,
}

/// Why bytes are not a header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BadHeader {
    Magic,
    Version(u32),
    Checksum,
}

impl Header {
    /// The header of a new segment, with a salt that nobody can guess.
    pub(super) fn new(first: u64, previous_first: u64, previous_bytes: u64) -> Header {
        Header { salt: RandomState::new().build_hasher().finish(), first, previous_first, previous_bytes }
    }

    pub(super) fn to_bytes(self) -> [u8; HEADER as usize] {
        let mut bytes = [0; HEADER as usize];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        let numbers = [self.salt, self.first, self.previous_first, self.previous_bytes];
        for (place, number) in bytes[16..].chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        let checksum = crc32fast::hash(&bytes[16..]);
        bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; HEADER as usize]) -> Result<Header, BadHeader> {
        if bytes[..8] != MAGIC {
            return Err(BadHeader::Magic);
        }
        match u32_at(bytes, 8) {
            VERSION => {}
            other => return Err(BadHeader::Version(other)),
        }
        if u32_at(bytes, 12) != crc32fast::hash(&bytes[16..]) {
            return Err(BadHeader::Checksum);
        }
        let number = |index: usize| u64_at(bytes, 16 + 8 * index);
        Ok(Header { salt: number(0), first: number(1), previous_first: number(2), previous_bytes: number(3) })
    }
}

/// The head of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Head {
    pub(super) length: u32,
    pub(super) checksum: u32,
    pub(super) sequence: u64,
    pub(super) kind: u8,
}

impl Head {
    /// The head for a payload that went into this checksum already.
    pub(super) fn new(payload: Hasher, length: u32, sequence: u64, kind: u8, salt: u64) -> Head {
        let mut head = Head { length, checksum: 0, sequence, kind };
        head.checksum = head.sum(payload, salt);
        head
    }

    pub(super) fn to_bytes(self, salt: u64) -> [u8; HEAD as usize] {
        let mut bytes = [0; HEAD as usize];
        bytes[..4].copy_from_slice(&self.length.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.checksum.to_le_bytes());
        bytes[8..16].copy_from_slice(&(self.sequence ^ salt).to_le_bytes());
        bytes[16] = self.kind;
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; HEAD as usize], salt: u64) -> Head {
        Head {
            length: u32_at(bytes, 0),
            checksum: u32_at(bytes, 4),
            sequence: u64_at(bytes, 8) ^ salt,
            kind: bytes[16],
        }
    }

    pub(super) fn fits(&self, payload: &[u8], salt: u64) -> bool {
        let mut hasher = Hasher::new();
        hasher.update(payload);
        self.checksum == self.sum(hasher, salt)
    }

    fn sum(self, mut payload: Hasher, salt: u64) -> u32 {
        payload.update(&self.length.to_le_bytes());
        payload.update(&self.sequence.to_le_bytes());
        payload.update(&[self.kind]);
        payload.update(&salt.to_le_bytes());
        payload.finalize()
    }
}

/// Why bytes are not the frame that is due.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BadFrame {
    /// The file ends within it.
    Short,
    /// It bears another number.
    Sequence,
    /// The checksum is that of something else.
    Checksum,
}

impl BadFrame {
    pub(super) fn text(self, due: u64) -> String {
        match self {
            BadFrame::Short => format!("record {due} does not fit into the file"),
            BadFrame::Sequence => format!("there should be record {due} and is something else"),
            BadFrame::Checksum => format!("the checksum of record {due} is wrong"),
        }
    }
}

/// Reads the frame of record `due`, with `room` bytes left in the segment; its payload replaces what is in `payload`.
pub(super) fn read_frame(
    reader: &mut impl Read,
    room: u64,
    salt: u64,
    due: u64,
    payload: &mut Vec<u8>,
) -> io::Result<Result<Head, BadFrame>> {
    if room < HEAD {
        return Ok(Err(BadFrame::Short));
    }
    let mut bytes = [0; HEAD as usize];
    if !read_all(reader, &mut bytes)? {
        return Ok(Err(BadFrame::Short));
    }
    let head = Head::from_bytes(&bytes, salt);
    if head.sequence != due {
        return Ok(Err(BadFrame::Sequence));
    }
    // Before anything is allocated: a damaged length is no reason to ask for memory.
    if u64::from(head.length) > room - HEAD {
        return Ok(Err(BadFrame::Short));
    }
    payload.clear();
    payload.resize(head.length as usize, 0);
    if !read_all(reader, payload)? {
        return Ok(Err(BadFrame::Short));
    }
    Ok(if head.fits(payload, salt) { Ok(head) } else { Err(BadFrame::Checksum) })
}

/// Fills the buffer; false if the file ends before.
fn read_all(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match reader.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether an intact frame of a later record than `due` is anywhere in these bytes.
///
/// COST: linear. A place is looked at closely only if it has a likely number behind the salt, which is where frames are.
pub(super) fn later_frame(bytes: &[u8], salt: u64, due: u64) -> bool {
    let most = due.saturating_add(bytes.len() as u64 / HEAD + 1);
    (0..bytes.len()).any(|at| {
        let Some((head, rest)) = bytes[at..].split_first_chunk() else { return false };
        let head = Head::from_bytes(head, salt);
        head.sequence > due
            && head.sequence <= most
            && rest.get(..head.length as usize).is_some_and(|payload| head.fits(payload, salt))
    })
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut number = [0; 4];
    number.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(number)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(sequence: u64, payload: &[u8], salt: u64) -> Vec<u8> {
        let mut hasher = Hasher::new();
        hasher.update(payload);
        let head = Head::new(hasher, payload.len() as u32, sequence, 7, salt);
        [&head.to_bytes(salt), payload].concat()
    }

    fn read(bytes: &[u8], salt: u64, due: u64) -> Result<(u8, Vec<u8>), BadFrame> {
        let mut payload = Vec::new();
        let head = read_frame(&mut &bytes[..], bytes.len() as u64, salt, due, &mut payload).unwrap();
        head.map(|head| (head.kind, payload))
    }

    #[test]
    fn headers_come_back_and_no_flipped_bit_goes_unnoticed() {
        let header = Header::new(12, 3, 4_000);
        let bytes = header.to_bytes();
        assert_eq!(Header::from_bytes(&bytes), Ok(header));
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Header::from_bytes(&flipped).is_err(), "bit {bit}");
        }
        assert_ne!(header.salt, Header::new(12, 3, 4_000).salt);
    }

    #[test]
    fn frames_come_back_and_no_flipped_bit_goes_unnoticed() {
        let bytes = frame(9, b"payload", 0xABCD_EF01_2345);
        assert_eq!(read(&bytes, 0xABCD_EF01_2345, 9), Ok((7, b"payload".to_vec())));
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&flipped, 0xABCD_EF01_2345, 9).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn what_a_frame_is_not() {
        let bytes = frame(9, b"payload", 5);
        assert_eq!(read(&bytes, 5, 8), Err(BadFrame::Sequence));
        assert_eq!(read(&bytes, 6, 9), Err(BadFrame::Sequence), "another segment's salt");
        for cut in 0..bytes.len() {
            assert_eq!(read(&bytes[..cut], 5, 9), Err(BadFrame::Short), "cut at {cut}");
        }
        assert_eq!(read(&[0; 100], 0, 1), Err(BadFrame::Sequence), "zeros are no frame");
    }

    #[test]
    fn intact_frames_are_found_behind_damage_and_only_those() {
        let mut bytes = vec![1, 2, 3];
        bytes.extend(frame(11, b"later", 77));
        bytes.extend([0; 30]);
        assert!(later_frame(&bytes, 77, 10));
        assert!(!later_frame(&bytes, 77, 11), "not later");
        assert!(!later_frame(&bytes, 78, 10), "a stranger cannot know the salt");
        assert!(!later_frame(&bytes[..20], 77, 10), "cut off");
        assert!(!later_frame(&frame(5_000, b"far off", 77), 77, 10), "more records than there are bytes for");
        assert!(!later_frame(b"", 77, 10));
    }
}
