// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes traces, and counts on the way how often the property is broken. The counting is written for each kind of
//! trace by hand and shares nothing with what is measured.

use std::collections::VecDeque;
use std::io::{self, BufWriter, Write};

use gnomon_core::datetime;
use gnomon_core::time::Timestamp;
use gnomon_trace::Format;

use crate::random::Random;
use crate::workload::{Shape, WINDOW, Workload};

/// Writes a trace and returns how many positions violate the property.
pub(crate) fn write(workload: Workload, events: u64, seed: u64, format: Format, out: impl Write) -> io::Result<u64> {
    let mut out = BufWriter::with_capacity(1 << 18, out);
    let (head, tail) = frame(format);
    out.write_all(head.as_bytes())?;
    let mut source = Source::new(workload, seed);
    for time in 0..events {
        let name = source.next(time);
        match format {
            Format::Csv => writeln!(out, "{name}, {time}")?,
            Format::Ndjson => writeln!(out, "{{\"event\": \"{name}\", \"time\": {time}}}")?,
            Format::Json => {
                let comma = if time + 1 < events { "," } else { "" };
                writeln!(out, "{{\"{name}\": {{\"time\": {time}}}}}{comma}")?;
            }
            Format::Xml => writeln!(
                out,
                "<event>\n  <name>{name}</name>\n  <field>\n    <name>time</name>\n    <value>{time}</value>\n  </field>\n</event>"
            )?,
            Format::Xes => writeln!(
                out,
                "    <event>\n      <string key=\"concept:name\" value=\"{name}\"/>\n      <date key=\"time:timestamp\" value=\"{}\"/>\n    </event>",
                datetime::print(Timestamp::from_ticks(i128::from(time) * 1_000_000_000))
            )?,
            Format::Monpoly => writeln!(out, "@{time} {name} ()")?,
            Format::Text => writeln!(out, "{time} INFO {name}")?,
        }
    }
    out.write_all(tail.as_bytes())?;
    out.flush()?;
    Ok(source.violations(events))
}

/// What stands before and behind the events.
fn frame(format: Format) -> (&'static str, &'static str) {
    match format {
        Format::Csv => ("event, time\n", ""),
        Format::Json => ("[\n", "]\n"),
        Format::Xml => ("<log>\n", "</log>\n"),
        Format::Xes => ("<log xes.version=\"2.0\">\n  <trace>\n", "  </trace>\n</log>\n"),
        Format::Ndjson | Format::Monpoly | Format::Text => ("", ""),
    }
}

/// A trace in the making.
struct Source {
    workload: Workload,
    random: Random,
    violations: u64,
    /// Requests without an answer, or counted events in the window.
    open: VecDeque<u64>,
    /// When the next answer comes.
    due: Option<u64>,
    checked: bool,
    last_tick: u64,
}

impl Source {
    fn new(workload: Workload, seed: u64) -> Self {
        let random = Random::new(seed);
        Source { workload, random, violations: 0, open: VecDeque::new(), due: None, checked: false, last_tick: 0 }
    }

    /// The event at this time. The strict `G` says nothing of the first position, so that is a neutral one.
    fn next(&mut self, time: u64) -> &'static str {
        if time == 0 {
            return "other";
        }
        match self.workload {
            Workload::Response(Shape::OneByOne, bound) => {
                if self.due.is_none() && self.random.below(2) == 0 {
                    return self.request(time, bound, "start");
                }
                self.answer(time, bound, "complete")
            }
            Workload::Response(Shape::Overlapping, bound) => {
                if self.due != Some(time) && self.random.below(5) == 0 {
                    return self.request(time, bound, "req");
                }
                self.answer(time, bound, "ack")
            }
            Workload::Precedence => self.precedence(),
            Workload::Count { limit, share } => self.count(time, limit, share),
            Workload::Recurrence(bound) => self.recurrence(time, bound),
        }
    }

    fn request(&mut self, time: u64, bound: u64, name: &'static str) -> &'static str {
        self.open.push_back(time);
        if self.due.is_none() {
            self.due = Some(time + self.distance(bound));
        }
        name
    }

    fn answer(&mut self, time: u64, bound: u64, name: &'static str) -> &'static str {
        if self.due != Some(time) {
            return "other";
        }
        self.due = None;
        self.violations += self.open.drain(..).filter(|&request| time - request > bound).count() as u64;
        name
    }

    /// How far away the next thing is: within the bound, in two of 100,000 cases two units beyond.
    fn distance(&mut self, bound: u64) -> u64 {
        if self.random.in_100_000(2) { bound + 2 } else { 1 + self.random.below(bound) }
    }

    fn precedence(&mut self) -> &'static str {
        let logs_on = if self.checked { self.random.below(5) == 0 } else { self.random.in_100_000(2) };
        if logs_on {
            self.violations += u64::from(!self.checked);
            self.checked = false;
            return "logon";
        }
        if self.random.below(6) == 0 {
            self.checked = true;
            return "check";
        }
        "other"
    }

    fn count(&mut self, time: u64, limit: u64, share: u64) -> &'static str {
        while self.open.front().is_some_and(|&counted| counted + WINDOW <= time) {
            self.open.pop_front();
        }
        if self.random.in_100_000(share) {
            self.open.push_back(time);
            return "withdraw";
        }
        if self.random.in_100_000(5_000) {
            self.violations += u64::from(self.open.len() as u64 > limit);
            return "logoff";
        }
        "other"
    }

    fn recurrence(&mut self, time: u64, bound: u64) -> &'static str {
        let due = match self.due {
            Some(due) => due,
            None => self.last_tick + self.distance(bound),
        };
        if due > time {
            self.due = Some(due);
            return "other";
        }
        // Of the positions since the last tick, those further away than the bound waited in vain.
        self.violations += (time - bound.min(time)).saturating_sub(self.last_tick.max(1));
        self.last_tick = time;
        self.due = None;
        "tick"
    }

    /// All violations, once the trace has so many events: what is open then stays unanswered.
    fn violations(&self, events: u64) -> u64 {
        match self.workload {
            Workload::Response(..) => self.violations + self.open.len() as u64,
            Workload::Precedence | Workload::Count { .. } => self.violations,
            Workload::Recurrence(_) => self.violations + events.saturating_sub(self.last_tick.max(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The properties once more, straight from their meaning.
    fn violations(workload: Workload, events: &[&str]) -> u64 {
        let is = |index: usize, name: &str| events[index] == name;
        let answered = |at: usize, bound: u64, name: &str| {
            (at + 1..events.len()).take(bound as usize).any(|index| is(index, name))
        };
        let broken = |at: &usize| match workload {
            Workload::Response(Shape::OneByOne, bound) => is(*at, "start") && !answered(*at, bound, "complete"),
            Workload::Response(Shape::Overlapping, bound) => is(*at, "req") && !answered(*at, bound, "ack"),
            Workload::Recurrence(bound) => !answered(*at, bound, "tick"),
            Workload::Precedence => {
                let last = (0..*at).rev().find(|&index| is(index, "check") || is(index, "logon"));
                is(*at, "logon") && !last.is_some_and(|index| is(index, "check"))
            }
            Workload::Count { limit, .. } => {
                let window = at.saturating_sub(WINDOW as usize - 1)..=*at;
                is(*at, "logoff") && window.filter(|&index| is(index, "withdraw")).count() as u64 > limit
            }
        };
        (1..events.len()).filter(broken).count() as u64
    }

    #[test]
    fn the_expected_number_is_the_number() {
        for (name, workload) in Workload::ALL {
            // Many short traces end in every state; a long one has every rare case.
            for (events, seeds) in [(0, 1), (1, 1), (57, 40), (200_000, 1)] {
                for seed in 0..seeds {
                    let mut out = Vec::new();
                    let expected = write(workload, events, seed, Format::Csv, &mut out).unwrap();
                    let text = String::from_utf8(out).unwrap();
                    let names: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
                    assert_eq!(names.len() as u64, events);
                    assert_eq!(violations(workload, &names), expected, "{name} {events} {seed}");
                }
            }
        }
    }

    #[test]
    fn a_trace_is_the_same_in_every_format() {
        use gnomon_trace::{Reader, Setup, TextPattern, open};
        let read = |format| {
            let mut out = Vec::new();
            write(Workload::Precedence, 300, 5, format, &mut out).unwrap();
            let text = TextPattern::holes("{time} {level} {event}").ok();
            let mut reader = open(&out[..], "t", Some(format), Setup { text, ..Setup::default() }).unwrap();
            let mut events = Vec::new();
            while let Some(origin) = reader.advance().unwrap() {
                events.push((reader.symbols().name_text(origin.event).to_owned(), origin.time));
            }
            events
        };
        let expected = read(Format::Csv);
        assert_eq!(expected.len(), 300);
        for format in Format::ALL {
            assert_eq!(read(format), expected, "{format}");
        }
    }

    #[test]
    fn a_seed_gives_the_same_trace() {
        let trace = |seed, format| {
            let mut out = Vec::new();
            write(Workload::Precedence, 1000, seed, format, &mut out).unwrap();
            out
        };
        assert_eq!(trace(1, Format::Csv), trace(1, Format::Csv));
        assert_ne!(trace(1, Format::Csv), trace(2, Format::Csv));
        assert!(trace(1, Format::Ndjson).starts_with(b"{\"event\": \"other\", \"time\": 0}\n"));
    }
}
