// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arguments: help, completion, explanation, and what cannot be asked.

use crate::support::TestFolder;

#[test]
fn every_command_helps_with_an_example() {
    let folder = TestFolder::with(&[]);
    for command in ["check", "test", "convert", "events", "generate", "explain", "completions"] {
        for flag in ["-h", "--help"] {
            let output = folder.run(&[command, flag]);
            assert_eq!(output.status, 0, "{command}");
            assert!(output.stdout.contains("Example"), "{command} {flag}:\n{}", output.stdout);
            assert!(output.stdout.contains(&format!("gnomon {command}")), "{command} {flag}:\n{}", output.stdout);
        }
    }
    assert!(folder.run(&["check", "--help"]).stdout.contains("Exit status:"));
}

#[test]
fn wrong_arguments_are_status_two() {
    let folder = TestFolder::with(&[]);
    for arguments in [
        &[][..],
        &["judge"],
        &["check", "a.rv"],
        &["check", "a.rv", "b.csv", "--format", "docx"],
        &["check", "a.rv", "b.csv", "--report", "pdf"],
        &["check", "a.rv", "b.csv", "--reorder", "5 parsecs"],
        &["check", "a.rv", "b.csv", "--max-violations", "-1"],
        &["check", "a.rv", "b.csv", "--mode", "lenient"],
        &["check", "a.rv", "b.csv", "--events", "--reference"],
        &["convert", "a.csv"],
        &["events", "a.csv", "--report", "junit"],
    ] {
        let output = folder.run(arguments);
        assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
    let output = folder.run(&["check", "a.rv", "b.csv", "--format", "docx"]);
    assert!(
        output
            .stderr
            .contains("[possible values: csv, ndjson, json, xml, xes, monpoly, text, logfmt, messages, otlp, parquet]"),
        "{}",
        output.stderr
    );
}

#[test]
fn error_codes_are_explained() {
    let folder = TestFolder::with(&[]);
    let page = folder.run(&["explain", "g0508"]);
    assert_eq!(page.status, 0);
    assert!(page.stdout.starts_with("# G0508: time goes back\n"), "{}", page.stdout);
    let list = folder.run(&["explain"]);
    assert!(list.stdout.lines().any(|line| line == "G0508  time goes back"), "{}", list.stdout);
    let unknown = folder.run(&["explain", "G0599"]);
    assert_eq!((unknown.status, unknown.stdout.as_str()), (2, ""));
    assert!(unknown.stderr.starts_with("error[G0707]: `G0599` is not an error code"), "{}", unknown.stderr);
}

#[test]
fn shells_are_taught_to_complete() {
    let folder = TestFolder::with(&[]);
    for shell in ["bash", "zsh", "fish"] {
        let output = folder.run(&["completions", shell]);
        assert_eq!(output.status, 0);
        for option in ["max-violations", "max-bindings", "max-memory", "jobs"] {
            assert!(output.stdout.contains(option), "{shell} {option}");
        }
    }
}

#[test]
fn manual_pages_are_generated() {
    let folder = TestFolder::with(&[]);
    let page = folder.run(&["man"]);
    assert_eq!((page.status, page.stderr.as_str()), (0, ""));
    assert!(page.stdout.contains(".TH gnomon 1") && page.stdout.contains(".SH SUBCOMMANDS"), "{}", page.stdout);
    std::fs::create_dir(folder.path("man1")).unwrap();
    assert_eq!(folder.run(&["man", "--out", "man1"]).status, 0);
    let page = std::fs::read_to_string(folder.path("man1/gnomon-check.1")).unwrap();
    assert!(page.contains("max\\-violations"), "{page}");
    let missing = folder.run(&["man", "--out", "none"]);
    assert!(missing.status == 2 && missing.stderr.starts_with("error[G0811]"), "{}", missing.stderr);
}
