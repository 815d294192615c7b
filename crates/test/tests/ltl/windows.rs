// SPDX-License-Identifier: MIT OR Apache-2.0
//! Aggregates on all short traces: chance seldom puts the deciding event into the last, shorter step of a window.

use std::collections::BTreeMap;

use gnomon_ir::ltl::translate;
use gnomon_lang::parse;
use gnomon_oracle::{OracleEvent, spec};
use gnomon_test::case::{Case, at};
use gnomon_test::ltl::{TimedWord, holds};

const INSTANTS: u32 = 5;

/// All traces on the first instants, each of which has no position, or one with `a`, with `b`, or with both.
fn traces() -> impl Iterator<Item = Vec<OracleEvent>> {
    (1..4_u32.pow(INSTANTS)).map(|number| {
        let names = |instant: u32| match number / 4_u32.pow(instant) % 4 {
            0 => &[][..],
            1 => &["a"],
            2 => &["b"],
            _ => &["a", "b"],
        };
        let time = |instant: u32| at(i64::from(instant));
        let events = (0..INSTANTS)
            .flat_map(|instant| names(instant).iter().map(move |name| OracleEvent::new(*name, time(instant))));
        events.collect()
    })
}

fn formulae() -> Vec<String> {
    let mut formulae = Vec::new();
    for (window, compared) in [(2, "=1"), (3, ">=2"), (4, "<2"), (5, "<=3"), (3, ">1.5")] {
        formulae.push(format!("C^{{{window}}}_{{{compared}}}(a)"));
        formulae.push(format!("U^{{{window},2}}_{{{compared}}}(a)"));
    }
    for (window, step) in [(3, 2), (4, 2), (4, 3), (5, 2), (5, 3), (5, 4)] {
        for compared in ["<1", "<2", "<=1", "=1", "=2", ">=2", ">0"] {
            formulae.push(format!("M^{{{window},{step}}}_{{{compared}}}(a)"));
        }
    }
    for window in [1, 2, 4, 5] {
        for compared in ["<=1", "<2", "=1.5", "=2", ">1", ">=0"] {
            formulae.push(format!("D^{{{window}}}_{{{compared}}}{{(a, b)}}"));
            formulae.push(format!("D^{{{window}}}_{{{compared}}}{{(a, a)}}"));
        }
    }
    formulae
}

#[test]
fn aggregates_agree_on_all_short_traces() {
    let (any, _) = parse("soloist p { a && b }");
    let atoms = translate(&any, &any.properties[0], crate::LIMITS).expect("it is small").propositions;
    let cases: Vec<(Case, TimedWord)> = traces()
        .map(|events| {
            let case = Case { spec: any.clone(), events };
            let word = TimedWord::of(&case, &atoms, 100).expect("every time is an instant");
            (case, word)
        })
        .collect();
    let mut verdicts: BTreeMap<bool, u32> = BTreeMap::new();
    for formula in formulae() {
        for option in ["", "(full-window)"] {
            // At the last position, which is where most of a window can be seen.
            let source = format!("soloist p {option} {{ {formula} && !X true || F({formula} && !X true) }}");
            let (read, found) = parse(&source);
            assert_eq!(found, [], "{source}");
            let ltl = translate(&read, &read.properties[0], crate::LIMITS).expect("it is small");
            for (case, word) in &cases {
                let expected = spec::holds(&read, &read.properties[0], &case.trace());
                *verdicts.entry(expected).or_default() += 1;
                assert_eq!(holds(&ltl, word), expected, "{source} on {:?}", case.events);
            }
        }
    }
    let share = verdicts[&true] * 100 / (verdicts[&true] + verdicts[&false]);
    assert!((20..=80).contains(&share), "{verdicts:?}");
}
