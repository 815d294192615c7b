// SPDX-License-Identifier: MIT OR Apache-2.0
//! The binary encoding of events in the journal. The evaluator reads events in place, without copying text.
//!
//! An event is its length (u32), its time (i128; [`STAMPED`]: its arrival), its name, the number of its fields (u32),
//! and for each field the name and a tagged value. Numbers are little-endian; a text is a length (u32) and bytes.

use std::borrow::Cow;

use gnomon_core::event::OwnedEvent;
use gnomon_core::number::Number;
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_run::online::NamedFields;

/// Encoded time of an event without a timestamp.
pub(crate) const STAMPED: i128 = i128::MIN;

pub use gnomon_core::event::PROGRESS_MARKER;

/// An event that was created in this process. Its time is in nanoseconds since 1970; `None`: its arrival.
pub type NewEvent = OwnedEvent<Option<i128>>;

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const INT: u8 = 3;
const DECIMAL: u8 = 4;
const FLOAT: u8 = 5;
const TEXT: u8 = 6;
const OTHER: u8 = 7;
/// A decimal with a mantissa of 128 bits.
const LONG_DECIMAL: u8 = 8;

/// Appends an encoded event.
pub(crate) fn encode<'a>(
    out: &mut Vec<u8>,
    name: &str,
    time: i128,
    fields: impl Iterator<Item = (&'a str, &'a Value<'a>)>,
) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&time.to_le_bytes());
    text(out, name);
    let count_at = out.len();
    out.extend_from_slice(&[0; 4]);
    let mut count = 0_u32;
    for (key, of) in fields {
        text(out, key);
        value(out, of);
        count += 1;
    }
    out[count_at..count_at + 4].copy_from_slice(&count.to_le_bytes());
    let length = (out.len() - start) as u32;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

fn value(out: &mut Vec<u8>, value: &Value<'_>) {
    match value {
        Value::Null => out.push(NULL),
        Value::Bool(false) => out.push(FALSE),
        Value::Bool(true) => out.push(TRUE),
        Value::Number(Number::Int(number)) => {
            out.push(INT);
            out.extend_from_slice(&number.to_le_bytes());
        }
        Value::Number(number) => {
            if let Some((mantissa, scale)) = number.parts() {
                if let Ok(mantissa) = i64::try_from(mantissa) {
                    out.push(DECIMAL);
                    out.extend_from_slice(&mantissa.to_le_bytes());
                } else {
                    out.push(LONG_DECIMAL);
                    out.extend_from_slice(&mantissa.to_le_bytes());
                }
                out.push(scale as u8);
            } else {
                out.push(FLOAT);
                out.extend_from_slice(&number.to_f64().to_le_bytes());
            }
        }
        Value::Text(of) => {
            out.push(TEXT);
            text(out, of);
        }
        Value::List(_) | Value::Map(_) => {
            out.push(OTHER);
            let at = out.len();
            out.extend_from_slice(&[0; 4]);
            *out = postcard::to_extend(value, std::mem::take(out)).expect("a value is written into memory");
            let length = (out.len() - at - 4) as u32;
            out[at..at + 4].copy_from_slice(&length.to_le_bytes());
        }
    }
}

/// A view of an encoded event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventView<'a> {
    /// The timestamp, or [`STAMPED`].
    pub(crate) time: i128,
    pub(crate) name: &'a str,
    count: usize,
    fields: &'a [u8],
}

impl<'a> EventView<'a> {
    /// Reads the event at the start of `bytes`. Returns it with its length; `None` if the bytes end or were not
    /// written by [`encode`].
    pub(crate) fn read(bytes: &'a [u8]) -> Option<(EventView<'a>, usize)> {
        let length = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?) as usize;
        let mut rest = Cursor(bytes.get(4..length)?);
        let time = i128::from_le_bytes(rest.take(16)?.try_into().ok()?);
        let name = rest.text()?;
        let count = rest.number()?;
        Some((EventView { time, name, count, fields: rest.0 }, length))
    }

    /// Returns the length of the event at the start of `bytes`.
    pub(crate) fn length(bytes: &[u8]) -> Option<usize> {
        let length = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?) as usize;
        (length >= 4 && length <= bytes.len()).then_some(length)
    }

    /// Iterates over the fields with their names.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'a str, Value<'a>)> + use<'a> {
        let mut rest = Cursor(self.fields);
        std::iter::from_fn(move || {
            let key = rest.text()?;
            Some((key, rest.value()?))
        })
    }

    pub(crate) fn timestamp(&self, stamp: i128) -> Timestamp {
        Timestamp::from_ticks(if self.time == STAMPED { stamp } else { self.time })
    }
}

impl NamedFields for EventView<'_> {
    fn named(&self, name: &str) -> Option<Value<'_>> {
        let mut rest = Cursor(self.fields);
        loop {
            if rest.text()? == name {
                return rest.value();
            }
            rest.skip()?;
        }
    }

    fn count(&self) -> usize {
        self.count
    }

    fn nth(&self, index: usize) -> Value<'_> {
        self.entries().nth(index).map_or(Value::Null, |(_, value)| value)
    }
}

struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    fn number(&mut self) -> Option<usize> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?) as usize)
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.number()?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    fn value(&mut self) -> Option<Value<'a>> {
        Some(match self.take(1)?[0] {
            NULL => Value::Null,
            FALSE => Value::Bool(false),
            TRUE => Value::Bool(true),
            INT => Value::Number(Number::Int(i64::from_le_bytes(self.take(8)?.try_into().ok()?))),
            DECIMAL => {
                let mantissa = i64::from_le_bytes(self.take(8)?.try_into().ok()?);
                Value::Number(Number::from_parts(mantissa.into(), self.take(1)?[0].into())?)
            }
            LONG_DECIMAL => {
                let mantissa = i128::from_le_bytes(self.take(16)?.try_into().ok()?);
                Value::Number(Number::from_parts(mantissa, self.take(1)?[0].into())?)
            }
            FLOAT => Value::Number(Number::from_f64(f64::from_le_bytes(self.take(8)?.try_into().ok()?))?),
            TEXT => Value::Text(Cow::Borrowed(self.text()?)),
            OTHER => {
                let length = self.number()?;
                postcard::from_bytes::<Value<'_>>(self.take(length)?).ok()?.into_owned()
            }
            _ => return None,
        })
    }

    fn skip(&mut self) -> Option<()> {
        let length = match self.take(1)?[0] {
            NULL | FALSE | TRUE => 0,
            INT | FLOAT => 8,
            DECIMAL => 9,
            LONG_DECIMAL => 17,
            TEXT | OTHER => self.number()?,
            _ => return None,
        };
        self.take(length).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Value<'static> {
        Value::Number(Number::parse(text).unwrap())
    }

    #[test]
    fn what_is_written_is_read() {
        let list = Value::List(vec![Value::Null, Value::Text("x".into())]);
        let map = Value::Map(vec![("k".into(), list.clone())]);
        let fields = [
            ("a", Value::Null),
            ("b", Value::Bool(true)),
            ("c", Value::Number(Number::Int(-7))),
            ("d", number("1.25")),
            ("e", number("1.5e300")),
            ("long", number("-170141183460469231731687303715884105.728")),
            ("f", Value::Text("é".into())),
            ("g", list),
            ("h", map),
            ("i", Value::Bool(false)),
        ];
        let mut bytes = Vec::new();
        encode(&mut bytes, "first", 7, fields.iter().map(|(key, value)| (*key, value)));
        encode(&mut bytes, "second", STAMPED, std::iter::empty());
        let (view, next) = EventView::read(&bytes).unwrap();
        assert_eq!((view.name, view.timestamp(1).ticks(), view.count()), ("first", 7, 10));
        assert_eq!(view.entries().collect::<Vec<_>>(), fields.to_vec());
        for (index, (key, value)) in fields.iter().enumerate() {
            assert_eq!((view.named(key).as_ref(), &view.nth(index)), (Some(value), value));
        }
        assert_eq!(view.named("z"), None);
        let (second, _) = EventView::read(&bytes[next..]).unwrap();
        assert_eq!((second.name, second.timestamp(42).ticks()), ("second", 42));
    }

    #[test]
    fn other_bytes_are_no_event() {
        let mut bytes = Vec::new();
        encode(&mut bytes, "a", 1, [("k", &Value::Text("v".into()))].into_iter());
        for cut in 0..bytes.len() {
            assert!(EventView::read(&bytes[..cut]).is_none());
        }
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                if let Some((view, _)) = EventView::read(&damaged) {
                    let _ = (view.entries().count(), view.named("k"), view.nth(3));
                }
            }
        }
    }
}
