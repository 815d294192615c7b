// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a position does to clauses that depend on nothing but its atoms, looked up by the set of them.

use gnomon_ir::core::{Edge, FormulaCore, Node};

use super::table::{MOST_ATOMS, Values, booleans};
use crate::ledger::{Clause, Consequent, Reach};

/// The position asks for something.
pub(super) const ASKS: u8 = 1;
/// It meets what is open for long enough.
pub(super) const MEETS: u8 = 2;
/// It breaks the rest of what is open.
pub(super) const BREAKS: u8 = 4;
/// What it asks for is there at once.
pub(super) const TRUE_NOW: u8 = 8;
/// What it asks for can never come.
pub(super) const FALSE_NOW: u8 = 16;

/// For each set of atoms and each clause, a few of the marks above.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    marks: Vec<u8>,
    /// For each set of atoms, the marks of all clauses.
    all: Vec<u8>,
    clauses: usize,
}

impl Rules {
    /// `None` if a clause depends on more, or if positions without atoms ask for something or change something.
    pub(super) fn new(core: &FormulaCore, clauses: &[Clause]) -> Option<Self> {
        let decided_by_constants = matches!(core.node(core.formula.node), Node::True) || !core.if_empty;
        let fits_in = (1..=usize::from(u8::MAX)).contains(&clauses.len()) && core.atoms.len() <= MOST_ATOMS;
        if !fits_in || decided_by_constants {
            return None;
        }
        let booleans = booleans(core);
        if !clauses.iter().all(|clause| fits(&booleans, clause)) {
            return None;
        }
        let letters = 1_usize << core.atoms.len();
        let mut rules = Rules { marks: vec![], all: vec![], clauses: clauses.len() };
        for letter in 0..letters {
            let values = Values::new(core, letter, |_| false);
            let from = rules.marks.len();
            rules.marks.extend(clauses.iter().map(|clause| mark(&values, clause)));
            rules.all.push(rules.marks[from..].iter().fold(0, |all, mark| all | mark));
        }
        rules.does_nothing(0, false).then_some(rules)
    }

    #[inline]
    pub(super) fn of(&self, letter: usize, clause: u8) -> u8 {
        self.marks[letter * self.clauses + clause as usize]
    }

    /// Whether a position leaves a binding alone for which nothing is open, or for which something is.
    #[inline]
    pub(super) fn does_nothing(&self, letter: usize, nothing_open: bool) -> bool {
        let looked_for = if nothing_open { ASKS } else { ASKS | MEETS | BREAKS };
        self.all[letter] & looked_for == 0
    }
}

fn fits(booleans: &[bool], clause: &Clause) -> bool {
    let is_boolean = |edge: Edge| booleans[edge.node.0 as usize];
    let everywhere = match &clause.reach {
        Reach::First => false,
        Reach::After { nexts, interval, strict } => {
            nexts.is_empty() && !strict && interval.hi.is_none() && interval.lo.ticks() <= 0
        }
    };
    let antecedent = clause.antecedent.is_some_and(is_boolean);
    let consequent = match &clause.consequent_part {
        Consequent::Now(edge) => is_boolean(*edge),
        Consequent::Later { .. } => false,
        // Untimed obligations that are many are kept as a crowd, elsewhere.
        Consequent::Direct(direct) => !direct.is_untimed() && is_boolean(direct.left) && is_boolean(direct.right),
    };
    everywhere && antecedent && consequent && !clause.is_vacuous()
}

fn mark(values: &Values, clause: &Clause) -> u8 {
    let holds = |edge: Edge| values.of(edge);
    let on = |mark: u8, when: bool| if when { mark } else { 0 };
    let asks = on(ASKS, clause.antecedent.is_none_or(holds));
    let now = |value: bool| if value { TRUE_NOW } else { FALSE_NOW };
    match &clause.consequent_part {
        Consequent::Now(edge) => asks | now(holds(*edge)),
        Consequent::Later { .. } => asks,
        Consequent::Direct(direct) => {
            let (meets, breaks) = (holds(direct.right), !holds(direct.left));
            let at_once = match (meets, breaks) {
                _ if !direct.inclusive => 0,
                (true, _) => now(!direct.negated),
                (false, true) => now(direct.negated),
                (false, false) => 0,
            };
            asks | on(MEETS, meets) | on(BREAKS, breaks) | at_once
        }
    }
}
