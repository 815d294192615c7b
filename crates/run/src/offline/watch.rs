// SPDX-License-Identifier: MIT OR Apache-2.0
//! Judges with open eyes: violations are noted when they become certain, events get their verdicts, a critical violation
//! stops, and the trace may be many cases. Slower than the plain loop, which does none of this.
//!
//! What a position decides is told apart from what a deadline decides by asking at the right moments: time is told to
//! the monitor before an event (deadlines), and positions are closed as soon as the time of their events has passed. Both
//! belong to the event at which they are found.

use std::ops::ControlFlow;
use std::sync::Arc;

use gnomon_core::event::Event;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{Binding, End, Origin, Outcome, Simultaneous};
use gnomon_ir::core::Core;

use super::burden::Burden;
use super::case::Case;
use super::frame::Bounds;
use super::listen::{Ended, Found, Judged, JudgedCase, Legend, Listener};
use super::roster::Roster;
use super::sum::{Cases, Sum};
use super::{Division, Mode, Options, Stopped};
use crate::compile::Compiled;
use crate::error::Error;

/// The cases of a trace, being judged.
pub(super) struct Watch<'a> {
    compiled: &'a Compiled,
    options: &'a Options,
    voice: Voice<'a>,
    /// For each property, whether its first violation ends it all.
    critical: Vec<bool>,
    /// For each property, the events it speaks of.
    concerns: Vec<Vec<bool>>,
    /// Whether the trace is many cases.
    divided: bool,
    cases: Roster,
    burden: Burden,
    /// The time of the open positions.
    now: Option<Timestamp>,
    /// The cases that have events at that time.
    open: Vec<usize>,
    /// Those events, where each is to be told.
    pending: Vec<Pending>,
    stop: Option<Stop>,
    stopped: Option<Stopped>,
    sum: Sum,
}

/// Tells what is found, up to the number that is asked for.
struct Voice<'a> {
    listener: &'a mut dyn Listener,
    options: &'a Options,
    /// For each property, how many violations were found that can be listed.
    listed: Vec<usize>,
}

impl Voice<'_> {
    fn tell(&mut self, found: &Found<'_>) {
        let listed = &mut self.listed[found.property];
        *listed += 1;
        if self.options.tell_violations && *listed <= self.options.max_violations {
            self.listener.violation(found);
        }
    }
}

/// An event whose position is not complete.
struct Pending {
    origin: Origin,
    case: usize,
    violated: Vec<usize>,
    bindings: Vec<(usize, Binding)>,
}

impl Pending {
    /// A violation of a property, for these values of its variables, is decided here.
    fn blame(&mut self, property: usize, bindings: &[Binding]) {
        if !self.violated.contains(&property) {
            self.violated.push(property);
        }
        self.bindings.extend(bindings.iter().map(|binding| (property, binding.clone())));
    }
}

/// A critical violation was found.
#[derive(Clone, Copy)]
struct Stop {
    case: usize,
    property: usize,
}

impl<'a> Watch<'a> {
    pub(super) fn new(
        compiled: &'a Compiled,
        options: &'a Options,
        divided: bool,
        listener: &'a mut dyn Listener,
    ) -> Self {
        let cores = compiled.plan.cores();
        let critical = compiled.properties().map(|property| match options.mode {
            None => property.options.critical,
            Some(mode) => mode == Mode::Critical,
        });
        Watch {
            critical: critical.collect(),
            concerns: cores.iter().map(|core| names(compiled, core)).collect(),
            divided,
            cases: Roster::new(compiled.plan.clone(), options.limits),
            burden: Burden::new(options.limits, cores.len()),
            now: None,
            open: Vec::new(),
            pending: Vec::new(),
            voice: Voice { listener, options, listed: vec![0; cores.len()] },
            stop: None,
            stopped: None,
            sum: Sum::new(cores.len(), options.max_violations),
            compiled,
            options,
        }
    }

    pub(super) fn progress(&mut self, bytes: u64, events: u64) {
        self.voice.listener.progress(bytes, events);
    }

    /// Fails if the monitors take more than they may.
    pub(super) fn check_limits(&mut self) -> Result<(), Error> {
        self.cases.packed().into_iter().for_each(|number| self.burden.pack(number));
        self.burden.check(self.cases.bytes(), |number| self.cases.ready(number).map(|case| &*case.monitor))
    }

    /// A new case; its number.
    pub(super) fn begin(&mut self, label: Arc<str>) -> usize {
        let wanted = self.options.max_violations;
        let full = self.divided && self.voice.listed.iter().all(|listed| *listed >= wanted);
        // A critical violation is shown where the trace stops, even if none is to be listed.
        let most = if full { 0 } else { wanted.max(usize::from(self.critical.contains(&true))) };
        let label = self.divided.then_some(label);
        let monitor = self.cases.monitor(most);
        self.cases.add(Case::new(label, monitor, self.critical.len()))
    }

    /// A new case, whose first event this is, in a trace that begins and ends there; its number.
    pub(super) fn begin_with(&mut self, label: Arc<str>, event: &Event<'_>, bounds: Bounds) -> usize {
        let number = self.begin(label);
        bounds.begin(&mut self.cases.case(number).monitor, event.index, event.time);
        number
    }

    /// An event is at this time, and none of the open cases has more events at the time before. Breaks off after a
    /// critical violation.
    #[inline]
    pub(super) fn turn_to(&mut self, time: Timestamp, legend: Legend<'_>) -> ControlFlow<()> {
        if self.now != Some(time) {
            self.close(legend);
            self.now = Some(time);
        }
        self.flow()
    }

    /// An event of a case, at the time that was turned to. Breaks off, without it, if a critical deadline passed before.
    pub(super) fn step(&mut self, number: usize, event: &Event<'_>, legend: Legend<'_>) -> ControlFlow<()> {
        let origin = Origin { event_index: event.index, time: event.time, event: event.name };
        let case = self.cases.case(number);
        let mut pending = Pending { origin, case: number, violated: Vec::new(), bindings: Vec::new() };
        if !case.is_open {
            self.open.push(number);
            case.open(event.time);
            if case.stirs(false) {
                for property in 0..self.critical.len() {
                    if let Some(bindings) = self.look(number, property, false, legend) {
                        pending.blame(property, &bindings);
                    }
                }
            }
            self.flow()?;
        }
        let case = self.cases.case(number);
        case.monitor.step(event);
        case.events += 1;
        case.last_index = event.index;
        self.burden.touch(number);
        if case.stirs(true) {
            for property in 0..self.critical.len() {
                if self.simultaneous(property) == Simultaneous::Sequence
                    && let Some(bindings) = self.look(number, property, true, legend)
                {
                    pending.blame(property, &bindings);
                }
            }
        }
        if self.options.tell_events {
            self.pending.push(pending);
        }
        ControlFlow::Continue(())
    }

    /// Time passed without an event: deadlines before it are over, in every case. Breaks off after a critical violation.
    pub(super) fn pass(&mut self, to: Timestamp, legend: Legend<'_>) -> ControlFlow<()> {
        if self.now.is_some_and(|now| now < to) {
            self.close(legend);
        }
        for number in 0..self.cases.len() {
            self.cases.case(number).pass(to);
            if self.cases.case(number).stirs(false) {
                for property in 0..self.critical.len() {
                    self.look(number, property, false, legend);
                }
                self.cases.case(number).settle();
            }
        }
        self.flow()
    }

    /// The case is over and another begins. Breaks off after a critical violation, even one that the end decided.
    pub(super) fn next_case(&mut self, legend: Legend<'_>) -> ControlFlow<()> {
        self.close(legend);
        self.flow()?;
        self.end_cases(self.options.end, None, true, legend);
        self.flow()
    }

    /// Ends every case, and adds them up if the trace is divided. What is left is the outcomes of a trace that is not.
    /// `bounds`: where the trace that they are parts of ends, if they are to be told.
    fn end_cases(
        &mut self,
        end: End,
        bounds: Option<Bounds>,
        more_follow: bool,
        legend: Legend<'_>,
    ) -> Option<Vec<Outcome>> {
        let mut whole = None;
        self.burden.clear();
        for number in 0..self.cases.len() {
            let mut case = self.cases.take(number);
            if let Some(bounds) = bounds {
                case.tell_end(bounds);
            }
            let (label, events) = (case.label.clone(), case.events);
            let mut outcomes = self.end_case(case, end, legend);
            if self.stop.is_none() && more_follow {
                let violated = |property: &usize| self.critical[*property] && outcomes[*property].violated > 0;
                self.stop = (0..outcomes.len()).find(violated).map(|property| Stop { case: number, property });
            }
            if let Some(stop) = self.stop.filter(|stop| stop.case == number) {
                self.stopped = Some(stopped(stop.property, &outcomes, label.as_deref()));
            }
            for outcome in &mut outcomes {
                outcome.violations.truncate(self.options.max_violations);
            }
            match label {
                Some(label) => {
                    self.voice.listener.case(&JudgedCase { label: &label, events, outcomes: &outcomes, legend });
                    self.sum.add(&label, outcomes);
                }
                None => whole = Some(outcomes),
            }
        }
        self.cases.clear();
        whole
    }

    fn end_case(&mut self, case: Case, end: End, legend: Legend<'_>) -> Vec<Outcome> {
        let (label, last) = (case.label.clone(), case.last);
        let (outcomes, record) = case.finish(end);
        if self.options.tell_events {
            let (violated, bindings) = record.found_last(&outcomes);
            if !violated.is_empty() {
                let (case, violated, bindings) = (label.as_deref(), &violated[..], &bindings[..]);
                self.voice.listener.end(&Ended { last, violated, bindings, case, legend });
            }
        }
        for (property, outcome) in outcomes.iter().enumerate() {
            for violation in outcome.violations.iter().filter(|violation| !record.has(property, violation)) {
                self.voice.tell(&Found { property, violation, case: label.as_deref(), legend });
            }
        }
        outcomes
    }

    /// Nothing more comes, or (`cut`) nothing more is looked at because a critical violation was found.
    pub(super) fn finish(
        mut self,
        division: &Division,
        cut: bool,
        legend: Legend<'_>,
    ) -> (Vec<Outcome>, Option<Cases>, Option<Stopped>) {
        self.close(legend);
        self.stop = self.stop.filter(|_| cut);
        if !self.divided && self.cases.len() == 0 {
            self.begin("".into());
        }
        let end = if cut { End::Prefix } else { self.options.end };
        let bounds = (!cut).then_some(division.bounds);
        if let Some(outcomes) = self.end_cases(end, bounds, false, legend) {
            return (outcomes, None, self.stopped);
        }
        let (outcomes, cases) = self.sum.finish(division.field(), division.without());
        (outcomes, Some(cases), self.stopped)
    }

    /// Ends the open positions and tells their events.
    pub(super) fn close(&mut self, legend: Legend<'_>) {
        if self.now.take().is_none() {
            return;
        }
        for number in std::mem::take(&mut self.open) {
            self.cases.case(number).close();
            if !self.cases.case(number).stirs(true) {
                continue;
            }
            for property in 0..self.critical.len() {
                let merges = self.simultaneous(property) == Simultaneous::Merge;
                let found = self.look(number, property, merges, legend);
                if let Some(bindings) = found.filter(|_| merges && self.options.tell_events) {
                    self.blame(number, property, &bindings);
                }
            }
            self.cases.case(number).settle();
        }
        for pending in std::mem::take(&mut self.pending) {
            let Pending { origin, case, mut violated, mut bindings } = pending;
            violated.sort_unstable();
            bindings.sort_by_key(|(property, _)| *property);
            let case = self.cases.case(case).label.as_deref();
            self.voice.listener.event(&Judged { origin, violated: &violated, bindings: &bindings, case, legend });
        }
    }

    /// Takes note of violations that became certain just now, at a new position or because time passed. If there are any,
    /// tells for which values of variables.
    fn look(&mut self, number: usize, property: usize, moved: bool, legend: Legend<'_>) -> Option<Vec<Binding>> {
        let case = self.cases.case(number);
        let is_first = !case.has_noted(property);
        let fresh = case.notes(property);
        if fresh && self.critical[property] && self.stop.is_none() {
            self.stop = Some(Stop { case: number, property });
        }
        let mut bindings = Vec::new();
        // Of a formula without variables there is no binding to tell, and asking would keep its violations from growing
        // into ranges.
        let core = &self.compiled.plan.cores()[property];
        let has_values = !core.prefix().is_empty() || matches!(core, Core::Rule(_));
        if self.options.tell_violations || self.options.tell_events && has_values {
            let label = case.label.clone();
            for violation in case.news(property, fresh, moved) {
                self.voice.tell(&Found { property, violation, case: label.as_deref(), legend });
                bindings.extend((!violation.binding.is_empty()).then(|| violation.binding.clone()));
            }
        } else if fresh && is_first {
            // It lists one at least.
            self.voice.listed[property] += 1;
        }
        fresh.then_some(bindings)
    }

    /// Something was decided at a case's open position: by the events that the property speaks of, or by the first.
    fn blame(&mut self, number: usize, property: usize, bindings: &[Binding]) {
        let of_case = |pending: &&mut Pending| pending.case == number;
        let concern = &self.concerns[property];
        let mut any = false;
        for pending in self.pending.iter_mut().filter(of_case) {
            if concern.get(pending.origin.event.0 as usize) == Some(&true) {
                pending.blame(property, bindings);
                any = true;
            }
        }
        if let Some(first) = self.pending.iter_mut().find(of_case).filter(|_| !any) {
            first.blame(property, bindings);
        }
    }

    fn simultaneous(&self, property: usize) -> Simultaneous {
        self.compiled.plan.cores()[property].simultaneous()
    }

    fn flow(&self) -> ControlFlow<()> {
        if self.stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Where a critical violation of a case was decided: before it there was none.
fn stopped(property: usize, outcomes: &[Outcome], case: Option<&str>) -> Stopped {
    let decided = outcomes[property].violations.iter().map(|violation| violation.decided);
    let decided = decided.min_by_key(|decided| decided.time());
    Stopped { property, decided, case: case.map(str::to_owned) }
}

/// For each name of the plan, whether a property speaks of it.
fn names(compiled: &Compiled, core: &Core) -> Vec<bool> {
    let symbols = compiled.plan.symbols();
    let mut spoken_of = vec![false; symbols.name_count()];
    for pattern in core.atoms().iter().flat_map(|atom| &atom.patterns) {
        if let Some(name) = symbols.find_name(&pattern.event) {
            spoken_of[name.0 as usize] = true;
        }
    }
    spoken_of
}
