// SPDX-License-Identifier: MIT OR Apache-2.0
//! One JSON object per line; see `ndjson/FORMAT.md`.

mod known;
mod read;
mod write;

pub use read::NdjsonReader;
pub(crate) use read::{EventMembers, JsonMember, event_name, read_keys, read_members, read_time};
pub use write::NdjsonWriter;
pub(crate) use write::write_time;
