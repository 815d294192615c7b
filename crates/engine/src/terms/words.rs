// SPDX-License-Identifier: MIT OR Apache-2.0
//! Terms as they are written, nearly: for the story of a violation.

use gnomon_ir::core::{FormulaCore, Occurrence, TermCore, TermId};

use crate::describe;

/// A term. The variable of a quantifier has no name any more.
pub(crate) fn words(core: &FormulaCore, id: TermId) -> String {
    let word = |id: &TermId| words(core, *id);
    let event = |event: &Occurrence| {
        let name = &core.atoms[event.atom.0 as usize].name;
        format!("onEvent({}{name})", if event.starts { "start_" } else { "" })
    };
    let window = |reach| describe::amount(core.clock, reach);
    match &core.terms[id.0 as usize] {
        TermCore::Number(number) => number.to_string(),
        TermCore::Value(value) => value.to_string(),
        TermCore::Variable { variable, steps } => format!("${}", path(&core.variables[*variable], steps)),
        TermCore::Element { steps, .. } => path("element", steps),
        TermCore::Operation(operation, left, right) => {
            let side = |id: &TermId| match core.terms[id.0 as usize] {
                TermCore::Operation(..) => format!("({})", word(id)),
                _ => word(id),
            };
            format!("{} {} {}", side(left), operation.symbol(), side(right))
        }
        TermCore::Past { of, event: at, back } => format!("past({}, {}, {back})", word(of), event(at)),
        TermCore::Count { of, reach } => {
            format!("count({}, {})", describe::part(core, *of).replace('`', ""), window(*reach))
        }
        TermCore::Fold { fold, of, reach } => format!("{}({}, {})", fold.word(), word(of), window(*reach)),
        TermCore::Elapsed { event: at, .. } => format!("elapsed({})", event(at)),
    }
}

fn path(name: &str, steps: &[String]) -> String {
    std::iter::once(name).chain(steps.iter().map(String::as_str)).collect::<Vec<&str>>().join("/")
}
