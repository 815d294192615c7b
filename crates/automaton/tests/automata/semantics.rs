// SPDX-License-Identifier: MIT OR Apache-2.0
//! The automaton gives each operator its meaning, at the ends of a trace too.

use gnomon_automaton::{AlternatingAutomaton, BuildContext, Semantics, ViolationMode, run, truth};
use gnomon_core::verdict::{End, Simultaneous};
use gnomon_ir::formula::Formula;

use crate::formulae::{
    always, and, automaton, event, implies, in_future, not, or, previous, start, until, within, word,
};

/// The truth of a formula in each state: `1`, `0`, or `?`.
fn check_with(automaton: &AlternatingAutomaton, states: &[(i64, &str)], end: End, expected: &str) {
    let word = word(automaton, states);
    for semantics in [Semantics::Standard, Semantics::Merged(ViolationMode::Standard)] {
        let shown: String = truth(automaton, &word, end, semantics)
            .iter()
            .map(|value| value.map_or('?', |value| if value { '1' } else { '0' }))
            .collect();
        assert_eq!(shown, expected, "{semantics:?} of {states:?}");
    }
    let all = run(automaton, &word, end, Semantics::Standard, usize::MAX);
    let critical = run(automaton, &word, end, Semantics::Merged(ViolationMode::Critical), usize::MAX);
    assert_eq!((critical.accepts, critical.rejected_at), (all.accepts, all.rejected_at), "{states:?}");
}

fn check(formula: Formula, states: &[(i64, &str)], expected: &str) {
    check_with(&automaton(formula), states, End::Complete, expected);
}

fn check_prefix(formula: Formula, states: &[(i64, &str)], expected: &str) {
    check_with(&automaton(formula), states, End::Prefix, expected);
}

#[test]
fn until_includes_the_present_and_is_strong() {
    let until = || until(event("a"), event("b"));
    check(until(), &[(0, "b"), (1, ""), (2, "a"), (3, "a"), (4, "b")], "10111");
    check(until(), &[(0, "a"), (1, "a")], "00");
    check_prefix(until(), &[(0, "b"), (1, "a"), (2, "a")], "1??");
    check(not(until()), &[(0, "a"), (1, "a"), (2, "b"), (3, "a")], "0001");
}

#[test]
fn within_reaches_exactly_as_far_as_it_says() {
    check(within(event("b"), 3), &[(0, ""), (1, ""), (4, "b"), (5, "")], "0110");
    check_prefix(within(event("b"), 3), &[(0, ""), (1, ""), (3, "")], "0??");
    check(not(within(event("b"), 3)), &[(0, ""), (1, ""), (4, "b"), (5, "")], "1001");
    check(within(event("b"), 0), &[(0, "b"), (1, "")], "10");
}

#[test]
fn in_future_takes_the_last_state_within_reach() {
    let states = [(0, ""), (1, "b"), (5, ""), (8, "b"), (9, "")];
    // From 0 the last within 3 is at 1; from 1 itself; from 5 at 8, exactly; from 8 and 9 none is known.
    check(in_future(event("b"), 3), &states, "11100");
    check(not(in_future(event("b"), 3)), &states, "00011");
    check_prefix(in_future(event("b"), 3), &states, "111??");
    check(in_future(event("b"), 0), &[(0, "b"), (1, "")], "10");
    check(in_future(until(event("a"), event("b")), 2), &[(0, ""), (1, "a"), (4, "a"), (5, "b")], "1100");
    check(in_future(in_future(event("b"), 2), 2), &[(0, ""), (1, ""), (3, "b"), (8, "")], "1110");
}

#[test]
fn with_ties_the_last_of_equal_times_counts() {
    let setting = BuildContext { simultaneous: Simultaneous::Sequence, ..BuildContext::default() };
    let states = [(0, ""), (3, "a"), (3, "b")];
    let in_future = AlternatingAutomaton::of(&always(in_future(event("b"), 3)), setting).expect("it has an automaton");
    check_with(&in_future, &states, End::Complete, "100");
    check_with(&in_future, &states, End::Prefix, "???");
    let within = AlternatingAutomaton::of(&always(within(event("b"), 3)), setting).expect("it has an automaton");
    check_with(&within, &states, End::Complete, "111");
    check_with(&within, &[(0, ""), (3, "a")], End::Prefix, "??");
}

#[test]
fn the_start_of_an_activity_is_in_the_state_before() {
    check(start("a"), &[(0, "a"), (7, "a"), (8, "")], "100");
    check(not(start("a")), &[(0, "a"), (7, "a"), (8, "")], "011");
    check_prefix(start("a"), &[(0, "a"), (7, "a"), (8, "")], "10?");
    let literal = BuildContext { is_literal: &|_| true, ..BuildContext::default() };
    let automaton = AlternatingAutomaton::of(&always(start("a")), literal).expect("it has an automaton");
    assert!(automaton.states.is_empty(), "an event of the trace is a proposition");
}

#[test]
fn becoming_looks_one_state_back() {
    let becomes = |of: Formula| and(of.clone(), previous(not(of)));
    check(becomes(event("a")), &[(0, "a"), (1, ""), (2, "a"), (3, "a")], "0010");
    check(not(becomes(event("a"))), &[(0, "a"), (1, ""), (2, "a"), (3, "a")], "1101");
    // In state 1 a starts, and did not in state 0, since it is not in state 1.
    check(becomes(start("a")), &[(0, "a"), (1, ""), (2, "a"), (3, "a")], "0100");
    check(previous(until(event("a"), event("b"))), &[(0, "a"), (1, "b"), (2, ""), (3, "")], "0110");
    check(previous(within(event("b"), 2)), &[(0, ""), (2, "b"), (5, ""), (6, "b")], "0111");
}

#[test]
fn operators_nest() {
    check(until(within(event("a"), 2), event("b")), &[(0, ""), (2, "a"), (3, ""), (4, "b")], "0001");
    check(until(within(event("a"), 2), event("b")), &[(0, ""), (2, "a"), (4, "b")], "111");
    check(always(or(event("a"), event("b"))), &[(0, ""), (1, "a"), (2, "b")], "011");
    check_prefix(always(or(event("a"), event("b"))), &[(0, ""), (1, "a"), (2, "b")], "0??");
    check(
        implies(event("a"), within(and(event("b"), within(event("c"), 1)), 3)),
        &[(0, "a"), (2, "b"), (3, "c")],
        "111",
    );
}

#[test]
fn long_words_of_nested_operators_need_no_deep_stack() {
    let formula = until(within(event("a"), 3), in_future(event("b"), 10));
    let automaton = automaton(formula);
    let states: Vec<(i64, &str)> = (0..20_000).map(|time| (time, "a")).collect();
    let word = word(&automaton, &states);
    let merged = run(&automaton, &word, End::Complete, Semantics::Merged(ViolationMode::Standard), usize::MAX);
    assert_eq!(merged.accepts, Some(false));
    let standard = run(&automaton, &word, End::Complete, Semantics::Standard, 10_000);
    assert!(standard.gave_up.is_some() && standard.accepts.is_none());
}

#[test]
fn an_empty_word_is_accepted_once_it_is_complete() {
    let automaton = automaton(event("a"));
    let empty = word(&automaton, &[]);
    assert_eq!(run(&automaton, &empty, End::Complete, Semantics::Standard, 9).accepts, Some(true));
    assert_eq!(run(&automaton, &empty, End::Prefix, Semantics::Standard, 9).accepts, None);
}
