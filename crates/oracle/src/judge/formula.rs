// SPDX-License-Identifier: MIT OR Apache-2.0
//! A formula under its quantifiers: binding by binding, or once where bindings are not told apart.
// RULE Q2, Q3, Q4

use std::collections::BTreeMap;

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{End, Simultaneous};
use gnomon_ir::core::{FormulaCore, Reading};

use super::binding::Judge;
use super::tally::Tally;
use super::{Judgement, once};
use crate::domain::{Choice, Domains};
use crate::prefix::{Quantified, is_plain_forall};
use crate::table::Facts;
use crate::trace::{Position, Trace};
use crate::truth::Truth;
use crate::{atom, empty};

pub(super) fn judge(core: &FormulaCore, trace: &Trace, end: End, now: Option<Timestamp>) -> Judgement {
    let domains = Domains::new(&core.atoms, core.prefix.len(), trace);
    let told_apart = core.prefix.iter().all(is_plain_forall);
    let mut tally = Tally::default();
    let mut values: BTreeMap<Choice, (Truth, Truth)> = BTreeMap::new();
    for choice in domains.choices(core.prefix.len()) {
        let binding = domains.values(&choice);
        let facts = Facts::new(core, trace, &binding);
        let value = if facts.times.is_empty() {
            (empty::truth(core, end), empty::truth(core, End::Complete))
        } else {
            let named = domains.binding(&core.prefix, &choice);
            let judge = Judge::new(core, trace, &facts, (binding, named), end, now);
            if told_apart {
                tally.next_binding();
                judge.tell(end, &mut tally);
            }
            judge.value()
        };
        values.insert(choice, value);
    }
    let now_known = |choice: &[usize]| values[choice].0;
    let known_if_complete = |choice: &[usize]| values[choice].1;
    let prefix = core.prefix.as_slice();
    let quantified = Quantified { prefix, domains: &domains, end, body: &now_known };
    let if_complete = Quantified { end: End::Complete, body: &known_if_complete, ..quantified };
    let positions = trace.positions(core.simultaneous);
    if told_apart {
        if positions.is_empty() && prefix.is_empty() {
            tell_of_nothing(core, end, &mut tally);
        }
    } else {
        once::tell(&quantified, trace, (body_span(core), core.looks_ahead(core.formula)), &mut tally);
    }
    Judgement {
        truth: quantified.truth(),
        if_complete: if_complete.truth(),
        merged_simultaneous: merged_simultaneous(core, trace, &positions),
        positions: positions.len(),
        tally,
    }
}

/// Without positions there is nothing to show and no time that passed, only something to count.
// RULE V12
fn tell_of_nothing(core: &FormulaCore, end: End, tally: &mut Tally) {
    match &core.reading {
        // The first position may still come, and with it what is asked for there.
        _ if end == End::Prefix => {}
        Reading::Invariants(invariants) => {
            let out_of_reach = invariants.iter().filter(|invariant| !invariant.nexts.is_empty());
            out_of_reach.for_each(|_| tally.activation(Truth::False));
        }
        Reading::Whole(_) => tally.activation(empty::truth(core, end)),
    }
}

fn body_span(core: &FormulaCore) -> Span {
    match &core.reading {
        Reading::Whole(whole) => whole.span,
        Reading::Invariants(invariants) => {
            invariants.iter().map(|invariant| invariant.span).reduce(Span::to).unwrap_or_default()
        }
    }
}

/// Whether some position has two events that the property looks at, for whatever binding.
fn merged_simultaneous(core: &FormulaCore, trace: &Trace, positions: &[Position]) -> bool {
    let looked_at = |index: &usize| core.atoms.iter().any(|atom| atom::matches(atom, &trace.events()[*index], &[]));
    core.simultaneous == Simultaneous::Merge
        && positions.iter().any(|position| position.events.clone().filter(looked_at).count() > 1)
}
