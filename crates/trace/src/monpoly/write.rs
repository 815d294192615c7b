// SPDX-License-Identifier: MIT OR Apache-2.0
//! The writer: one time point per event, one event per line.

use std::io;

use gnomon_core::time::{Clock, TimeKind, Unit};
use gnomon_core::value::Value;

use super::{argument_index, in_word};
use crate::loss::{Loss, Losses};
use crate::writer::{EventRecord, TextFormat, TextWriter, json_text};

/// Writes logs for `MonPoly`; see `monpoly/FORMAT.md`.
pub type MonpolyWriter<W> = TextWriter<W, MonpolyFormat>;

/// The grammar of these logs.
#[derive(Default)]
pub struct MonpolyFormat;

impl TextFormat for MonpolyFormat {
    fn event(&mut self, line: &mut String, event: &EventRecord<'_>, losses: &mut Losses) -> io::Result<()> {
        line.push('@');
        line.push_str(&time(event, losses));
        line.push(' ');
        if event.name.bytes().all(in_word) {
            line.push_str(event.name);
        } else {
            quoted(line, event.name, event.index, "", losses);
        }
        line.push_str(" (");
        let unnamed = event.fields.iter().enumerate().all(|(index, field)| argument_index(&field.key) == Some(index));
        let count = event.parameters.parameter_count();
        if !unnamed || count != event.fields.len() {
            let named = event.fields.first().map_or("", |field| &field.key);
            losses.add(Loss::FieldNames, event.index, named);
        }
        // The fields of a case are not parameters, but they identify the case of the event.
        let of_case = event.fields.iter().filter(|field| field.key.starts_with("case:"));
        let parameters = (0..count).map(|index| event.parameters.parameter(index));
        let arguments = parameters.chain(of_case.map(|field| field.value.clone()));
        for (index, value) in arguments.enumerate() {
            line.push_str(if index == 0 { "" } else { ", " });
            let field = event.fields.get(index).map_or("", |field| &field.key);
            argument(line, &value, event.index, field, losses);
        }
        line.push_str(")\n");
        Ok(())
    }
}

fn time(event: &EventRecord<'_>, losses: &mut Losses) -> String {
    let Some(event_time) = &event.event_time else {
        losses.add(Loss::PlaceTime, event.index, "");
        return event.index.to_string();
    };
    if event_time.field != "time" {
        losses.add(Loss::TimeName, event.index, event_time.field);
    }
    if event_time.kind == TimeKind::DateTime {
        losses.add(Loss::DateTime, event.index, event_time.field);
        return Clock::new(Some(Unit::Second)).print_number(event_time.time);
    }
    event_time.clock.print(event_time.kind, event_time.time)
}

fn argument(line: &mut String, value: &Value<'_>, event: u64, field: &str, losses: &mut Losses) {
    match value {
        Value::Null => {
            losses.add(Loss::Null, event, field);
            line.push_str("null");
        }
        Value::Bool(value) => {
            losses.add(Loss::Boolean, event, field);
            line.push_str(if *value { "true" } else { "false" });
        }
        Value::Number(_) => line.push_str(&json_text(value)),
        Value::Text(text) => quoted(line, text, event, field, losses),
        Value::List(_) | Value::Map(_) => {
            losses.add(Loss::Nested, event, field);
            quoted(line, &json_text(value), event, field, losses);
        }
    }
}

/// Writes a text in quotes. A quote inside cannot be represented.
fn quoted(line: &mut String, text: &str, event: u64, field: &str, losses: &mut Losses) {
    if text.contains('"') {
        losses.add(Loss::Characters, event, field);
    }
    line.push('"');
    line.push_str(&text.replace('"', "'"));
    line.push('"');
}
