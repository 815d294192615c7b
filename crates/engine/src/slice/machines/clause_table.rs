// SPDX-License-Identifier: MIT OR Apache-2.0
//! Untimed obligations as tables: formula progression, computed in advance.
//!
//! The consequent of a clause, without bounds and past operators, is at each position a Boolean function of the values that its
//! Untils have there. The function of n Untils is a truth table of 2^n bits. A position rewrites it: `x U y` is true where y is,
//! false where neither x nor y is, and stays `x U y` otherwise. The functions that can arise are the *residuals* of the clause;
//! they are numbered, and the rewriting is a table from a residual and a set of atoms to the next residual.
//!
//! Example: `G !next` is `!(true U next)`, with one Until. Its residuals are false, true and `!u`. A position without `next`
//! leaves `!u`, one with `next` makes it false.
//!
//! The verdict is known as soon as the truth table is constant. Three-valued evaluation of the operator network finds it at the
//! same position only if no Until occurs both positively and negatively. Other formulae are left to the network.

use gnomon_core::interval::Interval;
use gnomon_ir::core::{Edge, FormulaCore, FormulaNode, Invariant, NodeId, Reporting};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most Untils of one consequent, so that a truth table is one word.
const MOST_UNTILS: usize = 6;
/// The most atoms: there is a column for each set of them.
pub(super) const MOST_ATOMS: usize = 8;
/// The most states.
const MOST_STATES: usize = 250;

/// The number of a residual: the formula that must still hold.
pub(crate) type Residual = u8;

/// The residual of an obligation that is met. Residual 0 is false: the obligation is violated.
pub(crate) const TRUE: Residual = 1;

/// One `G(a -> b)`.
#[derive(Clone, Debug)]
pub(crate) struct ClauseTable {
    /// For each set of atoms, true if it activates the clause.
    pub(crate) activates: Vec<bool>,
    /// For each set of atoms, the residual of an obligation that such a position activates.
    open: Vec<Residual>,
    /// For each residual and set of atoms, the residual after such a position.
    step: Vec<Residual>,
    /// For each residual, true if it holds when no more events come.
    pub(crate) met_at_end: Vec<bool>,
    letters: usize,
    pub(crate) consequent: gnomon_core::diagnostic::Span,
    pub(crate) takes_time: bool,
}

impl ClauseTable {
    #[inline]
    pub(crate) fn open(&self, letter: usize) -> Residual {
        self.open[letter]
    }

    #[inline]
    pub(crate) fn step(&self, state: Residual, letter: usize) -> Residual {
        self.step[state as usize * self.letters + letter]
    }
}

/// Returns the tables of the clauses; `None` if the property does not have the form.
pub(crate) fn tables(core: &FormulaCore) -> Option<Vec<ClauseTable>> {
    let Reporting::Invariants(invariants) = &core.reporting else { return None };
    if core.atoms.len() > MOST_ATOMS {
        return None;
    }
    invariants.iter().map(|invariant| TableBuilder::new(core, invariant)?.build(invariant)).collect()
}

/// Returns for each node whether its value at a position depends on nothing but the position's atoms.
pub(super) fn booleans(core: &FormulaCore) -> Vec<bool> {
    let mut known: Vec<bool> = Vec::with_capacity(core.nodes.len());
    for node in &core.nodes {
        known.push(match node {
            FormulaNode::True | FormulaNode::Atom(_) => true,
            FormulaNode::And(parts) => parts.iter().all(|part| known[part.node.0 as usize]),
            _ => false,
        });
    }
    known
}

/// The values of all nodes at one position.
pub(super) struct NodeValues(Vec<bool>);

impl NodeValues {
    /// Evaluates a position with the atoms of `letter`. Nodes that depend on more than atoms have the values of `others`.
    pub(super) fn new(core: &FormulaCore, letter: usize, others: impl Fn(NodeId) -> bool) -> Self {
        let mut values = NodeValues(Vec::with_capacity(core.nodes.len()));
        for (id, node) in (0..).map(NodeId).zip(&core.nodes) {
            let value = match node {
                FormulaNode::True => true,
                FormulaNode::Atom(atom) => letter >> atom.0 & 1 == 1,
                FormulaNode::And(parts) => parts.iter().all(|part| values.of(*part)),
                _ => others(id),
            };
            values.0.push(value);
        }
        values
    }

    pub(super) fn of(&self, edge: Edge) -> bool {
        self.0[edge.node.0 as usize] != edge.negated
    }
}

struct TableBuilder<'a> {
    core: &'a FormulaCore,
    /// The Untils of the consequent.
    untils: Vec<NodeId>,
    numbers: FxHashMap<u64, Residual>,
    functions: Vec<u64>,
}

/// The effect of a set of atoms, for each choice of values of the Untils at the same position.
struct LetterEffect {
    activates: bool,
    /// The truth table of the consequent.
    consequent: u64,
    /// The values of the Untils one position earlier.
    before: Vec<usize>,
}

impl<'a> TableBuilder<'a> {
    fn new(core: &'a FormulaCore, invariant: &Invariant) -> Option<Self> {
        let everywhere = invariant.nexts.is_empty() && invariant.reach == Interval::ANY && !invariant.strict;
        let antecedent = invariant.antecedent?;
        let mut builder = TableBuilder { core, untils: vec![], numbers: FxHashMap::default(), functions: vec![] };
        let boolean = booleans(core)[antecedent.node.0 as usize];
        let fits = everywhere && boolean && builder.collect(invariant.consequent);
        (fits && !builder.untils.is_empty() && builder.untils.len() <= MOST_UNTILS).then_some(builder)
    }

    /// Collects the Untils. Returns false if there are other operators, or an Until that occurs positively and negatively.
    fn collect(&mut self, consequent: Edge) -> bool {
        let mut visited: FxHashSet<Edge> = FxHashSet::default();
        let mut pending = vec![consequent];
        while let Some(edge) = pending.pop() {
            if !visited.insert(edge) {
                continue;
            }
            let below = |part: Edge| if edge.negated { !part } else { part };
            match self.core.node(edge.node) {
                FormulaNode::True | FormulaNode::Atom(_) => {}
                FormulaNode::And(parts) => pending.extend(parts.iter().rev().map(|part| below(*part))),
                FormulaNode::Until { interval, left, right } => {
                    if *interval != Interval::ANY || visited.contains(&!edge) {
                        return false;
                    }
                    self.untils.push(edge.node);
                    pending.extend([below(*right), below(*left)]);
                }
                _ => return false,
            }
        }
        true
    }

    fn letter(&self, letter: usize, antecedent: Edge, consequent: Edge) -> LetterEffect {
        let mut known = LetterEffect { activates: false, consequent: 0, before: vec![] };
        for untils in 0..1_usize << self.untils.len() {
            let values = NodeValues::new(self.core, letter, |id| {
                let number = self.untils.iter().position(|until| *until == id);
                number.is_some_and(|number| untils >> number & 1 == 1)
            });
            known.activates = values.of(antecedent);
            known.consequent |= u64::from(values.of(consequent)) << untils;
            let mut before = 0;
            for (number, id) in self.untils.iter().enumerate() {
                if let FormulaNode::Until { left, right, .. } = self.core.node(*id) {
                    // RULE K5, unfolded once
                    let holds = values.of(*right) || (values.of(*left) && untils >> number & 1 == 1);
                    before |= usize::from(holds) << number;
                }
            }
            known.before.push(before);
        }
        known
    }

    fn number(&mut self, function: u64) -> Option<Residual> {
        if let Some(known) = self.numbers.get(&function) {
            return Some(*known);
        }
        if self.functions.len() >= MOST_STATES {
            return None;
        }
        let number = self.functions.len() as Residual;
        self.functions.push(function);
        self.numbers.insert(function, number);
        Some(number)
    }

    fn build(mut self, invariant: &Invariant) -> Option<ClauseTable> {
        let antecedent = invariant.antecedent?;
        let all = u64::MAX >> (64 - (1 << self.untils.len()));
        self.number(0)?;
        self.number(all)?;
        let letters: Vec<LetterEffect> = (0..1_usize << self.core.atoms.len())
            .map(|letter| self.letter(letter, antecedent, invariant.consequent))
            .collect();
        let open = letters.iter().map(|letter| self.number(letter.consequent)).collect::<Option<Vec<Residual>>>()?;
        let mut step = Vec::new();
        let mut at = 0;
        while let Some(&function) = self.functions.get(at) {
            for letter in &letters {
                let holds = letter.before.iter().map(|before| function >> before & 1);
                let next = holds.enumerate().fold(0, |bits, (untils, holds)| bits | holds << untils);
                step.push(self.number(next)?);
            }
            at += 1;
        }
        let met_at_end = self.functions.iter().map(|function| function & 1 == 1).collect();
        let clause = ClauseTable {
            activates: letters.iter().map(|letter| letter.activates).collect(),
            open,
            step,
            met_at_end,
            letters: letters.len(),
            consequent: invariant.consequent_span,
            takes_time: invariant.takes_time,
        };
        // Positions without atoms must have no effect.
        let idle = !clause.activates[0]
            && (0..self.functions.len()).all(|state| clause.step(state as Residual, 0) as usize == state);
        idle.then_some(clause)
    }
}
