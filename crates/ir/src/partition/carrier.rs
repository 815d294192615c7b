// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where events have the value of a key.

use std::collections::BTreeMap;

use super::Variable;
use crate::core::AtomDefinition;
use crate::pattern::{Path, Place};

/// An event of the trace, and where it has the key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Carrier {
    /// The event's name in the trace.
    pub event: String,
    /// At each of these places the same value; never empty.
    pub places: Vec<Place>,
}

/// The places of a variable in the events of these atoms that have it; the name of an event that has it at different places.
pub(super) fn carriers<'a>(atoms: &'a [AtomDefinition], of: Variable<'_>) -> Result<Vec<Carrier>, &'a str> {
    let mut found: BTreeMap<&str, Vec<Place>> = BTreeMap::new();
    for pattern in atoms.iter().flat_map(|atom| &atom.patterns) {
        let own = pattern.variables.iter().filter(|(_, id)| *id == of.id).map(|(place, _)| place.clone());
        let own: Vec<Place> = own.collect();
        if own.is_empty() {
            continue;
        }
        let places = found.entry(&pattern.event).or_insert_with(|| own.clone());
        places.retain(|place| own.contains(place));
        if places.is_empty() {
            return Err(&pattern.event);
        }
    }
    Ok(found.into_iter().map(|(event, places)| Carrier { event: event.to_owned(), places }).collect())
}

/// Those of several groups of atoms together.
pub(super) fn joined(groups: Vec<Vec<Carrier>>) -> Option<Vec<Carrier>> {
    let mut found: BTreeMap<String, Vec<Place>> = BTreeMap::new();
    for Carrier { event, places: own } in groups.into_iter().flatten() {
        let places = found.entry(event).or_insert_with(|| own.clone());
        places.retain(|place| own.contains(place));
        if places.is_empty() {
            return None;
        }
    }
    Some(found.into_iter().map(|(event, places)| Carrier { event, places }).collect())
}

/// The fields that all of them have it in.
pub(super) fn fields(carriers: &[Carrier]) -> Vec<String> {
    let named = |place: &Place| match place {
        Place::Field(Path { field, steps }) if steps.is_empty() => Some(field.clone()),
        Place::Field(_) | Place::Parameter(_) => None,
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
        [Place::Parameter(index), ..] => Some((carrier.event.as_str(), *index)),
        _ => None,
    })
}
