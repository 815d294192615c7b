// SPDX-License-Identifier: MIT OR Apache-2.0
//! Untimed obligations as tables: from an obligation and the atoms of a position to what is left of it.
//!
//! A consequent without bounds and without the past is, seen from any position, a Boolean function of its Untils as they
//! stand at that position. Such a function is a truth table, of 2^n bits for n Untils; a new position rewrites it. The
//! tables that can come up are numbered, and the rewriting is a table of numbers.
//!
//! Three-valued evaluation by parts knows a value as soon as the truth table is constant, and no sooner, if no Until
//! stands under both an even and an odd number of negations: then every open Until pulls one way. Formulae for which that
//! does not hold are left to the network.

use gnomon_core::interval::Interval;
use gnomon_ir::core::{Edge, FormulaCore, Invariant, Node, NodeId, Reading};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most Untils of one consequent, so that a truth table is one word.
const MOST_UNTILS: usize = 6;
/// The most atoms: there is a column for each set of them.
pub(super) const MOST_ATOMS: usize = 8;
/// The most states.
const MOST_STATES: usize = 250;

/// What is left of an obligation.
pub(crate) type State = u8;

/// The obligation is met; state 0 is that it is broken.
pub(crate) const TRUE: State = 1;

/// One `G(a -> b)`.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    /// For each set of atoms, whether it asks for something.
    pub(crate) asks: Vec<bool>,
    /// For each set of atoms, what is left of what is asked for at such a position.
    open: Vec<State>,
    /// For each state and set of atoms, what is left after such a position.
    step: Vec<State>,
    /// For each state, whether it is met if nothing comes any more.
    pub(crate) met_at_end: Vec<bool>,
    letters: usize,
    pub(crate) consequent: gnomon_core::diagnostic::Span,
    pub(crate) takes_time: bool,
}

impl Clause {
    #[inline]
    pub(crate) fn open(&self, letter: usize) -> State {
        self.open[letter]
    }

    #[inline]
    pub(crate) fn step(&self, state: State, letter: usize) -> State {
        self.step[state as usize * self.letters + letter]
    }
}

/// The tables of a property, if it has the form that tables are made for.
pub(crate) fn tables(core: &FormulaCore) -> Option<Vec<Clause>> {
    let Reading::Invariants(invariants) = &core.reading else { return None };
    if core.atoms.len() > MOST_ATOMS {
        return None;
    }
    invariants.iter().map(|invariant| Builder::new(core, invariant)?.build(invariant)).collect()
}

/// For each node, whether its value at a position depends on nothing but the position's atoms.
pub(super) fn booleans(core: &FormulaCore) -> Vec<bool> {
    let mut known: Vec<bool> = Vec::with_capacity(core.nodes.len());
    for node in &core.nodes {
        known.push(match node {
            Node::True | Node::Atom(_) => true,
            Node::And(parts) => parts.iter().all(|part| known[part.node.0 as usize]),
            _ => false,
        });
    }
    known
}

/// The values of all nodes at one position.
pub(super) struct Values(Vec<bool>);

impl Values {
    /// Where the atoms of `letter` are true, and nodes that depend on more have the values of `others`.
    pub(super) fn new(core: &FormulaCore, letter: usize, others: impl Fn(NodeId) -> bool) -> Self {
        let mut values = Values(Vec::with_capacity(core.nodes.len()));
        for (id, node) in (0..).map(NodeId).zip(&core.nodes) {
            let value = match node {
                Node::True => true,
                Node::Atom(atom) => letter >> atom.0 & 1 == 1,
                Node::And(parts) => parts.iter().all(|part| values.of(*part)),
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

struct Builder<'a> {
    core: &'a FormulaCore,
    /// The Untils of the consequent.
    untils: Vec<NodeId>,
    numbers: FxHashMap<u64, State>,
    functions: Vec<u64>,
}

/// What atoms do, for each choice of values of the Untils at the same position.
struct Letter {
    asks: bool,
    /// The truth table of the consequent.
    consequent: u64,
    /// The values of the Untils one position earlier.
    before: Vec<usize>,
}

impl<'a> Builder<'a> {
    fn new(core: &'a FormulaCore, invariant: &Invariant) -> Option<Self> {
        let everywhere = invariant.nexts.is_empty() && invariant.reach == Interval::ANY && !invariant.strict;
        let antecedent = invariant.antecedent?;
        let mut builder = Builder { core, untils: vec![], numbers: FxHashMap::default(), functions: vec![] };
        let boolean = booleans(core)[antecedent.node.0 as usize];
        let fits = everywhere && boolean && builder.collect(invariant.consequent);
        (fits && !builder.untils.is_empty() && builder.untils.len() <= MOST_UNTILS).then_some(builder)
    }

    /// Finds the Untils; `false` if there is something else, or an Until that is asked for both ways.
    fn collect(&mut self, consequent: Edge) -> bool {
        let mut seen: FxHashSet<Edge> = FxHashSet::default();
        let mut pending = vec![consequent];
        while let Some(edge) = pending.pop() {
            if !seen.insert(edge) {
                continue;
            }
            let below = |part: Edge| if edge.negated { !part } else { part };
            match self.core.node(edge.node) {
                Node::True | Node::Atom(_) => {}
                Node::And(parts) => pending.extend(parts.iter().rev().map(|part| below(*part))),
                Node::Until { interval, left, right } => {
                    if *interval != Interval::ANY || seen.contains(&!edge) {
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

    fn letter(&self, letter: usize, antecedent: Edge, consequent: Edge) -> Letter {
        let mut known = Letter { asks: false, consequent: 0, before: vec![] };
        for untils in 0..1_usize << self.untils.len() {
            let values = Values::new(self.core, letter, |id| {
                let number = self.untils.iter().position(|until| *until == id);
                number.is_some_and(|number| untils >> number & 1 == 1)
            });
            known.asks = values.of(antecedent);
            known.consequent |= u64::from(values.of(consequent)) << untils;
            let mut before = 0;
            for (number, id) in self.untils.iter().enumerate() {
                if let Node::Until { left, right, .. } = self.core.node(*id) {
                    // RULE K5, unfolded once
                    let holds = values.of(*right) || (values.of(*left) && untils >> number & 1 == 1);
                    before |= usize::from(holds) << number;
                }
            }
            known.before.push(before);
        }
        known
    }

    fn number(&mut self, function: u64) -> Option<State> {
        if let Some(known) = self.numbers.get(&function) {
            return Some(*known);
        }
        if self.functions.len() >= MOST_STATES {
            return None;
        }
        let number = self.functions.len() as State;
        self.functions.push(function);
        self.numbers.insert(function, number);
        Some(number)
    }

    fn build(mut self, invariant: &Invariant) -> Option<Clause> {
        let antecedent = invariant.antecedent?;
        let all = u64::MAX >> (64 - (1 << self.untils.len()));
        self.number(0)?;
        self.number(all)?;
        let letters: Vec<Letter> = (0..1_usize << self.core.atoms.len())
            .map(|letter| self.letter(letter, antecedent, invariant.consequent))
            .collect();
        let open = letters.iter().map(|letter| self.number(letter.consequent)).collect::<Option<Vec<State>>>()?;
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
        let clause = Clause {
            asks: letters.iter().map(|letter| letter.asks).collect(),
            open,
            step,
            met_at_end,
            letters: letters.len(),
            consequent: invariant.consequent_span,
            takes_time: invariant.takes_time,
        };
        // Positions without atoms must neither ask for anything nor change anything.
        let idle =
            !clause.asks[0] && (0..self.functions.len()).all(|state| clause.step(state as State, 0) as usize == state);
        idle.then_some(clause)
    }
}
