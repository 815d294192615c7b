// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which case an event belongs to.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use gnomon_core::event::Fields;
use gnomon_core::number::Number;
use gnomon_core::symbols::{Key, Symbols};
use gnomon_core::value::Value;

use super::frame::Bounds;
use super::{By, Options};

/// How a trace falls into cases.
#[derive(Debug)]
pub struct Division {
    kind: Kind,
    field: Option<String>,
    without: u64,
    /// Where the whole trace begins and ends, as far as cases are to be told.
    pub(super) bounds: Bounds,
    /// Whether null is a value like any other.
    takes_null: bool,
}

#[derive(Debug)]
enum Kind {
    /// It does not: all is one case.
    Whole { begun: bool },
    /// One after the other, as the format has them.
    Sequential { present: Option<u64>, count: usize },
    /// By the value of a field, all mixed. Memory: each value once.
    Field { key: Key, numbers: Numbers },
}

/// The case of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lot {
    /// None: the event has no such field.
    None,
    /// One that was met before, by its number.
    Known(usize),
    /// One that is new, by its name. Its number is the next.
    New(Arc<str>),
}

impl Division {
    /// The division that the options ask for. `has_cases`: the format tells cases apart.
    pub fn new(symbols: &Symbols, has_cases: bool, options: &Options) -> Self {
        let (kind, field) = match &options.by {
            By::Field(field) => {
                let key = symbols.find_key(field).unwrap_or(Key::OTHER);
                (Kind::Field { key, numbers: Numbers::default() }, Some(field.clone()))
            }
            By::Format if has_cases => (Kind::Sequential { present: None, count: 0 }, None),
            By::Format | By::Whole => (Kind::Whole { begun: false }, None),
        };
        let bounds = Bounds::new(options.frame.as_ref(), symbols);
        Division { kind, field, without: 0, bounds, takes_null: options.frame.is_some() }
    }

    /// Whether there are cases at all.
    pub fn is_divided(&self) -> bool {
        !matches!(self.kind, Kind::Whole { .. })
    }

    /// Whether a case is over when the next one begins.
    pub fn is_sequential(&self) -> bool {
        matches!(self.kind, Kind::Sequential { .. })
    }

    /// The field whose values are the cases.
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// How many events belonged to no case.
    pub fn without(&self) -> u64 {
        self.without
    }

    /// The case of an event with these fields; `number` and `name` are those of the case that the format puts it in.
    pub fn lot(&mut self, fields: &dyn Fields, number: u64, name: Option<&str>) -> Lot {
        match &mut self.kind {
            Kind::Whole { begun: true } => Lot::Known(0),
            Kind::Whole { begun } => {
                *begun = true;
                Lot::New("".into())
            }
            Kind::Sequential { present, count } => {
                if *present == Some(number) {
                    return Lot::Known(*count - 1);
                }
                *present = Some(number);
                *count += 1;
                Lot::New(name.map_or_else(|| number.to_string().into(), Into::into))
            }
            Kind::Field { key, numbers } => {
                let value = fields.get(*key).filter(|value| self.takes_null || *value != Value::Null);
                let lot = value.map_or(Lot::None, |value| numbers.lot(&value));
                self.without += u64::from(lot == Lot::None);
                lot
            }
        }
    }
}

/// The cases that were met, by their names.
#[derive(Debug, Default)]
struct Numbers {
    by_name: HashMap<Arc<str>, usize, RandomState>,
    /// The same of whole numbers, for which no name need be written to find them.
    by_whole: HashMap<i64, usize, RandomState>,
    text: String,
}

impl Numbers {
    #[inline]
    fn lot(&mut self, value: &Value<'_>) -> Lot {
        let whole = match value {
            Value::Number(Number::Int(whole)) => Some(*whole),
            _ => None,
        };
        if let Some(number) = whole.and_then(|whole| self.by_whole.get(&whole)) {
            return Lot::Known(*number);
        }
        let text = value.label(&mut self.text);
        let known = self.by_name.get(text).copied();
        let next = self.by_name.len();
        if let Some(whole) = whole {
            self.by_whole.insert(whole, known.unwrap_or(next));
        }
        if let Some(number) = known {
            return Lot::Known(number);
        }
        let label: Arc<str> = text.into();
        self.by_name.insert(label.clone(), next);
        Lot::New(label)
    }
}
