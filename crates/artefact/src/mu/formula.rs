// SPDX-License-Identifier: MIT OR Apache-2.0
//! State formulae with fixpoints, which a model checker can read but a monitor cannot run.

use std::fmt::Write as _;

use gnomon_core::diagnostic::Span;
use gnomon_ir::modal::{DataCondition, ModalFormula, RegularFormula};

/// A state formula.
#[derive(Clone)]
pub(super) enum StateFormula {
    False,
    /// `<true> true`: some event happens.
    Goes,
    /// `X3`
    Again(usize),
    /// `[rho] phi`
    After(RegularFormula, Box<StateFormula>),
    /// `mu X3. phi`
    Least(usize, Box<StateFormula>),
    All(Vec<StateFormula>),
}

impl StateFormula {
    /// Returns the conjunction.
    pub(super) fn all(parts: Vec<StateFormula>) -> StateFormula {
        match <[StateFormula; 1]>::try_from(parts) {
            Ok([only]) => only,
            Err(parts) => StateFormula::All(parts),
        }
    }

    /// Returns the formula for `mu`; `None` if a part of it cannot be monitored.
    pub(super) fn modal(&self) -> Option<ModalFormula> {
        let span = Span::default();
        match self {
            StateFormula::False => Some(ModalFormula::Data(DataCondition::Constant(false), span)),
            StateFormula::Goes | StateFormula::Again(_) | StateFormula::Least(..) => None,
            StateFormula::After(regular, then) => {
                Some(ModalFormula::Box { regular: regular.clone(), then: Box::new(then.modal()?), span })
            }
            StateFormula::All(parts) => {
                let parts: Option<Vec<ModalFormula>> = parts.iter().map(StateFormula::modal).collect();
                parts?.into_iter().reduce(|left, right| ModalFormula::And(Box::new(left), Box::new(right)))
            }
        }
    }

    /// Writes the formula in the notation of mCRL2.
    pub(super) fn write(&self, out: &mut String) {
        match self {
            StateFormula::False => out.push_str("false"),
            StateFormula::Goes => out.push_str("<true> true"),
            StateFormula::Again(number) => out.push_str(&variable(*number)),
            StateFormula::After(regular, then) => {
                out.push('[');
                out.push_str(&gnomon_lang::mu::print_regular(regular));
                out.push_str("] ");
                then.write_part(out);
            }
            StateFormula::Least(number, of) => {
                let _ = write!(out, "mu {}. ", variable(*number));
                of.write_part(out);
            }
            StateFormula::All(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { " && " });
                    // The scope of a fixpoint extends as far as possible.
                    part.write_part(out);
                }
            }
        }
    }

    /// Writes it with parentheses if it extends as far as possible.
    pub(super) fn write_part(&self, out: &mut String) {
        if matches!(self, StateFormula::All(_) | StateFormula::Least(..)) {
            out.push('(');
            self.write(out);
            out.push(')');
        } else {
            self.write(out);
        }
    }
}

fn variable(number: usize) -> String {
    if number == 0 { "X".to_owned() } else { format!("X{number}") }
}
