// SPDX-License-Identifier: MIT OR Apache-2.0
//! Applies the journal's records to the monitors, one by one.
//!
//! INVARIANT: the state is a function of the records. Nothing here reads a clock or a file, so replaying the journal
//! gives the same state, violations and numbers. The clock appears only as `now` in [`Evaluator::clock_action`],
//! which changes nothing: it says which tick the worker should append to the journal.
//!
//! **Event time and the clock.** An event with a timestamp may arrive late, up to `--lateness`; the [`Sorter`] puts
//! events in order. One that is ahead of its arrival by more than `--max-ahead` has no effect on event time. Event time is the latest timestamp seen; while no events arrive it advances with the wall clock.
//! This is needed for deadlines: with `G(ask -> F[0,1s] answer)` and `ask` at 10 s, the violation at 11 s must be
//! found even if nothing else ever arrives. So when event time, less the lateness and a short grace period, passes a
//! pending deadline, the worker appends a tick, and applying it settles the obligation.
//!
//! Example with lateness 200 ms: `ask` (time 10.0 s) arrives. The deadline is 11.0 s, so the tick is due when event
//! time is 11.0 s + 200 ms + 20 ms grace. An `answer` stamped 10.9 s that arrives before that is still in order; one
//! that arrives after the tick is late: it is counted and not evaluated.

mod snapshot;

pub(crate) use snapshot::PendingSnapshot;

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use gnomon_core::event::CASE_MARKER;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_core::value::{Value, label_text};
use gnomon_core::verdict::DecisionPoint;
use gnomon_report::json::time_text;
use gnomon_report::numbers::TimeFormat;
use gnomon_run::compile::{CompiledSpec, compile_file};
use gnomon_run::online::{NamedFields, NumberedViolation, OnlineMonitor, SpecChange, case_value};
use serde::{Deserialize, Serialize};

use crate::event::EventView;
use crate::options::{BlockBy, TimeSource};
use crate::record::{self, BatchHeader, CONTROL, ControlRecord, EVENTS, Policy};
use crate::recovery::OpenError;
use crate::render::{self, ViolationRecord};
use crate::ring::EventRing;
use crate::rows;
use crate::shared::{CurrentSpec, lock};
use crate::sorter::{OrderedStep, Sorter};
use crate::wire::Block;

/// Number of late events, and of events from the future, that the status lists.
const MISTIMED_SHOWN: usize = 20;
/// Time in addition to the lateness that a tick waits for messages in transit, in nanoseconds.
const GRACE: i128 = 20_000_000;
/// Time after which the position of an event is complete although another event could have the same timestamp, in
/// nanoseconds.
const SETTLE: i128 = 1_000_000_000;

/// Settings that determine the meaning of records. Fixed for the life of a journal, and stored in its first record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) by: Option<String>,
    pub(crate) time: TimeSource,
    /// Lateness at the start of the journal; [`Policy`] has the later ones.
    pub(crate) lateness: Duration,
    pub(crate) block_by: BlockBy,
}

impl Settings {
    /// Returns the field whose values are sessions; `None` if everything is one session.
    pub(crate) fn session_field(&self) -> Option<&str> {
        match &self.block_by {
            BlockBy::All => None,
            BlockBy::Case => self.by.as_deref(),
            BlockBy::Field(field) => Some(field),
        }
    }

    /// Fails if a store was created with other settings.
    pub(crate) fn check_same(&self, then: &Settings) -> Result<(), OpenError> {
        let by = |by: &Option<String>| by.as_ref().map_or_else(|| "no `--by`".to_owned(), |by| format!("`--by {by}`"));
        let mut differs = Vec::new();
        if then.by != self.by {
            differs.push(format!("{} and not {}", by(&then.by), by(&self.by)));
        }
        if then.time != self.time {
            differs.push(format!("`--time {}` and not `--time {}`", then.time.word(), self.time.word()));
        }
        if then.block_by != self.block_by {
            differs.push("another `--session`".to_owned());
        }
        if differs.is_empty() {
            return Ok(());
        }
        let differs = differs.join(", ");
        Err(OpenError::Settings(format!("this store was created with {differs}; use the same, or another `--store`")))
    }
}

#[derive(Debug)]
pub(crate) struct Evaluator {
    settings: Settings,
    pub(crate) online: OnlineMonitor,
    sorter: Sorter,
    pub(crate) state: EvaluatorState,
    ring: Arc<Mutex<EventRing>>,
    /// Time of the last tick: deadlines before it are settled. Not saved, because it has no effect on the state.
    settled: i128,
    /// Effect of the last replacement of the spec.
    pub(crate) last_change: Option<SpecChange>,
}

/// The part of the state that is neither in the monitors nor in the sorter. Saved in snapshots.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct EvaluatorState {
    pub(crate) spec_name: String,
    pub(crate) revision: u64,
    /// True if timestamps are date-times, false if they are numbers; `None` before the first event with a timestamp.
    pub(crate) date_times: Option<bool>,
    /// The latest timestamp and the arrival of its event.
    latest: Option<(i128, i128)>,
    /// Arrival of the last event.
    pub(crate) last_arrival: i128,
    pub(crate) accepted: u64,
    pub(crate) late: MistimedEvents,
    /// Events from the future.
    pub(crate) ahead: MistimedEvents,
    pub(crate) policy: Policy,
    /// Silence after which a case is over, unless the spec declares it.
    pub(crate) case_expiry: Option<Duration>,
    /// Next event number of each sender that numbers its events.
    pub(crate) producers: BTreeMap<String, u64>,
    pub(crate) blocks: BTreeMap<u64, Block>,
    /// Number of the last block.
    last_block: u64,
    /// Sequence number of the last record applied.
    pub(crate) sequence: u64,
}

/// Events that were not evaluated because of their timestamps.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct MistimedEvents {
    pub(crate) count: u64,
    /// The last of them.
    pub(crate) recent: VecDeque<MistimedEvent>,
}

/// An event that arrived too late, or whose timestamp is in the future.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MistimedEvent {
    pub(crate) event: String,
    /// Its timestamp as JSON.
    pub(crate) time: String,
    /// Its delay, or the time by which it is ahead of its arrival.
    pub(crate) by: String,
}

impl MistimedEvents {
    fn push(&mut self, format: TimeFormat, view: &EventView<'_>, time: Timestamp, by: Duration) {
        self.count += 1;
        if self.recent.len() == MISTIMED_SHOWN {
            self.recent.pop_front();
        }
        self.recent.push_back(MistimedEvent {
            event: view.name.to_owned(),
            time: time_text(format, time).0,
            by: format!("{}{}", format.duration(by), format.unit()),
        });
    }
}

/// Effects of a record.
#[derive(Debug, Default)]
pub(crate) struct RecordEffects {
    /// Violations that were found or extended.
    pub(crate) rows: Vec<ViolationRecord>,
    /// True if sessions were blocked or unblocked.
    pub(crate) blocks_changed: bool,
    /// Set if the spec was replaced.
    pub(crate) change: Option<SpecChange>,
}

/// Action that the clock requires.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClockAction {
    /// None before this wall-clock time in nanoseconds since 1970; `None`: none until a record is applied.
    Wait(Option<i128>),
    /// Append a tick to this time.
    Tick { to: i128, settles: bool },
}

/// Compiles a spec; the file's name determines the notation.
pub(crate) fn compile(name: &str, text: &str) -> Option<CompiledSpec> {
    compile_file(name, text, &[]).0
}

impl Evaluator {
    pub(crate) fn new(
        settings: Settings,
        name: &str,
        compiled: Arc<CompiledSpec>,
        ring: Arc<Mutex<EventRing>>,
    ) -> Self {
        Evaluator {
            online: OnlineMonitor::new(compiled, settings.by.as_deref()),
            sorter: Sorter::default(),
            state: EvaluatorState {
                spec_name: name.to_owned(),
                revision: 1,
                policy: Policy::initial(&settings),
                ..EvaluatorState::default()
            },
            settings,
            ring,
            settled: i128::MIN,
            last_change: None,
        }
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) fn current_spec(&self) -> CurrentSpec {
        CurrentSpec {
            name: self.state.spec_name.clone(),
            revision: self.state.revision,
            compiled: self.online.compiled().clone(),
        }
    }

    pub(crate) fn blocks(&self) -> Vec<Block> {
        self.state.blocks.values().cloned().collect()
    }

    pub(crate) fn waiting(&self) -> usize {
        self.sorter.waiting()
    }

    pub(crate) fn time_format(&self) -> TimeFormat {
        rows::time_format(self.online.compiled(), self.state.date_times)
    }

    /// Applies the next record of the journal.
    pub(crate) fn apply(&mut self, sequence: u64, kind: u8, record: &Arc<Vec<u8>>) -> RecordEffects {
        let mut effects = RecordEffects::default();
        self.state.sequence = sequence;
        match kind {
            EVENTS => {
                if let Some((header, start)) = record::open_batch(record) {
                    self.events(&header, record, start, &mut effects);
                }
            }
            CONTROL => {
                if let Ok(control) = postcard::from_bytes::<ControlRecord>(record) {
                    self.control(control, &mut effects);
                }
            }
            _ => {}
        }
        effects
    }

    fn events(&mut self, header: &BatchHeader, record: &Arc<Vec<u8>>, start: usize, effects: &mut RecordEffects) {
        if let Some(numbering) = &header.numbering {
            let next = numbering.first.saturating_add(u64::from(header.count));
            self.state.producers.insert(numbering.producer.clone(), next);
        }
        self.state.accepted += u64::from(header.count);
        self.state.date_times = self.state.date_times.or(header.kind_of_times(self.settings.time));
        self.state.last_arrival = header.arrival + i128::from(header.count);
        let has_unit = self.time_has_unit();
        self.online.set_default_expiry(self.state.case_expiry.filter(|_| has_unit));
        let (noted_at, source) = (milliseconds(header.arrival), self.settings.time);
        self.with_sorter(|this, sorter| {
            let policy = this.state.policy.clone();
            sorter.order_batch((source, &policy), (header, start), record, &mut |step| {
                this.step(step, noted_at, effects);
                Ok(())
            })
        });
    }

    /// Lends out the sorter, so that it can call the evaluator.
    fn with_sorter(&mut self, order: impl FnOnce(&mut Self, &mut Sorter) -> Result<(), Infallible>) {
        let mut sorter = std::mem::take(&mut self.sorter);
        let Ok(()) = order(self, &mut sorter);
        self.sorter = sorter;
    }

    fn step(&mut self, step: OrderedStep<'_>, noted_at: i64, effects: &mut RecordEffects) {
        match step {
            OrderedStep::Arrived(time, arrival) => {
                if self.state.latest.is_none_or(|(latest, _)| time.ticks() > latest) {
                    self.state.latest = Some((time.ticks(), arrival));
                }
            }
            // Only the watch itself ends cases at a limit.
            OrderedStep::Event(view, ..) if view.name == CASE_MARKER => {}
            OrderedStep::Event(view, time, slot) => {
                if let Some((index, case)) = self.online.push(view.name, time, &view) {
                    lock(&self.ring).push(index, time, case, noted_at, slot);
                    self.drain_violations(Some((index, &view)), noted_at, effects);
                }
            }
            OrderedStep::Late(view, time, by) => self.state.late.push(self.time_format(), &view, time, by),
            OrderedStep::Ahead(view, time, by) => self.state.ahead.push(self.time_format(), &view, time, by),
            OrderedStep::Tick(to) => {
                self.settled = to.ticks();
                self.online.advance(to);
                self.drain_violations(None, noted_at, effects);
            }
            OrderedStep::PositionComplete => {
                self.online.close_position();
                self.drain_violations(None, noted_at, effects);
            }
        }
    }

    /// Drains violations found since the last call, caused by an event or by a tick.
    fn drain_violations(&mut self, event: Option<(u64, &EventView<'_>)>, noted_at: i64, effects: &mut RecordEffects) {
        for found in self.online.drain_violations() {
            let index = match found.violation.decided {
                DecisionPoint::Event(origin) => Some(origin.event_index),
                // A missed deadline is attributed to the event that revealed it.
                DecisionPoint::Deadline(_) | DecisionPoint::End(_) => event.map(|(index, _)| index),
            };
            if let Some(index) = index {
                lock(&self.ring).blame(index, found.property);
            }
            let property = &found.compiled.spec.properties[self.place(&found)];
            if property.options.critical && !found.grew {
                let (name, key) = (property.name.clone(), self.session_of(&found, event.map(|(_, view)| view)));
                self.block(name, key, found.number, noted_at);
                effects.blocks_changed = true;
            }
            let row = self.row(&found, noted_at);
            effects.rows.push(row);
        }
    }

    /// Returns the index of a property in the spec it was found with, which may be an older revision.
    fn place(&self, found: &NumberedViolation) -> usize {
        let name = &self.online.compiled().spec.properties[self.online.compiled().properties[found.property]].name;
        found.compiled.spec.properties.iter().position(|property| property.name == *name).unwrap_or_default()
    }

    fn row(&self, found: &NumberedViolation, noted_at: i64) -> ViolationRecord {
        let symbols = self.online.context(found.property).map(|(symbols, _)| symbols);
        let property = &found.compiled.spec.properties[self.place(found)];
        render::row(found, property, symbols, self.time_format(), (self.state.sequence, noted_at), &lock(&self.ring))
    }

    /// Returns the session that a violation blocks; `None`: everything.
    fn session_of(&self, found: &NumberedViolation, event: Option<&EventView<'_>>) -> Option<String> {
        match &self.settings.block_by {
            BlockBy::All => None,
            BlockBy::Case => found.case.as_ref().map(|label| label_text(label).into_owned()),
            BlockBy::Field(field) => {
                let bound = found.violation.binding.values.iter().find(|(name, _)| name == field);
                let bound = bound.map(|(_, value)| key_text(value));
                bound.or_else(|| {
                    let ring = lock(&self.ring);
                    let at = ring.get(found.violation.at.origin.event_index);
                    at.and_then(|entry| case_value(&entry.view()?, field).as_ref().map(key_text))
                        .or_else(|| case_value(event?, field).as_ref().map(key_text))
                })
            }
        }
    }

    /// Returns the session that an event belongs to.
    pub(crate) fn session_key(settings: &Settings, event: &dyn NamedFields) -> Option<String> {
        case_value(event, settings.session_field()?).as_ref().map(key_text)
    }

    fn block(&mut self, property: String, key: Option<String>, number: u64, since: i64) {
        if self.state.blocks.values().any(|block| block.key == key && block.property == property) {
            return;
        }
        self.state.last_block += 1;
        let id = self.state.last_block;
        self.state.blocks.insert(id, Block { id, property, key, number, since });
    }

    fn control(&mut self, control: ControlRecord, effects: &mut RecordEffects) {
        match control {
            ControlRecord::Tick { to, settles, arrival } => {
                let (to, noted_at) = (Timestamp::from_ticks(to), milliseconds(arrival));
                self.with_sorter(|this, sorter| {
                    sorter.order_tick(to, settles, &mut |step| {
                        this.step(step, noted_at, effects);
                        Ok(())
                    })
                });
            }
            ControlRecord::Spec { name, text } => {
                // The text compiled before it was written to the journal.
                if let Some(compiled) = compile(&name, &text) {
                    self.state.spec_name = name;
                    self.state.revision += 1;
                    effects.change = Some(self.online.replace(Arc::new(compiled)));
                }
            }
            // Interpreted by recovery.
            ControlRecord::Begin { .. } => {}
            ControlRecord::Read { variable, result } => self.online.read(&variable, &result),
            ControlRecord::Policy(policy) => self.state.policy = policy,
            ControlRecord::CaseExpiry(expiry) => self.state.case_expiry = expiry,
            ControlRecord::EvictCases { cases, arrival } => {
                for case in cases {
                    self.online.evict_case(&case);
                }
                self.drain_violations(None, milliseconds(arrival), effects);
            }
            ControlRecord::Release { id } => effects.blocks_changed |= self.state.blocks.remove(&id).is_some(),
        }
    }

    /// Returns true if the unit of timestamps is known.
    fn time_has_unit(&self) -> bool {
        has_unit(self.online.compiled(), self.state.date_times)
    }

    /// Returns event time at the wall-clock time `now`; `None` if event time does not advance with the clock.
    pub(crate) fn stream_now(&self, now: i128) -> Option<i128> {
        let has_unit = self.time_has_unit();
        match self.settings.time {
            TimeSource::Replay => None,
            TimeSource::Arrival => Some(now),
            TimeSource::Event if !has_unit => None,
            TimeSource::Event => self.state.latest.map(|(time, arrival)| time + (now - arrival).max(0)),
        }
    }

    /// Returns the action that is due at the wall-clock time `now`.
    pub(crate) fn clock_action(&self, now: i128) -> ClockAction {
        let Some(stream_now) = self.stream_now(now) else { return ClockAction::Wait(None) };
        let limit = self.sorter.watermark_at(now, stream_now);
        let calm = limit - GRACE;
        let frontier = self.sorter.frontier().ticks();
        // Events of other cases do not settle the deadline of a case, even if they are later.
        let deadline = self.online.next_deadline().map(Timestamp::ticks).filter(|deadline| *deadline >= self.settled);
        if deadline.is_some_and(|deadline| deadline < calm) {
            return ClockAction::Tick { to: calm.max(frontier), settles: true };
        }
        let waiting = self.sorter.first_waiting().map(Timestamp::ticks);
        if waiting.is_some_and(|waiting| waiting <= calm) {
            return ClockAction::Tick { to: calm, settles: false };
        }
        let open = self.online.open_position().map(Timestamp::ticks);
        if let Some(open) = open.filter(|open| *open + SETTLE <= limit) {
            return ClockAction::Tick { to: open + 1, settles: true };
        }
        let waits = [
            deadline.map(|deadline| deadline + 1 - calm),
            waiting.map(|waiting| waiting - calm),
            open.map(|open| open + SETTLE - limit),
        ];
        ClockAction::Wait(waits.into_iter().flatten().min().map(|wait| now + wait.max(0)))
    }
}

/// Returns true if the unit of timestamps is known.
pub(crate) fn has_unit(compiled: &CompiledSpec, date_times: Option<bool>) -> bool {
    date_times != Some(false) || compiled.spec.time.unit.is_some()
}

/// Returns a value as the name of a session. A number and the text of its digits are one session, because a service may read them alike.
fn key_text(value: &Value<'_>) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        other => other.to_string(),
    }
}

/// Converts nanoseconds to milliseconds.
pub(crate) fn milliseconds(nanoseconds: i128) -> i64 {
    i64::try_from(nanoseconds / 1_000_000).unwrap_or(i64::MAX)
}
