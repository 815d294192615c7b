// SPDX-License-Identifier: MIT OR Apache-2.0
//! Comma-separated values; `csv/FORMAT.md` says what is accepted.

mod careful;
mod layout;
mod read;
mod row;
mod split;
mod table;
mod write;

pub use read::CsvReader;
pub use table::table;
pub use write::CsvWriter;
