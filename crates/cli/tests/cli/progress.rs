// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exported logs with progress markers (`gnomon.tick`): every engine and format gives one answer.

use serde_json::Value;

use crate::support::TestFolder;

const SPEC: &str = "
mtl soon { G(ask -> F[0,5] answer) }
mtl each { forall i. G(ask(i) -> F[0,9] answer(i)) }
mtl next { G(ask -> X answer) }
mtl first { F[0,20] done }
soloist solo { G(ask -> F[0,7] answer) }
albert rise (simultaneous sequence) { onEvent(ask) -> Within(onEvent(answer), 6) }
pattern after { globally: answer responds to ask within 6 }
nomad rule { P(start(ask) | O[0,6] done(answer)) }
nomad back { P(start(answer) | O[6,0] done(ask)) }
qea turns { Forall(i) accept skip(idle) { ask(i) -> busy } skip(busy) { answer(i) -> idle } }
mu calm { [true* . ask . (!answer)* . ask] false }
";

const EXPORT: &str = r#"{"event":"ask","time":0,"id":1}
{"event":"gnomon.tick","time":4}
{"event":"answer","time":5,"id":1}
{"event":"ask","time":7,"id":2}
{"event":"gnomon.tick","time":14}
{"event":"gnomon.tick","time":15}
{"event":"answer","time":15,"id":2}
{"event":"ask","time":16,"id":1}
{"event":"gnomon.tick","time":40}
"#;

fn report(folder: &TestFolder, arguments: &[&str]) -> Value {
    let mut all = vec!["check", "spec.rv"];
    all.extend(arguments);
    all.extend(["--report", "json"]);
    let output = folder.run(&all);
    assert!(output.status <= 1, "{arguments:?}: {}", output.stderr);
    serde_json::from_str(&output.stdout).expect("it is JSON")
}

/// The traces of a report without what only the engine writes: names of files, summaries and explanations. Nor with positions: in a
/// case, a rule over messages counts those of the whole trace. Nor with fields that no property uses: some formats do not tell them.
fn plain(mut report: Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for field in ["summary", "because", "source", "duration", "position", "fields", "line", "offset"] {
                    fields.remove(field);
                }
                fields.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut traces = report["traces"].take();
    strip(&mut traces);
    traces
}

#[test]
fn the_reference_and_threads_agree_with_the_engine() {
    let folder = TestFolder::with(&[("spec.rv", SPEC), ("export.ndjson", EXPORT)]);
    for target in ["export.csv", "export.xml", "export.monpoly", "export.parquet"] {
        assert_eq!(folder.run(&["convert", "export.ndjson", target]).status, 0, "{target}");
    }
    for options in [&[][..], &["--prefix"], &["--by", "id"], &["--by", "id", "--prefix"], &["--reorder", "1"]] {
        let with = |trace: &'static str, more: &[&'static str]| {
            plain(report(&folder, &[&[trace][..], options, more].concat()))
        };
        let expected = with("export.ndjson", &[]);
        for trace in ["export.ndjson", "export.csv", "export.xml", "export.monpoly", "export.parquet"] {
            if trace == "export.monpoly" && options.contains(&"--by") {
                continue; // Its parameters have no names.
            }
            for engine in [&[][..], &["--reference"], &["--jobs", "2"], &["--jobs", "3"]] {
                assert!(with(trace, engine) == expected, "{trace} {options:?} {engine:?}");
            }
        }
    }
}

#[test]
fn statistics_agree_with_the_report() {
    let folder = TestFolder::with(&[("spec.rv", SPEC), ("export.ndjson", EXPORT)]);
    for options in [&[][..], &["--prefix"], &["--by", "id"]] {
        let report = report(&folder, &[&["export.ndjson"][..], options].concat());
        let output = folder.run(&[&["stats", "spec.rv", "export.ndjson", "--report", "json"][..], options].concat());
        let statistics: Value = serde_json::from_str(&output.stdout).expect("it is JSON");
        let properties = report["traces"][0]["properties"].as_array().expect("a list");
        let counted = statistics["properties"].as_array().expect("a list");
        assert_eq!(properties.len(), counted.len());
        for (property, counted) in properties.iter().zip(counted) {
            for count in ["activated", "satisfied", "violated", "pending"] {
                assert_eq!(property[count], counted[count], "{options:?} {} {count}", property["name"]);
            }
        }
    }
}

#[test]
fn automata_see_no_state_in_a_marker() {
    let without: String = EXPORT.lines().filter(|line| !line.contains("tick")).flat_map(|line| [line, "\n"]).collect();
    let spec = "albert rise (simultaneous sequence) { onEvent(ask) -> Within(onEvent(answer), 100) }";
    let folder = TestFolder::with(&[("spec.rv", spec), ("export.ndjson", EXPORT), ("plain.ndjson", &without)]);
    let states = |trace: &str| {
        let output = folder.run(&["automaton", "spec.rv", trace]);
        let head = output.stdout.lines().next().unwrap_or_default();
        head.split_once(": ").unwrap_or_else(|| panic!("{}", output.stderr)).1.to_owned()
    };
    assert_eq!(states("export.ndjson"), "5 states");
    assert_eq!(states("export.ndjson"), states("plain.ndjson"));
}
