// SPDX-License-Identifier: MIT OR Apache-2.0
//! A rule as written: correlation sets do not yet know where a message's name ends and its field begins.

use gnomon_core::diagnostic::Span;
use gnomon_ir::rule::{Modality, Phase, Window};

use crate::specfile::atom::AtomSyntax;

/// The body of a block.
pub(super) struct Syntax {
    pub(super) modality: Modality,
    pub(super) supposition: Vec<Action>,
    pub(super) window: Window,
    pub(super) context: Context,
    pub(super) sets: Vec<Set>,
}

/// `done(!a[x > 3])`
pub(super) struct Action {
    pub(super) phase: Phase,
    pub(super) negated: bool,
    pub(super) message: AtomSyntax,
    pub(super) span: Span,
}

/// Actions and what joins them.
pub(super) enum Context {
    Action(Action),
    And(Box<Context>, Box<Context>),
    Or(Box<Context>, Box<Context>),
}

/// `{a.id, b.id}`
pub(super) struct Set {
    pub(super) members: Vec<Member>,
    pub(super) span: Span,
}

/// `a.order/id`
pub(super) struct Member {
    /// The message; with the field, where a dot inside a word stands between them.
    pub(super) name: String,
    /// Whether the name stands in quotes.
    pub(super) quoted: bool,
    /// The field, where it stands apart from the message.
    pub(super) field: Option<String>,
    /// The steps into the field.
    pub(super) steps: Vec<String>,
    pub(super) span: Span,
}
