// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a rule is violated, in words.

use gnomon_core::interval::Interval;
use gnomon_core::verdict::{Because, Origin};
use gnomon_ir::core::{ContextCore, Direction, RuleCore};
use gnomon_ir::rule::Modality;

use super::context::Actions;
use super::desk::Before;
use super::instance::Instance;
use super::{Compiled, Message};
use crate::describe;

pub(crate) type Story = (String, Vec<Because>);

/// The window ended.
pub(super) fn closed(rule: &Compiled, open: &Instance) -> Story {
    let core = &rule.core;
    let window = window(core);
    let asks = because(open.origin, asks(core));
    let summary = match core.modality {
        Modality::Prohibition => format!("{}{window}, which is forbidden", happened(core)),
        Modality::Permission => format!("{}{window}", missing(core, open.seen)),
    };
    (summary, vec![asks])
}

/// A message decided.
pub(super) fn served(rule: &Compiled, open: &Instance, message: &Message<'_>, came_true: bool) -> Story {
    let core = &rule.core;
    let came = names(core, message.actions);
    let asks = because(open.origin, asks(core));
    if came_true {
        let summary = format!("{}{}, which is forbidden", happened(core), window(core));
        return (summary, vec![asks, because(message.origin, format!("{came}: decided here"))]);
    }
    let summary = format!("{came} came{}, which rules {} out", window(core), wanted(core));
    (summary, vec![asks, because(message.origin, "came here".to_owned())])
}

/// A supposition looked back.
pub(super) fn looked_back(rule: &Compiled, at: Origin, came_true: bool, before: &Before) -> Story {
    let core = &rule.core;
    let mut story: Vec<Because> = Vec::new();
    let summary = if came_true {
        format!("{}{}, which is forbidden", happened(core), window(core))
    } else if before.first.is_some() && before.took < core.lower {
        format!("{} began too late: not{}", wanted(core), window(core))
    } else {
        format!("{}{}", missing(core, before.seen), window(core))
    };
    if let Some(first) = before.first {
        let seen = names(core, before.seen);
        story.push(because(first, format!("the context began here; seen since: {seen}")));
    }
    story.push(because(at, asks(core)));
    (summary, story)
}

/// The trace ended.
pub(super) fn left_open(rule: &Compiled, open: &Instance) -> Story {
    let core = &rule.core;
    let summary = format!("the trace ended before it was clear whether {} came{}", wanted(core), window(core));
    (summary, vec![because(open.origin, asks(core))])
}

fn because(origin: Origin, note: String) -> Because {
    Because { origin, note }
}

fn asks(core: &RuleCore) -> String {
    let verb = match core.modality {
        Modality::Permission => "asks for",
        Modality::Prohibition => "forbids",
    };
    format!("{verb} {}{}", wanted(core), window(core))
}

/// " within 10 s of it", " in the 10 s before"
fn window(core: &RuleCore) -> String {
    let interval = Interval::new(core.lower, true, core.upper.map(|upper| (upper, true))).unwrap_or(Interval::ANY);
    let side = match core.direction {
        Direction::Future => "",
        Direction::Past => " before",
    };
    match describe::distance(core.clock, interval) {
        distance if distance.is_empty() && side.is_empty() => " after it".to_owned(),
        distance => distance + side,
    }
}

/// The context in words: "`a` and no `b`".
fn wanted(core: &RuleCore) -> String {
    words(core, &core.context, None)
}

fn words(core: &RuleCore, part: &ContextCore, outer: Option<&str>) -> String {
    let (parts, joint) = match part {
        ContextCore::Action(action) => {
            let action = &core.actions[*action];
            let name = &core.atoms[action.atom.0 as usize].name;
            return if action.negated { format!("no `{name}`") } else { format!("`{name}`") };
        }
        ContextCore::And(parts) => (parts, " and "),
        ContextCore::Or(parts) => (parts, " or "),
    };
    let text = parts.iter().map(|part| words(core, part, Some(joint))).collect::<Vec<_>>().join(joint);
    if outer.is_some_and(|outer| outer != joint) { format!("({text})") } else { text }
}

/// "`a` and no `b` happened"
fn happened(core: &RuleCore) -> String {
    match &core.context {
        ContextCore::Action(_) => format!("{} came", wanted(core)),
        ContextCore::And(_) | ContextCore::Or(_) => format!("{} came true", wanted(core)),
    }
}

/// "no `a`", "no `a` or `b`", "not `a` and `b`: only `a` came"
fn missing(core: &RuleCore, seen: Actions) -> String {
    let context = wanted(core);
    match &core.context {
        ContextCore::Action(action) if !core.actions[*action].negated => format!("no {context}"),
        _ if seen == 0 => format!("not {context}"),
        _ => format!("not {context} (seen: {})", names(core, seen)),
    }
}

/// The messages of some actions, each once.
fn names(core: &RuleCore, actions: Actions) -> String {
    let mut names: Vec<String> = Vec::new();
    for (_, action) in core.actions.iter().enumerate().filter(|(at, _)| actions >> at & 1 == 1) {
        let name = format!("`{}`", core.atoms[action.atom.0 as usize].name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}
