// SPDX-License-Identifier: MIT OR Apache-2.0
//! The open cases of an online run.
//!
//! A case has a number, which another case gets once it is over, so that memory is bounded by the open cases. They form a list in the
//! order of their last events; the first is the one that has been silent for the longest time.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;

use super::NamedFields;

/// The open cases, numbered. Without a field there is one case, number 0, and it has no label.
#[derive(Clone, Debug, Default)]
pub(super) struct LiveCases {
    /// The field whose values are the cases.
    pub(super) field: Option<String>,
    slots: Vec<Option<OpenCase>>,
    numbers: HashMap<Arc<str>, usize, RandomState>,
    free: Vec<usize>,
    /// The ends of the list: the case that has been silent for the longest time, and the latest one.
    oldest: Option<usize>,
    newest: Option<usize>,
    /// Number of events that belong to no case.
    pub(super) without: u64,
    text: String,
}

/// An open case.
#[derive(Clone, Debug)]
struct OpenCase {
    label: Arc<str>,
    /// Time of the last event.
    last: Timestamp,
    /// Its neighbours in the list.
    before: Option<usize>,
    after: Option<usize>,
}

impl LiveCases {
    pub(super) fn new(field: Option<String>) -> Self {
        LiveCases { field, ..LiveCases::default() }
    }

    /// Restores the cases, which are saved in the order of the list and numbered in it.
    pub(super) fn restore(field: Option<String>, without: u64, saved: Vec<(String, Timestamp)>) -> Self {
        let mut cases = LiveCases { without, ..LiveCases::new(field) };
        cases.slots.resize_with(saved.len(), || None);
        for (number, (label, last)) in saved.into_iter().enumerate() {
            cases.open_at(number, label.into(), last);
        }
        cases
    }

    /// Returns the open cases for [`LiveCases::restore`].
    pub(super) fn save(&self) -> Vec<(String, Timestamp)> {
        let cases = self.by_silence().filter_map(|number| self.slots[number].as_ref());
        cases.map(|case| (case.label.to_string(), case.last)).collect()
    }

    /// Iterates over the open cases, the one that has been silent for the longest time first.
    pub(super) fn by_silence(&self) -> impl Iterator<Item = usize> {
        std::iter::successors(self.oldest, |number| self.slots[*number].as_ref()?.after)
    }

    /// Returns the number of open cases.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Returns the value that defines a case; `None` if the run has no cases.
    pub(super) fn label(&self, case: usize) -> Option<&Arc<str>> {
        self.slots.get(case)?.as_ref().map(|case| &case.label)
    }

    /// Returns the open case with a label.
    pub(super) fn find(&self, label: &str) -> Option<usize> {
        self.numbers.get(label).copied()
    }

    /// Returns the case that has been silent for the longest time, and the time of its last event.
    pub(super) fn oldest(&self) -> Option<(usize, Timestamp)> {
        let number = self.oldest?;
        Some((number, self.slots[number].as_ref()?.last))
    }

    /// Returns the case number of an event at this time; `None` if the event lacks the field.
    pub(super) fn number_of(&mut self, fields: &dyn NamedFields, time: Timestamp) -> Option<usize> {
        let Some(field) = &self.field else { return Some(0) };
        let Some(value) = case_value(fields, field) else {
            self.without += 1;
            return None;
        };
        let mut text = std::mem::take(&mut self.text);
        let label = value.label(&mut text);
        let known = self.numbers.get(label).copied();
        let number = known.unwrap_or_else(|| {
            let number = self.free.pop().unwrap_or_else(|| {
                self.slots.push(None);
                self.slots.len() - 1
            });
            self.open_at(number, label.into(), time);
            number
        });
        self.text = text;
        if known.is_some() {
            self.move_to_end(number, time);
        }
        Some(number)
    }

    fn open_at(&mut self, number: usize, label: Arc<str>, last: Timestamp) {
        self.numbers.insert(label.clone(), number);
        self.slots[number] = Some(OpenCase { label, last, before: None, after: None });
        self.append(number);
    }

    /// Removes a case, whose number another case may get. Returns its label.
    pub(super) fn close(&mut self, number: usize) -> Option<Arc<str>> {
        self.unlink(number);
        let case = self.slots.get_mut(number)?.take()?;
        self.numbers.remove(&case.label);
        self.free.push(number);
        if self.numbers.is_empty() {
            // After a peak, the memory goes back.
            *self = LiveCases { without: self.without, ..LiveCases::new(self.field.take()) };
        } else if self.numbers.capacity() > 4 * self.numbers.len() + 1024 {
            self.numbers.shrink_to(2 * self.numbers.len());
        }
        Some(case.label)
    }

    /// Moves a case to the end of the list.
    fn move_to_end(&mut self, number: usize, time: Timestamp) {
        if let Some(case) = &mut self.slots[number] {
            case.last = time;
        }
        if self.newest != Some(number) {
            self.unlink(number);
            self.append(number);
        }
    }

    fn append(&mut self, number: usize) {
        let before = self.newest.replace(number);
        self.set_after(before, Some(number));
        if let Some(case) = &mut self.slots[number] {
            (case.before, case.after) = (before, None);
        }
    }

    fn unlink(&mut self, number: usize) {
        let Some(case) = self.slots.get(number).and_then(Option::as_ref) else { return };
        let (before, after) = (case.before, case.after);
        self.set_after(before, after);
        match after.and_then(|after| self.slots[after].as_mut()) {
            Some(after) => after.before = before,
            None => self.newest = before,
        }
    }

    /// Sets the neighbour behind a case, or the first of the list.
    fn set_after(&mut self, number: Option<usize>, after: Option<usize>) {
        match number.and_then(|number| self.slots[number].as_mut()) {
            Some(case) => case.after = after,
            None => self.oldest = after,
        }
    }
}

/// Returns the value that defines the case of an event: that of the field, or the one at a path such as `user/name`.
pub fn case_value<'f>(fields: &'f dyn NamedFields, field: &str) -> Option<Value<'f>> {
    fields.named(field).or_else(|| part(fields, field))
}

/// Returns the value at a path such as `user/name`.
fn part<'f>(fields: &'f dyn NamedFields, path: &str) -> Option<Value<'f>> {
    let (first, steps) = path.split_once('/')?;
    let value = fields.named(first)?;
    steps.split('/').try_fold(&value, |value, step| value.step(step)).map(|part| part.clone().into_owned())
}
