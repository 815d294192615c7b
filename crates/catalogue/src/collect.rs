// SPDX-License-Identifier: MIT OR Apache-2.0
//! The events of a document while it is read: one for each name.

use std::collections::HashMap;

use gnomon_trace::Place;

use crate::shape::{Member, fields, join};
use crate::{Event, Note};

/// COST: a document with more messages than any service has is cut, with a note.
const MOST_EVENTS: usize = 10_000;
const MOST_NOTES: usize = 100;

/// A message as one place of the document tells of it.
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) members: Vec<Member>,
    pub(crate) participants: Option<(String, String)>,
    pub(crate) text: Option<String>,
    pub(crate) place: Place,
}

/// What was found so far.
#[derive(Default)]
pub(crate) struct Collected {
    found: Vec<Found>,
    places: HashMap<String, usize>,
    notes: Vec<Note>,
}

impl Collected {
    /// Adds a message. Of one that is told of several times, the fields are joined, and participants that differ are
    /// left out: a declaration has room for one pair.
    pub(crate) fn add(&mut self, new: Found) {
        let new = Found { name: new.name.trim().to_owned(), ..new };
        if new.name.is_empty() {
            return self.note(new.place, "a message without a name is passed over");
        }
        if let Some(&place) = self.places.get(&new.name) {
            let known = &mut self.found[place];
            let members = std::mem::take(&mut known.members);
            known.members = join(members, new.members);
            if known.text.is_none() {
                known.text = new.text;
            }
            if known.participants.is_some() && known.participants != new.participants {
                known.participants = None;
                let text =
                    format!("`{}` goes between others here than before: its participants are left out", new.name);
                self.note(new.place, text);
            }
            return;
        }
        if self.found.len() == MOST_EVENTS {
            return self.note(new.place, format!("only the first {MOST_EVENTS} messages are listed"));
        }
        self.places.insert(new.name.clone(), self.found.len());
        self.found.push(new);
    }

    /// Says what is passed over.
    pub(crate) fn note(&mut self, place: Place, text: impl Into<String>) {
        let note = Note { place, text: text.into() };
        if self.notes.len() < MOST_NOTES && self.notes.iter().all(|known| known.text != note.text) {
            self.notes.push(note);
        }
    }

    pub(crate) fn finish(self) -> (Vec<Event>, Vec<Note>) {
        let mut notes = self.notes;
        let event = |found: Found| {
            let (fields, left_out) = fields(&found.members);
            if left_out {
                notes.push(Note { place: found.place, text: format!("`{}` has more data than is listed", found.name) });
            }
            let text = found.text.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
            Event {
                name: found.name,
                fields,
                participants: found.participants,
                text: text.filter(|text| !text.is_empty()),
                place: found.place,
            }
        };
        let events = self.found.into_iter().map(event).collect();
        (events, notes)
    }
}
