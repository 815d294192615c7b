// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sliced property and its run, whatever its machine.

use gnomon_core::event::{Event, Fields};
use gnomon_core::symbols::Key;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{End, Origin, Outcome, Simultaneous, Violation};
use gnomon_ir::core::{AtomDefinition, AtomId, Core, FormulaCore};
use gnomon_ir::pattern::VariableId;
use serde::{Deserialize, Serialize};

use super::inert::needs_domains;
use super::machine::{Extent, Machine};
use super::matches::Mask;
use super::share::Share;
use super::slicer::{Blueprint, Slicer, is_universal};
use super::store::Shape;
use crate::automata::{Events, Modal, Obligations, Responses, Scoped};
use crate::matcher::SliceRule;
use crate::network::Network;

/// A property ready to run for every binding.
#[derive(Clone, Debug)]
pub(crate) struct Sliced {
    kind: Kind,
    pub(crate) simultaneous: Simultaneous,
    /// The variable whose values share the bindings out.
    shared_by: Option<usize>,
    /// Whether every binding is looked at at every position.
    pub(crate) visits_all: bool,
    /// Whether the first position need not be told to those whom it does not concern.
    pub(crate) rests: bool,
}

#[derive(Clone, Debug)]
enum Kind {
    Network(Box<Blueprint<Network>>),
    Obligations(Box<Blueprint<Obligations>>),
    Responses(Box<Blueprint<Responses>>),
    Events(Box<Blueprint<Events>>),
    Scoped(Box<Blueprint<Scoped>>),
    Modal(Box<Blueprint<Modal>>),
}

/// Whose bindings an event may concern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    /// Nobody's: the rule asks for a value that the event does not have.
    Nobody,
    /// What the first share judges for all.
    First,
    /// Those of the share that this belongs to.
    Hash(u64),
    /// Those of any share.
    All,
}

/// The run of a property.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Run {
    Network(Box<Slicer<Network>>),
    Obligations(Box<Slicer<Obligations>>),
    Responses(Box<Slicer<Responses>>),
    Events(Box<Slicer<Events>>),
    Scoped(Box<Slicer<Scoped>>),
    Modal(Box<Slicer<Modal>>),
}

/// Calls the same method of whatever kind the plan and the run are of.
macro_rules! with {
    ($plan:expr, $run:expr, |$blueprint:ident, $slicer:ident| $body:expr) => {
        match (&$plan.kind, $run) {
            (Kind::Network($blueprint), Run::Network($slicer)) => $body,
            (Kind::Obligations($blueprint), Run::Obligations($slicer)) => $body,
            (Kind::Responses($blueprint), Run::Responses($slicer)) => $body,
            (Kind::Events($blueprint), Run::Events($slicer)) => $body,
            (Kind::Scoped($blueprint), Run::Scoped($slicer)) => $body,
            (Kind::Modal($blueprint), Run::Modal($slicer)) => $body,
            _ => unreachable!("a run is of its plan's kind: `Run::new` makes it so, `Run::rebuild` checks it"),
        }
    };
}

impl Sliced {
    pub(crate) fn new(core: &Core) -> Self {
        let kind = match core {
            Core::Automaton(automaton) => Kind::Events(Box::new(blueprint(Events::new(automaton), core))),
            Core::Formula(formula) => Self::formula(core, formula),
            Core::Rule(_) => unreachable!("the plan gives rules to the book"),
            Core::Requirement(requirement) => Kind::Scoped(Box::new(blueprint(Scoped::new(requirement), core))),
            Core::Modal(modal) => Kind::Modal(Box::new(blueprint(Modal::new(modal), core))),
        };
        let visits_all = match &kind {
            Kind::Network(plan) => !plan.machine.skips_idle() && plan.shape.variables > 0,
            Kind::Scoped(plan) => plan.machine.looks_at_all() && plan.shape.variables > 0,
            Kind::Modal(plan) => plan.machine.looks_at_all() && plan.shape.variables > 0,
            Kind::Obligations(_) | Kind::Responses(_) | Kind::Events(_) => false,
        };
        // Values that a machine looks at must be known to every run that has a binding with them.
        let splits = match &kind {
            Kind::Events(plan) => plan.machine.splits(),
            Kind::Modal(plan) => plan.machine.splits(),
            Kind::Network(_) | Kind::Obligations(_) | Kind::Responses(_) | Kind::Scoped(_) => 0,
        };
        let rests = match &kind {
            Kind::Network(plan) => plan.machine.rests(),
            Kind::Obligations(plan) => plan.machine.rests(),
            Kind::Responses(plan) => plan.machine.rests(),
            Kind::Events(plan) => plan.machine.rests(),
            Kind::Scoped(plan) => plan.machine.rests(),
            Kind::Modal(plan) => plan.machine.rests(),
        };
        let shared_by = most_common_variable(core).filter(|variable| splits & !(1 << variable) == 0);
        Sliced { kind, simultaneous: core.simultaneous(), shared_by, visits_all, rests }
    }

    /// Whether its bindings can be shared out.
    pub(crate) fn can_share(&self) -> bool {
        self.shared_by.is_some()
    }

    /// Who must see an event that a rule is about.
    #[inline]
    pub(crate) fn owner(&self, rule: &SliceRule, fields: &dyn Fields) -> Owner {
        let Some(variable) = self.shared_by else { return Owner::First };
        let place = rule.variables.iter().find(|(_, id)| id.0 as usize == variable);
        match place {
            // Whether events were merged is for all shares to notice.
            _ if self.simultaneous == Simultaneous::Merge => Owner::All,
            None => Owner::All,
            Some((source, _)) => source.share(fields).map_or(Owner::Nobody, Owner::Hash),
        }
    }

    /// The field by whose value the events that a rule is about are shared out, if that is all there is to it.
    pub(crate) fn shared_key(&self, rule: &SliceRule) -> Option<Key> {
        let is_shared = |id: VariableId| Some(id.0 as usize) == self.shared_by;
        let place =
            rule.variables.iter().find(|(_, id)| is_shared(*id)).filter(|_| self.simultaneous != Simultaneous::Merge);
        place.and_then(|(source, _)| source.key())
    }

    fn formula(core: &Core, formula: &FormulaCore) -> Kind {
        let tables = if core.simultaneous() == Simultaneous::Sequence { Obligations::new(formula) } else { None };
        if let Some(tables) = tables {
            return Kind::Obligations(Box::new(blueprint(tables, core)));
        }
        match Responses::new(Network::new(formula.clone())) {
            Ok(responses) => Kind::Responses(Box::new(blueprint(responses, core))),
            Err(network) => Kind::Network(Box::new(blueprint(*network, core))),
        }
    }
}

fn blueprint<M: Machine>(machine: M, core: &Core) -> Blueprint<M> {
    let prefix = core.prefix().to_vec();
    let atoms: Vec<Mask> = core.atoms().iter().map(|atom| variables_of(atom, prefix.len())).collect();
    let mut masks = atoms.clone();
    masks.sort_unstable();
    masks.dedup();
    let shape = Shape::new(prefix.len(), masks);
    let universal = is_universal(&prefix);
    let measured: Vec<AtomId> = match core {
        Core::Formula(formula) => formula.measures.iter().map(|measure| measure.atom).collect(),
        Core::Automaton(_) | Core::Rule(_) | Core::Requirement(_) | Core::Modal(_) => vec![],
    };
    let needs_domains = needs_domains(&machine, &shape, &atoms, &measured, universal);
    let least_gap = i128::from(core.simultaneous() == Simultaneous::Merge);
    Blueprint { machine, shape, prefix, universal, needs_domains, least_gap }
}

/// The quantified variables that an atom binds.
fn variables_of(atom: &AtomDefinition, quantified: usize) -> Mask {
    let variables = atom.patterns.first().into_iter().flat_map(|pattern| &pattern.variables);
    let bound = variables.map(|(_, id)| id.0 as usize).filter(|id| *id < quantified);
    bound.fold(0, |mask, id| mask | 1 << id)
}

fn most_common_variable(core: &Core) -> Option<usize> {
    let quantified = core.prefix().len();
    let masks: Vec<Mask> = core.atoms().iter().map(|atom| variables_of(atom, quantified)).collect();
    let count = |variable: &usize| masks.iter().filter(|mask| **mask >> variable & 1 == 1).count();
    (0..quantified).rev().max_by_key(count)
}

impl Run {
    pub(crate) fn new(plan: &Sliced, max_violations: usize) -> Self {
        match &plan.kind {
            Kind::Network(plan) => Run::Network(Box::new(Slicer::new(plan, max_violations))),
            Kind::Obligations(plan) => Run::Obligations(Box::new(Slicer::new(plan, max_violations))),
            Kind::Responses(plan) => Run::Responses(Box::new(Slicer::new(plan, max_violations))),
            Kind::Events(plan) => Run::Events(Box::new(Slicer::new(plan, max_violations))),
            Kind::Scoped(plan) => Run::Scoped(Box::new(Slicer::new(plan, max_violations))),
            Kind::Modal(plan) => Run::Modal(Box::new(Slicer::new(plan, max_violations))),
        }
    }

    /// An event may match an atom: notes for which values it does.
    #[inline]
    pub(crate) fn gather(
        &mut self,
        plan: &Sliced,
        rule: &SliceRule,
        event: &Event<'_>,
        origin: &Origin,
        share: Share,
    ) -> bool {
        let shared_by = plan.shared_by;
        with!(plan, self, |plan, slicer| slicer.gather(plan, shared_by, rule, event, origin, share))
    }

    /// An event may match an atom, and nothing else of its position does: notes for which values it does, and completes
    /// the position if there are any. Tells the next alarm.
    #[inline]
    pub(crate) fn meet(
        &mut self,
        plan: &Sliced,
        rule: &SliceRule,
        event: &Event<'_>,
        origin: &Origin,
        share: Share,
        position: u64,
    ) -> Timestamp {
        let shared_by = plan.shared_by;
        with!(plan, self, |plan, slicer| {
            if slicer.gather_only(plan, shared_by, rule, event, origin, share) {
                slicer.close(plan, position, origin);
            }
            slicer.next_alarm()
        })
    }

    /// The open position is complete.
    #[inline]
    pub(crate) fn close(&mut self, plan: &Sliced, position: u64, first: &Origin) {
        with!(plan, self, |plan, slicer| slicer.close(plan, position, first));
    }

    pub(crate) fn advance(&mut self, plan: &Sliced, to: Timestamp) {
        with!(plan, self, |plan, slicer| slicer.advance(plan, to));
    }

    pub(crate) fn is_restless(&self, plan: &Sliced) -> bool {
        with!(plan, self, |_plan, slicer| slicer.is_restless())
    }

    #[inline]
    pub(crate) fn next_alarm(&self, plan: &Sliced) -> Timestamp {
        with!(plan, self, |_plan, slicer| slicer.next_alarm())
    }

    pub(crate) fn violated(&self, plan: &Sliced) -> u64 {
        with!(plan, self, |plan, slicer| slicer.violated_so_far(plan))
    }

    pub(crate) fn news(&mut self, plan: &Sliced) -> Vec<Violation> {
        with!(plan, self, |_plan, slicer| slicer.news())
    }

    pub(crate) fn tell(&mut self, plan: &Sliced, keep: usize) -> Vec<Violation> {
        with!(plan, self, |_plan, slicer| slicer.tell_all(keep))
    }

    /// How many bindings have a state of their own, apart from the one that stands for all the rest.
    pub(crate) fn bindings(&self, plan: &Sliced) -> usize {
        with!(plan, self, |_plan, slicer| slicer.bindings())
    }

    pub(crate) fn bytes(&self, plan: &Sliced) -> usize {
        with!(plan, self, |plan, slicer| slicer.bytes(plan))
    }

    pub(crate) fn finish(&mut self, plan: &Sliced, extent: Extent, end: End) -> Outcome {
        with!(plan, self, |plan, slicer| slicer.finish(plan, extent, end))
    }

    /// Forgets everything, as if it were new.
    pub(crate) fn restart(&mut self, plan: &Sliced, max_violations: usize) {
        with!(plan, self, |plan, slicer| slicer.restart(plan, max_violations));
    }

    pub(crate) fn rebuild(&mut self, plan: &Sliced) -> bool {
        match (&plan.kind, self) {
            (Kind::Network(plan), Run::Network(slicer)) => slicer.rebuild(plan),
            (Kind::Obligations(plan), Run::Obligations(slicer)) => slicer.rebuild(plan),
            (Kind::Responses(plan), Run::Responses(slicer)) => slicer.rebuild(plan),
            (Kind::Events(plan), Run::Events(slicer)) => slicer.rebuild(plan),
            (Kind::Scoped(plan), Run::Scoped(slicer)) => slicer.rebuild(plan),
            (Kind::Modal(plan), Run::Modal(slicer)) => slicer.rebuild(plan),
            _ => false,
        }
    }

    /// Takes in the run of another share of the same events.
    pub(crate) fn absorb(&mut self, plan: &Sliced, other: Run) {
        match (&plan.kind, self, other) {
            (Kind::Network(plan), Run::Network(own), Run::Network(other)) => own.absorb(plan, *other),
            (Kind::Obligations(plan), Run::Obligations(own), Run::Obligations(other)) => own.absorb(plan, *other),
            (Kind::Responses(plan), Run::Responses(own), Run::Responses(other)) => own.absorb(plan, *other),
            (Kind::Events(plan), Run::Events(own), Run::Events(other)) => own.absorb(plan, *other),
            (Kind::Scoped(plan), Run::Scoped(own), Run::Scoped(other)) => own.absorb(plan, *other),
            (Kind::Modal(plan), Run::Modal(own), Run::Modal(other)) => own.absorb(plan, *other),
            _ => {}
        }
    }
}
