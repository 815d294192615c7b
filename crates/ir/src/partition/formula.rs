// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae: whether positions matter at which no atom is true.
//!
//! For a value of the key, the events of all other classes are *idle* positions: no atom is true there. What a formula says
//! at the other positions must not depend on them. So what a temporal operator looks for must be false at idle positions
//! (no witness is found there), and what must hold in between must be true there (nothing is spoilt); then a violation is
//! at a position of the class as well, and found by an event of it, or because time passes.

use gnomon_core::diagnostic::Span;
use gnomon_core::interval::Interval;
use gnomon_core::verdict::Simultaneous;

use super::{Reason, ReasonKind, Told, Variable, binds, unseen};
use crate::core::{AtomId, Edge, FormulaCore, Invariant, Node, Ratio, Reading};
use crate::formula::Fold;
use gnomon_core::value::Comparison;

pub(super) fn told(core: &FormulaCore, of: Variable<'_>, others: &[Variable<'_>]) -> Result<Told, Reason> {
    let idle = idle(core);
    for (number, node) in core.nodes.iter().enumerate() {
        sees_no_idle(node, &idle).map_err(|why| {
            let text = format!("it can tell whether there are events of other values of `{}`: {why}", of.name);
            Reason { kind: ReasonKind::CountsPositions, text, span: core.spans[number] }
        })?;
    }
    for other in others {
        if silent(core, *other) != Some(true) {
            return Err(unseen(of, *other, formula_span(core)));
        }
    }
    let invariants = match &core.reading {
        Reading::Invariants(invariants) => Some(invariants.as_slice()),
        Reading::Whole(_) => None,
    };
    if core.simultaneous == Simultaneous::Merge {
        merges(core, &idle, invariants)?;
    }
    let Some(invariants) = invariants else { return Ok(Told { first: true, last: true }) };
    let from_anywhere = |it: &Invariant| !it.strict && it.reach.lo == Interval::ANY.lo && it.reach.hi.is_none();
    Ok(Told { first: !invariants.iter().all(from_anywhere), last: invariants.iter().any(|it| looks_ahead(core, it)) })
}

fn looks_ahead(core: &FormulaCore, invariant: &Invariant) -> bool {
    core.looks_ahead(invariant.consequent) || invariant.antecedent.is_some_and(|edge| core.looks_ahead(edge))
}

fn formula_span(core: &FormulaCore) -> Span {
    core.span(core.formula.node)
}

/// For each node, what it is at idle positions, if it is always the same there.
fn idle(core: &FormulaCore) -> Vec<Option<bool>> {
    let mut idle: Vec<Option<bool>> = Vec::with_capacity(core.nodes.len());
    for node in &core.nodes {
        let value = match node {
            Node::True => Some(true),
            Node::Atom(_) => Some(false),
            Node::And(parts) => least(parts.iter().map(|part| of_edge(&idle, *part))),
            _ => None,
        };
        idle.push(value);
    }
    idle
}

fn of_edge(values: &[Option<bool>], edge: Edge) -> Option<bool> {
    values[edge.node.0 as usize].map(|value| value != edge.negated)
}

fn least(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for part in parts {
        match part {
            Some(false) => return Some(false),
            Some(true) => {}
            None => all = None,
        }
    }
    all
}

/// Why a node depends on idle positions.
fn sees_no_idle(node: &Node, idle: &[Option<bool>]) -> Result<(), &'static str> {
    let is = |edge: Edge, value| of_edge(idle, edge) == Some(value);
    match node {
        Node::True | Node::Atom(_) | Node::TimeAtLeast(_) | Node::And(_) | Node::Fold { .. } => Ok(()),
        Node::Until { left, right, .. } | Node::Since { left, right, .. } => {
            if !is(*right, false) {
                Err("what is looked for here may be found at such an event")
            } else if !is(*left, true) {
                Err("such an event in between breaks this")
            } else {
                Ok(())
            }
        }
        Node::Count { of, .. } | Node::Maximum { of, .. } if is(*of, false) => Ok(()),
        Node::Gap { from, to, .. } if is(*from, false) && is(*to, false) => Ok(()),
        Node::Count { .. } | Node::Maximum { .. } | Node::Gap { .. } => Err("such events may be counted here"),
        Node::InFuture { .. } => Err("this asks at the last event of some time, whatever event that is"),
        Node::Compare { .. } | Node::Each { .. } => Err("this is about the state that all events make together"),
    }
}

/// What the formula is where no event has the binding's value of this variable, whatever else happens.
fn silent(core: &FormulaCore, variable: Variable<'_>) -> Option<bool> {
    let never = |atom: AtomId| binds(&core.atoms[atom.0 as usize], variable.id);
    let mut values: Vec<Option<bool>> = Vec::with_capacity(core.nodes.len());
    for node in &core.nodes {
        let is_false = |edge: &Edge| of_edge(&values, *edge) == Some(false);
        let value = match node {
            Node::True => Some(true),
            Node::Atom(atom) if never(*atom) => Some(false),
            Node::And(parts) => least(parts.iter().map(|part| of_edge(&values, *part))),
            Node::Until { right, .. } | Node::Since { right, .. } if is_false(right) => Some(false),
            Node::Count { of, comparison, bound, .. } | Node::Maximum { of, comparison, bound, .. } if is_false(of) => {
                Some(of_none(*bound, *comparison))
            }
            Node::Gap { from, to, .. } if is_false(from) || is_false(to) => Some(false),
            Node::Fold { fold, measure, comparison, bound, .. } if never(core.measures[measure.0 as usize].atom) => {
                Some(*fold == Fold::Sum && of_none(*bound, *comparison))
            }
            _ => None,
        };
        values.push(value);
    }
    of_edge(&values, core.formula)
}

fn of_none(bound: Ratio, comparison: Comparison) -> bool {
    bound.compared_by(comparison, 0, 1)
}

/// Where events of one time are one position, one of another class may be the one that a violation is reported at, or that a
/// deadline is decided by: unless the present alone decides, and the position has an event of the antecedent to be named by.
fn merges(core: &FormulaCore, idle: &[Option<bool>], invariants: Option<&[Invariant]>) -> Result<(), Reason> {
    let named =
        |it: &Invariant| !looks_ahead(core, it) && it.antecedent.is_some_and(|edge| of_edge(idle, edge) == Some(false));
    if invariants.is_some_and(|invariants| invariants.iter().all(named)) {
        return Ok(());
    }
    let text = "it takes events of one time together, so an event of another value at the same time may be the one that decides: \
                `simultaneous sequence` takes each by itself"
        .to_owned();
    Err(Reason { kind: ReasonKind::Simultaneous, text, span: formula_span(core) })
}
