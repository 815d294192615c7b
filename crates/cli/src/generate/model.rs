// SPDX-License-Identifier: MIT OR Apache-2.0
//! A process model: activities, their order, probabilities and durations.

use gnomon::diagnostic::Span;
use gnomon::random::Random;
use gnomon::time::Unit;
use gnomon::value::Value;

/// Probability 1, in billionths.
pub(super) const CERTAIN: u64 = 1_000_000_000;

/// An exact probability.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Chance {
    /// At most [`CERTAIN`].
    pub(super) billionths: u64,
}

impl Chance {
    /// Draws a random boolean with this probability.
    pub(super) fn happens(self, random: &mut Random) -> bool {
        random.below(CERTAIN) < self.billionths
    }
}

/// Whole numbers from `low` to `high`, both included. INVARIANT: `low <= high` (the parser's `range`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct IntRange {
    pub(super) low: i64,
    pub(super) high: i64,
}

impl IntRange {
    /// Draws a number uniformly.
    pub(super) fn draw(self, random: &mut Random) -> i64 {
        random.between(self.low, self.high)
    }
}

/// A complete model. INVARIANT: every index in it is valid. A block refers only to earlier blocks, so there are no cycles.
#[derive(Debug)]
pub(super) struct Model {
    /// The field that carries the time.
    pub(super) time_field: String,
    /// The unit of times.
    pub(super) unit: Option<Unit>,
    /// The field that carries the number of the case, if any.
    pub(super) case_field: Option<String>,
    pub(super) seed: u64,
    pub(super) activities: Vec<Activity>,
    pub(super) blocks: Vec<Vec<ProcessStep>>,
    /// The block that each case runs.
    pub(super) process: usize,
    /// The place of a loop without an end.
    pub(super) endless: Option<Span>,
}

/// An activity, which logs one event or two.
#[derive(Debug)]
pub(super) struct Activity {
    /// The name of its events.
    pub(super) name: String,
    pub(super) fields: Vec<FieldModel>,
    pub(super) takes: IntRange,
    /// The probability that it takes longer, and its duration then.
    pub(super) slow: Option<(Chance, IntRange)>,
    /// The probability that it starts but does not end.
    pub(super) fails: Option<Chance>,
    /// The probability that it is left out.
    pub(super) skipped: Option<Chance>,
    /// The probability that it happens twice.
    pub(super) repeated: Option<Chance>,
}

impl Activity {
    /// Returns true if it logs two events, at its start and at its end.
    pub(super) fn is_pair(&self) -> bool {
        self.fields.iter().any(|field| field.end.is_some())
    }
}

/// A field of an activity's events.
#[derive(Clone, Debug)]
pub(super) struct FieldModel {
    pub(super) name: String,
    /// Possible values, all equally likely.
    pub(super) value: Vec<FieldValue>,
    /// Possible values at the end of the activity, if they differ.
    pub(super) end: Option<Vec<FieldValue>>,
}

/// A possible value of a field.
#[derive(Clone, Debug)]
pub(super) enum FieldValue {
    Constant(Value<'static>),
    Number(IntRange),
}

/// A step of a block.
#[derive(Debug)]
pub(super) enum ProcessStep {
    /// Performs an activity.
    Do(usize),
    /// Runs a block.
    Part(usize),
    /// Lets time pass.
    Wait(IntRange),
    /// Runs a block with a probability.
    Maybe(Chance, usize),
    /// Runs one of several blocks: cumulative probabilities in billionths, and the blocks.
    Choose(Vec<(u64, usize)>),
    /// Runs a block repeatedly.
    Repeat(Repeat),
}

/// A loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repeat {
    pub(super) low: u64,
    /// `None`: any number of rounds.
    pub(super) high: Option<u64>,
    /// The probability of another round after `low` rounds; without it, the number of rounds is drawn in advance.
    pub(super) another: Option<Chance>,
    pub(super) body: usize,
}

impl Repeat {
    /// Returns true if only the end of the trace ends the loop.
    pub(super) fn is_endless(&self) -> bool {
        self.high.is_none() && self.another.is_none_or(|chance| chance.billionths == CERTAIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_zero_and_one_are_exact() {
        let mut random = Random::new(7);
        for _ in 0..100 {
            assert!(Chance { billionths: CERTAIN }.happens(&mut random));
            assert!(!Chance { billionths: 0 }.happens(&mut random));
        }
        let often = (0..10_000).filter(|_| Chance { billionths: CERTAIN / 4 }.happens(&mut random)).count();
        assert!((2_300..2_700).contains(&often), "{often}");
    }
}
