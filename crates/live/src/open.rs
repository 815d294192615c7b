// SPDX-License-Identifier: MIT OR Apache-2.0
//! Starts and stops a watch: restores the state from the store and starts the threads.

use std::path::PathBuf;
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use gnomon_core::time::{Clock, Duration};
use gnomon_run::compile::{CompiledSpec, compile_file};
use gnomon_run::externs::ExternClient;
use gnomon_store::{History, Journal, JournalOptions, Snapshots};
use tokio::sync::Semaphore;

use crate::evaluator::{Evaluator, Settings, milliseconds};
use crate::extern_poller::{self, ExternPoller};
use crate::hooks::HookRouter;
use crate::intake::Sequencer;
use crate::live::{Live, LiveInner};
use crate::options::Options;
use crate::publisher::{self, Findings};
use crate::record::{self, CONTROL, ControlRecord, Policy};
use crate::recovery::{self, OpenError, Recovery, RecoveryReport};
use crate::ring::EventRing;
use crate::shared::{SharedState, lock, now};
use crate::wire::WatchState;
use crate::worker::{EvaluationWorker, Timers, WorkItem};

/// Maximum number of unpublished findings.
const FINDINGS: usize = 1024;

impl Live {
    /// Starts a watch. Returns once every acknowledged record is applied.
    pub fn open(options: Options) -> Result<(Live, RecoveryReport), OpenError> {
        let (compiled, diagnostics) = compile_file(&options.spec_name, &options.spec_text, &[]);
        let compiled = Arc::new(compiled.ok_or(OpenError::Spec(diagnostics))?);
        let settings = settings(&options, &compiled)?;
        let policy = policy(&options, &compiled)?;
        let ring = Arc::new(Mutex::new(EventRing::default()));
        let mut report = RecoveryReport::default();
        let temp_history = options.store.is_none().then(temp_folder);
        let folder = options.store.clone().or_else(|| temp_history.clone()).unwrap_or_default();
        let (journal, snapshots) = match &options.store {
            None => (None, None),
            Some(folder) => {
                recovery::check_journal_exists(folder, options.accept_loss_after)?;
                let (journal, opened) = Journal::open(&folder.join("journal"), JournalOptions::default())?;
                report.torn_bytes = opened.torn_bytes;
                (Some(Arc::new(journal)), Some(Arc::new(Snapshots::open(&folder.join("snapshots"))?)))
            }
        };
        let (mut history, state) = History::open(&folder.join("history.sqlite"))?;
        if let (Some(journal), Some(snapshots)) = (&journal, &snapshots) {
            let parts = (&**journal, &**snapshots, &mut history);
            recovery::check_complete(&folder, parts, options.accept_loss_after, &mut report)?;
        }
        let mut router = HookRouter::new(history.reader(), options.hook_window);
        report.notes.extend(state.note);
        let mut evaluator = match (&journal, &snapshots) {
            (Some(journal), Some(snapshots)) if journal.last() > 0 => Recovery {
                journal,
                snapshots,
                history: &mut history,
                router: (!state.rebuilt).then_some(&mut router),
                settings: &settings,
                policy: &policy,
                ring: &ring,
                spec: (&options.spec_name, &compiled),
                report: &mut report,
            }
            .run()?,
            _ => Evaluator::new(settings.clone(), &options.spec_name, compiled.clone(), ring.clone()),
        };
        recovery::continue_numbers(&mut evaluator, &history)?;
        let snapshot_sequence = evaluator.snapshot_sequence;
        let (reader, notification_settings) = (history.reader(), history.settings()?);
        if let Some(journal) = &journal {
            go_on(journal, &mut evaluator, (&settings, &policy), &options)?;
        }
        evaluator.state.policy.clone_from(&policy);
        evaluator.state.case_expiry = case_expiry(&settings, &compiled);
        let shared = Arc::new(SharedState::new(evaluator.current_spec(), ring));
        *shared.blocks.write().unwrap_or_else(PoisonError::into_inner) = evaluator.blocks();
        // Batches and exports need it before the evaluator's first report.
        lock(&shared.report).date_times = evaluator.state.date_times;
        shared.set_durable(evaluator.state.sequence);
        let (queue, work) = channel::<WorkItem>();
        let (out, findings) = sync_channel::<Findings>(FINDINGS);
        let sequencer = Sequencer {
            producers: evaluator.state.producers.clone(),
            last_arrival: evaluator.state.last_arrival,
            last: evaluator.state.sequence,
            is_open: true,
        };
        let extern_poller = options.sources.as_ref().map(|sources| {
            let mut extern_poller = ExternPoller::new(ExternClient::new(sources));
            let known = evaluator.online.externs();
            extern_poller
                .skip(evaluator.online.compiled(), |name| known.iter().any(|one| one.name == name && one.reads > 0));
            Mutex::new(extern_poller)
        });
        let permits = Arc::new(Semaphore::new((options.limits.queue_bytes / 1024).max(1)));
        let inner = Arc::new(LiveInner {
            settings,
            policy,
            case_expiry: evaluator.state.case_expiry,
            shared: shared.clone(),
            sequencer: Mutex::new(sequencer),
            journal: journal.clone(),
            queue,
            permits,
            history: reader,
            notification_settings,
            threads: Mutex::default(),
            extern_poller,
            since: milliseconds(now()),
            properties: tokio::sync::Mutex::default(),
            temp_history,
            options,
        });
        shared.set_state(WatchState::Running, None);
        let mut threads = Vec::new();
        let timers = Timers::new(&evaluator, snapshot_sequence);
        let worker = EvaluationWorker { evaluator, inner: Arc::downgrade(&inner), queue: work, out, snapshots, timers };
        threads.push(spawn("gnomon-judge", move || worker.run())?);
        let weak = Arc::downgrade(&inner);
        threads.push(spawn("gnomon-publisher", move || publisher::run(&weak, &findings, history, router))?);
        if let Some(journal) = journal {
            threads.push(spawn("gnomon-journal", move || make_durable(&journal, &shared))?);
        }
        *lock(&inner.threads) = threads;
        // External variables have values before the first event arrives.
        extern_poller::ask(&inner);
        let weak = Arc::downgrade(&inner);
        // Not joined on close: a slow source must not delay it.
        drop(spawn("gnomon-externs", move || extern_poller::run(&weak))?);
        Ok((Live { inner }, report))
    }

    /// Stops the watch: no further events are accepted; accepted ones are evaluated, stored and published. Blocks.
    pub fn close(&self) {
        lock(&self.inner.sequencer).is_open = false;
        let _ = self.inner.queue.send(WorkItem::Stop);
        let mut threads = std::mem::take(&mut *lock(&self.inner.threads)).into_iter();
        // The evaluator first: the publisher ends when its channel closes.
        for thread in threads.by_ref().take(2) {
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

/// Appends the first record of a journal, or the current spec if it changed, and the policy if it changed.
fn go_on(
    journal: &Journal,
    evaluator: &mut Evaluator,
    (settings, policy): (&Settings, &Policy),
    options: &Options,
) -> Result<(), OpenError> {
    let (name, text) = (options.spec_name.clone(), options.spec_text.clone());
    let mut controls = Vec::new();
    if journal.last() == 0 {
        controls.push(ControlRecord::Begin { settings: settings.clone(), name, text });
    } else if evaluator.online.compiled().source != text || evaluator.state.spec_name != name {
        controls.push(ControlRecord::Spec { name, text });
    }
    if evaluator.state.policy != *policy {
        controls.push(ControlRecord::Policy(policy.clone()));
    }
    let expiry = case_expiry(settings, evaluator.online.compiled());
    if evaluator.state.case_expiry != expiry {
        controls.push(ControlRecord::CaseExpiry(expiry));
    }
    for control in &controls {
        let record = Arc::new(record::control(control));
        let sequence = journal.append(CONTROL, &record)?;
        evaluator.apply(sequence, CONTROL, &record);
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

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<std::thread::JoinHandle<()>, OpenError> {
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(run);
    thread.map_err(|error| OpenError::State(format!("a thread cannot be started: {error}")))
}
