// SPDX-License-Identifier: MIT OR Apache-2.0
//! The operators that the engine runs for a formula, as a graph.

use gnomon_core::interval::Interval;
use gnomon_core::time::{Clock, Duration};
use gnomon_ir::core::{Edge, FormulaCore, Node, NodeId, Reading};
use gnomon_ir::spec::QuantifierKind;

use crate::graph::{Graph, Shape};

/// Draws a formula in kernel form; `source` is the text of its spec. What is decided by it stands above.
pub fn network(core: &FormulaCore, title: &str, source: &str) -> Graph {
    let graph = Graph { title: title.to_owned(), ..Graph::default() };
    let mut drawing = Drawing { core, source, nodes: vec![None; core.nodes.len()], graph };
    for quantifier in &core.prefix {
        let word = match quantifier.kind {
            QuantifierKind::Forall => "forall",
            QuantifierKind::Exists => "exists",
        };
        drawing.graph.notes.push(format!("{word} {}: a network for each value", quantifier.variable));
    }
    match &core.reading {
        Reading::Invariants(invariants) => {
            for invariant in invariants {
                let reach = interval(core.clock, invariant.reach);
                let nexts =
                    if invariant.nexts.is_empty() { String::new() } else { format!("X^{} ", invariant.nexts.len()) };
                let root = drawing.graph.node(Shape::Accepting, &format!("account\n{nexts}in every position{reach}"));
                drawing.graph.nodes[root].initial = true;
                if let Some(antecedent) = invariant.antecedent {
                    drawing.part(root, antecedent, "when");
                }
                drawing.part(root, invariant.consequent, if invariant.antecedent.is_some() { "then" } else { "" });
            }
        }
        Reading::Whole(_) => {
            let root = drawing.graph.node(Shape::Accepting, "account\nat the first position");
            drawing.graph.nodes[root].initial = true;
            drawing.part(root, core.formula, "");
        }
    }
    drawing.graph.notes.push("dashed: read from the trace; `not` on an edge costs nothing".to_owned());
    drawing.graph
}

struct Drawing<'a> {
    core: &'a FormulaCore,
    source: &'a str,
    nodes: Vec<Option<usize>>,
    graph: Graph,
}

impl Drawing<'_> {
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
                    Node::Until { .. } | Node::Since { .. } => &["meanwhile", "awaited"],
                    Node::Gap { .. } => &["from", "to"],
                    _ => &[],
                };
                let parts = self.core.parts(node);
                let parts = parts.into_iter().enumerate();
                pending.extend(parts.map(|(at, edge)| (drawn, edge, roles.get(at).copied().unwrap_or("").to_owned())));
            }
        }
    }

    fn describe(&self, id: NodeId) -> (Shape, String) {
        let core = self.core;
        let span = |reach: Duration| amount(core.clock, reach);
        let state = |text: String| (Shape::State, text);
        match core.node(id) {
            Node::True => (Shape::Leaf, "true".to_owned()),
            Node::Atom(atom) => (Shape::Leaf, core.atoms[atom.0 as usize].name.clone()),
            Node::TimeAtLeast(least) => (Shape::Leaf, format!("time >= {}", span(*least))),
            Node::Compare { .. } => (Shape::Leaf, core.span(id).text(self.source).to_owned()),
            Node::And(_) => state("and".to_owned()),
            Node::Until { interval: within, .. } => state(format!("until\nahead{}", interval(core.clock, *within))),
            Node::Since { interval: within, .. } => state(format!("since\nback{}", interval(core.clock, *within))),
            Node::Count { reach, comparison, bound, .. } => state(format!(
                "count {comparison} {}\nback [0,{}]",
                ratio(bound.numerator, bound.denominator),
                span(*reach)
            )),
            Node::Maximum { window, step, comparison, bound, .. } => {
                let bound = ratio(bound.numerator, bound.denominator);
                state(format!("most in a step {comparison} {bound}\nsteps of {} in {}", span(*step), span(*window)))
            }
            Node::Gap { reach, comparison, bound, .. } => {
                let bound = ratio(bound.numerator, bound.denominator * core.clock.ticks_per_unit());
                state(format!("mean distance {comparison} {bound}\nback [0,{}]", span(*reach)))
            }
            Node::InFuture { reach, .. } => state(format!("in the future\nlast position ahead [0,{}]", span(*reach))),
            Node::Each { .. } => state(format!("each\n{}", core.span(id).text(self.source))),
            Node::Fold { fold, reach, comparison, bound, .. } => {
                let bound = ratio(bound.numerator, bound.denominator);
                state(format!("{} {comparison} {bound}\nback [0,{}]", fold.word(), span(*reach)))
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
