// SPDX-License-Identifier: MIT OR Apache-2.0
//! A formula as written.

use gnomon_core::{Comparison, Quantity, Span};
use gnomon_ir::{Binary, Bounds, Fold, Path, Percent, Unary};

use crate::syntax::formula;

/// A formula and its position.
pub(crate) type Syntax = formula::Syntax<TemporalForm>;

/// The forms that only temporal languages have.
#[derive(Debug)]
pub(crate) enum TemporalForm {
    Unary { operator: Unary, exponent: Option<Exponent>, interval: Bounds, of: Syntax },
    Binary { operator: Binary, interval: Bounds, left: Syntax, right: Syntax },
    Aggregate(Aggregate),
}

impl formula::LanguageForm for TemporalForm {
    fn parts(&self) -> Vec<&Syntax> {
        match self {
            TemporalForm::Unary { of, .. } => vec![of],
            TemporalForm::Binary { left, right, .. } => vec![left, right],
            TemporalForm::Aggregate(aggregate) => aggregate.arguments.iter().collect(),
        }
    }
}

/// `^6`
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exponent {
    /// `None` if it is not a whole number, or a very large one.
    pub(crate) number: Option<u32>,
    pub(crate) span: Span,
}

/// The quantity that an aggregate computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Measure {
    /// `C`, `count`
    Count,
    /// `U`, `avg`
    Average,
    /// `M`, `max`
    Maximum,
    /// `D`, `gap`
    Gap,
    /// `rate`
    Rate,
    /// `sum` and the like, of a field
    Fold(Fold),
    /// `p95` and the like, of a field; `None` if the number does not fit, which is reported
    Percentile(Option<Percent>),
    /// `distinct`, of a field
    Distinct,
}

impl Measure {
    /// Returns true if the window is divided into steps.
    pub(crate) fn has_step(self) -> bool {
        matches!(self, Measure::Average | Measure::Maximum)
    }

    /// Returns true if it is about a field of an event.
    pub(crate) fn has_field(self) -> bool {
        matches!(self, Measure::Fold(_) | Measure::Percentile(_) | Measure::Distinct)
    }

    /// Returns the number of formulae that it takes.
    pub(crate) fn arity(self) -> usize {
        if self == Measure::Gap { 2 } else { 1 }
    }
}

/// An aggregate; its parts are missing if they could not be understood.
#[derive(Debug)]
pub(crate) struct Aggregate {
    pub(crate) measure: Measure,
    /// `K`, or `K` and `h`.
    pub(crate) window: Option<Vec<Quantity>>,
    pub(crate) compared: Option<(Comparison, Quantity)>,
    pub(crate) arguments: Vec<Syntax>,
    /// The field whose values it is about.
    pub(crate) field: Option<Path>,
}
