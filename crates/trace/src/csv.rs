// SPDX-License-Identifier: MIT OR Apache-2.0
//! Comma-separated values; `csv/FORMAT.md` says what is accepted.

mod careful;
mod layout;
mod read;
mod row;
mod split;

pub use read::CsvReader;
