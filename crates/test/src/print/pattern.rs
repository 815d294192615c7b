// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns as text.

use gnomon_ir::atom::{Argument, Atom};
use gnomon_ir::formula::Bounds;
use gnomon_ir::pattern::{Behaviour, Pattern, Scope, ScopeKind};
use gnomon_ir::spec::Quantifier;

use super::{atom_text, bounds};

/// `for every x: between q(x) and r: absence of p(x)`
pub(super) fn text(prefix: &[Quantifier], pattern: &Pattern) -> String {
    let names = prefix.iter().flat_map(|quantifier| &quantifier.variables).map(|variable| variable.name.as_str());
    let names: Vec<&str> = names.filter(|name| !is_wildcard(name)).collect();
    let prefix = if names.is_empty() { String::new() } else { format!("for every {}: ", names.join(", ")) };
    format!("{prefix}{}: {}", scope(&pattern.scope), behaviour(&pattern.behaviour))
}

/// Returns true if every occurrence of a variable is written `*`.
fn is_wildcard(name: &str) -> bool {
    name.starts_with('*')
}

fn event(atom: &Atom) -> String {
    let mut atom = atom.clone();
    for argument in atom.arguments.iter_mut().flatten() {
        if let Argument::Variable(variable) = argument
            && is_wildcard(&variable.name)
        {
            "*".clone_into(&mut variable.name);
        }
    }
    atom_text(&atom)
}

fn events(atoms: &[Atom]) -> String {
    atoms.iter().map(event).collect::<Vec<_>>().join(", ")
}

fn scope(scope: &Scope) -> String {
    let delimiter = |atom: &Option<Atom>| atom.as_ref().map_or(String::new(), event);
    let (opens, closes) = (delimiter(&scope.opens), delimiter(&scope.closes));
    match scope.kind {
        ScopeKind::Globally => "globally".to_owned(),
        ScopeKind::Before => format!("before {closes}"),
        ScopeKind::Until => format!("until {closes}"),
        ScopeKind::After => format!("after {opens}"),
        ScopeKind::AfterLast => format!("after last {opens}"),
        ScopeKind::Between => format!("between {opens} and {closes}"),
        ScopeKind::BetweenLast => format!("between last {opens} and {closes}"),
        ScopeKind::AfterUntil => format!("after {opens} until {closes}"),
        ScopeKind::AfterLastUntil => format!("after last {opens} until {closes}"),
    }
}

fn behaviour(behaviour: &Behaviour) -> String {
    match behaviour {
        Behaviour::Absence(of) => format!("absence of {}", event(of)),
        Behaviour::Existence { event: of, within } => {
            format!("existence of {}{}", event(of), distance(within.as_ref()))
        }
        Behaviour::Count { amount, number, event: of } => format!("{} {number} {}", amount.words(), event(of)),
        Behaviour::Rate { number, event: of, window } => format!("at most {number} {} in {window}", event(of)),
        Behaviour::Universality(of) => format!("universality of {}", event(of)),
        Behaviour::Only(of) => format!("only {}", events(of)),
        Behaviour::Precedence { causes, effects, required, within } => {
            let verb = if causes.len() == 1 { "precedes" } else { "precede" };
            let required = if *required { format!(", {} required", event(&causes[0])) } else { String::new() };
            format!("{} {verb} {}{}{required}", events(causes), events(effects), distance(within.as_ref()))
        }
        Behaviour::Response { stimuli, responses, without, required, within } => {
            let verb = if responses.len() == 1 { "responds" } else { "respond" };
            let without = without.as_ref().map_or(String::new(), |of| format!(" without {}", event(of)));
            let required = if *required { format!(", {} required", event(&stimuli[0])) } else { String::new() };
            format!(
                "{}{without} {verb} to {}{}{required}",
                events(responses),
                events(stimuli),
                distance(within.as_ref())
            )
        }
        Behaviour::Recurrence { event: of, every, .. } => format!("{} recurs every {every}", event(of)),
    }
}

fn distance(within: Option<&Bounds>) -> String {
    within.map_or(String::new(), |within| format!(" within {}", bounds(within)))
}
