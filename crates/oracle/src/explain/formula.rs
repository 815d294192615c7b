// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explains violations of formulae: walks from the part that failed to the events that decided it.
//!
//! The evidence is evaluated as a trace of its own, so the value of every part at every position is known ([`TruthTable`]). The walk
//! ([`FormulaExplainer::reason`]) begins with the consequent that is false at the violation and descends only into parts that account for
//! the value: the first false operand of a conjunction, or the position at which an `Until` was satisfied or broken. Each step returns words
//! for the summary and cites events.
//!
//! Example: `G(open -> F[0,10] close)` with `open` at 0 and `close` at 14. `F[0,10] close` is false at position 0. There is no `close` within
//! 10, but a later one: the event is cited as "too late: 14 later", and the summary is "no `close` within 10; the next one came too late,
//! after 14".
//!
//! INVARIANT: a violation is explained only if this evaluation finds it too, and only if no event that was left out of the evidence can
//! matter: the formula looks back less far than the evidence reaches ([`past_reach`]).

use gnomon_core::rounding::{rounded, rounded_beside};
use gnomon_core::verdict::{DecisionPoint, Violation};
use gnomon_core::{Comparison, Duration, Fraction, Interval, Timestamp, Value};
use gnomon_ir::Fold;
use gnomon_ir::core::{Edge, FormulaCore, FormulaNode, Invariant, MeasureId, NodeId, Ratio, Reporting};
use gnomon_ir::describe::{self, AmountPrinter};

use super::{Explanation, ExplanationBuilder, ONLY_AFTERWARDS, TOO_EARLY, TOO_LATE, TOO_LONG_AGO, TOO_RECENT};
use crate::truth::Truth;
use crate::truth_table::{Facts, TruthTable};
use crate::{atom, term_value};

/// Parts deeper than this are named, not explained.
const MAX_DEPTH: usize = 4;

pub(super) fn explain(
    core: &FormulaCore,
    builder: ExplanationBuilder<'_>,
    at: usize,
    violation: &Violation,
) -> Option<Explanation> {
    let facts = Facts::new(core, builder.evidence.trace, builder.evidence.values);
    let position = facts.positions.iter().position(|position| position.events.contains(&at))?;
    let table = TruthTable::new(core, &facts, facts.times.len(), None);
    let is_false = |edge: Edge, position| table.truth(edge, position) == Truth::False;
    let (blame, antecedent, position) = match &core.reporting {
        Reporting::Whole(_) => (core.formula, None, 0),
        Reporting::Invariants(invariants) => {
            let applies = |antecedent: Option<Edge>| antecedent.is_none_or(|edge| !is_false(edge, position));
            let own = invariants.iter().filter(|one| is_false(one.consequent, position) && applies(one.antecedent));
            let own: Vec<_> = own.collect();
            let found = own.iter().find(|one| one.span == violation.part).or(own.first());
            let Some(found) = found else { return missing_position(core, invariants, &facts, builder, at) };
            (found.consequent, found.antecedent, position)
        }
    };
    let is_whole = matches!(core.reporting, Reporting::Whole(_));
    let is_complete = builder
        .evidence
        .since
        .is_none_or(|since| past_reach(core).is_some_and(|reach| !is_whole && facts.times[position] - since > reach));
    if !is_false(blame, position) || !is_complete {
        return None;
    }
    let times = AmountPrinter::new(core.clock, core.needs_unit);
    let mut explainer =
        FormulaExplainer { core, facts: &facts, table: &table, builder, times, at: position, violation };
    let summary = explainer.reason(blame, position, 0);
    explainer.note_start(blame, antecedent);
    Some(explainer.builder.finish(summary))
}

/// Explains that a position to which `X` leads does not exist, or is not at the distance that is asked for.
fn missing_position(
    core: &FormulaCore,
    invariants: &[Invariant],
    facts: &Facts,
    mut builder: ExplanationBuilder<'_>,
    at: usize,
) -> Option<Explanation> {
    let nexts = invariants.iter().map(|one| &one.nexts).filter(|nexts| !nexts.is_empty());
    if builder.evidence.since.is_some() {
        return None;
    }
    for nexts in nexts {
        for (step, interval) in nexts.iter().enumerate() {
            let before = facts.times.get(step)?;
            let Some(time) = facts.times.get(step + 1) else {
                builder.cite(at, "the last event");
                return Some(builder.finish("there is no next event".to_owned()));
            };
            let took = *time - *before;
            if !interval.contains(took) {
                let times = AmountPrinter::new(core.clock, core.needs_unit);
                let took = times.amount_outside(took, *interval);
                builder.cite(facts.positions[step + 1].events.start, format!("the next event, {took} later"));
                builder.cite(at, "false here");
                let far = times.distance(*interval);
                return Some(builder.finish(format!("the next event came after {took}, not{far}")));
            }
        }
    }
    None
}

/// Returns the time that a formula looks back at most; `None` if there is no limit.
pub fn past_reach(core: &FormulaCore) -> Option<Duration> {
    let reach = core.nodes.iter().try_fold(0_i128, |sum, node| match node {
        FormulaNode::Since { interval, .. } => sum.checked_add(interval.hi?.ticks()),
        FormulaNode::Count { reach, .. }
        | FormulaNode::Gap { reach, .. }
        | FormulaNode::Fold { reach, .. }
        | FormulaNode::Percentile { reach, .. }
        | FormulaNode::Distinct { reach, .. } => sum.checked_add(reach.ticks()),
        FormulaNode::Maximum { window, .. } => sum.checked_add(window.ticks()),
        FormulaNode::Compare { .. } | FormulaNode::Each { .. } | FormulaNode::TimeAtLeast(_) => None,
        _ => Some(sum),
    })?;
    Some(Duration::from_ticks(reach))
}

pub(super) struct FormulaExplainer<'a> {
    pub(super) core: &'a FormulaCore,
    pub(super) facts: &'a Facts,
    pub(super) table: &'a TruthTable,
    pub(super) builder: ExplanationBuilder<'a>,
    pub(super) times: AmountPrinter,
    /// The position of the violation.
    at: usize,
    violation: &'a Violation,
}

impl FormulaExplainer<'_> {
    pub(super) fn is_true(&self, edge: Edge, position: usize) -> bool {
        self.table.truth(edge, position) == Truth::True
    }

    pub(super) fn time(&self, position: usize) -> Timestamp {
        self.facts.times[position]
    }

    pub(super) fn describe(&self, edge: Edge) -> String {
        describe::part(self.core, edge)
    }

    /// Cites the event of a position that matches an atom of the part; if none does, the event of the violation or the first one.
    pub(super) fn cite(&mut self, position: usize, part: Edge, note: impl Into<String>) {
        let event = self.event_of(position, part);
        self.builder.cite(event, note);
    }

    pub(super) fn event_of(&self, position: usize, part: Edge) -> usize {
        let events = self.facts.positions[position].events.clone();
        let atoms = self.atoms_of(part.node);
        let evidence = self.builder.evidence;
        let is_of_part = |event: &usize| {
            let event = &evidence.trace.events()[*event];
            atoms.iter().any(|id| atom::matches(&self.core.atoms[*id], event, evidence.values))
        };
        let is_violation = |event: &usize| evidence.origins[*event].event_index == self.violation.at.origin.event_index;
        events.clone().find(is_of_part).or(events.clone().find(is_violation)).unwrap_or(events.start)
    }

    fn atoms_of(&self, root: NodeId) -> Vec<usize> {
        let parts = gnomon_core::list::reachable([root], |id| {
            self.core.node(id).children().into_iter().map(|child| child.node)
        });
        let atom = |id: NodeId| match self.core.node(id) {
            FormulaNode::Atom(atom) => Some(atom.0 as usize),
            node => node.measure().map(|measure| self.core.measures[measure.0 as usize].atom.0 as usize),
        };
        parts.into_iter().filter_map(atom).collect()
    }

    /// Cites the event of the violation with the requirement that begins there, unless the event is cited already.
    fn note_start(&mut self, blame: Edge, antecedent: Option<Edge>) {
        let asked = self.inclusive(blame).unwrap_or(blame.node);
        let note = match self.core.node(asked) {
            FormulaNode::Until { interval, right, .. } if !blame.negated || self.inclusive(!blame).is_none() => {
                let goal = self.describe(*right);
                format!("requires {goal}{}", self.times.distance(*interval))
            }
            _ if antecedent.is_some() => "the rule applies here".to_owned(),
            _ if matches!(self.core.reporting, Reporting::Whole(_)) => "the trace begins".to_owned(),
            _ => "false here".to_owned(),
        };
        let named = antecedent.unwrap_or(blame);
        let event = self
            .builder
            .evidence
            .origins
            .iter()
            .position(|origin| origin.event_index == self.violation.at.origin.event_index);
        let event = event.unwrap_or_else(|| self.event_of(self.at, named));
        self.builder.cite(event, note);
    }

    /// The strict operator behind an edge that stands for an operator which includes the present position.
    fn inclusive(&self, edge: Edge) -> Option<NodeId> {
        self.core.inclusives.iter().find(|(inclusive, _)| *inclusive == edge).map(|(_, strict)| *strict)
    }

    /// Returns the reason why an edge has its value at a position, and cites the events.
    fn reason(&mut self, edge: Edge, position: usize, depth: usize) -> String {
        let value = self.is_true(edge, position);
        if depth > MAX_DEPTH {
            let text = self.describe(edge);
            return if value { text } else { format!("{text} is false") };
        }
        for (whole, negated) in [(edge, false), (!edge, true)] {
            if let Some(strict) = self.inclusive(whole) {
                return self.included(strict, position, value != negated, depth);
            }
        }
        let (core, node_value) = (self.core, value != edge.negated);
        match core.node(edge.node) {
            FormulaNode::True => "nothing can satisfy it".to_owned(),
            FormulaNode::Atom(_) if node_value => {
                let what = self.describe(Edge { negated: false, ..edge });
                let note = if value { format!("{what} is here") } else { format!("{what} must not be here") };
                self.cite(position, edge, note);
                if value { format!("{what} occurred") } else { format!("{what} occurred, which is not allowed") }
            }
            FormulaNode::Atom(_) => format!("no {}", self.describe(Edge { negated: false, ..edge })),
            FormulaNode::TimeAtLeast(least) => {
                format!("the trace has not lasted {} yet", self.times.constant(*least))
            }
            FormulaNode::And(edges) if node_value => {
                let reasons: Vec<String> = edges.iter().map(|edge| self.reason(*edge, position, depth + 1)).collect();
                let all: Vec<String> = gnomon_core::list::unique(reasons);
                // "no `a`" is part of "no `a` within 3 s".
                let is_part = |reason: &String| all.iter().any(|other| other.starts_with(&format!("{reason} ")));
                let mut reasons: Vec<String> = all.iter().filter(|reason| !is_part(reason)).cloned().collect();
                reasons.truncate(4);
                reasons.join(", and ")
            }
            FormulaNode::And(edges) => {
                let failed = edges.iter().find(|edge| !self.is_true(**edge, position)).copied();
                failed.map_or(String::new(), |failed| self.reason(failed, position, depth + 1))
            }
            FormulaNode::Until { interval, left, right } => {
                self.until(*interval, *left, *right, position, node_value, depth)
            }
            FormulaNode::Since { interval, left, right } => {
                self.since(*interval, *left, *right, position, node_value, depth)
            }
            FormulaNode::Count { reach, of, comparison, bound, rate_window } => {
                let limit = RequiredValue::new(edge, value, *comparison, *bound);
                self.count(*reach, *of, &limit, *rate_window, position)
            }
            FormulaNode::Maximum { window, step, of, comparison, bound } => {
                let limit = RequiredValue::new(edge, value, *comparison, *bound);
                self.maximum((*window, *step), *of, &limit, position)
            }
            FormulaNode::Gap { reach, from, to, comparison, bound } => {
                let ticks = Duration::from_ticks(bound.numerator / bound.denominator.max(1));
                let limit = if value { String::new() } else { self.time_limit(edge, *comparison, ticks) };
                self.gap(*reach, (*from, *to), (ticks, &limit), position)
            }
            FormulaNode::Fold { measure, reach, comparison, bound, .. }
            | FormulaNode::Percentile { measure, reach, comparison, bound, .. }
            | FormulaNode::Distinct { measure, reach, comparison, bound, .. } => {
                let limit = RequiredValue::new(edge, value, *comparison, *bound);
                self.measured(core.node(edge.node), *measure, *reach, &limit, position)
            }
            FormulaNode::Compare { left, right, .. } => self.compare(edge, [*left, *right], position),
            FormulaNode::InFuture { reach, of } => {
                let last = (position..self.facts.times.len())
                    .rfind(|later| self.time(*later) - self.time(position) <= *reach)
                    .unwrap_or(position);
                let within = self.times.constant(*reach);
                self.cite(last, *of, format!("the last event within {within}"));
                let reason = self.reason(*of, last, depth + 1);
                format!("{within} later, {reason}")
            }
            FormulaNode::Each { list, .. } => {
                let list = describe::words(core, *list);
                if node_value {
                    format!("all elements of `{list}` satisfy it")
                } else {
                    format!("not all elements of `{list}` satisfy it")
                }
            }
        }
    }

    /// Explains an operator that includes the present position.
    fn included(&mut self, strict: NodeId, position: usize, value: bool, depth: usize) -> String {
        let (FormulaNode::Until { interval, left, right } | FormulaNode::Since { interval, left, right }) =
            *self.core.node(strict)
        else {
            return self.describe(Edge { node: strict, negated: false });
        };
        let reaches_present = interval.lo == Duration::ZERO || interval.lo <= Duration::from_ticks(1);
        if value && reaches_present && self.is_true(right, position) {
            return self.reason(right, position, depth + 1);
        }
        if !value && !self.is_true(left, position) {
            let (not_left, goal) = (self.describe(!left), self.describe(right));
            self.cite(position, left, format!("{not_left} is here"));
            return format!("{not_left}, without {goal}");
        }
        let strict = Edge { node: strict, negated: false };
        if self.is_true(strict, position) == value {
            return self.reason(strict, position, depth);
        }
        self.describe(strict)
    }

    /// Explains `left U right` at a position: by the position that satisfied it, the one that broke `left`, or the nearest misses.
    fn until(
        &mut self,
        interval: Interval,
        left: Edge,
        right: Edge,
        position: usize,
        value: bool,
        depth: usize,
    ) -> String {
        let after: Vec<usize> = (position + 1..self.facts.times.len()).collect();
        let distance = |explainer: &Self, later: usize| explainer.time(later) - explainer.time(position);
        let goals: Vec<usize> = after.iter().copied().filter(|later| self.is_true(right, *later)).collect();
        let goal = self.describe(right);
        let broken = after.iter().copied().find(|between| !self.is_true(left, *between));
        if value {
            let reached = goals.iter().copied().find(|later| interval.contains(distance(self, *later)));
            let Some(reached) = reached else { return format!("{goal} came") };
            let took = self.times.amount(distance(self, reached));
            let present = self.present(right);
            self.cite(reached, right, format!("{}, {took} later", present.as_ref().unwrap_or(&goal)));
            return match (self.core.node(right.node), present) {
                (FormulaNode::Atom(_), _) => format!("{goal} came after {took}"),
                (FormulaNode::And(parts), Some(present)) if parts.contains(&left) => {
                    if let Some(late) =
                        after.iter().copied().find(|later| *later > reached && !self.is_true(left, *later))
                    {
                        let awaited = self.describe(!left);
                        self.cite(late, left, format!("{awaited} came only after that"));
                    }
                    format!("{present} came after {took}, with no {} before it", self.describe(!left))
                }
                _ => self.reason(right, reached, depth + 1),
            };
        }
        let lack = describe::lack(self.core, right);
        let far = self.times.distance(interval);
        if left == !Edge::TRUE {
            let Some(next) = after.first().copied() else { return "there is no next event".to_owned() };
            let took = self.times.amount_outside(distance(self, next), interval);
            self.cite(next, right, format!("the next event, {took} later"));
            if self.is_true(right, next) {
                return format!("the next event came after {took}, not{far}");
            }
            return format!("the next event does not satisfy it: {}", self.reason(right, next, depth + 1));
        }
        if let Some(broken) = broken.filter(|broken| interval.hi.is_none_or(|hi| distance(self, *broken) <= hi)) {
            let not_left = self.describe(!left);
            self.cite(broken, left, format!("{not_left} came first"));
            if let Some(late) = goals.iter().copied().find(|later| *later > broken) {
                self.cite(late, right, format!("{goal} came only after that"));
            }
            return format!("{not_left} came before {goal}");
        }
        let end = if matches!(self.violation.decided, DecisionPoint::End(_)) && interval.hi.is_none() {
            " before the trace ended"
        } else {
            ""
        };
        let late = goals.iter().copied().find(|later| interval.is_past(distance(self, *later)));
        let early = goals.iter().copied().rfind(|later| distance(self, *later) < interval.lo);
        let [early, late] = [early, late].map(|later| Some((later?, distance(self, later?))));
        let early = self.near_miss(right, interval, early, TOO_EARLY);
        let late = self.near_miss(right, interval, late, TOO_LATE);
        format!("{lack}{far}{end}{}", late.or(early).unwrap_or_default())
    }

    /// Describes the events of a conjunction that are at the position itself; `None` if it has none.
    fn present(&self, edge: Edge) -> Option<String> {
        let FormulaNode::And(parts) = self.core.node(edge.node) else { return None };
        let is_event = |part: &&Edge| !part.negated && matches!(self.core.node(part.node), FormulaNode::Atom(_));
        let events: Vec<String> = parts.iter().filter(is_event).map(|part| self.describe(*part)).collect();
        (!edge.negated && !events.is_empty()).then(|| events.join(" and "))
    }

    /// Cites the event of a position outside of the interval, at its distance. Returns the sentence.
    fn near_miss(
        &mut self,
        of: Edge,
        interval: Interval,
        missed: Option<(usize, Duration)>,
        words: [&str; 2],
    ) -> Option<String> {
        let (position, distance) = missed?;
        let amount = self.times.amount_outside(distance, interval);
        let event = self.event_of(position, of);
        Some(self.builder.near_miss(event, &amount, words))
    }

    /// Explains `left S right` at a position, as [`FormulaExplainer::until`] does for the future.
    fn since(
        &mut self,
        interval: Interval,
        left: Edge,
        right: Edge,
        position: usize,
        value: bool,
        depth: usize,
    ) -> String {
        let distance = |explainer: &Self, earlier: usize| explainer.time(position) - explainer.time(earlier);
        let goals: Vec<usize> = (0..position).rev().filter(|earlier| self.is_true(right, *earlier)).collect();
        let (goal, lack) = (self.describe(right), describe::lack(self.core, right));
        if value {
            let reached = goals.iter().copied().find(|earlier| interval.contains(distance(self, *earlier)));
            let Some(reached) = reached else { return format!("{goal} occurred before") };
            let ago = self.times.amount(distance(self, reached));
            self.cite(reached, right, format!("{goal}, {ago} earlier"));
            return match self.core.node(right.node) {
                FormulaNode::Atom(_) => format!("{goal} occurred {ago} earlier"),
                _ => self.reason(right, reached, depth + 1),
            };
        }
        if left == !Edge::TRUE {
            let Some(previous) = position.checked_sub(1) else { return format!("{lack} just before") };
            let ago = self.times.amount(distance(self, previous));
            self.cite(previous, right, format!("the previous event, {ago} earlier"));
            return format!("{lack} just before");
        }
        if let Some(last) = goals.iter().copied().find(|earlier| interval.contains(distance(self, *earlier))) {
            let not_left = self.describe(!left);
            self.cite(last, right, format!("the last {goal}"));
            if let Some(broken) = (last + 1..position).rev().find(|between| !self.is_true(left, *between)) {
                self.cite(broken, left, format!("{not_left} came after it"));
            }
            return format!("{not_left} came after the last {goal}");
        }
        let recent = goals.iter().copied().find(|earlier| distance(self, *earlier) < interval.lo);
        let old = goals.iter().copied().find(|earlier| interval.is_past(distance(self, *earlier)));
        let far = past_distance(self.times, interval);
        let [old, recent] = [old, recent].map(|earlier| Some((earlier?, distance(self, earlier?))));
        let old = self.near_miss(right, interval, old, TOO_LONG_AGO);
        let recent = self.near_miss(right, interval, recent, TOO_RECENT);
        let afterwards = if goals.is_empty() { self.afterwards(right, position) } else { None };
        format!("{lack}{far}{}", recent.or(old).or(afterwards).unwrap_or_default())
    }

    /// Cites the first later event of a part that should have been before a position. Returns the sentence.
    fn afterwards(&mut self, of: Edge, position: usize) -> Option<String> {
        let later = (position + 1..self.facts.times.len()).find(|later| self.is_true(of, *later))?;
        let amount = self.times.amount(self.time(later) - self.time(position));
        let event = self.event_of(later, of);
        Some(self.builder.near_miss(event, &amount, ONLY_AFTERWARDS))
    }

    /// Explains a count or a rate: cites the positions in the window at which the part is true.
    fn count(
        &mut self,
        reach: Duration,
        of: Edge,
        limit: &RequiredValue,
        rate_window: Option<Duration>,
        position: usize,
    ) -> String {
        let in_window = |earlier: &usize| self.time(position) - self.time(*earlier) <= reach;
        let counted: Vec<usize> =
            (0..=position).filter(|earlier| in_window(earlier) && self.is_true(of, *earlier)).collect();
        let events: Vec<usize> = counted.iter().map(|position| self.event_of(*position, of)).collect();
        let window = self.times.constant(Duration::from_ticks(reach.ticks() + 1));
        self.builder.cite_counted(&events, |place, all| format!("counted: {place} of {all} in the last {window}"));
        let rate = rate_window.map_or(String::new(), |length| {
            let second = gnomon_core::Unit::Second.nanoseconds();
            let rate = Fraction::new((counted.len() as i128).saturating_mul(second), length.ticks().max(1));
            format!(", {} per second", rounded(&rate.to_string()))
        });
        // The bound of a rate was converted to a bound on the count.
        let limit = &limit.words;
        format!("counted {} {} in the last {window}{rate}{limit}", counted.len(), self.describe(of))
    }

    /// Explains a maximum over the steps of a window by the step with the most events.
    fn maximum(
        &mut self,
        (window, step): (Duration, Duration),
        of: Edge,
        limit: &RequiredValue,
        position: usize,
    ) -> String {
        let number = |explainer: &Self, earlier: usize| {
            let distance = explainer.time(position) - explainer.time(earlier);
            (distance < window).then(|| distance.ticks() / step.ticks())
        };
        let counted: Vec<usize> = (0..=position).filter(|earlier| self.is_true(of, *earlier)).collect();
        let of_step = |explainer: &Self, wanted: i128| -> Vec<usize> {
            counted.iter().copied().filter(|earlier| number(explainer, *earlier) == Some(wanted)).collect()
        };
        let steps = gnomon_core::list::unique(counted.iter().filter_map(|earlier| number(self, *earlier)));
        let fullest = steps.into_iter().map(|one| of_step(self, one)).max_by_key(Vec::len).unwrap_or_default();
        let events: Vec<usize> = fullest.iter().map(|position| self.event_of(*position, of)).collect();
        let step = self.times.constant(step);
        self.builder.cite_counted(&events, |place, all| format!("{place} of {all} in the fullest {step}"));
        format!("{} {} in the fullest {step}{}", fullest.len(), self.describe(of), limit.words)
    }

    /// Explains the average time between two events by the pairs in the window.
    fn gap(&mut self, reach: Duration, (from, to): (Edge, Edge), limit: (Duration, &str), position: usize) -> String {
        let (start, end) = (self.describe(from), self.describe(to));
        let mut sum = 0;
        let mut pairs = Vec::new();
        for begun in (0..=position).filter(|earlier| self.time(position) - self.time(*earlier) <= reach) {
            let ended = (begun + 1..=position).find(|later| self.is_true(to, *later));
            let Some(ended) = ended.filter(|_| self.is_true(from, begun)) else { continue };
            let took = self.time(ended) - self.time(begun);
            sum += took.ticks();
            pairs.push((begun, ended, took));
        }
        if pairs.is_empty() {
            return format!("no pair of {start} and {end} to measure");
        }
        for (begun, ended, took) in &pairs {
            let took = self.times.amount(*took);
            self.cite(*begun, from, format!("{start}: {end} comes {took} later"));
            self.cite(*ended, to, end.clone());
        }
        let (bound, limit) = limit;
        let mean = self.times.mean_beside(sum, pairs.len() as u64, bound);
        let plural = if pairs.len() == 1 { "" } else { "s" };
        format!("from {start} to {end} took {mean} on average over {} pair{plural}{limit}", pairs.len())
    }

    fn time_limit(&self, edge: Edge, comparison: Comparison, bound: Duration) -> String {
        let comparison = if edge.negated { comparison.opposite() } else { comparison };
        format!("; {} {} {}", words(comparison), self.times.constant(bound), verb(comparison))
    }

    /// Explains an aggregate of the values in a window by its value, and cites the events with the values.
    fn measured(
        &mut self,
        node: &FormulaNode,
        measure: MeasureId,
        reach: Duration,
        limit: &RequiredValue,
        position: usize,
    ) -> String {
        let core = self.core;
        let measure = &core.measures[measure.0 as usize];
        let of = &core.atoms[measure.atom.0 as usize];
        let window = self.times.constant(reach);
        let evidence = self.builder.evidence;
        let mut values = Vec::new();
        for earlier in (0..=position).filter(|earlier| self.time(position) - self.time(*earlier) <= reach) {
            for event in self.facts.positions[earlier].events.clone() {
                let one = &evidence.trace.events()[event..=event];
                let found = crate::fold::values(measure, of, one, evidence.values);
                values.extend(found.into_iter().map(|value| (event, value)));
            }
        }
        if !matches!(node, FormulaNode::Distinct { .. }) {
            values.retain(|(_, value)| matches!(value, Value::Number(_)));
        }
        let skipped = values.len().saturating_sub(super::MAX_CITED);
        for (event, value) in &values[skipped..] {
            self.builder.cite(*event, format!("{value}, in the last {window}"));
        }
        let number = |value: &Value<'static>| match value {
            Value::Number(number) => Some(Fraction::from(*number)),
            _ => None,
        };
        let mut numbers: Vec<Fraction> = values.iter().filter_map(|(_, value)| number(value)).collect();
        let (name, result) = match node {
            FormulaNode::Fold { fold, .. } => {
                let result = term_value::fold(*fold, &numbers).as_ref().and_then(term_value::TermValue::number);
                (fold.word().to_owned(), result.or((*fold == Fold::Sum).then_some(Fraction::whole(0))))
            }
            FormulaNode::Percentile { percent, .. } => {
                numbers.sort_by(|left, right| left.compare(*right));
                let place = usize::try_from(percent.place(numbers.len() as u64)).unwrap_or(usize::MAX);
                (format!("p{percent}"), place.checked_sub(1).and_then(|place| numbers.get(place)).copied())
            }
            _ => {
                let mut different: Vec<&Value<'static>> = Vec::new();
                for (_, value) in &values {
                    if !different.iter().any(|known| Comparison::Equal.holds(known, value)) {
                        different.push(value);
                    }
                }
                ("the number of different values".to_owned(), Some(Fraction::whole(different.len() as i128)))
            }
        };
        let field = measure.fields.first().map(ToString::to_string).unwrap_or_default();
        let what = format!("{name} of `{field}` over `{}` in the last {window}", of.name);
        match result {
            Some(value) => format!("{what} is {}{}", limit.beside(value), limit.words),
            None => format!("{what} does not exist: there are no numbers"),
        }
    }
}

/// Describes the distances of an interval of the past.
fn past_distance(times: AmountPrinter, interval: Interval) -> String {
    let near = interval.lo <= Duration::from_ticks(1);
    match (near, interval.written_hi()) {
        (true, None) => " before".to_owned(),
        (true, Some(hi)) => format!(" in the {} before", times.constant(hi)),
        (false, None) => format!(" at least {} before", times.constant(interval.lo)),
        (false, Some(hi)) => format!(" between {} and {} before", times.constant(interval.lo), times.constant(hi)),
    }
}

/// The value that a comparison requires.
struct RequiredValue {
    bound: String,
    /// The requirement, as the end of a sentence; empty if it is met.
    words: String,
}

impl RequiredValue {
    fn new(edge: Edge, is_met: bool, comparison: Comparison, bound: Ratio) -> RequiredValue {
        let bound = Fraction::new(bound.numerator, bound.denominator).to_string();
        let comparison = if edge.negated { comparison.opposite() } else { comparison };
        let words =
            if is_met { String::new() } else { format!("; {} {bound} {}", words(comparison), verb(comparison)) };
        RequiredValue { bound, words }
    }

    /// Writes a value that is compared with this one.
    fn beside(&self, value: Fraction) -> String {
        rounded_beside(&value.to_string(), &self.bound)
    }
}

fn verb(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Less | Comparison::AtMost => "allowed",
        _ => "required",
    }
}

fn words(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "exactly",
        Comparison::NotEqual => "a value other than",
        Comparison::Less => "less than",
        Comparison::AtMost => "at most",
        Comparison::Greater => "more than",
        Comparison::AtLeast => "at least",
    }
}
