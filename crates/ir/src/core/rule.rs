// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules over messages in kernel form.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::{Clock, Duration};

use super::{AtomDefinition, AtomId};
use crate::pattern::{Path, Pattern};
use crate::rule::{Matching, Modality};

/// A rule in kernel form. Each event is a message of its own.
#[derive(Clone, PartialEq, Debug)]
pub struct RuleCore {
    /// The property's name.
    pub name: String,
    /// The trace's unit.
    pub clock: Clock,
    /// The first constant with a unit, where none is declared: such a spec only fits traces with date-times.
    pub needs_unit: Option<Span>,
    /// The messages, phase included.
    pub atoms: Vec<AtomDefinition>,
    /// Permission or prohibition.
    pub modality: Modality,
    /// Which messages serve which suppositions.
    pub matching: Matching,
    /// Whether what is pending at the end of a complete trace is violated.
    pub strict_end: bool,
    /// A message that matches one of these asks for the context, once.
    pub supposition: Vec<AtomId>,
    /// Whether the context comes after the supposition or before it.
    pub direction: Direction,
    /// The least distance between supposition and context.
    pub lower: Duration,
    /// The greatest distance; `None`: there is none.
    pub upper: Option<Duration>,
    /// The actions of the context, in the order of the text; at most [`RuleCore::MAX_ACTIONS`].
    pub actions: Vec<ActionCore>,
    /// How they are joined.
    pub context: ContextCore,
    /// What the messages of one instance have in common; at most [`RuleCore::MAX_CORRELATIONS`].
    pub correlations: Vec<CorrelationCore>,
    /// Where the context is written.
    pub context_span: Span,
    /// Where the rule is written.
    pub span: Span,
}

impl RuleCore {
    /// The most actions that a context may have.
    pub const MAX_ACTIONS: usize = 64;
    /// The most correlation sets that a rule may have.
    pub const MAX_CORRELATIONS: usize = 8;
}

/// Where the context lies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// After the supposition.
    Future,
    /// Before it.
    Past,
}

/// One action of a context.
#[derive(Clone, PartialEq, Debug)]
pub struct ActionCore {
    /// Its message.
    pub atom: AtomId,
    /// Whether it is true until the message comes, and false from then on.
    pub negated: bool,
    /// Where it is written.
    pub span: Span,
}

/// How the actions of a context are joined.
#[derive(Clone, PartialEq, Debug)]
pub enum ContextCore {
    /// The action of this number.
    Action(usize),
    /// All of these.
    And(Vec<ContextCore>),
    /// One of these.
    Or(Vec<ContextCore>),
}

/// A correlation set.
#[derive(Clone, PartialEq, Debug)]
pub struct CorrelationCore {
    /// What reports call its value: the first member's field.
    pub name: String,
    /// Its members, in the order of the text. A message's value is that of the first member that it is of and whose
    /// field it has.
    pub members: Vec<MemberCore>,
}

/// A field of one message.
#[derive(Clone, PartialEq, Debug)]
pub struct MemberCore {
    /// The message, as the rule names it.
    pub message: String,
    /// The events that are this message, each with the field that has the value there.
    pub places: Vec<(Pattern, Path)>,
}
