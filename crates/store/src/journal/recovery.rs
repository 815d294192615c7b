// SPDX-License-Identifier: MIT OR Apache-2.0
//! Opens a journal: locks the folder, checks that all segments are there, and finds the end of the last intact frame.
//!
//! 1. `lock` keeps a second process away: two writers would give different records the same number.
//! 2. `chain` compares each segment with the next one, whose header has the first record and the size of its predecessor. A finished
//!    segment that is missing or has another size is an error, since its records were acknowledged.
//! 3. `find_tail` reads the last segment up to the first frame that is not intact.
//! 4. `only_a_tail` searches the bytes behind it for an intact frame with a later number. If there is none, they are an unfinished write,
//!    which is cut off; if there is one, the file is damaged, and the operator decides.
//!
//! INVARIANT: only bytes that no intact frame follows are cut off. An acknowledged record is never removed.
//!
//! COST: the last segment is read once; of the others only the headers.

use std::collections::VecDeque;
use std::fs::{self, File, TryLockError};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::append_file::FileFactory;
use super::frame::{FrameError, HEAD_BYTES, HEADER_BYTES, HeaderError, SegmentHeader, later_frame, read_frame};
use super::writer::{JournalSegment, JournalWriter};
use super::{JournalOptions, JournalState, SEGMENT};
use crate::error::{ErrorKind, StoreError, failed};
use crate::files::Directory;

/// Locks the folder for this process.
pub(super) fn lock(directory: &Directory) -> Result<File, StoreError> {
    let path = directory.path.join("lock");
    let options = File::options().read(true).write(true).create(true).truncate(false).open(&path);
    let mut file = options.map_err(failed(&path, "be opened"))?;
    match file.try_lock() {
        Ok(()) => {
            // The process id is informative only. It has a fixed width, so that nothing has to be truncated.
            writeln!(file, "{:>10}", std::process::id()).map_err(failed(&path, "be written"))?;
            Ok(file)
        }
        Err(TryLockError::WouldBlock) => {
            let holder = fs::read_to_string(&path).unwrap_or_default();
            let holder = holder.trim().parse().map_or(String::new(), |id: u32| format!(" (process {id})"));
            let error = StoreError::new(
                ErrorKind::Locked,
                &directory.path,
                format!("another program is using this folder{holder}"),
            );
            Err(error.help("stop that one, or use another folder"))
        }
        Err(TryLockError::Error(error)) => Err(StoreError::io(&path, "be locked", error)),
    }
}

/// Finds the end of the journal, or creates the first segment.
pub(super) fn recover(
    directory: &Directory,
    options: &JournalOptions,
    file_factory: &FileFactory,
) -> Result<(JournalWriter, JournalState), StoreError> {
    let mut firsts = directory.numbers(SEGMENT)?;
    let mut torn_bytes = 0;
    let mut begin_at = 1;
    if let Some(&first) = firsts.last() {
        let path = directory.numbered(first, SEGMENT);
        let bytes = fs::metadata(&path).map_err(failed(&path, "be looked at"))?.len();
        // A segment gets its name only when its header is durable. So a shorter one has lost its records.
        if bytes < HEADER_BYTES && options.sync {
            let message = format!("the segment was emptied: record {first} and all after it are missing");
            let help =
                format!("restore it from a copy; or discard record {first} and all after it, by removing the file");
            return Err(StoreError::damaged(&path, bytes, message).help(help));
        }
        // Without syncs a power failure may leave the name without the header.
        if bytes < HEADER_BYTES {
            fs::remove_file(&path).map_err(failed(&path, "be removed"))?;
            firsts.pop();
            (torn_bytes, begin_at) = (bytes, first);
        }
    }
    let Some(&active) = firsts.last() else {
        let opened = JournalState { first: begin_at, last: begin_at - 1, torn_bytes };
        return Ok((begin(directory, options, file_factory, begin_at)?, opened));
    };
    let (mut segments, header) = chain(directory, &firsts)?;

    let path = directory.numbered(active, SEGMENT);
    let file = File::options().read(true).append(true).open(&path).map_err(failed(&path, "be opened"))?;
    let tail = find_tail(&path, &file, &header)?;
    if let Some(segment) = segments.back_mut() {
        torn_bytes += segment.bytes.saturating_sub(tail.bytes);
        segment.bytes = tail.bytes;
    }
    if torn_bytes > 0 {
        file.set_len(tail.bytes).map_err(failed(&path, "be cut off"))?;
    }
    // Writes of a killed process may be in memory only; from now on they count as durable.
    if options.sync {
        file.sync_all().map_err(failed(&path, "be made durable"))?;
        directory.sync()?;
    }
    let opened = JournalState { first: firsts[0], last: tail.last, torn_bytes };
    Ok((JournalWriter::new(segments, file_factory(file, path), header.salt, tail.last), opened))
}

fn begin(
    directory: &Directory,
    options: &JournalOptions,
    file_factory: &FileFactory,
    first: u64,
) -> Result<JournalWriter, StoreError> {
    let header = SegmentHeader::new(first, 0, 0);
    let file = directory.place(first, SEGMENT, &[&header.to_bytes()], options.sync)?;
    if options.sync {
        directory.sync()?;
    }
    Ok(JournalWriter::new(
        VecDeque::from([JournalSegment { first, bytes: HEADER_BYTES }]),
        file_factory(file, directory.numbered(first, SEGMENT)),
        header.salt,
        first - 1,
    ))
}

/// Checks that each segment follows the previous one and that no segment but the last has changed its size. Also
/// returns the header of the last.
fn chain(directory: &Directory, firsts: &[u64]) -> Result<(VecDeque<JournalSegment>, SegmentHeader), StoreError> {
    let mut segments: VecDeque<JournalSegment> = VecDeque::with_capacity(firsts.len());
    let mut last_header = None;
    for &first in firsts {
        let path = directory.numbered(first, SEGMENT);
        let mut file = File::open(&path).map_err(failed(&path, "be opened"))?;
        let header = read_header(&path, &mut file, first)?;
        if let Some(before) = segments.back() {
            let before_path = directory.numbered(before.first, SEGMENT);
            if header.previous_first != before.first {
                let missing = directory.numbered(header.previous_first, SEGMENT);
                let message = format!("the segment is missing: it lies between {} and {}", before.first, first);
                let error = StoreError::new(ErrorKind::Damaged, &missing, message);
                return Err(error.help("restore it from a copy"));
            }
            if header.previous_bytes != before.bytes {
                let message = format!("it had {} bytes when it was finished", header.previous_bytes);
                let error = StoreError::damaged(&before_path, before.bytes, message);
                return Err(error.help("restore it from a copy"));
            }
        }
        let bytes = file.metadata().map_err(failed(&path, "be looked at"))?.len();
        segments.push_back(JournalSegment { first, bytes });
        last_header = Some(header);
    }
    Ok((segments, last_header.expect("there is a segment to look at")))
}

/// Reads the header of a segment and checks it against the file name.
pub(super) fn read_header(path: &Path, file: &mut File, first: u64) -> Result<SegmentHeader, StoreError> {
    let mut bytes = [0; HEADER_BYTES as usize];
    if let Err(error) = file.read_exact(&mut bytes) {
        return Err(match error.kind() {
            std::io::ErrorKind::UnexpectedEof => StoreError::damaged(path, 0, "the file ends within its header"),
            _ => StoreError::io(path, "be read", error),
        });
    }
    match SegmentHeader::from_bytes(&bytes) {
        Ok(header) if header.first == first => Ok(header),
        Ok(header) => {
            let message = format!("it begins with record {}, not with the one of its name", header.first);
            Err(StoreError::damaged(path, 0, message).help("rename it back"))
        }
        Err(HeaderError::Magic) => Err(StoreError::damaged(path, 0, "it does not begin like a segment of a journal")),
        Err(HeaderError::Checksum) => Err(StoreError::damaged(path, 0, "the checksum of its header is wrong")),
        Err(HeaderError::Version(version)) => {
            let message = format!("it is in version {version} of the format, which this program does not support");
            let error = StoreError::new(ErrorKind::Version, path, message);
            Err(error.help("use the program that wrote it, or another folder"))
        }
    }
}

/// End of the last intact frame.
struct SegmentTail {
    last: u64,
    bytes: u64,
}

fn find_tail(path: &Path, file: &File, header: &SegmentHeader) -> Result<SegmentTail, StoreError> {
    let size = file.metadata().map_err(failed(path, "be looked at"))?.len();
    let mut file = file;
    file.seek(SeekFrom::Start(HEADER_BYTES)).map_err(failed(path, "be read"))?;
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut payload = Vec::new();
    let mut tail = SegmentTail { last: header.first - 1, bytes: HEADER_BYTES };
    while tail.bytes < size {
        let due = tail.last + 1;
        let read = read_frame(&mut reader, size - tail.bytes, header.salt, due, &mut payload);
        match read.map_err(failed(path, "be read"))? {
            Ok(head) => tail = SegmentTail { last: due, bytes: tail.bytes + HEAD_BYTES + u64::from(head.length) },
            Err(fault) => {
                drop(reader);
                only_a_tail(path, file, header.salt, &tail, fault)?;
                break;
            }
        }
    }
    Ok(tail)
}

/// Checks that the bytes behind the last intact frame are an unfinished write: nothing intact follows. Otherwise
/// cutting would lose records that may have been acknowledged, and the operator must decide.
///
/// A power failure may also keep a later page of an unfinished write without an earlier one. That is an error here
/// too: it cannot be distinguished from damage, and stopping loses nothing.
fn only_a_tail(
    path: &Path,
    mut file: &File,
    salt: u64,
    tail: &SegmentTail,
    fault: FrameError,
) -> Result<(), StoreError> {
    let mut rest = Vec::new();
    let read = file.seek(SeekFrom::Start(tail.bytes)).and_then(|_| file.read_to_end(&mut rest));
    read.map_err(failed(path, "be read"))?;
    let due = tail.last + 1;
    if !later_frame(&rest, salt, due) {
        return Ok(());
    }
    let message = format!("{}, but later records are intact", fault.text(due));
    let help = format!(
        "restore the file from a copy; or discard record {due} and all after it, by truncating the file: `truncate -s {} {}`",
        tail.bytes,
        path.display()
    );
    Err(StoreError::damaged(path, tail.bytes, message).help(help))
}
