// SPDX-License-Identifier: MIT OR Apache-2.0
//! Laws of formulae over states, whatever the formula and the trace, and every small one on every short trace.

use gnomon_core::number::Number;
use gnomon_core::value::{Comparison, Value};
use gnomon_core::verdict::{End, Simultaneous};
use gnomon_ir::formula::{Fold, Formula, FormulaKind};
use gnomon_ir::spec::{Body, Language, QuantifierKind};
use gnomon_ir::term::{Operation, TermKind};
use gnomon_oracle::{OracleEvent, Truth, judge_each, truth};
use gnomon_test::build::state::{
    always, becomes, between, compare, count, each, eventually, fold, in_future, named, number, occurrence, on,
    operation, past, reference, term, until, value, within,
};
use gnomon_test::build::{and, constant, formula, not, or, spec_of};
use gnomon_test::case::{Case, at};
use gnomon_test::compare::difference;
use gnomon_test::drive::Drive;
use gnomon_test::generate::case_in;
use gnomon_test::print::invariant;
use gnomon_test::property::{for_all_in, judge_case, scaled_length};

/// The formula's value in every state of every cut of the case's trace, first as complete, then as a prefix.
fn values(case: &Case, of: &Formula) -> Result<Vec<Truth>, String> {
    let mut changed = case.clone();
    changed.spec.properties = spec_of(Language::Albert, vec![], Body::Formula(of.clone())).properties;
    let core = changed.formula_core()?;
    let cuts = (1..=case.events.len()).flat_map(|cut| [(cut, End::Complete), (cut, End::Prefix)]);
    let states = |(cut, end)| {
        let trace = changed.cut(cut).trace();
        let positions = trace.positions(core.simultaneous).len();
        let values = (0..positions).map(|position| truth(&core, &trace, core.formula, position, end));
        values.collect::<Vec<_>>()
    };
    Ok(cuts.flat_map(states).collect())
}

fn equal(case: &Case, left: &Formula, right: &Formula) -> Result<(), String> {
    let (left, right) = (values(case, left)?, values(case, right)?);
    if left == right { Ok(()) } else { Err(format!("the two sides differ: {left:?} and {right:?}")) }
}

/// Runs over what the case's property says of a state, and what another one does.
fn with_two(name: &str, law: impl Fn(&Case, &Formula, &Formula) -> Result<(), String>) {
    for_all_in(Language::Albert, name, 400, |case| {
        let other = case_in(Language::Albert, case.events.len() as u64);
        law(case, invariant(case.formula()), invariant(other.formula()))
    });
}

#[test]
fn operators_and_their_duals() {
    with_two("state duality", |case, f, g| {
        equal(case, &not(always(f.clone())), &eventually(not(f.clone())))?;
        equal(case, &eventually(f.clone()), &until(constant(true), f.clone()))?;
        let (some, every) = (within(or(f.clone(), g.clone()), 3), or(within(f.clone(), 3), within(g.clone(), 3)));
        equal(case, &some, &every)
    });
}

#[test]
fn within_no_time_is_now() {
    with_two("no time", |case, f, _| {
        // In a sequence other states may have the same time.
        if case.spec.simultaneous == Some(Simultaneous::Sequence) {
            return Ok(());
        }
        equal(case, &within(f.clone(), 0), f)?;
        equal(case, &in_future(f.clone(), 0), f)
    });
}

#[test]
fn between_is_what_it_says() {
    with_two("between", |case, f, g| {
        let first = and(f.clone(), in_future(g.clone(), 2));
        equal(case, &between(f.clone(), g.clone(), 2), &until(not(f.clone()), first.clone()))?;
        // Of two ways to say it one goes through the negation.
        let never_wrong = until(not(f.clone()), and(f.clone(), not(in_future(g.clone(), 2))));
        let comes = until(not(f.clone()), f.clone());
        let both = and(between(f.clone(), g.clone(), 2), never_wrong);
        let found = values(case, &both)?;
        if found.contains(&Truth::True) {
            return Err("the first f has g later, and has not".to_owned());
        }
        let (between, comes) = (values(case, &between(f.clone(), g.clone(), 2))?, values(case, &comes)?);
        let follows = between.iter().zip(&comes).all(|(between, comes)| between <= comes);
        if follows { Ok(()) } else { Err("it is true though no f comes".to_owned()) }
    });
}

#[test]
fn condition_of_becomes_so_was_not_so() {
    with_two("becomes", |case, f, _| {
        let twice = and(becomes(f.clone()), becomes(not(f.clone())));
        if values(case, &twice)?.contains(&Truth::True) {
            return Err("it comes to be so and not so in one state".to_owned());
        }
        Ok(())
    });
}

#[test]
fn quantifiers_over_lists_are_dual_and_count_windows_grow() {
    with_two("lists", |case, _, _| {
        let part = || term(TermKind::Variable(reference("q", &["p"])));
        let above = || compare(part(), Comparison::Greater, value("v"));
        let list = || reference("l", &[]);
        let every = each(QuantifierKind::Forall, "q", list(), above());
        let some = each(QuantifierKind::Exists, "q", list(), not(above()));
        equal(case, &not(every), &some)?;
        let counted = |window| count(on("a"), window);
        let grows = compare(counted(2), Comparison::AtMost, counted(5));
        equal(case, &grows, &constant(true))?;
        // The mean lies between the least and the greatest, wherever there is one.
        let folded = |kind| fold(kind, value("v"), 4);
        let has_mean = compare(folded(Fold::Mean), Comparison::Equal, folded(Fold::Mean));
        let lies = and(
            compare(folded(Fold::Least), Comparison::AtMost, folded(Fold::Mean)),
            compare(folded(Fold::Mean), Comparison::AtMost, folded(Fold::Greatest)),
        );
        equal(case, &has_mean, &lies)
    });
}

#[test]
fn what_is_counted_cannot_speak_of_an_element() {
    let above = || compare(value("q"), Comparison::Greater, number(1));
    let counted = || compare(count(above(), 3), Comparison::Greater, number(0));
    let codes = |body: Formula| {
        let spec = spec_of(Language::Albert, vec![], Body::Formula(always(body)));
        let (_, diagnostics) = gnomon_ir::check::check(&spec, &spec.properties[0]);
        diagnostics.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(each(QuantifierKind::Forall, "q", reference("l", &[]), counted())), ["G0331"]);
    assert!(
        codes(counted()).is_empty()
            && codes(each(QuantifierKind::Forall, "q", reference("l", &[]), above())).is_empty()
    );
}

/// Small formulae: each construct around few parts.
fn small() -> Vec<Formula> {
    let start = || occurrence(named("start_a"));
    let leaves = [
        on("a"),
        on("b"),
        on("start_a"),
        compare(value("v"), Comparison::Greater, number(1)),
        compare(value("v"), Comparison::NotEqual, past(value("v"), occurrence(named("b")), 1)),
        compare(past(value("v"), start(), 1), Comparison::AtMost, operation(Operation::Divide, number(2), value("v"))),
        compare(term(TermKind::Elapsed(start())), Comparison::Equal, number(1)),
        compare(count(on("b"), 1), Comparison::Equal, number(1)),
        compare(fold(Fold::Sum, value("v"), 1), Comparison::Less, number(3)),
        compare(fold(Fold::Mean, past(value("v"), occurrence(named("a")), 1), 2), Comparison::AtLeast, number(1)),
    ];
    let mut found = leaves.to_vec();
    for leaf in &leaves {
        for reach in [0, 1, 2] {
            found.push(in_future(leaf.clone(), reach));
            found.push(within(not(in_future(leaf.clone(), 1)), reach));
            found.push(in_future(within(leaf.clone(), 1), reach));
            found.push(between(leaf.clone(), on("b"), reach));
        }
        found.push(becomes(leaf.clone()));
        found.push(until(leaf.clone(), on("b")));
        found.push(until(not(becomes(leaf.clone())), in_future(on("a"), 1)));
        found.push(eventually(in_future(leaf.clone(), 1)));
    }
    found
}

/// Every trace of up to so many events: an `a` or a `b`, with a value or none, at the same time, the next, or after that.
fn traces(longest: usize) -> Vec<Vec<OracleEvent>> {
    let mut all = vec![vec![]];
    let mut last: Vec<Vec<OracleEvent>> = all.clone();
    for _ in 0..longest {
        let mut longer = Vec::new();
        for events in &last {
            for (name, field) in [("a", None), ("a", Some(1)), ("b", Some(2)), ("b", None)] {
                for gap in if events.is_empty() { vec![0] } else { vec![0, 1, 2] } {
                    let before = events.last().map_or(at(0), |event: &OracleEvent| event.time);
                    let mut event = OracleEvent::new(name, before + (at(gap) - at(0)));
                    let number = |number| Some(Value::Number(Number::Int(number)));
                    event.fields.extend(field.map(|field| ("v".to_owned(), number(field))));
                    longer.push([events.as_slice(), &[event]].concat());
                }
            }
        }
        all.extend(longer.iter().cloned());
        last = longer;
    }
    all
}

fn engine_agrees(case: &Case) -> Result<(), String> {
    let core = case.core()?;
    let drive = Drive::new(&core, &case.events);
    let mut monitor = drive.start();
    (0..case.events.len()).for_each(|index| drive.step(&mut monitor, index));
    for end in [End::Complete, End::Prefix] {
        let expected = judge_each(&core, &drive.trace, end, None);
        if let Some(difference) = difference(&expected, &Drive::finish(monitor.clone(), end)) {
            return Err(format!("as {end:?}\n{difference}"));
        }
    }
    Ok(())
}

#[test]
fn every_small_formula_on_every_short_trace() {
    let traces = traces(scaled_length(3));
    for body in small() {
        let asked = formula(FormulaKind::Connective(
            gnomon_ir::formula::Connective::Implies,
            Box::new(on("a")),
            Box::new(body),
        ));
        let mut spec = spec_of(Language::Albert, vec![], Body::Formula(always(asked)));
        for simultaneous in [None, Some(Simultaneous::Sequence)] {
            spec.simultaneous = simultaneous;
            for events in &traces {
                let case = Case { spec: spec.clone(), events: events.clone() };
                judge_case("exhaustive", case, &engine_agrees);
            }
        }
    }
}
