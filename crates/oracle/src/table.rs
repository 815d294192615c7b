// SPDX-License-Identifier: MIT OR Apache-2.0
//! The value of every node at every known position, children first.

use gnomon_core::number::Number;
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::{End, Simultaneous};
use gnomon_ir::core::{AtomId, Edge, FormulaCore, MeasureId, Node, NodeId, TermCore, TermId};

use crate::each::Spot;
use crate::term::{self, Row};
use crate::trace::{Position, Trace};
use crate::truth::Truth;
use crate::view::{View, earliest_after};
use crate::{and, atom, count, empty, fold, gap, in_future, maximum, since, state, time_at_least, until};

/// What is known of an edge at a position of the trace, which is complete or the beginning of a longer one. Quantifiers
/// are left out: a variable stands for any value. A position that the trace does not have is unknown; but an empty trace
/// has a value for the whole formula, and that stands at every position.
pub fn truth(core: &FormulaCore, trace: &Trace, edge: Edge, position: usize, end: End) -> Truth {
    let facts = Facts::new(core, trace, &[]);
    if facts.times.is_empty() && edge == core.formula {
        return empty::truth(core, end);
    }
    if position >= facts.times.len() {
        return Truth::Unknown;
    }
    Table::new(core, &facts, facts.times.len(), facts.next(end)).truth(edge, position)
}

/// What the trace itself says: when its positions are, and which atoms are true there.
pub(crate) struct Facts {
    pub(crate) positions: Vec<Position>,
    pub(crate) times: Vec<Timestamp>,
    /// Per atom, per position.
    pub(crate) atoms: Vec<Vec<Truth>>,
    /// Per measure, per position.
    numbers: Vec<Vec<Vec<Number>>>,
    /// Per variable of the state, per position.
    pub(crate) states: Vec<Vec<Option<Value<'static>>>>,
    /// Per node, whether it looks ahead.
    pub(crate) waits: Vec<bool>,
    simultaneous: Simultaneous,
}

impl Facts {
    /// Where the variables have these values.
    pub(crate) fn new(core: &FormulaCore, trace: &Trace, binding: &[Value<'static>]) -> Facts {
        let positions = trace.positions(core.simultaneous);
        let events = |position: &Position| &trace.events()[position.events.clone()];
        let holds = |atom, position| Truth::from(atom::holds(atom, events(position), binding));
        let atoms = core.atoms.iter().map(|atom| positions.iter().map(|at| holds(atom, at)).collect()).collect();
        let numbers = core.measures.iter().map(|measure| {
            let atom = &core.atoms[measure.atom.0 as usize];
            positions.iter().map(|at| fold::numbers(measure, atom, events(at), binding)).collect()
        });
        let times = positions.iter().map(|position| position.time).collect();
        let states = state::states(&core.variables, trace, &positions);
        let (waits, simultaneous) = (core.waits(), core.simultaneous);
        Facts { numbers: numbers.collect(), times, atoms, states, waits, simultaneous, positions }
    }

    /// The least time of a position after the first `known` ones.
    pub(crate) fn earliest_after(&self, known: usize) -> Timestamp {
        earliest_after(self.times[known - 1], self.simultaneous)
    }

    fn next(&self, end: End) -> Option<Timestamp> {
        (end == End::Prefix).then(|| self.earliest_after(self.times.len()))
    }
}

pub(crate) struct Table {
    /// Per node, per known position.
    values: Vec<Vec<Truth>>,
    /// Per term, per known position; none before something compares it.
    pub(crate) terms: Vec<Row>,
}

impl Table {
    /// Evaluates over the first `known` positions; another may stand at `next` or later, or none.
    pub(crate) fn new(core: &FormulaCore, facts: &Facts, known: usize, next: Option<Timestamp>) -> Table {
        let view = View { times: &facts.times[..known], next };
        let mut table = Table { values: Vec::with_capacity(core.nodes.len()), terms: vec![vec![]; core.terms.len()] };
        for (id, node) in (0..).map(NodeId).zip(&core.nodes) {
            for term in node.terms() {
                table.find(core, term, facts, &view);
            }
            let row = table.row(core, id, &view, facts);
            table.values.push(row);
        }
        table
    }

    /// Finds the values of a term, those of its parts first.
    fn find(&mut self, core: &FormulaCore, TermId(id): TermId, facts: &Facts, view: &View<'_>) {
        let term = &core.terms[id as usize];
        match term {
            TermCore::Operation(_, left, right) => {
                self.find(core, *left, facts, view);
                self.find(core, *right, facts, view);
            }
            TermCore::Past { of, .. } | TermCore::Fold { of, .. } => self.find(core, *of, facts, view),
            _ => {}
        }
        self.terms[id as usize] = term::row(term, self, facts, view);
    }

    pub(crate) fn truth(&self, edge: Edge, position: usize) -> Truth {
        let value = self.values[edge.node.0 as usize][position];
        if edge.negated { !value } else { value }
    }

    fn row(&self, core: &FormulaCore, id: NodeId, view: &View<'_>, facts: &Facts) -> Vec<Truth> {
        let positions = 0..view.times.len();
        let edge_row = |edge: Edge| -> Vec<Truth> { positions.clone().map(|at| self.truth(edge, at)).collect() };
        match core.node(id) {
            // RULE K1
            Node::True => vec![Truth::True; view.times.len()],
            Node::Atom(AtomId(id)) => facts.atoms[*id as usize][positions].to_vec(),
            Node::TimeAtLeast(least) => positions.map(|at| time_at_least::truth(view, *least, at)).collect(),
            Node::And(parts) => {
                positions.map(|at| and::truth(parts.iter().map(|part| self.truth(*part, at)))).collect()
            }
            Node::Until { interval, left, right } => {
                let (left, right) = (edge_row(*left), edge_row(*right));
                positions.map(|at| until::truth(view, *interval, &left, &right, at)).collect()
            }
            Node::Since { interval, left, right } => {
                let (left, right) = (edge_row(*left), edge_row(*right));
                positions.map(|at| since::truth(view, *interval, &left, &right, at)).collect()
            }
            Node::Count { reach, of, comparison, bound } => {
                let of = edge_row(*of);
                positions.map(|at| count::truth(view, *reach, &of, *comparison, *bound, at)).collect()
            }
            Node::Maximum { window, step, of, comparison, bound } => {
                let of = edge_row(*of);
                positions.map(|at| maximum::truth(view, (*window, *step), &of, *comparison, *bound, at)).collect()
            }
            Node::Gap { reach, from, to, comparison, bound } => {
                let (from, to) = (edge_row(*from), edge_row(*to));
                positions.map(|at| gap::truth(view, *reach, (&from, &to), *comparison, *bound, at)).collect()
            }
            Node::Compare { .. } | Node::Each { .. } => {
                let spot = |at| Spot { core, facts, view, table: self, at };
                positions.map(|at| spot(at).truth(Edge { node: id, negated: false }, &[])).collect()
            }
            Node::InFuture { reach, of } => {
                let (of, ties) = (edge_row(*of), facts.simultaneous == Simultaneous::Sequence);
                positions.map(|at| in_future::truth(view, *reach, &of, ties, at)).collect()
            }
            Node::Fold { fold, measure: MeasureId(id), reach, comparison, bound } => {
                let numbers = facts.numbers[*id as usize].as_slice();
                positions.map(|at| fold::truth(view, *reach, (*fold, numbers), *comparison, *bound, at)).collect()
            }
        }
    }
}
