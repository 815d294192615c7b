// SPDX-License-Identifier: MIT OR Apache-2.0
//! Temporal formulae as written, shared by the temporal languages `mtl`, `soloist` and `albert`.
//!
//! The tree keeps the text: `F` stays `F`, bounds keep their unit, and a count that was written as a rate stays a rate. So a formula can
//! be printed again, and messages point at the operator that the user wrote. Printers, translations and the sentences of `gnomon ask`
//! work on this form; [`check`](crate::check::check) translates it to the few operators of [`crate::core`].
//!
//! Example: `G(a -> F[0,10s] b)` is [`Unary::Always`] of [`Connective::Implies`] with the atom `a` and [`Unary::Eventually`], whose
//! [`Bounds`] are 0 to 10 s, of the atom `b`.

use std::fmt;

use gnomon_core::{Comparison, Quantity, Span};

use crate::{Atom, Occurrence, Path, QuantifierKind, Reference, Term, Variable};

/// A formula and where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Formula {
    /// Operator with its operands.
    pub kind: FormulaKind,
    /// Source location.
    pub span: Span,
}

/// The forms of a formula.
#[derive(Clone, PartialEq, Debug)]
pub enum FormulaKind {
    /// `true`, `false`
    Constant(bool),
    /// An event of this position.
    Atom(Atom),
    /// `!f`
    Not(Box<Formula>),
    /// A Boolean connective of two formulae.
    Connective(Connective, Box<Formula>, Box<Formula>),
    /// A temporal operator of one formula.
    Unary {
        /// Operator.
        operator: Unary,
        /// True if the operator excludes the present position (`X` and `Y` always do).
        strict: bool,
        /// Number of applications (`X^6 f`); 1 where no exponent is written.
        times: u32,
        /// Distances.
        interval: Bounds,
        /// Operand.
        of: Box<Formula>,
    },
    /// A temporal operator of two formulae.
    Binary {
        /// Operator.
        operator: Binary,
        /// True if the operator excludes the present position.
        strict: bool,
        /// Distances.
        interval: Bounds,
        /// Operand that holds in between.
        left: Box<Formula>,
        /// Operand that holds at the far end.
        right: Box<Formula>,
    },
    /// A quantity over a window of the past, compared with a number.
    Aggregate {
        /// Aggregate.
        aggregate: Box<Aggregate>,
        /// Comparison of the aggregate with the bound.
        comparison: Comparison,
        /// Bound: a number, or for [`Aggregate::Gap`] an amount of time.
        bound: Quantity,
        /// True if the formula is false while the trace is younger than the window.
        full_window: bool,
    },
    /// `onEvent(X)`: an event of this state, or the start of an activity.
    OnEvent(Occurrence),
    /// `e < f`; false if a side has no value.
    Compare(Box<Term>, Comparison, Box<Term>),
    /// `InFuture(f, K)`: f in the last state at most K later.
    InFuture {
        /// K
        reach: Quantity,
        /// f
        of: Box<Formula>,
    },
    /// `(forall x in $items; f)`: over the elements of a list.
    Each {
        /// All of them, or some.
        kind: QuantifierKind,
        /// x
        variable: Variable,
        /// The list.
        list: Reference,
        /// f
        of: Box<Formula>,
    },
}

/// Boolean connectives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Connective {
    /// `f && g`
    And,
    /// `f || g`
    Or,
    /// `f -> g`
    Implies,
    /// `f <-> g`
    Iff,
}

/// Temporal operators of one formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// `G`
    Always,
    /// `F`
    Eventually,
    /// `H`
    Historically,
    /// `P`
    Once,
    /// `X`
    Next,
    /// `Y`
    Previous,
}

/// Temporal operators of two formulae.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// `U`
    Until,
    /// `S`
    Since,
    /// `W`; never strict
    WeakUntil,
    /// `R`; never strict
    Release,
}

/// An interval as written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bounds {
    /// The lower end.
    pub lo: Quantity,
    /// True if the lower end is included.
    pub lo_closed: bool,
    /// The upper end; `None`: infinity.
    pub hi: Option<Quantity>,
    /// True if the upper end is included.
    pub hi_closed: bool,
    /// Source location; `None` if the interval was omitted.
    pub span: Option<Span>,
}

impl Bounds {
    /// `(0, inf)`, where no interval is written.
    pub const POSITIVE: Bounds =
        Bounds { lo: Quantity::whole(0), lo_closed: false, hi: None, hi_closed: false, span: None };

    /// `[0, inf)`, where no interval is written and the present counts.
    pub const ANY: Bounds = Bounds { lo_closed: true, ..Bounds::POSITIVE };

    /// Returns true if every distance is in it, the present included.
    pub fn is_any(&self) -> bool {
        self.lo.billionths == 0 && self.lo_closed && self.hi.is_none()
    }

    /// `[0, hi]`
    pub const fn up_to(hi: Quantity) -> Bounds {
        Bounds { hi: Some(hi), hi_closed: true, ..Bounds::ANY }
    }
}

/// Quantities over a window of the past.
// There is one for each aggregate of a property, in a box: room does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, PartialEq, Debug)]
pub enum Aggregate {
    /// `C^{K}(f)`: how often f held in the last K.
    Count {
        /// K
        window: Quantity,
        /// True if a distance of exactly K counts.
        closed: bool,
        /// f
        of: Formula,
    },
    /// `rate[K](f)`: how often f held in the last K, per second.
    Rate {
        /// K
        window: Quantity,
        /// True if a distance of exactly K counts.
        closed: bool,
        /// f
        of: Formula,
    },
    /// `U^{K,h}(f)`: how often f held on average per h, over the whole multiples of h in the last K.
    Average {
        /// K
        window: Quantity,
        /// h
        step: Quantity,
        /// f
        of: Formula,
    },
    /// `M^{K,h}(f)`: how often f held at most per h, in the last K cut into steps of h from now backwards.
    Maximum {
        /// K
        window: Quantity,
        /// h
        step: Quantity,
        /// f
        of: Formula,
    },
    /// `D^{K}{(f, g)}`: the mean time from an f of the last K to the next g.
    Gap {
        /// K
        window: Quantity,
        /// f
        from: Formula,
        /// g
        to: Formula,
    },
    /// `sum[K](p.field)`: over the numbers that a field has in the events of the last K (exactly K back included) that
    /// match an atom.
    Fold {
        /// Aggregate function.
        fold: Fold,
        /// K
        window: Quantity,
        /// p
        of: Atom,
        /// The field.
        field: Path,
    },
    /// `p95[K](p.field)`: the least number that a field has in the events of the last K that match an atom, such that at
    /// least 95 % of the numbers are no greater.
    Percentile {
        /// 95
        percent: Percent,
        /// K
        window: Quantity,
        /// True if a distance of exactly K counts.
        closed: bool,
        /// p
        of: Atom,
        /// The field.
        field: Path,
    },
    /// `distinct[K](p.field)`: how many different values a field has in the events of the last K that match an atom.
    Distinct {
        /// K
        window: Quantity,
        /// True if a distance of exactly K counts.
        closed: bool,
        /// p
        of: Atom,
        /// The field.
        field: Path,
    },
}

impl Aggregate {
    /// Returns the length of the window.
    pub fn window(&self) -> Quantity {
        match self {
            Aggregate::Count { window, .. }
            | Aggregate::Rate { window, .. }
            | Aggregate::Average { window, .. }
            | Aggregate::Maximum { window, .. }
            | Aggregate::Gap { window, .. }
            | Aggregate::Fold { window, .. }
            | Aggregate::Percentile { window, .. }
            | Aggregate::Distinct { window, .. } => *window,
        }
    }
}

/// The N of a percentile: above 0 and at most 100, exact to a billionth.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Percent {
    billionths: u64,
}

impl Percent {
    /// 100 %: the greatest number.
    pub const WHOLE: Percent = Percent { billionths: 100_000_000_000 };

    /// Returns the percentage with this number of billionths; `None` if it is not above 0 and at most 100.
    pub fn new(billionths: u64) -> Option<Percent> {
        (1..=Percent::WHOLE.billionths).contains(&billionths).then_some(Percent { billionths })
    }

    /// Returns the number of billionths of a percent.
    pub fn billionths(self) -> u64 {
        self.billionths
    }

    /// Returns how many of `count` numbers are at least this percentage of them: the place of the percentile among the
    /// numbers in ascending order, from 1.
    pub fn place(self, count: u64) -> u64 {
        let whole = u128::from(Percent::WHOLE.billionths);
        (u128::from(self.billionths) * u128::from(count)).div_ceil(whole) as u64
    }
}

impl fmt::Display for Percent {
    /// Writes `99.9`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Quantity { billionths: i128::from(self.billionths), unit: None }.fmt(f)
    }
}

gnomon_core::words! {
    /// Aggregate functions over the numbers of a window.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Fold as word {
        /// The sum; 0 if there are no numbers.
        Sum = "sum",
        /// The mean; undefined if there are no numbers.
        Mean = "avg",
        /// The minimum; undefined if there are no numbers.
        Least = "min",
        /// The maximum; undefined if there are no numbers.
        Greatest = "max",
    }
}

impl Formula {
    /// The formulae directly inside this one.
    pub fn children(&self) -> Vec<&Formula> {
        match &self.kind {
            FormulaKind::Constant(_) | FormulaKind::Atom(_) | FormulaKind::OnEvent(_) | FormulaKind::Compare(..) => {
                vec![]
            }
            FormulaKind::Not(of)
            | FormulaKind::Unary { of, .. }
            | FormulaKind::InFuture { of, .. }
            | FormulaKind::Each { of, .. } => vec![of],
            FormulaKind::Connective(_, left, right) | FormulaKind::Binary { left, right, .. } => vec![left, right],
            FormulaKind::Aggregate { aggregate, .. } => match aggregate.as_ref() {
                Aggregate::Count { of, .. }
                | Aggregate::Rate { of, .. }
                | Aggregate::Average { of, .. }
                | Aggregate::Maximum { of, .. } => vec![of],
                Aggregate::Gap { from, to, .. } => vec![from, to],
                Aggregate::Fold { .. } | Aggregate::Percentile { .. } | Aggregate::Distinct { .. } => vec![],
            },
        }
    }

    /// Returns the truth value on a complete trace without positions.
    // RULE V12
    pub fn holds_of_nothing(&self) -> bool {
        match &self.kind {
            FormulaKind::Constant(value) => *value,
            FormulaKind::Not(of) => !of.holds_of_nothing(),
            FormulaKind::Connective(connective, left, right) => {
                let (left, right) = (left.holds_of_nothing(), right.holds_of_nothing());
                match connective {
                    Connective::And => left && right,
                    Connective::Or => left || right,
                    Connective::Implies => !left || right,
                    Connective::Iff => left == right,
                }
            }
            FormulaKind::Unary { operator, times, of, .. } => match operator {
                _ if *times == 0 => of.holds_of_nothing(),
                Unary::Always | Unary::Historically => true,
                Unary::Eventually | Unary::Once | Unary::Next | Unary::Previous => false,
            },
            FormulaKind::Binary { operator, .. } => matches!(operator, Binary::WeakUntil | Binary::Release),
            FormulaKind::Each { kind, .. } => *kind == QuantifierKind::Forall,
            FormulaKind::Atom(_)
            | FormulaKind::OnEvent(_)
            | FormulaKind::Compare(..)
            | FormulaKind::InFuture { .. }
            | FormulaKind::Aggregate { full_window: true, .. } => false,
            FormulaKind::Aggregate { aggregate, comparison, bound, .. } => match aggregate.as_ref() {
                Aggregate::Gap { .. }
                | Aggregate::Percentile { .. }
                | Aggregate::Fold { fold: Fold::Mean | Fold::Least | Fold::Greatest, .. } => false,
                Aggregate::Count { .. }
                | Aggregate::Rate { .. }
                | Aggregate::Distinct { .. }
                | Aggregate::Average { .. }
                | Aggregate::Maximum { .. }
                | Aggregate::Fold { fold: Fold::Sum, .. } => comparison.accepts(0.cmp(&bound.billionths)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{atom, binary, connect, formula, unary};

    #[test]
    fn percentiles_have_a_place() {
        let place = |percent: u64, count| Percent::new(percent * 1_000_000_000).unwrap().place(count);
        assert_eq!([place(50, 1), place(50, 4), place(50, 5), place(95, 100), place(100, 7)], [1, 2, 3, 95, 7]);
        assert_eq!((place(1, 1), place(1, 101), place(95, 0)), (1, 2, 0));
        assert_eq!(Percent::new(99_900_000_000).unwrap().to_string(), "99.9");
        assert_eq!((Percent::new(0), Percent::new(100_000_000_001)), (None, None));
    }

    #[test]
    fn of_nothing_only_what_asks_for_nothing_holds() {
        let a = || atom("a", &[]);
        assert!(!a().holds_of_nothing() && formula(FormulaKind::Not(Box::new(a()))).holds_of_nothing());
        assert!(unary(Unary::Always, a()).holds_of_nothing() && !unary(Unary::Eventually, a()).holds_of_nothing());
        assert!(binary(Binary::WeakUntil, a(), a()).holds_of_nothing());
        assert!(!binary(Binary::Until, a(), a()).holds_of_nothing());
        assert!(connect(Connective::Implies, a(), a()).holds_of_nothing());
        let count = |comparison, full_window| {
            let aggregate = Box::new(Aggregate::Count { window: Quantity::whole(5), closed: true, of: a() });
            formula(FormulaKind::Aggregate { aggregate, comparison, bound: Quantity::whole(1), full_window })
        };
        assert!(count(Comparison::Less, false).holds_of_nothing());
        assert!(
            !count(Comparison::Less, true).holds_of_nothing() && !count(Comparison::AtLeast, false).holds_of_nothing()
        );
    }
}
