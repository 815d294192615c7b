// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clock constraints (CCSL), as written: clocks that are defined by others, and relations between clocks.
//!
//! A clock is an event or a name with a definition. Both are written as an [`Atom`] without arguments; the definitions of the property
//! say which of the two a name is.

use std::fmt;

use gnomon_core::Span;

use crate::{Atom, Variable};

/// The body of a `ccsl` property.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Clocks {
    /// `clock late := req $ 1`, in the order of the text.
    pub definitions: Vec<ClockDefinition>,
    /// `req < ack`, in the order of the text.
    pub relations: Vec<ClockRelation<Atom>>,
}

impl Clocks {
    /// Returns true if a name has a definition.
    pub fn defines(&self, name: &str) -> bool {
        self.definitions.iter().any(|definition| definition.clock.name == name)
    }
}

/// `clock late := req $ 1`
#[derive(Clone, PartialEq, Debug)]
pub struct ClockDefinition {
    /// Its name.
    pub clock: Variable,
    /// The instants at which it ticks.
    pub expression: ClockExpression<Atom>,
    /// Source location of the definition.
    pub span: Span,
}

/// An expression over clocks, which ticks at some of the instants at which one of them ticks.
#[derive(Clone, PartialEq, Debug)]
pub enum ClockExpression<C> {
    /// `a + b`: one of them ticks.
    Union(C, C),
    /// `a * b`: both tick.
    Intersection(C, C),
    /// `a - b`: the first ticks and the second does not.
    Difference(C, C),
    /// `a $ 2`: the ticks of `a` from the third on.
    Delay(C, u64),
    /// `a $ 2 on b`: the second tick of `b` after each tick of `a`.
    DelayOn {
        /// The clock whose ticks are delayed.
        of: C,
        /// The number of ticks.
        by: u64,
        /// The clock whose ticks are counted.
        on: C,
    },
    /// `a every 3 from 1`
    Every {
        /// The clock of which some ticks are taken.
        of: C,
        /// The number of ticks from one to the next.
        period: u64,
        /// The number of the first, counted from 1; `None`: the period.
        from: Option<u64>,
    },
    /// `a filter 0(1)`: the ticks of `a` that the word takes.
    Filter(C, ClockWord),
    /// `a sampled b`, `a strictly sampled b`: the ticks of `b` after a tick of `a`.
    Sampled {
        /// The sampled clock.
        of: C,
        /// The clock that samples.
        by: C,
        /// True if a tick of `of` counts for the next tick of `by` after it, not for one at the same instant.
        strictly: bool,
    },
    /// `a upto b`: the ticks of `a` before the first of `b`.
    UpTo(C, C),
    /// `a wait 3`: the third tick of `a`.
    Wait(C, u64),
    /// `a ; b`: the ticks of `a` until it dies, then those of `b`.
    Then(C, C),
    /// `inf(a, b)`: the n-th tick is the earlier of the n-th ticks.
    Infimum(C, C),
    /// `sup(a, b)`: the n-th tick is the later of the n-th ticks.
    Supremum(C, C),
}

impl<C> ClockExpression<C> {
    /// Returns the clocks in the order of the text.
    pub fn operands(&self) -> impl Iterator<Item = &C> {
        let (first, second) = match self {
            ClockExpression::Union(left, right)
            | ClockExpression::Intersection(left, right)
            | ClockExpression::Difference(left, right)
            | ClockExpression::UpTo(left, right)
            | ClockExpression::Then(left, right)
            | ClockExpression::Infimum(left, right)
            | ClockExpression::Supremum(left, right)
            | ClockExpression::DelayOn { of: left, on: right, .. }
            | ClockExpression::Sampled { of: left, by: right, .. } => (left, Some(right)),
            ClockExpression::Delay(of, _)
            | ClockExpression::Every { of, .. }
            | ClockExpression::Filter(of, _)
            | ClockExpression::Wait(of, _) => (of, None),
        };
        std::iter::once(first).chain(second)
    }

    /// Replaces the clocks.
    pub fn map<D>(&self, mut of: impl FnMut(&C) -> D) -> ClockExpression<D> {
        match self {
            ClockExpression::Union(left, right) => ClockExpression::Union(of(left), of(right)),
            ClockExpression::Intersection(left, right) => ClockExpression::Intersection(of(left), of(right)),
            ClockExpression::Difference(left, right) => ClockExpression::Difference(of(left), of(right)),
            ClockExpression::Delay(clock, by) => ClockExpression::Delay(of(clock), *by),
            ClockExpression::DelayOn { of: clock, by, on } => {
                ClockExpression::DelayOn { of: of(clock), by: *by, on: of(on) }
            }
            ClockExpression::Every { of: clock, period, from } => {
                ClockExpression::Every { of: of(clock), period: *period, from: *from }
            }
            ClockExpression::Filter(clock, word) => ClockExpression::Filter(of(clock), word.clone()),
            ClockExpression::Sampled { of: clock, by, strictly } => {
                ClockExpression::Sampled { of: of(clock), by: of(by), strictly: *strictly }
            }
            ClockExpression::UpTo(left, right) => ClockExpression::UpTo(of(left), of(right)),
            ClockExpression::Wait(clock, ticks) => ClockExpression::Wait(of(clock), *ticks),
            ClockExpression::Then(left, right) => ClockExpression::Then(of(left), of(right)),
            ClockExpression::Infimum(left, right) => ClockExpression::Infimum(of(left), of(right)),
            ClockExpression::Supremum(left, right) => ClockExpression::Supremum(of(left), of(right)),
        }
    }

    /// Returns true if the clock ends after some tick.
    pub fn can_die(&self) -> bool {
        match self {
            ClockExpression::UpTo(..) | ClockExpression::Wait(..) => true,
            ClockExpression::Filter(_, word) => word.period.is_empty(),
            _ => false,
        }
    }
}

/// `0(1)`: a word of digits 0 and 1, whose last part may be repeated for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockWord {
    /// The digits before the parentheses.
    pub prefix: Vec<bool>,
    /// The digits in parentheses; empty: the word is finite.
    pub period: Vec<bool>,
}

impl ClockWord {
    /// Returns the digit of this number, counted from 1; `None` behind the end of a finite word.
    #[inline]
    pub fn digit(&self, number: u64) -> Option<bool> {
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        match index.checked_sub(self.prefix.len()) {
            None => self.prefix.get(index).copied(),
            Some(rest) => self.period.get(rest.checked_rem(self.period.len())?).copied(),
        }
    }
}

impl fmt::Display for ClockWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = |digits: &[bool]| digits.iter().map(|digit| if *digit { '1' } else { '0' }).collect::<String>();
        f.write_str(&digits(&self.prefix))?;
        if self.period.is_empty() { Ok(()) } else { write!(f, "({})", digits(&self.period)) }
    }
}

/// `req < ack`
#[derive(Clone, PartialEq, Debug)]
pub struct ClockRelation<C> {
    /// The relation.
    pub kind: ClockRelationKind,
    /// Left clock.
    pub left: C,
    /// Right clock.
    pub right: C,
    /// Source location.
    pub span: Span,
}

/// The relations of two clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockRelationKind {
    /// `a subclock b`
    Subclock,
    /// `a = b`
    Coincides,
    /// `a # b`
    Excludes,
    /// `a < b`
    Precedes,
    /// `a <[n] b`
    PrecedesWithin(u64),
    /// `a <= b`
    Causes,
    /// `a ~ b`
    Alternates,
}

impl ClockRelationKind {
    /// Returns true if each tick of the right clock uses up one of the left clock, so that some may remain at the end.
    pub const fn pairs_ticks(self) -> bool {
        matches!(
            self,
            ClockRelationKind::Precedes
                | ClockRelationKind::PrecedesWithin(_)
                | ClockRelationKind::Causes
                | ClockRelationKind::Alternates
        )
    }
}

impl fmt::Display for ClockRelationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClockRelationKind::Subclock => f.write_str("subclock"),
            ClockRelationKind::Coincides => f.write_str("="),
            ClockRelationKind::Excludes => f.write_str("#"),
            ClockRelationKind::Precedes => f.write_str("<"),
            ClockRelationKind::PrecedesWithin(bound) => write!(f, "<[{bound}]"),
            ClockRelationKind::Causes => f.write_str("<="),
            ClockRelationKind::Alternates => f.write_str("~"),
        }
    }
}
