// SPDX-License-Identifier: MIT OR Apache-2.0
//! Describes logic plug-ins: the sequence of the events that share values, and what must not become of it.

use gnomon_ir::{Ere, ForbiddenCategory, Fsm, FsmState, Linear, Logic, Plugin, Property, Quantifier, Variable};

use super::words::{capital, enumeration, event};

pub(super) fn sentences(property: &Property, plugin: &Plugin) -> String {
    let mut out = vec![subject(&property.prefix, plugin)];
    out.extend(beginning(property, plugin));
    if let Logic::Fsm(fsm) = &plugin.logic {
        out.push(machine(fsm));
    }
    let default = plugin.logic.kind().default_category();
    let names: Vec<&str> = match plugin.forbidden.as_slice() {
        [] => vec![default],
        forbidden => forbidden.iter().map(|one| one.name.name.as_str()).collect(),
    };
    out.extend(names.iter().map(|name| requirement(&plugin.logic, name)));
    let resets: Vec<&ForbiddenCategory> = plugin.forbidden.iter().filter(|one| one.resets).collect();
    if !resets.is_empty() {
        out.push("After a violation the sequence begins again.".to_owned());
    }
    if plugin.full_binding {
        out.push("Sequences that leave a parameter open are not reported.".to_owned());
    }
    if plugin.connected {
        out.push("Values must be linked by common events.".to_owned());
    }
    out.join(" ")
}

fn subject(prefix: &[Quantifier], plugin: &Plugin) -> String {
    let mut events: Vec<String> = Vec::new();
    for one in &plugin.events {
        let name = if one.is_end { "the end of the trace".to_owned() } else { event(&one.atom) };
        if !events.contains(&name) {
            events.push(name);
        }
    }
    let parameters = prefix.iter().flat_map(|quantifier| &quantifier.variables);
    let parameters: Vec<String> = parameters.map(quoted).collect();
    let listed = enumeration(&events, "and");
    match parameters.as_slice() {
        [] => format!("The events {listed} form a sequence."),
        _ => format!(
            "For all values of {}: the events {listed} with these values form a sequence.",
            enumeration(&parameters, "and")
        ),
    }
}

/// Describes the events that begin sequences.
fn beginning(property: &Property, plugin: &Plugin) -> Option<String> {
    let names: Vec<String> = plugin.creation.iter().map(quoted).collect();
    let listed = enumeration(&names, "or");
    let count = property.prefix.iter().map(|quantifier| quantifier.variables.len()).sum::<usize>();
    let bound = |name: &Variable| {
        let event = plugin.events.iter().find(|event| event.atom.name == name.name);
        let arguments = event.and_then(|event| event.atom.arguments.as_ref()).map_or(&[][..], Vec::as_slice);
        property
            .prefix
            .iter()
            .flat_map(|quantifier| &quantifier.variables)
            .filter(|parameter| {
                arguments
                    .iter()
                    .any(|one| matches!(one, gnomon_ir::Argument::Variable(of) if of.name == parameter.name))
            })
            .count()
    };
    let drops = plugin.creation.iter().all(|name| bound(name) == count);
    Some(match (plugin.creation.is_empty(), plugin.suffix) {
        (true, false) => return None,
        (true, true) => "Each event begins a sequence of its own.".to_owned(),
        (false, true) => format!("Each {listed} begins a sequence of its own."),
        (false, false) if drops => format!("It begins with the first {listed}; events before that do not count."),
        (false, false) => format!("A sequence that does not begin with {listed} is ignored."),
    })
}

fn requirement(logic: &Logic, category: &str) -> String {
    let is = |name: &str| category.eq_ignore_ascii_case(name);
    match logic {
        Logic::Ere(ere) if is("fail") => format!("It must always be the beginning of: {}.", words(ere)),
        Logic::Ere(ere) => format!("It must never be: {}.", words(ere)),
        Logic::Cfg(_) => {
            let grammar = gnomon_lang::mop::print_logic(logic).replace('\n', " ");
            if is("fail") {
                format!("It must always be the beginning of a word of the grammar `{grammar}`.")
            } else {
                format!("It must never be a word of the grammar `{grammar}`.")
            }
        }
        Logic::Fsm(fsm) => {
            let alias = fsm.aliases.iter().find(|alias| alias.name.name.eq_ignore_ascii_case(category));
            match alias {
                _ if is("fail") => "No event may fail.".to_owned(),
                _ if is("nonfail") => "Every event must fail.".to_owned(),
                Some(alias) => {
                    let states: Vec<String> = alias.states.iter().map(quoted).collect();
                    format!("The state must never be {}.", enumeration(&states, "or"))
                }
                None => format!("The state must never be `{category}`."),
            }
        }
        Logic::Ltl(_) if is("validation") => {
            format!("It must never become certain that {} holds, whatever follows.", formula(logic))
        }
        Logic::Ltl(_) => format!("{} must hold at its first event.", capital(&formula(logic))),
        Logic::PastLtl(_) if is("validation") => format!("{} must be false at every event.", capital(&formula(logic))),
        Logic::PastLtl(_) => format!("{} must be true at every event.", capital(&formula(logic))),
    }
}

fn formula(logic: &Logic) -> String {
    match logic {
        Logic::Ltl(Linear::Event(name)) | Logic::PastLtl(Linear::Event(name)) => format!("the event {}", quoted(name)),
        _ => format!("the formula `{}`", gnomon_lang::mop::print_logic(logic)),
    }
}

fn machine(fsm: &Fsm) -> String {
    let mut out: Vec<String> = Vec::new();
    if let Some(first) = fsm.states.first() {
        out.push(format!("The state is initially {}.", quoted(&first.name)));
    }
    out.extend(fsm.states.iter().map(state));
    out.join(" ")
}

fn state(state: &FsmState) -> String {
    let moves = state.transitions.iter().map(|(event, target)| {
        let target = if target.name == state.name.name {
            "stays there".to_owned()
        } else {
            format!("leads to {}", quoted(target))
        };
        format!("{} {target}", quoted(event))
    });
    let mut moves: Vec<String> = moves.collect();
    let other = if moves.is_empty() { "every event" } else { "any other event" };
    moves.push(match &state.default {
        Some(target) if target.name == state.name.name => format!("{other} stays there"),
        Some(target) => format!("{other} leads to {}", quoted(target)),
        None => format!("{other} fails"),
    });
    format!("In {}, {}.", quoted(&state.name), enumeration(&moves, "and"))
}

fn quoted(name: &Variable) -> String {
    format!("`{}`", name.name)
}

/// Describes the words of an expression.
fn words(ere: &Ere) -> String {
    match ere {
        Ere::Empty => "an impossible sequence".to_owned(),
        Ere::Epsilon => "nothing".to_owned(),
        Ere::Letter(name) => quoted(name),
        Ere::Or(..) => {
            let mut parts = Vec::new();
            flat(ere, &mut parts, &|of| if let Ere::Or(left, right) = of { Some((left, right)) } else { None });
            let parts: Vec<String> = parts.into_iter().map(part).collect();
            format!("either {}", enumeration(&parts, "or"))
        }
        Ere::And(..) => {
            let mut parts = Vec::new();
            flat(ere, &mut parts, &|of| if let Ere::And(left, right) = of { Some((left, right)) } else { None });
            let parts: Vec<String> = parts.into_iter().map(part).collect();
            format!("at the same time {}", enumeration(&parts, "and"))
        }
        Ere::Then(..) => {
            let mut parts = Vec::new();
            flat(ere, &mut parts, &|of| if let Ere::Then(left, right) = of { Some((left, right)) } else { None });
            parts.into_iter().map(part).collect::<Vec<_>>().join(", then ")
        }
        Ere::Not(of) => format!("anything but {}", part(of)),
        Ere::Star(of) => format!("any number of {}", part(of)),
        Ere::Plus(of) => format!("one or more of {}", part(of)),
        Ere::Optional(of) => format!("possibly {}", part(of)),
        Ere::Power(of, times) => format!("{times} times {}", part(of)),
    }
}

/// Describes a part, in parentheses unless it is an event.
fn part(of: &Ere) -> String {
    match of {
        Ere::Letter(_) | Ere::Empty | Ere::Epsilon => words(of),
        Ere::Star(inner) | Ere::Plus(inner) | Ere::Optional(inner) if matches!(**inner, Ere::Letter(_)) => words(of),
        _ => format!("({})", words(of)),
    }
}

type Split<'a> = dyn Fn(&'a Ere) -> Option<(&'a Ere, &'a Ere)> + 'a;

/// Appends the operands of an associative operator.
fn flat<'a>(of: &'a Ere, into: &mut Vec<&'a Ere>, split: &Split<'a>) {
    match split(of) {
        Some((left, right)) => {
            flat(left, into, split);
            flat(right, into, split);
        }
        None => into.push(of),
    }
}
