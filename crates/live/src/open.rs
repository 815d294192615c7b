// SPDX-License-Identifier: MIT OR Apache-2.0
//! Starts and stops a watch.
//!
//! A start has two phases, so that a watch with a long journal accepts events immediately:
//!
//! 1. [`Live::start`] opens the store and reads what intake needs ([`IntakeState`]): the senders' numbers, the spec, the policy. From
//!    then on events are journaled and acknowledged, and the proxy forwards messages.
//! 2. The evaluator's thread restores the state ([`Recovery`]) and catches up with the journal. Then it evaluates new records as they
//!    come.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use gnomon_core::time::{Clock, Duration};
use gnomon_run::compile::{CompiledSpec, compile_file};
use gnomon_run::externs::ExternClient;
use gnomon_store::{ErrorKind, History, Journal, JournalOptions, Snapshots};
use tokio::sync::Semaphore;

use crate::evaluator::{Evaluator, Settings, milliseconds};
use crate::extern_poller::{self, ExternPoller};
use crate::hooks::HookRouter;
use crate::intake::Sequencer;
use crate::intake_state::{self, IntakeState};
use crate::live::{Live, LiveInner};
use crate::options::Options;
use crate::publisher::{self, Findings};
use crate::record::{self, CONTROL, ControlRecord, Policy};
use crate::recovery::{self, OpenError, Recovery, RecoveryBase, RecoveryReport};
use crate::ring::EventRing;
use crate::shared::{CurrentSpec, SharedState, lock, now};
use crate::wire::WatchState;
use crate::worker::{EvaluationWorker, Timers, WorkItem};

/// Maximum number of unpublished findings.
const FINDINGS: usize = 1024;
/// The last records are applied while no others can be appended, so that catching up ends under any load.
const LAST_RECORDS: u64 = 100;

/// A state that is being restored.
#[derive(Debug)]
pub struct Restoration(Receiver<Result<RecoveryReport, OpenError>>);

impl Restoration {
    /// Waits until the state is restored. Blocks.
    pub fn wait(self) -> Result<RecoveryReport, OpenError> {
        let ended = || OpenError::State("restoring the state ended unexpectedly".to_owned());
        self.0.recv().unwrap_or_else(|_| Err(ended()))
    }
}

/// The files of a store.
struct StoreFiles {
    journal: Arc<Journal>,
    snapshots: Arc<Snapshots>,
    /// The last record of earlier processes.
    last: u64,
    /// The state of a snapshot without which the state cannot be restored.
    base: Option<RecoveryBase>,
}

impl StoreFiles {
    /// Opens the journal and the snapshots in a folder.
    fn open(folder: &Path, options: &Options, report: &mut RecoveryReport) -> Result<StoreFiles, OpenError> {
        recovery::check_journal_exists(folder, options.accept_loss_after)?;
        let (journal, opened) = Journal::open(&folder.join("journal"), JournalOptions::default())?;
        report.torn_bytes = opened.torn_bytes;
        let snapshots = Arc::new(Snapshots::open(&folder.join("snapshots"))?);
        Ok(StoreFiles { last: journal.last(), journal: Arc::new(journal), snapshots, base: None })
    }
}

/// Parts of a watch that its evaluator's thread takes over.
struct Parts {
    store: Option<StoreFiles>,
    history: History,
    history_path: PathBuf,
    was_rebuilt: bool,
    ring: Arc<Mutex<EventRing>>,
    report: RecoveryReport,
    work: Receiver<WorkItem>,
}

impl Live {
    /// Starts a watch. Returns once every acknowledged record is applied.
    pub fn open(options: Options) -> Result<(Live, RecoveryReport), OpenError> {
        let (live, restoration) = Live::start(options)?;
        let restored = restoration.wait();
        if restored.is_err() {
            live.close();
        }
        restored.map(|report| (live, report))
    }

    /// Starts a watch. It accepts events when this returns; the state is restored in the background.
    pub fn start(options: Options) -> Result<(Live, Restoration), OpenError> {
        let (compiled, diagnostics) = compile_file(&options.spec_name, &options.spec_text, &[]);
        let compiled = Arc::new(compiled.ok_or(OpenError::Spec(diagnostics))?);
        let settings = settings(&options, &compiled)?;
        let policy = policy(&options, &compiled)?;
        let ring = Arc::new(Mutex::new(EventRing::default()));
        let mut report = RecoveryReport::default();
        let temp_history = options.store.is_none().then(temp_folder);
        let folder = options.store.clone().or_else(|| temp_history.clone()).unwrap_or_default();
        let opened = options.store.as_ref().map(|_| StoreFiles::open(&folder, &options, &mut report));
        let mut store = opened.transpose()?;
        let history_path = folder.join("history.sqlite");
        let (mut history, state) = History::open(&history_path)?;
        report.notes.extend(state.note);
        let mut intake = IntakeState::default();
        if let Some(StoreFiles { journal, snapshots, last, base }) = &mut store {
            let parts = (&**journal, &**snapshots, &mut history);
            recovery::check_complete(&folder, parts, options.accept_loss_after, &mut report)?;
            intake = intake_state::read(journal, snapshots, &settings, *last)?;
            let spec = (&*options.spec_name, &compiled);
            // Without its first records a store may be unusable. That must be known before anything is changed.
            if journal.first() > 1 {
                let mut recovery = Recovery {
                    journal,
                    snapshots,
                    history: &mut history,
                    router: None,
                    settings: &settings,
                    policy: &policy,
                    ring: &ring,
                    spec,
                    report: &mut report,
                    last: *last,
                    shared: None,
                    snapshot_every: options.snapshot_every,
                };
                *base = Some(recovery.base()?);
            }
        }
        let spec = intake.choose_spec(&options, &compiled)?;
        let expiry = case_expiry(&settings, &spec.compiled);
        let (reader, notification_settings) = (history.reader(), history.settings()?);
        if let Some(StoreFiles { journal, .. }) = &store {
            append_settings(journal, &intake, &spec, (&settings, &policy, expiry))?;
        }
        let accepts_early = spec.compiled.spec.externs.is_empty();
        let shared = Arc::new(SharedState::new(spec, ring.clone()));
        *shared.blocks.write().unwrap_or_else(PoisonError::into_inner) = intake.blocks.values().cloned().collect();
        // Batches and exports need it before the evaluator's first report.
        lock(&shared.report).date_times = intake.date_times;
        let (queue, work) = channel::<WorkItem>();
        let last = store.as_ref().map_or(0, |store| store.journal.last());
        shared.set_durable(last);
        let sequencer = Sequencer {
            producers: intake.producers,
            last_arrival: intake.last_arrival,
            last,
            is_open: true,
            // Without a journal there is nothing to restore, and nothing to read later.
            is_restored: store.is_none(),
        };
        let client = options.sources.as_ref().map(ExternClient::new);
        let inner = Arc::new(LiveInner {
            settings,
            policy,
            case_expiry: expiry,
            shared: shared.clone(),
            sequencer: Mutex::new(sequencer),
            journal: store.as_ref().map(|store| store.journal.clone()),
            snapshots: store.as_ref().map(|store| store.snapshots.clone()),
            replica: Mutex::default(),
            queue,
            permits: Arc::new(Semaphore::new((options.limits.queue_bytes / 1024).max(1))),
            history: reader,
            notification_settings,
            threads: Mutex::default(),
            extern_poller: client.map(|client| Mutex::new(ExternPoller::new(client))),
            since: milliseconds(now()),
            properties: Mutex::default(),
            counting: tokio::sync::Mutex::default(),
            temp_history,
            accepts_early,
            options,
        });
        let mut threads = Vec::new();
        let (done, restored) = channel();
        let journal = inner.journal.clone();
        let parts = Parts { store, history, history_path, was_rebuilt: state.rebuilt, ring, report, work };
        threads.push(spawn_evaluator(inner.clone(), parts, done)?);
        if let Some(journal) = journal {
            threads.push(spawn("gnomon-journal", move || make_durable(&journal, &shared))?);
        }
        *lock(&inner.threads) = threads;
        Ok((Live { inner }, Restoration(restored)))
    }

    /// Stops the watch: no further events are accepted; accepted ones are evaluated, stored and published. Blocks.
    pub fn close(&self) {
        lock(&self.inner.sequencer).is_open = false;
        let _ = self.inner.queue.send(WorkItem::Stop);
        let mut threads = std::mem::take(&mut *lock(&self.inner.threads)).into_iter();
        // The evaluator first, with the publisher: it needs the journal.
        if let Some(thread) = threads.next() {
            let _ = thread.join();
        }
        if let Some(journal) = &self.inner.journal {
            journal.close();
        }
        for thread in threads {
            let _ = thread.join();
        }
        if let Some(folder) = &self.inner.temp_history {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// Starts the evaluator's thread: it restores the state, sends the result to `done`, and evaluates records until the watch is closed.
fn spawn_evaluator(
    inner: Arc<LiveInner>,
    parts: Parts,
    done: Sender<Result<RecoveryReport, OpenError>>,
) -> Result<JoinHandle<()>, OpenError> {
    spawn("gnomon-judge", move || {
        let (worker, publisher) = match restore(&inner, parts) {
            Ok((worker, publisher, report)) => {
                let _ = done.send(Ok(report));
                (worker, publisher)
            }
            Err(error) => {
                inner.shared.set_state(WatchState::Failed, Some(error.to_string()));
                let _ = done.send(Err(error));
                return;
            }
        };
        drop(inner);
        worker.run();
        // The publisher ends when the worker's channel closes.
        let _ = publisher.join();
    })
}

/// Restores the state, catches up with the journal, and starts what depends on the state.
fn restore(
    inner: &Arc<LiveInner>,
    parts: Parts,
) -> Result<(EvaluationWorker, JoinHandle<()>, RecoveryReport), OpenError> {
    let Parts { mut store, mut history, history_path, was_rebuilt, ring, mut report, work } = parts;
    let mut router = HookRouter::new(history.reader(), inner.options.hook_window);
    let mut base = store.as_mut().and_then(|store| store.base.take());
    let spec = inner.shared.spec();
    let mut restored = restore_evaluator(
        inner,
        store.as_ref(),
        (&mut history, &mut router, was_rebuilt),
        &ring,
        base.take(),
        &mut report,
    );
    if let Err(OpenError::Store(error)) = &restored
        && error.is(ErrorKind::Damaged)
        && error.path() == history_path
    {
        // It was found damaged in use. Opened again it is empty, and the journal fills it.
        drop(history);
        let (again, state) = History::open(&history_path)?;
        history = again;
        report.notes.extend(state.note);
        router = HookRouter::new(history.reader(), inner.options.hook_window);
        restored =
            restore_evaluator(inner, store.as_ref(), (&mut history, &mut router, true), &ring, None, &mut report);
    }
    let mut evaluator = if let Some(evaluator) = restored? {
        evaluator
    } else {
        let mut evaluator = Evaluator::new(inner.settings.clone(), &spec.name, spec.compiled, ring);
        evaluator.state.policy.clone_from(&inner.policy);
        evaluator.state.case_expiry = inner.case_expiry;
        evaluator
    };
    recovery::continue_numbers(&mut evaluator, &history)?;
    let shared = &inner.shared;
    *shared.blocks.write().unwrap_or_else(PoisonError::into_inner) = evaluator.blocks();
    *shared.spec.write().unwrap_or_else(PoisonError::into_inner) = evaluator.current_spec();
    lock(&shared.report).date_times = evaluator.state.date_times;
    shared.published.store(evaluator.state.sequence, Ordering::Relaxed);
    if let Some(snapshots) = &inner.snapshots {
        shared.snapshot.store(snapshots.numbers()?.last().copied().unwrap_or(0), Ordering::Relaxed);
    }
    if let Some(extern_poller) = &inner.extern_poller {
        let known = evaluator.online.externs();
        lock(extern_poller)
            .skip(evaluator.online.compiled(), |name| known.iter().any(|one| one.name == name && one.reads > 0));
    }
    let (out, findings) = sync_channel::<Findings>(FINDINGS);
    let weak = Arc::downgrade(inner);
    let publisher = spawn("gnomon-publisher", move || publisher::run(&weak, &findings, history, router))?;
    let timers = Timers::new(&evaluator);
    let worker = EvaluationWorker { evaluator, inner: Arc::downgrade(inner), queue: work, out, timers };
    // External variables have values before the first event arrives.
    extern_poller::ask(inner);
    shared.set_state(WatchState::Running, None);
    let weak = Arc::downgrade(inner);
    // Not joined on close: a slow source must not delay it.
    drop(spawn("gnomon-externs", move || extern_poller::run(&weak))?);
    Ok((worker, publisher, report))
}

/// Restores the evaluator from a store and hands the following records over to the queue.
fn restore_evaluator(
    inner: &LiveInner,
    store: Option<&StoreFiles>,
    (history, router, was_rebuilt): (&mut History, &mut HookRouter, bool),
    ring: &Arc<Mutex<EventRing>>,
    base: Option<RecoveryBase>,
    report: &mut RecoveryReport,
) -> Result<Option<Evaluator>, OpenError> {
    let Some(StoreFiles { journal, snapshots, last, .. }) = store else { return Ok(None) };
    let spec = inner.shared.spec();
    let mut recovery = Recovery {
        journal,
        snapshots,
        history,
        router: (!was_rebuilt).then_some(router),
        settings: &inner.settings,
        policy: &inner.policy,
        ring,
        spec: (&spec.name, &spec.compiled),
        report,
        last: *last,
        shared: Some(&inner.shared),
        snapshot_every: inner.options.snapshot_every,
    };
    let is_open = || lock(&inner.sequencer).is_open;
    let mut evaluator = recovery.run(base, &is_open)?;
    while journal.last() > evaluator.state.sequence + LAST_RECORDS {
        recovery.catch_up(&mut evaluator, &is_open)?;
    }
    let mut sequencer = lock(&inner.sequencer);
    let violations = recovery.apply_last(&mut evaluator)?;
    lock(&inner.shared.backlog).restore(evaluator.state.accepted, evaluator.state.sequence);
    sequencer.is_restored = true;
    drop(sequencer);
    recovery.publish(&violations, evaluator.state.sequence, &is_open)?;
    Ok(Some(evaluator))
}

fn settings(options: &Options, compiled: &CompiledSpec) -> Result<Settings, OpenError> {
    let clock = Clock::new(compiled.spec.time.unit);
    let lateness = match options.lateness {
        None => Duration::ZERO,
        Some(lateness) => clock.duration(lateness).ok_or(OpenError::Lateness)?,
    };
    Ok(Settings { by: options.by.clone(), time: options.time, lateness, block_by: options.block_by.clone() })
}

fn policy(options: &Options, compiled: &CompiledSpec) -> Result<Policy, OpenError> {
    let clock = Clock::new(compiled.spec.time.unit);
    let max_ahead = clock.duration(options.max_ahead).filter(|ahead| *ahead >= Duration::ZERO);
    let lateness = options.lateness.map(|lateness| clock.duration(lateness).ok_or(OpenError::Lateness)).transpose()?;
    let waiting_bytes = Some(options.limits.waiting_bytes);
    Ok(Policy { max_ahead: Some(max_ahead.ok_or(OpenError::MaxAhead)?), lateness, waiting_bytes })
}

/// Silence after which a trace, and a session, is over by default.
const TRACE_EXPIRY: Duration = Duration::from_ticks(60_000_000_000);
const SESSION_EXPIRY: Duration = Duration::from_ticks(1_800_000_000_000);

/// Returns the silence after which a case is over by default. Cases of trace ids and of sessions expire, because their values do not
/// come again; but not while a property may still wait for an event.
fn case_expiry(settings: &Settings, compiled: &CompiledSpec) -> Option<Duration> {
    let field = settings.by.as_deref()?.rsplit(['/', '.']).next()?;
    let name: String = field.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let usual = match name.as_str() {
        "traceid" | "trace" => TRACE_EXPIRY,
        "session" | "sessionid" | "sid" => SESSION_EXPIRY,
        _ => return None,
    };
    let wait = compiled.plan.cores().iter().map(gnomon_ir::core::Core::longest_wait).max().unwrap_or(Duration::ZERO);
    Some(usual.max(wait))
}

/// Returns a folder for a history that ends with the process.
fn temp_folder() -> PathBuf {
    std::env::temp_dir().join(format!("gnomon-watch-{}-{}", std::process::id(), now()))
}

/// Appends the first record of a journal, or the current spec if it changed, and the policies if they changed.
fn append_settings(
    journal: &Journal,
    intake: &IntakeState,
    spec: &CurrentSpec,
    (settings, policy, expiry): (&Settings, &Policy, Option<Duration>),
) -> Result<(), OpenError> {
    let (name, text) = (spec.name.clone(), spec.compiled.source.clone());
    let mut controls = Vec::new();
    match &intake.spec {
        None if journal.last() == 0 => {
            controls.push(ControlRecord::Begin { settings: settings.clone(), name, text });
        }
        None => controls.push(ControlRecord::Spec { name, text }),
        Some(stored) if *stored != (name.clone(), text.clone()) => controls.push(ControlRecord::Spec { name, text }),
        Some(_) => {}
    }
    if intake.policy.as_ref() != Some(policy) {
        controls.push(ControlRecord::Policy(policy.clone()));
    }
    if intake.case_expiry != expiry {
        controls.push(ControlRecord::CaseExpiry(expiry));
    }
    for control in &controls {
        journal.append(CONTROL, &record::control(control))?;
    }
    if !controls.is_empty() {
        journal.sync_next()?;
    }
    Ok(())
}

/// Makes records durable in groups, until the journal closes.
fn make_durable(journal: &Journal, shared: &SharedState) {
    loop {
        let begun = Instant::now();
        match journal.sync_next() {
            Ok(Some(sequence)) => {
                shared.sync_latency.add(begun, 1);
                shared.set_durable(sequence);
            }
            Ok(None) => return,
            Err(error) => {
                shared.set_state(WatchState::Failed, Some(error.to_string()));
                return;
            }
        }
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, OpenError> {
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(run);
    thread.map_err(|error| OpenError::State(format!("a thread cannot be started: {error}")))
}
