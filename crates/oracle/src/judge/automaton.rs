// SPDX-License-Identifier: MIT OR Apache-2.0
//! An automaton under its quantifiers: every combination of values is run and counted.
// RULE A7, A8, A9, A10

use std::collections::BTreeMap;

use gnomon_core::verdict::{At, Binding, Decided, End, Violation};
use gnomon_ir::core::AutomatonCore;
use gnomon_ir::spec::QuantifierKind;

use super::tally::Tally;
use super::{Judgement, once};
use crate::automaton::{Course, is_judged, run};
use crate::domain::{Choice, Domains};
use crate::prefix::{Quantified, is_plain_forall};
use crate::trace::Trace;
use crate::truth::Truth;

pub(super) fn judge(core: &AutomatonCore, trace: &Trace, end: End) -> Judgement {
    let domains = Domains::new(&core.atoms, core.prefix.len(), trace);
    let told_apart = core.prefix.iter().all(is_plain_forall);
    let mut tally = Tally::default();
    let mut values: BTreeMap<Choice, (Truth, Truth)> = BTreeMap::new();
    for choice in domains.choices(core.prefix.len()) {
        let binding = domains.values(&choice);
        if !is_judged(core, &binding) {
            let neutral = neutral(core);
            values.insert(choice, (neutral, neutral));
            continue;
        }
        let course = run(core, trace, &binding);
        let value = course.truth(end);
        if told_apart {
            count(&course, value, trace, &mut tally);
        }
        if told_apart && value == Truth::False && !trace.events().is_empty() {
            tally.next_binding();
            tally.violation(violation(core, trace, &course, domains.binding(&core.prefix, &choice)));
        }
        values.insert(choice, (value, course.truth(End::Complete)));
    }
    let now_known = |choice: &[usize]| values[choice].0;
    let known_if_complete = |choice: &[usize]| values[choice].1;
    let prefix = core.prefix.as_slice();
    let quantified = Quantified { prefix, domains: &domains, end, body: &now_known };
    let if_complete = Quantified { end: End::Complete, body: &known_if_complete, ..quantified };
    if !told_apart {
        once::tell(&quantified, trace, (core.span, true), &mut tally);
    }
    Judgement {
        truth: quantified.truth(),
        if_complete: if_complete.truth(),
        positions: trace.events().len(),
        tally,
        merged_simultaneous: false,
    }
}

/// What a binding that is not judged is worth: it decides nothing.
// RULE A7
fn neutral(core: &AutomatonCore) -> Truth {
    Truth::from(core.prefix.last().is_none_or(|innermost| innermost.kind == QuantifierKind::Forall))
}

// RULE A8
fn count(course: &Course, value: Truth, trace: &Trace, tally: &mut Tally) {
    let (Some(first), Some(last)) = (course.slice.first(), course.slice.last()) else {
        // No event asked anything of it, but it may be rejected all the same.
        tally.violated += u64::from(value == Truth::False);
        return;
    };
    tally.activation(value);
    if value == Truth::True {
        tally.duration(trace.events()[*last].time - trace.events()[*first].time);
    }
}

// RULE A10
fn violation(core: &AutomatonCore, trace: &Trace, course: &Course, binding: Binding) -> Violation {
    let at = course.fall();
    let end = trace.events().last().map(|event| event.time).unwrap_or_default();
    Violation {
        at: At { position: at as u64, origin: trace.origin(at) },
        until_position: None,
        decided: course.certain().map_or(Decided::End(end), |event| Decided::Event(trace.origin(event))),
        binding,
        failed: core.span,
        summary: String::new(),
        because: vec![],
    }
}

impl Course {
    // RULE A9
    fn truth(&self, end: End) -> Truth {
        let last = self.standings[self.standings.len() - 1];
        match end {
            End::Complete => Truth::from(last.accepting),
            End::Prefix if last.trapped => Truth::False,
            End::Prefix if last.safe => Truth::True,
            End::Prefix => Truth::Unknown,
        }
    }

    /// The event with which the binding fell: the last that took it from accepting to not accepting, else the first
    /// that concerns it, else the first of the trace.
    // RULE A10
    fn fall(&self) -> usize {
        let steps = self.standings.windows(2).zip(&self.slice);
        let mut falls = steps.filter(|(pair, _)| pair[0].accepting && !pair[1].accepting);
        falls.next_back().map(|(_, event)| *event).or(self.slice.first().copied()).unwrap_or(0)
    }

    /// The event with which it became certain that the binding is rejected; if that was so from the beginning, its first.
    // RULE A10
    fn certain(&self) -> Option<usize> {
        let trapped = self.standings.iter().position(|standing| standing.trapped)?;
        Some(self.slice.get(trapped.saturating_sub(1)).copied().unwrap_or(0))
    }
}
