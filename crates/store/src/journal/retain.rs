// SPDX-License-Identifier: MIT OR Apache-2.0
//! Removes old segments.

use std::fs;
use std::time::{Duration, SystemTime};

use super::{JournalInner, SEGMENT};
use crate::error::{StoreError, failed};
use crate::files::absent_is_fine;

/// Limits on the journal. A segment is removed if the journal is larger than `bytes`, or if the segment was last
/// written longer than `age` ago; without limits none is removed.
#[derive(Clone, Default, Debug)]
pub struct JournalRetention {
    /// Size of the journal above which its oldest segments are removed.
    pub bytes: Option<u64>,
    /// Age above which segments are removed.
    pub age: Option<Duration>,
}

/// Number and size of removed segments.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RemovedSegments {
    /// Number of segments.
    pub segments: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Removes segments one by one, oldest first, each durably before the next: there is never a gap.
pub(super) fn retain(
    shared: &JournalInner,
    before: u64,
    keep: &JournalRetention,
) -> Result<RemovedSegments, StoreError> {
    let mut retained = RemovedSegments::default();
    let now = SystemTime::now();
    loop {
        let (oldest, next, total) = {
            let writer = shared.lock();
            let mut segments = writer.segments.iter();
            let (Some(oldest), Some(next)) = (segments.next(), segments.next()) else { return Ok(retained) };
            (*oldest, *next, writer.bytes())
        };
        let path = shared.directory.numbered(oldest.first, SEGMENT);
        let old = |age: Duration| {
            let written = fs::metadata(&path).and_then(|metadata| metadata.modified());
            // A clock that was set back makes nothing older.
            written.is_ok_and(|written| now.duration_since(written).is_ok_and(|since| since > age))
        };
        let due = keep.bytes.is_some_and(|bytes| total > bytes) || keep.age.is_some_and(old);
        if next.first > before || !due {
            return Ok(retained);
        }
        fs::remove_file(&path).or_else(absent_is_fine).map_err(failed(&path, "be removed"))?;
        shared.lock().forget_oldest(oldest.first);
        shared.directory.sync()?;
        retained.segments += 1;
        retained.bytes += oldest.bytes;
    }
}
