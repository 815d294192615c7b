// SPDX-License-Identifier: MIT OR Apache-2.0
//! What became of external variables, as a line for people.

use gnomon_run::externs::ExternReport;

use crate::numbers::counted;

/// What to say of a variable, and whether it is worth a warning.
pub fn line(of: &ExternReport) -> (String, bool) {
    let ExternReport { name, source, path, every, reads, recorded, failures, value, reason } = of;
    let path = path.as_ref().map_or(String::new(), |path| format!(" path {path}"));
    let every = every.map_or("once".to_owned(), |every| format!("every {every}"));
    let source = format!("{source}{path}, {every}");
    let value = value.as_ref().map_or("it never had a value".to_owned(), |value| format!("last value {value}"));
    if *reads == 0 {
        return (format!("`${name}` ({source}) was not asked for: {value}"), false);
    }
    let recorded = match recorded {
        0 => String::new(),
        all if all == reads => ", all on record in the trace".to_owned(),
        some => format!(", {some} on record in the trace"),
    };
    let reads = counted(*reads, "read");
    match reason {
        None => (format!("`${name}` ({source}): {reads}{recorded}, {value}"), false),
        Some(reason) => {
            let failed = format!("{failures} failed ({reason})");
            (format!("`${name}` ({source}): {reads}{recorded}, {failed}, {value}"), true)
        }
    }
}
