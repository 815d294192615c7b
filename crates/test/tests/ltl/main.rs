// SPDX-License-Identifier: MIT OR Apache-2.0
//! The LTL form of a property means what the property means: a second oracle, on another model of time.

mod limits;
mod published;
mod published_errors;
mod windows;

use std::cell::RefCell;

use gnomon_ir::atom::Atom;
use gnomon_ir::formula::{Aggregate, Formula, FormulaKind, Unary};
use gnomon_ir::ltl::{Limits, LtlFormula, print, translate};
use gnomon_oracle::spec;
use gnomon_test::build;
use gnomon_test::case::Case;
use gnomon_test::choices::Choices;
use gnomon_test::compare::Census;
use gnomon_test::ltl::{TimedWord, holds, read};
use gnomon_test::property::{for_all, scaled};

/// In memory a formula is small however long its text would be.
const LIMITS: Limits = Limits { shared: 60_000, written: u64::MAX };
const MAX_INSTANTS: usize = 120;

/// The LTL form and the word, if there are such.
fn word_of(case: &Case) -> Option<(LtlFormula, TimedWord)> {
    let ltl = translate(&case.spec, case.property(), LIMITS).ok()?;
    let word = TimedWord::of(case, &ltl.propositions, MAX_INSTANTS)?;
    Some((ltl, word))
}

fn spelling(atom: &Atom) -> String {
    gnomon_test::print::soloist(&build::formula(FormulaKind::Atom(atom.clone())))
}

/// The operators in a formula, by name.
fn operators(formula: &Formula, found: &mut Vec<String>) {
    let name = match &formula.kind {
        FormulaKind::Unary { operator: Unary::Next | Unary::Previous, .. } => "next or previous",
        FormulaKind::Unary { operator: Unary::Always | Unary::Historically, interval, .. } if interval.hi.is_some() => {
            "always, bounded"
        }
        FormulaKind::Unary { operator: Unary::Always | Unary::Historically, .. } => "always",
        FormulaKind::Unary { .. } => "eventually",
        FormulaKind::Binary { interval, .. } if interval.hi.is_some() => "until, bounded",
        FormulaKind::Binary { .. } => "until",
        FormulaKind::Aggregate { full_window: true, .. } => "full window",
        FormulaKind::Aggregate { aggregate, .. } => match aggregate.as_ref() {
            Aggregate::Count { .. } => "count",
            Aggregate::Average { .. } => "average",
            Aggregate::Maximum { .. } => "maximum",
            Aggregate::Gap { .. } => "gap",
            Aggregate::Rate { .. } => "rate",
            Aggregate::Fold { .. } | Aggregate::Percentile { .. } | Aggregate::Distinct { .. } => "values",
        },
        _ => "boolean",
    };
    if !found.iter().any(|known| known == name) {
        found.push(name.to_owned());
    }
    formula.children().into_iter().for_each(|child| operators(child, found));
}

#[test]
fn the_ltl_form_agrees_with_the_oracle() {
    let census = RefCell::new(Census::default());
    let judged = RefCell::new(0_u64);
    for_all("ltl", 12_000, |case| {
        let Some((ltl, word)) = word_of(case) else { return Ok(()) };
        let expected = spec::holds(&case.spec, case.property(), &case.trace());
        let mut qualities = vec![if expected { "true" } else { "false" }.to_owned()];
        operators(case.formula(), &mut qualities);
        census.borrow_mut().add(qualities);
        *judged.borrow_mut() += 1;
        let found = holds(&ltl, &word);
        if found != expected {
            return Err(format!("oracle {expected}, LTL {found}: {}", text_of(&ltl)));
        }
        // Infinite words are no other matter: nothing is asked of instants where nothing happens.
        if holds(&ltl, &word.padded(3)) != expected {
            return Err(format!("oracle {expected}, with empty instants at the end {}", !expected));
        }
        Ok(())
    });
    let (census, judged) = (census.into_inner(), judged.into_inner());
    println!("{judged} judged\n{}", census.table());
    assert!(judged >= scaled(5_000), "{judged}");
    if judged < 1_000 {
        return; // Too few to tell shares from chance.
    }
    assert!((40..=60).contains(&census.percent("true")), "{}", census.table());
    for operator in ["until", "until, bounded", "always, bounded", "count", "average", "maximum", "gap", "full window"]
    {
        assert!(census.percent(operator) >= 2, "{operator}\n{}", census.table());
    }
}

#[test]
fn the_text_means_what_the_graph_means() {
    let read_back = RefCell::new(0_u64);
    for_all("ltl text", 3_000, |case| {
        let Some((ltl, word)) = word_of(case) else { return Ok(()) };
        if ltl.written > 3_000 {
            return Ok(());
        }
        *read_back.borrow_mut() += 1;
        let text = print(&ltl, &spelling);
        let again = read::read(&text, &ltl.propositions, &spelling);
        let mut choices = Choices::new(ltl.written);
        let mut words = vec![word];
        words.extend((0..4).map(|_| random_word(&mut choices, ltl.propositions.len())));
        let differs = words.iter().any(|word| holds(&again, word) != holds(&ltl, word));
        if differs { Err(format!("{text}\nis read as\n{}", print(&again, &spelling))) } else { Ok(()) }
    });
    assert!(read_back.into_inner() >= scaled(1_000));
}

fn random_word(choices: &mut Choices, propositions: usize) -> TimedWord {
    let length = choices.between(1, 12);
    let mut row = || (0..length).map(|_| choices.one_in(2)).collect::<Vec<bool>>();
    TimedWord { marker: row(), propositions: (0..propositions).map(|_| row()).collect() }
}

fn text_of(ltl: &LtlFormula) -> String {
    if ltl.written > 2_000 { format!("{} nodes", ltl.written) } else { print(ltl, &spelling) }
}
