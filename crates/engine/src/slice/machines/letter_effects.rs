// SPDX-License-Identifier: MIT OR Apache-2.0
//! Effects of positions on clauses whose operands depend on nothing but the atoms: a lookup by the set of atoms.

use gnomon_ir::core::{Edge, FormulaCore, FormulaNode};

use super::clause_table::{MOST_ATOMS, NodeValues, booleans};
use crate::network::{ClauseReach, Consequent, FormulaClause};

/// The position activates an obligation.
pub(super) const ACTIVATES: u8 = 1;
/// It meets the open obligations that are old enough.
pub(super) const MEETS: u8 = 2;
/// It breaks the other open obligations.
pub(super) const BREAKS: u8 = 4;
/// The obligation that it activates is met immediately.
pub(super) const TRUE_NOW: u8 = 8;
/// The obligation that it activates is violated immediately.
pub(super) const FALSE_NOW: u8 = 16;

/// For each set of atoms and each clause, a combination of the marks above.
#[derive(Clone, Debug)]
pub(super) struct LetterEffects {
    marks: Vec<u8>,
    /// For each set of atoms, the marks of all clauses.
    all: Vec<u8>,
    clauses: usize,
}

impl LetterEffects {
    /// `None` if a clause depends on more than atoms, or if positions without atoms have an effect.
    pub(super) fn new(core: &FormulaCore, clauses: &[FormulaClause]) -> Option<Self> {
        let decided_by_constants = matches!(core.node(core.formula.node), FormulaNode::True) || !core.if_empty;
        let fits_in = (1..=usize::from(u8::MAX)).contains(&clauses.len()) && core.atoms.len() <= MOST_ATOMS;
        if !fits_in || decided_by_constants {
            return None;
        }
        let booleans = booleans(core);
        if !clauses.iter().all(|clause| fits(&booleans, clause)) {
            return None;
        }
        let letters = 1_usize << core.atoms.len();
        let mut effects = LetterEffects { marks: vec![], all: vec![], clauses: clauses.len() };
        for letter in 0..letters {
            let values = NodeValues::new(core, letter, |_| false);
            let from = effects.marks.len();
            effects.marks.extend(clauses.iter().map(|clause| mark(&values, clause)));
            effects.all.push(effects.marks[from..].iter().fold(0, |all, mark| all | mark));
        }
        effects.does_nothing(0, false).then_some(effects)
    }

    /// Returns the marks of the clauses, in order.
    #[inline]
    pub(super) fn of(&self, letter: usize) -> &[u8] {
        &self.marks[letter * self.clauses..(letter + 1) * self.clauses]
    }

    /// Returns true if a position has no effect on a binding with or without open obligations.
    #[inline]
    pub(super) fn does_nothing(&self, letter: usize, nothing_open: bool) -> bool {
        let looked_for = if nothing_open { ACTIVATES } else { ACTIVATES | MEETS | BREAKS };
        self.all[letter] & looked_for == 0
    }
}

fn fits(booleans: &[bool], clause: &FormulaClause) -> bool {
    let is_boolean = |edge: Edge| booleans[edge.node.0 as usize];
    let everywhere = match &clause.reach {
        ClauseReach::First => false,
        ClauseReach::After { nexts, interval, strict } => {
            nexts.is_empty() && !strict && interval.hi.is_none() && interval.lo.ticks() <= 0
        }
    };
    let antecedent = clause.antecedent.is_some_and(is_boolean);
    let consequent = match &clause.consequent_part {
        Consequent::Now(edge) => is_boolean(*edge),
        Consequent::Later { .. } => false,
        // `Obligations` runs untimed ones: it counts many of them together.
        Consequent::Direct(direct) => !direct.is_untimed() && is_boolean(direct.left) && is_boolean(direct.right),
    };
    everywhere && antecedent && consequent && !clause.is_vacuous()
}

fn mark(values: &NodeValues, clause: &FormulaClause) -> u8 {
    let holds = |edge: Edge| values.of(edge);
    let on = |mark: u8, when: bool| if when { mark } else { 0 };
    let activates = on(ACTIVATES, clause.antecedent.is_none_or(holds));
    let now = |value: bool| if value { TRUE_NOW } else { FALSE_NOW };
    match &clause.consequent_part {
        Consequent::Now(edge) => activates | now(holds(*edge)),
        Consequent::Later { .. } => activates,
        Consequent::Direct(direct) => {
            let (meets, breaks) = (holds(direct.right), !holds(direct.left));
            let immediately = match (meets, breaks) {
                _ if !direct.inclusive => 0,
                (true, _) => now(!direct.negated),
                (false, true) => now(direct.negated),
                (false, false) => 0,
            };
            activates | on(MEETS, meets) | on(BREAKS, breaks) | immediately
        }
    }
}
