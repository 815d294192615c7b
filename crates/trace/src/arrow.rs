// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces in the columns of Arrow: one row is one event. Parquet files are read through it; `parquet/FORMAT.md` says
//! what the type of a column means.

mod column;
mod names;
mod read;
mod times;

pub use arrow_array::RecordBatchReader;
pub use read::ArrowReader;
#[cfg(feature = "parquet")]
pub(crate) use read::{BatchSource, ColumnBatch, IdleRows, damaged, header};
