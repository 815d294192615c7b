// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values in 12 bytes: integers and short texts in place, others in a table beside.

use std::borrow::Cow;

use gnomon_core::number::Number;
use gnomon_core::value::Value;
use serde::{Deserialize, Serialize};

use super::chunks::ChunkedVec;

/// The most bytes of a text that is stored in place.
const SHORT: usize = 10;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum CompactValue {
    Vacant,
    /// The halves of an integer, so that it needs no more alignment than they do.
    Int {
        high: i32,
        low: u32,
    },
    /// A text, with zeros after it.
    Short {
        length: u8,
        bytes: [u8; SHORT],
    },
    /// See [`LargeValues`].
    Elsewhere(u32),
}

impl CompactValue {
    /// Returns the compact form; `None` if the value does not fit.
    #[inline]
    pub(crate) fn within(value: &Value<'_>) -> Option<CompactValue> {
        match value {
            Value::Number(Number::Int(whole)) => Some(CompactValue::int(*whole)),
            Value::Text(text) if text.len() <= SHORT => {
                let mut bytes = [0; SHORT];
                bytes[..text.len()].copy_from_slice(text.as_bytes());
                Some(CompactValue::Short { length: text.len() as u8, bytes })
            }
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn int(whole: i64) -> CompactValue {
        CompactValue::Int { high: (whole >> 32) as i32, low: whole as u32 }
    }

    /// Returns the integer that is stored in place.
    #[inline]
    pub(crate) fn whole(self) -> Option<i64> {
        match self {
            CompactValue::Int { high, low } => Some(i64::from(high) << 32 | i64::from(low)),
            CompactValue::Vacant | CompactValue::Short { .. } | CompactValue::Elsewhere(_) => None,
        }
    }
}

/// The values that do not fit in place.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LargeValues {
    items: ChunkedVec<LargeValue>,
    free: Vec<u32>,
    /// The bytes that they own on the heap.
    owned: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum LargeValue {
    Text(Box<str>),
    Other(Box<Value<'static>>),
}

const _: () = assert!(size_of::<LargeValue>() == 16);

impl LargeValue {
    fn heap_bytes(&self) -> usize {
        match self {
            LargeValue::Text(text) => text.len(),
            LargeValue::Other(value) => size_of::<Value<'static>>() + heap_bytes(value),
        }
    }
}

impl LargeValues {
    pub(crate) fn keep(&mut self, value: &Value<'_>) -> CompactValue {
        let item = match value {
            Value::Text(text) => LargeValue::Text(text.as_ref().into()),
            other => LargeValue::Other(Box::new(other.clone().into_owned())),
        };
        self.owned += item.heap_bytes();
        if let Some(at) = self.free.pop() {
            *self.items.get_mut(at) = item;
            return CompactValue::Elsewhere(at);
        }
        self.items.push(item);
        CompactValue::Elsewhere(self.items.len() as u32 - 1)
    }

    pub(crate) fn forget(&mut self, compact: CompactValue) {
        if let CompactValue::Elsewhere(at) = compact {
            let item = std::mem::replace(self.items.get_mut(at), LargeValue::Text(Box::default()));
            self.owned = self.owned.saturating_sub(item.heap_bytes());
            self.free.push(at);
        }
    }

    /// Returns true if a value that does not fit in place is equal to a stored one.
    pub(crate) fn is(&self, compact: CompactValue, value: &Value<'_>) -> bool {
        match (compact, value) {
            (CompactValue::Elsewhere(at), Value::Text(text)) => {
                matches!(self.items.get(at), LargeValue::Text(known) if **known == **text)
            }
            (CompactValue::Elsewhere(_), _) => self.with(compact, |known| known == value),
            (CompactValue::Vacant | CompactValue::Int { .. } | CompactValue::Short { .. }, _) => false,
        }
    }

    /// Calls a function with the full value.
    pub(crate) fn with<T>(&self, compact: CompactValue, then: impl FnOnce(&Value<'_>) -> T) -> T {
        match compact {
            CompactValue::Vacant => then(&Value::Null),
            CompactValue::Int { high, low } => {
                then(&Value::Number(Number::Int(i64::from(high) << 32 | i64::from(low))))
            }
            CompactValue::Short { length, bytes } => {
                then(&Value::Text(String::from_utf8_lossy(&bytes[..usize::from(length).min(SHORT)])))
            }
            CompactValue::Elsewhere(at) => match self.items.get(at) {
                LargeValue::Text(text) => then(&Value::Text(Cow::Borrowed(text))),
                LargeValue::Other(value) => then(value),
            },
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.items.bytes() + self.owned
    }

    /// Returns true if a restored compact value is valid.
    pub(crate) fn has(&self, compact: CompactValue) -> bool {
        match compact {
            CompactValue::Vacant | CompactValue::Int { .. } => true,
            CompactValue::Short { length, bytes } => {
                bytes.get(..usize::from(length)).is_some_and(|text| std::str::from_utf8(text).is_ok())
            }
            CompactValue::Elsewhere(at) => (at as usize) < self.items.len(),
        }
    }

    /// Returns true if a restored table is as this code builds them.
    pub(crate) fn is_sound(&self) -> bool {
        self.items.is_sound() && self.free.iter().all(|at| (*at as usize) < self.items.len())
    }
}

/// Returns the approximate number of heap bytes of a value.
fn heap_bytes(value: &Value<'_>) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::List(items) => items.iter().map(|item| size_of::<Value<'static>>() + heap_bytes(item)).sum(),
        Value::Map(entries) => {
            entries.iter().map(|(key, item)| key.len() + size_of::<Value<'static>>() + heap_bytes(item)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}
