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
use rustc_hash::FxHashMap;

/// The most Untils of one consequent, so that a truth table is one word.
const MOST_UNTILS: usize = 6;
/// The most atoms: there is a column for each set of them.
const MOST_ATOMS: usize = 8;
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

struct Builder<'a> {
    core: &'a FormulaCore,
    /// The Untils of the consequent.
    untils: Vec<NodeId>,
    numbers: FxHashMap<u64, State>,
    functions: Vec<u64>,
}

impl<'a> Builder<'a> {
    fn new(core: &'a FormulaCore, invariant: &Invariant) -> Option<Self> {
        let everywhere = invariant.nexts.is_empty() && invariant.reach == Interval::ANY && !invariant.strict;
        let antecedent = invariant.antecedent?;
        let mut builder = Builder { core, untils: vec![], numbers: FxHashMap::default(), functions: vec![] };
        let mut polarities: FxHashMap<NodeId, bool> = FxHashMap::default();
        let boolean = builder.is_boolean(antecedent);
        let fits = everywhere && boolean && builder.collect(invariant.consequent, false, &mut polarities);
        (fits && !builder.untils.is_empty() && builder.untils.len() <= MOST_UNTILS).then_some(builder)
    }

    fn is_boolean(&self, edge: Edge) -> bool {
        match self.core.node(edge.node) {
            Node::True | Node::Atom(_) => true,
            Node::And(parts) => parts.iter().all(|part| self.is_boolean(*part)),
            _ => false,
        }
    }

    /// Finds the Untils; `false` if there is something else, or an Until that is asked for both ways.
    fn collect(&mut self, edge: Edge, negated: bool, polarities: &mut FxHashMap<NodeId, bool>) -> bool {
        let negated = negated != edge.negated;
        match self.core.node(edge.node) {
            Node::True | Node::Atom(_) => true,
            Node::And(parts) => parts.clone().into_iter().all(|part| self.collect(part, negated, polarities)),
            Node::Until { interval, left, right } => {
                if *interval != Interval::ANY {
                    return false;
                }
                match polarities.insert(edge.node, negated) {
                    Some(known) => known == negated,
                    None => {
                        self.untils.push(edge.node);
                        let (left, right) = (*left, *right);
                        self.collect(left, negated, polarities) && self.collect(right, negated, polarities)
                    }
                }
            }
            _ => false,
        }
    }

    /// The value of an edge where the atoms of `letter` are true and the Untils have the values of `untils`.
    fn value(&self, edge: Edge, letter: usize, untils: usize) -> bool {
        let value = match self.core.node(edge.node) {
            Node::True => true,
            Node::Atom(atom) => letter >> atom.0 & 1 == 1,
            Node::And(parts) => parts.iter().all(|part| self.value(*part, letter, untils)),
            _ => {
                let number = self.untils.iter().position(|until| *until == edge.node);
                number.is_some_and(|number| untils >> number & 1 == 1)
            }
        };
        value != edge.negated
    }

    /// The truth table of `of` over the values that the Untils may have.
    fn function(&self, of: impl Fn(usize) -> bool) -> u64 {
        (0..1_usize << self.untils.len()).filter(|untils| of(*untils)).fold(0, |bits, untils| bits | 1 << untils)
    }

    /// The values of the Untils one position earlier, if they have these values now.
    fn before(&self, letter: usize, untils: usize) -> usize {
        let mut values = 0;
        for (number, id) in self.untils.iter().enumerate() {
            if let Node::Until { left, right, .. } = self.core.node(*id) {
                // RULE K5, unfolded once
                let holds = self.value(*right, letter, untils)
                    || (self.value(*left, letter, untils) && untils >> number & 1 == 1);
                values |= usize::from(holds) << number;
            }
        }
        values
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
        let letters = 1_usize << self.core.atoms.len();
        let all = self.function(|_| true);
        self.number(0)?;
        self.number(all)?;
        let asks: Vec<bool> = (0..letters).map(|letter| self.value(antecedent, letter, 0)).collect();
        let mut open = Vec::with_capacity(letters);
        for letter in 0..letters {
            let function = self.function(|untils| self.value(invariant.consequent, letter, untils));
            open.push(self.number(function)?);
        }
        let mut step = Vec::new();
        let mut at = 0;
        while let Some(&function) = self.functions.get(at) {
            for letter in 0..letters {
                let next = self.function(|untils| function >> self.before(letter, untils) & 1 == 1);
                step.push(self.number(next)?);
            }
            at += 1;
        }
        let met_at_end = self.functions.iter().map(|function| function & 1 == 1).collect();
        let clause = Clause {
            asks,
            open,
            step,
            met_at_end,
            letters,
            consequent: invariant.consequent_span,
            takes_time: invariant.takes_time,
        };
        // Positions without atoms must neither ask for anything nor change anything.
        let idle = !clause.asks[0] && (0..self.functions.len()).all(|state| clause.step(state as State, 0) as usize == state);
        idle.then_some(clause)
    }
}
