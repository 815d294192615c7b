// SPDX-License-Identifier: MIT OR Apache-2.0
//! Removing what is no longer needed.

use std::fs;
use std::time::{Duration, SystemTime};

use super::{SEGMENT, Shared};
use crate::error::{StoreError, failed};
use crate::files::absent_is_fine;

/// How much of what is no longer needed is kept nevertheless. A segment is removed if the journal is larger than `bytes`, or if
/// it was last written to longer than `age` ago; with neither, none ever is.
#[derive(Clone, Default, Debug)]
pub struct Keep {
    /// The size of the journal above which its oldest segments are removed.
    pub bytes: Option<u64>,
    /// The age above which segments are removed.
    pub age: Option<Duration>,
}

/// What was removed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Retained {
    /// How many segments.
    pub segments: u64,
    /// How many bytes they had.
    pub bytes: u64,
}

/// Oldest first and one by one, each removal made durable before the next: whatever happens, what is left has no gap.
pub(super) fn retain(shared: &Shared, before: u64, keep: &Keep) -> Result<Retained, StoreError> {
    let mut retained = Retained::default();
    let now = SystemTime::now();
    loop {
        let (oldest, next, total) = {
            let writer = shared.lock();
            let mut segments = writer.segments().iter();
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
