// SPDX-License-Identifier: MIT OR Apache-2.0
//! The clauses of a formula: one for each conjunct `X^n G (antecedent -> consequent)`, or the whole formula at the first position.

use gnomon_core::list::reachable;
use gnomon_core::{Duration, Interval, Span, Timestamp};
use gnomon_ir::{Edge, FormulaCore, FormulaNode, Invariant, NodeId, Reporting};

use super::evaluator::Evaluator;
use super::{FormulaPart, Network};

/// One requirement of a formula: at each position in reach where the antecedent holds, the consequent must hold.
#[derive(Clone, Debug)]
pub(crate) struct FormulaClause {
    pub(crate) reach: ClauseReach,
    pub(crate) antecedent: Option<Edge>,
    pub(crate) consequent: Edge,
    /// The antecedent as it is evaluated; `true` if there is none.
    pub(crate) antecedent_part: FormulaPart,
    /// The consequent as it is evaluated.
    pub(crate) consequent_part: Consequent,
    /// The text of the consequent.
    pub(crate) consequent_span: Span,
    /// The text of the whole clause.
    pub(crate) span: Span,
    /// True if a position where no atom is true opens an obligation.
    pub(crate) opens_when_idle: bool,
    /// True if a position where no atom is true opens an obligation and satisfies it immediately.
    pub(crate) satisfied_when_idle: bool,
    /// The atoms that the antecedent mentions, as the bits of [`PositionAtoms`](super::PositionAtoms).
    pub(crate) antecedent_atoms: Vec<u64>,
}

/// The way in which the value of a consequent becomes known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Consequent {
    /// Immediately.
    Now(Edge),
    /// From the facts of a waiting node.
    Later { slot: usize, negated: bool },
    /// The consequent is an Until, or its negation, whose parts are known immediately. The clause waits for it without a node.
    Direct(DirectUntil),
}

/// See [`Consequent::Direct`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct DirectUntil {
    pub(crate) node: NodeId,
    pub(crate) interval: Interval,
    pub(crate) left: Edge,
    /// True if `left` is the constant true.
    pub(crate) left_is_true: bool,
    pub(crate) right: Edge,
    pub(crate) negated: bool,
    /// True if the present position counts, for `right` and for `left`.
    pub(crate) inclusive: bool,
}

impl DirectUntil {
    /// Returns the value that is known where the obligation arises, if the present position counts.
    #[inline]
    pub(crate) fn immediate_value(&self, evaluator: &mut Evaluator<'_>) -> Option<bool> {
        if !self.inclusive {
            None
        } else if evaluator.value(self.right) {
            Some(!self.negated)
        } else if !self.left_is_true && !evaluator.value(self.left) {
            Some(self.negated)
        } else {
            None
        }
    }

    /// Returns true if the same position settles all open obligations, because no distance matters.
    pub(crate) fn is_untimed(self) -> bool {
        self.interval.hi.is_none() && self.interval.lo <= Duration::ZERO
    }
}

/// The positions at which a clause must hold.
#[derive(Clone, Debug)]
pub(crate) enum ClauseReach {
    /// The first position only.
    First,
    /// The positions at these distances after the base, the position that the `X`s lead to.
    After {
        nexts: Vec<Interval>,
        interval: Interval,
        /// True if the base itself is left out.
        strict: bool,
    },
}

/// The constant true.
pub(crate) const TRUE: Edge = Edge::TRUE;

/// Returns the Until that an edge is: itself, negated, or with the present position included.
fn direct(core: &FormulaCore, edge: Edge) -> Option<DirectUntil> {
    let inclusive = |edge: Edge| core.inclusives.iter().find(|(known, _)| *known == edge).map(|(_, id)| *id);
    let (node, negated, inclusive) = match (inclusive(edge), inclusive(!edge)) {
        (Some(id), _) => (id, false, true),
        (None, Some(id)) => (id, true, true),
        (None, None) => (edge.node, edge.negated, false),
    };
    let FormulaNode::Until { interval, left, right } = core.node(node) else { return None };
    Some(DirectUntil {
        node,
        interval: *interval,
        left: *left,
        left_is_true: *left == TRUE,
        right: *right,
        negated,
        inclusive,
    })
}

impl FormulaClause {
    /// Returns the clauses of a formula, without references to waiting nodes, which [`FormulaClause::connect`] adds. `waits` is true
    /// for the nodes that look ahead.
    pub(crate) fn of(core: &FormulaCore, waits: &[bool]) -> Vec<FormulaClause> {
        let is_now = |edge: Edge| !waits[edge.node.0 as usize];
        let clause = |reach, antecedent: Option<Edge>, consequent: Edge, consequent_span, span| FormulaClause {
            reach,
            antecedent,
            consequent,
            antecedent_part: FormulaPart::Now(antecedent.unwrap_or(TRUE)),
            consequent_part: match direct(core, consequent) {
                Some(direct) if antecedent.is_none_or(is_now) && is_now(direct.left) && is_now(direct.right) => {
                    Consequent::Direct(direct)
                }
                _ => Consequent::Now(consequent),
            },
            consequent_span,
            span,
            opens_when_idle: false,
            satisfied_when_idle: false,
            antecedent_atoms: antecedent.map_or_else(Vec::new, |edge| atoms_under(core, edge)),
        };
        match &core.reporting {
            Reporting::Whole(whole) => vec![clause(ClauseReach::First, None, core.formula, whole.span, whole.span)],
            Reporting::Invariants(invariants) => {
                let of_invariant = |one: &Invariant| {
                    let (nexts, interval, strict) = (one.nexts.clone(), one.reach, one.strict);
                    let reach = ClauseReach::After { nexts, interval, strict };
                    clause(reach, one.antecedent, one.consequent, one.consequent_span, one.span)
                };
                invariants.iter().map(of_invariant).collect()
            }
        }
    }

    /// Connects the clause with the waiting nodes of the network.
    pub(crate) fn connect(&mut self, network: &Network) {
        self.antecedent_part = network.part(self.antecedent.unwrap_or(TRUE));
        if let Consequent::Now(edge) = self.consequent_part {
            self.consequent_part = match network.part(edge) {
                FormulaPart::Now(edge) => Consequent::Now(edge),
                FormulaPart::Later { slot, negated } => Consequent::Later { slot, negated },
            };
        }
    }

    /// Returns the nodes that the network must evaluate for the clause.
    pub(crate) fn roots(&self) -> Vec<NodeId> {
        let mut roots: Vec<NodeId> = self.antecedent.iter().map(|edge| edge.node).collect();
        match self.consequent_part {
            Consequent::Direct(direct) => roots.extend([direct.left.node, direct.right.node]),
            Consequent::Now(_) | Consequent::Later { .. } => roots.push(self.consequent.node),
        }
        roots
    }

    /// Returns true if a time may come after which no position is in reach.
    pub(crate) fn may_end(&self) -> bool {
        match &self.reach {
            ClauseReach::First => true,
            // An `X` may find the next position at a distance outside its interval.
            ClauseReach::After { nexts, interval, .. } => interval.hi.is_some() || !nexts.is_empty(),
        }
    }

    /// Returns true if constants alone make the clause true at every position.
    pub(crate) fn is_vacuous(&self) -> bool {
        self.consequent == TRUE || self.antecedent == Some(!TRUE)
    }

    /// Returns true if no position from the frontier on is in reach of the clause, given the time of its base.
    pub(crate) fn is_over(&self, base: Option<Timestamp>, frontier: Timestamp) -> bool {
        match &self.reach {
            ClauseReach::First => base.is_some(),
            ClauseReach::After { interval, .. } => base.is_some_and(|base| interval.is_past(frontier - base)),
        }
    }
}

/// Returns the atoms below an edge, as bits.
pub(super) fn atoms_under(core: &FormulaCore, edge: Edge) -> Vec<u64> {
    let mut words = vec![0; core.atoms.len().div_ceil(64)];
    for id in reachable([edge.node], |id| core.node(id).children().into_iter().map(|edge| edge.node)) {
        let atom = match core.node(id) {
            FormulaNode::Atom(atom) => *atom,
            node => match node.measure() {
                Some(measure) => core.measures[measure.0 as usize].atom,
                None => continue,
            },
        };
        words[atom.0 as usize / 64] |= 1 << (atom.0 % 64);
    }
    words
}
