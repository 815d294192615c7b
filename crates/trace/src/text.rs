// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plain text logs: each line that matches a pattern is an event; see `text/FORMAT.md`.

#[cfg(feature = "regex")]
mod expression;
#[cfg(not(feature = "regex"))]
#[path = "text/expression_absent.rs"]
mod expression;
mod holes;
mod pattern;
mod read;

use gnomon_scan::{Code, Fault};

pub use pattern::{PatternError, TextPattern};
pub use read::TextReader;

/// Creates the fault that a text log has no pattern.
#[cold]
pub(crate) fn no_pattern() -> Fault {
    Fault::new(Code::NoPattern, 0, "a text log, but no pattern says what its lines mean")
        .help("write one in the spec, such as `log text \"{time} {level} {event} user={user}\"`")
}
