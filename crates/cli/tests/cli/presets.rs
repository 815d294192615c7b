// SPDX-License-Identifier: MIT OR Apache-2.0
//! Logs in the usual formats, recognised by their content or declared.

use crate::support::TestFolder;

/// A word of `log`, lines of such a log, and a property that only the second line violates.
const LOGS: [(&str, &str, &str); 7] = [
    (
        "nginx",
        "192.0.2.1 - - [16/Nov/2026:11:42:20 +0000] \"GET / HTTP/1.1\" 200 612 \"-\" \"curl/8.5\"\n\
         192.0.2.1 - - [16/Nov/2026:11:42:21 +0000] \"GET /cart HTTP/1.1\" 502 157 \"-\" \"curl/8.5\"\n",
        "request[status >= 500]",
    ),
    (
        "apache",
        "shop.example:443 192.0.2.1 - ann [16/Nov/2026:11:42:20 +0100] \"GET / HTTP/1.1\" 200 612\n\
         shop.example:443 192.0.2.1 - - [16/Nov/2026:11:42:21 +0100] \"POST /login HTTP/1.1\" 401 -\n",
        "request[status = 401 && path = \"/login\"]",
    ),
    (
        "syslog",
        "<34>Nov 16 11:42:20 web1 sshd[812]: Accepted publickey for ann\n\
         <34>Nov 16 11:42:21 web1 sudo: ann : TTY=pts/0\n",
        "sudo",
    ),
    (
        "logfmt",
        "time=2026-11-16T11:42:20Z level=info msg=started port=80\n\
         time=2026-11-16T11:42:21Z level=error msg=\"lost connection\" tries=3\n",
        "\"lost connection\"[tries = 3]",
    ),
    ("cri", "2026-11-16T11:42:20.25Z stdout F hello\n2026-11-16T11:42:21.5Z stderr F it failed\n", "stderr"),
    (
        "docker",
        "{\"log\":\"hello\\n\",\"stream\":\"stdout\",\"time\":\"2026-11-16T11:42:20.25Z\"}\n\
         {\"log\":\"it failed\\n\",\"stream\":\"stderr\",\"time\":\"2026-11-16T11:42:21.5Z\"}\n",
        "stderr",
    ),
    (
        "json",
        "2026-11-16 11:42:20,250 INFO {\"event\":\"start\",\"user\":{\"id\":7}}\n\
         2026-11-16 11:42:21,500 WARN {\"event\":\"stop\",\"user\":{\"id\":7}}\n",
        "stop[user/id = 7]",
    ),
];

#[test]
fn usual_formats_are_recognised_or_declared() {
    for (word, lines, event) in LOGS {
        let property = format!("mtl calm {{ G !({event}) }}\n");
        let declared = format!("log {word}\n{property}");
        let folder = TestFolder::with(&[("bare.rv", &property), ("declared.rv", &declared), ("day.log", lines)]);
        for spec in ["bare.rv", "declared.rv"] {
            let output = folder.run(&["check", spec, "day.log"]);
            assert_eq!((output.status, output.stderr.as_str()), (1, ""), "{word} {spec}\n{}", output.stdout);
            assert!(output.stdout.contains("false at line 2"), "{word} {spec}\n{}", output.stdout);
            assert!(output.stdout.contains("2 events, from 20"), "{word} {spec}\n{}", output.stdout);
            let is_noted = output.stdout.contains("note: recognised as ");
            assert_eq!(is_noted, spec == "bare.rv", "{word} {spec}\n{}", output.stdout);
        }
        let list = folder.run(&["events", "day.log"]).stdout;
        assert!(list.contains("note: recognised as "), "{list}");
    }
}

#[test]
fn tables_have_other_separators_or_no_header() {
    let property = "mtl calm { G !(stop[user = \"ann\"]) }\n";
    let columns = format!("log csv \"time, event, user\"\n{property}");
    let folder = TestFolder::with(&[("bare.rv", property), ("columns.rv", &columns)]);
    folder.write("none.csv", b"1,start,ann\n2,stop,ann\n");
    assert_eq!(folder.run(&["check", "columns.rv", "none.csv"]).status, 1);
    for (name, separator) in [("semicolon.csv", ";"), ("tab.tsv", "\t"), ("bar.csv", "|")] {
        let lines = [["event", "time", "user"], ["start", "1", "ann"], ["stop", "2", "ann"]];
        let lines: Vec<String> = lines.iter().map(|cells| cells.join(separator)).collect();
        folder.write(name, lines.join("\n").as_bytes());
        let output = folder.run(&["check", "bare.rv", name]);
        assert_eq!((output.status, output.stderr.as_str()), (1, ""), "{name}\n{}", output.stdout);
    }
}

#[test]
fn the_usual_time_of_json_logs_is_found() {
    let folder = TestFolder::with(&[("s.rv", "mtl quick { G(ask -> F[0,3s] reply) }\n")]);
    folder.write(
        "app.json",
        b"{\"@timestamp\":\"2026-11-16T11:42:20Z\",\"msg\":\"ask\"}\n{\"@timestamp\":\"2026-11-16T11:42:25Z\",\"msg\":\"reply\"}\n",
    );
    let output = folder.run(&["check", "s.rv", "app.json"]);
    assert_eq!((output.status, output.stderr.as_str()), (1, ""), "{}", output.stdout);
}
