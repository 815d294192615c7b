// SPDX-License-Identifier: MIT OR Apache-2.0
//! Snapshots: the state after a record of the journal, so that a start need not replay all records.
//!
//! A snapshot is a file named after its last record. It begins with 32 bytes, all numbers little-endian: the letters
//! `GNOMONS` and a zero, the version (u32), the CRC-32 of number, length and content (u32), the number (u64), the
//! length of the content (u64). The two newest are kept: if one is damaged, the previous one and some more records
//! give the same state.
//!
//! Example: of the snapshots 90 and 100, 100 fails its checksum. It is renamed to `….gns.damaged`, 90 is used, and the records from 91 on are
//! applied. A snapshot of another version is not renamed, because the program that wrote it can still use it.
//!
//! INVARIANT: a snapshot is never required. The journal alone determines the state as long as it is complete.

use std::fs;
use std::path::{Path, PathBuf};

use crc32fast::Hasher;

use crate::error::{StoreError, failed};
use crate::files::{Directory, absent_is_fine};

const SNAPSHOT: &str = "gns";
const MAGIC: [u8; 8] = *b"GNOMONS\0";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 32;
const KEPT: usize = 2;

/// The snapshots in a folder of their own.
#[derive(Debug)]
pub struct Snapshots {
    directory: Directory,
}

/// Result of the search for the newest snapshot.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SnapshotSearch {
    /// Sequence number and content of the newest usable snapshot.
    pub snapshot: Option<(u64, Vec<u8>)>,
    /// Newer snapshots that are unusable, newest first.
    pub unusable: Vec<UnusableSnapshot>,
}

/// A snapshot that is damaged or of another version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnusableSnapshot {
    /// Current path. A damaged file was renamed, so that it is not found again.
    pub path: PathBuf,
    /// Reason.
    pub reason: String,
}

impl Snapshots {
    /// Opens or creates the folder.
    pub fn open(folder: &Path) -> Result<Snapshots, StoreError> {
        Ok(Snapshots { directory: Directory::open(folder)? })
    }

    /// Writes the snapshot of the records up to `sequence`. It is durable when this returns; after an error there is
    /// nothing of it. All older snapshots but one are removed.
    pub fn write(&self, sequence: u64, content: &[u8]) -> Result<(), StoreError> {
        self.directory.place(sequence, SNAPSHOT, &[&header(sequence, content), content], true)?;
        self.directory.sync()?;
        let mut others = self.directory.numbers(SNAPSHOT)?;
        others.retain(|other| *other != sequence);
        for old in others.iter().rev().skip(KEPT - 1) {
            let path = self.directory.numbered(*old, SNAPSHOT);
            fs::remove_file(&path).or_else(absent_is_fine).map_err(failed(&path, "be removed"))?;
        }
        Ok(())
    }

    /// Reads a snapshot; `None` if it is damaged, or of another version.
    pub fn read(&self, sequence: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.directory.numbered(sequence, SNAPSHOT);
        let bytes = fs::read(&path).map_err(failed(&path, "be read"))?;
        Ok(content(sequence, bytes).ok())
    }

    /// Returns the newest intact snapshot.
    pub fn newest(&self) -> Result<SnapshotSearch, StoreError> {
        self.newest_through(u64::MAX)
    }

    /// Returns the newest intact snapshot without records after `last`: the end of the journal may have been cut off.
    pub fn newest_through(&self, last: u64) -> Result<SnapshotSearch, StoreError> {
        let mut newest = SnapshotSearch::default();
        for sequence in self.directory.numbers(SNAPSHOT)?.into_iter().rev().filter(|sequence| *sequence <= last) {
            let path = self.directory.numbered(sequence, SNAPSHOT);
            let bytes = fs::read(&path).map_err(failed(&path, "be read"))?;
            match content(sequence, bytes) {
                Ok(content) => {
                    newest.snapshot = Some((sequence, content));
                    return Ok(newest);
                }
                Err(SnapshotFault::Version(version)) => {
                    let reason =
                        format!("it is in version {version} of the format, which this program does not support");
                    newest.unusable.push(UnusableSnapshot { path, reason });
                }
                Err(SnapshotFault::Damage(reason)) => {
                    let renamed = path.with_extension("gns.damaged");
                    fs::rename(&path, &renamed).map_err(failed(&path, "be renamed"))?;
                    newest.unusable.push(UnusableSnapshot { path: renamed, reason: reason.to_owned() });
                }
            }
        }
        Ok(newest)
    }

    /// Removes the snapshots of records after this one: the journal has lost them.
    pub fn remove_after(&self, sequence: u64) -> Result<(), StoreError> {
        for lost in self.numbers()?.into_iter().filter(|number| *number > sequence) {
            let path = self.directory.numbered(lost, SNAPSHOT);
            fs::remove_file(&path).or_else(absent_is_fine).map_err(failed(&path, "be removed"))?;
        }
        self.directory.sync()
    }

    /// Returns true if nothing was ever written, not even a snapshot that was found damaged later.
    pub fn is_untouched(&self) -> Result<bool, StoreError> {
        let path = &self.directory.path;
        let mut entries = fs::read_dir(path).map_err(failed(path, "be listed"))?;
        Ok(entries.next().is_none())
    }

    /// Returns the numbers of all snapshots, intact or not, oldest first.
    pub fn numbers(&self) -> Result<Vec<u64>, StoreError> {
        self.directory.numbers(SNAPSHOT)
    }
}

fn header(sequence: u64, content: &[u8]) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[16..24].copy_from_slice(&sequence.to_le_bytes());
    header[24..].copy_from_slice(&(content.len() as u64).to_le_bytes());
    let mut checksum = Hasher::new();
    checksum.update(&header[16..]);
    checksum.update(content);
    header[12..16].copy_from_slice(&checksum.finalize().to_le_bytes());
    header
}

enum SnapshotFault {
    Version(u32),
    Damage(&'static str),
}

fn content(sequence: u64, mut bytes: Vec<u8>) -> Result<Vec<u8>, SnapshotFault> {
    let Some((search_result, content)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
        return Err(SnapshotFault::Damage("the file ends within its header"));
    };
    if search_result[..8] != MAGIC {
        return Err(SnapshotFault::Damage("it does not begin like a snapshot"));
    }
    let version = u32::from_le_bytes([search_result[8], search_result[9], search_result[10], search_result[11]]);
    if version != VERSION {
        return Err(SnapshotFault::Version(version));
    }
    // Equal number and content give an equal header, so this checks all of it.
    if *search_result != header(sequence, content) {
        return Err(SnapshotFault::Damage("its checksum, length or number is wrong"));
    }
    bytes.drain(..HEADER_BYTES);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::TestFolder;

    fn filled() -> (TestFolder, Snapshots) {
        let folder = TestFolder::new();
        let snapshots = Snapshots::open(folder.path()).unwrap();
        for sequence in [5, 90, 100] {
            snapshots.write(sequence, format!("state after {sequence}").as_bytes()).unwrap();
        }
        (folder, snapshots)
    }

    fn search_result(snapshots: &Snapshots) -> (Option<u64>, usize) {
        let newest = snapshots.newest().unwrap();
        if let Some((sequence, content)) = &newest.snapshot {
            assert_eq!(*content, format!("state after {sequence}").into_bytes());
        }
        (newest.snapshot.map(|(sequence, _)| sequence), newest.unusable.len())
    }

    #[test]
    fn the_newest_comes_back_and_the_one_before_it_stays() {
        let (_folder, snapshots) = filled();
        assert_eq!(snapshots.numbers().unwrap(), [90, 100]);
        assert_eq!(search_result(&snapshots), (Some(100), 0));
        let through = |last| snapshots.newest_through(last).unwrap().snapshot.map(|(sequence, _)| sequence);
        assert_eq!((through(100), through(99), through(89)), (Some(100), Some(90), None));
        snapshots.write(100, b"state after 100").unwrap();
        assert_eq!(snapshots.numbers().unwrap(), [90, 100], "written again: no harm");
        snapshots.write(7, b"state after 7").unwrap();
        assert_eq!(snapshots.numbers().unwrap(), [7, 100], "what was just written is not what goes");
    }

    #[test]
    fn without_one_there_is_none() {
        let folder = TestFolder::new();
        assert_eq!(Snapshots::open(folder.path()).unwrap().newest().unwrap(), SnapshotSearch::default());
    }

    #[test]
    fn a_damaged_snapshot_is_renamed_and_the_previous_one_used() {
        let (_folder, snapshots) = filled();
        let path = snapshots.directory.numbered(100, SNAPSHOT);
        let whole = fs::read(&path).unwrap();
        for bit in 0..8 * whole.len() {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &flipped).unwrap();
            assert_eq!(search_result(&snapshots), (Some(90), 1), "bit {bit}");
            let version = (8..12).contains(&(bit / 8));
            assert_eq!(path.exists(), version, "bit {bit}: another version is not damage");
        }
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            assert_eq!(search_result(&snapshots), (Some(90), 1), "cut at {cut}");
        }
        let newest = snapshots.newest().unwrap();
        assert_eq!(newest.unusable, [], "looked at once");
        assert!(snapshots.directory.path.join("00000000000000000100.gns.damaged").exists());
    }

    #[test]
    fn a_copy_under_another_name_is_not_believed() {
        let (_folder, snapshots) = filled();
        fs::copy(snapshots.directory.numbered(90, SNAPSHOT), snapshots.directory.numbered(200, SNAPSHOT)).unwrap();
        assert_eq!(search_result(&snapshots), (Some(100), 1));
    }
}
