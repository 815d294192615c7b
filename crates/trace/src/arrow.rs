// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces in the columns of Arrow: one row is one event. Parquet files are read through it; `parquet/FORMAT.md` says what
//! a column's type means.

mod column;
mod float;
mod layout;
mod names;
mod read;
mod times;

pub(crate) use float::number;
pub(crate) use layout::{Layout, no_column};
pub use read::ArrowReader;
pub(crate) use read::{Batches, Chunk, Idle, damaged, layout};
