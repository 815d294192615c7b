// SPDX-License-Identifier: MIT OR Apache-2.0
//! Generates traces and counts the violations that they contain.
//!
//! Each kind of trace is a [`TraceSource`], which creates one event after the other from a seed and counts the violations by the rules of
//! its generator: it knows, for instance, which requests it did not answer in time. The count shares no code with the monitors that are
//! measured, so that a wrong verdict is not mistaken for a fast one. Tests compare it with the definition of each property on short traces.

mod clocks;
mod iterators;
mod objects;
mod plain;
mod requests;
mod tasks;

use std::io::{self, BufWriter, Write};

use gnomon_core::datetime;
use gnomon_core::time::Timestamp;
use gnomon_trace::Format;

use crate::workload::{DataWorkload, PluginWorkload, Workload};

/// Writes a trace and returns how often it violates the property.
pub(crate) fn write(workload: Workload, events: u64, seed: u64, format: Format, out: impl Write) -> io::Result<u64> {
    let mut out = BufWriter::with_capacity(1 << 18, out);
    let mut source = source(workload, events, seed);
    let fields = workload.fields();
    write_head(&mut out, format, fields)?;
    for index in 0..events {
        write_event(&mut out, format, fields, &source.next(index), index + 1 == events)?;
    }
    out.write_all(tail(format).as_bytes())?;
    out.flush()?;
    Ok(source.violations(events))
}

/// An event to be written; its data belong to the workload's fields.
struct TraceEvent {
    name: &'static str,
    time: u64,
    data: [Option<u64>; 2],
}

/// A generator of the events of one trace.
trait TraceSource {
    /// Returns the event with this index, from 0.
    fn next(&mut self, index: u64) -> TraceEvent;

    /// Returns the number of violations in a complete trace of this many events.
    fn violations(&self, events: u64) -> u64;
}

fn source(workload: Workload, events: u64, seed: u64) -> Box<dyn TraceSource> {
    match workload {
        Workload::Plain(plain) => Box::new(plain::PlainSource::new(plain, seed)),
        Workload::Data(DataWorkload::Requests) => Box::new(requests::RequestSource::new(events, seed)),
        Workload::Rules => Box::new(requests::RequestSource::services(events, seed)),
        Workload::Tasks => Box::new(tasks::TaskSource::new(seed)),
        Workload::Clocks => Box::new(clocks::ClockSource::new(seed)),
        Workload::Data(DataWorkload::Iterators) | Workload::Plugin(PluginWorkload::Iterators) => {
            Box::new(iterators::IteratorSource::new(seed))
        }
        Workload::Plugin(PluginWorkload::Calls) => Box::new(objects::CallSource::new(seed)),
        Workload::Plugin(PluginWorkload::Locks) => Box::new(objects::LockSource::new(seed)),
        Workload::Data(DataWorkload::Rounds) => Box::new(iterators::RoundsSource::new(events)),
    }
}

/// Writes the text before the first event.
fn write_head(out: &mut impl Write, format: Format, fields: &[&str]) -> io::Result<()> {
    match format {
        Format::Csv => {
            out.write_all(b"event, time")?;
            fields.iter().try_for_each(|field| write!(out, ", {field}"))?;
            out.write_all(b"\n")
        }
        Format::Json => out.write_all(b"[\n"),
        Format::Xml => out.write_all(b"<log>\n"),
        Format::Xes => out.write_all(b"<log xes.version=\"2.0\">\n  <trace>\n"),
        Format::Ndjson | Format::Logfmt | Format::Monpoly | Format::Text | Format::Messages | Format::Otlp => Ok(()),
        Format::Parquet => {
            let help = "a workload is written as text: take csv, and `gnomon convert` makes Parquet of it";
            Err(io::Error::new(io::ErrorKind::Unsupported, help))
        }
    }
}

/// Returns the text after the last event.
fn tail(format: Format) -> &'static str {
    match format {
        Format::Json => "]\n",
        Format::Xml => "</log>\n",
        Format::Xes => "  </trace>\n</log>\n",
        Format::Csv
        | Format::Ndjson
        | Format::Logfmt
        | Format::Monpoly
        | Format::Text
        | Format::Messages
        | Format::Otlp
        | Format::Parquet => "",
    }
}

fn write_event(
    out: &mut impl Write,
    format: Format,
    fields: &[&str],
    event: &TraceEvent,
    is_last: bool,
) -> io::Result<()> {
    let TraceEvent { name, time, .. } = event;
    let mut present = fields.iter().zip(event.data).filter_map(|(field, value)| value.map(|value| (field, value)));
    match format {
        Format::Csv => {
            write!(out, "{name}, {time}")?;
            // Cells that are empty at the end are left out.
            let last = event.data.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
            for value in &event.data[..last] {
                match value {
                    Some(value) => write!(out, ", {value}")?,
                    None => out.write_all(b", ")?,
                }
            }
            out.write_all(b"\n")
        }
        Format::Ndjson => {
            write!(out, "{{\"event\": \"{name}\", \"time\": {time}")?;
            present.try_for_each(|(field, value)| write!(out, ", \"{field}\": {value}"))?;
            out.write_all(b"}\n")
        }
        Format::Logfmt => {
            write!(out, "time={time} event={name}")?;
            present.try_for_each(|(field, value)| write!(out, " {field}={value}"))?;
            out.write_all(b"\n")
        }
        Format::Messages => {
            write!(out, "{{\"time\": {time}, \"body\": {{\"event\": \"{name}\"")?;
            present.try_for_each(|(field, value)| write!(out, ", \"{field}\": {value}"))?;
            out.write_all(b"}}\n")
        }
        Format::Json => {
            write!(out, "{{\"{name}\": {{\"time\": {time}")?;
            present.try_for_each(|(field, value)| write!(out, ", \"{field}\": {value}"))?;
            out.write_all(if is_last { b"}}\n" } else { b"}},\n" })
        }
        Format::Xml => {
            writeln!(out, "<event>\n  <name>{name}</name>")?;
            let mut field = |field: &str, value: u64| {
                writeln!(out, "  <field>\n    <name>{field}</name>\n    <value>{value}</value>\n  </field>")
            };
            field("time", *time)?;
            present.try_for_each(|(name, value)| field(name, value))?;
            out.write_all(b"</event>\n")
        }
        Format::Xes => {
            let date = datetime::print(Timestamp::from_ticks(i128::from(*time) * 1_000_000_000));
            writeln!(out, "    <event>\n      <string key=\"concept:name\" value=\"{name}\"/>")?;
            writeln!(out, "      <date key=\"time:timestamp\" value=\"{date}\"/>")?;
            present.try_for_each(|(field, value)| writeln!(out, "      <int key=\"{field}\" value=\"{value}\"/>"))?;
            out.write_all(b"    </event>\n")
        }
        Format::Monpoly => {
            write!(out, "@{time} {name} (")?;
            let mut separator = "";
            for (_, value) in present {
                write!(out, "{separator}{value}")?;
                separator = ", ";
            }
            out.write_all(b")\n")
        }
        Format::Otlp => {
            // A span that has not ended, exported on its own. A time of 0 would be none.
            let nanoseconds = (time + 1) * 1_000_000_000;
            write!(out, "{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{{\"name\":\"{name}\",")?;
            write!(out, "\"startTimeUnixNano\":\"{nanoseconds}\",\"attributes\":[")?;
            let mut separator = "";
            for (field, value) in present {
                write!(out, "{separator}{{\"key\":\"{field}\",\"value\":{{\"intValue\":\"{value}\"}}}}")?;
                separator = ",";
            }
            out.write_all(b"]}]}]}]}\n")
        }
        // Refused at its head.
        Format::Parquet => Ok(()),
        Format::Text => {
            write!(out, "{time} INFO {name}")?;
            for (field, value) in fields.iter().zip(event.data) {
                match value {
                    Some(value) => write!(out, " {field}={value}")?,
                    None => write!(out, " {field}=-")?,
                }
            }
            out.write_all(b"\n")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::workload::{Arrival, BOUND, CLOCKS, LEAD, LIVE_ITERATORS, PlainWorkload, ROUND, SERVICES, WINDOW};

    const PRECEDENCE: Workload = Workload::Plain(PlainWorkload::Precedence);

    /// Counts violations by the definition of each property.
    fn violations(workload: Workload, rows: &[Vec<&str>]) -> u64 {
        match workload {
            Workload::Plain(plain) => plain_violations(plain, rows),
            Workload::Data(DataWorkload::Requests) => unanswered(rows),
            Workload::Rules => late(rows),
            Workload::Tasks => unpopped(rows),
            Workload::Clocks => early_ticks(rows),
            Workload::Data(DataWorkload::Iterators | DataWorkload::Rounds)
            | Workload::Plugin(PluginWorkload::Iterators) => unsafe_iterators(rows),
            Workload::Plugin(PluginWorkload::Calls) => unasked(rows),
            Workload::Plugin(PluginWorkload::Locks) => unbalanced(rows),
        }
    }

    /// Counts the instants at which a relation of clocks is broken. All events have different times, so that no two clocks tick together.
    fn early_ticks(rows: &[Vec<&str>]) -> u64 {
        let mut counts: HashMap<&str, u64> = HashMap::new();
        let mut broken = 0;
        for row in rows {
            let tick = row[0];
            let before = |name: &str| counts.get(name).copied().unwrap_or(0);
            for (number, (left, right)) in CLOCKS.into_iter().enumerate() {
                let (a, b) = (before(left), before(right));
                let (a_after, b_after) = (a + u64::from(tick == left), b + u64::from(tick == right));
                let is_late = tick == right && b >= a;
                broken += u64::from(match number {
                    0 => is_late || (tick == left && a > b),
                    1 => is_late,
                    2 => is_late || a_after > b_after + LEAD,
                    3 => b_after > a_after,
                    _ => false,
                });
            }
            *counts.entry(tick).or_default() += 1;
        }
        broken
    }

    fn plain_violations(workload: PlainWorkload, rows: &[Vec<&str>]) -> u64 {
        let is = |index: usize, name: &str| rows[index][0] == name;
        let answered =
            |at: usize, bound: u64, name: &str| (at + 1..rows.len()).take(bound as usize).any(|index| is(index, name));
        let broken = |at: &usize| match workload {
            PlainWorkload::Response(Arrival::OneByOne, bound) => is(*at, "start") && !answered(*at, bound, "complete"),
            PlainWorkload::Response(Arrival::Overlapping, bound) => is(*at, "req") && !answered(*at, bound, "ack"),
            PlainWorkload::Recurrence(bound) => !answered(*at, bound, "tick"),
            PlainWorkload::Precedence => {
                let last = (0..*at).rev().find(|&index| is(index, "check") || is(index, "logon"));
                is(*at, "logon") && !last.is_some_and(|index| is(index, "check"))
            }
            PlainWorkload::Count { limit, .. } => {
                let window = at.saturating_sub(WINDOW as usize - 1)..=*at;
                is(*at, "logoff") && window.filter(|&index| is(index, "withdraw")).count() as u64 > limit
            }
        };
        (1..rows.len()).filter(broken).count() as u64
    }

    /// The places of the events with a name, by what they carry in a column.
    fn places<'a>(rows: &[Vec<&'a str>], name: &str, column: usize) -> HashMap<&'a str, Vec<usize>> {
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, row) in rows.iter().enumerate().filter(|(_, row)| row[0] == name) {
            places.entry(row[column]).or_default().push(index);
        }
        places
    }

    fn unanswered(rows: &[Vec<&str>]) -> u64 {
        let responses = places(rows, "response", 2);
        let time = |index: usize| rows[index][1].parse::<u64>().unwrap();
        let is_answered = |index: usize| {
            let mut responses = responses.get(rows[index][2]).into_iter().flatten();
            responses.any(|&response| response > index && time(response) - time(index) <= BOUND)
        };
        (0..rows.len()).filter(|&index| rows[index][0] == "request" && !is_answered(index)).count() as u64
    }

    /// Requests that nobody answered in time, and answers that came too late.
    fn late(rows: &[Vec<&str>]) -> u64 {
        let time = |row: &[&str]| row[1].parse::<u64>().unwrap();
        let end = rows.last().map_or(0, |row| time(row));
        let mut count = 0;
        for (request, answer) in SERVICES {
            let of = |name: &'static str| rows.iter().filter(move |row| row[0] == name);
            let times = |name| of(name).map(|row| (row[2], time(row))).collect::<HashMap<&str, u64>>();
            let (asked, answered) = (times(request), times(answer));
            count += asked.iter().filter(|(id, from)| answered.get(*id).unwrap_or(&end) - **from > BOUND).count();
            count += answered.iter().filter(|(id, at)| **at - asked[*id] > BOUND).count();
        }
        count as u64
    }

    /// For each round that is done, the tasks that were not popped after they were pushed last.
    fn unpopped(rows: &[Vec<&str>]) -> u64 {
        let (mut waiting, mut count) = (HashMap::new(), 0);
        for row in rows {
            match row[0] {
                "push" => drop(waiting.insert(row[2], true)),
                "pop" => drop(waiting.insert(row[2], false)),
                "start" => waiting.clear(),
                _ => count += waiting.drain().filter(|(_, waits)| *waits).count() as u64,
            }
        }
        count
    }

    /// Calls of `next` whose iterator was not asked since the last one.
    fn unasked(rows: &[Vec<&str>]) -> u64 {
        let mut asked = HashMap::new();
        let mut is_unasked = |row: &&Vec<&str>| {
            let before = asked.insert(row[2].to_owned(), row[0] == "hasnext");
            row[0] == "next" && before != Some(true)
        };
        rows.iter().filter(|row| is_unasked(row)).count() as u64
    }

    /// Calls of `unlock` by a thread without a lock.
    fn unbalanced(rows: &[Vec<&str>]) -> u64 {
        let mut depths: HashMap<&str, u64> = HashMap::new();
        let mut count = 0;
        for row in rows {
            let depth = depths.entry(row[2]).or_default();
            match (row[0], *depth) {
                ("lock", _) => *depth += 1,
                (_, 0) => count += 1,
                _ => *depth -= 1,
            }
        }
        count
    }

    fn unsafe_iterators(rows: &[Vec<&str>]) -> u64 {
        let (modified, used) = (places(rows, "modify", 2), places(rows, "next", 3));
        let is_misused = |index: usize| {
            let mut modified = modified.get(rows[index][2]).into_iter().flatten();
            let used = used.get(rows[index][3]).and_then(|used| used.last());
            modified.any(|&modified| modified > index && used.is_some_and(|&used| used > modified))
        };
        (0..rows.len()).filter(|&index| rows[index][0] == "create" && is_misused(index)).count() as u64
    }

    #[test]
    fn the_expected_number_is_the_number() {
        for (name, workload) in Workload::ALL {
            // Many short traces end in every state; a long one has every rare case.
            let long = match workload {
                Workload::Tasks => 2 * ROUND + 10,
                Workload::Plugin(PluginWorkload::Calls) => LIVE_ITERATORS + 500_000,
                _ => 200_000,
            };
            for (events, seeds) in [(0, 1), (1, 1), (57, 40), (long, 1)] {
                for seed in 0..seeds {
                    let mut out = Vec::new();
                    let expected = write(workload, events, seed, Format::Csv, &mut out).unwrap();
                    let text = String::from_utf8(out).unwrap();
                    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|row| row.split(", ").collect()).collect();
                    assert_eq!(rows.len() as u64, events);
                    assert_eq!(violations(workload, &rows), expected, "{name} {events} {seed}");
                    let takes_longer =
                        [Workload::Plain(PlainWorkload::Recurrence(1000)), Workload::Rules].contains(&workload);
                    let is_rare = events == long && !takes_longer;
                    assert!(!is_rare || expected > 0, "{name}: nothing to be found");
                }
            }
        }
    }

    #[test]
    fn data_comes_in_the_shares_that_were_promised() {
        let rows = |workload, events| {
            let mut out = Vec::new();
            write(workload, events, 1, Format::Csv, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let share = |text: &str, name: &str| text.lines().filter(|row| row.starts_with(name)).count();
        let iterators = rows(Workload::Data(DataWorkload::Iterators), 100_000);
        assert!((24_000..26_000).contains(&share(&iterators, "create")));
        assert!((9_500..10_500).contains(&share(&iterators, "modify")));
        let rounds = rows(Workload::Data(DataWorkload::Rounds), 2_000_012);
        assert_eq!(["create", "modify", "next"].map(|name| share(&rounds, name)), [2_000_001, 10, 1]);
        let requests = rows(Workload::Data(DataWorkload::Requests), 100_000);
        assert_eq!(["request", "response"].map(|name| share(&requests, name)), [50_000, 50_000]);
        assert_eq!(requests.lines().last().map(|row| row.split(", ").nth(1)), Some(Some("39")));
    }

    #[test]
    fn a_trace_is_the_same_in_every_format() {
        use gnomon_core::value::Value;
        use gnomon_trace::{LogFormat, Reader, ReaderSetup, TextPattern, open};
        for workload in [PRECEDENCE, Workload::Data(DataWorkload::Requests), Workload::Data(DataWorkload::Iterators)] {
            let read = |format| {
                let mut out = Vec::new();
                write(workload, 300, 5, format, &mut out).unwrap();
                let log = TextPattern::holes(&workload.text_pattern()).ok().map(LogFormat::Lines);
                let mut setup = ReaderSetup { log, ..ReaderSetup::default() };
                setup.projection.add_everything();
                let mut reader = open(&out[..], "t", Some(format), setup).unwrap();
                let mut events = Vec::new();
                while let Some(origin) = reader.advance().unwrap() {
                    let fields = reader.fields();
                    // Only the data are whole numbers.
                    let data = (0..fields.parameter_count()).filter_map(|index| match fields.parameter(index) {
                        Value::Number(number) => Some(number),
                        _ => None,
                    });
                    let data: Vec<_> = data.collect();
                    let name = reader.symbols().name_text(origin.event).to_owned();
                    // A span has no time 0, so all are a second later.
                    let late = i128::from(format == Format::Otlp) * 1_000_000_000;
                    events.push((name, origin.time.ticks() - late, data));
                }
                events
            };
            let expected = read(Format::Csv);
            assert_eq!(expected.len(), 300);
            for format in Format::ALL.into_iter().filter(|format| *format != Format::Parquet) {
                assert_eq!(read(format), expected, "{format}");
            }
        }
    }

    #[test]
    fn a_seed_gives_the_same_trace() {
        let trace = |seed, format| {
            let mut out = Vec::new();
            write(PRECEDENCE, 1000, seed, format, &mut out).unwrap();
            out
        };
        assert_eq!(trace(1, Format::Csv), trace(1, Format::Csv));
        assert_ne!(trace(1, Format::Csv), trace(2, Format::Csv));
        assert!(trace(1, Format::Ndjson).starts_with(b"{\"event\": \"other\", \"time\": 0}\n"));
    }
}
