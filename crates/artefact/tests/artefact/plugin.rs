// SPDX-License-Identifier: MIT OR Apache-2.0
//! Logic plug-ins as formulae and automata: their text, and the reasons why there is none. `crates/test/tests/translations.rs` compares verdicts.

fn parsed(source: &str) -> gnomon_ir::Spec {
    let (spec, diagnostics) = gnomon_lang::parse(source);
    assert!(diagnostics.is_empty(), "{source}\n{diagnostics:?}");
    spec
}

fn formula(source: &str) -> Result<String, String> {
    let spec = parsed(source);
    let translated = gnomon_artefact::mtl(&spec, &spec.properties[0]).map_err(|refusal| refusal.reason)?;
    let text = gnomon_lang::mtl::print(&translated);
    Ok(text.trim().trim_start_matches("mtl p { ").trim_end_matches(" }").to_owned())
}

fn automaton(source: &str) -> Result<String, String> {
    let spec = parsed(source);
    let translated = gnomon_artefact::qea(&spec, &spec.properties[0]).map_err(|refusal| refusal.reason)?;
    let text = gnomon_lang::qea::print(&translated);
    Ok(text.lines().map(str::trim).collect::<Vec<&str>>().join(" "))
}

#[test]
fn formulae_of_plug_ins_skip_events_outside_the_slice() {
    for (sections, expected) in [
        (
            "parameters i events hasnext(i), next(i) ltl: [] (next => (*) hasnext)",
            "forall i. G(next(i) -> Y(!(hasnext(i) || next(i)) S hasnext(i)))",
        ),
        ("parameters i events a(i), b(i) ptltl: b => <*> a", "forall i. G(b(i) -> P a(i))"),
        ("events a(), b() ltl: a and [] !b", "G(a() || b() -> !Y P(a() || b()) -> a()) && G(a() || b() -> !b())"),
        (
            "parameters i events a(i), b(i), c(i) ltl: [] (a => (b W c))",
            "forall i. G(a(i) || b(i) || c(i) -> (a(i) || b(i) || c(i) -> !c(i)) S (a(i) && !c(i)) -> b(i))",
        ),
        (
            "parameters i events a(i), b(i) creation a ptltl: [*] a",
            "forall i. G((a(i) || b(i)) && P a(i) -> !P((a(i) || b(i)) && P a(i) && !a(i)))",
        ),
        (
            "parameters f events open(f), close(f), endProgram ltl: [] (open => o close)",
            "forall f. G(open(f) || close(f) -> Y(!(open(f) || close(f)) S open(f)) -> close(f)) && G(!X true -> !(!(open(f) || close(f)) S open(f)))",
        ),
        (
            "parameters x, y events a(x), b(y) full-binding ptltl: false",
            "forall x, y. G !((a(x) || b(y)) && (P a(x) && P b(y)))",
        ),
    ] {
        assert_eq!(formula(&format!("mop p {{ {sections} }}")).as_deref(), Ok(expected), "{sections}");
    }
}

#[test]
fn automata_of_plug_ins_accept_slices_without_a_violation() {
    for (sections, expected) in [
        (
            "parameters c, i events create(c, i), modify(c), next(i) ere: create modify next",
            "qea p { Forall(c, i) accept skip(start) { create(c, i) -> s1 modify(c) -> s2 next(i) -> s2 } accept skip(s1) { \
             create(c, i) -> s2 modify(c) -> s3 next(i) -> s2 } accept skip(s2) { } accept skip(s3) { create(c, i) -> s2 modify(c) -> s2 \
             next(i) -> violated } }",
        ),
        (
            "parameters f events open(f), close(f), endProgram fsm: shut [ open -> opened, endProgram -> shut ] opened [ close -> shut ]",
            "qea p { Forall(f) accept skip(start) { open(f) -> s1 close(f) -> violated } skip(s1) { open(f) -> violated close(f) -> start } }",
        ),
        (
            "parameters f events open(f), close(f), close(f, _) ptltl: close => (*) open",
            "qea p { Forall(f) accept skip(start) { open(f) -> s1 close(f) -> violated close(f, _) -> violated } accept skip(s1) { \
             close(f) -> start close(f, _) -> start } }",
        ),
    ] {
        assert_eq!(automaton(&format!("mop p {{ {sections} }}")).as_deref(), Ok(expected), "{sections}");
    }
}

#[test]
fn plug_ins_that_mean_something_else_are_refused() {
    let partial = "leaves a parameter open";
    for (sections, of_formula, of_automaton) in [
        ("parameters x, y events a(x), b(y) ptltl: a", partial, partial),
        ("parameters x events a(x) cfg: S -> a S | epsilon", "no finite automaton", "no finite automaton"),
        ("parameters x events a(x), a(_, x), b(x) ere: a b", "`ere` is not a formula", ""),
        ("parameters x events a(x), b(x) fsm: s [ a -> s ]", "`fsm` is not a formula", ""),
        (
            "parameters x events a(x) ltl: <> a",
            "no sequence of events violates it",
            "no sequence of events violates it",
        ),
        // One event is enough: a second one follows in every infinite word.
        ("parameters x events a(x), b(x) ltl: [] ~(*) false", "no formula of the past", ""),
        ("parameters x events a(x), b(x) ltl: [] <*> o a", "an operator of the past", ""),
        ("parameters x events a(x), b(x) ltl: [] (o a or o b => o a)", "both sides", ""),
        ("events a, b() ere: a b", "`ere` is not a formula", "any parameters"),
        ("events a(), endProgram ptltl: !endProgram", "", "without an event before"),
    ] {
        let source = format!("mop p {{ {sections} }}");
        for (translated, reason) in [(formula(&source), of_formula), (automaton(&source), of_automaton)] {
            match translated {
                Ok(_) => assert_eq!(reason, "", "{sections}"),
                Err(refused) => assert!(!reason.is_empty() && refused.contains(reason), "{sections}: {refused}"),
            }
        }
    }
    let declared = "event a(x) = e[v as x] event b(x) = e[v as x]\nmop p { parameters x events a(x), b(x) ere: a b }";
    assert!(automaton(declared).expect_err("an event is both").contains("several of its events"));
}
