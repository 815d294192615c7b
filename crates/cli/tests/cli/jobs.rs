// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several threads give the report of one, byte for byte.

use std::fmt::Write as _;

use gnomon::random::Random;

use crate::support::{TestFolder, root, run};

const SPEC: &str = "
mtl late { forall i. G(request(i) -> F[0,10] response(i)) }
mtl order { forall i. G(response(i) -> P request(i)) }
mtl pairs { forall i, who. G(by(i, who) -> !F[0,5] (response(i) && by(i, who))) }
mtl most (critical) { forall >= 50% i. F response(i) }
mtl some { exists i. G[0,50] !request(i) }
mtl near { forall i. G(request(i) -> X !request(i)) }
mtl sums { G(request(_) -> sum[10](request.i) < 90) }
soloist few { G(C^{50}_{<=40}(request(_))) }
qea(lives) { forall(i) accept skip(idle) { request(i) -> busy } accept skip(busy) { response(i) -> idle request(i) -> failed } }
";

/// A trace with a little of everything: repeated times, values of several kinds, absent ones.
fn day(events: u32) -> String {
    let mut numbers = Random::new(12_345);
    let mut random = |below: u32| numbers.below(below.into()) as u32;
    let (mut trace, mut time) = ("event, time, i, who\n".to_owned(), 0);
    for _ in 0..events {
        time += random(3);
        let value = match random(40) {
            value @ 0..=25 => value.to_string(),
            value @ 26..=34 => format!("\"text, {value}\""),
            35 => "2.50".to_owned(),
            36 => "null".to_owned(),
            37 => "true".to_owned(),
            38 => "x".repeat(70_000 * (1 - random(100).min(1)) as usize + 1),
            _ => String::new(),
        };
        let _ = match random(8) {
            0..=2 => writeln!(trace, "request, {time}, {value}"),
            3..=5 => writeln!(trace, "response, {time}, {value}"),
            6 => writeln!(trace, "by, {time}, {value}, w{}", random(3)),
            _ => writeln!(trace, "idle{}, {time}, {value}", random(30)),
        };
    }
    trace
}

#[test]
fn the_report_is_the_same_byte_for_byte() {
    let folder =
        TestFolder::with(&[("all.rv", SPEC), ("day.csv", &day(14_000)), ("few.csv", &day(3)), ("none.csv", "")]);
    for trace in ["day.csv", "few.csv", "none.csv"] {
        for options in [
            &["--mode", "standard"][..],
            &["--mode", "standard", "--report", "json"],
            &["--mode", "standard", "--report", "json", "--prefix", "--reorder", "5"],
            &["--mode", "standard", "--report", "json", "--max-violations", "2"],
            &["--mode", "standard", "--report", "junit"],
            &["--mode", "standard", "--report", "ndjson"],
            &["--report", "json"],
            &["--mode", "standard", "--by", "who", "--report", "json"],
            &["--mode", "standard", "--events", "--report", "json", "--property", "late"],
        ] {
            let with = |jobs: &str| {
                let mut arguments = vec!["check", "all.rv", trace, "--jobs", jobs];
                arguments.extend(options);
                let output = folder.run(&arguments);
                assert!(output.status < 2 || output.stderr.starts_with("error[G0710]"), "{}", output.stderr);
                (output.status, output.stdout, output.stderr)
            };
            let one = with("1");
            for jobs in ["2", "3", "8"] {
                assert!(with(jobs) == one, "{trace} {options:?} --jobs {jobs}");
            }
        }
    }
}

/// A property alone is shared out event by event, where all together are looked at by everyone.
#[test]
fn each_property_alone_is_shared_out_alike() {
    let merged = SPEC.replace("mtl late", "simultaneous merge\nmtl late");
    let folder = TestFolder::with(&[("all.rv", SPEC), ("merged.rv", &merged), ("day.csv", &day(9_000))]);
    let names = SPEC.lines().filter_map(|line| line.split([' ', '(', ')']).nth(1)).filter(|name| !name.is_empty());
    let names: Vec<&str> = names.collect();
    assert!(names.len() > 8 && names.contains(&"lives"), "{names:?}");
    for (spec, name) in ["all.rv", "merged.rv"].into_iter().flat_map(|spec| names.iter().map(move |name| (spec, name)))
    {
        let with = |jobs: &str, end: &str| {
            let arguments = ["check", spec, "day.csv", "--mode", "standard", "--report", "json", "--property", name];
            let output =
                folder.run(&[&arguments[..], &["--jobs", jobs, end][..2 + usize::from(!end.is_empty())]].concat());
            assert!(output.status < 2, "{}", output.stderr);
            output.stdout
        };
        for end in ["", "--prefix"] {
            let one = with("1", end);
            for jobs in ["2", "5"] {
                assert!(with(jobs, end) == one, "{spec} {name} {end} --jobs {jobs}");
            }
        }
    }
}

#[test]
fn properties_that_cannot_be_partitioned_are_checked_too() {
    let with =
        |jobs| run(&root(), &["check", "examples/atm/atm.rv", "examples/atm/b4.xml", "--jobs", jobs], b"").stdout;
    assert_eq!(with("1"), with("4"));
}

#[test]
fn an_error_ends_all_threads() {
    let bad = day(9_000) + "request, soon, 1\n" + &day(9_000);
    let folder = TestFolder::with(&[
        ("all.rv", SPEC),
        ("bad.csv", &bad),
        ("units.rv", "mtl a { forall i. G(b(i) -> F[0,1s] c(i)) }\n"),
    ]);
    let arguments = ["check", "all.rv", "bad.csv", "--mode", "standard", "--jobs"];
    let with = |jobs| folder.run(&[&arguments[..], &[jobs]].concat());
    let (one, three) = (with("1"), with("3"));
    assert_eq!((one.status, &one.stdout, &one.stderr), (2, &three.stdout, &three.stderr));
    assert!(one.stderr.starts_with("error[G05"), "{}", one.stderr);
    let units = folder.run(&["check", "units.rv", "bad.csv", "--jobs", "2"]);
    assert!(units.stderr.starts_with("error[G0401]"), "{}", units.stderr);
}

#[test]
fn the_number_of_threads_makes_sense() {
    let folder = TestFolder::with(&[("all.rv", SPEC), ("few.csv", &day(3))]);
    for wrong in [&["--jobs", "0"][..], &["--jobs", "-1"], &["--jobs", "many"], &["--jobs", "2", "--reference"]] {
        let output = folder.run(&[&["check", "all.rv", "few.csv"], wrong].concat());
        assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{wrong:?}");
    }
}
