// SPDX-License-Identifier: MIT OR Apache-2.0
//! The operators that the engine runs for a formula, as a graph.

use gnomon_core::{Clock, Duration, Interval};
use gnomon_ir::core::{Edge, FormulaCore, FormulaNode, NodeId, Reporting};

use crate::graph::{Graph, NodeShape};

/// Draws a formula in kernel form; `source` is the text of its spec. What is decided by it stands above.
pub fn network(core: &FormulaCore, title: &str, source: &str) -> Graph {
    let graph = Graph { title: title.to_owned(), ..Graph::default() };
    let mut drawing = NetworkDrawing { core, source, nodes: vec![None; core.nodes.len()], graph };
    for quantifier in &core.prefix {
        let word = quantifier.kind.word();
        drawing.graph.notes.push(format!("{word} {}: a network for each value", quantifier.variable));
    }
    match &core.reporting {
        Reporting::Invariants(invariants) => {
            for invariant in invariants {
                let reach = interval(core.clock, invariant.reach);
                let nexts =
                    if invariant.nexts.is_empty() { String::new() } else { format!("X^{} ", invariant.nexts.len()) };
                let root =
                    drawing.graph.node(NodeShape::Accepting, &format!("account\n{nexts}in every position{reach}"));
                drawing.graph.nodes[root].initial = true;
                if let Some(antecedent) = invariant.antecedent {
                    drawing.part(root, antecedent, "when");
                }
                drawing.part(root, invariant.consequent, if invariant.antecedent.is_some() { "then" } else { "" });
            }
        }
        Reporting::Whole(_) => {
            let root = drawing.graph.node(NodeShape::Accepting, "account\nat the first position");
            drawing.graph.nodes[root].initial = true;
            drawing.part(root, core.formula, "");
        }
    }
    drawing.graph.notes.push("dashed: read from the trace; `not` on an edge costs nothing".to_owned());
    drawing.graph
}

struct NetworkDrawing<'a> {
    core: &'a FormulaCore,
    source: &'a str,
    nodes: Vec<Option<usize>>,
    graph: Graph,
}

impl NetworkDrawing<'_> {
    fn part(&mut self, above: usize, edge: Edge, role: &str) {
        let mut pending = vec![(above, edge, role.to_owned())];
        while let Some((above, Edge { node: id, negated }, role)) = pending.pop() {
            let known = self.nodes[id.0 as usize];
            let drawn = known.unwrap_or_else(|| {
                let (shape, text) = self.describe(id);
                self.graph.node(shape, &text)
            });
            self.nodes[id.0 as usize] = Some(drawn);
            let words = [role.as_str(), if negated { "not" } else { "" }];
            let text: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
            self.graph.edge(above, drawn, &text.join(" "));
            if known.is_none() {
                let node = self.core.node(id);
                let roles: &[&str] = match node {
                    FormulaNode::Until { .. } | FormulaNode::Since { .. } => &["meanwhile", "awaited"],
                    FormulaNode::Gap { .. } => &["from", "to"],
                    _ => &[],
                };
                let parts = self.core.parts(node);
                let parts = parts.into_iter().enumerate();
                pending.extend(parts.map(|(at, edge)| (drawn, edge, roles.get(at).copied().unwrap_or("").to_owned())));
            }
        }
    }

    fn describe(&self, id: NodeId) -> (NodeShape, String) {
        let core = self.core;
        let span = |reach: Duration| amount(core.clock, reach);
        let state = |text: String| (NodeShape::State, text);
        match core.node(id) {
            FormulaNode::True => (NodeShape::Leaf, "true".to_owned()),
            FormulaNode::Atom(atom) => (NodeShape::Leaf, core.atoms[atom.0 as usize].name.clone()),
            FormulaNode::TimeAtLeast(least) => (NodeShape::Leaf, format!("time >= {}", span(*least))),
            FormulaNode::Compare { .. } => (NodeShape::Leaf, core.span(id).text(self.source).to_owned()),
            FormulaNode::And(_) => state("and".to_owned()),
            FormulaNode::Until { interval: within, .. } => {
                state(format!("until\nahead{}", interval(core.clock, *within)))
            }
            FormulaNode::Since { interval: within, .. } => {
                state(format!("since\nback{}", interval(core.clock, *within)))
            }
            FormulaNode::Count { reach, comparison, bound, .. } => state(format!(
                "count {comparison} {}\nback [0,{}]",
                ratio(bound.numerator, bound.denominator),
                span(*reach)
            )),
            FormulaNode::Maximum { window, step, comparison, bound, .. } => {
                let bound = ratio(bound.numerator, bound.denominator);
                state(format!("most in a step {comparison} {bound}\nsteps of {} in {}", span(*step), span(*window)))
            }
            FormulaNode::Gap { reach, comparison, bound, .. } => {
                let bound = ratio(bound.numerator, bound.denominator * core.clock.ticks_per_unit());
                state(format!("mean distance {comparison} {bound}\nback [0,{}]", span(*reach)))
            }
            FormulaNode::InFuture { reach, .. } => {
                state(format!("in the future\nlast position ahead [0,{}]", span(*reach)))
            }
            FormulaNode::Each { .. } => state(format!("each\n{}", core.span(id).text(self.source))),
            FormulaNode::Fold { fold, reach, comparison, bound, .. } => {
                let bound = ratio(bound.numerator, bound.denominator);
                state(format!("{} {comparison} {bound}\nback [0,{}]", fold.word(), span(*reach)))
            }
            FormulaNode::Percentile { percent, reach, comparison, bound, .. } => {
                let bound = ratio(bound.numerator, bound.denominator);
                state(format!("p{percent} {comparison} {bound}\nback [0,{}]", span(*reach)))
            }
            FormulaNode::Distinct { reach, comparison, bound, .. } => {
                let bound = ratio(bound.numerator, bound.denominator);
                state(format!("distinct {comparison} {bound}\nback [0,{}]", span(*reach)))
            }
        }
    }
}

fn ratio(above: i128, below: i128) -> String {
    let divisor = gcd(above.unsigned_abs(), below.unsigned_abs()).max(1).cast_signed();
    match (above / divisor, below / divisor) {
        (above, 1) => above.to_string(),
        (above, below) => format!("{above}/{below}"),
    }
}

fn gcd(left: u128, right: u128) -> u128 {
    if right == 0 { left } else { gcd(right, left % right) }
}

/// ` [2,5)`, or nothing where every distance will do.
fn interval(clock: Clock, interval: Interval) -> String {
    let is_near = interval.lo <= Duration::from_ticks(1);
    match interval.written_hi() {
        None if is_near => String::new(),
        None => format!(" [{},inf)", amount(clock, interval.lo)),
        Some(hi) => {
            let close = if interval.open_above { ')' } else { ']' };
            let open = if interval.lo == Duration::from_ticks(1) {
                "(0".to_owned()
            } else {
                format!("[{}", amount(clock, interval.lo))
            };
            format!(" {open},{}{close}", clock.print_duration(hi))
        }
    }
}

/// An amount of time; an open end, which is one tick off what was written, as it was written.
fn amount(clock: Clock, duration: Duration) -> String {
    let near = [0, 1, -1].map(|by| clock.print_duration(Duration::from_ticks(duration.ticks().saturating_add(by))));
    near.into_iter().min_by_key(String::len).unwrap_or_default()
}
