// SPDX-License-Identifier: MIT OR Apache-2.0
//! The store of a watch: a folder on disk that survives a kill or a power failure at any moment.
//!
//! It stores bytes and rows without knowing their meaning. It evaluates nothing, starts no thread, and reads the
//! clock only for the age of files. Every call blocks until it is done. `gnomon-live` uses it.
//!
//! - [`Journal`]: the write-ahead log of events and of everything else that has a place in their order. All state
//!   follows from it.
//! - [`Snapshots`]: the state after some record, so that a start need not replay the whole journal.
//! - [`History`]: violations and statistics in SQLite, for queries; and the settings for notifications.
//!
//! Every error names the file, the problem and a remedy ([`StoreError`]). `docs/store.md` describes the folder, the
//! formats and the behaviour after failures.
//!
//! ```
//! use gnomon_store::{Journal, JournalOptions};
//!
//! # fn main() -> Result<(), gnomon_store::StoreError> {
//! # let folder = std::env::temp_dir().join(format!("gnomon-store-example-{}", std::process::id()));
//! let (journal, opened) = Journal::open(&folder.join("journal"), JournalOptions::default())?;
//! assert_eq!(opened.last, 0);
//!
//! journal.append(1, b"paid order=7")?;
//! journal.append(1, b"shipped order=7")?;
//! assert_eq!(journal.sync_next()?, Some(2)); // Now, and not before, both may be acknowledged.
//!
//! for record in journal.read(1)? {
//!     let record = record?;
//!     println!("{} {}", record.sequence, String::from_utf8_lossy(&record.payload));
//! }
//! # let _ = std::fs::remove_dir_all(&folder);
//! # Ok(())
//! # }
//! ```

mod error;
mod files;
pub mod history;
pub mod journal;
pub mod snapshots;
#[cfg(test)]
mod tests;

pub use error::{ErrorKind, StoreError};
pub use history::{History, HistoryReader, NotificationSettings};
pub use journal::{Journal, JournalOptions, JournalRetention};
pub use snapshots::Snapshots;
