// SPDX-License-Identifier: MIT OR Apache-2.0
//! Unknown functions and units, names that need quotes, missing quantifiers: one error each, with the text to write.

use super::{edited, found, shown};

/// Returns the message of the only error.
fn message(source: &str) -> String {
    let all = found(source);
    assert_eq!(all.len(), 1, "{source}: {}", shown(&all));
    all[0].message.clone()
}

#[test]
fn functions_that_do_not_exist_are_named() {
    for (body, expected) in [
        ("mtl p { G(median(a) > 3) }", "unknown function `median`"),
        ("mtl p { G(a -> median[10m](b) >= 3 && c) }", "unknown function `median`"),
        ("soloist p { G(median(a) > 3) }", "unknown function `median`"),
        ("mtl p { G(a -> onEvnt(b)) }", "unknown function `onEvnt`"),
        ("albert p { onEvnt(a) }", "unknown function `onEvnt`; did you mean `onEvent`?"),
        ("albert p { median(5) > 3 }", "unknown function `median`"),
        ("albert p { median($x, 5) > 3 }", "unknown function `median`"),
    ] {
        assert_eq!(message(body), expected, "{body}");
    }
    assert_eq!(edited("albert p { onEvnt(a) }"), "albert p { onEvent(a) }");
    assert_eq!(edited("mtl p { G(cout(3) > 3) }"), "mtl p { G(count(3) > 3) }");
    // Events with parameters are events.
    assert_eq!(shown(&found("mtl p { forall x. G(median(x) -> F reply(x)) }")), "");
    assert_eq!(shown(&found("mtl p { G(median(3) U b) }")), "");
}

#[test]
fn units_that_do_not_exist_are_named() {
    for body in [
        "mtl p { G(a -> F[0,3 parsecs] b) }",
        "mtl p { G(a -> F[0,3parsecs] b) }",
        "mtl p { G(a -> F[3 parsecs,10] b) }",
        "albert p { Within(onEvent(a), 3 parsecs) }",
        "time in parsecs",
    ] {
        assert_eq!(message(body), "unknown unit `parsecs`", "{body}");
        assert!(found(body)[0].primary.text.contains("ns us ms s m h D"), "{body}");
    }
    assert_eq!(shown(&found("mtl p { G(a -> F=3 b) && F[0,inf) a }")), "");
}

#[test]
fn names_with_unusual_characters_are_put_in_quotes() {
    assert_eq!(edited("time @timestamp in ms\n"), "time \"@timestamp\" in ms\n");
    assert_eq!(message("time @timestamp in ms\nmtl p { G a }\n"), "the field `@timestamp` is not in quotes");
    assert_eq!(message("soloist 3p { G a }\n"), "the name `3p` begins with a digit");
    assert_eq!(edited("soloist 3p { G a }\n"), "soloist \"3p\" { G a }\n");
    assert_eq!(edited("soloist 2-phase.commit { G a }\n"), "soloist \"2-phase.commit\" { G a }\n");
    assert_eq!(shown(&found("time \"@timestamp\" in ms\nsoloist \"3p\" { G a }\n")), "");
}

#[test]
fn a_missing_quantifier_is_one_error() {
    assert_eq!(message("mtl p { G(a(x) -> F b(x)) }"), "`x` is neither quantified nor a literal");
    let all = found("mtl p { G(a(x, y) -> F b(x)) }");
    assert_eq!(shown(&all), "G0306@12-13");
    assert_eq!(all[0].secondary.len(), 2);
    assert!(all[0].help.as_ref().is_some_and(|help| help.text.contains("forall x, y.")), "{:?}", all[0].help);
    // A single word may be a text.
    assert_eq!(edited("mtl p { G !pay(ann) }"), "mtl p { G !pay(\"ann\") }");
}

#[test]
fn a_percentage_above_a_hundred_is_refused() {
    assert_eq!(message("mtl p { forall >= 150% x. G a(x) }"), "`150%` is more than all values");
    assert_eq!(message("mtl p { forall > 100.5 % x. G a(x) }"), "`100.5 %` is more than all values");
    assert_eq!(shown(&found("mtl p { forall >= 100% x. G a(x) }")), "");
    assert_eq!(shown(&found("mtl p { exists >= 150 x. G a(x) }")), "");
}

#[test]
fn parts_of_statements_are_explained() {
    for (source, expected) in [
        ("zone \"Europe/Berlin\"", "time zone \"Europe/Berlin\""),
        ("columns \"time, event\"", "log csv \"time, event, user\""),
        ("unit \"s\"", "time in s"),
    ] {
        let all = found(source);
        let help = all[0].help.as_ref().map(|help| help.text.clone()).unwrap_or_default();
        assert!(all[0].code == "G0111" && help.contains(expected), "{source}: {help}");
    }
}

#[test]
fn variables_in_conditions_are_answered_with_a_declaration() {
    for body in ["open[id = i]", "open[id as i]"] {
        let all = found(&format!("mtl p {{ forall i. G({body} -> F close(i)) }}"));
        let help = all[0].help.as_ref().map(|help| help.text.clone()).unwrap_or_default();
        assert_eq!((all.len(), all[0].code), (1, "G0108"), "{}", shown(&all));
        assert!(help.contains("`event pay(i) = pay[id as i]`"), "{help}");
    }
}
