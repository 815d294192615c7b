// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties compiled for running: which engine judges which.

use std::sync::Arc;

use gnomon_core::event::Projection;
use gnomon_core::symbols::{Name, Symbols};
use gnomon_core::verdict::Simultaneous;
use gnomon_ir::core::{AtomDefinition, AtomId, Core, FormulaCore, MeasureId};
use gnomon_ir::modal::Sort;
use gnomon_ir::pattern::Path;

use crate::matcher::Matcher;
use crate::monitor::Monitor;
use crate::network::Network;
use crate::rules::{Compiled, Messages};
use crate::sharing::Sharing;
use crate::slice::{Share, Sliced};
use crate::snapshot::{self, RestoreError};
use crate::terms::variables::Fields;

/// Compiled properties. Immutable, cheap to clone, shared by any number of runs.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    /// Where each property is judged.
    pub(crate) places: Vec<Place>,
    /// Formulae without variables: one state each, visited only where something concerns them.
    pub(crate) networks: Vec<Network>,
    /// All others: a state per binding.
    pub(crate) slices: Vec<Sliced>,
    /// Rules over messages.
    pub(crate) rules: Vec<Compiled>,
    /// What the events of each name are to the rules.
    pub(crate) messages: Messages,
    /// The fields that are variables of the state.
    pub(crate) fields: Fields,
    pub(crate) matcher: Matcher,
    pub(crate) fingerprint: u64,
    /// Whether some formula without variables takes each event as a position of its own.
    pub(crate) some_sequence: bool,
    symbols: Symbols,
    projection: Projection,
    cores: Vec<Core>,
}

/// Where a property is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Network(usize),
    /// Several, whose outcomes are one.
    Slices {
        first: usize,
        count: usize,
    },
    Rule(usize),
}

/// Compiles properties to be judged together.
pub fn plan(cores: Vec<Core>) -> Plan {
    let (mut symbols, mut projection, mut matcher) = (Symbols::default(), Projection::default(), Matcher::default());
    let (mut places, mut networks, mut slices) = (Vec::new(), Vec::new(), Vec::new());
    let mut fields = Fields::default();
    let (mut rules, mut messages) = (Vec::new(), Messages::default());
    for core in &cores {
        if let Core::Rule(rule) = core {
            messages.add(rules.len(), rule, &mut symbols, &mut projection);
            places.push(Place::Rule(rules.len()));
            rules.push(Compiled::new(rule));
            continue;
        }
        if let Some(formula) = plain(core) {
            for (atom, definition) in formula.atoms.iter().enumerate() {
                for pattern in &definition.patterns {
                    matcher.add(networks.len(), atom, pattern, &mut symbols, &mut projection);
                }
            }
            places.push(Place::Network(networks.len()));
            let mut network = Network::new(formula.clone());
            let place = |name: &String| fields.place(name, &mut symbols, &mut projection);
            network.variables = formula.variables.iter().map(place).collect();
            networks.push(network);
            continue;
        }
        let parts = match core {
            Core::Modal(modal) => modal.parts().into_iter().map(Core::Modal).collect(),
            other => vec![other.clone()],
        };
        places.push(Place::Slices { first: slices.len(), count: parts.len() });
        for part in &parts {
            add_sliced(slices.len(), part, &mut matcher, &mut symbols, &mut projection);
            slices.push(Sliced::new(part));
        }
    }
    let fingerprint = snapshot::fingerprint(&cores);
    let some_sequence = networks.iter().any(|network| network.core.simultaneous == Simultaneous::Sequence);
    let inner = Inner {
        places,
        networks,
        slices,
        rules,
        messages,
        fields,
        matcher,
        fingerprint,
        some_sequence,
        symbols,
        projection,
        cores,
    };
    Plan { inner: Arc::new(inner) }
}

/// Has the events told that a sliced property mentions.
fn add_sliced(slice: usize, core: &Core, matcher: &mut Matcher, symbols: &mut Symbols, projection: &mut Projection) {
    let sorts: Vec<Sort> = match core {
        Core::Modal(modal) => modal.sorts.iter().copied().chain(modal.locals.iter().map(|(_, sort)| *sort)).collect(),
        _ => vec![],
    };
    for (atom, definition) in core.atoms().iter().enumerate() {
        let atom = AtomId(atom as u32);
        for (number, pattern) in definition.patterns.iter().enumerate() {
            let measures = measures(core, atom, definition, number);
            matcher.add_sliced(slice, atom, pattern, &measures, &sorts, symbols, projection);
        }
    }
}

/// A formula over the names of events alone.
fn plain(core: &Core) -> Option<&FormulaCore> {
    match core {
        Core::Formula(formula) if formula.prefix.is_empty() && formula.measures.is_empty() => Some(formula),
        Core::Formula(_) | Core::Automaton(_) | Core::Rule(_) | Core::Requirement(_) | Core::Modal(_) => None,
    }
}

/// The numbers that events of one pattern of an atom may carry.
fn measures(core: &Core, atom: AtomId, definition: &AtomDefinition, pattern: usize) -> Vec<(MeasureId, Path)> {
    let Core::Formula(formula) = core else { return vec![] };
    let own = (0_u32..).zip(&formula.measures).filter(|(_, measure)| measure.atom == atom);
    own.filter_map(|(id, measure)| {
        // Without a declaration there is one pattern, and one field.
        let field = measure.fields.get(pattern.min(definition.patterns.len() - 1))?;
        Some((MeasureId(id), field.clone()))
    })
    .collect()
}

impl Plan {
    /// A run that has seen nothing. Of each property's violations it keeps the first `max_violations`.
    pub fn start(&self, max_violations: usize) -> Monitor {
        Monitor::new(self.clone(), max_violations, Share::WHOLE)
    }

    /// One of several runs over the same events that share the work: [`Monitor::join`] puts them together. The first
    /// judges what cannot be shared.
    pub fn start_share(&self, max_violations: usize, index: usize, of: usize) -> Monitor {
        Monitor::new(self.clone(), max_violations, Share { index: index as u64, of: of.max(1) as u64 })
    }

    /// A number that is the same for properties that mean the same.
    pub fn meaning(&self, property: usize) -> u64 {
        snapshot::fingerprint(&self.inner.cores[property..=property])
    }

    /// Whether some property takes events of the same time as one position.
    pub fn merges(&self) -> bool {
        self.inner.cores.iter().any(|core| core.simultaneous() == Simultaneous::Merge)
    }

    /// Whether several runs can share the work.
    pub fn can_share(&self) -> bool {
        self.inner.slices.iter().any(Sliced::can_share)
    }

    /// Which of `of` runs that share the work an event concerns.
    pub fn sharing(&self, of: usize) -> Sharing {
        Sharing::new(self, of)
    }

    /// Whether events of a name are told to what is not shared out: any event may change a variable of the state.
    pub(crate) fn first_must_see(&self, name: Name) -> bool {
        let Inner { matcher, messages, fields, .. } = &*self.inner;
        matcher.rules_of(name).0 || messages.mentions(name) || !fields.is_empty()
    }

    /// Whether a property is judged at every position for every binding, because what it says of a binding depends on
    /// events that do not concern it.
    pub fn visits_all(&self, property: usize) -> bool {
        match self.inner.places.get(property) {
            Some(Place::Slices { first, count }) => {
                self.inner.slices[*first..first + count].iter().any(|slice| slice.visits_all)
            }
            Some(Place::Network(_) | Place::Rule(_)) | None => false,
        }
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
