// SPDX-License-Identifier: MIT OR Apache-2.0
//! By which fields a trace may be taken apart, for other programs (docs/contracts/plan.md).

use gnomon_core::diagnostic::line_column;
use gnomon_ir::partition::{Carrier, Key, Partition, Reason, Told, common};
use gnomon_ir::pattern::Place;

use super::write::{Fields, object, quoted};
use crate::{About, file_name};

/// The keys of every property of the plan, on one line; `by`: whether each of them may be taken apart by this field.
pub fn render(about: &About<'_>, by: Option<&str>) -> String {
    let partitions: Vec<(usize, Partition)> = about.compiled.partitions().into_iter().enumerate().collect();
    let fields_of_all = common(partitions.iter().map(|(_, partition)| partition));
    let mut out = String::new();
    object(&mut out, |fields| {
        fields.text("gnomon", env!("CARGO_PKG_VERSION"));
        fields.text("spec", &file_name(about.spec_name));
        fields.list("properties", &partitions, |out, (index, found)| property(out, about, *index, found));
        fields.list("fields", &fields_of_all, |out, field| out.push_str(&quoted(field)));
        if let Some(field) = by {
            fields.with("by", |out| asked(out, about, &partitions, field));
        }
    });
    out.push('\n');
    out
}

fn property(out: &mut String, about: &About<'_>, index: usize, found: &Partition) {
    object(out, |fields| {
        fields.text("property", about.property_name(index));
        fields.text("language", about.property(index).language.word());
        // A key that is in several fields is there once for each.
        let one = |key: &'_ Key| -> Vec<Option<String>> {
            if key.fields.is_empty() { vec![None] } else { key.fields.iter().cloned().map(Some).collect() }
        };
        let keys: Vec<(&Key, Option<String>)> =
            found.keys.iter().flat_map(|key| one(key).into_iter().map(move |field| (key, field))).collect();
        fields.list("keys", &keys, |out, (key, field)| self::key(out, key, field.as_deref()));
        fields.list("reasons", &found.reasons, |out, reason| {
            object(out, |fields| self::reason(fields, about, reason));
        });
    });
}

fn key(out: &mut String, key: &Key, field: Option<&str>) {
    object(out, |fields| {
        fields.text("variable", &key.variable);
        fields.raw("field", &field.map_or("null".to_owned(), quoted));
        fields.list("places", &key.carriers, |out, Carrier { event, places }| {
            object(out, |fields| {
                fields.text("event", event);
                let is_wanted = |place: &&Place| match (place, field) {
                    (Place::Field(path), Some(field)) => path.field == field && path.steps.is_empty(),
                    _ => false,
                };
                match places.iter().find(is_wanted).or(places.first()) {
                    Some(Place::Field(path)) => fields.text("field", &path.to_string()),
                    Some(Place::Parameter(number)) => fields.raw("parameter", &number.to_string()),
                    None => {}
                }
            });
        });
        fields.list("told", &told(key.told), |out, word| out.push_str(&quoted(word)));
        fields.text("without", key.without.word());
    });
}

/// What a part must be told of the whole, in words.
pub fn told(told: Told) -> Vec<&'static str> {
    [("first", told.first), ("last", told.last)].into_iter().filter(|(_, is)| *is).map(|(word, _)| word).collect()
}

fn reason(fields: &mut Fields<'_>, about: &About<'_>, reason: &Reason) {
    fields.text("kind", reason.kind.word());
    fields.text("text", &reason.text);
    let (line, column) = line_column(&about.compiled.source, reason.span.start as usize);
    fields.raw("line", &line.to_string());
    fields.raw("column", &column.to_string());
}

fn asked(out: &mut String, about: &About<'_>, partitions: &[(usize, Partition)], field: &str) {
    let refused: Vec<(usize, Reason)> =
        partitions.iter().filter_map(|(index, found)| Some((*index, found.allows(field).err()?))).collect();
    object(out, |fields| {
        fields.text("field", field);
        fields.raw("allowed", &refused.is_empty().to_string());
        fields.list("refused", &refused, |out, (index, reason)| {
            object(out, |fields| {
                fields.text("property", about.property_name(*index));
                self::reason(fields, about, reason);
            });
        });
    });
}
