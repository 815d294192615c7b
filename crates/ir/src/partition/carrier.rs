// SPDX-License-Identifier: MIT OR Apache-2.0
//! Locations of a key in the events of a property.
//!
//! Example: the declarations `event pay(u) = pay[user as u]` and `event login(u) = logon[user as u]` give the carriers `pay` and `logon`, both
//! with the field `user`; so a trace can be partitioned by `user`. If `pay` had the value in two different fields for two atoms, no location
//! would be common to both, and `pay` would have no key.

use std::collections::BTreeMap;

use super::KeyCandidate;
use crate::{AtomDefinition, Path, ValueLocation};

/// An event of the trace, and where it has the key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Carrier {
    /// The event's name in the trace.
    pub event: String,
    /// Locations that all hold the same value; never empty.
    pub places: Vec<ValueLocation>,
}

/// Returns the locations of a variable in the events of these atoms; an error with the name of an event that has it at different ones.
pub(super) fn carriers(atoms: &[AtomDefinition], of: KeyCandidate<'_>) -> Result<Vec<Carrier>, String> {
    let patterns = atoms.iter().flat_map(|atom| &atom.patterns);
    let carriers = patterns.map(|pattern| {
        let own = pattern.variables.iter().filter(|(_, id)| *id == of.id).map(|(place, _)| place.clone());
        Carrier { event: pattern.event.clone(), places: own.collect() }
    });
    joined(carriers.filter(|carrier| !carrier.places.is_empty()))
}

/// Joins carriers of the same events; an error with the name of an event without a common location.
pub(super) fn joined(carriers: impl IntoIterator<Item = Carrier>) -> Result<Vec<Carrier>, String> {
    let mut found: BTreeMap<String, Vec<ValueLocation>> = BTreeMap::new();
    for Carrier { event, places: own } in carriers {
        let places = found.entry(event.clone()).or_insert_with(|| own.clone());
        places.retain(|place| own.contains(place));
        if places.is_empty() {
            return Err(event);
        }
    }
    Ok(found.into_iter().map(|(event, places)| Carrier { event, places }).collect())
}

/// Returns the fields that hold the key in the events of all carriers.
pub(super) fn fields(carriers: &[Carrier]) -> Vec<String> {
    let named = |place: &ValueLocation| match place {
        ValueLocation::Field(Path { field, steps }) if steps.is_empty() => Some(field.clone()),
        ValueLocation::Field(_) | ValueLocation::Parameter(_) => None,
    };
    let mut all = carriers.iter().map(|carrier| carrier.places.iter().filter_map(named).collect::<Vec<String>>());
    let mut fields = all.next().unwrap_or_default();
    for other in all {
        fields.retain(|field| other.contains(field));
    }
    fields
}

/// Returns an event whose key is known only as a parameter, by its index.
pub(super) fn positional(carriers: &[Carrier]) -> Option<(&str, usize)> {
    carriers.iter().find_map(|carrier| match carrier.places.as_slice() {
        [ValueLocation::Parameter(index), ..] => Some((carrier.event.as_str(), *index)),
        _ => None,
    })
}
