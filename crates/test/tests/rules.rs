// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules over messages: laws, the worked example of the paper, all short traces, and violations word for word.

use gnomon_core::diagnostic::Severity;
use gnomon_core::number::Number;
use gnomon_core::time::{Clock, Duration, Quantity};
use gnomon_core::value::Value;
use gnomon_core::verdict::{Binding, DecisionPoint, End, Outcome, TracePosition, Verdict, Violation};
use gnomon_ir::rule::{Correlation, CorrelationMember, Matching, Modality, Rule, RuleWindow};
use gnomon_ir::spec::{Body, Language, Spec};
use gnomon_oracle::{OracleEvent, judge, judge_at};
use gnomon_test::build::{each_atom, path};
use gnomon_test::case::{Case, at};
use gnomon_test::drive::{ALL_VIOLATIONS, Drive};
use gnomon_test::exhaustive;
use gnomon_test::generate;
use gnomon_test::notation;
use gnomon_test::property::{for_all_in, judge_case, scaled, scaled_length};

const ENDS: [End; 2] = [End::Complete, End::Prefix];

fn for_all(name: &str, count: u64, check: impl Fn(&Case) -> Result<(), String>) {
    for_all_in(Language::Nomad, name, count, check);
}

fn outcome(case: &Case, end: End) -> Result<Outcome, String> {
    Ok(judge(&case.core()?, &case.trace(), end, usize::MAX))
}

/// The case with its rule changed.
fn with_rule(case: &Case, change: impl FnOnce(&mut Rule)) -> Case {
    let mut changed = case.clone();
    let Body::Rule(rule) = &mut changed.spec.properties[0].body else { panic!("the property is a rule") };
    change(rule);
    changed
}

/// The part of an outcome that does not depend on the positions of events in the file.
fn summary(outcome: &Outcome) -> impl PartialEq + std::fmt::Debug + use<> {
    let Outcome { verdict, presumably, activated, satisfied, violated, pending, durations, .. } = *outcome;
    (verdict, presumably, [activated, satisfied, violated, pending], durations)
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, left: &T, right: &T) -> Result<(), String> {
    if left == right { Ok(()) } else { Err(format!("{what}: {left:?} and {right:?}")) }
}

#[test]
fn a_prohibition_is_violated_where_a_permission_is_satisfied() {
    for_all("duality", 4_000, |case| {
        let other = with_rule(case, |rule| {
            rule.modality = match rule.modality {
                Modality::Permission => Modality::Prohibition,
                Modality::Prohibition => Modality::Permission,
            };
        });
        // Before the end: what `strict-end` violates, it violates under both.
        let (one, other) = (outcome(case, End::Prefix)?, outcome(&other, End::Prefix)?);
        let counts = |it: &Outcome| [it.activated, it.pending];
        same("activated and pending", &counts(&one), &counts(&other))?;
        same("swapped", &[one.satisfied, one.violated], &[other.violated, other.satisfied])
    });
}

#[test]
fn every_activation_is_satisfied_violated_or_pending_and_stays_what_it_became() {
    for_all("settled", 4_000, |case| {
        let mut before = [0; 3];
        for cut in 0..=case.events.len() {
            for end in ENDS {
                let Outcome { verdict, activated, satisfied, violated, pending, .. } = outcome(&case.cut(cut), end)?;
                same("sum", &activated, &(satisfied + violated + pending))?;
                let expected = match end {
                    _ if violated > 0 => Verdict::Violated,
                    End::Complete => Verdict::Holds,
                    End::Prefix => Verdict::Inconclusive,
                };
                same("verdict", &expected, &verdict)?;
                if end == End::Prefix {
                    let now = [activated, satisfied, violated];
                    if now.iter().zip(before).any(|(now, before)| *now < before) {
                        return Err(format!("{before:?}, then {now:?} after {cut} events"));
                    }
                    before = now;
                }
            }
        }
        Ok(())
    });
}

#[test]
fn messages_that_concern_nobody_change_nothing() {
    for_all("irrelevant", 4_000, |case| {
        let mut more = case.clone();
        let nobody = |event: &OracleEvent| OracleEvent::new("nobody", event.time);
        more.events = case.events.iter().flat_map(|event| [nobody(event), event.clone(), nobody(event)]).collect();
        for end in ENDS {
            same("with more messages", &summary(&outcome(case, end)?), &summary(&outcome(&more, end)?))?;
        }
        Ok(())
    });
}

#[test]
fn a_message_that_concerns_nobody_is_time_that_passes() {
    for_all("passing", 3_000, |case| {
        let core = case.core()?;
        let last = case.events.last().map_or(at(0), |event| event.time);
        for later in [1, at(1).ticks(), at(4).ticks() + 1, at(12).ticks()] {
            let now = last + Duration::from_ticks(later);
            let mut more = case.clone();
            more.events.push(OracleEvent::new("nobody", now));
            for end in ENDS {
                let passed = judge_at(&core, &case.trace(), end, Some(now), usize::MAX);
                same("time that passes", &summary(&passed), &summary(&outcome(&more, end)?))?;
            }
        }
        Ok(())
    });
}

#[test]
fn shifted_times_shift_the_outcome() {
    for_all("shift", 2_000, |case| {
        let by = Duration::from_ticks(at(1_000).ticks() + 7);
        let mut later = case.clone();
        for event in &mut later.events {
            event.time = event.time + by;
        }
        for end in ENDS {
            let mut here = outcome(case, end)?;
            for violation in &mut here.violations {
                violation.at.origin.time = violation.at.origin.time + by;
                match &mut violation.decided {
                    DecisionPoint::Event(origin) => origin.time = origin.time + by,
                    DecisionPoint::Deadline(time) | DecisionPoint::End(time) => *time = *time + by,
                }
            }
            same("later", &here, &outcome(&later, end)?)?;
        }
        Ok(())
    });
}

/// Returns true if a message alone activates the rule.
fn asks(case: &Case, event: &OracleEvent) -> Result<bool, String> {
    let alone = Case { events: vec![event.clone()], ..case.clone() };
    Ok(outcome(&alone, End::Prefix)?.activated > 0)
}

/// With a window ahead, and where a key of its own leads every message to one instance, there is nothing to choose.
#[test]
fn both_matchings_are_one_where_each_instance_has_a_key_of_its_own() {
    let mut compared = 0;
    let count = std::cell::RefCell::new(&mut compared);
    for_all("keys", 6_000, |case| {
        let mut is_plain = true;
        let mut body = case.property().body.clone();
        // Keys must not decide what a message is.
        each_atom(&mut body, &mut |atom| is_plain &= atom.name != "d" && atom.arguments.is_none());
        let Body::Rule(rule) = &body else { return Ok(()) };
        let looks_ahead =
            rule.window.from.is_some_and(|from| rule.window.to.is_none_or(|to| from.billionths <= to.billionths));
        if !is_plain || !looks_ahead {
            return Ok(());
        }
        let member =
            |name: &str| CorrelationMember { message: name.to_owned(), field: path("key"), span: rule.window.span };
        let members = ["a", "b", "c", "e"].map(member).to_vec();
        let keyed = with_rule(case, |rule| {
            rule.correlations = vec![Correlation { members, span: rule.window.span }];
        });
        let mut events = case.events.clone();
        let mut keys = 0;
        for (index, event) in events.iter_mut().enumerate() {
            keys += i64::from(asks(case, event)?);
            // A message that asks has a new key, any other one of those there are.
            let key = if asks(case, event)? { keys } else { index as i64 % keys.max(1) + 1 };
            event.fields.push(("key".to_owned(), Some(Value::Number(Number::Int(key)))));
        }
        let keyed = Case { events, ..keyed };
        let [paired, any] = [Matching::Paired, Matching::Any].map(|way| with_rule(&keyed, |rule| rule.matching = way));
        **count.borrow_mut() += 1;
        for end in ENDS {
            same("paired and any", &outcome(&paired, end)?, &outcome(&any, end)?)?;
        }
        Ok(())
    });
    assert!(compared > scaled(1_000), "only {compared} cases have a window ahead");
}

fn read(rule: &str) -> Spec {
    let (spec, diagnostics) = gnomon_lang::parse(rule);
    let wrong: Vec<_> = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect();
    assert!(wrong.is_empty(), "{rule}: {wrong:?}");
    spec
}

/// The verdict of each message of the paper's third example: false where a rule is violated with it, windows that it
/// closes included.
#[test]
fn the_worked_example_of_the_paper_message_by_message() {
    let rules = [
        "nomad r1 { P(start(a1) | O[0,10] (done(b1) || done(c1))) }",
        "nomad r2 { P(start(b2) | O[inf,0] (done(a2) && done(!c2))) }",
    ];
    let trace = "a1@0 a2@2 a1@3 b2@8 b1@9 a2@12 b3@15 c1@16";
    let events = notation::parse(trace, Clock::default()).expect("the trace is well formed");
    let cases = rules.map(|rule| Case { spec: read(rule), events: events.clone() });
    let cores = cases.each_ref().map(|case| case.core().expect("the rule is sound"));
    let drives = cores.each_ref().map(|core| Drive::new(core, &events));
    let mut monitors = drives.each_ref().map(Drive::start);
    let mut by_oracle = Vec::new();
    let mut by_engine = Vec::new();
    for index in 0..events.len() {
        let violated = |cut: usize| -> u64 {
            let judged = cases.iter().map(|case| outcome(&case.cut(cut), End::Prefix).expect("the rule is sound"));
            judged.map(|outcome| outcome.violated).sum()
        };
        by_oracle.push(violated(index + 1) == violated(index));
        let mut violated = [0, 0];
        for (drive, monitor) in drives.iter().zip(&mut monitors) {
            violated[0] += Drive::finish(monitor.clone(), End::Prefix).violated;
            drive.step(monitor, index);
            violated[1] += Drive::finish(monitor.clone(), End::Prefix).violated;
        }
        by_engine.push(violated[0] == violated[1]);
    }
    let printed = [true, true, true, true, true, true, false, true];
    assert_eq!(by_oracle, printed);
    assert_eq!(by_engine, printed);
    let counts = |outcome: Outcome| [outcome.activated, outcome.satisfied, outcome.violated, outcome.pending];
    let by_engine = monitors.map(|monitor| counts(Drive::finish(monitor, End::Complete)));
    assert_eq!(by_engine, [[2, 1, 1, 0], [1, 1, 0, 0]]);
}

/// All of a violation but its story.
fn bare(violation: &Violation) -> (TracePosition, Option<u64>, DecisionPoint, Binding, gnomon_core::diagnostic::Span) {
    let Violation { at, until_position, decided, binding, failed, .. } = violation.clone();
    (at, until_position, decided, binding, failed)
}

fn agree_word_for_word(case: &Case) -> Result<(), String> {
    let core = case.core()?;
    let drive = Drive::new(&core, &case.events);
    let mut monitor = drive.start();
    for index in 0..case.events.len() {
        drive.step(&mut monitor, index);
    }
    for end in ENDS {
        agree_with(&judge(&core, &drive.trace, end, ALL_VIOLATIONS), &Drive::finish(monitor.clone(), end))?;
    }
    Ok(())
}

fn agree_with(expected: &Outcome, found: &Outcome) -> Result<(), String> {
    same("counts", &summary(expected), &summary(found))?;
    let bare = |outcome: &Outcome| outcome.violations.iter().map(bare).collect::<Vec<_>>();
    same("violations", &bare(expected), &bare(found))?;
    match found.violations.iter().find(|violation| violation.summary.is_empty()) {
        Some(silent) => Err(format!("{:?} has no summary", silent.at)),
        None => Ok(()),
    }
}

#[test]
fn violations_are_the_same_word_for_word() {
    for_all("words", 4_000, agree_word_for_word);
}

/// Many instances alive at a time, some of which know more of their values than others, and saved now and then.
#[test]
fn with_many_instances() {
    let mut many = 0;
    let most = std::cell::RefCell::new(&mut many);
    for_all("many", 1_500, |case| {
        let wide = with_rule(case, |rule| {
            let widen =
                |bound: Option<Quantity>| bound.map(|bound| Quantity { billionths: bound.billionths * 12, ..bound });
            rule.window = RuleWindow { from: widen(rule.window.from), to: widen(rule.window.to), ..rule.window };
        });
        let mut events = case.events.clone();
        for seed in 0..6 {
            let last = events.last().map_or(at(0), |event| event.time);
            let more = generate::case_in(Language::Nomad, case.events.len() as u64 * 7 + seed).events.into_iter();
            events.extend(more.map(|event| {
                let time = last + Duration::from_ticks(event.time.ticks());
                OracleEvent { time, ..event }
            }));
        }
        let wide = Case { events, ..wide };
        let core = wide.core()?;
        let drive = Drive::new(&core, &wide.events);
        let mut monitor = drive.start();
        for index in 0..wide.events.len() {
            if index % 17 == 16 {
                monitor = drive.plan.restore(&monitor.save()).map_err(|error| error.to_string())?;
            }
            drive.step(&mut monitor, index);
        }
        for end in ENDS {
            let found = Drive::finish(monitor.clone(), end);
            let most = &mut **most.borrow_mut();
            *most = (*most).max(found.pending);
            agree_with(&judge(&core, &drive.trace, end, ALL_VIOLATIONS), &found)?;
        }
        Ok(())
    });
    assert!(many > scaled(25).min(25), "at most {many} instances are alive");
}

/// Rules in which few messages make many situations.
const SMALL: [&str; 12] = [
    "P(start(a) | O[0,1] done(b))",
    "P(start(a) | O[1,2] done(b)) / {{a.id, b.id}}",
    "P(start(a) | O[0,0] done(!b)) / {{a.id, b.id}}",
    "P(start(a) | O[0,2] (done(b) && done(c))) / {{a.id, b.id, c.id}}",
    "P(start(a) | O[0,2] (done(c) && done(!b))) / {{a.id, b.id}}",
    "P(start(a) | O[0,inf] done(a)) / {{a.id, b.id}}",
    "P(start(a) || start(c) | O[0,2] (done(a) || done(!b))) / {{a.id, b.id}}",
    "P(start(a) | O[1,0] done(b))",
    "P(start(a) | O[2,1] done(b)) / {{a.id, b.id}}",
    "P(start(a) | O[2,0] (done(b) && done(c))) / {{a.id, b.id, c.id}}",
    "P(start(a) | O[inf,1] (done(b) || done(!c))) / {{a.id, b.id}}",
    "P(start(a) || start(c) | O[2,0] (done(a) && done(!b))) / {{a.id, b.id}}",
];

#[test]
fn on_all_short_traces() {
    let traces = exhaustive::messages(scaled_length(3));
    for rule in SMALL {
        for options in ["", "(matching any)"] {
            let spec = read(&format!("nomad case {options} {{ {rule} }}"));
            for events in &traces {
                let case = Case { spec: spec.clone(), events: events.clone() };
                judge_case("exhaustive", case, &agree_word_for_word);
            }
        }
    }
}
