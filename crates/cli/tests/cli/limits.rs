// SPDX-License-Identifier: MIT OR Apache-2.0
//! Limits on what the bindings of quantified properties may take.

use std::fmt::Write as _;

use crate::support::TestFolder;

const OPEN: &str = "\
event open(f)
event close(f)
mtl small { forall f. G(open(f) -> F[0,1] close(f)) }
mtl large { forall f. G(open(f) -> F close(f)) }
";

/// Files that are opened, each at its own time, and never closed.
fn openings(files: u32) -> String {
    let mut trace = "event, time, f, session\n".to_owned();
    for file in 0..files {
        let _ = writeln!(trace, "open, {}, file{file}, {}", file * 10, file % 50);
    }
    trace
}

#[test]
fn too_many_bindings_are_refused_with_advice() {
    let folder = TestFolder::with(&[("open.rv", OPEN), ("day.csv", &openings(500))]);
    let fine = folder.run(&["check", "open.rv", "day.csv", "--max-bindings", "600", "--max-memory", "100M"]);
    assert_eq!((fine.status, fine.stderr.as_str()), (1, ""));
    for arguments in [&["--max-bindings", "100"][..], &["--max-memory", "20K"]] {
        for more in [&[][..], &["--report", "json"], &["--report", "ndjson"], &["--by", "session"], &["--jobs", "2"]] {
            let mut all = vec!["check", "open.rv", "day.csv"];
            all.extend(arguments.iter().chain(more));
            let output = folder.run(&all);
            // What was certain before may have been reported immediately, but no verdict is.
            assert!(output.status == 2 && !output.stdout.contains("verdict"), "{all:?}");
            assert!(output.stdout.is_empty() || more.contains(&"--report"), "{all:?}");
            assert!(output.stderr.starts_with("error[G0712]: "), "{all:?}\n{}", output.stderr);
            // A session of its own has no clock but its events: what is small cannot be forgotten there either.
            // If only outcomes are wanted, its events are gathered before it has any binding.
            let most = match (more.contains(&"--by"), arguments[0]) {
                (false, _) => "`large` has the most: ",
                (true, "--max-memory") => "; the cases take ",
                (true, _) => "has the most: ",
            };
            assert!(output.stderr.contains(most), "{all:?}\n{}", output.stderr);
            assert!(output.stderr.contains(arguments[0]), "{all:?}\n{}", output.stderr);
        }
    }
    let one = folder.run(&["check", "open.rv", "day.csv", "--max-bindings", "100", "--property", "small"]);
    assert_eq!((one.status, one.stderr.as_str()), (1, ""), "what is forgotten does not count");
}

#[test]
fn a_limit_holds_for_long_traces_too() {
    let folder = TestFolder::with(&[("open.rv", OPEN), ("day.csv", &openings(20_000))]);
    for jobs in ["1", "3"] {
        let all = ["check", "open.rv", "day.csv", "--max-bindings", "15000", "--jobs", jobs];
        let output = folder.run(&all);
        assert_eq!((output.status, output.stdout.as_str()), (2, ""));
        assert!(output.stderr.starts_with("error[G0712]: "), "{}", output.stderr);
    }
}

#[test]
fn each_trace_has_its_own_limit() {
    let folder = TestFolder::with(&[("open.rv", OPEN), ("many.csv", &openings(500)), ("few.csv", &openings(5))]);
    let output = folder.run(&["check", "open.rv", "many.csv", "few.csv", "--max-bindings", "100"]);
    assert_eq!(output.status, 2);
    assert!(output.stdout.starts_with("few.csv: 5 events"), "{}", output.stdout);
    let sizes = [["--max-memory", "lots"], ["--max-memory", "-1"], ["--max-bindings", "-1"]];
    for wrong in sizes {
        let output = folder.run(&["check", "open.rv", "few.csv", wrong[0], wrong[1]]);
        assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{wrong:?}");
    }
}
