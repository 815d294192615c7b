// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules over messages in kernel form.

use gnomon_core::{Clock, Duration, Span};

use super::{AtomDefinition, AtomId};
use crate::{EventPattern, Matching, Modality, Path};

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
    /// Assignment of messages to suppositions.
    pub matching: Matching,
    /// True if an instance that is pending at the end of a complete trace is violated.
    pub strict_end: bool,
    /// A message that matches one of these asks for the context, once.
    pub supposition: Vec<AtomId>,
    /// Position of the context relative to the supposition.
    pub direction: ContextDirection,
    /// The least distance between supposition and context.
    pub lower: Duration,
    /// The greatest distance; `None`: there is none.
    pub upper: Option<Duration>,
    /// The actions of the context, in the order of the text.
    pub actions: Vec<RuleActionCore>,
    /// Boolean structure of the actions.
    pub context: RuleContextCore,
    /// Correlations between the messages of one instance; at most [`RuleCore::MAX_CORRELATIONS`].
    pub correlations: Vec<CorrelationCore>,
    /// Source location of the context.
    pub context_span: Span,
    /// Source location of the rule.
    pub span: Span,
}

impl RuleCore {
    /// The most correlation sets that a rule may have.
    pub const MAX_CORRELATIONS: usize = 8;
}

/// Position of the context relative to the supposition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ContextDirection {
    /// After the supposition.
    Future,
    /// Before it.
    Past,
}

/// One action of a context.
#[derive(Clone, PartialEq, Debug)]
pub struct RuleActionCore {
    /// Its message.
    pub atom: AtomId,
    /// True if the action holds until the message comes and fails from then on.
    pub negated: bool,
    /// Source location.
    pub span: Span,
}

/// Boolean structure of the actions of a context.
#[derive(Clone, PartialEq, Debug)]
pub enum RuleContextCore {
    /// The action of this number.
    Action(usize),
    /// All of these.
    And(Vec<RuleContextCore>),
    /// One of these.
    Or(Vec<RuleContextCore>),
}

/// A correlation set.
#[derive(Clone, PartialEq, Debug)]
pub struct CorrelationCore {
    /// Name of the value in reports: the field of the first member.
    pub name: String,
    /// Its members, in the order of the text. A message's value is that of the first member that it is of and whose
    /// field it has.
    pub members: Vec<CorrelationMemberCore>,
}

/// A field of one message.
#[derive(Clone, PartialEq, Debug)]
pub struct CorrelationMemberCore {
    /// The message, as the rule names it.
    pub message: String,
    /// The events that are this message, each with the field that has the value there.
    pub places: Vec<(EventPattern, Path)>,
}
