// SPDX-License-Identifier: MIT OR Apache-2.0
//! Per-event visitor for cases: reports violations as they occur, gives events their verdicts, stops at a critical violation, and
//! checks many cases side by side. It is slower than a single monitor that only produces outcomes at the end.
//!
//! # Which event decides a violation
//!
//! A violation is decided by a position, by a deadline, or by the end. To tell the first two apart, the driver looks at the
//! violations of a case at two moments:
//!
//! 1. **Before the first event of a case at a new time.** The monitor is advanced to that time. Violations found now were decided by
//!    a deadline that passed; they are attributed to the event that revealed it.
//! 2. **After the position is complete.** A property that merges simultaneous events has one position for all events of
//!    one time, so the position is complete only when an event of another time, or a progress marker, arrives. Other properties
//!    have one position for each event and are checked right after it.
//!
//! Because of the second moment an event is reported late: it waits in `pending` until its position is complete. If a merged
//! position decided a violation, the violation is attributed to those of its events that the property mentions, or to the
//! first if it mentions none.
//!
//! Example, with `G(a -> F[0,3] b)` and the trace `a@1 c@2 d@9`: the events `a` and `c` violate nothing. Before `d` the
//! monitor is advanced to 9, and the deadline 4 has passed: the violation is attributed to `d`.
//!
//! # Cases
//!
//! A [`Division`] finds the case of each event. With `--by` the cases are interleaved, and live in a [`CaseTable`] until the end of the
//! trace, or until they end by an event, by silence or by a case marker. Formats that have cases of their own, such as XES, store one case after the other: then a case ends
//! when the next one begins, and the table holds one case at a time.
//!
//! The time of a case is that of its own events. A case that falls silent keeps its deadlines open until the end; only a
//! progress marker advances all cases.

use std::ops::ControlFlow;
use std::sync::Arc;

use gnomon_core::event::{Event, Fields};
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{Binding, End, Origin, Outcome, Simultaneous};
use gnomon_ir::core::Core;

use super::bounds::ResolvedBounds;
use super::case_table::{CaseState, CaseTable};
use super::listener::{CaseOutcomes, EndVerdict, EventVerdict, Listener, ReportedViolation, TraceContext};
use super::memory::MemoryAccounting;
use super::outcome_sum::{CaseSummary, OutcomeSum};
use super::{CaseEnd, CaseId, CaseStep, CriticalStop, Division, Options, ViolationMode};
use crate::compile::CompiledSpec;
use crate::driver::{CheckJob, EventSource, Visitor};
use crate::error::Error;

/// Checks a trace that is one case or many.
pub(super) struct CaseDriver<'a> {
    compiled: &'a CompiledSpec,
    options: &'a Options,
    listener: CappedListener<'a>,
    /// For each property: true if its first violation stops the verification.
    critical: Vec<bool>,
    /// For each property and name of the plan: true if the property mentions the name.
    mentions: Vec<Vec<bool>>,
    division: Division,
    cases: CaseTable,
    memory: MemoryAccounting,
    /// The time of the open positions.
    now: Option<Timestamp>,
    /// The cases that have events at that time.
    open: Vec<usize>,
    /// Those events, if events are reported.
    pending: Vec<PendingEvent>,
    /// The cases that are over once the open positions are closed.
    ending: Vec<(usize, CaseEnd)>,
    /// The critical violation that was found.
    violation: Option<CriticalViolation>,
    stop: Option<CriticalStop>,
    /// True if reading ended at a critical violation.
    is_stopped: bool,
    sum: OutcomeSum,
}

/// Reports violations up to the requested number.
struct CappedListener<'a> {
    inner: &'a mut dyn Listener,
    options: &'a Options,
    /// For each property, the number of violations found that can be listed.
    listed: Vec<usize>,
}

impl CappedListener<'_> {
    fn report(&mut self, found: &ReportedViolation<'_>) {
        let listed = &mut self.listed[found.property];
        *listed += 1;
        if self.options.report_violations && *listed <= self.options.max_violations {
            self.inner.violation(found);
        }
    }
}

/// An event whose position is not complete.
struct PendingEvent {
    origin: Origin,
    case: usize,
    violated: Vec<usize>,
    bindings: Vec<(usize, Binding)>,
}

impl PendingEvent {
    /// Attributes a violation of a property, with these bindings, to the event.
    fn attribute(&mut self, property: usize, bindings: &[Binding]) {
        if !self.violated.contains(&property) {
            self.violated.push(property);
        }
        self.bindings.extend(bindings.iter().map(|binding| (property, binding.clone())));
    }
}

/// The case and the property of a critical violation.
#[derive(Clone, Copy)]
struct CriticalViolation {
    case: usize,
    property: usize,
}

impl<'a> CaseDriver<'a> {
    pub(super) fn new(job: CheckJob<'a>, division: Division, listener: &'a mut dyn Listener) -> Self {
        let CheckJob { compiled, options, .. } = job;
        let cores = compiled.plan.cores();
        let critical = compiled.properties().map(|property| match options.mode {
            None => property.options.critical,
            Some(mode) => mode == ViolationMode::Critical,
        });
        CaseDriver {
            critical: critical.collect(),
            mentions: cores.iter().map(|core| mentioned_names(compiled, core)).collect(),
            division,
            cases: CaseTable::new(compiled.plan.clone(), options.limits),
            memory: MemoryAccounting::new(options.limits, cores.len()),
            now: None,
            open: Vec::new(),
            pending: Vec::new(),
            ending: Vec::new(),
            listener: CappedListener { inner: listener, options, listed: vec![0; cores.len()] },
            violation: None,
            stop: None,
            is_stopped: false,
            sum: OutcomeSum::new(cores.len(), options.max_violations),
            compiled,
            options,
        }
    }

    /// Adds a case. Returns its number.
    fn begin(&mut self, label: Arc<str>) -> usize {
        let wanted = self.options.max_violations;
        let is_divided = self.division.is_divided();
        let is_full =
            is_divided && self.options.lists_in_order() && self.listener.listed.iter().all(|listed| *listed >= wanted);
        // A critical violation is reported with the stop, even if none is listed.
        let most = if is_full { 0 } else { wanted.max(usize::from(self.critical.contains(&true))) };
        let monitor = self.cases.monitor(most);
        self.cases.add(CaseState::new(is_divided.then_some(label), monitor, self.critical.len()))
    }

    /// Adds a case that begins with this event. Returns its number.
    fn begin_with(&mut self, label: Arc<str>, event: &Event<'_>) -> usize {
        let number = self.begin(label);
        self.division.bounds.begin(&mut self.cases.case(number).monitor, event.index, event.time);
        number
    }

    /// Moves to the time of an event, which closes the positions before it. Breaks after a critical violation.
    #[inline]
    fn turn_to(&mut self, time: Timestamp, context: TraceContext<'_>) -> ControlFlow<()> {
        if self.now != Some(time) {
            self.close(context);
            self.now = Some(time);
        }
        self.flow()
    }

    /// Takes an event of a case, at the current time. Breaks before it if a deadline decided a critical violation.
    fn step(&mut self, number: usize, event: &Event<'_>, context: TraceContext<'_>) -> ControlFlow<()> {
        let origin = Origin { event_index: event.index, time: event.time, event: event.name };
        let case = self.cases.case(number);
        let mut pending = PendingEvent { origin, case: number, violated: Vec::new(), bindings: Vec::new() };
        if !case.is_open {
            self.open.push(number);
            case.open(event.time);
            if case.needs_look(false) {
                for property in 0..self.critical.len() {
                    if let Some(bindings) = self.look(number, property, false, context) {
                        pending.attribute(property, &bindings);
                    }
                }
            }
            self.flow()?;
        }
        let case = self.cases.case(number);
        case.monitor.step(event);
        case.history.events += 1;
        case.history.last_index = event.index;
        self.memory.touch(number);
        if case.needs_look(true) {
            for property in 0..self.critical.len() {
                if self.simultaneous(property) == Simultaneous::Sequence
                    && let Some(bindings) = self.look(number, property, true, context)
                {
                    pending.attribute(property, &bindings);
                }
            }
        }
        if self.options.report_events {
            self.pending.push(pending);
        }
        ControlFlow::Continue(())
    }

    /// Advances the time of every case without an event. Breaks after a critical violation.
    fn advance(&mut self, to: Timestamp, context: TraceContext<'_>) -> ControlFlow<()> {
        if self.now.is_some_and(|now| now < to) {
            self.close(context);
        }
        self.division.progress(to);
        for number in 0..self.cases.len() {
            if self.cases.is_ended(number) {
                continue;
            }
            if let Some(end) = self.division.end(number) {
                self.end_number(number, end, None, true, context);
                continue;
            }
            self.cases.case(number).monitor.advance(to);
            if self.cases.case(number).needs_look(false) {
                for property in 0..self.critical.len() {
                    self.look(number, property, false, context);
                }
                self.cases.case(number).settle();
            }
        }
        self.flow()
    }

    /// Ends the case because the next one begins. Breaks after a critical violation, even one that the end decided.
    fn next_case(&mut self, context: TraceContext<'_>) -> ControlFlow<()> {
        self.close(context);
        self.flow()?;
        self.end_cases(self.options.end, None, true, context);
        self.flow()
    }

    /// Ends every case and adds up the outcomes of a divided trace; returns the outcomes of an undivided one. `bounds` has the
    /// end of the whole trace, if the cases are parts of it and must be shown that end.
    fn end_cases(
        &mut self,
        end: End,
        bounds: Option<ResolvedBounds>,
        more_follow: bool,
        context: TraceContext<'_>,
    ) -> Option<Vec<Outcome>> {
        let mut whole = None;
        self.memory.clear();
        let is_stopped = self.is_stopped;
        for number in (0..self.cases.len()).filter(|number| !self.cases.is_ended(*number)).collect::<Vec<_>>() {
            let own = self.division.end(number).filter(|_| !is_stopped && !self.division.is_sequential());
            let whole_end = CaseEnd { end, until: None };
            let bounds = bounds.filter(|_| own.is_none());
            whole = self.end_number(number, own.unwrap_or(whole_end), bounds, more_follow, context).or(whole);
        }
        self.cases.clear();
        whole
    }

    /// Ends a case and adds its outcomes to those of the others; returns those of an undivided trace.
    fn end_number(
        &mut self,
        number: usize,
        CaseEnd { end, until }: CaseEnd,
        bounds: Option<ResolvedBounds>,
        more_follow: bool,
        context: TraceContext<'_>,
    ) -> Option<Vec<Outcome>> {
        let mut case = self.cases.take(number);
        self.memory.remove(number);
        if let Some(bounds) = bounds {
            case.end_at(bounds);
        }
        if let Some(until) = until {
            case.monitor.advance(until);
        }
        let (label, events) = (case.history.label.clone(), case.history.events);
        let mut outcomes = self.end_case(case, end, context);
        if self.violation.is_none() && more_follow {
            let violated = |property: &usize| self.critical[*property] && outcomes[*property].violated > 0;
            let found = (0..outcomes.len()).find(violated);
            self.violation = found.map(|property| CriticalViolation { case: number, property });
        }
        if let Some(violation) = self.violation.filter(|violation| violation.case == number) {
            self.stop = Some(critical_stop(violation.property, &outcomes, label.as_deref()));
        }
        for outcome in &mut outcomes {
            outcome.violations.truncate(self.options.max_violations);
        }
        let Some(label) = label else { return Some(outcomes) };
        self.listener.inner.case(&CaseOutcomes { label: &label, events, outcomes: &outcomes, context });
        self.sum.add(&label, outcomes);
        None
    }

    /// Finishes the monitor of a case and reports the violations that its end decided.
    fn end_case(&mut self, case: CaseState, end: End, context: TraceContext<'_>) -> Vec<Outcome> {
        let (label, last) = (case.history.label.clone(), case.history.last);
        let case_label = label.as_deref();
        let (finished, counts) = case.finish(end);
        if self.options.report_events {
            let grew = |property: &usize| finished[*property].0.violated > counts[*property];
            let violated: Vec<usize> = (0..finished.len()).filter(grew).collect();
            let mut bindings: Vec<(usize, Binding)> = Vec::new();
            for property in violated.iter().copied() {
                let bound = finished[property].1.iter().filter(|found| !found.binding.is_empty());
                bindings.extend(bound.map(|found| (property, found.binding.clone())));
            }
            if !violated.is_empty() {
                let (violated, bindings) = (&violated[..], &bindings[..]);
                self.listener.inner.end(&EndVerdict { last, violated, bindings, case: case_label, context });
            }
        }
        for (property, (_, undrained)) in finished.iter().enumerate() {
            for violation in undrained {
                self.listener.report(&ReportedViolation { property, violation, case: case_label, context });
            }
        }
        finished.into_iter().map(|(outcome, _)| outcome).collect()
    }

    /// Adds the cases of the format that have no events. A property is checked on the empty trace in each of them.
    pub(super) fn add_empty(&mut self, labels: &[String]) {
        if self.is_stopped {
            return;
        }
        for label in labels {
            self.begin(label.as_str().into());
        }
    }

    /// Ends the trace: all of it was read, or reading stopped at a critical violation.
    pub(super) fn finish(
        mut self,
        context: TraceContext<'_>,
    ) -> (Vec<Outcome>, Option<CaseSummary>, Option<CriticalStop>) {
        self.close(context);
        // The last position is complete only now. What it decides stops the verification like the events before it.
        self.is_stopped |= self.violation.is_some();
        if !self.division.is_divided() && self.cases.len() == 0 {
            self.begin("".into());
        }
        let end = if self.is_stopped { End::Prefix } else { self.options.end };
        let bounds = (!self.is_stopped).then_some(self.division.bounds);
        if let Some(outcomes) = self.end_cases(end, bounds, false, context) {
            return (outcomes, None, self.stop);
        }
        let (outcomes, cases) = self.sum.finish(self.division.field(), self.division.without());
        (outcomes, Some(cases), self.stop)
    }

    /// Closes the open positions and reports their events.
    fn close(&mut self, context: TraceContext<'_>) {
        if self.now.take().is_none() {
            return;
        }
        for number in std::mem::take(&mut self.open) {
            self.cases.case(number).close();
            if !self.cases.case(number).needs_look(true) {
                continue;
            }
            for property in 0..self.critical.len() {
                let merges = self.simultaneous(property) == Simultaneous::Merge;
                let found = self.look(number, property, merges, context);
                if let Some(bindings) = found.filter(|_| merges && self.options.report_events) {
                    self.attribute(number, property, &bindings);
                }
            }
            self.cases.case(number).settle();
        }
        for pending in std::mem::take(&mut self.pending) {
            let PendingEvent { origin, case, mut violated, mut bindings } = pending;
            violated.sort_unstable();
            bindings.sort_by_key(|(property, _)| *property);
            let case = self.cases.case(case).history.label.as_deref();
            let (violated, bindings) = (&violated[..], &bindings[..]);
            self.listener.inner.event(&EventVerdict { origin, violated, bindings, case, context });
        }
        for (number, end) in std::mem::take(&mut self.ending) {
            self.end_number(number, end, None, true, context);
        }
    }

    /// Looks for new violations of a property, at a new position if the case `moved`, and reports them. Returns their bindings;
    /// `None` if there are no new violations.
    fn look(&mut self, number: usize, property: usize, moved: bool, context: TraceContext<'_>) -> Option<Vec<Binding>> {
        let case = self.cases.case(number);
        let is_first = !case.was_violated(property);
        let is_new = case.has_new_violations(property);
        if is_new && self.critical[property] && self.violation.is_none() {
            self.violation = Some(CriticalViolation { case: number, property });
        }
        let mut bindings = Vec::new();
        // A formula without variables has no bindings, and draining its violations would keep them from growing into ranges.
        let core = &self.compiled.plan.cores()[property];
        let has_values = !core.prefix().is_empty() || matches!(core, Core::Rule(_));
        if self.options.report_violations || self.options.report_events && has_values {
            let label = case.history.label.clone();
            for violation in case.drain_violations(property, is_new, moved) {
                self.listener.report(&ReportedViolation { property, violation, case: label.as_deref(), context });
                bindings.extend((!violation.binding.is_empty()).then(|| violation.binding.clone()));
            }
        } else if is_new && is_first {
            // The outcome of the case will list at least one.
            self.listener.listed[property] += 1;
        }
        is_new.then_some(bindings)
    }

    /// Attributes a violation at the open position of a case to the events that the property mentions, or to the first.
    fn attribute(&mut self, number: usize, property: usize, bindings: &[Binding]) {
        let of_case = |pending: &&mut PendingEvent| pending.case == number;
        let mentions = &self.mentions[property];
        let mut any = false;
        for pending in self.pending.iter_mut().filter(of_case) {
            if mentions.get(pending.origin.event.0 as usize) == Some(&true) {
                pending.attribute(property, bindings);
                any = true;
            }
        }
        if let Some(first) = self.pending.iter_mut().find(of_case).filter(|_| !any) {
            first.attribute(property, bindings);
        }
    }

    fn simultaneous(&self, property: usize) -> Simultaneous {
        self.compiled.plan.cores()[property].simultaneous()
    }

    fn flow(&self) -> ControlFlow<()> {
        if self.violation.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Visitor for CaseDriver<'_> {
    fn event<S: EventSource>(&mut self, event: &Event<'_>, source: &S) -> Result<bool, Error> {
        let (context, (number, name)) = (source.context(), source.case());
        let CaseStep { case, expired, is_last } = self.division.case(event, number, name);
        if let Some(number) = expired.filter(|number| !self.cases.is_ended(*number)) {
            self.ending.extend(self.division.end(number).map(|end| (number, end)));
        }
        let is_sequential = self.division.is_sequential();
        let is_over = is_sequential && matches!(case, CaseId::New(_));
        self.is_stopped = is_over && self.next_case(context).is_break() || self.turn_to(event.time, context).is_break();
        if self.is_stopped {
            return Ok(false);
        }
        let number = match case {
            CaseId::None => return Ok(false),
            CaseId::New(label) => self.begin_with(label, event),
            // Of sequential cases the table holds only the current one.
            CaseId::Known(_) if is_sequential => 0,
            CaseId::Known(number) => number,
        };
        self.is_stopped = self.step(number, event, context).is_break();
        if is_last {
            self.ending.extend(self.division.end(number).map(|end| (number, end)));
        }
        Ok(!self.is_stopped)
    }

    fn case_marker<S: EventSource>(&mut self, fields: &dyn Fields, time: Timestamp, _: &S) -> Result<(), Error> {
        if let Some(number) = self.division.marker(fields, time).filter(|number| !self.cases.is_ended(*number)) {
            self.ending.extend(self.division.end(number).map(|end| (number, end)));
        }
        Ok(())
    }

    fn progress<S: EventSource>(&mut self, to: Timestamp, source: &S) -> Result<(), Error> {
        self.is_stopped = self.advance(to, source.context()).is_break();
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.is_stopped
    }

    fn check_limits(&mut self) -> Result<(), Error> {
        self.cases.drain_packed().into_iter().for_each(|number| self.memory.pack(number));
        self.memory.check(self.cases.bytes(), |number| self.cases.active(number).map(|case| &*case.monitor))
    }

    fn report_progress(&mut self, bytes: u64, events: u64) {
        self.listener.inner.progress(bytes, events);
    }
}

/// Returns the stop at the earliest violation of a critical property in a case.
fn critical_stop(property: usize, outcomes: &[Outcome], case: Option<&str>) -> CriticalStop {
    let decided = outcomes[property].violations.iter().map(|violation| violation.decided);
    let decided = decided.min_by_key(|decided| decided.time());
    CriticalStop { property, decided, case: case.map(str::to_owned) }
}

/// Returns, for each name of the plan, true if the property mentions it.
fn mentioned_names(compiled: &CompiledSpec, core: &Core) -> Vec<bool> {
    let symbols = compiled.plan.symbols();
    let mut mentioned = vec![false; symbols.name_count()];
    for pattern in core.atoms().iter().flat_map(|atom| &atom.patterns) {
        if let Some(name) = symbols.find_name(&pattern.event) {
            mentioned[name.0 as usize] = true;
        }
    }
    mentioned
}
