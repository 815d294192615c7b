// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces in Parquet, from the command line.

use std::fs;

use crate::support::TestFolder;

const SPEC: &str = "\
event ask(id)
event tell(id)
mtl answered { forall i. G(ask(i) -> F[0,3] tell(i)) }
";
const TRACE: &str = "kind,when,id\nask,1,ann\nask,2,bob\ntell,3,ann\nnoise,9,\ntell,10,bob\n";

/// A folder with the trace as a table whose columns have other names than usual.
fn folder() -> TestFolder {
    let folder = TestFolder::with(&[("rules.rv", SPEC), ("day.csv", TRACE)]);
    let output = folder.run(&["convert", "day.csv", "day.parquet", "--event", "kind", "--time", "when"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    folder
}

#[test]
fn a_table_is_checked_from_a_file_and_from_a_pipe() {
    let folder = folder();
    let reported = folder.run(&["check", "rules.rv", "day.parquet", "--time", "when"]);
    assert_eq!(reported.status, 1, "{}", reported.stderr);
    assert!(reported.stdout.contains("id = \"bob\"") || reported.stdout.contains("i = \"bob\""), "{}", reported.stdout);
    let bytes = fs::read(folder.path("day.parquet")).expect("it was written");
    let piped = folder.run_with_input(&["check", "rules.rv", "-", "--time", "when"], &bytes);
    assert_eq!((piped.status, piped.stderr.as_str()), (1, ""));
    // Fields of the cited events are known of a file only, rows of both.
    for part in ["(row numbers)", "id = \"bob\""] {
        assert_eq!(piped.stdout.contains(part), reported.stdout.contains(part), "{part}: {}", piped.stdout);
    }
    assert!(piped.stdout.contains("(row numbers)"), "{}", piped.stdout);
}

#[test]
fn columns_that_are_not_there_are_named() {
    let folder = folder();
    let output = folder.run(&["check", "rules.rv", "day.parquet", "--time", "moment"]);
    assert_eq!(output.status, 2);
    assert!(output.stderr.contains("moment") && output.stderr.contains("when"), "{}", output.stderr);
    let output = folder.run(&["check", "rules.rv", "day.parquet", "--event", "what"]);
    assert_eq!(output.status, 2);
    assert!(output.stderr.contains("`what`") && output.stderr.contains("event"), "{}", output.stderr);
}

#[test]
fn a_table_without_rows_is_a_trace_without_events() {
    let folder =
        TestFolder::with(&[("rules.rv", "time when in s\nmtl calm { G(!alarm) }\n"), ("day.csv", "event,when\n")]);
    assert_eq!(folder.run(&["convert", "day.csv", "day.parquet"]).status, 0);
    let output = folder.run(&["check", "rules.rv", "day.parquet"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
}

#[test]
fn a_damaged_table_is_refused_in_words() {
    let folder = folder();
    let mut bytes = fs::read(folder.path("day.parquet")).expect("it was written");
    bytes.truncate(bytes.len() - 20);
    folder.write("cut.parquet", &bytes);
    let output = folder.run(&["check", "rules.rv", "cut.parquet", "--time", "when"]);
    assert_eq!(output.status, 2);
    assert!(
        output.stderr.contains("not a Parquet file that can be read") && output.stderr.contains("help"),
        "{}",
        output.stderr
    );
}
