// SPDX-License-Identifier: MIT OR Apache-2.0
//! The handle of a running watch.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use bytes::Bytes;
use gnomon_core::diagnostic::{Diagnostic, Severity};
use gnomon_core::verdict::End;
use gnomon_run::compile::{Compiled, compile_file};
use gnomon_store::{HistoryReader, Journal};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast, oneshot};
use tokio::time::timeout;

use crate::dry_run;
use crate::event::NewEvent;
use crate::externs::Questions;
use crate::intake::{self, BodyFormat, Taken};
use crate::judge::{Judge, Settings};
use crate::options::{Limits, Options};
use crate::record::{self, BatchHeader, CONTROL, Control, EVENTS, Numbering, Origin};
use crate::refusal::Refusal;
use crate::render;
use crate::rows;
use crate::shared::{Latency, Shared, lock, now};
use crate::wire::{
    Block, EventCounts, EventRow, PropertyRow, Replaced, SpecStatus, State, Status, StoreStatus, TimeStatus, Told,
};
use crate::work::Work;

/// A running watch. Cheap to clone; all clones are the same one.
#[derive(Clone)]
pub struct Live {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) options: Options,
    pub(crate) settings: Settings,
    pub(crate) shared: Arc<Shared>,
    pub(crate) sequencer: Mutex<Sequencer>,
    pub(crate) journal: Option<Arc<Journal>>,
    pub(crate) queue: Sender<Work>,
    pub(crate) permits: Arc<Semaphore>,
    pub(crate) history: HistoryReader,
    pub(crate) decisions: gnomon_store::Settings,
    pub(crate) threads: Mutex<Vec<JoinHandle<()>>>,
    /// Who asks for external variables, if anybody does.
    pub(crate) questions: Option<Mutex<Questions>>,
    pub(crate) since: i64,
    pub(crate) properties: tokio::sync::Mutex<Option<(Instant, Vec<PropertyRow>)>>,
    /// Where the history is, if it is to be removed at the end.
    pub(crate) passing: Option<std::path::PathBuf>,
}

/// Whoever holds it gives the next record its place.
pub(crate) struct Sequencer {
    pub(crate) producers: BTreeMap<String, u64>,
    pub(crate) last_arrival: i128,
    /// Without a journal: the last number.
    pub(crate) last: u64,
    pub(crate) is_open: bool,
}

/// Events from a client.
#[derive(Clone, Debug)]
pub struct Batch {
    /// What it sent.
    pub body: Bytes,
    /// How that is written.
    pub format: BodyFormat,
    /// How the events are numbered, if they are.
    pub numbering: Option<Numbering>,
    /// Where they came from.
    pub origin: Origin,
}

/// Events that are on disk for good.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Receipt {
    /// How many were taken in.
    pub accepted: u64,
    /// How many had been taken in before.
    pub duplicates: u64,
    /// The record that they are in.
    pub sequence: u64,
}

/// Which of the last events are wanted.
#[derive(Clone, Debug, Default)]
pub struct EventQuery {
    /// At most so many.
    pub limit: usize,
    /// Before this index.
    pub before: Option<u64>,
    /// Of this name.
    pub event: Option<String>,
    /// Of this case.
    pub case: Option<String>,
    /// Only those that showed a violation.
    pub violated_only: bool,
    /// With this text in the name or in a field.
    pub text: Option<String>,
}

/// An event of the catalogue.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct KnownEvent {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Vec<String>,
    /// How many of the last events are of it.
    pub count: u64,
    /// Whether the spec declares it.
    pub declared: bool,
}

/// What a spec would say.
#[derive(Debug)]
pub struct DryRun {
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
    /// What became of each property, as a list in JSON; `None` if it cannot be judged by.
    pub properties: Option<String>,
    /// How many events it was tried on.
    pub events: usize,
}

impl Live {
    /// Takes events in. Resolves once they are on disk for good.
    pub async fn submit(&self, batch: Batch) -> Result<Receipt, Refusal> {
        let inner = &self.inner;
        let permit = self.admit(batch.body.len()).await?;
        let spec = inner.shared.spec();
        let known = lock(&inner.shared.published).date_times;
        let most = inner.options.limits.batch_bytes;
        let taken = intake::read(&batch.body[..], batch.format, &spec.compiled, inner.settings.time, known, most);
        let taken = self.counting_refusals(taken)?;
        self.commit(taken, batch.numbering, batch.origin, permit).await
    }

    /// Takes in events that were made here, such as those of spans.
    pub async fn submit_events(
        &self,
        events: &[NewEvent],
        origin: Origin,
        numbering: Option<Numbering>,
    ) -> Result<Receipt, Refusal> {
        let known = lock(&self.inner.shared.published).date_times;
        let taken = self.counting_refusals(intake::made(events, self.inner.settings.time, known))?;
        let permit = self.admit(taken.events.len()).await?;
        self.commit(taken, numbering, origin, permit).await
    }

    /// A message goes through the proxy: judged at once, without waiting for the disk. Tells what was taken in, and if its
    /// session is stopped, before or by it.
    pub async fn tap(&self, event: NewEvent) -> Result<(Option<Receipt>, Option<Block>), Refusal> {
        let inner = &self.inner;
        let known = lock(&inner.shared.published).date_times;
        let taken = self.counting_refusals(intake::made(std::slice::from_ref(&event), inner.settings.time, known))?;
        let key =
            crate::event::Seen::read(&taken.events).and_then(|(seen, _)| Judge::session_key(&inner.settings, &seen));
        if let Some(block) = self.block_of(key.as_deref()) {
            return Ok((None, Some(block)));
        }
        let permit = self.admit(taken.events.len()).await?;
        let (reply, judged) = oneshot::channel();
        let receipt = self.append_events(taken, None, Origin::Proxy, permit, Some(reply))?;
        // A judge that is gone blocks nobody.
        let _ = judged.await;
        Ok((Some(receipt), self.block_of(key.as_deref())))
    }

    fn block_of(&self, key: Option<&str>) -> Option<Block> {
        let blocks = self.inner.shared.blocks.read().unwrap_or_else(PoisonError::into_inner);
        blocks.iter().find(|block| block.key.is_none() || block.key.as_deref() == key).cloned()
    }

    /// Waits until there is room for so many bytes.
    async fn admit(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Refusal> {
        let Limits { queue_bytes, batch_bytes, .. } = self.inner.options.limits;
        if bytes > batch_bytes {
            return Err(Refusal::too_large(batch_bytes));
        }
        let kilobytes = (bytes / 1024 + 1).min(queue_bytes / 1024).max(1) as u32;
        let permits = self.inner.permits.clone();
        permits.acquire_many_owned(kilobytes).await.map_err(|_| stopping())
    }

    fn counting_refusals<T>(&self, taken: Result<T, Refusal>) -> Result<T, Refusal> {
        taken.inspect_err(|_| {
            self.inner.shared.refused.fetch_add(1, Ordering::Relaxed);
        })
    }

    async fn commit(
        &self,
        taken: Taken,
        numbering: Option<Numbering>,
        origin: Origin,
        permit: OwnedSemaphorePermit,
    ) -> Result<Receipt, Refusal> {
        let shared = &self.inner.shared;
        let receipt = self.counting_refusals(self.append_events(taken, numbering, origin, permit, None))?;
        let mut durable = shared.durable.subscribe();
        loop {
            if *durable.borrow_and_update() >= receipt.sequence {
                return Ok(receipt);
            }
            // Woken now and then, to see whether the disk failed.
            if let Ok(Err(_)) = timeout(Duration::from_millis(500), durable.changed()).await {
                return Err(stopping());
            }
            let (state, note) = lock(&shared.state).clone();
            if state == State::Failed {
                return Err(unavailable(state, note));
            }
        }
    }

    /// Gives events their place in the journal, and to the judge.
    fn append_events(
        &self,
        taken: Taken,
        numbering: Option<Numbering>,
        origin: Origin,
        permit: OwnedSemaphorePermit,
        reply: Option<oneshot::Sender<()>>,
    ) -> Result<Receipt, Refusal> {
        let inner = &self.inner;
        let accepted_at = Instant::now();
        let mut sequencer = lock(&inner.sequencer);
        inner.can_accept(&sequencer)?;
        let Taken { events, mut count, date_times } = taken;
        let (mut kept, mut duplicates, mut numbering) = (&events[..], 0, numbering);
        if let Some(numbering) = &mut numbering {
            let next = sequencer.producers.get(&numbering.producer).copied();
            let is_new = next.is_none();
            let next = next.unwrap_or(numbering.first);
            if numbering.first > next {
                return Err(Refusal::Gap { expected: next });
            }
            if is_new && sequencer.producers.len() >= inner.options.limits.producers {
                return Err(unavailable(State::Limited, Some("too many senders number their events".to_owned())));
            }
            duplicates = (next - numbering.first).min(u64::from(count));
            kept = record::without_first(kept, duplicates);
            count -= duplicates as u32;
            numbering.first += duplicates;
            inner.shared.duplicates.fetch_add(duplicates, Ordering::Relaxed);
        }
        if count == 0 {
            let sequence = inner.last(&sequencer);
            if let Some(reply) = reply {
                let _ = reply.send(());
            }
            return Ok(Receipt { accepted: 0, duplicates, sequence });
        }
        let arrival = now().max(sequencer.last_arrival + 1);
        let next = numbering.as_ref().map(|numbering| (numbering.producer.clone(), numbering.first + u64::from(count)));
        let header = BatchHeader { arrival, origin, numbering, count, date_times };
        let record = Arc::new(record::batch(&header, kept));
        let sequence = inner.append(&mut sequencer, EVENTS, &record, |sequence, record| Work::Record {
            sequence,
            kind: EVENTS,
            record,
            accepted_at: Some((accepted_at, count)),
            reply,
            permit: Some(permit),
        })?;
        sequencer.last_arrival = arrival + i128::from(count);
        if let Some((producer, next)) = next {
            sequencer.producers.insert(producer, next);
        }
        drop(sequencer);
        if let Some(date_times) = date_times {
            // The next batch is compared with it, even if the judge is not there yet.
            lock(&inner.shared.published).date_times.get_or_insert(date_times);
        }
        Ok(Receipt { accepted: u64::from(count), duplicates, sequence })
    }

    /// The number that the next event of a sender must have.
    pub fn next_number(&self, producer: &str) -> Option<u64> {
        lock(&self.inner.sequencer).producers.get(producer).copied()
    }

    /// What is to be said of it at present.
    pub fn status(&self) -> Status {
        let inner = &self.inner;
        let shared = &inner.shared;
        let (state, note) = lock(&shared.state).clone();
        let published = lock(&shared.published).clone();
        let spec = shared.spec();
        let json = |text: Option<String>| text.map(render::raw);
        let dial_kind = published.date_times.map(|date_times| if date_times { "datetime" } else { "number" });
        let store = inner.journal.as_ref().map(|journal| StoreStatus {
            path: inner.options.store.as_deref().unwrap_or(Path::new("")).display().to_string(),
            journal_bytes: journal.bytes(),
            durable: shared.durable(),
            last: journal.last(),
            snapshot: shared.snapshot.load(Ordering::Relaxed),
        });
        Status {
            gnomon: env!("CARGO_PKG_VERSION"),
            state,
            note,
            since: inner.since,
            spec: SpecStatus { name: spec.name, revision: spec.revision, properties: spec.compiled.properties.len() },
            time: TimeStatus {
                source: inner.settings.time.word(),
                kind: dial_kind,
                unit: spec.compiled.spec.time.unit.map(|unit| unit.to_string()),
                lateness: inner.options.lateness.map_or_else(|| "0".to_owned(), |lateness| lateness.to_string()),
                now: json(published.now),
                first: json(published.first),
                last: json(published.last),
            },
            events: EventCounts {
                accepted: published.accepted,
                judged: published.judged,
                waiting: published.waiting,
                late: published.late,
                duplicates: shared.duplicates.load(Ordering::Relaxed),
                refused: shared.refused.load(Ordering::Relaxed),
                per_second: published.per_second,
            },
            cases: published.cases,
            violations: published.violations,
            blocked: shared.blocks.read().unwrap_or_else(PoisonError::into_inner).len(),
            bindings: published.bindings,
            store,
            late: published.late_rows,
        }
    }

    /// How many bytes of records the judge has not seen yet.
    pub fn queued(&self) -> usize {
        self.inner.shared.queued.load(Ordering::Relaxed)
    }

    /// How long events took from acceptance to verdict.
    pub fn latency(&self) -> &Latency {
        &self.inner.shared.latency
    }

    /// How long it took to make records durable.
    pub fn sync_latency(&self) -> &Latency {
        &self.inner.shared.sync_latency
    }

    /// What became of each property so far.
    pub async fn properties(&self) -> Vec<PropertyRow> {
        let mut cache = self.inner.properties.lock().await;
        if let Some((at, rows)) = &*cache
            && at.elapsed() < Duration::from_millis(400)
        {
            return rows.clone();
        }
        let rows = self.ask(|judge| rows::properties(judge)).await.unwrap_or_default();
        *cache = Some((Instant::now(), rows.clone()));
        rows
    }

    /// What `gnomon check` would say of the events that were judged.
    pub async fn report(&self, complete: bool) -> String {
        let end = if complete { End::Complete } else { End::Prefix };
        self.ask(move |judge| rows::report(judge, end)).await.unwrap_or_default()
    }

    /// Asks the judge between two records.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut Judge) -> T + Send + 'static,
    ) -> Option<T> {
        let (reply, answer) = oneshot::channel();
        let ask = Work::Ask(Box::new(move |judge| {
            let _ = reply.send(question(judge));
        }));
        self.inner.queue.send(ask).ok()?;
        answer.await.ok()
    }

    /// The last events that were judged, newest first.
    pub fn events(&self, query: &EventQuery) -> Vec<EventRow> {
        let names = self.property_names();
        let dial = self.dial();
        let ring = lock(&self.inner.shared.ring);
        let mut rows = Vec::new();
        for entry in ring.newest() {
            let Some(seen) = entry.seen() else { continue };
            let fits = query.before.is_none_or(|before| entry.index < before)
                && query.event.as_deref().is_none_or(|event| event == seen.name)
                && query.case.as_deref().is_none_or(|case| entry.case.as_deref() == Some(case))
                && (!query.violated_only || !entry.violated.is_empty());
            if !fits {
                continue;
            }
            if let Some(row) = render::event_row(entry, dial, &names) {
                let has_text = |text: &String| row.event.contains(text) || row.fields.get().contains(text.as_str());
                if query.text.as_ref().is_none_or(has_text) {
                    rows.push(row);
                }
            }
            if rows.len() >= query.limit {
                break;
            }
        }
        rows
    }

    fn property_names(&self) -> Vec<String> {
        self.inner.shared.spec().compiled.properties().map(|property| property.name.clone()).collect()
    }

    fn dial(&self) -> gnomon_report::numbers::Dial {
        let date_times = lock(&self.inner.shared.published).date_times;
        rows::dial(&self.inner.shared.spec().compiled, date_times)
    }

    /// Everything that is told from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Told> {
        self.inner.shared.told.subscribe()
    }

    /// What was found, for queries.
    pub fn history(&self) -> HistoryReader {
        self.inner.history.clone()
    }

    /// What people decide: mutes, hooks, and what came of deliveries.
    pub fn settings(&self) -> gnomon_store::Settings {
        self.inner.decisions.clone()
    }

    /// Sessions that are stopped.
    pub fn blocks(&self) -> Vec<Block> {
        self.inner.shared.blocks.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Lets a session go on; false if it was not stopped.
    pub async fn release(&self, id: u64) -> Result<bool, Refusal> {
        if !self.blocks().iter().any(|block| block.id == id) {
            return Ok(false);
        }
        self.control(&Control::Release { id }, &[]).await?;
        Ok(true)
    }

    /// Puts a control record in its place, and others behind it; resolves once it was judged.
    async fn control(&self, control: &Control, followed_by: &[Control]) -> Result<(), Refusal> {
        let (reply, judged) = oneshot::channel();
        {
            let mut sequencer = lock(&self.inner.sequencer);
            self.inner.can_accept(&sequencer)?;
            self.inner.append_control(&mut sequencer, control, Some(reply))?;
            for next in followed_by {
                self.inner.append_control(&mut sequencer, next, None)?;
            }
        }
        judged.await.map_err(|_| stopping())
    }

    /// The spec: its name, its text, and how often it was replaced plus one.
    pub fn spec(&self) -> (String, String, u64) {
        let spec = self.inner.shared.spec();
        (spec.name, spec.compiled.source.clone(), spec.revision)
    }

    /// The spec that is judged by.
    pub fn compiled(&self) -> Arc<Compiled> {
        self.inner.shared.spec().compiled
    }

    /// Goes on with another text of the spec. Properties that mean the same keep their state.
    pub async fn replace_spec(&self, text: String) -> Result<Result<Replaced, Vec<Diagnostic>>, Refusal> {
        let name = self.inner.shared.spec().name;
        let (compiled, diagnostics) = compile_file(&name, &text, &[]);
        let Some(compiled) = compiled.filter(|_| diagnostics.iter().all(|one| one.severity != Severity::Error)) else {
            return Ok(Err(diagnostics));
        };
        let reads = self.first_reads(compiled).await;
        self.control(&Control::Spec { name, text }, &reads).await?;
        let change = self.ask(|judge| (judge.last_change.clone(), judge.revision)).await.ok_or_else(stopping)?;
        let (change, revision) = change;
        let change = change.unwrap_or_default();
        Ok(Ok(Replaced { revision, kept: change.kept, begun: change.begun, ended: change.ended }))
    }

    /// What is known of external variables that nobody has asked for so far.
    async fn first_reads(&self, compiled: Compiled) -> Vec<Control> {
        let inner = self.inner.clone();
        let ask = move || inner.questions.as_ref().map(|questions| lock(questions).ask(&compiled));
        tokio::task::spawn_blocking(ask).await.ok().flatten().unwrap_or_default()
    }

    /// What a text of the spec would say of the last events.
    pub fn dry_run(&self, text: &str) -> DryRun {
        let (name, dial) = (self.inner.shared.spec().name, self.dial());
        let externs = lock(&self.inner.shared.published).externs.clone();
        dry_run::try_out(&name, text, &self.inner.shared.ring, dial, self.inner.settings.by.as_deref(), &externs)
    }

    /// The events that the spec declares, and those among the last ones.
    pub fn catalogue(&self) -> Vec<KnownEvent> {
        dry_run::catalogue(&self.compiled(), &lock(&self.inner.shared.ring))
    }
}

impl Inner {
    pub(crate) fn last(&self, sequencer: &Sequencer) -> u64 {
        self.journal.as_ref().map_or(sequencer.last, |journal| journal.last())
    }

    fn can_accept(&self, sequencer: &Sequencer) -> Result<(), Refusal> {
        if !sequencer.is_open {
            return Err(stopping());
        }
        let (state, note) = lock(&self.shared.state).clone();
        match state {
            // A full disk may have room again: the next record tries.
            State::Running | State::Full => Ok(()),
            State::Starting | State::Failed | State::Limited => Err(unavailable(state, note)),
        }
    }

    /// Appends a record and hands it to the judge, in one order for all.
    pub(crate) fn append(
        &self,
        sequencer: &mut Sequencer,
        kind: u8,
        record: &Arc<Vec<u8>>,
        work: impl FnOnce(u64, Arc<Vec<u8>>) -> Work,
    ) -> Result<u64, Refusal> {
        let pass_on = |sequence: u64| {
            self.shared.queued.fetch_add(record.len(), Ordering::Relaxed);
            let _ = self.queue.send(work(sequence, record.clone()));
            sequence
        };
        let Some(journal) = &self.journal else {
            sequencer.last += 1;
            let sequence = pass_on(sequencer.last);
            self.shared.set_durable(sequence);
            return Ok(sequence);
        };
        match journal.append_then(kind, record, pass_on) {
            Ok(sequence) => {
                let is_full = lock(&self.shared.state).0 == State::Full;
                if is_full {
                    self.shared.set_state(State::Running, None);
                }
                Ok(sequence)
            }
            Err(error) if error.is_too_large() => Err(Refusal::too_large(self.options.limits.batch_bytes)),
            Err(error) => {
                let state = if error.is_full() { State::Full } else { State::Failed };
                self.shared.set_state(state, Some(error.to_string()));
                Err(unavailable(state, Some(error.to_string())))
            }
        }
    }

    pub(crate) fn append_control(
        &self,
        sequencer: &mut Sequencer,
        control: &Control,
        reply: Option<oneshot::Sender<()>>,
    ) -> Result<u64, Refusal> {
        let record = Arc::new(record::control(control));
        self.append(sequencer, CONTROL, &record, |sequence, record| Work::Record {
            sequence,
            kind: CONTROL,
            record,
            accepted_at: None,
            reply,
            permit: None,
        })
    }
}

pub(crate) fn unavailable(state: State, note: Option<String>) -> Refusal {
    let detail = note.unwrap_or_else(|| match state {
        State::Starting => "the watch is starting; try again in a moment".to_owned(),
        _ => "nothing can be accepted now".to_owned(),
    });
    Refusal::Unavailable { state, detail }
}

fn stopping() -> Refusal {
    unavailable(State::Starting, Some("the watch is stopping".to_owned()))
}
