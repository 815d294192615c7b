// SPDX-License-Identifier: MIT OR Apache-2.0
//! One JSON object per line; `ndjson/FORMAT.md` says what is accepted.

mod line;
mod read;
mod scanner;
mod value;

pub use read::NdjsonReader;
