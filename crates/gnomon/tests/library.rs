// SPDX-License-Identifier: MIT OR Apache-2.0
//! The library as a program uses it.

use std::collections::{BTreeMap, HashMap};
use std::error::Error as _;
use std::time::{Duration, SystemTime};

use gnomon::{Checker, Spec, Verdict, check, fields};

const ANSWERED: &str =
    "event request(id) event reply(id) mtl answered { forall id. G(request(id) -> F[0,3] reply(id)) }";

#[test]
fn violations_come_with_the_event_that_decides_them() {
    let mut monitor = Spec::parse(ANSWERED).unwrap().monitor();
    assert!(monitor.event("request", 1, [("id", "a")]).unwrap().is_empty());
    assert!(monitor.event("request", 2, vec![("id", "b")]).unwrap().is_empty());
    assert!(monitor.event("reply", 4, BTreeMap::from([("id", "a")])).unwrap().is_empty());
    let found = monitor.event("ping", 6.5, ()).unwrap();
    let [violation] = &found[..] else { panic!("{found:?}") };
    assert_eq!((violation.property(), violation.value("id")), ("answered", Some(&"b".into())));
    assert_eq!((violation.event_index(), violation.time(), violation.number()), (1, "2".to_owned(), Some(1)));
    assert!(violation.causes().any(|cause| cause.event == "request" && cause.time == "2"));
    let drawn = violation.to_string();
    assert!(drawn.contains("F[0,3] reply(id)") && drawn.contains("id = \"b\""), "{drawn}");
    assert!(violation.to_json().contains("\"id\""), "{}", violation.to_json());

    let report = monitor.finish();
    assert_eq!((report.verdict(), report.event_count(), report.is_ok()), (Verdict::Violated, 4, false));
    let outcome = report.outcome("answered").unwrap();
    assert_eq!((outcome.activated(), outcome.satisfied(), outcome.violated(), outcome.pending()), (2, 1, 1, 0));
    assert_eq!(report.violations().next().unwrap().message(), violation.message());
    assert!(report.to_string().ends_with("1 property: 1 violated"), "{report}");
    assert!(report.to_json().starts_with('{'));
}

#[test]
fn a_monitor_reports_what_is_open() {
    let mut monitor = Spec::parse(ANSWERED).unwrap().monitor();
    monitor.event("request", 1, HashMap::from([("id", 1)])).unwrap();
    let outcome = monitor.report().outcome("answered").map(|outcome| (outcome.verdict(), outcome.pending()));
    assert_eq!(outcome, Some((Verdict::Inconclusive, 1)));
    assert_eq!(monitor.finish().verdict(), Verdict::Violated);
}

#[test]
fn times_come_in_many_types() {
    let spec = Spec::parse("mtl soon { G(a -> F[0,2s] b) }").unwrap();
    let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let mut monitor = spec.monitor();
    monitor.event("a", start, ()).unwrap();
    assert_eq!(monitor.next_deadline().as_deref(), Some("2023-11-14T22:13:22Z"));
    assert_eq!(monitor.advance(start + Duration::from_secs(3)).unwrap().len(), 1);
    // The kinds of times are not mixed.
    assert_eq!(monitor.event("a", 7, ()).unwrap_err().code(), "G0507");

    // A duration has a unit without a declaration, a number has none.
    let mut monitor = spec.monitor();
    monitor.event("a", Duration::from_millis(500), ()).unwrap();
    assert_eq!(monitor.next_deadline().as_deref(), Some("2.5"));
    assert_eq!(monitor.event("b", Duration::from_millis(2_501), ()).unwrap().len(), 1);
    assert_eq!(spec.monitor().event("a", 1, ()).unwrap_err().code(), "G0401");

    let spec = Spec::parse("time in ms mtl soon { G(a -> F[0,2s] b) }").unwrap();
    let mut monitor = spec.monitor();
    monitor.event("a", 500_u64, ()).unwrap();
    monitor.event("b", "2500", ()).unwrap();
    monitor.event("a", 2500.5, ()).unwrap();
    assert_eq!(monitor.advance(Duration::from_secs(9)).unwrap()[0].time(), "2500.5");

    let mut monitor = Spec::parse("soloist next { G(a -> X b) }").unwrap().monitor();
    monitor.event("start", (), ()).unwrap();
    monitor.event("a", (), ()).unwrap();
    assert_eq!(monitor.event("c", (), ()).unwrap().len() + monitor.event("b", (), ()).unwrap().len(), 1);
}

#[test]
fn what_is_wrong_with_an_event_is_said() {
    let mut monitor = Spec::parse(ANSWERED).unwrap().monitor();
    monitor.event("request", 5, [("id", 1)]).unwrap();
    let error = monitor.event("reply", 4, [("id", 1)]).unwrap_err();
    assert_eq!(error.code(), "G0508");
    assert!(error.to_string().contains("4 is earlier than 5") && error.source().is_some(), "{error}");
    for (name, time) in [("", "6"), ("a", "soon"), ("a", "NaN")] {
        assert!(monitor.event(name, time, ()).is_err(), "{name} {time}");
    }
    assert!(monitor.event("a", f64::INFINITY, ()).is_err() && monitor.event("a", u64::MAX, ()).is_err());
    // What was refused was not taken.
    assert_eq!((monitor.event_count(), monitor.finish().event_count()), (1, 1));
}

#[test]
fn errors_of_a_spec_are_drawn() {
    let error = Spec::parse("soloist p { G(a -> ) }\nsoloist q { F[3,1] b }").unwrap_err();
    assert!(error.len() == 2 && error.messages().count() == 2 && !error.is_empty(), "{error}");
    let text = error.to_string();
    assert!(text.contains("--> <spec>:1:") && text.contains("--> <spec>:2:"), "{text}");
    assert_eq!(format!("{error:?}"), format!("\n{text}"));
    assert_eq!(Spec::parse("# nothing").unwrap_err().codes().collect::<Vec<_>>(), ["G0709"]);
    let boxed: Box<dyn std::error::Error + Send + Sync> = error.into();
    assert_eq!(boxed.to_string(), text);
    assert!(Spec::parse("soloist calm { G(!alarm) }").unwrap().warnings().is_empty());
}

#[test]
fn a_saved_monitor_continues() {
    let spec = Spec::parse(ANSWERED).unwrap();
    let mut monitor = spec.monitor();
    monitor.event("request", 1, fields! { id: 7, user: "ann" }).unwrap();
    let state = monitor.save();
    let mut restored = spec.restore(&state).unwrap();
    assert_eq!(restored.advance(9).unwrap()[0].value("id"), Some(&7.into()));
    assert_eq!(spec.restore(&state[1..]).unwrap_err().code(), "G0713");
    let other = Spec::parse("soloist calm { G(!alarm) }").unwrap();
    assert!(other.restore(&state).is_err());
}

#[test]
fn cases_are_traces_of_their_own() {
    let mut monitor = Spec::parse("soloist once { G(a -> X (G !a)) }").unwrap().monitor_by("user");
    monitor.event("a", 1, [("user", "ann")]).unwrap();
    monitor.event("a", 2, [("user", "bob")]).unwrap();
    assert_eq!(monitor.finish().verdict(), Verdict::Holds);
}

#[test]
fn files_are_checked() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/atm");
    let spec = Spec::from_file(format!("{root}/atm.rv")).unwrap();
    assert_eq!(spec.properties().collect::<Vec<_>>(), ["QP1", "QP2", "QP3", "QP4"]);
    let report = check(&spec, format!("{root}/b4.xml")).unwrap();
    let verdicts: Vec<&str> = report.outcomes().map(|outcome| outcome.verdict().word()).collect();
    assert_eq!(verdicts, ["violated", "holds", "holds", "holds"]);
    assert_eq!(report.outcome("QP1").unwrap().violations().count(), 1);
    for (path, code) in [("b4.csv", "G0701"), ("", "G0702")] {
        assert_eq!(check(&spec, format!("{root}/{path}")).unwrap_err().code(), code);
    }
    assert_eq!(Spec::from_file(format!("{root}/none.rv")).unwrap_err().code(), "G0701");
}

#[test]
fn a_reader_is_checked_with_options() {
    let spec = Spec::parse("soloist polite { G(request -> F[0,3] reply) }").unwrap();
    let log = "event,time\nrequest,1\nreply,2\nrequest,4\n";
    let report = Checker::new(&spec).prefix().jobs(2).reader("day.csv", log.as_bytes()).unwrap();
    assert_eq!(report.verdict(), Verdict::Inconclusive);
    assert_eq!(Checker::new(&spec).by("user").reader("day.csv", log.as_bytes()).unwrap_err().code(), "G0710");
    let broken = Checker::new(&spec).reader("day.csv", "event,time\nrequest,soon\n".as_bytes()).unwrap_err();
    assert!(broken.to_string().contains("day.csv:2:"), "{broken}");
}

#[test]
fn specs_and_monitors_move_between_threads() {
    fn check<T: Send + Sync>() {}
    check::<Spec>();
    check::<gnomon::Monitor>();
    check::<gnomon::Violation>();
    check::<gnomon::Error>();
}

/// The default features promise few crates to compile; a program that uses them adds itself.
#[test]
fn the_default_build_is_small() {
    let arguments = ["tree", "-p", "gnomon", "-e", "normal,build", "--prefix", "none", "--no-dedupe", "--offline"];
    let output = std::process::Command::new(env!("CARGO")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8_lossy(&output.stdout);
    let crates: std::collections::BTreeSet<&str> = tree.lines().collect();
    assert!((10..34).contains(&crates.len()), "{} crates: {crates:?}", crates.len());
}
