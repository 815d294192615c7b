// SPDX-License-Identifier: MIT OR Apache-2.0
//! Makes a failing case small: whatever can go while it still fails, goes.

mod albert;
mod automaton;
mod modal;
mod prefix;
mod requirement;
mod rule;

use gnomon_core::time::{Duration, Quantity, TICKS_PER_BARE_UNIT, Timestamp};
use gnomon_ir::formula::{Aggregate, Bounds, Formula, Kind};
use gnomon_ir::pattern::Atom;
use gnomon_ir::spec::{Body, Language};

use crate::build::state::always;
use crate::build::{self, children_mut};
use crate::case::Case;
use crate::print;

/// The smallest case found that still fails.
pub fn shrink(case: Case, fails: &dyn Fn(&Case) -> bool) -> Case {
    let mut case = case;
    // Every step makes the case smaller by some measure, but not by one and the same: the bound keeps it finite.
    for _ in 0..2_000 {
        let Some(smaller) = candidates(&case).into_iter().find(|candidate| fails(candidate)) else {
            break;
        };
        case = smaller;
    }
    case
}

fn candidates(case: &Case) -> Vec<Case> {
    let mut found: Vec<Case> = Vec::new();
    let length = case.events.len();
    for size in [length / 2, length / 4, 1] {
        for start in (0..length).step_by(size.max(1)) {
            let mut events = case.events.clone();
            events.drain(start..(start + size.max(1)).min(length));
            found.push(Case { events, ..case.clone() });
        }
    }
    found.extend(prefix::smaller(case));
    match &case.property().body {
        Body::Formula(formula) if case.property().language == Language::Albert => {
            let smaller = albert::smaller(print::invariant(formula)).into_iter();
            found.extend(smaller.map(|formula| with_body(case, Body::Formula(always(formula)))));
        }
        Body::Formula(formula) => {
            let strict = case.property().language == Language::Soloist;
            let smaller = smaller_formulae(formula, strict).into_iter();
            found.extend(smaller.map(|formula| with_body(case, Body::Formula(formula))));
        }
        Body::Automaton(automaton) => {
            let smaller = automaton::smaller(automaton).into_iter();
            found.extend(smaller.map(|automaton| with_body(case, Body::Automaton(automaton))));
        }
        Body::Rule(rule) => {
            let smaller = rule::smaller(rule).into_iter();
            found.extend(smaller.map(|rule| with_body(case, Body::Rule(rule))));
        }
        Body::Requirement(requirement) => {
            let smaller = requirement::smaller(requirement).into_iter();
            found.extend(smaller.map(|requirement| with_body(case, Body::Requirement(requirement))));
        }
        Body::Modal(modal) => {
            let smaller = modal::smaller(modal).into_iter();
            found.extend(smaller.map(|modal| with_body(case, Body::Modal(modal))));
        }
    }
    if case.spec.simultaneous.is_some() {
        let mut simpler = case.clone();
        simpler.spec.simultaneous = None;
        found.push(simpler);
    }
    for at in 0..length {
        found.extend(closer(case, at));
        for field in 0..case.events[at].fields.len() {
            let mut simpler = case.clone();
            simpler.events[at].fields.remove(field);
            found.push(simpler);
        }
    }
    found
}

fn with_body(case: &Case, body: Body) -> Case {
    let property = case.property();
    let properties = build::spec_of(property.language, property.prefix.clone(), body).properties;
    let mut smaller = case.clone();
    smaller.spec.properties = properties;
    smaller
}

/// The events from `at` on a unit, or half the way, nearer to the one before.
fn closer(case: &Case, at: usize) -> Vec<Case> {
    let before = if at == 0 { Timestamp::from_ticks(0) } else { case.events[at - 1].time };
    let gap = (case.events[at].time - before).ticks();
    let whole = gap / TICKS_PER_BARE_UNIT * TICKS_PER_BARE_UNIT;
    let steps = [gap - whole, TICKS_PER_BARE_UNIT, gap / 2 / TICKS_PER_BARE_UNIT * TICKS_PER_BARE_UNIT];
    let steps = steps.into_iter().filter(|step| *step > 0 && *step < gap + i128::from(at == 0));
    steps
        .map(|step| {
            let mut moved = case.clone();
            for event in &mut moved.events[at..] {
                event.time = event.time + Duration::from_ticks(-step);
            }
            moved
        })
        .collect()
}

/// The formula with one thing less.
fn smaller_formulae(formula: &Formula, strict: bool) -> Vec<Formula> {
    let mut found: Vec<Formula> = formula.children().into_iter().cloned().collect();
    if !matches!(formula.kind, Kind::Constant(_)) {
        found.extend([build::constant(true), build::constant(false)]);
    }
    match &formula.kind {
        Kind::Constant(_) => {}
        Kind::Atom(atom) => {
            if atom.condition.is_some() {
                found.push(build::formula(Kind::Atom(Atom { condition: None, ..atom.clone() })));
            }
            if atom.arguments.is_some() {
                found.push(build::atom(&atom.name));
            }
        }
        _ => found.push(build::atom(if strict { "a" } else { "p" })),
    }
    found.extend(smaller_constants(formula, strict));
    for index in 0..formula.children().len() {
        for smaller in smaller_formulae(formula.children()[index], strict) {
            let mut changed = formula.clone();
            *children_mut(&mut changed)[index] = smaller;
            found.push(changed);
        }
    }
    found
}

fn smaller_constants(formula: &Formula, strict: bool) -> Vec<Formula> {
    let mut found = Vec::new();
    let mut with = |change: &dyn Fn(&mut Kind)| {
        let mut changed = formula.clone();
        change(&mut changed.kind);
        if changed != *formula && is_sound(&changed.kind) {
            found.push(changed);
        }
    };
    with(&|kind| {
        if let Kind::Unary { interval, .. } | Kind::Binary { interval, .. } = kind {
            *interval = if strict { Bounds::POSITIVE } else { Bounds::ANY };
        }
    });
    with(&|kind| {
        if let Kind::Unary { interval, .. } | Kind::Binary { interval, .. } = kind {
            interval.lo = Quantity::whole(0);
        }
    });
    with(&|kind| {
        if let Kind::Unary { interval: Bounds { hi: Some(hi), .. }, .. }
        | Kind::Binary { interval: Bounds { hi: Some(hi), .. }, .. } = kind
        {
            *hi = less(*hi);
        }
    });
    with(&|kind| {
        if let Kind::Unary { times, .. } = kind {
            *times = times.saturating_sub(1).max(1);
        }
    });
    with(&|kind| {
        if let Kind::Aggregate { aggregate, .. } = kind {
            match aggregate.as_mut() {
                Aggregate::Count { window, .. }
                | Aggregate::Average { window, .. }
                | Aggregate::Maximum { window, .. }
                | Aggregate::Gap { window, .. }
                | Aggregate::Fold { window, .. } => *window = less(*window),
            }
        }
    });
    with(&|kind| {
        if let Kind::Aggregate { aggregate, .. } = kind
            && let Aggregate::Average { step, .. } | Aggregate::Maximum { step, .. } = aggregate.as_mut()
        {
            *step = less(*step);
        }
    });
    with(&|kind| {
        if let Kind::Aggregate { bound, .. } = kind {
            *bound = less(*bound);
        }
    });
    with(&|kind| {
        if let Kind::Aggregate { full_window, .. } = kind {
            *full_window = false;
        }
    });
    found
}

fn less(quantity: Quantity) -> Quantity {
    Quantity { billionths: (quantity.billionths - TICKS_PER_BARE_UNIT).max(0), ..quantity }
}

/// Whether the checker will take it: an interval with members, a step that fits its window.
fn is_sound(kind: &Kind) -> bool {
    match kind {
        Kind::Unary { interval, .. } | Kind::Binary { interval, .. } => interval.hi.is_none_or(|hi| {
            let (lo, hi) = (interval.lo.billionths, hi.billionths);
            lo < hi || (lo == hi && interval.lo_closed && interval.hi_closed)
        }),
        Kind::Aggregate { aggregate, .. } => match aggregate.as_ref() {
            Aggregate::Average { window, step, .. } | Aggregate::Maximum { window, step, .. } => {
                step.billionths > 0 && step.billionths <= window.billionths
            }
            Aggregate::Count { .. } | Aggregate::Gap { .. } | Aggregate::Fold { .. } => true,
        },
        _ => true,
    }
}
