// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a live judge keeps on disk, in one folder, so that it can be killed at any moment and go on.
//!
//! It keeps bytes and rows, and does not know what they mean: it neither judges nor speaks to anyone, starts no thread, and reads the clock
//! only for the age of files. Every call blocks until it is done. `gnomon-live` calls it.
//!
//! - [`Journal`]: the events and everything else that has a place in their order, appended and made durable. What there is to know
//!   follows from it.
//! - [`Snapshots`]: what the journal comes to up to some record, so that a start need not go through all of it.
//! - [`History`]: what was found out, in SQLite, for people to ask about; and what they decided about being told.
//!
//! Every error says which file, what is the case and what to do about it ([`StoreError`]). `docs/store.md` has the folder,
//! the formats, and what happens when.
//!
//! ```
//! use gnomon_store::{Journal, JournalOptions, Layout};
//!
//! # fn main() -> Result<(), gnomon_store::StoreError> {
//! # let folder = std::env::temp_dir().join(format!("gnomon-store-example-{}", std::process::id()));
//! let layout = Layout::new(&folder);
//! let (journal, opened) = Journal::open(&layout.journal(), JournalOptions::default())?;
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
mod layout;
pub mod snapshots;
#[cfg(test)]
mod testing;

pub use error::StoreError;
pub use history::{History, HistoryReader, Settings};
pub use journal::{Journal, JournalOptions, Keep};
pub use layout::Layout;
pub use snapshots::Snapshots;
