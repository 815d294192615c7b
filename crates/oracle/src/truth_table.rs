// SPDX-License-Identifier: MIT OR Apache-2.0
//! Evaluation of a formula: the value of every node at every known position, operands first.

use gnomon_core::{End, Simultaneous, Timestamp, Value};
use gnomon_ir::{AtomId, Edge, FormulaCore, FormulaNode, MeasureId, NodeId, Path, TermId};

use crate::each::ElementEvaluator;
use crate::known_prefix::{KnownPrefix, earliest_after};
use crate::term::{self, TermRow};
use crate::trace::{Position, Trace};
use crate::truth::Truth;
use crate::{atom, distinct, fold, operators, percentile};

/// Returns the truth value of an edge at a position of a trace that is complete or a prefix of a longer one.
/// Quantifiers are ignored: a variable matches any value. A position beyond the trace is unknown; but on an empty trace
/// the whole formula has a value, which holds at every position.
pub fn truth(core: &FormulaCore, trace: &Trace, edge: Edge, position: usize, end: End) -> Truth {
    let facts = Facts::new(core, trace, &[]);
    if facts.times.is_empty() && edge == core.formula {
        return truth_of_empty(core, end);
    }
    if position >= facts.times.len() {
        return Truth::Unknown;
    }
    TruthTable::new(core, &facts, facts.times.len(), facts.next(end)).truth(edge, position)
}

/// Returns the truth value of the whole formula on a trace without positions. A prefix without positions may stay empty
/// or get a first position: the value is known if it is the same for both.
// RULE V12
pub(crate) fn truth_of_empty(core: &FormulaCore, end: End) -> Truth {
    let if_empty = Truth::from(core.if_empty);
    let constant = match core.node(core.formula.node) {
        FormulaNode::True => Truth::from(!core.formula.negated),
        _ => Truth::Unknown,
    };
    if end == End::Complete || constant == if_empty { if_empty } else { Truth::Unknown }
}

/// Facts of the trace: times of its positions and true atoms.
pub(crate) struct Facts {
    pub(crate) positions: Vec<Position>,
    pub(crate) times: Vec<Timestamp>,
    /// Per atom, per position.
    pub(crate) atoms: Vec<Vec<Truth>>,
    /// Per measure, per position.
    measured: Vec<Vec<Vec<Value<'static>>>>,
    /// Per variable of the state, per position.
    pub(crate) states: Vec<Vec<Option<Value<'static>>>>,
    /// Per node: true if it looks ahead.
    pub(crate) waits: Vec<bool>,
    simultaneous: Simultaneous,
}

impl Facts {
    /// Computes the facts, where the variables have these values.
    pub(crate) fn new(core: &FormulaCore, trace: &Trace, binding: &[Value<'static>]) -> Facts {
        let positions = trace.positions(core.simultaneous);
        let events = |position: &Position| &trace.events()[position.events.clone()];
        let holds = |atom, position| Truth::from(atom::holds(atom, events(position), binding));
        let atoms = core.atoms.iter().map(|atom| positions.iter().map(|at| holds(atom, at)).collect()).collect();
        let measured = core.measures.iter().map(|measure| {
            let atom = &core.atoms[measure.atom.0 as usize];
            positions.iter().map(|at| fold::values(measure, atom, events(at), binding)).collect()
        });
        let times = positions.iter().map(|position| position.time).collect();
        let states = states(&core.variables, trace, &positions);
        let (waits, simultaneous) = (core.waits(), core.simultaneous);
        Facts { measured: measured.collect(), times, atoms, states, waits, simultaneous, positions }
    }

    /// The least time of a position after the first `known` ones.
    pub(crate) fn earliest_after(&self, known: usize) -> Timestamp {
        earliest_after(self.times[known - 1], self.simultaneous)
    }

    fn next(&self, end: End) -> Option<Timestamp> {
        (end == End::Prefix).then(|| self.earliest_after(self.times.len()))
    }
}

/// Returns, per variable and position, the latest value of the field of that name, if some event had it so far.
// RULE B1, B2
fn states(variables: &[String], trace: &Trace, positions: &[Position]) -> Vec<Vec<Option<Value<'static>>>> {
    let row = |name: &String| {
        let path = Path { field: name.clone(), steps: vec![] };
        let latest = |position: &Position| {
            let so_far = &trace.events()[..position.events.end];
            let assigned = trace.assigned(name, position.events.end);
            assigned.or_else(|| so_far.iter().rev().find_map(|event| event.at_path(&path))).cloned()
        };
        positions.iter().map(latest).collect()
    };
    variables.iter().map(row).collect()
}

/// Truth values of a formula over the known positions.
pub(crate) struct TruthTable {
    /// Per node, per known position.
    values: Vec<Vec<Truth>>,
    /// Per term, per known position; none before something compares it.
    pub(crate) terms: Vec<TermRow>,
}

impl TruthTable {
    /// Evaluates over the first `known` positions; another may stand at `next` or later, or none.
    pub(crate) fn new(core: &FormulaCore, facts: &Facts, known: usize, next: Option<Timestamp>) -> TruthTable {
        let view = KnownPrefix { times: &facts.times[..known], next };
        let mut table =
            TruthTable { values: Vec::with_capacity(core.nodes.len()), terms: vec![vec![]; core.terms.len()] };
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
    fn find(&mut self, core: &FormulaCore, TermId(id): TermId, facts: &Facts, view: &KnownPrefix<'_>) {
        let term = &core.terms[id as usize];
        for part in term.parts() {
            self.find(core, part, facts, view);
        }
        self.terms[id as usize] = term::row(term, self, facts, view);
    }

    pub(crate) fn truth(&self, edge: Edge, position: usize) -> Truth {
        let value = self.values[edge.node.0 as usize][position];
        if edge.negated { !value } else { value }
    }

    fn row(&self, core: &FormulaCore, id: NodeId, view: &KnownPrefix<'_>, facts: &Facts) -> Vec<Truth> {
        let positions = 0..view.times.len();
        let edge_row = |edge: Edge| -> Vec<Truth> { positions.clone().map(|at| self.truth(edge, at)).collect() };
        match core.node(id) {
            // RULE K1
            FormulaNode::True => vec![Truth::True; view.times.len()],
            FormulaNode::Atom(AtomId(id)) => facts.atoms[*id as usize][positions].to_vec(),
            FormulaNode::TimeAtLeast(least) => positions.map(|at| operators::time_at_least(view, *least, at)).collect(),
            FormulaNode::And(parts) => {
                positions.map(|at| operators::and(parts.iter().map(|part| self.truth(*part, at)))).collect()
            }
            FormulaNode::Until { interval, left, right } => {
                let (left, right) = (edge_row(*left), edge_row(*right));
                positions.map(|at| operators::until(view, *interval, &left, &right, at)).collect()
            }
            FormulaNode::Since { interval, left, right } => {
                let (left, right) = (edge_row(*left), edge_row(*right));
                positions.map(|at| operators::since(view, *interval, &left, &right, at)).collect()
            }
            FormulaNode::Count { reach, of, comparison, bound, .. } => {
                let of = edge_row(*of);
                let meets = |number, count| bound.compared_by(*comparison, number, count);
                positions.map(|at| operators::count(view, *reach, &of, &meets, at)).collect()
            }
            FormulaNode::Maximum { window, step, of, comparison, bound } => {
                let of = edge_row(*of);
                let meets = |number, count| bound.compared_by(*comparison, number, count);
                positions.map(|at| operators::maximum(view, (*window, *step), &of, &meets, at)).collect()
            }
            FormulaNode::Gap { reach, from, to, comparison, bound } => {
                let (from, to) = (edge_row(*from), edge_row(*to));
                let meets = |sum, count| bound.compared_by(*comparison, sum, count);
                positions.map(|at| operators::gap(view, *reach, (&from, &to), &meets, at)).collect()
            }
            FormulaNode::Compare { .. } | FormulaNode::Each { .. } => {
                let evaluator_at = |at| ElementEvaluator { core, facts, view, table: self, at };
                positions.map(|at| evaluator_at(at).truth(Edge { node: id, negated: false }, &[])).collect()
            }
            FormulaNode::InFuture { reach, of } => {
                let (of, ties) = (edge_row(*of), facts.simultaneous == Simultaneous::Sequence);
                positions.map(|at| operators::in_future(view, *reach, &of, ties, at)).collect()
            }
            FormulaNode::Fold { fold, measure: MeasureId(id), reach, comparison, bound } => {
                let values = facts.measured[*id as usize].as_slice();
                positions.map(|at| fold::truth(view, *reach, (*fold, values), *comparison, *bound, at)).collect()
            }
            FormulaNode::Percentile { percent, measure: MeasureId(id), reach, comparison, bound } => {
                let measured = (*percent, facts.measured[*id as usize].as_slice());
                positions.map(|at| percentile::truth(view, *reach, measured, *comparison, *bound, at)).collect()
            }
            FormulaNode::Distinct { measure: MeasureId(id), reach, comparison, bound } => {
                let values = facts.measured[*id as usize].as_slice();
                let meets = |number, count| bound.compared_by(*comparison, number, count);
                positions.map(|at| distinct::truth(view, *reach, values, &meets, at)).collect()
            }
        }
    }
}
