// SPDX-License-Identifier: MIT OR Apache-2.0
//! An input that is cut into chunks of any length gives what one reader gives.

use std::fmt::Write as _;
use std::io::{self, Cursor, Read};
use std::thread;

use gnomon_core::event::FieldSelection;
use gnomon_core::random::Random;
use gnomon_core::time::{Clock, Unit};

use super::reader::ChunkedReader;
use crate::dates::DateNotation;
use crate::reader::{AnyReader, LogFormat, NameSet, Reader, ReaderSetup, open};
use crate::testing::setup;
use crate::text::TextPattern;
use crate::{Format, TraceError};

/// Prints all that a reader tells, errors included.
fn describe<R: Reader>(reader: &mut R, with_runs: bool) -> String {
    let mut text = String::new();
    let mut bare = NameSet::new(false);
    if let Some(name) = reader.symbols().find_name("idle") {
        bare.set(name, true);
    }
    let mut run = Vec::new();
    let error = loop {
        match step(reader, &bare, &mut run, with_runs, &mut text) {
            Ok(true) => {}
            Ok(false) => break None,
            Err(error) => break Some(error),
        }
    };
    let _ = writeln!(text, "{:?} {:?} {:?}", reader.unmatched(), reader.notes(), reader.skipped());
    let _ = writeln!(text, "{:?} {:?} {}", reader.time_kind(), reader.time_field(), reader.utc_offset());
    if let Some(error) = error {
        let _ = writeln!(text, "{error} {}:{} {:?}", error.line(), error.column(), error.notes());
    }
    text
}

fn step<R: Reader>(
    reader: &mut R,
    bare: &NameSet,
    run: &mut Vec<gnomon_core::verdict::Origin>,
    with_runs: bool,
    text: &mut String,
) -> Result<bool, TraceError> {
    run.clear();
    if with_runs {
        reader.advance_run(bare, run);
        let first_line = reader.location().line + 1 - run.len() as u64;
        for (origin, line) in run.iter().zip(first_line..) {
            let name = reader.symbols().name_text(origin.event);
            let _ = writeln!(text, "{} {name} {:?} line {line}", origin.event_index, origin.time);
        }
    }
    let Some(origin) = reader.advance()? else { return Ok(false) };
    let name = reader.symbols().name_text(origin.event);
    let _ = write!(text, "{} {name} {:?} line {}", origin.event_index, origin.time, reader.location().line);
    if name != "idle" {
        for key in (0..reader.symbols().key_count() as u32).map(gnomon_core::symbols::Key) {
            let _ = write!(text, " {:?}", reader.fields().get(key));
        }
    }
    if *reader.projection().selection(origin.event) == FieldSelection::All {
        let fields = reader.fields();
        let parameters = (0..fields.parameter_count()).map(|index| fields.parameter(index));
        let _ = write!(text, " ({:?})", parameters.collect::<Vec<_>>());
    }
    if origin.event_index % 97 == 3 {
        let _ = write!(text, " {:?}", reader.field_names());
    }
    text.push('\n');
    Ok(true)
}

/// Reads an input with one reader, and in chunks of several lengths with one and with three threads.
fn compare(what: &str, bytes: &[u8], format: Format, setup: &ReaderSetup) -> String {
    let reader = |setup: ReaderSetup| open(Cursor::new(bytes.to_vec()), "t", Some(format), setup);
    let mut whole = match reader(setup.clone()) {
        Ok(reader) => reader,
        Err(error) => return error.to_string(),
    };
    let expected = describe(&mut whole, false);
    for length in [1, 13, 64, 500, 4096] {
        for (threads, with_runs) in [(1, false), (3, true)] {
            let reader = reader(setup.clone()).expect("it was opened before");
            let Ok(mut chunked) = ChunkedReader::with_length(reader, threads, length) else {
                panic!("{what}: the input cannot be cut")
            };
            let queue = chunked.parse_queue().expect("it has one").clone();
            let found = thread::scope(|scope| {
                for _ in 1..threads {
                    scope.spawn(|| queue.work());
                }
                let found = describe(&mut chunked, with_runs);
                queue.stop();
                found
            });
            let difference = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
            assert!(found == expected, "{what}, chunks of {length}, {threads} threads: {difference:?}");
        }
    }
    expected
}

fn fields() -> ReaderSetup {
    setup(&["a", "b"], &["c"], &["x", "y", "msg"])
}

/// Rows of a table with everything that a cell may be; `damage` damages one row in so many.
fn table(random: &mut Random, damage: u64) -> String {
    let mut text = "event, time, x, y\n".to_owned();
    for time in 0..400 {
        let name = ["a", "b", "c", "idle", "idle", "\"a\"", "n"][random.below(7) as usize];
        let cell = match random.below(9) {
            0 => "\"two\nlines\"".to_owned(),
            1 => "\"say \"\"so\"\"\n, or not\"".to_owned(),
            2 => "é".to_owned(),
            3 => String::new(),
            4 => format!("n{}", random.below(50)),
            _ => random.below(1000).to_string(),
        };
        let name = if random.below(20) == 0 { format!("n{}", random.below(9)) } else { name.to_owned() };
        let _ = match random.below(40) {
            0 => writeln!(text, "\n \r"),
            _ => Ok(()),
        };
        let _ = match random.below(damage) {
            0 => writeln!(text, "{name}, soon, {cell}"),
            1 => writeln!(text, "{name}, {time}, \"{cell}, 1"),
            2 => writeln!(text, "{name}, {time}, 1, 2, 3"),
            _ => writeln!(text, "{name}, {time}, {cell}, {}", random.below(9)),
        };
    }
    text
}

#[test]
fn tables_are_cut_anywhere() {
    let mut random = Random::new(7);
    for round in 0..12 {
        let text = table(&mut random, if round % 2 == 0 { 1 << 40 } else { 150 });
        let description = compare("a table", text.as_bytes(), Format::Csv, &fields());
        assert!(round % 2 == 1 || description.contains("399 "), "{description}");
    }
    let assignments: String = (0..300).map(|time| format!("a, time={time}, x=\"{}\n\"\n", time % 7)).collect();
    compare("assignments", assignments.as_bytes(), Format::Csv, &fields());
    let positions: String = (0..300).map(|row| format!("{},{row}\n", ["a", "idle"][row % 2])).collect();
    let description = compare("no times", format!("event,x\n{positions}").as_bytes(), Format::Csv, &fields());
    assert!(description.contains("Position"), "{description}");
}

#[test]
fn lines_are_cut_anywhere() {
    let mut random = Random::new(11);
    for damage in [1 << 40, 150] {
        let mut text = String::new();
        for time in 0..500 {
            let name = ["a", "b", "c", "idle", "x\\u0041"][random.below(5) as usize];
            let other = random.below(damage);
            let _ = match other {
                0 => writeln!(text, "{{\"event\": \"{name}\", \"time\": {time}"),
                1 => writeln!(text, "{{\"event\": \"{name}\", \"time\": \"soon\"}}"),
                _ => writeln!(
                    text,
                    "{{\"event\": \"{name}{}\", \"time\": {time}, \"x\": [{time}], \"z\": {{}}}}",
                    ["", "1"][usize::from(random.below(30) == 0)]
                ),
            };
        }
        compare("NDJSON", text.as_bytes(), Format::Ndjson, &fields());
    }
    let mut text = String::new();
    for time in 0..500 {
        let _ = match random.below(8) {
            0 => writeln!(text, "not a pair"),
            1 => writeln!(text, "\tat somewhere"),
            _ => writeln!(
                text,
                "time={time} event={} x=\"{time} \\\"\" flag",
                ["a", "b", "idle"][random.below(3) as usize]
            ),
        };
    }
    compare("logfmt", text.as_bytes(), Format::Logfmt, &fields());
}

#[test]
fn time_points_are_cut_anywhere() {
    let mut random = Random::new(13);
    for damage in [1 << 40, 200] {
        let mut text = String::new();
        for time in 0..500 {
            let _ = match random.below(8) {
                0 => writeln!(text, "@{time} a (1, \"two\n@2\")\n  (3) b\n# \"comment\n (4)"),
                1 => writeln!(text, "@{time} b # comment\n@{time} > command\n@x <"),
                2 if random.below(damage) == 0 => writeln!(text, "@{time} a (1"),
                _ => writeln!(text, "@{time} {} ({time})", ["a", "b", "c", "idle", "n"][random.below(5) as usize]),
            };
        }
        compare("MonPoly", text.as_bytes(), Format::Monpoly, &fields());
    }
}

/// A log whose times have no years, with stack traces and lines that are not events.
#[test]
fn logs_are_cut_anywhere() {
    let mut random = Random::new(17);
    let pattern = |pattern: &str| Some(LogFormat::Lines(TextPattern::holes(pattern).expect("it is a pattern")));
    for (notation, zone) in [(0, None), (1, None), (2, None), (1, Some("Europe/Berlin"))] {
        let mut text = String::new();
        for event in 0..880_u64 {
            let day = event / 4;
            let (month, day) =
                (["Sep", "Oct", "Nov", "Dec", "Jan", "Feb", "Mar", "Apr"][(day / 28) as usize], day % 28 + 1);
            let number = ["Jan", "Feb", "Mar", "Apr"].iter().position(|name| *name == month).map_or_else(
                || 9 + ["Sep", "Oct", "Nov", "Dec"].iter().position(|name| *name == month).unwrap_or(0),
                |month| month + 1,
            );
            let year = if number < 9 { 2027 } else { 2026 };
            let (hour, minute, second) = (event % 4, random.below(60), random.below(60));
            let time = match notation {
                0 => format!("{month} {day:2} {hour:02}:{minute:02}:{second:02}"),
                1 => format!("{year}-{number:02}-{day:02} {hour:02}:{minute:02}:{second:02}"),
                _ => format!("{year}-{number:02}-{day:02}T{hour:02}:{minute:02}:{second:02}+01:00"),
            };
            let name = ["a", "b", "c", "idle"][random.below(4) as usize];
            let _ = writeln!(text, "{time} {name} x={event}");
            let lines = random.below(12).saturating_sub(8) * random.below(4);
            for line in 0..lines {
                let _ = match random.below(6) {
                    0 => writeln!(text, "something else {line}"),
                    _ => writeln!(text, "    at line {line}"),
                };
            }
        }
        let dates = match zone {
            Some(zone) if cfg!(feature = "dates") => DateNotation::default().with_zone(zone).expect("it is a zone"),
            _ => DateNotation::default(),
        };
        let clock = Clock::new(Some(Unit::Second));
        let setup = ReaderSetup { log: pattern("{time} {event} x={x}"), dates, clock, ..fields() };
        let description = compare("a text log", text.as_bytes(), Format::Text, &setup);
        assert!(description.contains("lines continue"), "{description}");
    }
    // A stack trace that is longer than most chunks, and too long for one.
    let trace: String = (0..1_200).map(|line| format!(" at {line}\n")).collect();
    let text = format!("1 [a] x=1\n2 [b] x=1\n{trace}3 [a] x=2\n{trace}{trace}");
    let setup = ReaderSetup { log: pattern("{time} [{event}] x={x}"), ..fields() };
    compare("a stack trace", text.as_bytes(), Format::Text, &setup);
}

#[test]
fn a_fault_of_the_input_comes_after_the_rows_before_it() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    let rows: String = (0..2_000).map(|time| format!("a,{time},1\n")).collect();
    let reader = || open(Cursor::new(format!("event,time,x\n{rows}a,7")).chain(Broken), "t", None, fields()).unwrap();
    let expected = describe(&mut reader(), false);
    assert!(expected.contains("the disk is gone 2002:") && expected.contains("1999 a"), "{expected}");
    let Ok(mut chunked) = ChunkedReader::with_length(reader(), 2, 100) else { panic!("it can be cut") };
    assert_eq!(describe(&mut chunked, false), expected);
}

#[test]
fn other_formats_are_not_cut() {
    let reader = |text: &'static str| open(text.as_bytes(), "t", None, fields()).unwrap();
    assert!(!matches!(reader("<trace/>").in_chunks(2), AnyReader::Chunked(_)));
    assert!(matches!(reader("event,time\na,1\n").in_chunks(2), AnyReader::Chunked(_)));
}
