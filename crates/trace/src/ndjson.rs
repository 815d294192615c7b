// SPDX-License-Identifier: MIT OR Apache-2.0
//! One JSON object per line; `ndjson/FORMAT.md` says what is accepted.

mod line;
mod read;
mod scanner;
mod value;
mod write;

pub(crate) use line::{Field, Line};
pub use read::NdjsonReader;
pub(crate) use read::read_time;
pub(crate) use scanner::{Scanner, Text};
pub(crate) use value::{text, value};
pub use write::NdjsonWriter;
pub(crate) use write::{write_field, write_string, write_time, write_value};
