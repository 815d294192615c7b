// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plain text logs: each line that matches a pattern is an event; see `text/FORMAT.md`.

#[cfg(feature = "regex")]
mod expression;
#[cfg(not(feature = "regex"))]
#[path = "text/expression_absent.rs"]
mod expression;
mod holes;
mod line_name;
mod pattern;
mod preset;
mod read;
mod recognise;
mod suggest;

use gnomon_scan::{Code, Fault};

pub(crate) use line_name::LineName;
pub use pattern::{PatternError, TextPattern};
pub use preset::Preset;
pub use read::TextReader;
pub(crate) use recognise::{binary, is_binary, looks_like_text, not_recognised, recognise};
pub(crate) use suggest::{is_epoch, suggest};

/// Creates the fault that a text log has no pattern. `line` is its first line.
#[cold]
pub(crate) fn no_pattern(line: &[u8]) -> Fault {
    let fault = Fault::new(Code::NoPattern, 0, "a text log, but no pattern says what its lines mean");
    match suggest(line) {
        Some(suggestion) => fault.help(format!("write one in the spec; for its first line: {suggestion}")),
        None => fault.help("write one in the spec, such as `log text \"{time} {level} {event} user={user}\"`"),
    }
}
