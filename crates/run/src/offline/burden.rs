// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the monitors of many cases take together, kept up to date without asking all of them.

use gnomon_engine::{Load, Monitor};

use super::limit::{Limits, add};
use crate::error::Error;

/// What the monitor of a case takes beside what it knows of bindings, in bytes, roughly.
pub(super) const CASE_BYTES: usize = 4 << 10;

/// What the cases take, as far as they were asked.
pub(super) struct Burden {
    limits: Limits,
    /// For each property.
    total: Vec<Load>,
    /// For each case and property, what is in the total.
    known: Vec<Load>,
    /// Cases that had events since they were asked.
    touched: Vec<usize>,
}

impl Burden {
    pub(super) fn new(limits: Limits, properties: usize) -> Self {
        Burden { limits, total: vec![Load::default(); properties], known: Vec::new(), touched: Vec::new() }
    }

    /// A case has an event.
    #[inline]
    pub(super) fn touch(&mut self, case: usize) {
        if self.limits.any() && self.touched.last() != Some(&case) {
            self.touched.push(case);
        }
    }

    /// A case is packed: its bindings are still there, and what they take is counted otherwise.
    pub(super) fn pack(&mut self, case: usize) {
        let properties = self.total.len();
        let known = self.known.iter_mut().skip(case * properties).take(properties);
        for (known, total) in known.zip(&mut self.total) {
            total.bytes -= std::mem::take(&mut known.bytes);
        }
    }

    /// There are no cases any more.
    pub(super) fn clear(&mut self) {
        self.total.fill(Load::default());
        self.known.clear();
        self.touched.clear();
    }

    /// Fails if the cases take more than they may: `cases` bytes, and what they know of bindings.
    ///
    /// COST: the cases that had events since the last time, whatever their number.
    pub(super) fn check<'a>(
        &mut self,
        cases: usize,
        monitor_of: impl Fn(usize) -> Option<&'a Monitor>,
    ) -> Result<(), Error> {
        self.touched.sort_unstable();
        self.touched.dedup();
        let properties = self.total.len();
        for number in self.touched.drain(..) {
            let Some(monitor) = monitor_of(number) else { continue };
            if self.known.len() < (number + 1) * properties {
                self.known.resize((number + 1) * properties, Load::default());
            }
            let known = &mut self.known[number * properties..][..properties];
            for (property, (known, total)) in known.iter_mut().zip(&mut self.total).enumerate() {
                let load = monitor.load(property);
                total.bindings -= known.bindings;
                total.bytes -= known.bytes;
                add(total, load);
                *known = load;
            }
        }
        self.limits.check(&self.total, cases)
    }
}
