// SPDX-License-Identifier: MIT OR Apache-2.0
//! Linear temporal logic over infinite words: the graph of all values that the parts of a formula can have at a position, and the
//! paths in it that keep what they promise.
//!
//! A *valuation* gives each node a value at one position. The values of past operators follow from the valuation before; those of `o` and `U` are
//! guessed and bind the valuation after. A path of the graph is a model if each `U` that is true infinitely often is also fulfilled infinitely often.
// RULE L9, L11

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::{Edge, LetterId, LinearCore, LinearNode};

type Valuation = Vec<bool>;
type Numbers = BTreeSet<usize>;

pub(super) struct LinearMonitor<'a> {
    core: &'a LinearCore,
    valuations: Vec<Valuation>,
    /// For each letter, the valuations of a first position.
    first: Vec<Numbers>,
    /// For each valuation and letter, the valuations that may follow.
    next: Vec<Vec<Numbers>>,
    /// The valuations with which some model goes on.
    fair: Numbers,
}

/// The valuations of the last position with which an infinite word may go on that satisfies the formula, or its negation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LinearState {
    /// `None` before the first letter.
    possible: Option<(Numbers, Numbers)>,
    settled: Settled,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Settled {
    Open,
    Violated,
    Validated,
    /// By an earlier letter.
    Before,
}

/// Values of the parts of a past formula at the last position; `None` before the first letter.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PastState(Option<Valuation>);

impl LinearState {
    /// The word without letters.
    pub(super) fn start() -> LinearState {
        LinearState { possible: None, settled: Settled::Open }
    }

    pub(super) fn is_violated_now(&self) -> bool {
        self.settled == Settled::Violated
    }

    pub(super) fn is_validated_now(&self) -> bool {
        self.settled == Settled::Validated
    }
}

impl<'a> LinearMonitor<'a> {
    pub(super) fn new(core: &'a LinearCore, letters: usize) -> Self {
        let mut monitor =
            LinearMonitor { core, valuations: vec![], first: vec![], next: vec![], fair: BTreeSet::new() };
        let mut numbers: BTreeMap<Valuation, usize> = BTreeMap::new();
        let letters: Vec<LetterId> = (0..letters).map(|letter| LetterId(letter as u32)).collect();
        monitor.first = letters.iter().map(|letter| monitor.numbered(&mut numbers, None, *letter)).collect();
        while monitor.next.len() < monitor.valuations.len() {
            let before = monitor.valuations[monitor.next.len()].clone();
            let next = letters.iter().map(|letter| monitor.numbered(&mut numbers, Some(&before), *letter)).collect();
            monitor.next.push(next);
        }
        monitor.fair = monitor.find_fair();
        monitor
    }

    pub(super) fn next(&self, state: &LinearState, letter: LetterId) -> LinearState {
        if state.settled != Settled::Open {
            return LinearState { possible: None, settled: Settled::Before };
        }
        let letter = letter.0 as usize;
        let after = |before: &Numbers| -> Numbers {
            let next = before.iter().flat_map(|one| &self.next[*one][letter]);
            next.filter(|one| self.fair.contains(one)).copied().collect()
        };
        let (satisfying, refuting): (Numbers, Numbers) = if let Some((satisfying, refuting)) = &state.possible {
            (after(satisfying), after(refuting))
        } else {
            let fair = self.first[letter].iter().filter(|one| self.fair.contains(one)).copied();
            fair.partition(|one| value(&self.valuations[*one], self.core.root))
        };
        let settled = match (satisfying.is_empty(), refuting.is_empty()) {
            (true, _) => Settled::Violated,
            (_, true) => Settled::Validated,
            _ => Settled::Open,
        };
        LinearState { possible: (settled == Settled::Open).then_some((satisfying, refuting)), settled }
    }

    /// The values after one more letter, of a formula without operators of the future.
    pub(super) fn next_past(&self, state: &PastState, letter: LetterId) -> PastState {
        PastState(self.valuations_after(state.0.as_ref(), letter).into_iter().next())
    }

    /// Returns true if a past formula is true at the last position.
    pub(super) fn holds(&self, state: &PastState) -> bool {
        state.0.as_ref().is_some_and(|valuation| value(valuation, self.core.root))
    }

    fn numbered(
        &mut self,
        numbers: &mut BTreeMap<Valuation, usize>,
        before: Option<&Valuation>,
        letter: LetterId,
    ) -> Numbers {
        let valuations = self.valuations_after(before, letter).into_iter();
        let number = |valuation: Valuation| {
            let new = numbers.len();
            *numbers.entry(valuation.clone()).or_insert_with(|| {
                self.valuations.push(valuation);
                new
            })
        };
        valuations.map(number).collect()
    }

    /// Returns the valuations of a position with this letter, after one with the valuation `before` or as the first.
    fn valuations_after(&self, before: Option<&Valuation>, letter: LetterId) -> BTreeSet<Valuation> {
        let is_future = |node: &&LinearNode| matches!(node, LinearNode::Next(_) | LinearNode::Until(..));
        let guessed = self.core.nodes.iter().filter(is_future).count();
        let valuations = (0..1_u64 << guessed).map(|guess| {
            let mut bits = (0..guessed).map(|bit| guess >> bit & 1 == 1);
            let mut values: Valuation = Vec::new();
            for (number, node) in self.core.nodes.iter().enumerate() {
                let was = before.is_some_and(|before| before[number]);
                values.push(match node {
                    LinearNode::True => true,
                    LinearNode::Letter(own) => *own == letter,
                    LinearNode::And(parts) => parts.iter().all(|part| value(&values, *part)),
                    LinearNode::Previous(of) => before.is_some_and(|before| value(before, *of)),
                    LinearNode::Since(left, right) => value(&values, *right) || value(&values, *left) && was,
                    LinearNode::Next(_) => bits.next() == Some(true),
                    LinearNode::Until(left, right) => {
                        let later = bits.next() == Some(true);
                        value(&values, *right) || value(&values, *left) && later
                    }
                });
            }
            values
        });
        valuations.filter(|values| before.is_none_or(|before| self.keeps(before, values))).collect()
    }

    /// Returns true if the later valuation has what the one before guessed.
    fn keeps(&self, before: &Valuation, after: &Valuation) -> bool {
        self.core.nodes.iter().enumerate().all(|(number, node)| match node {
            LinearNode::Next(of) => before[number] == value(after, *of),
            LinearNode::Until(left, right) if value(before, *left) && !value(before, *right) => {
                before[number] == after[number]
            }
            _ => true,
        })
    }

    /// The valuations from which an infinite path fulfils, or does not promise, each `U` infinitely often: the greatest set of those from
    /// which a path inside the set leads to such a valuation, for each `U`, in one step or more.
    fn find_fair(&self) -> Numbers {
        let mut fair: Numbers = (0..self.valuations.len()).collect();
        loop {
            let before = fair.len();
            fair = self.before_one_of(&fair, &fair);
            for (number, node) in self.core.nodes.iter().enumerate() {
                let LinearNode::Until(_, right) = node else { continue };
                let is_kept = |one: &&usize| {
                    let valuation = &self.valuations[**one];
                    !valuation[number] || value(valuation, *right)
                };
                let mut leading: Numbers = fair.iter().filter(is_kept).copied().collect();
                loop {
                    let size = leading.len();
                    leading.extend(self.before_one_of(&leading, &fair));
                    if leading.len() == size {
                        break;
                    }
                }
                fair = self.before_one_of(&leading, &fair);
            }
            if fair.len() == before {
                return fair;
            }
        }
    }

    /// Returns the valuations among some that one of others may follow.
    fn before_one_of(&self, after: &Numbers, among: &Numbers) -> Numbers {
        let leads = |one: &&usize| self.next[**one].iter().flatten().any(|next| after.contains(next));
        among.iter().filter(leads).copied().collect()
    }
}

fn value(valuation: &Valuation, edge: Edge) -> bool {
    valuation[edge.node.0 as usize] != edge.negated
}
