// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parses state machines: `state [ event -> target, default target ]` and `alias name = s1, s2`.

use gnomon_ir::{Fsm, FsmAlias, FsmState, Variable};

use super::{EndOfBody, after_body, name, no_body};
use crate::syntax::{Cursor, Token};

/// Reads a machine.
pub(super) fn machine(cursor: &mut Cursor<'_>, ends: EndOfBody) -> Option<Fsm> {
    let mut fsm = Fsm { states: vec![], aliases: vec![] };
    let mut is_whole = true;
    while !cursor.at_end() && !ends(cursor) {
        cursor.count_node();
        if is_alias(cursor) {
            fsm.aliases.push(alias(cursor, ends)?);
            continue;
        }
        if let Some(state) = state(cursor) {
            fsm.states.push(state);
        } else {
            is_whole = false;
            // Skips to the next state, or to the end.
            while !cursor.at_end() && !ends(cursor) && !is_alias(cursor) && !begins_state(cursor) {
                cursor.bump();
            }
        }
    }
    if fsm.states.is_empty() && is_whole {
        return no_body(cursor, "write states, for example `start [ open -> opened ] opened [ close -> start ]`");
    }
    is_whole.then_some(fsm)
}

fn is_alias(cursor: &Cursor<'_>) -> bool {
    cursor.word() == Some("alias") && !cursor.nth_is(1, "[")
}

fn begins_state(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.peek().kind, Token::Word | Token::Text) && cursor.nth_is(1, "[")
}

fn alias(cursor: &mut Cursor<'_>, ends: EndOfBody) -> Option<FsmAlias> {
    cursor.bump();
    let Some(own) = name(cursor) else { return cursor.expected("the name of the alias").none() };
    if cursor.eat("=").is_none() {
        return cursor.expected_help("`=`", "write `alias name = state1, state2`").none();
    }
    let mut states: Vec<Variable> = Vec::new();
    while !cursor.at_end() && !ends(cursor) && !begins_state(cursor) && !is_alias(cursor) {
        let Some(state) = name(cursor) else { break };
        states.push(state);
        cursor.eat(",");
    }
    if states.is_empty() {
        return cursor.expected("the name of a state").none();
    }
    Some(FsmAlias { name: own, states })
}

fn state(cursor: &mut Cursor<'_>) -> Option<FsmState> {
    let Some(own) = name(cursor) else {
        return after_body(cursor, "a state: its name and its transitions in brackets");
    };
    let Some(opening) = cursor.eat("[") else {
        let help = "the transitions of a state are in brackets, even if there are none: `stopped [ ]`";
        return cursor.expected_help("`[`", help).none();
    };
    let mut state = FsmState { name: own, transitions: vec![], default: None };
    while !cursor.at_end() && !cursor.is("]") {
        cursor.count_node();
        let token = cursor.peek();
        let Some(event) = name(cursor) else {
            return cursor.expected_help("an event or `]`", "write a transition: `open -> opened`").none();
        };
        let is_default = token.kind == Token::Word && event.name == "default";
        if cursor.eat("->").is_none() && !is_default {
            if cursor.is("=>") || cursor.is(":") {
                cursor.respell("->");
            } else {
                return cursor.expected_help("`->`", format!("state where `{}` leads: `-> state`", event.name)).none();
            }
        }
        let Some(target) = name(cursor) else {
            return cursor.expected("the state that the transition leads to").none();
        };
        if !is_default {
            state.transitions.push((event, target));
        } else if state.default.is_none() {
            state.default = Some(target);
        } else {
            let error = gnomon_core::Diagnostic::error("G0201", event.span, "a state has one default");
            cursor.report(error.help("leave the second one out"));
            return None;
        }
        cursor.eat(",");
    }
    cursor.close(opening, "]")?;
    Some(state)
}
