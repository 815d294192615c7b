// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fields by which a trace can be partitioned, as JSON (docs/contracts/plan.md).

use gnomon_core::diagnostic::line_column;
use gnomon_core::escape::{json, write_json};
use gnomon_ir::atom::ValueLocation;
use gnomon_ir::partition::{Carrier, Partition, PartitionKey, PartitionReason, RequiredBounds, common};

use super::write::{ObjectWriter, object};
use crate::{SpecContext, file_name};

/// Renders the keys of every property of the plan on one line. With `by`, it also says whether this field partitions all of
/// them.
pub fn render(spec: &SpecContext<'_>, by: Option<&str>) -> String {
    let partitions: Vec<(usize, Partition)> = spec.compiled.partitions().into_iter().enumerate().collect();
    let fields_of_all = common(partitions.iter().map(|(_, partition)| partition));
    let mut out = String::new();
    object(&mut out, |fields| {
        fields.text("gnomon", env!("CARGO_PKG_VERSION"));
        fields.text("spec", &file_name(spec.spec_name));
        fields.list("properties", &partitions, |out, (index, found)| property(out, spec, *index, found));
        fields.list("fields", &fields_of_all, |out, field| write_json(out, field));
        if let Some(field) = by {
            fields.with("by", |out| answer(out, spec, &partitions, field));
        }
    });
    out.push('\n');
    out
}

fn property(out: &mut String, spec: &SpecContext<'_>, index: usize, found: &Partition) {
    object(out, |fields| {
        fields.text("property", spec.property_name(index));
        fields.text("language", spec.property(index).language.word());
        // A key that several fields carry is listed once for each.
        let one = |key: &'_ PartitionKey| -> Vec<Option<String>> {
            if key.fields.is_empty() { vec![None] } else { key.fields.iter().cloned().map(Some).collect() }
        };
        let keys: Vec<(&PartitionKey, Option<String>)> =
            found.keys.iter().flat_map(|key| one(key).into_iter().map(move |field| (key, field))).collect();
        fields.list("keys", &keys, |out, (key, field)| self::key(out, key, field.as_deref()));
        fields.list("reasons", &found.reasons, |out, reason| {
            object(out, |fields| self::reason(fields, spec, reason));
        });
    });
}

fn key(out: &mut String, key: &PartitionKey, field: Option<&str>) {
    object(out, |fields| {
        fields.text("variable", &key.variable);
        fields.raw("field", &field.map_or("null".to_owned(), json));
        fields.list("places", &key.carriers, |out, Carrier { event, places }| {
            object(out, |fields| {
                fields.text("event", event);
                let is_wanted = |place: &&ValueLocation| match (place, field) {
                    (ValueLocation::Field(path), Some(field)) => path.field == field && path.steps.is_empty(),
                    _ => false,
                };
                match places.iter().find(is_wanted).or(places.first()) {
                    Some(ValueLocation::Field(path)) => fields.text("field", &path.to_string()),
                    Some(ValueLocation::Parameter(number)) => fields.plain("parameter", number),
                    None => {}
                }
            });
        });
        fields.list("told", &bound_words(key.required_bounds), |out, word| write_json(out, word));
        fields.text("without", key.if_missing.word());
    });
}

/// Lists the bounds of the whole trace that a part must be shown, in words.
pub fn bound_words(bounds: RequiredBounds) -> Vec<&'static str> {
    [("first", bounds.first), ("last", bounds.last)].into_iter().filter(|(_, is)| *is).map(|(word, _)| word).collect()
}

fn reason(fields: &mut ObjectWriter<'_>, spec: &SpecContext<'_>, reason: &PartitionReason) {
    fields.text("kind", reason.kind.word());
    fields.text("text", &reason.text);
    let (line, column) = line_column(&spec.compiled.source, reason.span.start as usize);
    fields.plain("line", line);
    fields.plain("column", column);
}

fn answer(out: &mut String, spec: &SpecContext<'_>, partitions: &[(usize, Partition)], field: &str) {
    let refused: Vec<(usize, PartitionReason)> =
        partitions.iter().filter_map(|(index, found)| Some((*index, found.allows(field).err()?))).collect();
    object(out, |fields| {
        fields.text("field", field);
        fields.plain("allowed", refused.is_empty());
        fields.list("refused", &refused, |out, (index, reason)| {
            object(out, |fields| {
                fields.text("property", spec.property_name(*index));
                self::reason(fields, spec, reason);
            });
        });
    });
}
