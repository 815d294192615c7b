// SPDX-License-Identifier: MIT OR Apache-2.0
//! Collects the messages of a document, one event for each name.

use std::collections::HashMap;

use gnomon_scan::Location;

use crate::shape::{SchemaMember, fields, join};
use crate::{CatalogueEvent, CatalogueNote};

/// COST: messages beyond this limit are dropped, with a note.
const MAX_EVENTS: usize = 10_000;
const MAX_NOTES: usize = 100;

/// A message as one part of the document describes it.
pub(crate) struct MessageDescription {
    pub(crate) name: String,
    pub(crate) members: Vec<SchemaMember>,
    pub(crate) participants: Option<(String, String)>,
    pub(crate) text: Option<String>,
    pub(crate) location: Location,
}

/// The messages and notes so far.
#[derive(Default)]
pub(crate) struct Collector {
    messages: Vec<MessageDescription>,
    /// The index of each name in `messages`.
    indices: HashMap<String, usize>,
    notes: Vec<CatalogueNote>,
}

impl Collector {
    /// Adds a message. If it was described before, the fields are joined, and participants that differ are left out: a declaration has
    /// room for one pair.
    pub(crate) fn add(&mut self, new: MessageDescription) {
        let new = MessageDescription { name: new.name.trim().to_owned(), ..new };
        if new.name.is_empty() {
            return self.note(new.location, "a message without a name is skipped");
        }
        if let Some(&index) = self.indices.get(&new.name) {
            let known = &mut self.messages[index];
            let members = std::mem::take(&mut known.members);
            known.members = join(members, new.members);
            if known.text.is_none() {
                known.text = new.text;
            }
            if known.participants.is_some() && known.participants != new.participants {
                known.participants = None;
                let text = format!("`{}` has other participants here than before: they are left out", new.name);
                self.note(new.location, text);
            }
            return;
        }
        if self.messages.len() == MAX_EVENTS {
            return self.note(new.location, format!("only the first {MAX_EVENTS} messages are listed"));
        }
        self.indices.insert(new.name.clone(), self.messages.len());
        self.messages.push(new);
    }

    /// Notes a part of the document that is skipped.
    pub(crate) fn note(&mut self, location: Location, text: impl Into<String>) {
        let note = CatalogueNote { location, text: text.into() };
        if self.notes.len() < MAX_NOTES && self.notes.iter().all(|known| known.text != note.text) {
            self.notes.push(note);
        }
    }

    pub(crate) fn finish(self) -> (Vec<CatalogueEvent>, Vec<CatalogueNote>) {
        let mut notes = self.notes;
        let event = |message: MessageDescription| {
            let (fields, left_out) = fields(&message.members);
            if left_out {
                notes.push(CatalogueNote {
                    location: message.location,
                    text: format!("`{}` has more data than is listed", message.name),
                });
            }
            let text = message.text.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
            CatalogueEvent {
                name: message.name,
                fields,
                participants: message.participants,
                text: text.filter(|text| !text.is_empty()),
                location: message.location,
            }
        };
        let events = self.messages.into_iter().map(event).collect();
        (events, notes)
    }
}
