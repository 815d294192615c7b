// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several threads: whatever happens to one of them, the others end and the caller hears of it.

use std::fmt::Write as _;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

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
