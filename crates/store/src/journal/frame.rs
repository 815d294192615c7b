// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bytes of a segment: a header, then frames.
//!
//! All numbers are little-endian.
//!
//! ```text
//!  header, 48 bytes: magic "GNOMONJ\0" │ version u32 │ CRC-32 of the rest u32 │ salt u64 │ first record u64
//!                    │ first record of the previous segment u64 │ its size u64        (both zero if there was none)
//!  frame:            length of the payload u32 │ CRC-32 u32 │ sequence number XOR salt u64 │ kind u8 │ payload
//! ```
//!
//! The checksum of a frame covers payload, length, sequence number, kind and salt, in this order.
//!
//! The salt is random and never leaves the file. Payloads come from untrusted clients: without the salt a payload
//! could contain bytes that look like a frame, and recovery would mistake them for an intact record behind a damaged
//! one.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher as _};
use std::io::{self, Read};

use crc32fast::Hasher;

/// Size of a segment's header.
pub(super) const HEADER_BYTES: u64 = 48;
/// Size of a frame without its payload.
pub(super) const HEAD_BYTES: u64 = 17;
/// Maximum size of a payload.
pub(super) const MAX_PAYLOAD: usize = 256 << 20;

const MAGIC: [u8; 8] = *b"GNOMONJ\0";
const VERSION: u32 = 1;

/// Header of a segment. It refers to the previous segment, so that a missing or shortened segment is detected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SegmentHeader {
    pub(super) salt: u64,
    pub(super) first: u64,
    pub(super) previous_first: u64,
    pub(super) previous_bytes: u64,
}

/// Reason why bytes are not a header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HeaderError {
    Magic,
    Version(u32),
    Checksum,
}

impl SegmentHeader {
    /// Creates the header of a new segment with an unpredictable salt.
    pub(super) fn new(first: u64, previous_first: u64, previous_bytes: u64) -> SegmentHeader {
        SegmentHeader { salt: RandomState::new().build_hasher().finish(), first, previous_first, previous_bytes }
    }

    pub(super) fn to_bytes(self) -> [u8; HEADER_BYTES as usize] {
        let mut bytes = [0; HEADER_BYTES as usize];
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

    pub(super) fn from_bytes(bytes: &[u8; HEADER_BYTES as usize]) -> Result<SegmentHeader, HeaderError> {
        if bytes[..8] != MAGIC {
            return Err(HeaderError::Magic);
        }
        match u32::from_le_bytes(bytes_at(bytes, 8)) {
            VERSION => {}
            other => return Err(HeaderError::Version(other)),
        }
        if u32::from_le_bytes(bytes_at(bytes, 12)) != crc32fast::hash(&bytes[16..]) {
            return Err(HeaderError::Checksum);
        }
        let number = |index: usize| u64::from_le_bytes(bytes_at(bytes, 16 + 8 * index));
        Ok(SegmentHeader { salt: number(0), first: number(1), previous_first: number(2), previous_bytes: number(3) })
    }
}

/// Head of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FrameHead {
    pub(super) length: u32,
    pub(super) checksum: u32,
    pub(super) sequence: u64,
    pub(super) kind: u8,
}

impl FrameHead {
    /// Creates the head for a payload whose checksum was begun.
    pub(super) fn new(payload: Hasher, length: u32, sequence: u64, kind: u8, salt: u64) -> FrameHead {
        let mut head = FrameHead { length, checksum: 0, sequence, kind };
        head.checksum = head.sum(payload, salt);
        head
    }

    pub(super) fn to_bytes(self, salt: u64) -> [u8; HEAD_BYTES as usize] {
        let mut bytes = [0; HEAD_BYTES as usize];
        bytes[..4].copy_from_slice(&self.length.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.checksum.to_le_bytes());
        bytes[8..16].copy_from_slice(&(self.sequence ^ salt).to_le_bytes());
        bytes[16] = self.kind;
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; HEAD_BYTES as usize], salt: u64) -> FrameHead {
        FrameHead {
            length: u32::from_le_bytes(bytes_at(bytes, 0)),
            checksum: u32::from_le_bytes(bytes_at(bytes, 4)),
            sequence: u64::from_le_bytes(bytes_at(bytes, 8)) ^ salt,
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

/// Reason why bytes are not the expected frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FrameError {
    /// The file ends within it.
    Short,
    /// It has another sequence number.
    Sequence,
    /// The checksum does not match.
    Checksum,
}

impl FrameError {
    pub(super) fn text(self, due: u64) -> String {
        match self {
            FrameError::Short => format!("record {due} does not fit into the file"),
            FrameError::Sequence => format!("record {due} is not in its place"),
            FrameError::Checksum => format!("the checksum of record {due} is wrong"),
        }
    }
}

/// Reads the frame of record `due`, with `room` bytes left in the segment, into `payload`.
pub(super) fn read_frame(
    reader: &mut impl Read,
    room: u64,
    salt: u64,
    due: u64,
    payload: &mut Vec<u8>,
) -> io::Result<Result<FrameHead, FrameError>> {
    if room < HEAD_BYTES {
        return Ok(Err(FrameError::Short));
    }
    let mut bytes = [0; HEAD_BYTES as usize];
    if !read_all(reader, &mut bytes)? {
        return Ok(Err(FrameError::Short));
    }
    let head = FrameHead::from_bytes(&bytes, salt);
    if head.sequence != due {
        return Ok(Err(FrameError::Sequence));
    }
    // Checked before allocating: a damaged length must not cause a huge allocation.
    if u64::from(head.length) > room - HEAD_BYTES {
        return Ok(Err(FrameError::Short));
    }
    payload.clear();
    payload.resize(head.length as usize, 0);
    if !read_all(reader, payload)? {
        return Ok(Err(FrameError::Short));
    }
    Ok(if head.fits(payload, salt) { Ok(head) } else { Err(FrameError::Checksum) })
}

/// Fills the buffer. Returns false if the file ends before.
fn read_all(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match reader.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns true if these bytes contain an intact frame of a record after `due`, at any offset.
///
/// COST: linear. The checksum is computed only where the sequence number is plausible, which requires the salt.
pub(super) fn later_frame(bytes: &[u8], salt: u64, due: u64) -> bool {
    let most = due.saturating_add(bytes.len() as u64 / HEAD_BYTES + 1);
    (0..bytes.len()).any(|at| {
        let Some((head, rest)) = bytes[at..].split_first_chunk() else { return false };
        let head = FrameHead::from_bytes(head, salt);
        head.sequence > due
            && head.sequence <= most
            && rest.get(..head.length as usize).is_some_and(|payload| head.fits(payload, salt))
    })
}

/// Returns the `N` bytes at an offset.
fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut found = [0; N];
    found.copy_from_slice(&bytes[at..at + N]);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(sequence: u64, payload: &[u8], salt: u64) -> Vec<u8> {
        let mut hasher = Hasher::new();
        hasher.update(payload);
        let head = FrameHead::new(hasher, payload.len() as u32, sequence, 7, salt);
        [&head.to_bytes(salt), payload].concat()
    }

    fn read(bytes: &[u8], salt: u64, due: u64) -> Result<(u8, Vec<u8>), FrameError> {
        let mut payload = Vec::new();
        let head = read_frame(&mut &bytes[..], bytes.len() as u64, salt, due, &mut payload).unwrap();
        head.map(|head| (head.kind, payload))
    }

    #[test]
    fn headers_come_back_and_no_flipped_bit_goes_unnoticed() {
        let header = SegmentHeader::new(12, 3, 4_000);
        let bytes = header.to_bytes();
        assert_eq!(SegmentHeader::from_bytes(&bytes), Ok(header));
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(SegmentHeader::from_bytes(&flipped).is_err(), "bit {bit}");
        }
        assert_ne!(header.salt, SegmentHeader::new(12, 3, 4_000).salt);
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
        assert_eq!(read(&bytes, 5, 8), Err(FrameError::Sequence));
        assert_eq!(read(&bytes, 6, 9), Err(FrameError::Sequence), "another segment's salt");
        for cut in 0..bytes.len() {
            assert_eq!(read(&bytes[..cut], 5, 9), Err(FrameError::Short), "cut at {cut}");
        }
        assert_eq!(read(&[0; 100], 0, 1), Err(FrameError::Sequence), "zeros are not a frame");
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
