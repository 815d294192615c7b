// SPDX-License-Identifier: MIT OR Apache-2.0
//! Describes temporal formulae, from the outermost operator inwards.

use gnomon_core::{Comparison, Quantity};
use gnomon_ir::formula::{Aggregate, Binary, Bounds, Connective, Fold, Formula, FormulaKind, Percent, Unary};

use super::words::{capital, distance, event, time};
use crate::refusal::Refusal;

/// Describes a formula that must hold at the first event.
pub(super) fn sentence(formula: &Formula) -> Result<String, Refusal> {
    let clause = match &formula.kind {
        // At the beginning, "from now on" is the whole trace.
        FormulaKind::Unary { operator: Unary::Always, strict: false, times: 1, interval, of } if interval.is_any() => {
            format!("always: {}", clause(of)?)
        }
        _ => clause(formula)?,
    };
    Ok(format!("{}.", capital(&clause)))
}

/// Describes a formula as a clause.
fn clause(formula: &Formula) -> Result<String, Refusal> {
    Ok(match &formula.kind {
        FormulaKind::Constant(true) => "nothing is asked".to_owned(),
        FormulaKind::Constant(false) => "this must not come to pass".to_owned(),
        FormulaKind::Atom(atom) => format!("{} happens", event(atom)),
        FormulaKind::Not(of) => negated(of)?,
        FormulaKind::Connective(Connective::And, left, right) => {
            format!("{}, and {}", part(left, Connective::And)?, part(right, Connective::And)?)
        }
        FormulaKind::Connective(Connective::Or, left, right) => {
            format!("{}, or {}", part(left, Connective::Or)?, part(right, Connective::Or)?)
        }
        FormulaKind::Connective(Connective::Implies, left, right) => {
            format!("if {}, then {}", part(left, Connective::Implies)?, part(right, Connective::Iff)?)
        }
        FormulaKind::Connective(Connective::Iff, left, right) => {
            format!("{} exactly if {}", part(left, Connective::Implies)?, part(right, Connective::Implies)?)
        }
        FormulaKind::Unary { operator, strict, times, interval, of } => {
            let inner = of_operator(of)?;
            (0..*times).fold(inner, |inner, _| unary(*operator, *strict, interval, &inner))
        }
        FormulaKind::Binary { operator, strict, interval, left, right } => {
            binary(*operator, *strict, interval, &of_operator(left)?, &of_operator(right)?)
        }
        FormulaKind::Aggregate { aggregate, comparison, bound, .. } => amount(aggregate, *comparison, *bound)?,
        FormulaKind::OnEvent(_)
        | FormulaKind::Compare(..)
        | FormulaKind::InFuture { .. }
        | FormulaKind::Each { .. } => {
            return Err(Refusal::new("it speaks of the states of a process, which are not put into words"));
        }
    })
}

/// Describes an operand of a connective, in parentheses if it is ambiguous otherwise.
fn part(formula: &Formula, beside: Connective) -> Result<String, Refusal> {
    let inner = clause(formula)?;
    let is_loose = match &formula.kind {
        FormulaKind::Connective(own, ..) => *own != beside || beside == Connective::Implies,
        FormulaKind::Unary { .. } => beside != Connective::Iff && inner.contains(','),
        FormulaKind::Binary { .. } => true,
        _ => false,
    };
    Ok(if is_loose { format!("({inner})") } else { inner })
}

/// Describes the operand of a temporal operator.
fn of_operator(formula: &Formula) -> Result<String, Refusal> {
    let inner = clause(formula)?;
    Ok(if matches!(formula.kind, FormulaKind::Connective(..) | FormulaKind::Binary { .. }) {
        format!("({inner})")
    } else {
        inner
    })
}

fn negated(of: &Formula) -> Result<String, Refusal> {
    Ok(match &of.kind {
        FormulaKind::Atom(atom) => format!("{} does not happen", event(atom)),
        FormulaKind::Not(of) => clause(of)?,
        FormulaKind::Unary { operator: Unary::Eventually, strict, times: 1, interval, of } => {
            format!("at no moment {}{}", ahead(*strict, interval), of_operator(of)?)
        }
        FormulaKind::Unary { operator: Unary::Once, strict, times: 1, interval, of } => {
            format!("at no moment {}{}", back(*strict, interval), of_operator(of)?)
        }
        FormulaKind::Unary { operator: Unary::Next, times: 1, interval, of, .. } if interval.is_any() => {
            match &of.kind {
                FormulaKind::Not(of) => format!("at the next event, if there is one, {}", of_operator(of)?),
                _ => format!("there is no next event at which {}", of_operator(of)?),
            }
        }
        _ => format!("it is not so that {}", of_operator(of)?),
    })
}

/// Describes moments of the future.
fn ahead(strict: bool, interval: &Bounds) -> String {
    let from = if strict { "after now" } else { "from now on" };
    distance(interval).map_or_else(|| format!("{from} "), |far| format!("{far} from now "))
}

/// Describes moments of the past.
fn back(strict: bool, interval: &Bounds) -> String {
    let up_to = if strict { "before now" } else { "so far" };
    distance(interval).map_or_else(|| format!("{up_to} "), |far| format!("{far} ago "))
}

fn unary(operator: Unary, strict: bool, interval: &Bounds, of: &str) -> String {
    let step = |word: &str, where_: &str| match distance(interval).filter(|_| !interval.is_any()) {
        Some(far) if far != "some time" => format!("there is a{word} event, {far} {where_}, and at it {of}"),
        _ => format!("at the{word} event {of}"),
    };
    match operator {
        Unary::Always => format!("at every moment {}{of}", ahead(strict, interval)),
        Unary::Eventually => format!("at some moment {}{of}", ahead(strict, interval)),
        Unary::Historically => format!("at every moment {}{of}", back(strict, interval)),
        Unary::Once => format!("at some moment {}{of}", back(strict, interval)),
        Unary::Next => step(" next", "from now"),
        Unary::Previous => step(" previous", "ago"),
    }
}

fn binary(operator: Binary, strict: bool, interval: &Bounds, left: &str, right: &str) -> String {
    match operator {
        Binary::Until => format!("at some moment {}{right}, and until then {left}", ahead(strict, interval)),
        Binary::Since => format!("at some moment {}{right}, and since then {left}", back(strict, interval)),
        Binary::WeakUntil => match distance(interval) {
            None => format!("{left}, unless and until {right}"),
            Some(far) => format!("at every moment {far} from now {left}, unless and until {right}"),
        },
        Binary::Release => match distance(interval) {
            None => format!("{right}, up to and including the moment when {left}, if that comes"),
            Some(far) => format!("at every moment {far} from now {right}, unless {left} before that"),
        },
    }
}

fn amount(aggregate: &Aggregate, comparison: Comparison, bound: Quantity) -> Result<String, Refusal> {
    let compared = match comparison {
        Comparison::Equal => "exactly",
        Comparison::NotEqual => "not",
        Comparison::Less => "less than",
        Comparison::AtMost => "at most",
        Comparison::Greater => "more than",
        Comparison::AtLeast => "at least",
    };
    Ok(match aggregate {
        Aggregate::Count { window, of, .. } => {
            format!("in the last {} there are {compared} {bound} moments at which {}", time(*window), of_operator(of)?)
        }
        Aggregate::Average { window, step, of } => format!(
            "over the last {}, the moments at which {} are on average {compared} {bound} in {}",
            time(*window),
            of_operator(of)?,
            time(*step)
        ),
        Aggregate::Maximum { window, step, of } => format!(
            "over the last {}, the moments at which {} are at their most {compared} {bound} in {}",
            time(*window),
            of_operator(of)?,
            time(*step)
        ),
        Aggregate::Gap { window, from, to } => format!(
            "over the last {}, it takes on average {compared} {} from a moment at which {} to the next at which {}",
            time(*window),
            time(bound),
            of_operator(from)?,
            of_operator(to)?
        ),
        Aggregate::Rate { window, of, .. } => format!(
            "over the last {}, the moments at which {} are {compared} {bound} per second",
            time(*window),
            of_operator(of)?
        ),
        Aggregate::Percentile { percent, window, of, field, .. } => format!(
            "the {} of `{field}` over the {} events of the last {} is {compared} {bound}",
            percentile(*percent),
            event(of),
            time(*window)
        ),
        Aggregate::Distinct { window, of, field, .. } => format!(
            "the {} events of the last {} have {compared} {bound} different values of `{field}`",
            event(of),
            time(*window)
        ),
        Aggregate::Fold { fold, window, of, field } => {
            let what = match fold {
                Fold::Sum => "the sum",
                Fold::Mean => "the mean",
                Fold::Least => "the least",
                Fold::Greatest => "the greatest",
            };
            format!("{what} of `{field}` over the {} of the last {} is {compared} {bound}", event(of), time(*window))
        }
    })
}

/// Names a percentile: "median", "95th percentile".
fn percentile(percent: Percent) -> String {
    let number = percent.to_string();
    let ending = match number.as_str() {
        "50" => return "median".to_owned(),
        "11" | "12" | "13" => "th",
        number if number.ends_with('1') => "st",
        number if number.ends_with('2') => "nd",
        number if number.ends_with('3') => "rd",
        _ => "th",
    };
    format!("{number}{ending} percentile")
}
