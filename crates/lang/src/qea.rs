// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quantified event automata: states and transitions over the events of a binding, with variables, guards and
//! assignments.
//!
//! The grammar is in `qea/GRAMMAR.md`. The oracle and the engine give automata their meaning.

mod guard;
mod lower;
mod parse;
mod print;
mod syntax;

use gnomon_ir::spec::{Body, Language, Spec};

use crate::specfile::{BlockContent, Frontend, LanguageOptions};
use crate::syntax::cursor::Cursor;

pub use print::print;

/// The front end for blocks of this language.
pub(crate) const FRONTEND: Frontend = Frontend { parenthesised: true, ..Frontend::plain(Language::Qea, false, read) };

fn read(cursor: &mut Cursor<'_>, _options: &LanguageOptions) -> Option<BlockContent> {
    let syntax = parse::parse(cursor);
    let automaton = lower::lower(cursor, &syntax);
    Some((syntax.prefix?, Body::Automaton(automaton?)))
}

/// Resolves events without parameters, after the whole file is read: `m` and `m()` both mean an event without
/// parameters, unless a declaration says what parameters `m` has.
pub(crate) fn resolve_bare_events(spec: &mut Spec) {
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
