// SPDX-License-Identifier: MIT OR Apache-2.0
//! Describes patterns: one sentence for the scope, one for the behaviour.

use gnomon_ir::{Atom, Behaviour, Bounds, CountBound, ScopeKind};

use super::words::{capital, distance, event, events, in_turn, list, one, time, times};
use crate::prepared_pattern::{PreparedPattern, named};

pub(super) fn sentences(cell: &PreparedPattern<'_>) -> String {
    let what = behaviour(&cell.behaviour, cell.scope);
    if cell.scope == ScopeKind::Globally {
        return format!("{} {}.", scope(cell), capital(&what));
    }
    format!("{} There, {what}.", scope(cell))
}

fn scope(cell: &PreparedPattern<'_>) -> String {
    let name = |atom: &Option<Atom>| atom.as_ref().map(event).unwrap_or_default();
    let (q, r) = (name(&cell.opens), name(&cell.closes));
    let a_q = cell.opens.as_ref().map(one).unwrap_or_default();
    match cell.scope {
        ScopeKind::Globally => "This is about the whole trace.".to_owned(),
        ScopeKind::Before => {
            format!("This is about what happens before the first {r}; where {r} never happens, nothing is asked.")
        }
        ScopeKind::Until => {
            format!("This is about what happens before the first {r}, or up to the end where {r} never happens.")
        }
        ScopeKind::After => format!(
            "This is about what happens after the first {q}, up to the end; where {q} never happens, nothing is asked."
        ),
        ScopeKind::AfterLast => format!(
            "This is about what happens after the last {q}, up to the end; each {q} makes what came before it forgotten."
        ),
        ScopeKind::Between => format!(
            "This is about every stretch from {a_q} to the next {r}. Another {q} on the way changes nothing, and a stretch that no {r} closes does not count."
        ),
        ScopeKind::BetweenLast => format!(
            "This is about every stretch from {a_q} to the next {r}. Another {q} on the way starts it anew, and a stretch that no {r} closes does not count."
        ),
        ScopeKind::AfterUntil => format!(
            "This is about every stretch from {a_q} to the next {r}, or to the end where no {r} follows. Another {q} on the way changes nothing."
        ),
        ScopeKind::AfterLastUntil => format!(
            "This is about every stretch from {a_q} to the next {r}, or to the end where no {r} follows. Another {q} on the way starts it anew."
        ),
    }
}

fn behaviour(behaviour: &Behaviour, scope: ScopeKind) -> String {
    let opening = if scope.opens() { "the start" } else { "the first event" };
    match behaviour {
        Behaviour::Absence(of) | Behaviour::Count { amount: CountBound::AtMost, number: 0, event: of } => {
            format!("{} never happens", event(of))
        }
        Behaviour::Existence { event: of, within } => {
            let when = within.as_ref().and_then(distance).map(|far| format!(", {far} after {opening}"));
            format!("{} happens at least once{}", event(of), when.unwrap_or_default())
        }
        Behaviour::Count { amount, number, event: of } => {
            format!("{} happens {} {}", event(of), amount.words(), times(*number))
        }
        Behaviour::Rate { number, event: of, window } => {
            format!("{} happens at most {} in any {}", event(of), times(*number), time(*window))
        }
        Behaviour::Universality(of) => format!("every {} is like {}", event(&named(of)), event(of)),
        Behaviour::Only(of) => format!("nothing happens but {}", events(of, "and")),
        Behaviour::Precedence { causes, effects, required, within } => {
            precedence(causes, effects, *required, within.as_ref())
        }
        Behaviour::Response { stimuli, responses, without, required, within } => {
            let far = within.as_ref().and_then(distance);
            let after = if stimuli.len() == 1 { "it" } else { "the last of them" };
            let each = if responses.len() == 1 { "" } else { "each " };
            let when = far.map(|far| format!(", {each}{far} after {after}")).unwrap_or_default();
            let calm = without.as_ref().map(|without| format!(", with no {} in between", event(without)));
            let asked = match stimuli.as_slice() {
                [only] => format!("every {} is followed later by {}", event(only), in_turn(responses)),
                several => {
                    format!("whenever {} happen in this order, {} follows", in_turn(several), in_turn(responses))
                }
            };
            let must = also(*required, stimuli);
            format!("{asked}{}{when}{must}", calm.unwrap_or_default())
        }
        Behaviour::Recurrence { event: of, every, .. } => format!(
            "never more than {} pass without {}: from {opening} to the first one, from each to the next, and from the last to the end",
            time(*every),
            one(of)
        ),
    }
}

fn precedence(causes: &[Atom], effects: &[Atom], required: bool, within: Option<&Bounds>) -> String {
    let far = within.and_then(distance);
    let must = also(required, causes);
    let effect = match effects {
        [only] => format!("{} happens only", event(only)),
        several => format!("{} happen in this order only", in_turn(several)),
    };
    let first = effects.first().map(event).unwrap_or_default();
    let when = match (far, effects.len()) {
        (None, 1) => String::new(),
        (None, _) => format!(" before that {first}"),
        (Some(far), 1) => format!(" {far} before it"),
        (Some(far), _) => format!(" {far} before that {first}"),
    };
    let cause = match causes {
        [only] => format!("if {} has happened{when}", event(only)),
        several => {
            let each = if within.is_some() { ", each" } else { "," };
            let each = if when.is_empty() { "" } else { each };
            let several: Vec<String> = several.iter().map(event).collect();
            format!("if {} have happened, in this order{each}{when}", list(&several, "and"))
        }
    };
    format!("{effect} {cause}{must}")
}

/// Describes `P required`.
fn also(required: bool, of: &[Atom]) -> String {
    match (required, of.first()) {
        (true, Some(first)) => format!("; and {} does happen", event(first)),
        _ => String::new(),
    }
}
