// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events as bytes: what the journal keeps and the judge reads, without a copy of any text.
//!
//! An event is its length (u32), its time (i128; [`STAMPED`]: when it came in), its name, the number of its fields, and for each
//! the name and a tagged value. Lengths and numbers are little-endian, texts are a length (u32) and bytes.

use std::borrow::Cow;

use gnomon_core::number::Number;
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_run::online::NamedFields;

/// The time of an event that has none of its own.
pub(crate) const STAMPED: i128 = i128::MIN;

pub use gnomon_core::event::TICK;

/// An event that was made here, not read.
#[derive(Clone, PartialEq, Debug)]
pub struct NewEvent {
    /// Its name.
    pub name: String,
    /// When it happened, in nanoseconds since 1970; `None`: when it comes in.
    pub time: Option<i128>,
    /// Its fields.
    pub fields: Vec<(String, Value<'static>)>,
}

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const INT: u8 = 3;
const DECIMAL: u8 = 4;
const FLOAT: u8 = 5;
const TEXT: u8 = 6;
const OTHER: u8 = 7;

/// Appends an event.
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
        Value::Number(Number::Decimal { mantissa, scale }) => {
            out.push(DECIMAL);
            out.extend_from_slice(&mantissa.to_le_bytes());
            out.push(*scale);
        }
        Value::Number(Number::Float(number)) => {
            out.push(FLOAT);
            out.extend_from_slice(&number.to_le_bytes());
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

/// An event, read where it lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'a> {
    /// Its time, or [`STAMPED`].
    pub(crate) time: i128,
    pub(crate) name: &'a str,
    count: usize,
    fields: &'a [u8],
}

impl<'a> Seen<'a> {
    /// The event at the start of these bytes, and where the next begins; `None` if there is none, or bytes are not what
    /// [`encode`] wrote.
    pub(crate) fn read(bytes: &'a [u8]) -> Option<(Seen<'a>, usize)> {
        let length = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?) as usize;
        let mut rest = Cursor(bytes.get(4..length)?);
        let time = i128::from_le_bytes(rest.take(16)?.try_into().ok()?);
        let name = rest.text()?;
        let count = rest.number()?;
        Some((Seen { time, name, count, fields: rest.0 }, length))
    }

    /// How long the event at the start of these bytes is.
    pub(crate) fn length(bytes: &[u8]) -> Option<usize> {
        let length = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?) as usize;
        (length >= 4 && length <= bytes.len()).then_some(length)
    }

    /// Its fields with their names.
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

impl NamedFields for Seen<'_> {
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
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
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
                Value::Number(Number::Decimal { mantissa, scale: self.take(1)?[0] })
            }
            FLOAT => Value::Number(Number::Float(f64::from_le_bytes(self.take(8)?.try_into().ok()?))),
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
            TEXT | OTHER => self.number()?,
            _ => return None,
        };
        self.take(length).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let list = Value::List(vec![Value::Null, Value::Text("x".into())]);
        let map = Value::Map(vec![("k".into(), list.clone())]);
        let fields = [
            ("a", Value::Null),
            ("b", Value::Bool(true)),
            ("c", Value::Number(Number::Int(-7))),
            ("d", Value::Number(Number::Decimal { mantissa: 125, scale: 2 })),
            ("e", Value::Number(Number::Float(1.5e300))),
            ("f", Value::Text("é".into())),
            ("g", list),
            ("h", map),
            ("i", Value::Bool(false)),
        ];
        let mut bytes = Vec::new();
        encode(&mut bytes, "first", 7, fields.iter().map(|(key, value)| (*key, value)));
        encode(&mut bytes, "second", STAMPED, std::iter::empty());
        let (seen, next) = Seen::read(&bytes).unwrap();
        assert_eq!((seen.name, seen.timestamp(1).ticks(), seen.count()), ("first", 7, 9));
        assert_eq!(seen.entries().collect::<Vec<_>>(), fields.to_vec());
        for (index, (key, value)) in fields.iter().enumerate() {
            assert_eq!((seen.named(key).as_ref(), &seen.nth(index)), (Some(value), value));
        }
        assert_eq!(seen.named("z"), None);
        let (second, _) = Seen::read(&bytes[next..]).unwrap();
        assert_eq!((second.name, second.timestamp(42).ticks()), ("second", 42));
    }

    #[test]
    fn other_bytes_are_no_event() {
        let mut bytes = Vec::new();
        encode(&mut bytes, "a", 1, [("k", &Value::Text("v".into()))].into_iter());
        for cut in 0..bytes.len() {
            assert!(Seen::read(&bytes[..cut]).is_none());
        }
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                if let Some((seen, _)) = Seen::read(&damaged) {
                    let _ = (seen.entries().count(), seen.named("k"), seen.nth(3));
                }
            }
        }
    }
}
