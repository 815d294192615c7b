// SPDX-License-Identifier: MIT OR Apache-2.0
//! Symbolic transition function, for drawing: conditions under which a state leads to others.

use crate::automaton::{AlternatingAutomaton, Expression, PropositionId, State, StateId};

/// Test of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolTest {
    /// A proposition holds `back` states ago.
    Holds {
        /// Proposition.
        proposition: PropositionId,
        /// Number of states to go back; 0 is the present state.
        back: usize,
    },
    /// There is a state `back` states ago.
    Exists {
        /// Number of states to go back.
        back: usize,
    },
}

/// Position of the counter, with the gap before the symbol added, relative to the bound of its state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CounterRange {
    /// Any: the copy has no counter.
    Any,
    /// Below the bound.
    Below,
    /// At the bound.
    At,
    /// Below or there.
    UpTo,
    /// Beyond.
    Beyond,
}

/// Successor formula of a copy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TransitionBranch {
    /// Acceptance or rejection.
    Constant(bool),
    /// The branch is open only if the answer is this.
    Ask(SymbolTest, bool),
    /// The copy continues in a state.
    Go(TransitionTarget),
    /// Universal branching.
    And(Vec<TransitionBranch>),
    /// Existential branching.
    Or(Vec<TransitionBranch>),
}

/// State in which a copy continues.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TransitionTarget {
    /// The invariant itself.
    Invariant,
    /// A state that is entered now: a counter begins at 0.
    Begin(StateId),
    /// Stays in this state; its counter continues.
    Stay(StateId),
    /// A state that is entered as if one state earlier, and reads this symbol too.
    Late(StateId),
}

impl AlternatingAutomaton {
    /// Returns the transition of the invariant.
    pub fn invariant_transition(&self) -> TransitionBranch {
        and(vec![self.enter(&self.body, 0), TransitionBranch::Go(TransitionTarget::Invariant)])
    }

    /// Returns the transitions of a state by the range of its counter.
    pub fn transitions(&self, id: StateId) -> Vec<(CounterRange, TransitionBranch)> {
        let (ties, stay) = (self.has_ties(), TransitionBranch::Go(TransitionTarget::Stay(id)));
        let goes_on = if ties { CounterRange::UpTo } else { CounterRange::Below };
        let at_end = |branch: TransitionBranch| (!ties).then_some((CounterRange::At, branch));
        let (first, at, beyond) = match self.state(id) {
            State::Until { .. } | State::Release { .. } => {
                return vec![(CounterRange::Any, self.begin(id, TransitionTarget::Stay(id), 0))];
            }
            State::Next { of, .. } => return vec![(CounterRange::Any, self.enter(of, 0))],
            State::Within { of, .. } => {
                let now = self.enter(of, 0);
                (or(vec![now.clone(), stay]), at_end(now), TransitionBranch::Constant(false))
            }
            State::Throughout { of, .. } => {
                let now = self.enter(of, 0);
                (and(vec![now.clone(), stay]), at_end(now), TransitionBranch::Constant(true))
            }
            State::InFuture { of, .. } => (stay, at_end(self.enter(of, 0)), self.enter(of, 1)),
        };
        let mut cases = vec![(goes_on, first)];
        cases.extend(at);
        cases.push((CounterRange::Beyond, beyond));
        cases
    }

    fn enter(&self, expression: &Expression, back: usize) -> TransitionBranch {
        match expression {
            Expression::Constant(value) => TransitionBranch::Constant(*value),
            Expression::Literal { proposition, negated } => {
                TransitionBranch::Ask(SymbolTest::Holds { proposition: *proposition, back }, !negated)
            }
            Expression::And(parts) => and(parts.iter().map(|part| self.enter(part, back)).collect()),
            Expression::Or(parts) => or(parts.iter().map(|part| self.enter(part, back)).collect()),
            Expression::Temporal(id) if back > 0 => TransitionBranch::Go(TransitionTarget::Late(*id)),
            Expression::Temporal(id) => self.begin(*id, TransitionTarget::Begin(*id), back),
            Expression::Previous { of, weak } => {
                let (exists, before) = (SymbolTest::Exists { back: back + 1 }, self.enter(of, back + 1));
                if *weak {
                    or(vec![TransitionBranch::Ask(exists, false), before])
                } else {
                    and(vec![TransitionBranch::Ask(exists, true), before])
                }
            }
        }
    }

    fn begin(&self, id: StateId, target: TransitionTarget, back: usize) -> TransitionBranch {
        let go = TransitionBranch::Go(target);
        match self.state(id) {
            State::Until { left, right } => or(vec![self.enter(right, back), and(vec![self.enter(left, back), go])]),
            State::Release { left, right } => and(vec![self.enter(right, back), or(vec![self.enter(left, back), go])]),
            State::Within { of, .. } => or(vec![self.enter(of, back), go]),
            State::Throughout { of, .. } => and(vec![self.enter(of, back), go]),
            State::InFuture { .. } | State::Next { .. } => go,
        }
    }
}

fn and(parts: Vec<TransitionBranch>) -> TransitionBranch {
    join(parts, false)
}

fn or(parts: Vec<TransitionBranch>) -> TransitionBranch {
    join(parts, true)
}

fn join(parts: Vec<TransitionBranch>, is_or: bool) -> TransitionBranch {
    let mut kept: Vec<TransitionBranch> = Vec::with_capacity(parts.len());
    for part in parts {
        let inner = match (part, is_or) {
            (TransitionBranch::Constant(value), _) if value == is_or => return TransitionBranch::Constant(is_or),
            (TransitionBranch::Constant(_), _) => continue,
            (TransitionBranch::And(inner), false) | (TransitionBranch::Or(inner), true) => inner,
            (part, _) => vec![part],
        };
        for part in inner {
            if !kept.contains(&part) {
                kept.push(part);
            }
        }
    }
    match (kept.len(), is_or) {
        (0, _) => TransitionBranch::Constant(!is_or),
        (1, _) => kept.swap_remove(0),
        (_, true) => TransitionBranch::Or(kept),
        (_, false) => TransitionBranch::And(kept),
    }
}

/// One way through a transition: the answers that lead there, and the states that the copy splits into; `None`: rejection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TransitionPath {
    /// The answers.
    pub answers: Vec<(SymbolTest, bool)>,
    /// The states, one copy in each; an empty list accepts.
    pub targets: Option<Vec<TransitionTarget>>,
}

/// Two ways to the same states that differ in the answer to one question, which therefore does not matter.
fn alike(ways: &[TransitionPath]) -> Option<(usize, usize, SymbolTest)> {
    for (first, way) in ways.iter().enumerate() {
        for (second, other) in ways.iter().enumerate().skip(first + 1) {
            if way.targets != other.targets || way.answers.len() != other.answers.len() {
                continue;
            }
            let differing: Vec<&(SymbolTest, bool)> =
                way.answers.iter().filter(|answer| !other.answers.contains(answer)).collect();
            if let [(question, answer)] = differing.as_slice()
                && other.answers.contains(&(*question, !answer))
            {
                return Some((first, second, *question));
            }
        }
    }
    None
}

impl TransitionBranch {
    /// Returns the paths through the formula; `None` if there are more than `limit`. Paths to different states differ in
    /// their answers, unless the choice is free.
    pub fn ways(&self, limit: usize) -> Option<Vec<TransitionPath>> {
        let mut ways = Vec::new();
        self.split(&mut Vec::new(), limit, &mut ways)?;
        while let Some((first, second, question)) = alike(&ways) {
            ways.remove(second);
            ways[first].answers.retain(|(asked, _)| *asked != question);
        }
        Some(ways)
    }

    fn split(&self, answers: &mut Vec<(SymbolTest, bool)>, limit: usize, ways: &mut Vec<TransitionPath>) -> Option<()> {
        if let Some(question) = self.question() {
            let [yes, no] = [true, false].map(|answer| self.answered(question, answer));
            if yes == no {
                return yes.split(answers, limit, ways);
            }
            for (answer, branch) in [(true, yes), (false, no)] {
                answers.push((question, answer));
                branch.split(answers, limit, ways)?;
                answers.pop();
            }
            return Some(());
        }
        let choices = self.choices(limit)?;
        if choices.is_empty() {
            ways.push(TransitionPath { answers: answers.clone(), targets: None });
        }
        ways.extend(
            choices.into_iter().map(|targets| TransitionPath { answers: answers.clone(), targets: Some(targets) }),
        );
        (ways.len() <= limit).then_some(())
    }

    fn question(&self) -> Option<SymbolTest> {
        match self {
            TransitionBranch::Ask(question, _) => Some(*question),
            TransitionBranch::And(parts) | TransitionBranch::Or(parts) => {
                parts.iter().find_map(TransitionBranch::question)
            }
            TransitionBranch::Constant(_) | TransitionBranch::Go(_) => None,
        }
    }

    fn answered(&self, question: SymbolTest, answer: bool) -> TransitionBranch {
        match self {
            TransitionBranch::Ask(asked, wanted) if *asked == question => TransitionBranch::Constant(*wanted == answer),
            TransitionBranch::And(parts) => and(parts.iter().map(|part| part.answered(question, answer)).collect()),
            TransitionBranch::Or(parts) => or(parts.iter().map(|part| part.answered(question, answer)).collect()),
            other => other.clone(),
        }
    }

    /// Returns the sets of states in which it may continue, none of them within another; `None` if there are more than `limit`.
    fn choices(&self, limit: usize) -> Option<Vec<Vec<TransitionTarget>>> {
        let mut choices: Vec<Vec<TransitionTarget>> = match self {
            TransitionBranch::Constant(true) => vec![vec![]],
            TransitionBranch::Constant(false) | TransitionBranch::Ask(..) => vec![],
            TransitionBranch::Go(target) => vec![vec![*target]],
            TransitionBranch::Or(parts) => {
                let parts: Option<Vec<_>> = parts.iter().map(|part| part.choices(limit)).collect();
                parts?.concat()
            }
            TransitionBranch::And(parts) => {
                let mut all = vec![vec![]];
                for part in parts {
                    let part = part.choices(limit)?;
                    if all.len() * part.len() > limit {
                        return None;
                    }
                    all =
                        all.iter().flat_map(|left| part.iter().map(move |right| [&left[..], right].concat())).collect();
                }
                all
            }
        };
        for choice in &mut choices {
            choice.sort_unstable();
            choice.dedup();
        }
        let mut kept: Vec<Vec<TransitionTarget>> = Vec::new();
        choices.sort_by_key(Vec::len);
        for choice in choices {
            if !kept.iter().any(|smaller| smaller.iter().all(|target| choice.contains(target))) {
                kept.push(choice);
            }
        }
        (kept.len() <= limit).then_some(kept)
    }
}
