// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captured messages, one per line; see `messages/FORMAT.md`.

mod read;

pub use read::MessageReader;
