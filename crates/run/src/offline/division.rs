// SPDX-License-Identifier: MIT OR Apache-2.0
//! Division of a trace into cases.
//!
//! The case of an event is its value of a field. A case that has ended is over: a later event with its value begins another case of
//! the same name, with a number of its own. Example with `case ends with logout`:
//!
//! ```text
//! event     login(ann)  login(bob)  logout(ann)  login(ann)
//! number    0           1           0, the last  2
//! ```

use std::collections::HashMap;
use std::hash::BuildHasher as _;
use std::hint::black_box;
use std::sync::Arc;

use foldhash::fast::RandomState;
use gnomon_core::event::{CASE_MARKER_FIELDS, Event, Fields, Projection};
use gnomon_core::event_block::EventBlock;
use gnomon_core::hash::hash_whole;
use gnomon_core::number::Number;
use gnomon_core::symbols::{Key, Symbols};
use gnomon_core::time::{Clock, Duration, Quantity, Timestamp};
use gnomon_core::value::Value;
use gnomon_core::verdict::End;
use gnomon_engine::Plan;
use hashbrown::HashTable;

use super::bounds::ResolvedBounds;
use super::{DivideBy, Options};
use crate::compile::CompiledSpec;

/// Assigns events to cases.
#[derive(Debug)]
pub struct Division {
    kind: DivisionKind,
    field: Option<String>,
    without: u64,
    /// First and last event of the whole trace, if cases must be shown them.
    pub(super) bounds: ResolvedBounds,
    ends: CaseEnds,
}

/// The ends of cases: by an event, by silence, or by a case marker.
#[derive(Debug)]
struct CaseEnds {
    plan: Plan,
    clock: Clock,
    expiry: Option<Duration>,
    marker_keys: [Option<Key>; 2],
    /// The time of the last event of each case, if cases expire.
    last: Vec<Timestamp>,
    ended: HashMap<usize, CaseEnd, RandomState>,
    /// The latest time of the trace.
    now: Option<Timestamp>,
    /// The time of the latest progress marker.
    progressed: Option<Timestamp>,
}

/// The end of a case before the end of the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CaseEnd {
    /// Complete, or a prefix of what is not known.
    pub end: End,
    /// The time up to which the case lasted; `None`: its last event.
    pub until: Option<Timestamp>,
}

/// The number of an event's case, and what the event ends.
struct NumberedStep {
    /// The number, and true if the event begins the case; `None` if it has no case.
    number: Option<(usize, bool)>,
    expired: Option<usize>,
    is_last: bool,
}

/// The case of an event, and what the event ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaseStep {
    /// The case.
    pub case: CaseId,
    /// The earlier case of the same name, if it expired before the event.
    pub expired: Option<usize>,
    /// True if the event is the last of its case.
    pub is_last: bool,
}

impl CaseEnds {
    fn new(compiled: &CompiledSpec, symbols: &Symbols) -> Self {
        CaseEnds {
            plan: compiled.plan.clone(),
            clock: compiled.clock(),
            expiry: compiled.case_expiry,
            marker_keys: CASE_MARKER_FIELDS.map(|field| symbols.find_key(field)),
            last: Vec::new(),
            ended: HashMap::default(),
            now: None,
            progressed: None,
        }
    }

    /// Returns the time at which a case expires.
    fn expiry_of(&self, number: usize) -> Option<Timestamp> {
        Some(self.last.get(number)?.saturating_add(self.expiry?))
    }

    /// Returns the end of a case that has expired at a time.
    fn expired(&self, number: usize, now: Timestamp) -> Option<CaseEnd> {
        let until = self.expiry_of(number).filter(|expiry| *expiry < now)?;
        Some(CaseEnd { end: End::Complete, until: Some(until) })
    }

    /// Notes an event of a case.
    fn touch(&mut self, number: usize, time: Timestamp) {
        if self.expiry.is_some() {
            if self.last.len() <= number {
                self.last.resize(number + 1, time);
            }
            self.last[number] = time;
        }
    }
}

#[derive(Debug)]
enum DivisionKind {
    /// The whole trace is one case.
    Whole { begun: bool },
    /// The format stores one case after the other.
    Sequential { present: Option<u64>, count: usize },
    /// The value of a field; cases are interleaved. Memory: each value once.
    Field { field: CaseField, numbers: CaseNumbering },
}

/// The field, or the path into one, whose values are the cases.
#[derive(Clone, Debug)]
pub(crate) struct CaseField {
    key: Key,
    /// For `user/name`: the field `user` and the steps into its value. A field that is itself called `user/name` comes first.
    path: Option<(Key, Vec<String>)>,
}

impl CaseField {
    /// Adds the fields that are read to a projection.
    pub(super) fn announce(field: &str, symbols: &mut Symbols, projection: &mut Projection) {
        projection.add_everywhere(symbols.key(field));
        if let Some((first, _)) = field.split_once('/') {
            projection.add_everywhere(symbols.key(first));
        }
    }

    /// Finds the fields among the symbols of a trace.
    pub(crate) fn new(field: &str, symbols: &Symbols) -> CaseField {
        let key = |name: &str| symbols.find_key(name).unwrap_or(Key::OTHER);
        let path = field.split_once('/');
        let path = path.map(|(first, steps)| (key(first), steps.split('/').map(str::to_owned).collect()));
        CaseField { key: key(field), path }
    }

    /// Calls `use_it` with the value that an event has; `None` if it has none.
    #[inline]
    pub(crate) fn with<T>(&self, fields: &dyn Fields, use_it: impl FnOnce(&Value<'_>) -> T) -> Option<T> {
        if let Some(value) = fields.get(self.key) {
            return Some(use_it(&value));
        }
        let (key, steps) = self.path.as_ref()?;
        let value = fields.get(*key)?;
        steps.iter().try_fold(&value, |value, step| value.step(step)).map(use_it)
    }
}

/// The case of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CaseId {
    /// The event lacks the field.
    None,
    /// A case that was seen before, by its number.
    Known(usize),
    /// A new case, by its name. Its number is the next one.
    New(Arc<str>),
}

impl Division {
    /// Creates the division that the options ask for. `has_cases`: the format has cases.
    pub fn new(compiled: &CompiledSpec, symbols: &Symbols, has_cases: bool, options: &Options) -> Self {
        let (kind, field) = match &options.by {
            DivideBy::Field(field) => {
                let case_field = CaseField::new(field, symbols);
                (DivisionKind::Field { field: case_field, numbers: CaseNumbering::default() }, Some(field.clone()))
            }
            DivideBy::Format if has_cases => (DivisionKind::Sequential { present: None, count: 0 }, None),
            DivideBy::Format | DivideBy::Whole => (DivisionKind::Whole { begun: false }, None),
        };
        let bounds = ResolvedBounds::new(options.bounds.as_ref(), symbols);
        Division { kind, field, without: 0, bounds, ends: CaseEnds::new(compiled, symbols) }
    }

    /// Returns true if there are cases.
    pub fn is_divided(&self) -> bool {
        !matches!(self.kind, DivisionKind::Whole { .. })
    }

    /// Returns true if a case ends when the next one begins.
    pub fn is_sequential(&self) -> bool {
        matches!(self.kind, DivisionKind::Sequential { .. })
    }

    /// Returns the field whose values are the cases.
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// Returns the label of a case by the value of a field; an empty one if cases are not values.
    pub(super) fn label(&self, number: usize) -> &str {
        match &self.kind {
            DivisionKind::Field { numbers, .. } => numbers.label(number),
            DivisionKind::Whole { .. } | DivisionKind::Sequential { .. } => "",
        }
    }

    /// Returns the approximate size in bytes of the labels.
    pub(super) fn bytes(&self) -> usize {
        match &self.kind {
            DivisionKind::Field { numbers, .. } => numbers.bytes(),
            DivisionKind::Whole { .. } | DivisionKind::Sequential { .. } => 0,
        }
    }

    /// Returns the number of events that belong to no case.
    pub fn without(&self) -> u64 {
        self.without
    }

    /// Returns the case of an event. `number` and `name` are those of the format's own case.
    pub fn case(&mut self, event: &Event<'_>, number: u64, name: Option<&str>) -> CaseStep {
        let case = match &mut self.kind {
            DivisionKind::Whole { begun: true } => CaseId::Known(0),
            DivisionKind::Whole { begun } => {
                *begun = true;
                CaseId::New("".into())
            }
            DivisionKind::Sequential { present, count } => {
                if *present == Some(number) {
                    CaseId::Known(*count - 1)
                } else {
                    *present = Some(number);
                    *count += 1;
                    CaseId::New(name.map_or_else(|| number.to_string().into(), Into::into))
                }
            }
            DivisionKind::Field { .. } => {
                let NumberedStep { number, expired, is_last } = self.number_by_field(event);
                let case = match number {
                    None => CaseId::None,
                    Some((number, false)) => CaseId::Known(number),
                    Some((number, true)) => CaseId::New(self.label(number).into()),
                };
                return CaseStep { case, expired, is_last };
            }
        };
        CaseStep { case, expired: None, is_last: false }
    }

    /// Returns the number of an event's case by the value of a field, and true if the event begins it; `None` if it has no case.
    #[inline]
    pub(super) fn number(&mut self, event: &Event<'_>) -> Option<(usize, bool)> {
        self.number_by_field(event).number
    }

    /// Returns the field that has the cases.
    pub(super) fn key(&self) -> Option<Key> {
        match &self.kind {
            DivisionKind::Field { field, .. } => Some(field.key),
            DivisionKind::Whole { .. } | DivisionKind::Sequential { .. } => None,
        }
    }

    /// Reads the numbers of the cases of a block, so that they are in the cache of the processor when the events are taken. Lookups that
    /// do not depend on each other overlap.
    pub(super) fn touch(&self, block: &EventBlock) {
        if let DivisionKind::Field { field, numbers } = &self.kind {
            for event in 0..block.origins().len() {
                black_box(block.row(event).number(field.key).and_then(|whole| numbers.whole.get(whole)));
            }
        }
    }

    #[inline]
    fn number_by_field(&mut self, event: &Event<'_>) -> NumberedStep {
        let Division { kind: DivisionKind::Field { field, numbers }, ends, without, .. } = self else {
            return NumberedStep { number: None, expired: None, is_last: false };
        };
        let mut case = field.with(event.fields, |value| numbers.case(value));
        *without += u64::from(case.is_none());
        let mut expired = None;
        if ends.expiry.is_some() {
            ends.now = ends.now.max(Some(event.time));
            if let Some((number, false)) = case
                && let Some(end) = ends.expired(number, event.time)
            {
                expired = Some(number);
                ends.ended.insert(number, end);
                numbers.forget(number);
                case = field.with(event.fields, |value| numbers.case(value));
            }
        }
        let mut is_last = false;
        if let Some((number, _)) = case {
            ends.touch(number, event.time);
            is_last = ends.plan.ends_case(event);
            if is_last {
                ends.ended.insert(number, CaseEnd { end: End::Complete, until: None });
                numbers.forget(number);
            }
        }
        NumberedStep { number: case, expired, is_last }
    }

    /// Takes a progress marker: nothing earlier than `to` follows.
    pub fn progress(&mut self, to: Timestamp) {
        self.ends.now = self.ends.now.max(Some(to));
        self.ends.progressed = Some(to);
    }

    /// Takes a case marker. Returns the case that is over then: ended by the marker, or expired before.
    pub fn marker(&mut self, fields: &dyn Fields, time: Timestamp) -> Option<usize> {
        let Division { kind: DivisionKind::Field { numbers, .. }, ends, .. } = self else { return None };
        let text = |key: Option<Key>| match fields.get(key?)? {
            Value::Text(text) => Some(text.into_owned()),
            _ => None,
        };
        let [case, expires] = ends.marker_keys;
        if let Some(expiry) = text(expires).and_then(|expiry| ends.clock.duration(Quantity::read(&expiry).ok()?))
            && ends.expiry.is_none()
        {
            ends.expiry = Some(expiry);
            ends.last.resize(numbers.len(), time);
        }
        let number = numbers.find(&text(case)?)?;
        // Deadlines have passed up to the last progress marker.
        let ended = CaseEnd { end: End::Prefix, until: ends.progressed };
        let silent = ends.now.and_then(|now| ends.expired(number, now));
        ends.ended.insert(number, silent.unwrap_or(ended));
        numbers.forget(number);
        Some(number)
    }

    /// Returns the end of a case that is over; `None` if it lasts until the end of the trace.
    pub fn end(&self, number: usize) -> Option<CaseEnd> {
        let ends = &self.ends;
        ends.ended.get(&number).copied().or_else(|| ends.expired(number, ends.now?))
    }
}

/// Numbers cases in the order in which they appear.
///
/// Memory: the label of a case, and about 15 bytes; 20 if it is a whole number that is not near those of other cases.
#[derive(Clone, Debug, Default)]
struct CaseNumbering {
    /// Numbers of cases by their labels, apart from those that are written as whole numbers.
    by_label: HashTable<u32>,
    whole: WholeNumbers,
    labels: CaseLabels,
    hasher: RandomState,
    text: String,
}

/// Numbers of cases whose labels are whole numbers.
///
/// Most logs number their cases one after the other, so that a list indexed by them is small, and cases that are open at the same time
/// are close together in it.
#[derive(Clone, Debug, Default)]
struct WholeNumbers {
    /// The cases of the whole numbers from 0 on; [`NO_CASE`] for those without a case.
    listed: Vec<u32>,
    /// The cases of whole numbers that are not listed.
    others: HashTable<(i64, u32)>,
    hasher: RandomState,
}

const NO_CASE: u32 = u32::MAX;

/// The labels of cases, one after the other.
#[derive(Clone, Debug, Default)]
struct CaseLabels {
    text: String,
    /// The end of each label.
    ends: Vec<usize>,
}

impl CaseLabels {
    fn push(&mut self, label: &str) {
        self.text.push_str(label);
        self.ends.push(self.text.len());
    }

    #[inline]
    fn get(&self, number: usize) -> &str {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[number]]
    }
}

impl WholeNumbers {
    #[inline]
    fn get(&self, whole: i64) -> Option<u32> {
        match usize::try_from(whole).ok().and_then(|at| self.listed.get(at)) {
            Some(number) => (*number != NO_CASE).then_some(*number),
            None => self.get_other(whole),
        }
    }

    fn get_other(&self, whole: i64) -> Option<u32> {
        let found = self.others.find(hash_whole(&self.hasher, whole), |known| known.0 == whole);
        found.map(|(_, number)| *number)
    }

    /// Adds a case. The list grows if it has at least one case for each [`WholeNumbers::SPARSENESS`] places then.
    fn insert(&mut self, whole: i64, number: u32) {
        const FEWEST: usize = 1 << 10;
        let place = usize::try_from(whole).unwrap_or(usize::MAX);
        if place >= self.listed.len() && place < (number as usize).saturating_mul(Self::SPARSENESS).max(FEWEST) {
            self.list_below((place + 1).next_power_of_two());
        }
        if let Some(listed) = self.listed.get_mut(place) {
            *listed = number;
        } else {
            let WholeNumbers { others, hasher, .. } = self;
            let hash = |entry: &(i64, u32)| hash_whole(hasher, entry.0);
            others.insert_unique(hash(&(whole, number)), (whole, number), hash);
        }
    }

    /// The number of places for each case from which on whole numbers are listed.
    const SPARSENESS: usize = 2;

    /// Lists the whole numbers below a bound.
    #[cold]
    fn list_below(&mut self, bound: usize) {
        let WholeNumbers { listed, others, .. } = self;
        listed.resize(bound, NO_CASE);
        others.retain(|(whole, number)| {
            let place = usize::try_from(*whole).ok().and_then(|at| listed.get_mut(at));
            place.map(|place| *place = *number).is_none()
        });
    }

    /// Removes the case of a whole number, if it has this number.
    fn remove(&mut self, whole: i64, number: u32) {
        if let Some(listed) = usize::try_from(whole).ok().and_then(|at| self.listed.get_mut(at)) {
            if *listed == number {
                *listed = NO_CASE;
            }
        } else if let Ok(entry) =
            self.others.find_entry(hash_whole(&self.hasher, whole), |known| *known == (whole, number))
        {
            entry.remove();
        }
    }

    fn bytes(&self) -> usize {
        self.listed.capacity() * size_of::<u32>() + self.others.capacity() * (size_of::<(i64, u32)>() + 1)
    }
}

/// Returns the whole number that has this label.
fn whole_of(label: &str) -> Option<i64> {
    let digits = label.strip_prefix('-').unwrap_or(label);
    let is_written_so = label == "0" || digits.starts_with(|first: char| matches!(first, '1'..='9'));
    if is_written_so { label.parse().ok() } else { None }
}

impl CaseNumbering {
    /// Returns the number of cases.
    fn len(&self) -> usize {
        self.labels.ends.len()
    }

    /// Returns the case with a label that is not over.
    fn find(&self, label: &str) -> Option<usize> {
        let is_same = |number: &u32| self.labels.get(*number as usize) == label;
        let found = match whole_of(label) {
            Some(whole) => self.whole.get(whole),
            None => self.by_label.find(self.hasher.hash_one(label), is_same).copied(),
        };
        found.map(|number| number as usize)
    }

    /// Ends a case: the next one of its label gets a number of its own.
    fn forget(&mut self, number: usize) {
        let label = self.labels.get(number);
        if let Some(whole) = whole_of(label) {
            self.whole.remove(whole, number as u32);
        } else if let Ok(entry) =
            self.by_label.find_entry(self.hasher.hash_one(label), |known| *known as usize == number)
        {
            entry.remove();
        }
    }

    /// Returns the label of a case.
    fn label(&self, number: usize) -> &str {
        self.labels.get(number)
    }

    /// Returns the approximate size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.by_label.capacity() * (size_of::<u32>() + 1)
            + self.whole.bytes()
            + self.labels.text.capacity()
            + self.labels.ends.capacity() * size_of::<usize>()
    }

    /// Returns the number of the case of a value, and true if it is a new one.
    #[inline]
    fn case(&mut self, value: &Value<'_>) -> (usize, bool) {
        if let Value::Number(Number::Int(whole)) = value
            && let Some(number) = self.whole.get(*whole)
        {
            return (number as usize, false);
        }
        let mut text = std::mem::take(&mut self.text);
        let case = self.case_of_label(value.label(&mut text));
        self.text = text;
        case
    }

    /// Returns the number of the case with a label, and true if it is a new one.
    fn case_of_label(&mut self, label: &str) -> (usize, bool) {
        let whole = whole_of(label);
        if let Some(known) = self.find(label) {
            return (known, false);
        }
        let new = self.len() as u32;
        self.labels.push(label);
        let CaseNumbering { by_label, labels, hasher, .. } = self;
        if let Some(whole) = whole {
            self.whole.insert(whole, new);
        } else {
            let hash = |number: &u32| hasher.hash_one(labels.get(*number as usize));
            by_label.insert_unique(hash(&new), new, hash);
        }
        (new as usize, true)
    }
}
