// SPDX-License-Identifier: MIT OR Apache-2.0
//! A pattern under its variables: the segments of every binding, counted and told.
// RULE R14, R15, R16, R17, R18, R19

use std::collections::BTreeMap;

use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::{At, Binding, Decided, End, Violation};
use gnomon_ir::core::{BehaviourCore, RequirementCore};

use super::Judgement;
use super::tally::Tally;
use crate::atom;
use crate::domain::{Choice, Domains};
use crate::moment::Moment;
use crate::prefix::Quantified;
use crate::requirement::{Ending, Fate, Known, Segment, Sight, Terms};
use crate::trace::{OracleEvent, Trace};
use crate::truth::Truth;

pub(super) fn judge(core: &RequirementCore, trace: &Trace, end: End, now: Option<Timestamp>) -> Judgement {
    let domains = Domains::new(&core.atoms, core.prefix.len(), trace);
    let terms = Terms { scope: core.scope, opens: core.opens, closes: core.closes, behaviour: core.behaviour.clone() };
    let known = Known { end, now };
    let mut tally = Tally::default();
    let mut values: BTreeMap<Choice, (Truth, Truth)> = BTreeMap::new();
    for choice in domains.choices(core.prefix.len()) {
        let sights = sights(core, trace, &domains.values(&choice));
        tally.next_binding();
        let count = Count { core, terms: &terms, trace, sights: &sights, known };
        count.all(&domains.binding(&core.prefix, &choice), &mut tally);
        let if_complete = terms.truth(&sights, Known { end: End::Complete, now });
        values.insert(choice, (terms.truth(&sights, known), if_complete));
    }
    let now_known = |choice: &[usize]| values[choice].0;
    let known_if_complete = |choice: &[usize]| values[choice].1;
    let quantified = Quantified { prefix: &core.prefix, domains: &domains, end, body: &now_known };
    let if_complete = Quantified { end: End::Complete, body: &known_if_complete, ..quantified };
    Judgement {
        truth: quantified.truth(),
        if_complete: if_complete.truth(),
        positions: trace.events().len(),
        tally,
        merged_simultaneous: false,
    }
}

fn sights(core: &RequirementCore, trace: &Trace, binding: &[Value<'static>]) -> Vec<Sight> {
    let sight = |event: &OracleEvent| Sight {
        time: event.time,
        matches: core.atoms.iter().map(|atom| atom::matches(atom, event, binding)).collect(),
    };
    trace.events().iter().map(sight).collect()
}

/// One binding, whose segments are counted.
struct Count<'a> {
    core: &'a RequirementCore,
    terms: &'a Terms,
    trace: &'a Trace,
    sights: &'a [Sight],
    known: Known,
}

impl Count<'_> {
    fn all(&self, binding: &Binding, tally: &mut Tally) {
        let segments = self.terms.segments(self.sights);
        for segment in &segments {
            for (stimulus, answer) in self.terms.answers(segment, self.sights) {
                tally.duration(self.sights[answer].time - self.sights[stimulus].time);
            }
        }
        for segment in segments.iter().filter(|segment| segment.ending != Ending::Restarted) {
            // RULE R18
            if self.sights.is_empty() && (self.known.end == End::Prefix || self.terms.scope.needs_end()) {
                continue;
            }
            self.one(segment, binding, tally);
        }
    }

    fn one(&self, segment: &Segment, binding: &Binding, tally: &mut Tally) {
        match self.terms.fate(segment, self.sights, self.known) {
            Fate::Pending => tally.activation(Truth::Unknown),
            Fate::Satisfied => {
                tally.activation(Truth::True);
                // RULE R16
                let takes_time = !matches!(self.core.behaviour, BehaviourCore::Response { .. });
                let end = match segment.ending {
                    Ending::Closed(index) => Some(&self.sights[index]),
                    Ending::Open | Ending::Restarted => self.sights.last(),
                };
                if let Some(end) = end.filter(|_| takes_time) {
                    tally.duration(end.time - segment.opened);
                }
            }
            Fate::Violated(moment) => {
                tally.activation(Truth::False);
                // RULE R18
                if !self.sights.is_empty() {
                    tally.violation(self.violation(segment, moment, binding.clone()));
                }
            }
        }
    }

    // RULE R14
    fn violation(&self, segment: &Segment, moment: Moment, binding: Binding) -> Violation {
        let last = self.sights.last().map(|event| event.time).unwrap_or_default();
        Violation {
            at: At { position: segment.at as u64, origin: self.trace.origin(segment.at) },
            until_position: None,
            decided: match moment {
                Moment::Position(index) => Decided::Event(self.trace.origin(index)),
                Moment::Deadline(time) => Decided::Deadline(time),
                Moment::End => Decided::End(last),
            },
            binding,
            failed: self.core.behaviour_span,
            summary: String::new(),
            because: vec![],
        }
    }
}
