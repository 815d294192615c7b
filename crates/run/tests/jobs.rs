// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several threads: whatever happens to one of them, the others end and the caller hears of it.

use std::fmt::Write as _;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use gnomon_core::time::Quantity;
use gnomon_run::compile::{CompiledSpec, compile};
use gnomon_run::offline::{DivideBy, NamedInput, Options, judge};

/// A reader that comes after the rows.
struct End(fn() -> io::Result<usize>);

impl Read for End {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        (self.0)()
    }
}

fn compiled() -> CompiledSpec {
    let (compiled, diagnostics) = compile("mtl late { forall i. G(request(i) -> F[0,10] response(i)) }", &[]);
    compiled.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

/// Rows of a trace, and then something else.
fn input(rows: u64, end: fn() -> io::Result<usize>) -> NamedInput {
    let mut text = "event, time, i\n".to_owned();
    for row in 1..=rows {
        let _ = writeln!(text, "request, {row}, {row}");
    }
    let bytes = io::Cursor::new(text).chain(End(end));
    NamedInput::stream("broken.csv".to_owned(), bytes)
}

#[test]
fn a_truncated_input_is_an_error() {
    let compiled = compiled();
    for (jobs, by) in
        [(1, DivideBy::Whole), (2, DivideBy::Whole), (7, DivideBy::Whole), (2, DivideBy::Field("i".to_owned()))]
    {
        let options = Options { jobs, by, ..Options::default() };
        let broken = input(30_000, || Err(io::Error::other("the disk is gone")));
        let error = judge(&compiled, broken, &options, &mut |_, _| {}).expect_err("it cannot be read");
        assert!(error.to_string().contains("the disk is gone"), "{error}");
        assert_eq!(error.trace().map(gnomon_trace::TraceError::line), Some(30_002));
    }
}

#[test]
fn a_panic_of_one_thread_ends_them_all() {
    let compiled = compiled();
    for (jobs, by) in [(2, DivideBy::Whole), (7, DivideBy::Whole), (2, DivideBy::Field("i".to_owned()))] {
        let options = Options { jobs, by, ..Options::default() };
        let broken = input(30_000, || panic!("the reader is gone"));
        let crash = catch_unwind(AssertUnwindSafe(|| judge(&compiled, broken, &options, &mut |_, _| {})));
        let crash = crash.map(|_| ()).expect_err("the panic comes through");
        assert_eq!(crash.downcast_ref::<&str>(), Some(&"the reader is gone"));
    }
}

#[test]
fn every_batch_size_reaches_the_end() {
    let compiled = compiled();
    for rows in [0, 1, 4_095, 4_096, 4_097, 40_000] {
        let counts = [1, 2, 3].map(|jobs| {
            let options = Options { jobs, ..Options::default() };
            let report = judge(&compiled, input(rows, || Ok(0)), &options, &mut |_, _| {}).expect("it is judged");
            (report.events, report.outcomes[0].violated, report.outcomes[0].activated, report.last_time)
        });
        assert_eq!((counts[0].0, counts[0].1), (rows, rows));
        assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
    }
}

/// An event is routed to the shard of its id, but its fields are also part of the state that the first shard checks.
#[test]
fn every_shard_counts_the_events_of_all() {
    let spec = "mtl late { forall i. G(request(i) -> F[0,10] response(i)) }\nalbert cool { $heat < 90 }";
    let compiled = compile(spec, &[]).0.expect("it is a spec");
    let rows = |of: fn(u64) -> u64| {
        let rows = (0..9_000).map(|row| (["request", "response"][row as usize % 2], row, of(row / 2)));
        rows.fold("event, time, i, heat\n".to_owned(), |text, (name, time, i)| {
            text + &format!("{name}, {time}, {i}, {}\n", i * 31 % 100)
        })
    };
    for text in [rows(|pair| pair), rows(|pair| pair * 7 + 20_000), rows(|pair| pair % 50)] {
        let judged = [1, 2, 3].map(|jobs| {
            let input = NamedInput::stream("heat.csv".to_owned(), io::Cursor::new(text.clone()));
            let options = Options { jobs, ..Options::default() };
            judge(&compiled, input, &options, &mut |_, _| {}).expect("it is judged").outcomes
        });
        assert!(judged[0][1].violated > 100, "{}", judged[0][1].violated);
        assert!(judged.iter().all(|outcomes| *outcomes == judged[0]));
    }
}

/// Traces of several formats, each longer than a few chunks. A few rows are damaged where the format permits it.
fn long_traces() -> Vec<(&'static str, String)> {
    let mut traces = [("day.csv", "event, time, i, heat\n".to_owned()), ("day.ndjson", String::new())];
    let mut others = [("day.logfmt", String::new()), ("day.log", String::new()), ("text.log", String::new())];
    for row in 0..40_000_u64 {
        let (name, time, id) =
            (["request", "response", "ping", "idle"][(row * 7 % 11 % 4) as usize], row / 3, row % 97);
        let heat = row * 31 % 100;
        let heat = if row % 9 == 0 { format!("\"{heat}\n\"") } else { heat.to_string() };
        let _ = writeln!(traces[0].1, "{name}, {time}, {id}, {heat}");
        let other = if row % 5_000 == 4_999 { format!("new{row}") } else { name.to_owned() };
        let _ = writeln!(traces[1].1, r#"{{"event": "{other}", "time": {time}, "i": {id}, "heat": {row}}}"#);
        let _ = writeln!(others[0].1, "event={other} time={time} i={id}");
        let _ = writeln!(others[1].1, "@{time} {name} ({id})");
        let _ = writeln!(others[2].1, "{time} {name} i={id}");
        if row % 800 == 0 {
            let _ = writeln!(others[0].1, "no pair\n  at a continued line");
            let _ = writeln!(others[2].1, "???\n  at a continued line");
        }
    }
    traces.into_iter().chain(others).collect()
}

#[test]
fn chunks_give_the_report_of_one_thread() {
    let shards = "mtl late { forall i. G(request(i) -> F[0,10] response(i)) }\nmtl heat { G !request[heat > 97] }\n";
    let order = "mtl next { G(ping -> X !ping) }\nmtl few { G(request -> count[10](request) < 9) }\nmtl sum { G(idle -> F[0,4] ping) }\n";
    for (name, text) in long_traces() {
        let (format, log) = match name {
            "day.log" => (Some(gnomon_trace::Format::Monpoly), ""),
            "text.log" => (None, "log text \"{time} {event} i={i}\"\n"),
            "day.logfmt" => (Some(gnomon_trace::Format::Logfmt), ""),
            _ => (None, ""),
        };
        for properties in [shards, order] {
            let properties =
                if name == "day.log" { properties.replace("[heat > 97]", "(97)") } else { properties.to_owned() };
            let (compiled, diagnostics) = compile(&format!("{log}{properties}"), &[]);
            let compiled = compiled.unwrap_or_else(|| panic!("{diagnostics:?}"));
            for (by, reorder, report_events) in [
                (DivideBy::Whole, None, false),
                (DivideBy::Field("i".to_owned()), None, false),
                (DivideBy::Whole, Some(Quantity::whole(3)), false),
                (DivideBy::Whole, None, true),
            ] {
                // The arguments of MonPoly have no names.
                let has_no_cases = by != DivideBy::Whole && name == "day.log";
                if has_no_cases || report_events && !name.ends_with("csv") {
                    continue;
                }
                let reports = [1, 2, 3].map(|jobs| {
                    let input = NamedInput::stream(name.to_owned(), io::Cursor::new(text.clone()));
                    let options =
                        Options { jobs, by: by.clone(), reorder, report_events, format, ..Options::default() };
                    let report = judge(&compiled, input, &options, &mut |_, _| {}).expect("it is judged");
                    assert_eq!(report.work.is_some(), jobs > 1, "{name}");
                    let found = (report.events, report.first_time, report.last_time, report.time_kind, report.late);
                    let warnings = (report.unseen, report.unmet, report.empty_ranges, report.skipped, report.unmatched);
                    format!("{found:?} {warnings:?} {:?} {:?} {:?}", report.notes, report.outcomes, report.cases)
                });
                assert!(reports[0].len() > 1_000, "{}", reports[0]);
                assert!(
                    reports[1] == reports[0] && reports[2] == reports[0],
                    "{name} {by:?} {reorder:?}: {}",
                    reports[0]
                );
            }
        }
    }
}
