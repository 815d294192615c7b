// SPDX-License-Identifier: MIT OR Apache-2.0
//! A summary of a trace: its event names and their numbers, their fields and types, and the range of its times.
//!
//! `gnomon events` prints it, and generates the declarations of a spec from it. A field of a field has a path: of
//! `{"user": {"id": 7}, "items": [{"price": 2}]}` the summary lists `user`, `user/id`, `items`, `items/0` and `items/0/price`, each with
//! the number of events that have it, its types, its least and greatest number, and a few values.
//!
//! COST: one pass over the trace. Names, fields, parts of a field and values are limited, since a log may have a name per event; what is
//! beyond a limit is counted.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::BuildHasher;

use foldhash::fast::{FixedState, RandomState};
use gnomon_core::datetime;
use gnomon_core::number::Number;
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
    /// The offset from UTC, in seconds, in which the first date-time is written.
    pub utc_offset: i32,
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
    /// The declarations of what was recognised, such as `log nginx`.
    pub declarations: Vec<String>,
    /// Decisions of the reader that a user must know ([`Reader::notes`]).
    pub notes: Vec<String>,
}

/// The events with one name.
#[derive(Clone, PartialEq, Debug)]
pub struct EventSummary {
    /// The name.
    pub name: String,
    /// The number of events.
    pub count: u64,
    /// Their fields and the parts of these, in the order of their first occurrence.
    pub fields: Vec<FieldSummary>,
    /// The number of field occurrences beyond the limit of listed fields.
    pub unlisted_fields: u64,
}

/// A field of the events with one name, or a part of its value.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FieldSummary {
    /// The field, then the steps into its value: `items`, `0`, `price`.
    pub path: Vec<String>,
    /// The number of events that have it.
    pub count: u64,
    /// The types of its values.
    pub kinds: ValueTypeCounts,
    /// The number of texts that are date-times.
    pub dates: u64,
    /// The least and the greatest number.
    pub numbers: Option<(Number, Number)>,
    /// The earliest and the latest date-time, as written.
    pub times: Option<(WrittenDate, WrittenDate)>,
    /// The first different values, shortened.
    pub samples: Vec<String>,
    /// Hashes of different values, up to a limit.
    distinct: Vec<u64>,
    has_more: bool,
}

/// A date-time and its notation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct WrittenDate {
    /// The time.
    pub time: Timestamp,
    /// The text.
    pub written: String,
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
/// COST: limits on the parts of one field that are listed, and on the values that are kept of one.
const DEEPEST_PATH: usize = 8;
const MOST_ELEMENTS: usize = 3;
const MOST_SAMPLES: usize = 3;
const MOST_DISTINCT: usize = 100;
const LONGEST_SAMPLE: usize = 40;
/// Separates the steps of a path in the key of a table.
const STEP: char = '\0';

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
        let mut visitor = FieldVisitor { place, event, fields: &mut fields, order: 0, key: String::new() };
        for entry in reader.entries() {
            visitor.visit(&mut vec![&entry.key], &entry.value);
        }
    }
    catalogue.time_kind = reader.time_kind();
    catalogue.utc_offset = reader.utc_offset();
    catalogue.clock = reader.clock();
    catalogue.declarations = reader.state().recognised.iter().map(|fact| fact.declaration.clone()).collect();
    catalogue.notes = reader.notes();
    catalogue.time_field = reader.time_field().filter(|_| catalogue.time_kind != TimeKind::Position).map(str::to_owned);
    Ok(catalogue)
}

/// Adds the fields of one event to the summary of its name.
struct FieldVisitor<'s> {
    place: usize,
    event: &'s mut EventSummary,
    fields: &'s mut HashMap<(usize, String), usize, RandomState>,
    /// The number of fields and parts visited in this event.
    order: usize,
    key: String,
}

impl FieldVisitor<'_> {
    /// Adds the value at a path, and its parts.
    fn visit<'v>(&mut self, path: &mut Vec<&'v str>, value: &'v Value<'_>) {
        if let Some(field) = self.field(path) {
            field.add(value);
        }
        if path.len() >= DEEPEST_PATH {
            return;
        }
        match value {
            Value::Map(entries) => {
                for (name, part) in entries {
                    path.push(name);
                    self.visit(path, part);
                    path.pop();
                }
            }
            Value::List(elements) => {
                for (element, name) in elements.iter().zip(["0", "1", "2"]).take(MOST_ELEMENTS) {
                    path.push(name);
                    self.visit(path, element);
                    path.pop();
                }
            }
            _ => {}
        }
    }

    /// Returns the summary of a path; `None` beyond the limit.
    fn field(&mut self, path: &[&str]) -> Option<&mut FieldSummary> {
        // Events of one name nearly always have the same fields in the same order.
        let order = self.order;
        self.order += 1;
        if self.event.fields.get(order).is_some_and(|field| field.path == path) {
            return self.event.fields.get_mut(order);
        }
        self.key.clear();
        for step in path {
            self.key.push_str(step);
            self.key.push(STEP);
        }
        let key = (self.place, self.key.clone());
        let at = match self.fields.get(&key) {
            Some(&at) => at,
            None if self.fields.len() < MOST_LISTED_FIELDS => {
                let at = self.event.fields.len();
                self.fields.insert(key, at);
                let path = path.iter().map(|step| (*step).to_owned()).collect();
                self.event.fields.push(FieldSummary { path, ..FieldSummary::default() });
                at
            }
            None => {
                self.event.unlisted_fields += 1;
                return None;
            }
        };
        self.event.fields.get_mut(at)
    }
}

impl FieldSummary {
    /// Returns the path as one text: `items/0/price`.
    pub fn name(&self) -> String {
        self.path.join("/")
    }

    /// Returns the number of different values; the second value is true if there are more than that.
    pub fn distinct(&self) -> (usize, bool) {
        (self.distinct.len(), self.has_more)
    }

    fn add(&mut self, value: &Value<'_>) {
        self.count += 1;
        self.kinds.add(value);
        let shown = match value {
            Value::Null | Value::List(_) | Value::Map(_) => return,
            Value::Number(number) => {
                let (least, greatest) = self.numbers.unwrap_or((*number, *number));
                let order = |other: &Number| number.partial_cmp(other);
                let least = if order(&least) == Some(Ordering::Less) { *number } else { least };
                let greatest = if order(&greatest) == Some(Ordering::Greater) { *number } else { greatest };
                self.numbers = Some((least, greatest));
                number.to_string()
            }
            Value::Text(text) => {
                if let Ok(time) = datetime::parse(text) {
                    self.dates += 1;
                    let date = || WrittenDate { time, written: text.to_string() };
                    let (first, last) = self.times.take().unwrap_or_else(|| (date(), date()));
                    let first = if time < first.time { date() } else { first };
                    let last = if time > last.time { date() } else { last };
                    self.times = Some((first, last));
                }
                text.to_string()
            }
            Value::Bool(value) => value.to_string(),
        };
        let hash = FixedState::default().hash_one(&shown);
        if self.distinct.contains(&hash) {
            return;
        }
        if self.distinct.len() >= MOST_DISTINCT {
            self.has_more = true;
            return;
        }
        self.distinct.push(hash);
        if self.samples.len() < MOST_SAMPLES {
            let is_long = shown.chars().count() > LONGEST_SAMPLE;
            let sample: String = shown.chars().take(LONGEST_SAMPLE).collect();
            self.samples.push(if is_long { sample + "…" } else { sample });
        }
    }
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
                    format!("{} {} {:?}", field.name(), field.count, field.kinds.iter().collect::<Vec<_>>())
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
    fn parts_of_values_have_paths_ranges_and_samples() {
        let event = |user: &str, price: &str, at: &str| {
            format!(
                "{{\"event\":\"pay\",\"user\":{{\"name\":\"{user}\",\"ok\":true}},\"items\":[{{\"price\":{price}}}],\"at\":\"{at}\"}}\n"
            )
        };
        let summary = of(&(event("ann", "3", "2026-11-16T10:00:00Z")
            + &event("bob", "2.5", "2026-11-15T10:00:00Z")
            + &event("ann", "10", "2026-11-15T12:00:00+01:00")));
        let fields = &summary.names[0].fields;
        let names: Vec<String> = fields.iter().map(FieldSummary::name).collect();
        assert_eq!(names, ["user", "user/name", "user/ok", "items", "items/0", "items/0/price", "at"]);
        let field = |name: &str| &fields[names.iter().position(|known| known == name).unwrap()];
        assert_eq!(
            (field("user/name").samples.join(" "), field("user/name").distinct()),
            ("ann bob".to_owned(), (2, false))
        );
        let (least, greatest) = field("items/0/price").numbers.unwrap();
        assert_eq!((least.to_string(), greatest.to_string()), ("2.5".to_owned(), "10".to_owned()));
        let (earliest, latest) = field("at").times.clone().unwrap();
        assert_eq!(
            (earliest.written.as_str(), latest.written.as_str()),
            ("2026-11-15T10:00:00Z", "2026-11-16T10:00:00Z")
        );
        assert_eq!((field("at").dates, field("at").kinds.text), (3, 3));
    }

    #[test]
    fn paths_and_values_have_an_end() {
        let deep = format!("{{\"event\":\"a\",\"x\":{}1{}}}\n", "[".repeat(40), "]".repeat(40));
        let longest = of(&deep).names[0].fields.iter().map(|field| field.path.len()).max();
        assert_eq!(longest, Some(DEEPEST_PATH));
        let many: Vec<String> = (0..300).map(|index| format!("{{\"event\":\"a\",\"x\":{index}}}")).collect();
        let summary = of(&many.join("\n"));
        let field = &summary.names[0].fields[0];
        assert_eq!((field.distinct(), field.samples.len()), ((MOST_DISTINCT, true), MOST_SAMPLES));
        let wide = format!("{{\"event\":\"a\",\"x\":[{}]}}\n", ["7"; 50].join(","));
        assert_eq!(of(&wide).names[0].fields.len(), 1 + MOST_ELEMENTS);
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
