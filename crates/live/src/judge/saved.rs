// SPDX-License-Identifier: MIT OR Apache-2.0
//! A judge as data.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use gnomon_run::online::{Online, ResumeError};
use serde::{Deserialize, Serialize};

use super::{Judge, Settings, compile};
use crate::ring::Ring;
use crate::sorter::{SavedSorter, Sorter};
use crate::wire::{Block, LateRow};

/// The layout of what follows it.
const VERSION: u16 = 2;

#[derive(Serialize, Deserialize)]
struct Saved {
    version: u16,
    online: Vec<u8>,
    sorter: SavedSorter,
    spec_name: String,
    revision: u64,
    date_times: Option<bool>,
    latest: Option<(i128, i128)>,
    last_arrival: i128,
    accepted: u64,
    late: u64,
    /// Event, time as JSON, by how much.
    late_rows: Vec<(String, String, String)>,
    producers: BTreeMap<String, u64>,
    blocks: BTreeMap<u64, Block>,
    next_block: u64,
    sequence: u64,
    settings: Settings,
}

/// What is saved, ready to be written by someone who has time.
pub(crate) struct Frozen {
    online: Online,
    rest: Saved,
}

impl Frozen {
    pub(crate) fn sequence(&self) -> u64 {
        self.rest.sequence
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        let saved = Saved { online: self.online.save(), ..self.rest };
        postcard::to_stdvec(&saved).expect("it has only types that postcard writes, into memory")
    }
}

impl Judge {
    /// A copy of the state.
    pub(crate) fn freeze(&self) -> Frozen {
        let late_row = |row: &LateRow| (row.event.clone(), row.time.get().to_owned(), row.behind.clone());
        let rest = Saved {
            version: VERSION,
            online: vec![],
            sorter: self.sorter.save(),
            spec_name: self.spec_name.clone(),
            revision: self.revision,
            date_times: self.date_times,
            latest: self.latest,
            last_arrival: self.last_arrival,
            accepted: self.accepted,
            late: self.late,
            late_rows: self.late_rows.iter().map(late_row).collect(),
            producers: self.producers.clone(),
            blocks: self.blocks.clone(),
            next_block: self.next_block,
            sequence: self.sequence,
            settings: self.settings.clone(),
        };
        Frozen { online: self.online.clone(), rest }
    }

    /// A judge as it was saved. One with other settings cannot go on.
    pub(crate) fn restore(bytes: &[u8], settings: Settings, ring: Arc<Mutex<Ring>>) -> Result<Judge, ResumeError> {
        let saved: Saved = postcard::from_bytes(bytes).map_err(|_| ResumeError::Damaged)?;
        if saved.version != VERSION || saved.settings != settings {
            return Err(ResumeError::Damaged);
        }
        let online = Online::restore(&saved.online, |text| compile(&saved.spec_name, text))?;
        let late_row = |(event, time, behind)| LateRow { event, time: crate::render::raw(time), behind };
        Ok(Judge {
            sorter: Sorter::restore(saved.sorter, settings.lateness),
            settings,
            online,
            spec_name: saved.spec_name,
            revision: saved.revision,
            date_times: saved.date_times,
            latest: saved.latest,
            last_arrival: saved.last_arrival,
            accepted: saved.accepted,
            late: saved.late,
            late_rows: saved.late_rows.into_iter().map(late_row).collect::<VecDeque<_>>(),
            producers: saved.producers,
            blocks: saved.blocks,
            next_block: saved.next_block,
            ring,
            sequence: saved.sequence,
            snapshot_sequence: saved.sequence,
            last_change: None,
        })
    }
}
