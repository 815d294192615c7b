// SPDX-License-Identifier: MIT OR Apache-2.0
//! A summary of a trace: its event names and their numbers, their fields and types, and the range of its times.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use gnomon_core::symbols::Name;
use gnomon_core::time::{Clock, TimeKind, Timestamp};
use gnomon_core::value::Value;
use gnomon_scan::TraceError;

use crate::reader::Reader;

/// A summary of a trace.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TraceSummary {
    /// The number of events.
    pub events: u64,
    /// The earliest and the latest time.
    pub span: Option<(Timestamp, Timestamp)>,
    /// The kind of the times.
    pub time_kind: TimeKind,
    /// The conversion of numbers to times.
    pub clock: Clock,
    /// The time field, where there is one.
    pub time_field: Option<String>,
    /// The number of cases, in formats that have cases.
    pub cases: Option<u64>,
    /// The event names, in the order of their first occurrence.
    pub names: Vec<EventSummary>,
    /// The number of events whose names are beyond the limit of listed names.
    pub unlisted_events: u64,
}

/// The events with one name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventSummary {
    /// The name.
    pub name: String,
    /// The number of events.
    pub count: u64,
    /// Their fields, in the order of their first occurrence.
    pub fields: Vec<FieldSummary>,
    /// The number of field occurrences beyond the limit of listed fields.
    pub unlisted_fields: u64,
}

/// A field of the events with one name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldSummary {
    /// The name.
    pub name: String,
    /// The number of events that have it.
    pub count: u64,
    /// The types of its values.
    pub kinds: ValueTypeCounts,
}

/// The number of values of each type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ValueTypeCounts {
    /// Nulls.
    pub null: u64,
    /// Truth values.
    pub boolean: u64,
    /// Numbers.
    pub number: u64,
    /// Texts.
    pub text: u64,
    /// Lists.
    pub list: u64,
    /// Maps.
    pub map: u64,
}

/// COST: limits on the names and, over all names, on the fields that are listed.
const MOST_NAMES: usize = 10_000;
const MOST_LISTED_FIELDS: usize = 100_000;

/// Reads a trace to its end and summarises it. The setup of the reader must want everything.
pub fn summarise<R: Reader>(reader: &mut R) -> Result<TraceSummary, TraceError> {
    let mut catalogue = TraceSummary::default();
    let mut places: HashMap<Name, usize, RandomState> = HashMap::default();
    let mut fields: HashMap<(usize, String), usize, RandomState> = HashMap::default();
    let mut last_case = None;
    while let Some(origin) = reader.advance()? {
        catalogue.events += 1;
        let (first, last) = catalogue.span.unwrap_or((origin.time, origin.time));
        catalogue.span = Some((first.min(origin.time), last.max(origin.time)));
        let case = reader.case().map(|_| reader.case_number());
        if case.is_some() && case != last_case {
            last_case = case;
            catalogue.cases = Some(catalogue.cases.unwrap_or(0) + 1);
        }
        let place = match places.get(&origin.event) {
            Some(&place) => place,
            None if catalogue.names.len() < MOST_NAMES => {
                let name = reader.symbols().name_text(origin.event).to_owned();
                places.insert(origin.event, catalogue.names.len());
                catalogue.names.push(EventSummary { name, count: 0, fields: Vec::new(), unlisted_fields: 0 });
                catalogue.names.len() - 1
            }
            None => {
                catalogue.unlisted_events += 1;
                continue;
            }
        };
        let event = &mut catalogue.names[place];
        event.count += 1;
        for (order, entry) in reader.entries().into_iter().enumerate() {
            // Events of one name nearly always have the same fields in the same order.
            let expected = event.fields.get(order).is_some_and(|field| field.name == entry.key);
            let at = if expected { Some(order) } else { fields.get(&(place, entry.key.to_string())).copied() };
            let at = match at {
                Some(at) => at,
                None if fields.len() < MOST_LISTED_FIELDS => {
                    fields.insert((place, entry.key.to_string()), event.fields.len());
                    let name = entry.key.into_owned();
                    event.fields.push(FieldSummary { name, count: 0, kinds: ValueTypeCounts::default() });
                    event.fields.len() - 1
                }
                None => {
                    event.unlisted_fields += 1;
                    continue;
                }
            };
            event.fields[at].count += 1;
            event.fields[at].kinds.add(&entry.value);
        }
    }
    catalogue.time_kind = reader.time_kind();
    catalogue.clock = reader.clock();
    catalogue.time_field = reader.time_field().filter(|_| catalogue.time_kind != TimeKind::Position).map(str::to_owned);
    Ok(catalogue)
}

impl ValueTypeCounts {
    fn add(&mut self, value: &Value<'_>) {
        let count = match value {
            Value::Null => &mut self.null,
            Value::Bool(_) => &mut self.boolean,
            Value::Number(_) => &mut self.number,
            Value::Text(_) => &mut self.text,
            Value::List(_) => &mut self.list,
            Value::Map(_) => &mut self.map,
        };
        *count += 1;
    }

    /// Returns the types that occur, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let all = [
            ("null", self.null),
            ("boolean", self.boolean),
            ("number", self.number),
            ("text", self.text),
            ("list", self.list),
            ("map", self.map),
        ];
        all.into_iter().filter(|(_, count)| *count > 0)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::{ReaderSetup, open};

    fn of(text: &str) -> TraceSummary {
        summarise(&mut open(text.as_bytes(), "t", None, ReaderSetup::everything()).unwrap()).unwrap()
    }

    #[test]
    fn events_fields_and_types_are_counted() {
        let catalogue = of("event, time, user, n\npay, 5, ann, 3\nshow, 2\npay, 9, , x\npay, 7, bob, null\n");
        let clock = Clock::default();
        assert_eq!((catalogue.events, catalogue.cases, catalogue.time_kind), (4, None, TimeKind::Number));
        assert_eq!(catalogue.span, Some((clock.whole(2), clock.whole(9))));
        assert_eq!(catalogue.time_field.as_deref(), Some("time"));
        let shown: Vec<String> = catalogue
            .names
            .iter()
            .map(|event| {
                let field = |field: &FieldSummary| {
                    format!("{} {} {:?}", field.name, field.count, field.kinds.iter().collect::<Vec<_>>())
                };
                format!(
                    "{} {}: {}",
                    event.name,
                    event.count,
                    event.fields.iter().map(field).collect::<Vec<_>>().join(", ")
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "pay 3: time 3 [(\"number\", 3)], user 2 [(\"text\", 2)], n 3 [(\"null\", 1), (\"number\", 1), (\"text\", 1)]",
                "show 1: time 1 [(\"number\", 1)]"
            ]
        );
        assert_eq!(of("").span, None);
        assert_eq!(of("{\"event\":\"a\"}").time_field, None);
    }

    #[test]
    fn cases_are_counted() {
        let trace = "<trace><event><string key=\"concept:name\" value=\"a\"/></event></trace>";
        assert_eq!(of(&format!("<log xes.version=\"1\">{}</log>", trace.repeat(3))).cases, Some(3));
    }

    #[test]
    fn names_and_fields_have_an_end() {
        let mut text = String::new();
        for index in 0..MOST_NAMES + 5 {
            writeln!(text, "@1 name{index} ()").unwrap();
        }
        let catalogue = of(&text);
        assert_eq!((catalogue.names.len(), catalogue.unlisted_events), (MOST_NAMES, 5));
        let mut text = String::new();
        for index in 0..=MOST_LISTED_FIELDS {
            writeln!(text, "{{\"event\":\"a\",\"f{index}\":1}}").unwrap();
        }
        let catalogue = of(&text);
        assert_eq!((catalogue.names[0].fields.len(), catalogue.names[0].unlisted_fields), (MOST_LISTED_FIELDS, 1));
    }
}
