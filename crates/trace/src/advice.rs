// SPDX-License-Identifier: MIT OR Apache-2.0
//! Declarations that messages suggest for a log: the field that names events, the field of the times.

use crate::times::{USUAL_FIELDS, is_likely_field, is_usual_field};

/// Returns the field that most likely names the events. Fields of times do not; of the others, a usual one does, or the first.
pub(crate) fn likely_name<'a>(fields: &[&'a str]) -> Option<&'a str> {
    const LIKELY: [&str; 27] = [
        "event",
        "name",
        "eventname",
        "eventtype",
        "eventid",
        "action",
        "activity",
        "ereignis",
        "operation",
        "verb",
        "reason",
        "shortmessage",
        "message",
        "msg",
        "mt",
        "csmethod",
        "requestmethod",
        "method",
        "query",
        "type",
        "command",
        "category",
        "taskcategory",
        "kind",
        "state",
        "status",
        "text",
    ];
    let plain = |field: &str| -> String {
        field.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
    };
    let is_name = |field: &&&str| {
        !is_usual_field(field.as_bytes(), USUAL_FIELDS) && !is_likely_field(field) && !matches!(**field, "" | "_")
    };
    let usual = LIKELY.iter().find_map(|likely| fields.iter().filter(is_name).find(|field| plain(field) == *likely));
    usual.or_else(|| fields.iter().find(is_name)).copied()
}

/// Returns the field that most likely has the times, if no field has a name that is used for them without a declaration.
pub(crate) fn likely_time<'a>(fields: &[&'a str]) -> Option<&'a str> {
    let is_usual = fields.iter().any(|field| is_usual_field(field.as_bytes(), USUAL_FIELDS));
    fields.iter().copied().find(|field| !is_usual && is_likely_field(field))
}

/// Returns true if a name needs no quotes in a spec.
fn is_bare(field: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    field.bytes().all(is_inner)
        && field.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && !field.ends_with('-')
}

/// Returns the declaration that a field names the events.
pub(crate) fn name_declaration(field: &str) -> String {
    if is_bare(field) { format!("name {field}") } else { format!("name \"{{{field}}}\"") }
}

/// Returns the declaration that a field, or a path into one, has the times.
pub(crate) fn time_declaration(field: &str) -> String {
    if is_bare(field) { format!("time {field}") } else { format!("time \"{field}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_names_events_is_found() {
        for (fields, expected) in [
            (&["eventVersion", "eventTime", "eventName"][..], Some("eventName")),
            (&["Level", "Date and Time", "Source", "Event ID"], Some("Event ID")),
            (&["time", "host", "user"], Some("host")),
            (&["time", "_"], None),
        ] {
            assert_eq!(likely_name(fields), expected, "{fields:?}");
        }
    }

    #[test]
    fn unusual_names_are_quoted() {
        assert_eq!(name_declaration("cs-method"), "name cs-method");
        assert_eq!(name_declaration("Event ID"), "name \"{Event ID}\"");
        assert_eq!(time_declaration("t/$date"), "time \"t/$date\"");
        assert_eq!(time_declaration("eventTime"), "time eventTime");
    }
}
