// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parquet files; see `parquet/FORMAT.md`.

mod cells;
mod page_limits;
mod prune;
mod read;
mod write;

pub(crate) use read::{open, open_stream};
pub use write::ParquetWriter;
