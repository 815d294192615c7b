// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kernel form of a property: few operators, numbered atoms, no names.
//!
//! [`check`](crate::check::check) brings every property to this form; the oracle defines its meaning, the engine runs it. Derived
//! operators are replaced by those of the kernel (rules D1 to D22), constants of time are ticks, variables are numbers, and an atom has
//! the patterns of all events that its name was declared to stand for.
//!
//! Example: `a -> F[0,10] b` is `!(a && !b && !(true U[0,10] b))`. The kernel's `U` is strict: it looks at later positions only, so the
//! present is a conjunct of its own. `true` is node 0, `a` 1, `b` 2 and the `U` 3; the conjunction has the edges `a`, `!b` and `!3`.
//! Negation is a mark on an [`Edge`], not a node.
//!
//! INVARIANT: the parts of a node have smaller numbers than the node, and equal parts are one node. So a single pass over the nodes in
//! their order evaluates each part once, before the nodes that contain it.

mod clocks;
mod modal;
mod parts;
mod pattern;
mod plugin;
mod rule;
mod term;
mod wait;

use gnomon_core::{Clock, Comparison, Duration, Interval, Simultaneous, Span, Unit};

use crate::{DefaultMove, EventPattern, Expression, Fold, Guard, Path, Percent, QuantifierKind, VariableId};

pub use clocks::{ClockId, ClockRelationCore, ClockRelationOrigin, ClocksCore, DefinedClock};
pub use modal::{ActionFormulaCore, ModalCore, ModalNode, RegularCore};
pub use pattern::{BehaviourCore, Numbering, PatternCore};
pub use plugin::{
    Category, CfgCore, Creation, ForbiddenCore, FsmCore, FsmStateCore, GrammarSymbol, LetterCore, LetterId,
    LetterSource, LinearCore, LinearNode, NonterminalCore, PluginBody, PluginCore,
};
pub use rule::{ContextDirection, CorrelationCore, CorrelationMemberCore, RuleActionCore, RuleContextCore, RuleCore};
pub use term::{OccurrenceCore, TermCore, TermId};

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
    /// True if the edge stands for the negation of the node.
    pub negated: bool,
}

impl Edge {
    /// The node that is true everywhere; every formula has it as its first.
    pub const TRUE: Edge = Edge { node: NodeId(0), negated: false };
}

impl std::ops::Not for Edge {
    type Output = Edge;
    fn not(self) -> Edge {
        Edge { negated: !self.negated, ..self }
    }
}

/// The most parts that one [`FormulaNode::And`] has; a longer conjunction is nested.
pub const MAX_PARTS: usize = 64;

/// The operators of the kernel. All temporal operators are strict: they never look at the present position.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum FormulaNode {
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
        /// Formula that holds in between.
        left: Edge,
        /// Formula that holds at the end.
        right: Edge,
    },
    /// Some earlier position at a distance in the interval satisfies `right`, all positions strictly between `left`.
    Since {
        /// Distances.
        interval: Interval,
        /// Formula that holds in between.
        left: Edge,
        /// Formula that holds at the beginning.
        right: Edge,
    },
    /// Compares the number of positions at most `reach` back (the present one included) that satisfy `of` with a bound.
    Count {
        /// The greatest distance that counts; negative: the window is empty.
        reach: Duration,
        /// Formula that is counted.
        of: Edge,
        /// Comparison of the number with the bound.
        comparison: Comparison,
        /// Bound.
        bound: Ratio,
        /// The length of the window, if the count was written as a rate: explanations divide by its seconds.
        rate_window: Option<Duration>,
    },
    /// The greatest number of positions that satisfy `of` in one step of the window, compared with the bound: step
    /// `m` covers the times in `(max(t - window, t - (m+1)·step), t - m·step]`, for `m = 0 ..= window / step`.
    Maximum {
        /// K
        window: Duration,
        /// h
        step: Duration,
        /// Formula that is counted.
        of: Edge,
        /// Comparison of the number with the bound.
        comparison: Comparison,
        /// Bound.
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
        /// Comparison of the mean with the bound.
        comparison: Comparison,
        /// Bound, in ticks.
        bound: Ratio,
    },
    /// Two values of the position, compared; false if one of them is not there.
    Compare {
        /// One.
        left: TermId,
        /// Comparison of the two values.
        comparison: Comparison,
        /// The other.
        right: TermId,
    },
    /// True if `of` holds at the last position at most `reach` later; false if the trace ends before that is known.
    InFuture {
        /// The greatest distance.
        reach: Duration,
        /// Formula that holds there.
        of: Edge,
    },
    /// True if `of`, which depends on one position only, holds for every element of a list; also true if the value is
    /// not a list.
    Each {
        /// The list.
        list: TermId,
        /// Formula that holds of an element.
        of: Edge,
    },
    /// Compares an aggregate of the numbers at most `reach` back (the present one included) with a bound. A mean,
    /// minimum or maximum of no numbers compares false.
    Fold {
        /// Aggregate function.
        fold: Fold,
        /// Source of the numbers.
        measure: MeasureId,
        /// The greatest distance that counts.
        reach: Duration,
        /// Comparison of the aggregate with the bound.
        comparison: Comparison,
        /// Bound.
        bound: Ratio,
    },
    /// Compares a percentile of the numbers at most `reach` back (the present one included) with a bound; false if there
    /// are none.
    Percentile {
        /// N
        percent: Percent,
        /// Source of the numbers.
        measure: MeasureId,
        /// The greatest distance that counts.
        reach: Duration,
        /// Comparison of the percentile with the bound.
        comparison: Comparison,
        /// Bound.
        bound: Ratio,
    },
    /// Compares the number of different values at most `reach` back (the present one included) with a bound.
    Distinct {
        /// Source of the values.
        measure: MeasureId,
        /// The greatest distance that counts.
        reach: Duration,
        /// Comparison of the number with the bound.
        comparison: Comparison,
        /// Bound.
        bound: Ratio,
    },
}

fn gcd(left: i128, right: i128) -> i128 {
    if right == 0 { left } else { gcd(right, left % right) }
}

/// A measure's number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MeasureId(pub u32);

/// A value that each event matching an atom may carry. An event whose field is absent has none. Sums and the like take
/// numbers only.
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
    /// Returns the number of times that something happens in a length of time if it happens this often per second.
    pub(crate) fn times_seconds(self, length: Duration) -> Ratio {
        let (numerator, seconds) = (length.ticks(), Unit::Second.nanoseconds());
        // Divides first, so that the product saturates only far beyond all counts.
        let divisor = gcd(numerator, self.denominator).max(1);
        let (numerator, denominator) = (numerator / divisor, self.denominator / divisor);
        let rest = gcd(numerator, seconds).max(1);
        let numerator = self.numerator.saturating_mul(numerator / rest);
        Ratio { numerator, denominator: denominator * (seconds / rest) }
    }

    /// Compares `number / count` with the ratio. `count` must be positive.
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
    /// Patterns; the atom is true of an event that one of them matches. All of them bind the same variables.
    pub patterns: Vec<EventPattern>,
}

/// One quantifier of a prefix, and its variable: the variable's number is the quantifier's place.
#[derive(Clone, PartialEq, Debug)]
pub struct QuantifierCore {
    /// The variable's name.
    pub variable: String,
    /// All of its values, or some.
    pub kind: QuantifierKind,
    /// Required number of values; `None`: all or one.
    pub threshold: Option<ThresholdCore>,
}

/// Required number of values of a variable that satisfy the rest of the property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThresholdCore {
    /// Comparison of the number with the amount.
    pub comparison: Comparison,
    /// Number of values, or fraction of all values (95 % is 95/100). A fraction of no values is met.
    pub amount: Ratio,
    /// True if the amount is a fraction of all values.
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
    Pattern(PatternCore),
    /// A formula of the mu-calculus.
    Modal(ModalCore),
    /// A logic plug-in with parameters.
    Plugin(PluginCore),
    /// Relations between clocks.
    Clocks(ClocksCore),
}

/// Evaluates an expression about a part that every kind of core has.
macro_rules! of_any {
    ($core:expr, |$own:ident| $part:expr) => {
        match $core {
            Core::Formula($own) => $part,
            Core::Automaton($own) => $part,
            Core::Rule($own) => $part,
            Core::Pattern($own) => $part,
            Core::Modal($own) => $part,
            Core::Plugin($own) => $part,
            Core::Clocks($own) => $part,
        }
    };
}

impl Core {
    /// The property's name.
    pub fn name(&self) -> &str {
        of_any!(self, |core| &core.name)
    }

    /// Returns the treatment of events with equal times.
    pub fn simultaneous(&self) -> Simultaneous {
        match self {
            Core::Formula(core) => core.simultaneous,
            Core::Clocks(_) => Simultaneous::Merge,
            Core::Automaton(_) | Core::Rule(_) | Core::Pattern(_) | Core::Modal(_) | Core::Plugin(_) => {
                Simultaneous::Sequence
            }
        }
    }

    /// The atoms.
    pub fn atoms(&self) -> &[AtomDefinition] {
        of_any!(self, |core| &core.atoms)
    }

    /// Returns the atoms of which a trace should have events. The event of a defined clock is none of them, unless it is declared.
    pub fn expected_atoms(&self) -> impl Iterator<Item = &AtomDefinition> {
        let is_possible = |index: usize| match self {
            Core::Clocks(core) => {
                let possible = |one: &&ClockRelationCore| one.origin == ClockRelationOrigin::PossibleEvent;
                core.relations.iter().filter(possible).any(|one| one.relation.right.0 as usize == index)
            }
            _ => false,
        };
        self.atoms().iter().enumerate().filter(move |(index, _)| !is_possible(*index)).map(|(_, atom)| atom)
    }

    /// The quantifiers, outermost first.
    pub fn prefix(&self) -> &[QuantifierCore] {
        match self {
            Core::Formula(core) => &core.prefix,
            Core::Automaton(core) => &core.prefix,
            Core::Rule(_) | Core::Clocks(_) => &[],
            Core::Pattern(core) => &core.prefix,
            Core::Modal(core) => &core.prefix,
            Core::Plugin(core) => &core.prefix,
        }
    }

    /// The first constant with a unit, where none is declared: such a spec only fits traces with date-times.
    pub fn needs_unit(&self) -> Option<Span> {
        match self {
            Core::Formula(core) => core.needs_unit,
            Core::Automaton(_) | Core::Modal(_) | Core::Plugin(_) | Core::Clocks(_) => None,
            Core::Rule(core) => core.needs_unit,
            Core::Pattern(core) => core.needs_unit,
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
    pub prefix: Vec<QuantifierCore>,
    /// The names of the free variables. The first has the number `prefix.len()`.
    pub registers: Vec<String>,
    /// Condition on bindings; a binding that does not meet it does not count under the innermost quantifier.
    pub condition: Option<GuardCore>,
    /// The states.
    pub states: Vec<StateCore>,
    /// Source location of the body.
    pub span: Span,
}

/// A state.
#[derive(Clone, PartialEq, Debug)]
pub struct StateCore {
    /// Its name.
    pub name: String,
    /// True if a run may end in this state.
    pub accepting: bool,
    /// Effect of an event of the slice that no transition takes.
    pub otherwise: DefaultMove,
    /// Outgoing transitions. Every transition that an event matches and that has a branch with a true guard is taken.
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
    /// Source location.
    pub span: Span,
}

/// One way a transition may go.
#[derive(Clone, PartialEq, Debug)]
pub struct BranchCore {
    /// Condition of the branch; `None`: always true.
    pub guard: Option<GuardCore>,
    /// Target state.
    pub target: usize,
    /// Assignments to free variables, in order. An expression without a value assigns nothing.
    pub assignments: Vec<(VariableId, ExpressionCore)>,
}

/// A condition over variables.
pub type GuardCore = Guard<VariableId>;

/// A value computed from variables.
pub type ExpressionCore = Expression<VariableId>;

/// A formula in kernel form.
#[derive(Clone, PartialEq, Debug)]
pub struct FormulaCore {
    /// The property's name.
    pub name: String,
    /// Treatment of events with equal times.
    pub simultaneous: Simultaneous,
    /// The trace's unit.
    pub clock: Clock,
    /// The first constant with a unit, where none is declared: such a spec only fits traces with date-times.
    pub needs_unit: Option<Span>,
    /// The atoms.
    pub atoms: Vec<AtomDefinition>,
    /// The quantifiers, outermost first.
    pub prefix: Vec<QuantifierCore>,
    /// Sources of the numbers of folds.
    pub measures: Vec<Measure>,
    /// The fields that are variables of the state.
    pub variables: Vec<String>,
    /// The values of a state that are compared, parts first.
    pub terms: Vec<TermCore>,
    /// Names of events that were read as the starts of activities, because no declaration has them. If the trace has an event
    /// of such a name, that event is meant.
    pub starts: Vec<String>,
    /// The nodes, children first.
    pub nodes: Vec<FormulaNode>,
    /// Source location of each node.
    pub spans: Vec<Span>,
    /// The edges that stand for an operator which includes the present position, each with the strict operator behind
    /// it: `right || (left && strict)`.
    pub inclusives: Vec<(Edge, NodeId)>,
    /// The whole formula: the property is true if this is true at the first position.
    pub formula: Edge,
    /// Value on a complete trace without positions.
    pub if_empty: bool,
    /// Unit of reporting for violations.
    pub reporting: Reporting,
}

/// Unit of reporting for violations of a formula. It does not affect the verdict, only what counts as one violation.
#[derive(Clone, PartialEq, Debug)]
pub enum Reporting {
    /// A conjunction of `X^n G body`: each position in reach where a body is false is a violation.
    Invariants(Vec<Invariant>),
    /// Any other form: one violation, at the first position.
    Whole(WholeFormula),
}

/// `X^n G_I body`
#[derive(Clone, PartialEq, Debug)]
pub struct Invariant {
    /// The interval of each `X`, outermost first.
    pub nexts: Vec<Interval>,
    /// The distances from the position after the `X`s that `G` reaches.
    pub reach: Interval,
    /// True if `G` excludes the position where it is evaluated.
    pub strict: bool,
    /// `a` of a body `a -> b`; `None` for other bodies.
    pub antecedent: Option<Edge>,
    /// `b` of a body `a -> b`, else the body.
    pub consequent: Edge,
    /// Source location of the consequent.
    pub consequent_span: Span,
    /// Source location of the whole `X^n G body`.
    pub span: Span,
    /// True if the consequent looks into the future, so that time may pass until it is satisfied.
    pub takes_time: bool,
}

/// Any other form of formula.
#[derive(Clone, PartialEq, Debug)]
pub struct WholeFormula {
    /// Source location.
    pub span: Span,
    /// True if the formula looks into the future.
    pub takes_time: bool,
}

impl FormulaCore {
    /// The node of this number.
    #[inline]
    pub fn node(&self, id: NodeId) -> &FormulaNode {
        &self.nodes[id.0 as usize]
    }

    /// The edges to a node's parts, those inside the values that it compares too.
    pub fn parts(&self, node: &FormulaNode) -> Vec<Edge> {
        parts(&self.terms, node)
    }

    /// Returns, for each node, true if it looks ahead, so that its value may not be known at its own position. A
    /// [`FormulaNode::Compare`] or [`FormulaNode::Each`] that looks ahead is known with the next position.
    pub fn waits(&self) -> Vec<bool> {
        let mut waits: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let inside = self.parts(node).iter().any(|edge| waits[edge.node.0 as usize]);
            waits.push(inside || matches!(node, FormulaNode::Until { .. } | FormulaNode::InFuture { .. }));
        }
        waits
    }

    /// Returns true if the formula of an edge looks into the future.
    pub fn looks_ahead(&self, edge: Edge) -> bool {
        self.waits()[edge.node.0 as usize]
    }

    /// Returns the source location of a node.
    pub fn span(&self, id: NodeId) -> Span {
        self.spans[id.0 as usize]
    }
}

/// The edges to a node's parts, those inside the values that it compares too, where these are the terms.
pub(crate) fn parts(terms: &[TermCore], node: &FormulaNode) -> Vec<Edge> {
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

impl FormulaNode {
    /// The values that it compares, or whose elements it refers to.
    pub fn terms(&self) -> Vec<TermId> {
        match self {
            FormulaNode::Compare { left, right, .. } => vec![*left, *right],
            FormulaNode::Each { list, .. } => vec![*list],
            _ => vec![],
        }
    }

    /// The source of the values that it takes from events.
    pub fn measure(&self) -> Option<MeasureId> {
        match self {
            FormulaNode::Fold { measure, .. }
            | FormulaNode::Percentile { measure, .. }
            | FormulaNode::Distinct { measure, .. } => Some(*measure),
            _ => None,
        }
    }

    /// The edges to its children.
    pub fn children(&self) -> Vec<Edge> {
        match self {
            FormulaNode::True
            | FormulaNode::Atom(_)
            | FormulaNode::TimeAtLeast(_)
            | FormulaNode::Fold { .. }
            | FormulaNode::Percentile { .. }
            | FormulaNode::Distinct { .. }
            | FormulaNode::Compare { .. } => vec![],
            FormulaNode::And(edges) => edges.clone(),
            FormulaNode::Until { left, right, .. } | FormulaNode::Since { left, right, .. } => vec![*left, *right],
            FormulaNode::Count { of, .. }
            | FormulaNode::Maximum { of, .. }
            | FormulaNode::InFuture { of, .. }
            | FormulaNode::Each { of, .. } => {
                vec![*of]
            }
            FormulaNode::Gap { from, to, .. } => vec![*from, *to],
        }
    }
}
