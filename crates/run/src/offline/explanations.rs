// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explains the listed violations by a second look at the input.
//!
//! Monitors keep no events for explanations: that would cost memory for each binding and time for each event. Instead the input is read
//! again once violations are known. For each of the first violations of a property the events of its binding are collected (`collector`), from
//! before the violation to shortly after the decision. The reference evaluation then says which of them matter
//! ([`gnomon_oracle::explain`]).
//!
//! COST: a short trace is read again whole. Of a longer one only a share is read, so that explanations are a small part of a check: for
//! each violation the events from shortly before the first one that the monitor cites. A violation whose events exceed the limits keeps the
//! explanation of the monitor.
//!
//! Example: a log of 10 million events violates `forall id. G(request(id) -> F[0,10] response(id))` for `id = 7` at event 4,000,000, and the
//! deadline passes at event 4,000,300. The collector continues at the last checkpoint before event 3,999,500 (the first cited event minus
//! the margin), collects the events with `id = 7`, and stops at most 10,000 events after the decision. For all violations together it reads
//! at most 130,000 events.
//!
//! INVARIANT: an explanation never changes a verdict, a count or the place of a violation, only its summary and the cited events.

mod collector;

use std::collections::{BTreeMap, VecDeque};

use gnomon_core::event::Event;
use gnomon_core::symbols::Name;
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::{Binding, DecisionPoint, Origin, Violation};
use gnomon_ir::core::{Core, Reporting};
use gnomon_oracle::explain::{Evidence, PartValue, explain, is_relevant, most_others, part_values, past_reach};
use gnomon_oracle::{OracleEvent, Trace};

use self::collector::collect;
use super::{DivideBy, NamedInput, Options, Report};
use crate::compile::CompiledSpec;

/// The most violations of a property that are explained.
const MOST_EXPLAINED: usize = 20;
/// The most violations of all properties that are explained.
const MOST_SUBJECTS: usize = 500;
/// The most events that are collected before the event of a violation; older ones are dropped.
const MOST_BEFORE: usize = 400;
/// The most events that are collected from the event of a violation on. A violation with more is not explained.
const MOST_AFTER: usize = 400;
/// The most events of the binding that are collected after the decision of a violation.
const MOST_LATE: usize = 3;
/// The most events of any kind that are read for them.
const MOST_LATE_READ: u64 = 10_000;
/// A trace of at most this many events is read again from its beginning.
const MOST_WHOLE: u64 = 20_000;
/// At most this many events are read again, plus one in [`READ_SHARE`]. Events without a case are read, too.
const LEAST_READ: u64 = 30_000;
/// See [`LEAST_READ`].
const READ_SHARE: u64 = 100;
/// In a longer trace, collecting begins this many events before the first one that the monitor cites, plus twice the events that
/// lie in the time that the formula looks back, on average.
const MARGIN: u64 = 500;

/// Values of the parts of the formulae of violations, by property and place in the list of violations.
pub type PartValues = BTreeMap<(usize, usize), Vec<PartValue>>;

/// Explains the first violations of each property. What cannot be explained keeps its explanation.
pub(super) fn explain_violations(
    compiled: &CompiledSpec,
    again: Option<NamedInput>,
    options: &Options,
    report: &mut Report,
) {
    let budget = LEAST_READ + report.events / READ_SHARE;
    let subjects = subjects(compiled, options, report, budget);
    let Some(again) = again.filter(|_| !subjects.is_empty() && options.bounds.is_none()) else { return };
    let Ok(subjects) = collect(compiled, again, options, report, subjects, budget) else { return };
    for subject in subjects {
        subject.explain(compiled, options, report);
    }
}

/// A violation that is to be explained.
struct Subject {
    property: usize,
    number: usize,
    case: Option<String>,
    binding: Binding,
    /// The values of the binding, in the order of the prefix.
    values: Vec<Value<'static>>,
    /// The index of the first event that is collected.
    from: u64,
    /// The indices of the events at which the violation is and that decided it.
    at: u64,
    decided: Option<u64>,
    decided_time: Timestamp,
    most_others: usize,
    events: VecDeque<(Origin, OracleEvent)>,
    /// The number of events since the last relevant one.
    others: usize,
    /// The time up to which events may be missing before those that were collected.
    since: Option<Timestamp>,
    /// The numbers of collected events since the violation, and of those after its decision.
    after: usize,
    late: usize,
    /// The number of events read after the decision.
    late_read: u64,
    stage: SubjectStage,
}

/// The part of the trace that is being read, seen from a violation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SubjectStage {
    /// Its events begin later.
    Waiting,
    BeforeViolation,
    AfterViolation,
    AfterDecision,
    /// No later event is needed.
    Done,
}

/// Lists the violations to explain whose events are in reach of a second look that reads `budget` events, in the order of their events.
fn subjects(compiled: &CompiledSpec, options: &Options, report: &Report, budget: u64) -> Vec<Subject> {
    let most = options.located_violations.min(MOST_EXPLAINED);
    // Where cases end, the case of an event depends on all earlier events.
    let has_ends = compiled.plan.has_case_ends() || compiled.case_expiry.is_some();
    let is_divided_by_format = report.cases.is_some() && !matches!(options.by, DivideBy::Field(_));
    let begins_late = report.events > MOST_WHOLE && options.reorder.is_none() && !has_ends && !is_divided_by_format;
    let mut subjects = Vec::new();
    for (property, (core, outcome)) in compiled.plan.cores().iter().zip(&report.outcomes).enumerate() {
        if reads_externs(compiled, core) {
            continue;
        }
        for (number, violation) in outcome.violations.iter().take(most).enumerate() {
            let Some(values) = values(core, violation) else { continue };
            let at = violation.at.origin.event_index;
            let (decided, last) = match violation.decided {
                DecisionPoint::Event(origin) => (Some(origin.event_index), origin.event_index),
                DecisionPoint::Deadline(_) => (None, at),
                DecisionPoint::End(_) => (None, report.events),
            };
            let first_cited = violation.because.iter().map(|cause| cause.origin.event_index).fold(at, u64::min);
            let from =
                if begins_late && !needs_start(core) { first_cited.saturating_sub(margin(core, report)) } else { 0 };
            if last.saturating_sub(from) > budget {
                continue;
            }
            subjects.push(Subject {
                property,
                number,
                case: report.cases.as_ref().and_then(|cases| cases.label(property, number)).map(str::to_owned),
                binding: violation.binding.clone(),
                values,
                from,
                at,
                decided,
                decided_time: violation.decided.time(),
                most_others: most_others(core),
                events: VecDeque::new(),
                others: 0,
                since: None,
                after: 0,
                late: 0,
                late_read: 0,
                stage: SubjectStage::Waiting,
            });
        }
    }
    subjects.truncate(MOST_SUBJECTS);
    subjects.sort_by_key(|subject| subject.from);
    subjects
}

/// Returns the number of events before the first cited one that may matter.
fn margin(core: &Core, report: &Report) -> u64 {
    let reach = match core {
        Core::Formula(formula) => past_reach(formula),
        Core::Rule(rule) => rule.upper,
        _ => None,
    };
    let (Some(first), Some(last), Some(reach)) = (report.first_time, report.last_time, reach) else {
        return MARGIN;
    };
    let duration = (last - first).ticks().max(1);
    let events = reach.ticks().saturating_mul(i128::from(report.events)) / duration;
    MARGIN.saturating_add(2 * u64::try_from(events).unwrap_or(0).min(report.events))
}

/// Returns true if a violation can only be explained with all events of its binding.
fn needs_start(core: &Core) -> bool {
    match core {
        Core::Formula(formula) => matches!(formula.reporting, Reporting::Whole(_)),
        Core::Automaton(_) | Core::Modal(_) | Core::Plugin(_) | Core::Clocks(_) => true,
        Core::Pattern(_) | Core::Rule(_) => false,
    }
}

/// Returns true if a formula compares external variables, which are not fields of events.
fn reads_externs(compiled: &CompiledSpec, core: &Core) -> bool {
    let Core::Formula(formula) = core else { return false };
    compiled.spec.externs.iter().any(|external| formula.variables.contains(&external.field()))
}

/// Returns the values of a binding in the order of the prefix; `None` if the violation is not one of a binding. A part of a
/// mu-calculus formula may have fewer variables: then the events of all values are collected. A rule has no variables.
fn values(core: &Core, violation: &Violation) -> Option<Vec<Value<'static>>> {
    let named = &violation.binding.values;
    let is_whole = core.prefix().iter().map(|one| &one.variable).eq(named.iter().map(|(name, _)| name));
    match core {
        _ if is_whole => Some(named.iter().map(|(_, value)| value.clone()).collect()),
        Core::Modal(_) | Core::Rule(_) => Some(vec![]),
        _ => None,
    }
}

impl Subject {
    /// Returns true if the event must be copied for this violation: it may concern the binding, or can matter for another reason.
    fn needs_copy(&self, event: &Event<'_>, may_be_relevant: bool) -> bool {
        may_be_relevant || self.most_others > 0 || self.is_cited(event)
    }

    fn is_cited(&self, event: &Event<'_>) -> bool {
        event.index == self.at || Some(event.index) == self.decided
    }

    /// Takes an event of the case. `copy` is the event and its name in the report, if it [must be copied](Subject::needs_copy).
    fn event(&mut self, core: &Core, event: &Event<'_>, copy: Option<(&OracleEvent, Name)>) {
        let is_cited = self.is_cited(event);
        let is_relevant = copy.is_some_and(|(copy, _)| is_relevant(core, copy, &self.values, &self.binding));
        if self.stage == SubjectStage::AfterDecision {
            self.late_read += 1;
            self.late += usize::from(is_relevant);
            if self.late > MOST_LATE || self.late_read > MOST_LATE_READ {
                self.stage = SubjectStage::Done;
            }
        }
        if event.index == self.at {
            self.stage = self.stage.max(SubjectStage::AfterViolation);
        }
        if Some(event.index) == self.decided || self.decided.is_none() && event.time > self.decided_time {
            self.stage = self.stage.max(SubjectStage::AfterDecision);
        }
        let Some((copy, name)) = copy.filter(|_| is_relevant || is_cited || self.most_others > 0) else { return };
        let origin = Origin { event_index: event.index, time: event.time, event: name };
        if is_relevant || is_cited {
            self.others = 0;
        } else {
            self.others += 1;
            if self.others > self.most_others {
                self.events.pop_back();
            }
        }
        self.events.push_back((origin, copy.clone()));
        let has_begun = self.stage >= SubjectStage::AfterViolation;
        self.after += usize::from(has_begun);
        if !has_begun && self.events.len() > MOST_BEFORE {
            self.since = self.events.pop_front().map(|(origin, _)| origin.time);
        }
        if self.after > MOST_AFTER {
            self.events.clear();
            self.stage = SubjectStage::Done;
        }
    }

    /// Replaces the explanation of the violation.
    fn explain(self, compiled: &CompiledSpec, options: &Options, report: &mut Report) {
        let Subject { property, number, values, events, since, .. } = self;
        let (origins, events): (Vec<Origin>, Vec<OracleEvent>) = events.into_iter().unzip();
        let trace = Trace::new(events);
        let evidence = Evidence { trace: &trace, origins: &origins, values: &values, since };
        let violation = &mut report.outcomes[property].violations[number];
        let Some(found) = explain(&compiled.plan.cores()[property], evidence, violation) else { return };
        (violation.summary, violation.because) = (found.summary, found.because);
        if options.explain_parts
            && let Some(property_of_spec) = compiled.properties().nth(property)
        {
            let parts = part_values(&compiled.spec, property_of_spec, evidence, violation);
            report.parts.insert((property, number), parts);
        }
    }
}
