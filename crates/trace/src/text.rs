// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plain text logs: each line that fits a pattern is an event; `text/FORMAT.md` says how.

mod holes;
mod pattern;
mod read;

pub use pattern::{PatternError, TextPattern};
pub use read::{TextReader, Unmatched};

use crate::error::{Code, Fault};

/// A text log without a pattern.
#[cold]
pub(crate) fn no_pattern() -> Fault {
    Fault::new(Code::NoPattern, 0, "a text log, but no pattern says what its lines mean")
        .help("write one in the spec, such as `log text \"{time} {level} {event} user={user}\"`")
}
