// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much the bindings of quantified properties may take. Looked at now and then, so that looking costs nothing.

use std::fmt;

use gnomon_engine::Load;

use crate::error::Error;

/// How much the bindings of all properties together may take; `None`: as much as they like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// How many may have a state of their own at the same time.
    pub bindings: Option<u64>,
    /// How many bytes they may take, roughly.
    pub memory: Option<u64>,
}

/// The bindings took more than they may.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overload {
    /// The limit that was passed.
    pub limit: Limit,
    /// What all properties took.
    pub total: Load,
    /// The property of the plan that has the most bindings.
    pub property: usize,
    /// What that one took.
    pub most: Load,
}

/// A limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// So many bindings.
    Bindings(u64),
    /// So many bytes.
    Memory(u64),
}

impl fmt::Display for Overload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Load { bindings, bytes } = self.total;
        match self.limit {
            Limit::Bindings(most) => write!(f, "{bindings} bindings at the same time, and {most} are allowed"),
            Limit::Memory(most) => write!(f, "bindings and cases take {bytes} bytes, and {most} are allowed"),
        }
    }
}

/// Early on, every event is looked at: short traces are held to small limits, too.
const ALWAYS_BEFORE: u64 = 1 << 12;
/// Later, one in so many.
const LATER_EVERY: u64 = 1 << 12;

/// Whether it is time to look, after so many events.
#[inline]
pub(super) fn is_due(events: u64) -> bool {
    events.is_multiple_of(LATER_EVERY) || events < ALWAYS_BEFORE
}

impl Limits {
    /// Whether there is any.
    pub(super) fn any(self) -> bool {
        self != Limits::default()
    }

    /// Fails if the properties, with these loads in the order of the plan, take more than they may.
    /// `besides`: what else is counted, in bytes.
    pub(super) fn check(self, loads: &[Load], besides: usize) -> Result<(), Error> {
        let mut total = Load { bindings: 0, bytes: besides };
        for load in loads {
            add(&mut total, *load);
        }
        let passed = |limit: Option<u64>, taken: usize| limit.filter(|limit| taken as u64 > *limit);
        let bindings = passed(self.bindings, total.bindings).map(Limit::Bindings);
        let Some(limit) = bindings.or_else(|| passed(self.memory, total.bytes).map(Limit::Memory)) else {
            return Ok(());
        };
        let property = (0..loads.len()).rev().max_by_key(|property| loads[*property].bindings).unwrap_or(0);
        Err(Error::overload(Overload { limit, total, property, most: loads[property] }))
    }
}

/// Adds what one takes to what others take.
pub(super) fn add(sum: &mut Load, load: Load) {
    sum.bindings += load.bindings;
    sum.bytes += load.bytes;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_property_with_the_most_bindings_is_named() {
        let load = |bindings, bytes| Load { bindings, bytes };
        let loads = [load(2, 900), load(5, 50), load(5, 60)];
        let check = |bindings, memory| {
            Limits { bindings, memory }.check(&loads, 0).err().map(|error| *error.as_overload().unwrap())
        };
        assert_eq!(check(None, None), None);
        assert_eq!(check(Some(12), Some(1010)), None);
        let total = load(12, 1010);
        let overload = |limit| Some(Overload { limit, total, property: 1, most: load(5, 50) });
        assert_eq!(check(Some(11), None), overload(Limit::Bindings(11)));
        assert_eq!(check(Some(12), Some(1009)), overload(Limit::Memory(1009)));
    }
}
