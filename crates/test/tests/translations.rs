// SPDX-License-Identifier: MIT OR Apache-2.0
//! A logic plug-in and its translations to `mtl` and `qea` have the same verdict, on every cut of a trace, and also after they were printed and
//! read again.

use std::cell::RefCell;
use std::collections::BTreeMap;

use gnomon_artefact::Refusal;
use gnomon_core::verdict::{End, Verdict};
use gnomon_ir::spec::{Body, Language, Property, Spec};
use gnomon_oracle::judge;
use gnomon_test::case::Case;
use gnomon_test::property::{for_all_in, scaled};

type Translation = fn(&Spec, &Property) -> Result<Property, Refusal>;

/// Numbers of translated properties and of violated traces, by body.
type Counts = RefCell<BTreeMap<&'static str, [u64; 2]>>;

/// Compares the verdicts of a property and its translation. A property without one is passed.
fn agree(case: &Case, translate: Translation, print: fn(&Property) -> String, counts: &Counts) -> Result<(), String> {
    let Ok(translated) = translate(&case.spec, case.property()) else { return Ok(()) };
    let Body::Plugin(plugin) = &case.property().body else { return Err("it is a plug-in".to_owned()) };
    let text = format!("{}{}", gnomon_lang::print_declarations(&case.spec), print(&translated));
    let (again, diagnostics) = gnomon_lang::parse(&text);
    if again.properties.len() != 1 {
        return Err(format!("it cannot be read again: {diagnostics:?}\n{text}"));
    }
    let mut spec = case.spec.clone();
    spec.properties = vec![translated];
    let has_end = plugin.events.iter().any(|event| event.is_end);
    let mut is_violated = false;
    for events in 0..=case.events.len() {
        let own = case.cut(events);
        let verdicts = |spec: &Spec| -> Result<[Verdict; 2], String> {
            let case = Case { spec: spec.clone(), events: own.events.clone() };
            let core = case.core()?;
            Ok([End::Complete, End::Prefix].map(|end| judge(&core, &case.trace(), end, 1).verdict))
        };
        let expected = verdicts(&case.spec)?;
        is_violated |= expected[0] == Verdict::Violated;
        for (what, spec) in [("translated", &spec), ("printed", &again)] {
            let found = verdicts(spec)?;
            // A prefix may also be known to hold; and of an automaton it may be known that any end is a violation.
            let [of_plugin, of_translation] = [expected[1], found[1]].map(|verdict| verdict == Verdict::Violated);
            let is_equal = expected[0] == found[0] && (of_plugin == of_translation || (has_end && of_translation));
            if !is_equal {
                return Err(format!("after {events} events: {expected:?}, {what}: {found:?}\n{text}"));
            }
        }
    }
    let mut counts = counts.borrow_mut();
    let count = counts.entry(plugin.logic.kind().word()).or_default();
    count[0] += 1;
    count[1] += u64::from(is_violated);
    Ok(())
}

/// Checks that enough properties of each body were translated, and enough of them violated.
fn assert_counts(counts: &Counts, cases: u64, least: &[&str]) {
    let counts = counts.borrow();
    let seen = |word: &&str| counts.get(word).copied().unwrap_or_default();
    let is_enough = |word: &&str| seen(word)[0] >= cases / 200 && seen(word)[1] >= cases / 2_000;
    assert!(cases < 4_000 || least.iter().all(is_enough), "few cases matter: {counts:?}");
}

#[test]
fn plug_ins_as_automata() {
    let counts = Counts::default();
    for_all_in(Language::Mop, "qea", 6_000, |case| agree(case, gnomon_artefact::qea, gnomon_lang::qea::print, &counts));
    assert_counts(&counts, scaled(6_000), &["ere", "fsm", "ltl", "ptltl"]);
}

#[test]
fn plug_ins_as_formulae() {
    let counts = Counts::default();
    for_all_in(Language::Mop, "formulae", 6_000, |case| {
        agree(case, gnomon_artefact::mtl, gnomon_lang::mtl::print, &counts)
    });
    assert_counts(&counts, scaled(6_000), &["ltl", "ptltl"]);
}
