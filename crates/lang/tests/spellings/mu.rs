// SPDX-License-Identifier: MIT OR Apache-2.0
//! The mu-calculus: what may be written differently, and what is printed.

use gnomon_core::diagnostic::Span;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::atom::{Argument, Atom};
use gnomon_ir::automaton::{Arithmetic, Expression};
use gnomon_ir::modal::{ActionFormula, DataCondition, ModalFormula, RegularFormula, Sort, SortedVariable};
use gnomon_ir::spec::{Body, Language, Options, Property, QuantifierKind, Variable};
use gnomon_lang::mu;

use crate::random::{FormulaGenerator, MTL};
use crate::{forget, property};

fn body(text: &str) -> Property {
    property(&format!("mu p {{ {text} }}"))
}

#[test]
fn spellings_lower_alike() {
    for spellings in [
        &[
            "forall t:Int. [true* . push(Job, t, false) . (!(pop(Job) || done))* . done] false",
            "forall t:Int.[true*.push(\"Job\",t,false).(not (pop(Job) or done))*.done]false",
            "∀ t : Int . ([⊤* . (push(Job, t, false)) . (¬(pop(Job) ∨ done))* . (done)] (⊥))",
            "forall t:Int. % each task\n [true*. # any\n push(Job, t, false) . (!(pop(Job) || done))* .\n done] false",
        ][..],
        &["[a.b.c] false", "[((a . b) . c)] false"],
        &["[a . b + c*] false", "[(a . b) + (c*)] false"],
        &["[a || b && !c*] false", "[(a || (b && (!c)))*] false"],
        &["[a+b] false", "[a + b] false"],
        &["[a+.b] false", "[(a+) . b] false"],
        &["[a++b] false", "[(a+) + b] false"],
        &["[a+*] false", "[(a+)*] false"],
        &["[a => b => c] false", "[!a || (!b || c)] false"],
        &["[a][b]false && [c]false", "([a] ([b] false)) && ([c] (false))"],
        &["val(1 < 2) => val(2 < 3) => [a]false", "val(1 < 2) => (val(2 < 3) => [a]false)"],
        &["val(x = 1 and not (y = 2) or true) => [a]false", "val(x == 1 && !(y == 2) || true) => [a]false"],
        &["val(A == 1) || val(B == 2) => [a]false", "val(A == 1 || B == 2) => [a]false"],
        &["!val(A == 1) && true => [a]false", "val(!(A == 1) && true) => [a]false"],
        &["forall b:Bool. [a(b)] val(b)", "forall b:Bool. [a(b)] val(b == true)"],
        &["forall x,y:Nat, b:Bool. [a(x,y,b)]false", "forall x:Nat. forall y:Nat. forall b:Bool. [a(x,y,b)]false"],
        &[
            "forall t:Int. [a(t-1+2)] false",
            "forall t:Int. [exists arg1:Real. a(arg1) && val(arg1 == (t - 1) + 2)] false",
        ],
        &["forall t:Int. [a(t) && val(-t < 3)]false", "forall t:Int. [a(t) && val(0 - t < 3)] false"],
        &["[exists d:Nat. a(d) && b . c] false", "[(exists d:Nat. (a(d) && b)) . c] false"],
        &["[a((x), -1, (\"x\"))] false", "[a(x, -1, x)] false"],
    ] {
        let plain = body(spellings[0]);
        for other in spellings {
            assert_eq!(body(other), plain, "{other}");
        }
    }
}

#[test]
fn a_name_is_a_variable_where_a_quantifier_binds_it() {
    let Body::Modal(ModalFormula::And(left, right)) = body("(forall t:Int. [a(t)]false) && [a(t)]false").body else {
        panic!("a conjunction");
    };
    let argument = |modal: &ModalFormula| modal.atoms()[0].arguments.as_ref().map(|arguments| arguments[0].clone());
    assert!(matches!(argument(&left), Some(Argument::Variable(_))));
    assert_eq!(argument(&right), Some(Argument::Literal(Value::Text("t".into()))));
}

#[test]
fn each_wildcard_is_a_variable_of_its_own() {
    let count = |text: &str| {
        let property = body(text);
        let Body::Modal(mut modal) = property.body.clone() else { panic!("a formula") };
        let mut names = Vec::new();
        while let ModalFormula::Forall(SortedVariable { variable, .. }, of) = modal {
            names.push(variable.name);
            modal = *of;
        }
        assert_eq!(crate::property(&mu::print(&property)), property);
        names
    };
    assert_eq!(count("[a(*)* . b] false"), ["*"]);
    assert_eq!(count("forall t:Int. [a(*, t) . b(*)] false"), ["*1", "*2", "t"]);
}

#[test]
fn a_wildcard_at_two_places_gets_a_name() {
    let mut twice = body("[a(*) . b(v1)] false");
    let Body::Modal(ModalFormula::Forall(sorted, of)) = &mut twice.body else { panic!("a variable") };
    let ModalFormula::Box { regular: RegularFormula::Then(left, _), then, .. } = of.as_mut() else { panic!("a box") };
    // As a translation may leave it.
    let comparison = DataCondition::Compare(
        Expression::Variable(sorted.variable.clone()),
        Comparison::Equal,
        Expression::Literal(Value::Text("v1".into())),
    );
    **left = RegularFormula::Plus(left.clone());
    **then = ModalFormula::Data(comparison, Span::default());
    assert_eq!(mu::print(&twice), "mu p { forall v:Any. [a(v)+ . b(v1)] val(v == v1) }\n");
}

#[test]
fn files_of_one_formula_are_read() {
    let source = "% Nothing is popped before it is pushed {\n[(!push)*.pop]false % \"\n";
    let (mut spec, diagnostics) = mu::parse_bare("order", source);
    assert_eq!(diagnostics, []);
    let mut property = spec.properties.pop().expect("it is read");
    assert_eq!((property.name.as_str(), property.body_span.text(source).starts_with("[(!push)")), ("order", true));
    assert_eq!(mu::print(&property), "mu order { [(!push)* . pop] false }\n");
    forget::forget_property(&mut property);
    assert_eq!(crate::property(&mu::print(&property)), property);
    let (spec, diagnostics) = mu::parse_bare("order", "<pop> true");
    assert_eq!((spec.properties.len(), diagnostics.len()), (0, 1));
}

#[test]
fn printing_and_parsing_are_inverse() {
    let mut random = FormulaGenerator::new(MTL);
    for case in 0..6_000 {
        let modal = modal(&mut random, 4);
        let property = Property {
            prefix: vec![],
            name: random.name(),
            name_span: Span::default(),
            title: None,
            language: Language::Mu,
            options: Options::default(),
            body: Body::Modal(bound(modal)),
            body_span: Span::default(),
        };
        let printed = mu::print(&property);
        assert_eq!(crate::property(&printed), property, "case {case}: {printed}");
    }
}

/// The formula with all variables bound that the generator uses.
fn bound(modal: ModalFormula) -> ModalFormula {
    ["x", "y", "user_id", "s", "G"].into_iter().fold(modal, |modal, name| {
        let variable = Variable { name: name.to_owned(), span: Span::default() };
        ModalFormula::Forall(
            SortedVariable { variable, sort: Sort::Integer, sort_name: "Int".to_owned() },
            Box::new(modal),
        )
    })
}

fn sorted(random: &mut FormulaGenerator) -> SortedVariable {
    let (sort, name) = random.pick(&[
        (Sort::Boolean, "Bool"),
        (Sort::Positive, "Pos"),
        (Sort::Natural, "Nat"),
        (Sort::Real, "Real"),
        (Sort::Any, "List(Nat)"),
        (Sort::Any, "Any"),
    ]);
    SortedVariable { variable: random.variable(), sort, sort_name: name.to_owned() }
}

fn modal(random: &mut FormulaGenerator, depth: u32) -> ModalFormula {
    let part = |random: &mut FormulaGenerator| Box::new(modal(random, depth - 1));
    match if depth == 0 { 0 } else { random.below(7) } {
        0 => ModalFormula::Data(data(random, 2), Span::default()),
        1 => ModalFormula::Forall(sorted(random), part(random)),
        2 => ModalFormula::And(part(random), part(random)),
        3 => ModalFormula::Implies(data(random, 2), part(random)),
        _ => ModalFormula::Box { regular: regular(random, 3), then: part(random), span: Span::default() },
    }
}

fn regular(random: &mut FormulaGenerator, depth: u32) -> RegularFormula {
    let part = |random: &mut FormulaGenerator| Box::new(regular(random, depth - 1));
    match if depth == 0 { 0 } else { random.below(9) } {
        0..=2 => RegularFormula::Action(action(random, 2)),
        3 => RegularFormula::Nil,
        4 => RegularFormula::Star(part(random)),
        5 => RegularFormula::Plus(part(random)),
        6 => RegularFormula::Or(part(random), part(random)),
        _ => RegularFormula::Then(part(random), part(random)),
    }
}

fn action(random: &mut FormulaGenerator, depth: u32) -> ActionFormula {
    let part = |random: &mut FormulaGenerator| Box::new(action(random, depth - 1));
    match if depth == 0 { 0 } else { random.below(8) } {
        0..=2 => ActionFormula::Event(event(random)),
        3 => ActionFormula::Data(data(random, 1)),
        4 => ActionFormula::Not(part(random)),
        5 => ActionFormula::And(part(random), part(random)),
        6 => ActionFormula::Or(part(random), part(random)),
        _ => {
            let kind = random.pick(&[QuantifierKind::Forall, QuantifierKind::Exists]);
            ActionFormula::Quantified(kind, sorted(random), part(random))
        }
    }
}

fn event(random: &mut FormulaGenerator) -> Atom {
    let mut event = random.atom();
    if random.below(4) == 0 {
        random.pick(&["val", "nil", "not", "exists", "tau", "mod", "x", "mu"]).clone_into(&mut event.name);
    }
    event
}

fn data(random: &mut FormulaGenerator, depth: u32) -> DataCondition {
    let part = |random: &mut FormulaGenerator| Box::new(data(random, depth - 1));
    match if depth == 0 { 0 } else { random.below(6) } {
        0 | 1 => DataCondition::Compare(expression(random, 2), random.comparison(true), expression(random, 2)),
        2 => DataCondition::Constant(random.below(2) == 0),
        3 => DataCondition::Not(part(random)),
        4 => DataCondition::And(part(random), part(random)),
        _ => DataCondition::Or(part(random), part(random)),
    }
}

fn expression(random: &mut FormulaGenerator, depth: u32) -> Expression {
    match if depth == 0 { random.below(2) } else { random.below(4) } {
        0 => Expression::Literal(random.value()),
        1 => Expression::Variable(random.variable()),
        _ => {
            let operator = random.pick(&[Arithmetic::Add, Arithmetic::Subtract]);
            let left = Box::new(expression(random, depth - 1));
            Expression::Arithmetic(operator, left, Box::new(expression(random, depth - 1)))
        }
    }
}
