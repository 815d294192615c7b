// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon test`, and the examples that ship.

use std::fs;

use crate::support::{TestFolder, root};

#[test]
fn every_shipped_spec_passes_its_own_examples() {
    let mut specs = 0;
    for folder in fs::read_dir(root().join("examples")).unwrap() {
        for file in fs::read_dir(folder.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "rv") {
                // From a folder elsewhere: `expect` finds its files beside the spec.
                let output = TestFolder::with(&[]).run(&["test", path.to_str().unwrap()]);
                assert_eq!(output.status, 0, "{}\n{}{}", path.display(), output.stdout, output.stderr);
                specs += 1;
            }
        }
    }
    assert!(specs > 0);
}

#[test]
fn an_example_that_does_not_come_out_is_shown() {
    let spec = "\
soloist polite { G(request -> F[0,3] reply) }
accepts polite { hello@0. request@1. reply@5 }
rejects polite { hello@0. request@1. reply@3 }
accepts polite { hello. request. reply }
expect polite holds on \"day.csv\"
";
    let folder = TestFolder::with(&[("polite.rv", spec), ("day.csv", "event, time\nhello, 0\nrequest, 1\n")]);
    let output = folder.run(&["test", "polite.rv"]);
    assert_eq!((output.status, output.stderr.as_str()), (1, ""));
    let lines: Vec<&str> =
        output.stdout.lines().filter(|line| line.starts_with("ok") || line.starts_with("FAILED")).collect();
    assert_eq!(
        lines,
        [
            "FAILED  polite.rv:2  accepts polite: expected holds, got violated",
            "FAILED  polite.rv:3  rejects polite: expected violated, got holds",
            "ok      polite.rv:4  accepts polite",
            "FAILED  polite.rv:5  expect polite holds on \"day.csv\": expected holds, got violated",
        ],
        "{}",
        output.stdout
    );
    assert!(output.stdout.contains("violation[polite]: "), "{}", output.stdout);
    assert!(output.stdout.ends_with("\n4 examples: 1 ok, 3 FAILED\n"), "{}", output.stdout);
}

#[test]
fn a_spec_without_examples_gets_advice() {
    let folder = TestFolder::with(&[("polite.rv", "soloist polite { G(request -> F[0,3] reply) }\n")]);
    let output = folder.run(&["test", "polite.rv"]);
    assert_eq!(output.status, 0);
    assert!(output.stdout.contains("accepts polite {"), "{}", output.stdout);
}

#[test]
fn an_example_whose_file_is_missing_cannot_be_checked() {
    let spec = "soloist polite { G(request -> F[0,3] reply) }\nexpect polite holds on \"dya.csv\"\n";
    let folder = TestFolder::with(&[("polite.rv", spec), ("day.csv", "event, time\n")]);
    let output = folder.run(&["test", "polite.rv"]);
    assert_eq!(output.status, 2);
    assert!(output.stdout.contains("did you mean `day.csv`?"), "{}", output.stdout);
}
