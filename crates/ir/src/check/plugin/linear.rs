// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lowers formulae of linear temporal logic: derived operators are removed, equal parts are one node.

use gnomon_core::Diagnostic;
use gnomon_core::list::unique;
use rustc_hash::FxHashMap;

use super::Checker;
use crate::{Edge, LetterCore, LetterId, Linear, LinearBinary, LinearCore, LinearNode, LinearUnary, NodeId};

impl Checker<'_> {
    // RULE L9, L11
    pub(super) fn linear(&mut self, formula: &Linear, letters: &[LetterCore], past_only: bool) -> LinearCore {
        let mut nodes = LinearNodes::default();
        nodes.add(LinearNode::True);
        let root = self.linear_part(formula, letters, past_only, &mut nodes);
        LinearCore { nodes: nodes.list, root }
    }

    fn linear_part(
        &mut self,
        formula: &Linear,
        letters: &[LetterCore],
        past_only: bool,
        nodes: &mut LinearNodes,
    ) -> Edge {
        match formula {
            Linear::Constant(value) => Edge { negated: !value, ..Edge::TRUE },
            Linear::Event(event) => {
                let letter = self.letter(event, letters).unwrap_or(LetterId(0));
                nodes.add(LinearNode::Letter(letter))
            }
            Linear::Not(of) => !self.linear_part(of, letters, past_only, nodes),
            Linear::Unary(operator, of) => {
                if past_only && operator.is_future() {
                    self.future_in_past(operator.word(), of);
                }
                let of = self.linear_part(of, letters, past_only, nodes);
                nodes.unary(*operator, of)
            }
            Linear::Binary(operator, left, right) => {
                if past_only && operator.is_future() {
                    self.future_in_past(operator.word(), left);
                }
                let left = self.linear_part(left, letters, past_only, nodes);
                let right = self.linear_part(right, letters, past_only, nodes);
                nodes.binary(*operator, left, right)
            }
        }
    }

    /// Reports an operator of the future in a formula of the past. Operators have no places; the event inside them does.
    fn future_in_past(&mut self, word: &str, of: &Linear) {
        let mut first = None;
        of.each_event(&mut |event| {
            first.get_or_insert(event.span);
        });
        self.diagnostics.push(
            Diagnostic::error("G0336", first.unwrap_or_default(), format!("`{word}` looks into the future"))
                .label("`ptltl` has operators of the past only")
                .help("write the body as `ltl`, or use `(*)`, `<*>`, `[*]` and `S`"),
        );
    }
}

impl LinearUnary {
    /// Returns true if the operator looks at later positions.
    pub const fn is_future(self) -> bool {
        matches!(self, LinearUnary::Always | LinearUnary::Eventually | LinearUnary::Next | LinearUnary::WeakNext)
    }
}

impl LinearBinary {
    /// Returns true if the operator looks at later positions.
    pub const fn is_future(self) -> bool {
        matches!(self, LinearBinary::Until | LinearBinary::WeakUntil | LinearBinary::Release | LinearBinary::DualUntil)
    }
}

#[derive(Default)]
struct LinearNodes {
    ids: FxHashMap<LinearNode, NodeId>,
    list: Vec<LinearNode>,
}

impl LinearNodes {
    fn add(&mut self, node: LinearNode) -> Edge {
        let next = NodeId(u32::try_from(self.list.len()).expect("the parser bounds the size of a formula"));
        let id = *self.ids.entry(node.clone()).or_insert(next);
        if id == next {
            self.list.push(node);
        }
        Edge { node: id, negated: false }
    }

    fn and(&mut self, left: Edge, right: Edge) -> Edge {
        let parts: Vec<Edge> = unique([left, right].into_iter().filter(|edge| *edge != Edge::TRUE));
        match parts.as_slice() {
            [] => Edge::TRUE,
            _ if parts.iter().any(|edge| *edge == !Edge::TRUE || parts.contains(&!*edge)) => !Edge::TRUE,
            [only] => *only,
            _ => self.add(LinearNode::And(parts)),
        }
    }

    // RULE L10
    fn unary(&mut self, operator: LinearUnary, of: Edge) -> Edge {
        match operator {
            LinearUnary::Eventually => self.add(LinearNode::Until(Edge::TRUE, of)),
            LinearUnary::Always => !self.add(LinearNode::Until(Edge::TRUE, !of)),
            LinearUnary::Once => self.add(LinearNode::Since(Edge::TRUE, of)),
            LinearUnary::Historically => !self.add(LinearNode::Since(Edge::TRUE, !of)),
            LinearUnary::Next => self.add(LinearNode::Next(of)),
            LinearUnary::WeakNext => !self.add(LinearNode::Next(!of)),
            LinearUnary::Previous => self.add(LinearNode::Previous(of)),
            LinearUnary::WeakPrevious => !self.add(LinearNode::Previous(!of)),
        }
    }

    // RULE L10
    fn binary(&mut self, operator: LinearBinary, left: Edge, right: Edge) -> Edge {
        match operator {
            LinearBinary::And => self.and(left, right),
            LinearBinary::Or => !self.and(!left, !right),
            LinearBinary::Implies => !self.and(left, !right),
            LinearBinary::Iff => !self.xor(left, right),
            LinearBinary::Xor => self.xor(left, right),
            LinearBinary::Until => self.add(LinearNode::Until(left, right)),
            LinearBinary::Since => self.add(LinearNode::Since(left, right)),
            LinearBinary::Release | LinearBinary::DualUntil => !self.add(LinearNode::Until(!left, !right)),
            LinearBinary::DualSince => !self.add(LinearNode::Since(!left, !right)),
            LinearBinary::WeakUntil => {
                let neither = self.and(!left, !right);
                !self.add(LinearNode::Until(!right, neither))
            }
        }
    }

    fn xor(&mut self, left: Edge, right: Edge) -> Edge {
        let both = self.and(left, right);
        let neither = self.and(!left, !right);
        self.and(!both, !neither)
    }
}
