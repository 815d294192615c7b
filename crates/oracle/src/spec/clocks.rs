// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clock constraints as written: a clock is the list of the instants at which it ticks, and relations compare n-th ticks.
// RULE C1, C2, C3, C4, C5

use std::collections::BTreeMap;

use gnomon_core::{End, Simultaneous, Span};
use gnomon_ir::{Atom, ClockDefinition, ClockExpression, ClockRelation, ClockRelationKind, Clocks, Spec};

use super::atom::atom_matches;
use crate::trace::Trace;
use crate::truth::Truth;

/// The instants at which a clock ticks, in ascending order.
type Instants = Vec<usize>;

/// Returns the truth value of a property on a trace.
pub(super) fn truth(spec: &Spec, clocks: &Clocks, trace: &Trace, end: End) -> Truth {
    let mut evaluator = Evaluator { spec, clocks, trace, known: BTreeMap::new() };
    let relations = clocks.relations.iter().all(|relation| evaluator.holds(relation));
    let definitions = clocks.definitions.iter().all(|definition| evaluator.agrees(definition));
    match end {
        _ if !(relations && definitions) => Truth::False,
        End::Complete => Truth::True,
        End::Prefix => Truth::Unknown,
    }
}

struct Evaluator<'a> {
    spec: &'a Spec,
    clocks: &'a Clocks,
    trace: &'a Trace,
    /// The clocks that were needed so far.
    known: BTreeMap<String, Instants>,
}

impl<'a> Evaluator<'a> {
    fn clock(&mut self, name: &str) -> Instants {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let instants = match self.definition(name) {
            Some(definition) => self.defined(&definition.expression),
            None => self.event(name),
        };
        self.known.insert(name.to_owned(), instants.clone());
        instants
    }

    fn definition(&self, name: &str) -> Option<&'a ClockDefinition> {
        self.clocks.definitions.iter().find(|definition| definition.clock.name == name)
    }

    // RULE C1
    fn event(&self, name: &str) -> Instants {
        let span = Span::default();
        let atom = Atom { name: name.to_owned(), name_span: span, arguments: None, condition: None, span };
        let instants = self.trace.positions(Simultaneous::Merge);
        let ticks = |events: std::ops::Range<usize>| {
            self.trace.events()[events].iter().any(|event| !atom_matches(self.spec, &atom, event).is_empty())
        };
        (0..instants.len()).filter(|instant| ticks(instants[*instant].events.clone())).collect()
    }

    // RULE C2
    fn defined(&mut self, expression: &ClockExpression<Atom>) -> Instants {
        let clocks: Vec<Instants> = expression.operands().map(|operand| self.clock(&operand.name)).collect();
        let a = &clocks[0];
        let b = clocks.last().unwrap_or(a);
        let numbered = || (1_u64..).zip(a.iter().copied());
        match expression {
            ClockExpression::Union(..) => sorted(a.iter().chain(b).copied().collect()),
            ClockExpression::Intersection(..) => a.iter().copied().filter(|tick| b.contains(tick)).collect(),
            ClockExpression::Difference(..) => a.iter().copied().filter(|tick| !b.contains(tick)).collect(),
            ClockExpression::Delay(_, by) => {
                numbered().filter(|(number, _)| number > by).map(|(_, tick)| tick).collect()
            }
            ClockExpression::DelayOn { by, .. } => {
                let place = usize::try_from(*by - 1).unwrap_or(usize::MAX);
                sorted(a.iter().filter_map(|tick| b.iter().filter(|later| *later > tick).nth(place).copied()).collect())
            }
            ClockExpression::Every { period, from, .. } => {
                let (period, from) = (*period, from.unwrap_or(*period));
                numbered()
                    .filter(|(number, _)| (*number >= from) && number % period == from % period)
                    .map(|(_, tick)| tick)
                    .collect()
            }
            ClockExpression::Filter(_, word) => {
                let digits = word.prefix.iter().chain(word.period.iter().cycle());
                a.iter().zip(digits).filter(|(_, digit)| **digit).map(|(tick, _)| *tick).collect()
            }
            ClockExpression::Sampled { strictly, .. } => {
                let since = |place: usize| place.checked_sub(1).map(|before| b[before]);
                let is_sample = |(place, tick): &(usize, usize)| {
                    a.iter().any(|sample| match since(*place) {
                        None if *strictly => sample < tick,
                        None => sample <= tick,
                        Some(before) if *strictly => *sample >= before && sample < tick,
                        Some(before) => *sample > before && sample <= tick,
                    })
                };
                b.iter().copied().enumerate().filter(is_sample).map(|(_, tick)| tick).collect()
            }
            ClockExpression::UpTo(..) => {
                a.iter().copied().take_while(|tick| b.first().is_none_or(|until| tick < until)).collect()
            }
            ClockExpression::Wait(_, number) => {
                usize::try_from(*number - 1).ok().and_then(|place| a.get(place)).copied().into_iter().collect()
            }
            ClockExpression::Then(left, _) => {
                let after = self.death(&left.name);
                let rest = b.iter().copied().filter(|tick| after.is_some_and(|after| *tick >= after));
                a.iter().copied().chain(rest).collect()
            }
            ClockExpression::Infimum(..) => {
                let nth = |place: usize| [a.get(place), b.get(place)].into_iter().flatten().min().copied();
                (0..a.len().max(b.len())).filter_map(nth).collect()
            }
            ClockExpression::Supremum(..) => a.iter().zip(b).map(|(left, right)| *left.max(right)).collect(),
        }
    }

    /// Returns the first instant at which a clock is dead; `None` if it does not die.
    // RULE C3
    fn death(&mut self, name: &str) -> Option<usize> {
        let nth = |ticks: &Instants, number: u64| match usize::try_from(number).ok()?.checked_sub(1) {
            None => Some(0),
            Some(place) => ticks.get(place).map(|tick| tick + 1),
        };
        match &self.definition(name)?.expression {
            ClockExpression::UpTo(_, until) => self.clock(&until.name).first().copied(),
            ClockExpression::Wait(of, number) => nth(&self.clock(&of.name), *number),
            ClockExpression::Filter(of, word) => nth(&self.clock(&of.name), word.prefix.len() as u64),
            _ => None,
        }
    }

    // RULE C4
    fn holds(&mut self, relation: &ClockRelation<Atom>) -> bool {
        let (a, b) = (self.clock(&relation.left.name), self.clock(&relation.right.name));
        let precedes = || (0..b.len()).all(|place| a.get(place).is_some_and(|cause| *cause < b[place]));
        match relation.kind {
            ClockRelationKind::Subclock => a.iter().all(|tick| b.contains(tick)),
            ClockRelationKind::Coincides => a == b,
            ClockRelationKind::Excludes => !a.iter().any(|tick| b.contains(tick)),
            ClockRelationKind::Precedes => precedes(),
            ClockRelationKind::Causes => (0..b.len()).all(|place| a.get(place).is_some_and(|cause| *cause <= b[place])),
            ClockRelationKind::PrecedesWithin(bound) => {
                // When `a` ticks for the (n + bound)-th time, `b` has ticked n times.
                let bound = usize::try_from(bound).unwrap_or(usize::MAX);
                let places = (bound..a.len()).map(|place| (place, place - bound));
                precedes()
                    && places.into_iter().all(|(place, served)| b.get(served).is_some_and(|tick| *tick <= a[place]))
            }
            ClockRelationKind::Alternates => {
                precedes() && (1..a.len()).all(|place| b.get(place - 1).is_some_and(|between| *between < a[place]))
            }
        }
    }

    /// Returns true if the events of a defined clock's name, if there are such, are where it ticks.
    // RULE C5
    fn agrees(&mut self, definition: &ClockDefinition) -> bool {
        let name = &definition.clock.name;
        let events = self.event(name);
        (events.is_empty() && self.spec.event(name).is_none()) || events == self.clock(name)
    }
}

fn sorted(mut instants: Instants) -> Instants {
    instants.sort_unstable();
    instants.dedup();
    instants
}
