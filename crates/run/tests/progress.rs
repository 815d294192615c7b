// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exported logs with progress markers (`gnomon.tick`): every way to check one gives the same outcomes.

use std::fmt::Write as _;
use std::sync::Arc;

use gnomon_core::event::PROGRESS_MARKER;
use gnomon_core::number::Number;
use gnomon_core::time::{Clock, Quantity};
use gnomon_core::value::Value;
use gnomon_core::verdict::{End, Outcome};
use gnomon_run::compile::{CompiledSpec, compile};
use gnomon_run::offline::part::{PartKey, PartReport, judge_part};
use gnomon_run::offline::stats::{self, PropertyCounts};
use gnomon_run::offline::{BoundaryEvent, DivideBy, Listener, NamedInput, Options, Report, TraceBounds, judge};
use gnomon_run::push::PushMonitor;
use gnomon_trace::WrittenEvent;

const SPEC: &str = "\
event ask(id)
event answer(id)
mtl soon { G(ask(_) -> F[0,5] answer(_)) }
mtl each { forall i. G(ask(i) -> F[0,9] answer(i)) }
mtl next { G(ask(_) -> X answer(_)) }
mtl before { forall i. G(answer(i) -> P[0,8] ask(i)) }
soloist solo { G(ask -> F[0,7] answer) }
albert rise (simultaneous sequence) { onEvent(ask) -> $id < 3 }
pattern after { for every i: globally: answer(i) responds to ask(i) within 6 }
nomad rule { P(start(ask) | O[0,6] done(answer)) }
nomad back { P(start(answer) | O[6,0] done(ask)) }
qea turns { Forall(i) accept skip(idle) { ask(i) -> busy } skip(busy) { answer(i) -> idle } }
mu calm { forall i:D. [true* . ask(i) . (!answer(i))* . ask(i)] false }
";

/// Events of an export: name, time and id; markers have no id.
fn export(mut seed: u64) -> Vec<(&'static str, u64, Option<u64>)> {
    let mut below = |most: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % most
    };
    let (mut events, mut time) = (Vec::new(), 0);
    for _ in 0..below(30) {
        time += below(5);
        events.push(match below(5) {
            0 | 1 => ("ask", time, Some(below(4))),
            2 | 3 => ("answer", time, Some(below(4))),
            _ => (PROGRESS_MARKER, time, None),
        });
    }
    if below(2) == 0 {
        events.push((PROGRESS_MARKER, time + below(12), None));
    }
    events
}

fn ndjson(events: &[(&str, u64, Option<u64>)]) -> NamedInput {
    let mut text = String::new();
    for (name, time, id) in events {
        let id = id.map_or(String::new(), |id| format!(r#","id":{id}"#));
        let _ = writeln!(text, r#"{{"event":"{name}","time":{time}{id}}}"#);
    }
    NamedInput::stream("export.ndjson".to_owned(), std::io::Cursor::new(text))
}

fn csv(events: &[(&str, u64, Option<u64>)]) -> NamedInput {
    let mut text = "event, time, id\n".to_owned();
    for (name, time, id) in events {
        let _ = writeln!(text, "{name}, {time}, {}", id.map_or(String::new(), |id| id.to_string()));
    }
    NamedInput::stream("export.csv".to_owned(), std::io::Cursor::new(text))
}

fn compiled() -> CompiledSpec {
    let (compiled, diagnostics) = compile(SPEC, &[]);
    compiled.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

fn run(compiled: &CompiledSpec, input: NamedInput, options: &Options) -> Report {
    judge(compiled, input, options, &mut |_: u64, _: u64| {}).expect("it can be judged")
}

struct Silent;

impl Listener for Silent {}

fn counts(outcomes: &[Outcome]) -> Vec<PropertyCounts> {
    outcomes.iter().map(PropertyCounts::of).collect()
}

fn for_each_export(check: impl Fn(&[(&'static str, u64, Option<u64>)], End)) {
    for seed in 0..120 {
        let events = export(seed);
        check(&events, End::Complete);
        check(&events, End::Prefix);
    }
}

#[test]
fn markers_have_no_index_and_are_not_counted_in_any_format() {
    let compiled = compiled();
    for_each_export(|events, end| {
        let options = Options { end, ..Options::default() };
        let (one, other) = (run(&compiled, ndjson(events), &options), run(&compiled, csv(events), &options));
        assert_eq!(one.outcomes, other.outcomes, "{events:?}");
        assert_eq!(one.events, events.iter().filter(|(name, ..)| *name != PROGRESS_MARKER).count() as u64);
        assert_eq!((one.events, one.last_time, &one.unseen), (other.events, other.last_time, &other.unseen));
    });
}

#[test]
fn threads_and_reports_at_each_event_change_nothing() {
    let compiled = compiled();
    for_each_export(|events, end| {
        let whole = run(&compiled, ndjson(events), &Options { end, ..Options::default() });
        for (jobs, report_events) in [(2, false), (3, false), (1, true), (2, true)] {
            let options = Options { end, jobs, report_events, ..Options::default() };
            let other = run(&compiled, csv(events), &options);
            assert_eq!(counts(&whole.outcomes), counts(&other.outcomes), "{jobs} {report_events} {events:?}");
            assert_eq!(whole.events, other.events);
        }
        let reorder = Options { end, reorder: Some(Quantity::whole(2)), ..Options::default() };
        assert_eq!(whole.outcomes, run(&compiled, ndjson(events), &reorder).outcomes, "{events:?}");
    });
}

#[test]
fn statistics_end_with_the_counts_of_the_report() {
    let compiled = compiled();
    for_each_export(|events, end| {
        for by in [DivideBy::Whole, DivideBy::Field("id".to_owned())] {
            let options = Options { end, by, max_violations: 0, ..Options::default() };
            let report = run(&compiled, csv(events), &options);
            let every = Some(Quantity::whole(3));
            let statistics = stats::judge(&compiled, ndjson(events), &options, every, &mut Silent).expect("judged");
            assert_eq!(counts(&report.outcomes), counts(&statistics.report.outcomes), "{events:?}");
            if let Some(last) = statistics.rows.last() {
                assert_eq!(counts(&report.outcomes), last.counts, "{events:?}");
            }
            assert_eq!(report.events, statistics.report.events);
        }
    });
}

#[test]
fn a_push_monitor_reports_the_same() {
    let compiled = Arc::new(compiled());
    for_each_export(|events, end| {
        for by in [None, Some("id")] {
            let mode = by.map_or(DivideBy::Whole, |by| DivideBy::Field(by.to_owned()));
            let whole = run(&compiled, csv(events), &Options { end, by: mode, ..Options::default() });
            let mut fed = PushMonitor::new(compiled.clone(), by);
            fed.feed(ndjson(events), &Options::default()).expect("it can be read");
            let mut stepped = PushMonitor::new(compiled.clone(), by);
            for (name, time, id) in events {
                let field = |id: &u64| ("id".to_owned(), Value::Number(Number::Int(*id as i64)));
                let fields = id.iter().map(field).collect();
                let event = WrittenEvent { name: (*name).to_owned(), time: Some(time.to_string()), fields };
                stepped.step(&event).expect("it is in order");
            }
            for monitor in [fed, stepped] {
                let report = monitor.report("fed", end);
                assert_eq!(counts(&whole.outcomes), counts(&report.outcomes), "{by:?} {events:?}");
                assert_eq!(whole.events, report.events);
            }
        }
    });
}

/// The cases of an export, dealt out to two parts; each part begins with all markers.
fn parts<'a>(events: &[(&'a str, u64, Option<u64>)], part: u64) -> Vec<(&'a str, u64, Option<u64>)> {
    let markers = events.iter().filter(|(name, ..)| *name == PROGRESS_MARKER);
    let own = (0..4).filter(|id| id % 2 == part);
    let cases = own.flat_map(|case| events.iter().filter(move |(_, _, id)| *id == Some(case)));
    markers.chain(cases).copied().collect()
}

#[test]
fn joined_parts_report_the_same_as_the_whole() {
    let compiled = compiled();
    let key = PartKey { field: "id".to_owned(), index: None, kept: 1000 };
    for_each_export(|events, end| {
        let options = Options { end, by: DivideBy::Field("id".to_owned()), ..Options::default() };
        let whole = run(&compiled, csv(events), &options);
        let judged = [0, 1].map(|part| {
            judge_part(&compiled, ndjson(&parts(events, part)), &key, &options, &mut Silent).expect("it is judged")
        });
        let joined = PartReport::join(&compiled, judged.into(), "parts", 1000).expect("they fit");
        assert_eq!(counts(&whole.outcomes), counts(&joined.outcomes), "{events:?}");
        let cases = |report: &Report| report.cases.as_ref().map(|cases| (cases.total, cases.violating, cases.without));
        assert_eq!((whole.events, cases(&whole)), (joined.events, cases(&joined)), "{events:?}");
    });
}

#[test]
fn a_marker_may_end_the_whole_trace_of_cases() {
    let (compiled, _) =
        compile("event ask(id)\nevent answer(id)\nmtl each { forall i. G(ask(i) -> F[0,9] answer(i)) }", &[]);
    let compiled = compiled.expect("it is a spec");
    for_each_export(|events, end| {
        let whole = run(&compiled, csv(events), &Options { end, ..Options::default() });
        let boundary = |(index, event): (usize, &(&str, u64, Option<u64>))| BoundaryEvent {
            index: index as u64,
            time: Clock::default().whole(event.1 as i64),
            event: event.0.to_owned(),
        };
        let (mut all, mut ends) = (events.iter().enumerate(), events.iter().enumerate());
        let bounds = TraceBounds { first: all.next().map(boundary), last: ends.next_back().map(boundary) };
        let options = Options { end, by: DivideBy::Field("id".to_owned()), bounds: Some(bounds), ..Options::default() };
        let divided = run(&compiled, ndjson(events), &options);
        assert_eq!(counts(&whole.outcomes), counts(&divided.outcomes), "{events:?}");
    });
}
