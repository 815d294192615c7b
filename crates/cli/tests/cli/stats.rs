// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon stats`: numbers that can be found by hand.

use serde_json::{Value, json};

use crate::support::{TestFolder, root, run};

/// Requests at 1, 13 and 25 of which the second is never answered; an alarm at 12.
const TRACE: &str = "\
event, time
start, 0
request, 1
reply, 2
alarm, 12
request, 13
request, 25
reply, 27
ping, 49
";
const SPEC: &str = "\
time in s
soloist polite \"In time\" { G(request -> F[0,3] reply) }
soloist calm { G(!alarm) }
";

fn stats(folder: &TestFolder, arguments: &[&str]) -> Value {
    let mut all = vec!["stats"];
    all.extend(arguments);
    all.extend(["--report", "json"]);
    let output = folder.run(&all);
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
    serde_json::from_str(&output.stdout).expect("the report is JSON")
}

/// For each interval: its bounds and events, and the counts at its end.
fn series(property: &Value) -> Vec<[u64; 7]> {
    let names = ["from", "to", "events", "activated", "satisfied", "violated", "pending"];
    let row = |row: &Value| names.map(|name| row[name].as_u64().unwrap_or_else(|| panic!("{name} of {row}")));
    property["series"].as_array().expect("it is a list").iter().map(row).collect()
}

#[test]
fn each_interval_shows_the_state_at_its_end() {
    let folder = TestFolder::with(&[("rules.rv", SPEC), ("day.csv", TRACE)]);
    let report = stats(&folder, &["rules.rv", "day.csv", "--every", "10s"]);
    let polite = &report["properties"][0];
    // The second request is open until 16.
    let expected = [
        [0, 10, 3, 1, 1, 0, 0],
        [10, 20, 2, 2, 1, 1, 0],
        [20, 30, 2, 3, 2, 1, 0],
        [30, 40, 0, 3, 2, 1, 0],
        [40, 50, 1, 3, 2, 1, 0],
    ];
    assert_eq!(series(polite), expected);
    let second = &polite["series"][1];
    assert_eq!(second["within"], json!({"activated": 1, "satisfied": 0, "violated": 1, "mean": null}));
    assert_eq!(
        (&second["failure_percent"], &second["duration"]),
        (&json!(50), &json!({"min": 1, "max": 1, "mean": 1}))
    );
    let third = &polite["series"][2];
    assert_eq!(third["duration"], json!({"min": 1, "max": 2, "mean": "1.5"}));
    assert_eq!(third["within"], json!({"activated": 1, "satisfied": 1, "violated": 0, "mean": 2}));
    assert_eq!(third["failure_percent"], json!("33.333333333"));
    // A deadline passes within an interval, too: at 15 it is open, at 20 it is not.
    let finer = stats(&folder, &["rules.rv", "day.csv", "--every", "5", "--property", "polite"]);
    assert_eq!(series(&finer["properties"][0])[2..4], [[10, 15, 2, 2, 1, 0, 1], [15, 20, 0, 2, 1, 1, 0]]);
    let named = [&report["source"], &report["spec"], &report["every"], &report["unit"]];
    assert_eq!(named, [&json!("day.csv"), &json!("rules.rv"), &json!(10), &json!("s")]);
}

/// The last interval says what `check` says, in every language, whatever the interval.
#[test]
fn the_last_interval_is_the_end() {
    let examples = [
        ("examples/atm/atm.rv", "examples/atm/b4.xml"),
        ("examples/request-response/requests.rv", "examples/request-response/service.csv"),
        ("examples/unsafe-iterator/unsafe-iterator.rv", "examples/unsafe-iterator/bad.csv"),
        ("examples/resource-lifecycle/resources.rv", "examples/resource-lifecycle/mission.csv"),
        ("examples/rv4ws-example-3/example-3.rv", "examples/rv4ws-example-3/messages.csv"),
        ("examples/product-retriever/product-retriever.rv", "examples/product-retriever/in-order.ndjson"),
        ("examples/candidate-selection/election.rv", "examples/candidate-selection/primary.csv"),
    ];
    let parse = |text: &str| serde_json::from_str::<Value>(text).expect("it is JSON");
    for (spec, trace) in examples {
        for end in [&[][..], &["--prefix"]] {
            let arguments = [&["check", spec, trace, "--report", "json"], end].concat();
            let checked = parse(&run(&root(), &arguments, b"").stdout);
            for every in [&[][..], &["--every", "7"]] {
                let arguments = [&["stats", spec, trace, "--report", "json"], end, every].concat();
                let output = run(&root(), &arguments, b"");
                assert_eq!(output.status, 0, "{arguments:?}: {}", output.stderr);
                let counted = parse(&output.stdout);
                let properties = checked["traces"][0]["properties"].as_array().expect("a list");
                for (checked, counted) in properties.iter().zip(counted["properties"].as_array().expect("a list")) {
                    let last = counted["series"].as_array().and_then(|rows| rows.last()).expect("there are events");
                    for name in ["activated", "satisfied", "violated", "pending", "duration"] {
                        assert_eq!(counted[name], checked[name], "{spec} {end:?} {}: {name}", checked["name"]);
                        assert_eq!(last[name], checked[name], "{spec} {end:?} {}: {name}", checked["name"]);
                    }
                    assert_eq!(counted["verdict"], checked["verdict"]);
                }
            }
        }
    }
}

#[test]
fn values_have_counts_of_their_own() {
    let spec = "mtl each { forall i. G(open(i) -> F[0,5] close(i)) }\n";
    let trace = "event, time, i\nopen, 0, a\nopen, 2, b\nclose, 3, a\nopen, 11, c\nclose, 12, c\nend, 20,\n";
    let folder = TestFolder::with(&[("each.rv", spec), ("day.csv", trace)]);
    let report = stats(&folder, &["each.rv", "day.csv", "--every", "4"]);
    let expected = [
        [0, 4, 3, 2, 1, 0, 1],
        [4, 8, 0, 2, 1, 1, 0],
        [8, 12, 1, 3, 1, 1, 1],
        [12, 16, 1, 3, 2, 1, 0],
        [16, 20, 0, 3, 2, 1, 0],
        [20, 24, 1, 3, 2, 1, 0],
    ];
    assert_eq!(series(&report["properties"][0]), expected);
    assert_eq!(report["properties"][0]["duration"], json!({"min": 1, "max": 3, "mean": 2}));
    assert_eq!(report["unit"], json!(null));
}

#[test]
fn automata_are_counted_as_they_stand() {
    let spec =
        "qea closed {\n  Forall(f)\n  accept skip(idle){ open(f) -> busy }\n  skip(busy){ close(f) -> idle }\n}\n";
    let trace = "event, time, f\nopen, 0, a\nclose, 3, a\nopen, 4, b\nping, 9,\n";
    let folder = TestFolder::with(&[("closed.rv", spec), ("day.csv", trace)]);
    let rows = series(&stats(&folder, &["closed.rv", "day.csv", "--every", "2"])["properties"][0]);
    // Until the end nobody knows what becomes of a binding; then one is closed, and one is not.
    assert_eq!(rows[0], [0, 2, 1, 1, 0, 0, 1]);
    assert_eq!(rows[1], [2, 4, 1, 1, 0, 0, 1]);
    assert_eq!(rows[4], [8, 10, 1, 2, 1, 1, 0]);
}

/// The rules and the messages of the paper's third example.
#[test]
fn rules_are_counted_by_their_activations() {
    let arguments = ["stats", "examples/rv4ws-example-3/example-3.rv", "examples/rv4ws-example-3/messages.csv"];
    let output = run(&root(), &[&arguments[..], &["--every", "5", "--report", "json"]].concat(), b"");
    let report: Value = serde_json::from_str(&output.stdout).expect("the report is JSON");
    // One window ends at 13, when no message comes.
    let expected = [[0, 5, 3, 2, 0, 0, 2], [5, 10, 2, 2, 1, 0, 1], [10, 15, 1, 2, 1, 1, 0], [15, 20, 2, 2, 1, 1, 0]];
    assert_eq!(series(&report["properties"][0]), expected);
    assert_eq!(report["properties"][0]["failure_percent"], json!(50));
    assert_eq!(report["properties"][0]["duration"], json!({"min": 9, "max": 9, "mean": 9}));
    let expected = [[0, 5, 3, 0, 0, 0, 0], [5, 10, 2, 1, 1, 0, 0], [10, 15, 1, 1, 1, 0, 0], [15, 20, 2, 1, 1, 0, 0]];
    assert_eq!(series(&report["properties"][1]), expected);
    assert_eq!(report["properties"][1]["series"][0]["failure_percent"], json!(null));
}

#[test]
fn about_fifty_intervals_are_chosen_by_default() {
    let folder = TestFolder::with(&[("rules.rv", SPEC), ("day.csv", TRACE)]);
    // All times are whole: a shorter interval would only be empty.
    let report = stats(&folder, &["rules.rv", "day.csv"]);
    assert_eq!((&report["every"], series(&report["properties"][0]).len()), (&json!(1), 50));
    for (step, every) in [(7_u64, 300), (700, 7_200), (1_000_000, 86_400 * 200)] {
        let rows: Vec<String> = (0..1_000).map(|number| format!("ping, {}\n", number * step)).collect();
        folder.write("long.csv", format!("event, time\n{}", rows.concat()).as_bytes());
        let report = stats(&folder, &["rules.rv", "long.csv"]);
        let rows = series(&report["properties"][0]);
        assert_eq!(report["every"], json!(every));
        assert!((20..=100).contains(&rows.len()), "{}", rows.len());
        assert_eq!(rows.iter().map(|row| row[2]).sum::<u64>(), 1_000);
        assert!(rows.windows(2).all(|pair| pair[0][1] == pair[1][0]));
    }
}

#[test]
fn date_times_and_places_are_times_too() {
    let trace = "event, time\nstart, 2024-05-01T23:59:50Z\nrequest, 2024-05-02T00:00:01Z\nping, 2024-05-02T00:00:20Z\n";
    let spec = "soloist polite { G(request -> F[0,3s] reply) }\n";
    let folder =
        TestFolder::with(&[("rules.rv", spec), ("day.csv", trace), ("plain.rv", "soloist calm { G(!alarm) }\n")]);
    folder.write("places.csv", b"event\nstart\nalarm\nping\n");
    let report = stats(&folder, &["rules.rv", "day.csv", "--every", "10s"]);
    let rows = report["properties"][0]["series"].as_array().unwrap();
    let bounds: Vec<&str> = rows.iter().map(|row| row["from"].as_str().unwrap()).collect();
    let expected = ["2024-05-01T23:59:50Z", "2024-05-02T00:00:00Z", "2024-05-02T00:00:10Z", "2024-05-02T00:00:20Z"];
    assert_eq!(bounds, expected);
    let violated: Vec<u64> = rows.iter().map(|row| row["violated"].as_u64().unwrap()).collect();
    assert_eq!((violated, &report["unit"]), (vec![0, 1, 1, 1], &json!("s")));
    let report = stats(&folder, &["plain.rv", "places.csv", "--every", "2"]);
    assert_eq!(series(&report["properties"][0]), [[0, 2, 2, 1, 0, 1, 0], [2, 4, 1, 2, 1, 1, 0]]);
}

#[test]
fn cases_add_up() {
    let spec = "time in s\nsoloist polite { G(request -> F[0,3] reply) }\n";
    let trace = "\
event, time, session
open, 0, ann
open, 0, bob
request, 1, ann
request, 2, bob
reply, 2, ann
ping, 3,
reply, 9, bob
open, 9, cem
request, 10, cem
reply, 13, cem
";
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.csv", trace)]);
    let report = stats(&folder, &["rules.rv", "day.csv", "--by", "session", "--every", "4s"]);
    let expected = [[0, 4, 5, 2, 1, 0, 1], [4, 8, 0, 2, 1, 1, 0], [8, 12, 3, 3, 1, 1, 1], [12, 16, 1, 3, 2, 1, 0]];
    assert_eq!(series(&report["properties"][0]), expected);
    assert_eq!(report["properties"][0]["duration"], json!({"min": 1, "max": 3, "mean": 2}));
    assert_eq!(report["cases"], json!({"total": 3, "violating": 1, "events_without": 1}));
    let none = folder.run(&["stats", "rules.rv", "day.csv", "--by", "Session"]);
    assert_eq!(none.status, 2);
    assert!(none.stderr.starts_with("error[G0710]"), "{}", none.stderr);
}

/// The cases of a process log come one after the other, each from its own beginning.
#[test]
fn cases_that_go_back_in_time_add_up() {
    let event = |name: &str, second: u32| {
        format!(
            "<event><string key=\"concept:name\" value=\"{name}\"/>\
             <date key=\"time:timestamp\" value=\"2024-05-01T12:00:{second:02}Z\"/></event>"
        )
    };
    let case = |name: &str, events: &[(&str, u32)]| {
        let events: String = events.iter().map(|(name, second)| event(name, *second)).collect();
        format!("<trace><string key=\"concept:name\" value=\"{name}\"/>{events}</trace>")
    };
    let log = [
        case("late", &[("open", 10), ("request", 11), ("reply", 25)]),
        case("good", &[("open", 0), ("request", 1), ("reply", 3)]),
        case("open", &[("open", 30), ("request", 31)]),
    ];
    let log = format!("<?xml version=\"1.0\"?>\n<log xes.version=\"1.0\">{}</log>\n", log.concat());
    let spec = "soloist polite { G(request -> F[0,3s] reply) }\n";
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.xes", &log)]);
    let report = stats(&folder, &["rules.rv", "day.xes", "--every", "10s"]);
    let rows = report["properties"][0]["series"].as_array().unwrap();
    let counts =
        |row: &Value| ["events", "activated", "satisfied", "violated", "pending"].map(|name| row[name].as_u64());
    let counts: Vec<_> = rows.iter().map(|row| counts(row).map(Option::unwrap)).collect();
    assert_eq!(rows[0]["from"], json!("2024-05-01T12:00:00Z"));
    assert_eq!(counts, [[3, 1, 1, 0, 0], [2, 2, 1, 1, 0], [1, 2, 1, 1, 0], [2, 3, 1, 2, 0]]);
    let alone = stats(&folder, &["rules.rv", "day.xes"]);
    assert_eq!((&alone["every"], &alone["properties"][0]["violated"]), (&json!(1), &json!(2)));
}

#[test]
fn people_get_a_table() {
    let folder = TestFolder::with(&[("rules.rv", SPEC), ("day.csv", TRACE)]);
    let output = folder.run(&["stats", "rules.rv", "day.csv", "--every", "25s", "--property", "polite"]);
    let table = "\
day.csv: 8 events, from 0 to 49 s; 2 intervals of 25 s

  property  activated  satisfied  violated  pending  failure  min  max   mean
  polite            3          2         1        0   33.3 %  1 s  2 s  1.5 s

polite over time

  from  to  events  activated  satisfied  violated  pending  failure  min  max   mean  +activated  +satisfied  +violated
     0  25       5          2          1         1        0     50 %  1 s  1 s    1 s          +2          +1         +1
    25  50       3          3          2         1        0   33.3 %  1 s  2 s  1.5 s          +1          +1          -
";
    assert_eq!((output.status, output.stdout.as_str(), output.stderr.as_str()), (0, table, ""));
    let short = folder.run(&["stats", "rules.rv", "day.csv"]).stdout;
    assert!(!short.contains("over time"), "{short}");
    assert_eq!(short.lines().count(), 5, "{short}");
}

#[test]
fn a_long_gap_is_no_flood() {
    let folder = TestFolder::with(&[("rules.rv", SPEC), ("day.csv", "event, time\nstart, 0\nping, 5000000\n")]);
    let output = folder.run(&["stats", "rules.rv", "day.csv", "--every", "10s"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    let message = "error[G0905]: `--every 10s`: the trace spans 500001 such intervals; the limit is 10000\n  \
                   = help: write a longer one, such as `--every 100000s`, or leave it to be found\n";
    assert_eq!(output.stderr, message);
    let report = stats(&folder, &["rules.rv", "day.csv"]);
    assert_eq!((&report["every"], series(&report["properties"][0]).len()), (&json!(86_400 * 20), 3));
}

#[test]
fn an_interval_must_make_sense() {
    let folder = TestFolder::with(&[("calm.rv", "soloist calm { G(!alarm) }\n"), ("day.csv", TRACE)]);
    for (every, part) in
        [("10s", "the trace's unit is unknown"), ("0", "and not 0"), ("0.0000000001", "not an amount of time")]
    {
        let output = folder.run(&["stats", "calm.rv", "day.csv", "--every", every]);
        assert_eq!((output.status, output.stdout.as_str()), (2, ""));
        assert!(output.stderr.contains(part), "{every}: {}", output.stderr);
    }
    assert_eq!(stats(&folder, &["calm.rv", "day.csv", "--every", "10"])["every"], json!(10));
}

#[test]
fn the_page_is_one_file_that_asks_for_nothing() {
    let folder = TestFolder::with(&[("rules.rv", SPEC), ("day.csv", TRACE)]);
    let output = folder.run(&["stats", "rules.rv", "day.csv", "--html", "page.html", "--report", "json"]);
    assert_eq!(output.status, 0);
    let page = folder.read("page.html");
    assert!(page.contains(output.stdout.trim_end()), "the page carries the same numbers");
    for address in ["http://", "https://", "src=", "url(", "@import", "{{"] {
        let rest = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!rest.contains(address), "{address}");
    }
    let printed = folder.run(&["stats", "rules.rv", "day.csv", "--html", "-"]);
    assert_eq!((printed.status, printed.stdout), (0, page));
    let nowhere = folder.run(&["stats", "rules.rv", "day.csv", "--html", "no/such/page.html"]);
    assert!(nowhere.status == 2 && nowhere.stderr.starts_with("error[G0811]"), "{}", nowhere.stderr);
}

#[test]
fn a_trace_that_breaks_off_has_no_statistics() {
    let folder = TestFolder::with(&[("rules.rv", SPEC), ("day.csv", "event, time\nstart, 0\nping, x\n")]);
    let output = folder.run(&["stats", "rules.rv", "day.csv", "--html", "page.html"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.starts_with("error[G0506]"), "{}", output.stderr);
    assert_eq!(folder.names(), ["day.csv", "rules.rv"]);
}

/// `docs/statistics.md` shows real output.
#[test]
fn the_document_is_accurate() {
    let document = std::fs::read_to_string(root().join("docs/statistics.md")).expect("the document is there");
    let block = |text: &str, kind: &str| {
        let (_, rest) = text.split_once(&format!("```{kind}\n")).expect("there is a block");
        rest.split_once("```\n").map(|(block, rest)| (block.to_owned(), rest.to_owned())).expect("it ends")
    };
    let (command, rest) = block(&document, "sh");
    let (expected, rest) = block(&rest, "text");
    let arguments: Vec<&str> = command.split_whitespace().skip(1).collect();
    let output = run(&root(), &arguments, b"");
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), (expected.as_str(), ""));
    // The page is written elsewhere: a test leaves nothing behind.
    let (command, _) = block(&rest, "sh");
    let page = command.split_whitespace().skip(1).map(|word| if word == "service.html" { "-" } else { word });
    let output = run(&root(), &page.collect::<Vec<_>>(), b"");
    assert!(output.status == 0 && output.stdout.starts_with("<!doctype html>"), "{}", output.stderr);
}
