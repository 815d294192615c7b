// SPDX-License-Identifier: MIT OR Apache-2.0
//! What runs a property for one binding.

use std::fmt::Debug;

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{End, Origin, Outcome, Violation};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::domain::Named;
use super::matches::{Mask, Match, Matches};
use super::sum::Sum;
use super::values::{Id, Values};

/// A property compiled for one binding. The slicer keeps a state per binding and says what happens to it.
pub(crate) trait Machine: Debug {
    type State: Clone + Debug + Serialize + DeserializeOwned;
    /// Buffers that live for one call.
    type Scratch: Clone + Debug;
    /// Whether a visit with a [`Sink::sum`] leaves what the state has counted as it is.
    const COUNTS_IN_SINK: bool;

    fn scratch(&self) -> Self::Scratch;

    /// The state before the first position.
    fn start(&self, max_violations: usize) -> Self::State;

    /// A new position. Its time is not before any told so far.
    fn visit(&self, state: &mut Self::State, scratch: &mut Self::Scratch, moment: &Moment<'_>, sink: &mut Sink<'_>);

    /// Whether a position does anything to a state; `true` where that is not known.
    fn reacts(&self, state: &Self::State, moment: &Moment<'_>) -> bool;

    /// The variables whose values matter to the machine beyond which events match. A state that does not have them all
    /// stands for no binding in particular; it keeps what [`Machine::replay`] needs.
    fn splits(&self) -> Mask;

    /// The state of a binding that has more of those variables than the state it comes from.
    fn replay(&self, from: &Self::State, ids: &[Id], values: &Values) -> Self::State;

    /// Whether nothing can go wrong for a binding while its own instance is not there. Then instances count what happens
    /// while they are, the root counts the rest, and an instance that has become like the root can be forgotten.
    fn lends(&self) -> bool {
        false
    }

    /// A state as it is for a binding that has counted nothing itself.
    fn without_counts(&self, state: &Self::State) -> Self::State {
        state.clone()
    }

    /// How many things a state has counted as begun and as ended well, where it [lends](Machine::lends).
    fn counts(&self, _: &Self::State) -> (u64, u64) {
        (0, 0)
    }

    /// Whether two states have the same future, whatever they have counted.
    fn is_like(&self, _: &Self::State, _: &Self::State) -> bool {
        false
    }

    /// Nothing earlier than `to` will come; so many violations are listed at most.
    fn advance(&self, state: &mut Self::State, scratch: &mut Self::Scratch, to: Timestamp, most_listed: usize);

    /// Whether positions that do not concern the binding can be passed over from now on, until [`Machine::deadline`].
    fn skips_idle(&self, state: &Self::State) -> bool;

    /// Whether a state that is not [busy](Machine::busy_until) is the one before the first position, whatever it has counted:
    /// it has nothing more to tell, and positions that do not concern the binding leave it like that, the first one included.
    fn rests(&self) -> bool {
        false
    }

    /// The earliest time whose passing changes something; [`Timestamp::MAX`] if none does.
    fn deadline(&self, state: &Self::State) -> Timestamp;

    /// The last time at which the state may behave unlike that of a binding to which nothing ever happened, if nothing
    /// more happens to it: [`Timestamp::MIN`] if it does not, [`Timestamp::MAX`] if that never ends.
    fn busy_until(&self, state: &Self::State) -> Timestamp;

    /// Whether nothing can change any more, whatever comes.
    fn is_settled(&self, state: &Self::State) -> bool;

    /// Whether the state has counted anything.
    fn has_counted(&self, state: &Self::State) -> bool;

    /// How many violations are certain, and those that are listed.
    fn violations<'s>(&self, state: &'s Self::State) -> (u64, &'s [Violation]);

    /// Forgets listed violations beyond so many, where it keeps a list.
    fn trim(&self, _: &mut Self::State, _: usize) {}

    /// What was counted so far.
    fn outcome(&self, state: &Self::State) -> Outcome;

    /// The trace ends.
    fn finish(&self, state: &mut Self::State, scratch: &mut Self::Scratch, extent: Extent, end: End) -> Outcome;

    /// Events that changed nothing named the binding before it had an instance of its own.
    fn name(&self, state: &mut Self::State, named: Named);

    /// Whether a binding is judged at all.
    fn admits(&self, ids: &[Id], values: &Values) -> bool;

    /// Whether [`Machine::admits`] ever says no.
    fn is_choosy(&self) -> bool;

    /// Where the whole property is written, and whether it looks ahead.
    fn whole(&self) -> (Span, bool);

    /// Whether every event that binds all variables is remembered, even if it changes nothing.
    fn remembers_all(&self) -> bool;

    /// Whether the same events always do the same to a binding to which nothing ever happened.
    fn is_steady(&self) -> bool;

    /// What a state owns outside of itself, in bytes, roughly.
    fn weight(&self) -> usize;
}

/// A position as one binding sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment<'a> {
    pub(crate) position: u64,
    /// The first event of the position.
    pub(crate) first: &'a Origin,
    pub(crate) matches: &'a Matches,
    /// Which of them are matches under the binding.
    pub(crate) applying: &'a [u32],
    /// The binding.
    pub(crate) ids: &'a [Id],
    pub(crate) values: &'a Values,
}

impl<'a> Moment<'a> {
    pub(crate) fn matches(&self) -> impl Iterator<Item = &'a Match> {
        let matches = self.matches;
        self.applying.iter().map(|index| matches.get(*index))
    }

    /// The atoms that match, a bit for each.
    #[inline]
    pub(crate) fn letter(&self) -> u64 {
        let bit = |index: u32| 1 << self.matches.get(index).atom().0;
        match *self.applying {
            [only] => bit(only),
            ref some => some.iter().fold(0, |letter, index| letter | bit(*index)),
        }
    }
}

/// Where a machine may count for a binding that is reported for itself, instead of in the state: it keeps states small.
#[derive(Debug)]
pub(crate) struct Sink<'a> {
    /// `None`: the state itself must count.
    pub(crate) sum: Option<&'a mut Sum>,
    /// Violations that were found, to be listed.
    pub(crate) found: &'a mut Vec<Violation>,
    /// How many are listed at most.
    pub(crate) most_listed: usize,
}

/// How far a trace went.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) positions: u64,
    pub(crate) last_time: Timestamp,
    /// No later position is earlier than this.
    pub(crate) frontier: Timestamp,
    /// The first event.
    pub(crate) first: Option<Origin>,
    /// How many violations are listed at most.
    pub(crate) most_listed: usize,
}
