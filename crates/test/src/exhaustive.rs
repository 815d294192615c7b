// SPDX-License-Identifier: MIT OR Apache-2.0
//! All small formulae and all short traces.

use gnomon_core::time::{Duration, Quantity};
use gnomon_core::value::Comparison;
use gnomon_ir::formula::{Aggregate, Binary, Bounds, Connective, Formula, Unary};
use gnomon_oracle::OracleEvent;

use crate::build::{aggregate, atom, binary, connective, interval, not, unary};
use crate::case::at;

/// Every formula of one operator over `a` and `b`, and of two operators where the inner one stands in each place of
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

/// Every trace of up to `longest` positions with gaps of 1 and 2, each with `a`, `b`, both or neither.
pub fn traces(longest: usize) -> Vec<Vec<OracleEvent>> {
    let mut found: Vec<Vec<OracleEvent>> = vec![vec![]];
    let mut shorter = found.clone();
    for length in 1..=longest {
        let mut longer = Vec::new();
        for trace in &shorter {
            let last = trace.last().map_or(at(0), |event: &OracleEvent| event.time);
            let gaps: &[i64] = if length == 1 { &[1] } else { &[1, 2] };
            for gap in gaps {
                let time = last + Duration::from_ticks(at(*gap).ticks());
                for names in [&["a"][..], &["b"], &["a", "b"], &["z"]] {
                    let mut events = trace.clone();
                    events.extend(names.iter().map(|name| OracleEvent::new(*name, time)));
                    longer.push(events);
                }
            }
        }
        found.extend(longer.iter().cloned());
        shorter = longer;
    }
    found
}
