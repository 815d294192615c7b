// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trees while they are built: each subtree knows its position and its height, so that no tree grows too high.

use gnomon_core::diagnostic::Span;

use super::cursor::{Cursor, MAX_DEPTH};

/// A subtree with its position in the source and its height.
pub(crate) struct Subtree<T> {
    pub(crate) node: T,
    pub(crate) span: Span,
    pub(crate) depth: u32,
}

impl<T> Subtree<T> {
    /// Creates a subtree of one node.
    pub(crate) fn leaf(node: T, span: Span) -> Self {
        Subtree { node, span, depth: 1 }
    }

    pub(crate) fn map<U>(self, make: impl FnOnce(T) -> U) -> Subtree<U> {
        Subtree { node: make(self.node), span: self.span, depth: self.depth }
    }
}

/// Puts a node over a subtree. Returns `None` after reporting that the result is too high.
pub(crate) fn over<T, U>(
    cursor: &mut Cursor<'_>,
    of: Subtree<T>,
    span: Span,
    make: impl FnOnce(T) -> U,
) -> Option<Subtree<U>> {
    let depth = of.depth + 1;
    if depth > MAX_DEPTH {
        cursor.too_deep();
        return None;
    }
    Some(Subtree { node: make(of.node), span, depth })
}

/// Puts a node over two subtrees. Returns `None` after reporting that the result is too high.
pub(crate) fn both<T, U, V>(
    cursor: &mut Cursor<'_>,
    left: Subtree<T>,
    right: Subtree<U>,
    make: impl FnOnce(T, U) -> V,
) -> Option<Subtree<V>> {
    let span = left.span.to(right.span);
    let depth = left.depth.max(right.depth);
    over(cursor, Subtree { node: (left.node, right.node), span, depth }, span, |(left, right)| make(left, right))
}

/// Joins the operands of an associative operator as [`join`] does.
pub(crate) fn chain<T>(
    cursor: &mut Cursor<'_>,
    operands: Vec<Subtree<T>>,
    make: fn(Box<T>, Box<T>) -> T,
) -> Option<Subtree<T>> {
    let joined = join(operands.into_iter().map(Some).collect(), &mut |left, right| {
        both(cursor, left?, right?, |left, right| make(Box::new(left), Box::new(right)))
    });
    joined.flatten()
}

/// Up to this many operands are grouped from the left. A balanced tree of as many operands as a formula may have is no
/// higher than this, so that its printed form is grouped the same way again.
pub(crate) const GROUPED_FROM_LEFT: usize = 16;

/// Joins the operands of an associative operator; `None` if there are none.
///
/// Few operands are grouped from the left, as they are read: `a && b && c` is `(a && b) && c`. Many form a balanced
/// tree, so that a list of a thousand alternatives nests ten levels deep and not a thousand.
pub(crate) fn join<T>(operands: Vec<T>, both: &mut impl FnMut(T, T) -> T) -> Option<T> {
    if operands.len() <= GROUPED_FROM_LEFT { operands.into_iter().reduce(&mut *both) } else { balanced(operands, both) }
}

/// Joins the operands of an associative operator whose nodes hold boxes.
pub(crate) fn join_boxed<T>(operands: Vec<T>, make: fn(Box<T>, Box<T>) -> T) -> Option<T> {
    join(operands, &mut |left, right| make(Box::new(left), Box::new(right)))
}

fn balanced<T>(mut operands: Vec<T>, both: &mut impl FnMut(T, T) -> T) -> Option<T> {
    if operands.len() <= 1 {
        return operands.pop();
    }
    let right = operands.split_off(operands.len() / 2);
    let left = balanced(operands, both)?;
    let right = balanced(right, both)?;
    Some(both(left, right))
}
