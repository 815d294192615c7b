// SPDX-License-Identifier: MIT OR Apache-2.0
//! Extended regular expressions: a complete deterministic automaton for each part, built from those of its parts.
// RULE L5

use std::collections::{BTreeMap, BTreeSet};

use gnomon_core::list::reachable;
use gnomon_ir::{Ere, LetterId};

/// A complete deterministic automaton.
#[derive(Clone)]
pub(super) struct Automaton {
    pub(super) start: usize,
    /// For each state and letter, the next state.
    pub(super) next: Vec<Vec<usize>>,
    /// For each state, true if the word that leads to it is in the language.
    pub(super) accepting: Vec<bool>,
}

impl Automaton {
    /// The automaton of an expression over letters below `letters`.
    pub(super) fn new(ere: &Ere<LetterId>, letters: usize) -> Automaton {
        let of = |inner: &Ere<LetterId>| Automaton::new(inner, letters);
        match ere {
            Ere::Empty => Automaton { start: 0, next: vec![vec![0; letters]], accepting: vec![false] },
            Ere::Epsilon => {
                Automaton { start: 0, next: vec![vec![1; letters], vec![1; letters]], accepting: vec![true, false] }
            }
            Ere::Letter(LetterId(own)) => {
                let first = (0..letters).map(|letter| if letter == *own as usize { 1 } else { 2 }).collect();
                let rest = vec![2; letters];
                Automaton { start: 0, next: vec![first, rest.clone(), rest], accepting: vec![false, true, false] }
            }
            Ere::Or(left, right) => of(left).product(&of(right), |left, right| left || right),
            Ere::And(left, right) => of(left).product(&of(right), |left, right| left && right),
            Ere::Not(inner) => {
                let mut automaton = of(inner);
                automaton.accepting.iter_mut().for_each(|accepting| *accepting = !*accepting);
                automaton
            }
            Ere::Then(left, right) => of(left).then(&of(right)),
            Ere::Star(inner) => Automaton::new(&Ere::Epsilon, letters).product(&of(inner).repeated(), |l, r| l || r),
            Ere::Plus(inner) => of(inner).repeated(),
            Ere::Optional(inner) => Automaton::new(&Ere::Epsilon, letters).product(&of(inner), |l, r| l || r),
            Ere::Power(inner, times) => {
                let one = of(inner);
                (0..*times).fold(Automaton::new(&Ere::Epsilon, letters), |before, _| before.then(&one))
            }
        }
    }

    /// Returns true if a word that leads to the state can be continued to one of the language.
    pub(super) fn is_productive(&self, state: usize) -> bool {
        reachable([state], |state| self.next[state].iter().copied()).iter().any(|state| self.accepting[*state])
    }

    /// Runs both side by side.
    fn product(&self, other: &Automaton, accepts: impl Fn(bool, bool) -> bool) -> Automaton {
        explore(
            (self.start, other.start),
            self.letters(),
            |(left, right), letter| (self.next[*left][letter], other.next[*right][letter]),
            |(left, right)| accepts(self.accepting[*left], other.accepting[*right]),
        )
    }

    /// A word of the one, then a word of the other: the state of the first, and those of all seconds that may have begun.
    fn then(&self, other: &Automaton) -> Automaton {
        let begin = |state: usize, mut seconds: BTreeSet<usize>| {
            if self.accepting[state] {
                seconds.insert(other.start);
            }
            (state, seconds)
        };
        explore(
            begin(self.start, BTreeSet::new()),
            self.letters(),
            |(state, seconds), letter| {
                let seconds = seconds.iter().map(|second| other.next[*second][letter]).collect();
                begin(self.next[*state][letter], seconds)
            },
            |(_, seconds)| seconds.iter().any(|second| other.accepting[*second]),
        )
    }

    /// One or more words: the states of all rounds that may have begun.
    fn repeated(&self) -> Automaton {
        let begin = |mut rounds: BTreeSet<usize>| {
            if rounds.iter().any(|round| self.accepting[*round]) {
                rounds.insert(self.start);
            }
            rounds
        };
        explore(
            begin(BTreeSet::from([self.start])),
            self.letters(),
            |rounds, letter| begin(rounds.iter().map(|round| self.next[*round][letter]).collect()),
            |rounds| rounds.iter().any(|round| self.accepting[*round]),
        )
    }

    fn letters(&self) -> usize {
        self.next[0].len()
    }

    /// Joins states that no word distinguishes, by refining classes until nothing changes.
    fn minimal(&self) -> Automaton {
        let mut class: Vec<usize> = self.accepting.iter().map(|accepting| usize::from(*accepting)).collect();
        let mut count = 0;
        loop {
            let mut numbers: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
            let finer = (0..class.len()).map(|state| {
                let next = self.next[state].iter().map(|next| class[*next]);
                let number = numbers.len();
                *numbers.entry([class[state]].into_iter().chain(next).collect()).or_insert(number)
            });
            class = finer.collect();
            if numbers.len() == count {
                break;
            }
            count = numbers.len();
        }
        let of_class = |number: usize| class.iter().position(|known| *known == number).unwrap_or_default();
        Automaton {
            start: class[self.start],
            next: (0..count)
                .map(|number| self.next[of_class(number)].iter().map(|next| class[*next]).collect())
                .collect(),
            accepting: (0..count).map(|number| self.accepting[of_class(number)]).collect(),
        }
    }
}

/// Numbers all states that can be reached.
fn explore<S: Ord + Clone>(
    start: S,
    letters: usize,
    step: impl Fn(&S, usize) -> S,
    accepts: impl Fn(&S) -> bool,
) -> Automaton {
    let mut numbers: BTreeMap<S, usize> = BTreeMap::from([(start.clone(), 0)]);
    let mut states: Vec<S> = vec![start];
    let mut next: Vec<Vec<usize>> = Vec::new();
    while let Some(state) = states.get(next.len()).cloned() {
        let targets = (0..letters).map(|letter| {
            let target = step(&state, letter);
            let number = numbers.len();
            *numbers.entry(target.clone()).or_insert_with(|| {
                states.push(target);
                number
            })
        });
        let targets: Vec<usize> = targets.collect();
        next.push(targets);
    }
    let accepting = states.iter().map(accepts).collect();
    Automaton { start: 0, next, accepting }.minimal()
}
