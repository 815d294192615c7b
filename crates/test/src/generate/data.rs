// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events with data: few different values, so that they meet.

use gnomon_core::number::Number;
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_ir::atom::Atom;
use gnomon_ir::spec::Body;
use gnomon_oracle::OracleEvent;

use crate::build::event;
use crate::choices::Choices;

/// A whole number.
pub(super) fn number(number: i64) -> Value<'static> {
    Value::Number(Number::Int(number))
}

/// A value that variables may have.
pub(super) fn value(choices: &mut Choices) -> Value<'static> {
    if !choices.one_in(12) {
        return number(choices.between(1, 3));
    }
    if choices.one_in(4) {
        return Value::Number(great_number(choices));
    }
    choices
        .pick(&[
            Value::Null,
            Value::Bool(true),
            Value::Text("u".into()),
            // No number, whatever it looks like.
            Value::Text("1".into()),
            // 1, written in another way.
            written("10e-1"),
            written("1.50"),
        ])
        .clone()
}

/// Spellings of numbers at the limits of floats, of 64 and of 128 bits.
const GREAT: [&str; 14] = [
    "9007199254740991",
    "9007199254740992",
    "9.007199254740993e15",
    "9007199254740993.50",
    "9223372036854775807",
    "9.223372036854775807e18",
    "-9223372036854775809",
    "18446744073709551616",
    "170141183460469231731687303715884105727",
    "-170141183460469231731687303715884105728",
    "1e-38",
    "1e300",
    "-1e-300",
    "-0e0",
];

/// A number at the limits of floats, of 64 or of 128 bits.
pub(super) fn great_number(choices: &mut Choices) -> Number {
    Number::parse(choices.pick::<&str>(&GREAT)).unwrap_or(Number::Int(0))
}

fn written(number: &str) -> Value<'static> {
    Value::Number(Number::parse(number).unwrap_or(Number::Int(0)))
}

/// Values for aggregates.
fn amount(choices: &mut Choices) -> Option<Value<'static>> {
    let number = match choices.below(12) {
        0 => return None,
        1 => return Some(Value::Text("much".into())),
        2 if choices.one_in(4) => great_number(choices),
        2 => return Some(written("0.5")),
        3 => return Some(written("0.25")),
        4 => Number::Int(-choices.between(1, 3)),
        _ => Number::Int(choices.between(0, 5)),
    };
    Some(Value::Number(number))
}

/// `a b c`, each with `v`, `w`, both or neither, and an event that concerns nobody.
pub(super) const SOLOIST: [&str; 9] = ["a", "a", "a", "b", "b", "b", "c", "c", "z"];
/// `p(a) q(a) r(a, b) w(a, amount)`, and an event that concerns nobody.
pub(super) const MTL: [&str; 12] = ["p", "p", "p", "q", "q", "q", "r", "r", "r", "w", "w", "idle"];
/// `p(a) g(a) r(a, b) h(a) k(a, b) m`, and an event that concerns nobody.
pub(super) const QEA: [&str; 7] = ["p", "g", "r", "h", "k", "m", "idle"];

/// `q(a) r(a, b) p(a) s(a) t(a) z(a)`, and an event that concerns nobody.
pub(super) const PATTERN: [&str; 7] = ["q", "r", "p", "s", "t", "z", "idle"];

/// Names for the traces of a property: mostly those that it knows, or that the declared event `d` stands for.
pub(super) fn known_names(body: &Body, all: &[&'static str], declared: &[&str]) -> Vec<&'static str> {
    let used = body.atoms();
    let is_used =
        |name: &&str| used.iter().any(|used| used.name == *name || (declared.contains(name) && used.name == "d"));
    let known: Vec<&'static str> = all.iter().copied().filter(is_used).collect();
    [all.to_vec(), known.clone(), known.clone(), known].concat()
}

/// An event of this name, whatever it carries.
pub(super) fn plain(name: &str) -> Atom {
    Atom { arguments: None, ..event(name, vec![]) }
}

/// `a b c e`, messages with `v`, `id` and `k` or some of them, and one that concerns nobody.
pub(super) const NOMAD: [&str; 5] = ["a", "b", "c", "e", "z"];

/// `a b c`, each with some of `v`, `w`, `l` and `m`, one that concerns nobody, and ends of activities.
pub(super) const ALBERT: [&str; 9] = ["a", "a", "b", "b", "c", "c", "z", "start_b", "end_b"];

/// An event after which variables have new values: often numbers, sometimes something else.
pub(super) fn state(choices: &mut Choices, time: Timestamp, names: &[&'static str]) -> OracleEvent {
    let mut event = OracleEvent::new(*choices.pick(names), time);
    let mut set = |name: &str, value| event.fields.push((name.to_owned(), value));
    for name in ["v", "w"] {
        match choices.below(8) {
            0..=3 => set(name, Some(number(choices.between(0, 3)))),
            4 => set(name, amount(choices)),
            5 if choices.one_in(2) => set(name, Some(value(choices))),
            _ => {}
        }
    }
    if choices.one_in(3) {
        set("l", Some(list(choices, 0)));
    }
    if choices.one_in(4) {
        set("m", Some(element(choices, 1)));
    }
    event
}

fn list(choices: &mut Choices, depth: usize) -> Value<'static> {
    if choices.one_in(12) {
        return value(choices);
    }
    let length = *choices.pick(&[0, 1, 1, 2, 3]);
    Value::List((0..length).map(|_| element(choices, depth)).collect())
}

/// A number, or a map of a few.
fn element(choices: &mut Choices, depth: usize) -> Value<'static> {
    if choices.one_in(2) {
        return if choices.one_in(6) { value(choices) } else { number(choices.between(0, 3)) };
    }
    let mut entries = Vec::new();
    for key in ["p", "k"] {
        if !choices.one_in(4) {
            entries.push((key.into(), number(choices.between(0, 3))));
        }
    }
    if depth == 0 && choices.one_in(2) {
        entries.push(("l".into(), list(choices, 1)));
    }
    Value::Map(entries)
}

pub(super) fn message(choices: &mut Choices, time: Timestamp, names: &[&'static str]) -> OracleEvent {
    let mut event = OracleEvent::new(*choices.pick(names), time);
    let small = |choices: &mut Choices, least| Some(number(choices.between(least, 3)));
    if !choices.one_in(8) {
        event.fields.push(("v".to_owned(), small(choices, 0)));
    }
    if !choices.one_in(6) {
        let id = if choices.one_in(3) { Some(value(choices)) } else { Some(Value::Number(Number::Int(1))) };
        event.fields.push(("id".to_owned(), id));
    }
    if choices.one_in(2) {
        event.fields.push(("k".to_owned(), small(choices, 2)));
    }
    event
}

/// A message that may say whether it is a beginning or an end.
pub(super) fn message_with_life(choices: &mut Choices, time: Timestamp, names: &[&'static str]) -> OracleEvent {
    let mut event = message(choices, time, names);
    let mut say = |field: &str, word: &'static str| {
        event.fields.push((field.to_owned(), Some(Value::Text(word.into()))));
    };
    if choices.one_in(2) {
        say("lifecycle:transition", choices.pick::<&str>(&["start", "complete", "start", "complete", "suspend"]));
    }
    if choices.one_in(2) {
        say("EventType", choices.pick::<&str>(&["start", "Begin", "END", "complete", "Complete", "sTART", "send"]));
    }
    event
}

pub(super) fn soloist(choices: &mut Choices, time: Timestamp, names: &[&'static str]) -> OracleEvent {
    let mut event = OracleEvent::new(*choices.pick(names), time);
    for field in ["v", "w"] {
        if choices.one_in(2) {
            let value = match choices.below(24) {
                0 => Value::Number(great_number(choices)),
                _ => number(choices.between(0, 3)),
            };
            event.fields.push((field.to_owned(), Some(value)));
        }
    }
    event
}

/// An event with as many fields as its name asks for.
pub(super) fn parametric(choices: &mut Choices, time: Timestamp, names: &[&'static str]) -> OracleEvent {
    let name = *choices.pick(names);
    let mut event = OracleEvent::new(name, time);
    let field = |choices: &mut Choices, name: &str| (name.to_owned(), Some(value(choices)));
    match name {
        "idle" | "m" => {}
        "r" | "k" => event.fields = vec![field(choices, "a"), field(choices, "b")],
        "w" => event.fields = vec![field(choices, "a"), ("amount".to_owned(), amount(choices))],
        _ => event.fields = vec![field(choices, "a")],
    }
    oddly(choices, event)
}

/// Now and then an event has a field too few, too many, or an empty one.
fn oddly(choices: &mut Choices, mut event: OracleEvent) -> OracleEvent {
    match choices.below(40) {
        0 => {
            event.fields.pop();
        }
        1 => event.fields.push(("more".to_owned(), Some(value(choices)))),
        2 => {
            if let Some((_, first)) = event.fields.first_mut() {
                *first = None;
            }
        }
        _ => {}
    }
    event
}
