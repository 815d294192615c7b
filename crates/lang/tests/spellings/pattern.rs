// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns: what may be written differently, and what is printed.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;
use gnomon_ir::atom::{Argument, Atom};
use gnomon_ir::formula::Bounds;
use gnomon_ir::pattern::{Behaviour, CountBound, Pattern, Scope, ScopeKind};
use gnomon_ir::spec::{Body, Language, Options, Property, Quantifier, QuantifierKind, Variable};
use gnomon_lang::pattern;

use crate::property;
use crate::random::{FormulaGenerator, MTL};

fn body(text: &str) -> Property {
    property(&format!("pattern p {{ {text} }}"))
}

#[test]
fn spellings_lower_alike() {
    for spellings in [
        &["globally: absence of p", "globally: never p", "globally:absence of p", "globally :absence of \"p\""][..],
        &["globally: existence of p within 3s", "globally: p exists within 3 s", "globally: p exists within [0,3s]"],
        &["globally: p precedes q", "globally: p precede q"],
        &["after q: s responds to p", "after q:s respond to p"],
        &["after last q until r: only p", "after last q until r:only p"],
        &["for every t, u: before r: p(t) precedes q(u)", "for each t,u:before r:p(t) precedes q(u)"],
        &["globally: q responds to p within 3, p required", "globally: q responds to p, p required within 3"],
        &["globally: at most 2 p in 10s", "globally: at most 2 p in 10 s"],
    ] {
        let plain = body(spellings[0]);
        for other in spellings {
            assert_eq!(body(other), plain, "{other}");
        }
    }
}

fn pattern(text: &str) -> Pattern {
    match body(text).body {
        Body::Pattern(pattern) => pattern,
        other => panic!("{other:?}"),
    }
}

fn names(atoms: &[Atom]) -> Vec<&str> {
    atoms.iter().map(|atom| atom.name.as_str()).collect()
}

#[test]
fn every_scope_is_read() {
    let written = [
        ("globally", None, None),
        ("before r", None, Some("r")),
        ("until r", None, Some("r")),
        ("after q", Some("q"), None),
        ("after last q", Some("q"), None),
        ("between q and r", Some("q"), Some("r")),
        ("between last q and r", Some("q"), Some("r")),
        ("after q until r", Some("q"), Some("r")),
        ("after last q until r", Some("q"), Some("r")),
    ];
    for ((text, opens, closes), kind) in written.into_iter().zip(ScopeKind::ALL) {
        let Pattern { scope, .. } = pattern(&format!("{text}: absence of p"));
        let name = |atom: &Option<Atom>| atom.as_ref().map(|atom| atom.name.clone());
        assert_eq!(scope.kind, kind, "{text}");
        assert_eq!((name(&scope.opens).as_deref(), name(&scope.closes).as_deref()), (opens, closes), "{text}");
        assert_eq!((scope.opens.is_some(), scope.closes.is_some()), (kind.opens(), kind.closes()), "{text}");
    }
}

#[test]
fn chains_have_their_events_on_the_right_side() {
    let Behaviour::Precedence { causes, effects, .. } = pattern("globally: a, b, c precede d, e").behaviour else {
        panic!("a precedence");
    };
    assert_eq!((names(&causes), names(&effects)), (vec!["a", "b", "c"], vec!["d", "e"]));
    let text = "globally: a, b without z respond to c, d within (1s,2s]";
    let Behaviour::Response { stimuli, responses, without, required, within } = pattern(text).behaviour else {
        panic!("a response");
    };
    assert_eq!((names(&stimuli), names(&responses)), (vec!["c", "d"], vec!["a", "b"]));
    assert_eq!((without.map(|atom| atom.name).as_deref(), required), (Some("z"), false));
    let bounds = within.expect("it is bounded");
    assert_eq!((bounds.lo_closed, bounds.hi_closed), (false, true));
    assert_eq!(bounds.hi.map(|hi| hi.to_string()).as_deref(), Some("2s"));
}

#[test]
fn words_may_be_events() {
    for (text, printed) in [
        ("after last: absence of last", "after \"last\": absence of \"last\""),
        ("between last and last: only only", "between \"last\" and \"last\": only \"only\""),
        ("globally: absence precedes never", "globally: \"absence\" precedes \"never\""),
        ("before before: exactly responds to to", "before \"before\": \"exactly\" responds to \"to\""),
        ("globally: at, never respond to in", "globally: \"at\", \"never\" respond to \"in\""),
        ("globally: at most 2 for in 3", "globally: at most 2 \"for\" in 3"),
        ("after concept:name: absence of A.b", "after concept:name: absence of A.b"),
    ] {
        assert_eq!(pattern::print(&body(text)), format!("pattern p {{ {printed} }}\n"), "{text}");
    }
}

fn variables(property: &Property) -> Vec<&str> {
    let variables = property.prefix.iter().flat_map(|quantifier| &quantifier.variables);
    variables.map(|variable| variable.name.as_str()).collect()
}

#[test]
fn each_wildcard_is_a_variable_of_its_own() {
    let one = body("for every t: globally: absence of p(t, *, _)");
    assert_eq!(variables(&one), ["t", "*"]);
    let three = body("after q(*): s(*) responds to p(*), p(*) required");
    assert_eq!(variables(&three), ["*1", "*2", "*3"]);
    for property in [one, three] {
        assert_eq!(crate::property(&pattern::print(&property)), property);
    }
}

#[test]
fn a_wildcard_at_two_places_gets_a_name() {
    let mut twice = body("globally: s(*) responds to p(*, \"v\")");
    let Body::Pattern(pattern) = &mut twice.body else { panic!("a requirement") };
    let Behaviour::Response { stimuli, .. } = &mut pattern.behaviour else { panic!("a response") };
    // As a translation may leave it.
    let first = twice.prefix[0].variables[0].clone();
    let Some(arguments) = &mut stimuli[0].arguments else { panic!("it has parameters") };
    arguments[0] = Argument::Variable(first);
    twice.prefix[0].variables.truncate(1);
    assert_eq!(pattern::print(&twice), "pattern p { for every v1: globally: s(v1) responds to p(v1, \"v\") }\n");
}

#[test]
fn printing_and_parsing_are_inverse() {
    let mut random = FormulaGenerator::new(MTL);
    for case in 0..6_000 {
        let property = generated(&mut random);
        let printed = pattern::print(&property);
        assert_eq!(crate::property(&printed), property, "case {case}: {printed}");
    }
}

fn generated(random: &mut FormulaGenerator) -> Property {
    let kind = random.pick(&ScopeKind::ALL);
    let scope = Scope {
        kind,
        opens: kind.opens().then(|| event(random)),
        closes: kind.closes().then(|| event(random)),
        span: Span::default(),
    };
    let pattern = Pattern { scope, behaviour: behaviour(random), behaviour_span: Span::default() };
    let variables =
        ["x", "y", "user_id", "s", "G"].map(|name| Variable { name: name.to_owned(), span: Span::default() });
    let split = random.below(5) as usize;
    let quantifier = |variables: &[Variable]| Quantifier {
        kind: QuantifierKind::Forall,
        threshold: None,
        variables: variables.to_vec(),
        span: Span::default(),
    };
    let prefix = [&variables[..split], &variables[split..]];
    Property {
        prefix: prefix.into_iter().filter(|part| !part.is_empty()).map(quantifier).collect(),
        name: random.name(),
        name_span: Span::default(),
        title: None,
        language: Language::Pattern,
        options: Options::default(),
        body: Body::Pattern(pattern),
        body_span: Span::default(),
    }
}

const KEYWORDS: [&str; 16] = [
    "last", "until", "and", "only", "at", "exactly", "precedes", "respond", "to", "without", "required", "within",
    "in", "of", "exists", "globally",
];

fn event(random: &mut FormulaGenerator) -> Atom {
    let mut event = random.atom();
    if random.below(4) == 0 {
        random.pick(&KEYWORDS).clone_into(&mut event.name);
    }
    event
}

fn events(random: &mut FormulaGenerator) -> Vec<Atom> {
    (0..=random.below(3)).map(|_| event(random)).collect()
}

fn within(random: &mut FormulaGenerator) -> Option<Bounds> {
    let span = Some(Span::default());
    let lo = if random.below(2) == 0 { Quantity::whole(0) } else { random.quantity() };
    match random.below(3) {
        0 => None,
        1 => Some(Bounds { lo, lo_closed: random.below(2) == 0, hi: None, hi_closed: false, span }),
        _ => {
            let (lo_closed, hi_closed) = (random.below(3) > 0, random.below(3) > 0);
            Some(Bounds { lo, lo_closed, hi: Some(random.quantity()), hi_closed, span })
        }
    }
}

fn behaviour(random: &mut FormulaGenerator) -> Behaviour {
    let number = random.pick(&[0, 1, 2, 77, u64::MAX]);
    match random.below(9) {
        0 => Behaviour::Absence(event(random)),
        1 => Behaviour::Existence { event: event(random), within: within(random) },
        2 => {
            let amount = random.pick(&[CountBound::AtMost, CountBound::AtLeast, CountBound::Exactly]);
            Behaviour::Count { amount, number, event: event(random) }
        }
        3 => Behaviour::Rate { number, event: event(random), window: random.quantity() },
        4 => Behaviour::Universality(event(random)),
        5 => Behaviour::Only(events(random)),
        6 => {
            let causes = events(random);
            let required = causes.len() == 1 && random.below(2) == 0;
            Behaviour::Precedence { causes, effects: events(random), required, within: within(random) }
        }
        7 => {
            let (stimuli, responses) = (events(random), events(random));
            let required = stimuli.len() == 1 && random.below(2) == 0;
            let without = (responses.len() > 1 && random.below(2) == 0).then(|| event(random));
            Behaviour::Response { stimuli, responses, without, required, within: within(random) }
        }
        _ => {
            let event = event(random);
            Behaviour::Recurrence { event, every: random.quantity(), every_span: Span::default() }
        }
    }
}
