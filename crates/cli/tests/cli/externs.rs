// SPDX-License-Identifier: MIT OR Apache-2.0
//! External variables on the command line: what the reports say of them, what is recorded, and what is judged again.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use serde_json::{Value, json};

use crate::support::TestFolder;

const SPEC: &str = "time in s\nextern $limit from \"limits.json\" path \"/daily\" every 10s\n\
                    albert cap { onEvent(pay) -> $amount <= $limit }\n";
const TRACE: &str = "event,time,amount\npay,1,10\npay,5,60\nx,12,\npay,12,30\npay,40,100\n";

fn folder() -> TestFolder {
    TestFolder::with(&[("cap.rv", SPEC), ("day.csv", TRACE), ("limits.json", "{\"daily\": 50}")])
}

fn report(folder: &TestFolder, arguments: &[&str]) -> Value {
    let output = folder.run(&[&["check", "cap.rv"], arguments, &["--report", "json"]].concat());
    let report: Value =
        serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", output.stderr));
    report["traces"][0].clone()
}

#[test]
fn reports_list_the_values_read() {
    let folder = folder();
    let output = folder.run(&["check", "cap.rv", "day.csv"]);
    assert_eq!((output.status, output.stderr.as_str()), (1, ""));
    let note = "note: `$limit` (limits.json path /daily, every 10s): 3 reads, last value 50\n";
    assert!(output.stdout.contains(note), "{}", output.stdout);
    let expected = json!([{"name": "limit", "source": "limits.json", "path": "/daily", "every": "10s",
        "reads": 3, "recorded": 0, "failures": 0, "value": 50}]);
    assert_eq!(report(&folder, &["day.csv"])["externs"], expected);
    let lines = folder.run(&["check", "cap.rv", "day.csv", "--report", "ndjson"]).stdout;
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!((&last["type"], &last["externs"]), (&json!("summary"), &expected));
}

#[test]
fn a_failure_is_a_warning_and_not_an_error() {
    let folder = folder();
    folder.write("limits.json", b"{\"weekly\": 50}");
    let output = folder.run(&["check", "cap.rv", "day.csv"]);
    assert_eq!((output.status, output.stderr.as_str()), (1, ""));
    let warning = "warning: `$limit` (limits.json path /daily, every 10s): 3 reads, 3 failed (the answer has no `/daily`), \
                   it never had a value\n";
    assert!(output.stdout.contains(warning), "{}", output.stdout);
    let externs = &report(&folder, &["day.csv"])["externs"][0];
    assert_eq!((&externs["failures"], &externs["last_failure"]), (&json!(3), &json!("the answer has no `/daily`")));
    assert_eq!(externs.get("value"), None);
}

#[test]
fn no_source_is_queried_with_no_extern() {
    let folder = folder();
    let output = folder.run(&["check", "cap.rv", "day.csv", "--no-extern"]);
    let note = "note: `$limit` (limits.json path /daily, every 10s) was not requested: it never had a value\n";
    assert!(output.stdout.contains(note), "{}", output.stdout);
    assert_eq!(report(&folder, &["day.csv", "--no-extern"])["properties"][0]["violated"], json!(4));
    let stats =
        |arguments: &[&str]| folder.run(&[&["stats", "cap.rv", "day.csv", "--report", "json"], arguments].concat());
    assert!(stats(&[]).stdout.contains("\"reads\":3"));
    assert!(stats(&["--no-extern"]).stdout.contains("\"reads\":0"));
}

#[test]
fn a_record_gives_the_same_verdicts() {
    let folder = folder();
    let first = report(&folder, &["day.csv", "--record", "judged.ndjson"]);
    assert_eq!(
        folder.read("judged.ndjson").lines().take(2).collect::<Vec<_>>(),
        [
            r#"{"event": "extern", "time": 1, "variable": "limit", "limit": 50, "failed": false}"#,
            r#"{"event": "pay", "time": 1, "amount": 10}"#
        ]
    );
    folder.write("limits.json", b"{\"daily\": 5000}");
    for arguments in [&["judged.ndjson"][..], &["judged.ndjson", "--reference"], &["judged.ndjson", "--jobs", "3"]] {
        let again = report(&folder, arguments);
        for field in ["verdict", "positions", "activated", "violated"] {
            assert_eq!(first["properties"][0][field], again["properties"][0][field], "{arguments:?}: {field}");
        }
        assert_eq!((&again["events"], &again["externs"][0]["recorded"]), (&json!(5), &json!(3)), "{arguments:?}");
    }
    // Without the record the new limit counts, also for the plain semantics.
    for arguments in [&["day.csv"][..], &["day.csv", "--reference"]] {
        assert_eq!(report(&folder, arguments)["properties"][0]["violated"], json!(0), "{arguments:?}");
    }
}

#[test]
fn unrecordable_traces_are_refused() {
    let folder = folder();
    let output = folder.run(&["check", "cap.rv", "day.csv", "day.csv", "--record", "out.ndjson"]);
    assert_eq!(output.status, 2);
    assert!(output.stderr.contains("error[G0741]"), "{}", output.stderr);
    let xes = "<log><trace><event><string key=\"concept:name\" value=\"pay\"/><int key=\"amount\" value=\"1\"/>\
               <date key=\"time:timestamp\" value=\"2024-01-01T00:00:00Z\"/></event></trace></log>";
    folder.write("day.xes", xes.as_bytes());
    let output = folder.run(&["check", "cap.rv", "day.xes", "--record", "out.ndjson"]);
    assert_eq!(output.status, 2);
    assert!(output.stderr.contains("error[G0741]"), "{}", output.stderr);
    assert!(!folder.names().contains(&"out.ndjson".to_owned()), "{:?}", folder.names());
    assert_eq!(folder.run(&["check", "cap.rv", "day.xes", "--by", "none", "--record", "out.ndjson"]).status, 0);
    assert!(folder.read("out.ndjson").contains("\"limit\": 50"));
}

#[test]
fn a_server_is_queried() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut byte = [0];
        while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
            request.push(byte[0]);
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\nConnection: close\r\n\r\n{\"daily\": 1}").unwrap();
        String::from_utf8(request).unwrap()
    });
    let folder = folder();
    folder
        .write("cap.rv", SPEC.replace("limits.json", &format!("http://{address}/day")).replace("10s", "1h").as_bytes());
    assert_eq!(report(&folder, &["day.csv"])["properties"][0]["violated"], json!(4));
    let request = server.join().unwrap();
    assert!(request.starts_with("GET /day HTTP/1.1\r\n"), "{request}");
}

#[test]
fn a_period_with_a_unit_needs_one() {
    let folder = folder();
    folder.write("cap.rv", SPEC.replace("time in s\n", "").as_bytes());
    let output = folder.run(&["check", "cap.rv", "day.csv"]);
    assert_eq!(output.status, 2);
    assert!(output.stderr.contains("error[G0401]"), "{}", output.stderr);
}
