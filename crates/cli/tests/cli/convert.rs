// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon convert` and `gnomon events`; and that the format of a trace does not affect its verdict.

use serde_json::{Value, json};

use crate::support::{TestFolder, root, without_places};

const SPEC: &str = "\
time in s
soloist polite { G(request[user = \"ann\"] -> F[0,3] reply[code < 400]) }
soloist calm { G(!alarm) }
soloist few { G(reply -> C^{20}_{<=2}(request)) }
";
const TRACE: &str = "\
{\"event\":\"open\",\"time\":0,\"user\":\"ann\"}
{\"event\":\"request\",\"time\":1,\"user\":\"ann\",\"path\":\"/a,b \\\"c\\\" <d> & é\"}
{\"event\":\"reply\",\"time\":2,\"code\":200}
{\"event\":\"request\",\"time\":5,\"user\":\"bob\",\"path\":\"/x\"}
{\"event\":\"alarm\",\"time\":6}
{\"event\":\"request\",\"time\":7,\"user\":\"ann\",\"path\":\"/y\"}
{\"event\":\"reply\",\"time\":8,\"code\":500}
{\"event\":\"reply\",\"time\":20,\"code\":200}
";

/// The report without the trace's name.
fn report(folder: &TestFolder, trace: &str, flags: &[&str]) -> Value {
    let mut arguments = vec!["check", "rules.rv", trace, "--report", "json"];
    arguments.extend(flags);
    let output = folder.run(&arguments);
    assert_eq!((output.status, output.stderr.as_str()), (1, ""), "{trace}");
    let mut report: Value = serde_json::from_str(&output.stdout).expect("the report is JSON");
    report["traces"][0]["source"] = json!(null);
    without_places(report)
}

#[test]
fn every_format_gives_the_same_report() {
    let folder = TestFolder::with(&[("rules.rv", SPEC), ("day.ndjson", TRACE)]);
    let expected = report(&folder, "day.ndjson", &[]);
    let mut before = "day.ndjson".to_owned();
    for extension in ["csv", "parquet", "xml", "json", "xes", "parquet", "jsonl", "csv", "json"] {
        let name = format!("from-{before}.{extension}");
        let output = folder.run(&["convert", &before, &name]);
        assert_eq!((output.status, output.stdout.as_str()), (0, ""), "{name}: {}", output.stderr);
        assert!(output.stderr.ends_with(&format!("{name}: 8 events as {}\n", word(extension))), "{}", output.stderr);
        assert_eq!(report(&folder, &name, &["--by", "none"]), expected, "{name}");
        before = name;
    }
}

/// `MonPoly`'s events have places instead of names, so conditions on fields cannot be asked of them.
#[test]
fn places_and_names_survive_where_fields_have_no_names() {
    let spec = "soloist polite { G(request -> F[0,3] reply) }\nsoloist calm { G(!alarm) }\n";
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.ndjson", TRACE)]);
    let output = folder.run(&["convert", "day.ndjson", "day.monpoly"]);
    assert_eq!(output.status, 0);
    assert!(output.stderr.contains("warning: monpoly cannot carry everything: "), "{}", output.stderr);
    assert_eq!(report(&folder, "day.monpoly", &[]), report(&folder, "day.ndjson", &[]));
}

fn word(extension: &str) -> &str {
    if extension == "jsonl" { "ndjson" } else { extension }
}

#[test]
fn the_shipped_example_means_the_same_in_every_format() {
    let root = root();
    let (spec, trace) = (root.join("examples/atm/atm.rv"), root.join("examples/atm/b4.xml"));
    // Some formats have a place of their own for the time, without the name that the trace gave it.
    let spec = std::fs::read_to_string(spec).unwrap().replace("time Timestamp in s", "time in s");
    let folder = TestFolder::with(&[("rules.rv", &spec)]);
    let expected = report(&folder, trace.to_str().unwrap(), &[]);
    for name in ["b4.csv", "b4.ndjson", "b4.json", "b4.xml", "b4.xes"] {
        let output = folder.run(&["convert", trace.to_str().unwrap(), name]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        assert_eq!(report(&folder, name, &["--by", "none"]), expected, "{name}");
    }
}

#[test]
fn losses_of_a_format_are_reported() {
    let trace = "{\"event\":\"a\",\"time\":1,\"id\":\"1\"}\n{\"event\":\"a\",\"time\":2,\"id\":\"2\"}\n";
    let folder = TestFolder::with(&[("day.ndjson", trace)]);
    let output = folder.run(&["convert", "day.ndjson", "day.csv"]);
    assert_eq!(output.status, 0);
    let warning = "warning: csv cannot carry everything: texts that look like a number, a boolean or null will be \
                   read as that (2 times, first at event 0, field `id`)\n";
    assert!(output.stderr.contains(warning), "{}", output.stderr);
}

#[test]
fn conversion_streams_from_and_to_standard_files() {
    let folder = TestFolder::with(&[]);
    let output = folder.run_with_input(&["convert", "-", "-", "--from", "ndjson", "--to", "json"], TRACE.as_bytes());
    assert_eq!(output.status, 0, "{}", output.stderr);
    let events: Vec<Value> = serde_json::Deserializer::from_str(&output.stdout)
        .into_iter::<Value>()
        .flat_map(|value| match value.unwrap() {
            Value::Array(events) => events,
            event => vec![event],
        })
        .collect();
    assert_eq!(events.len(), 8);
    assert_eq!(events[2], json!({"reply": {"time": 2, "code": 200}}));
    let output = folder.run_with_input(&["convert", "-", "-", "--to", "csv"], TRACE.as_bytes());
    assert_eq!(output.status, 0);
    assert!(output.stderr.starts_with("note: "), "{}", output.stderr);
}

#[test]
fn half_a_conversion_leaves_nothing_behind() {
    let folder =
        TestFolder::with(&[("broken.ndjson", "{\"event\":\"a\",\"time\":1}\n{\"event\":"), ("old.xml", "<log/>\n")]);
    for out in ["new.xml", "old.xml", "new.csv"] {
        let output = folder.run(&["convert", "broken.ndjson", out]);
        assert_eq!((output.status, output.stdout.as_str()), (2, ""));
        assert!(output.stderr.starts_with("error[G0513]"), "{}", output.stderr);
    }
    assert_eq!(folder.names(), ["broken.ndjson", "old.xml"]);
    for (arguments, code) in [
        (&["convert", "old.xml", "out"][..], "G0711"),
        (&["convert", "old.xml", "-"], "G0711"),
        (&["convert", "old.xml", "out", "--to", "text"], "G0711"),
        (&["convert", "old.xml", "nowhere/out.csv"], "G0811"),
        (&["convert", "nothing.xml", "out.csv"], "G0701"),
    ] {
        let output = folder.run(arguments);
        assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(output.stderr.contains(&format!("error[{code}]")), "{arguments:?}: {}", output.stderr);
    }
    assert_eq!(folder.names(), ["broken.ndjson", "old.xml"]);
}

#[test]
fn the_events_of_a_trace_are_listed() {
    let folder = TestFolder::with(&[("day.ndjson", TRACE)]);
    let output = folder.run(&["events", "day.ndjson"]);
    let expected = "\
day.ndjson: 8 events, from 0 to 20 (field `time`)

  1  open
       time  number  0
       user  text    ann
  3  request
       time  number  1..7
       user  text    ann, bob
       path  text    /a,b \"c\" <d> & é, /x, /y
  3  reply
       time  number  2..20
       code  number  200..500
  1  alarm
       time  number  6
";
    assert_eq!((output.status, output.stdout.as_str()), (0, expected), "{}", output.stderr);
    let output = folder.run(&["events", "day.ndjson", "--report", "json"]);
    let list: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((&list["events"], &list["first_time"], &list["last_time"]), (&json!(8), &json!(0), &json!(20)));
    assert_eq!(
        list["names"][2],
        json!({"name": "reply", "count": 3, "fields": [
            {"name": "time", "count": 3, "types": {"number": 3}, "least": 2, "greatest": 20, "distinct": 3, "samples": ["2", "8", "20"]},
            {"name": "code", "count": 3, "types": {"number": 3}, "least": 200, "greatest": 500, "distinct": 2, "samples": ["200", "500"]},
        ]})
    );
}

const NESTED: &str = "\
{\"event\":\"login\",\"ts\":\"2026-11-16T08:00:00Z\",\"user\":{\"name\":\"ann\",\"age\":41},\"tags\":[\"a\",\"b\"],\"ok\":true}
{\"event\":\"login\",\"ts\":\"2026-11-16T09:30:00Z\",\"user\":{\"name\":\"bob\",\"age\":7},\"tags\":[],\"ok\":null,\"ref\":\"x\"}
{\"event\":\"GET /a\",\"ts\":\"2026-11-16T09:31:00Z\",\"user\":{\"name\":\"bob\"}}
";

#[test]
fn nested_fields_are_listed_with_ranges_and_samples() {
    let folder = TestFolder::with(&[("day.ndjson", NESTED)]);
    let output = folder.run(&["events", "day.ndjson"]);
    let expected = "\
day.ndjson: 3 events, from 2026-11-16T08:00:00Z to 2026-11-16T09:31:00Z (field `ts`)

  2  login
       ts         time               2026-11-16T08:00:00Z..2026-11-16T09:30:00Z
       user/name  text               ann, bob
       user/age   number             7..41
       tags       list
       tags/0     text               a                                           in 1 of 2
       tags/1     text               b                                           in 1 of 2
       ok         null 1, boolean 1  true
       ref        text               x                                           in 1 of 2
  1  GET /a
       ts         time  2026-11-16T09:31:00Z
       user/name  text  bob
";
    assert_eq!((output.status, output.stdout.as_str()), (0, expected), "{}", output.stderr);
    let output = folder.run(&["events", "day.ndjson", "--report", "json"]);
    let list: Value = serde_json::from_str(&output.stdout).unwrap();
    let field = |name: &str| {
        list["names"][0]["fields"].as_array().unwrap().iter().find(|field| field["name"] == name).unwrap().clone()
    };
    assert_eq!(
        field("user/age"),
        json!({"name": "user/age", "count": 2, "types": {"number": 2}, "least": 7, "greatest": 41, "distinct": 2, "samples": ["41", "7"]})
    );
    assert_eq!(field("user")["types"], json!({"map": 2}));
    assert_eq!(field("ts")["latest"], json!("2026-11-16T09:30:00Z"));
}

/// Declarations that `events --declare` writes make a spec, together with a property.
#[test]
fn declarations_of_a_log_begin_a_spec() {
    let requests = "when,method,path,id\n1763290000000,GET,/a,1\n1763290001000,PUT,/a,1\n";
    let lines = "8 login user=ann\n";
    let template = "time when in ms\nname \"{method} {path}\"\n";
    let text = "log text \"{time} {event} user={user}\"\n";
    let folder = TestFolder::with(&[("day.ndjson", NESTED), ("day.csv", requests), ("day.log", lines)]);
    folder.write("named.rv", template.as_bytes());
    folder.write("text.rv", text.as_bytes());
    for (arguments, declared, property, status) in [
        (
            &["events", "day.ndjson", "--declare"][..],
            "time ts\nevent login(user_name, user_age) = login[user/name as user_name, user/age as user_age]\nevent \"GET /a\"(user_name) = \"GET /a\"[user/name as user_name]\n",
            "mtl p { forall n. G(login(n, _) -> F[0,2h] \"GET /a\"(n)) }",
            1,
        ),
        (
            &["events", "day.csv", "--event", "method", "--time", "when", "--declare"][..],
            "time when in ms\nname method\nevent GET(path, id)\nevent PUT(path, id)\n",
            "mtl p { forall p, i. G(GET(p, i) -> F[0,2s] PUT(p, i)) }",
            0,
        ),
        (
            &["events", "day.csv", "--spec", "named.rv", "--declare"][..],
            "time when in ms\nname \"{method} {path}\"\nevent \"GET /a\"(method, path, id)\nevent \"PUT /a\"(method, path, id)\n",
            "mtl p { F \"PUT /a\"(\"PUT\", \"/a\", 1) }",
            0,
        ),
    ] {
        let output = folder.run(arguments);
        assert_eq!((output.status, output.stdout.as_str()), (0, declared), "{arguments:?}: {}", output.stderr);
        folder.write("made.rv", format!("{}{property}\n", output.stdout).as_bytes());
        let checked = folder.run(&["check", "made.rv", arguments[1]]);
        assert_eq!(checked.status, status, "{arguments:?}: {}{}", checked.stdout, checked.stderr);
    }
    let output = folder.run(&["events", "day.log", "--spec", "text.rv", "--declare"]);
    assert!(output.stdout.contains(text.trim_end()), "{}{}", output.stdout, output.stderr);
}

#[test]
fn cases_may_be_parts_of_a_field() {
    let lines = r#"
        {"event":"a","time":0,"user":{"name":"ann"}}
        {"event":"a","time":1,"user":{"name":"bob"}}
        {"event":"b","time":2,"user":{"name":"ann"}}
    "#;
    let folder = TestFolder::with(&[("rules.rv", "mtl p { G(a -> F b) }\n"), ("day.ndjson", lines)]);
    let expected = folder.run(&["check", "rules.rv", "day.ndjson", "--by", "user/name", "--report", "json"]);
    let report: Value = serde_json::from_str(&expected.stdout).expect(&expected.stderr);
    assert_eq!(report["traces"][0]["cases"], json!({"total": 2, "violating": 1}));
    for options in [&["--jobs", "2"][..], &["--events"][..], &["--reference"][..]] {
        let other = folder.run(
            &[&["check", "rules.rv", "day.ndjson", "--by", "user/name", "--report", "json"][..], options].concat(),
        );
        let other: Value = serde_json::from_str(&other.stdout).expect(&other.stderr);
        assert_eq!(other["traces"][0]["cases"], report["traces"][0]["cases"], "{options:?}");
    }
    assert!(folder.run(&["stats", "rules.rv", "day.ndjson", "--by", "user/name"]).status == 0);
}
