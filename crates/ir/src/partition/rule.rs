// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules over messages: a correlation set that has a field of every message keeps instances of different values apart.

use std::collections::BTreeMap;

use super::{Asking, Carrier, Key, Partition, Reason, ReasonKind, Told, Without, carrier, reason};
use crate::core::{AtomDefinition, CorrelationCore, Direction, RuleCore};
use crate::pattern::{Path, Place};

pub(super) fn partition(asking: Asking<'_>, core: &RuleCore) -> Partition {
    if core.correlations.is_empty() {
        return Partition { keys: vec![], reasons: vec![reason::no_variables(asking.property)] };
    }
    let mut partition = Partition { keys: vec![], reasons: vec![] };
    for set in &core.correlations {
        match key(asking, core, set) {
            Ok(key) => {
                partition.reasons.push(reason::bound(&key, asking.property.body_span));
                partition.keys.push(key);
            }
            Err(reason) => partition.reasons.push(reason),
        }
    }
    partition
}

fn key(asking: Asking<'_>, core: &RuleCore, set: &CorrelationCore) -> Result<Key, Reason> {
    let mut found: BTreeMap<&str, &Path> = BTreeMap::new();
    for atom in &core.atoms {
        let Some(member) = set.members.iter().find(|member| member.message == atom.name) else {
            return Err(relates(asking, core, set, atom));
        };
        for pattern in &atom.patterns {
            // A message's value is that of the first member that it is of: whichever that is, it is in the same field.
            let places = set.members.iter().flat_map(|member| &member.places);
            let mut paths = places.filter(|(place, _)| place.event == pattern.event).map(|(_, path)| path);
            let own = member.places.iter().find(|(place, _)| place.event == pattern.event).map(|(_, path)| path);
            let Some(own) = own.filter(|own| paths.all(|path| path == *own)) else {
                return Err(relates(asking, core, set, atom));
            };
            found.insert(&pattern.event, own);
        }
    }
    let carriers: Vec<Carrier> = found
        .into_iter()
        .map(|(event, path)| Carrier { event: event.to_owned(), places: vec![Place::Field(path.clone())] })
        .collect();
    let fields = carrier::fields(&carriers);
    let ahead = core.direction == Direction::Future && (core.upper.is_some() || core.strict_end);
    let told = Told { first: false, last: ahead };
    Ok(Key { variable: set.name.clone(), carriers, fields, told, without: Without::Refused })
}

/// A message without a value fits every instance.
fn relates(asking: Asking<'_>, core: &RuleCore, set: &CorrelationCore, atom: &AtomDefinition) -> Reason {
    let span = asking.atoms().into_iter().find(|written| written.name == atom.name).map_or(core.span, |atom| atom.span);
    let text = format!(
        "it relates different values of `{}`: `{}` has no one field in that correlation set, so such a message may serve any instance",
        set.name, atom.name
    );
    Reason { kind: ReasonKind::RelatesKeys, text, span }
}
