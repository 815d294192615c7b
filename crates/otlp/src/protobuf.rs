// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decodes exports in protobuf: `opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest`. Unknown fields
//! are skipped.

mod wire;

use gnomon_core::number::Number;
use gnomon_core::value::Value;

use self::wire::{WireField, WireReader};
use crate::attributes::{Attributes, base64, double, last_wins, name_fields, name_resource_fields};
use crate::id::{SpanId, TraceId};
use crate::limits::{DecodeBudget, Limits};
use crate::occurrence::{NOTE_FIELDS, SPAN_FIELDS};
use crate::request::{ExportRequest, Note, OtlpEnum, Resource, Span, SpanKind, SpanStatus};
use gnomon_scan::Fault;

/// Decodes one export request in protobuf.
pub fn decode_protobuf(bytes: &[u8], limits: &Limits) -> Result<ExportRequest, Fault> {
    let mut budget = DecodeBudget::of(bytes, limits)?;
    let mut wire = WireReader::new(bytes);
    let mut resources = Vec::new();
    let (mut is_export, mut is_empty) = (false, true);
    while let Some((number, field)) = wire.next()? {
        is_empty = false;
        if number == 1 {
            is_export = true;
            let message = field.message()?;
            budget.value(message.at(), 0)?;
            resources.push(resource(message, &mut budget)?);
        }
    }
    ExportRequest::new(resources, is_export || is_empty, &budget)
}

/// Decodes `ResourceSpans`.
fn resource(mut wire: WireReader<'_>, budget: &mut DecodeBudget) -> Result<Resource, Fault> {
    let mut resource = Resource::default();
    while let Some((number, field)) = wire.next()? {
        match number {
            1 => {
                let mut wire = field.message()?;
                while let Some((number, field)) = wire.next()? {
                    if number == 1 {
                        attribute(&field, &mut resource.attributes, budget)?;
                    }
                }
            }
            2 => {
                let mut wire = field.message()?;
                while let Some((number, field)) = wire.next()? {
                    if number == 2 {
                        resource.spans.push(span(field.message()?, budget)?);
                    }
                }
            }
            _ => {}
        }
    }
    resource.service = Resource::service_of(&resource.attributes);
    name_resource_fields(&mut resource.attributes);
    Ok(resource)
}

/// Decodes `Span`.
fn span(mut wire: WireReader<'_>, budget: &mut DecodeBudget) -> Result<Span, Fault> {
    budget.span(wire.at())?;
    let mut span = Span { at: wire.at(), ..Span::default() };
    while let Some((number, field)) = wire.next()? {
        let at = field.at();
        match number {
            1 => span.trace = TraceId::from_bytes(field.bytes()?, at)?,
            2 => span.id = SpanId::from_bytes(field.bytes()?, at)?,
            4 => span.parent = SpanId::from_bytes(field.bytes()?, at)?,
            5 => field.text()?.clone_into(&mut span.name),
            6 => span.kind = SpanKind::from_number(field.varint()?),
            7 => span.start = field.fixed()?,
            8 => span.end = field.fixed()?,
            9 => attribute(&field, &mut span.attributes, budget)?,
            11 => span.notes.push(note(field.message()?, budget)?),
            15 => {
                let mut wire = field.message()?;
                while let Some((number, field)) = wire.next()? {
                    match number {
                        2 => field.text()?.clone_into(&mut span.status_message),
                        3 => span.status = SpanStatus::from_number(field.varint()?),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    name_fields(&mut span.attributes, SPAN_FIELDS);
    Ok(span)
}

/// Decodes `Span.Event`.
fn note(mut wire: WireReader<'_>, budget: &mut DecodeBudget) -> Result<Note, Fault> {
    budget.span(wire.at())?;
    let mut note = Note::default();
    while let Some((number, field)) = wire.next()? {
        match number {
            1 => note.time = field.fixed()?,
            2 => field.text()?.clone_into(&mut note.name),
            3 => attribute(&field, &mut note.attributes, budget)?,
            _ => {}
        }
    }
    name_fields(&mut note.attributes, NOTE_FIELDS);
    Ok(note)
}

fn attribute(field: &WireField<'_>, into: &mut Attributes, budget: &mut DecodeBudget) -> Result<(), Fault> {
    budget.attribute(field.at(), into.len())?;
    into.push(pair(field.message()?, budget, 0)?);
    Ok(())
}

/// Decodes `KeyValue`.
fn pair(mut wire: WireReader<'_>, budget: &mut DecodeBudget, depth: usize) -> Result<(String, Value<'static>), Fault> {
    budget.value(wire.at(), depth)?;
    let (mut key, mut read) = (String::new(), Value::Null);
    while let Some((number, field)) = wire.next()? {
        match number {
            1 => field.text()?.clone_into(&mut key),
            2 => read = value(field.message()?, budget, depth)?,
            _ => {}
        }
    }
    Ok((key, read))
}

/// Decodes `AnyValue`; one without a value is null.
fn value(mut wire: WireReader<'_>, budget: &mut DecodeBudget, depth: usize) -> Result<Value<'static>, Fault> {
    let mut read = Value::Null;
    while let Some((number, field)) = wire.next()? {
        read = match number {
            1 => Value::Text(field.text()?.to_owned().into()),
            2 => Value::Bool(field.varint()? != 0),
            3 => Value::Number(Number::Int(field.varint()?.cast_signed())),
            4 => double(f64::from_bits(field.fixed()?)),
            5 => {
                let (mut wire, mut items) = (field.message()?, Vec::new());
                while let Some((number, field)) = wire.next()? {
                    if number == 1 {
                        budget.value(field.at(), depth + 1)?;
                        items.push(value(field.message()?, budget, depth + 1)?);
                    }
                }
                Value::List(items)
            }
            6 => {
                let (mut wire, mut entries) = (field.message()?, Vec::new());
                while let Some((number, field)) = wire.next()? {
                    if number == 1 {
                        let (key, value) = pair(field.message()?, budget, depth + 1)?;
                        entries.push((key.into(), value));
                    }
                }
                last_wins(&mut entries);
                Value::Map(entries)
            }
            7 => Value::Text(base64(field.bytes()?).into()),
            _ => read,
        };
    }
    Ok(read)
}
