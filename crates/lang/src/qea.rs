// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quantified event automata: states and transitions over the events that concern a binding, with variables, guards and
//! assignments.
//!
//! The grammar is in `qea/GRAMMAR.md`; the meaning is the business of the oracle and the engine.

mod guard;
mod lower;
mod parse;
mod prefix;
mod print;
mod syntax;

use gnomon_ir::spec::{Body, Language, Spec};

use crate::specfile::cursor::Cursor;
use crate::specfile::{Chosen, Content, Reader};

pub use print::print;

/// How blocks of this language are read.
pub(crate) const READER: Reader =
    Reader { language: Language::Qea, options: &[], parenthesised: true, merges: false, read };

fn read(cursor: &mut Cursor<'_>, _options: &Chosen) -> Option<Content> {
    let syntax = parse::parse(cursor);
    let automaton = lower::lower(cursor, &syntax);
    Some((syntax.prefix?, Body::Automaton(automaton?)))
}

/// `m` and `m()` are the same: an event without parameters, unless a declaration, wherever it stands in the file, says
/// what parameters `m` has.
pub(crate) fn settle(spec: &mut Spec) {
    let Spec { events, properties, .. } = spec;
    for property in properties {
        let Body::Automaton(automaton) = &mut property.body else { continue };
        let transitions = automaton.states.iter_mut().flat_map(|state| &mut state.transitions);
        for atom in transitions.map(|transition| &mut transition.event) {
            if atom.arguments.as_ref().is_none_or(Vec::is_empty) {
                let declared = events.iter().any(|event| event.name == atom.name);
                atom.arguments = if declared { None } else { Some(vec![]) };
            }
        }
    }
}
