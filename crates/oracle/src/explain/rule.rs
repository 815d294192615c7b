// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explains violations of rules over messages: by the messages that reached the context, and by the nearest misses of those that did not.
//!
//! Example: `P(start(ask) | O[0,3] done(reply))` with `ask` at 0 and `reply` at 7. The summary is "no `reply` within 3; the next one came too late,
//! after 7", and the `reply` is cited as "too late: 7 later". A message in the window that `matching paired` gave to another
//! supposition is cited, too.

use gnomon_core::verdict::{Binding, DecisionPoint, Violation};
use gnomon_core::{Comparison, Duration, End};
use gnomon_ir::describe::{AmountPrinter, rule as describe};
use gnomon_ir::{ContextDirection, Matching, Modality, RuleContextCore, RuleCore};

use super::{Explanation, ExplanationBuilder, ONLY_AFTERWARDS, TOO_EARLY, TOO_LATE, TOO_LONG_AGO, TOO_RECENT};
use crate::atom;
use crate::decision_time::DecisionTime;
use crate::rule::{ArrivedActions, CorrelationValues, Instance, RuleDefinition, RuleMessage, messages};
use crate::trace::OracleEvent;
use crate::truth::Truth;

/// Returns true if a message has no other correlation value than the binding of a violation.
pub(super) fn is_correlated(core: &RuleCore, event: &OracleEvent, binding: &Binding) -> bool {
    let values = CorrelationValues::of_event(core, event).of;
    core.correlations.iter().zip(values).all(|(set, value)| {
        let bound = binding.values.iter().find(|(name, _)| *name == set.name);
        bound.is_none_or(|(_, bound)| value.is_none_or(|value| Comparison::Equal.holds(bound, &value)))
    })
}

pub(super) fn explain(
    core: &RuleCore,
    builder: ExplanationBuilder<'_>,
    at: usize,
    violation: &Violation,
) -> Option<Explanation> {
    let evidence = builder.evidence;
    let looks_back = core.direction == ContextDirection::Past || core.matching == Matching::Paired;
    let time = evidence.trace.events()[at].time;
    let reaches = |since| !looks_back || core.upper.is_some_and(|upper| time - since > upper);
    if evidence.since.is_some_and(|since| !reaches(since)) {
        return None;
    }
    let (end, now) = match violation.decided {
        DecisionPoint::Event(_) => (End::Prefix, None),
        // A window closes when its last moment has passed.
        DecisionPoint::Deadline(last) => (End::Prefix, Some(last.saturating_add(Duration::from_ticks(1)))),
        DecisionPoint::End(_) => (End::Complete, None),
    };
    let definition = RuleDefinition::new(core);
    let messages = messages(core, evidence.trace);
    let instances = definition.instances(&messages, end, now);
    let is_same = |when| match (when, violation.decided) {
        (DecisionTime::Position(index), DecisionPoint::Event(origin)) => {
            evidence.origins[index].event_index == origin.event_index
        }
        (DecisionTime::Deadline(time), DecisionPoint::Deadline(decided)) => time == decided,
        (when, decided) => when == DecisionTime::End && matches!(decided, DecisionPoint::End(_)),
    };
    let is_explained = |instance: &&Instance| {
        instance.at == at
            && instance.decision.as_ref().is_some_and(|decision| !decision.satisfied && is_same(decision.when))
    };
    let instance = instances.iter().find(is_explained)?;
    let mut arrived = ArrivedActions::nothing(core.actions.len());
    instance.reached.iter().for_each(|index| arrived.add(&messages[*index]));
    let times = AmountPrinter::new(core.clock, core.needs_unit);
    let explainer =
        RuleExplainer { core, definition: &definition, messages: &messages, instances: &instances, instance, arrived };
    Some(explainer.explain(Citations { builder, times }, violation))
}

struct RuleExplainer<'a> {
    core: &'a RuleCore,
    definition: &'a RuleDefinition,
    messages: &'a [RuleMessage],
    instances: &'a [Instance],
    /// The violated instance.
    instance: &'a Instance,
    /// The actions whose messages reached it.
    arrived: ArrivedActions,
}

/// The explanation under construction, with the notation of its times.
struct Citations<'a> {
    builder: ExplanationBuilder<'a>,
    times: AmountPrinter,
}

impl RuleExplainer<'_> {
    fn explain(&self, mut out: Citations<'_>, violation: &Violation) -> Explanation {
        let core = self.core;
        let window = describe::window(core);
        let decisive = self.decisive(&core.context);
        // A context whose instance is too young counts as false, although its messages arrived.
        let is_too_young = self.is_true(&core.context) != (core.modality == Modality::Prohibition);
        let has_come = |action: &usize| self.arrived.of[*action] && !is_too_young;
        let (came, missing): (Vec<usize>, Vec<usize>) = decisive.into_iter().partition(has_come);
        let absent: Vec<String> = missing.iter().map(|action| format!("no {}", self.name(*action))).collect();
        let mut near = String::new();
        for action in &missing {
            let text = self.near_miss(*action, &mut out);
            near += &if missing.len() == 1 { text } else { text.replacen("one", &self.name(*action), 1) };
        }
        let mut present = Vec::new();
        for action in &came {
            let reached = self.instance.reached.iter().rev().find(|index| self.messages[**index].hits[*action]);
            let Some(index) = reached else { continue };
            let (name, distance) = (self.name(*action), self.distance(*index, &out));
            let must_not = if core.modality == Modality::Permission { ": must not come" } else { "" };
            out.builder.cite(*index, format!("{name}, {distance}{must_not}"));
            present.push(format!("{name} came {distance}"));
        }
        for index in &self.instance.reached {
            let note = format!("{}, {}", self.names(*index), self.distance(*index, &out));
            out.builder.cite(*index, note);
        }
        out.builder.cite(self.instance.at, describe::asks(core));
        let forbidden = match core.modality {
            Modality::Prohibition => ", which is forbidden",
            Modality::Permission => ", which is not allowed",
        };
        let (absent, present) = (absent.join(" and "), present.join(" and "));
        let summary = match (violation.decided, core.modality) {
            (DecisionPoint::End(_), _) => {
                format!("the trace ended before it was clear whether {} came{window}{near}", describe::wanted(core))
            }
            _ if absent.is_empty() => format!("{present}{forbidden}"),
            (_, Modality::Permission) if present.is_empty() => format!("{absent}{window}{near}"),
            (_, Modality::Prohibition) if present.is_empty() => format!("{absent} came{window}{forbidden}{near}"),
            _ => format!("{present} and {absent}{window}{forbidden}{near}"),
        };
        out.builder.finish(summary)
    }

    fn name(&self, action: usize) -> String {
        describe::messages(self.core, std::iter::once(action))
    }

    /// Lists the actions that a message matches.
    fn names(&self, index: usize) -> String {
        let actions = 0..self.core.actions.len();
        describe::messages(self.core, actions.filter(|action| self.messages[index].hits[*action]))
    }

    fn is_true(&self, part: &RuleContextCore) -> bool {
        self.definition.part_truth(part, &self.arrived) == Truth::True
    }

    /// Returns the actions that account for the value of a part.
    fn decisive(&self, part: &RuleContextCore) -> Vec<usize> {
        let value = self.is_true(part);
        let (parts, all_matter) = match part {
            RuleContextCore::Action(action) => return vec![*action],
            RuleContextCore::And(parts) => (parts, value),
            RuleContextCore::Or(parts) => (parts, !value),
        };
        let matter = parts.iter().filter(|part| all_matter || self.is_true(part) == value);
        gnomon_core::list::unique(matter.flat_map(|part| self.decisive(part)))
    }

    fn elapsed(&self, index: usize) -> Duration {
        let (at, other) = (self.messages[self.instance.at].time, self.messages[index].time);
        if index < self.instance.at { at - other } else { other - at }
    }

    /// Writes the distance of a message: "3 s later".
    fn distance(&self, index: usize, out: &Citations<'_>) -> String {
        let side = if index < self.instance.at { "earlier" } else { "later" };
        format!("{} {side}", out.times.amount(self.elapsed(index)))
    }

    /// Cites the message that comes closest to a missing one. Returns the sentence about it.
    fn near_miss(&self, action: usize, out: &mut Citations<'_>) -> String {
        let at = self.instance.at;
        let is_it = |index: &usize| {
            *index != at
                && self.messages[*index].hits[action]
                && self.messages[*index].values.agreement(&self.instance.values) != Truth::False
        };
        let (earlier, later): (Vec<usize>, Vec<usize>) =
            (0..self.messages.len()).filter(is_it).partition(|index| *index < at);
        let window = describe::distances(self.core);
        let is_within = |index: &&usize| window.contains(self.elapsed(**index));
        let is_short = |index: &&usize| self.elapsed(**index) < window.lo;
        let is_far = |index: &&usize| window.is_past(self.elapsed(**index));
        let found = match self.core.direction {
            ContextDirection::Future => {
                if let Some(unused) = later.iter().find(is_within) {
                    return self.unused(*unused, out);
                }
                let late = later.iter().find(is_far).map(|index| (*index, TOO_LATE));
                let early = later.iter().rfind(is_short).map(|index| (*index, TOO_EARLY));
                late.or(early)
            }
            ContextDirection::Past => {
                if let Some(unused) = earlier.iter().rfind(is_within) {
                    return self.unused(*unused, out);
                }
                let recent = earlier.iter().rfind(is_short).map(|index| (*index, TOO_RECENT));
                let old = earlier.iter().rfind(is_far).map(|index| (*index, TOO_LONG_AGO));
                let after = later.first().map(|index| (*index, ONLY_AFTERWARDS));
                recent.or(old).or(after)
            }
        };
        let Some((index, words)) = found else { return String::new() };
        let amount = out.times.amount_outside(self.elapsed(index), window);
        out.builder.near_miss(index, &amount, words)
    }

    /// Cites a message in the window that did not reach the context, because `matching paired` gave it to another instance.
    fn unused(&self, index: usize, out: &mut Citations<'_>) -> String {
        let distance = self.distance(index, out);
        let holder = self.instances.iter().find(|other| other.reached.contains(&index));
        let Some(holder) = holder.filter(|holder| holder.at != self.instance.at) else {
            out.builder.cite(index, format!("{distance}: belongs to another instance"));
            return format!("; one came {distance}, but belongs to another instance");
        };
        let event = &out.builder.evidence.trace.events()[holder.at];
        let supposition = self.core.supposition.iter().map(|id| &self.core.atoms[id.0 as usize]);
        let matching = supposition.into_iter().find(|atom| atom::matches(atom, event, &[]));
        let name = matching.map_or(&event.name, |atom| &atom.name).clone();
        out.builder.cite(index, format!("{distance}: used for another `{name}`"));
        out.builder.cite(holder.at, format!("{} is used for this one", self.names(index)));
        format!("; one came {distance}, but is used for another `{name}`")
    }
}
