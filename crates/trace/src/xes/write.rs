// SPDX-License-Identifier: MIT OR Apache-2.0
//! The writer: consecutive events of one case form a `<trace>`.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::io;

use foldhash::fast::RandomState;
use gnomon_core::escape::{XmlContext, write_xml};
use gnomon_core::time::TimeKind;
use gnomon_core::value::Value;

use super::case::PREFIX;
use crate::loss::{Loss, Losses};
use crate::writer::{EventRecord, EventTime, TextFormat, TextWriter, json_text, other_name};

/// Writes XES; see `xes/FORMAT.md`.
pub type XesWriter<W> = TextWriter<W, XesFormat>;

/// The grammar of XES.
#[derive(Default)]
pub struct XesFormat {
    /// The attributes of the current case, as they are written, and its number.
    case: Option<(String, u64)>,
    /// Hashes of the attributes of past cases.
    past_cases: HashSet<u64, RandomState>,
}

/// Limit on the past cases that are remembered to detect one that continues.
const MAX_REMEMBERED: usize = 1 << 16;

const HEADER: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="2.0" xes.features="nested-attributes" xmlns="http://www.xes-standard.org/">
<extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
<extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>
"#;

impl XesFormat {
    /// Enters the case of this event, if it is not the current one.
    fn enter(&mut self, line: &mut String, event: &EventRecord<'_>, losses: &mut Losses) {
        let mut text = String::new();
        for field in event.fields {
            if let Some(key) = field.key.strip_prefix(PREFIX) {
                attribute(&mut text, key, &field.value, event.index, losses);
            }
        }
        let case = Some((text, event.case));
        if self.case == case {
            return;
        }
        self.leave(line);
        if let Some((text, _)) = &case {
            let hash = self.past_cases.hasher().hash_one(text);
            if !text.is_empty() && self.past_cases.contains(&hash) {
                losses.add(Loss::SplitCase, event.index, "");
            }
            line.push_str("<trace>\n");
            line.push_str(text);
        }
        self.case = case;
    }

    fn leave(&mut self, line: &mut String) {
        let Some((text, _)) = self.case.take() else { return };
        if self.past_cases.len() < MAX_REMEMBERED {
            let hash = self.past_cases.hasher().hash_one(&text);
            self.past_cases.insert(hash);
        }
        line.push_str("</trace>\n");
    }
}

impl TextFormat for XesFormat {
    fn begin(&mut self, text: &mut String, _: &mut Losses) {
        text.push_str(HEADER);
    }

    fn event(&mut self, line: &mut String, event: &EventRecord<'_>, losses: &mut Losses) -> io::Result<()> {
        self.enter(line, event, losses);
        line.push_str("<event>\n");
        scalar(line, "string", "concept:name", event.name, event.index, losses);
        if let Some(event_time) = &event.event_time {
            time(line, event_time, event.index, losses);
        }
        let mut has_case_fields = false;
        for field in event.fields {
            if field.key.starts_with(PREFIX) {
                has_case_fields = true;
                continue;
            }
            // The attributes of the case come last when the trace is read again.
            if has_case_fields {
                losses.add(Loss::Positions, event.index, &field.key);
            }
            // These keys are reserved for the name and the time.
            let reserved = matches!(field.key.as_ref(), "concept:name" | "time:timestamp");
            if reserved {
                losses.add(Loss::Renamed, event.index, &field.key);
            }
            let is_used = |name: &str| event.fields.iter().any(|field| field.key == name);
            let name = if reserved { other_name(&field.key, is_used) } else { field.key.to_string() };
            attribute(line, &name, &field.value, event.index, losses);
        }
        line.push_str("</event>\n");
        Ok(())
    }

    fn end(&mut self, text: &mut String) {
        self.leave(text);
        text.push_str("</log>\n");
    }
}

fn time(line: &mut String, event_time: &EventTime<'_>, event: u64, losses: &mut Losses) {
    const KEY: &str = "time:timestamp";
    if event_time.field != KEY {
        losses.add(Loss::TimeName, event, event_time.field);
    }
    if event_time.kind == TimeKind::DateTime {
        let written = event_time.written.filter(|written| is_standard(written));
        let text = written.map_or_else(|| event_time.clock.print(event_time.kind, event_time.time), str::to_owned);
        scalar(line, "date", KEY, &text, event, losses);
        return;
    }
    losses.add(Loss::NumberTime, event, event_time.field);
    let text = event_time.text();
    scalar(line, if text.contains('.') { "float" } else { "int" }, KEY, &text, event, losses);
}

/// Returns true if a date-time is in the notation of XML Schema.
fn is_standard(written: &str) -> bool {
    let shape = b"0000-00-00T00:00:00";
    let bytes = written.as_bytes();
    let fits = |(&shape, &byte): (&u8, &u8)| if shape == b'0' { byte.is_ascii_digit() } else { shape == byte };
    let rest = bytes.get(shape.len()..).unwrap_or_default();
    let zone = rest.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'.').map_or(&b""[..], |at| &rest[at..]);
    bytes.len() >= shape.len() && shape.iter().zip(bytes).all(fits) && matches!(zone.len(), 0 | 1 | 6)
}

/// Writes an attribute of any type.
fn attribute(line: &mut String, key: &str, value: &Value<'_>, event: u64, losses: &mut Losses) {
    match value {
        Value::Null => losses.add(Loss::Null, event, key),
        Value::Bool(value) => scalar(line, "boolean", key, if *value { "true" } else { "false" }, event, losses),
        Value::Number(number) if number.is_whole() => scalar(line, "int", key, &number.to_string(), event, losses),
        Value::Number(_) => scalar(line, "float", key, &json_text(value), event, losses),
        Value::Text(text) => scalar(line, "string", key, text, event, losses),
        Value::List(items) => {
            open(line, "list", key, event, losses);
            line.push_str("><values>\n");
            for item in items {
                attribute(line, "item", item, event, losses);
            }
            line.push_str("</values></list>\n");
        }
        Value::Map(entries) => {
            open(line, "container", key, event, losses);
            line.push_str(">\n");
            for (key, value) in entries {
                attribute(line, key, value, event, losses);
            }
            line.push_str("</container>\n");
        }
    }
}

fn scalar(line: &mut String, kind: &str, key: &str, value: &str, event: u64, losses: &mut Losses) {
    open(line, kind, key, event, losses);
    line.push_str(" value=\"");
    if write_xml(line, value, XmlContext::Attribute).is_some() {
        losses.add(Loss::Characters, event, key);
    }
    line.push_str("\"/>\n");
}

fn open(line: &mut String, kind: &str, key: &str, event: u64, losses: &mut Losses) {
    line.push('<');
    line.push_str(kind);
    line.push_str(" key=\"");
    if write_xml(line, key, XmlContext::Attribute).is_some() {
        losses.add(Loss::Characters, event, key);
    }
    line.push('"');
}
