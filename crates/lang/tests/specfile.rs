// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spec files, read into their parts.

use gnomon_core::number::Number;
use gnomon_core::time::{Quantity, Unit};
use gnomon_core::value::{Comparison, Value};
use gnomon_core::verdict::{Simultaneous, Verdict};
use gnomon_ir::atom::{Condition, Path};
use gnomon_ir::formula::{Formula, FormulaKind};
use gnomon_ir::spec::{
    Body, ExampleArguments, ExampleTrace, LogKind, Participant, PropertySeverity, Spec, UnmatchedLine,
};
use gnomon_lang::parse;

fn read(source: &str) -> Spec {
    let (spec, diagnostics) = parse(source);
    assert!(diagnostics.is_empty(), "{source}: {diagnostics:?}");
    spec
}

fn path(field: &str) -> Path {
    Path { field: field.to_owned(), steps: vec![] }
}

fn number(value: i64) -> Value<'static> {
    Value::Number(Number::Int(value))
}

#[test]
fn the_time_may_have_a_field_a_unit_or_both() {
    for (source, field, unit) in [
        ("", None, None),
        ("time Timestamp in s", Some("Timestamp"), Some(Unit::Second)),
        ("time \"time:stamp\" in ms", Some("time:stamp"), Some(Unit::Millisecond)),
        ("time concept:time", Some("concept:time"), None),
        ("time in D", None, Some(Unit::Day)),
        ("time \"in\" in h # comment", Some("in"), Some(Unit::Hour)),
    ] {
        let time = read(source).time;
        assert_eq!((time.field.as_deref(), time.unit), (field, unit), "{source}");
    }
}

#[test]
fn a_text_log_has_a_pattern() {
    let log = |source: &str| read(source).log.expect("it is declared");
    let plain = log("log text \"{time} {event}\"\nsoloist a { x }");
    assert_eq!((plain.kind, plain.pattern.as_deref()), (LogKind::Text, Some("{time} {event}")));
    assert_eq!(plain.unmatched, UnmatchedLine::Skip);
    let regex = log("log regex \"(?<event>\\\\w+)\" (unmatched error)");
    assert_eq!((regex.kind, regex.pattern.as_deref()), (LogKind::Regex, Some("(?<event>\\w+)")));
    assert_eq!(regex.unmatched, UnmatchedLine::Error);
    // An event may be called so.
    assert_eq!(read("soloist a {\n  x &&\n  log S y\n}").properties.len(), 1);
}

#[test]
fn simultaneous_events_are_a_choice_of_the_file_or_the_property() {
    let spec = read("soloist a { x }\nsimultaneous sequence\nsoloist b (simultaneous merge) { x }");
    assert_eq!(spec.simultaneous(&spec.properties[0]), Simultaneous::Sequence);
    assert_eq!(spec.simultaneous(&spec.properties[1]), Simultaneous::Merge);
    assert_eq!(read("").simultaneous, None);
}

#[test]
fn events_stand_for_events_of_the_trace() {
    let spec = read(
        r#"event start = call[EventType = "start"]
        event create(c, i) = "Map.create"[map as c, iter/0 as i, size > 3, size < 9] | iterator[coll as c, it as i]
        event next(i)
        event idle
        event pay(user) = payment[uid as user] from client to $bank"#,
    );
    let [start, create, next, idle, pay] = spec.events.as_slice() else { panic!("{spec:?}") };
    assert_eq!((start.name.as_str(), &start.parameters), ("start", &None));
    let is_start = Condition::Compare(path("EventType"), Comparison::Equal, Value::Text("start".into()));
    assert_eq!(start.alternatives[0].condition, Some(is_start));

    assert_eq!(create.parameters, Some(vec!["c".to_owned(), "i".to_owned()]));
    assert_eq!(create.alternatives.len(), 2);
    let first = &create.alternatives[0];
    let iter = Path { field: "iter".to_owned(), steps: vec!["0".to_owned()] };
    assert_eq!(first.event, "Map.create");
    assert_eq!(first.renames, [(path("map"), "c".to_owned()), (iter, "i".to_owned())]);
    let above = Condition::Compare(path("size"), Comparison::Greater, number(3));
    let below = Condition::Compare(path("size"), Comparison::Less, number(9));
    assert_eq!(first.condition, Condition::all([above, below]));

    assert_eq!((next.alternatives[0].event.as_str(), next.alternatives[0].renames.len()), ("next", 0));
    assert_eq!((idle.alternatives[0].event.as_str(), &idle.parameters), ("idle", &None));
    let (from, to) = pay.participants.clone().expect("participants are written");
    assert_eq!((from, to), (Participant::Named("client".to_owned()), Participant::Field("bank".to_owned())));
}

#[test]
fn properties_have_names_titles_and_options() {
    let source = "soloist late-reply \"Replies { in time\" (critical, severity medium) { a } soloist \"odd name\" { \"}\" && b }";
    let spec = read(source);
    let [late, odd] = spec.properties.as_slice() else { panic!("{spec:?}") };
    assert_eq!((late.name.as_str(), late.title.as_deref()), ("late-reply", Some("Replies { in time")));
    assert!(late.options.critical);
    assert_eq!(late.options.severity, Some(PropertySeverity::Medium));
    assert_eq!(late.body_span.text(source), " a ");
    assert_eq!((odd.name.as_str(), odd.options.severity), ("odd name", None));
    assert_eq!(odd.body_span.text(source), " \"}\" && b ");
}

fn full_windows(formula: &Formula, into: &mut Vec<bool>) {
    if let FormulaKind::Aggregate { full_window, .. } = &formula.kind {
        into.push(*full_window);
    }
    formula.children().into_iter().for_each(|child| full_windows(child, into));
}

#[test]
fn full_window_is_for_every_aggregate_of_its_property() {
    let spec =
        read("soloist a (full-window) { C^{5}_{<3}(max[5,1](x) < 2) && gap[3](y, z) > 1 } soloist b { C^{5}_{<3}(x) }");
    for (property, expected) in spec.properties.iter().zip([vec![true; 3], vec![false]]) {
        let Body::Formula(formula) = &property.body else { panic!("a formula") };
        let mut found = Vec::new();
        full_windows(formula, &mut found);
        assert_eq!(found, expected);
    }
}

#[test]
fn examples_are_events_or_files() {
    let spec = read(
        r#"soloist p { a }
        accepts p { start@3. complete@9.5s. create(1, "x", true). pay(user: "ann", "odd name": null, ok:false, n:-5)@12 . }
        "#,
    );
    let ExampleTrace::Events(events) = &spec.examples[0].trace else { panic!("{spec:?}") };
    assert_eq!(spec.examples[0].verdict, Verdict::Holds);
    let times: Vec<Option<Quantity>> = events.iter().map(|event| event.time).collect();
    let half = Quantity { billionths: 9_500_000_000, unit: Some(Unit::Second) };
    assert_eq!(times, [Some(Quantity::whole(3)), Some(half), None, Some(Quantity::whole(12))]);
    assert_eq!(events[0].arguments, ExampleArguments::Positional(vec![]));
    let values = vec![number(1), Value::Text("x".into()), Value::Bool(true)];
    assert_eq!(events[2].arguments, ExampleArguments::Positional(values));
    let named =
        [("user", Value::Text("ann".into())), ("odd name", Value::Null), ("ok", Value::Bool(false)), ("n", number(-5))];
    let named = named.into_iter().map(|(field, value)| (field.to_owned(), value)).collect();
    assert_eq!(events[3].arguments, ExampleArguments::Named(named));

    let spec = read("rejects p { }\nexpect p inconclusive on \"a b.xml\"\nsoloist p { a }");
    assert_eq!(spec.examples[0].verdict, Verdict::Violated);
    assert_eq!(spec.examples[1].verdict, Verdict::Inconclusive);
    assert_eq!(spec.examples[1].trace, ExampleTrace::File("a b.xml".to_owned()));
}

#[test]
fn comments_end_with_their_line_and_do_not_begin_in_texts() {
    let spec = read("soloist p { a // G(\n && \"# b\" # }\n }");
    assert_eq!(spec.properties.len(), 1);
}

#[test]
fn spans_leave_out_the_parentheses_around_a_formula() {
    let source = "soloist p { G(((a) -> (C^{5}_{<3}(b)))) }";
    let spec = read(source);
    let Body::Formula(formula) = &spec.properties[0].body else { panic!("a formula") };
    let [body] = formula.children()[..] else { panic!("{formula:?}") };
    assert_eq!(body.span.text(source), "(a) -> (C^{5}_{<3}(b))");
    assert_eq!(body.children()[1].span.text(source), "C^{5}_{<3}(b)");
}

#[test]
fn an_operator_after_a_distance_is_no_unit() {
    for text in ["mtl a { F=5 H p }", "soloist a { F=5 H p }", "time t in s mtl a { F=5 s p }"] {
        let (_, diagnostics) = gnomon_lang::parse(text);
        assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    }
}

#[test]
fn conditions_compare_the_time() {
    let text = "event late = a[@hour >= 22 || @weekday = \"Sat\" && !(@time < 5)] | b[\"@hour\" = 1 && @id = 2]\n";
    let (spec, diagnostics) = parse(text);
    assert_eq!(diagnostics, []);
    assert_eq!(gnomon_lang::print_declarations(&spec), text);
    for condition in ["@hour = 1.5", "@hour = \"x\"", "@weekday = \"Mo\"", "@time = \"noon\"", "@time = true", "@hour"]
    {
        let codes: Vec<&str> = parse(&format!("event late = a[{condition}]\n")).1.iter().map(|one| one.code).collect();
        assert_eq!(codes, ["G0101"], "{condition}");
    }
}

#[test]
fn the_ends_of_cases_are_declared_and_printed() {
    let text = "case ends with logout[kind != \"soft\"]\ncase ends with \"log off\"(_, 3)\ncase expires after 30m\n";
    let (spec, diagnostics) = parse(text);
    assert_eq!(diagnostics, []);
    assert_eq!(gnomon_lang::print_declarations(&spec), text);
    // `case` is an event elsewhere.
    let (spec, diagnostics) = parse("mtl m {\n  G(open -> F\n    case)\n}\ncase expires after 5\n");
    assert_eq!((diagnostics, spec.properties.len(), spec.cases.expiry.is_some()), (vec![], 1, true));
}

#[test]
fn faulty_ends_of_cases_are_reported() {
    let codes = |text: &str| parse(text).1.iter().map(|one| one.code).collect::<Vec<_>>();
    assert_eq!(codes("case expires after 0s\n"), ["G0714"]);
    assert_eq!(codes("case expires after 1s\ncase expires after 2s\n"), ["G0208"]);
    assert_eq!(codes("case ends with logout(x)\n"), ["G0306"]);
    assert_eq!(codes("case ends logout\n").len(), 1);
    assert_eq!(codes("case closes\n").len(), 1);
}
