// SPDX-License-Identifier: MIT OR Apache-2.0
//! Variables and wildcards: the translations say the same of every value.

use gnomon_core::number::Number;
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::{End, Verdict};
use gnomon_ir::spec::{Body, Language, Property, Spec};
use gnomon_oracle::{OracleEvent, Trace};

const PATTERNS: &[&str] = &[
    "for every t: before done: pop(t) responds to push(t)",
    "for every t: between push(t) and done: pop(t) precedes mark(t)",
    "before done: pop(*) responds to push(_)",
    "for every t, u: after push(t): absence of pop(u)",
    "for every t: between last push(t) and done: existence of pop(t)",
    "for every t: globally: at least 0 pop(t)",
    "for every t: until done: exactly 1 pop(t)",
    "globally: universality of pop(1)",
    "for every t: after last push(t) until done: pop(t) precedes mark(t), pop(t) required",
    "globally: only push(_), pop(1)",
];

fn parsed(text: &str) -> (Spec, Property) {
    let (spec, diagnostics) = gnomon_lang::parse(text);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    let property = spec.properties[0].clone();
    (spec, property)
}

/// All traces of up to three of these events, and some longer ones.
fn traces() -> Vec<Trace> {
    let letters =
        [("push", Some(1)), ("push", Some(2)), ("pop", Some(1)), ("pop", Some(2)), ("mark", Some(1)), ("done", None)];
    let event = |(name, value): (&str, Option<i64>), time: usize| {
        let fields = value.map(|value| ("v".to_owned(), Some(Value::Number(Number::Int(value)))));
        OracleEvent {
            fields: fields.into_iter().collect(),
            ..OracleEvent::new(name, Timestamp::from_ticks(time as i128))
        }
    };
    let mut traces = vec![Trace::default()];
    for length in 1..=4_u32 {
        for number in 0..letters.len().pow(length) {
            let mut rest = number;
            let mut events = Vec::new();
            for time in 0..length as usize {
                events.push(event(letters[rest % letters.len()], time));
                rest /= letters.len();
            }
            traces.push(Trace::new(events));
        }
    }
    traces
}

fn verdict(spec: &Spec, property: &Property, trace: &Trace) -> Verdict {
    let (core, diagnostics) = gnomon_ir::check::check(spec, property);
    let core = core.unwrap_or_else(|| panic!("{diagnostics:?}"));
    gnomon_oracle::judge(&core, trace, End::Complete, 10).verdict
}

#[test]
fn formulae_with_variables_say_what_the_pattern_says() {
    let traces = traces();
    for body in PATTERNS {
        let (spec, property) = parsed(&format!("pattern x {{ {body} }}"));
        let formula = gnomon_artefact::mtl(&spec, &property).expect("it has a form");
        let text = gnomon_lang::mtl::print(&formula);
        let (_, read) = parsed(&text);
        assert_eq!(gnomon_lang::mtl::print(&read), text);
        let modal = gnomon_artefact::mu(&spec, &property).ok().and_then(|written| {
            let modal = Body::Modal(written.modal?);
            let property = Property { language: Language::Mu, prefix: vec![], body: modal, ..property.clone() };
            let (_, read) = parsed(&format!("mu x {{ {} }}", written.text));
            assert_eq!(gnomon_lang::mu::print(&read), gnomon_lang::mu::print(&property));
            Some(property)
        });
        for trace in &traces {
            let expected = verdict(&spec, &property, trace);
            assert_eq!(verdict(&spec, &formula, trace), expected, "{body}: {text} {trace:?}");
            if let Some(modal) = &modal {
                assert_eq!(verdict(&spec, modal, trace), expected, "{body}: {trace:?}");
            }
        }
    }
}

#[test]
fn the_case_of_the_dispatcher_is_written_as_in_its_paper() {
    let (spec, property) = parsed("pattern x { before sendTask: popTask responds to pushTask }");
    let written = gnomon_artefact::mu(&spec, &property).expect("it has a form");
    assert_eq!(written.text, "[(!sendTask)* . pushTask . (!(popTask || sendTask))* . sendTask] false");
    let (spec, property) =
        parsed("pattern x { before sendTask(\"OK\", 0): popTask(*) responds to pushTask(*, false) }");
    let written = gnomon_artefact::mu(&spec, &property).expect("it has a form");
    assert!(
        written.text.starts_with("forall x:Data. forall x1:Data. [(!sendTask(\"OK\", 0))* . pushTask("),
        "{}",
        written.text
    );
}

#[test]
fn a_pattern_sees_every_event_even_where_others_merge() {
    let (spec, property) = parsed("simultaneous merge\npattern x { globally: b responds to a }");
    let formula = gnomon_artefact::mtl(&spec, &property).expect("it has a form");
    assert_eq!(gnomon_lang::mtl::print(&formula), "mtl x (simultaneous sequence) { G(a -> X F b) }\n");
}

#[test]
fn what_is_too_large_is_refused() {
    for body in ["at most 1000000000000 p", "exactly 60 p"] {
        let (spec, property) = parsed(&format!("pattern x {{ globally: {body} }}"));
        assert!(gnomon_artefact::mtl(&spec, &property).expect_err("it is too large").reason.contains("large"));
        assert!(gnomon_artefact::mu(&spec, &property).expect_err("it is too large").reason.contains("large"));
    }
    let (spec, property) = parsed("pattern x { globally: a, b respond to c within 10s }");
    let refusal = gnomon_artefact::mtl(&spec, &property).expect_err("distances do not add up");
    assert!(refusal.reason.contains("several responses"), "{refusal}");
}
