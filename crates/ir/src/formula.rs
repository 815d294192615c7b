// SPDX-License-Identifier: MIT OR Apache-2.0
//! Temporal formulae with their sugar, as the temporal languages share them.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;
use gnomon_core::value::Comparison;

use crate::pattern::{Atom, Path};
use crate::spec::{QuantifierKind, Variable};
use crate::term::{Occurrence, Reference, Term};

/// A formula and where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Formula {
    /// What it is.
    pub kind: Kind,
    /// Where it is written.
    pub span: Span,
}

/// The forms of a formula.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
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
        /// Which.
        operator: Unary,
        /// Whether it looks past the present position (`X` and `Y` always do).
        strict: bool,
        /// How often it is applied (`X^6 f`); 1 where no exponent is written.
        times: u32,
        /// At which distances.
        interval: Bounds,
        /// Of what.
        of: Box<Formula>,
    },
    /// A temporal operator of two formulae.
    Binary {
        /// Which.
        operator: Binary,
        /// Whether it looks past the present position.
        strict: bool,
        /// At which distances.
        interval: Bounds,
        /// What must hold in between.
        left: Box<Formula>,
        /// What must come, or have been.
        right: Box<Formula>,
    },
    /// A quantity over a window of the past, compared with a number.
    Aggregate {
        /// Which quantity.
        aggregate: Box<Aggregate>,
        /// How it is compared.
        comparison: Comparison,
        /// With what: a number, or for [`Aggregate::Gap`] an amount of time.
        bound: Quantity,
        /// Whether it is false while the trace is younger than the window.
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
    /// Whether the lower end belongs to it.
    pub lo_closed: bool,
    /// The upper end; `None`: infinity.
    pub hi: Option<Quantity>,
    /// Whether the upper end belongs to it.
    pub hi_closed: bool,
    /// Where it is written; `None` if it was omitted.
    pub span: Option<Span>,
}

impl Bounds {
    /// `(0, inf)`, where no interval is written.
    pub const POSITIVE: Bounds =
        Bounds { lo: Quantity::whole(0), lo_closed: false, hi: None, hi_closed: false, span: None };

    /// `[0, inf)`, where no interval is written and the present counts.
    pub const ANY: Bounds = Bounds { lo_closed: true, ..Bounds::POSITIVE };
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
        /// Whether a distance of exactly K counts.
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
        /// What is made of the numbers.
        fold: Fold,
        /// K
        window: Quantity,
        /// p
        of: Atom,
        /// The field.
        field: Path,
    },
}

/// What is made of the numbers of a window.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fold {
    /// Their sum; of none it is 0.
    Sum,
    /// Their mean; of none there is none.
    Mean,
    /// The least; of none there is none.
    Least,
    /// The greatest; of none there is none.
    Greatest,
}

impl Fold {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Fold::Sum => "sum",
            Fold::Mean => "avg",
            Fold::Least => "min",
            Fold::Greatest => "max",
        }
    }
}

impl Formula {
    /// The formulae directly inside this one.
    pub fn children(&self) -> Vec<&Formula> {
        match &self.kind {
            Kind::Constant(_) | Kind::Atom(_) | Kind::OnEvent(_) | Kind::Compare(..) => vec![],
            Kind::Not(of) | Kind::Unary { of, .. } | Kind::InFuture { of, .. } | Kind::Each { of, .. } => vec![of],
            Kind::Connective(_, left, right) | Kind::Binary { left, right, .. } => vec![left, right],
            Kind::Aggregate { aggregate, .. } => match aggregate.as_ref() {
                Aggregate::Count { of, .. } | Aggregate::Average { of, .. } | Aggregate::Maximum { of, .. } => vec![of],
                Aggregate::Gap { from, to, .. } => vec![from, to],
                Aggregate::Fold { .. } => vec![],
            },
        }
    }
}
