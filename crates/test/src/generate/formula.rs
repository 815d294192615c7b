// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random formulae.

use gnomon_core::diagnostic::Span;
use gnomon_core::number::Number;
use gnomon_core::time::{Quantity, TICKS_PER_BARE_UNIT};
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::formula::{Aggregate, Binary, Bounds, Connective, Formula, Kind, Unary};
use gnomon_ir::pattern::{Argument, Atom, Condition};

use crate::build::{aggregate, atom, binary, connective, constant, formula, interval, not, path, unary};
use crate::random::Random;

/// What all parts of one formula share.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Whether aggregates ask for a full window.
    pub full_window: bool,
    /// How deep parts nest.
    pub depth: usize,
    /// Whether some constants are halves.
    pub halves: bool,
    /// Whether atoms look at data.
    pub data: bool,
}

pub(super) fn style(random: &mut Random) -> Style {
    Style {
        full_window: random.one_in(6),
        depth: *random.pick(&[1, 1, 2, 2, 2, 3]),
        halves: random.one_in(8),
        data: random.one_in(5),
    }
}

/// A property: invariants more often than not, because they are what people write.
pub(super) fn property(random: &mut Random, style: Style) -> Formula {
    if random.below(5) < 2 {
        return any(random, style, style.depth + 1);
    }
    let one = invariant(random, style);
    if random.one_in(4) { connective(Connective::And, one, invariant(random, style)) } else { one }
}

fn invariant(random: &mut Random, style: Style) -> Formula {
    let body = if random.one_in(4) {
        any(random, style, style.depth)
    } else {
        let antecedent = if random.one_in(3) { any(random, style, 1) } else { atomic(random, style) };
        connective(Connective::Implies, antecedent, any(random, style, style.depth))
    };
    let reach = if random.one_in(4) { bounds(random, style) } else { Bounds::POSITIVE };
    let always = unary(Unary::Always, 1, reach, body);
    match random.below(8) {
        0 => unary(Unary::Next, random.between(1, 4) as u32, Bounds::POSITIVE, always),
        1 => unary(Unary::Next, 1, Bounds::POSITIVE, always),
        _ => always,
    }
}

fn any(random: &mut Random, style: Style, depth: usize) -> Formula {
    if depth == 0 {
        return atomic(random, style);
    }
    let inner = |random: &mut Random| {
        let depth = if random.one_in(4) { 0 } else { depth - 1 };
        any(random, style, depth)
    };
    match random.below(20) {
        0 => atomic(random, style),
        1 | 2 => not(inner(random)),
        3..=6 => {
            let which = *random.pick(&[
                Connective::And,
                Connective::And,
                Connective::Or,
                Connective::Or,
                Connective::Implies,
                Connective::Iff,
            ]);
            connective(which, inner(random), inner(random))
        }
        7..=12 => {
            let operators =
                [Unary::Always, Unary::Eventually, Unary::Historically, Unary::Once, Unary::Next, Unary::Previous];
            let operator = *random.pick(&operators);
            let repeated = matches!(operator, Unary::Next) && random.one_in(3);
            let times = if repeated { random.between(2, 3) as u32 } else { 1 };
            unary(operator, times, bounds(random, style), inner(random))
        }
        13..=15 => {
            let operator = *random.pick(&[Binary::Until, Binary::Until, Binary::Since]);
            binary(operator, bounds(random, style), inner(random), inner(random))
        }
        _ => windowed(random, style, inner),
    }
}

fn windowed(random: &mut Random, style: Style, inner: impl Fn(&mut Random) -> Formula) -> Formula {
    let comparisons =
        [Comparison::Less, Comparison::AtMost, Comparison::AtLeast, Comparison::Greater, Comparison::Equal];
    let comparison = *random.pick(&comparisons);
    let units = random.between(1, 9);
    let step = random.between(1, units);
    let (window, step) = (Quantity::whole(units), Quantity::whole(step));
    let count = Quantity::whole(random.between(0, 3));
    let (what, bound) = match random.below(20) {
        // Windows that hold the present position only, or nothing at all.
        0 => {
            let window = Quantity { billionths: i128::from(random.between(0, 1)), unit: None };
            let of = inner(random);
            let counted = Aggregate::Count { window, closed: false, of: of.clone() };
            (if random.one_in(2) { counted } else { Aggregate::Maximum { window, step, of } }, count)
        }
        1..=7 => (Aggregate::Count { window, closed: false, of: inner(random) }, count),
        8..=11 => {
            let halves = random.between(0, 4);
            let mean = Quantity { billionths: i128::from(halves) * TICKS_PER_BARE_UNIT / 2, unit: None };
            (Aggregate::Average { window, step, of: inner(random) }, mean)
        }
        12..=15 => (Aggregate::Maximum { window, step, of: inner(random) }, count),
        _ => {
            let bound = constant_time(random, style, 4);
            (Aggregate::Gap { window, from: inner(random), to: inner(random) }, bound)
        }
    };
    aggregate(what, comparison, bound, style.full_window)
}

pub(super) fn bounds(random: &mut Random, style: Style) -> Bounds {
    let (mut lo, mut hi) = (constant_time(random, style, 4), constant_time(random, style, 7));
    if lo.billionths > hi.billionths {
        std::mem::swap(&mut lo, &mut hi);
    }
    let closed = lo == hi;
    let written = Some(Span::default());
    match random.below(10) {
        0..=3 => Bounds::POSITIVE,
        4 => Bounds { lo, hi: None, lo_closed: random.one_in(2), hi_closed: false, span: written },
        5 => Bounds { lo: hi, hi: Some(hi), lo_closed: true, hi_closed: true, span: written },
        6 => interval((0, true), Some((random.between(1, 7), random.one_in(2)))),
        _ => {
            let (lo_closed, hi_closed) = (closed || random.one_in(2), closed || random.one_in(2));
            Bounds { lo, hi: Some(hi), lo_closed, hi_closed, span: written }
        }
    }
}

fn constant_time(random: &mut Random, style: Style, most: i64) -> Quantity {
    let whole = Quantity::whole(random.between(0, most));
    let half = if style.halves && random.one_in(2) { TICKS_PER_BARE_UNIT / 2 } else { 0 };
    Quantity { billionths: whole.billionths + half, unit: None }
}

fn atomic(random: &mut Random, style: Style) -> Formula {
    if random.one_in(14) {
        return constant(random.one_in(2));
    }
    if !style.data || random.one_in(2) {
        return atom(random.pick::<&str>(&["a", "a", "b", "b", "c"]));
    }
    let number = |random: &mut Random| Value::Number(Number::Int(random.between(0, 3)));
    let comparisons = [
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::AtMost,
        Comparison::Greater,
        Comparison::AtLeast,
    ];
    let compare =
        |random: &mut Random, field: &str| Condition::Compare(path(field), *random.pick(&comparisons), number(random));
    let mut condition = None;
    let mut arguments = None;
    let name = *random.pick(&["a", "b", "d"]);
    let field = if name == "d" { "x" } else { "v" };
    match random.below(6) {
        0 => condition = Some(compare(random, field)),
        1 => condition = Some(Condition::Not(Box::new(compare(random, field)))),
        2 => {
            let (left, right) = (compare(random, field), compare(random, "w"));
            condition = Some(if random.one_in(2) {
                Condition::And(Box::new(left), Box::new(right))
            } else {
                Condition::Or(Box::new(left), Box::new(right))
            });
        }
        3 => arguments = Some(vec![Argument::Literal(number(random))]),
        4 => arguments = Some(vec![Argument::Any]),
        _ if name == "d" => {}
        _ => arguments = Some(vec![Argument::Any, Argument::Literal(number(random))]),
    }
    let span = Span::default();
    formula(Kind::Atom(Atom { name: name.to_owned(), name_span: span, arguments, condition, span }))
}
