// SPDX-License-Identifier: MIT OR Apache-2.0
//! Violations that are reported while a trace is read, line by line or by a monitor without an end, are those of the report.

use std::fmt::Write as _;
use std::sync::Arc;

use gnomon_core::random::Random;
use gnomon_core::time::Quantity;
use gnomon_core::verdict::{DecisionPoint, End, Violation};
use gnomon_run::compile::{CompiledSpec, compile};
use gnomon_run::offline::{
    DivideBy, EndVerdict, EventVerdict, Listener, NamedInput, Options, Report, ReportedViolation, judge,
};
use gnomon_run::push::PushMonitor;

const SPEC: &str = "\
event a(x)
event b(x)
mtl late { forall u. G(c -> F[0,3] b(u)) }
mtl parts { forall u. G Y[0,1] c && G (b(u) -> P a(u)) }
mtl range { G (!c && Y a(_)) }
mtl open { forall u. G((a(u) -> F[0,9] b(u)) && !c) }
mtl greatest { G (max[2](a(_).x) = 2) }
mtl some { exists u. G(a(u) || b(u)) }
mtl most { exists <= 1 u. F a(u) }
mtl share { forall >= 50% u. G Y a(u) }
soloist merged { G(c -> X(a)) }
albert state { onEvent(c) -> $x > 1 }
nomad rule { P(start(a) | O[0,2] done(b)) / {{a.x, b.x}} }
pattern again { for every u: globally: b(u) recurs every 3 }
mu word { [true* . c . c] false }
mu data { forall t:Int. [true* . a(t) . (!b(t))* . a(t)] false }
qea trap { Forall(u) skip(s) { a(u) -> s } }
qea where { Forall(u) where [ u != 1 ] accept skip(s) { a(u) -> dead } }
";

/// A violation at one position: property, case, binding, position.
type Single = (usize, String, String, u64);

fn singles(property: usize, case: Option<&str>, violation: &Violation) -> Vec<Single> {
    let to = violation.until_position.unwrap_or(violation.at.position);
    let single = |position| (property, case.unwrap_or("").to_owned(), violation.binding.to_string(), position);
    (violation.at.position..=to).map(single).collect()
}

fn of_report(report: &Report) -> Vec<Single> {
    let mut all = Vec::new();
    for (property, outcome) in report.outcomes.iter().enumerate() {
        for (number, violation) in outcome.violations.iter().enumerate() {
            let case = report.cases.as_ref().and_then(|cases| cases.label(property, number));
            all.extend(singles(property, case, violation));
        }
    }
    all.sort();
    all
}

#[derive(Default)]
struct Collected {
    lines: Vec<Single>,
    /// The properties that each event violated, and the end.
    events: Vec<(u64, Vec<usize>)>,
    end: Vec<usize>,
}

impl Listener for Collected {
    fn violation(&mut self, found: &ReportedViolation<'_>) {
        self.lines.extend(singles(found.property, found.case, found.violation));
    }
    fn event(&mut self, verdict: &EventVerdict<'_>) {
        self.events.push((verdict.origin.event_index, verdict.violated.to_vec()));
    }
    fn end(&mut self, verdict: &EndVerdict<'_>) {
        self.end.extend_from_slice(verdict.violated);
    }
}

fn compiled() -> CompiledSpec {
    let (compiled, diagnostics) = compile(SPEC, &[]);
    compiled.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

/// Some events in order of time; `late` of them come one time unit later than they should.
fn trace(seed: u64, late: bool) -> String {
    let mut random = Random::new(seed);
    let mut time = 0;
    let mut text = String::new();
    for _ in 0..10 {
        time += random.below(3);
        let shown = if late { time + random.below(2) } else { time };
        let event = ["a", "b", "c", "z"][random.below(4) as usize];
        let (x, case) = (1 + random.below(3), random.below(2));
        let _ = writeln!(text, r#"{{"event":"{event}","time":{shown},"x":{x},"k":{case}}}"#);
    }
    text
}

fn run(compiled: &CompiledSpec, text: &str, options: &Options) -> (Report, Collected) {
    let input = NamedInput::stream("trace".into(), std::io::Cursor::new(text.to_owned()));
    let mut collected = Collected::default();
    let report = judge(compiled, input, options, &mut collected).expect("the trace can be judged");
    collected.lines.sort();
    (report, collected)
}

#[test]
fn lines_are_the_violations_of_the_report() {
    let compiled = compiled();
    let by = || DivideBy::Field("k".to_owned());
    let reorder = Some(Quantity::whole(1));
    for seed in 0..150 {
        for end in [End::Complete, End::Prefix] {
            for (by, late) in [(DivideBy::Whole, false), (by(), false), (DivideBy::Whole, true), (by(), true)] {
                let options = Options { by, end, reorder: reorder.filter(|_| late), ..Options::default() };
                let text = trace(seed, late);
                let (report, _) = run(&compiled, &text, &options);
                let lines = Options { report_violations: true, ..options.clone() };
                assert_eq!(run(&compiled, &text, &lines).1.lines, of_report(&report), "{options:?}\n{text}");
                for jobs in [1, 2] {
                    let events = Options { report_events: true, jobs, ..options.clone() };
                    let (with_events, _) = run(&compiled, &text, &events);
                    assert_eq!(of_report(&with_events), of_report(&report), "{events:?}\n{text}");
                }
            }
        }
    }
}

/// Lists the violations with the events that they cite, each by its place in order of time.
fn decisions(report: &Report, place: impl Fn(u64) -> usize) -> Vec<String> {
    let mut all = Vec::new();
    for (property, outcome) in report.outcomes.iter().enumerate() {
        for violation in &outcome.violations {
            let decided = match violation.decided {
                DecisionPoint::Event(origin) => format!("event {}", place(origin.event_index)),
                DecisionPoint::Deadline(time) => format!("deadline {time:?}"),
                DecisionPoint::End(time) => format!("end {time:?}"),
            };
            let (at, until) = (violation.at, violation.until_position);
            let event = place(at.origin.event_index);
            all.push(format!("{property} {} {until:?} {event} {decided} {}", at.position, violation.binding));
        }
    }
    all.sort();
    all
}

#[test]
fn reordered_events_decide_as_those_in_order() {
    let compiled = compiled();
    for seed in 0..300 {
        let text = trace(seed, true);
        let mut lines: Vec<(usize, &str)> = text.lines().enumerate().collect();
        lines.sort_by_key(|(_, line)| {
            let rest = line.split_once("\"time\":").unwrap().1;
            rest.split(',').next().unwrap().parse::<u64>().unwrap()
        });
        let sorted: String = lines.iter().flat_map(|(_, line)| [*line, "\n"]).collect();
        let place = |index: u64| lines.iter().position(|(line, _)| *line as u64 == index).unwrap();
        for by in [DivideBy::Whole, DivideBy::Field("k".to_owned())] {
            let options = Options { by, ..Options::default() };
            let wanted = decisions(&run(&compiled, &sorted, &options).0, |index| index as usize);
            for jobs in [1, 2] {
                let options = Options { reorder: Some(Quantity::whole(1)), jobs, ..options.clone() };
                let (found, _) = run(&compiled, &text, &options);
                assert_eq!(decisions(&found, place), wanted, "{options:?}\n{text}");
            }
        }
    }
}

#[test]
fn the_event_that_decides_is_the_one_that_is_reported() {
    let compiled = compiled();
    for seed in 0..150 {
        let text = trace(seed, false);
        let options = Options { by: DivideBy::Whole, report_events: true, ..Options::default() };
        let (report, collected) = run(&compiled, &text, &options);
        for (property, outcome) in report.outcomes.iter().enumerate() {
            // A range has the moment of its first position only.
            if outcome.violations.iter().all(|one| one.until_position.is_none()) {
                let by_end = outcome.violations.iter().any(|one| matches!(one.decided, DecisionPoint::End(_)));
                assert_eq!(collected.end.contains(&property), by_end, "{property} {outcome:?}\n{text}");
            }
            for violation in outcome.violations.iter().filter(|one| one.until_position.is_none()) {
                let DecisionPoint::Event(decided) = violation.decided else { continue };
                let is_decider = |(index, violated): &(u64, Vec<usize>)| {
                    *index == decided.event_index && violated.contains(&property)
                };
                assert!(collected.events.iter().any(is_decider), "{property} {violation:?}\n{text}");
            }
        }
    }
}

#[test]
fn a_monitor_without_an_end_finds_them_all() {
    let compiled = Arc::new(compiled());
    for seed in 0..150 {
        for by in [None, Some("k")] {
            let mut monitor = PushMonitor::new(compiled.clone(), by);
            let mut found: Vec<(u64, Vec<Single>)> = Vec::new();
            let text = trace(seed, false);
            for (number, line) in text.lines().enumerate() {
                let input = NamedInput::stream("line".into(), std::io::Cursor::new(format!("{line}\n")));
                monitor.feed(input, &Options::default()).expect("the event is in order");
                for one in monitor.drain_violations() {
                    found.retain(|(known, _)| !(one.grew && *known == one.number));
                    found.push((one.number, singles(one.property, one.case.as_deref(), &one.violation)));
                }
                if number as u64 % 3 == seed % 3 {
                    monitor = PushMonitor::restore(&monitor.save(), &compiled).expect("it was saved just now");
                }
            }
            let mut found: Vec<Single> = found.into_iter().flat_map(|(_, singles)| singles).collect();
            let report = of_report(&monitor.report("trace", End::Prefix));
            // The last position of properties that merge simultaneous events is still open.
            let merges = |single: &Single| {
                let core = &compiled.plan.cores()[single.0];
                core.simultaneous() == gnomon_core::verdict::Simultaneous::Merge
            };
            let report: Vec<Single> = report.into_iter().filter(|single| !merges(single)).collect();
            found.retain(|single| !merges(single));
            found.sort();
            assert_eq!(found, report, "{by:?}\n{text}");
        }
    }
}
