// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cases that are told where the whole trace begins and ends say together what the whole says.

use std::fmt::Write as _;

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{Decided, End, Origin, Outcome, Verdict};
use gnomon_ir::partition::ReasonKind;
use gnomon_run::compile::{Compiled, compile};
use gnomon_run::offline::{By, Frame, Input, Landmark, Options, Report, judge};

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

fn compiled() -> Compiled {
    let (compiled, diagnostics) = compile(SPEC, &[]);
    compiled.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

/// A trace of a few users, some of whom never come back, with all the ways to write one of them.
fn trace(mut seed: u64, users: &[&str]) -> String {
    let mut below = |most: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % most
    };
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

fn judged(compiled: &Compiled, text: &str, by: By, frame: Option<Frame>, end: End) -> Report {
    let input = Input::stream("day.ndjson".to_owned(), std::io::Cursor::new(text.to_owned()));
    let options = Options { by, frame, end, ..Options::default() };
    judge(compiled, input, &options, &mut |_, _| {}).expect("the trace can be read")
}

/// The first and the last event, as a whole reading of the trace knows them.
fn frame(text: &str, whole: &Report) -> Frame {
    let name = |line: Option<&str>| {
        let line = line.expect("there are events");
        line.split('"').nth(3).expect("its name").to_owned()
    };
    let landmark =
        |index, time: Option<Timestamp>, event| Landmark { index, time: time.expect("there are events"), event };
    Frame {
        first: Some(landmark(0, whole.first_time, name(text.lines().next()))),
        last: Some(landmark(whole.events - 1, whole.last_time, name(text.lines().last()))),
    }
}

type Said<'a> = (Verdict, Option<bool>, u64, Vec<(String, &'a Origin, Option<&'a Decided>)>);

/// What is said of a property; ranges are not joined alike, so of moments only those of single violations are compared.
fn said<'a>(report: &'a Report, index: usize, whole: &Outcome) -> Said<'a> {
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
fn every_property_here_may_be_taken_apart_by_user() {
    let compiled = compiled();
    for (property, partition) in compiled.properties().zip(compiled.partitions()) {
        assert!(partition.allows("user").is_ok(), "{}: {:?}", property.name, partition.reasons);
        assert_eq!(partition.allows("time").expect_err("no key").kind, ReasonKind::OtherField);
    }
}

#[test]
fn framed_cases_say_what_the_whole_says() {
    let compiled = compiled();
    let mut violated = 0;
    for seed in 0..300 {
        let text = trace(seed, &["1", "1.0", "\"ann\"", "null", "2"]);
        for end in [End::Complete, End::Prefix] {
            let whole = judged(&compiled, &text, By::Whole, None, end);
            if whole.events == 0 {
                continue;
            }
            let frame = Some(frame(&text, &whole));
            let cases = judged(&compiled, &text, By::Field("user".to_owned()), frame, end);
            for (index, property) in compiled.properties().enumerate() {
                let outcome = &whole.outcomes[index];
                violated += outcome.violated;
                let wanted = (said(&whole, index, &cases.outcomes[index]), said(&cases, index, outcome));
                assert_eq!(wanted.0, wanted.1, "{} {end:?}\n{text}", property.name);
            }
        }
    }
    assert!(violated > 1_000, "the traces are too tame: {violated}");
}

/// Without a frame a case is a trace of its own: a deadline after its end stays open, as ever.
#[test]
fn cases_that_are_told_nothing_end_by_themselves() {
    let compiled = compiled();
    let text = "{\"event\":\"login\",\"time\":1,\"user\":1}\n{\"event\":\"ping\",\"time\":50,\"user\":2}\n";
    let served = |frame| judged(&compiled, text, By::Field("user".to_owned()), frame, End::Prefix).outcomes[0].verdict;
    let whole = judged(&compiled, text, By::Whole, None, End::Prefix);
    assert_eq!(whole.outcomes[0].verdict, Verdict::Violated);
    assert_eq!(served(None), Verdict::Inconclusive);
    assert_eq!(served(Some(frame(text, &whole))), Verdict::Violated);
}
