// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which of a spec's events a trace has.

use std::collections::BTreeSet;

use gnomon_core::symbols::Name;

use crate::compile::Compiled;

/// Which of the spec's event names the trace has.
pub(super) struct Seen {
    names: Vec<bool>,
}

impl Seen {
    pub(super) fn new(compiled: &Compiled) -> Self {
        Seen { names: vec![false; compiled.plan.symbols().name_count()] }
    }

    #[inline]
    pub(super) fn add(&mut self, name: Name) {
        if let Some(seen) = self.names.get_mut(name.0 as usize) {
            *seen = true;
        }
    }

    /// Atoms none of whose events ever came.
    pub(super) fn missing(&self, compiled: &Compiled) -> Vec<String> {
        let mut missing = BTreeSet::new();
        let symbols = compiled.plan.symbols();
        for atom in compiled.plan.cores().iter().flat_map(gnomon_ir::core::Core::atoms) {
            let came = atom.patterns.iter().any(|pattern| {
                symbols.find_name(&pattern.event).is_some_and(|name| self.names.get(name.0 as usize) == Some(&true))
            });
            if !came {
                missing.insert(atom.name.clone());
            }
        }
        missing.into_iter().collect()
    }
}
