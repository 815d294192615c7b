// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quantifiers: the verdict over all instances, at the end of the trace.
//!
//! Where every quantifier is a plain `forall`, each binding is reported on its own and the counts add up
//! ([`QuantifierEvaluation::each_binding`]). An instance that does not bind every variable stands for a class of bindings, whose size
//! follows from the domains (`classes.rs`). Otherwise the prefix is evaluated from the outside in and the property
//! has one verdict ([`QuantifierEvaluation::whole_prefix`]).
//!
//! This module reads the storage and lets the machine finish each state. It knows nothing of events and slicing.
// RULE Q2, Q5

use gnomon_core::time::Duration;
use gnomon_core::value::Comparison;
use gnomon_core::verdict::{DecisionPoint, End, Outcome, TracePosition, Verdict, Violation};
use gnomon_ir::core::{QuantifierCore, ThresholdCore};
use gnomon_ir::spec::QuantifierKind;
use rustc_hash::FxHashMap;

use super::classes::BindingClasses;
use super::machine::{Extent, Machine, NewInstance};
use super::root_counts::RootCountAdjustment;
use super::slicing::SlicePlan;
use super::storage::domains::Mentions;
use super::storage::index::Slot;
use super::storage::values::{Id, NONE};
use super::storage::{ROOT, Storage};
use crate::accounting::{ObligationRecord, Totals, ranges};

/// The most bindings without an instance of their own that are evaluated one by one.
const MOST_WALKED: u128 = 1_000_000;

/// Evaluates the quantifiers at the end of a trace.
pub(super) struct QuantifierEvaluation<'a, M: Machine> {
    pub(super) plan: &'a SlicePlan<M>,
    pub(super) storage: &'a mut Storage<M::State>,
    pub(super) scratch: &'a mut M::Scratch,
    pub(super) extent: Extent,
    pub(super) end: End,
    /// The violations that the end decided, as many as are listed.
    pub(super) decided_by_end: Vec<Violation>,
}

impl<M: Machine> QuantifierEvaluation<'_, M> {
    /// Returns the outcome of the property; `evicted` are the counts of bindings that have no instance any more.
    /// `early` is the violation of a property that is true or false as a whole, if positions so far made it certain.
    pub(super) fn outcome(
        &mut self,
        evicted: ObligationRecord,
        root_counts: RootCountAdjustment,
        early: Option<Violation>,
    ) -> Outcome {
        if self.plan.prefix.is_empty() {
            let outcome = self.finish(ROOT);
            let violations = ranges(self.bind(&[], outcome.violations), evicted.log.limit());
            Outcome { violations, ..outcome }
        } else if self.plan.universal {
            self.each_binding(evicted, root_counts)
        } else {
            self.whole_prefix(evicted, early)
        }
    }

    fn finish(&mut self, slot: Slot) -> Outcome {
        let state = self.storage.table.state_mut(slot);
        self.plan.machine.finish(state, self.scratch, self.extent, self.end)
    }

    /// Returns the outcome of one of the bindings that an instance stands for.
    fn finish_copy(&mut self, slot: Slot, ids: &[Id], mentions: Option<Mentions>) -> Outcome {
        let (machine, from) = (&self.plan.machine, self.storage.table.state(slot));
        let to = &NewInstance { ids, values: &self.storage.values, binds_guarded: false, mentions };
        let mut state = if mentions.is_some() { machine.split(from, to) } else { from.clone() };
        machine.finish(&mut state, self.scratch, self.extent, self.end)
    }

    /// RULE Q3: every binding is reported on its own.
    fn each_binding(&mut self, mut sum: ObligationRecord, root_counts: RootCountAdjustment) -> Outcome {
        let sizes = if self.plan.needs_domains { self.classes().sizes() } else { FxHashMap::default() };
        let mut presumably = true;
        for slot in 0..self.storage.table.capacity() as Slot {
            if !self.storage.table.is_live(slot) {
                continue;
            }
            if self.storage.table.kind(slot).mask == self.plan.shape.full() {
                if self.plan.machine.admits(self.storage.table.ids(slot), &self.storage.values) {
                    let outcome = self.finish(slot);
                    let ids = self.storage.table.ids(slot).to_vec();
                    presumably &= self.add(&mut sum, &ids, outcome);
                }
                continue;
            }
            let size = sizes.get(&slot).copied().unwrap_or(0);
            if size > 0 {
                presumably &= self.finish_class(slot, size, &mut sum);
            }
        }
        let keyed: Vec<Id> = self.storage.keyed.ids(&self.storage.values).collect();
        for id in keyed {
            let state = self.storage.keyed.get_mut(id);
            let outcome = self.plan.machine.finish(state, self.scratch, self.extent, self.end);
            presumably &= self.add(&mut sum, &[id], outcome);
        }
        root_counts.settle(&mut sum.totals);
        sum.conclude(self.end, presumably, self.extent.positions)
    }

    /// Adds the outcome of a binding. Returns whether it would hold if the trace were complete.
    fn add(&mut self, sum: &mut ObligationRecord, ids: &[Id], outcome: Outcome) -> bool {
        let presumably = holds_if_complete(&outcome);
        let violations = self.bind(ids, outcome.violations);
        sum.add(Outcome { violations, ..outcome });
        presumably
    }

    /// Adds a binding to its violations, and lists those that the end decided.
    fn bind(&mut self, ids: &[Id], violations: Vec<Violation>) -> Vec<Violation> {
        let bound = if violations.is_empty() { violations } else { bind(self.plan, self.storage, ids, violations) };
        let by_end = bound.iter().filter(|violation| matches!(violation.decided, DecisionPoint::End(_)));
        self.decided_by_end.extend(by_end.cloned());
        bound
    }

    /// Adds the bindings that a partial instance stands for. Returns whether they would hold if the trace were complete.
    fn finish_class(&mut self, slot: Slot, size: u128, sum: &mut ObligationRecord) -> bool {
        let capabilities = &self.plan.capabilities;
        let records = capabilities.records_all_events;
        if records && (capabilities.filters_bindings || size <= MOST_WALKED) {
            // Only a walk through all of them shows when each of them was mentioned.
            let mut presumably = true;
            for ids in self.classes().members(slot, usize::MAX) {
                let outcome = self.finish_copy(slot, &ids, self.storage.domains.mentions(&ids));
                presumably &= self.add(sum, &ids, outcome);
            }
            return presumably;
        }
        let one = self.finish_copy(slot, &[], None);
        let presumably = holds_if_complete(&one);
        let listed = if one.violations.is_empty() { vec![] } else { self.classes().members(slot, sum.log.limit()) };
        for ids in listed {
            let outcome = self.finish_copy(slot, &ids, self.storage.domains.mentions(&ids));
            sum.log.merge(self.bind(&ids, outcome.violations).into_iter());
        }
        let unmentioned = if records { self.unmentioned(slot).min(size) } else { size };
        if unmentioned < size {
            // Times are not reported: there are too many bindings to look at them one by one.
            let somewhere = |origin| Mentions { first: TracePosition { position: 0, origin }, last: origin.time };
            let mentions = self.finish_copy(slot, &[], self.extent.first.map(somewhere));
            sum.totals.add(&Totals { durations: None, ..Totals::from(&mentions) }, size - unmentioned);
        }
        sum.totals.add(&Totals::from(&one), unmentioned);
        presumably
    }

    /// The number of bindings that an instance stands for and that no event named. Events that named its bindings are
    /// remembered only as long as none affected the instance.
    fn unmentioned(&self, slot: Slot) -> u128 {
        let Storage { table, domains, .. } = &*self.storage;
        if self.plan.machine.counts(table.state(slot)).any {
            return 0;
        }
        let own = table.slots().filter(|slot| table.kind(*slot).mask == self.plan.shape.full());
        let unmentioned = own.filter(|slot| domains.mentions(table.ids(*slot)).is_none()).count();
        domains.unmentioned_count(&self.plan.shape).saturating_sub(unmentioned as u128)
    }

    fn classes(&self) -> BindingClasses<'_, M> {
        BindingClasses { plan: self.plan, storage: self.storage }
    }

    /// RULE Q4: the property as a whole is true or false.
    fn whole_prefix(&mut self, mut sum: ObligationRecord, early: Option<Violation>) -> Outcome {
        let Extent { positions, first, last_time, .. } = self.extent;
        let is_by_end = early.is_none() && self.end == End::Complete;
        let (whole, violation) = if early.is_some() {
            (BindingResult::certain(false), early)
        } else {
            let (whole, violation) = self.evaluate(DecisionPoint::End(last_time));
            self.decided_by_end.extend(violation.clone());
            (whole, violation)
        };
        let verdict = match whole.truth {
            Some(true) => Verdict::Holds,
            Some(false) => Verdict::Violated,
            None => Verdict::Inconclusive,
        };
        if positions > 0 || self.end == End::Complete {
            sum.totals.activated = 1;
            match verdict {
                Verdict::Holds => match first {
                    Some(first) if self.plan.capabilities.looks_ahead => sum.totals.satisfy(last_time - first.time),
                    Some(_) => sum.totals.satisfy(Duration::ZERO),
                    None => sum.totals.satisfied = 1,
                },
                Verdict::Inconclusive => sum.totals.pending = 1,
                Verdict::Violated => {
                    sum.totals.violated = 1;
                    sum.totals.open_at_end = u64::from(is_by_end);
                    sum.log.merge(violation.into_iter());
                }
            }
        }
        let presumably = (verdict == Verdict::Inconclusive).then_some(whole.if_complete);
        sum.outcome(verdict, presumably, positions)
    }

    /// Evaluates a prefix with a quantifier other than a plain `forall`. The violation, if there is one and the trace has a position,
    /// is decided by `decided`.
    pub(super) fn evaluate(&mut self, decided: DecisionPoint) -> (BindingResult, Option<Violation>) {
        let slots: Vec<Slot> = self.storage.table.slots().collect();
        let result = |slot: &Slot| (*slot, BindingResult::of(&self.finish_copy(*slot, &[], None)));
        let known = slots.iter().map(result).collect();
        let prefix = PrefixEvaluator { plan: self.plan, storage: self.storage, known, end: self.end };
        let mut binding = vec![NONE; self.plan.shape.variables];
        let whole = prefix.value(0, &slots, &mut binding);
        let first = self.extent.first.filter(|_| whole.truth == Some(false));
        let violation = first.map(|origin| {
            let summary = prefix.blame(0, &slots, &mut binding);
            Violation {
                at: TracePosition { position: 0, origin },
                until_position: None,
                decided,
                binding: self.storage.values.binding(&self.plan.prefix, &binding),
                part: self.plan.capabilities.span,
                failed: self.plan.capabilities.span,
                summary,
                because: vec![],
            }
        });
        (whole, violation)
    }
}

/// Adds a binding to its violations. RULE Q3: none of them is decided before the binding's values have been seen.
pub(super) fn bind<M: Machine>(
    plan: &SlicePlan<M>,
    storage: &Storage<M::State>,
    ids: &[Id],
    mut violations: Vec<Violation>,
) -> Vec<Violation> {
    let binding = storage.values.binding(&plan.prefix, ids);
    let shown = storage.domains.shown(ids);
    for violation in &mut violations {
        violation.binding = binding.clone();
        if let Some(shown) = shown.filter(|shown| plan.is_before(violation.decided, shown)) {
            violation.decided = DecisionPoint::Event(shown);
        }
    }
    violations
}

fn holds_if_complete(outcome: &Outcome) -> bool {
    outcome.verdict == Verdict::Holds || outcome.presumably == Some(true)
}

/// Evaluates the prefix over the instances.
struct PrefixEvaluator<'a, M: Machine> {
    plan: &'a SlicePlan<M>,
    storage: &'a Storage<M::State>,
    /// The result of each instance.
    known: FxHashMap<Slot, BindingResult>,
    end: End,
}

/// Results of the rest of the prefix for the values of a variable.
struct ValueResults {
    /// Values that some instance distinguishes from the others, in the order of reports.
    special: Vec<(Id, BindingResult)>,
    /// The result for all the others.
    others: Option<BindingResult>,
    /// The number of others.
    count: usize,
}

impl<M: Machine> PrefixEvaluator<'_, M> {
    fn classes(&self) -> BindingClasses<'_, M> {
        BindingClasses { plan: self.plan, storage: self.storage }
    }

    /// The value of the rest of the prefix, over the instances that agree with the values chosen so far.
    fn value(&self, level: usize, slots: &[Slot], binding: &mut Vec<Id>) -> BindingResult {
        let Some(quantifier) = self.plan.prefix.get(level) else { return self.leaf(slots, binding) };
        let results = self.results(level, slots, binding);
        let special = results.special.iter().map(|(_, known)| (1, *known));
        let others = results.others.map(|known| (results.count, known));
        let all: Vec<(usize, BindingResult)> = special.chain(others).collect();
        combine(quantifier, &all, self.end)
    }

    fn leaf(&self, slots: &[Slot], binding: &[Id]) -> BindingResult {
        let filters = self.plan.capabilities.filters_bindings;
        if filters && !self.plan.machine.admits(binding, &self.storage.values) {
            // Neutral for the innermost quantifier.
            let innermost = self.plan.prefix.last().map(|quantifier| quantifier.kind);
            return BindingResult::certain(innermost == Some(QuantifierKind::Forall));
        }
        let most_specific = slots.iter().max_by_key(|slot| self.storage.table.kind(**slot).mask.count_ones());
        most_specific.and_then(|slot| self.known.get(slot)).copied().unwrap_or(BindingResult::certain(true))
    }

    fn results(&self, level: usize, slots: &[Slot], binding: &mut Vec<Id>) -> ValueResults {
        let mut by_value: FxHashMap<Id, Vec<Slot>> = FxHashMap::default();
        for slot in slots {
            by_value.entry(self.storage.table.ids(*slot)[level]).or_default().push(*slot);
        }
        let unbound = by_value.remove(&NONE).unwrap_or_default();
        let (mut special, mut count) = (Vec::new(), 0);
        for id in self.classes().sorted_domain(level) {
            let own = by_value.get(&id);
            if own.is_none() && !self.plan.capabilities.filters_bindings {
                count += 1;
                continue;
            }
            let slots: Vec<Slot> = unbound.iter().chain(own.into_iter().flatten()).copied().collect();
            binding[level] = id;
            special.push((id, self.value(level + 1, &slots, binding)));
        }
        binding[level] = NONE;
        let others = (count > 0).then(|| self.value(level + 1, &unbound, binding));
        ValueResults { special, others, count }
    }

    /// Finds the first values of the leading `forall`s for which the rest fails, and describes the failure there.
    fn blame(&self, level: usize, slots: &[Slot], binding: &mut Vec<Id>) -> String {
        let Some(quantifier) = self.plan.prefix.get(level) else { return String::new() };
        let results = self.results(level, slots, binding);
        if !is_plain_forall(quantifier) {
            return missing(quantifier, &results, self.end);
        }
        let fails = |known: &BindingResult| known.truth == Some(false);
        let others_fail = results.others.as_ref().is_some_and(fails);
        for id in self.classes().sorted_domain(level) {
            let own = results.special.iter().find(|(known, _)| *known == id);
            if own.map_or(others_fail, |(_, known)| fails(known)) {
                let agrees = |slot: &&Slot| [NONE, id].contains(&self.storage.table.ids(**slot)[level]);
                let slots: Vec<Slot> = slots.iter().filter(agrees).copied().collect();
                binding[level] = id;
                return self.blame(level + 1, &slots, binding);
            }
        }
        String::new()
    }
}

pub(super) fn is_plain_forall(quantifier: &QuantifierCore) -> bool {
    quantifier.kind == QuantifierKind::Forall && quantifier.threshold.is_none()
}

/// RULE Q5. Returns true if a prefix can be false before the end: a quantifier has an upper bound for a number of values, which only
/// grows.
pub(super) fn may_fail_early(prefix: &[QuantifierCore]) -> bool {
    let is_upper = |comparison| matches!(comparison, Comparison::Less | Comparison::AtMost | Comparison::Equal);
    let thresholds = prefix.iter().filter_map(|quantifier| quantifier.threshold);
    thresholds.into_iter().any(|threshold| !threshold.of_all && is_upper(threshold.comparison))
}

/// Describes the values that a quantifier lacks.
fn missing(quantifier: &QuantifierCore, results: &ValueResults, end: End) -> String {
    let name = &quantifier.variable;
    let holds =
        |known: &BindingResult| if end == End::Complete { known.if_complete } else { known.truth == Some(true) };
    let special = results.special.iter().filter(|(_, known)| holds(known)).count();
    let good = special + if results.others.as_ref().is_some_and(holds) { results.count } else { 0 };
    let all = results.special.len() + results.count;
    match quantifier.threshold {
        None if all == 0 => format!("no event has a value for `{name}`"),
        None if all == 1 => format!("the only value of `{name}` does not satisfy the rest"),
        None => format!("none of the {all} values of `{name}` satisfies the rest"),
        Some(threshold) => {
            let amount = if threshold.of_all {
                let hundred = threshold.amount.numerator * 100;
                format!("{} %", hundred / threshold.amount.denominator)
            } else {
                format!("{}", threshold.amount.numerator / threshold.amount.denominator)
            };
            let values = if all == 1 { "value" } else { "values" };
            format!("{good} of {all} {values} of `{name}` satisfy the rest, and {} {amount} must", threshold.comparison)
        }
    }
}

/// Knowledge of a property for certain values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BindingResult {
    /// `None`: not decided by the trace so far.
    truth: Option<bool>,
    /// The value if the trace ended here.
    if_complete: bool,
}

impl BindingResult {
    fn certain(value: bool) -> Self {
        BindingResult { truth: Some(value), if_complete: value }
    }

    fn of(outcome: &Outcome) -> Self {
        match outcome.verdict {
            Verdict::Holds => BindingResult::certain(true),
            Verdict::Violated => BindingResult::certain(false),
            Verdict::Inconclusive => BindingResult { truth: None, if_complete: outcome.presumably == Some(true) },
        }
    }
}

/// Combines the results for the values of a variable; each entry has the number of values with the result.
fn combine(quantifier: &QuantifierCore, all: &[(usize, BindingResult)], end: End) -> BindingResult {
    let count = |of: &dyn Fn(&BindingResult) -> bool| -> usize {
        all.iter().filter(|(_, known)| of(known)).map(|(times, _)| times).sum()
    };
    let total = count(&|_| true);
    let good = count(&|known| known.if_complete);
    let if_complete = match (quantifier.threshold, quantifier.kind) {
        (Some(threshold), _) => meets(threshold, good, total),
        (None, QuantifierKind::Forall) => good == total,
        (None, QuantifierKind::Exists) => good > 0,
    };
    if end == End::Complete {
        return BindingResult::certain(if_complete);
    }
    // More values may come, and what is undecided may become true.
    let (sure, lost) = (count(&|known| known.truth == Some(true)), count(&|known| known.truth == Some(false)));
    let truth = match (quantifier.threshold, quantifier.kind) {
        (Some(threshold), _) if threshold.of_all => None,
        (Some(threshold), _) => settled(threshold, sure),
        (None, QuantifierKind::Forall) => (lost > 0).then_some(false),
        (None, QuantifierKind::Exists) => (sure > 0).then_some(true),
    };
    BindingResult { truth, if_complete }
}

fn meets(threshold: ThresholdCore, good: usize, total: usize) -> bool {
    let (good, total) = (good as i128, total as i128);
    if threshold.of_all {
        total == 0 || threshold.amount.compared_by(threshold.comparison, good, total)
    } else {
        threshold.amount.compared_by(threshold.comparison, good, 1)
    }
}

/// The result of the comparison, if it is the same for every number from `sure` on.
fn settled(threshold: ThresholdCore, sure: usize) -> Option<bool> {
    let compares = |number: i128| threshold.amount.compared_by(threshold.comparison, number, 1);
    // Beyond the bound all numbers compare alike; before it, the whole numbers next to it tell.
    let bound = threshold.amount.numerator.div_euclid(threshold.amount.denominator);
    let sure = sure as i128;
    let last = (bound + 2).max(sure);
    let first = compares(sure);
    let alike =
        [bound, bound + 1, last].into_iter().filter(|number| *number >= sure).all(|number| compares(number) == first);
    alike.then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_ir::core::Ratio;

    #[test]
    fn a_growing_number_settles_a_comparison_one_way() {
        let threshold = |comparison, numerator, denominator| ThresholdCore {
            comparison,
            amount: Ratio { numerator, denominator },
            of_all: false,
        };
        let three = |comparison| threshold(comparison, 3, 1);
        assert_eq!(settled(three(Comparison::AtLeast), 2), None);
        assert_eq!(settled(three(Comparison::AtLeast), 3), Some(true));
        assert_eq!(settled(three(Comparison::AtMost), 3), None);
        assert_eq!(settled(three(Comparison::AtMost), 4), Some(false));
        assert_eq!(settled(three(Comparison::Equal), 2), None);
        assert_eq!(settled(three(Comparison::Equal), 3), None);
        assert_eq!(settled(three(Comparison::Equal), 4), Some(false));
        assert_eq!(settled(threshold(Comparison::Equal, 5, 2), 0), Some(false));
        assert_eq!(settled(threshold(Comparison::Less, -1, 1), 0), Some(false));
    }
}
