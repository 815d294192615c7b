// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of `key=value` pairs; see `logfmt/FORMAT.md`.

mod pairs;
mod read;

use gnomon_scan::json::Scanner;

pub(crate) use pairs::is_line;
pub use read::LogfmtReader;

/// Returns true if a text is a JSON object.
pub(crate) fn is_object(text: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(text) else { return false };
    let mut scanner: Scanner<'_, true> = Scanner::of_text(text);
    scanner.peek() == b'{' && scanner.skip_value().is_ok() && scanner.end().is_ok()
}
