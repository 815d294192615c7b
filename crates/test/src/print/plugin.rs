// SPDX-License-Identifier: MIT OR Apache-2.0
//! Logic plug-ins as text.

use gnomon_ir::{Ere, Fsm, FsmState, GrammarRule, Linear, Logic, Plugin, PluginEvent, Quantifier, Variable};

use super::atom_text;

/// The sections of a block, one per line.
pub(super) fn text(prefix: &[Quantifier], plugin: &Plugin) -> String {
    let parameters: Vec<Variable> = prefix.iter().flat_map(|quantifier| quantifier.variables.clone()).collect();
    let mut lines: Vec<String> = Vec::new();
    if !parameters.is_empty() {
        lines.push(format!("parameters {}", names(&parameters)));
    }
    let events: Vec<String> = plugin.events.iter().map(event).collect();
    lines.push(format!("events {}", events.join(", ")));
    if !plugin.creation.is_empty() {
        lines.push(format!("creation {}", names(&plugin.creation)));
    }
    for (word, is_set) in
        [("suffix", plugin.suffix), ("full-binding", plugin.full_binding), ("connected", plugin.connected)]
    {
        lines.extend(is_set.then(|| word.to_owned()));
    }
    lines.push(match &plugin.logic {
        Logic::Ere(of) => format!("ere: {}", ere(of)),
        Logic::Fsm(of) => format!("fsm: {}", machine(of)),
        Logic::Cfg(rules) => format!("cfg: {}", rules.iter().map(rule).collect::<Vec<_>>().join(", ")),
        Logic::Ltl(of) => format!("ltl: {}", linear(of)),
        Logic::PastLtl(of) => format!("ptltl: {}", linear(of)),
    });
    let forbidden = plugin.forbidden.iter().map(|one| {
        let message = one.message.as_ref().map_or(String::new(), |message| format!(" \"{message}\""));
        format!("{}{message}{}", one.name.name, if one.resets { " reset" } else { "" })
    });
    let forbidden: Vec<String> = forbidden.collect();
    if !forbidden.is_empty() {
        lines.push(format!("forbid {}", forbidden.join(", ")));
    }
    lines.join("\n")
}

fn names(names: &[Variable]) -> String {
    names.iter().map(|name| name.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn event(event: &PluginEvent) -> String {
    match (event.is_end, event.atom.name.as_str()) {
        (true, "endProgram") => "endProgram".to_owned(),
        (true, name) => format!("endProgram as {name}"),
        (false, _) => atom_text(&event.atom),
    }
}

fn ere(of: &Ere) -> String {
    match of {
        Ere::Empty => "empty".to_owned(),
        Ere::Epsilon => "epsilon".to_owned(),
        Ere::Letter(name) => name.name.clone(),
        Ere::Or(left, right) => format!("({}) | ({})", ere(left), ere(right)),
        Ere::And(left, right) => format!("({}) & ({})", ere(left), ere(right)),
        Ere::Then(left, right) => format!("({}) ({})", ere(left), ere(right)),
        Ere::Not(of) => format!("~({})", ere(of)),
        Ere::Star(of) => format!("({})*", ere(of)),
        Ere::Plus(of) => format!("({})+", ere(of)),
        Ere::Optional(of) => format!("({})?", ere(of)),
        Ere::Power(of, times) => format!("({})^{times}", ere(of)),
    }
}

fn machine(fsm: &Fsm) -> String {
    let state = |state: &FsmState| {
        let transitions = state.transitions.iter().map(|(event, target)| format!("{} -> {}", event.name, target.name));
        let default = state.default.iter().map(|target| format!("default {}", target.name));
        let parts: Vec<String> = transitions.chain(default).collect();
        format!("{} [ {} ]", state.name.name, parts.join(" "))
    };
    let aliases = fsm.aliases.iter().map(|alias| format!("alias {} = {}", alias.name.name, names(&alias.states)));
    fsm.states.iter().map(state).chain(aliases).collect::<Vec<_>>().join(" ")
}

fn rule(rule: &GrammarRule) -> String {
    format!("{} -> {}", rule.name.name, ere(&rule.right))
}

fn linear(of: &Linear) -> String {
    match of {
        Linear::Constant(value) => value.to_string(),
        Linear::Event(name) => name.name.clone(),
        Linear::Not(of) => format!("!({})", linear(of)),
        Linear::Unary(operator, of) => format!("{} ({})", operator.word(), linear(of)),
        Linear::Binary(operator, left, right) => {
            format!("({}) {} ({})", linear(left), operator.word(), linear(right))
        }
    }
}
