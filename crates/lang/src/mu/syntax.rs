// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a reader of formulae keeps in mind: parts with their places and heights, and what a word stands for where.

use std::borrow::Cow;
use std::collections::BTreeSet;

use gnomon_core::diagnostic::Span;
use gnomon_core::value::Value;
use gnomon_ir::automaton::Expression;
use gnomon_ir::modal::{Modal, Sort, Sorted};
use gnomon_ir::spec::Variable;

use super::names::ANY;
use crate::specfile::chain::join;
use crate::specfile::cursor::{Cursor, MAX_DEPTH};
use crate::specfile::lexer::Kind;
use crate::specfile::wildcard;

/// A part of a formula, where it stands, and how high its tree is.
pub(super) struct Part<T> {
    pub(super) node: T,
    pub(super) span: Span,
    pub(super) depth: u32,
}

impl<T> Part<T> {
    /// A part without parts.
    pub(super) fn leaf(node: T, span: Span) -> Self {
        Part { node, span, depth: 1 }
    }

    pub(super) fn map<U>(self, make: impl FnOnce(T) -> U) -> Part<U> {
        Part { node: make(self.node), span: self.span, depth: self.depth }
    }
}

/// A part one level higher, unless that is too high.
pub(super) fn over<T, U>(
    cursor: &mut Cursor<'_>,
    of: Part<T>,
    span: Span,
    make: impl FnOnce(T) -> U,
) -> Option<Part<U>> {
    let depth = of.depth + 1;
    if depth > MAX_DEPTH {
        cursor.too_deep();
        return None;
    }
    Some(Part { node: make(of.node), span, depth })
}

/// A part made of two, unless that is too high.
pub(super) fn both<T, U, V>(
    cursor: &mut Cursor<'_>,
    left: Part<T>,
    right: Part<U>,
    make: impl FnOnce(T, U) -> V,
) -> Option<Part<V>> {
    let span = left.span.to(right.span);
    let depth = left.depth.max(right.depth);
    over(cursor, Part { node: (left.node, right.node), span, depth }, span, |(left, right)| make(left, right))
}

/// The operands of an associative operator, joined.
pub(super) fn chain<T>(
    cursor: &mut Cursor<'_>,
    operands: Vec<Part<T>>,
    make: fn(Box<T>, Box<T>) -> T,
) -> Option<Part<T>> {
    let joined = join(operands.into_iter().map(Some).collect(), &mut |left, right| {
        both(cursor, left?, right?, |left, right| make(Box::new(left), Box::new(right)))
    });
    joined.flatten()
}

/// What words stand for, and the variables that `*` and computed parameters stand for.
pub(super) struct Context {
    /// The variables that are quantified here, innermost last.
    pub(super) scope: Vec<String>,
    /// Whether there is more than one `*`.
    several: bool,
    wildcards: Vec<Variable>,
    /// Every word of the formula, so that a new name is none of them.
    words: BTreeSet<String>,
    /// How many new names were tried.
    computed: u64,
}

impl Context {
    /// That of the formula at the cursor, which is all there is.
    pub(super) fn of(cursor: &Cursor<'_>) -> Context {
        let (mut stars, mut words, mut n) = (0, BTreeSet::new(), 0);
        while cursor.nth(n).kind != Kind::End {
            stars += usize::from(is_wildcard(cursor, n));
            words.extend(cursor.nth_word(n).map(str::to_owned));
            n += 1;
        }
        Context { scope: Vec::new(), several: stars > 1, wildcards: Vec::new(), words, computed: 0 }
    }

    /// A new variable for a `*`.
    pub(super) fn wildcard(&mut self, span: Span) -> Variable {
        let variable = Variable { name: wildcard::name(self.wildcards.len() + 1, self.several), span };
        self.wildcards.push(variable.clone());
        variable
    }

    /// A new variable for a parameter that is computed.
    pub(super) fn computed(&mut self, span: Span) -> Variable {
        loop {
            self.computed += 1;
            let name = format!("arg{}", self.computed);
            if !self.words.contains(&name) {
                return Variable { name, span };
            }
        }
    }

    /// What a word stands for: a variable if a quantifier names it, else a constant.
    pub(super) fn meaning(&self, word: &str, span: Span) -> Expression {
        if self.scope.iter().any(|name| name == word) {
            Expression::Variable(Variable { name: word.to_owned(), span })
        } else {
            Expression::Literal(Value::Text(Cow::Owned(word.to_owned())))
        }
    }

    /// The whole formula, for each value of each `*`.
    pub(super) fn around(self, modal: Modal) -> Modal {
        self.wildcards.into_iter().rev().fold(modal, |modal, variable| {
            let sorted = Sorted { variable, sort: Sort::Any, sort_name: ANY.to_owned() };
            Modal::Forall(sorted, Box::new(modal))
        })
    }
}

/// Whether a `*` that is a parameter stands `n` tokens on. Iterations follow what is iterated.
pub(super) fn is_wildcard(cursor: &Cursor<'_>, n: usize) -> bool {
    let before = match n {
        0 => cursor.previous().map(|token| token.kind),
        _ => Some(cursor.nth(n - 1).kind),
    };
    cursor.nth_is(n, "*")
        && matches!(before, Some(Kind::Symbol("(" | ",")))
        && matches!(cursor.nth(n + 1).kind, Kind::Symbol("," | ")"))
}

/// Skips to a bracket that closes what could not be understood, if there is one.
pub(super) fn skip_to(cursor: &mut Cursor<'_>, symbol: &str) {
    let (mut n, mut depth) = (0, 0_u32);
    loop {
        match cursor.nth(n).kind {
            Kind::End => return,
            Kind::Symbol(found) if depth == 0 && found == symbol => break,
            Kind::Symbol("(" | "[") => depth += 1,
            Kind::Symbol(")" | "]") => depth = depth.saturating_sub(1),
            _ => {}
        }
        n += 1;
    }
    cursor.skip_to(cursor.index() + n);
}
