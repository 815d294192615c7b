// SPDX-License-Identifier: MIT OR Apache-2.0
//! The order of time. Time that goes back is an error, or is corrected within a bounded delay.
//!
//! With `--reorder 5` an event may come up to 5 units after a later one. Events wait sorted by time; an event
//! is released once the latest time read is 5 units or more after its own, since nothing earlier can follow:
//!
//! ```text
//! read      a@10  c@14  b@12  d@17       e@11               end
//! latest    10    14    14    17         17
//! released                    a@10 b@12  (e is too late:    c@14 d@17
//!                                         11 < 17 - 5)
//! ```
//!
//! Events with equal times keep the order of the input. Where the format has cases, each case is sorted by itself: the
//! first event of the next case releases all events of the current one.

use std::collections::BTreeMap;

use gnomon_core::event::{CASE_MARKER, FieldSelection, Fields, NoFields, PROGRESS_MARKER};
use gnomon_core::event_block::EventBlock;
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::{Duration, TimeKind, Timestamp, Unit};
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;
use gnomon_scan::{Code, Fault, TraceError, quote};

use crate::checkpoints::Checkpoint;
use crate::reader::{EventGap, FieldEntry, Location, NameSet, Reader};
use crate::state::ReaderState;

/// The treatment of time that goes back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OrderPolicy {
    /// Time that goes back is an error.
    #[default]
    Strict,
    /// Events are sorted that come at most this much after a later one.
    Within(Duration),
}

/// Events that came too late to be sorted. They are left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LateEvents {
    /// Their number.
    pub count: u64,
    /// The first few of them.
    pub first: Vec<LateEvent>,
}

/// An event that came too late.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LateEvent {
    /// The event.
    pub origin: Origin,
    /// Its location in the input.
    pub location: Location,
    /// The distance from its time to the latest time read before it.
    pub behind: Duration,
}

/// A reader whose times never go back; where the format has cases, within a case.
///
/// Progress markers and case markers are recognised here, for all formats. [`OrderedReader::next_origin`] yields them; as a [`Reader`]
/// it yields only events.
pub struct OrderedReader<R> {
    reader: R,
    markers: TraceMarkers,
    last: Option<Origin>,
    last_line: u64,
    last_case: u64,
    by_case: bool,
    delay: Option<Box<ReorderBuffer>>,
}

/// The rows of a trace that are not events: progress markers and case markers.
struct TraceMarkers {
    progress: Option<Name>,
    case: Option<Name>,
    count: u64,
}

impl TraceMarkers {
    #[inline]
    fn is_marker(&self, origin: Origin) -> bool {
        Some(origin.event) == self.progress || Some(origin.event) == self.case
    }

    /// Corrects the index of a row so that markers are not counted.
    #[inline]
    fn number(&mut self, row: &mut Origin) {
        row.event_index -= self.count;
        if self.is_marker(*row) {
            self.count += 1;
        }
    }
}

/// The events that wait for earlier ones; see the module.
#[derive(Default)]
struct ReorderBuffer {
    bound: Duration,
    /// The waiting events by time, then by their order in the input.
    /// COST: holds the events whose times are within `bound` before the latest.
    waiting: BTreeMap<(Timestamp, u64), PendingEvent>,
    /// The number of events that were added so far.
    added: u64,
    latest: Timestamp,
    ended: bool,
    /// The case of the waiting events, and the first event of the next case.
    case: u64,
    next_case: Option<PendingEvent>,
    current: Option<PendingEvent>,
    late: LateEvents,
}

/// An event that waits for earlier ones.
struct PendingEvent {
    origin: Origin,
    location: Location,
    case: u64,
    fields: Option<Box<DelayedFields>>,
}

/// The fields of a waiting event, independent of its row.
struct DelayedFields {
    named: Vec<(Key, Value<'static>)>,
    parameters: Vec<Value<'static>>,
    entries: Vec<FieldEntry<'static>>,
    case: Option<Box<str>>,
}

/// Limit on the late events that are listed.
const SHOWN: usize = 10;

impl<R: Reader> OrderedReader<R> {
    /// Checks or restores the order of a reader's events.
    pub fn new(reader: R, order: OrderPolicy) -> Self {
        let delay = match order {
            OrderPolicy::Strict => None,
            OrderPolicy::Within(bound) => {
                Some(Box::new(ReorderBuffer { bound, latest: Timestamp::MIN, ..ReorderBuffer::default() }))
            }
        };
        let find = |name| reader.symbols().find_name(name);
        let markers = TraceMarkers { progress: find(PROGRESS_MARKER), case: find(CASE_MARKER), count: 0 };
        OrderedReader { reader, markers, last: None, last_line: 0, last_case: 0, by_case: true, delay }
    }

    /// Requires the order of the whole trace, across cases.
    #[must_use]
    pub fn across_cases(mut self) -> Self {
        self.by_case = false;
        self
    }

    /// Returns true if no row so far was a progress marker, so that the index of an event is the number of rows before it.
    pub fn counts_all_rows(&self) -> bool {
        self.markers.count == 0
    }

    /// Returns the underlying reader.
    pub fn inner(&self) -> &R {
        &self.reader
    }

    /// Returns the events that came too late; `None` without [`OrderPolicy::Within`].
    pub fn late(&self) -> Option<&LateEvents> {
        self.delay.as_ref().map(|delay| &delay.late)
    }

    /// Returns the current event if it comes from the reorder buffer.
    fn delayed_event(&self) -> Option<&PendingEvent> {
        self.delay.as_ref().and_then(|delay| delay.current.as_ref())
    }

    /// Advances to the next event or marker ([`OrderedReader::is_marker`]); returns `None` at the end.
    #[allow(clippy::inline_always)] // the innermost loop of every run: a call here costs a seventh of it
    #[inline(always)]
    pub fn next_origin(&mut self) -> Result<Option<Origin>, TraceError> {
        if let Some(delay) = &mut self.delay {
            return delay.advance(&mut self.reader, &mut self.markers, self.by_case);
        }
        let Some(mut this) = self.reader.advance()? else {
            return Ok(None);
        };
        self.markers.number(&mut this);
        let case = self.reader.case_number();
        if let Some(last) = &self.last
            && this.time < last.time
            && (case == self.last_case || !self.by_case)
        {
            return Err(self.goes_back((*last, self.last_line), (this, self.reader.location().line)));
        }
        self.last_case = case;
        self.last = Some(this);
        self.last_line = self.reader.location().line;
        Ok(Some(this))
    }

    /// Reads on while events have names of `bare`, which must not include progress markers; see [`Reader::advance_run`]. `run`
    /// stays empty if events are sorted, and before the first event.
    pub fn next_run(&mut self, bare: &NameSet, run: &mut Vec<Origin>) -> Result<(), TraceError> {
        run.clear();
        if self.reads_runs() {
            self.reader.advance_run(bare, run);
            self.order_run(run)?;
        }
        Ok(())
    }

    /// Reads on while events have names of `names`, which must not include progress markers; see [`Reader::advance_block`]. `block`
    /// stays empty if events are sorted, and before the first event.
    pub fn next_block(
        &mut self,
        names: &NameSet,
        required: Option<Key>,
        block: &mut EventBlock,
    ) -> Result<(), TraceError> {
        block.clear();
        if self.reads_runs() {
            self.reader.advance_block(names, required, block);
            self.order_run(block.origins_mut())?;
        }
        Ok(())
    }

    /// Returns true if runs of events may be read: events are not sorted, and there was one before.
    fn reads_runs(&self) -> bool {
        self.last.is_some() && self.delay.is_none()
    }

    /// Numbers the events of a run that was read, and checks their order.
    fn order_run(&mut self, run: &mut [Origin]) -> Result<(), TraceError> {
        let Some(mut last) = self.last else { return Ok(()) };
        if self.markers.count > 0 {
            for this in run.iter_mut() {
                self.markers.number(this);
            }
        }
        let goes_back = |pair: &[Origin]| pair[1].time < pair[0].time;
        let back = match run.first() {
            Some(first) if first.time < last.time => Some(0),
            _ => run.windows(2).position(goes_back).map(|before| before + 1),
        };
        let last_line = self.reader.location().line;
        let first_line = last_line + 1 - run.len() as u64;
        if let Some(back) = back {
            let line = first_line + back as u64;
            if let Some(before) = back.checked_sub(1) {
                (last, self.last_line) = (run[before], line - 1);
            }
            return Err(self.goes_back((last, self.last_line), (run[back], line)));
        }
        if let Some(this) = run.last() {
            (self.last, self.last_line) = (Some(*this), last_line);
        }
        Ok(())
    }

    /// Returns true for a progress marker or a case marker.
    #[inline]
    pub fn is_marker(&self, origin: Origin) -> bool {
        self.markers.is_marker(origin)
    }

    /// Returns true for a case marker.
    pub fn is_case_marker(&self, origin: Origin) -> bool {
        Some(origin.event) == self.markers.case
    }

    #[cold]
    fn goes_back(&self, (last, last_line): (Origin, u64), (this, line): (Origin, u64)) -> TraceError {
        let describe = |origin: Origin, line: u64| {
            let name = quote(self.symbols().name_text(origin.event).as_bytes());
            let time = self.clock().print(self.time_kind(), origin.time);
            format!("event {} ({name} at {time}, line {line})", origin.event_index)
        };
        let message =
            format!("time goes back: {} is earlier than {} before it", describe(this, line), describe(last, last_line));
        let mut behind = self.clock().print_duration(last.time - this.time);
        if self.time_kind() == TimeKind::DateTime {
            behind += self.clock().unit.map_or("s", Unit::symbol);
        }
        let fault = Fault::new(Code::TimeGoesBack, 0, message)
            .help(format!("sort the trace, or let events come late: `--reorder {behind}` or more"));
        TraceError::new(self.source_name(), Location { line, ..self.reader.location() }, fault)
    }
}

impl ReorderBuffer {
    #[inline(never)]
    fn advance<R: Reader>(
        &mut self,
        reader: &mut R,
        markers: &mut TraceMarkers,
        by_case: bool,
    ) -> Result<Option<Origin>, TraceError> {
        self.current = None;
        loop {
            // An event in time is at this time or later, and is later in the input than the waiting events.
            let settled = self.latest.saturating_sub(self.bound);
            if let Some(((first, _), _)) = self.waiting.first_key_value() {
                if self.ended || self.next_case.is_some() || *first <= settled {
                    self.current = self.waiting.pop_first().map(|(_, event)| event);
                    return Ok(self.current.as_ref().map(|event| event.origin));
                }
            } else if let Some(event) = self.next_case.take() {
                (self.case, self.latest) = (event.case, event.origin.time);
                self.add(event);
                continue;
            } else if self.ended {
                return Ok(None);
            }
            let Some(mut origin) = reader.advance()? else {
                self.ended = true;
                continue;
            };
            markers.number(&mut origin);
            let case = if by_case { reader.case_number() } else { 0 };
            let is_next = case != self.case;
            if !is_next && origin.time < settled {
                if !markers.is_marker(origin) {
                    self.add_late(origin, reader.location());
                }
                continue;
            }
            let event = PendingEvent {
                origin,
                location: reader.location(),
                case,
                fields: DelayedFields::from(reader, origin.event),
            };
            if is_next {
                self.next_case = Some(event);
            } else {
                self.latest = self.latest.max(origin.time);
                self.add(event);
            }
        }
    }

    fn add(&mut self, event: PendingEvent) {
        self.waiting.insert((event.origin.time, self.added), event);
        self.added += 1;
    }

    #[cold]
    fn add_late(&mut self, origin: Origin, location: Location) {
        self.late.count += 1;
        if self.late.first.len() < SHOWN {
            self.late.first.push(LateEvent { origin, location, behind: self.latest - origin.time });
        }
    }
}

impl DelayedFields {
    fn from<R: Reader>(reader: &R, name: Name) -> Option<Box<Self>> {
        let fields = reader.fields();
        let case = reader.case().map(Box::from);
        let get = |key| fields.get(key).map(|value| (key, value.into_owned()));
        let (named, count, entries) = match reader.projection().selection(name) {
            FieldSelection::Nothing if case.is_none() => return None,
            FieldSelection::Nothing => (Vec::new(), 0, Vec::new()),
            FieldSelection::Fields(keys) => (keys.iter().copied().filter_map(get).collect(), 0, Vec::new()),
            FieldSelection::All => {
                let keys = (0..reader.symbols().key_count() as u32).map(Key);
                (keys.filter_map(get).collect(), fields.parameter_count(), reader.entries())
            }
        };
        let parameters = (0..count).map(|index| fields.parameter(index).into_owned()).collect();
        let entries = entries.into_iter().map(FieldEntry::into_owned).collect();
        Some(Box::new(DelayedFields { named, parameters, entries, case }))
    }
}

impl Fields for DelayedFields {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        self.named.iter().find(|(name, _)| *name == key).map(|(_, value)| value.clone())
    }

    fn parameter_count(&self) -> usize {
        self.parameters.len()
    }

    fn parameter(&self, index: usize) -> Value<'_> {
        self.parameters.get(index).cloned().unwrap_or(Value::Null)
    }
}

impl<R: Reader> Reader for OrderedReader<R> {
    #[inline]
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        loop {
            let next = self.next_origin()?;
            if next.is_none_or(|origin| !self.is_marker(origin)) {
                return Ok(next);
            }
        }
    }

    fn skip_to(&mut self, checkpoint: Checkpoint) -> Result<bool, TraceError> {
        if self.delay.is_none() { self.reader.skip_to(checkpoint) } else { Ok(false) }
    }

    #[inline]
    fn gap(&mut self) -> Option<EventGap> {
        let last = self.last.filter(|_| self.delay.is_none())?;
        self.reader.gap().filter(|gap| last.time <= gap.first)
    }

    fn skip_gap(&mut self, gap: EventGap) {
        self.reader.skip_gap(gap);
        if let Some(last) = &mut self.last {
            // The name of the last event of the gap is not known; a message names the one before the gap.
            last.time = gap.last;
            last.event_index += gap.events;
        }
        self.last_line = self.reader.location().line;
    }

    #[inline]
    fn fields(&self) -> &dyn Fields {
        match &self.delay {
            None => self.reader.fields(),
            Some(delay) => match delay.current.as_ref().and_then(|event| event.fields.as_deref()) {
                Some(fields) => fields,
                None => &NoFields,
            },
        }
    }

    fn state(&self) -> &ReaderState {
        self.reader.state()
    }

    fn bytes_read(&self) -> u64 {
        self.reader.bytes_read()
    }

    fn location(&self) -> Location {
        self.delayed_event().map_or_else(|| self.reader.location(), |event| event.location)
    }

    fn entries(&self) -> Vec<FieldEntry<'_>> {
        match self.delayed_event() {
            None => self.reader.entries(),
            Some(event) => event.fields.as_ref().map_or_else(Vec::new, |stored| stored.entries.clone()),
        }
    }

    fn case(&self) -> Option<&str> {
        match self.delayed_event() {
            None => self.reader.case(),
            Some(event) => event.fields.as_ref().and_then(|stored| stored.case.as_deref()),
        }
    }

    #[inline]
    fn case_number(&self) -> u64 {
        self.delayed_event().map_or_else(|| self.reader.case_number(), |event| event.case)
    }

    fn field_names(&self) -> Vec<String> {
        if self.delay.is_none() { self.reader.field_names() } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests;
