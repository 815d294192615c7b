// SPDX-License-Identifier: MIT OR Apache-2.0
//! The XML of the runtime verification competitions; `xml/FORMAT.md` says what is accepted.

mod element;
mod quick;
mod read;
mod write;

pub use read::XmlReader;
pub use write::XmlWriter;
pub(crate) use write::{Escape, write_escaped};
