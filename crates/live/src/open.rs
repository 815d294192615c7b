// SPDX-License-Identifier: MIT OR Apache-2.0
//! Begins a watch, or goes on with one: takes the state from the store, and sets the threads going.

use std::fmt;
use std::path::PathBuf;
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_core::time::{Clock, Duration};
use gnomon_run::compile::{Compiled, compile_file};
use gnomon_run::externs::Asker;
use gnomon_store::{History, Journal, JournalOptions, Snapshots, StoreError};
use tokio::sync::Semaphore;

use crate::externs::{self, Questions};
use crate::judge::{Judge, Settings, compile};
use crate::live::{Inner, Live, Sequencer};
use crate::options::Options;
use crate::record::{self, CONTROL, Control};
use crate::ring::Ring;
use crate::shared::{Shared, SpecNow, lock, now};
use crate::teller::{self, Out};
use crate::wire::State;
use crate::work::{Rhythm, Work, Worker};

/// How many things the teller may be behind.
const OUTS: usize = 1024;

/// Why a watch cannot begin.
#[derive(Debug)]
pub enum OpenError {
    /// The spec is not understood.
    Spec(Vec<Diagnostic>),
    /// The store cannot be used.
    Store(StoreError),
    /// The store was begun otherwise.
    Settings(String),
    /// What is in the store cannot be gone on with.
    State(String),
    /// A period is no whole number of nanoseconds.
    Lateness,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Spec(_) => f.write_str("the spec cannot be judged by"),
            OpenError::Store(error) => write!(f, "{error}"),
            OpenError::Settings(message) | OpenError::State(message) => f.write_str(message),
            OpenError::Lateness => f.write_str("the lateness is no whole number of nanoseconds"),
        }
    }
}

impl std::error::Error for OpenError {}

impl From<StoreError> for OpenError {
    fn from(error: StoreError) -> Self {
        OpenError::Store(error)
    }
}

/// What was found in a store.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Restored {
    /// Records that were judged again.
    pub replayed: u64,
    /// Bytes at the end of the journal that were never acknowledged and were cut off.
    pub torn_bytes: u64,
    /// What there is to say of damage.
    pub notes: Vec<String>,
}

impl Live {
    /// Begins, or goes on. Returns when everything that was acknowledged has been judged.
    pub fn open(options: Options) -> Result<(Live, Restored), OpenError> {
        let (compiled, diagnostics) = compile_file(&options.spec_name, &options.spec_text, &[]);
        let compiled = Arc::new(compiled.ok_or(OpenError::Spec(diagnostics))?);
        let settings = settings(&options, &compiled)?;
        let ring = Arc::new(Mutex::new(Ring::default()));
        let mut restored = Restored::default();
        let passing = options.store.is_none().then(passing_folder);
        let folder = options.store.clone().or_else(|| passing.clone()).unwrap_or_default();
        let journal = match &options.store {
            None => None,
            Some(folder) => {
                let (journal, opened) = Journal::open(&folder.join("journal"), JournalOptions::default())?;
                restored.torn_bytes = opened.torn_bytes;
                Some(Arc::new(journal))
            }
        };
        let (mut history, state) = History::open(&folder.join("history.sqlite"))?;
        restored.notes.extend(state.note);
        let snapshots = match &journal {
            None => None,
            Some(_) => Some(Arc::new(Snapshots::open(&folder.join("snapshots"))?)),
        };
        let fresh = || Judge::new(settings.clone(), &options.spec_name, compiled.clone(), ring.clone());
        let mut judge = match (&journal, &snapshots) {
            (Some(journal), Some(snapshots)) if journal.last() > 0 => {
                restore(journal, snapshots, &settings, &ring, &mut history, &mut restored)?
            }
            _ => fresh(),
        };
        let snapshot_sequence = judge.snapshot_sequence;
        let (reader, decisions) = (history.reader(), history.settings()?);
        if let Some(journal) = &journal {
            go_on(journal, &mut judge, &settings, &options)?;
        }
        let present = SpecNow {
            name: judge.spec_name.clone(),
            revision: judge.revision,
            compiled: judge.online.compiled().clone(),
        };
        let shared = Arc::new(Shared::new(present, ring));
        *shared.blocks.write().unwrap_or_else(std::sync::PoisonError::into_inner) =
            judge.blocks.values().cloned().collect();
        shared.set_durable(judge.sequence);
        let (queue, work) = channel::<Work>();
        let (out, outs) = sync_channel::<Out>(OUTS);
        let sequencer = Sequencer {
            producers: judge.producers.clone(),
            last_arrival: judge.last_arrival(),
            last: judge.sequence,
            is_open: true,
        };
        let questions = options.sources.as_ref().map(|sources| {
            let mut questions = Questions::new(Asker::new(sources));
            let known = judge.online.externs();
            questions.skip(judge.online.compiled(), |name| known.iter().any(|one| one.name == name && one.reads > 0));
            Mutex::new(questions)
        });
        let permits = Arc::new(Semaphore::new((options.limits.queue_bytes / 1024).max(1)));
        let inner = Arc::new(Inner {
            settings,
            shared: shared.clone(),
            sequencer: Mutex::new(sequencer),
            journal: journal.clone(),
            queue,
            permits,
            history: reader,
            decisions,
            threads: Mutex::default(),
            questions,
            since: crate::judge::milliseconds(now()),
            properties: tokio::sync::Mutex::default(),
            passing,
            options,
        });
        shared.set_state(State::Running, None);
        let mut threads = Vec::new();
        let rhythm = Rhythm::new(&judge, snapshot_sequence);
        let worker = Worker { judge, inner: Arc::downgrade(&inner), queue: work, out, snapshots, rhythm };
        threads.push(spawn("gnomon-judge", move || worker.run())?);
        let weak = Arc::downgrade(&inner);
        threads.push(spawn("gnomon-teller", move || teller::run(&weak, &outs, history))?);
        if let Some(journal) = journal {
            threads.push(spawn("gnomon-journal", move || make_durable(&journal, &shared))?);
        }
        *lock(&inner.threads) = threads;
        // The first events find values already.
        externs::ask(&inner);
        let weak = Arc::downgrade(&inner);
        // Nobody waits for it: an answer that is slow holds nothing up.
        drop(spawn("gnomon-externs", move || externs::run(&weak))?);
        Ok((Live { inner }, restored))
    }

    /// Ends: nothing more is accepted, what was is judged, kept and told. Blocks.
    pub fn close(&self) {
        lock(&self.inner.sequencer).is_open = false;
        let _ = self.inner.queue.send(Work::Stop);
        let mut threads = std::mem::take(&mut *lock(&self.inner.threads)).into_iter();
        // The judge first: the teller ends when nobody tells it anything any more.
        for thread in threads.by_ref().take(2) {
            let _ = thread.join();
        }
        if let Some(journal) = &self.inner.journal {
            journal.close();
        }
        for thread in threads {
            let _ = thread.join();
        }
        if let Some(folder) = &self.inner.passing {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

fn settings(options: &Options, compiled: &Compiled) -> Result<Settings, OpenError> {
    let clock = Clock::new(compiled.spec.time.unit);
    let lateness = match options.lateness {
        None => Duration::ZERO,
        Some(lateness) => clock.duration(lateness).ok_or(OpenError::Lateness)?,
    };
    Ok(Settings { by: options.by.clone(), time: options.time, lateness, block_by: options.block_by.clone() })
}

/// A folder for what need not outlive the process.
fn passing_folder() -> PathBuf {
    std::env::temp_dir().join(format!("gnomon-watch-{}-{}", std::process::id(), now()))
}

/// The judge as the store has it: from a snapshot, or from the beginning.
fn restore(
    journal: &Journal,
    snapshots: &Snapshots,
    settings: &Settings,
    ring: &Arc<Mutex<Ring>>,
    history: &mut History,
    restored: &mut Restored,
) -> Result<Judge, OpenError> {
    let begin = begin(journal, settings)?;
    let newest = snapshots.newest_through(journal.last())?;
    restored.notes.extend(newest.unusable.iter().map(|one| format!("{}: {}", one.path.display(), one.reason)));
    let told = history.through()?;
    let mut judge = None;
    // A history that knows less than the snapshot can only be made whole from the beginning.
    if let Some((sequence, bytes)) = newest.snapshot.filter(|(sequence, _)| *sequence <= told.max(1) || begin.is_none())
    {
        match Judge::restore(&bytes, settings.clone(), ring.clone()) {
            Ok(mut found) => {
                found.snapshot_sequence = sequence;
                judge = Some(found);
            }
            Err(error) => restored.notes.push(format!("the snapshot of record {sequence} is of no use: {error}")),
        }
    }
    let mut judge = match (judge, begin) {
        (Some(judge), _) => judge,
        (None, Some((name, text))) => {
            let message = || OpenError::State("the first spec of the store is not understood any more".to_owned());
            let compiled = Arc::new(compile(&name, &text).ok_or_else(message)?);
            Judge::new(settings.clone(), &name, compiled, ring.clone())
        }
        (None, None) => {
            let message = "the journal does not begin at the beginning, and there is no snapshot to go on from";
            return Err(OpenError::State(message.to_owned()));
        }
    };
    let mut rows = Vec::new();
    for record in journal.read(judge.sequence + 1)? {
        let record = record?;
        let applied = judge.apply(record.sequence, record.kind, &Arc::new(record.payload));
        rows.extend(applied.rows.iter().map(|row| teller::kept(row, record.sequence)));
        if rows.len() >= 1000 {
            history.record(&rows, &[], record.sequence)?;
            rows.clear();
        }
        restored.replayed += 1;
    }
    history.record(&rows, &[], judge.sequence)?;
    Ok(judge)
}

/// The first record: the spec that it all began with; `None` if it was removed with others that are not needed any more. The
/// settings must be those of then.
fn begin(journal: &Journal, settings: &Settings) -> Result<Option<(String, String)>, OpenError> {
    if journal.first() > 1 {
        return Ok(None);
    }
    let Some(first) = journal.read(1)?.next() else { return Ok(None) };
    let first = first?;
    let control = postcard::from_bytes::<Control>(&first.payload).ok().filter(|_| first.kind == CONTROL);
    let Some(Control::Begin { settings: then, name, text }) = control else {
        return Err(OpenError::State("the journal does not begin with a spec: it is not one of a watch".to_owned()));
    };
    if then == *settings {
        return Ok(Some((name, text)));
    }
    let by = |by: &Option<String>| by.as_ref().map_or_else(|| "no `--by`".to_owned(), |by| format!("`--by {by}`"));
    let mut differs = Vec::new();
    if then.by != settings.by {
        differs.push(format!("{} and not {}", by(&then.by), by(&settings.by)));
    }
    if then.time != settings.time {
        differs.push(format!("`--time {}` and not `--time {}`", then.time.word(), settings.time.word()));
    }
    if then.lateness != settings.lateness {
        differs.push("another `--lateness`".to_owned());
    }
    if then.block_by != settings.block_by {
        differs.push("another `--session`".to_owned());
    }
    let differs = differs.join(", ");
    Err(OpenError::Settings(format!("this store was begun with {differs}; give the same, or another `--store`")))
}

/// Writes down how a journal begins, or that the spec is another one now.
fn go_on(journal: &Journal, judge: &mut Judge, settings: &Settings, options: &Options) -> Result<(), OpenError> {
    let (name, text) = (options.spec_name.clone(), options.spec_text.clone());
    let control = if journal.last() == 0 {
        Control::Begin { settings: settings.clone(), name, text }
    } else if judge.online.compiled().source != text || judge.spec_name != name {
        Control::Spec { name, text }
    } else {
        return Ok(());
    };
    let record = Arc::new(record::control(&control));
    let sequence = journal.append(CONTROL, &record)?;
    journal.sync_next()?;
    judge.apply(sequence, CONTROL, &record);
    Ok(())
}

/// Makes records durable, as many at a time as have come.
fn make_durable(journal: &Journal, shared: &Shared) {
    loop {
        let begun = Instant::now();
        match journal.sync_next() {
            Ok(Some(sequence)) => {
                shared.sync_latency.add(begun, 1);
                shared.set_durable(sequence);
            }
            Ok(None) => return,
            Err(error) => {
                shared.set_state(State::Failed, Some(error.to_string()));
                return;
            }
        }
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<std::thread::JoinHandle<()>, OpenError> {
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(run);
    thread.map_err(|error| OpenError::State(format!("a thread cannot be started: {error}")))
}
