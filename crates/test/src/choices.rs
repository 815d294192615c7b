// SPDX-License-Identifier: MIT OR Apache-2.0
//! Seeded random choices that are recorded, so that a case can be made again from fewer or smaller ones.

use gnomon_core::random;

/// A sequence of choices: those of a seed, or recorded ones. Where recorded choices have run out, every other one is 0.
#[derive(Clone, Debug)]
pub struct Choices {
    source: ChoiceSource,
    choices: Vec<u64>,
}

#[derive(Clone, Debug)]
enum ChoiceSource {
    Seed(random::Random),
    Replay(std::vec::IntoIter<u64>),
}

impl Choices {
    /// The choices of a seed.
    pub fn new(seed: u64) -> Self {
        Choices { source: ChoiceSource::Seed(random::Random::new(seed)), choices: Vec::new() }
    }

    /// These choices again. One that is too large is taken as the largest there is.
    pub fn replay(choices: Vec<u64>) -> Self {
        Choices { source: ChoiceSource::Replay(choices.into_iter()), choices: Vec::new() }
    }

    /// The choices made so far.
    pub fn choices(&self) -> &[u64] {
        &self.choices
    }

    fn choose(&mut self, end: u64, from_seed: impl FnOnce(&mut random::Random) -> u64) -> u64 {
        let choice = match &mut self.source {
            ChoiceSource::Seed(random) => from_seed(random),
            ChoiceSource::Replay(choices) => choices.next().unwrap_or(0).min(end.saturating_sub(1)),
        };
        self.choices.push(choice);
        choice
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.choose(end, |random| random.below(end))
    }

    /// A position in a list of this length.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// A number from `from` to `to`, both included.
    pub fn between(&mut self, from: i64, to: i64) -> i64 {
        from + self.below(to.abs_diff(from) + 1) as i64
    }

    /// True once in `n` times. The choice 0 is the usual one, false.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.choose(2, |random| u64::from(random.below(n) == 0)) == 1
    }

    /// One of these, which are not none.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.index(from.len())]
    }
}
