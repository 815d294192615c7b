// SPDX-License-Identifier: MIT OR Apache-2.0
//! Long conjunctions and disjunctions without deep trees.

/// Up to this many operands are grouped from the left. A balanced tree of as many operands as a formula may have is no
/// higher than this, so that its printed form is grouped the same way again.
const FROM_THE_LEFT: usize = 16;

/// Joins the operands of an associative operator: few from the left, as they are read; many in a balanced tree, so that
/// a list of a thousand alternatives nests ten levels deep and not a thousand. There must be at least one operand.
pub(crate) fn join<T>(operands: Vec<T>, both: &mut impl FnMut(T, T) -> T) -> Option<T> {
    if operands.len() <= FROM_THE_LEFT { operands.into_iter().reduce(&mut *both) } else { balanced(operands, both) }
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
