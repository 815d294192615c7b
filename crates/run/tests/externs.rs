// SPDX-License-Identifier: MIT OR Apache-2.0
//! External variables, from files and from a server of our own: read when they are needed and too old, kept when a read
//! fails, recorded, checked again from the record, saved and restored.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{env, fs, process, thread};

use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::Simultaneous;
use gnomon_run::compile::{CompiledSpec, compile};
use gnomon_run::externs::{ExternReport, ExternSources, Externs, SharedRecorder, TraceRecorder};
use gnomon_run::offline::{DivideBy, NamedInput, Options, Report, judge};
use gnomon_trace::{EventRecord, NdjsonWriter, Writer as _};

/// A server on this machine. It answers by the path, and counts what it is asked.
struct Server {
    address: String,
    asked: Arc<AtomicUsize>,
}

impl Server {
    fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let address = format!("http://{}", listener.local_addr().expect("it is bound"));
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = asked.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let number = counter.fetch_add(1, Ordering::SeqCst);
                thread::spawn(move || answer(stream, number));
            }
        });
        Server { address, asked }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

/// Answers one request, the `number`th of all.
fn answer(mut stream: TcpStream, number: usize) {
    let mut lines = BufReader::new(stream.try_clone().expect("a socket can be shared")).lines();
    let Some(Ok(request)) = lines.next() else { return };
    while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
    let path = request.split(' ').nth(1).unwrap_or("/").to_owned();
    let (status, kind, body) = match path.as_str() {
        "/rate" => ("200 OK", "application/json", format!("{{\"eur\": 1.{number}}}")),
        "/flaky" if number % 2 == 1 => ("503 Service Unavailable", "text/plain", "later".to_owned()),
        "/flaky" => ("200 OK", "application/json", format!("{{\"eur\": {number}}}")),
        "/table" => ("200 OK", "text/csv", "day,eur\nmon,3\ntue,4\n".to_owned()),
        "/wrong" => ("200 OK", "application/json", "<html>busy</html>".to_owned()),
        "/huge" => ("200 OK", "application/json", format!("[{}1]", "1,".repeat(1 << 20))),
        "/slow" => {
            thread::sleep(Duration::from_secs(3));
            ("200 OK", "application/json", "{\"eur\": 1}".to_owned())
        }
        _ => ("404 Not Found", "text/plain", "nothing here".to_owned()),
    };
    let redirect = match path.as_str() {
        "/moved" => "Location: /rate\r\n",
        "/loop" => "Location: /loop\r\n",
        "/away" => "Location: file:///etc/passwd\r\n",
        _ => "",
    };
    let status = if redirect.is_empty() { status } else { "302 Found" };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{redirect}Connection: close\r\n\r\n",
        body.len()
    );
    // Whoever has had enough hangs up.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
}

/// A folder that lives as long as the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("gnomon-run-{}-{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a folder can be made");
        Folder(folder)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).expect("a file can be written");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn compiled(source: &str) -> CompiledSpec {
    let (compiled, diagnostics) = compile(source, &[]);
    compiled.unwrap_or_else(|| panic!("{source}: {diagnostics:?}"))
}

fn run(compiled: &CompiledSpec, name: &str, trace: &str, options: &Options) -> Report {
    let input = NamedInput::stream(name.to_owned(), std::io::Cursor::new(trace.as_bytes().to_vec()));
    judge(compiled, input, options, &mut |_: u64, _: u64| {}).unwrap_or_else(|error| panic!("{error}"))
}

fn asking(folder: &Folder) -> Options {
    let sources = ExternSources { timeout: Duration::from_secs(60), ..ExternSources::beside(&folder.0) };
    Options { sources: Some(sources), ..Options::default() }
}

/// Where each violation of the first property is.
fn violations(report: &Report) -> Vec<u64> {
    let places = |violation: &gnomon_core::verdict::Violation| {
        let first = violation.at.position;
        first..=violation.until_position.unwrap_or(first)
    };
    report.outcomes[0].violations.iter().flat_map(places).collect()
}

fn only(report: &Report) -> &ExternReport {
    let [only] = &report.externs[..] else { panic!("{:?}", report.externs) };
    only
}

/// The recorded events, as text.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<u8>>>);

impl TraceRecorder for Notes {
    fn event(&mut self, record: &EventRecord<'_>) {
        let mut bytes = self.0.lock().expect("nobody panics");
        let mut writer = NdjsonWriter::new(&mut *bytes);
        writer.write(record).and_then(|()| writer.finish()).expect("memory can be written");
    }
}

impl Notes {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("nobody panics").clone()).expect("NDJSON is UTF-8")
    }
}

fn recorded(options: &Options) -> (Options, Notes) {
    let notes = Notes::default();
    let recording = SharedRecorder::to(Arc::new(Mutex::new(notes.clone())));
    (Options { recording: Some(recording), ..options.clone() }, notes)
}

const TRACE: &str = "event, time, amount\npay, 0, 1\npay, 10, 2\npay, 11, 3\ntick, 21,\npay, 22, 4\n";

#[test]
fn a_server_is_read_when_a_value_is_outdated() {
    let (server, folder) = (Server::start(), Folder::new());
    let source = format!(
        "time in s\nextern $rate from \"{}/rate\" path \"/eur\" every 10s\nalbert rising {{ $rate >= 1.1 }}",
        server.address
    );
    let compiled = compiled(&source);
    let report = run(&compiled, "t.csv", TRACE, &asking(&folder));
    // At 0 it is 1.0; at 10 that is ten seconds old, which is not too old; at 11 it is 1.1, at 22 it is 1.2.
    assert_eq!(server.asked(), 3);
    assert_eq!(violations(&report), [0, 1]);
    let rate = only(&report);
    assert_eq!((rate.reads, rate.recorded, rate.failures, &rate.reason), (3, 0, 0, &None));
    assert_eq!(rate.value.as_ref().map(ToString::to_string).as_deref(), Some("1.2"));
    assert_eq!(rate.every.map(|every| every.to_string()).as_deref(), Some("10s"));
    assert_eq!((rate.name.as_str(), rate.path.as_deref()), ("rate", Some("/eur")));
}

#[test]
fn a_failure_keeps_the_last_value_and_is_counted() {
    let (server, folder) = (Server::start(), Folder::new());
    let source = format!(
        "extern $n from \"{}/flaky\" path \"/eur\" every 0\nalbert p {{ $n = 0 || $n = 2 }}\nalbert q {{ $n != 2 }}",
        server.address
    );
    let report = run(&compiled(&source), "t.csv", TRACE, &asking(&folder));
    assert_eq!(server.asked(), 5);
    // 0, failed, 2, failed, 4
    assert_eq!(violations(&report), [4]);
    assert_eq!(report.outcomes[1].violated, 2);
    let n = only(&report);
    assert_eq!((n.reads, n.failures, n.reason.as_deref()), (5, 2, Some("the server answers 503")));
}

#[test]
fn every_failure_is_a_reason_and_not_an_error() {
    let (server, folder) = (Server::start(), Folder::new());
    let closed = {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        format!("http://{}", listener.local_addr().expect("it is bound"))
    };
    folder.write("huge.json", &" ".repeat((1 << 20) + 1));
    folder.write("bad.csv", "eur\n\"");
    let at = |path: &str| format!("{}{path}", server.address);
    for (source, path, expected) in [
        (at("/none"), "/eur", "the server answers 404"),
        (at("/wrong"), "/eur", "the answer is not JSON"),
        (at("/huge"), "/0", "the answer is longer than 1 MiB"),
        (at("/slow"), "/eur", "no answer within 0.2 s"),
        (at("/loop"), "/eur", "the server redirects more than 5 times"),
        // Wherever a server sends us, it is servers that are asked, never files.
        (at("/away"), "/eur", "the server answers 404"),
        (at("/rate"), "/usd", "the answer has no `/usd`"),
        (closed, "/eur", "the server cannot be reached"),
        ("missing.json".to_owned(), "/eur", "`missing.json` cannot be read"),
        (".".to_owned(), "/eur", "`.` is not a file"),
        ("huge.json".to_owned(), "/eur", "the answer is longer than 1 MiB"),
        ("bad.csv".to_owned(), "/eur", "the answer is not a table"),
    ] {
        let spec = format!("extern $n from \"{source}\" path \"{path}\"\nalbert p {{ !($n = $n) }}");
        let mut options = asking(&folder);
        if let Some(sources) = options.sources.as_mut().filter(|_| source.ends_with("/slow")) {
            sources.timeout = Duration::from_millis(200);
        }
        let report = run(&compiled(&spec), "t.csv", TRACE, &options);
        let n = only(&report);
        assert_eq!((n.reads, n.failures, &n.value), (1, 1, &None), "{source}");
        assert!(n.reason.as_deref().is_some_and(|reason| reason.starts_with(expected)), "{source}: {:?}", n.reason);
        // None yet: undefined, and no comparison holds.
        assert_eq!(report.outcomes[0].violated, 0, "{source}");
    }
}

#[test]
fn redirects_are_followed_and_tables_read() {
    let (server, folder) = (Server::start(), Folder::new());
    folder.write("limits.csv", "day, limit\nmon, 5\ntue, 7.50\n");
    folder.write("limits.json", "{\"daily\": {\"limit\": [7, \"x\"]}}");
    for (source, path, expected) in [
        (format!("{}/moved", server.address), " path \"/eur\"", "1.1"),
        (format!("{}/table", server.address), " path \"/eur\"", "4"),
        ("limits.csv".to_owned(), " path \"/limit\"", "7.5"),
        ("limits.csv".to_owned(), " path \"/0/limit\"", "5"),
        ("limits.json".to_owned(), " path \"/daily/limit/0\"", "7"),
        ("limits.json".to_owned(), "", "{\"daily\": {\"limit\": [7, \"x\"]}}"),
    ] {
        let spec = format!("extern $n from \"{source}\"{path}\nalbert p {{ $n = $n }}");
        let report = run(&compiled(&spec), "t.csv", TRACE, &asking(&folder));
        let n = only(&report);
        assert_eq!(n.value.as_ref().map(ToString::to_string).as_deref(), Some(expected), "{source}: {:?}", n.reason);
        assert_eq!(n.reads, 1, "without a period it is asked for once");
    }
}

#[test]
fn a_recorded_trace_is_checked_without_reading_sources() {
    let (server, folder) = (Server::start(), Folder::new());
    let spec = |every: &str| {
        format!(
            "time in s\nextern $n from \"{}/flaky\" path \"/eur\" every {every}\nalbert p {{ onEvent(pay) -> $amount > $n }}\n\
             albert s (simultaneous sequence) {{ onEvent(tick) -> $n > 2 }}\nmtl m {{ G(pay -> F[0,1] pay) }}",
            server.address
        )
    };
    let compiled_spec = compiled(&spec("1s"));
    let (options, notes) = recorded(&asking(&folder));
    let first = run(&compiled_spec, "t.csv", TRACE, &options);
    let asked = server.asked();
    let text = notes.text();
    assert_eq!(text.lines().count(), 5 + 3, "{text}");
    assert!(
        text.starts_with("{\"event\": \"extern\", \"time\": 0, \"variable\": \"n\", \"n\": 0, \"failed\": false}\n")
    );
    assert!(text.contains("\"failed\": true, \"reason\": \"the server answers 503\"}"), "{text}");
    for options in [asking(&folder), Options::default(), Options { jobs: 3, ..Options::default() }] {
        // Another period makes no difference: recorded reads are used as they are.
        for every in ["1s", "0s"] {
            let again = run(&compiled(&spec(every)), "t.ndjson", &text, &options);
            for (left, right) in first.outcomes.iter().zip(&again.outcomes) {
                assert_eq!(
                    (left.verdict, left.violated, left.positions),
                    (right.verdict, right.violated, right.positions)
                );
            }
            assert_eq!(violations(&first), violations(&again));
            assert_eq!((first.events, again.events), (5, 5));
            let (left, right) = (only(&first), only(&again));
            assert_eq!(
                (left.reads, left.failures, &left.value, &left.reason),
                (right.reads, right.failures, &right.value, &right.reason)
            );
            assert_eq!(right.recorded, right.reads);
        }
    }
    assert_eq!(server.asked(), asked, "nobody was asked again");
    // Recorded again, a record stays as it is.
    let (options, notes) = recorded(&Options::default());
    run(&compiled_spec, "t.ndjson", &text, &options);
    assert_eq!(notes.text(), text);
}

#[test]
fn indices_that_are_times_do_not_shift() {
    let folder = Folder::new();
    folder.write("n.json", "1");
    let compiled =
        compiled("extern $n from \"n.json\" every 1\nalbert p { onEvent(a) -> Within(onEvent(b), 2) && $n = 1 }");
    let trace = "event\na\nx\nb\na\nx\nx\nb\n";
    let (options, notes) = recorded(&asking(&folder));
    let first = run(&compiled, "t.csv", trace, &options);
    let again = run(&compiled, "t.ndjson", &notes.text(), &Options::default());
    assert_eq!(violations(&first), [3]);
    assert_eq!(violations(&again), [3]);
    assert_eq!(only(&again).reads, 4);
}

#[test]
fn cases_share_values() {
    let (server, folder) = (Server::start(), Folder::new());
    let source = format!(
        "extern $rate from \"{}/rate\" path \"/eur\" every 100\nalbert p {{ $rate = 1.0 && $amount > 1 }}",
        server.address
    );
    let compiled = compiled(&source);
    let trace = "event, time, user, amount\npay, 1, ann, 1\npay, 2, bob, 2\npay, 3, ann, 3\n";
    let (options, notes) = recorded(&Options { by: DivideBy::Field("user".to_owned()), ..asking(&folder) });
    let first = run(&compiled, "t.csv", trace, &options);
    assert_eq!((first.outcomes[0].violated, server.asked()), (1, 1));
    let options = Options { by: DivideBy::Field("user".to_owned()), ..Options::default() };
    let again = run(&compiled, "t.ndjson", &notes.text(), &options);
    assert_eq!((again.outcomes[0].violated, again.cases.map(|cases| cases.without)), (1, Some(0)));
}

#[test]
fn a_field_of_the_same_name_is_distinct() {
    let folder = Folder::new();
    folder.write("n.json", "7");
    let compiled = compiled(
        "extern $n from \"n.json\"\nalbert p { $n = 7 && (onEvent(a[n = 1]) || onEvent(b)) && !onEvent(b[n = 7]) }",
    );
    let trace = "event, time, n\na, 1, 1\nb, 2,\n";
    let report = run(&compiled, "t.csv", trace, &asking(&folder));
    assert_eq!(report.outcomes[0].violated, 0);
    assert_eq!(compiled.plan.cores()[0].simultaneous(), Simultaneous::Merge);
}

#[test]
fn values_survive_a_restart() {
    let folder = Folder::new();
    folder.write("n.json", "{\"a\": [1.50, null]}");
    let compiled = compiled("extern $n from \"n.json\" every 10\nalbert p { $n/a/0 = 1.5 }");
    let sources = ExternSources::beside(&folder.0);
    let start = || Externs::new(&compiled.spec, &compiled.plan, Some(&sources));
    let at = |units: i128| Timestamp::from_ticks(units * 1_000_000_000);
    let reads = |externs: &mut Externs, time: i128| {
        let mut reads = Vec::new();
        externs.refresh(at(time), |read| reads.push(read.result.map(Value::to_string).map_err(str::to_owned)));
        reads
    };
    let mut externs = start();
    assert_eq!(reads(&mut externs, 5), [Ok("{\"a\": [1.5, null]}".to_owned())]);
    let saved = externs.save();
    fs::remove_file(folder.0.join("n.json")).expect("it is there");
    let mut externs = start();
    externs.restore(&saved).expect("it is its own state");
    assert_eq!(reads(&mut externs, 15), [], "ten units old is not too old");
    let failed = reads(&mut externs, 16);
    assert!(matches!(&failed[..], [Err(reason)] if reason.starts_with("`n.json` cannot be read")), "{failed:?}");
    assert_eq!(reads(&mut externs, 26), [], "a failure is not repeated before its time");
    let [report] = &externs.report()[..] else { panic!("there is one") };
    assert_eq!((report.reads, report.failures), (2, 1));
    assert_eq!(report.value.as_ref().map(ToString::to_string).as_deref(), Some("{\"a\": [1.5, null]}"));
    for bad in [&saved[..saved.len() - 1], &[saved.clone(), vec![0]].concat(), b""] {
        assert!(start().restore(bad).is_err());
    }
    let other = self::compiled("extern $m from \"n.json\"\nalbert p { $m = 1 }");
    assert!(Externs::new(&other.spec, &other.plan, None).restore(&saved).is_err());
}

#[test]
fn unused_variables_are_not_read() {
    let (server, folder) = (Server::start(), Folder::new());
    let source = format!("extern $n from \"{}/rate\"\nalbert p {{ $amount < 9 }}", server.address);
    let (made, diagnostics) = compile(&source, &[]);
    assert_eq!(diagnostics.iter().map(|found| found.code).collect::<Vec<_>>(), ["G0739"]);
    let report = run(&made.expect("a warning is not an error"), "t.csv", TRACE, &asking(&folder));
    assert_eq!((server.asked(), report.externs), (0, vec![]));
}

#[test]
fn examples_read_no_source_and_may_record_values() {
    let source = "time in s\nextern $n from \"http://127.0.0.1:9/never\" every 1s\nalbert p { onEvent(a) -> $n = 1 }\n\
        rejects p { a@1. a@9 }\n\
        accepts p { extern(variable: \"n\", n: 1, failed: false)@1. a@1. a@2 }\n\
        rejects p { extern(variable: \"n\", n: 1, failed: false)@1. a@1. extern(variable: \"n\", n: 2, failed: false)@2. a@2 }\n\
        accepts p { extern(variable: \"n\", n: 1, failed: false)@1. a@1. extern(variable: \"n\", failed: true)@2. a@2 }\n";
    let compiled = compiled(source);
    let mut open = |_: &str| Err(std::io::ErrorKind::NotFound.into());
    let results = gnomon_run::examples::examples(source, &compiled.spec, &mut open);
    assert_eq!(results.len(), 4);
    for result in results {
        assert!(result.is_ok(), "{result:?}");
    }
}
