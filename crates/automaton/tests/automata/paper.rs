// SPDX-License-Identifier: MIT OR Apache-2.0
//! The paper's Figure 1, Table 1 and Theorem 1.

use gnomon_automaton::{AlternatingAutomaton, RunOutcome, Semantics, ViolationMode, run};
use gnomon_core::verdict::End;
use gnomon_ir::formula::Formula;

use crate::formulae::{and, automaton, between, event, implies, or, until, within, word};

const ASA: Semantics = Semantics::Standard;
const LASA_1: Semantics = Semantics::Merged(ViolationMode::Standard);
const LASA_2: Semantics = Semantics::Merged(ViolationMode::Critical);
const PRINTED_1: Semantics = Semantics::Printed(ViolationMode::Standard);
const PRINTED_2: Semantics = Semantics::Printed(ViolationMode::Critical);

fn judge(automaton: &AlternatingAutomaton, states: &[(i64, &str)], semantics: Semantics) -> RunOutcome {
    run(automaton, &word(automaton, states), End::Complete, semantics, usize::MAX)
}

#[test]
fn figure_1_has_five_states() {
    let automaton = automaton(implies(event("A"), between(&event("B"), event("C"), 10)));
    assert_eq!(automaton.states.len(), 2);
    assert_eq!(automaton.size(), 5);
}

#[test]
fn figure_1_waits_for_the_state_ten_after_the_first_b() {
    let automaton = automaton(implies(event("A"), between(&event("B"), event("C"), 10)));
    let held = [(0, "A"), (3, "B"), (9, "C"), (13, "C"), (14, "")];
    let broken = [(0, "A"), (3, "B"), (9, "C"), (12, ""), (14, "C")];
    let exactly = [(0, "A"), (3, "B"), (13, "C")];
    for semantics in [ASA, LASA_1, LASA_2] {
        assert_eq!(judge(&automaton, &held, semantics).accepts, Some(true), "{semantics:?}");
        assert_eq!(judge(&automaton, &exactly, semantics).accepts, Some(true), "{semantics:?}");
        let broken = judge(&automaton, &broken, semantics);
        assert_eq!((broken.accepts, broken.rejected_at), (Some(false), Some(4)), "{semantics:?}");
    }
}

/// Returns the maximal number of copies of an operator over this number of states, one per unit of time, in which only `a` holds.
fn most(formula: Formula, states: i64, semantics: Semantics) -> usize {
    let automaton = automaton(formula);
    assert_eq!(automaton.states.len(), 1);
    let states: Vec<(i64, &str)> = (0..states).map(|time| (time, "a")).collect();
    let run = run(&automaton, &word(&automaton, &states), End::Prefix, semantics, usize::MAX);
    run.most_in_state[0]
}

#[test]
fn table_1_until() {
    for length in [1, 10, 100, 1000] {
        let formula = || until(event("a"), event("b"));
        assert_eq!(most(formula(), length, ASA), length as usize, "it grows with the trace");
        for semantics in [LASA_1, LASA_2, PRINTED_1, PRINTED_2] {
            assert_eq!(most(formula(), length, semantics), 1, "{semantics:?}");
        }
    }
}

#[test]
fn table_1_within() {
    for reach in [1, 5, 20] {
        // A violation ends the run of the critical mode after the first K: until then, all is as in the table.
        let formula = || within(event("b"), reach);
        for semantics in [ASA, LASA_1, PRINTED_1] {
            assert_eq!(most(formula(), 100, semantics), reach as usize, "{semantics:?}");
        }
        for semantics in [LASA_2, PRINTED_2] {
            assert_eq!(most(formula(), 100, semantics), 1, "{semantics:?}");
        }
    }
}

/// `(B -> U1 || U2) && (A -> U1)` with `U1 = Until(l, r)` and `U2 = Until(m, s)`
fn counterexample() -> AlternatingAutomaton {
    let one = || until(event("l"), event("r"));
    let two = until(event("m"), event("s"));
    automaton(and(implies(event("B"), or(one(), two)), implies(event("A"), one())))
}

#[test]
fn theorem_1_fails_where_the_copy_that_is_not_made_stands_under_a_disjunction() {
    // A starts U1. At B a second U1 is not made, so that U2 stands alone, and fails; yet U1 comes true.
    let (automaton, states) = (counterexample(), [(0, "A l"), (1, "B l m"), (2, "l"), (3, "r")]);
    for semantics in [ASA, LASA_1, LASA_2] {
        assert_eq!(judge(&automaton, &states, semantics).accepts, Some(true), "{semantics:?}");
    }
    for semantics in [PRINTED_1, PRINTED_2] {
        let printed = judge(&automaton, &states, semantics);
        assert_eq!((printed.accepts, printed.rejected_at), (Some(false), Some(2)), "{semantics:?}");
    }
}

#[test]
fn theorem_1_fails_where_the_copy_that_runs_stands_under_a_disjunction() {
    // B starts U1 and U2. At A a second U1 is not made. U2 comes true and the first U1 is let go; then U1 fails.
    let (automaton, states) = (counterexample(), [(0, "B l m"), (1, "A l m"), (2, "l s"), (3, "")]);
    for semantics in [ASA, LASA_1, LASA_2] {
        let run = judge(&automaton, &states, semantics);
        assert_eq!((run.accepts, run.rejected_at), (Some(false), Some(3)), "{semantics:?}");
    }
    for semantics in [PRINTED_1, PRINTED_2] {
        assert_eq!(judge(&automaton, &states, semantics).accepts, Some(true), "{semantics:?}");
    }
}

#[test]
fn flags_do_not_tell_which_states_break_the_invariant() {
    let automaton = automaton(until(event("l"), event("r")));
    let states = [(0, "l"), (1, "l"), (2, "")];
    assert_eq!(judge(&automaton, &states, ASA).instances, vec![Some(false); 3]);
    assert_eq!(judge(&automaton, &states, LASA_1).instances, vec![Some(false); 3]);
    assert_eq!(judge(&automaton, &states, PRINTED_1).instances, [Some(false), Some(true), Some(false)]);
}
