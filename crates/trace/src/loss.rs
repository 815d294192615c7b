// SPDX-License-Identifier: MIT OR Apache-2.0
//! Information that a format cannot represent.

use std::fmt;

gnomon_core::words! {
    /// A kind of information that is lost when a trace is written in a format.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum Loss as text {
        /// A text that looks like a number, a boolean or null, and will be read as that.
        Look = "texts that look like a number, a boolean or null will be read as that",
        /// An empty text, which will be read as an absent field.
        EmptyText = "empty texts will be read as absent fields",
        /// A list or a map, written as a text of JSON.
        Nested = "lists and maps are written as texts of JSON",
        /// A null.
        Null = "nulls cannot be represented",
        /// A boolean, which other programs take for a text.
        Boolean = "booleans are texts to other programs",
        /// Characters that the format cannot represent.
        Characters = "characters that the format cannot write were replaced",
        /// The names of the fields.
        FieldNames = "fields have no names, only places",
        /// The name of a field that is reserved in the format; the field was renamed.
        Renamed = "fields with a name that has another meaning were renamed",
        /// The name of the time field.
        TimeName = "the name of the time field",
        /// Times are numbers, while times of the format are date-times.
        NumberTime = "times are numbers, not the date-times that other programs expect",
        /// Times are date-times, and were written as seconds since 1970.
        DateTime = "date-times are written as seconds since 1970",
        /// The trace has no times; the positions of the events were written as times.
        PlaceTime = "the trace has no times: the places of the events are written as times",
        /// The order of the fields, and thereby the positional parameters.
        Positions = "the order of the fields, and with it the positional parameters",
        /// The events of a case are not contiguous; the case is written in pieces.
        SplitCase = "cases whose events do not follow one another are written in pieces",
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// The occurrences of one kind of loss.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LossSummary {
    /// The kind.
    pub loss: Loss,
    /// The number of occurrences.
    pub count: u64,
    /// The index of the first event concerned, from 0.
    pub event_index: u64,
    /// The first field concerned; empty where the event is concerned.
    pub field: String,
}

/// All losses, in the order of their first occurrence.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Losses {
    list: Vec<LossSummary>,
}

impl Losses {
    /// Records a loss.
    pub(crate) fn add(&mut self, loss: Loss, event_index: u64, field: &str) {
        match self.list.iter_mut().find(|known| known.loss == loss) {
            Some(known) => known.count += 1,
            None => self.list.push(LossSummary { loss, count: 1, event_index, field: field.to_owned() }),
        }
    }

    /// Returns true if nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the losses.
    pub fn iter(&self) -> impl Iterator<Item = &LossSummary> {
        self.list.iter()
    }
}
