// SPDX-License-Identifier: MIT OR Apache-2.0
//! Outcome of a pattern: the verdicts on the segments of every binding.
// RULE R14, R15, R16, R17, R18, R19

use gnomon_core::{Binding, End, Simultaneous, Timestamp, Value};
use gnomon_ir::core::{BehaviourCore, PatternCore};

use super::counts::OutcomeCounts;
use super::{Judgement, violation_at};
use crate::atom;
use crate::domain::Domains;
use crate::pattern::{EventMatches, PatternDefinition, SegmentEnd, SegmentVerdict, TraceExtent, TraceSegment};
use crate::prefix::{BodyValues, QuantifiedBody};
use crate::trace::{OracleEvent, Trace};
use crate::truth::Truth;

pub(super) fn judge(core: &PatternCore, trace: &Trace, end: End, now: Option<Timestamp>) -> Judgement {
    let domains = Domains::new(&core.atoms, core.prefix.len(), trace);
    let terms = PatternDefinition {
        scope: core.scope,
        opens: core.opens,
        closes: core.closes,
        behaviour: core.behaviour.clone(),
    };
    let known = TraceExtent { end, now };
    let mut counts = OutcomeCounts::default();
    let mut values = BodyValues::new();
    for choice in domains.choices(core.prefix.len()) {
        let events_matches = events_matches(core, trace, &domains.values(&choice));
        counts.next_binding();
        let count = PatternCounter { core, terms: &terms, trace, events_matches: &events_matches, known };
        count.all(&domains.binding(&core.prefix, &choice), &mut counts);
        counts.show(domains.shown(&choice), trace, Simultaneous::Sequence);
        let if_complete = terms.truth(&events_matches, TraceExtent { end: End::Complete, now });
        values.insert(choice, (terms.truth(&events_matches, known), if_complete));
    }
    let quantified = QuantifiedBody { prefix: &core.prefix, domains: &domains, values: &values, end };
    Judgement::quantified(&quantified, trace.events().len(), counts)
}

fn events_matches(core: &PatternCore, trace: &Trace, binding: &[Value<'static>]) -> Vec<EventMatches> {
    let sight = |event: &OracleEvent| EventMatches {
        time: event.time,
        matches: core.atoms.iter().map(|atom| atom::matches(atom, event, binding)).collect(),
    };
    trace.events().iter().map(sight).collect()
}

/// One binding, whose segments are counted.
struct PatternCounter<'a> {
    core: &'a PatternCore,
    terms: &'a PatternDefinition,
    trace: &'a Trace,
    events_matches: &'a [EventMatches],
    known: TraceExtent,
}

impl PatternCounter<'_> {
    fn all(&self, binding: &Binding, counts: &mut OutcomeCounts) {
        let segments = self.terms.segments(self.events_matches);
        for segment in &segments {
            for (stimulus, answer) in self.terms.answers(segment, self.events_matches) {
                counts.duration(self.events_matches[answer].time - self.events_matches[stimulus].time);
            }
        }
        for segment in segments.iter().filter(|segment| segment.ending != SegmentEnd::Restarted) {
            // RULE R18
            if self.events_matches.is_empty() && (self.known.end == End::Prefix || self.terms.scope.needs_end()) {
                continue;
            }
            self.one(segment, binding, counts);
        }
    }

    fn one(&self, segment: &TraceSegment, binding: &Binding, counts: &mut OutcomeCounts) {
        match self.terms.verdict(segment, self.events_matches, self.known) {
            SegmentVerdict::Pending => counts.activation(Truth::Unknown),
            SegmentVerdict::Satisfied => {
                counts.activation(Truth::True);
                // RULE R16
                let takes_time = !matches!(self.core.behaviour, BehaviourCore::Response { .. });
                let end = match segment.ending {
                    SegmentEnd::Closed(index) => Some(&self.events_matches[index]),
                    SegmentEnd::Open | SegmentEnd::Restarted => self.events_matches.last(),
                };
                if let Some(end) = end.filter(|_| takes_time) {
                    counts.duration(end.time - segment.opened);
                }
            }
            SegmentVerdict::Violated(decided) => {
                counts.activation(Truth::False);
                // RULE R18
                if !self.events_matches.is_empty() {
                    // RULE R14
                    let failed = self.core.behaviour_span;
                    counts.violation(violation_at(self.trace, segment.at, decided, binding.clone(), failed));
                }
            }
        }
    }
}
