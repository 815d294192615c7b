// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exports in JSON, as OTLP has it: keys in camel case, ids in hexadecimal, whole numbers of 64 bits as numbers or in
//! strings, enumerations as numbers (names are understood too). Keys that are not known are passed over.

mod parser;

use std::str::FromStr;

use gnomon_core::number::Number;
use gnomon_core::value::Value;

use self::parser::Parser;
use crate::attributes::{Attributes, double, last_wins, name_fields, name_resource_fields};
use crate::error::{Error, ErrorKind};
use crate::id::{SpanId, TraceId};
use crate::limits::{Budget, Limits};
use crate::occurrence::{NOTE_FIELDS, SPAN_FIELDS};
use crate::request::{Kind, Note, Request, Resource, Span, Status};

/// Decodes the JSON of one export request.
pub fn decode_json(bytes: &[u8], limits: &Limits) -> Result<Request, Error> {
    let budget = Budget::of(bytes, limits)?;
    let text = str::from_utf8(bytes)
        .map_err(|error| Error::new(ErrorKind::NotUtf8, error.valid_up_to(), "the JSON is not UTF-8"))?;
    let mut parser = Parser::new(text, budget);
    let mut resources = Vec::new();
    let (mut is_export, mut is_empty) = (false, true);
    parser.object(|parser, key| {
        is_empty = false;
        match key {
            "resourceSpans" => {
                is_export = true;
                parser.array(|parser| {
                    parser.count_value(0)?;
                    resources.push(resource(parser)?);
                    Ok(())
                })
            }
            // Other exports may stand in the same file.
            "resourceLogs" | "resourceMetrics" | "resourceProfiles" => {
                is_export = true;
                parser.skip()
            }
            _ => parser.skip(),
        }
    })?;
    parser.end()?;
    Request::new(resources, is_export || is_empty, parser.budget())
}

fn resource(parser: &mut Parser<'_>) -> Result<Resource, Error> {
    let mut resource = Resource::default();
    parser.object(|parser, key| match key {
        "resource" => parser.object(|parser, key| match key {
            "attributes" => attributes(parser, &mut resource.attributes),
            _ => parser.skip(),
        }),
        "scopeSpans" => parser.array(|parser| {
            parser.object(|parser, key| match key {
                "spans" => parser.array(|parser| {
                    let read = span(parser)?;
                    resource.spans.push(read);
                    Ok(())
                }),
                _ => parser.skip(),
            })
        }),
        _ => parser.skip(),
    })?;
    resource.service = Resource::service_of(&resource.attributes);
    name_resource_fields(&mut resource.attributes);
    Ok(resource)
}

fn span(parser: &mut Parser<'_>) -> Result<Span, Error> {
    let at = parser.count_span()?;
    let mut span = Span { at, ..Span::default() };
    parser.object(|parser, key| {
        let at = parser.at();
        match key {
            "traceId" => span.trace = TraceId::from_hex(&parser.string()?, at)?,
            "spanId" => span.id = SpanId::from_hex(&parser.string()?, at)?,
            "parentSpanId" => span.parent = SpanId::from_hex(&parser.string()?, at)?,
            "name" => span.name = parser.string()?.into_owned(),
            "kind" => span.kind = enumeration(parser, Kind::of, Kind::named)?,
            "startTimeUnixNano" => span.start = whole(parser)?,
            "endTimeUnixNano" => span.end = whole(parser)?,
            "attributes" => attributes(parser, &mut span.attributes)?,
            "events" => parser.array(|parser| {
                let read = note(parser)?;
                span.notes.push(read);
                Ok(())
            })?,
            "status" => parser.object(|parser, key| {
                match key {
                    "code" => span.status = enumeration(parser, Status::of, Status::named)?,
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

fn note(parser: &mut Parser<'_>) -> Result<Note, Error> {
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

fn attributes(parser: &mut Parser<'_>, into: &mut Attributes) -> Result<(), Error> {
    parser.array(|parser| {
        parser.count_attribute(into.len())?;
        into.push(pair(parser, 0)?);
        Ok(())
    })
}

/// `{"key": "k", "value": {...}}`
fn pair(parser: &mut Parser<'_>, depth: usize) -> Result<(String, Value<'static>), Error> {
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

/// `{"stringValue": "v"}` and the like. An object without a value is null.
fn value(parser: &mut Parser<'_>, depth: usize) -> Result<Value<'static>, Error> {
    let mut read = Value::Null;
    parser.object(|parser, key| {
        match key {
            "stringValue" | "bytesValue" => read = Value::Text(parser.string()?.into_owned().into()),
            "boolValue" => read = Value::Bool(parser.boolean()?),
            "intValue" => read = Value::Number(Number::Int(whole(parser)?)),
            "doubleValue" => read = floating(parser)?,
            "arrayValue" => {
                let mut items = Vec::new();
                values(parser, |parser| {
                    parser.count_value(depth + 1)?;
                    items.push(value(parser, depth + 1)?);
                    Ok(())
                })?;
                read = Value::List(items);
            }
            "kvlistValue" => {
                let mut entries = Vec::new();
                values(parser, |parser| {
                    let (key, value) = pair(parser, depth + 1)?;
                    entries.push((key.into(), value));
                    Ok(())
                })?;
                last_wins(&mut entries);
                read = Value::Map(entries);
            }
            _ => parser.skip()?,
        }
        Ok(())
    })?;
    Ok(read)
}

/// `{"values": [...]}`
fn values<'a>(
    parser: &mut Parser<'a>,
    mut item: impl FnMut(&mut Parser<'a>) -> Result<(), Error>,
) -> Result<(), Error> {
    parser.object(|parser, key| match key {
        "values" => parser.array(&mut item),
        _ => parser.skip(),
    })
}

/// A whole number, or a string with one.
fn whole<T: FromStr>(parser: &mut Parser<'_>) -> Result<T, Error> {
    let at = parser.at();
    let digits = parser.number_or_string()?;
    digits.parse().map_err(|_| {
        Error::new(ErrorKind::NotAnExport, at, format!("`{}` is no whole number of 64 bits", shortened(&digits)))
    })
}

/// A number, or a string with one, or with `NaN`, `Infinity` or `-Infinity`.
fn floating(parser: &mut Parser<'_>) -> Result<Value<'static>, Error> {
    let at = parser.at();
    let digits = parser.number_or_string()?;
    digits
        .parse()
        .map(double)
        .map_err(|_| Error::new(ErrorKind::NotAnExport, at, format!("`{}` is no number", shortened(&digits))))
}

/// The number of one of an enumeration, or its name.
fn enumeration<T>(parser: &mut Parser<'_>, of: fn(u64) -> T, named: fn(&str) -> T) -> Result<T, Error> {
    if parser.peek() == Some(b'"') { Ok(named(&parser.string()?)) } else { whole(parser).map(of) }
}

/// The beginning of a text, for a message.
fn shortened(text: &str) -> String {
    text.chars().take(40).flat_map(char::escape_debug).collect()
}
