// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explanations of generated violations: they exist, name only events that concern the binding, and do not depend on others.

use gnomon_core::value::Value;
use gnomon_core::verdict::{DecisionPoint, End, Origin, Violation};
use gnomon_ir::core::Core;
use gnomon_ir::rule::Matching;
use gnomon_ir::spec::Language;
use gnomon_oracle::explain::{Evidence, Explanation, explain, is_relevant, most_others};
use gnomon_oracle::{OracleEvent, Trace, judge_each};
use gnomon_test::case::Case;
use gnomon_test::property::for_all_in;

/// The values of a binding of all variables; a rule has none.
fn values(core: &Core, violation: &Violation) -> Option<Vec<Value<'static>>> {
    if matches!(core, Core::Rule(_)) {
        return Some(vec![]);
    }
    let named = &violation.binding.values;
    let is_whole = core.prefix().iter().map(|one| &one.variable).eq(named.iter().map(|(name, _)| name));
    is_whole.then(|| named.iter().map(|(_, value)| value.clone()).collect())
}

fn explained(
    core: &Core,
    events: Vec<(Origin, OracleEvent)>,
    values: &[Value<'static>],
    violation: &Violation,
) -> Option<Explanation> {
    let (origins, events): (Vec<Origin>, Vec<OracleEvent>) = events.into_iter().unzip();
    let trace = Trace::new(events);
    explain(core, Evidence { trace: &trace, origins: &origins, values, since: None }, violation)
}

fn decided(violation: &Violation) -> Option<u64> {
    match violation.decided {
        DecisionPoint::Event(origin) => Some(origin.event_index),
        DecisionPoint::Deadline(_) | DecisionPoint::End(_) => None,
    }
}

fn explanations_are_right(case: &Case) -> Result<(), String> {
    let core = case.core()?;
    let trace = case.trace();
    let origin = |index: usize, event: &OracleEvent| Origin {
        event_index: index as u64,
        time: event.time,
        event: trace.symbols().find_name(&event.name).expect("a name of the trace"),
    };
    let events: Vec<(Origin, OracleEvent)> =
        trace.events().iter().enumerate().map(|(index, event)| (origin(index, event), event.clone())).collect();
    let (_, violations) = judge_each(&core, &trace, End::Complete, None);
    for violation in violations.iter().take(20) {
        let Some(values) = values(&core, violation) else { continue };
        let at = violation.at.origin.event_index;
        let concerns = |index: u64| is_relevant(&core, &events[index as usize].1, &values, &violation.binding);
        // A message without the values of the binding can go to an instance with others, whose messages are not collected.
        let (evidence, may_fail) = match &core {
            Core::Rule(rule) => {
                let own = events.iter().filter(|(origin, _)| origin.event_index == at || concerns(origin.event_index));
                (own.cloned().collect(), rule.matching == Matching::Paired && !rule.correlations.is_empty())
            }
            _ => (events.clone(), false),
        };
        let found = explained(&core, evidence, &values, violation);
        if found.is_none() && may_fail {
            continue;
        }
        let found =
            found.ok_or_else(|| format!("no explanation of the violation at event {at} ({})", violation.binding))?;
        if found.summary.is_empty() || found.because.is_empty() {
            return Err(format!("an empty explanation at event {at}"));
        }
        let indices: Vec<u64> = found.because.iter().map(|cause| cause.origin.event_index).collect();
        if !indices.is_sorted_by(|left, right| left < right) {
            return Err(format!("events out of order: {indices:?}"));
        }
        let may_be_cited = |index: &u64| {
            let is_named = *index == at || Some(*index) == decided(violation);
            is_named || most_others(&core) > 0 || concerns(*index)
        };
        if let Some(other) = indices.iter().find(|index| !may_be_cited(index)) {
            return Err(format!("event {other} does not concern the violation at event {at} ({})", violation.binding));
        }
        if most_others(&core) == 0 {
            let own = events.iter().filter(|(origin, _)| may_be_cited(&origin.event_index)).cloned().collect();
            let reduced = explained(&core, own, &values, violation);
            if reduced.as_ref() != Some(&found) {
                return Err(format!("with all events {found:?}, with those of the binding {reduced:?}"));
            }
        }
    }
    Ok(())
}

#[test]
fn of_soloist() {
    for_all_in(Language::Soloist, "explanations", 4_000, explanations_are_right);
}

#[test]
fn of_mtl() {
    for_all_in(Language::Mtl, "explanations", 4_000, explanations_are_right);
}

#[test]
fn of_albert() {
    for_all_in(Language::Albert, "explanations", 4_000, explanations_are_right);
}

#[test]
fn of_patterns() {
    for_all_in(Language::Pattern, "explanations", 6_000, explanations_are_right);
}

#[test]
fn of_automata() {
    for_all_in(Language::Qea, "explanations", 4_000, explanations_are_right);
}

#[test]
fn of_nomad() {
    for_all_in(Language::Nomad, "explanations", 4_000, explanations_are_right);
}

#[test]
fn of_ccsl() {
    for_all_in(Language::Ccsl, "explanations", 2_000, explanations_are_right);
}

#[test]
fn of_mop() {
    for_all_in(Language::Mop, "explanations", 2_000, explanations_are_right);
}

#[test]
fn of_mu() {
    for_all_in(Language::Mu, "explanations", 2_000, explanations_are_right);
}
