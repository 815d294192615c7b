// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the published mapping is wrong, each with a trace that shows it, and where it is right.
//! `docs/languages/ltl.md` lists the same.

use gnomon_core::time::Clock;
use gnomon_core::verdict::End;
use gnomon_ir::ltl::translate;
use gnomon_lang::parse;
use gnomon_oracle::{OracleEvent, Truth, truth};
use gnomon_test::case::{Case, at};
use gnomon_test::ltl::{TimedWord, holds, holds_at};
use gnomon_test::notation;

use crate::published::{ArgumentOrder, rho};

/// A property of this text on a trace.
fn case(property: &str, trace: &str) -> Case {
    let (spec, found) = parse(property);
    assert_eq!(found, [], "{property}");
    Case { spec, events: notation::parse(trace, Clock::default()).expect("the trace is well written") }
}

/// The oracle's word on a position, and the published mapping's on its instant.
fn judged(case: &Case, position: usize, order: ArgumentOrder) -> (bool, bool) {
    let core = case.formula_core().expect("it passes the checker");
    let meant = truth(&core, &case.trace(), core.formula, position, End::Complete) == Truth::True;
    let published = rho(case.formula(), order);
    let word = TimedWord::of(case, &published.propositions, 100).expect("times are small");
    let instant = word.marker.iter().enumerate().filter(|(_, is_position)| **is_position).nth(position);
    (meant, holds_at(&published, &word, instant.expect("it is there").0))
}

/// At the last position the property is as described, and the published mapping says the opposite.
fn contradicts(formula: &str, trace: &str, meant: bool, order: ArgumentOrder) {
    let case = case(&format!("soloist p {{ {formula} }}"), trace);
    let last = case.trace().positions(case.spec.simultaneous(case.property())).len() - 1;
    assert_eq!(judged(&case, last, order), (meant, !meant), "{formula} on {trace}");
}

/// Asserts that the published mapping is wrong at the first position and the corrected one right.
fn contradicts_at_first(property: &str, trace: &str, meant: bool) {
    let case = case(property, trace);
    assert_eq!(judged(&case, 0, ArgumentOrder::Printed), (meant, !meant), "{property} on {trace}");
    let ltl = translate(&case.spec, case.property(), crate::LIMITS).expect("it is small");
    let word = TimedWord::of(&case, &ltl.propositions, 100).expect("times are small");
    assert_eq!(holds(&ltl, &word), meant, "{property} on {trace}");
}

fn formula_contradicts(formula: &str, trace: &str, meant: bool) {
    contradicts_at_first(&format!("soloist p {{ {formula} }}"), trace, meant);
}

#[test]
fn always_asks_for_a_position_at_every_instant() {
    formula_contradicts("G(0,3) a", "z@0 a@2", true);
    // The end of the trace as well.
    formula_contradicts("G(0,3) a", "z@0 a@1", true);
}

#[test]
fn until_stops_at_an_instant_without_a_position() {
    formula_contradicts("a U(0,4) b", "z@0 a@1 b@3", true);
}

#[test]
fn until_ends_at_an_instant_without_a_position() {
    formula_contradicts("F(0,3) !a", "z@0 a@2", false);
}

#[test]
fn a_lower_bound_asks_for_a_position_there_and_at_every_instant_before() {
    formula_contradicts("F(1,4) b", "z@0 b@3", true);
    formula_contradicts("F(1,inf) b", "z@0 b@3", true);
    formula_contradicts("F=2 b", "z@0 b@2", true);
    // Even with a position at every instant but the bound itself.
    formula_contradicts("F(2,5) b", "z@0 z@1 b@3", true);
}

#[test]
fn until_without_an_interval_looks_at_the_present() {
    formula_contradicts("F b", "b@0 z@1", false);
}

#[test]
fn next_skips_positions() {
    formula_contradicts("X=2 b", "z@0 c@1 b@2", false);
}

#[test]
fn maximum_below_a_number_is_false_while_the_trace_is_young() {
    formula_contradicts("M^{4,2}_{<2}(a)", "a@0", true);
    formula_contradicts("M^{5,2}_{<2}(a)", "a@0", true);
    // Only the last step is missing, which has no instant in it.
    formula_contradicts("M^{2,2}_{<2}(a)", "a@0", true);
}

#[test]
fn maximum_below_and_above_do_not_exclude_each_other() {
    let young = "a@0";
    let below = case("soloist p { M^{2,2}_{<2}(a) }", young);
    let above = case("soloist p { M^{2,2}_{>1}(a) }", young);
    assert_eq!(judged(&below, 0, ArgumentOrder::Printed), (true, false));
    assert_eq!(judged(&above, 0, ArgumentOrder::Printed), (false, false));
}

#[test]
fn a_gap_runs_backwards() {
    contradicts("D^{4}_{<=1}{(a, b)}", "a@0 b@1", true, ArgumentOrder::Printed);
    contradicts("D^{4}_{<=1}{(a, b)}", "b@0 a@1", false, ArgumentOrder::Printed);
}

#[test]
fn a_gap_does_not_see_the_second_start_of_an_end() {
    contradicts("D^{4}_{<=1}{(a, b)}", "a@0 a@1 b@2", false, ArgumentOrder::Mended);
    contradicts("D^{4}_{=2}{(a, b)}", "a@0 a@1 b@3", false, ArgumentOrder::Mended);
}

#[test]
fn a_gap_may_end_at_a_later_end() {
    contradicts("D^{6}_{>2}{(a, b)}", "a@0 b@1 b@4", false, ArgumentOrder::Mended);
    contradicts("D^{6}_{>2}{(a, b)}", "a@0 b@1 a@2 b@3", false, ArgumentOrder::Mended);
}

#[test]
fn a_position_cannot_be_an_end_and_the_next_start() {
    // a-b, then b's position is a start as well: two pairs on three instants.
    contradicts("D^{3}_{=1}{(a, b)}", "a@0 a@1 b@1 b@2", true, ArgumentOrder::Mended);
}

#[test]
fn the_first_position_need_not_be_at_zero() {
    let case = case("soloist p { a }", "a@2");
    let published = rho(case.formula(), ArgumentOrder::Printed);
    let word = TimedWord::of(&case, &published.propositions, 100).unwrap();
    assert!(!holds(&published, &word));
    let ltl = translate(&case.spec, case.property(), crate::LIMITS).unwrap();
    assert!(holds(&ltl, &word));
}

#[test]
fn windows_are_not_asked_to_be_full() {
    contradicts_at_first("soloist p (full-window) { C^{5}_{<=1}(a) }", "a@0", false);
}

/// All traces on the first instants, each of which has no event, `a` or `z`.
fn traces(instants: u32) -> impl Iterator<Item = Vec<OracleEvent>> {
    (1..3_u32.pow(instants)).map(move |number| {
        let events = (0..instants).filter_map(|instant| {
            let name = match number / 3_u32.pow(instant) % 3 {
                0 => return None,
                1 => "a",
                _ => "z",
            };
            Some(OracleEvent::new(name, at(i64::from(instant))))
        });
        events.collect()
    })
}

#[test]
fn counts_averages_and_maxima_above_a_number_are_right() {
    let formulae = [
        "C^{1}_{>0}(a)",
        "C^{3}_{>1}(a)",
        "C^{4}_{<=1}(a)",
        "C^{4}_{<3}(a)",
        "C^{2}_{=0}(a)",
        "C^{3}_{>=2}(a)",
        "U^{4,2}_{>=1}(a)",
        "U^{5,2}_{<1}(a)",
        "M^{4,2}_{>1}(a)",
        "M^{5,2}_{>0}(a)",
        "M^{3,3}_{>1}(a)",
    ];
    for formula in formulae {
        let (spec, _) = parse(&format!("soloist p {{ {formula} }}"));
        for events in traces(6) {
            let case = Case { spec: spec.clone(), events };
            for position in 0..case.events.len() {
                let (meant, published) = judged(&case, position, ArgumentOrder::Printed);
                assert_eq!(meant, published, "{}", case.to_markdown(formula));
            }
        }
    }
}
