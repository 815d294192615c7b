// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is left of the words of a formula: its parts after an event, numbered.
//!
//! After Antimirov: what is left after an event is a set of expressions, and there are no more of them than letters in the
//! formula, and one. Sequences are flat and without `nil`, so that the same rest is the same expression.
// RULE W1, W2, W9

use std::collections::BTreeSet;

use gnomon_ir::core::{ActionFormula, DataCore, ModalNode, RegularCore};
use rustc_hash::{FxHashMap, FxHashSet};

/// A rest's number.
pub(super) type Rest = usize;

/// The rests of a formula, and how events lead from one to others.
#[derive(Clone, Debug)]
pub(super) struct Words {
    /// Where it begins.
    pub(super) initial: Vec<Rest>,
    /// For each rest, where an event may lead.
    pub(super) moves: Vec<Vec<Move>>,
    /// For each rest, the conditions of which one being false makes it a violation to have come here, each under others that
    /// must be true.
    pub(super) breaches: Vec<Vec<Breach>>,
    /// The action formulae, equal ones once.
    pub(super) actions: Vec<ActionFormula>,
}

/// A letter that may come next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Move {
    /// The letter, by its place in the formula.
    letter: usize,
    /// What must be true of the event.
    pub(super) action: usize,
    pub(super) to: Rest,
}

/// What must be true of a binding for a rest to be a violation.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Breach {
    pub(super) given: Vec<DataCore>,
    /// What should be true, and is not.
    pub(super) broken: DataCore,
}

/// A sequence of expressions, the first one first, and what is asked behind them under which conditions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Left {
    /// Numbers of expressions, the first one last.
    stack: Vec<usize>,
    node: usize,
}

struct Builder<'a> {
    expressions: Vec<&'a RegularCore>,
    numbers: FxHashMap<*const RegularCore, usize>,
    nodes: Vec<(&'a ModalNode, Vec<DataCore>)>,
    rests: FxHashMap<Left, Rest>,
    pending: Vec<Left>,
    words: Words,
}

impl Words {
    pub(super) fn new(body: &ModalNode) -> Self {
        let mut builder = Builder {
            expressions: vec![],
            numbers: FxHashMap::default(),
            nodes: vec![(body, vec![])],
            rests: FxHashMap::default(),
            pending: vec![],
            words: Words { initial: vec![], moves: vec![], breaches: vec![], actions: vec![] },
        };
        let initial = builder.rest(Left { stack: vec![], node: 0 });
        builder.words.initial = vec![initial];
        let mut at = 0;
        while let Some(left) = builder.pending.get(at).cloned() {
            builder.expand(at, left);
            at += 1;
        }
        builder.words
    }

    /// For each rest, the letters that may come next in a word in front of something that fails.
    pub(super) fn letters(&self) -> Vec<BTreeSet<usize>> {
        let breaks: Vec<bool> = (0..self.moves.len()).map(|rest| self.can_break(rest)).collect();
        let of = |moves: &Vec<Move>| moves.iter().filter(|one| breaks[one.to]).map(|one| one.letter).collect();
        self.moves.iter().map(of).collect()
    }

    /// Whether a violation can come from a rest, itself included, whatever events and values are.
    fn can_break(&self, from: Rest) -> bool {
        let mut seen = vec![from];
        let mut next = 0;
        while let Some(&rest) = seen.get(next) {
            if !self.breaches[rest].is_empty() {
                return true;
            }
            for one in &self.moves[rest] {
                if !seen.contains(&one.to) {
                    seen.push(one.to);
                }
            }
            next += 1;
        }
        false
    }
}

impl<'a> Builder<'a> {
    fn number(&mut self, expression: &'a RegularCore) -> usize {
        let fresh = self.expressions.len();
        let number = *self.numbers.entry(std::ptr::from_ref(expression)).or_insert(fresh);
        if number == fresh {
            self.expressions.push(expression);
        }
        number
    }

    /// Puts an expression in front, flat.
    fn push(&mut self, stack: &mut Vec<usize>, expression: &'a RegularCore) {
        match expression {
            RegularCore::Nil => {}
            RegularCore::Then(first, second) => {
                self.push(stack, second);
                self.push(stack, first);
            }
            _ => {
                let number = self.number(expression);
                stack.push(number);
            }
        }
    }

    fn rest(&mut self, left: Left) -> Rest {
        if let Some(known) = self.rests.get(&left) {
            return *known;
        }
        let number = self.pending.len();
        self.rests.insert(left.clone(), number);
        self.pending.push(left);
        self.words.moves.push(vec![]);
        self.words.breaches.push(vec![]);
        number
    }

    fn action(&mut self, action: &ActionFormula) -> usize {
        let known = self.words.actions.iter().position(|known| known == action);
        known.unwrap_or_else(|| {
            self.words.actions.push(action.clone());
            self.words.actions.len() - 1
        })
    }

    /// What an event may do to a rest, and whether the rest is a violation.
    fn expand(&mut self, rest: Rest, left: Left) {
        let mut seen: FxHashSet<Left> = FxHashSet::default();
        let mut pending = vec![left];
        while let Some(left) = pending.pop() {
            if !seen.insert(left.clone()) {
                continue;
            }
            let Left { mut stack, node } = left;
            let Some(first) = stack.pop() else {
                self.enter(rest, node, &mut pending);
                continue;
            };
            match self.expressions[first] {
                RegularCore::Action(action) => {
                    let (action, to) = (self.action(action), self.rest(Left { stack, node }));
                    let one = Move { letter: first, action, to };
                    if !self.words.moves[rest].contains(&one) {
                        self.words.moves[rest].push(one);
                    }
                }
                RegularCore::Or(one, other) => {
                    for branch in [one, other] {
                        let mut stack = stack.clone();
                        self.push(&mut stack, branch);
                        pending.push(Left { stack, node });
                    }
                }
                RegularCore::Star(of) => {
                    pending.push(Left { stack: stack.clone(), node });
                    stack.push(first);
                    self.push(&mut stack, of);
                    pending.push(Left { stack, node });
                }
                // Never in front: sequences are flat.
                RegularCore::Nil | RegularCore::Then(..) => {}
            }
        }
    }

    /// A word is complete: what is asked behind it.
    fn enter(&mut self, rest: Rest, node: usize, pending: &mut Vec<Left>) {
        let (of, given) = self.nodes[node].clone();
        match of {
            ModalNode::Data(DataCore::Constant(true), _) => {}
            ModalNode::Data(data, _) => {
                let breach = Breach { given, broken: data.clone() };
                if !self.words.breaches[rest].contains(&breach) {
                    self.words.breaches[rest].push(breach);
                }
            }
            // There is none in a part of a formula: variables have their values.
            ModalNode::Forall(_, of) => {
                let node = self.node(of, given);
                pending.push(Left { stack: vec![], node });
            }
            ModalNode::And(parts) => {
                for part in parts {
                    let node = self.node(part, given.clone());
                    pending.push(Left { stack: vec![], node });
                }
            }
            ModalNode::Box(regular, then) => {
                let node = self.node(then, given);
                let mut stack = vec![];
                self.push(&mut stack, regular);
                pending.push(Left { stack, node });
            }
            ModalNode::Implies(data, then) => {
                let mut given = given;
                given.push(data.clone());
                let node = self.node(then, given);
                pending.push(Left { stack: vec![], node });
            }
        }
    }

    fn node(&mut self, node: &'a ModalNode, given: Vec<DataCore>) -> usize {
        let known = self.nodes.iter().position(|(known, under)| std::ptr::eq(*known, node) && *under == given);
        known.unwrap_or_else(|| {
            self.nodes.push((node, given));
            self.nodes.len() - 1
        })
    }
}
