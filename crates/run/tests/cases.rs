// SPDX-License-Identifier: MIT OR Apache-2.0
//! More cases than stay active at a time: the outcome of each case equals that of checking it alone.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gnomon_core::random::Random;
use gnomon_run::compile::compile;
use gnomon_run::offline::{CaseOutcomes, DivideBy, Limits, Listener, NamedInput, Options, judge};

const SPEC: &str = "\
event login(user)
event logout(user)
event pay(user, item)
mtl served { forall u. G(login(u) -> F[0,30000] logout(u)) }
mtl known { G(pay(_, _) -> P login(_)) }
mtl merged { G(pay(_, _) -> F[0,20000] (logout(_) || login(_))) }
pattern few { for every u: globally: at most 1 login(u) }
nomad before { P(start(pay) | O[50000,0] done(login)) / {{login.user, pay.user}} }
qea turns {
  Forall(u)
  accept skip(out) { login(u) -> in }
  accept next(in) {
    logout(u) -> out
    pay(u, _) -> in
  }
}
";

const CASES: usize = 20_000;
const ROUNDS: usize = 3;

/// Each case has an event in each round, so that it is looked for again after many others.
fn trace() -> Vec<(usize, String)> {
    let mut random = Random::new(7);
    let mut below = |most: u64| random.below(most);
    let line = |place: usize| {
        let user = (place * 7919) % CASES;
        let event = ["login", "logout", "pay", "ping"][below(4) as usize];
        (user, format!(r#"{{"event":"{event}","time":{place},"user":{user},"item":{}}}"#, below(2)))
    };
    (0..ROUNDS * CASES).map(line).collect()
}

/// For each case, the outcome of each property.
#[derive(Default)]
struct CollectedCases(BTreeMap<String, Vec<String>>);

impl Listener for CollectedCases {
    fn case(&mut self, case: &CaseOutcomes<'_>) {
        let rows = case.outcomes.iter().map(|outcome| {
            let mut text = format!("{:?} {} {} ", outcome.verdict, outcome.activated, outcome.satisfied);
            for violation in &outcome.violations {
                let _ = write!(
                    text,
                    "{:?} {} {:?};",
                    violation.at.origin.time,
                    violation.binding,
                    violation.decided.time()
                );
            }
            text
        });
        self.0.insert(case.label.to_owned(), rows.collect());
    }
}

fn collect_cases(lines: impl Iterator<Item = String>) -> CollectedCases {
    let (compiled, diagnostics) = compile(SPEC, &[]);
    let compiled = compiled.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let text = lines.collect::<Vec<_>>().join("\n");
    let input = NamedInput::stream("trace".into(), std::io::Cursor::new(text));
    let options = Options { by: DivideBy::Field("user".into()), max_violations: 1_000_000, ..Options::default() };
    let mut collected = CollectedCases::default();
    judge(&compiled, input, &options, &mut collected).expect("the trace can be judged");
    collected
}

#[test]
fn packed_cases_have_the_same_outcomes() {
    let trace = trace();
    let whole = collect_cases(trace.iter().map(|(_, line)| line.clone()));
    assert_eq!(whole.0.len(), CASES);
    // A few hundred at a time are never packed.
    let mut apart = CollectedCases::default();
    for part in 0..100 {
        let lines = trace.iter().filter(|(user, _)| user % 100 == part).map(|(_, line)| line.clone());
        apart.0.append(&mut collect_cases(lines).0);
    }
    let different = whole.0.iter().find(|(case, rows)| apart.0.get(*case) != Some(*rows));
    assert_eq!(different, None, "alone: {:?}", different.and_then(|(case, _)| apart.0.get(case)));
    let violated = whole.0.values().flatten().filter(|row| row.starts_with("Violated")).count();
    assert!((CASES..4 * CASES).contains(&violated), "{violated} of {} are violated", 6 * CASES);
}

#[test]
fn cases_count_as_memory() {
    let (compiled, _) = compile(SPEC, &[]);
    let compiled = compiled.unwrap();
    let text = trace().into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n");
    let judged = |memory: u64| {
        let input = NamedInput::stream("trace".into(), std::io::Cursor::new(text.clone()));
        let limits = Limits { memory: Some(memory), ..Limits::default() };
        let options = Options { by: DivideBy::Field("user".into()), limits, ..Options::default() };
        judge(&compiled, input, &options, &mut |_, _| {})
    };
    assert!(matches!(judged(10 << 20).unwrap_err(), gnomon_run::Error::Overload(_)));
    judged(4 << 30).unwrap();
}
