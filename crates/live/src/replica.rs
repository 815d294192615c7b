// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replicas of the evaluator, for work that would stop the evaluation of events for long.
//!
//! To copy the state of a million bindings, or to count their outcomes, takes some tenths of a second. While a state is
//! [large](LiveInner::is_large), another thread does that on a replica: an evaluator that begins with the newest snapshot and applies the
//! records behind it. The state is a function of the journal, so the replica is equal to the original after the same record.
//!
//! Example: the newest snapshot is that of record 900, and the evaluator has applied 1,000. The replica begins with 900 and applies 901 to
//! 1,000; its outcomes are those of record 1,000, although the evaluator is at 1,100 by then.
//!
//! COST: decoding the snapshot, evaluating the records behind it, and the memory of the state once more. One replica exists at a time.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::evaluator::{Evaluator, compile};
use crate::live::LiveInner;
use crate::options::BlockBy;
use crate::recovery;
use crate::shared::lock;

/// Number of bindings and open cases beyond which a state is large: copying them takes some milliseconds.
const LARGE_STATE: u64 = 20_000;
/// Maximum time for a copy of a state that is not large.
const LONGEST_STOP: Duration = Duration::from_millis(5);

impl LiveInner {
    /// Returns true if copying the state would stop the evaluation for long and a replica can be copied instead.
    pub(crate) fn is_large(&self) -> bool {
        let report = lock(&self.shared.report);
        let size = report.bindings as u64 + report.cases.as_ref().map_or(0, |cases| cases.live);
        drop(report);
        let stop = Duration::from_micros(self.shared.copy_micros.load(Ordering::Relaxed));
        (size > LARGE_STATE || stop > LONGEST_STOP) && self.is_replayable()
    }

    /// Returns true if a replica can be made: the journal reaches back far enough, and no block of a session depends on recent events,
    /// which only the original has in memory.
    fn is_replayable(&self) -> bool {
        let reaches_back =
            |first: u64| first == 1 || self.snapshots.is_some() && self.shared.snapshot.load(Ordering::Relaxed) > 0;
        let blocks_by_field = matches!(self.settings.block_by, BlockBy::Field(_));
        let compiled = || self.shared.spec().compiled;
        self.journal.as_ref().is_some_and(|journal| reaches_back(journal.first()))
            && !(blocks_by_field && compiled().properties().any(|property| property.options.critical))
    }

    /// Runs `work` on a replica after the record `through`, which must be applied. Returns `None` if there is no replica or the watch
    /// stops.
    pub(crate) fn with_replica<T>(&self, through: u64, work: impl FnOnce(Evaluator) -> T) -> Option<T> {
        let _only = lock(&self.replica);
        self.replica(through).map(work)
    }

    fn replica(&self, through: u64) -> Option<Evaluator> {
        let journal = self.journal.as_ref()?;
        let mut evaluator = if let Some(evaluator) = self.newest_base(through) {
            evaluator
        } else {
            let (name, text) = recovery::first_spec(journal, &self.settings).ok()??;
            let compiled = Arc::new(compile(&name, &text)?);
            Evaluator::new(self.settings.clone(), &name, compiled, Arc::default())
        };
        for record in journal.read(evaluator.state.sequence + 1).ok()? {
            let record = record.ok()?;
            if record.sequence > through || !lock(&self.sequencer).is_open {
                break;
            }
            evaluator.apply(record.sequence, record.kind, &Arc::new(record.payload));
        }
        (evaluator.state.sequence == through).then_some(evaluator)
    }

    /// Restores the newest usable snapshot of the records up to `through`.
    fn newest_base(&self, mut through: u64) -> Option<Evaluator> {
        loop {
            let (sequence, bytes) = self.snapshots.as_ref()?.newest_through(through).ok()?.snapshot?;
            match Evaluator::restore(&bytes, &self.settings, Arc::default()) {
                Ok(evaluator) => return Some(evaluator),
                Err(_) => through = sequence.checked_sub(1)?,
            }
        }
    }
}
