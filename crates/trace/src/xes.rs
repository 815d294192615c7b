// SPDX-License-Identifier: MIT OR Apache-2.0
//! The event logs of process mining; see `xes/FORMAT.md`.

mod attribute;
mod case;
mod read;
mod write;

pub use read::XesReader;
pub use write::XesWriter;
