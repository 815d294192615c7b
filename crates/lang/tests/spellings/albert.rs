// SPDX-License-Identifier: MIT OR Apache-2.0
//! ALBERT: what lowers alike, what binds how, and what is printed.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::{Quantity, Unit as TimeUnit};
use gnomon_core::verdict::Simultaneous;
use gnomon_ir::atom::Atom;
use gnomon_ir::formula::{Binary, Bounds, Connective, Fold, Formula, FormulaKind, Unary};
use gnomon_ir::spec::{Body, Language, Options, Property, PropertySeverity, QuantifierKind, Variable};
use gnomon_ir::term::{ActivityPhase, Occurrence, Operation, Reference, Term, TermKind};
use gnomon_lang::albert;

use crate::property;
use crate::random::{FormulaGenerator, SOLOIST};

fn bare(body: &str) -> Property {
    property(&format!("albert p {{ {body} }}"))
}

/// The body as it is printed.
fn printed(body: &str) -> String {
    let text = albert::print(&bare(body));
    text.strip_prefix("albert p { ").and_then(|text| text.strip_suffix(" }\n")).expect("a block on one line").to_owned()
}

#[test]
fn spellings_lower_alike() {
    for (one, other) in [
        ("!onEvent(a) && $x <= 3 -> $y != 2", "¬onEvent(a) ∧ $x ≤ 3 → $y ≠ 2"),
        ("$x = 3 && true || false", "(($x) == (3)) && ⊤ || ⊥"),
        ("!($x > 3)", "!$x > 3"),
        ("$x - 1 > 2", "$x-1>2"),
        ("$x - 1 - 1 > 10s - 5s", "$x-1-1>10s-5s"),
        ("$a/b - 2 > $x - max($y, 3)", "$a/b-2>$x-max($y,3)"),
        ("6 / 2 = $a / $b && $a / (1 + 2) = 0", "6/2=$a/$b&&$a/(1+2)=0"),
        ("$x > -3 && $x > 0 - $y", "$x > − 3 && $x > -$y"),
        ("(forall x in $items; $x/price > 0)", "(∀ x ∈ $items; ($x/price) > 0)"),
        ("(exists x in $items; $x = null)", "((exists x in $items; ($x = null)))"),
        ("Within(onEvent(a), 10s)", "Within((onEvent(a)), 10 s)"),
        ("past($x, onEvent(\"a\"), 1) > 2", "(past(($x), (onEvent(a)), (1))) > 2"),
        ("$\"x\"/\"y\"/0 > 1", "$x/y/\"0\" > 1"),
        ("Between(onEvent(a), $x > 1, 5)", "Until(!onEvent(a), onEvent(a) && InFuture($x > 1, 5))"),
        ("Until(!onEvent(a), onEvent(a) && InFuture($x > 1, 5s))", "Between(onEvent(a), $x > 1, 5 s)"),
    ] {
        assert_eq!(bare(one), bare(other), "{one} | {other}");
    }
}

#[test]
fn operators_bind_as_documented() {
    for (short, long) in [
        ("$x + 2 * $y - 1 < 3 / 4 / 5 && onEvent(a)", "((($x + (2 * $y)) - 1) < ((3 / 4) / 5)) && onEvent(a)"),
        ("$x - ($y - 1) > 8 / (4 / 2)", "($x - ($y - 1)) > (8 / (4 / 2))"),
        ("onEvent(a) -> onEvent(b) -> $x > 1", "onEvent(a) -> (onEvent(b) -> ($x > 1))"),
        ("onEvent(a) <-> onEvent(b) <-> $x > 1", "(onEvent(a) <-> onEvent(b)) <-> ($x > 1)"),
        ("onEvent(a) || $x = 1 && onEvent(b) -> true", "(onEvent(a) || (($x = 1) && onEvent(b))) -> true"),
        ("!onEvent(a) || $x > 1", "(!onEvent(a)) || ($x > 1)"),
        ("!$x + 1 > 1 || onEvent(a)", "(!(($x + 1) > 1)) || onEvent(a)"),
        ("-2 * $x > 1", "(-2) * $x > 1"),
        ("-$x * 2 > 1", "(0 - $x) * 2 > 1"),
    ] {
        assert_eq!(bare(short), bare(long), "{short} | {long}");
    }
}

/// The formula under the `Always` that stands around every property.
fn body(source: &str) -> Formula {
    let Body::Formula(formula) = bare(source).body else { panic!("{source}") };
    match formula.kind {
        FormulaKind::Unary { operator: Unary::Always, strict: false, times: 1, interval: Bounds::ANY, of } => *of,
        other => panic!("{source}: {other:?}"),
    }
}

#[test]
fn a_property_is_an_invariant_and_its_operators_are_the_shared_ones() {
    let FormulaKind::Unary { operator, strict, interval, .. } = body("Within(onEvent(a), 10)").kind else { panic!() };
    assert_eq!((operator, strict), (Unary::Eventually, false));
    assert_eq!(interval, Bounds { hi: Some(Quantity::whole(10)), hi_closed: true, span: interval.span, ..Bounds::ANY });
    let FormulaKind::Connective(Connective::And, now, before) = body("Becomes($x > 1)").kind else { panic!() };
    let FormulaKind::Unary { operator: Unary::Previous, of, .. } = before.kind else { panic!() };
    assert_eq!(of.kind, FormulaKind::Not(now));
    let FormulaKind::Unary { operator, interval, .. } = body("Eventually(Always($x > 1))").kind else { panic!() };
    assert_eq!((operator, interval), (Unary::Eventually, Bounds::ANY));
}

#[test]
fn names_of_starts_and_ends_are_read_as_such() {
    for (name, expected) in [
        ("Pay", None),
        ("start_Pay", Some((ActivityPhase::Start, "Pay"))),
        ("end_Pay", Some((ActivityPhase::End, "Pay"))),
        ("\"start_odd name\"", Some((ActivityPhase::Start, "odd name"))),
        ("start_end_x", Some((ActivityPhase::Start, "end_x"))),
        ("start_", None),
        ("Start_Pay", None),
    ] {
        let FormulaKind::OnEvent(occurrence) = body(&format!("onEvent({name}(1)[x > 2])")).kind else {
            panic!("{name}")
        };
        let activity = occurrence.activity.as_ref().map(|(phase, atom)| (*phase, atom.name.as_str()));
        assert_eq!(activity, expected, "{name}");
        assert_eq!(occurrence.event.name, name.trim_matches('"'));
        if let Some((_, atom)) = &occurrence.activity {
            assert_eq!((&atom.arguments, &atom.condition), (&occurrence.event.arguments, &occurrence.event.condition));
        }
    }
}

#[test]
fn printed_properties_have_no_needless_parentheses() {
    for source in [
        "onEvent(End) -> elapsed(onEvent(Begin)) <= 10 && avg($amount, 600) < 50 && count(onEvent(Fail), 3600) <= 5",
        "(forall x in $order/items; $x/price > 0 && (exists y in $x/parts; $y = \"a\"))",
        "Between(onEvent(Pay), Becomes($stock > 0), 10m) || !Always(Eventually(!($x > 3)))",
        "(onEvent(a) -> onEvent(b)) -> onEvent(c) && (onEvent(d) || true) <-> (onEvent(e) <-> false)",
        "$a - ($b - 1) + (2 - $c) * 3 / (4 / $d) > -2.5 - -1",
        "past($order/total + 1, onEvent(start_Pay(_, 3)[x > 1]), 2) - 1 != null",
        "$late-fee = 3 && $\"covid-19\"/\"x-1\"/0/@id/\"@y-1\" = \"odd \\\"text\\\"\" && $concept:name = true",
        "elapsed(onEvent(A)) > 1.5h && max(1, 2) = sum($x * $x, 1D) / count($x < 1, 5)",
    ] {
        assert_eq!(printed(source), source);
    }
}

#[test]
fn printing_and_parsing_are_inverse() {
    let mut random = FormulaGenerator::new(SOLOIST);
    for case in 0..6_000 {
        let property = generated(&mut random, case);
        let printed = albert::print(&property);
        assert_eq!(crate::property(&printed), property, "case {case}: {printed}");
    }
}

fn generated(random: &mut FormulaGenerator, case: u32) -> Property {
    Property {
        title: (random.below(3) == 0).then(|| random.name()),
        name: random.name(),
        name_span: Span::default(),
        language: Language::Albert,
        options: Options {
            critical: random.below(3) == 0,
            severity: (random.below(3) == 0)
                .then(|| random.pick(&[PropertySeverity::Low, PropertySeverity::Medium, PropertySeverity::High])),
            simultaneous: (random.below(3) == 0).then(|| random.pick(&[Simultaneous::Merge, Simultaneous::Sequence])),
        },
        prefix: vec![],
        body: {
            let body = formula(random, case % 6);
            Body::Formula(unary(Unary::Always, Bounds::ANY, body))
        },
        body_span: Span::default(),
    }
}

fn at(kind: FormulaKind) -> Formula {
    Formula { kind, span: Span::default() }
}

fn unary(operator: Unary, interval: Bounds, of: Formula) -> Formula {
    at(FormulaKind::Unary { operator, strict: false, times: 1, interval, of: Box::new(of) })
}

fn both(left: Formula, right: Formula) -> Formula {
    at(FormulaKind::Connective(Connective::And, Box::new(left), Box::new(right)))
}

fn not(of: Formula) -> Formula {
    at(FormulaKind::Not(Box::new(of)))
}

fn until(left: Formula, right: Formula) -> Formula {
    let (left, right) = (Box::new(left), Box::new(right));
    at(FormulaKind::Binary { operator: Binary::Until, strict: false, interval: Bounds::ANY, left, right })
}

fn formula(random: &mut FormulaGenerator, depth: u32) -> Formula {
    let part = |random: &mut FormulaGenerator| formula(random, depth - 1);
    match if depth == 0 { random.below(4) } else { 2 + random.below(14) } {
        0 => at(FormulaKind::Constant(random.below(2) == 0)),
        1 | 2 => at(FormulaKind::OnEvent(occurrence(random))),
        3..=5 => {
            let (left, right) = (Box::new(term(random, depth)), Box::new(term(random, depth)));
            at(FormulaKind::Compare(left, random.comparison(true), right))
        }
        6 => not(part(random)),
        7..=9 => {
            let connective = random.pick(&[Connective::And, Connective::Or, Connective::Implies, Connective::Iff]);
            at(FormulaKind::Connective(connective, Box::new(part(random)), Box::new(part(random))))
        }
        10 => {
            let operator = random.pick(&[Unary::Always, Unary::Eventually]);
            unary(operator, Bounds::ANY, part(random))
        }
        11 => {
            let interval =
                Bounds { hi: Some(random.quantity()), hi_closed: true, span: Some(Span::default()), ..Bounds::ANY };
            unary(Unary::Eventually, interval, part(random))
        }
        12 => until(part(random), part(random)),
        13 => {
            let of = part(random);
            both(of.clone(), unary(Unary::Previous, Bounds::ANY, not(of)))
        }
        14 => {
            let (first, second) = (part(random), Box::new(part(random)));
            let later = at(FormulaKind::InFuture { reach: random.quantity(), of: second });
            until(not(first.clone()), both(first, later))
        }
        _ => {
            let kind = random.pick(&[QuantifierKind::Forall, QuantifierKind::Exists]);
            let variable =
                Variable { name: random.pick(&["x", "y", "in", "forall"]).to_owned(), span: Span::default() };
            at(FormulaKind::Each { kind, variable, list: reference(random), of: Box::new(part(random)) })
        }
    }
}

fn term(random: &mut FormulaGenerator, depth: u32) -> Term {
    let part = |random: &mut FormulaGenerator| Box::new(term(random, depth - 1));
    let kind = match if depth == 0 { random.below(4) } else { random.below(10) } {
        0 => TermKind::Literal(random.value()),
        1 => TermKind::Time(Quantity { unit: Some(random.pick(&TimeUnit::ALL)), ..random.quantity() }),
        2 | 3 => TermKind::Variable(reference(random)),
        4..=6 => {
            let operation = random.pick(&[Operation::Add, Operation::Subtract, Operation::Multiply, Operation::Divide]);
            TermKind::Operation(operation, part(random), part(random))
        }
        7 => TermKind::Past { of: part(random), event: occurrence(random), back: 1 + random.below(1 << 40) },
        8 if random.below(2) == 0 => {
            TermKind::Count { of: Box::new(formula(random, depth - 1)), window: random.quantity() }
        }
        8 => {
            let fold = random.pick(&[Fold::Sum, Fold::Mean, Fold::Least, Fold::Greatest]);
            TermKind::Fold { fold, of: part(random), window: random.quantity() }
        }
        _ => TermKind::Elapsed(occurrence(random)),
    };
    Term { kind, span: Span::default() }
}

fn reference(random: &mut FormulaGenerator) -> Reference {
    let odd = ["x-1", "n-1.5-y", "@id", "@x-1", "x-max", "in", "past", "-", "12", "start_x"];
    let name =
        |random: &mut FormulaGenerator| if random.below(3) == 0 { random.pick(&odd).to_owned() } else { random.name() };
    let steps = (0..random.below(3)).map(|_| if random.below(2) == 0 { "0".to_owned() } else { name(random) });
    let steps = steps.collect();
    Reference { name: name(random), steps, span: Span::default() }
}

fn occurrence(random: &mut FormulaGenerator) -> Occurrence {
    let (prefix, phase) =
        random.pick(&[("", None), ("start_", Some(ActivityPhase::Start)), ("end_", Some(ActivityPhase::End))]);
    let plain = random.atom();
    let event = Atom { name: format!("{prefix}{}", plain.name), ..plain.clone() };
    let activity = phase.filter(|_| !plain.name.is_empty()).map(|phase| (phase, plain));
    Occurrence { event, activity, span: Span::default() }
}
