// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties without an LTL form, or with one that is too large, are rejected quickly.

use gnomon_core::verdict::End;
use gnomon_ir::ltl::{GrowthCause, Limits, LtlFormula, LtlRefusal, RefusalReason, print, translate};
use gnomon_lang::parse;
use gnomon_oracle::{Truth, truth};
use gnomon_test::case::Case;
use gnomon_test::ltl::{TimedWord, holds};
use gnomon_test::notation;

fn translated(source: &str, limits: Limits) -> Result<LtlFormula, (String, RefusalReason)> {
    let (spec, found) = parse(source);
    assert_eq!(found, [], "{source}");
    let blame = |LtlRefusal { span, reason }: LtlRefusal| (span.text(source).to_owned(), reason);
    translate(&spec, &spec.properties[0], limits).map_err(blame)
}

fn text(formula: &str) -> String {
    let ltl = translated(&format!("soloist p {{ {formula} }}"), Limits::written(10_000)).expect(formula);
    print(&ltl, &|atom| atom.name.clone())
}

fn refused(formula: &str) -> (String, RefusalReason) {
    translated(&format!("soloist p {{ {formula} }}"), Limits::written(10_000)).expect_err(formula)
}

#[test]
fn formulae_are_written_like_this() {
    for (formula, ltl) in [
        ("a", "!e U (e && a)"),
        ("G(a -> F b)", "!e U (e && !X !G (e -> (a -> X F (e && b))))"),
        ("F(0,3) a", "!e U (e && X (e && a || X (e && a)))"),
        ("a U[2,3] b", "!e U (e && X ((e -> a) && X (e && b || (e -> a) && X (e && b))))"),
        ("a U b", "!e U (e && X ((e -> a) U (e && b)))"),
        ("a S(1,inf) b", "!e U (e && Y ((e -> a) && Y ((e -> a) S (e && b))))"),
        ("X a", "!e U (e && X (!e U (e && a)))"),
        ("H a", "!e U (e && !Y !H (e -> a))"),
        ("P a", "!e U (e && Y O (e && a))"),
        ("C^{3}_{>1}(a)", "!e U (e && (e && a && Y (e && a || Y (e && a)) || Y (e && a && Y (e && a))))"),
        ("F(0,1) a", "false"),
        ("\"G\" && \"e\"", "!e U (e && \"G\" && \"e\")"),
    ] {
        assert_eq!(text(formula), ltl, "{formula}");
    }
}

#[test]
fn what_is_too_large_is_named() {
    let large = |modality, cause, inner| RefusalReason::TooLarge { modality, cause, inner };
    assert_eq!(
        refused("G(a -> C^{600}_{<=3}(b))"),
        ("C^{600}_{<=3}(b)".to_owned(), large("C", GrowthCause::Choice { take: 4, of: 600, steps: 1 }, 1))
    );
    assert_eq!(refused("D^{900}_{<=5}{(a, b)}").1, large("D", GrowthCause::Pairing { instants: 900 }, 2));
    assert_eq!(refused("M^{60,30}_{<9}(a)").1, large("M", GrowthCause::Choice { take: 9, of: 30, steps: 2 }, 1));
    let walk = |instants| GrowthCause::Walk { instants };
    assert_eq!(refused("F[0,100000] a").1, large("F", walk(100_000), 1));
    assert_eq!(refused("G(a U[0,9] F[0,30] F[0,90] b)").0, "F[0,30] F[0,90] b");
}

#[test]
fn enormous_constants_are_refused_at_once() {
    for formula in [
        "F[0,9000000000000] a",
        "G[9000000000000,inf) a",
        "a S=9000000000000 b",
        "C^{9000000000000}_{>1}(a)",
        "C^{9000000000000}_{>8000000000000}(a)",
        "M^{9000000000000,3000}_{>1}(a)",
        "M^{9000000000000,1}_{<1}(a)",
        "U^{9000000000000,9}_{<1}(a)",
        "D^{9000000000000}_{<1}{(a, b)}",
        "X^1000 X^1000 X^1000 X^1000 a",
        "a <-> (b <-> (a <-> (b <-> (a <-> (b <-> (a <-> (b <-> (a <-> (b <-> (a <-> (b <-> (a <-> b))))))))))))",
    ] {
        refused(formula);
    }
    // Nothing to write down, whatever the constants.
    assert_eq!(text("C^{9000000000000}_{>5}(false)"), "false");
    assert_eq!(text("D^{9000000000000}_{<1}{(a, false)}"), "false");
    assert_eq!(text("M^{9000000000000,1}_{>1}(a)"), "false");
}

#[test]
fn constants_are_whole_numbers_of_a_known_unit() {
    let (blamed, reason) = refused("F[0,2.5] a");
    assert_eq!(blamed, "[0,2.5]");
    assert!(matches!(reason, RefusalReason::NotWhole { unit: None, .. }), "{reason:?}");
    assert!(matches!(refused("F[0,2s] a").1, RefusalReason::UnknownUnit { .. }));
    let limits = Limits::written(10_000);
    let in_minutes = |formula: &str| translated(&format!("time t in m\nsoloist p {{ {formula} }}"), limits);
    assert!(matches!(in_minutes("C^{90s}_{>1}(a)").unwrap_err().1, RefusalReason::NotWhole { unit: Some(_), .. }));
    assert_eq!(in_minutes("C^{120s}_{>1}(a)").unwrap().nodes, in_minutes("C^{2}_{>1}(a)").unwrap().nodes);
    // A mean need not be whole.
    assert!(in_minutes("D^{3}_{>90s}{(a, b)}").is_ok());
}

#[test]
fn simultaneous_positions_share_no_instant() {
    let source = "soloist p (simultaneous sequence) { a }";
    assert_eq!(translated(source, Limits::written(10)).unwrap_err(), ("p".to_owned(), RefusalReason::Sequence));
}

/// In memory the first property of the published benchmarks is small, although nobody could write it out.
#[test]
fn a_window_of_ten_minutes_can_be_evaluated() {
    let source = "soloist p { G(off -> C^{600}_{<=3}(w)) }";
    let limits = Limits { shared: 20_000, written: u64::MAX };
    let ltl = translated(source, limits).expect("it is small in memory");
    assert!(ltl.written > 1_000_000_000, "{}", ltl.written);
    for (trace, expected) in [("z@0 w@1 w@100 w@300 w@599 off@601", true), ("z@0 w@1 w@100 w@300 w@599 off@600", false)]
    {
        let (spec, _) = parse(source);
        let events = notation::parse(trace, gnomon_core::time::Clock::default()).unwrap();
        let case = Case { spec, events };
        let core = case.formula_core().unwrap();
        assert_eq!(truth(&core, &case.trace(), core.formula, 0, End::Complete), Truth::from(expected));
        let word = TimedWord::of(&case, &ltl.propositions, 1_000).unwrap();
        assert_eq!(holds(&ltl, &word), expected, "{trace}");
    }
}
