// SPDX-License-Identifier: MIT OR Apache-2.0
//! Describes aggregates over windows of time.

use gnomon_core::{Comparison, Quantity};
use gnomon_ir::formula::{Aggregate, Fold, Formula, Percent};

use super::clause::{Clause, neither};
use super::formula::{alternatives, clause, not_so, occurrence_of};
use super::words::{enumeration, event, named_values, short_ordinal, time, unit_time};

/// Describes an aggregate that is compared with a bound.
pub(super) fn aggregate(
    of: &Aggregate,
    comparison: Comparison,
    bound: Quantity,
    full_window: bool,
    positive: bool,
) -> Clause {
    // An aggregate without a value compares false: its negation is not the opposite comparison.
    let is_total = !full_window
        && match of {
            Aggregate::Count { .. }
            | Aggregate::Average { .. }
            | Aggregate::Maximum { .. }
            | Aggregate::Rate { .. }
            | Aggregate::Distinct { .. }
            | Aggregate::Fold { fold: Fold::Sum, .. } => true,
            Aggregate::Gap { .. } | Aggregate::Percentile { .. } | Aggregate::Fold { .. } => false,
        };
    let text = described(of, if is_total && !positive { comparison.opposite() } else { comparison }, bound);
    let text = if full_window {
        Clause::around(format!("{text}, and the trace has lasted at least {}", time(of.window())), &[])
    } else {
        Clause::simple(text)
    };
    if positive || is_total { text } else { not_so(&text) }
}

fn described(of: &Aggregate, comparison: Comparison, bound: Quantity) -> String {
    let amount = comparison_words(comparison);
    match of {
        Aggregate::Count { window, of, .. } => {
            let window = if window.billionths == 0 {
                "at the same time".to_owned()
            } else {
                format!("in the last {}", unit_time(*window))
            };
            let is_none = bound.billionths == 0 && matches!(comparison, Comparison::Equal | Comparison::AtMost);
            match alternatives(of).as_deref() {
                Some([only]) if is_none => format!("{only} has not occurred {window}"),
                Some(events) if is_none => format!("{} has occurred {window}", neither(events)),
                Some(events) => {
                    let times = number_of_times(comparison, bound);
                    format!("{} has occurred {times} {window}", enumeration(events, "or"))
                }
                None => {
                    let number = number(comparison, bound);
                    let (was, events) = if bound == Quantity::whole(1) { ("was", "event") } else { ("were", "events") };
                    format!("{window} there {was} {number} {events} at which {}", clause(of, true).enclosed())
                }
            }
        }
        Aggregate::Average { window, step, of } => format!(
            "the average number of {} per {} over the last {} is {amount} {bound}",
            events(of),
            unit_time(*step),
            unit_time(*window)
        ),
        Aggregate::Maximum { window, step, of } => format!(
            "the largest number of {} in any step of {} within the last {} is {amount} {bound}",
            events(of),
            time(*step),
            unit_time(*window)
        ),
        Aggregate::Gap { window, from, to } => format!(
            "the average time from {} in the last {} to the next {} is {amount} {}",
            start(from),
            unit_time(*window),
            occurrences(to),
            time(bound)
        ),
        Aggregate::Rate { window, of, .. } => {
            let window = unit_time(*window);
            format!("the number of {} per second over the last {window} is {amount} {bound}", events(of))
        }
        Aggregate::Percentile { percent, window, of, field, .. } => {
            let (value, window) = (percentile(*percent), unit_time(*window));
            format!("the {value} of `{field}` over the {} events of the last {window} is {amount} {bound}", event(of))
        }
        Aggregate::Distinct { window, of, field, .. } => {
            let (number, window) = (number(comparison, bound), unit_time(*window));
            let values = if bound == Quantity::whole(1) { "value" } else { "values" };
            format!("the {} events of the last {window} have {number} different {values} of `{field}`", event(of))
        }
        Aggregate::Fold { fold, window, of, field } => {
            let value = named_values(*fold);
            let window = unit_time(*window);
            format!("{value} `{field}` over the {} events of the last {window} is {amount} {bound}", event(of))
        }
    }
}

/// Names a percentile: "median", "95th percentile".
fn percentile(percent: Percent) -> String {
    let number = percent.to_string();
    match number.as_str() {
        "50" => "median".to_owned(),
        "100" => "maximum".to_owned(),
        whole => whole
            .parse()
            .map_or_else(|_| format!("{number}th percentile"), |whole| short_ordinal(whole) + " percentile"),
    }
}

/// Returns "`a` events", or "events at which ...".
fn events(of: &Formula) -> String {
    match occurrence_of(of) {
        Some(event) => format!("{event} events"),
        None => format!("events at which {}", clause(of, true).enclosed()),
    }
}

/// Returns "`a`", or "event at which ...".
fn occurrences(of: &Formula) -> String {
    occurrence_of(of).unwrap_or_else(|| format!("event at which {}", clause(of, true).enclosed()))
}

fn start(of: &Formula) -> String {
    occurrence_of(of).unwrap_or_else(|| format!("an event at which {}", clause(of, true).enclosed()))
}

/// Returns "at most twice".
fn number_of_times(comparison: Comparison, bound: Quantity) -> String {
    let times = match bound {
        bound if bound == Quantity::whole(1) => "once".to_owned(),
        bound if bound == Quantity::whole(2) => "twice".to_owned(),
        bound => format!("{bound} times"),
    };
    match comparison {
        Comparison::Less if bound == Quantity::whole(1) => "fewer than 1 time".to_owned(),
        Comparison::NotEqual => format!("a number of times other than {bound}"),
        Comparison::Greater if bound.billionths == 0 => "at least once".to_owned(),
        Comparison::Less => format!("fewer than {bound} times"),
        _ => format!("{} {times}", comparison_words(comparison)),
    }
}

/// Returns "at most 3".
fn number(comparison: Comparison, bound: Quantity) -> String {
    match comparison {
        Comparison::Less => format!("fewer than {bound}"),
        Comparison::NotEqual => format!("a number other than {bound} of"),
        _ => format!("{} {bound}", comparison_words(comparison)),
    }
}

/// Describes a comparison with a number.
pub(super) fn comparison_words(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "exactly",
        Comparison::NotEqual => "not",
        Comparison::Less => "less than",
        Comparison::AtMost => "at most",
        Comparison::Greater => "more than",
        Comparison::AtLeast => "at least",
    }
}
