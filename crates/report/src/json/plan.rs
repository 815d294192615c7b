// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fields by which a trace can be partitioned, as JSON (docs/contracts/plan.md).

use gnomon_core::diagnostic::line_column;
use gnomon_ir::atom::ValueLocation;
use gnomon_ir::core::Core;
use gnomon_ir::partition::{Carrier, Partition, PartitionKey, PartitionReason, RequiredBounds, common};

use super::write::{ObjectWriter, object_text};
use crate::{SpecContext, file_name};

/// Renders the keys of every property of the plan on one line. With `by`, it also says whether this field partitions all of
/// them.
pub fn render(spec: &SpecContext<'_>, by: Option<&str>) -> String {
    let partitions = spec.compiled.partitions();
    object_text(|fields| {
        fields.field("gnomon", env!("CARGO_PKG_VERSION"));
        fields.field("spec", &file_name(spec.spec_name));
        fields.objects("properties", partitions.iter().enumerate(), |fields, (index, found)| {
            fields.field("property", spec.property_name(index));
            fields.field("language", spec.property(index).language.word());
            property(fields, spec, found);
            if let Core::Clocks(core) = &spec.compiled.plan.cores()[index] {
                let texts: Vec<String> = core.unbounded().into_iter().map(|of| core.relation_text(of)).collect();
                fields.field("unbounded", &texts.iter().map(String::as_str).collect::<Vec<&str>>()[..]);
            }
        });
        fields.field("fields", &common(&partitions)[..]);
        if let Some(field) = by {
            fields.object("by", |fields| answer(fields, spec, &partitions, field));
        }
    }) + "\n"
}

fn property(fields: &mut ObjectWriter<'_>, spec: &SpecContext<'_>, found: &Partition) {
    // A key that several fields carry is listed once for each.
    let one = |key: &'_ PartitionKey| -> Vec<Option<String>> {
        if key.fields.is_empty() { vec![None] } else { key.fields.iter().cloned().map(Some).collect() }
    };
    let keys = found.keys.iter().flat_map(|key| one(key).into_iter().map(move |field| (key, field)));
    fields.objects("keys", keys, |fields, (key, field)| self::key(fields, key, field.as_deref()));
    fields.objects("reasons", &found.reasons, |fields, reason| self::reason(fields, spec, reason));
}

fn key(fields: &mut ObjectWriter<'_>, key: &PartitionKey, field: Option<&str>) {
    fields.field("variable", &key.variable);
    fields.field("field", field);
    fields.objects("places", &key.carriers, |fields, Carrier { event, places }| {
        fields.field("event", event);
        let is_wanted = |place: &&ValueLocation| match (place, field) {
            (ValueLocation::Field(path), Some(field)) => path.field == field && path.steps.is_empty(),
            _ => false,
        };
        match places.iter().find(is_wanted).or(places.first()) {
            Some(ValueLocation::Field(path)) => fields.field("field", &path.to_string()),
            Some(ValueLocation::Parameter(number)) => fields.field("parameter", *number),
            None => {}
        }
    });
    fields.field("told", &bound_words(key.required_bounds)[..]);
    fields.field("without", key.if_missing.word());
}

/// Lists the bounds of the whole trace that a part must be shown, in words.
fn bound_words(bounds: RequiredBounds) -> Vec<&'static str> {
    [("first", bounds.first), ("last", bounds.last)].into_iter().filter(|(_, is)| *is).map(|(word, _)| word).collect()
}

fn reason(fields: &mut ObjectWriter<'_>, spec: &SpecContext<'_>, reason: &PartitionReason) {
    fields.field("kind", reason.kind.word());
    fields.field("text", &reason.text);
    let (line, column) = line_column(&spec.compiled.source, reason.span.start as usize);
    fields.field("line", line);
    fields.field("column", column);
}

fn answer(fields: &mut ObjectWriter<'_>, spec: &SpecContext<'_>, partitions: &[Partition], field: &str) {
    let refused = partitions.iter().enumerate();
    let refused: Vec<(usize, PartitionReason)> =
        refused.filter_map(|(index, found)| Some((index, found.allows(field).err()?))).collect();
    fields.field("field", field);
    fields.field("allowed", refused.is_empty());
    fields.objects("refused", &refused, |fields, (index, reason)| {
        fields.field("property", spec.property_name(*index));
        self::reason(fields, spec, reason);
    });
}
