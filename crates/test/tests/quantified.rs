// SPDX-License-Identifier: MIT OR Apache-2.0
//! Laws of quantifiers and automata: what must be so whatever the property and the trace.

use gnomon_core::time::Duration;
use gnomon_core::value::Value;
use gnomon_core::verdict::{End, Outcome, Verdict};
use gnomon_ir::atom::{Argument, Atom};
use gnomon_ir::formula::FormulaKind;
use gnomon_ir::spec::{Body, Language, QuantifierKind};
use gnomon_oracle::{OracleEvent, Trace, judge};
use gnomon_test::build::{self, each_atom, substitute};
use gnomon_test::case::{Case, at};
use gnomon_test::generate;
use gnomon_test::property::for_all_in;

const LANGUAGES: [Language; 2] = [Language::Mtl, Language::Qea];

fn outcome(case: &Case, end: End) -> Result<Outcome, String> {
    Ok(judge(&case.core()?, &case.trace(), end, usize::MAX))
}

/// After which events a cut falls between positions.
fn cuts(case: &Case) -> Result<Vec<usize>, String> {
    let positions = case.trace().positions(case.core()?.simultaneous());
    Ok(std::iter::once(0).chain(positions.iter().map(|position| position.events.end)).collect())
}

#[test]
fn a_settled_verdict_never_changes() {
    for language in LANGUAGES {
        for_all_in(language, "settled", 1_000, |case| {
            let mut settled = Verdict::Inconclusive;
            for cut in cuts(case)? {
                let prefix = outcome(&case.cut(cut), End::Prefix)?.verdict;
                let complete = outcome(&case.cut(cut), End::Complete)?.verdict;
                for verdict in [prefix, complete] {
                    if settled != Verdict::Inconclusive && verdict != settled {
                        return Err(format!("{settled} becomes {verdict} after {cut} events"));
                    }
                }
                if prefix != Verdict::Inconclusive && complete != prefix {
                    return Err(format!("as a prefix {prefix}, as a whole {complete}, after {cut} events"));
                }
                settled = prefix;
            }
            Ok(())
        });
    }
}

#[test]
fn a_settled_verdict_holds_for_every_other_continuation() {
    for language in LANGUAGES {
        for_all_in(language, "continuation", 600, |case| {
            let verdict = outcome(case, End::Prefix)?.verdict;
            if verdict == Verdict::Inconclusive {
                return Ok(());
            }
            let last = case.events.last().map_or(at(0), |event| event.time);
            for seed in 0..8 {
                let mut longer = case.clone();
                longer.events.extend(generate::case_in(language, seed).events.into_iter().map(|mut event| {
                    event.time = last + Duration::from_ticks(event.time.ticks() + 1 + i128::from(seed));
                    event
                }));
                let whole = outcome(&longer, End::Complete)?.verdict;
                if whole != verdict {
                    return Err(format!("{verdict} for certain, but {whole} with continuation {seed}"));
                }
            }
            Ok(())
        });
    }
}

/// Obligations satisfied or violated after a prefix stay so: certain counts never decrease.
#[test]
fn what_is_certain_of_a_binding_stays() {
    for language in LANGUAGES {
        for_all_in(language, "certain", 600, |case| {
            if !case.core()?.prefix().iter().all(|it| it.kind == QuantifierKind::Forall && it.threshold.is_none()) {
                return Ok(());
            }
            let mut violated = 0;
            for cut in cuts(case)? {
                let now = outcome(&case.cut(cut), End::Prefix)?.violated;
                if now < violated {
                    return Err(format!("{violated} violations, then {now} after {cut} events"));
                }
                violated = now;
            }
            Ok(())
        });
    }
}

/// Returns true if the first event matches the atom.
fn sees(case: &Case, atom: &Atom, event: &OracleEvent) -> Result<bool, String> {
    let mut alone = Case { events: vec![event.clone()], ..case.clone() };
    alone.spec.properties[0].prefix.clear();
    alone.spec.properties[0].body = Body::Formula(build::formula(FormulaKind::Atom(atom.clone())));
    Ok(outcome(&alone, End::Complete)?.verdict == Verdict::Holds)
}

/// One variable: the property is that of its values put in its place, one by one.
#[test]
fn a_variable_stands_for_its_values() {
    for_all_in(Language::Mtl, "instances", 2_000, |case| {
        let property = case.property();
        let [quantifier] = property.prefix.as_slice() else { return Ok(()) };
        let ([variable], None) = (quantifier.variables.as_slice(), quantifier.threshold) else { return Ok(()) };
        let values: Vec<Value<'static>> = case.events.iter().flat_map(OracleEvent::parameters).collect();
        let mut verdicts = Vec::new();
        for value in values {
            let body = substitute(&property.body, &variable.name, &Argument::Literal(value));
            // The value is of the domain if an atom that had the variable sees it.
            let (mut before, mut after) = (Vec::new(), Vec::new());
            each_atom(&mut property.body.clone(), &mut |atom| before.push(atom.clone()));
            each_atom(&mut body.clone(), &mut |atom| after.push(atom.clone()));
            let mut is_seen = false;
            for (_, atom) in before.iter().zip(&after).filter(|(before, after)| before != after) {
                for event in &case.events {
                    is_seen |= sees(case, atom, event)?;
                }
            }
            if is_seen {
                let mut instance = case.clone();
                instance.spec.properties[0].prefix.clear();
                instance.spec.properties[0].body = body;
                verdicts.push(outcome(&instance, End::Complete)?.verdict == Verdict::Holds);
            }
        }
        let expected = match quantifier.kind {
            QuantifierKind::Forall => verdicts.iter().all(|holds| *holds),
            QuantifierKind::Exists => verdicts.iter().any(|holds| *holds),
        };
        let found = outcome(case, End::Complete)?.verdict == Verdict::Holds;
        if found == expected { Ok(()) } else { Err(format!("instances {expected}, quantified {found}")) }
    });
}

/// All combinations of values are judged, in whatever order the variables are named.
#[test]
fn the_order_of_like_quantifiers_does_not_matter() {
    for language in LANGUAGES {
        for_all_in(language, "order", 1_500, |case| {
            let prefix = &case.property().prefix;
            let alike = |kind| prefix.iter().all(|it| it.kind == kind && it.threshold.is_none());
            if !alike(QuantifierKind::Forall) && !alike(QuantifierKind::Exists) {
                return Ok(());
            }
            let mut turned = case.clone();
            let prefix = &mut turned.spec.properties[0].prefix;
            prefix.reverse();
            for quantifier in prefix.iter_mut() {
                quantifier.variables.reverse();
            }
            for end in [End::Complete, End::Prefix] {
                let (here, there) = (outcome(case, end)?, outcome(&turned, end)?);
                let summary =
                    |it: &Outcome| (it.verdict, it.presumably, it.activated, it.satisfied, it.violated, it.durations);
                if summary(&here) != summary(&there) {
                    return Err(format!("{end:?}: {:?}, turned {:?}", summary(&here), summary(&there)));
                }
            }
            Ok(())
        });
    }
}

#[test]
fn events_outside_every_slice_do_not_exist_for_an_automaton() {
    for_all_in(Language::Qea, "outside", 1_500, |case| {
        let mut more = Vec::new();
        for event in &case.events {
            more.push(OracleEvent::new("nobody", event.time));
            more.push(event.clone());
        }
        let trace = Trace::new(more);
        let core = case.core()?;
        for end in [End::Complete, End::Prefix] {
            let (here, there) = (judge(&core, &case.trace(), end, usize::MAX), judge(&core, &trace, end, usize::MAX));
            let summary =
                |it: &Outcome| (it.verdict, it.presumably, it.activated, it.satisfied, it.violated, it.durations);
            if summary(&here) != summary(&there) {
                return Err(format!("{end:?}: {:?}, with more events {:?}", summary(&here), summary(&there)));
            }
        }
        Ok(())
    });
}
