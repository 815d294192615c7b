// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon watch` as a process: fed over the network, killed, started again.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use gnomon::random::Random;
use serde_json::Value;

use crate::support::{TestFolder, without_places};

const SPEC: &str = "time in s
mtl answered { forall i. G(ask(i) -> F[0,5] answer(i)) }
soloist calm (severity high) { G(ask -> F[0,9] answer) }
mtl quiet { G !alarm }
pattern orderly { globally: answer responds to ask }
qea alternate { forall(i) accept skip(idle) { ask(i) -> busy } skip(busy) { answer(i) -> idle } }
nomad prompt { P(start(ask) | O[0,6]s done(answer)) }
";

/// A watch that runs as a process.
struct Watch {
    child: Child,
    http: String,
    /// The value of `Host` in requests.
    host: String,
    tcp: Option<String>,
    stderr: BufReader<ChildStderr>,
}

impl Watch {
    fn start(folder: &Path, arguments: &[&str]) -> Watch {
        Watch::run(&mut Command::new(env!("CARGO_BIN_EXE_gnomon")), folder, arguments)
    }

    #[expect(clippy::zombie_processes, reason = "where it does not start the test has failed")]
    fn run(command: &mut Command, folder: &Path, arguments: &[&str]) -> Watch {
        let mut child = command
            .arg("watch")
            .args(arguments)
            .args(["--listen-http", "127.0.0.1:0"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary was built");
        let mut stderr = BufReader::new(child.stderr.take().expect("it was piped"));
        let (mut http, mut tcp, mut said) = (None, None, String::new());
        loop {
            let start = said.len();
            assert!(stderr.read_line(&mut said).expect("it can be read") > 0, "it did not start: {said}");
            let line = said[start..].trim();
            let after = |mark: &str| line.split_once(mark).map(|(_, rest)| rest.trim_end_matches('/').to_owned());
            if line.starts_with("events: POST") {
                http = after("http://").map(|address| address.replace("/api/v1/events", ""));
            }
            tcp = tcp.or_else(|| after("tcp://"));
            if line.starts_with("store:") || line.starts_with("nothing is kept") {
                return Watch { child, http: http.expect("it is said"), host: "localhost".to_owned(), tcp, stderr };
            }
        }
    }

    fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(&self.http).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
        let (length, host) = (body.len(), &self.host);
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
        );
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(body.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        Some((status, if is_chunked { unchunk(body) } else { body.to_owned() }))
    }

    fn get(&self, path: &str) -> String {
        let (status, body) = self.request("GET", path, "", "").expect("it answers");
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    fn report(&self, end: &str) -> Value {
        properties(&self.get(&format!("/api/v1/report?end={end}")))
    }

    fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ended");
    }

    /// Asks it to stop, and waits until it has.
    fn stop(mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("there is `kill`").success());
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).expect("it can be read");
        self.child.wait().expect("it ended").code()
    }
}

fn unchunk(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let Some(size) = usize::from_str_radix(size.trim(), 16).ok().filter(|size| *size > 0) else { break };
        whole += &rest[..size];
        body = rest[size..].trim_start_matches("\r\n");
    }
    whole
}

/// Returns what a report says of the properties, without places and explanations: a check looks at the events behind a violation too.
fn properties(report: &str) -> Value {
    let report: Value = serde_json::from_str(report).unwrap_or_else(|error| panic!("{error}: {report}"));
    let trace = &report["traces"][0];
    let mut properties = trace["properties"].clone();
    for property in properties.as_array_mut().into_iter().flatten() {
        for violation in property["violations"].as_array_mut().into_iter().flatten() {
            let fields = violation.as_object_mut().expect("a violation is an object");
            fields.retain(|name, _| name != "because" && name != "summary");
        }
    }
    without_places(serde_json::json!([trace["events"], properties]))
}

fn check(folder: &TestFolder, trace: &str, more: &[&str]) -> Value {
    let arguments = [&["check", "all.rv", trace, "--report", "json", "--mode", "standard"][..], more].concat();
    let output = folder.run(&arguments);
    assert!(output.status < 2, "{}", output.stderr);
    properties(&output.stdout)
}

/// Numbers that look random and are the same each time.
fn dice(seed: u64) -> impl FnMut(usize) -> usize {
    let mut random = Random::new(seed);
    move |bound| random.index(bound)
}

fn trace(events: usize) -> Vec<String> {
    let (mut dice, mut time) = (dice(11), 0);
    let line = |_: usize| {
        time += dice(3);
        let name = ["ask", "answer", "answer", "other", "alarm"][dice(100) / 24];
        format!("{{\"event\":\"{name}\",\"time\":{time},\"i\":{}}}\n", dice(4))
    };
    (0..events).map(line).collect()
}

#[test]
fn killed_at_twenty_points_it_agrees_with_check() {
    let lines = trace(3000);
    let folder = TestFolder::with(&[("all.rv", SPEC), ("all.ndjson", &lines.concat())]);
    let arguments = ["all.rv", "--store", "var", "--time", "replay"];
    let mut dice = dice(5);
    let mut watch = Watch::start(&folder.path(""), &arguments);
    let (mut sent, mut kills) = (0, 0);
    while sent < lines.len() {
        let count = (1 + dice(60)).min(lines.len() - sent);
        let headers = format!("Gnomon-Producer: till\r\nGnomon-First: {}\r\n", sent + 1);
        let body = lines[sent..sent + count].concat();
        if kills < 20 && dice(4) == 0 {
            // The request is on its way when the process dies; whether it was acknowledged is not known.
            let mut stream = TcpStream::connect(&watch.http).unwrap();
            let head = format!(
                "POST /api/v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n{headers}\r\n{body}",
                body.len()
            );
            stream.write_all(head.as_bytes()).unwrap();
            std::thread::sleep(Duration::from_micros(dice(8000) as u64));
            watch.kill();
            kills += 1;
            watch = Watch::start(&folder.path(""), &arguments);
            // There is a report as soon as the state is restored.
            let (status, report) = watch.request("GET", "/api/v1/report", "", "").expect("it answers");
            assert!(status == 503 || serde_json::from_str::<Value>(&report).is_ok(), "{status}: {report:?}");
            let next = watch.request("GET", "/api/v1/producers/till", "", "").expect("it answers");
            let next =
                if next.0 == 200 { serde_json::from_str::<Value>(&next.1).unwrap()["next"].as_u64() } else { None };
            let next = next.map_or(0, |next| usize::try_from(next).unwrap() - 1);
            assert!(next >= sent && next <= sent + count, "{next} of {sent} acknowledged and {count} more");
            sent = next;
            continue;
        }
        let (status, answer) = watch.request("POST", "/api/v1/events", &headers, &body).expect("it answers");
        assert_eq!(status, 200, "{answer}");
        sent += count;
    }
    assert_eq!(kills, 20);
    let expected = check(&folder, "all.ndjson", &[]);
    assert_eq!(watch.report("complete"), expected);
    folder.write("export.ndjson", watch.get("/api/v1/export").as_bytes());
    assert_eq!(check(&folder, "export.ndjson", &[]), expected);
    let reported: Value = serde_json::from_str(&watch.get("/api/v1/violations?limit=1000")).unwrap();
    let numbers: Vec<u64> =
        reported["violations"].as_array().unwrap().iter().map(|one| one["number"].as_u64().unwrap()).collect();
    let count = numbers.len() as u64;
    assert!(count > 0 && (count == 1000 || numbers == (1..=count).rev().collect::<Vec<_>>()), "{numbers:?}");
    assert_eq!(watch.stop(), Some(1));
}

#[test]
fn over_tcp_it_agrees_with_check() {
    let lines = trace(500);
    let folder = TestFolder::with(&[("all.rv", SPEC), ("all.ndjson", &lines.concat())]);
    let arguments = ["all.rv", "--time", "replay", "--listen-tcp", "127.0.0.1:0"];
    let watch = Watch::start(&folder.path(""), &arguments);
    let mut stream = TcpStream::connect(watch.tcp.as_ref().unwrap()).unwrap();
    stream.write_all(b"{\"gnomon\": {\"producer\": \"till\", \"first\": 1, \"acknowledge\": true}}\n").unwrap();
    stream.write_all(lines.concat().as_bytes()).unwrap();
    let mut answers = BufReader::new(stream);
    let mut answer = String::new();
    while !answer.contains("500") {
        answer.clear();
        assert!(answers.read_line(&mut answer).unwrap() > 0);
    }
    assert_eq!(watch.report("complete"), check(&folder, "all.ndjson", &[]));
    assert_eq!(watch.stop(), Some(1));
}

#[test]
fn errors_at_the_start_are_reported() {
    let folder = TestFolder::with(&[("all.rv", SPEC), ("bad.rv", "soloist s { G( }")]);
    let output = folder.run(&["watch", "bad.rv"]);
    assert_eq!(output.status, 2);
    assert!(output.stderr.contains("error[G0"), "{}", output.stderr);
    let output = folder.run(&["watch", "all.rv", "--listen-http", "0.0.0.0:0"]);
    assert_eq!(output.status, 2);
    assert!(output.stderr.contains("error[G0952]") && output.stderr.contains("--tokens"), "{}", output.stderr);
    let watch = Watch::start(&folder.path(""), &["all.rv", "--store", "var"]);
    let output = folder.run(&["watch", "all.rv", "--store", "var"]);
    assert_eq!(output.status, 2);
    assert!(output.stderr.contains("error[G0951]"), "{}", output.stderr);
    assert_eq!(watch.stop(), Some(0));
}

#[test]
#[cfg(unix)]
fn a_limit_on_file_sizes_does_not_end_it() {
    let folder = TestFolder::with(&[("all.rv", SPEC)]);
    let store = folder.path("var");
    // The shell sets the limit, in blocks of 512 or 1,024 bytes, and becomes the watch.
    let mut watch = Watch::run(
        Command::new("sh").args(["-c", "ulimit -f 2000; exec \"$@\"", "sh"]).arg(env!("CARGO_BIN_EXE_gnomon")),
        &folder.path(""),
        &["all.rv", "--store", &store.display().to_string(), "--allow-host", "watch.example"],
    );
    let long = format!("{{\"event\":\"other\",\"time\":1,\"note\":\"{}\"}}\n", "x".repeat(400_000));
    let statuses: Vec<u16> =
        (0..12).filter_map(|_| Some(watch.request("POST", "/api/v1/events", "", &long)?.0)).collect();
    assert_eq!((statuses.len(), statuses[0], statuses[11]), (12, 200, 503), "{statuses:?}");
    assert!(watch.child.try_wait().unwrap().is_none(), "it ended");
    assert!(watch.get("/api/v1/status").contains("\"state\":\"full\""));
    watch.host = "watch.example".to_owned();
    watch.get("/health/live");
    watch.kill();
}

#[test]
fn a_reader_that_stalls_does_not_keep_it_from_stopping() {
    let folder = TestFolder::with(&[("bad.rv", "mtl p { forall i. G !bad(i) }\n")]);
    // Nobody reads its standard output.
    let watch = Watch::start(&folder.path(""), &["bad.rv"]);
    let events: String = (0..3000).map(|id| format!("{{\"event\":\"bad\",\"i\":{id}}}\n")).collect();
    let (status, answer) = watch.request("POST", "/api/v1/events", "", &events).expect("it answers");
    assert_eq!(status, 200, "{answer}");
    while !watch.get("/api/v1/status").contains("\"violations\":3000") {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(watch.stop(), Some(1));
}

/// Returns the memory of a process in kilobytes.
#[cfg(target_os = "linux")]
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it has memory");
    line.trim().trim_end_matches("kB").trim().parse().expect("a number")
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_returned_to_the_system_after_a_peak() {
    const SPEC: &str = "case ends with done\nmtl p { G !never }\nmtl q { forall i. G !other(i) }\n";
    let folder = TestFolder::with(&[("cases.rv", SPEC)]);
    let watch = Watch::start(&folder.path(""), &["cases.rv", "--by", "case"]);
    let send = |events: &str| {
        let (status, answer) = watch.request("POST", "/api/v1/events", "", events).expect("it answers");
        assert_eq!(status, 200, "{answer}");
    };
    let idle = resident(watch.child.id());
    let mut peak = idle;
    for event in ["step", "done"] {
        for part in 0..10 {
            let line = |case| format!("{{\"event\":\"{event}\",\"case\":\"{part}-{case}\"}}\n");
            send(&(0..4000).map(line).collect::<String>());
            peak = peak.max(resident(watch.child.id()));
        }
    }
    let mut now = peak;
    for _ in 0..240 {
        peak = peak.max(now);
        // Some of the rest is kept for the next events, and some in use.
        if peak > idle + 60_000 && now < peak - (peak - idle) / 4 {
            watch.stop();
            return;
        }
        std::thread::sleep(Duration::from_millis(500));
        send("{\"event\":\"step\",\"case\":\"last\"}\n");
        now = resident(watch.child.id());
    }
    panic!("{idle} kB at the start, {peak} kB at the peak, {now} kB later");
}
