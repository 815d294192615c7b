// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each way in which a command cannot do its work: the message says where, what, and what to do instead.

use crate::support::TestFolder;

const SPEC: &str = "soloist polite { G(request -> F[0,3] reply) }\n";
const TRACE: &str = "event, time\nrequest, 1\nreply, 2\n";

/// Runs a command that must fail without a report, and compares all that it says.
fn fails(folder: &TestFolder, arguments: &[&str], expected: &str) {
    let output = folder.run(arguments);
    assert_eq!(output.stderr, expected, "{arguments:?}\n{}", output.stderr);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{arguments:?}");
}

#[test]
fn a_missing_file_has_a_similar_neighbour() {
    let folder = TestFolder::with(&[("polite.rv", SPEC), ("trace.csv", TRACE)]);
    fails(
        &folder,
        &["check", "plite.rv", "trace.csv"],
        "error[G0701]: there is no file `plite.rv`\n  = help: did you mean `polite.rv`?\n",
    );
    fails(
        &folder,
        &["check", "polite.rv", "trace.cvs"],
        "error[G0701]: there is no file `trace.cvs`\n  = help: did you mean `trace.csv`?\n",
    );
    fails(
        &folder,
        &["check", "nowhere/polite.rv", "trace.csv"],
        "error[G0701]: there is no file `nowhere/polite.rv`\n  \
         = help: there is no folder `nowhere` either: check the path\n",
    );
}

#[test]
fn a_folder_is_no_trace() {
    let folder = TestFolder::with(&[("polite.rv", SPEC), ("trace.csv", TRACE)]);
    fails(
        &folder,
        &["check", "polite.rv", "."],
        "error[G0702]: `.` is a folder, not a file\n  = help: name a file in it, for example `./polite.rv`\n",
    );
}

#[test]
fn a_spec_must_be_text() {
    let folder = TestFolder::with(&[("trace.csv", TRACE)]);
    folder.write("latin.rv", b"# caf\xe9\nsoloist a { b }\n");
    fails(
        &folder,
        &["check", "latin.rv", "trace.csv"],
        "error[G0704]: the spec is not UTF-8 text: byte 0xe9 does not begin a character\n --> latin.rv:1:6\n  \
         = help: save the file as UTF-8; in a name, quote the character or write it in ASCII\n",
    );
}

#[test]
fn properties_are_selected_by_name() {
    let folder = TestFolder::with(&[("polite.rv", SPEC), ("empty.rv", "# nothing yet\n"), ("trace.csv", TRACE)]);
    fails(
        &folder,
        &["check", "polite.rv", "trace.csv", "--property", "polit"],
        "error[G0705]: the spec has no property `polit`\n --> polite.rv\n  = help: did you mean `--property polite`?\n",
    );
    fails(
        &folder,
        &["check", "polite.rv", "trace.csv", "--property", "QP1"],
        "error[G0705]: the spec has no property `QP1`\n --> polite.rv\n  = help: the properties are polite\n",
    );
    fails(
        &folder,
        &["check", "empty.rv", "trace.csv"],
        "error[G0709]: the spec has no property\n --> empty.rv\n  \
         = help: write one, for example `soloist calm { G(!alarm) }`\n",
    );
}

#[test]
fn standard_input_is_read_once() {
    let folder = TestFolder::with(&[("polite.rv", SPEC)]);
    for arguments in [&["check", "-", "-"][..], &["check", "polite.rv", "-", "-"]] {
        fails(
            &folder,
            arguments,
            "error[G0706]: standard input (`-`) is given more than once\n  \
             = help: name it once, and give the others as files\n",
        );
    }
}

#[test]
fn a_bad_spec_is_shown_with_all_its_errors() {
    let spec = "soloist one { G(a -> C^{10}_{<=3s}(b)) }\nsoloist two { F[5,2] a }\n";
    let folder = TestFolder::with(&[("bad.rv", spec), ("trace.csv", TRACE)]);
    let output = folder.run(&["check", "bad.rv", "trace.csv"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.contains("error[G0305]"), "{}", output.stderr);
    assert!(output.stderr.contains("error[G0301]: the interval is empty\n --> bad.rv:2:16\n"), "{}", output.stderr);
    assert!(
        output.stderr.ends_with("bad.rv: 2 errors; `gnomon explain G0305` explains the first\n"),
        "{}",
        output.stderr
    );
}

#[test]
fn a_bad_trace_has_no_partial_report() {
    let broken = "event, time\nrequest, 1\nreply, zwei\n";
    let folder = TestFolder::with(&[("polite.rv", SPEC), ("good.csv", TRACE), ("broken.csv", broken)]);
    let output = folder.run(&["check", "polite.rv", "broken.csv"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.starts_with("error[G0506]: "), "{}", output.stderr);
    assert!(output.stderr.contains("\n --> broken.csv:3:8\n"), "{}", output.stderr);
    // The others are judged all the same; the status still says that one was not.
    let output = folder.run(&["check", "polite.rv", "broken.csv", "good.csv"]);
    assert_eq!(output.status, 2);
    assert!(output.stdout.starts_with("good.csv: 2 events"), "{}", output.stdout);
}
