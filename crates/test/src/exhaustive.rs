// SPDX-License-Identifier: MIT OR Apache-2.0
//! All small formulae and all short traces, without data and with one variable.

use gnomon_core::diagnostic::Span;
use gnomon_core::number::Number;
use gnomon_core::time::{Duration, Quantity, Timestamp};
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::formula::{Aggregate, Binary, Bounds, Connective, Formula, FormulaKind, Unary};
use gnomon_ir::spec::{Quantifier, QuantifierKind};
use gnomon_oracle::OracleEvent;

use crate::build::{
    aggregate, argument, atom, binary, connective, event, formula, inclusive, interval, not, unary, variable,
};
use crate::case::at;

/// Every SOLOIST formula of one operator over `a` and `b`, and of two operators where the inner one stands in each place of
/// the outer one, beside an atom.
pub fn formulae() -> Vec<Formula> {
    let atoms = [atom("a"), atom("b")];
    let mut inner: Vec<Formula> = atoms.to_vec();
    for formula in &atoms {
        inner.extend(over(formula, &atoms[1]));
    }
    let mut found = inner.clone();
    for formula in &inner[atoms.len()..] {
        found.extend(over(formula, &atoms[0]));
    }
    found
}

/// Every MTL formula of one operator over `p(x)` and `q(x)`, and of two operators.
pub fn mtl_formulae() -> Vec<Formula> {
    let atoms = ["p", "q"].map(|name| formula(FormulaKind::Atom(event(name, vec![argument("x")]))));
    let inner = mtl_over(&atoms[0], &atoms[1]);
    let mut found = inner.clone();
    for part in &inner {
        found.extend(mtl_over(part, &atoms[1]));
    }
    found
}

/// `forall x.` or `exists x.`
pub fn quantifier(kind: QuantifierKind) -> Quantifier {
    Quantifier { kind, threshold: None, variables: vec![variable("x")], span: Span::default() }
}

fn intervals() -> [Bounds; 3] {
    [Bounds::POSITIVE, interval((0, true), Some((2, true))), interval((1, false), Some((3, false)))]
}

/// Every operator over a formula; those of two formulae take `other` on each side.
fn over(formula: &Formula, other: &Formula) -> Vec<Formula> {
    let mut found = vec![not(formula.clone())];
    let both_ways = [(formula.clone(), other.clone()), (other.clone(), formula.clone())];
    for (left, right) in &both_ways {
        for operator in [Connective::And, Connective::Or, Connective::Implies, Connective::Iff] {
            found.push(connective(operator, left.clone(), right.clone()));
        }
        for bounds in intervals() {
            for operator in [Binary::Until, Binary::Since] {
                found.push(binary(operator, bounds, left.clone(), right.clone()));
            }
        }
        let gap = Aggregate::Gap { window: Quantity::whole(3), from: left.clone(), to: right.clone() };
        found.push(aggregate(gap, Comparison::AtMost, Quantity::whole(1), false));
    }
    let operators = [Unary::Always, Unary::Eventually, Unary::Historically, Unary::Once, Unary::Next, Unary::Previous];
    for bounds in intervals() {
        found.extend(operators.map(|operator| unary(operator, 1, bounds, formula.clone())));
    }
    found.push(unary(Unary::Next, 2, Bounds::POSITIVE, formula.clone()));
    let of = || formula.clone();
    let (window, step) = (Quantity::whole(3), Quantity::whole(1));
    for (comparison, number) in [(Comparison::AtMost, 1), (Comparison::Equal, 1)] {
        let bound = Quantity::whole(number);
        found.push(aggregate(Aggregate::Count { window, closed: false, of: of() }, comparison, bound, false));
        found.push(aggregate(Aggregate::Average { window, step, of: of() }, comparison, bound, true));
        found.push(aggregate(Aggregate::Maximum { window, step, of: of() }, comparison, bound, false));
    }
    found
}

fn mtl_over(formula: &Formula, other: &Formula) -> Vec<Formula> {
    let mut found = vec![not(formula.clone())];
    let intervals = [Bounds::ANY, interval((0, true), Some((1, true))), interval((0, false), Some((2, false)))];
    let both_ways = [(formula.clone(), other.clone()), (other.clone(), formula.clone())];
    for (left, right) in &both_ways {
        found.push(connective(Connective::And, left.clone(), right.clone()));
        found.push(connective(Connective::Implies, left.clone(), right.clone()));
        for bounds in intervals {
            for operator in [Binary::Until, Binary::Since, Binary::WeakUntil, Binary::Release] {
                found.push(inclusive(binary(operator, bounds, left.clone(), right.clone())));
            }
        }
    }
    let operators = [Unary::Always, Unary::Eventually, Unary::Historically, Unary::Once, Unary::Next, Unary::Previous];
    for bounds in intervals {
        found.extend(operators.map(|operator| inclusive(unary(operator, 1, bounds, formula.clone()))));
    }
    let count = Aggregate::Count { window: Quantity::whole(1), closed: true, of: formula.clone() };
    found.push(aggregate(count, Comparison::AtMost, Quantity::whole(1), false));
    found
}

/// Every trace of up to `longest` events `p(1) p(2) q(1) z`, with gaps of 0 and 1.
pub fn traces_with_data(longest: usize) -> Vec<Vec<OracleEvent>> {
    let events = [("p", Some(1)), ("p", Some(2)), ("q", Some(1)), ("z", None)];
    sequences(longest, &[0, 1], &|time| events.map(|what| vec![with_field(time, "a", what)]).to_vec())
}

/// An event with this number in the field, or without it.
fn with_field(time: Timestamp, field: &str, (name, number): (&str, Option<i64>)) -> OracleEvent {
    let fields = number.map(|number| (field.to_owned(), Some(Value::Number(Number::Int(number)))));
    OracleEvent { fields: fields.into_iter().collect(), ..OracleEvent::new(name, time) }
}

/// Every trace of up to `longest` messages `a(1) a(2) b(1) b(2) c`, with gaps of 0, 1 and 2.
pub fn messages(longest: usize) -> Vec<Vec<OracleEvent>> {
    let messages = [("a", Some(1)), ("a", Some(2)), ("b", Some(1)), ("b", Some(2)), ("c", None)];
    sequences(longest, &[0, 1, 2], &|time| messages.map(|what| vec![with_field(time, "id", what)]).to_vec())
}

/// Every trace of up to `longest` positions with gaps of 1 and 2, each with `a`, `b`, both or neither.
pub fn traces(longest: usize) -> Vec<Vec<OracleEvent>> {
    let positions = [&["a"][..], &["b"], &["a", "b"], &["z"]];
    let position =
        |time, names: &[&str]| names.iter().map(|name| OracleEvent::new(*name, time)).collect::<Vec<OracleEvent>>();
    sequences(longest, &[1, 2], &|time| positions.map(|names| position(time, names)).to_vec())
}

/// Every sequence of up to `longest` of the steps that there are at a time; the first is at 1, the others follow at one of
/// the gaps.
fn sequences(
    longest: usize,
    gaps: &[i64],
    steps: &dyn Fn(Timestamp) -> Vec<Vec<OracleEvent>>,
) -> Vec<Vec<OracleEvent>> {
    let mut found: Vec<Vec<OracleEvent>> = vec![vec![]];
    let mut shorter = found.clone();
    for _ in 0..longest {
        let mut longer = Vec::new();
        for trace in &shorter {
            let times: Vec<Timestamp> = match trace.last() {
                None => vec![at(1)],
                Some(last) => gaps.iter().map(|gap| last.time + Duration::from_ticks(at(*gap).ticks())).collect(),
            };
            let next = times.into_iter().flat_map(steps);
            longer.extend(next.map(|step| [trace.as_slice(), &step].concat()));
        }
        found.extend(longer.iter().cloned());
        shorter = longer;
    }
    found
}
