// SPDX-License-Identifier: MIT OR Apache-2.0
//! The event driver: the only loop that reads a trace.
//!
//! # From bytes to a visitor
//!
//! ```text
//! Reader ──> OrderedReader ──> EventStream ──> Driver ──> Visitor ──> Monitor
//! bytes      by time           + externs       this file   one per purpose
//! ```
//!
//! 1. A reader of `gnomon-trace` decodes the rows of one format.
//! 2. `OrderedReader` sorts them by time. Without `--reorder` a step back in time is an error. With `--reorder 5s` rows wait in a
//!    heap until one that is 5 s later has been read; a row that arrives later than that is counted as late and dropped.
//! 3. [`EventStream`] adds the values of external variables and absorbs the rows that record reads of them.
//! 4. [`Driver::run`] hands each item to a [`Visitor`]: the whole trace to one monitor, each case to its own monitor,
//!    samples at intervals, batches for other threads, and so on.
//!
//! # Items
//!
//! An item is one of four things.
//! - An **event** goes to [`Visitor::event`].
//! - A **progress marker** (a row named `gnomon.tick`) goes to [`Visitor::progress`]. It carries a time and is not an event: it
//!   has no index, is in no count and matches no atom, even `true`. It states that nothing earlier follows, so deadlines
//!   before it have passed.
//! - A **case marker** (a row named `gnomon.case`) goes to [`Visitor::case_marker`]. It ends a case, or says when cases expire.
//! - A **gap** is a run of consecutive events whose names no property mentions. [`Visitor::gap`] may skip all of them in one
//!   step; otherwise they are read one by one.
//!
//! Consecutive events of which no field is wanted come together, as a **run**, to a visitor that takes runs
//! ([`Visitor::run`]). Some readers decode the names and times of a run in a loop of their own; of other formats the driver gathers the events. A
//! monitor takes a run in as a block. Where fields are wanted, but nothing except whole numbers, they come as a **block** with these numbers
//! ([`Visitor::block`]), if the reader of the format can decode blocks. An event whose name the driver has not compared with the expectations
//! of the properties is never part of a run or a block.
//!
//! Example: the trace `a@1 gnomon.tick@5 b@6` causes the calls `event(a, index 0)`, `progress(5)`, `event(b, index 1)`.
//!
//! # Duties of the driver
//!
//! The driver does what is common to all visitors, and visitors must not do it again.
//! - Before the first item it checks that durations with a unit can be compared with the times of the trace
//!   ([`check_units`]). It cannot do so earlier: only the first row tells whether times are numbers or dates.
//! - It counts the events that the visitor accepted and notes the first and the last time ([`TraceExtent`]).
//! - It asks the visitor to check its limits: at each of the first 4,096 events, so that limits hold for short traces, and
//!   at every 4,096th event after that, so that the check costs nothing on long ones.
//! - It reports progress every 65,536 events and after each gap.
//!
//! Code that has events without a stream, such as a thread that receives batches, pushes them with [`Driver::event`] and
//! [`Driver::progress`] and gets the same treatment.

use std::ops::ControlFlow;

use gnomon_core::event::{CASE_MARKER, Event, FieldSelection, Fields, PROGRESS_MARKER};
use gnomon_core::event_block::EventBlock;
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{Origin, Outcome};
use gnomon_trace::{EventGap, NameSet, RUN_LENGTH, Reader};

use crate::compile::CompiledSpec;
use crate::error::Error;
use crate::expectations::Expectations;
use crate::offline::{EventLocations, Options, Report, TraceContext, check_units};
use crate::stream::EventStream;

/// Receives the items of a trace, in order.
pub trait Visitor {
    /// Takes an event. Returns false if the visitor did not check it: it belongs to no case, or the visitor stopped before it.
    fn event<S: EventSource>(&mut self, event: &Event<'_>, source: &S) -> Result<bool, Error>;

    /// Takes a progress marker: nothing earlier than `to` follows.
    fn progress<S: EventSource>(&mut self, to: Timestamp, source: &S) -> Result<(), Error>;

    /// Takes a case marker with these fields, at this time.
    fn case_marker<S: EventSource>(&mut self, _fields: &dyn Fields, _time: Timestamp, _: &S) -> Result<(), Error> {
        Ok(())
    }

    /// True if the visitor takes runs of events.
    const TAKES_RUNS: bool = false;

    /// Takes consecutive events of which no field is wanted.
    fn run(&mut self, _events: &[Origin]) {}

    /// Takes consecutive events of which nothing is wanted but whole numbers.
    fn block(&mut self, _block: &EventBlock) -> Result<(), Error> {
        Ok(())
    }

    /// Returns the field that every event of a block must have.
    fn required_field(&self) -> Option<Key> {
        None
    }

    /// Skips events that no property mentions. Returns false if they must be read.
    #[inline]
    fn gap(&mut self, _gap: EventGap) -> bool {
        false
    }

    /// Returns true once nothing more has to be read.
    #[inline]
    fn is_done(&self) -> bool {
        false
    }

    /// Fails if the visitor takes more memory than allowed. Called at intervals.
    #[inline]
    fn check_limits(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Reports the number of bytes read and events checked. Called at intervals.
    fn report_progress(&mut self, _bytes: u64, _events: u64) {}
}

/// Properties of the trace around the current event.
pub trait EventSource {
    /// Returns the notation of names and times in the trace.
    fn context(&self) -> TraceContext<'_>;
    /// Returns the number and the name of the event's case, in formats that have cases.
    fn case(&self) -> (u64, Option<&str>);
    /// Returns the number of bytes read.
    fn bytes_read(&self) -> u64;
    /// Lists the names of all fields of the current event, also of those that no property uses; empty if they are not known.
    fn field_names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The arguments of a check: properties, name of the trace, options.
#[derive(Clone, Copy)]
pub(crate) struct CheckJob<'a> {
    pub(crate) compiled: &'a CompiledSpec,
    pub(crate) name: &'a str,
    pub(crate) options: &'a Options,
}

/// The state of one pass over a trace.
pub struct Driver<'a> {
    job: CheckJob<'a>,
    has_begun: bool,
    /// The events of a run and of a block; kept to reuse the memory.
    run: Vec<Origin>,
    block: EventBlock,
    pub(crate) extent: TraceExtent,
}

/// Number of events between two reports of progress.
const PROGRESS_EVERY: u64 = 1 << 16;
/// Limits are checked at each of this many first events.
const CHECK_ALWAYS_BEFORE: u64 = 1 << 12;
/// After those, limits are checked once in this many events.
const CHECK_EVERY: u64 = 1 << 12;

impl<'a> Driver<'a> {
    /// Begins a pass over the trace of this name.
    pub fn new(compiled: &'a CompiledSpec, name: &'a str, options: &'a Options) -> Self {
        Driver::of(CheckJob { compiled, name, options })
    }

    pub(crate) fn of(job: CheckJob<'a>) -> Self {
        Driver {
            job,
            has_begun: false,
            run: Vec::new(),
            block: EventBlock::default(),
            extent: TraceExtent::new(job.compiled),
        }
    }

    /// Reads on until the end of the trace, or until the visitor is done. Breaks in the second case.
    #[inline]
    pub fn run<R: Reader, V: Visitor>(
        &mut self,
        stream: &mut EventStream<R>,
        visitor: &mut V,
    ) -> Result<ControlFlow<()>, Error> {
        // Two loops, so that a trace without external variables costs no test for each event.
        if stream.is_plain() {
            self.drive::<R, V, true>(stream, visitor)
        } else {
            self.drive::<R, V, false>(stream, visitor)
        }
    }

    #[inline]
    fn drive<R: Reader, V: Visitor, const PLAIN: bool>(
        &mut self,
        stream: &mut EventStream<R>,
        visitor: &mut V,
    ) -> Result<ControlFlow<()>, Error> {
        let mut names = self.run_names(stream);
        let mut pause = RunPause::default();
        while !visitor.is_done() {
            if PLAIN && V::TAKES_RUNS && pause.is_over() {
                self.take_run(visitor, stream)?;
                let mut length = 0;
                // The first events are taken one by one where limits are checked after each.
                if self.extent.events >= CHECK_ALWAYS_BEFORE || !self.job.options.limits.any() {
                    stream.plain_block(&names.met, visitor.required_field(), &mut self.block)?;
                    length = self.block.origins().len();
                }
                if length > 0 {
                    self.take_block(visitor, stream)?;
                } else {
                    stream.plain_run(&names.bare, &mut self.run)?;
                    length = self.run.len();
                }
                pause.restart(length == 0);
                if length == RUN_LENGTH {
                    continue;
                }
            }
            while let Some(gap) = stream.gap() {
                self.take_run(visitor, stream)?;
                if !visitor.gap(gap) {
                    break;
                }
                stream.leap(gap);
                self.extent.leap(gap);
                visitor.report_progress(stream.bytes_read(), self.extent.events);
            }
            let next = if PLAIN { stream.plain_origin()? } else { stream.next_origin()? };
            // Where the reader has no faster way to read a run, its events are gathered here.
            if PLAIN
                && V::TAKES_RUNS
                && self.has_begun
                && let Some(origin) = next.filter(|origin| names.bare.contains(origin.event))
            {
                self.run.push(origin);
                if self.run.len() == RUN_LENGTH {
                    self.take_run(visitor, stream)?;
                }
                continue;
            }
            self.take_run(visitor, stream)?;
            let Some(origin) = next else { return Ok(ControlFlow::Continue(())) };
            if stream.is_marker(origin) {
                if stream.is_case_marker(origin) {
                    visitor.case_marker(stream.fields(), origin.time, stream)?;
                } else {
                    self.progress(visitor, origin.time, stream)?;
                }
            } else {
                let (name, index, time) = (origin.event, origin.event_index, origin.time);
                let was_met = self.extent.expectations.are_met(name);
                self.event(visitor, &Event { name, index, time, fields: stream.fields() }, stream)?;
                if V::TAKES_RUNS && !was_met {
                    names = self.run_names(stream);
                }
            }
        }
        Ok(ControlFlow::Break(()))
    }

    /// Returns the names of events that may be part of a run or a block.
    #[cold]
    fn run_names<R: Reader>(&self, stream: &EventStream<R>) -> RunNames {
        let (projection, symbols) = (stream.projection(), stream.context().symbols);
        let bare = NameSet::new(*projection.default_selection() == FieldSelection::Nothing);
        let mut names = RunNames { bare, met: NameSet::new(true) };
        for name in (0..self.job.compiled.plan.symbols().name_count() as u32).map(Name) {
            let has_fields = *projection.selection(name) != FieldSelection::Nothing;
            let is_met = self.extent.expectations.are_met(name);
            names.met.set(name, is_met);
            names.bare.set(name, !has_fields && is_met);
        }
        for marker in [PROGRESS_MARKER, CASE_MARKER].into_iter().filter_map(|name| symbols.find_name(name)) {
            names.met.set(marker, false);
            names.bare.set(marker, false);
        }
        names
    }

    /// Hands the events of the run to the visitor, and begins another one.
    #[inline]
    fn take_run<V: Visitor, S: EventSource>(&mut self, visitor: &mut V, source: &S) -> Result<(), Error> {
        let Some(gap) = gap_of(&self.run) else { return Ok(()) };
        visitor.run(&self.run);
        self.run.clear();
        self.leap(gap, visitor, source)
    }

    /// Hands the events of the block to the visitor.
    fn take_block<V: Visitor, S: EventSource>(&mut self, visitor: &mut V, source: &S) -> Result<(), Error> {
        let Some(gap) = gap_of(self.block.origins()) else { return Ok(()) };
        visitor.block(&self.block)?;
        self.leap(gap, visitor, source)
    }

    /// Counts events that the visitor has taken together.
    fn leap<V: Visitor, S: EventSource>(&mut self, gap: EventGap, visitor: &mut V, source: &S) -> Result<(), Error> {
        let before = self.extent.events;
        self.extent.leap(gap);
        self.check_intervals(visitor, before, source)
    }

    /// Has the visitor check its limits and report progress, if that is due after the events since `before`.
    #[inline]
    fn check_intervals<V: Visitor, S: EventSource>(
        &self,
        visitor: &mut V,
        before: u64,
        source: &S,
    ) -> Result<(), Error> {
        let events = self.extent.events;
        if before / CHECK_EVERY != events / CHECK_EVERY || events < CHECK_ALWAYS_BEFORE {
            visitor.check_limits()?;
        }
        if before.div_ceil(PROGRESS_EVERY) != events.div_ceil(PROGRESS_EVERY) {
            visitor.report_progress(source.bytes_read(), events);
        }
        Ok(())
    }

    /// Hands an event to the visitor.
    #[allow(clippy::inline_always)] // the innermost loop of every run
    #[inline(always)]
    pub fn event<V: Visitor, S: EventSource>(
        &mut self,
        visitor: &mut V,
        event: &Event<'_>,
        source: &S,
    ) -> Result<(), Error> {
        if !self.has_begun {
            self.begin(event.time, source)?;
        }
        if !visitor.event(event, source)? {
            return Ok(());
        }
        let before = self.extent.events;
        self.extent.add(event, source);
        self.check_intervals(visitor, before, source)
    }

    /// Hands a progress marker to the visitor.
    pub fn progress<V: Visitor, S: EventSource>(
        &mut self,
        visitor: &mut V,
        to: Timestamp,
        source: &S,
    ) -> Result<(), Error> {
        if !self.has_begun {
            self.begin(to, source)?;
        }
        visitor.progress(to, source)
    }

    #[cold]
    fn begin<S: EventSource>(&mut self, first: Timestamp, source: &S) -> Result<(), Error> {
        self.has_begun = true;
        check_units(self.job.compiled, source.context().time_kind, first, self.job.options.reorder)
    }

    /// Returns the report of a trace that was read to its end, or as far as the visitor wanted it.
    pub fn report<R: Reader>(self, stream: &EventStream<R>, outcomes: Vec<Outcome>) -> Report {
        let compiled = self.job.compiled;
        Report {
            source: self.job.name.to_owned(),
            events: self.extent.events,
            first_time: self.extent.first,
            last_time: self.extent.last,
            clock: compiled.clock(),
            time_kind: stream.context().time_kind,
            outcomes,
            late: stream.late().cloned().unwrap_or_default(),
            unseen: self.extent.unseen(compiled),
            unmet: self.extent.expectations.unmet(compiled),
            empty_ranges: self.extent.expectations.empty_ranges(compiled),
            skipped: stream.skipped(),
            empty_cases: stream.empty_cases().len() as u64,
            symbols: stream.context().symbols.clone(),
            unmatched: stream.unmatched().clone(),
            notes: stream.notes(),
            checkpoints: stream.checkpoints(),
            locations: EventLocations::new(stream.reader().counts_rows()),
            utc_offset: stream.utc_offset(),
            externs: stream.externs(),
            ..Report::default()
        }
    }
}

/// The names of events that may be part of a run, of which nothing is wanted, and of a block. What the properties expect of them was
/// met before.
struct RunNames {
    bare: NameSet,
    met: NameSet,
}

/// Returns number and times of consecutive events.
fn gap_of(events: &[Origin]) -> Option<EventGap> {
    let ([first, .., last] | [first @ last]) = events else { return None };
    Some(EventGap { events: events.len() as u64, first: first.time, last: last.time })
}

/// The number of events until the driver tries to read a run again. It doubles while there are none, so that a trace without runs
/// costs no attempts.
#[derive(Default)]
struct RunPause {
    left: u32,
    next: u32,
}

impl RunPause {
    const MAX_LENGTH: u32 = 1 << 10;

    /// Counts an event. Returns true if it is time to try.
    #[inline]
    fn is_over(&mut self) -> bool {
        let is_over = self.left == 0;
        self.left = self.left.saturating_sub(1);
        is_over
    }

    fn restart(&mut self, is_longer: bool) {
        self.next = if is_longer { (2 * self.next).clamp(1, Self::MAX_LENGTH) } else { 0 };
        self.left = self.next;
    }
}

/// Number and times of the checked events, and how the names and fields of the spec occurred among them.
pub(crate) struct TraceExtent {
    pub(crate) events: u64,
    /// The earliest and the latest time. Cases that come one after the other overlap in time.
    pub(crate) first: Option<Timestamp>,
    pub(crate) last: Option<Timestamp>,
    pub(crate) expectations: Expectations,
}

impl TraceExtent {
    pub(crate) fn new(compiled: &CompiledSpec) -> Self {
        TraceExtent { events: 0, first: None, last: None, expectations: Expectations::new(compiled) }
    }

    /// Adds an event.
    #[inline]
    fn add<S: EventSource>(&mut self, event: &Event<'_>, source: &S) {
        if self.last.is_some_and(|last| event.time < last) {
            self.first = self.first.min(Some(event.time));
        } else {
            self.last = Some(event.time);
            self.first.get_or_insert(event.time);
        }
        self.events += 1;
        if !self.expectations.are_met(event.name) {
            self.expectations.compare(event, source);
        }
    }

    /// Adds events of which nothing is expected.
    fn leap(&mut self, gap: EventGap) {
        self.first.get_or_insert(gap.first);
        self.last = Some(gap.last);
        self.events += gap.events;
    }

    /// Lists, sorted, the atoms of the properties of which no event has the name.
    pub(crate) fn unseen(&self, compiled: &CompiledSpec) -> Vec<String> {
        self.expectations.unseen(compiled)
    }
}
