// SPDX-License-Identifier: MIT OR Apache-2.0
//! Snapshots of an evaluator.
//!
//! A snapshot is the state after a record. It contains the monitors, the events that wait in the sorter, and
//! [`EvaluatorState`]. Writing one takes two steps: the evaluator's thread copies the state ([`Evaluator::freeze`],
//! cheap because monitors share their plans), and another thread serialises and writes the copy, so evaluation does
//! not wait for the disk. A large state is not copied: a replica is written instead ([`Evaluator::into_snapshot`]).
//!
//! The layout has a version here, one in `gnomon_run` and one in the engine. A snapshot with another version of any
//! of them is refused; the state is then rebuilt from the journal (`docs/adr/0028-journal-and-snapshot-versions.md`).

use std::sync::{Arc, Mutex};

use gnomon_run::online::OnlineMonitor;
use serde::{Deserialize, Serialize};

use super::{Evaluator, EvaluatorState, Settings, compile};
use crate::recovery::OpenError;
use crate::ring::EventRing;
use crate::sorter::{Sorter, SorterSnapshot};

/// Version of the layout of [`EvaluatorSnapshot`]. Increase it with any change to its content.
const VERSION: u16 = 5;

#[derive(Serialize, Deserialize)]
struct EvaluatorSnapshot {
    head: SnapshotHead,
    sorter: SorterSnapshot,
    online: Vec<u8>,
}

/// The part of a snapshot that intake needs: the state, the settings, the text of the current spec.
type SnapshotHead = (EvaluatorState, Settings, String);

/// A copy of the state that another thread serialises.
pub(crate) struct PendingSnapshot {
    online: OnlineMonitor,
    rest: EvaluatorSnapshot,
}

impl PendingSnapshot {
    pub(crate) fn sequence(&self) -> u64 {
        self.rest.head.0.sequence
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        let saved = EvaluatorSnapshot { online: self.online.save(), ..self.rest };
        postcard::to_stdvec(&(VERSION, saved)).expect("it has only types that postcard writes, into memory")
    }
}

impl Evaluator {
    /// Copies the state.
    pub(crate) fn freeze(&self) -> PendingSnapshot {
        PendingSnapshot { online: self.online.clone(), rest: self.without_monitors() }
    }

    /// Turns the evaluator into its snapshot, without a copy of the monitors.
    pub(crate) fn into_snapshot(self) -> PendingSnapshot {
        PendingSnapshot { rest: self.without_monitors(), online: self.online }
    }

    fn without_monitors(&self) -> EvaluatorSnapshot {
        let source = self.online.compiled().source.clone();
        let head = (self.state.clone(), self.settings.clone(), source);
        EvaluatorSnapshot { head, sorter: self.sorter.save(), online: vec![] }
    }

    /// Reads the head of a snapshot of this version.
    pub(crate) fn read_head(bytes: &[u8]) -> Option<SnapshotHead> {
        let (version, rest) = postcard::take_from_bytes::<u16>(bytes).ok()?;
        (version == VERSION).then(|| postcard::take_from_bytes(rest).ok()).flatten().map(|(head, _)| head)
    }

    /// Restores an evaluator. Fails for a snapshot with other settings.
    pub(crate) fn restore(
        bytes: &[u8],
        settings: &Settings,
        ring: Arc<Mutex<EventRing>>,
    ) -> Result<Evaluator, OpenError> {
        let refuse = |reason: String| OpenError::State(reason);
        let (version, rest) =
            postcard::take_from_bytes::<u16>(bytes).map_err(|_| refuse("it is damaged".to_owned()))?;
        if version != VERSION {
            return Err(refuse(format!("it is of version {version}; this program reads {VERSION}")));
        }
        let saved: EvaluatorSnapshot = postcard::from_bytes(rest).map_err(|_| refuse("it is damaged".to_owned()))?;
        let (state, then, _) = saved.head;
        settings.check_same(&then)?;
        let online = OnlineMonitor::restore(&saved.online, |text| compile(&state.spec_name, text));
        Ok(Evaluator {
            sorter: Sorter::restore(saved.sorter),
            settings: then,
            online: online.map_err(|error| refuse(error.to_string()))?,
            state,
            ring,
            settled: i128::MIN,
            last_change: None,
        })
    }
}
