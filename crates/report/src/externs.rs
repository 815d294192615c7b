// SPDX-License-Identifier: MIT OR Apache-2.0
//! External variables as JSON and as lines of text.

use gnomon_run::externs::ExternReport;

use crate::json::value::value;
use crate::json::write::object;
use crate::numbers::counted;

/// Writes the object of a variable.
pub(crate) fn json(out: &mut String, of: &ExternReport) {
    object(out, |fields| {
        fields.text("name", &of.name);
        fields.text("source", &of.source);
        fields.optional_text("path", of.path.as_deref());
        match of.every {
            Some(every) => fields.text("every", &every.to_string()),
            None => fields.raw("every", "null"),
        }
        for (name, count) in [("reads", of.reads), ("recorded", of.recorded), ("failures", of.failures)] {
            fields.plain(name, count);
        }
        if let Some(last) = &of.value {
            fields.with("value", |out| value(out, last));
        }
        fields.optional_text("last_failure", of.reason.as_deref());
    });
}

/// Describes the reads of a variable. The flag is true if that is worth a warning.
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
