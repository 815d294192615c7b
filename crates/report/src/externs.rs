// SPDX-License-Identifier: MIT OR Apache-2.0
//! External variables as JSON and as lines of text.

use gnomon_run::externs::ExternReport;

use crate::json::write::ObjectWriter;
use crate::numbers::counted;

/// Writes the fields of a variable.
pub(crate) fn json(fields: &mut ObjectWriter<'_>, of: &ExternReport) {
    fields.field("name", &of.name);
    fields.field("source", &of.source);
    fields.optional("path", of.path.as_deref());
    fields.field("every", of.every.map(|every| every.to_string()).as_ref());
    for (name, count) in [("reads", of.reads), ("recorded", of.recorded), ("failures", of.failures)] {
        fields.field(name, count);
    }
    fields.optional("value", of.value.as_ref());
    fields.optional("last_failure", of.reason.as_deref());
}

/// Describes the reads of a variable. The flag is true if that is worth a warning.
pub fn line(of: &ExternReport) -> (String, bool) {
    let ExternReport { name, source, path, every, reads, recorded, failures, value, reason } = of;
    let path = path.as_ref().map_or(String::new(), |path| format!(" path {path}"));
    let every = every.map_or("once".to_owned(), |every| format!("every {every}"));
    let source = format!("{source}{path}, {every}");
    let value = value.as_ref().map_or("it never had a value".to_owned(), |value| format!("last value {value}"));
    if *reads == 0 {
        return (format!("`${name}` ({source}) was not requested: {value}"), false);
    }
    let recorded = match recorded {
        0 => String::new(),
        all if all == reads => ", all recorded in the trace".to_owned(),
        some => format!(", {some} recorded in the trace"),
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
