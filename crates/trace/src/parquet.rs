// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parquet files; `parquet/FORMAT.md` says what is accepted.

mod cells;
mod prune;
mod read;
mod shape;
mod write;

pub(crate) use read::{MAGIC, open, open_stream};
pub(crate) use shape::{Shape, TimeShape};
pub use write::ParquetWriter;
