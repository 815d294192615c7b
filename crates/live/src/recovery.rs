// SPDX-License-Identifier: MIT OR Apache-2.0
//! Restores the state of a watch from the newest usable snapshot and the journal.
//!
//! A snapshot only saves time: the journal alone determines the state. Recovery takes the newest snapshot that can be
//! used and applies the records behind it. A snapshot that is damaged or was written by another version is skipped
//! with a note, and the records that it covered are applied again.
//!
//! Example: the journal holds records 1 to 900, snapshots exist for 400 and 800, and the history was written through
//! 870. Recovery restores 800 and applies 801 to 900. Violations of 801 to 870 are in the history already, and hooks were
//! notified of them; those of 871 to 900 are written and routed to hooks. If 800 is damaged, 400 is used; if both are,
//! record 1 onwards.
//!
//! Three cases need care:
//! - Another version of the program may find more or fewer violations in the same records. The history keeps what was
//!   published, and new violations continue its numbers.
//! - The history was lost or is behind the snapshot (it knows less than 800 records). Its missing violations can only
//!   be found by applying the journal from the beginning, so such a snapshot is not used as long as the journal is
//!   complete.
//! - Retention removed the start of the journal and no snapshot is usable. Monitors that begin in the middle would
//!   report false violations, so the watch refuses to start; it begins at the oldest record only if the operator
//!   removed the folder of snapshots.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Instant;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_run::compile::CompiledSpec;
use gnomon_store::history::{ViolationQuery, ViolationRow};
use gnomon_store::{ErrorKind, History, Journal, Snapshots, StoreError};
use thiserror::Error;

use crate::evaluator::{Evaluator, Settings, compile};
use crate::hooks::HookRouter;
use crate::publisher;
use crate::record::{CONTROL, ControlRecord, Policy};
use crate::ring::EventRing;
use crate::shared::SharedState;
use crate::wire::WatchState;

/// Reason why a watch cannot start.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The spec has errors.
    #[error("the spec cannot be used")]
    Spec(Vec<Diagnostic>),
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store was created with other settings.
    #[error("{0}")]
    Settings(String),
    /// The state in the store cannot be restored.
    #[error("{0}")]
    State(String),
    /// The journal lacks records that were acknowledged.
    #[error(
        "{} ends with record {last}, but the store had record {saved}: records {} to {saved} are missing, and they were \
         acknowledged; restore the journal from a copy, or continue without them: `--accept-loss-after {last}`",
        .journal.display(), .last + 1
    )]
    Missing {
        /// Folder of the journal.
        journal: PathBuf,
        /// Sequence number of the last record that is left.
        last: u64,
        /// Sequence number of the last record that is known to have existed.
        saved: u64,
    },
    /// The journal was removed.
    #[error(
        "{} has no journal, but the rest of a store is there: all records are missing, and they were acknowledged; restore the \
         journal from a copy, or continue without it: `--accept-loss-after 0`",
        .0.display()
    )]
    NoJournal(PathBuf),
    /// The store has another spec than the file.
    #[error(
        "{file} differs from revision {revision} of the spec, which the store has: {differs}; continue with the file, as a new revision: \
         `--spec-from file`; or with the revision in the store: `--spec-from store`"
    )]
    SpecDiffers {
        /// Name of the file.
        file: String,
        /// Number of the revision in the store.
        revision: u64,
        /// Names of properties that differ.
        differs: String,
    },
    /// The lateness is not a whole number of nanoseconds.
    #[error("the lateness is not a whole number of nanoseconds")]
    Lateness,
    /// The limit for timestamps in the future is negative or not a whole number of nanoseconds.
    #[error("`--max-ahead` is not a whole number of nanoseconds")]
    MaxAhead,
}

impl OpenError {
    /// Returns true if the disk is full: the start can be repeated when there is space.
    pub fn is_full(&self) -> bool {
        matches!(self, OpenError::Store(error) if error.is(ErrorKind::Full))
    }
}

/// Numbers of records and of events between two reports of the progress, and two looks at whether the watch was stopped.
const LOOK_EVERY: u64 = 1_000;
const LOOK_EVENTS: u64 = 20_000;

/// Summary of a recovery.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RecoveryReport {
    /// Number of records applied again.
    pub replayed: u64,
    /// Number of bytes cut off the end of the journal: an unfinished write that was never acknowledged.
    pub torn_bytes: u64,
    /// Notes on damage and on unusable snapshots.
    pub notes: Vec<String>,
}

/// A store being recovered.
pub(crate) struct Recovery<'a> {
    pub(crate) journal: &'a Journal,
    pub(crate) snapshots: &'a Snapshots,
    pub(crate) history: &'a mut History,
    /// `None` if the history was lost: it is unknown which violations hooks were notified of, so none is routed
    /// again.
    pub(crate) router: Option<&'a mut HookRouter>,
    pub(crate) settings: &'a Settings,
    pub(crate) policy: &'a Policy,
    pub(crate) ring: &'a Arc<Mutex<EventRing>>,
    /// Name and text of the current spec.
    pub(crate) spec: (&'a str, &'a Arc<CompiledSpec>),
    pub(crate) report: &'a mut RecoveryReport,
    /// Sequence number of the last record of earlier processes. Later ones were appended by this one and may not be durable.
    pub(crate) last: u64,
    /// The progress, and the records that are durable.
    pub(crate) shared: Option<&'a SharedState>,
    /// Number of events between snapshots.
    pub(crate) snapshot_every: u64,
}

/// A state to begin with, the unusable snapshots, and true if it is that before the first record.
pub(crate) type RecoveryBase = (Evaluator, UnusableSnapshots, bool);

/// Sequence numbers of unusable snapshots, with the reasons.
pub(crate) type UnusableSnapshots = Vec<(u64, String)>;

impl Recovery<'_> {
    /// Restores the state after the last record of earlier processes. `is_open`: the watch was not stopped meanwhile.
    pub(crate) fn run(
        &mut self,
        base: Option<RecoveryBase>,
        is_open: &dyn Fn() -> bool,
    ) -> Result<Evaluator, OpenError> {
        let started = Instant::now();
        let (mut evaluator, unusable, is_rebuilt) = match base {
            Some(base) => base,
            None => self.base()?,
        };
        let published = self.history.through()?;
        self.report_progress(evaluator.state.sequence);
        self.replay(&mut evaluator, published, is_open)?;
        for (sequence, reason) in unusable {
            let cannot = format!("the snapshot of record {sequence} cannot be used: {reason}");
            let instead = if is_rebuilt {
                let (records, seconds) = (self.report.replayed, started.elapsed().as_secs_f64());
                format!("; the state was rebuilt from the journal, {records} records in {seconds:.1} s")
            } else {
                "; an older one was used".to_owned()
            };
            self.report.notes.push(cannot + &instead);
        }
        Ok(evaluator)
    }

    /// Applies the records that were appended meanwhile.
    pub(crate) fn catch_up(&mut self, evaluator: &mut Evaluator, is_open: &dyn Fn() -> bool) -> Result<(), OpenError> {
        self.replay(evaluator, 0, is_open)
    }

    /// Applies the records that were appended meanwhile and returns their violations. Never waits, because the caller keeps others from
    /// appending records.
    pub(crate) fn apply_last(&self, evaluator: &mut Evaluator) -> Result<Vec<ViolationRow>, OpenError> {
        let mut rows = Vec::new();
        for record in self.journal.read(evaluator.state.sequence + 1)? {
            let record = record?;
            let effects = evaluator.apply(record.sequence, record.kind, &Arc::new(record.payload));
            rows.extend(effects.rows.into_iter().map(|row| row.stored));
        }
        Ok(rows)
    }

    /// Returns the state to begin with: that of the newest usable snapshot, or that before the first record.
    pub(crate) fn base(&mut self) -> Result<RecoveryBase, OpenError> {
        let this = self;
        let begin = first_spec(this.journal, this.settings)?;
        let published = this.history.through()?;
        let is_whole = begin.is_some();
        // A history that is behind the snapshot can only be completed from the beginning of the journal.
        let is_useful = |sequence: u64| sequence <= published.max(1) || !is_whole;
        let (restored, unusable) = this.newest_snapshot(is_useful)?;
        let is_rebuilt = restored.is_none();
        let evaluator = match (restored, begin) {
            (Some(evaluator), _) => evaluator,
            (None, Some((name, text))) => {
                let message = || OpenError::State("the first spec of the store is no longer understood".to_owned());
                let compiled = Arc::new(compile(&name, &text).ok_or_else(message)?);
                Evaluator::new(this.settings.clone(), &name, compiled, this.ring.clone())
            }
            (None, None) => this.begin_at_oldest(&unusable)?,
        };
        Ok((evaluator, unusable, is_rebuilt))
    }

    /// Restores the newest usable snapshot. Also returns newer ones that are unusable.
    fn newest_snapshot(
        &mut self,
        is_useful: impl Fn(u64) -> bool,
    ) -> Result<(Option<Evaluator>, UnusableSnapshots), OpenError> {
        let mut unusable = Vec::new();
        let mut through = self.last;
        loop {
            let newest = self.snapshots.newest_through(through)?;
            let notes = newest.unusable.iter().map(|one| format!("{}: {}", one.path.display(), one.reason));
            self.report.notes.extend(notes);
            let Some((sequence, bytes)) = newest.snapshot else { return Ok((None, unusable)) };
            if is_useful(sequence) {
                match Evaluator::restore(&bytes, self.settings, self.ring.clone()) {
                    Ok(evaluator) => return Ok((Some(evaluator), unusable)),
                    Err(error @ OpenError::Settings(_)) => return Err(error),
                    Err(error) => unusable.push((sequence, error.to_string())),
                }
            }
            through = sequence - 1;
        }
    }

    /// Starts an evaluator at the oldest remaining record, if the operator chose that by removing the snapshots.
    fn begin_at_oldest(&mut self, unusable: &[(u64, String)]) -> Result<Evaluator, OpenError> {
        let first = self.journal.first();
        if let Some((sequence, reason)) = unusable.first() {
            return Err(OpenError::State(format!(
                "the snapshot of record {sequence} cannot be used: {reason}; and the journal begins with record {first}, so the \
                 state cannot be rebuilt. Use the version of gnomon that wrote the snapshot; or remove the folder \
                 `snapshots`, and evaluation begins again with record {first}, without the obligations that were open before"
            )));
        }
        if !self.snapshots.is_untouched()? {
            return Err(OpenError::State(format!(
                "the journal begins with record {first}, and no snapshot is intact; remove the folder \
                 `snapshots`, and evaluation begins again with record {first}, without the obligations that were open before"
            )));
        }
        self.report.notes.push(format!(
            "the journal begins with record {first}, and there is no snapshot: evaluation begins there, without the obligations that were open before"
        ));
        let (name, compiled) = self.spec;
        let mut evaluator = Evaluator::new(self.settings.clone(), name, compiled.clone(), self.ring.clone());
        evaluator.state.sequence = first - 1;
        // Its record was removed.
        evaluator.state.policy.clone_from(self.policy);
        Ok(evaluator)
    }

    /// Applies the records behind the snapshot and publishes violations that the history lacks: those of records after
    /// `published`.
    fn replay(
        &mut self,
        evaluator: &mut Evaluator,
        published: u64,
        is_open: &dyn Fn() -> bool,
    ) -> Result<(), OpenError> {
        let mut repeats = evaluator.state.sequence < published;
        let mut rows = Vec::new();
        let mut saved = evaluator.online.event_count();
        let mut looked = saved;
        for record in self.journal.read(evaluator.state.sequence + 1)? {
            let record = record?;
            if repeats && record.sequence > published {
                self.continue_numbers(evaluator)?;
                repeats = false;
            }
            let events = evaluator.online.event_count();
            if record.sequence.is_multiple_of(LOOK_EVERY) || events - looked >= LOOK_EVENTS {
                looked = events;
                self.report_progress(record.sequence - 1);
                if !is_open() {
                    self.publish(&rows, record.sequence - 1, is_open)?;
                    self.save(evaluator);
                    return Err(stopped());
                }
            }
            let sequence = record.sequence;
            let effects = evaluator.apply(record.sequence, record.kind, &Arc::new(record.payload));
            if !repeats {
                rows.extend(effects.rows.into_iter().map(|row| row.stored));
            }
            if rows.len() >= 1000 {
                self.publish(&rows, record.sequence, is_open)?;
                rows.clear();
            }
            // A crash loop makes progress: the next start continues from here.
            if evaluator.online.event_count() - saved >= self.snapshot_every {
                saved = evaluator.online.event_count();
                if !repeats {
                    self.publish(&rows, sequence, is_open)?;
                    rows.clear();
                }
                self.save(evaluator);
            }
            self.report.replayed += u64::from(sequence <= self.last);
        }
        if repeats {
            self.continue_numbers(evaluator)?;
        }
        self.publish(&rows, evaluator.state.sequence, is_open)
    }

    fn report_progress(&self, applied: u64) {
        if let Some(shared) = self.shared {
            let last = self.journal.last();
            shared.restored.store(applied, Ordering::Relaxed);
            let note = format!("the state is being restored: {applied} of {last} records are applied");
            shared.set_state(WatchState::Starting, Some(note));
        }
    }

    /// Writes a snapshot of a state whose findings are in the history.
    fn save(&self, evaluator: &Evaluator) {
        let frozen = evaluator.freeze();
        if self.shared.is_none_or(|shared| shared.wait_durable(frozen.sequence())) {
            // If the disk is full, the next start begins where this one did.
            let _ = self.snapshots.write(frozen.sequence(), &frozen.into_bytes());
        }
    }

    /// Continues the numbers of the history, where the violations of published records have other numbers when they are found
    /// again. Blocks refer to violations of the history.
    fn continue_numbers(&self, evaluator: &mut Evaluator) -> Result<(), OpenError> {
        let history = self.history.reader();
        let newest = history.violations(&ViolationQuery { limit: 1, ..ViolationQuery::default() })?;
        let last = newest.first().map_or(0, |row| row.number);
        if evaluator.online.violation_count() == last {
            return Ok(());
        }
        evaluator.online.continue_numbers(last);
        for block in evaluator.state.blocks.values_mut() {
            let query = ViolationQuery {
                property: Some(block.property.clone()),
                from_noted: Some(block.since),
                to_noted: Some(block.since + 1),
                limit: 10_000,
                ..ViolationQuery::default()
            };
            if let Some(first) = history.violations(&query)?.last() {
                block.number = first.number;
            }
        }
        Ok(())
    }

    /// Writes violations to the history and routes them to hooks. While the disk is full, waits until there is space or the watch
    /// is stopped.
    pub(crate) fn publish(
        &mut self,
        violations: &[ViolationRow],
        through: u64,
        is_open: &dyn Fn() -> bool,
    ) -> Result<(), OpenError> {
        if through > self.last
            && let Some(shared) = self.shared
        {
            shared.wait_durable(through);
        }
        while let Err(error) = publisher::write_once(self.history, self.router.as_deref_mut(), through, violations, &[])
        {
            let Some(shared) = self.shared.filter(|_| error.is(ErrorKind::Full)) else { return Err(error.into()) };
            if !is_open() {
                return Err(stopped());
            }
            shared.set_state(WatchState::Full, Some(format!("the history cannot be written: {error}")));
            sleep(publisher::RETRY_AFTER);
        }
        Ok(())
    }
}

/// Returns name and text of the first spec of a journal; `None` if retention removed the first record. Fails if the settings differ.
pub(crate) fn first_spec(journal: &Journal, settings: &Settings) -> Result<Option<(String, String)>, OpenError> {
    if journal.first() > 1 {
        return Ok(None);
    }
    let Some(first) = journal.read(1)?.next() else { return Ok(None) };
    let first = first?;
    let control = postcard::from_bytes::<ControlRecord>(&first.payload).ok().filter(|_| first.kind == CONTROL);
    let Some(ControlRecord::Begin { settings: then, name, text }) = control else {
        return Err(OpenError::State("the journal does not begin with a spec: it is not one of a watch".to_owned()));
    };
    settings.check_same(&then)?;
    Ok(Some((name, text)))
}

fn stopped() -> OpenError {
    OpenError::State("the watch was stopped while its state was restored".to_owned())
}

/// Fails if a store has no journal any more.
pub(crate) fn check_journal_exists(store: &Path, accepted_loss: Option<u64>) -> Result<(), OpenError> {
    let journal = store.join("journal");
    // The history is created after the first segment.
    let is_removed = store.join("history.sqlite").exists() && !Journal::exists(&journal)?;
    if is_removed && accepted_loss != Some(0) { Err(OpenError::NoJournal(journal)) } else { Ok(()) }
}

/// Fails if the journal lacks records that a snapshot or the history has seen. If the operator accepts the loss, forgets what is known
/// of these records, because new ones will get their numbers; the history keeps their violations.
pub(crate) fn check_complete(
    store: &Path,
    (journal, snapshots, history): (&Journal, &Snapshots, &mut History),
    accepted_loss: Option<u64>,
    report: &mut RecoveryReport,
) -> Result<(), OpenError> {
    let last = journal.last();
    let saved = snapshots.numbers()?.last().copied().unwrap_or(0).max(history.through()?);
    if saved <= last {
        return Ok(());
    }
    if accepted_loss != Some(last) {
        return Err(OpenError::Missing { journal: store.join("journal"), last, saved });
    }
    snapshots.remove_after(last)?;
    history.forget_after(last)?;
    report.notes.push(format!("records {} to {saved} are missing from the journal; continuing without them", last + 1));
    Ok(())
}

/// Continues the numbers of the history, so that no number is given twice.
pub(crate) fn continue_numbers(evaluator: &mut Evaluator, history: &History) -> Result<(), OpenError> {
    let newest = history.reader().violations(&ViolationQuery { limit: 1, ..ViolationQuery::default() })?;
    let last = newest.first().map_or(0, |row| row.number);
    if evaluator.online.violation_count() < last {
        evaluator.online.continue_numbers(last);
    }
    Ok(())
}
