// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explains a violation: the part of the formula that failed, and the events that caused it.
//!
//! The explanation comes from the state of the network at the moment when the violation is found, since earlier events are not stored. It
//! therefore cites only events whose origins the state has, such as those in a window. A check of a file that can be read again replaces it
//! by one from the events themselves.

use gnomon_core::rounding::{rounded, rounded_beside};
use gnomon_core::verdict::Cause;
use gnomon_core::{Comparison, Duration, Fraction, Origin, Span, TracePosition, Unit};
use gnomon_ir::describe::{self, AmountPrinter, words};
use gnomon_ir::{Edge, FormulaNode, MeasureId, NodeId, Ratio, TermCore, TermId};

use super::Network;
use super::clause::{Consequent, FormulaClause, TRUE};
use super::evaluator::Evaluator;
use crate::accounting::{Explanation, Trigger};
use crate::past::{PastOperator, step_of};

/// The maximum number of events that one explanation cites.
const MAX_CITED: usize = 12;

/// Describes the comparison that failed: "required: <= 5".
fn asked(edge: Edge, compared: &str) -> String {
    format!("required: {}{compared}", if edge.negated { "not " } else { "" })
}

/// The state from which a violation can be explained when it is found.
pub(crate) enum Evidence<'e, 'p> {
    /// The present position, and the past as it was before it.
    Present(&'e mut Evaluator<'p>),
    /// Time passed or the trace ended: there is no present position.
    None(&'e Network),
}

impl Evidence<'_, '_> {
    pub(crate) fn network(&self) -> &Network {
        match self {
            Evidence::Present(evaluator) => evaluator.network,
            Evidence::None(network) => network,
        }
    }

    /// Returns the smallest part that explains why the consequent is false: inside conjunctions, the first false part.
    pub(crate) fn narrow(&mut self, clause: &FormulaClause, at: TracePosition, blame: NodeId) -> NodeId {
        let Evidence::Present(evaluator) = self else { return blame };
        if evaluator.position.index != at.position {
            return blame;
        }
        if blame == clause.consequent.node && clause.consequent.negated {
            return blame;
        }
        let mut blame = blame;
        while let FormulaNode::And(edges) = evaluator.network.core.node(blame) {
            let known = |edge: &&Edge| evaluator.network.later_slots[edge.node.0 as usize].is_none();
            let candidates: Vec<Edge> = edges.iter().filter(known).copied().collect();
            match candidates.into_iter().find(|edge| !evaluator.value(*edge)) {
                Some(edge) if !edge.negated => blame = edge.node,
                _ => break,
            }
        }
        blame
    }

    /// Returns the text of the part that is blamed for a violation of a clause.
    pub(crate) fn span(&self, clause: &FormulaClause, blame: NodeId) -> Span {
        if blame == clause.consequent.node { clause.consequent_span } else { self.network().core.span(blame) }
    }

    /// Returns a sentence and the events that it refers to, in the order of the trace.
    pub(crate) fn explain(
        &mut self,
        clause: &FormulaClause,
        at: TracePosition,
        trigger: Trigger<'_>,
        blame: NodeId,
    ) -> Explanation {
        let negated = match clause.consequent_part {
            Consequent::Direct(direct) if direct.node == blame => direct.negated,
            _ => blame == clause.consequent.node && clause.consequent.negated,
        };
        let edge = Edge { node: blame, negated };
        let is_now = matches!(self, Evidence::Present(evaluator) if evaluator.position.index == at.position);
        let (summary, mut because) = match self.network().core.node(blame).clone() {
            FormulaNode::Until { .. } => self.future(edge, at, trigger),
            // The windows have moved on since then.
            _ if !is_now => self.plain(edge, at, trigger),
            FormulaNode::Since { left, right, .. } => self.since(edge, left, right, at),
            FormulaNode::Count { of, reach, comparison, bound, rate_window } => {
                let (summary, because) = self.count(edge, of, reach, at);
                (
                    rate_window
                        .and_then(|window| self.rate(edge, of, window, (comparison, bound), at))
                        .unwrap_or(summary),
                    because,
                )
            }
            FormulaNode::Maximum { of, step, .. } => self.maximum(edge, of, step, at),
            FormulaNode::Gap { from, to, .. } => self.gap(edge, from, to, at),
            FormulaNode::Fold { reach, .. } => self.fold(edge, reach, at),
            FormulaNode::Percentile { measure, reach, comparison, bound, .. }
            | FormulaNode::Distinct { measure, reach, comparison, bound } => {
                self.measured(edge, measure, reach, &describe::compared(comparison, bound), at)
            }
            FormulaNode::Compare { left, right, .. } => self.compared(edge, [left, right], at),
            FormulaNode::True
            | FormulaNode::Atom(_)
            | FormulaNode::And(_)
            | FormulaNode::TimeAtLeast(_)
            | FormulaNode::InFuture { .. }
            | FormulaNode::Each { .. } => self.plain(edge, at, trigger),
        };
        let names_itself = because.iter().any(|because| because.origin == at.origin);
        if clause.antecedent.is_some() && !names_itself && !because.is_empty() {
            because.push(Cause { origin: at.origin, note: "the rule applies here".to_owned() });
        }
        because.sort_by_key(|because| because.origin.order());
        (summary, because)
    }

    fn describe(&self, edge: Edge) -> String {
        describe::part(&self.network().core, edge)
    }

    fn future(&self, edge: Edge, at: TracePosition, trigger: Trigger<'_>) -> Explanation {
        let core = &self.network().core;
        let FormulaNode::Until { interval, left, right } = core.node(edge.node) else { return (String::new(), vec![]) };
        let (goal, distance) = (self.describe(*right), self.amounts().distance(*interval));
        let lack = describe::lack(core, *right);
        let opened = |note: String| Cause { origin: at.origin, note };
        if edge.negated {
            let summary = format!("{goal} came{distance}");
            let mut because = vec![opened("it is forbidden from here on".to_owned())];
            if let Trigger::Position { decider, .. } = trigger {
                because.push(Cause { origin: *decider, note: format!("{goal}: decided here") });
            }
            return (summary, because);
        }
        let opened = opened(format!("requires {goal}{distance}"));
        match trigger {
            Trigger::Position { decider, position, .. } => {
                let not_left = self.describe(!*left);
                let summary = if position == at.position || *left == TRUE {
                    format!("{lack}{distance}")
                } else {
                    format!("{not_left} came before {goal}")
                };
                let decided = Cause { origin: *decider, note: format!("{lack} until here: decided here") };
                (summary, if position == at.position { vec![opened] } else { vec![opened, decided] })
            }
            Trigger::Deadline(_) => (format!("{lack}{distance}"), vec![opened]),
            Trigger::End(_) => (format!("{lack}{distance} before the trace ended"), vec![opened]),
        }
    }

    fn since(&mut self, edge: Edge, left: Edge, right: Edge, at: TracePosition) -> Explanation {
        let (goal, not_left) = (self.describe(right), self.describe(!left));
        let lack = describe::lack(&self.network().core, right);
        let Some(PastOperator::Since(since)) = self.past(edge.node) else { return self.uncited(edge, at) };
        let (last_right, last_break) = (since.last_right(), since.last_break());
        let cite = |origin: Option<Origin>, note: String| origin.map(|origin| Cause { origin, note });
        if edge.negated {
            let because = cite(last_right, format!("{goal} was here")).into_iter().collect();
            return (format!("{goal} came before"), because);
        }
        let broken = last_break.filter(|broken| last_right.is_none_or(|right| right.order() < broken.order()));
        let summary = match (last_right, broken) {
            _ if at.position == 0 => "it is the first event".to_owned(),
            // Only the position just before this one matters.
            _ if left == !TRUE => format!("{lack} just before"),
            (None, _) if left != TRUE => format!("{lack} before, or {not_left} after it"),
            (None, _) => format!("{lack} before"),
            (Some(_), Some(_)) => format!("{not_left} came after the last {goal}"),
            (Some(_), None) => format!("the last {goal} is not at the right distance"),
        };
        let because = cite(last_right, format!("the last {goal}")).into_iter();
        (summary, because.chain(cite(broken, format!("{not_left} came after it"))).collect())
    }

    fn count(&mut self, edge: Edge, of: Edge, reach: Duration, at: TracePosition) -> Explanation {
        let what = self.describe(of);
        let holds = self.present_value(of);
        let Some(PastOperator::Count(counted)) = self.past(edge.node) else { return self.uncited(edge, at) };
        let number = counted.count(at.origin.time, holds);
        let mut cited: Vec<Origin> = counted.origins().rev().take(MAX_CITED).copied().collect();
        cited.reverse();
        let window = self.window(Duration::from_ticks(reach.ticks() + 1));
        let summary = format!("counted {number} {what} in the last {window}");
        // The newest occurrences are cited; the present one, if it counts, is the last.
        let first = (number + 1).saturating_sub(u64::from(holds) + cited.len() as u64);
        let cite = |(place, origin): (u64, Origin)| Cause {
            origin,
            note: format!("counted: {place} of {number} in the last {window}"),
        };
        (summary, (first..).zip(cited).map(cite).collect())
    }

    fn maximum(&mut self, edge: Edge, of: Edge, step: Duration, at: TracePosition) -> Explanation {
        let what = self.describe(of);
        let holds = self.present_value(of);
        let Some(PastOperator::Maximum(maximum)) = self.past(edge.node) else { return self.uncited(edge, at) };
        let fullest = maximum.fullest(at.origin.time, step, holds);
        let in_step = |origin: &&Origin| step_of(at.origin.time, step, origin) == fullest.step;
        let cited: Vec<Origin> = maximum.origins().filter(in_step).take(MAX_CITED).copied().collect();
        let step = self.window(step);
        let summary = format!("at most {} {what} in {step}", fullest.count);
        let cite = |origin| Cause { origin, note: format!("one of {} in the fullest {step}", fullest.count) };
        (summary, cited.into_iter().map(cite).collect())
    }

    fn gap(&mut self, edge: Edge, from: Edge, to: Edge, at: TracePosition) -> Explanation {
        let (start, end) = (self.describe(from), self.describe(to));
        let ends = self.present_value(to);
        let Some(PastOperator::Gap(gap)) = self.past(edge.node) else { return self.uncited(edge, at) };
        let mean = gap.query(at.origin.time, ends);
        let mut cited: Vec<(Origin, Duration)> = gap.pairs().map(|pair| (pair.start, pair.took)).collect();
        if ends {
            cited.extend(gap.waiting().map(|start| (*start, at.origin.time - start.time)));
        }
        if mean.count == 0 {
            return (format!("no pair of {start} and {end} to measure"), vec![]);
        }
        cited.sort_by_key(|(_, took)| std::cmp::Reverse(*took));
        cited.truncate(MAX_CITED);
        let amounts = self.amounts();
        let average = amounts.amount(Duration::from_ticks(mean.sum / i128::from(mean.count)));
        let plural = if mean.count == 1 { "" } else { "s" };
        let summary = format!("from {start} to {end} took {average} on average over {} pair{plural}", mean.count);
        let cite = |(origin, took)| Cause { origin, note: format!("took {}", amounts.amount(took)) };
        (summary, cited.into_iter().map(cite).collect())
    }

    fn fold(&mut self, edge: Edge, reach: Duration, at: TracePosition) -> Explanation {
        let what = self.describe(Edge { negated: false, ..edge });
        let Some(PastOperator::Fold(fold)) = self.past(edge.node) else { return self.uncited(edge, at) };
        let mut cited: Vec<(Origin, String)> =
            fold.entries().rev().take(MAX_CITED).map(|entry| (entry.origin, entry.number.to_string())).collect();
        cited.reverse();
        let window = self.window(reach);
        let cite = |(origin, number)| Cause { origin, note: format!("{number}, in the last {window}") };
        (format!("{what} in the last {window} does not meet the requirement"), cited.into_iter().map(cite).collect())
    }

    /// Returns the sentence for a count that was written as a rate: "`login` came 0.2 times per second in the last 60 s; asked for
    /// is <= 0.1".
    fn rate(
        &mut self,
        edge: Edge,
        of: Edge,
        window: Duration,
        (comparison, bound): (Comparison, Ratio),
        at: TracePosition,
    ) -> Option<String> {
        let what = self.describe(of);
        let holds = self.present_value(of);
        let Some(PastOperator::Count(counted)) = self.past(edge.node) else { return None };
        let count = counted.count(at.origin.time, holds);
        let per_second =
            |number| Fraction::whole(number).times(Fraction::new(Unit::Second.nanoseconds(), window.ticks()));
        let rate = per_second(i128::from(count))?;
        let limit = Fraction::new(bound.numerator, bound.denominator).times(per_second(1)?)?;
        let rate = rounded_beside(&rate.to_string(), &limit.to_string());
        let asked = asked(edge, &format!("{comparison} {}", rounded(&limit.to_string())));
        Some(format!("counted {count} {what} in the last {}: {rate} per second; {asked}", self.window(window)))
    }

    /// Explains a percentile, or a number of different values, by its value and the newest values in its window.
    fn measured(
        &mut self,
        edge: Edge,
        measure: MeasureId,
        reach: Duration,
        compared: &str,
        at: TracePosition,
    ) -> Explanation {
        let what = self.describe(Edge { negated: false, ..edge });
        let of = describe::measured(&self.network().core, measure);
        let time = at.origin.time;
        let (value, mut cited): (String, Vec<(Origin, String)>) = match self.past(edge.node) {
            Some(PastOperator::Percentile(window)) => {
                let value = window.query(time).map_or_else(|| "undefined".to_owned(), |number| number.to_string());
                let newest = window.entries().rev().take(MAX_CITED);
                (value, newest.map(|entry| (entry.origin, entry.number.to_string())).collect())
            }
            Some(PastOperator::Distinct(window)) => {
                let value = window.query(time).to_string();
                let newest = window.values().rev().take(MAX_CITED);
                (value, newest.map(|(origin, value)| (*origin, value.to_string())).collect())
            }
            _ => return self.uncited(edge, at),
        };
        cited.reverse();
        let window = self.window(reach);
        let cite = |(origin, value)| Cause { origin, note: format!("{of} is {value}, in the last {window}") };
        let summary = format!("{what} in the last {window} is {value}; {}", asked(edge, compared));
        (summary, cited.into_iter().map(cite).collect())
    }

    /// Explains a comparison by the values of its sides.
    fn compared(&mut self, edge: Edge, sides: [TermId; 2], at: TracePosition) -> Explanation {
        let (summary, mut because) = self.uncited(edge, at);
        let Evidence::Present(evaluator) = self else { return (summary, because) };
        let core = &evaluator.network.core;
        let is_literal =
            |side: &TermId| matches!(core.terms[side.0 as usize], TermCore::Number(_) | TermCore::Value(_));
        let notes = sides.iter().filter(|side| !is_literal(side)).map(|side| {
            let value = evaluator.term(*side).map_or_else(|| "undefined".to_owned(), |reading| reading.to_string());
            format!("`{}` is {value}", words(core, *side))
        });
        let note = notes.collect::<Vec<String>>().join(", ");
        if let Some(here) = because.first_mut().filter(|_| !note.is_empty()) {
            here.note = note;
        }
        (summary, because)
    }

    fn plain(&self, edge: Edge, at: TracePosition, trigger: Trigger<'_>) -> Explanation {
        let mut because = vec![Cause { origin: at.origin, note: "false here".to_owned() }];
        if let Trigger::Position { position, decider, .. } = trigger
            && position != at.position
        {
            because.push(Cause { origin: *decider, note: "decided here".to_owned() });
        }
        let summary = if edge.negated {
            match self.describe(!edge) {
                // "no `pay` before" is a sentence already.
                absence if absence.starts_with("no ") => absence,
                formula => format!("{formula} holds"),
            }
        } else {
            format!("{} does not hold", self.describe(edge))
        };
        (summary, because)
    }

    /// Explains an operator whose parts wait: it stores no events to cite.
    fn uncited(&self, edge: Edge, at: TracePosition) -> Explanation {
        self.plain(edge, at, Trigger::Deadline(at.origin.time))
    }

    fn amounts(&self) -> AmountPrinter {
        let core = &self.network().core;
        AmountPrinter::new(core.clock, core.needs_unit)
    }

    fn window(&self, window: Duration) -> String {
        self.amounts().constant(window)
    }

    fn present_value(&mut self, edge: Edge) -> bool {
        let waits = self.network().later_slots[edge.node.0 as usize].is_some();
        match self {
            Evidence::Present(evaluator) if !waits => evaluator.value(edge),
            _ => false,
        }
    }

    fn past(&mut self, id: NodeId) -> Option<&mut PastOperator> {
        match self {
            Evidence::Present(evaluator) if evaluator.layout.past_slots[id.0 as usize].is_some() => {
                Some(evaluator.state(id))
            }
            _ => None,
        }
    }
}
