// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mistakes in assertions over states.

use crate::{edited, found, shown};

const BEFORE: &str = "albert p { ";

fn block(body: &str) -> String {
    format!("{BEFORE}{body} }}")
}

/// Returns the diagnostics about a body, with positions counted from its beginning.
fn shown_in(body: &str) -> String {
    let mut found = found(&block(body));
    for one in &mut found {
        one.primary.span.start -= BEFORE.len() as u32;
        one.primary.span.end -= BEFORE.len() as u32;
    }
    shown(&found)
}

#[test]
fn mistakes_in_assertions() {
    for (body, expected) in [
        ("$a /b > 1", "G0132@3-4"),
        ("$a/ b > 1", "G0132@2-3"),
        ("$a /2 > 1 || $a/ 2 > 1 || $a/1.5 > 1 || $a/max($x,3) > 1", "G0132@3-4 G0132@15-16 G0132@28-29 G0132@42-43"),
        ("$a / b > 2", "G0134@5-6"),
        ("∀ x ∈ $a; $x > 1", "G0138@0-3"),
        ("onEvent(A) && forall x in $a; $x > 1", "G0138@14-20"),
        ("(forall x . $x > 1)", "G0138@10-11"),
        ("(forall x in; $x > 1) && Pay", "G0138@12-13 G0134@25-28"),
        ("(forall $x in a; $x > 1)", "G0138@8-9 G0138@14-15"),
        ("(forall x-y in $a; $x > 1)", "G0116@8-11"),
        ("(forall in $a; $x > 1)", "G0138@11-12"),
        ("(exists x in $a: $x > 1) || (exists x in $a $x > 1)", "G0105@15-16 G0101@44-45"),
        ("Pay -> ship(3)[x > 1]", "G0134@0-3 G0134@7-21"),
        ("x > 3 && $y = done", "G0134@0-1 G0134@14-18"),
        (r#"$done && !$done || "Pay" -> 5"#, "G0135@0-5 G0135@10-15 G0135@19-24 G0135@28-29"),
        ("onEvent(A) + 3 > 2 && $x > (onEvent(A) && onEvent(B))", "G0135@0-10 G0135@27-53"),
        ("within(onEvent(a), 3) && ONevent(B) && average($x, 3) > 2", "G0133@0-6 G0133@25-32 G0133@39-46"),
        ("foo(onEvent(a), 3) && Pass(3)", "G0133@0-3 G0133@22-26"),
        ("G(onEvent(A) -> F[0,3] onEvent(B))", "G0105@0-1 G0105@16-17"),
        ("G[0,3] onEvent(B) && F[1,3] onEvent(B) && F[0,3) onEvent(C)", "G0105@0-1 G0105@21-22 G0105@42-43"),
        (
            "X onEvent(A) && Y(onEvent(A)) && P[0,5] onEvent(a) && H[0,5] ($x > 1) && next(3)",
            "G0105@0-1 G0105@16-17 G0105@33-34 G0105@54-55 G0134@73-80",
        ),
        (
            "onEvent(A) U onEvent(B) && onEvent(A) since onEvent(B) && onEvent(A) until[0,3] onEvent(B)",
            "G0105@11-12 G0105@38-43 G0105@69-74",
        ),
        ("count[60](onEvent(X)) < 3 && sum[60](pay.amount) < 3", "G0105@0-5 G0105@29-32"),
        (
            "past($x, onEvent(A), 0) > past($x, onEvent(A), 1.5) && past($x, onEvent(A), $n) = past($x, onEvent(A), -1)",
            "G0131@21-22 G0131@47-50 G0131@76-78 G0131@103-105",
        ),
        ("past($x, onEvent(A)) > 1", "G0136@4-20"),
        (
            "past($x, A, 1) > past($x, $y > 3, 1) && elapsed(A) > elapsed(3)",
            "G0134@9-10 G0135@26-32 G0134@48-49 G0135@61-62",
        ),
        ("Within(onEvent(A), inf) && Within(onEvent(A), $k)", "G0101@19-22 G0101@46-47"),
        ("Within(10, onEvent(A))", "G0135@7-9 G0101@11-18"),
        (
            "Within(onEvent(A)) && Within(onEvent(A), 3, 4) && Until() && onEvent()",
            "G0136@6-18 G0136@28-46 G0136@55-57 G0136@68-70",
        ),
        ("Within(onEvent(A), -3) && count(onEvent(A), 5 sec) > 2", "G0309@19-21 G0404@46-49"),
        ("Within && count > 3 && Always onEvent(A)", "G0136@0-6 G0136@10-15 G0136@23-29"),
        ("1 < $x < 5 && 1 = 2 = 3 = 4", "G0137@7-8 G0137@20-21"),
        ("$x => 3 && $x =< 3 && (onEvent(A) => onEvent(B))", "G0105@3-5 G0105@14-16 G0105@34-36"),
        ("onEvent(A) = onEvent(B) && ~onEvent(C)", "G0105@11-12 G0105@27-28"),
        (
            "not onEvent(A) and onEvent(B) or onEvent(C) implies onEvent(D) iff true",
            "G0105@0-3 G0105@15-18 G0105@30-32 G0105@44-51 G0105@63-66",
        ),
        ("onEvent(A) & onEvent(B) | onEvent(C) <=> true", "G0105@11-12 G0105@24-25 G0105@37-40"),
        (
            "onEvent(A || B) && onEvent(!A) && onEvent($x) && onEvent(_)",
            "G0101@10-12 G0101@27-28 G0101@42-43 G0107@57-58",
        ),
        ("onEvent(pay(ann)) && onEvent(pay[x = y]) && onEvent(start_pay(3, _)[x > 1])", "G0306@12-15 G0108@37-38"),
        ("$ > 1 && $3 = 2", "G0101@2-3 G0101@10-11"),
        ("$x % 2 = 1", "G0101@3-4"),
        ("((onEvent(A))", "G0102@0-1"),
        ("onEvent(A)) && onEvent(B)", "G0102@10-11"),
        ("onEvent(A) onEvent(B)", "G0106@11-18"),
        ("onEvent(A); onEvent(B)", "G0101@10-11"),
        ("onEvent(A) && && onEvent(B)", "G0101@14-16"),
        ("onEvent(A) &&", "G0101@14-15"),
        ("> 3", "G0101@0-1"),
        ("$x >", "G0101@5-6"),
        ("onEvent(A)[x > 3]", "G0101@10-11"),
        ("Within(onEvent(A), 3", "G0102@6-7"),
        ("'x' = $y", "G0110@0-1"),
        ("$x > 5 min && $x > 10sec && 3x > 2", "G0404@7-10 G0404@21-24 G0404@29-30"),
        ("$x > 99999999999999999999999999999999999999999s", "G0403@5-46"),
        ("count(Within(onEvent(a), 3), 3) > 1 && count(onEvent(start_a), 3) > 1", "G0332@6-27"),
        ("count((forall x in $l; $x > 1 || Always(onEvent(a))), 3) > 1", "G0332@6-52"),
        ("(forall x in $l; Within($x > 1, 3)) && (exists x in $l; onEvent(start_A))", "G0333@17-34"),
        ("(forall x in $l; Until(onEvent(A), (exists y in $m; $y > $x)))", "G0333@17-61"),
        ("(forall x in $l; max($x, 3) > past($x/y + 1, onEvent(A), 1))", "G0331@21-23 G0331@35-43"),
        ("{ onEvent(A) }", "G0101@0-1"),
        ("", "G0109@1-2"),
    ] {
        assert_eq!(shown_in(body), expected, "{body}: {:?}", found(&block(body)));
    }
}

#[test]
fn edits_mend_assertions() {
    for (body, expected) in [
        ("$a /b > 1 || $a/ 2 > 3", "$a/b > 1 || $a / 2 > 3"),
        ("forall x in $a; $x > 1", "(forall x in $a; $x > 1)"),
        ("(forall $x in $a; $x > 1)", "(forall x in $a; $x > 1)"),
        ("(exists x in $a: $x > 1) || (exists x in $a $x > 1)", "(exists x in $a; $x > 1) || (exists x in $a; $x > 1)"),
        ("Pay -> ship(3)[x > 1]", "onEvent(Pay) -> onEvent(ship(3)[x > 1])"),
        ("x > 3 && $y = done", "$x > 3 && $y = $done"),
        (r#"$done && !$done || "Pay""#, r#"($done = true) && !($done = true) || onEvent("Pay")"#),
        (
            "within(onEvent(a), 3) && ONevent(B) && average($x, 3) > 2",
            "Within(onEvent(a), 3) && onEvent(B) && avg($x, 3) > 2",
        ),
        ("G(onEvent(A) -> F[0,3] onEvent(B))", "Always(onEvent(A) -> Within(onEvent(B), 3))"),
        ("G[0,3] onEvent(B) && F[0,inf) onEvent(B)", "!Within(!(onEvent(B)), 3) && Eventually(onEvent(B))"),
        ("P[0,5] onEvent(a) && H[0,5] ($x > 1)", "(count(onEvent(a), 5) > 0) && (count(!($x > 1), 5) = 0)"),
        ("onEvent(A) U onEvent(B)", "Until(onEvent(A), onEvent(B))"),
        ("count[60](onEvent(X)) < 3", "count(onEvent(X), 60) < 3"),
        ("past($x, A, 0) > 1", "past($x, onEvent(A), 1) > 1"),
        ("Always onEvent(A) || Becomes ($x > 1)", "Always(onEvent(A)) || Becomes ($x > 1)"),
        ("1 < $x < 5", "1 < $x && $x < 5"),
        ("$x => 3 && (onEvent(A) => onEvent(B))", "$x >= 3 && (onEvent(A) -> onEvent(B))"),
        ("onEvent(A) = onEvent(B) && ~onEvent(C)", "(onEvent(A) <-> onEvent(B)) && !onEvent(C)"),
        (
            "not onEvent(A) and onEvent(B) or onEvent(C) implies onEvent(D) iff true",
            "! onEvent(A) && onEvent(B) || onEvent(C) -> onEvent(D) <-> true",
        ),
        ("onEvent(A) & onEvent(B) | onEvent(C) <=> true", "onEvent(A) && onEvent(B) || onEvent(C) <-> true"),
        ("onEvent(_) && onEvent(pay(ann))", r#"onEvent("_") && onEvent(pay("ann"))"#),
        ("onEvent(A) onEvent(B)", "onEvent(A) && onEvent(B)"),
        ("$x > 5 min", "$x > 5 m"),
    ] {
        assert_eq!(edited(&block(body)), block(expected), "{body}");
        assert_eq!(shown_in(expected), "", "{expected}");
    }
}

#[test]
fn options_are_those_that_all_languages_have() {
    for (options, expected) in [
        ("critical, severity high, simultaneous sequence", ""),
        ("full-window", "G0206@10-21"),
        ("matching any", "G0206@10-18"),
    ] {
        let source = format!("albert p ({options}) {{ onEvent(a) }}");
        assert_eq!(shown(&found(&source)), expected, "{options}");
    }
}

#[test]
fn events_in_terms_and_activities_are_names_of_events() {
    let events = "event Payment\nevent start_Order\nevent end_Order\n";
    for (body, expected) in [
        ("onEvent(Payment) && elapsed(onEvent(start_Payment)) > 1 && onEvent(end_Payment)", ""),
        ("onEvent(start_Order) && past($x, onEvent(end_Order), 1) > 2", ""),
        ("onEvent(Paymnt)", "G0203"),
        ("onEvent(start_Paymnt)", "G0203"),
        ("1 < $x * past(count(onEvent(Paymnt), 3), onEvent(Payment), 1)", "G0203"),
        ("elapsed(onEvent(end_Paymnt)) > 1", "G0203"),
    ] {
        let source = format!("{events}{}", block(body));
        let codes: Vec<&str> = found(&source).iter().map(|found| found.code).collect();
        assert_eq!(codes.join(" "), expected, "{body}");
    }
    let source = format!("{events}{}", block("onEvent(start_Paymnt)"));
    assert_eq!(edited(&source), format!("{events}{}", block("onEvent(start_Payment)")));
}

#[test]
fn parts_about_other_states_move_out_of_a_quantifier_within_a_limit() {
    let quantifier = |parts: u32| {
        let parts: Vec<String> = (0..parts).map(|number| format!("Within(onEvent(A{number}), 1)")).collect();
        format!("(forall x in $l; $x > 1 && {})", parts.join(" && "))
    };
    assert_eq!(shown_in(&quantifier(8)), "");
    let nine = quantifier(9);
    assert_eq!(shown_in(&nine), format!("G0333@0-{}", nine.len()));
}
