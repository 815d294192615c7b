// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compiles properties and chooses the engine of each.

use std::ops::Range;
use std::sync::Arc;

use gnomon_core::event::{Event, Projection};
use gnomon_core::symbols::Symbols;
use gnomon_core::verdict::Simultaneous;
use gnomon_ir::atom::EventPattern;
use gnomon_ir::core::Core;

use crate::case_ends::CaseEnds;
use crate::clocks::ClockPlan;
use crate::engine::{Engine, PropertyPlan, PropertyState};
use crate::matcher::{Matcher, PlanCompiler};
use crate::monitor::Monitor;
use crate::network::Network;
use crate::partitioner::{Partitioner, Shard};
use crate::plugin::PluginPlan;
use crate::rules::RulePlan;
use crate::slice::SlicedProperty;
use crate::snapshot::{self, RestoreError};
use crate::terms::variables::VariableFields;

/// Compiled properties: immutable, cheap to clone, shared by any number of runs.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) inner: Arc<PlanData>,
}

/// The contents of a [`Plan`].
#[derive(Debug)]
pub(crate) struct PlanData {
    /// The units of each property.
    pub(crate) properties: Vec<Range<usize>>,
    pub(crate) units: Vec<PropertyPlan>,
    /// The fields that are variables of the state.
    pub(crate) fields: VariableFields,
    /// True if a condition compares the times of events.
    pub(crate) tests_time: bool,
    pub(crate) matcher: Matcher,
    /// True if runs of events are taken in as blocks ([`crate::block`]).
    pub(crate) takes_blocks: bool,
    pub(crate) fingerprint: u64,
    symbols: Symbols,
    projection: Projection,
    cores: Vec<Core>,
    case_ends: CaseEnds,
}

/// Compiles properties that are checked together.
pub fn plan(cores: Vec<Core>) -> Plan {
    plan_with_case_ends(cores, vec![])
}

/// Compiles properties that are checked together, and the events that end a case.
pub fn plan_with_case_ends(cores: Vec<Core>, case_ends: Vec<EventPattern>) -> Plan {
    let mut compiler = PlanCompiler::default();
    let (mut properties, mut units) = (Vec::new(), Vec::new());
    for core in &cores {
        let first = units.len();
        match core {
            Core::Formula(formula) if formula.prefix.is_empty() && formula.measures.is_empty() => {
                let mut network = Network::new(formula.clone());
                network.variables = compiler.add_formula(first, formula);
                units.push(PropertyPlan::Network(network));
            }
            Core::Rule(rule) => {
                compiler.add_rule(first, rule);
                let is_first = !units.iter().any(|unit| matches!(unit, PropertyPlan::Rule(_)));
                units.push(PropertyPlan::Rule(RulePlan::new(rule, is_first)));
            }
            Core::Plugin(plugin) => {
                compiler.add_plugin(first, plugin);
                units.push(PropertyPlan::Plugin(PluginPlan::new(plugin)));
            }
            Core::Clocks(clocks) => {
                compiler.add_clocks(first, clocks);
                units.push(PropertyPlan::Clocks(ClockPlan::new(clocks)));
            }
            Core::Formula(_) | Core::Automaton(_) | Core::Pattern(_) | Core::Modal(_) => {
                let parts = match core {
                    Core::Modal(modal) => modal.parts().into_iter().map(Core::Modal).collect(),
                    other => vec![other.clone()],
                };
                for part in &parts {
                    compiler.add_sliced(units.len(), part);
                    units.push(PropertyPlan::Sliced(SlicedProperty::new(part)));
                }
            }
        }
        properties.push(first..units.len());
    }
    let fingerprint = snapshot::fingerprint(&cores);
    let case_ends = CaseEnds::new(case_ends, &mut compiler);
    let PlanCompiler { symbols, projection, mut matcher, fields, tests_time } = compiler;
    matcher.complete();
    let take_blocks = units.iter().all(|unit| matches!(unit, PropertyPlan::Network(_) | PropertyPlan::Clocks(_)));
    let data = PlanData {
        properties,
        units,
        takes_blocks: take_blocks && fields.is_empty() && !tests_time,
        fields,
        tests_time,
        matcher,
        fingerprint,
        symbols,
        projection,
        cores,
        case_ends,
    };
    Plan { inner: Arc::new(data) }
}

impl Plan {
    /// Starts a run. It lists the first `max_violations` violations of each property.
    pub fn start(&self, max_violations: usize) -> Monitor {
        Monitor::new(self.clone(), max_violations, Shard::WHOLE)
    }

    /// Starts one of `shard_count` runs over the same events that divide the bindings; [`Monitor::join`] joins them. The first shard
    /// checks the properties whose bindings cannot be divided.
    pub fn start_shard(&self, max_violations: usize, index: usize, shard_count: usize) -> Monitor {
        Monitor::new(self.clone(), max_violations, Shard { index: index as u64, of: shard_count.max(1) as u64 })
    }

    /// Returns a number that is equal for properties with the same meaning, in every run of the program.
    pub fn fingerprint(&self, property: usize) -> u64 {
        snapshot::fingerprint(&self.inner.cores[property..=property])
    }

    /// Returns true if some property takes events of the same time as one position.
    pub fn merges_simultaneous(&self) -> bool {
        self.inner.cores.iter().any(|core| core.simultaneous() == Simultaneous::Merge)
    }

    /// Returns true if shards can divide the bindings of some property.
    pub fn can_partition(&self) -> bool {
        self.inner.units.iter().any(PropertyState::can_partition)
    }

    /// Returns the plan of other properties of the same spec.
    #[must_use]
    pub fn of_other(&self, cores: Vec<Core>) -> Plan {
        plan_with_case_ends(cores, self.inner.case_ends.patterns.clone())
    }

    /// Returns true if some event ends a case.
    pub fn has_case_ends(&self) -> bool {
        !self.inner.case_ends.patterns.is_empty()
    }

    /// Returns true if an event is the last of its case.
    #[inline]
    pub fn ends_case(&self, event: &Event<'_>) -> bool {
        self.inner.case_ends.test(event)
    }

    /// Returns the partitioner that routes events to this number of shards.
    pub fn partitioner(&self, shard_count: usize) -> Partitioner {
        Partitioner::new(self, shard_count)
    }

    /// Returns true if every binding of a property is visited at every position, because events of other bindings affect it.
    pub fn visits_all_bindings(&self, property: usize) -> bool {
        let units = self.inner.properties.get(property).cloned().unwrap_or_default();
        self.inner.units[units].iter().any(PropertyState::visits_all_bindings)
    }

    /// Restores a run from a snapshot ([`Monitor::save`]). Refuses a snapshot of other properties, of another version, or a damaged
    /// one.
    pub fn restore(&self, snapshot: &[u8]) -> Result<Monitor, RestoreError> {
        snapshot::restore(self, snapshot)
    }

    /// Returns the names of the events and fields that the properties mention. Readers number further names after these.
    pub fn symbols(&self) -> &Symbols {
        &self.inner.symbols
    }

    /// Returns the events and fields that readers must materialise.
    pub fn projection(&self) -> &Projection {
        &self.inner.projection
    }

    /// Returns the properties in the order of the plan.
    pub fn cores(&self) -> &[Core] {
        &self.inner.cores
    }
}
