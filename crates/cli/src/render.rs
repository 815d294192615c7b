// SPDX-License-Identifier: MIT OR Apache-2.0
//! Output formats of the command, besides those of the crate `report`.

pub(crate) mod event_table;
pub(crate) mod junit;
pub(crate) mod ndjson;
pub(crate) mod text_table;

use gnomon::report::json::write::{ObjectWriter, object_text};
pub(crate) use gnomon::report::text::{counts_values, diagnostic, human, line, violation};
pub(crate) use gnomon::report::{SpecContext, json, numbers, overall};

/// Prints an object as one line of JSON.
pub(crate) fn json_line(fill: impl FnOnce(&mut ObjectWriter<'_>)) -> String {
    object_text(fill) + "\n"
}
