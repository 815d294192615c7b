// SPDX-License-Identifier: MIT OR Apache-2.0
//! Action formulae and conditions on data.
// RULE W3, W4, W7

use gnomon_core::Value;
use gnomon_ir::{ActionFormulaCore, AtomId, GuardCore, ModalCore, VariableId};

use super::sort::ActionReading;
use crate::atom;
use crate::automaton::guard::satisfies;
use crate::trace::OracleEvent;

/// Returns true if the formula is true of an event under a binding.
pub(super) fn holds(
    core: &ModalCore,
    formula: &ActionFormulaCore,
    event: &OracleEvent,
    binding: &[Value<'static>],
) -> bool {
    let matches = |id: &AtomId| {
        let patterns = &core.atoms[id.0 as usize].patterns;
        patterns.iter().filter_map(|pattern| atom::values(pattern, event)).collect()
    };
    let sorted = |id: &VariableId| (*id, core.locals[id.0 as usize - core.prefix.len()].1);
    let reading = ActionReading { matches: &matches, variable: &|id: &VariableId| *id, quantified: &sorted };
    reading.holds(formula, (0..).map(VariableId).zip(binding.iter().cloned()))
}

/// Returns true if the condition is true of these values.
// RULE W7
pub(super) fn is_true(data: &GuardCore, values: &[Value<'static>]) -> bool {
    satisfies(data, &|VariableId(id)| values.get(*id as usize).cloned())
}
