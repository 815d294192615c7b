// SPDX-License-Identifier: MIT OR Apache-2.0
//! Describes events, amounts of time and lists.

use gnomon_core::time::{Quantity, Unit};
use gnomon_ir::{Atom, Bounds};

/// Returns an event as code.
pub(super) fn event(atom: &Atom) -> String {
    format!("`{}`", gnomon_lang::print_atom(atom, &[]))
}

/// Returns an event with its article.
pub(super) fn one(atom: &Atom) -> String {
    let vowel = atom.name.starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U']);
    format!("{} {}", if vowel { "an" } else { "a" }, event(atom))
}

/// Returns events as a list.
pub(super) fn events(atoms: &[Atom], last: &str) -> String {
    let atoms: Vec<String> = atoms.iter().map(event).collect();
    list(&atoms, last)
}

/// Returns events that happen in this order.
pub(super) fn in_turn(atoms: &[Atom]) -> String {
    let atoms: Vec<String> = atoms.iter().map(event).collect();
    atoms.join(" and later ")
}

/// Returns `a, b and c`.
pub(super) fn list(items: &[String], last: &str) -> String {
    match items.split_last() {
        Some((only, [])) => only.clone(),
        Some((end, before)) => format!("{} {last} {end}", before.join(", ")),
        None => String::new(),
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

/// Returns `10 seconds`.
pub(super) fn time(quantity: Quantity) -> String {
    let number = Quantity { unit: None, ..quantity };
    let one = number == Quantity::whole(1);
    let unit = match quantity.unit {
        None => "time unit",
        Some(Unit::Nanosecond) => "nanosecond",
        Some(Unit::Microsecond) => "microsecond",
        Some(Unit::Millisecond) => "millisecond",
        Some(Unit::Second) => "second",
        Some(Unit::Minute) => "minute",
        Some(Unit::Hour) => "hour",
        Some(Unit::Day) => "day",
    };
    format!("{number} {unit}{}", if one { "" } else { "s" })
}

/// Describes the distances of an interval, `at most 10 seconds`; `None` if it contains every distance.
pub(super) fn distance(bounds: &Bounds) -> Option<String> {
    let least = if bounds.lo_closed { "at least" } else { "more than" };
    let most = if bounds.hi_closed { "at most" } else { "less than" };
    let from_nothing = bounds.lo.billionths == 0;
    match bounds.hi {
        None if from_nothing && bounds.lo_closed => None,
        None if from_nothing => Some("some time".to_owned()),
        None => Some(format!("{least} {}", time(bounds.lo))),
        Some(hi) if hi == bounds.lo => Some(format!("exactly {}", time(hi))),
        Some(hi) if from_nothing && bounds.lo_closed => Some(format!("{most} {}", time(hi))),
        Some(hi) if from_nothing => Some(format!("some time, but {most} {}", time(hi))),
        Some(hi) => Some(format!("{least} {} and {most} {}", time(bounds.lo), time(hi))),
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
