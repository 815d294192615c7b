// SPDX-License-Identifier: MIT OR Apache-2.0
//! A rule as written. Members of correlation sets are not yet split into a message and a field.

use gnomon_core::diagnostic::Span;
use gnomon_ir::{Correlation, Modality, RuleAction, RuleContext, RuleWindow};

use crate::syntax::atom::AtomSyntax;

/// The body of a block.
pub(super) struct Syntax {
    pub(super) modality: Modality,
    pub(super) supposition: Vec<ActionSyntax>,
    pub(super) window: RuleWindow,
    pub(super) context: ContextSyntax,
    pub(super) sets: Vec<CorrelationSyntax>,
}

/// `done(!a[x > 3])`
pub(super) type ActionSyntax = RuleAction<AtomSyntax>;

/// Actions and the connectives between them.
pub(super) type ContextSyntax = RuleContext<AtomSyntax>;

/// `{a.id, b.id}`
pub(super) type CorrelationSyntax = Correlation<MemberSyntax>;

/// `a.order/id`
pub(super) struct MemberSyntax {
    /// The message; with the field, if both are one word with a dot.
    pub(super) name: String,
    /// True if the name must be in quotes.
    pub(super) quoted: bool,
    /// The field, if it is a token of its own.
    pub(super) field: Option<String>,
    /// The steps into the field.
    pub(super) steps: Vec<String>,
    pub(super) span: Span,
}
