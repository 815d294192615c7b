// SPDX-License-Identifier: MIT OR Apache-2.0
//! Describes patterns: the scope introduces the sentence, the behaviour is what must happen.

use gnomon_ir::{Atom, Behaviour, Bounds, CountBound, ScopeKind};

use super::words::{a_time, capital, enumeration, event, events, in_turn, range, time, times, within};
use crate::prepared_pattern::{PreparedPattern, named};

pub(super) fn sentences(prepared: &PreparedPattern<'_>) -> String {
    let (lead, note) = scope(prepared);
    let must = behaviour(&prepared.behaviour, prepared.scope);
    capital(&format!("{lead}{must}.{note}"))
}

/// Returns the words before the behaviour, and a sentence about segments that are special.
fn scope(prepared: &PreparedPattern<'_>) -> (String, String) {
    let name = |atom: &Option<Atom>| atom.as_ref().map(event).unwrap_or_default();
    let (q, r) = (name(&prepared.opens), name(&prepared.closes));
    let unless = |event: &str| format!(" If {event} never occurs, nothing is checked.");
    let unclosed = format!(" A segment that no {r} closes is not checked.");
    match prepared.scope {
        ScopeKind::Globally => (String::new(), String::new()),
        ScopeKind::Before => (format!("before the first {r}, "), unless(&r)),
        ScopeKind::Until => (format!("before the first {r}, or until the end if {r} never occurs, "), String::new()),
        ScopeKind::After => (format!("after the first {q}, "), unless(&q)),
        ScopeKind::AfterLast => (format!("after the last {q}, "), unless(&q)),
        ScopeKind::Between => (format!("between each {q} and the next {r}, "), unclosed),
        ScopeKind::BetweenLast => {
            (format!("between each {q} and the next {r}, "), format!(" A further {q} restarts the segment.{unclosed}"))
        }
        ScopeKind::AfterUntil => {
            (format!("from each {q} until the next {r}, or until the end if none follows, "), String::new())
        }
        ScopeKind::AfterLastUntil => (
            format!("from each {q} until the next {r}, or until the end if none follows, "),
            format!(" A further {q} restarts the segment."),
        ),
    }
}

fn behaviour(behaviour: &Behaviour, scope: ScopeKind) -> String {
    let opening = if scope.opens() { "the start of the segment" } else { "the first event" };
    match behaviour {
        Behaviour::Absence(of) | Behaviour::Count { amount: CountBound::AtMost, number: 0, event: of } => {
            format!("{} must not occur", event(of))
        }
        Behaviour::Existence { event: of, within } => {
            format!("{} must occur{}", event(of), at_distance(within.as_ref(), "of", "after", opening))
        }
        Behaviour::Count { amount, number, event: of } => {
            format!("{} must occur {} {}", event(of), amount.words(), times(*number))
        }
        Behaviour::Rate { number, event: of, window } => {
            format!("{} may occur at most {} in any {}", event(of), times(*number), a_time(*window))
        }
        Behaviour::Universality(of) => format!("every {} must match {}", event(&named(of)), event(of)),
        Behaviour::Only(of) => format!("only {} may occur", events(of, "and")),
        Behaviour::Precedence { causes, effects, required, within } => {
            precedence(causes, effects, *required, within.as_ref())
        }
        Behaviour::Response { stimuli, responses, without, required, within } => {
            let after = stimuli.last().map(event).unwrap_or_default();
            let when = at_distance(within.as_ref(), "of", "after", &format!("the {after}"));
            let when = if when.is_empty() || responses.len() == 1 { when } else { format!(", each{when}") };
            let undisturbed =
                without.as_ref().zip(responses.first().zip(responses.last())).map(|(without, (first, last))| {
                    format!(", with no {} between {} and {}", event(without), event(first), event(last))
                });
            let asked = match stimuli.as_slice() {
                [only] => format!("every {} must be followed by {}", event(only), in_turn(responses)),
                several => {
                    format!("whenever {} occur, {} must follow", in_turn(several), in_turn(responses))
                }
            };
            format!("{asked}{when}{}{}", undisturbed.unwrap_or_default(), also(*required, stimuli))
        }
        Behaviour::Recurrence { event: of, every, .. } => {
            let from = if scope.opens() { "" } else { ", from the first event on" };
            format!("no more than {} may pass without {}{from}", time(*every), event(of))
        }
    }
}

fn precedence(causes: &[Atom], effects: &[Atom], required: bool, within: Option<&Bounds>) -> String {
    let first = effects.first().map(event).unwrap_or_default();
    let before = match effects {
        [_] => "it".to_owned(),
        _ => format!("that {first}"),
    };
    let effect = match effects {
        [only] => format!("{} may occur only if", event(only)),
        several => format!("{} may occur only if", in_turn(several)),
    };
    let cause = match causes {
        [only] => format!("{} has occurred", event(only)),
        several => {
            format!(
                "{} have occurred in this order",
                enumeration(&several.iter().map(event).collect::<Vec<_>>(), "and")
            )
        }
    };
    let when = match within {
        None => format!(" before {before}"),
        Some(bounds) => past_distance(bounds, &before),
    };
    format!("{effect} {cause}{when}{}", also(required, causes))
}

/// Describes distances before an event.
fn past_distance(bounds: &Bounds, before: &str) -> String {
    match (range(bounds), bounds.hi) {
        (None, Some(hi)) if bounds.hi_closed => format!(" in the {} before {before}", time(hi)),
        (None, Some(hi)) => format!(" less than {} before {before}", time(hi)),
        (Some(far), _) => format!(" {far} before {before}"),
        (None, None) => format!(" before {before}"),
    }
}

/// Describes distances after an event.
fn at_distance(bounds: Option<&Bounds>, of: &str, after: &str, origin: &str) -> String {
    let Some(bounds) = bounds else { return String::new() };
    match (within(bounds), range(bounds)) {
        (Some(within), _) if bounds.hi_closed => format!(" {within} {of} {origin}"),
        (Some(_), _) => format!(" less than {} {after} {origin}", bounds.hi.map(time).unwrap_or_default()),
        (None, Some(far)) => format!(" {far} {after} {origin}"),
        (None, None) => String::new(),
    }
}

/// Describes `P required`.
fn also(required: bool, of: &[Atom]) -> String {
    match (required, of.first()) {
        (true, Some(first)) => format!("; in addition, {} must occur", event(first)),
        _ => String::new(),
    }
}
