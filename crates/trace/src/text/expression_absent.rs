// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replaces `expression` in a build without the feature `regex`.

use gnomon_scan::ByteRange;

/// A regular expression; there is none.
#[derive(Clone, Debug)]
pub(super) enum Expression {}

/// The groups of a match.
pub(super) struct ExpressionGroups;

impl Expression {
    /// Refuses the expression.
    pub(super) fn parse(_: &str) -> Result<(Expression, Vec<String>), String> {
        Err("this build has no regular expressions: it lacks the feature `regex`".to_owned())
    }

    pub(super) fn groups(&self) -> ExpressionGroups {
        match *self {}
    }

    pub(super) fn find(&self, _: &[u8], _: &mut ExpressionGroups, _: &mut [ByteRange]) -> bool {
        match *self {}
    }
}
