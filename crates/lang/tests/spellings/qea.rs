// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quantified event automata: what may be written differently, and what is printed.

use gnomon_core::diagnostic::Span;
use gnomon_ir::automaton::{
    Arithmetic, Assignment, Automaton, Branch, DefaultMove, Expression, Guard, State, Transition,
};
use gnomon_ir::spec::{Body, Language, Options, Property, Quantifier, QuantifierKind, Variable};
use gnomon_lang::qea;

use crate::random::{FormulaGenerator, MTL};
use crate::{forget, property};

#[test]
fn spellings_lower_alike() {
    let plain = property(
        "qea(p) {
          Forall(x)
          Exists(y)
          where [ x != y ]
          accept skip(a) {
            f(x, y) if [ x = 1 and not (y < 2) ] -> b do [ n = n - 1; m = 0 - x ] else -> c
            g(x) -> a
          }
        }",
    );
    for other in [
        "qea p{forall(x)exists(y)where[x!=y]accept skip(a){f(x,y)if[x==1 and not y<2]->b do[n=n-1,m=-x;]else->c,g(x)->a;}}",
        "qea(p){ ∀(x) ∃(y) where [ (x) ≠ (y) ] accept skip(a) { f(x, y) if [ (x = 1) and not ((y) < 2) ] → b do [ n = n−1; m = 0-x ] else → c; g(x) → a } skip(b) {} skip(c) {} }",
    ] {
        assert_eq!(property(other), plain, "{other}");
    }
}

#[test]
fn guards_bind_as_documented() {
    let guard = |text: &str| {
        // The variables have values, so that nothing is to be warned of.
        let source = format!("qea p {{ accept skip(s) {{ e(a, b, c, d) if [ {text} ] -> s }} }}");
        property(&source)
    };
    for (short, long) in [
        ("a = 1 or b = 2 and not c = 3", "(a = 1) or ((b = 2) and (not (c = 3)))"),
        ("not not a = 1 and b = 2", "(not (not (a = 1))) and (b = 2)"),
        ("a + b * c - d < -a * 2", "((a + (b * c)) - d) < ((0 - a) * 2)"),
        ("a - b - c = 1", "((a - b) - c) = 1"),
        ("a-1 = b-c-2", "(a - 1) = ((b - c) - 2)"),
        ("a-1.5*b = -3", "(a - (1.5 * b)) = -3"),
        ("a -1 = b - -1", "(a - 1) = (b - (-1))"),
    ] {
        assert_eq!(guard(short), guard(long), "{short} | {long}");
    }
}

#[test]
fn an_event_without_parameters_needs_no_parentheses() {
    assert_eq!(property("qea p { accept skip(s) { m -> s } }"), property("qea p { accept skip(s) { m() -> s } }"));
    let (mut spec, _) = gnomon_lang::parse("qea p { accept skip(s) { m -> s\nm() -> s } }\nevent m(x, y)");
    let Body::Automaton(automaton) = &spec.properties[0].body else { panic!("an automaton") };
    // Declared: as declared.
    assert!(automaton.states[0].transitions.iter().all(|transition| transition.event.arguments.is_none()));
    forget::forget_property(&mut spec.properties[0]);
}

#[test]
fn states_may_be_named_only() {
    let source = "qea p {\n  accept skip(a) {\n    e() -> b\n    f() -> c\n  }\n}\n";
    let written = property(source);
    let Body::Automaton(automaton) = &written.body else { panic!("an automaton") };
    let names: Vec<&str> = automaton.states.iter().map(|state| state.name.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert!(automaton.states[1..].iter().all(|state| !state.accepting && state.otherwise == DefaultMove::Stay));
    assert_eq!(qea::print(&written), source);
    // In another order they must be declared.
    let swapped = source.replace("-> b", "-> x").replace("-> c", "-> b").replace("-> x", "-> c");
    let swapped = swapped.replace("  }\n}", "  }\n  skip(b) {\n  }\n}");
    assert_eq!(property(&qea::print(&property(&swapped))), property(&swapped));
}

#[test]
fn printing_and_parsing_are_inverse() {
    let mut random = FormulaGenerator::new(MTL);
    for case in 0..3_000 {
        let property = generated(&mut random);
        let printed = qea::print(&property);
        let (mut spec, diagnostics) = gnomon_lang::parse(&printed);
        assert!(diagnostics.iter().all(|found| matches!(found.code, "G0316" | "G0317")), "{printed}: {diagnostics:?}");
        forget::forget_property(&mut spec.properties[0]);
        assert_eq!(spec.properties, [property], "case {case}: {printed}");
    }
}

fn generated(random: &mut FormulaGenerator) -> Property {
    let states = 1 + random.below(4) as usize;
    let mut automaton = Automaton { condition: (random.below(3) == 0).then(|| guard(random, 3)), states: vec![] };
    for index in 0..states {
        let name = format!("{}{index}", random.name());
        automaton.states.push(State {
            name: Variable { name, span: Span::default() },
            accepting: random.below(2) == 0,
            otherwise: random.pick(&[DefaultMove::Stay, DefaultMove::Die]),
            transitions: (0..random.below(3)).map(|_| transition(random, states)).collect(),
        });
    }
    let prefix = (0..random.below(3)).map(|_| Quantifier {
        kind: random.pick(&[QuantifierKind::Forall, QuantifierKind::Exists]),
        threshold: None,
        variables: (0..=random.below(2)).map(|_| random.variable()).collect(),
        span: Span::default(),
    });
    Property {
        prefix: prefix.collect(),
        name: random.name(),
        name_span: Span::default(),
        title: None,
        language: Language::Qea,
        options: Options::default(),
        body: Body::Automaton(automaton),
        body_span: Span::default(),
    }
}

fn transition(random: &mut FormulaGenerator, states: usize) -> Transition {
    let mut event = random.atom();
    event.arguments.get_or_insert_default();
    let branches = (0..=random.below(3)).map(|_| Branch {
        guard: (random.below(3) > 0).then(|| guard(random, 3)),
        target: random.below(states as u64) as usize,
        assignments: (0..random.below(3))
            .map(|_| Assignment { variable: random.variable(), value: expression(random, 3) })
            .collect(),
    });
    Transition { branches: branches.collect(), event, span: Span::default() }
}

fn guard(random: &mut FormulaGenerator, depth: u32) -> Guard {
    let part = |random: &mut FormulaGenerator| Box::new(guard(random, depth - 1));
    match if depth == 0 { 0 } else { random.below(6) } {
        0..=2 => {
            let left = expression(random, depth);
            let comparison = random.comparison(true);
            Guard::Compare(left, comparison, expression(random, depth))
        }
        3 => Guard::Not(part(random)),
        4 => Guard::And(part(random), part(random)),
        _ => Guard::Or(part(random), part(random)),
    }
}

fn expression(random: &mut FormulaGenerator, depth: u32) -> Expression {
    match if depth == 0 { random.below(2) } else { random.below(5) } {
        0 => Expression::Literal(random.value()),
        1 => Expression::Variable(random.variable()),
        _ => {
            let operator = random.pick(&[Arithmetic::Add, Arithmetic::Subtract, Arithmetic::Multiply]);
            let left = Box::new(expression(random, depth - 1));
            Expression::Arithmetic(operator, left, Box::new(expression(random, depth - 1)))
        }
    }
}
