// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an account is about: one `X^n G body`, or a whole formula at the first position.

use gnomon_core::diagnostic::Span;
use gnomon_core::interval::Interval;
use gnomon_core::time::{Duration, Timestamp};
use gnomon_ir::core::{Core, Edge, Node, NodeId, Reading};

use crate::network::{Network, Part};

/// One thing that a property asks for.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub(crate) reach: Reach,
    pub(crate) antecedent: Option<Edge>,
    pub(crate) consequent: Edge,
    /// The same two, as the network has them. No antecedent is one that is true.
    pub(crate) antecedent_part: Part,
    pub(crate) consequent_part: Part,
    /// Where the consequent is written.
    pub(crate) consequent_span: Span,
    /// Where the whole clause is written.
    pub(crate) span: Span,
    /// Whether all open obligations are always settled together.
    pub(crate) one_fate: bool,
    /// For each word of the position's atoms, those that the antecedent mentions.
    pub(crate) antecedent_atoms: Vec<u64>,
}

/// The positions that a clause speaks of.
#[derive(Clone, Debug)]
pub(crate) enum Reach {
    /// The first position only.
    First,
    /// Those at these distances after the position that the `X`s lead to.
    After { nexts: Vec<Interval>, interval: Interval },
}

const TRUE: Edge = Edge { node: NodeId(0), negated: false };

impl Clause {
    /// The clauses of a property; [`Clause::connect`] makes them whole.
    pub(crate) fn of(core: &Core) -> Vec<Clause> {
        let clause = |reach, antecedent: Option<Edge>, consequent, consequent_span, span| Clause {
            reach,
            antecedent,
            consequent,
            antecedent_part: Part::Now(antecedent.unwrap_or(TRUE)),
            consequent_part: Part::Now(consequent),
            consequent_span,
            span,
            one_fate: false,
            antecedent_atoms: antecedent.map_or_else(Vec::new, |edge| atoms_under(core, edge)),
        };
        match &core.reading {
            Reading::Whole(whole) => vec![clause(Reach::First, None, core.formula, whole.span, whole.span)],
            Reading::Invariants(invariants) => invariants
                .iter()
                .map(|invariant| {
                    clause(
                        Reach::After { nexts: invariant.nexts.clone(), interval: invariant.reach },
                        invariant.antecedent,
                        invariant.consequent,
                        invariant.consequent_span,
                        invariant.span,
                    )
                })
                .collect(),
        }
    }

    /// Tells the clause which of its parts wait.
    pub(crate) fn connect(&mut self, network: &Network) {
        self.antecedent_part = network.part(self.antecedent.unwrap_or(TRUE));
        self.consequent_part = network.part(self.consequent);
        // An Until without bounds settles all its pending positions at once.
        self.one_fate = matches!(self.antecedent_part, Part::Now(_))
            && match network.core.node(self.consequent.node) {
                Node::Until { interval, left, right } => {
                    let untimed = interval.hi.is_none() && interval.lo <= Duration::ZERO;
                    untimed && [left, right].into_iter().all(|edge| matches!(network.part(*edge), Part::Now(_)))
                }
                _ => false,
            };
    }

    /// Whether no position from the frontier on is in reach of a clause with this base.
    pub(crate) fn is_over(&self, base: Option<Timestamp>, frontier: Timestamp) -> bool {
        match &self.reach {
            Reach::First => base.is_some(),
            Reach::After { interval, .. } => base.is_some_and(|base| interval.is_past(frontier - base)),
        }
    }
}

fn atoms_under(core: &Core, edge: Edge) -> Vec<u64> {
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
