// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exports in protobuf: `opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest`. Fields that are not known are
//! passed over.

mod wire;

use gnomon_core::number::Number;
use gnomon_core::value::Value;

use self::wire::{Field, Wire};
use crate::attributes::{Attributes, base64, double, last_wins, name_fields, name_resource_fields};
use crate::error::Error;
use crate::id::{SpanId, TraceId};
use crate::limits::{Budget, Limits};
use crate::occurrence::{NOTE_FIELDS, SPAN_FIELDS};
use crate::request::{Kind, Note, Request, Resource, Span, Status};

/// Decodes the protobuf of one export request.
pub fn decode_protobuf(bytes: &[u8], limits: &Limits) -> Result<Request, Error> {
    let mut budget = Budget::of(bytes, limits)?;
    let mut wire = Wire::new(bytes);
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
    Request::new(resources, is_export || is_empty, &budget)
}

/// `ResourceSpans`
fn resource(mut wire: Wire<'_>, budget: &mut Budget) -> Result<Resource, Error> {
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

/// `Span`
fn span(mut wire: Wire<'_>, budget: &mut Budget) -> Result<Span, Error> {
    budget.span(wire.at())?;
    let mut span = Span { at: wire.at(), ..Span::default() };
    while let Some((number, field)) = wire.next()? {
        let at = field.at();
        match number {
            1 => span.trace = TraceId::from_bytes(field.bytes()?, at)?,
            2 => span.id = SpanId::from_bytes(field.bytes()?, at)?,
            4 => span.parent = SpanId::from_bytes(field.bytes()?, at)?,
            5 => field.text()?.clone_into(&mut span.name),
            6 => span.kind = Kind::of(field.varint()?),
            7 => span.start = field.fixed()?,
            8 => span.end = field.fixed()?,
            9 => attribute(&field, &mut span.attributes, budget)?,
            11 => span.notes.push(note(field.message()?, budget)?),
            15 => {
                let mut wire = field.message()?;
                while let Some((number, field)) = wire.next()? {
                    match number {
                        2 => field.text()?.clone_into(&mut span.status_message),
                        3 => span.status = Status::of(field.varint()?),
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

/// `Span.Event`
fn note(mut wire: Wire<'_>, budget: &mut Budget) -> Result<Note, Error> {
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

fn attribute(field: &Field<'_>, into: &mut Attributes, budget: &mut Budget) -> Result<(), Error> {
    budget.attribute(field.at(), into.len())?;
    into.push(pair(field.message()?, budget, 0)?);
    Ok(())
}

/// `KeyValue`
fn pair(mut wire: Wire<'_>, budget: &mut Budget, depth: usize) -> Result<(String, Value<'static>), Error> {
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

/// `AnyValue`; one without a value is null.
fn value(mut wire: Wire<'_>, budget: &mut Budget, depth: usize) -> Result<Value<'static>, Error> {
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
