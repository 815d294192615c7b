// SPDX-License-Identifier: MIT OR Apache-2.0
//! Partition analysis of temporal formulae: independence of idle positions.
//!
//! For one value of the key, the events of all other classes are *idle* positions: no atom is true there. The value of
//! the formula at the other positions must not depend on them. Two conditions ensure that for each temporal operator:
//! the operand it searches for is false at idle positions, so no witness is found there; the operand that must hold in
//! between is true there, so no idle position breaks it. Violations then occur at positions of the class, and are
//! decided by its events or by the passing of time.
//!
//! Example: in `F b(x)` the searched operand `b(x)` is false at idle positions, the operator passes. In `a(x) U b(x)`
//! the operand `a(x)` must hold in between but is false at idle positions: the operator fails.

use gnomon_core::list::all_true;
use gnomon_core::{Comparison, Interval, Simultaneous, Span};

use super::{KeyCandidate, PartitionReason, PartitionReasonKind, RequiredBounds, binds, unseen_combination};
use crate::{AtomId, Edge, Fold, FormulaCore, FormulaNode, Invariant, Ratio, Reporting};

pub(super) fn required_bounds(
    core: &FormulaCore,
    of: KeyCandidate<'_>,
    others: &[KeyCandidate<'_>],
) -> Result<RequiredBounds, PartitionReason> {
    let idle = idle(core);
    for (number, node) in core.nodes.iter().enumerate() {
        sees_no_idle(node, &idle).map_err(|why| {
            let text = format!("its verdict depends on events of other values of `{}`: {why}", of.name);
            PartitionReason { kind: PartitionReasonKind::CountsPositions, text, span: core.spans[number] }
        })?;
    }
    for other in others {
        if silent(core, *other) != Some(true) {
            return Err(unseen_combination(of, *other, formula_span(core)));
        }
    }
    let invariants = match &core.reporting {
        Reporting::Invariants(invariants) => Some(invariants.as_slice()),
        Reporting::Whole(_) => None,
    };
    if core.simultaneous == Simultaneous::Merge {
        merges(core, &idle, invariants)?;
    }
    let Some(invariants) = invariants else { return Ok(RequiredBounds { first: true, last: true }) };
    let from_anywhere = |it: &Invariant| !it.strict && it.reach.lo == Interval::ANY.lo && it.reach.hi.is_none();
    Ok(RequiredBounds {
        first: !invariants.iter().all(from_anywhere),
        last: invariants.iter().any(|it| looks_ahead(core, it)),
    })
}

fn looks_ahead(core: &FormulaCore, invariant: &Invariant) -> bool {
    core.looks_ahead(invariant.consequent) || invariant.antecedent.is_some_and(|edge| core.looks_ahead(edge))
}

fn formula_span(core: &FormulaCore) -> Span {
    core.span(core.formula.node)
}

/// Returns the value of each node at idle positions, if it is constant there.
fn idle(core: &FormulaCore) -> Vec<Option<bool>> {
    let mut idle: Vec<Option<bool>> = Vec::with_capacity(core.nodes.len());
    for node in &core.nodes {
        let value = match node {
            FormulaNode::True => Some(true),
            FormulaNode::Atom(_) => Some(false),
            FormulaNode::And(parts) => all_true(parts.iter().map(|part| of_edge(&idle, *part))),
            _ => None,
        };
        idle.push(value);
    }
    idle
}

fn of_edge(values: &[Option<bool>], edge: Edge) -> Option<bool> {
    values[edge.node.0 as usize].map(|value| value != edge.negated)
}

/// Checks that a node does not depend on the presence of idle positions.
fn sees_no_idle(node: &FormulaNode, idle: &[Option<bool>]) -> Result<(), &'static str> {
    let is = |edge: Edge, value| of_edge(idle, edge) == Some(value);
    match node {
        FormulaNode::True
        | FormulaNode::Atom(_)
        | FormulaNode::TimeAtLeast(_)
        | FormulaNode::And(_)
        | FormulaNode::Fold { .. }
        | FormulaNode::Percentile { .. }
        | FormulaNode::Distinct { .. } => Ok(()),
        FormulaNode::Until { left, right, .. } | FormulaNode::Since { left, right, .. } => {
            if !is(*right, false) {
                Err("the operand may be true at such an event")
            } else if !is(*left, true) {
                Err("such an event in between breaks this")
            } else {
                Ok(())
            }
        }
        FormulaNode::Count { of, .. } | FormulaNode::Maximum { of, .. } if is(*of, false) => Ok(()),
        FormulaNode::Gap { from, to, .. } if is(*from, false) && is(*to, false) => Ok(()),
        FormulaNode::Count { .. } | FormulaNode::Maximum { .. } | FormulaNode::Gap { .. } => {
            Err("such events may be counted here")
        }
        FormulaNode::InFuture { .. } => Err("this is evaluated at the last event of a period, whichever event that is"),
        FormulaNode::Compare { .. } | FormulaNode::Each { .. } => {
            Err("this is about the state that all events produce together")
        }
    }
}

/// Returns the value of the formula on traces where no event has the binding's value of this variable, if that is
/// always the same.
fn silent(core: &FormulaCore, variable: KeyCandidate<'_>) -> Option<bool> {
    let never = |atom: AtomId| binds(&core.atoms[atom.0 as usize], variable.id);
    let mut values: Vec<Option<bool>> = Vec::with_capacity(core.nodes.len());
    for node in &core.nodes {
        let is_false = |edge: &Edge| of_edge(&values, *edge) == Some(false);
        let value = match node {
            FormulaNode::True => Some(true),
            FormulaNode::Atom(atom) if never(*atom) => Some(false),
            FormulaNode::And(parts) => all_true(parts.iter().map(|part| of_edge(&values, *part))),
            FormulaNode::Until { right, .. } | FormulaNode::Since { right, .. } if is_false(right) => Some(false),
            FormulaNode::Count { of, comparison, bound, .. } | FormulaNode::Maximum { of, comparison, bound, .. }
                if is_false(of) =>
            {
                Some(of_none(*bound, *comparison))
            }
            FormulaNode::Gap { from, to, .. } if is_false(from) || is_false(to) => Some(false),
            FormulaNode::Fold { fold, measure, comparison, bound, .. }
                if never(core.measures[measure.0 as usize].atom) =>
            {
                Some(*fold == Fold::Sum && of_none(*bound, *comparison))
            }
            FormulaNode::Percentile { measure, .. } if never(core.measures[measure.0 as usize].atom) => Some(false),
            FormulaNode::Distinct { measure, comparison, bound, .. }
                if never(core.measures[measure.0 as usize].atom) =>
            {
                Some(of_none(*bound, *comparison))
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

/// Checks properties that merge events of equal times. There, an event of another class may be the one at which a
/// violation is reported or a deadline decided. That is harmless only if the present position decides and has an event
/// of the antecedent to name it by.
fn merges(core: &FormulaCore, idle: &[Option<bool>], invariants: Option<&[Invariant]>) -> Result<(), PartitionReason> {
    let named =
        |it: &Invariant| !looks_ahead(core, it) && it.antecedent.is_some_and(|edge| of_edge(idle, edge) == Some(false));
    if invariants.is_some_and(|invariants| invariants.iter().all(named)) {
        return Ok(());
    }
    let text = "it merges events of one time, so an event of another value at the same time may decide: \
                `simultaneous sequence` keeps them apart"
        .to_owned();
    Err(PartitionReason { kind: PartitionReasonKind::Simultaneous, text, span: formula_span(core) })
}
