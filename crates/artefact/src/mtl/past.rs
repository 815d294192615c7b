// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rewrites a formula of `ltl` to formulae of the past that must hold after every event.
//!
//! `[] (a => o b)` becomes `(*) a => b`: at each event, if a was the event before, b is this one. The positions at which a part of the formula
//! is asserted are described by a formula of the past, their *occasion*; operators of the future move the occasion. `U` is read as `W`:
//! the caller checks, on the automata of both formulae, that the same words are violations.

use gnomon_ir::{Linear, LinearBinary, LinearUnary};

use crate::refusal::Refusal;

/// The positions at which a part of a formula is asserted.
#[derive(Clone)]
enum Occasion {
    /// All.
    Always,
    /// The first.
    First,
    /// Those at which this formula of the past is true.
    When(Linear),
}

/// The most parts of a formula that are visited, repetitions included, and the most parts of an occasion.
const MOST_PARTS: usize = 2_000;

/// Returns formulae of the past that must be true after every event, so that the formula (or its negation) is not violated.
pub(super) fn requirements(formula: &Linear, is_positive: bool) -> Result<Vec<Linear>, Refusal> {
    let mut requirements = Requirements { found: vec![], visited: 0 };
    require(Occasion::First, formula, is_positive, &mut requirements)?;
    Ok(requirements.found)
}

struct Requirements {
    found: Vec<Linear>,
    /// Number of parts visited so far.
    visited: usize,
}

/// Adds what a part of the formula requires where it is asserted (or its negation is).
fn require(at: Occasion, formula: &Linear, is_positive: bool, out: &mut Requirements) -> Result<(), Refusal> {
    out.visited += 1;
    if out.visited > MOST_PARTS || at.size() > MOST_PARTS {
        return Err(Refusal::new("its requirements are too large as formulae of the past"));
    }
    if is_past(formula) {
        let asserted = if is_positive { formula.clone() } else { not(formula.clone()) };
        out.found.push(match at.formula() {
            None => asserted,
            Some(when) => binary(LinearBinary::Implies, when, asserted),
        });
        return Ok(());
    }
    let negation = |of: &Linear| not(of.clone());
    match (formula, is_positive) {
        (Linear::Constant(_) | Linear::Event(_), _) => unreachable!("they are formulae of the past"),
        (Linear::Not(of), _) => require(at, of, !is_positive, out),
        (Linear::Unary(LinearUnary::Next | LinearUnary::WeakNext, of), _) => require(at.next(), of, is_positive, out),
        (Linear::Unary(LinearUnary::Always, of), true) | (Linear::Unary(LinearUnary::Eventually, of), false) => {
            require(at.and_later(), of, is_positive, out)
        }
        // No beginning of a trace violates the obligation that something happens at some time.
        (Linear::Unary(LinearUnary::Eventually, _), true) | (Linear::Unary(LinearUnary::Always, _), false) => Ok(()),
        (Linear::Binary(LinearBinary::And, left, right), true)
        | (Linear::Binary(LinearBinary::Or, left, right), false) => {
            require(at.clone(), left, is_positive, out)?;
            require(at, right, is_positive, out)
        }
        (Linear::Binary(LinearBinary::Or, left, right), true)
        | (Linear::Binary(LinearBinary::And, left, right), false) => {
            let (now, later) = if is_past(left) { (left, right) } else { (right, left) };
            is_decided(now)?;
            let open = if is_positive { negation(now) } else { (**now).clone() };
            require(at.and(open), later, is_positive, out)
        }
        (Linear::Binary(LinearBinary::Implies, left, right), _) => {
            require(at, &binary(LinearBinary::Or, negation(left), (**right).clone()), is_positive, out)
        }
        (Linear::Binary(operator @ (LinearBinary::Iff | LinearBinary::Xor), left, right), _) => {
            let right = if *operator == LinearBinary::Iff { (**right).clone() } else { negation(right) };
            let forth = binary(LinearBinary::Or, negation(left), right.clone());
            let back = binary(LinearBinary::Or, (**left).clone(), not(right));
            require(at, &binary(LinearBinary::And, forth, back), is_positive, out)
        }
        // The left side holds as long as the right one did not.
        (Linear::Binary(LinearBinary::Until | LinearBinary::WeakUntil, left, right), true) => {
            is_decided(right)?;
            require(at.while_true(&negation(right)), left, true, out)
        }
        // The right side is false up to the first position at which the left one is false, that one included.
        (Linear::Binary(LinearBinary::Until | LinearBinary::WeakUntil, left, right), false) => {
            is_decided(left)?;
            require(at.through_first_false(left), right, false, out)
        }
        (Linear::Binary(LinearBinary::Release | LinearBinary::DualUntil, left, right), true) => {
            is_decided(left)?;
            require(at.through_first_false(&negation(left)), right, true, out)
        }
        (Linear::Binary(LinearBinary::Release | LinearBinary::DualUntil, left, right), false) => {
            is_decided(right)?;
            require(at.while_true(right), left, false, out)
        }
        (Linear::Unary(..) | Linear::Binary(..), _) => {
            Err(Refusal::new("an operator of the past stands before one of the future"))
        }
    }
}

impl Occasion {
    /// Returns the occasion as a formula; `None`: every position.
    fn formula(self) -> Option<Linear> {
        match self {
            Occasion::Always => None,
            Occasion::First => Some(not(unary(LinearUnary::Previous, Linear::Constant(true)))),
            Occasion::When(formula) => Some(formula),
        }
    }

    /// Returns the number of parts of its formula.
    fn size(&self) -> usize {
        if let Occasion::When(formula) = self { size(formula) } else { 0 }
    }

    /// The next position after each.
    fn next(self) -> Self {
        Occasion::When(unary(LinearUnary::Previous, self.formula().unwrap_or(Linear::Constant(true))))
    }

    /// Each and all positions after it.
    fn and_later(self) -> Self {
        match self {
            Occasion::Always | Occasion::First => Occasion::Always,
            Occasion::When(formula) => Occasion::When(unary(LinearUnary::Once, formula)),
        }
    }

    /// Those of them at which a formula is true.
    fn and(self, also: Linear) -> Self {
        Occasion::When(match self.formula() {
            None => also,
            Some(formula) => binary(LinearBinary::And, formula, also),
        })
    }

    /// Each and the positions after it, as long as a formula is true.
    fn while_true(self, of: &Linear) -> Self {
        Occasion::When(match self {
            Occasion::Always => of.clone(),
            Occasion::First => unary(LinearUnary::Historically, of.clone()),
            Occasion::When(_) => binary(
                LinearBinary::Since,
                of.clone(),
                self.and(of.clone()).formula().unwrap_or(Linear::Constant(true)),
            ),
        })
    }

    /// Each and the positions after it, as long as a formula was true at all before, from that one on.
    fn through_first_false(self, of: &Linear) -> Self {
        match self.clone() {
            Occasion::Always => Occasion::Always,
            Occasion::First => {
                Occasion::When(unary(LinearUnary::WeakPrevious, unary(LinearUnary::Historically, of.clone())))
            }
            Occasion::When(formula) => {
                let later = self.while_true(of).next().formula().unwrap_or(Linear::Constant(true));
                Occasion::When(binary(LinearBinary::Or, formula, later))
            }
        }
    }
}

fn size(formula: &Linear) -> usize {
    match formula {
        Linear::Constant(_) | Linear::Event(_) => 1,
        Linear::Not(of) | Linear::Unary(_, of) => 1 + size(of),
        Linear::Binary(_, left, right) => 1 + size(left) + size(right),
    }
}

/// Fails if a formula is about the future.
fn is_decided(formula: &Linear) -> Result<(), Refusal> {
    if is_past(formula) {
        return Ok(());
    }
    Err(Refusal::new("both sides of an operator are about the future"))
}

/// Returns true if a formula has no operator of the future.
pub(super) fn is_past(formula: &Linear) -> bool {
    match formula {
        Linear::Constant(_) | Linear::Event(_) => true,
        Linear::Not(of) => is_past(of),
        Linear::Unary(operator, of) => {
            let is_future = matches!(
                operator,
                LinearUnary::Always | LinearUnary::Eventually | LinearUnary::Next | LinearUnary::WeakNext
            );
            !is_future && is_past(of)
        }
        Linear::Binary(operator, left, right) => {
            let is_future = matches!(
                operator,
                LinearBinary::Until | LinearBinary::WeakUntil | LinearBinary::Release | LinearBinary::DualUntil
            );
            !is_future && is_past(left) && is_past(right)
        }
    }
}

pub(super) fn not(of: Linear) -> Linear {
    match of {
        Linear::Not(of) => *of,
        Linear::Constant(value) => Linear::Constant(!value),
        other => Linear::Not(Box::new(other)),
    }
}

pub(super) fn unary(operator: LinearUnary, of: Linear) -> Linear {
    Linear::Unary(operator, Box::new(of))
}

pub(super) fn binary(operator: LinearBinary, left: Linear, right: Linear) -> Linear {
    Linear::Binary(operator, Box::new(left), Box::new(right))
}
