// SPDX-License-Identifier: MIT OR Apache-2.0
//! Limits of memory, and the memory of the monitors of all cases.
//!
//! Asking every monitor at every event would cost more than checking the events. [`MemoryAccounting`] therefore keeps a
//! total, remembers what each case contributed to it, and asks again only those cases that had events since the last check.

use std::fmt;

use gnomon_engine::{MemoryUse, Monitor};

use crate::error::Error;

/// Limits for the bindings of all properties together; `None` means unlimited.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Greatest number of bindings that have a state of their own at the same time.
    pub bindings: Option<u64>,
    /// Greatest number of bytes, approximately.
    pub memory: Option<u64>,
}

/// The error that a limit was exceeded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overload {
    /// The limit.
    pub limit: ExceededLimit,
    /// Memory of all properties.
    pub total: MemoryUse,
    /// The property of the plan that has the most bindings.
    pub property: usize,
    /// Memory of that property.
    pub most: MemoryUse,
}

/// A limit that was exceeded, with its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExceededLimit {
    /// Number of bindings.
    Bindings(u64),
    /// Number of bytes.
    Memory(u64),
}

impl fmt::Display for Overload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MemoryUse { bindings, bytes } = self.total;
        match self.limit {
            ExceededLimit::Bindings(most) => write!(f, "{bindings} bindings at the same time, and {most} are allowed"),
            ExceededLimit::Memory(most) => write!(f, "bindings and cases take {bytes} bytes, and {most} are allowed"),
        }
    }
}

impl Limits {
    /// Returns true if there is a limit.
    pub(crate) fn any(self) -> bool {
        self != Limits::default()
    }

    /// Fails if the properties, with this memory in the order of the plan, and `other_bytes` exceed a limit.
    pub(super) fn check(self, loads: &[MemoryUse], other_bytes: usize) -> Result<(), Error> {
        let other = MemoryUse { bindings: 0, bytes: other_bytes };
        let total = total_memory(loads.iter().copied().chain([other]));
        let exceeded = |limit: Option<u64>, used: usize| limit.filter(|limit| used as u64 > *limit);
        let bindings = exceeded(self.bindings, total.bindings).map(ExceededLimit::Bindings);
        let Some(limit) = bindings.or_else(|| exceeded(self.memory, total.bytes).map(ExceededLimit::Memory)) else {
            return Ok(());
        };
        let property = (0..loads.len()).rev().max_by_key(|property| loads[*property].bindings).unwrap_or(0);
        Err(Error::Overload(Overload { limit, total, property, most: loads[property] }))
    }
}

/// Adds up memory.
pub(crate) fn total_memory(loads: impl Iterator<Item = MemoryUse>) -> MemoryUse {
    loads.fold(MemoryUse::default(), |sum, load| MemoryUse {
        bindings: sum.bindings + load.bindings,
        bytes: sum.bytes + load.bytes,
    })
}

/// Approximate size in bytes of the monitor of a case, without its bindings.
pub(super) const CASE_BYTES: usize = 4 << 10;

/// Memory of the bindings of all cases.
pub(super) struct MemoryAccounting {
    limits: Limits,
    /// For each property.
    total: Vec<MemoryUse>,
    /// For each case and property, its share in the total.
    known: Vec<MemoryUse>,
    /// Cases that had events since the last check.
    touched: Vec<usize>,
}

impl MemoryAccounting {
    pub(super) fn new(limits: Limits, properties: usize) -> Self {
        let total = vec![MemoryUse::default(); properties];
        MemoryAccounting { limits, total, known: Vec::new(), touched: Vec::new() }
    }

    /// Notes that a case had an event.
    #[inline]
    pub(super) fn touch(&mut self, case: usize) {
        if self.limits.any() && self.touched.last() != Some(&case) {
            self.touched.push(case);
        }
    }

    /// Notes that a case was packed: its bindings still count, but its bytes are now those of the packed case.
    pub(super) fn pack(&mut self, case: usize) {
        let properties = self.total.len();
        let known = self.known.iter_mut().skip(case * properties).take(properties);
        for (known, total) in known.zip(&mut self.total) {
            total.bytes -= std::mem::take(&mut known.bytes);
        }
    }

    /// Notes that a case is over.
    pub(super) fn remove(&mut self, case: usize) {
        let properties = self.total.len();
        let known = self.known.iter_mut().skip(case * properties).take(properties);
        for (known, total) in known.zip(&mut self.total) {
            let MemoryUse { bindings, bytes } = std::mem::take(known);
            total.bindings -= bindings;
            total.bytes -= bytes;
        }
    }

    /// Forgets all cases.
    pub(super) fn clear(&mut self) {
        self.total.fill(MemoryUse::default());
        self.known.clear();
        self.touched.clear();
    }

    /// Fails if the bindings of the cases, and `case_bytes` for the cases themselves, exceed a limit.
    ///
    /// COST: the cases that had events since the last check, however many cases there are.
    pub(super) fn check<'a>(
        &mut self,
        case_bytes: usize,
        monitor_of: impl Fn(usize) -> Option<&'a Monitor>,
    ) -> Result<(), Error> {
        self.touched.sort_unstable();
        self.touched.dedup();
        let properties = self.total.len();
        for number in self.touched.drain(..) {
            let Some(monitor) = monitor_of(number) else { continue };
            if self.known.len() < (number + 1) * properties {
                self.known.resize((number + 1) * properties, MemoryUse::default());
            }
            let known = &mut self.known[number * properties..][..properties];
            for (property, (known, total)) in known.iter_mut().zip(&mut self.total).enumerate() {
                let load = monitor.memory_use(property);
                total.bindings = total.bindings - known.bindings + load.bindings;
                total.bytes = total.bytes - known.bytes + load.bytes;
                *known = load;
            }
        }
        self.limits.check(&self.total, case_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_property_with_the_most_bindings_is_named() {
        let load = |bindings, bytes| MemoryUse { bindings, bytes };
        let loads = [load(2, 900), load(5, 50), load(5, 60)];
        let check = |bindings, memory| {
            Limits { bindings, memory }.check(&loads, 0).err().map(|error| match error {
                Error::Overload(overload) => overload,
                other => panic!("{other}"),
            })
        };
        assert_eq!(check(None, None), None);
        assert_eq!(check(Some(12), Some(1010)), None);
        let total = load(12, 1010);
        let overload = |limit| Some(Overload { limit, total, property: 1, most: load(5, 50) });
        assert_eq!(check(Some(11), None), overload(ExceededLimit::Bindings(11)));
        assert_eq!(check(Some(12), Some(1009)), overload(ExceededLimit::Memory(1009)));
    }
}
