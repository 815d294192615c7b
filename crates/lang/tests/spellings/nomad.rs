// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules: what may be written differently, and what is printed.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;
use gnomon_ir::rule::{
    ActionPhase, Correlation, CorrelationMember, Matching, Modality, Rule, RuleAction, RuleContext, RuleWindow,
};
use gnomon_ir::spec::{Body, Language, Options, Property, PropertySeverity};
use gnomon_lang::nomad;

use crate::random::{FormulaGenerator, SOLOIST};
use crate::{forget, property};

fn rule(text: &str) -> Property {
    property(&format!("nomad p {{ {text} }}"))
}

#[test]
fn spellings_lower_alike() {
    for (plain, others) in [
        (
            "P(start(a) | O[1,0]D (done(b) && done(!c))) / {{a.id, b.id, c.id}}",
            &[
                "P(start(a)|O^{d∈[1,0]D}done(b)∧done(¬c))/{{a.id,b.id,c.id}}",
                "𝒫(start(a) | O^{d in [1,0]}D done(b) AND NOT done(c)) / {a.id, b.id, c.id}",
                "P((start(a)) | 𝒪_{[1D,0D]} (done(b)) && !(done(c))) / (a.id, b.id, c.id)",
                "P(start(a) | O_[1,0] D (done(b) && (done(NOT c)))) / ({a.id, b.id, c.id})",
                "P(start(\"a\") | O^[1,0]D done(b) && !done(c)) / {(\"a\".id, b.\"id\", c . id)}",
            ][..],
        ),
        (
            "F(start(a) || done(b) || start(c) | O[inf,0.5] (done(d) || done(e) && done(f)))",
            &[
                "ℱ(start(a) ∨ (done(b) OR start(c)) | O^{d∈[+∞,0.5]} done(d) ∨ done(e) ∧ done(f))",
                "F(((start(a) || done(b)) || start(c)) | O[+inf,0.500] (done(d) || (done(e) && done(f))))",
            ],
        ),
        (
            "P(start(a) | O[0,inf] done(b[x/@y > 1])) / {{a.x/0/@y, b.@z}, {a.\"k.l\", b.m}}",
            &["P(start(a) | O[0,∞] done(b[\"x\"/\"@y\">1])) / { {a.\"x\"/0/\"@y\", b.\"@z\"} , {\"a\".\"k.l\", b.m} }"],
        ),
    ] {
        for other in others {
            assert_eq!(rule(other), rule(plain), "{other}");
        }
        let printed = nomad::print(&rule(plain));
        assert_eq!(property(&printed), rule(plain), "{printed}");
    }
}

#[test]
fn bounds_carry_units_or_share_one() {
    for (written, printed) in [
        ("O[10,0]s", "O[10,0]s"),
        ("O[10s,0s]", "O[10,0]s"),
        ("O[10s,0]", "O[10s,0]"),
        ("O[1m,30 s]", "O[1m,30s]"),
        ("O[inf,3]h", "O[inf,3]h"),
        ("O[1.5ms,inf]", "O[1.5,inf]ms"),
        ("O[0,0]", "O[0,0]"),
        ("O[ 0 , 10 ] us", "O[0,10]us"),
    ] {
        let text = nomad::print(&rule(&format!("P(start(a) | {written} done(b))")));
        assert_eq!(text, format!("nomad p {{ P(start(a) | {printed} done(b)) }}\n"));
    }
}

#[test]
fn a_message_ends_where_a_message_of_the_rule_does() {
    let members = |text: &str| {
        let Body::Rule(rule) = rule(text).body else { panic!("a rule") };
        let members = rule.correlations.into_iter().flat_map(|set| set.members);
        members.map(|member| (member.message, member.field.to_string())).collect::<Vec<_>>()
    };
    let pair = |message: &str, field: &str| (message.to_owned(), field.to_owned());
    assert_eq!(
        members("P(start(Map.create) | O[0,1] done(Map)) / {{Map.create.id, Map.http.status, other.x/y}}"),
        [pair("Map.create", "id"), pair("Map", "http.status"), pair("other", "x/y")]
    );
}

#[test]
fn options_are_printed() {
    let written = property(
        "nomad p \"Title\" (strict-end, severity high, matching any, critical) { P(start(a) | O[0,1] done(b)) }",
    );
    assert_eq!(
        nomad::print(&written),
        "nomad p \"Title\" (critical, severity high, matching any, strict-end) { P(start(a) | O[0,1] done(b)) }\n"
    );
    let paired = property("nomad p (matching paired) { P(start(a) | O[0,1] done(b)) }");
    assert_eq!(paired, rule("P(start(a) | O[0,1] done(b))"));
}

#[test]
fn printing_and_parsing_are_inverse() {
    let mut random = FormulaGenerator::new(SOLOIST);
    for case in 0..4_000 {
        let property = generated(&mut random);
        let printed = nomad::print(&property);
        let (mut spec, diagnostics) = gnomon_lang::parse(&printed);
        // Names that look alike may come by chance.
        assert!(diagnostics.iter().all(|found| found.code == "G0203"), "{printed}: {diagnostics:?}");
        forget::forget_property(&mut spec.properties[0]);
        assert_eq!(spec.properties, [property], "case {case}: {printed}");
    }
}

pub(crate) fn generated(random: &mut FormulaGenerator) -> Property {
    let rule = Rule {
        modality: random.pick(&[Modality::Permission, Modality::Prohibition]),
        supposition: (0..=random.below(3)).map(|_| RuleAction { negated: false, ..action(random) }).collect(),
        window: RuleWindow { from: bound(random), to: bound(random), span: Span::default() },
        context: context(random, 4),
        correlations: (0..random.below(3)).map(|_| correlation(random)).collect(),
        matching: random.pick(&[Matching::Paired, Matching::Any]),
        strict_end: random.below(2) == 0,
    };
    let severity = random.pick(&[None, Some(PropertySeverity::Low), Some(PropertySeverity::High)]);
    Property {
        prefix: vec![],
        name: random.name(),
        name_span: Span::default(),
        title: None,
        language: Language::Nomad,
        options: Options { critical: random.below(2) == 0, severity, simultaneous: None },
        body: Body::Rule(rule),
        body_span: Span::default(),
    }
}

fn bound(random: &mut FormulaGenerator) -> Option<Quantity> {
    (random.below(4) > 0).then(|| random.quantity())
}

fn action(random: &mut FormulaGenerator) -> RuleAction {
    let phase = random.pick(&[ActionPhase::Start, ActionPhase::Done]);
    let negated = random.below(2) == 0;
    RuleAction { phase, negated, message: random.atom(), span: Span::default() }
}

fn context(random: &mut FormulaGenerator, depth: u32) -> RuleContext {
    match if depth == 0 { 0 } else { random.below(3) } {
        0 => RuleContext::Action(action(random)),
        1 => RuleContext::And(Box::new(context(random, depth - 1)), Box::new(context(random, depth - 1))),
        _ => RuleContext::Or(Box::new(context(random, depth - 1)), Box::new(context(random, depth - 1))),
    }
}

fn correlation(random: &mut FormulaGenerator) -> Correlation {
    let members = (0..=random.below(3)).map(|_| CorrelationMember {
        message: random.name(),
        field: random.path(),
        span: Span::default(),
    });
    Correlation { members: members.collect(), span: Span::default() }
}
