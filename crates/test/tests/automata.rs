// SPDX-License-Identifier: MIT OR Apache-2.0
//! The alternating automaton of an invariant, copy by copy and with equal copies merged, agrees with the oracle and the engine
//! on generated cases: in every state, on whole traces and on every cut.

use gnomon_automaton::{AlternatingAutomaton, BuildContext, RunOutcome, Semantics, TableWord, ViolationMode, run};
use gnomon_core::verdict::{DecisionPoint, End};
use gnomon_ir::core::Core;
use gnomon_ir::formula::{Formula, FormulaKind};
use gnomon_ir::spec::{Body, Language};
use gnomon_oracle::{Trace, Truth, judge_each, truth};
use gnomon_test::case::Case;
use gnomon_test::drive::Drive;
use gnomon_test::property::for_all_in;

/// Evaluates a formula with the oracle in each state of a prefix of the trace.
fn states(case: &Case, formula: &Formula, events: usize, end: End) -> Result<Vec<Option<bool>>, String> {
    let mut spec = case.spec.clone();
    spec.properties[0].body = Body::Formula(formula.clone());
    let core = Case { spec, events: case.events.clone() }.formula_core()?;
    let trace = Trace::new(case.events[..events].to_vec());
    let positions = 0..trace.positions(core.simultaneous).len();
    let value = |position| match truth(&core, &trace, core.formula, position, end) {
        Truth::True => Some(true),
        Truth::False => Some(false),
        Truth::Unknown => None,
    };
    Ok(positions.map(value).collect())
}

/// The invariant's automaton, and the value of its `Always`.
fn automaton(case: &Case) -> Result<(AlternatingAutomaton, &Formula), String> {
    let is_seen = |name: &str| case.events.iter().any(|event| event.name == name);
    let setting = BuildContext {
        simultaneous: case.spec.simultaneous(case.property()),
        is_literal: &|occurrence| {
            let name = &occurrence.event.name;
            case.spec.event(name).is_some() || is_seen(name)
        },
        ..BuildContext::default()
    };
    let FormulaKind::Unary { of, .. } = &case.formula().kind else { return Err("it is not an invariant".to_owned()) };
    AlternatingAutomaton::of(case.formula(), setting)
        .map(|automaton| (automaton, &**of))
        .map_err(|refusal| format!("{refusal:?}"))
}

/// The propositions of each state; nothing if one of them is not known yet. Comparisons that count starts of activities, and
/// quantifiers with parts that look ahead, are propositions too.
fn word(case: &Case, automaton: &AlternatingAutomaton, events: usize, end: End) -> Result<Option<TableWord>, String> {
    let trace = Trace::new(case.events[..events].to_vec());
    let times = trace.positions(automaton.simultaneous).iter().map(|position| position.time).collect();
    let mut truth = Vec::new();
    for proposition in &automaton.propositions {
        let row = states(case, proposition, events, end)?;
        match row.into_iter().collect::<Option<Vec<bool>>>() {
            Some(row) => truth.push(row),
            None => return Ok(None),
        }
    }
    Ok(Some(TableWord { times, truth }))
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, expected: &T, found: &T) -> Result<(), String> {
    if expected == found { Ok(()) } else { Err(format!("{what}: {expected:?}, but {found:?}")) }
}

/// Compares the automaton with the oracle. Returns its run, or `None` if a proposition of the word is still unknown.
fn agree(case: &Case, events: usize, end: End) -> Result<Option<RunOutcome>, String> {
    let (automaton, body) = automaton(case)?;
    let Some(word) = word(case, &automaton, events, end)? else { return Ok(None) };
    let expected = states(case, body, events, end)?;
    let of = |semantics| run(&automaton, &word, end, semantics, usize::MAX);
    let standard = of(Semantics::Standard);
    same(&format!("oracle and ASA after {events} events, as {end:?}"), &expected, &standard.instances)?;
    let merged = of(Semantics::Merged(ViolationMode::Standard));
    same(&format!("oracle and LASA after {events} events, as {end:?}"), &expected, &merged.instances)?;
    let critical = of(Semantics::Merged(ViolationMode::Critical));
    for run in [&merged, &critical] {
        let [one, other] = [&standard, run].map(|run| (run.accepts, run.rejected_at));
        same(&format!("ASA and LASA after {events} events, as {end:?}"), &one, &other)?;
        if run.most > standard.most {
            return Err(format!("{} copies instead of {}", run.most, standard.most));
        }
    }
    Ok(Some(standard))
}

/// Returns true if every proposition is known in its own state, after each event.
fn is_known_at_once(case: &Case) -> Result<bool, String> {
    let (automaton, _) = automaton(case)?;
    let known = |events| Ok::<bool, String>(word(case, &automaton, events, End::Prefix)?.is_some());
    (0..=case.events.len()).try_fold(true, |all, events| Ok(all && known(events)?))
}

#[test]
fn automata_agree_with_the_oracle_on_every_cut() {
    for_all_in(Language::Albert, "automata", 1_500, |case| {
        for events in 0..=case.events.len() {
            for end in [End::Complete, End::Prefix] {
                agree(case, events, end)?;
            }
        }
        Ok(())
    });
}

#[test]
fn automata_agree_with_the_engine() {
    for_all_in(Language::Albert, "automata and engine", 4_000, |case| {
        let run = agree(case, case.events.len(), End::Complete)?.ok_or("the whole trace leaves something open")?;
        let core: Core = case.core()?;
        let drive = Drive::new(&core, &case.events);
        let mut monitor = drive.start();
        for event in 0..case.events.len() {
            drive.step(&mut monitor, event);
        }
        let outcome = Drive::finish(monitor, End::Complete);
        let ranges =
            outcome.violations.iter().map(|one| one.at.position..=one.until_position.unwrap_or(one.at.position));
        let mut broken: Vec<u64> = ranges.flatten().collect();
        broken.sort_unstable();
        let rejected = (0..).zip(&run.instances).filter(|(_, value)| **value == Some(false));
        same("engine and ASA", &broken, &rejected.map(|(position, _)| position).collect())
    });
}

#[test]
fn a_rejection_is_certain_when_the_oracle_says_so() {
    for_all_in(Language::Albert, "moments of automata", 1_500, |case| {
        let run = agree(case, case.events.len(), End::Complete)?.ok_or("the whole trace leaves something open")?;
        if !is_known_at_once(case)? {
            return Ok(());
        }
        let (core, trace) = (case.core()?, case.trace());
        let positions = trace.positions(core.simultaneous());
        let (_, violations) = judge_each(&core, &trace, End::Complete, None);
        let first = violations.iter().map(|violation| match violation.decided {
            DecisionPoint::Event(origin) => {
                let place =
                    positions.iter().position(|position| position.events.contains(&(origin.event_index as usize)));
                place.unwrap_or(positions.len())
            }
            // The passing of time shows with the next state, if there is one.
            DecisionPoint::Deadline(time) => {
                positions.iter().position(|position| position.time > time).unwrap_or(positions.len())
            }
            DecisionPoint::End(_) => positions.len(),
        });
        same("oracle and ASA reject", &first.min(), &run.rejected_at)
    });
}
