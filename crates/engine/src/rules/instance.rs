// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a rule remembers of one message, as columns of a row: few bytes, because there may be millions.

use gnomon_core::symbols::Name;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::Origin;

use super::context::Actions;

/// How many columns an instance takes.
pub(crate) const COLUMNS: usize = 9;

/// The message that made it, and the actions of the context seen since.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instance {
    pub(crate) origin: Origin,
    pub(crate) seen: Actions,
}

impl Instance {
    pub(crate) fn pack(self) -> [u32; COLUMNS] {
        let Origin { event_index, time, event } = self.origin;
        let ticks = time.ticks() as u128;
        let part = |at: u32| (ticks >> (32 * at)) as u32;
        let (low, high) = halves(event_index);
        let (seen_low, seen_high) = halves(self.seen);
        [seen_low, seen_high, low, high, event.0, part(0), part(1), part(2), part(3)]
    }

    pub(crate) fn unpack(data: &[u32]) -> Self {
        let part = |at: usize| u128::from(data[5 + at]) << (32 * at);
        let time = Timestamp::from_ticks((part(0) | part(1) | part(2) | part(3)) as i128);
        let origin = Origin { event_index: index(data), time, event: Name(data[4]) };
        Instance { origin, seen: whole(data[0], data[1]) }
    }
}

/// Its message's place in the trace: the order of age.
#[inline]
pub(crate) fn index(data: &[u32]) -> u64 {
    whole(data[2], data[3])
}

/// Notes the actions that were seen.
#[inline]
pub(crate) fn set_seen(data: &mut [u32], seen: Actions) {
    (data[0], data[1]) = halves(seen);
}

/// Whether the first came before the second.
#[inline]
pub(crate) fn older(left: &[u32], right: &[u32]) -> bool {
    index(left) < index(right)
}

fn halves(whole: u64) -> (u32, u32) {
    (whole as u32, (whole >> 32) as u32)
}

fn whole(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}
