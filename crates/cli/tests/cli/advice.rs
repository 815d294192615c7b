// SPDX-License-Identifier: MIT OR Apache-2.0
//! The declarations that errors suggest for logs that are not recognised: the log can be read with them.

use crate::support::TestFolder;

/// A name, the content of a log, and the first line of `gnomon events` with the suggested declarations.
const LOGS: [(&str, &str, &str); 17] = [
    (
        "gc.log",
        "[2026-11-16T11:42:09.123+0100][info][gc] Using G1\n[2026-11-16T11:42:10.456+0100][info][gc] Pause\n",
        "2 events, from 2026-11-16T11:42:09.123+01:00",
    ),
    ("uptime.log", "[0.015s][info][gc] Using G1\n[1.234s][info][gc] Pause\n", "2 events, from 0.015 to 1.234 s"),
    (
        "dmesg.txt",
        "[    0.000000] Linux version 6.8\n[   12.345678] eth0: link up\n",
        "2 events, from 0 to 12.345678 s",
    ),
    (
        "rust.log",
        "[2026-11-16T11:42:09Z INFO  shop::pay] charge\n[2026-11-16T11:42:10Z ERROR shop::pay] failed\n",
        "2 events, from 2026-11-16T11:42:09Z",
    ),
    (
        "java.log",
        "11:42:09.123 [main] INFO  c.App - up\n00:00:01.000 [main] INFO  c.App - down\n",
        "2 events, from 1970-01-01T11:42:09.123Z to 1970-01-02T00:00:01Z",
    ),
    (
        "android.txt",
        "11-16 11:42:09.123  1234  1250 I Activity: Start\n11-16 11:42:10.123  1234  1250 W Input: broken\n",
        "2 events, from 2",
    ),
    ("python.log", "INFO:root:starting\nERROR:shop:failed\n", "2 events, without times"),
    (
        "iis.log",
        "#Software: IIS\n#Fields: date time s-ip cs-method sc-status\n2026-11-16 11:42:09 10.0.0.1 GET 200\n",
        "1 event, from 2026-11-16T11:42:09Z",
    ),
    (
        "windows.csv",
        "Level,Date and Time,Source,Event ID\nError,11/16/2026 1:02:30 PM,SCM,7031\n",
        "1 event, from 2026-11-16T13:02:30Z",
    ),
    (
        "server.csv",
        "2026-11-16 11:42:09 CET,\"app\",1234,LOG\n2026-11-16 11:42:10 CET,\"app\",1234,ERROR\n",
        "2 events, from 2026-11-16T11:42:09+01:00",
    ),
    ("gelf.json", "{\"version\":\"1.1\",\"short_message\":\"in\",\"timestamp\":3}\n", "1 event, from 3 to 3"),
    (
        "trail.json",
        "{\"eventTime\":\"2026-11-16T11:42:09Z\",\"eventName\":\"CreateUser\"}\n",
        "1 event, from 2026-11-16T11:42:09Z",
    ),
    (
        "mongo.json",
        "{\"t\":{\"$date\":\"2026-11-16T11:42:09Z\"},\"msg\":\"up\",\"attr\":{\"n\":1}}\n",
        "1 event, from 2026-11-16T11:42:09Z",
    ),
    (
        "pod.json",
        "{\"metadata\":{\"created\":\"2026-11-16T11:42:09Z\"},\"reason\":\"Started\"}\n",
        "1 event, from 2026-11-16T11:42:09Z",
    ),
    ("oracle.csv", "event,time\na,16-NOV-26 11.42.20.123000 AM\n", "1 event, from 2026-11-16T11:42:20.123Z"),
    ("table.tsv", "1763293320\topen\t7\n1763293321\tclose\t7\n", "2 events, from 1763293320 to 1763293321"),
    ("short.csv", "event,time\na,11/16/26 11:42 PM\n", "1 event, from 2026-11-16T23:42:00Z"),
];

/// Returns the declarations in backquotes of a message: the first of each kind.
fn declarations(message: &str) -> String {
    let quoted = message.split('`').skip(1).step_by(2);
    let mut kinds: Vec<&str> = Vec::new();
    let mut spec = String::new();
    for declaration in quoted {
        let Some((kind, _)) = declaration.split_once(' ').filter(|(kind, _)| matches!(*kind, "log" | "time" | "name"))
        else {
            continue;
        };
        if !kinds.contains(&kind) {
            kinds.push(kind);
            spec.extend([declaration, "\n"]);
        }
    }
    spec
}

#[test]
fn suggested_declarations_read_the_log() {
    for (name, content, expected) in LOGS {
        let folder = TestFolder::with(&[(name, content), ("rules.rv", "")]);
        // The declaration of the names may show that one of the times is needed, too.
        for _ in 0..3 {
            let output = folder.run(&["events", name, "--spec", "rules.rv"]);
            if output.status == 0 && !output.stdout.contains("declare `time") {
                break;
            }
            let message = if output.status == 0 { output.stdout } else { output.stderr };
            let mut spec = folder.read("rules.rv");
            spec += &declarations(&message);
            folder.write("rules.rv", spec.as_bytes());
        }
        let output = folder.run(&["events", name, "--spec", "rules.rv"]);
        let first = output.stdout.lines().next().unwrap_or_default();
        assert!(
            output.status == 0 && first.starts_with(&format!("{name}: {expected}")),
            "{name}\n{}\n{}{}",
            folder.read("rules.rv"),
            output.stdout,
            output.stderr
        );
    }
}

#[test]
fn suggested_patterns_have_the_fields_that_lines_have_in_common() {
    let log = "2026-11-16 11:42:09,120 INFO  [http-1] c.App - order created id=7\n\
               2026-11-16 11:42:10,417 WARN  [http-2] c.App - order paid id=7\n\
               java.lang.IllegalStateException: no stock\n\
               2026-11-16 11:42:19,003 INFO  [http-1] c.App - order created id=8\n\
               2026-11-16 11:42:20,003 INFO  [http-1] c.App - order paid id=8\n";
    let folder = TestFolder::with(&[("java.log", log), ("none.rv", "mtl p { G !fail }\n")]);
    let error = folder.run(&["events", "java.log"]).stderr;
    assert!(error.contains("log text \"{time} {level} [{source}] {thread} - {event} id={id}\""), "{error}");
    folder.write("rules.rv", declarations(&error).as_bytes());
    let found = folder.run(&["events", "java.log", "--spec", "rules.rv"]).stdout;
    assert!(found.starts_with("java.log: 4 events") && found.contains("2  order paid"), "{found}");
    // A wrong pattern: the format that the log has is named.
    let access = "192.0.2.1 - - [16/Nov/2026:11:42:09 +0000] \"GET / HTTP/1.1\" 200 612 \"-\" \"curl\"\n";
    folder.write("access.log", access.as_bytes());
    folder.write("none.rv", b"log text \"{time} {event}\"\nmtl p { G !fail }\n");
    let error = folder.run(&["check", "none.rv", "access.log"]).stderr;
    assert!(error.contains("`log nginx`, which reads an access log of nginx or Apache"), "{error}");
}

#[test]
fn lists_of_events_are_divided_into_lines() {
    for (name, content) in [
        ("trail.json", "{\"Records\":[{\"eventName\":\"CreateUser\"}]}\n"),
        ("list.json", "[\n {\"insertId\":\"a\",\"message\":\"in\"}\n]\n"),
        ("pods.json", "{\"kind\":\"List\",\"items\":[\n{\"reason\":\"Started\"}\n]}\n"),
    ] {
        let output = TestFolder::with(&[(name, content)]).run(&["events", name]);
        assert!(output.status == 2 && output.stderr.contains("`jq -c "), "{name} {}", output.stderr);
    }
}

#[test]
fn comments_of_text_logs_are_skipped() {
    let spec = "log text \"{time} {event}\" (unmatched error)\nmtl p { G !fail }\n";
    let log = "#Version: 1.0\n1 start\n# a remark\n2 stop\n";
    let folder = TestFolder::with(&[("p.rv", spec), ("day.log", log), ("none.log", "#Version: 1.0\n")]);
    let output = folder.run(&["check", "p.rv", "day.log", "--fail-on", "unmatched"]);
    assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    let output = folder.run(&["check", "p.rv", "none.log"]);
    assert!(output.status == 2 && output.stderr.contains("all begin with `#`"), "{}", output.stderr);
}

#[test]
fn times_inside_other_values_are_declared_by_a_path() {
    let log = "{\"event\":\"a\",\"t\":{\"$date\":\"2026-11-16T11:42:09Z\",\"zone\":\"x\"},\"n\":1}\n\
               {\"event\":\"b\",\"t\":{\"$date\":\"2026-11-16T11:42:19Z\",\"zone\":\"y\"},\"n\":2}\n";
    let rule = "mtl p { G(a -> F[0,5s] b[t/zone = \"y\" && n = 2]) }\n";
    for declaration in ["time \"t/$date\"", "time t/\"$date\""] {
        let folder = TestFolder::with(&[("p.rv", &format!("{declaration}\n{rule}")), ("day.ndjson", log)]);
        let output = folder.run(&["check", "p.rv", "day.ndjson"]);
        assert!(
            output.status == 1 && output.stdout.contains("too late, after 10 s"),
            "{}{}",
            output.stdout,
            output.stderr
        );
    }
    let missing = "{\"event\":\"a\",\"t\":{\"$date\":1}}\n{\"event\":\"b\",\"t\":{}}\n";
    let folder = TestFolder::with(&[("p.rv", "time \"t/$date\"\nmtl p { G !c }\n"), ("day.ndjson", missing)]);
    let output = folder.run(&["check", "p.rv", "day.ndjson"]);
    assert!(output.status == 2 && output.stderr.contains("this event has no time"), "{}", output.stderr);
}
