// SPDX-License-Identifier: MIT OR Apache-2.0
//! LTL with past over finite words of unit instants, evaluated plainly: a second oracle for properties that have an LTL
//! form.

pub mod read;

use gnomon_core::time::Clock;
use gnomon_core::verdict::End;
use gnomon_ir::atom::Atom;
use gnomon_ir::check::check;
use gnomon_ir::core::Core;
use gnomon_ir::formula::{Formula, FormulaKind};
use gnomon_ir::ltl::{LtlFormula, LtlNode};
use gnomon_ir::spec::{Body, Property, Spec};
use gnomon_oracle::{Truth, truth};

use crate::case::Case;

/// A word: what is true at each instant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimedWord {
    /// Which instants carry a position.
    pub marker: Vec<bool>,
    /// For each proposition of a formula, where it is true.
    pub propositions: Vec<Vec<bool>>,
}

impl TimedWord {
    /// The word of a trace, from time 0 to its last position. `None` if it has no position, or one that is at no
    /// instant: at a fraction of the unit, before 0, or later than `most`.
    pub fn of(case: &Case, atoms: &[Atom], most: usize) -> Option<TimedWord> {
        let clock = Clock::new(case.spec.time.unit);
        let positions = case.trace().positions(case.spec.simultaneous(case.property()));
        let mut instants = Vec::new();
        for position in &positions {
            let (ticks, unit) = (position.time.ticks(), clock.ticks_per_unit());
            let instant = usize::try_from(ticks / unit).ok()?;
            if ticks % unit != 0 || ticks < 0 || instant > most {
                return None;
            }
            instants.push(instant);
        }
        let length = instants.last()? + 1;
        let spread = |values: &dyn Fn(usize) -> bool| {
            let mut row = vec![false; length];
            for (at, instant) in instants.iter().enumerate() {
                row[*instant] = values(at);
            }
            row
        };
        let propositions = atoms.iter().map(|atom| {
            let values = values(case, atom);
            spread(&|at| values[at])
        });
        Some(TimedWord { propositions: propositions.collect(), marker: spread(&|_| true) })
    }

    /// The word with instants at its end where nothing is true.
    #[must_use]
    pub fn padded(&self, more: usize) -> TimedWord {
        let mut word = self.clone();
        for row in word.propositions.iter_mut().chain([&mut word.marker]) {
            row.resize(row.len() + more, false);
        }
        word
    }
}

/// Evaluates an atom at every position with the oracle, as a property that consists of the atom.
fn values(case: &Case, atom: &Atom) -> Vec<bool> {
    let body = Body::Formula(Formula { kind: FormulaKind::Atom(atom.clone()), span: atom.span });
    let property = Property { body, ..case.property().clone() };
    let spec = Spec { properties: vec![property], ..case.spec.clone() };
    let Some(Core::Formula(core)) = check(&spec, &spec.properties[0]).0 else {
        panic!("its parts pass the checker as it does");
    };
    let trace = case.trace();
    let positions = 0..trace.positions(core.simultaneous).len();
    positions.map(|at| truth(&core, &trace, core.formula, at, End::Complete) == Truth::True).collect()
}

/// Returns true if a word satisfies a formula.
pub fn holds(ltl: &LtlFormula, word: &TimedWord) -> bool {
    holds_at(ltl, word, 0)
}

/// Returns true if a formula holds at an instant of a word.
pub fn holds_at(ltl: &LtlFormula, word: &TimedWord, instant: usize) -> bool {
    let mut rows: Vec<Vec<bool>> = Vec::with_capacity(ltl.root.index() + 1);
    for node in &ltl.nodes[..=ltl.root.index()] {
        rows.push(row(*node, &rows, word));
    }
    rows[ltl.root.index()][instant]
}

/// A node's value at every instant, given those of its parts.
fn row(node: LtlNode, rows: &[Vec<bool>], word: &TimedWord) -> Vec<bool> {
    let instants = 0..word.marker.len();
    let last = word.marker.len() - 1;
    let each = |value: &dyn Fn(usize) -> bool| instants.clone().map(value).collect::<Vec<bool>>();
    // From the last instant to the first, and from the first to the last: the value here, given that there.
    let backwards = |at_end: bool, value: &dyn Fn(usize, bool) -> bool| {
        let mut row = vec![at_end; word.marker.len()];
        instants.clone().rev().fold(at_end, |later, at| {
            row[at] = value(at, later);
            row[at]
        });
        row
    };
    let forwards = |at_start: bool, value: &dyn Fn(usize, bool) -> bool| {
        let mut row = vec![at_start; word.marker.len()];
        instants.clone().fold(at_start, |earlier, at| {
            row[at] = value(at, earlier);
            row[at]
        });
        row
    };
    match node {
        LtlNode::Constant(value) => each(&|_| value),
        LtlNode::Marker => word.marker.clone(),
        LtlNode::Proposition(index) => word.propositions[index].clone(),
        LtlNode::Not(of) => each(&|at| !rows[of.index()][at]),
        LtlNode::And(left, right) => each(&|at| rows[left.index()][at] && rows[right.index()][at]),
        LtlNode::Or(left, right) => each(&|at| rows[left.index()][at] || rows[right.index()][at]),
        LtlNode::Implies(left, right) => each(&|at| !rows[left.index()][at] || rows[right.index()][at]),
        LtlNode::Next(of) => each(&|at| at < last && rows[of.index()][at + 1]),
        LtlNode::Previous(of) => each(&|at| at > 0 && rows[of.index()][at - 1]),
        LtlNode::Until(left, right) => {
            backwards(false, &|at, later| rows[right.index()][at] || (rows[left.index()][at] && later))
        }
        LtlNode::Since(left, right) => {
            forwards(false, &|at, earlier| rows[right.index()][at] || (rows[left.index()][at] && earlier))
        }
        LtlNode::Always(of) => backwards(true, &|at, later| rows[of.index()][at] && later),
        LtlNode::Eventually(of) => backwards(false, &|at, later| rows[of.index()][at] || later),
        LtlNode::Historically(of) => forwards(true, &|at, earlier| rows[of.index()][at] && earlier),
        LtlNode::Once(of) => forwards(false, &|at, earlier| rows[of.index()][at] || earlier),
    }
}
