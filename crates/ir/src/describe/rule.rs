// SPDX-License-Identifier: MIT OR Apache-2.0
//! Short descriptions of the parts of a rule over messages, for explanations of violations.

use gnomon_core::interval::Interval;

use super::AmountPrinter;
use crate::core::{ContextDirection, RuleContextCore, RuleCore};
use crate::rule::Modality;

/// Describes the requirement that a supposition activates: "requires `reply` within 10 s".
pub fn asks(core: &RuleCore) -> String {
    let verb = match core.modality {
        Modality::Permission => "requires",
        Modality::Prohibition => "forbids",
    };
    format!("{verb} {}{}", wanted(core), window(core))
}

/// Returns the distances between a supposition and its context.
pub fn distances(core: &RuleCore) -> Interval {
    Interval::new(core.lower, true, core.upper.map(|upper| (upper, true))).unwrap_or(Interval::ANY)
}

/// Describes the window of a rule: " within 10 s", " within 10 s before".
pub fn window(core: &RuleCore) -> String {
    let side = match core.direction {
        ContextDirection::Future => "",
        ContextDirection::Past => " before",
    };
    match AmountPrinter::new(core.clock, core.needs_unit).distance(distances(core)) {
        distance if distance.is_empty() && side.is_empty() => " after it".to_owned(),
        distance => distance + side,
    }
}

/// Describes the context: "`a` and no `b`".
pub fn wanted(core: &RuleCore) -> String {
    words(core, &core.context, None)
}

fn words(core: &RuleCore, part: &RuleContextCore, outer: Option<&str>) -> String {
    let (parts, joint) = match part {
        RuleContextCore::Action(number) => {
            let name = action(core, *number);
            return if core.actions[*number].negated { format!("no {name}") } else { name };
        }
        RuleContextCore::And(parts) => (parts, " and "),
        RuleContextCore::Or(parts) => (parts, " or "),
    };
    let text = parts.iter().map(|part| words(core, part, Some(joint))).collect::<Vec<_>>().join(joint);
    if outer.is_some_and(|outer| outer != joint) { format!("({text})") } else { text }
}

/// Describes a context that came true: "`a` and no `b` came true".
pub fn happened(core: &RuleCore) -> String {
    match &core.context {
        RuleContextCore::Action(_) => format!("{} came", wanted(core)),
        RuleContextCore::And(_) | RuleContextCore::Or(_) => format!("{} came true", wanted(core)),
    }
}

/// Returns the name of the message of an action.
fn action(core: &RuleCore, number: usize) -> String {
    format!("`{}`", core.atoms[core.actions[number].atom.0 as usize].name)
}

/// Lists the messages of actions, each once: "`a`, `b`".
pub fn messages(core: &RuleCore, actions: impl Iterator<Item = usize>) -> String {
    let names = gnomon_core::list::unique(actions.map(|number| action(core, number)));
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}
