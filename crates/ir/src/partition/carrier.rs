// SPDX-License-Identifier: MIT OR Apache-2.0
//! Locations of a key in the events of a property.

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

/// The places of a variable in the events of these atoms that have it; the name of an event that has it at different places.
pub(super) fn carriers(atoms: &[AtomDefinition], of: KeyCandidate<'_>) -> Result<Vec<Carrier>, String> {
    let patterns = atoms.iter().flat_map(|atom| &atom.patterns);
    let carriers = patterns.map(|pattern| {
        let own = pattern.variables.iter().filter(|(_, id)| *id == of.id).map(|(place, _)| place.clone());
        Carrier { event: pattern.event.clone(), places: own.collect() }
    });
    joined(carriers.filter(|carrier| !carrier.places.is_empty()))
}

/// Joins carriers of the same events; the name of an event that has no place in common.
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

/// The fields that all of them have it in.
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

/// An event of which only the number of the parameter is known.
pub(super) fn positional(carriers: &[Carrier]) -> Option<(&str, usize)> {
    carriers.iter().find_map(|carrier| match carrier.places.as_slice() {
        [ValueLocation::Parameter(index), ..] => Some((carrier.event.as_str(), *index)),
        _ => None,
    })
}
