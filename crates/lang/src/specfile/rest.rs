// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stands where a formula should have ended.

use super::cursor::Cursor;

/// How a language goes on reading formulae.
pub(crate) trait Thread {
    /// Whether the current token begins a formula.
    fn starts_operand(&self, cursor: &Cursor<'_>) -> bool;
    /// Whether the current token stands between two formulae.
    fn is_infix(&self, cursor: &Cursor<'_>) -> bool;
    /// Reads a formula.
    fn read(&self, cursor: &mut Cursor<'_>);
    /// Blames the current token for beginning a formula right after another.
    fn no_operator(&self, cursor: &mut Cursor<'_>);
    /// Blames the current token for belonging to no formula.
    fn stray(&self, cursor: &mut Cursor<'_>);
}

/// Reads on to where a formula should have ended, and says what is wrong with what stands there: once, until an operator
/// shows that the thread is found again.
pub(crate) fn leftovers(cursor: &mut Cursor<'_>, thread: &dyn Thread, ends: &[&str]) {
    let mut lost = cursor.is_echo();
    while !cursor.at_end() && !ends.iter().any(|end| cursor.is(end)) {
        if thread.starts_operand(cursor) {
            if !lost {
                thread.no_operator(cursor);
            }
            lost = true;
            thread.read(cursor);
        } else if thread.is_infix(cursor) {
            lost = false;
            cursor.bump();
            thread.read(cursor);
        } else {
            if !lost {
                thread.stray(cursor);
            }
            lost |= !cursor.is(")");
            cursor.bump();
        }
    }
}
