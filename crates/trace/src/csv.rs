// SPDX-License-Identifier: MIT OR Apache-2.0
//! Comma-separated values; see `csv/FORMAT.md`.

mod careful;
mod layout;
mod read;
mod row;
mod split;
mod table;
mod write;

pub(crate) use layout::column_advice;
pub use read::CsvReader;
pub use table::parse_csv_table;
pub use write::CsvWriter;
