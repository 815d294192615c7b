// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clock constraints in kernel form: clocks are numbers, each after those that its definition mentions.

use gnomon_core::Span;
use gnomon_core::list::reachable;

use super::AtomDefinition;
use crate::{ClockExpression, ClockRelation, ClockRelationKind};

/// The number of a clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClockId(pub u32);

/// A property over clocks.
#[derive(Clone, PartialEq, Debug)]
pub struct ClocksCore {
    /// The property's name.
    pub name: String,
    /// The clocks that are events: the clock of a number is the atom of this number.
    pub atoms: Vec<AtomDefinition>,
    /// The clocks that are defined, in an order in which each comes after those that its definition mentions. Their numbers follow those
    /// of the events.
    pub defined: Vec<DefinedClock>,
    /// The relations: those that are written, then those between defined clocks and their events.
    pub relations: Vec<ClockRelationCore>,
    /// Source location of the body.
    pub span: Span,
}

/// A clock with a definition.
#[derive(Clone, PartialEq, Debug)]
pub struct DefinedClock {
    /// Its name.
    pub name: String,
    /// Its definition.
    pub expression: ClockExpression<ClockId>,
}

/// A relation in kernel form.
#[derive(Clone, PartialEq, Debug)]
pub struct ClockRelationCore {
    /// The relation and its clocks.
    pub relation: ClockRelation<ClockId>,
    /// The origin of the relation.
    pub origin: ClockRelationOrigin,
}

/// Origin of a relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockRelationOrigin {
    /// The property states it.
    Written,
    /// The left clock is defined, and the right one is the event of its name, which the spec declares.
    DeclaredEvent,
    /// The left clock is defined, and the right one is the event of its name, if the trace has such events.
    PossibleEvent,
}

impl ClocksCore {
    /// Returns the name of a clock.
    pub fn clock_name(&self, clock: ClockId) -> &str {
        let index = clock.0 as usize;
        match index.checked_sub(self.atoms.len()) {
            None => &self.atoms[index].name,
            Some(defined) => &self.defined[defined].name,
        }
    }

    /// Returns the number of clocks.
    pub fn clock_count(&self) -> usize {
        self.atoms.len() + self.defined.len()
    }

    /// Returns the definition of a clock; `None` if it is an event.
    pub fn definition(&self, clock: ClockId) -> Option<&DefinedClock> {
        (clock.0 as usize).checked_sub(self.atoms.len()).map(|index| &self.defined[index])
    }

    /// Returns a relation as it is written.
    pub fn relation_text(&self, of: &ClockRelationCore) -> String {
        let ClockRelation { kind, left, right, .. } = &of.relation;
        match of.origin {
            ClockRelationOrigin::Written => {
                format!("{} {kind} {}", self.clock_name(*left), self.clock_name(*right))
            }
            ClockRelationOrigin::DeclaredEvent | ClockRelationOrigin::PossibleEvent => {
                format!("{} = event {}", self.clock_name(*left), self.clock_name(*right))
            }
        }
    }

    /// Returns a sentence about a broken relation. For each of its clocks come the number of ticks up to and including the instant, and true
    /// if it ticks there.
    pub fn broken_text(&self, of: &ClockRelationCore, [left, right]: [(u64, bool); 2]) -> String {
        let ClockRelation { kind, left: a, right: b, .. } = &of.relation;
        let (a, b) = (format!("`{}`", self.clock_name(*a)), format!("`{}`", self.clock_name(*b)));
        let ((left, left_ticks), (right, right_ticks)) = (left, right);
        let (left_before, right_before) = (left - u64::from(left_ticks), right - u64::from(right_ticks));
        if of.origin != ClockRelationOrigin::Written {
            return match (left_ticks, right_ticks) {
                (true, false) => format!("{a} ticks by its definition, tick {left}, without an event {b}"),
                (false, true) => format!(
                    "the event {b} occurs where {a} does not tick by its definition: {right} events, {left} ticks"
                ),
                _ => format!("{a} ticked {} by its definition before the first event {b}", times(left_before)),
            };
        }
        match kind {
            ClockRelationKind::Subclock => {
                format!("{a} ticks without {b}: tick {left} of {a}, after {} of {b}", ticks(right))
            }
            ClockRelationKind::Coincides if left_ticks => {
                format!("{a} ticks without {b}: tick {left} of {a}, after {} of {b}", ticks(right))
            }
            ClockRelationKind::Coincides => {
                format!("{b} ticks without {a}: tick {right} of {b}, after {} of {a}", ticks(left))
            }
            ClockRelationKind::Excludes => {
                format!("{a} and {b} tick together: tick {left} of {a}, tick {right} of {b}")
            }
            ClockRelationKind::Causes => {
                format!("{b} is ahead of {a}: {} of {b}, {} of {a}", ticks(right), ticks(left))
            }
            ClockRelationKind::Precedes | ClockRelationKind::PrecedesWithin(_) | ClockRelationKind::Alternates
                if right_ticks && right_before >= left_before =>
            {
                format!("tick {right} of {b} comes after {} of {a}", only(left_before))
            }
            ClockRelationKind::PrecedesWithin(bound) => {
                format!(
                    "{a} is {} ahead of {b}, at most {bound} allowed: {} of {a}, {} of {b}",
                    ticks(left.saturating_sub(right)),
                    ticks(left),
                    ticks(right)
                )
            }
            ClockRelationKind::Precedes | ClockRelationKind::Alternates => {
                format!("tick {left} of {a} comes after {} of {b}", only(right_before))
            }
        }
    }

    /// Returns the relations whose left clock may be any number of ticks ahead of the right one.
    ///
    /// INVARIANT: an edge from a clock to another says that the first is ahead of the second by a bounded number of ticks. A lead is bounded
    /// if edges lead from the left clock to the right one. Node `none` is a clock that never ticks.
    pub fn unbounded(&self) -> Vec<&ClockRelationCore> {
        let none = self.clock_count();
        let mut bounded: Vec<Vec<usize>> = vec![vec![]; none + 1];
        bounded[none] = (0..none).collect();
        let mut edge = |ahead: ClockId, behind: ClockId| bounded[ahead.0 as usize].push(behind.0 as usize);
        for one in self.relations.iter().filter(|one| one.origin != ClockRelationOrigin::PossibleEvent) {
            let ClockRelation { kind, left, right, .. } = one.relation;
            match kind {
                ClockRelationKind::Subclock => edge(left, right),
                ClockRelationKind::Precedes | ClockRelationKind::Causes => edge(right, left),
                ClockRelationKind::Coincides | ClockRelationKind::PrecedesWithin(_) | ClockRelationKind::Alternates => {
                    edge(left, right);
                    edge(right, left);
                }
                ClockRelationKind::Excludes => {}
            }
        }
        for (place, clock) in self.defined.iter().enumerate() {
            let own = ClockId((self.atoms.len() + place) as u32);
            match &clock.expression {
                ClockExpression::Union(a, b) | ClockExpression::Infimum(a, b) => {
                    edge(*a, own);
                    edge(*b, own);
                }
                ClockExpression::Intersection(a, b)
                | ClockExpression::Supremum(a, b)
                | ClockExpression::DelayOn { of: a, on: b, .. }
                | ClockExpression::Sampled { of: a, by: b, .. } => {
                    edge(own, *a);
                    edge(own, *b);
                }
                ClockExpression::Delay(a, _) => {
                    edge(own, *a);
                    edge(*a, own);
                }
                ClockExpression::Difference(a, _)
                | ClockExpression::UpTo(a, _)
                | ClockExpression::Every { of: a, .. } => {
                    edge(own, *a);
                }
                ClockExpression::Filter(a, word) if !word.period.is_empty() => edge(own, *a),
                ClockExpression::Filter(..) | ClockExpression::Wait(..) => edge(own, ClockId(none as u32)),
                ClockExpression::Then(..) => {}
            }
        }
        let is_open = |one: &&ClockRelationCore| {
            let ClockRelation { kind, left, right, .. } = one.relation;
            matches!(kind, ClockRelationKind::Precedes | ClockRelationKind::Causes)
                && !reachable([left.0 as usize], |clock| bounded[clock].iter().copied()).contains(&(right.0 as usize))
        };
        self.relations.iter().filter(is_open).collect()
    }
}

fn ticks(count: u64) -> String {
    if count == 1 { "1 tick".to_owned() } else { format!("{count} ticks") }
}

fn only(count: u64) -> String {
    if count == 0 { "no tick".to_owned() } else { format!("only {}", ticks(count)) }
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}
