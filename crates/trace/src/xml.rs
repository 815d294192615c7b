// SPDX-License-Identifier: MIT OR Apache-2.0
//! The XML of the runtime verification competitions; see `xml/FORMAT.md`.

mod quick;
mod read;
mod write;

pub use read::XmlReader;
pub use write::XmlWriter;
