// SPDX-License-Identifier: MIT OR Apache-2.0
//! What became of external variables.

use gnomon_run::externs::ExternReport;

use crate::json::value::value;
use crate::json::write::object;

/// The object of a variable.
pub(crate) fn json(out: &mut String, of: &ExternReport) {
    object(out, |fields| {
        fields.text("name", &of.name);
        fields.text("source", &of.source);
        if let Some(path) = &of.path {
            fields.text("path", path);
        }
        match of.every {
            Some(every) => fields.text("every", &every.to_string()),
            None => fields.raw("every", "null"),
        }
        for (name, count) in [("reads", of.reads), ("recorded", of.recorded), ("failures", of.failures)] {
            fields.raw(name, &count.to_string());
        }
        if let Some(last) = &of.value {
            fields.with("value", |out| value(out, last));
        }
        if let Some(reason) = &of.reason {
            fields.text("last_failure", reason);
        }
    });
}
