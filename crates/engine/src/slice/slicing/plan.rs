// SPDX-License-Identifier: MIT OR Apache-2.0
//! The plan of a quantified property: facts that are computed once, so that no event has to derive them.

use gnomon_core::verdict::{DecisionPoint, Origin, Simultaneous};
use gnomon_ir::core::{AtomDefinition, AtomId, Core, QuantifierCore};

use super::{keyed, split};
use crate::slice::machine::{Capabilities, Machine, Schedule};
use crate::slice::quantifiers::{is_plain_forall, may_fail_early};
use crate::slice::storage::Shape;
use crate::slice::storage::index::Mask;

/// A quantified property ready to run.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent facts, decided once so that an event need not
pub(crate) struct SlicePlan<M> {
    pub(crate) machine: M,
    pub(crate) capabilities: Capabilities,
    pub(crate) shape: Shape,
    pub(crate) prefix: Vec<QuantifierCore>,
    /// Every quantifier is a plain `forall`: each binding is reported on its own.
    pub(crate) universal: bool,
    /// The sets of variables of the instances from which states of full bindings are assembled, where that is possible. The
    /// bindings of instances are not closed under join then.
    pub(crate) parts: Option<Vec<Mask>>,
    /// There are full bindings, and each of them is reported on its own.
    pub(super) reports_full: bool,
    /// An event that binds every variable affects one instance, as long as no instance is partial.
    pub(super) finds_full: bool,
    /// Full bindings that are quiescent may be evicted.
    pub(super) evicts: bool,
    /// The values of variables must be remembered to the end of the trace.
    pub(crate) needs_domains: bool,
    /// The least distance of two positions, in ticks.
    pub(crate) least_gap: i128,
    /// The variable whose values divide the bindings among shards. `None`: the first shard runs all of them.
    pub(crate) shared_by: Option<usize>,
    /// The property is true or false as a whole, and may be false before the end of the trace.
    pub(super) fails_early: bool,
    /// For each atom, true if it changes the initial state; where instances are [keyed](crate::slice::storage::keyed).
    pub(super) keyed: Option<Vec<bool>>,
}

impl<M: Machine> SlicePlan<M> {
    pub(crate) fn new(mut machine: M, core: &Core) -> Self {
        let prefix = core.prefix().to_vec();
        let atoms: Vec<Mask> = core.atoms().iter().map(|atom| variables_of(atom, prefix.len())).collect();
        let universal = prefix.iter().all(is_plain_forall);
        let parts = if universal && prefix.len() > 1 { machine.divide(&atoms, prefix.len()) } else { None };
        let mut masks = atoms.clone();
        masks.sort_unstable();
        masks.dedup();
        let measured: Vec<AtomId> = match core {
            Core::Formula(formula) => formula.measures.iter().map(|measure| measure.atom).collect(),
            Core::Automaton(_)
            | Core::Rule(_)
            | Core::Pattern(_)
            | Core::Modal(_)
            | Core::Plugin(_)
            | Core::Clocks(_) => vec![],
        };
        let capabilities = machine.capabilities();
        let occurrences = |variable: &usize| atoms.iter().filter(|mask| **mask >> variable & 1 == 1).count();
        let most_common = (0..prefix.len()).rev().max_by_key(occurrences);
        let mut plan = SlicePlan {
            machine,
            capabilities,
            shape: Shape::new(prefix.len(), masks),
            universal,
            parts,
            reports_full: !prefix.is_empty() && universal,
            finds_full: false,
            // The root cannot evaluate the conditions of a binding whose values it lacks.
            evicts: !capabilities.records_all_events
                && !capabilities.counts_in_root
                && !capabilities.reads_previous
                && capabilities.guarded_variables == 0,
            prefix,
            needs_domains: true,
            least_gap: i128::from(core.simultaneous() == Simultaneous::Merge),
            // Every shard that has a binding with a value that a guard reads must know the value.
            shared_by: most_common.filter(|variable| capabilities.guarded_variables & !(1 << variable) == 0),
            fails_early: false,
            keyed: None,
        };
        plan.fails_early = may_fail_early(&plan.prefix);
        if plan.fails_early {
            plan.shared_by = None;
            plan.capabilities.visits_every_position = true;
        }
        plan.needs_domains = plan.parts.is_none() && split::needs_domains(&plan, &atoms, &measured);
        plan.finds_full =
            plan.shape.variables > 0 && plan.parts.is_none() && (!plan.needs_domains || capabilities.counts_in_root);
        plan.keyed = keyed::initial_effects(&plan, &atoms);
        plan
    }
}

impl<M: Machine> SlicePlan<M> {
    /// Returns the schedule of an instance.
    #[inline]
    pub(super) fn schedule(&self, state: &M::State, is_full: bool) -> Schedule {
        if is_full && self.parts.is_some() {
            self.machine.schedule_assembled(state)
        } else {
            self.machine.schedule(state)
        }
    }
}

impl<M> SlicePlan<M> {
    /// Returns true if a decision is before the position of an event.
    pub(crate) fn is_before(&self, decided: DecisionPoint, event: &Origin) -> bool {
        match decided {
            DecisionPoint::Event(origin) if self.least_gap > 0 => origin.time < event.time,
            DecisionPoint::Event(origin) => origin.order() < event.order(),
            DecisionPoint::Deadline(time) => time < event.time,
            DecisionPoint::End(_) => false,
        }
    }
}

/// The quantified variables that an atom binds.
fn variables_of(atom: &AtomDefinition, quantified: usize) -> Mask {
    let variables = atom.patterns.first().into_iter().flat_map(|pattern| &pattern.variables);
    let bound = variables.map(|(_, id)| id.0 as usize).filter(|id| *id < quantified);
    bound.fold(0, |mask, id| mask | 1 << id)
}
