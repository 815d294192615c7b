// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cases of an online run.

use std::sync::Arc;

use gnomon_core::value::Value;

use super::NamedFields;
use crate::offline::CaseId;
use crate::offline::division::CaseNumbering;

/// The cases seen so far, numbered. Without a field there is one case, number 0, and it has no label.
#[derive(Clone, Debug)]
pub(super) struct LiveCases {
    /// The field whose values are the cases.
    pub(super) field: Option<String>,
    /// The value of the field in each case, by case number.
    pub(super) labels: Vec<Arc<str>>,
    numbers: CaseNumbering,
    /// Number of events that belong to no case.
    pub(super) without: u64,
}

impl LiveCases {
    pub(super) fn new(field: Option<String>, labels: Vec<Arc<str>>, without: u64) -> Self {
        LiveCases { field, numbers: CaseNumbering::of(&labels), labels, without }
    }

    /// Returns the value that defines a case; `None` if the run has no cases.
    pub(super) fn label(&self, case: usize) -> Option<Arc<str>> {
        self.labels.get(case).cloned()
    }

    /// Returns the case number of an event; `None` if the event lacks the field.
    pub(super) fn number_of(&mut self, fields: &dyn NamedFields) -> Option<usize> {
        let Some(field) = &self.field else { return Some(0) };
        let Some(value) = fields.named(field).or_else(|| part(fields, field)) else {
            self.without += 1;
            return None;
        };
        match self.numbers.case(&value) {
            CaseId::None => return None,
            CaseId::Known(number) => return Some(number),
            CaseId::New(label) => self.labels.push(label),
        }
        Some(self.labels.len() - 1)
    }
}

/// Returns the value at a path such as `user/name`.
fn part<'f>(fields: &'f dyn NamedFields, path: &str) -> Option<Value<'f>> {
    let (first, steps) = path.split_once('/')?;
    let value = fields.named(first)?;
    steps.split('/').try_fold(&value, |value, step| value.step(step)).map(|part| part.clone().into_owned())
}
