// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values in little room: small ones in place, the rest beside.

use std::borrow::Cow;

use gnomon_core::number::Number;
use gnomon_core::value::{Comparison, Value};
use serde::{Deserialize, Serialize};

use super::chunks::Chunks;

/// How long a text may be, in bytes, to be kept in place.
const SHORT: usize = 10;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Datum {
    Vacant,
    /// The halves of a whole number, so that it needs no more alignment than they do.
    Int {
        high: i32,
        low: u32,
    },
    /// A text, with zeros after it.
    Short {
        length: u8,
        bytes: [u8; SHORT],
    },
    /// See [`Rest`].
    Elsewhere(u32),
}

impl Datum {
    /// `None`: the value does not fit.
    #[inline]
    pub(crate) fn within(value: &Value<'_>) -> Option<Datum> {
        match value {
            Value::Number(Number::Int(whole)) => Some(Datum::int(*whole)),
            Value::Text(text) if text.len() <= SHORT => {
                let mut bytes = [0; SHORT];
                bytes[..text.len()].copy_from_slice(text.as_bytes());
                Some(Datum::Short { length: text.len() as u8, bytes })
            }
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn int(whole: i64) -> Datum {
        Datum::Int { high: (whole >> 32) as i32, low: whole as u32 }
    }

    /// The whole number that it is, if it is one in place.
    #[inline]
    pub(crate) fn whole(self) -> Option<i64> {
        match self {
            Datum::Int { high, low } => Some(i64::from(high) << 32 | i64::from(low)),
            Datum::Vacant | Datum::Short { .. } | Datum::Elsewhere(_) => None,
        }
    }

    #[inline]
    pub(crate) fn is_elsewhere(self) -> bool {
        matches!(self, Datum::Elsewhere(_))
    }
}

/// The values that do not fit in place.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Rest {
    items: Chunks<Item>,
    free: Vec<u32>,
    /// What they own, in bytes.
    owned: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Item {
    Text(Box<str>),
    Other(Box<Value<'static>>),
}

const _: () = assert!(size_of::<Item>() == 16);

impl Item {
    fn weight(&self) -> usize {
        match self {
            Item::Text(text) => text.len(),
            Item::Other(value) => size_of::<Value<'static>>() + weight(value),
        }
    }
}

impl Rest {
    pub(crate) fn keep(&mut self, value: &Value<'_>) -> Datum {
        let item = match value {
            Value::Text(text) => Item::Text(text.as_ref().into()),
            other => Item::Other(Box::new(other.clone().into_owned())),
        };
        self.owned += item.weight();
        if let Some(at) = self.free.pop() {
            *self.items.get_mut(at) = item;
            return Datum::Elsewhere(at);
        }
        self.items.push(item);
        Datum::Elsewhere(self.items.len() as u32 - 1)
    }

    pub(crate) fn forget(&mut self, datum: Datum) {
        if let Datum::Elsewhere(at) = datum {
            let item = std::mem::replace(self.items.get_mut(at), Item::Text(Box::default()));
            self.owned = self.owned.saturating_sub(item.weight());
            self.free.push(at);
        }
    }

    /// Whether a value is equal to one that is kept.
    pub(crate) fn is(&self, datum: Datum, value: &Value<'_>) -> bool {
        match (datum, value) {
            (Datum::Elsewhere(at), Value::Text(text)) => {
                matches!(self.items.get(at), Item::Text(known) if **known == **text)
            }
            (Datum::Int { .. } | Datum::Elsewhere(_), _) => {
                self.with(datum, |known| Comparison::Equal.holds(known, value))
            }
            (Datum::Vacant | Datum::Short { .. }, _) => false,
        }
    }

    /// Does something with the value that is meant.
    pub(crate) fn with<T>(&self, datum: Datum, then: impl FnOnce(&Value<'_>) -> T) -> T {
        match datum {
            Datum::Vacant => then(&Value::Null),
            Datum::Int { high, low } => then(&Value::Number(Number::Int(i64::from(high) << 32 | i64::from(low)))),
            Datum::Short { length, bytes } => {
                then(&Value::Text(String::from_utf8_lossy(&bytes[..usize::from(length).min(SHORT)])))
            }
            Datum::Elsewhere(at) => match self.items.get(at) {
                Item::Text(text) => then(&Value::Text(Cow::Borrowed(text))),
                Item::Other(value) => then(value),
            },
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.items.bytes() + self.owned
    }

    /// Whether a restored datum means something.
    pub(crate) fn has(&self, datum: Datum) -> bool {
        match datum {
            Datum::Vacant | Datum::Int { .. } => true,
            Datum::Short { length, bytes } => {
                bytes.get(..usize::from(length)).is_some_and(|text| std::str::from_utf8(text).is_ok())
            }
            Datum::Elsewhere(at) => (at as usize) < self.items.len(),
        }
    }

    /// Whether a restored one is as this code builds them.
    pub(crate) fn is_sound(&self) -> bool {
        self.items.is_sound() && self.free.iter().all(|at| (*at as usize) < self.items.len())
    }
}

/// What a value owns beyond itself, roughly.
fn weight(value: &Value<'_>) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::List(items) => items.iter().map(|item| size_of::<Value<'static>>() + weight(item)).sum(),
        Value::Map(entries) => {
            entries.iter().map(|(key, item)| key.len() + size_of::<Value<'static>>() + weight(item)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}
