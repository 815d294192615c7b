// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explains violations of patterns, each behaviour by the events of the segment that break it.
//!
//! Example: `between open and close: at most 2 fail`. The explanation cites the `fail` events of the segment that begins at the violation,
//! then the events that open and close it.

use std::ops::Range;

use gnomon_core::verdict::{DecisionPoint, Violation};
use gnomon_core::{Duration, Interval};
use gnomon_ir::CountBound;
use gnomon_ir::core::{AtomId, BehaviourCore, PatternCore};
use gnomon_ir::describe::AmountPrinter;

use super::{Explanation, ExplanationBuilder, limit};
use crate::atom;
use crate::pattern::{EventMatches, PatternDefinition, SegmentEnd, TraceSegment};

pub(super) fn explain(
    core: &PatternCore,
    builder: ExplanationBuilder<'_>,
    at: usize,
    violation: &Violation,
) -> Option<Explanation> {
    let matches = |event| {
        let of = |one| atom::matches(one, event, builder.evidence.values);
        EventMatches { time: event.time, matches: core.atoms.iter().map(of).collect() }
    };
    let events: Vec<EventMatches> = builder.evidence.trace.events().iter().map(matches).collect();
    let (scope, opens, closes) = (core.scope, core.opens, core.closes);
    let definition = PatternDefinition { scope, opens, closes, behaviour: core.behaviour.clone() };
    let mut segments = definition.segments(&events).into_iter();
    let segment = segments.find(|one| one.at == at && one.ending != SegmentEnd::Restarted)?;
    let times = AmountPrinter::new(core.clock, core.needs_unit);
    let mut explainer = PatternExplainer { core, events: &events, segment, builder, times, violation };
    let summary = explainer.behaviour()?;
    explainer.scope();
    if explainer.builder.because.is_empty() {
        explainer.builder.cite(at, "the trace begins");
    }
    Some(explainer.builder.finish(summary))
}

struct PatternExplainer<'a> {
    core: &'a PatternCore,
    events: &'a [EventMatches],
    segment: TraceSegment,
    builder: ExplanationBuilder<'a>,
    times: AmountPrinter,
    violation: &'a Violation,
}

impl PatternExplainer<'_> {
    fn name(&self, atom: AtomId) -> String {
        format!("`{}`", self.core.atoms[atom.0 as usize].name)
    }

    fn names(&self, atoms: &[AtomId], between: &str) -> String {
        atoms.iter().map(|atom| self.name(*atom)).collect::<Vec<_>>().join(between)
    }

    /// The events of the segment that match an atom.
    fn all(&self, atom: AtomId) -> Vec<usize> {
        self.segment.events.clone().filter(|event| self.events[*event].is(atom)).collect()
    }

    fn elapsed(&self, from: usize, to: usize) -> Duration {
        self.events[to].time - self.events[from].time
    }

    fn since_opening(&self, event: usize) -> Duration {
        self.events[event].time - self.segment.opened
    }

    /// Cites the events that open and close the segment, where they matter.
    fn scope(&mut self) {
        let opening = if self.core.opens.is_some() { "the segment opens" } else { "the first event" };
        let has_time =
            matches!(self.core.behaviour, BehaviourCore::Existence { .. } | BehaviourCore::Recurrence { .. });
        if self.core.opens.is_some() || has_time {
            self.builder.cite(self.segment.at, opening);
        }
        let DecisionPoint::Event(decided) = self.violation.decided else { return };
        if let SegmentEnd::Closed(closing) = self.segment.ending
            && self.builder.evidence.origins[closing].event_index == decided.event_index
        {
            self.builder.cite(closing, "the segment closes");
        }
    }

    fn behaviour(&mut self) -> Option<String> {
        match self.core.behaviour.clone() {
            BehaviourCore::Absence(event) => {
                let all = self.until_decided(self.all(event));
                all.first()?;
                self.builder.cite_counted(&all, |_, _| "not allowed here".to_owned());
                Some(format!("{} occurred", self.name(event)))
            }
            BehaviourCore::Existence { event, within } => Some(self.existence(event, within)),
            BehaviourCore::Count { amount, number, event } => {
                let all = self.until_decided(self.all(event));
                let is_met = match amount {
                    CountBound::AtMost => all.len() as u64 <= number,
                    CountBound::AtLeast => all.len() as u64 >= number,
                    CountBound::Exactly => all.len() as u64 == number,
                };
                self.builder.cite_counted(&all, |place, all| format!("counted: {place} of {all}"));
                (!is_met).then(|| format!("{} {}; {}", all.len(), self.name(event), limit(amount, number)))
            }
            BehaviourCore::Rate { number, event, window } => {
                let all = self.all(event);
                let step = usize::try_from(number).ok()?;
                let from = (0..all.len().saturating_sub(step))
                    .find(|from| self.elapsed(all[*from], all[*from + step]) <= window)?;
                let burst = &all[from..=from + step];
                self.builder.cite_counted(burst, |place, all| format!("{place} of {all}"));
                let took = self.times.amount_beside(self.elapsed(burst[0], burst[step]), window);
                let window = self.times.constant(Duration::from_ticks(window.ticks() + 1));
                let (name, limit) = (self.name(event), limit(CountBound::AtMost, number));
                Some(format!("{} {name} within {took}; {limit} in {window}", burst.len()))
            }
            BehaviourCore::Universality { named, like } => {
                let other = self.all(named).into_iter().find(|event| !self.events[*event].is(like))?;
                self.builder.cite(other, "has other values");
                Some(format!("{} with other values", self.name(named)))
            }
            BehaviourCore::Only(allowed) => {
                let is_other = |event: &usize| !allowed.iter().any(|atom| self.events[*event].is(*atom));
                let other = self.segment.events.clone().find(is_other)?;
                self.builder.cite(other, "not one of the allowed events");
                let name = &self.builder.evidence.trace.events()[other].name;
                Some(format!("`{name}` occurred; only {} are allowed", self.names(&allowed, ", ")))
            }
            BehaviourCore::Precedence { causes, effects, required, within } => {
                self.precedence(&causes, &effects, required, within)
            }
            BehaviourCore::Response { stimuli, responses, without, required, within } => {
                self.response(&stimuli, &responses, without, required, within)
            }
            BehaviourCore::Recurrence { event, every } => Some(self.recurrence(event, every)),
        }
    }

    /// Returns the events that were known when the violation was decided.
    fn until_decided(&self, events: Vec<usize>) -> Vec<usize> {
        let DecisionPoint::Event(decided) = self.violation.decided else { return events };
        let last = self.builder.evidence.origins.iter().position(|one| one.event_index == decided.event_index);
        events.into_iter().filter(|event| last.is_none_or(|last| *event <= last)).collect()
    }

    fn existence(&mut self, event: AtomId, within: Interval) -> String {
        let (name, far) = (self.name(event), self.times.distance(within));
        let mut near = String::new();
        for other in self.all(event) {
            let took = self.since_opening(other);
            let side = if within.is_past(took) { "too late" } else { "too early" };
            let amount = self.times.amount_outside(took, within);
            self.builder.cite(other, format!("{side}: {amount} after the start"));
            // The first that is too late comes closest, else the last that is too early.
            if !near.contains("too late") {
                near = format!("; one came {side}, after {amount}");
            }
        }
        if let SegmentEnd::Closed(closing) = self.segment.ending
            && let Some(next) = (closing..self.events.len()).find(|next| self.events[*next].is(event))
        {
            self.builder.cite(next, "too late: the segment had closed");
            if near.is_empty() {
                near.push_str("; one came only after the segment");
            }
        }
        format!("no {name}{far}{near}")
    }

    /// Finds events that match the atoms one after the other, among these. Returns those that were found.
    fn chain(&self, atoms: &[AtomId], mut among: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut found = Vec::new();
        for atom in atoms {
            match among.find(|event| self.events[*event].is(*atom)) {
                Some(event) => found.push(event),
                None => break,
            }
        }
        found
    }

    fn precedence(
        &mut self,
        causes: &[AtomId],
        effects: &[AtomId],
        required: bool,
        within: Interval,
    ) -> Option<String> {
        let start = self.segment.events.start;
        let may_coincide = usize::from(causes.len() == 1 && effects.len() == 1);
        let far = past_distance(self.times, within);
        for first in self.all(*effects.first()?) {
            let chain = self.chain(effects, first..self.segment.events.end);
            let before = start..first + may_coincide;
            let in_time = before.clone().filter(|cause| within.contains(self.elapsed(*cause, first)));
            let found = self.chain(causes, in_time);
            if chain.len() < effects.len() || found.len() == causes.len() {
                continue;
            }
            let effect = self.names(effects, " and then ");
            self.builder.cite(first, format!("not preceded by {}", self.names(causes, " and then ")));
            self.builder.cite_counted(&chain[1..], |_, _| "follows it".to_owned());
            self.builder.cite_counted(&found, |place, _| format!("cause {place} of {}", causes.len()));
            let missing = causes[found.len()];
            let follows = found.len().checked_sub(1).map(|last| causes[last]);
            let near = self.missed_cause(missing, follows, (first, before), within);
            return Some(format!("{effect} without {}{far}{near}", self.name(missing)));
        }
        required.then(|| format!("no {}", self.names(causes, ", ")))
    }

    /// Cites the event that comes closest to a missing cause of the effect `first`: at another distance, before the cause that it has to
    /// follow, or after the effect.
    fn missed_cause(
        &mut self,
        missing: AtomId,
        follows: Option<AtomId>,
        (first, mut before): (usize, Range<usize>),
        within: Interval,
    ) -> String {
        let name = self.name(missing);
        if let Some(earlier) = before.rfind(|event| self.events[*event].is(missing)) {
            let ago = self.elapsed(earlier, first);
            let amount = self.times.amount_outside(ago, within);
            if let Some(follows) = follows.filter(|_| within.contains(ago)) {
                self.builder.cite(earlier, format!("too early: before {}", self.name(follows)));
                return format!("; the last {name} came too early");
            }
            let side = if within.is_past(ago) { "too long ago" } else { "too recent" };
            self.builder.cite(earlier, format!("{side}: {amount} before"));
            return format!("; the last one was {amount} before");
        }
        let Some(later) = (first + 1..self.events.len()).find(|later| self.events[*later].is(missing)) else {
            return String::new();
        };
        self.builder.cite(later, "too late: after the effect");
        format!("; {name} came only afterwards")
    }

    fn response(
        &mut self,
        stimuli: &[AtomId],
        responses: &[AtomId],
        without: Option<AtomId>,
        required: bool,
        within: Interval,
    ) -> Option<String> {
        let events = self.segment.events.clone();
        let beginning = self.chain(&stimuli[..stimuli.len() - 1], events.clone());
        let ready = beginning.last().map_or(events.start, |last| last + 1);
        let is_ready = beginning.len() + 1 == stimuli.len();
        let last = *stimuli.last()?;
        let stimulus = (ready..events.end)
            .filter(|event| is_ready && self.events[*event].is(last))
            .find(|stimulus| !self.is_answered(*stimulus, responses, without, within));
        let Some(stimulus) = stimulus else {
            return required.then(|| format!("no {}", self.names(stimuli, ", ")));
        };
        self.builder.cite_counted(&beginning, |place, _| format!("stimulus {place} of {}", stimuli.len()));
        let goal = self.names(responses, " and then ");
        let far = self.times.distance(within);
        self.builder.cite(stimulus, format!("requires {goal}{far}"));
        let in_time = |explainer: &Self, event: &usize| within.contains(explainer.elapsed(stimulus, *event));
        let found = self.chain(responses, (stimulus + 1..events.end).filter(|event| in_time(self, event)));
        self.builder.cite_counted(&found, |place, _| format!("response {place} of {}", responses.len()));
        let mut near = String::new();
        if found.len() == responses.len() {
            // Complete in time: something came in between.
            let spoiler = (found[0] + 1..*found.last()?)
                .find(|event| without.is_some_and(|without| self.events[*event].is(without)));
            if let (Some(spoiler), Some(without)) = (spoiler, without) {
                let name = self.name(without);
                self.builder.cite(spoiler, format!("{name} came in between"));
                near = format!("; {name} came in between");
            }
        } else if let Some(missing) = responses.get(found.len()) {
            let from = found.last().map_or(stimulus, |last| *last) + 1;
            let other = (from..self.events.len()).find(|event| self.events[*event].is(*missing));
            if let Some(other) = other {
                let took = self.elapsed(stimulus, other);
                let amount = self.times.amount_outside(took, within);
                let (note, text) = match () {
                    () if within.is_past(took) => {
                        (format!("too late: {amount} later"), format!("too late, after {amount}"))
                    }
                    () if !within.contains(took) => {
                        (format!("too early: {amount} later"), format!("too early, after {amount}"))
                    }
                    () => ("too late: the segment had closed".to_owned(), "only after the segment".to_owned()),
                };
                self.builder.cite(other, note);
                near = format!("; {} came {text}", self.name(*missing));
            }
        }
        let after = self.name(last);
        let end = match self.violation.decided {
            DecisionPoint::End(_) if within.hi.is_none() && near.is_empty() => " before the trace ended",
            _ => "",
        };
        Some(format!("no {goal} after {after}{far}{end}{near}"))
    }

    fn is_answered(&self, stimulus: usize, responses: &[AtomId], without: Option<AtomId>, within: Interval) -> bool {
        let end = self.segment.events.end;
        let in_time = |event: &usize| within.contains(self.elapsed(stimulus, *event));
        let first = responses[0];
        let mut begins = (stimulus + 1..end).filter(|event| in_time(event) && self.events[*event].is(first));
        begins.any(|begin| {
            let chain = self.chain(responses, (begin..end).filter(in_time));
            let disturbed = |event: usize| without.is_some_and(|without| self.events[event].is(without));
            chain.len() == responses.len()
                && !(begin + 1..chain.last().map_or(begin, |last| (*last).max(begin + 1))).any(disturbed)
        })
    }

    fn recurrence(&mut self, event: AtomId, every: Duration) -> String {
        let (name, all) = (self.name(event), self.all(event));
        let mut from = (self.segment.at, self.segment.opened);
        let limit = self.times.constant(every);
        for next in all {
            if self.events[next].time - from.1 > every {
                let took = self.times.amount_beside(self.events[next].time - from.1, every);
                self.builder.cite(from.0, format!("the time runs from here: {name} within {limit}"));
                self.builder.cite(next, format!("too late: {took} later"));
                return format!("no {name} for more than {limit}; the next one came after {took}");
            }
            from = (next, self.events[next].time);
        }
        self.builder.cite(from.0, format!("the time runs from here: {name} within {limit}"));
        format!("no {name} for more than {limit}")
    }
}

/// Describes distances before an event.
fn past_distance(times: AmountPrinter, interval: Interval) -> String {
    match interval.written_hi() {
        _ if interval == Interval::ANY => " before".to_owned(),
        Some(hi) if interval.lo <= Duration::from_ticks(1) => format!(" in the {} before", times.constant(hi)),
        Some(hi) => format!(" between {} and {} before", times.constant(interval.lo), times.constant(hi)),
        None => format!(" at least {} before", times.constant(interval.lo)),
    }
}
