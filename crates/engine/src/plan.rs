// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties compiled for running.

use std::sync::Arc;

use gnomon_core::event::Projection;
use gnomon_core::symbols::Symbols;
use gnomon_core::verdict::Simultaneous;
use gnomon_ir::core::Core;

use crate::matcher::Matcher;
use crate::monitor::Monitor;
use crate::network::Network;
use crate::snapshot::{self, RestoreError};

/// Compiled properties. Immutable, cheap to clone, shared by any number of runs.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) networks: Vec<Network>,
    pub(crate) matcher: Matcher,
    pub(crate) fingerprint: u64,
    /// Whether some property takes each event as a position of its own.
    pub(crate) some_sequence: bool,
    symbols: Symbols,
    projection: Projection,
    cores: Vec<Core>,
}

/// Compiles properties to be judged together.
pub fn plan(cores: Vec<Core>) -> Plan {
    let (mut symbols, mut projection, mut matcher) = (Symbols::default(), Projection::default(), Matcher::default());
    for (property, core) in cores.iter().enumerate() {
        for (atom, definition) in core.atoms.iter().enumerate() {
            for pattern in &definition.patterns {
                matcher.add(property, atom, pattern, &mut symbols, &mut projection);
            }
        }
    }
    let networks = cores.iter().cloned().map(Network::new).collect();
    let fingerprint = snapshot::fingerprint(&cores);
    let some_sequence = cores.iter().any(|core| core.simultaneous == Simultaneous::Sequence);
    Plan { inner: Arc::new(Inner { networks, matcher, fingerprint, some_sequence, symbols, projection, cores }) }
}

impl Plan {
    /// A run that has seen nothing. Of each property's violations it keeps the first `max_violations`.
    pub fn start(&self, max_violations: usize) -> Monitor {
        Monitor::new(self.clone(), max_violations)
    }

    /// A run as [`Monitor::save`] left it. A snapshot of other properties, of another version or a damaged one is
    /// refused.
    pub fn restore(&self, snapshot: &[u8]) -> Result<Monitor, RestoreError> {
        snapshot::restore(self, snapshot)
    }

    /// The names of the events and fields that the properties mention. Readers number theirs after these.
    pub fn symbols(&self) -> &Symbols {
        &self.inner.symbols
    }

    /// What readers must materialise.
    pub fn projection(&self) -> &Projection {
        &self.inner.projection
    }

    /// The properties.
    pub fn cores(&self) -> &[Core] {
        &self.inner.cores
    }
}
