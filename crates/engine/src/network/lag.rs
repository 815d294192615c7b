// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known of a position with the next one: comparisons that count the starts of activities.
//!
//! Such a position is held back, with all that may be asked of it, until the next one comes or the trace ends. What these
//! comparisons remember is as it was there: it moves on one position behind everything else.

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::Origin;
use gnomon_ir::core::{Edge, NodeId};
use serde::{Deserialize, Serialize};

use super::present::Present;
use super::{Later, Network, Scratch};
use crate::fact::Fact;
use crate::instant::Instant;
use crate::past::Past;
use crate::positions::Gathered;
use crate::terms::history::History;
use crate::terms::variables::Variables;

/// COST: as much again as without it, and a copy of the variables at each position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Lag {
    past: Vec<Past>,
    histories: Vec<Option<History>>,
    held: Option<Held>,
}

/// A position that waits for the next.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Held {
    position: u64,
    time: Timestamp,
    first: Origin,
    gathered: Gathered,
    variables: Variables,
}

impl Network {
    pub(super) fn new_lag(&self) -> Option<Box<Lag>> {
        let wiring = self.lagging.as_ref()?;
        Some(Box::new(Lag { past: self.new_past(wiring), histories: self.new_histories(), held: None }))
    }

    /// Whether a restored one is this network's.
    pub(super) fn lag_fits(&self, lag: Option<&Lag>) -> bool {
        match (&self.lagging, lag) {
            (None, None) => true,
            (Some(wiring), Some(lag)) => {
                lag.past.len() == wiring.past_nodes.len()
                    && self.histories_fit(&lag.histories)
                    && lag.held.as_ref().is_none_or(|held| held.gathered.fits(self))
            }
            _ => false,
        }
    }

    /// The position that was held back has a next one, where this is true, or none. Tells what lags of it to those who asked.
    pub(super) fn release(&self, lag: &mut Lag, later: &mut [Later], scratch: &mut Scratch, next: Option<&Gathered>) {
        let (Some(wiring), Some(held)) = (&self.lagging, lag.held.take()) else { return };
        let Held { position, time, first, gathered, variables } = &held;
        let instant = Instant { position: *position, time: *time, first, gathered, variables };
        let state = (&mut *lag.past, &mut *lag.histories);
        let (mut present, facts) = Present::lagging((self, wiring), state, scratch, &instant, next);
        present.remember();
        for ((later, waiter), out) in later.iter_mut().zip(&self.later_nodes).zip(facts) {
            if let Later::Lagging(wanted) = later
                && wanted.take().is_some()
            {
                let value = present.value(Edge { node: waiter.id, negated: false });
                out.push(Fact { from: *position, to: *position, value, blame: waiter.id });
            }
        }
        present.update();
        present.recollect();
    }
}

impl Present<'_> {
    /// Tells what lags, if it is certain at once; else gives the position where it is asked for.
    pub(super) fn tell_if_certain(&mut self, id: NodeId, out: &mut Vec<Fact>) -> Option<u64> {
        let position = self.instant.position;
        let Some(value) = self.certain(Edge { node: id, negated: false }) else { return Some(position) };
        out.push(Fact { from: position, to: position, value, blame: id });
        None
    }
}

impl Lag {
    /// Holds the present position back.
    pub(super) fn hold(&mut self, instant: &Instant<'_>) {
        self.held = Some(Held {
            position: instant.position,
            time: instant.time,
            first: *instant.first,
            gathered: instant.gathered.clone(),
            variables: instant.variables.clone(),
        });
    }
}
