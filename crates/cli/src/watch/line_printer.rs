// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints the violations of a running watch.
//!
//! A thread of its own writes to standard output, because a reader that stalls must not keep the watch from stopping, and a full
//! disk behind standard output must not end it.

use std::io::{Write as _, stdout};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::time::Duration;

/// Maximum number of lines that wait for the reader.
const MAX_WAITING: usize = 10_000;
/// Time that a stop waits for the reader.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// Writes lines to standard output in the background.
pub(super) struct LinePrinter {
    lines: SyncSender<String>,
    /// Disconnected when all lines are written.
    done: Receiver<()>,
    /// Number of lines for which there was no room.
    missed: u64,
}

impl LinePrinter {
    pub(super) fn start() -> LinePrinter {
        let (lines, queue) = sync_channel::<String>(MAX_WAITING);
        let (writing, done) = channel::<()>();
        std::thread::spawn(move || {
            let _writing = writing;
            for line in queue {
                let mut out = stdout().lock();
                // The history has every violation, so a line that cannot be written is lost here only.
                let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
            }
        });
        LinePrinter { lines, done, missed: 0 }
    }

    /// Prints a line, unless too many are waiting.
    pub(super) fn print(&mut self, line: String) {
        self.missed += u64::from(self.lines.try_send(line).is_err());
    }

    /// Waits until the lines are written, or the reader has stalled for too long. Returns the number of lines for which there was no
    /// room.
    pub(super) fn finish(self) -> u64 {
        drop(self.lines);
        let _ = self.done.recv_timeout(LAST_WAIT);
        self.missed
    }
}
