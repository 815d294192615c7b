// SPDX-License-Identifier: MIT OR Apache-2.0
//! The JSON of the runtime verification competitions; see `json/FORMAT.md`.

mod read;
mod write;

pub use read::JsonReader;
pub(crate) use read::object_end;
pub use write::JsonWriter;
