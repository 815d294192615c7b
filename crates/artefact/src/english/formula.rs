// SPDX-License-Identifier: MIT OR Apache-2.0
//! Temporal formulae in plain words, from the outside in.

use gnomon_core::time::Quantity;
use gnomon_core::value::Comparison;
use gnomon_ir::formula::{Aggregate, Binary, Bounds, Connective, Fold, Formula, Kind, Unary};

use super::words::{capital, distance, event, time};
use crate::refusal::Refusal;

/// A formula that is asked at the first event.
pub(super) fn sentence(formula: &Formula) -> Result<String, Refusal> {
    let clause = match &formula.kind {
        // At the beginning, "from now on" is the whole trace.
        Kind::Unary { operator: Unary::Always, strict: false, times: 1, interval, of } if is_any(interval) => {
            format!("always: {}", clause(of)?)
        }
        _ => clause(formula)?,
    };
    Ok(format!("{}.", capital(&clause)))
}

fn is_any(bounds: &Bounds) -> bool {
    Bounds { span: None, ..*bounds } == Bounds::ANY
}

/// A clause that can stand by itself.
fn clause(formula: &Formula) -> Result<String, Refusal> {
    Ok(match &formula.kind {
        Kind::Constant(true) => "nothing is asked".to_owned(),
        Kind::Constant(false) => "this must not come to pass".to_owned(),
        Kind::Atom(atom) => format!("{} happens", event(atom)),
        Kind::Not(of) => negated(of)?,
        Kind::Connective(Connective::And, left, right) => {
            format!("{}, and {}", part(left, Connective::And)?, part(right, Connective::And)?)
        }
        Kind::Connective(Connective::Or, left, right) => {
            format!("{}, or {}", part(left, Connective::Or)?, part(right, Connective::Or)?)
        }
        Kind::Connective(Connective::Implies, left, right) => {
            format!("if {}, then {}", part(left, Connective::Implies)?, part(right, Connective::Iff)?)
        }
        Kind::Connective(Connective::Iff, left, right) => {
            format!("{} exactly if {}", part(left, Connective::Implies)?, part(right, Connective::Implies)?)
        }
        Kind::Unary { operator, strict, times, interval, of } => {
            let inner = of_operator(of)?;
            (0..*times).fold(inner, |inner, _| unary(*operator, *strict, interval, &inner))
        }
        Kind::Binary { operator, strict, interval, left, right } => {
            binary(*operator, *strict, interval, &of_operator(left)?, &of_operator(right)?)
        }
        Kind::Aggregate { aggregate, comparison, bound, .. } => amount(aggregate, *comparison, *bound)?,
        Kind::OnEvent(_) | Kind::Compare(..) | Kind::InFuture { .. } | Kind::Each { .. } => {
            return Err(Refusal::new("it speaks of the states of a process, which are not put into words"));
        }
    })
}

/// A clause beside another, in parentheses if it has commas of its own.
fn part(formula: &Formula, beside: Connective) -> Result<String, Refusal> {
    let inner = clause(formula)?;
    let is_loose = match &formula.kind {
        Kind::Connective(own, ..) => *own != beside || beside == Connective::Implies,
        Kind::Unary { .. } => beside != Connective::Iff && inner.contains(','),
        Kind::Binary { .. } => true,
        _ => false,
    };
    Ok(if is_loose { format!("({inner})") } else { inner })
}

/// What an operator is about.
fn of_operator(formula: &Formula) -> Result<String, Refusal> {
    let inner = clause(formula)?;
    Ok(if matches!(formula.kind, Kind::Connective(..) | Kind::Binary { .. }) { format!("({inner})") } else { inner })
}

fn negated(of: &Formula) -> Result<String, Refusal> {
    Ok(match &of.kind {
        Kind::Atom(atom) => format!("{} does not happen", event(atom)),
        Kind::Not(of) => clause(of)?,
        Kind::Unary { operator: Unary::Eventually, strict, times: 1, interval, of } => {
            format!("at no moment {}{}", ahead(*strict, interval), of_operator(of)?)
        }
        Kind::Unary { operator: Unary::Once, strict, times: 1, interval, of } => {
            format!("at no moment {}{}", back(*strict, interval), of_operator(of)?)
        }
        Kind::Unary { operator: Unary::Next, times: 1, interval, of, .. } if is_any(interval) => match &of.kind {
            Kind::Not(of) => format!("at the next event, if there is one, {}", of_operator(of)?),
            _ => format!("there is no next event at which {}", of_operator(of)?),
        },
        _ => format!("it is not so that {}", of_operator(of)?),
    })
}

/// Which moments of the future.
fn ahead(strict: bool, interval: &Bounds) -> String {
    let from = if strict { "after now" } else { "from now on" };
    distance(interval).map_or_else(|| format!("{from} "), |far| format!("{far} from now "))
}

/// Which moments of the past.
fn back(strict: bool, interval: &Bounds) -> String {
    let up_to = if strict { "before now" } else { "so far" };
    distance(interval).map_or_else(|| format!("{up_to} "), |far| format!("{far} ago "))
}

fn unary(operator: Unary, strict: bool, interval: &Bounds, of: &str) -> String {
    let step = |word: &str, where_: &str| match distance(interval).filter(|_| !is_any(interval)) {
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
