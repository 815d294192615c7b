// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which case an event belongs to.

use std::collections::HashMap;
use std::sync::Arc;

use gnomon_core::value::Value;

use super::NamedFields;

/// The cases met so far, numbered. Without a field there is one, number 0.
#[derive(Clone, Debug)]
pub(super) struct CaseNumbers {
    field: Option<String>,
    labels: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, usize>,
    /// How many events belonged to none.
    pub(super) without: u64,
    text: String,
}

impl CaseNumbers {
    pub(super) fn new(field: Option<&str>) -> Self {
        Self::restore(field.map(str::to_owned), vec![], 0)
    }

    pub(super) fn restore(field: Option<String>, labels: Vec<Arc<str>>, without: u64) -> Self {
        let numbers = labels.iter().cloned().zip(0..).collect();
        CaseNumbers { field, labels, numbers, without, text: String::new() }
    }

    pub(super) fn is_divided(&self) -> bool {
        self.field.is_some()
    }

    pub(super) fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    pub(super) fn count(&self) -> usize {
        self.labels.len()
    }

    pub(super) fn labels(&self) -> &[Arc<str>] {
        &self.labels
    }

    /// The value that a case is of; `None` if everything is one.
    pub(super) fn label(&self, case: usize) -> Option<Arc<str>> {
        self.labels.get(case).cloned()
    }

    /// The number of an event's case; `None` if it has none.
    pub(super) fn of(&mut self, fields: &dyn NamedFields) -> Option<usize> {
        let Some(field) = &self.field else { return Some(0) };
        let Some(value) = fields.named(field).filter(|value| *value != Value::Null) else {
            self.without += 1;
            return None;
        };
        let text = value.label(&mut self.text);
        if let Some(number) = self.numbers.get(text) {
            return Some(*number);
        }
        let label: Arc<str> = text.into();
        self.labels.push(label.clone());
        self.numbers.insert(label, self.labels.len() - 1);
        Some(self.labels.len() - 1)
    }
}
