// SPDX-License-Identifier: MIT OR Apache-2.0
//! Partial derivatives of a formula, numbered.
//!
//! The derivative of an expression by an event describes the rests of its words that begin with the event. After Antimirov it is
//! a set of expressions, and all sets together have at most one expression more than the formula has letters. For example,
//! `[a* . b] false` derived by `a` is itself, derived by `b` it is `false`: a violation. Sequences are flat and without `nil`,
//! so that equal rests are equal expressions.
// RULE W1, W2, W9

use std::collections::BTreeSet;

use gnomon_ir::core::{ActionFormulaCore, GuardCore, ModalNode, RegularCore};
use rustc_hash::{FxHashMap, FxHashSet};

/// The number of a derivative.
pub(super) type DerivativeId = usize;

/// The derivatives of a formula, and the moves between them.
#[derive(Clone, Debug)]
pub(super) struct Derivatives {
    /// The formula itself.
    pub(super) initial: Vec<DerivativeId>,
    /// For each derivative, the moves that an event may make.
    pub(super) moves: Vec<Vec<DerivativeMove>>,
    /// For each derivative, the conditions under which reaching it is a violation.
    pub(super) violation_conditions: Vec<Vec<ViolationCondition>>,
    /// The action formulae, equal ones once.
    pub(super) actions: Vec<ActionFormulaCore>,
}

/// A letter that may come next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DerivativeMove {
    /// The letter, by its place in the formula.
    letter: usize,
    /// The action formula that must hold for the event.
    pub(super) action: usize,
    pub(super) to: DerivativeId,
}

/// A condition on the values of a binding: all assumptions hold, and the requirement does not.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct ViolationCondition {
    pub(super) assumptions: Vec<GuardCore>,
    /// The condition that the formula requires.
    pub(super) required: GuardCore,
}

/// A sequence of expressions, and the node with its assumptions that follows them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Expression {
    /// The first one last.
    stack: Vec<StackEntry>,
    node: usize,
}

/// An expression, by its number, or the optional repetitions of the body of an expression `rho+`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct StackEntry {
    number: usize,
    is_repetition: bool,
}

struct Builder<'a> {
    expressions: Vec<&'a RegularCore>,
    numbers: FxHashMap<*const RegularCore, usize>,
    nodes: Vec<(&'a ModalNode, Vec<GuardCore>)>,
    derivative_ids: FxHashMap<Expression, DerivativeId>,
    pending: Vec<Expression>,
    derivatives: Derivatives,
}

impl Derivatives {
    pub(super) fn new(body: &ModalNode) -> Self {
        let mut builder = Builder {
            expressions: vec![],
            numbers: FxHashMap::default(),
            nodes: vec![(body, vec![])],
            derivative_ids: FxHashMap::default(),
            pending: vec![],
            derivatives: Derivatives { initial: vec![], moves: vec![], violation_conditions: vec![], actions: vec![] },
        };
        let initial = builder.derivative(Expression { stack: vec![], node: 0 });
        builder.derivatives.initial = vec![initial];
        let mut at = 0;
        while let Some(expression) = builder.pending.get(at).cloned() {
            builder.expand(at, expression);
            at += 1;
        }
        builder.derivatives
    }

    /// For each derivative, the letters that may come next in a word that can end in a violation.
    pub(super) fn letters(&self) -> Vec<BTreeSet<usize>> {
        let breaks: Vec<bool> = (0..self.moves.len()).map(|derivative| self.can_violate(derivative)).collect();
        let of =
            |moves: &Vec<DerivativeMove>| moves.iter().filter(|one| breaks[one.to]).map(|one| one.letter).collect();
        self.moves.iter().map(of).collect()
    }

    /// Returns true if a violation can be reached from a derivative, itself included, for some events and values.
    fn can_violate(&self, from: DerivativeId) -> bool {
        let mut visited = vec![from];
        let mut next = 0;
        while let Some(&derivative) = visited.get(next) {
            if !self.violation_conditions[derivative].is_empty() {
                return true;
            }
            for one in &self.moves[derivative] {
                if !visited.contains(&one.to) {
                    visited.push(one.to);
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

    /// Puts an expression in front, as a flat sequence.
    fn push(&mut self, stack: &mut Vec<StackEntry>, expression: &'a RegularCore) {
        match expression {
            RegularCore::Nil => {}
            RegularCore::Then(first, second) => {
                self.push(stack, second);
                self.push(stack, first);
            }
            _ => {
                let number = self.number(expression);
                stack.push(StackEntry { number, is_repetition: false });
            }
        }
    }

    fn derivative(&mut self, expression: Expression) -> DerivativeId {
        if let Some(known) = self.derivative_ids.get(&expression) {
            return *known;
        }
        let number = self.pending.len();
        self.derivative_ids.insert(expression.clone(), number);
        self.pending.push(expression);
        self.derivatives.moves.push(vec![]);
        self.derivatives.violation_conditions.push(vec![]);
        number
    }

    fn action(&mut self, action: &ActionFormulaCore) -> usize {
        let known = self.derivatives.actions.iter().position(|known| known == action);
        known.unwrap_or_else(|| {
            self.derivatives.actions.push(action.clone());
            self.derivatives.actions.len() - 1
        })
    }

    /// Finds the moves and the violation conditions of a derivative.
    fn expand(&mut self, derivative: DerivativeId, expression: Expression) {
        let mut visited: FxHashSet<Expression> = FxHashSet::default();
        let mut pending = vec![expression];
        while let Some(expression) = pending.pop() {
            if !visited.insert(expression.clone()) {
                continue;
            }
            let Expression { mut stack, node } = expression;
            let Some(first) = stack.pop() else {
                self.enter(derivative, node, &mut pending);
                continue;
            };
            match self.expressions[first.number] {
                RegularCore::Action(action) => {
                    let (action, to) = (self.action(action), self.derivative(Expression { stack, node }));
                    let one = DerivativeMove { letter: first.number, action, to };
                    if !self.derivatives.moves[derivative].contains(&one) {
                        self.derivatives.moves[derivative].push(one);
                    }
                }
                RegularCore::Or(one, other) => {
                    for branch in [one, other] {
                        let mut stack = stack.clone();
                        self.push(&mut stack, branch);
                        pending.push(Expression { stack, node });
                    }
                }
                RegularCore::Star(of) => {
                    pending.push(Expression { stack: stack.clone(), node });
                    stack.push(first);
                    self.push(&mut stack, of);
                    pending.push(Expression { stack, node });
                }
                RegularCore::Plus(of) => {
                    if first.is_repetition {
                        pending.push(Expression { stack: stack.clone(), node });
                    }
                    stack.push(StackEntry { is_repetition: true, ..first });
                    self.push(&mut stack, of);
                    pending.push(Expression { stack, node });
                }
                // Never in front: sequences are flat.
                RegularCore::Nil | RegularCore::Then(..) => {}
            }
        }
    }

    /// A word is complete: adds the requirements of the node behind it.
    fn enter(&mut self, derivative: DerivativeId, node: usize, pending: &mut Vec<Expression>) {
        let (of, assumptions) = self.nodes[node].clone();
        match of {
            ModalNode::Data(GuardCore::Constant(true), _) => {}
            ModalNode::Data(data, _) => {
                let condition = ViolationCondition { assumptions, required: data.clone() };
                if !self.derivatives.violation_conditions[derivative].contains(&condition) {
                    self.derivatives.violation_conditions[derivative].push(condition);
                }
            }
            // Variables have their values: the quantifier adds nothing.
            ModalNode::Forall(_, of) => {
                let node = self.node(of, assumptions);
                pending.push(Expression { stack: vec![], node });
            }
            ModalNode::And(parts) => {
                for part in parts {
                    let node = self.node(part, assumptions.clone());
                    pending.push(Expression { stack: vec![], node });
                }
            }
            ModalNode::Box(regular, then) => {
                let node = self.node(then, assumptions);
                let mut stack = vec![];
                self.push(&mut stack, regular);
                pending.push(Expression { stack, node });
            }
            ModalNode::Implies(data, then) => {
                let mut assumptions = assumptions;
                assumptions.push(data.clone());
                let node = self.node(then, assumptions);
                pending.push(Expression { stack: vec![], node });
            }
        }
    }

    fn node(&mut self, node: &'a ModalNode, assumptions: Vec<GuardCore>) -> usize {
        let known = self.nodes.iter().position(|(known, under)| std::ptr::eq(*known, node) && *under == assumptions);
        known.unwrap_or_else(|| {
            self.nodes.push((node, assumptions));
            self.nodes.len() - 1
        })
    }
}
