// SPDX-License-Identifier: MIT OR Apache-2.0
//! Drawing: what only the command draws, beside the pictures that it shares with others. Nothing here judges or reads anything.

pub(crate) mod events;
pub(crate) mod junit;
pub(crate) mod ndjson;
pub(crate) mod table;

pub(crate) use gnomon::report::text::{counts_values, diagnostic, human, line, violation};
pub(crate) use gnomon::report::{About, json, numbers, overall};
