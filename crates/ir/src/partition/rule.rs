// SPDX-License-Identifier: MIT OR Apache-2.0
//! Partition analysis of rules. A correlation set with a field of every message separates instances of different
//! values.

use std::collections::BTreeMap;

use super::{
    Carrier, MissingKey, Partition, PartitionAnalysis, PartitionKey, PartitionReason, PartitionReasonKind,
    RequiredBounds, reason,
};
use crate::{AtomDefinition, ContextDirection, CorrelationCore, Path, RuleCore, ValueLocation};

pub(super) fn partition(asking: PartitionAnalysis<'_>, core: &RuleCore) -> Partition {
    if core.correlations.is_empty() {
        return Partition::refused(reason::no_variables(asking.property));
    }
    Partition::of(core.correlations.iter().map(|set| key(asking, core, set)), asking.property)
}

fn key(asking: PartitionAnalysis<'_>, core: &RuleCore, set: &CorrelationCore) -> Result<PartitionKey, PartitionReason> {
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
        .map(|(event, path)| Carrier { event: event.to_owned(), places: vec![ValueLocation::Field(path.clone())] })
        .collect();
    let ahead = core.direction == ContextDirection::Future && (core.upper.is_some() || core.strict_end);
    let required_bounds = RequiredBounds { first: false, last: ahead };
    Ok(PartitionKey::new(set.name.clone(), carriers, required_bounds, MissingKey::Refused))
}

/// A message without a value fits every instance.
fn relates(
    asking: PartitionAnalysis<'_>,
    core: &RuleCore,
    set: &CorrelationCore,
    atom: &AtomDefinition,
) -> PartitionReason {
    let span = asking.atoms().into_iter().find(|written| written.name == atom.name).map_or(core.span, |atom| atom.span);
    let text = format!(
        "it relates different values of `{}`: `{}` has no one field in that correlation set, so such a message may serve any instance",
        set.name, atom.name
    );
    PartitionReason { kind: PartitionReasonKind::RelatesKeys, text, span }
}
