// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clock constraints as a graph: clocks are nodes, definitions and relations are edges.

use gnomon_ir::{ClockExpression, ClockId, ClockRelationOrigin, ClocksCore};

use crate::graph::{Graph, NodeShape};

/// Draws the clocks of a property: events as leaves, defined clocks with edges from the clocks that they use, relations with their signs.
pub fn clocks(core: &ClocksCore, title: &str) -> Graph {
    let mut graph = Graph { title: title.to_owned(), ..Graph::default() };
    let is_used = |clock: ClockId| {
        let by_definition = core.defined.iter().any(|other| other.expression.operands().any(|of| *of == clock));
        let written = core.relations.iter().filter(|one| one.origin != ClockRelationOrigin::PossibleEvent);
        by_definition || written.map(|one| &one.relation).any(|one| one.left == clock || one.right == clock)
    };
    let mut nodes = Vec::new();
    for clock in (0..core.clock_count() as u32).map(ClockId) {
        nodes.push(match core.definition(clock) {
            None if !is_used(clock) => usize::MAX,
            None => graph.node(NodeShape::Leaf, core.clock_name(clock)),
            Some(_) => graph.node(NodeShape::State, core.clock_name(clock)),
        });
    }
    let node = |clock: ClockId| nodes[clock.0 as usize];
    for (place, definition) in core.defined.iter().enumerate() {
        let own = ClockId((core.atoms.len() + place) as u32);
        let (first, second) = labels(&definition.expression);
        for (number, operand) in definition.expression.operands().enumerate() {
            graph.edge(node(*operand), node(own), if number == 0 { &first } else { second });
        }
    }
    for one in core.relations.iter().filter(|one| one.origin != ClockRelationOrigin::PossibleEvent) {
        let label = match one.origin {
            ClockRelationOrigin::Written => one.relation.kind.to_string(),
            ClockRelationOrigin::DeclaredEvent | ClockRelationOrigin::PossibleEvent => "= event".to_owned(),
        };
        graph.edge(node(one.relation.left), node(one.relation.right), &label);
    }
    graph.notes.push("boxes without a definition are events; an edge with a sign of a relation goes from its left to its right clock".to_owned());
    graph
}

/// Returns the labels of the edges from the first and from the second clock of a definition.
fn labels(expression: &ClockExpression<ClockId>) -> (String, &'static str) {
    let (first, second) = match expression {
        ClockExpression::Union(..) => ("+", "+"),
        ClockExpression::Intersection(..) => ("*", "*"),
        ClockExpression::Difference(..) => ("minuend of -", "subtrahend of -"),
        ClockExpression::Delay(_, by) => return (format!("$ {by}"), ""),
        ClockExpression::DelayOn { by, .. } => return (format!("$ {by}"), "on"),
        ClockExpression::Every { period, from, .. } => {
            return (format!("every {period} from {}", from.unwrap_or(*period)), "");
        }
        ClockExpression::Filter(_, word) => return (format!("filter {word}"), ""),
        ClockExpression::Sampled { strictly: false, .. } => ("sampled", "samples"),
        ClockExpression::Sampled { strictly: true, .. } => ("strictly sampled", "samples"),
        ClockExpression::UpTo(..) => ("upto", "ends it"),
        ClockExpression::Wait(_, number) => return (format!("wait {number}"), ""),
        ClockExpression::Then(..) => ("first", "then"),
        ClockExpression::Infimum(..) => ("inf", "inf"),
        ClockExpression::Supremum(..) => ("sup", "sup"),
    };
    (first.to_owned(), second)
}
