// SPDX-License-Identifier: MIT OR Apache-2.0
//! Describes events, amounts of time and lists.

pub(super) use gnomon_core::list::enumeration;
use gnomon_core::time::{Quantity, Unit};
use gnomon_ir::{Atom, Bounds, Fold};

/// Returns an event as code.
pub(super) fn event(atom: &Atom) -> String {
    format!("`{}`", gnomon_lang::print_atom(atom, &[]))
}

/// Returns events as a list.
pub(super) fn events(atoms: &[Atom], last: &str) -> String {
    let atoms: Vec<String> = atoms.iter().map(event).collect();
    enumeration(&atoms, last)
}

/// Returns events that occur in this order.
pub(super) fn in_turn(atoms: &[Atom]) -> String {
    let atoms: Vec<String> = atoms.iter().map(event).collect();
    match atoms.split_last() {
        Some((last, [only])) => format!("{only} and then {last}"),
        Some((last, earlier @ [_, ..])) => format!("{}, and then {last}", earlier.join(", then ")),
        _ => atoms.concat(),
    }
}

/// Returns `3 times`.
pub(super) fn times(number: u64) -> String {
    match number {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        number => format!("{number} times"),
    }
}

/// Returns `second` or `12th`.
pub(super) fn ordinal(number: u64) -> String {
    const WORDS: [&str; 10] =
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    let word = number.checked_sub(1).and_then(|at| WORDS.get(usize::try_from(at).ok()?));
    word.map_or_else(|| short_ordinal(number), |word| (*word).to_owned())
}

/// Returns `95th`.
pub(super) fn short_ordinal(number: u64) -> String {
    let suffix = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}

fn unit_name(unit: Option<Unit>) -> &'static str {
    match unit {
        None => "time unit",
        Some(Unit::Nanosecond) => "nanosecond",
        Some(Unit::Microsecond) => "microsecond",
        Some(Unit::Millisecond) => "millisecond",
        Some(Unit::Second) => "second",
        Some(Unit::Minute) => "minute",
        Some(Unit::Hour) => "hour",
        Some(Unit::Day) => "day",
    }
}

/// Returns `10 seconds`.
pub(super) fn time(quantity: Quantity) -> String {
    let number = Quantity { unit: None, ..quantity };
    let plural = if is_one(quantity) { "" } else { "s" };
    format!("{number} {}{plural}", unit_name(quantity.unit))
}

fn is_one(quantity: Quantity) -> bool {
    Quantity { unit: None, ..quantity } == Quantity::whole(1)
}

/// Returns `minute` or `10 minutes`, after "per".
pub(super) fn unit_time(quantity: Quantity) -> String {
    if is_one(quantity) { unit_name(quantity.unit).to_owned() } else { time(quantity) }
}

/// Returns `period of 10 minutes`, after "any".
pub(super) fn a_time(quantity: Quantity) -> String {
    format!("period of {}", time(quantity))
}

/// Returns `within 10 seconds`; `None` if the interval does not begin at zero, or has no end.
pub(super) fn within(bounds: &Bounds) -> Option<String> {
    let hi = bounds.hi.filter(|_| bounds.lo.billionths == 0)?;
    Some(match bounds.hi_closed {
        true if hi.billionths == 0 => "at the same time".to_owned(),
        true => format!("within {}", time(hi)),
        false => format!("in less than {}", time(hi)),
    })
}

/// Returns `at most 10 seconds`, or another range of distances.
pub(super) fn at_most(bounds: &Bounds) -> String {
    let most = if bounds.hi_closed { "at most" } else { "less than" };
    let far = range(bounds).or_else(|| Some(format!("{most} {}", time(bounds.hi?))));
    far.unwrap_or_else(|| "some time".to_owned())
}

/// Describes the distances of an interval that does not begin at zero, `between 3 and 10 seconds`.
pub(super) fn range(bounds: &Bounds) -> Option<String> {
    let Bounds { lo, lo_closed, hi, hi_closed, .. } = *bounds;
    if lo.billionths == 0 {
        return None;
    }
    let least = if lo_closed { "at least" } else { "more than" };
    let most = if hi_closed { "at most" } else { "less than" };
    Some(match hi {
        None => format!("{least} {}", time(lo)),
        Some(hi) if hi == lo => format!("exactly {}", time(hi)),
        Some(hi) => {
            let low = if hi.unit == lo.unit { Quantity { unit: None, ..lo }.to_string() } else { time(lo) };
            if lo_closed && hi_closed {
                format!("between {low} and {}", time(hi))
            } else {
                format!("{least} {low} and {most} {}", time(hi))
            }
        }
    })
}

/// Returns "the sum of", and so on.
pub(super) fn named_values(fold: Fold) -> &'static str {
    match fold {
        Fold::Sum => "the sum of",
        Fold::Mean => "the average of",
        Fold::Least => "the minimum of",
        Fold::Greatest => "the maximum of",
    }
}

/// Returns the text with a lower-case first letter.
pub(super) fn small(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}

/// Returns the text with a capital first letter.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
