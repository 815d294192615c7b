// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events with data: few different values, so that they meet.

use gnomon_core::number::Number;
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_ir::pattern::Atom;
use gnomon_ir::spec::Body;
use gnomon_oracle::OracleEvent;

use crate::build::{each_atom, event};
use crate::random::Random;

/// A value that variables may have.
pub(super) fn value(random: &mut Random) -> Value<'static> {
    if !random.one_in(12) {
        return Value::Number(Number::Int(random.between(1, 3)));
    }
    random
        .pick(&[
            Value::Null,
            Value::Bool(true),
            Value::Text("u".into()),
            // No number, whatever it looks like.
            Value::Text("1".into()),
            // 1, written as only a float is.
            Value::Number(Number::Float(1.0)),
            Value::Number(Number::Decimal { mantissa: 15, scale: 1 }),
        ])
        .clone()
}

/// What a fold may find. Halves and quarters add up alike in every order, also as floats.
fn amount(random: &mut Random) -> Option<Value<'static>> {
    let number = match random.below(12) {
        0 => return None,
        1 => return Some(Value::Text("much".into())),
        2 => Number::Float(0.5),
        3 => Number::Decimal { mantissa: 25, scale: 2 },
        4 => Number::Int(-random.between(1, 3)),
        _ => Number::Int(random.between(0, 5)),
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
    let mut used = Vec::new();
    each_atom(&mut body.clone(), &mut |atom| used.push(atom.name.clone()));
    let is_used = |name: &&str| used.iter().any(|used| used == name || (declared.contains(name) && used == "d"));
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
pub(super) fn state(random: &mut Random, time: Timestamp, names: &[&'static str]) -> OracleEvent {
    let mut event = OracleEvent::new(*random.pick(names), time);
    let mut set = |name: &str, value| event.fields.push((name.to_owned(), value));
    for name in ["v", "w"] {
        match random.below(8) {
            0..=3 => set(name, Some(Value::Number(Number::Int(random.between(0, 3))))),
            4 => set(name, amount(random)),
            5 if random.one_in(2) => set(name, Some(value(random))),
            _ => {}
        }
    }
    if random.one_in(3) {
        set("l", Some(list(random, 0)));
    }
    if random.one_in(4) {
        set("m", Some(element(random, 1)));
    }
    event
}

fn list(random: &mut Random, depth: usize) -> Value<'static> {
    if random.one_in(12) {
        return value(random);
    }
    let length = *random.pick(&[0, 1, 1, 2, 3]);
    Value::List((0..length).map(|_| element(random, depth)).collect())
}

/// A number, or a map of a few.
fn element(random: &mut Random, depth: usize) -> Value<'static> {
    if random.one_in(2) {
        return if random.one_in(6) { value(random) } else { Value::Number(Number::Int(random.between(0, 3))) };
    }
    let mut entries = Vec::new();
    for key in ["p", "k"] {
        if !random.one_in(4) {
            entries.push((key.into(), Value::Number(Number::Int(random.between(0, 3)))));
        }
    }
    if depth == 0 && random.one_in(2) {
        entries.push(("l".into(), list(random, 1)));
    }
    Value::Map(entries)
}

pub(super) fn message(random: &mut Random, time: Timestamp, names: &[&'static str]) -> OracleEvent {
    let mut event = OracleEvent::new(*random.pick(names), time);
    let small = |random: &mut Random, least| Some(Value::Number(Number::Int(random.between(least, 3))));
    if !random.one_in(8) {
        event.fields.push(("v".to_owned(), small(random, 0)));
    }
    if !random.one_in(6) {
        let id = if random.one_in(3) { Some(value(random)) } else { Some(Value::Number(Number::Int(1))) };
        event.fields.push(("id".to_owned(), id));
    }
    if random.one_in(2) {
        event.fields.push(("k".to_owned(), small(random, 2)));
    }
    event
}

/// A message that may say whether it is a beginning or an end.
pub(super) fn message_with_life(random: &mut Random, time: Timestamp, names: &[&'static str]) -> OracleEvent {
    let mut event = message(random, time, names);
    let mut say = |field: &str, word: &'static str| {
        event.fields.push((field.to_owned(), Some(Value::Text(word.into()))));
    };
    if random.one_in(2) {
        say("lifecycle:transition", random.pick::<&str>(&["start", "complete", "start", "complete", "suspend"]));
    }
    if random.one_in(2) {
        say("EventType", random.pick::<&str>(&["start", "Begin", "END", "complete", "Complete", "sTART", "send"]));
    }
    event
}

pub(super) fn soloist(random: &mut Random, time: Timestamp, names: &[&'static str]) -> OracleEvent {
    let mut event = OracleEvent::new(*random.pick(names), time);
    for field in ["v", "w"] {
        if random.one_in(2) {
            event.fields.push((field.to_owned(), Some(Value::Number(Number::Int(random.between(0, 3))))));
        }
    }
    event
}

/// An event with as many fields as its name asks for.
pub(super) fn parametric(random: &mut Random, time: Timestamp, names: &[&'static str]) -> OracleEvent {
    let name = *random.pick(names);
    let mut event = OracleEvent::new(name, time);
    let field = |random: &mut Random, name: &str| (name.to_owned(), Some(value(random)));
    match name {
        "idle" | "m" => {}
        "r" | "k" => event.fields = vec![field(random, "a"), field(random, "b")],
        "w" => event.fields = vec![field(random, "a"), ("amount".to_owned(), amount(random))],
        _ => event.fields = vec![field(random, "a")],
    }
    oddly(random, event)
}

/// Now and then an event has a field too few, too many, or an empty one.
fn oddly(random: &mut Random, mut event: OracleEvent) -> OracleEvent {
    match random.below(40) {
        0 => {
            event.fields.pop();
        }
        1 => event.fields.push(("more".to_owned(), Some(value(random)))),
        2 => {
            if let Some((_, first)) = event.fields.first_mut() {
                *first = None;
            }
        }
        _ => {}
    }
    event
}
