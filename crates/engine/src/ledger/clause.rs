// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an account is about: one `X^n G body`, or a whole formula at the first position.

use gnomon_core::diagnostic::Span;
use gnomon_core::interval::Interval;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_ir::core::{Edge, FormulaCore, Node, NodeId, Reading};

use crate::network::present::Present;
use crate::network::{Network, Part};

/// One thing that a property asks for.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub(crate) reach: Reach,
    pub(crate) antecedent: Option<Edge>,
    pub(crate) consequent: Edge,
    /// The same two, as they are evaluated. No antecedent is one that is true.
    pub(crate) antecedent_part: Part,
    pub(crate) consequent_part: Consequent,
    /// Where the consequent is written.
    pub(crate) consequent_span: Span,
    /// Where the whole clause is written.
    pub(crate) span: Span,
    /// Whether a position where no atom is true opens an obligation.
    pub(crate) owes_when_idle: bool,
    /// Whether such a position meets at once what it asks for.
    pub(crate) satisfied_when_idle: bool,
    /// For each word of the position's atoms, those that the antecedent mentions.
    pub(crate) antecedent_atoms: Vec<u64>,
}

/// How the consequent comes to be known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Consequent {
    /// At once.
    Now(Edge),
    /// From the facts of a waiting node.
    Later { slot: usize, negated: bool },
    /// It is an Until (or its negation) whose parts are known at once: the account itself waits for it.
    Direct(Direct),
}

/// See [`Consequent::Direct`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Direct {
    pub(crate) node: NodeId,
    pub(crate) interval: Interval,
    pub(crate) left: Edge,
    /// Whether `left` is no condition at all.
    pub(crate) left_is_true: bool,
    pub(crate) right: Edge,
    pub(crate) negated: bool,
    /// Whether the present position counts, for `right` and for `left`.
    pub(crate) inclusive: bool,
}

impl Direct {
    /// What is known where the obligation arises, if the present position counts.
    #[inline]
    pub(crate) fn at_once(&self, present: &mut Present<'_>) -> Option<bool> {
        if !self.inclusive {
            None
        } else if present.value(self.right) {
            Some(!self.negated)
        } else if !self.left_is_true && !present.value(self.left) {
            Some(self.negated)
        } else {
            None
        }
    }

    /// Whether every open obligation shares one fate, because no distance matters.
    pub(crate) fn is_untimed(self) -> bool {
        self.interval.hi.is_none() && self.interval.lo <= Duration::ZERO
    }
}

/// The positions that a clause speaks of.
#[derive(Clone, Debug)]
pub(crate) enum Reach {
    /// The first position only.
    First,
    /// Those at these distances after the position that the `X`s lead to.
    After {
        nexts: Vec<Interval>,
        interval: Interval,
        /// Whether that position itself is left out.
        strict: bool,
    },
}

const TRUE: Edge = Edge { node: NodeId(0), negated: false };

/// The Until that an edge stands for: itself, negated, or with the present position included.
fn direct(core: &FormulaCore, edge: Edge) -> Option<Direct> {
    let inclusive = |edge: Edge| core.inclusives.iter().find(|(known, _)| *known == edge).map(|(_, id)| *id);
    let (node, negated, inclusive) = match (inclusive(edge), inclusive(!edge)) {
        (Some(id), _) => (id, false, true),
        (None, Some(id)) => (id, true, true),
        (None, None) => (edge.node, edge.negated, false),
    };
    let Node::Until { interval, left, right } = core.node(node) else { return None };
    Some(Direct {
        node,
        interval: *interval,
        left: *left,
        left_is_true: *left == TRUE,
        right: *right,
        negated,
        inclusive,
    })
}

impl Clause {
    /// The clauses of a property, as far as they can be told from its core; `waits` tells which nodes look ahead.
    /// [`Clause::connect`] makes them whole.
    pub(crate) fn of(core: &FormulaCore, waits: &[bool]) -> Vec<Clause> {
        let is_now = |edge: Edge| !waits[edge.node.0 as usize];
        let clause = |reach, antecedent: Option<Edge>, consequent: Edge, consequent_span, span| Clause {
            reach,
            antecedent,
            consequent,
            antecedent_part: Part::Now(antecedent.unwrap_or(TRUE)),
            consequent_part: match direct(core, consequent) {
                Some(direct) if antecedent.is_none_or(is_now) && is_now(direct.left) && is_now(direct.right) => {
                    Consequent::Direct(direct)
                }
                _ => Consequent::Now(consequent),
            },
            consequent_span,
            span,
            owes_when_idle: false,
            satisfied_when_idle: false,
            antecedent_atoms: antecedent.map_or_else(Vec::new, |edge| atoms_under(core, edge)),
        };
        match &core.reading {
            Reading::Whole(whole) => vec![clause(Reach::First, None, core.formula, whole.span, whole.span)],
            Reading::Invariants(invariants) => invariants
                .iter()
                .map(|invariant| {
                    clause(
                        Reach::After {
                            nexts: invariant.nexts.clone(),
                            interval: invariant.reach,
                            strict: invariant.strict,
                        },
                        invariant.antecedent,
                        invariant.consequent,
                        invariant.consequent_span,
                        invariant.span,
                    )
                })
                .collect(),
        }
    }

    /// Tells the clause which of its parts are waiting nodes of the network.
    pub(crate) fn connect(&mut self, network: &Network) {
        self.antecedent_part = network.part(self.antecedent.unwrap_or(TRUE));
        if let Consequent::Now(edge) = self.consequent_part {
            self.consequent_part = match network.part(edge) {
                Part::Now(edge) => Consequent::Now(edge),
                Part::Later { slot, negated } => Consequent::Later { slot, negated },
            };
        }
    }

    /// The nodes that the network must keep for it.
    pub(crate) fn roots(&self) -> Vec<NodeId> {
        let mut roots: Vec<NodeId> = self.antecedent.iter().map(|edge| edge.node).collect();
        match self.consequent_part {
            Consequent::Direct(direct) => roots.extend([direct.left.node, direct.right.node]),
            Consequent::Now(_) | Consequent::Later { .. } => roots.push(self.consequent.node),
        }
        roots
    }

    /// Whether the clause may come to speak of no more positions.
    pub(crate) fn may_end(&self) -> bool {
        match &self.reach {
            Reach::First => true,
            // An `X` may find its next position at the wrong distance, where times may be equal.
            Reach::After { nexts, interval, .. } => interval.hi.is_some() || !nexts.is_empty(),
        }
    }

    /// Whether constants alone make it true at every position that it speaks of.
    pub(crate) fn is_vacuous(&self) -> bool {
        self.consequent == TRUE || self.antecedent == Some(!TRUE)
    }

    /// Whether no position from the frontier on is in reach of a clause with this base.
    pub(crate) fn is_over(&self, base: Option<Timestamp>, frontier: Timestamp) -> bool {
        match &self.reach {
            Reach::First => base.is_some(),
            Reach::After { interval, .. } => base.is_some_and(|base| interval.is_past(frontier - base)),
        }
    }
}

fn atoms_under(core: &FormulaCore, edge: Edge) -> Vec<u64> {
    let mut words = vec![0; core.atoms.len().div_ceil(64)];
    let mut seen = vec![false; core.nodes.len()];
    let mut pending = vec![edge.node];
    while let Some(id) = pending.pop() {
        if std::mem::replace(&mut seen[id.0 as usize], true) {
            continue;
        }
        if let Node::Atom(atom) = core.node(id) {
            words[atom.0 as usize / 64] |= 1 << (atom.0 % 64);
        }
        pending.extend(core.node(id).children().iter().map(|edge| edge.node));
    }
    words
}
