// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae without data as tables: the sets of derivatives that events lead to, numbered.

use std::collections::BTreeSet;

use gnomon_ir::core::{ActionFormulaCore, GuardCore};

use super::derivatives::Derivatives;
use crate::slice::machines::subsets::{Set, Subsets, bits, set_of};

#[derive(Clone, Debug)]
pub(super) struct ModalTable {
    pub(super) subsets: Subsets,
    /// For each set, true if reaching it is a violation.
    pub(super) is_violation: Vec<bool>,
    /// For each set, true if events that match nothing have no effect, there and in all sets that it leads to.
    pub(super) ignores_unmatched: Vec<bool>,
    /// For each set, true if the letters that may come next are the initial ones.
    pub(super) like_initial: Vec<bool>,
    /// For each set, true if no letter may come next.
    pub(super) over: Vec<bool>,
}

impl ModalTable {
    /// `None` if something but the matching atoms decides, or if the table would be large.
    pub(super) fn new(derivatives: &Derivatives, letters_of: &[BTreeSet<usize>], atoms: usize) -> Option<Self> {
        let mut violation_conditions = derivatives.violation_conditions.iter().flatten();
        let plain = violation_conditions
            .all(|condition| condition.assumptions.is_empty() && condition.required == GuardCore::Constant(false))
            && derivatives.actions.iter().all(is_plain);
        if !plain || derivatives.moves.len() > 64 {
            return None;
        }
        let initial = set_of(derivatives.initial.iter().copied());
        let subsets = Subsets::new(initial, atoms, |set, letter| {
            let moves = bits(set).flat_map(|derivative| &derivatives.moves[derivative]);
            set_of(moves.filter(|one| holds(&derivatives.actions[one.action], letter)).map(|one| one.to))
        })?;
        let derivatives_with =
            |of: &dyn Fn(usize) -> bool| set_of((0..derivatives.moves.len()).filter(|derivative| of(*derivative)));
        let required = derivatives_with(&|derivative| !derivatives.violation_conditions[derivative].is_empty());
        let is_violation: Vec<bool> = subsets.members.iter().map(|set| set & required != 0).collect();
        let movers = derivatives_with(&|derivative| !derivatives.moves[derivative].is_empty());
        let next_letters = |set: u64| {
            bits(set).flat_map(|derivative| letters_of[derivative].iter().copied()).collect::<BTreeSet<usize>>()
        };
        let first = next_letters(initial);
        let like_initial = subsets.members.iter().map(|set| next_letters(*set) == first).collect();
        let over = subsets.members.iter().map(|set| next_letters(*set).is_empty()).collect();
        let ignores_unmatched = sets_that_stay(&subsets, &is_violation, movers);
        Some(ModalTable { subsets, is_violation, ignores_unmatched, like_initial, over })
    }

    /// Returns true if events that match nothing have no effect after the first event.
    pub(super) fn ignores_unmatched_after_first(&self) -> bool {
        let first = |letter| self.subsets.step(Subsets::INITIAL, letter);
        (0..self.subsets.letters).all(|letter| self.ignores_unmatched[first(letter) as usize])
    }
}

/// Finds the sets that events without matches leave unchanged, there and in all sets that they lead to. `movers` are the
/// derivatives with moves.
fn sets_that_stay(subsets: &Subsets, is_violation: &[bool], movers: u64) -> Vec<bool> {
    let step = |set: usize, letter: usize| subsets.step(set as Set, letter) as usize;
    // A derivative without moves is dropped by the next event, whichever it is.
    let going_on = |set: usize| subsets.members[set] & movers;
    let stays = |set: usize| going_on(step(set, 0)) == going_on(set) && !is_violation[step(set, 0)];
    let mut unchanged: Vec<bool> = (0..is_violation.len()).map(stays).collect();
    loop {
        let leads_to_unchanged = |set: usize| (0..subsets.letters).all(|letter| unchanged[step(set, letter)]);
        let still: Vec<bool> = (0..is_violation.len()).map(|set| unchanged[set] && leads_to_unchanged(set)).collect();
        if still == unchanged {
            return unchanged;
        }
        unchanged = still;
    }
}

/// Returns true if nothing but the matching atoms decides.
fn is_plain(action: &ActionFormulaCore) -> bool {
    match action {
        ActionFormulaCore::Event(_) | ActionFormulaCore::Data(GuardCore::Constant(_)) => true,
        ActionFormulaCore::Data(_) | ActionFormulaCore::Quantified(..) => false,
        ActionFormulaCore::Not(of) => is_plain(of),
        ActionFormulaCore::And(left, right) | ActionFormulaCore::Or(left, right) => is_plain(left) && is_plain(right),
    }
}

fn holds(action: &ActionFormulaCore, letter: usize) -> bool {
    match action {
        ActionFormulaCore::Event(atom) => letter >> atom.0 & 1 == 1,
        ActionFormulaCore::Data(data) => *data == GuardCore::Constant(true),
        ActionFormulaCore::Not(of) => !holds(of, letter),
        ActionFormulaCore::And(left, right) => holds(left, letter) && holds(right, letter),
        ActionFormulaCore::Or(left, right) => holds(left, letter) || holds(right, letter),
        ActionFormulaCore::Quantified(..) => false,
    }
}
