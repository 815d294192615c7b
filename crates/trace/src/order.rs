// SPDX-License-Identifier: MIT OR Apache-2.0
//! The order of time. Time that goes back is an error, or is put right within a bounded delay.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use gnomon_core::event::{Fields, NoFields, Want};
use gnomon_core::symbols::{Key, Name};
use gnomon_core::time::{Duration, TimeKind, Timestamp, Unit};
use gnomon_core::value::Value;
use gnomon_core::verdict::Origin;

use crate::answer_from_reader;
use crate::error::{Code, Fault, TraceError, quote};
use crate::reader::{Entry, Gap, Place, Reader};
use crate::text::Unmatched;

/// What to do with time that goes back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// Refuse it.
    #[default]
    Strict,
    /// Sort events that come at most this much after a later one.
    Within(Duration),
}

/// Events that came too late to be put in order. They were left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Late {
    /// How many.
    pub count: u64,
    /// The first few.
    pub first: Vec<LateEvent>,
}

/// An event that came too late.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LateEvent {
    /// The event.
    pub origin: Origin,
    /// Where it stands in the input.
    pub place: Place,
    /// By how much its time lies before the latest one read until then.
    pub behind: Duration,
}

/// A reader whose times never go back: within a case, where the format tells cases apart.
pub struct Ordered<R> {
    reader: R,
    last: Option<Origin>,
    last_line: u64,
    last_case: u64,
    by_case: bool,
    delay: Option<Box<Delay>>,
}

/// The state of sorting.
struct Delay {
    bound: Duration,
    /// COST: holds the events of the last `bound` before the latest, and no others.
    waiting: BinaryHeap<Reverse<Waiting>>,
    latest: Timestamp,
    ended: bool,
    /// The case of the events that wait, and the first event of the next one.
    case: u64,
    next_case: Option<Waiting>,
    present: Option<Waiting>,
    late: Late,
}

/// An event that waits for those that may come before it; by time, then as in the input.
struct Waiting {
    origin: Origin,
    place: Place,
    case: u64,
    fields: Option<Box<Kept>>,
}

/// Fields that outlive their row.
struct Kept {
    named: Vec<(Key, Value<'static>)>,
    parameters: Vec<Value<'static>>,
    entries: Vec<Entry<'static>>,
    case: Option<Box<str>>,
}

/// How many late events are shown.
const SHOWN: usize = 10;

impl<R: Reader> Ordered<R> {
    /// Watches over the order of a reader's events.
    pub fn new(reader: R, order: Order) -> Self {
        let delay = match order {
            Order::Strict => None,
            Order::Within(bound) => Some(Box::new(Delay {
                bound,
                waiting: BinaryHeap::new(),
                latest: Timestamp::MIN,
                ended: false,
                case: 0,
                next_case: None,
                present: None,
                late: Late::default(),
            })),
        };
        Ordered { reader, last: None, last_line: 0, last_case: 0, by_case: true, delay }
    }

    /// Watches over the order of the whole trace, whatever its cases.
    #[must_use]
    pub fn across_cases(mut self) -> Self {
        self.by_case = false;
        self
    }

    /// The reader whose order is watched over.
    pub fn inner(&self) -> &R {
        &self.reader
    }

    /// The events that came too late; none without [`Order::Within`].
    pub fn late(&self) -> Option<&Late> {
        self.delay.as_ref().map(|delay| &delay.late)
    }

    /// The present event, if it had to wait.
    fn present(&self) -> Option<&Waiting> {
        self.delay.as_ref().and_then(|delay| delay.present.as_ref())
    }

    /// The reader inside.
    pub fn get_ref(&self) -> &R {
        &self.reader
    }

    #[cold]
    fn goes_back(&self, last: Origin, this: Origin) -> TraceError {
        let describe = |origin: Origin, line: u64| {
            let name = quote(self.symbols().name_text(origin.event).as_bytes());
            let time = self.clock().print(self.time_kind(), origin.time);
            format!("event {} ({name} at {time}, line {line})", origin.event_index)
        };
        let place = self.reader.place();
        let message = format!(
            "time goes back: {} is earlier than {} before it",
            describe(this, place.line),
            describe(last, self.last_line)
        );
        let mut behind = self.clock().print_duration(last.time - this.time);
        if self.time_kind() == TimeKind::DateTime {
            behind += self.clock().unit.map_or("s", Unit::symbol);
        }
        let fault = Fault::new(Code::TimeGoesBack, 0, message)
            .help(format!("sort the trace, or let events come late: `--reorder {behind}` or more"));
        TraceError::new(self.source_name(), place, fault)
    }
}

impl Delay {
    #[inline(never)]
    fn advance<R: Reader>(&mut self, reader: &mut R, by_case: bool) -> Result<Option<Origin>, TraceError> {
        self.present = None;
        loop {
            // Whatever comes within the bound is at this time or later, and after what waits in the input.
            let settled = self.latest.saturating_sub(self.bound);
            if let Some(Reverse(first)) = self.waiting.peek() {
                if self.ended || self.next_case.is_some() || first.origin.time <= settled {
                    self.present = self.waiting.pop().map(|Reverse(event)| event);
                    return Ok(self.present.as_ref().map(|event| event.origin));
                }
            } else if let Some(event) = self.next_case.take() {
                (self.case, self.latest) = (event.case, event.origin.time);
                self.waiting.push(Reverse(event));
                continue;
            } else if self.ended {
                return Ok(None);
            }
            let Some(origin) = reader.advance()? else {
                self.ended = true;
                continue;
            };
            let case = if by_case { reader.case_number() } else { 0 };
            let is_next = case != self.case;
            if !is_next && origin.time < settled {
                self.leave_out(origin, reader.place());
                continue;
            }
            let event = Waiting { origin, place: reader.place(), case, fields: Kept::from(reader, origin.event) };
            if is_next {
                self.next_case = Some(event);
            } else {
                self.latest = self.latest.max(origin.time);
                self.waiting.push(Reverse(event));
            }
        }
    }

    #[cold]
    fn leave_out(&mut self, origin: Origin, place: Place) {
        self.late.count += 1;
        if self.late.first.len() < SHOWN {
            self.late.first.push(LateEvent { origin, place, behind: self.latest - origin.time });
        }
    }
}

impl Kept {
    fn from<R: Reader>(reader: &R, name: Name) -> Option<Box<Self>> {
        let fields = reader.fields();
        let case = reader.case().map(Box::from);
        let get = |key| fields.get(key).map(|value| (key, value.into_owned()));
        let (named, count, entries) = match reader.projection().want(name) {
            Want::Nothing if case.is_none() => return None,
            Want::Nothing => (Vec::new(), 0, Vec::new()),
            Want::Fields(keys) => (keys.iter().copied().filter_map(get).collect(), 0, Vec::new()),
            Want::All => {
                let keys = (0..reader.symbols().key_count() as u32).map(Key);
                (keys.filter_map(get).collect(), fields.parameter_count(), reader.entries())
            }
        };
        let parameters = (0..count).map(|index| fields.parameter(index).into_owned()).collect();
        let entries = entries.into_iter().map(Entry::into_owned).collect();
        Some(Box::new(Kept { named, parameters, entries, case }))
    }
}

impl Fields for Kept {
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

impl Waiting {
    fn rank(&self) -> (Timestamp, u64) {
        (self.origin.time, self.origin.event_index)
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Waiting {}

impl<R: Reader> Reader for Ordered<R> {
    #[allow(clippy::inline_always)] // the innermost loop of every run: a call here costs a seventh of it
    #[inline(always)]
    fn advance(&mut self) -> Result<Option<Origin>, TraceError> {
        if let Some(delay) = &mut self.delay {
            return delay.advance(&mut self.reader, self.by_case);
        }
        let Some(this) = self.reader.advance()? else {
            return Ok(None);
        };
        let case = self.reader.case_number();
        if let Some(last) = &self.last
            && this.time < last.time
            && (case == self.last_case || !self.by_case)
        {
            return Err(self.goes_back(*last, this));
        }
        self.last_case = case;
        self.last = Some(this);
        self.last_line = self.reader.place().line;
        Ok(Some(this))
    }

    #[inline]
    fn gap(&mut self) -> Option<Gap> {
        let last = self.last.filter(|_| self.delay.is_none())?;
        self.reader.gap().filter(|gap| last.time <= gap.first)
    }

    fn leap(&mut self, gap: Gap) {
        self.reader.leap(gap);
        if let Some(last) = &mut self.last {
            // Which of the names it has is not known; a message may tell another.
            last.time = gap.last;
            last.event_index += gap.events;
        }
        self.last_line = self.reader.place().line;
    }

    #[inline]
    fn fields(&self) -> &dyn Fields {
        match &self.delay {
            None => self.reader.fields(),
            Some(delay) => match delay.present.as_ref().and_then(|event| event.fields.as_deref()) {
                Some(fields) => fields,
                None => &NoFields,
            },
        }
    }

    answer_from_reader!();

    fn place(&self) -> Place {
        self.present().map_or_else(|| self.reader.place(), |event| event.place)
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        match self.present() {
            None => self.reader.entries(),
            Some(event) => event.fields.as_ref().map_or_else(Vec::new, |kept| kept.entries.clone()),
        }
    }

    fn case(&self) -> Option<&str> {
        match self.present() {
            None => self.reader.case(),
            Some(event) => event.fields.as_ref().and_then(|kept| kept.case.as_deref()),
        }
    }

    #[inline]
    fn case_number(&self) -> u64 {
        self.present().map_or_else(|| self.reader.case_number(), |event| event.case)
    }

    fn unmatched(&self) -> Option<&Unmatched> {
        self.reader.unmatched()
    }
}

#[cfg(test)]
mod tests;
