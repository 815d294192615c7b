// SPDX-License-Identifier: MIT OR Apache-2.0
//! First-order MTL: letters, words and signs, and what is printed.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;
use gnomon_core::verdict::Simultaneous;
use gnomon_ir::formula::FormulaKind;
use gnomon_ir::spec::{
    Body, Language, Options, Property, PropertySeverity, Quantifier, QuantifierKind, Threshold, Variable,
};
use gnomon_lang::mtl;

use crate::property;
use crate::random::{FormulaGenerator, MTL};

fn bare(body: &str) -> Property {
    property(&format!("mtl p {{ {body} }}"))
}

/// The body as it is printed.
fn printed(body: &str) -> String {
    let text = mtl::print(&bare(body));
    text.strip_prefix("mtl p { ").and_then(|text| text.strip_suffix(" }\n")).expect("a block on one line").to_owned()
}

#[test]
fn letters_words_and_signs_lower_alike() {
    for (letters, other) in [
        ("G a && F b", "always a && eventually b"),
        ("H a && P b", "historically a && once b"),
        ("X a && Y b", "next a && previous b"),
        ("a U b && c S d", "a until b && c since d"),
        ("a W b && c R d", "a weakuntil b && c release d"),
        ("F[0,10s] a", "eventually[0,10s] a"),
        ("a U(0,5] b", "a until(0,5] b"),
        ("G(0,5)(a)", "always(0,5)(a)"),
        ("G(0,5) a", "always (0,5) a"),
        ("G(a -> F b)", "□(a → ◇ b)"),
        ("H a && P b && X c && Y d", "■ a ∧ ◆ b ∧ ○ c ∧ ● d"),
        ("F[0,5] a", "◇_{[0,5]} a"),
        ("a U=5 b", "a 𝒰_{=5} b"),
        ("a W[0,5] b R[0,5] c", "a W_{[0,5]} b R_[0,5] c"),
        ("X X X a", "next (next (next (a)))"),
        ("X^3 a", "next^3 a"),
        ("forall x. exists y. p(x, y)", "∀x.∃y.p(x,y)"),
        ("forall x. G p(x)", "forall x.G p(x)"),
        ("forall c, i. G p(c, i)", "forall c,i.G(p(c, i))"),
        ("sum[5](\"p\".amount) <= -3.5", "sum[5 ](p.amount) ≤ − 3.5"),
        ("forall s. count[10m](p(s)) <= 3", "forall s. count[10 m]((p(s))) ⩽ 3"),
        ("forall >= 95.5% s. p(s)", "∀ ≥ 95.5 % s . p(s)"),
        ("exists = 3 s. p(s)", "exists == 3 s.p(s)"),
    ] {
        assert_eq!(bare(letters), bare(other), "{letters} | {other}");
    }
}

#[test]
fn operators_bind_as_documented() {
    for (short, long) in [
        ("a U b W c R d S e", "a U (b W (c R (d S e)))"),
        ("a W b && c", "(a W b) && c"),
        ("a -> b || c && d R e", "a -> (b || (c && (d R e)))"),
        ("!a R b", "(!a) R b"),
        ("forall x. p(x) -> q(x) <-> r", "forall x. ((p(x) -> q(x)) <-> r)"),
        ("count[5](a) < 3 W b", "(count[5](a) < 3) W b"),
        ("sum[5](a.x) < -3 U b", "(sum[5](a.x) < -3) U b"),
    ] {
        assert_eq!(bare(short), bare(long), "{short} | {long}");
    }
}

#[test]
fn an_operators_word_may_be_an_event() {
    for (source, expected) in [
        ("forall c, i. G(create(c, i) -> G(modify(c) -> G !next(i)))", None),
        ("forall l. G(acquire(l) -> F release(l))", None),
        ("forall l. G(lock(l) -> !next(l, _, 3) U release(l))", None),
        ("next(1) && once(\"a\", _) && always()", None),
        ("next U once", Some("\"next\" U \"once\"")),
        ("F release && (since)", Some("F \"release\" && \"since\"")),
        ("next[amount > 3]", Some("\"next\"[amount > 3]")),
        ("always(a)", Some("G a")),
        ("always(true) && next(false)", Some("G true && X false")),
        ("a release(true) && once(true)", Some("a R true && P true")),
        ("\"next\"(true) && \"once\"(\"b\")", None),
        ("forall x. \"x\" && x(x)", None),
        ("forall x. next release(x)", Some("forall x. X release(x)")),
        ("C && M(1) && D", Some("C && M(1) && D")),
        ("count && sum(1) && max[a > 1]", None),
        ("forall(1) && exists", Some("\"forall\"(1) && \"exists\"")),
    ] {
        assert_eq!(printed(source), expected.unwrap_or(source), "{source}");
        assert_eq!(bare(&printed(source)), bare(source), "{source}");
    }
}

#[test]
fn the_field_of_a_window_follows_the_last_dot() {
    for source in [
        "sum[24h](withdraw(u).amount) <= 5000",
        "avg[5](pay.amount) < 3",
        "min[5](Map.create.size/0/b) > -3",
        "max[5](\"Map.create\".\"a b\"/c) = 2.5",
        "max[5](\"pay\".order.total) = 2.5",
        "sum[5](pay(\"a\", _)[x > 3].amount) >= 0",
    ] {
        let source = if source.contains("(u)") { format!("forall u. {source}") } else { source.to_owned() };
        let written = bare(&source);
        let Body::Formula(formula) = &written.body else { panic!("{source}") };
        assert!(matches!(&formula.kind, FormulaKind::Aggregate { .. }), "{source}");
        assert_eq!(bare(&printed(&source)), written, "{source} | {}", printed(&source));
    }
    assert_eq!(printed("max[5](\"Map.create\".size) = 2"), "max[5](Map.create.size) = 2");
}

#[test]
fn printed_properties_have_no_needless_parentheses() {
    for source in [
        "forall c, i. G(create(c, i) -> G(modify(c) -> G !next(i)))",
        "forall >= 95% s. exists < 3 t. exists u. p(s, t, u)",
        "G((a -> b) -> c && (d || e) <-> (f <-> g))",
        "(a U b) W[0,5] !(c && d) R c",
        "G[0,inf) X^2 Y(0,3] P(2ms,3.5s) b",
        "forall u. G count[10m](pay(u) && F[0,1s] x) <= 3",
    ] {
        assert_eq!(printed(source), source);
    }
}

#[test]
fn printing_and_parsing_are_inverse() {
    let mut random = FormulaGenerator::new(MTL);
    for case in 0..6_000 {
        let property = generated(&mut random, case);
        let printed = mtl::print(&property);
        assert_eq!(crate::property(&printed), property, "case {case}: {printed}");
    }
}

fn generated(random: &mut FormulaGenerator, case: u32) -> Property {
    let prefix = (0..random.below(4)).map(|_| quantifier(random)).collect();
    let name = random.name();
    Property {
        title: (random.below(3) == 0).then(|| random.name()),
        name,
        name_span: Span::default(),
        language: Language::Mtl,
        options: Options {
            critical: random.below(3) == 0,
            severity: (random.below(3) == 0)
                .then(|| random.pick(&[PropertySeverity::Low, PropertySeverity::Medium, PropertySeverity::High])),
            simultaneous: (random.below(3) == 0).then(|| random.pick(&[Simultaneous::Merge, Simultaneous::Sequence])),
        },
        prefix,
        body: Body::Formula(random.formula(case % 7)),
        body_span: Span::default(),
    }
}

fn quantifier(random: &mut FormulaGenerator) -> Quantifier {
    let threshold = (random.below(3) == 0).then(|| {
        let (comparison, amount) = (random.comparison(false), Quantity { unit: None, ..random.quantity() });
        // A percentage is at most 100.
        let percent = random.below(2) == 0 && amount.billionths <= 100_000_000_000;
        Threshold { comparison, amount, percent }
    });
    let count = if threshold.is_some() { 1 } else { 1 + random.below(3) };
    let variables: Vec<Variable> = (0..count).map(|_| random.variable()).collect();
    let kind = random.pick(&[QuantifierKind::Forall, QuantifierKind::Exists]);
    Quantifier { kind, threshold, variables, span: Span::default() }
}
