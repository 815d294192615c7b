// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a format cannot carry.

use std::fmt;

/// Something that a trace has and the format it is written in cannot tell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Loss {
    /// A text that looks like a number, a truth value or null, and will be read as that.
    Look,
    /// An empty text, which will be read as an absent field.
    EmptyText,
    /// A list or a map, written as a text of JSON.
    Nested,
    /// A null.
    Null,
    /// A truth value, which other programs take for a text.
    Boolean,
    /// Characters that the format has no writing for.
    Characters,
    /// The names of the fields.
    FieldNames,
    /// A field's name that has another meaning in the format; the field was given another one.
    Renamed,
    /// The name of the time field.
    TimeName,
    /// That times are numbers: the format's own times are date-times.
    NumberTime,
    /// That times are date-times: they were written as seconds since 1970.
    DateTime,
    /// That the trace has no times: the places of the events were written as times.
    PlaceTime,
    /// The order of the fields, and thereby the events' positional parameters.
    Positions,
    /// That the events of a case belong together: others stand between them.
    SplitCase,
}

impl Loss {
    /// What is lost, in a few words.
    pub const fn text(self) -> &'static str {
        match self {
            Loss::Look => "texts that look like a number, a truth value or null will be read as that",
            Loss::EmptyText => "empty texts will be read as absent fields",
            Loss::Nested => "lists and maps are written as texts of JSON",
            Loss::Null => "nulls cannot be told",
            Loss::Boolean => "truth values are texts to other programs",
            Loss::Characters => "characters without a writing were replaced",
            Loss::FieldNames => "fields have no names, only places",
            Loss::Renamed => "fields with a name that has another meaning were renamed",
            Loss::TimeName => "the name of the time field",
            Loss::NumberTime => "times are numbers, not the date-times that other programs expect",
            Loss::DateTime => "date-times are written as seconds since 1970",
            Loss::PlaceTime => "the trace has no times: the places of the events are written as times",
            Loss::Positions => "the order of the fields, and with it the positional parameters",
            Loss::SplitCase => "cases whose events do not follow one another are written in pieces",
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// How often something was lost, and where first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lost {
    /// What.
    pub loss: Loss,
    /// How often.
    pub count: u64,
    /// The event of the first time, from 0.
    pub event_index: u64,
    /// The field of the first time; empty where it is about the event.
    pub field: String,
}

/// Everything that was lost, in the order in which it first was.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Losses {
    list: Vec<Lost>,
}

impl Losses {
    /// Takes note of a loss.
    pub(crate) fn add(&mut self, loss: Loss, event_index: u64, field: &str) {
        match self.list.iter_mut().find(|known| known.loss == loss) {
            Some(known) => known.count += 1,
            None => self.list.push(Lost { loss, count: 1, event_index, field: field.to_owned() }),
        }
    }

    /// Whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// What was lost.
    pub fn iter(&self) -> impl Iterator<Item = &Lost> {
        self.list.iter()
    }
}
