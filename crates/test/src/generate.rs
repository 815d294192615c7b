// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random cases: formulae of all operators, and traces that nearly satisfy them.

mod formula;
mod trace;

use gnomon_core::diagnostic::Span;
use gnomon_core::verdict::Simultaneous;
use gnomon_ir::pattern::{Condition, Path};
use gnomon_ir::spec::{Alternative, EventDeclaration, Spec};
use gnomon_oracle::{Trace, spec};

pub use self::formula::Style;

use crate::build;
use crate::case::Case;
use crate::random::Random;

/// The case of a seed.
pub fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let style = formula::style(&mut random);
    let body = formula::property(&mut random, style);
    let mut spec = build::spec(body);
    if random.one_in(10) {
        spec.simultaneous = Some(Simultaneous::Sequence);
    }
    declare(&mut spec);
    let events = wanted_trace(&mut random, &spec);
    Case { spec, events }
}

/// Most random traces break most random formulae. Half of the cases ask for a trace that satisfies its formula and
/// half for one that does not, and take the first of a few that does.
fn wanted_trace(random: &mut Random, spec: &Spec) -> Vec<gnomon_oracle::OracleEvent> {
    const ATTEMPTS: usize = 12;
    let wanted = random.one_in(2);
    let property = &spec.properties[0];
    let mut events = trace::events(random, property);
    for _ in 0..ATTEMPTS {
        if spec::holds(spec, property, &Trace::new(events.clone())) == wanted {
            break;
        }
        events = if random.one_in(3) { trace::events(random, property) } else { trace::mutated(random, events) };
    }
    events
}

/// `event d(x) = a[v >= 2, v as x] | b[w as x]`
fn declare(spec: &mut Spec) {
    let span = Span::default();
    let path = |field: &str| Path { field: field.to_owned(), steps: vec![] };
    let two = gnomon_core::value::Value::Number(gnomon_core::number::Number::Int(2));
    let at_least_two = Condition::Compare(path("v"), gnomon_core::value::Comparison::AtLeast, two);
    spec.events.push(EventDeclaration {
        name: "d".to_owned(),
        name_span: span,
        parameters: Some(vec!["x".to_owned()]),
        alternatives: vec![
            Alternative {
                event: "a".to_owned(),
                condition: Some(at_least_two),
                renames: vec![(path("v"), "x".to_owned())],
                span,
            },
            Alternative { event: "b".to_owned(), condition: None, renames: vec![(path("w"), "x".to_owned())], span },
        ],
        participants: None,
    });
}
