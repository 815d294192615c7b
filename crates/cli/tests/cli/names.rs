// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names of events that a spec declares.

use crate::support::TestFolder;

const SAMPLES: &str = "time,v\n0,1\n1,2\n2,7\n3,1\n";
const SAMPLE_LINES: &str = "{\"time\":0,\"v\":1}\n{\"time\":1,\"v\":2}\n{\"time\":2,\"v\":7}\n{\"time\":3,\"v\":1}\n";
const REQUESTS: &str = "when,method,path,id\n1,GET,/a,1\n2,PUT,/a,1\n3,GET,/b,2\n4,GET,/a,3\n";

fn violations(report: &str) -> Vec<String> {
    let report: serde_json::Value = serde_json::from_str(report).expect(report);
    let listed = report["traces"][0]["properties"][0]["violations"].as_array().expect("a list").clone();
    listed.iter().map(|violation| violation["at"]["position"].to_string()).collect()
}

/// Returns the positions at which the only property is violated: the same with the reference semantics and with two threads.
fn checked(folder: &TestFolder, spec: &str, trace: &str) -> Vec<String> {
    let report = folder.run(&["check", spec, trace, "--report", "json"]);
    assert!(report.status <= 1, "{}", report.stderr);
    let found = violations(&report.stdout);
    for option in [&["--reference"][..], &["--jobs", "2"][..]] {
        let other = folder.run(&[&["check", spec, trace, "--report", "json"][..], option].concat());
        assert_eq!(violations(&other.stdout), found, "{option:?}");
    }
    found
}

#[test]
fn rows_of_samples_have_the_declared_name() {
    let spec = "name \"sample\"\nmtl low { G(!sample[v > 5]) }\nexpect low violated on \"day.csv\"\n";
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.csv", SAMPLES), ("day.ndjson", SAMPLE_LINES)]);
    assert_eq!(checked(&folder, "rules.rv", "day.csv"), ["2"]);
    assert_eq!(checked(&folder, "rules.rv", "day.ndjson"), ["2"]);
    assert_eq!(folder.run(&["test", "rules.rv"]).status, 0);
    let listed = folder.run(&["events", "day.csv", "--spec", "rules.rv"]);
    assert!(listed.status == 0 && listed.stdout.contains("sample"), "{}{}", listed.stdout, listed.stderr);
    assert!(folder.run(&["stats", "rules.rv", "day.csv"]).status <= 1);
    // Positional parameters are all columns but the time.
    folder.write("place.rv", "name \"sample\"\nmtl low { forall x. G(sample(x) -> !sample(7)) }\n".as_bytes());
    assert_eq!(checked(&folder, "place.rv", "day.csv"), ["2"]);
    // A table that `convert` writes has names.
    assert_eq!(folder.run(&["convert", "day.csv", "day.parquet", "--spec", "rules.rv"]).status, 0);
    let converted = folder.run(&["check", "rules.rv", "day.parquet", "--event", "event", "--report", "json"]);
    assert_eq!(violations(&converted.stdout), ["2"]);
}

#[test]
fn templates_make_names_of_fields() {
    let spec = "time when in s\nname \"{method} {path}\"\nmtl once { G(\"GET /a\"[id = 1] -> F \"PUT /a\"[id = 1]) && G !\"GET /b\" }\n";
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.csv", REQUESTS)]);
    assert_eq!(checked(&folder, "rules.rv", "day.csv"), ["2"]);
    // The cells of a name are fields too, in a table of another format.
    let convert = folder.run(&["convert", "day.csv", "day.parquet", "--event", "method", "--time", "when"]);
    assert_eq!(convert.status, 0, "{}", convert.stderr);
    let other = "time when in s\nname \"{event} {path}\"\nmtl none { G !\"GET /b\"[id = 2] }\n";
    folder.write("other.rv", other.as_bytes());
    assert_eq!(checked(&folder, "other.rv", "day.parquet"), ["2"]);
    let lines = "{\"ts\":1,\"request\":{\"method\":\"GET\"},\"event\":\"http\",\"status\":200}\n{\"ts\":2,\"request\":{\"method\":\"GET\"},\"status\":500}\n";
    folder.write("day.ndjson", lines.as_bytes());
    folder.write("lines.rv", "name \"{request/method} {status}\"\nmtl fine { G !\"GET 500\" }\n".as_bytes());
    assert_eq!(checked(&folder, "lines.rv", "day.ndjson"), ["1"]);
}

#[test]
fn a_field_has_the_names_unless_an_option_says_otherwise() {
    let spec = "time when\nname method\nmtl none { G !PUT }\n";
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.csv", REQUESTS)]);
    assert_eq!(checked(&folder, "rules.rv", "day.csv"), ["1"]);
    let other = folder.run(&["check", "rules.rv", "day.csv", "--event", "path", "--report", "json"]);
    assert!(violations(&other.stdout).is_empty(), "{}", other.stdout);
    folder.write("deep.rv", b"name user/name\nmtl none { G !ann }\n");
    folder.write("deep.ndjson", b"{\"user\":{\"name\":\"bob\"}}\n{\"user\":{\"name\":\"ann\"}}\n");
    assert_eq!(checked(&folder, "deep.rv", "deep.ndjson"), ["1"]);
}

#[test]
fn names_that_are_not_there_are_reported() {
    let folder = TestFolder::with(&[("day.csv", REQUESTS), ("day.ndjson", SAMPLE_LINES)]);
    for (declaration, trace, words) in [
        ("name verb", "day.csv", &["`verb`", "`method`"][..]),
        ("name \"{verb} {path}\"", "day.csv", &["`verb`", "`method`"][..]),
        ("name verb", "day.ndjson", &["`verb`", "`v`"][..]),
        ("name \"{verb}!\"", "day.ndjson", &["`verb`"][..]),
        ("name \"{verb\"", "day.csv", &["G0115", "not closed"][..]),
        ("name a\nname b", "day.csv", &["twice"][..]),
        ("name", "day.csv", &["the field that names events"][..]),
    ] {
        folder.write("rules.rv", format!("{declaration}\nmtl none {{ G !PUT }}\n").as_bytes());
        let output = folder.run(&["check", "rules.rv", trace]);
        assert_eq!(output.status, 2, "{declaration}");
        assert!(words.iter().all(|word| output.stderr.contains(word)), "{declaration}: {}", output.stderr);
    }
}

#[test]
fn events_may_still_be_called_name() {
    let spec = "mtl both {\n  G(\n  name U b\n) }\nmtl other { F\n name }\n";
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.csv", "event,time\nname,1\nb,2\n")]);
    let output = folder.run(&["check", "rules.rv", "day.csv"]);
    assert!(output.status <= 1, "{}", output.stderr);
}

#[test]
fn no_command_needs_an_option_beside_the_declarations() {
    let spec = "time when in s\nname verb\nalbert answered { onEvent(GET) -> Within(onEvent(PUT), 2) }\nexpect answered holds on \"day.csv\"\n";
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.csv", "when,verb,id\n1,GET,1\n2,PUT,1\n")]);
    for arguments in [
        &["check", "rules.rv", "day.csv"][..],
        &["check", "rules.rv", "day.csv", "--by", "id"][..],
        &["test", "rules.rv"][..],
        &["stats", "rules.rv", "day.csv"][..],
        &["events", "day.csv", "--spec", "rules.rv"][..],
        &["convert", "day.csv", "day.ndjson", "--spec", "rules.rv"][..],
        &["plan", "rules.rv"][..],
        &["automaton", "rules.rv", "day.csv"][..],
    ] {
        let output = folder.run(arguments);
        assert_eq!(output.status, 0, "{arguments:?}: {}{}", output.stdout, output.stderr);
    }
}
