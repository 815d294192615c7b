// SPDX-License-Identifier: MIT OR Apache-2.0
//! Judges what the journal says, record by record. The same records always give the same: nothing here looks at a clock.

mod saved;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use gnomon_core::time::{Clock, Duration, TimeKind, Timestamp};
use gnomon_core::value::Value;
use gnomon_core::verdict::Decided;
use gnomon_report::json::time_text;
use gnomon_report::numbers::Dial;
use gnomon_run::compile::{Compiled, compile_file};
use gnomon_run::externs::READ;
use gnomon_run::online::{Change, Found, NamedFields, Online};
use serde::{Deserialize, Serialize};

use crate::event::{Seen, TICK};
use crate::options::{BlockBy, TimeSource};
use crate::record::{self, BatchHeader, CONTROL, Control, EVENTS};
use crate::render::{self, Row};
use crate::ring::Ring;
use crate::sorter::{Place, Slot, Sorter};
use crate::wire::{Block, LateRow};

/// How many late events are shown.
const LATE_SHOWN: usize = 20;
/// How long, beyond the lateness, the clock waits for messages that are on their way.
const GRACE: i128 = 20_000_000;
/// How long the clock waits for further events of the same time.
const SETTLE: i128 = 1_000_000_000;

/// How records are read: the same for as long as there is a journal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) by: Option<String>,
    pub(crate) time: TimeSource,
    pub(crate) lateness: Duration,
    pub(crate) block_by: BlockBy,
}

#[derive(Debug)]
pub(crate) struct Judge {
    settings: Settings,
    pub(crate) online: Online,
    sorter: Sorter,
    pub(crate) spec_name: String,
    pub(crate) revision: u64,
    /// Whether times are date-times; known once an event has one.
    pub(crate) date_times: Option<bool>,
    /// The latest time, and when it came in.
    latest: Option<(i128, i128)>,
    last_arrival: i128,
    pub(crate) accepted: u64,
    pub(crate) late: u64,
    pub(crate) late_rows: VecDeque<LateRow>,
    /// For each sender that numbers its events, the next number.
    pub(crate) producers: BTreeMap<String, u64>,
    pub(crate) blocks: BTreeMap<u64, Block>,
    next_block: u64,
    ring: Arc<Mutex<Ring>>,
    /// The last record that was judged.
    pub(crate) sequence: u64,
    /// The record that the snapshot it came from stands at.
    pub(crate) snapshot_sequence: u64,
    /// What the last replacement of the spec did.
    pub(crate) last_change: Option<Change>,
}

/// What a record led to.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    /// Violations that were found, or that grew.
    pub(crate) rows: Vec<Row>,
    /// How many events were judged.
    pub(crate) judged: u64,
    /// Whether sessions were blocked or released.
    pub(crate) blocks_changed: bool,
    /// The spec was replaced.
    pub(crate) change: Option<Change>,
}

/// What the clock asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Due {
    /// Nothing, until this moment of the watch's clock, in nanoseconds since 1970; `None`: until something comes.
    At(Option<i128>),
    /// A tick.
    Tick { to: i128, settles: bool },
}

/// Makes a spec ready, by its file's name.
pub(crate) fn compile(name: &str, text: &str) -> Option<Compiled> {
    compile_file(name, text, &[]).0
}

impl Judge {
    pub(crate) fn new(settings: Settings, name: &str, compiled: Arc<Compiled>, ring: Arc<Mutex<Ring>>) -> Self {
        Judge {
            online: Online::new(compiled, settings.by.as_deref()),
            sorter: Sorter::new(settings.lateness),
            settings,
            spec_name: name.to_owned(),
            revision: 1,
            date_times: None,
            latest: None,
            last_arrival: 0,
            accepted: 0,
            late: 0,
            late_rows: VecDeque::new(),
            producers: BTreeMap::new(),
            blocks: BTreeMap::new(),
            next_block: 1,
            ring,
            sequence: 0,
            snapshot_sequence: 0,
            last_change: None,
        }
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// When the last event came in.
    pub(crate) fn last_arrival(&self) -> i128 {
        self.last_arrival
    }

    pub(crate) fn waiting(&self) -> usize {
        self.sorter.waiting()
    }

    /// How times are written.
    pub(crate) fn dial(&self) -> Dial {
        let kind = if self.date_times == Some(false) { TimeKind::Number } else { TimeKind::DateTime };
        Dial { clock: Clock::new(self.online.compiled().spec.time.unit), kind }
    }

    /// Takes in the next record.
    pub(crate) fn apply(&mut self, sequence: u64, kind: u8, record: &Arc<Vec<u8>>) -> Applied {
        let mut applied = Applied::default();
        self.sequence = sequence;
        match kind {
            EVENTS => {
                if let Some((header, start)) = record::open_batch(record) {
                    self.events(&header, record, start, &mut applied);
                }
            }
            CONTROL => {
                if let Ok(control) = postcard::from_bytes::<Control>(record) {
                    self.control(control, &mut applied);
                }
            }
            _ => {}
        }
        applied
    }

    fn events(&mut self, header: &BatchHeader, record: &Arc<Vec<u8>>, start: usize, applied: &mut Applied) {
        if let Some(numbering) = &header.numbering {
            self.producers.insert(numbering.producer.clone(), numbering.first + u64::from(header.count));
        }
        self.accepted += u64::from(header.count);
        self.date_times = self.date_times.or(header.date_times);
        self.last_arrival = header.arrival + i128::from(header.count);
        let noted_at = milliseconds(header.arrival);
        let (mut offset, mut stamp) = (start, header.arrival);
        while let Some((seen, length)) = Seen::read(&record[offset..]) {
            let (time, is_stamped) = match self.settings.time {
                TimeSource::Arrival => (Timestamp::from_ticks(stamp), true),
                TimeSource::Event | TimeSource::Replay => (seen.timestamp(stamp), seen.time == crate::event::STAMPED),
            };
            let slot = || Slot { record: record.clone(), offset };
            if self.latest.is_none_or(|(latest, _)| time.ticks() > latest) {
                self.latest = Some((time.ticks(), header.arrival));
            }
            if seen.name == TICK {
                self.tick(time, noted_at, applied);
            } else {
                match self.sorter.place(time, slot) {
                    Place::Next => self.step(&seen, time, slot(), noted_at, applied),
                    Place::Waits => {}
                    Place::Late(by) => self.take_late(&seen, time, by),
                }
                while let Some((time, slot)) = self.sorter.release() {
                    self.step_slot(time, slot, noted_at, applied);
                }
                if is_stamped && self.settings.lateness == Duration::ZERO {
                    // No other event has this time.
                    self.online.close_position();
                    self.sorter.leave(time);
                    self.take_found(None, noted_at, applied);
                }
            }
            offset += length;
            stamp += 1;
        }
    }

    fn step_slot(&mut self, time: Timestamp, slot: Slot, noted_at: i64, applied: &mut Applied) {
        let record = slot.record.clone();
        if let Some((seen, _)) = Seen::read(&record[slot.offset..]) {
            self.step(&seen, time, slot, noted_at, applied);
        }
    }

    fn step(&mut self, seen: &Seen<'_>, time: Timestamp, slot: Slot, noted_at: i64, applied: &mut Applied) {
        if seen.name == READ && self.online.absorb(time, seen) {
            return;
        }
        let (index, case) = self.online.step(seen.name, time, seen);
        applied.judged += 1;
        self.ring().push(index, time, case, noted_at, slot);
        self.take_found(Some((index, seen)), noted_at, applied);
    }

    fn ring(&self) -> std::sync::MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_late(&mut self, seen: &Seen<'_>, time: Timestamp, by: Duration) {
        self.late += 1;
        let dial = self.dial();
        if self.late_rows.len() == LATE_SHOWN {
            self.late_rows.pop_front();
        }
        self.late_rows.push_back(LateRow {
            event: seen.name.to_owned(),
            time: render::raw(time_text(dial, time)),
            behind: format!("{}{}", dial.duration(by), dial.unit()),
        });
    }

    /// Time passes.
    fn tick(&mut self, to: Timestamp, noted_at: i64, applied: &mut Applied) {
        while let Some((time, slot)) = self.sorter.release_to(to) {
            self.step_slot(time, slot, noted_at, applied);
        }
        self.online.tick(to);
        self.take_found(None, noted_at, applied);
    }

    /// Tells what was found, because of an event or of time that passed.
    fn take_found(&mut self, event: Option<(u64, &Seen<'_>)>, noted_at: i64, applied: &mut Applied) {
        for found in self.online.take_found() {
            let index = match found.violation.decided {
                Decided::Event(origin) => Some(origin.event_index),
                // A deadline that passed belongs to the event that showed it.
                Decided::Deadline(_) | Decided::End(_) => event.map(|(index, _)| index),
            };
            if let Some(index) = index {
                self.ring().blame(index, found.property);
            }
            let property = &found.compiled.spec.properties[self.place(&found)];
            if property.options.critical && !found.grew {
                let (name, key) = (property.name.clone(), self.session_of(&found, event.map(|(_, seen)| seen)));
                self.block(name, key, found.number, noted_at);
                applied.blocks_changed = true;
            }
            let row = self.row(&found, noted_at);
            applied.rows.push(row);
        }
    }

    /// The place of a property in the spec that it was found by.
    fn place(&self, found: &Found) -> usize {
        let name = &self.online.compiled().spec.properties[self.online.compiled().properties[found.property]].name;
        found.compiled.spec.properties.iter().position(|property| property.name == *name).unwrap_or_default()
    }

    fn row(&self, found: &Found, noted_at: i64) -> Row {
        let symbols = self.online.legend(found.property).map(|(symbols, _)| symbols);
        let property = &found.compiled.spec.properties[self.place(found)];
        render::row(found, property, symbols, self.dial(), noted_at, &self.ring())
    }

    /// The session that a violation is of; `None`: everything.
    fn session_of(&self, found: &Found, event: Option<&Seen<'_>>) -> Option<String> {
        match &self.settings.block_by {
            BlockBy::All => None,
            BlockBy::Case => found.case.as_ref().map(ToString::to_string),
            BlockBy::Field(field) => {
                let bound = found.violation.binding.values.iter().find(|(name, _)| name == field);
                let bound = bound.map(|(_, value)| key_text(value));
                bound.or_else(|| {
                    let ring = self.ring();
                    let at = ring.get(found.violation.at.origin.event_index);
                    at.and_then(|entry| entry.seen()?.named(field).as_ref().map(key_text))
                        .or_else(|| event?.named(field).as_ref().map(key_text))
                })
            }
        }
    }

    /// The session that an event belongs to.
    pub(crate) fn session_key(settings: &Settings, event: &dyn NamedFields) -> Option<String> {
        let field = match &settings.block_by {
            BlockBy::All => return None,
            BlockBy::Case => settings.by.as_ref()?,
            BlockBy::Field(field) => field,
        };
        event.named(field).as_ref().map(key_text)
    }

    fn block(&mut self, property: String, key: Option<String>, number: u64, since: i64) {
        if self.blocks.values().any(|block| block.key == key && block.property == property) {
            return;
        }
        let id = self.next_block;
        self.next_block += 1;
        self.blocks.insert(id, Block { id, property, key, number, since });
    }

    fn control(&mut self, control: Control, applied: &mut Applied) {
        match control {
            Control::Tick { to, arrival, .. } => {
                self.tick(Timestamp::from_ticks(to), milliseconds(arrival), applied);
            }
            Control::Spec { name, text } => {
                // What was written was understood.
                if let Some(compiled) = compile(&name, &text) {
                    self.spec_name = name;
                    self.revision += 1;
                    applied.change = Some(self.online.replace(Arc::new(compiled)));
                }
            }
            // Whoever opens the journal has read it.
            Control::Begin { .. } => {}
            Control::Read { variable, result } => self.online.read(&variable, &result),
            Control::Release { id } => applied.blocks_changed |= self.blocks.remove(&id).is_some(),
        }
    }

    /// Where the clock of the events stands at a moment of the watch's own.
    pub(crate) fn stream_now(&self, now: i128) -> Option<i128> {
        let has_unit = self.date_times != Some(false) || self.online.compiled().spec.time.unit.is_some();
        match self.settings.time {
            TimeSource::Replay => None,
            TimeSource::Arrival => Some(now),
            TimeSource::Event if !has_unit => None,
            TimeSource::Event => self.latest.map(|(time, arrival)| time + (now - arrival).max(0)),
        }
    }

    /// What the clock asks for at this moment.
    pub(crate) fn due(&self, now: i128) -> Due {
        let Some(stream_now) = self.stream_now(now) else { return Due::At(None) };
        let limit = stream_now - self.settings.lateness.ticks();
        let calm = limit - GRACE;
        let frontier = self.sorter.frontier().ticks();
        // One that a tick has passed already has nothing more to decide.
        let deadline = self.online.next_deadline().map(Timestamp::ticks).filter(|deadline| *deadline >= frontier);
        if deadline.is_some_and(|deadline| deadline < calm) {
            return Due::Tick { to: calm, settles: true };
        }
        let waiting = self.sorter.first_waiting().map(Timestamp::ticks);
        if waiting.is_some_and(|waiting| waiting <= calm) {
            return Due::Tick { to: calm, settles: false };
        }
        let open = self.online.open_position().map(Timestamp::ticks);
        if let Some(open) = open.filter(|open| *open + SETTLE <= limit) {
            return Due::Tick { to: open + 1, settles: true };
        }
        let waits = [
            deadline.map(|deadline| deadline + 1 - calm),
            waiting.map(|waiting| waiting - calm),
            open.map(|open| open + SETTLE - limit),
        ];
        Due::At(waits.into_iter().flatten().min().map(|wait| now + wait.max(0)))
    }
}

/// A value as the name of a session.
fn key_text(value: &Value<'_>) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        other => other.to_string(),
    }
}

/// Nanoseconds as milliseconds.
pub(crate) fn milliseconds(nanoseconds: i128) -> i64 {
    i64::try_from(nanoseconds / 1_000_000).unwrap_or(i64::MAX)
}
