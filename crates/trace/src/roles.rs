// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each key means, in the formats where every event names its own fields.

use std::collections::HashMap;

use gnomon_core::event::Projection;
use gnomon_core::symbols::{Key, Symbols};

use crate::error::{Code, Fault, quote};
use crate::lookup::Lookup;
use crate::times::{USUAL_FIELDS, is_usual_field, usual_field};

/// What the value beside a key is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Role {
    pub(crate) kind: Kind,
    /// The field that somebody may ask for, or [`Key::OTHER`].
    pub(crate) key: Key,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// The event's name (`event`).
    Event,
    /// The event's name if there is no `event` (`name`).
    Name,
    /// The time.
    Time,
    /// A field.
    Field,
}

/// Where the events' times are.
#[derive(Clone, PartialEq, Eq, Debug)]
enum TimeField {
    /// The first event will tell.
    Open,
    /// It has been told.
    Named(String),
    /// There is none.
    Absent,
}

/// Under which keys a format has what every event has.
pub(crate) struct Keys {
    /// The keys of the name.
    names: &'static [(&'static str, Kind)],
    /// The keys that tell the time where none is declared, best first.
    times: &'static [&'static str],
    /// Whether the format itself says where the time is, so that a declaration made for another format does not stand
    /// in the way.
    own_time: bool,
}

impl Keys {
    /// The name has a place of its own.
    pub(crate) const UNNAMED: Keys = Keys { names: &[], times: USUAL_FIELDS, own_time: false };
    /// The name is a field like the others.
    pub(crate) const NAMED: Keys =
        Keys { names: &[("event", Kind::Event), ("name", Kind::Name)], times: USUAL_FIELDS, own_time: false };
    /// The standard extensions of XES.
    pub(crate) const XES: Keys =
        Keys { names: &[("concept:name", Kind::Event)], times: &["time:timestamp"], own_time: true };
}

pub(crate) struct Roles {
    keys: Keys,
    declared: Option<String>,
    time: TimeField,
    table: Lookup,
    known: Vec<Role>,
    /// The keys that the table would not learn.
    others: HashMap<Box<[u8]>, Role>,
    /// Whether some event wants every field.
    wants_all: bool,
    wants_fields: bool,
    /// The known fields whose names would tell the time.
    usual: Vec<(String, Key)>,
}

impl Roles {
    pub(crate) fn new(symbols: &Symbols, projection: &Projection, declared: Option<String>, keys: Keys) -> Self {
        let (wants_all, wants_fields) = (projection.wants_all(), projection.wants_fields());
        let mut roles = Roles {
            keys,
            declared,
            time: TimeField::Open,
            table: Lookup::default(),
            known: Vec::new(),
            others: HashMap::new(),
            wants_all,
            wants_fields,
            usual: Vec::new(),
        };
        for &(text, kind) in roles.keys.names {
            roles.set(text, symbols.find_key(text), kind);
        }
        for key in (0..symbols.key_count() as u32).map(Key) {
            let text = symbols.key_text(key);
            if roles.keys.names.iter().all(|(name, _)| *name != text) {
                roles.set(text, Some(key), Kind::Field);
                if is_usual_field(text.as_bytes(), roles.keys.times) {
                    roles.usual.push((text.to_owned(), key));
                }
            }
        }
        roles
    }

    /// The same, with the name under a key of its own.
    pub(crate) fn with_event(mut self, declared: Option<&str>, symbols: &Symbols) -> Self {
        if let Some(declared) = declared {
            for &(text, _) in self.keys.names {
                self.set(text, symbols.find_key(text), Kind::Field);
            }
            self.set(declared, symbols.find_key(declared), Kind::Event);
        }
        self
    }

    /// Whether every key must be kept, known or not.
    pub(crate) fn wants_all(&self) -> bool {
        self.wants_all
    }

    /// Whether any value besides name and time is wanted.
    pub(crate) fn wants_fields(&self) -> bool {
        self.wants_fields
    }

    /// Whether the first event has yet to tell where the time is.
    pub(crate) fn is_open(&self) -> bool {
        self.time == TimeField::Open
    }

    /// The time field.
    pub(crate) fn time_field(&self) -> Option<&str> {
        match &self.time {
            TimeField::Named(name) => Some(name),
            TimeField::Open | TimeField::Absent => None,
        }
    }

    /// The role of the key at `bytes[at .. at + length]`.
    #[expect(clippy::inline_always, reason = "the readers' inner loop; several formats share it")]
    #[inline(always)]
    pub(crate) fn find(&self, bytes: &[u8], at: usize, length: usize) -> Role {
        match self.table.find(bytes, at, length) {
            Some(id) => self.known[id as usize],
            None => self.unknown(&bytes[at..at + length]),
        }
    }

    /// The role of a key that is not in the input as it is meant (escaped, say).
    #[cold]
    pub(crate) fn find_text(&self, text: &str) -> Role {
        let mut padded = text.as_bytes().to_vec();
        padded.extend([0; 8]);
        self.find(&padded, 0, text.len())
    }

    #[inline]
    fn unknown(&self, key: &[u8]) -> Role {
        if let Some(role) = self.others.get(key).filter(|_| !self.others.is_empty()) {
            return *role;
        }
        // The first event had no time: one that has, later, is not to be judged by its place.
        let late_time = self.time == TimeField::Absent && is_usual_field(key, self.keys.times);
        Role { kind: if late_time { Kind::Time } else { Kind::Field }, key: Key::OTHER }
    }

    /// Decides where the time is, from the keys of the first event.
    #[cold]
    pub(crate) fn settle(&mut self, keys: &[&str]) -> Result<(), Fault> {
        let usual = usual_field(keys, self.keys.times);
        let chosen = match &self.declared {
            Some(declared) => match keys.iter().position(|key| key == declared) {
                Some(index) => Some(index),
                None if self.keys.own_time && usual.is_some() => usual,
                None => return Err(no_time_field(declared, keys)),
            },
            None => usual,
        };
        self.time = match chosen {
            Some(index) => {
                let key = self.find_text(keys[index]).key;
                self.set(keys[index], Some(key), Kind::Time);
                TimeField::Named(keys[index].to_owned())
            }
            None => TimeField::Absent,
        };
        if self.time == TimeField::Absent {
            for (text, key) in std::mem::take(&mut self.usual) {
                self.set(&text, Some(key), Kind::Time);
            }
        }
        Ok(())
    }

    fn set(&mut self, text: &str, key: Option<Key>, kind: Kind) {
        let role = Role { kind, key: key.unwrap_or(Key::OTHER) };
        let mut padded = text.as_bytes().to_vec();
        padded.extend([0; 8]);
        if let Some(id) = self.table.find(&padded, 0, text.len()) {
            self.known[id as usize] = role;
        } else if self.table.learn(text.as_bytes(), self.known.len() as u32) {
            self.known.push(role);
        } else {
            self.others.insert(text.as_bytes().into(), role);
        }
    }
}

/// The declared time field is not among the fields.
#[cold]
pub(crate) fn no_time_field(declared: &str, fields: &[&str]) -> Fault {
    const SHOWN: usize = 8;
    let message = format!("there is no field {}, which the spec declares to be the time", quote(declared.as_bytes()));
    let fault = Fault::new(Code::NoTimeField, 0, message);
    if let Some(similar) = fields.iter().find(|field| field.eq_ignore_ascii_case(declared)) {
        return fault.help(format!("write `time {similar}` in the spec: names are told apart by case"));
    }
    let listed: Vec<String> = fields.iter().take(SHOWN).map(|field| quote(field.as_bytes())).collect();
    let more = if fields.len() > SHOWN { ", …" } else { "" };
    fault.help(format!("the fields are {}{more}: declare one of them, as in `time FIELD in s`", listed.join(", ")))
}
