// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cases that are shown the bounds of the whole trace add up to the outcome of the whole trace.

use std::fmt::Write as _;

use gnomon_core::random::Random;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{DecisionPoint, End, Origin, Outcome, Verdict};
use gnomon_ir::partition::PartitionReasonKind;
use gnomon_run::compile::{CompiledSpec, compile};
use gnomon_run::offline::{BoundaryEvent, DivideBy, NamedInput, Options, Report, TraceBounds, judge};

const SPEC: &str = "\
event login(user)
event logout(user)
event pay(user, item)
mtl served { forall u. G(login(u) -> F[0,10] logout(u)) }
mtl known { forall u. G(pay(u, _) -> P[0,20] login(u)) }
mtl first { forall u. login(u) -> F[0,30] logout(u) }
mtl both { forall u, i. G(pay(u, i) -> F[0,15] (logout(u) || pay(u, i))) }
mtl sooner { forall u. F logout(u) }
pattern few { for every u: globally: at most 2 login(u) }
pattern between { for every u: between login(u) and logout(u): at least 1 pay(u, _) }
pattern soon { for every u: globally: existence of logout(u) within 40 }
pattern steady { for every u: after login(u) until logout(u): pay(u, 1) recurs every 12 }
nomad paid { P(start(login) | O[0,10] done(pay)) / {{login.user, pay.user}} }
nomad before { P(start(pay) | O[15,0] done(login)) / {{login.user, pay.user}} }
qea turns {
  Forall(u)
  accept skip(out) { login(u) -> in }
  accept next(in) {
    logout(u) -> out
    pay(u, _) -> in
  }
}
mu silent { forall u:D. [true* . login(u) . (!logout(u))* . login(u)] false }
";

fn compiled() -> CompiledSpec {
    let (compiled, diagnostics) = compile(SPEC, &[]);
    compiled.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

/// A trace of a few users, some of whom never come back, with all the ways to write one of them.
fn trace(seed: u64, users: &[&str]) -> String {
    let mut random = Random::new(seed);
    let mut below = |most: u64| random.below(most);
    let (mut text, mut time) = (String::new(), 0);
    for _ in 0..below(40) {
        time += below(6);
        let event = ["login", "logout", "pay", "pay", "ping"][below(5) as usize];
        let user = users[below(users.len() as u64) as usize];
        let item = below(2);
        let _ = writeln!(text, r#"{{"event":"{event}","time":{time},"user":{user},"item":{item}}}"#);
    }
    text
}

fn judged(compiled: &CompiledSpec, text: &str, by: DivideBy, bounds: Option<TraceBounds>, end: End) -> Report {
    let input = NamedInput::stream("day.ndjson".to_owned(), std::io::Cursor::new(text.to_owned()));
    let options = Options { by, bounds, end, ..Options::default() };
    judge(compiled, input, &options, &mut |_, _| {}).expect("the trace can be read")
}

/// The first and the last event, as a whole reading of the trace knows them.
fn bounds(text: &str, whole: &Report) -> TraceBounds {
    let name = |line: Option<&str>| {
        let line = line.expect("there are events");
        line.split('"').nth(3).expect("its name").to_owned()
    };
    let boundary =
        |index, time: Option<Timestamp>, event| BoundaryEvent { index, time: time.expect("there are events"), event };
    TraceBounds {
        first: Some(boundary(0, whole.first_time, name(text.lines().next()))),
        last: Some(boundary(whole.events - 1, whole.last_time, name(text.lines().last()))),
    }
}

type ComparedOutcome<'a> = (Verdict, Option<bool>, u64, Vec<(String, &'a Origin, Option<&'a DecisionPoint>)>);

/// The part of an outcome that is compared. Ranges are joined differently, so decisions are compared only for single violations.
fn compared_outcome<'a>(report: &'a Report, index: usize, whole: &Outcome) -> ComparedOutcome<'a> {
    let outcome = &report.outcomes[index];
    let single = whole.violations.iter().all(|violation| violation.until_position.is_none())
        && outcome.violations.iter().all(|violation| violation.until_position.is_none());
    let list = outcome.violations.iter().filter(|_| single);
    let mut list: Vec<_> =
        list.map(|violation| (violation.binding.to_string(), &violation.at.origin, Some(&violation.decided))).collect();
    list.sort_by_key(|(binding, origin, _)| (origin.event_index, binding.clone()));
    (outcome.verdict, outcome.presumably, outcome.violated, list)
}

#[test]
fn every_property_can_be_partitioned_by_user() {
    let compiled = compiled();
    for (property, partition) in compiled.properties().zip(compiled.partitions()) {
        assert!(partition.allows("user").is_ok(), "{}: {:?}", property.name, partition.reasons);
        assert_eq!(partition.allows("time").expect_err("no key").kind, PartitionReasonKind::OtherField);
    }
}

#[test]
fn cases_with_bounds_add_up_to_the_whole() {
    let compiled = compiled();
    let mut violated = 0;
    for seed in 0..300 {
        let text = trace(seed, &["1", "1.0", "\"ann\"", "null", "2"]);
        for end in [End::Complete, End::Prefix] {
            let whole = judged(&compiled, &text, DivideBy::Whole, None, end);
            if whole.events == 0 {
                continue;
            }
            let bounds = Some(bounds(&text, &whole));
            let cases = judged(&compiled, &text, DivideBy::Field("user".to_owned()), bounds, end);
            for (index, property) in compiled.properties().enumerate() {
                let outcome = &whole.outcomes[index];
                violated += outcome.violated;
                let wanted =
                    (compared_outcome(&whole, index, &cases.outcomes[index]), compared_outcome(&cases, index, outcome));
                assert_eq!(wanted.0, wanted.1, "{} {end:?}\n{text}", property.name);
            }
        }
    }
    assert!(violated > 1_000, "the traces are too tame: {violated}");
}

/// Without a bounds a case is a trace of its own: a deadline after its end stays open, as ever.
#[test]
fn cases_without_bounds_end_with_their_last_event() {
    let compiled = compiled();
    let text = "{\"event\":\"login\",\"time\":1,\"user\":1}\n{\"event\":\"ping\",\"time\":50,\"user\":2}\n";
    let served =
        |bounds| judged(&compiled, text, DivideBy::Field("user".to_owned()), bounds, End::Prefix).outcomes[0].verdict;
    let whole = judged(&compiled, text, DivideBy::Whole, None, End::Prefix);
    assert_eq!(whole.outcomes[0].verdict, Verdict::Violated);
    assert_eq!(served(None), Verdict::Inconclusive);
    assert_eq!(served(Some(bounds(text, &whole))), Verdict::Violated);
}
