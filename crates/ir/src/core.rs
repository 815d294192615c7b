// SPDX-License-Identifier: MIT OR Apache-2.0
//! One property with few operators: what the oracle explains and the engine runs.

mod modal;
mod parts;
mod requirement;
mod rule;
mod term;

use gnomon_core::diagnostic::Span;
use gnomon_core::interval::Interval;
use gnomon_core::time::{Clock, Duration};
use gnomon_core::value::{Comparison, Value};
use gnomon_core::verdict::Simultaneous;

use crate::automaton::{Arithmetic, Otherwise};
use crate::formula::Fold;
use crate::pattern::{Path, Pattern, VariableId};
use crate::spec::QuantifierKind;

pub use modal::{ActionFormula, DataCore, ModalCore, ModalNode, RegularCore};
pub use requirement::{BehaviourCore, RequirementCore};
pub use rule::{ActionCore, ContextCore, CorrelationCore, Direction, MemberCore, RuleCore};
pub use term::{Occurrence, TermCore, TermId};

/// A node's number. A node's children have smaller numbers than the node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

/// An atom's number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AtomId(pub u32);

/// A node, or its negation. Negation is a mark on the way to a node, never a node: it costs nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Edge {
    /// The node.
    pub node: NodeId,
    /// Whether its negation is meant.
    pub negated: bool,
}

impl std::ops::Not for Edge {
    type Output = Edge;
    fn not(self) -> Edge {
        Edge { negated: !self.negated, ..self }
    }
}

/// The most parts that one [`Node::And`] has; a longer conjunction is nested.
pub const MAX_PARTS: usize = 64;

/// The operators of the kernel. All temporal operators are strict: they never look at the present position.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// True everywhere.
    True,
    /// Some event of the position matches one of the atom's patterns.
    Atom(AtomId),
    /// The position's time is at least this long after the trace's origin.
    TimeAtLeast(Duration),
    /// All of these.
    And(Vec<Edge>),
    /// Some later position at a distance in the interval satisfies `right`, all positions strictly between `left`.
    Until {
        /// Distances.
        interval: Interval,
        /// In between.
        left: Edge,
        /// At the end.
        right: Edge,
    },
    /// Some earlier position at a distance in the interval satisfies `right`, all positions strictly between `left`.
    Since {
        /// Distances.
        interval: Interval,
        /// In between.
        left: Edge,
        /// At the beginning.
        right: Edge,
    },
    /// How many positions at most `reach` back (the present one included) satisfy `of`, compared with the bound.
    Count {
        /// The greatest distance that counts; negative: the window is empty.
        reach: Duration,
        /// What is counted.
        of: Edge,
        /// How the number is compared.
        comparison: Comparison,
        /// With what.
        bound: Ratio,
    },
    /// The greatest number of positions that satisfy `of` in one step of the window, compared with the bound: step
    /// `m` covers the times in `(max(t - window, t - (m+1)·step), t - m·step]`, for `m = 0 ..= window / step`.
    Maximum {
        /// K
        window: Duration,
        /// h
        step: Duration,
        /// What is counted.
        of: Edge,
        /// How the number is compared.
        comparison: Comparison,
        /// With what.
        bound: Ratio,
    },
    /// The mean distance from each position at most `reach` back that satisfies `from` to the first later one, up to
    /// the present, that satisfies `to`, compared with the bound in ticks; false if there is no such pair.
    Gap {
        /// The greatest distance at which a start counts; negative: the window is empty.
        reach: Duration,
        /// Starts.
        from: Edge,
        /// Ends.
        to: Edge,
        /// How the mean is compared.
        comparison: Comparison,
        /// With what, in ticks.
        bound: Ratio,
    },
    /// Two values of the position, compared; false if one of them is not there.
    Compare {
        /// One.
        left: TermId,
        /// How.
        comparison: Comparison,
        /// The other.
        right: TermId,
    },
    /// Whether `of` holds at the last position at most `reach` later; false if the trace ends before that is known.
    InFuture {
        /// The greatest distance.
        reach: Duration,
        /// What holds there.
        of: Edge,
    },
    /// Whether `of`, which looks at one position alone, holds for every element of a list; true if it is no list.
    Each {
        /// The list.
        list: TermId,
        /// What holds of an element.
        of: Edge,
    },
    /// What the numbers at most `reach` back (the present one included) make, compared with the bound. A mean, a least
    /// or a greatest of no numbers compares false.
    Fold {
        /// What is made of them.
        fold: Fold,
        /// Where the numbers come from.
        measure: MeasureId,
        /// The greatest distance that counts.
        reach: Duration,
        /// How the result is compared.
        comparison: Comparison,
        /// With what.
        bound: Ratio,
    },
}

/// A measure's number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MeasureId(pub u32);

/// A number that each event matching an atom may carry. Where the field is absent or no number, the event has none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measure {
    /// The atom.
    pub atom: AtomId,
    /// The field, for each pattern of the atom; of several patterns that match an event the first counts.
    pub fields: Vec<Path>,
}

/// An exact fraction with a positive denominator: a number of things, or of ticks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ratio {
    /// Above.
    pub numerator: i128,
    /// Below; positive.
    pub denominator: i128,
}

impl Ratio {
    /// How `number / count` compares with it. `count` is positive.
    #[inline]
    pub fn compared_by(self, comparison: Comparison, number: i128, count: i128) -> bool {
        // Saturation keeps the order right unless both sides leave 128 bits, which no trace can reach: times are
        // below 2^110 ticks and counts below 2^64 with denominators of 10^9 at most.
        let left = number.saturating_mul(self.denominator);
        let right = self.numerator.saturating_mul(count);
        comparison.accepts(left.cmp(&right))
    }
}

/// An atom of the property.
#[derive(Clone, PartialEq, Debug)]
pub struct AtomDefinition {
    /// The name that the property uses.
    pub name: String,
    /// It is true of an event that one of these matches. All of them give values to the same variables.
    pub patterns: Vec<Pattern>,
}

/// One quantifier of a prefix, and its variable: the variable's number is the quantifier's place.
#[derive(Clone, PartialEq, Debug)]
pub struct Quantifier {
    /// The variable's name.
    pub variable: String,
    /// All of its values, or some.
    pub kind: QuantifierKind,
    /// How many instead.
    pub threshold: Option<Threshold>,
}

/// Of all values of a variable, how many must satisfy the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threshold {
    /// How their number is compared.
    pub comparison: Comparison,
    /// With what number of values, or with what part of all (95 % is 95/100). A part of no values is met.
    pub amount: Ratio,
    /// Whether it is a part.
    pub of_all: bool,
}

/// One property in kernel form.
#[derive(Clone, PartialEq, Debug)]
pub enum Core {
    /// A formula.
    Formula(FormulaCore),
    /// An automaton.
    Automaton(AutomatonCore),
    /// A rule over messages.
    Rule(RuleCore),
    /// A scope and a behaviour.
    Requirement(RequirementCore),
    /// A formula of the mu-calculus.
    Modal(ModalCore),
}

impl Core {
    /// The property's name.
    pub fn name(&self) -> &str {
        match self {
            Core::Formula(core) => &core.name,
            Core::Automaton(core) => &core.name,
            Core::Rule(core) => &core.name,
            Core::Requirement(core) => &core.name,
            Core::Modal(core) => &core.name,
        }
    }

    /// How events with equal times become positions.
    pub fn simultaneous(&self) -> Simultaneous {
        match self {
            Core::Formula(core) => core.simultaneous,
            Core::Automaton(_) | Core::Rule(_) | Core::Requirement(_) | Core::Modal(_) => Simultaneous::Sequence,
        }
    }

    /// The atoms.
    pub fn atoms(&self) -> &[AtomDefinition] {
        match self {
            Core::Formula(core) => &core.atoms,
            Core::Automaton(core) => &core.atoms,
            Core::Rule(core) => &core.atoms,
            Core::Requirement(core) => &core.atoms,
            Core::Modal(core) => &core.atoms,
        }
    }

    /// The quantifiers, outermost first.
    pub fn prefix(&self) -> &[Quantifier] {
        match self {
            Core::Formula(core) => &core.prefix,
            Core::Automaton(core) => &core.prefix,
            Core::Rule(_) => &[],
            Core::Requirement(core) => &core.prefix,
            Core::Modal(core) => &core.prefix,
        }
    }

    /// The first constant with a unit, where none is declared: such a spec only fits traces with date-times.
    pub fn needs_unit(&self) -> Option<Span> {
        match self {
            Core::Formula(core) => core.needs_unit,
            Core::Automaton(_) | Core::Modal(_) => None,
            Core::Rule(core) => core.needs_unit,
            Core::Requirement(core) => core.needs_unit,
        }
    }
}

/// An automaton in kernel form. It begins in state 0. An event is of the slice of a binding if it matches an atom under it.
#[derive(Clone, PartialEq, Debug)]
pub struct AutomatonCore {
    /// The property's name.
    pub name: String,
    /// The symbolic events.
    pub atoms: Vec<AtomDefinition>,
    /// The quantifiers, outermost first; none has a threshold.
    pub prefix: Vec<Quantifier>,
    /// The names of the free variables. The first has the number `prefix.len()`.
    pub registers: Vec<String>,
    /// Which bindings are judged at all: others count for nothing under the innermost quantifier.
    pub condition: Option<GuardCore>,
    /// The states.
    pub states: Vec<StateCore>,
    /// Where the body is written.
    pub span: Span,
}

/// A state.
#[derive(Clone, PartialEq, Debug)]
pub struct StateCore {
    /// Its name.
    pub name: String,
    /// Whether a run may end here.
    pub accepting: bool,
    /// What an event of the slice does that no transition takes.
    pub otherwise: Otherwise,
    /// What leads out of it. Every transition that an event matches, with a branch whose guard is true, is taken.
    pub transitions: Vec<TransitionCore>,
}

/// A transition.
#[derive(Clone, PartialEq, Debug)]
pub struct TransitionCore {
    /// The symbolic event. It gives values to the free variables of its pattern before the guards are read; they stay
    /// with the run if a branch is taken.
    pub atom: AtomId,
    /// The first whose guard is true is taken.
    pub branches: Vec<BranchCore>,
    /// Where it is written.
    pub span: Span,
}

/// One way a transition may go.
#[derive(Clone, PartialEq, Debug)]
pub struct BranchCore {
    /// When; `None`: always.
    pub guard: Option<GuardCore>,
    /// Where it leads.
    pub target: usize,
    /// What happens then, one after the other: free variables get values. One from an expression without a value
    /// does nothing.
    pub assignments: Vec<(VariableId, ExpressionCore)>,
}

/// A condition over variables.
#[derive(Clone, PartialEq, Debug)]
pub enum GuardCore {
    /// False if a side has no value.
    Compare(ExpressionCore, Comparison, ExpressionCore),
    /// Not this.
    Not(Box<GuardCore>),
    /// Both.
    And(Box<GuardCore>, Box<GuardCore>),
    /// One of them.
    Or(Box<GuardCore>, Box<GuardCore>),
}

/// A value computed from variables.
#[derive(Clone, PartialEq, Debug)]
pub enum ExpressionCore {
    /// This.
    Literal(Value<'static>),
    /// A variable's.
    Variable(VariableId),
    /// Of two numbers; of anything else there is none.
    Arithmetic(Arithmetic, Box<ExpressionCore>, Box<ExpressionCore>),
}

/// A formula in kernel form.
#[derive(Clone, PartialEq, Debug)]
pub struct FormulaCore {
    /// The property's name.
    pub name: String,
    /// How events with equal times become positions.
    pub simultaneous: Simultaneous,
    /// The trace's unit.
    pub clock: Clock,
    /// The first constant with a unit, where none is declared: such a spec only fits traces with date-times.
    pub needs_unit: Option<Span>,
    /// The atoms.
    pub atoms: Vec<AtomDefinition>,
    /// The quantifiers, outermost first.
    pub prefix: Vec<Quantifier>,
    /// Where folds get their numbers from.
    pub measures: Vec<Measure>,
    /// The fields that are variables of the state.
    pub variables: Vec<String>,
    /// The values of a state that are compared, parts first.
    pub terms: Vec<TermCore>,
    /// Names of events that were read as the starts of activities, because no declaration has them. If the trace has an event
    /// of such a name, that event is meant.
    pub starts: Vec<String>,
    /// The nodes, children first.
    pub nodes: Vec<Node>,
    /// For each node, the text it came from.
    pub spans: Vec<Span>,
    /// The edges that stand for an operator which includes the present position, each with the strict operator behind
    /// it: `right || (left && strict)`.
    pub inclusives: Vec<(Edge, NodeId)>,
    /// The whole formula: the property is true if this is true at the first position.
    pub formula: Edge,
    /// Whether it is true of a complete trace without positions.
    pub if_empty: bool,
    /// How violations are told apart.
    pub reading: Reading,
}

/// How a formula is read for reporting. It changes no verdict, only what counts as one violation.
#[derive(Clone, PartialEq, Debug)]
pub enum Reading {
    /// A conjunction of `X^n G body`: each position in reach where a body is false is a violation.
    Invariants(Vec<Invariant>),
    /// Any other form: one violation, at the first position.
    Whole(Whole),
}

/// `X^n G_I body`
#[derive(Clone, PartialEq, Debug)]
pub struct Invariant {
    /// The interval of each `X`, outermost first.
    pub nexts: Vec<Interval>,
    /// The distances from the position after the `X`s that `G` reaches.
    pub reach: Interval,
    /// Whether `G` leaves out the position that it stands at.
    pub strict: bool,
    /// `a` of a body `a -> b`; `None` for other bodies.
    pub antecedent: Option<Edge>,
    /// `b` of a body `a -> b`, else the body.
    pub consequent: Edge,
    /// Where the consequent is written.
    pub consequent_span: Span,
    /// Where the whole `X^n G body` is written.
    pub span: Span,
    /// Whether the consequent looks into the future, so that time may pass until it is satisfied.
    pub takes_time: bool,
}

/// Any other form of formula.
#[derive(Clone, PartialEq, Debug)]
pub struct Whole {
    /// Where it is written.
    pub span: Span,
    /// Whether it looks into the future.
    pub takes_time: bool,
}

impl FormulaCore {
    /// The node of this number.
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The edges to a node's parts, those inside the values that it compares too.
    pub fn parts(&self, node: &Node) -> Vec<Edge> {
        parts(&self.terms, node)
    }

    /// For each node, whether it looks ahead, so that it may not be known at its own position. A [`Node::Compare`] or
    /// [`Node::Each`] that does so is known with the next position.
    pub fn waits(&self) -> Vec<bool> {
        let mut waits: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let inside = self.parts(node).iter().any(|edge| waits[edge.node.0 as usize]);
            waits.push(inside || matches!(node, Node::Until { .. } | Node::InFuture { .. }));
        }
        waits
    }

    /// Whether what an edge stands for looks into the future.
    pub fn looks_ahead(&self, edge: Edge) -> bool {
        self.waits()[edge.node.0 as usize]
    }

    /// Where a node came from.
    pub fn span(&self, id: NodeId) -> Span {
        self.spans[id.0 as usize]
    }
}

/// The edges to a node's parts, those inside the values that it compares too, where these are the terms.
pub(crate) fn parts(terms: &[TermCore], node: &Node) -> Vec<Edge> {
    let mut parts = node.children();
    let mut pending = node.terms();
    while let Some(term) = pending.pop() {
        let term = &terms[term.0 as usize];
        pending.extend(term.parts());
        if let TermCore::Count { of, .. } = term {
            parts.push(*of);
        }
    }
    parts
}

impl Node {
    /// The values that it compares, or whose elements it speaks of.
    pub fn terms(&self) -> Vec<TermId> {
        match self {
            Node::Compare { left, right, .. } => vec![*left, *right],
            Node::Each { list, .. } => vec![*list],
            _ => vec![],
        }
    }

    /// The edges to its children.
    pub fn children(&self) -> Vec<Edge> {
        match self {
            Node::True | Node::Atom(_) | Node::TimeAtLeast(_) | Node::Fold { .. } | Node::Compare { .. } => vec![],
            Node::And(edges) => edges.clone(),
            Node::Until { left, right, .. } | Node::Since { left, right, .. } => vec![*left, *right],
            Node::Count { of, .. } | Node::Maximum { of, .. } | Node::InFuture { of, .. } | Node::Each { of, .. } => {
                vec![*of]
            }
            Node::Gap { from, to, .. } => vec![*from, *to],
        }
    }
}
