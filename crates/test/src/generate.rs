// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random cases: formulae of all operators, and traces that nearly satisfy them.

mod albert;
mod automaton;
mod clocks;
mod data;
mod formula;
mod modal;
mod mtl;
mod pattern;
mod plugin;
mod prefix;
mod rule;
mod trace;

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Unit;
use gnomon_core::verdict::{End, Simultaneous};
use gnomon_ir::atom::Condition;
use gnomon_ir::check::check;
use gnomon_ir::formula::{Aggregate, Formula, FormulaKind};
use gnomon_ir::spec::{Alternative, Body, EventDeclaration, Language, Spec};
use gnomon_oracle::{Trace, judge, spec};

pub use self::formula::Style;

use self::trace::TraceShape;
use crate::build::{self, path};
use crate::case::Case;
use crate::choices::Choices;

/// The SOLOIST case of a seed.
pub fn case(seed: u64) -> Case {
    case_in(Language::Soloist, seed)
}

/// The case of a seed in a language.
pub fn case_in(language: Language, seed: u64) -> Case {
    recorded(language, seed).0
}

/// The case of a seed in a language, and the choices that made its property.
pub fn recorded(language: Language, seed: u64) -> (Case, Vec<u64>) {
    let mut choices = Choices::new(seed);
    let (spec, shape) = property(language, &mut choices);
    let of_property = choices.choices().to_vec();
    let events = wanted_trace(&mut choices, &spec, &shape);
    (Case { spec, events }, of_property)
}

/// The property of recorded choices, and those of them that it needs.
pub fn spec_from(language: Language, choices: Vec<u64>) -> (Spec, Vec<u64>) {
    let mut choices = Choices::replay(choices);
    let (spec, _) = property(language, &mut choices);
    (spec, choices.choices().to_vec())
}

fn property(language: Language, choices: &mut Choices) -> (Spec, TraceShape) {
    let (mut spec, shape) = match language {
        Language::Soloist => {
            let style = formula::style(choices);
            let body = formula::property(choices, style);
            (build::spec(body), TraceShape { event: data::soloist, names: data::SOLOIST.to_vec(), most: 11, long: 40 })
        }
        Language::Mtl => {
            let (prefix, body) = mtl::property(choices);
            let most = if prefix.is_empty() { 10 } else { 8 };
            let spec = build::spec_of(language, prefix, body);
            (spec, TraceShape { event: data::parametric, names: data::MTL.to_vec(), most, long: 16 })
        }
        Language::Qea => {
            let (prefix, body) = automaton::property(choices);
            let names = data::known_names(&body, &data::QEA, &["p", "r"]);
            let spec = build::spec_of(language, prefix, body);
            (spec, TraceShape { event: data::parametric, names, most: 8, long: 16 })
        }
        Language::Nomad => {
            let with_life = choices.one_in(5);
            let body = Body::Rule(rule::rule(choices, with_life));
            let names = data::known_names(&body, &data::NOMAD, &["a", "b"]);
            let event = if with_life { data::message_with_life } else { data::message };
            (build::spec_of(language, vec![], body), TraceShape { event, names, most: 10, long: 30 })
        }
        Language::Albert => {
            let body = Body::Formula(albert::property(choices));
            // Seldom the trace has the start or the end of an activity itself.
            let names = if choices.one_in(6) { data::ALBERT.to_vec() } else { data::ALBERT[..7].to_vec() };
            (build::spec_of(language, vec![], body), TraceShape { event: data::state, names, most: 9, long: 20 })
        }
        Language::Pattern => {
            let (prefix, body) = pattern::property(choices);
            let names = data::known_names(&body, &data::PATTERN, &["p", "r"]);
            let most = if prefix.is_empty() { 10 } else { 8 };
            (build::spec_of(language, prefix, body), TraceShape { event: data::parametric, names, most, long: 16 })
        }
        Language::Mu => {
            let body = modal::property(choices);
            let names = data::known_names(&body, &data::QEA, &["p", "r"]);
            (build::spec_of(language, vec![], body), TraceShape { event: data::parametric, names, most: 7, long: 14 })
        }
        Language::Mop => {
            let (prefix, body) = plugin::property(choices);
            let names = data::known_names(&body, &data::QEA, &["p", "r"]);
            let spec = build::spec_of(language, prefix, body);
            (spec, TraceShape { event: data::parametric, names, most: 8, long: 14 })
        }
        Language::Ccsl => {
            let body = clocks::property(choices);
            let names = clocks::names(choices, &body);
            (build::spec_of(language, vec![], body), TraceShape { event: data::soloist, names, most: 12, long: 40 })
        }
    };
    let other = match language {
        Language::Soloist | Language::Albert => Some(Simultaneous::Sequence),
        Language::Mtl => Some(Simultaneous::Merge),
        // Their positions do not depend on the spec.
        Language::Qea | Language::Nomad | Language::Pattern | Language::Mu | Language::Mop | Language::Ccsl => None,
    };
    if choices.one_in(10) {
        spec.simultaneous = other;
    }
    declare(
        &mut spec,
        match language {
            Language::Soloist | Language::Albert | Language::Ccsl => ["a", "b", "v", "w"],
            Language::Mtl | Language::Qea | Language::Pattern | Language::Mu | Language::Mop => ["p", "r", "a", "b"],
            Language::Nomad => ["a", "b", "id", "k"],
        },
    );
    if property_has_rate(&spec) {
        spec.time.unit = Some(Unit::Second);
    }
    if language == Language::Albert {
        albert::declare(&mut spec);
    }
    (spec, shape)
}

/// Returns true if the property has a rate, which needs to know how long a unit of time is.
fn property_has_rate(spec: &Spec) -> bool {
    fn has_rate(formula: &Formula) -> bool {
        let is_rate = |aggregate: &Aggregate| matches!(aggregate, Aggregate::Rate { .. });
        matches!(&formula.kind, FormulaKind::Aggregate { aggregate, .. } if is_rate(aggregate))
            || formula.children().into_iter().any(has_rate)
    }
    matches!(&spec.properties[0].body, Body::Formula(formula) if has_rate(formula))
}

/// Most random traces break most random properties. Half of the cases ask for a trace that satisfies its property and
/// half for one that does not, and take the first of a few that does, and in which something is asked for.
fn wanted_trace(choices: &mut Choices, spec: &Spec, shape: &TraceShape) -> Vec<gnomon_oracle::OracleEvent> {
    let property = &spec.properties[0];
    // Many formulae of the mu-calculus can hardly be violated: these make up the half that holds.
    let wanted = choices.one_in(if property.language == Language::Mu { 3 } else { 2 });
    let attempts = match property.language {
        // Most of them say nothing of most traces.
        Language::Pattern => 40,
        Language::Mu => 20,
        Language::Mop => 30,
        // Most of them are violated by most traces.
        Language::Ccsl => 60,
        _ => 12,
    };
    let mut events = trace::events(choices, &property.body, shape);
    for _ in 0..attempts {
        let trace = Trace::new(events.clone());
        let may_idle = matches!(property.language, Language::Soloist | Language::Mtl | Language::Qea)
            && property.prefix.is_empty();
        if spec::holds(spec, property, &trace) == wanted && (may_idle || is_exercised(spec, &trace)) {
            break;
        }
        events = if choices.one_in(3) {
            trace::events(choices, &property.body, shape)
        } else {
            trace::mutated(choices, events, shape)
        };
    }
    events
}

fn is_exercised(spec: &Spec, trace: &Trace) -> bool {
    let core = check(spec, &spec.properties[0]).0;
    core.is_some_and(|core| judge(&core, trace, End::Complete, 0).activated > 0)
}

/// `event d(x) = a[v >= 2, v as x] | b[w as x]`, with these names and fields.
fn declare(spec: &mut Spec, [one, other, first, second]: [&str; 4]) {
    let span = Span::default();
    let two = gnomon_core::value::Value::Number(gnomon_core::number::Number::Int(2));
    let at_least_two = Condition::Compare(path(first), gnomon_core::value::Comparison::AtLeast, two);
    let alternative = |event: &str, condition, field| Alternative {
        event: event.to_owned(),
        condition,
        renames: vec![(path(field), "x".to_owned())],
        span,
    };
    spec.events.push(EventDeclaration {
        name: "d".to_owned(),
        name_span: span,
        parameters: Some(vec!["x".to_owned()]),
        alternatives: vec![alternative(one, Some(at_least_two), first), alternative(other, None, second)],
        participants: None,
    });
}
