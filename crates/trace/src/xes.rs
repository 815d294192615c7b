// SPDX-License-Identifier: MIT OR Apache-2.0
//! The event logs of process mining; `xes/FORMAT.md` says what is accepted.

mod attribute;
mod case;
mod element;
mod quick;
mod read;
mod write;

pub use read::XesReader;
pub use write::XesWriter;
