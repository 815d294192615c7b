// SPDX-License-Identifier: MIT OR Apache-2.0
//! The atoms of a formula as they are written.

use crate::formula::{Aggregate, Formula, Kind};
use crate::pattern::Atom;

/// Those that stand for events; what a state is made of is left out.
pub(super) fn atoms_of(formula: &Formula) -> Vec<&Atom> {
    let mut atoms = Vec::new();
    let mut pending = vec![formula];
    while let Some(formula) = pending.pop() {
        match &formula.kind {
            Kind::Atom(atom) => atoms.push(atom),
            Kind::OnEvent(occurrence) => atoms.push(&occurrence.event),
            Kind::Aggregate { aggregate, .. } => {
                if let Aggregate::Fold { of, .. } = aggregate.as_ref() {
                    atoms.push(of);
                }
            }
            _ => {}
        }
        pending.extend(formula.children().into_iter().rev());
    }
    atoms
}
