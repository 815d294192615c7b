// SPDX-License-Identifier: MIT OR Apache-2.0
//! Laws that the meaning must obey whatever the formula and the trace: the oracle is tested too.

use gnomon_core::symbols::Name;
use gnomon_core::time::{Duration, Quantity};
use gnomon_core::value::Comparison;
use gnomon_core::verdict::{DecisionPoint, End, Origin, Outcome, Simultaneous, Verdict};
use gnomon_ir::formula::{Aggregate, Binary, Bounds, Connective, Formula, FormulaKind, Unary};
use gnomon_ir::spec::Spec;
use gnomon_oracle::{OracleEvent, Trace, Truth, judge, truth};
use gnomon_test::build::{self, and, binary, children_mut, interval, not, or, unary};
use gnomon_test::case::{Case, at};
use gnomon_test::generate;
use gnomon_test::property::for_all;

/// The formula's value on every cut of the case's trace, first as complete, then as a prefix.
fn values(case: &Case, formula: Formula) -> Result<Vec<Truth>, String> {
    let spec = Spec { properties: build::spec(formula).properties, ..case.spec.clone() };
    let changed = Case { spec, events: case.events.clone() };
    let core = changed.formula_core()?;
    let cuts = (0..=case.events.len()).flat_map(|cut| [(cut, End::Complete), (cut, End::Prefix)]);
    Ok(cuts.map(|(cut, end)| truth(&core, &changed.cut(cut).trace(), core.formula, 0, end)).collect())
}

fn equal(case: &Case, left: Formula, right: Formula) -> Result<(), String> {
    let (left, right) = (values(case, left)?, values(case, right)?);
    if left == right { Ok(()) } else { Err(format!("the two sides differ: {left:?} and {right:?}")) }
}

/// Runs over the case's formula and one other, of the same trace.
fn with_two(name: &str, law: impl Fn(&Case, Formula, Formula) -> Result<(), String>) {
    for_all(name, 400, |case| {
        let other = generate::case(case.events.len() as u64).formula().clone();
        law(case, case.formula().clone(), other)
    });
}

fn intervals() -> [Bounds; 4] {
    [
        Bounds::POSITIVE,
        interval((0, true), Some((3, true))),
        interval((1, false), Some((4, false))),
        interval((2, true), None),
    ]
}

#[test]
fn operators_and_their_duals() {
    let duals = [(Unary::Eventually, Unary::Always), (Unary::Once, Unary::Historically)];
    with_two("duality", |case, f, g| {
        for (some, every) in duals {
            for bounds in intervals() {
                equal(case, not(unary(some, 1, bounds, f.clone())), unary(every, 1, bounds, not(f.clone())))?;
            }
        }
        equal(case, not(and(f.clone(), g.clone())), or(not(f.clone()), not(g.clone())))?;
        let implies = build::connective(Connective::Implies, f.clone(), g.clone());
        equal(case, implies, or(not(f), g))
    });
}

#[test]
fn until_and_since_unfold_by_one_position() {
    with_two("unfolding", |case, f, g| {
        // Omitted intervals leave distance zero out, which only merged positions never have.
        if case.spec.simultaneous == Some(Simultaneous::Sequence) {
            return Ok(());
        }
        for (operator, step) in [(Binary::Until, Unary::Next), (Binary::Since, Unary::Previous)] {
            let whole = binary(operator, Bounds::POSITIVE, f.clone(), g.clone());
            let there = or(g.clone(), and(f.clone(), whole.clone()));
            equal(case, whole, unary(step, 1, Bounds::POSITIVE, there))?;
        }
        Ok(())
    });
}

#[test]
fn an_interval_splits_in_two() {
    with_two("splitting", |case, f, _| {
        let (near, far) = (interval((0, true), Some((2, true))), interval((2, false), Some((5, true))));
        let whole = interval((0, true), Some((5, true)));
        for operator in [Unary::Eventually, Unary::Once] {
            let part = |bounds| unary(operator, 1, bounds, f.clone());
            equal(case, part(whole), or(part(near), part(far)))?;
        }
        Ok(())
    });
}

#[test]
fn comparisons_of_counts_complement_each_other() {
    with_two("counts", |case, f, _| {
        let whole = Quantity::whole;
        for (window, number) in [(1, 0), (3, 1), (7, 2)] {
            let count = |comparison| {
                let of = f.clone();
                build::aggregate(
                    Aggregate::Count { window: whole(window), closed: false, of },
                    comparison,
                    whole(number),
                    false,
                )
            };
            equal(case, count(Comparison::AtMost), not(count(Comparison::Greater)))?;
            equal(case, count(Comparison::Less), not(count(Comparison::AtLeast)))?;
            // One step as long as the window: the average and the maximum are the count.
            for comparison in [Comparison::Equal, Comparison::Less] {
                let (window, step) = (whole(window), whole(window));
                let average = Aggregate::Average { window, step, of: f.clone() };
                equal(case, count(comparison), build::aggregate(average, comparison, whole(number), false))?;
                let maximum = Aggregate::Maximum { window, step, of: f.clone() };
                equal(case, count(comparison), build::aggregate(maximum, comparison, whole(number), false))?;
            }
        }
        Ok(())
    });
}

fn outcome(spec: &Spec, events: Vec<OracleEvent>, end: End) -> Result<Outcome, String> {
    let case = Case { spec: spec.clone(), events };
    Ok(judge(&case.core()?, &case.trace(), end, usize::MAX))
}

fn without_full_window(formula: &mut Formula) {
    if let FormulaKind::Aggregate { full_window, .. } = &mut formula.kind {
        *full_window = false;
    }
    for child in children_mut(formula) {
        without_full_window(child);
    }
}

#[test]
fn shifted_times_shift_the_outcome() {
    for_all("shift", 400, |case| {
        let mut formula = case.formula().clone();
        without_full_window(&mut formula);
        let spec = Spec { properties: build::spec(formula).properties, ..case.spec.clone() };
        let by = Duration::from_ticks(at(1_000).ticks() + 7);
        let mut later = case.events.clone();
        for event in &mut later {
            event.time = event.time + by;
        }
        for end in [End::Complete, End::Prefix] {
            let mut here = outcome(&spec, case.events.clone(), end)?;
            let there = outcome(&spec, later.clone(), end)?;
            for violation in &mut here.violations {
                violation.at.origin.time = violation.at.origin.time + by;
                match &mut violation.decided {
                    DecisionPoint::Event(origin) => origin.time = origin.time + by,
                    DecisionPoint::Deadline(time) | DecisionPoint::End(time) => *time = *time + by,
                }
            }
            if here != there {
                return Err(format!("{end:?}: {here:?}, later {there:?}"));
            }
        }
        Ok(())
    });
}

fn swap_names(formula: &mut Formula) {
    let atom = match &mut formula.kind {
        FormulaKind::Atom(atom) => Some(atom),
        FormulaKind::Aggregate { aggregate, .. } => match aggregate.as_mut() {
            Aggregate::Fold { of, .. } | Aggregate::Percentile { of, .. } | Aggregate::Distinct { of, .. } => Some(of),
            _ => None,
        },
        _ => None,
    };
    if let Some(atom) = atom {
        atom.name = swapped(&atom.name);
    }
    for child in children_mut(formula) {
        swap_names(child);
    }
}

fn swapped(name: &str) -> String {
    match name {
        "a" => "c",
        "c" => "a",
        other => other,
    }
    .to_owned()
}

#[test]
fn names_do_not_matter() {
    for_all("renaming", 400, |case| {
        let mut formula = case.formula().clone();
        swap_names(&mut formula);
        let mut spec = Spec { properties: build::spec(formula).properties, ..case.spec.clone() };
        for alternative in spec.events.iter_mut().flat_map(|event| &mut event.alternatives) {
            alternative.event = swapped(&alternative.event);
        }
        let mut events = case.events.clone();
        for event in &mut events {
            event.name = swapped(&event.name);
        }
        let here = outcome(&case.spec, case.events.clone(), End::Prefix)?;
        let there = outcome(&spec, events, End::Prefix)?;
        if (&here.violations, here.violated, here.satisfied) == (&there.violations, there.violated, there.satisfied) {
            return Ok(());
        }
        Err(format!("{here:?}, renamed {there:?}"))
    });
}

/// More events give an event another place and its name another number.
fn forget_place(origin: &mut Origin) {
    *origin = Origin { event_index: 0, event: Name(0), ..*origin };
}

#[test]
fn an_event_that_nothing_mentions_changes_no_position_that_has_others() {
    for_all("irrelevant", 400, |case| {
        if case.spec.simultaneous == Some(Simultaneous::Sequence) {
            return Ok(());
        }
        let mut events = case.events.clone();
        let extra: Vec<OracleEvent> = events.iter().map(|event| OracleEvent::new("nobody", event.time)).collect();
        events.extend(extra);
        events.sort_by_key(|event| event.time);
        for end in [End::Complete, End::Prefix] {
            let mut here = outcome(&case.spec, case.events.clone(), end)?;
            let mut there = outcome(&case.spec, events.clone(), end)?;
            for outcome in [&mut here, &mut there] {
                for violation in &mut outcome.violations {
                    forget_place(&mut violation.at.origin);
                    if let DecisionPoint::Event(origin) = &mut violation.decided {
                        forget_place(origin);
                    }
                }
            }
            if here != there {
                return Err(format!("{end:?}: {here:?}, with more events {there:?}"));
            }
        }
        Ok(())
    });
}

#[test]
fn a_settled_verdict_never_changes() {
    for_all("settled", 1_500, |case| {
        let core = case.core()?;
        let mut settled = Verdict::Inconclusive;
        let positions = case.trace().positions(core.simultaneous());
        for cut in std::iter::once(0).chain(positions.iter().map(|position| position.events.end)) {
            let trace = case.cut(cut).trace();
            let prefix = judge(&core, &trace, End::Prefix, 0).verdict;
            let complete = judge(&core, &trace, End::Complete, 0).verdict;
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

#[test]
fn a_settled_verdict_holds_for_every_other_continuation() {
    for_all("continuation", 600, |case| {
        let core = case.core()?;
        let verdict = judge(&core, &case.trace(), End::Prefix, 0).verdict;
        if verdict == Verdict::Inconclusive {
            return Ok(());
        }
        let last = case.events.last().map_or(at(0), |event| event.time);
        for seed in 0..8 {
            let mut events = case.events.clone();
            events.extend(generate::case(seed).events.into_iter().map(|mut event| {
                event.time = last + Duration::from_ticks(event.time.ticks() + 1 + i128::from(seed));
                event
            }));
            let whole = judge(&core, &Trace::new(events), End::Complete, 0).verdict;
            if whole != verdict {
                return Err(format!("{verdict} for certain, but {whole} with continuation {seed}"));
            }
        }
        Ok(())
    });
}
