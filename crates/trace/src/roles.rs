// SPDX-License-Identifier: MIT OR Apache-2.0
//! The roles of keys, in formats where every event names its fields: event name, time, wanted field, other.
//!
//! Readers of these formats look up every key of every event, so that a role is found by a [`NameCache`]: two loads and
//! a comparison. The time field is chosen once, from the keys of the first event: the declared one, or else the first
//! usual name (`time`, `timestamp`, …). From then on every event must have it. If the first event has none, positions
//! are times, and a later event with a usual time field is a fault.

use std::collections::HashMap;

use gnomon_core::symbols::{Key, Symbols};
use gnomon_core::time::Timestamp;
use gnomon_scan::{Code, Fault, MOST_FIELDS, quote, too_many_fields};

use crate::advice::name_declaration;
use crate::name_cache::NameCache;
use crate::reader::NameSource;
use crate::state::{ReaderState, RecognisedFact, no_time, unexpected_time};
use crate::times::{USUAL_FIELDS, is_usual_field, usual_field};

/// The role of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FieldRole {
    pub(crate) kind: RoleKind,
    /// The key by which properties ask for the field, or [`Key::OTHER`].
    pub(crate) key: Key,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RoleKind {
    /// The event's name (`event`).
    Event,
    /// The event's name if there is no `event` (`name`).
    Name,
    /// The time.
    Time,
    /// A field.
    Field,
}

/// The time field of the trace.
#[derive(Clone, PartialEq, Eq, Debug)]
enum TimeField {
    /// The first event has not been read yet.
    Open,
    /// The field with this name.
    Named(String),
    /// There is none: positions are times.
    Absent,
}

/// The keys that have a fixed role in a format.
#[derive(Clone)]
pub(crate) struct FormatKeys {
    /// The keys of the name.
    names: &'static [(&'static str, RoleKind)],
    /// The keys that are the time field if none is declared, best first.
    times: &'static [&'static str],
    /// True if the format itself defines the time field. Then a declaration for another format may name a field that is
    /// absent.
    own_time: bool,
    /// True if the fault that an event has no time names the key.
    names_time_key: bool,
}

impl FormatKeys {
    /// The name is not a field.
    pub(crate) const UNNAMED: FormatKeys =
        FormatKeys { names: &[], times: USUAL_FIELDS, own_time: false, names_time_key: false };
    /// The name is inside a message, next to the fields.
    pub(crate) const CAPTURED: FormatKeys = FormatKeys { names_time_key: true, ..FormatKeys::UNNAMED };
    /// The name is a field.
    pub(crate) const NAMED: FormatKeys =
        FormatKeys { names: &[("event", RoleKind::Event), ("name", RoleKind::Name)], ..FormatKeys::CAPTURED };
    /// The standard extensions of XES.
    pub(crate) const XES: FormatKeys = FormatKeys {
        names: &[("concept:name", RoleKind::Event)],
        times: &["time:timestamp"],
        own_time: true,
        names_time_key: false,
    };
}

#[derive(Clone)]
pub(crate) struct FieldRoles {
    keys: FormatKeys,
    declared: Option<String>,
    /// The steps from the time field to the time, if a path is declared: `$date` of `t/$date`.
    time_steps: Vec<String>,
    /// The declared key of the event name.
    declared_event: Option<String>,
    time: TimeField,
    table: NameCache,
    known: Vec<FieldRole>,
    /// The keys that the cache refused to learn.
    others: HashMap<Box<[u8]>, FieldRole>,
    /// True if some event wants every field.
    wants_all: bool,
    wants_fields: bool,
    /// The known fields whose names are usual for the time.
    usual: Vec<(String, Key)>,
    /// True if events without a time may stand among events with one.
    allows_untimed: bool,
}

impl FieldRoles {
    pub(crate) fn new(state: &ReaderState, declared: Option<String>, keys: FormatKeys) -> Self {
        let symbols = state.symbols();
        let (wants_all, wants_fields) = (state.projection.wants_all(), state.projection.wants_fields());
        let mut roles = FieldRoles {
            keys,
            declared,
            time_steps: Vec::new(),
            declared_event: None,
            time: TimeField::Open,
            table: NameCache::default(),
            known: Vec::new(),
            others: HashMap::new(),
            wants_all,
            wants_fields,
            usual: Vec::new(),
            allows_untimed: state.allows_untimed(),
        };
        for &(text, kind) in roles.keys.names {
            roles.set(text, symbols.find_key(text), kind);
        }
        for key in (0..symbols.key_count() as u32).map(Key) {
            let text = symbols.key_text(key);
            if roles.keys.names.iter().all(|(name, _)| *name != text) {
                roles.set(text, Some(key), RoleKind::Field);
                if is_usual_field(text.as_bytes(), roles.keys.times) {
                    roles.usual.push((text.to_owned(), key));
                }
            }
        }
        roles
    }

    /// Declares where event names are found.
    pub(crate) fn with_names(mut self, source: NameSource<'_>, symbols: &Symbols) -> Self {
        if !matches!(source, NameSource::Usual) {
            for &(text, _) in self.keys.names {
                self.set(text, symbols.find_key(text), RoleKind::Field);
            }
        }
        if let NameSource::Field(declared) = source {
            self.set(declared, symbols.find_key(declared), RoleKind::Event);
            self.declared_event = Some(declared.to_owned());
        }
        self
    }

    /// Chooses the key of the event names from the keys of the first event, if none is declared and none of them is `event` or `name`:
    /// the message, which names the events of many programs.
    #[cold]
    pub(crate) fn choose_name_field<K: AsRef<str>>(&mut self, keys: &[K], state: &mut ReaderState) {
        const MESSAGES: &[&str] = &["msg", "message"];
        let has = |wanted: &str| keys.iter().any(|key| key.as_ref() == wanted);
        let is_usual = self.declared_event.is_none() && self.find_text("event").kind == RoleKind::Event;
        if !is_usual || has("event") || has("name") {
            return;
        }
        if let Some(message) = MESSAGES.iter().find(|message| has(message)) {
            let symbols = state.symbols();
            self.set(message, symbols.find_key(message), RoleKind::Event);
            for &(text, _) in self.keys.names {
                self.set(text, symbols.find_key(text), RoleKind::Field);
            }
            self.declared_event = Some((*message).to_owned());
            let declaration = name_declaration(message);
            state.recognised.push(RecognisedFact { fact: format!("events are named by `{message}`"), declaration });
        }
    }

    /// Says that an event has no name.
    #[cold]
    pub(crate) fn missing_name(&self) -> String {
        match &self.declared_event {
            Some(field) => format!("it has no name under {}", quote(field.as_bytes())),
            None => "it has no name under `event` or `name`".to_owned(),
        }
    }

    /// Returns the declared key of the event name.
    pub(crate) fn declared_event(&self) -> Option<&str> {
        self.declared_event.as_deref()
    }

    /// Returns true if a field with this role may be wanted.
    #[inline]
    pub(crate) fn keeps(&self, role: FieldRole) -> bool {
        self.wants_all || (self.wants_fields && role.key != Key::OTHER)
    }

    /// Returns true until the time field was chosen from the first event.
    pub(crate) fn is_open(&self) -> bool {
        self.time == TimeField::Open
    }

    /// Lets the declared time field be a path into the values of a format in which they nest. `keys` are those of the first event.
    #[cold]
    pub(crate) fn allow_time_path<K: AsRef<str>>(&mut self, keys: &[K]) {
        let has = |field: &str| keys.iter().any(|key| key.as_ref() == field);
        let Some(declared) = self.declared.as_deref().filter(|declared| !has(declared)) else { return };
        if let Some((field, steps)) = declared.split_once('/').filter(|(field, _)| has(field)) {
            self.time_steps = steps.split('/').map(str::to_owned).collect();
            self.declared = Some(field.to_owned());
        }
    }

    /// Returns the steps from the value of the time field to the time; none if the value is the time.
    #[inline]
    pub(crate) fn time_steps(&self) -> &[String] {
        &self.time_steps
    }

    /// Returns the name of the time field.
    pub(crate) fn time_field(&self) -> Option<&str> {
        match &self.time {
            TimeField::Named(name) => Some(name),
            TimeField::Open | TimeField::Absent => None,
        }
    }

    /// Returns the role of the key at `bytes[at .. at + length]`.
    #[expect(clippy::inline_always, reason = "the readers' inner loop; several formats share it")]
    #[inline(always)]
    pub(crate) fn find(&self, bytes: &[u8], at: usize, length: usize) -> FieldRole {
        match self.table.find(bytes, at, length) {
            Some(id) => self.known[id as usize],
            None => self.unknown(&bytes[at..at + length]),
        }
    }

    /// Returns the role of a key that is not literally in the input, such as an escaped one.
    #[cold]
    pub(crate) fn find_text(&self, text: &str) -> FieldRole {
        let mut padded = text.as_bytes().to_vec();
        padded.extend([0; 8]);
        self.find(&padded, 0, text.len())
    }

    #[inline]
    fn unknown(&self, key: &[u8]) -> FieldRole {
        if let Some(role) = self.others.get(key).filter(|_| !self.others.is_empty()) {
            return *role;
        }
        // The first event had no time: a later event with one must not get its position as its time.
        let unexpected_time = self.time == TimeField::Absent && is_usual_field(key, self.keys.times);
        FieldRole { kind: if unexpected_time { RoleKind::Time } else { RoleKind::Field }, key: Key::OTHER }
    }

    /// Returns the time of an event, or the fault that it has one or none, unlike the first event. `found` is the value
    /// of the time field, or, if the first event has no time, of a field with a usual name.
    #[inline]
    pub(crate) fn time<T: Copy>(
        &self,
        found: Option<T>,
        at: impl FnOnce(T) -> usize,
        read: impl FnOnce(T) -> Result<Timestamp, Fault>,
    ) -> Result<Option<Timestamp>, Fault> {
        match (found, self.time == TimeField::Absent) {
            (Some(value), false) => read(value).map(Some),
            (Some(value), true) if self.allows_untimed => read(value).map(Some),
            (None, _) if self.allows_untimed => Ok(None),
            (None, false) => Err(self.no_time()),
            (Some(value), true) => Err(unexpected_time(at(value))),
            (None, true) => Ok(None),
        }
    }

    #[cold]
    fn no_time(&self) -> Fault {
        match self.time_field().filter(|_| self.keys.names_time_key) {
            Some(field) => no_time(0).help(format!("give it one under the key {}", quote(field.as_bytes()))),
            None => no_time(0),
        }
    }

    /// Chooses the time field from the keys of the first event.
    #[cold]
    pub(crate) fn choose_time_field<K: AsRef<str>>(
        &mut self,
        keys: &[K],
        state: &mut ReaderState,
    ) -> Result<(), Fault> {
        let keys: Vec<&str> = keys.iter().map(AsRef::as_ref).collect();
        let usual = usual_field(&keys, self.keys.times).filter(|_| self.keys.own_time);
        let declared = self.declared.as_deref();
        let chosen =
            choose_time_field(&keys, declared, self.keys.times).or_else(|fault| usual.map(Some).ok_or(fault))?;
        self.time = match chosen.map(|index| keys[index]) {
            Some(field) => {
                let key = self.find_text(field).key;
                self.set(field, Some(key), RoleKind::Time);
                TimeField::Named(field.to_owned())
            }
            None => TimeField::Absent,
        };
        if self.time == TimeField::Absent {
            for (text, key) in std::mem::take(&mut self.usual) {
                self.set(&text, Some(key), RoleKind::Time);
            }
        }
        let path = self.time_field().map(|field| [&[field.to_owned()], self.time_steps()].concat().join("/"));
        state.set_time_field(path.as_deref(), &keys);
        Ok(())
    }

    fn set(&mut self, text: &str, key: Option<Key>, kind: RoleKind) {
        let role = FieldRole { kind, key: key.unwrap_or(Key::OTHER) };
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

/// Returns the index of the time field among these: the declared one, or else the best of the usual names.
pub(crate) fn choose_time_field(
    fields: &[&str],
    declared: Option<&str>,
    usual: &[&str],
) -> Result<Option<usize>, Fault> {
    let Some(declared) = declared else { return Ok(usual_field(fields, usual)) };
    let index = fields.iter().position(|field| *field == declared);
    index.map(Some).ok_or_else(|| no_time_field(declared, fields))
}

/// Adds a key of the first event. `at` is its offset, for a fault.
pub(crate) fn add_key<K>(keys: &mut Vec<K>, key: K, at: usize) -> Result<(), Fault> {
    if keys.len() >= MOST_FIELDS {
        return Err(too_many_fields(at));
    }
    keys.push(key);
    Ok(())
}

/// The declared time field is not among the fields.
#[cold]
fn no_time_field(declared: &str, fields: &[&str]) -> Fault {
    let message = format!("the trace has no field {}, which the spec declares as the time", quote(declared.as_bytes()));
    let fault = Fault::new(Code::NoTimeField, 0, message);
    if let Some(similar) = fields.iter().find(|field| field.eq_ignore_ascii_case(declared)) {
        return fault.help(format!("write `time {similar}` in the spec: names are case-sensitive"));
    }
    fault.help(format!("the fields are {}: declare one of them, as in `time FIELD in s`", list_names(fields)))
}

/// Lists the first few names, for a message.
pub(crate) fn list_names(names: &[impl AsRef<str>]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| quote(name.as_ref().as_bytes())).collect();
    format!("{}{}", shown.join(", "), if names.len() > SHOWN { ", …" } else { "" })
}

/// Finds `event` or else `name` in another case, for a message.
pub(crate) fn find_other_case(texts: &[String]) -> Option<&String> {
    let find = |wanted: &str| texts.iter().find(|text| text.eq_ignore_ascii_case(wanted));
    find("event").or_else(|| find("name"))
}
