// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random formulae.

use gnomon_core::datetime::TimePart;
use gnomon_core::diagnostic::Span;
use gnomon_core::number::Number;
use gnomon_core::time::{Quantity, TICKS_PER_BARE_UNIT, Unit};
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::atom::{Argument, Atom, Condition, TimeComparison};
use gnomon_ir::formula::{Aggregate, Binary, Bounds, Connective, Formula, FormulaKind, Percent, Unary};

use super::prefix::COMPARISONS;
use crate::build::{aggregate, atom, binary, connective, constant, event, formula, interval, not, path, unary};
use crate::choices::Choices;

/// Settings of all parts of one formula.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// True if aggregates require a full window.
    pub full_window: bool,
    /// Maximal nesting depth.
    pub depth: usize,
    /// True if some constants are halves.
    pub halves: bool,
    /// True if atoms test fields.
    pub data: bool,
}

pub(super) fn style(choices: &mut Choices) -> Style {
    Style {
        full_window: choices.one_in(6),
        depth: *choices.pick(&[1, 1, 2, 2, 2, 3]),
        halves: choices.one_in(8),
        data: choices.one_in(5),
    }
}

/// A property: invariants more often than not, because they are what people write.
pub(super) fn property(choices: &mut Choices, style: Style) -> Formula {
    if choices.below(5) < 2 {
        return any(choices, style, style.depth + 1);
    }
    let one = invariant(choices, style);
    if choices.one_in(4) { connective(Connective::And, one, invariant(choices, style)) } else { one }
}

fn invariant(choices: &mut Choices, style: Style) -> Formula {
    let body = if choices.one_in(4) {
        any(choices, style, style.depth)
    } else {
        let antecedent = if choices.one_in(3) { any(choices, style, 1) } else { atomic(choices, style) };
        connective(Connective::Implies, antecedent, any(choices, style, style.depth))
    };
    let reach = if choices.one_in(4) { bounds(choices, style) } else { Bounds::POSITIVE };
    let always = unary(Unary::Always, 1, reach, body);
    match choices.below(8) {
        0 => unary(Unary::Next, choices.between(1, 4) as u32, Bounds::POSITIVE, always),
        1 => unary(Unary::Next, 1, Bounds::POSITIVE, always),
        _ => always,
    }
}

fn any(choices: &mut Choices, style: Style, depth: usize) -> Formula {
    if depth == 0 {
        return atomic(choices, style);
    }
    let inner = |choices: &mut Choices| {
        let depth = if choices.one_in(4) { 0 } else { depth - 1 };
        any(choices, style, depth)
    };
    match choices.below(20) {
        0 => atomic(choices, style),
        1 | 2 => not(inner(choices)),
        3..=6 => {
            let which = *choices.pick(&[
                Connective::And,
                Connective::And,
                Connective::Or,
                Connective::Or,
                Connective::Implies,
                Connective::Iff,
            ]);
            connective(which, inner(choices), inner(choices))
        }
        7..=12 => {
            let operators =
                [Unary::Always, Unary::Eventually, Unary::Historically, Unary::Once, Unary::Next, Unary::Previous];
            let operator = *choices.pick(&operators);
            let repeated = matches!(operator, Unary::Next) && choices.one_in(3);
            let times = if repeated { choices.between(2, 3) as u32 } else { 1 };
            unary(operator, times, bounds(choices, style), inner(choices))
        }
        13..=15 => {
            let operator = *choices.pick(&[Binary::Until, Binary::Until, Binary::Since]);
            binary(operator, bounds(choices, style), inner(choices), inner(choices))
        }
        _ => windowed(choices, style, inner),
    }
}

fn windowed(choices: &mut Choices, style: Style, inner: impl Fn(&mut Choices) -> Formula) -> Formula {
    let comparison = *choices.pick(&COMPARISONS);
    let units = choices.between(1, 9);
    let step = choices.between(1, units);
    let (window, step) = (Quantity::whole(units), Quantity::whole(step));
    let count = Quantity::whole(choices.between(0, 3));
    let (what, bound) = match choices.below(29) {
        // Windows that hold the present position only, or nothing at all.
        0 => {
            let window = Quantity { billionths: i128::from(choices.between(0, 1)), unit: None };
            let of = inner(choices);
            let counted = Aggregate::Count { window, closed: false, of: of.clone() };
            (if choices.one_in(2) { counted } else { Aggregate::Maximum { window, step, of } }, count)
        }
        1..=7 => (Aggregate::Count { window, closed: false, of: inner(choices) }, count),
        8..=11 => {
            let halves = choices.between(0, 4);
            let mean = Quantity { billionths: i128::from(halves) * TICKS_PER_BARE_UNIT / 2, unit: None };
            (Aggregate::Average { window, step, of: inner(choices) }, mean)
        }
        12..=15 => (Aggregate::Maximum { window, step, of: inner(choices) }, count),
        20 | 21 => {
            let of = inner(choices);
            return rate(choices, false, of, style.full_window);
        }
        22..=26 => return of_values(choices, style.full_window, window, comparison),
        _ => {
            let bound = constant_time(choices, style, 4);
            (Aggregate::Gap { window, from: inner(choices), to: inner(choices) }, bound)
        }
    };
    aggregate(what, comparison, bound, style.full_window)
}

/// A rate, in a trace that counts seconds. Its window has a unit, so that it also fits into properties that declare none.
pub(super) fn rate(choices: &mut Choices, closed: bool, of: Formula, full_window: bool) -> Formula {
    let window = Quantity { unit: Some(Unit::Second), ..Quantity::whole(choices.between(1, 5)) };
    let quarters = i128::from(choices.between(0, 6));
    let bound = Quantity { billionths: quarters * TICKS_PER_BARE_UNIT / 4, unit: None };
    aggregate(Aggregate::Rate { window, closed, of }, *choices.pick(&COMPARISONS), bound, full_window)
}

/// The N of a percentile: the usual ones, the least, and those at which some place changes.
pub(super) fn percent(choices: &mut Choices) -> Percent {
    let billionths = *choices.pick(&[
        1,
        25_000_000_000,
        33_333_333_333,
        33_333_333_334,
        50_000_000_000,
        50_000_000_000,
        66_600_000_000,
        90_000_000_000,
        100_000_000_000,
    ]);
    Percent::new(billionths).unwrap_or(Percent::WHOLE)
}

/// A percentile of values, or their number.
fn of_values(choices: &mut Choices, full_window: bool, window: Quantity, comparison: Comparison) -> Formula {
    let of = Atom { arguments: None, ..event(choices.pick::<&str>(&["a", "a", "b", "d"]), vec![]) };
    let field = path(if of.name == "d" { "x" } else { choices.pick::<&str>(&["v", "v", "w"]) });
    let bound = Quantity::whole(choices.between(0, 3));
    let what = if choices.one_in(2) {
        Aggregate::Percentile { percent: percent(choices), window, closed: false, of, field }
    } else {
        Aggregate::Distinct { window, closed: false, of, field }
    };
    aggregate(what, comparison, bound, full_window)
}

pub(super) fn bounds(choices: &mut Choices, style: Style) -> Bounds {
    let (mut lo, mut hi) = (constant_time(choices, style, 4), constant_time(choices, style, 7));
    if lo.billionths > hi.billionths {
        std::mem::swap(&mut lo, &mut hi);
    }
    let closed = lo == hi;
    let written = Some(Span::default());
    match choices.below(10) {
        0..=3 => Bounds::POSITIVE,
        4 => Bounds { lo, hi: None, lo_closed: choices.one_in(2), hi_closed: false, span: written },
        5 => Bounds { lo: hi, hi: Some(hi), lo_closed: true, hi_closed: true, span: written },
        6 => interval((0, true), Some((choices.between(1, 7), choices.one_in(2)))),
        _ => {
            let (lo_closed, hi_closed) = (closed || choices.one_in(2), closed || choices.one_in(2));
            Bounds { lo, hi: Some(hi), lo_closed, hi_closed, span: written }
        }
    }
}

fn constant_time(choices: &mut Choices, style: Style, most: i64) -> Quantity {
    let whole = Quantity::whole(choices.between(0, most));
    let half = if style.halves && choices.one_in(2) { TICKS_PER_BARE_UNIT / 2 } else { 0 };
    Quantity { billionths: whole.billionths + half, unit: None }
}

fn atomic(choices: &mut Choices, style: Style) -> Formula {
    if choices.one_in(14) {
        return constant(choices.one_in(2));
    }
    if !style.data || choices.one_in(2) {
        return atom(choices.pick::<&str>(&["a", "a", "b", "b", "c"]));
    }
    let number = |choices: &mut Choices| Value::Number(Number::Int(choices.between(0, 3)));
    let compare = |choices: &mut Choices, field: &str| {
        Condition::Compare(path(field), *choices.pick(&Comparison::ALL), number(choices))
    };
    let mut condition = None;
    let mut arguments = None;
    let name = *choices.pick(&["a", "b", "d"]);
    let field = if name == "d" { "x" } else { "v" };
    match choices.below(7) {
        6 => {
            let comparison = *choices.pick(&Comparison::ALL);
            condition = TimeComparison::new(TimePart::Time, comparison, number(choices))
                .map(|compared| Condition::Time(Box::new(compared)));
        }
        0 => condition = Some(compare(choices, field)),
        1 => condition = Some(Condition::Not(Box::new(compare(choices, field)))),
        2 => {
            let (left, right) = (compare(choices, field), compare(choices, "w"));
            condition = Some(if choices.one_in(2) {
                Condition::And(Box::new(left), Box::new(right))
            } else {
                Condition::Or(Box::new(left), Box::new(right))
            });
        }
        3 => arguments = Some(vec![Argument::Literal(number(choices))]),
        4 => arguments = Some(vec![Argument::Any]),
        _ if name == "d" => {}
        _ => arguments = Some(vec![Argument::Any, Argument::Literal(number(choices))]),
    }
    let span = Span::default();
    formula(FormulaKind::Atom(Atom { name: name.to_owned(), name_span: span, arguments, condition, span }))
}
