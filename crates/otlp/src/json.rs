// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decodes exports in JSON as OTLP defines it: keys in camel case, ids in hexadecimal, 64-bit integers as numbers or
//! strings, enumerations as numbers (names are accepted too). Unknown keys are skipped.

mod parser;

use std::str::FromStr;

use gnomon_core::number::Number;
use gnomon_core::value::Value;

use self::parser::Parser;
use crate::attributes::{Attributes, double, last_wins, name_fields, name_resource_fields};
use crate::id::{SpanId, TraceId};
use crate::limits::{DecodeBudget, Limits};
use crate::occurrence::{NOTE_FIELDS, SPAN_FIELDS};
use crate::request::{ExportRequest, Note, OtlpEnum, Resource, Span};
use gnomon_scan::{Code, Fault};

/// Decodes one export request in JSON.
pub fn decode_json(bytes: &[u8], limits: &Limits) -> Result<ExportRequest, Fault> {
    let budget = DecodeBudget::of(bytes, limits)?;
    let text = str::from_utf8(bytes)
        .map_err(|error| Fault::new(Code::NotUtf8, error.valid_up_to(), "the JSON is not UTF-8"))?;
    let mut parser = Parser::new(text, budget);
    let mut resources = Vec::new();
    let (mut is_export, mut is_empty) = (false, true);
    parser.object(|parser, key| {
        is_empty = false;
        match key {
            "resourceSpans" => {
                is_export = true;
                parser.list(&mut resources, |parser| {
                    parser.count_value(0)?;
                    resource(parser)
                })
            }
            // A file may also contain other exports.
            "resourceLogs" | "resourceMetrics" | "resourceProfiles" => {
                is_export = true;
                parser.skip()
            }
            _ => parser.skip(),
        }
    })?;
    parser.end()?;
    ExportRequest::new(resources, is_export || is_empty, parser.budget())
}

fn resource(parser: &mut Parser<'_>) -> Result<Resource, Fault> {
    let mut resource = Resource::default();
    parser.object(|parser, key| match key {
        "resource" => parser.object(|parser, key| match key {
            "attributes" => attributes(parser, &mut resource.attributes),
            _ => parser.skip(),
        }),
        "scopeSpans" => parser.array(|parser| {
            parser.object(|parser, key| match key {
                "spans" => parser.list(&mut resource.spans, span),
                _ => parser.skip(),
            })
        }),
        _ => parser.skip(),
    })?;
    resource.service = Resource::service_of(&resource.attributes);
    name_resource_fields(&mut resource.attributes);
    Ok(resource)
}

fn span(parser: &mut Parser<'_>) -> Result<Span, Fault> {
    let at = parser.count_span()?;
    let mut span = Span { at, ..Span::default() };
    parser.object(|parser, key| {
        let at = parser.at();
        match key {
            "traceId" => span.trace = TraceId::from_hex(&parser.string()?, at)?,
            "spanId" => span.id = SpanId::from_hex(&parser.string()?, at)?,
            "parentSpanId" => span.parent = SpanId::from_hex(&parser.string()?, at)?,
            "name" => span.name = parser.string()?.into_owned(),
            "kind" => span.kind = enumeration(parser)?,
            "startTimeUnixNano" => span.start = whole(parser)?,
            "endTimeUnixNano" => span.end = whole(parser)?,
            "attributes" => attributes(parser, &mut span.attributes)?,
            "events" => parser.list(&mut span.notes, note)?,
            "status" => parser.object(|parser, key| {
                match key {
                    "code" => span.status = enumeration(parser)?,
                    "message" => span.status_message = parser.string()?.into_owned(),
                    _ => parser.skip()?,
                }
                Ok(())
            })?,
            _ => parser.skip()?,
        }
        Ok(())
    })?;
    name_fields(&mut span.attributes, SPAN_FIELDS);
    Ok(span)
}

fn note(parser: &mut Parser<'_>) -> Result<Note, Fault> {
    parser.count_span()?;
    let mut note = Note::default();
    parser.object(|parser, key| {
        match key {
            "timeUnixNano" => note.time = whole(parser)?,
            "name" => note.name = parser.string()?.into_owned(),
            "attributes" => attributes(parser, &mut note.attributes)?,
            _ => parser.skip()?,
        }
        Ok(())
    })?;
    name_fields(&mut note.attributes, NOTE_FIELDS);
    Ok(note)
}

fn attributes(parser: &mut Parser<'_>, into: &mut Attributes) -> Result<(), Fault> {
    parser.array(|parser| {
        parser.count_attribute(into.len())?;
        into.push(pair(parser, 0)?);
        Ok(())
    })
}

/// Decodes `{"key": "k", "value": {...}}`.
fn pair(parser: &mut Parser<'_>, depth: usize) -> Result<(String, Value<'static>), Fault> {
    parser.count_value(depth)?;
    let (mut name, mut read) = (String::new(), Value::Null);
    parser.object(|parser, key| {
        match key {
            "key" => name = parser.string()?.into_owned(),
            "value" => read = value(parser, depth)?,
            _ => parser.skip()?,
        }
        Ok(())
    })?;
    Ok((name, read))
}

/// Decodes `{"stringValue": "v"}` and the like. An object without a value is null.
fn value(parser: &mut Parser<'_>, depth: usize) -> Result<Value<'static>, Fault> {
    let mut read = Value::Null;
    parser.object(|parser, key| {
        match key {
            "stringValue" | "bytesValue" => read = Value::Text(parser.string()?.into_owned().into()),
            "boolValue" => read = Value::Bool(parser.boolean()?),
            "intValue" => read = Value::Number(Number::Int(whole(parser)?)),
            "doubleValue" => read = floating(parser)?,
            "arrayValue" => {
                let mut items = Vec::new();
                values(parser, &mut items, |parser| {
                    parser.count_value(depth + 1)?;
                    value(parser, depth + 1)
                })?;
                read = Value::List(items);
            }
            "kvlistValue" => {
                let mut entries = Vec::new();
                values(parser, &mut entries, |parser| pair(parser, depth + 1).map(|(key, value)| (key.into(), value)))?;
                last_wins(&mut entries);
                read = Value::Map(entries);
            }
            _ => parser.skip()?,
        }
        Ok(())
    })?;
    Ok(read)
}

/// Decodes `{"values": [...]}`.
fn values<'a, T>(
    parser: &mut Parser<'a>,
    into: &mut Vec<T>,
    mut item: impl FnMut(&mut Parser<'a>) -> Result<T, Fault>,
) -> Result<(), Fault> {
    parser.object(|parser, key| match key {
        "values" => parser.list(into, &mut item),
        _ => parser.skip(),
    })
}

/// Decodes an integer, or a string with one.
fn whole<T: FromStr>(parser: &mut Parser<'_>) -> Result<T, Fault> {
    let at = parser.at();
    let digits = parser.number_or_string()?;
    digits.parse().map_err(|_| {
        Fault::new(Code::NotAnExport, at, format!("`{}` is not a whole number of 64 bits", shortened(&digits)))
    })
}

/// Decodes a number, or a string with one or with `NaN`, `Infinity` or `-Infinity`.
fn floating(parser: &mut Parser<'_>) -> Result<Value<'static>, Fault> {
    let at = parser.at();
    let digits = parser.number_or_string()?;
    digits
        .parse()
        .map(double)
        .map_err(|_| Fault::new(Code::NotAnExport, at, format!("`{}` is not a number", shortened(&digits))))
}

/// Decodes the number or the name of an enumerator.
fn enumeration<T: OtlpEnum>(parser: &mut Parser<'_>) -> Result<T, Fault> {
    if parser.peek() == b'"' { Ok(T::from_name(&parser.string()?)) } else { whole(parser).map(T::from_number) }
}

/// Returns the beginning of a text, for a message.
fn shortened(text: &str) -> String {
    text.chars().take(40).flat_map(char::escape_debug).collect()
}
