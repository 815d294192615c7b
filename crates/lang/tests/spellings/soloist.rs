// SPDX-License-Identifier: MIT OR Apache-2.0
//! SOLOIST: two notations, and what is printed.

use gnomon_ir::formula::{Formula, FormulaKind};
use gnomon_lang::{parse_formula, soloist};

use crate::forget::forget;
use crate::random::{FormulaGenerator, SOLOIST};

/// The formula without its places.
fn bare(source: &str) -> Formula {
    let (formula, diagnostics) = parse_formula(source);
    assert!(diagnostics.is_empty(), "{source}: {diagnostics:?}");
    let mut formula = formula.unwrap_or_else(|| panic!("{source}"));
    forget(&mut formula);
    formula
}

#[test]
fn both_notations_lower_alike() {
    for (paper, ascii) in [
        ("¬a ∧ b ∨ c → d ↔ e", "!a && b || c -> d <-> e"),
        ("a ⇒ b ⇔ c", "a -> b <-> c"),
        ("⊤ ∧ ⊥", "true && false"),
        ("a U_{(0,10)} b", "a U(0,10) b"),
        ("a U_(0,10) b", "a U(0,10)b"),
        ("(¬a)S b", "!a S b"),
        ("a 𝖴_{[2,∞)} b", "a U[2,inf) b"),
        ("G_{[0,5]} a", "G[0,5](a)"),
        ("F_{=5} a", "F=5 a"),
        ("F_{=5s} a", "F=5 s a"),
        ("F=2 𝒟_{<3}^{5}(a, b)", "F[2,2] D^{5}_{<3}{(a, b)}"),
        ("X^{6}(a)", "X^6 a"),
        ("X^6_{(0,3]} a", "X_{(0,3]}^6 a"),
        ("X^0 a", "a"),
        ("𝒞^{600}_{≤3}(a)", "count[600](a) <= 3"),
        ("ℭ_{≤3}^{600}(a)", "C^{600}_{<=3}(a)"),
        ("ℂ^600_≤3(a)", "C^{600}_{<=3}(a)"),
        ("𝔘^{10,5}_{<2}(a)", "avg[10,5](a) < 2"),
        ("𝒰_{<2}^{10,5}(a)", "U^{10,5}_{<2}(a)"),
        ("𝔐^{10,5}_{≥2}(a)", "max[10,5](a) >= 2"),
        ("ℳ^{10m,5s}_{>2.5}(a)", "M^{10 m,5 s}_{>2.5}(a)"),
        ("𝔇^{900}_{≤5}{(a, b)}", "gap[900](a, b) <= 5"),
        ("𝒟^{900}_{=5s}(a, b)", "D^{900}_{==5 s}{(a, b)}"),
        ("a[x ≠ 1 ∧ ¬(y ≥ 2)]", "a[x != 1 && !y >= 2]"),
    ] {
        assert_eq!(bare(paper), bare(ascii), "{paper} | {ascii}");
    }
}

#[test]
fn operators_bind_as_documented() {
    for (short, long) in [
        ("a U b U c", "a U (b U c)"),
        ("a S b U c S d", "a S (b U (c S d))"),
        ("a && b && c", "(a && b) && c"),
        ("a || b && c || d", "(a || (b && c)) || d"),
        ("a -> b -> c", "a -> (b -> c)"),
        ("a <-> b <-> c", "(a <-> b) <-> c"),
        ("!a U b", "(!a) U b"),
        ("G a U b", "(G a) U b"),
        ("G[0,5] !F a && b", "(G[0,5](!(F(a)))) && b"),
        ("a U b && c", "(a U b) && c"),
        ("C^{5}_{<3}(a) U b", "(C^{5}_{<3}(a)) U b"),
        ("count[5](a) < 3 && b", "(count[5](a) < 3) && b"),
        ("count[5](a) < 3 U b", "(count[5](a) < 3) U b"),
        ("a[x = 1 || y = 2 && z = 3]", "a[x = 1 || (y = 2 && z = 3)]"),
    ] {
        assert_eq!(bare(short), bare(long), "{short} | {long}");
    }
}

#[test]
fn what_looks_like_an_operator_may_be_an_event() {
    for source in
        ["\"G\"", "count", "count[amount > 3]", "max(1)", "F=5 s", "F=5 s(1)", "next", "always(1)", "g(\"a\")", "inf"]
    {
        let printed = soloist::print(&bare(source));
        assert_eq!(bare(&printed), bare(source), "{source} | {printed}");
    }
    assert_eq!(
        soloist::print(&bare("\"G\" && \"a b\" && \"x\" && \"next\" && \"🦀\"")),
        "\"G\" && \"a b\" && x && \"next\" && \"🦀\""
    );
    assert!(matches!(bare("F=5 s").kind, FormulaKind::Unary { of, .. } if matches!(of.kind, FormulaKind::Atom(_))));
}

#[test]
fn long_chains_stay_shallow_and_print_back() {
    for count in [2, 16, 17, 100, 5_000] {
        let source = (0..count).map(|index| format!("e{index}")).collect::<Vec<_>>().join(" || ");
        let formula = bare(&source);
        let printed = soloist::print(&formula);
        assert_eq!(bare(&printed), formula, "{count}");
    }
}

#[test]
fn printing_and_parsing_are_inverse() {
    let mut random = FormulaGenerator::new(SOLOIST);
    for case in 0..6_000 {
        let formula = random.formula(case % 7);
        let printed = soloist::print(&formula);
        assert_eq!(bare(&printed), formula, "case {case}: {printed}");
    }
}

#[test]
fn printed_formulae_have_no_needless_parentheses() {
    for source in [
        "G(recvlogoff -> C^{600}_{<=3}(repwithdraw))",
        "X^6 G D^{900}_{<=5}{(start, complete)}",
        "G(replogon -> !replogon S invcheckaccess_complete)",
        "(a -> b) -> c && (d || e) <-> (f <-> g)",
        "(a U b) S[0,5] !(c && d)",
        "pay(_, 3, \"x\")[a/b/0 > 1 && (c = null || !(d = true))]",
        "G(4,inf)(a -> P[2ms,3.5s] b)",
    ] {
        assert_eq!(soloist::print(&bare(source)), source);
    }
}
