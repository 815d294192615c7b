// SPDX-License-Identifier: MIT OR Apache-2.0
//! The transition function written out, for drawing: under which conditions a state leads to which others.

use crate::automaton::{Automaton, Expression, PropositionId, State, StateId};

/// What a symbol is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Whether a proposition holds, so many states back.
    Holds {
        /// Which.
        proposition: PropositionId,
        /// How many states back; 0: now.
        back: usize,
    },
    /// Whether there is a state so many back.
    Exists {
        /// How many.
        back: usize,
    },
}

/// How the counter, with the gap before the symbol added, lies to the bound of its state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Range {
    /// There is no counter.
    Any,
    /// Below.
    Below,
    /// Exactly there.
    At,
    /// Below or there.
    UpTo,
    /// Beyond.
    Beyond,
}

/// What becomes of a copy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Branch {
    /// Acceptance or rejection.
    Constant(bool),
    /// The branch is open only if the answer is this.
    Ask(Question, bool),
    /// It goes on in a state.
    Go(Target),
    /// Universal branching.
    And(Vec<Branch>),
    /// Existential branching.
    Or(Vec<Branch>),
}

/// Where a copy goes on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Target {
    /// The invariant itself.
    Invariant,
    /// A state that is entered now: a counter begins at 0.
    Begin(StateId),
    /// The same state: a counter goes on.
    Stay(StateId),
    /// A state that is entered as if one state earlier, and reads this symbol too.
    Late(StateId),
}

impl Automaton {
    /// What the invariant does.
    pub fn invariant_transition(&self) -> Branch {
        and(vec![self.enter(&self.body, 0), Branch::Go(Target::Invariant)])
    }

    /// What a state does, by the range of its counter.
    pub fn transitions(&self, id: StateId) -> Vec<(Range, Branch)> {
        let (ties, stay) = (self.ties(), Branch::Go(Target::Stay(id)));
        let goes_on = if ties { Range::UpTo } else { Range::Below };
        let at_end = |branch: Branch| (!ties).then_some((Range::At, branch));
        let (first, at, beyond) = match self.state(id) {
            State::Until { .. } | State::Release { .. } => {
                return vec![(Range::Any, self.begin(id, Target::Stay(id), 0))];
            }
            State::Next { of, .. } => return vec![(Range::Any, self.enter(of, 0))],
            State::Within { of, .. } => {
                let now = self.enter(of, 0);
                (or(vec![now.clone(), stay]), at_end(now), Branch::Constant(false))
            }
            State::Throughout { of, .. } => {
                let now = self.enter(of, 0);
                (and(vec![now.clone(), stay]), at_end(now), Branch::Constant(true))
            }
            State::InFuture { of, .. } => (stay, at_end(self.enter(of, 0)), self.enter(of, 1)),
        };
        let mut cases = vec![(goes_on, first)];
        cases.extend(at);
        cases.push((Range::Beyond, beyond));
        cases
    }

    fn enter(&self, expression: &Expression, back: usize) -> Branch {
        match expression {
            Expression::Constant(value) => Branch::Constant(*value),
            Expression::Literal { proposition, negated } => {
                Branch::Ask(Question::Holds { proposition: *proposition, back }, !negated)
            }
            Expression::And(parts) => and(parts.iter().map(|part| self.enter(part, back)).collect()),
            Expression::Or(parts) => or(parts.iter().map(|part| self.enter(part, back)).collect()),
            Expression::Temporal(id) if back > 0 => Branch::Go(Target::Late(*id)),
            Expression::Temporal(id) => self.begin(*id, Target::Begin(*id), back),
            Expression::Previous { of, weak } => {
                let (exists, before) = (Question::Exists { back: back + 1 }, self.enter(of, back + 1));
                if *weak {
                    or(vec![Branch::Ask(exists, false), before])
                } else {
                    and(vec![Branch::Ask(exists, true), before])
                }
            }
        }
    }

    fn begin(&self, id: StateId, target: Target, back: usize) -> Branch {
        let go = Branch::Go(target);
        match self.state(id) {
            State::Until { left, right } => or(vec![self.enter(right, back), and(vec![self.enter(left, back), go])]),
            State::Release { left, right } => and(vec![self.enter(right, back), or(vec![self.enter(left, back), go])]),
            State::Within { of, .. } => or(vec![self.enter(of, back), go]),
            State::Throughout { of, .. } => and(vec![self.enter(of, back), go]),
            State::InFuture { .. } | State::Next { .. } => go,
        }
    }
}

fn and(parts: Vec<Branch>) -> Branch {
    join(parts, false)
}

fn or(parts: Vec<Branch>) -> Branch {
    join(parts, true)
}

fn join(parts: Vec<Branch>, is_or: bool) -> Branch {
    let mut kept: Vec<Branch> = Vec::with_capacity(parts.len());
    for part in parts {
        let inner = match (part, is_or) {
            (Branch::Constant(value), _) if value == is_or => return Branch::Constant(is_or),
            (Branch::Constant(_), _) => continue,
            (Branch::And(inner), false) | (Branch::Or(inner), true) => inner,
            (part, _) => vec![part],
        };
        for part in inner {
            if !kept.contains(&part) {
                kept.push(part);
            }
        }
    }
    match (kept.len(), is_or) {
        (0, _) => Branch::Constant(!is_or),
        (1, _) => kept.swap_remove(0),
        (_, true) => Branch::Or(kept),
        (_, false) => Branch::And(kept),
    }
}

/// One way through a transition: the answers that lead there, and the states that the copy splits into; `None`: rejection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    /// The answers.
    pub answers: Vec<(Question, bool)>,
    /// The states, all of them at once; none: acceptance.
    pub targets: Option<Vec<Target>>,
}

/// Two ways to the same states that differ in the answer to one question, which therefore does not matter.
fn alike(ways: &[Way]) -> Option<(usize, usize, Question)> {
    for (first, way) in ways.iter().enumerate() {
        for (second, other) in ways.iter().enumerate().skip(first + 1) {
            if way.targets != other.targets || way.answers.len() != other.answers.len() {
                continue;
            }
            let differing: Vec<&(Question, bool)> =
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

impl Branch {
    /// The ways through it, if there are at most so many. Those that lead to different states are told apart by the answers,
    /// unless one may choose.
    pub fn ways(&self, limit: usize) -> Option<Vec<Way>> {
        let mut ways = Vec::new();
        self.split(&mut Vec::new(), limit, &mut ways)?;
        while let Some((first, second, question)) = alike(&ways) {
            ways.remove(second);
            ways[first].answers.retain(|(asked, _)| *asked != question);
        }
        Some(ways)
    }

    fn split(&self, answers: &mut Vec<(Question, bool)>, limit: usize, ways: &mut Vec<Way>) -> Option<()> {
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
            ways.push(Way { answers: answers.clone(), targets: None });
        }
        ways.extend(choices.into_iter().map(|targets| Way { answers: answers.clone(), targets: Some(targets) }));
        (ways.len() <= limit).then_some(())
    }

    fn question(&self) -> Option<Question> {
        match self {
            Branch::Ask(question, _) => Some(*question),
            Branch::And(parts) | Branch::Or(parts) => parts.iter().find_map(Branch::question),
            Branch::Constant(_) | Branch::Go(_) => None,
        }
    }

    fn answered(&self, question: Question, answer: bool) -> Branch {
        match self {
            Branch::Ask(asked, wanted) if *asked == question => Branch::Constant(*wanted == answer),
            Branch::And(parts) => and(parts.iter().map(|part| part.answered(question, answer)).collect()),
            Branch::Or(parts) => or(parts.iter().map(|part| part.answered(question, answer)).collect()),
            other => other.clone(),
        }
    }

    /// The sets of states that it may go on in, if there are at most so many; none of them within another.
    fn choices(&self, limit: usize) -> Option<Vec<Vec<Target>>> {
        let mut choices: Vec<Vec<Target>> = match self {
            Branch::Constant(true) => vec![vec![]],
            Branch::Constant(false) | Branch::Ask(..) => vec![],
            Branch::Go(target) => vec![vec![*target]],
            Branch::Or(parts) => {
                let parts: Option<Vec<_>> = parts.iter().map(|part| part.choices(limit)).collect();
                parts?.concat()
            }
            Branch::And(parts) => {
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
        let mut kept: Vec<Vec<Target>> = Vec::new();
        choices.sort_by_key(Vec::len);
        for choice in choices {
            if !kept.iter().any(|smaller| smaller.iter().all(|target| choice.contains(target))) {
                kept.push(choice);
            }
        }
        (kept.len() <= limit).then_some(kept)
    }
}
