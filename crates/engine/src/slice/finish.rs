// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of a trace: what the instances say, for all bindings and through the quantifiers.

use gnomon_core::time::Duration;
use gnomon_core::verdict::{At, Binding, Decided, Durations, End, Outcome, Verdict, Violation};
use gnomon_ir::core::Quantifier;
use gnomon_ir::spec::QuantifierKind;
use rustc_hash::FxHashMap;

use super::domain::Named;
use super::index::{END, Slot};
use super::machine::{Extent, Machine};
use super::prefix::{Known, combine};
use super::slicer::{Blueprint, Slicer};
use super::sum::Sum;
use super::values::{Id, NONE};

/// How many bindings without an instance of their own are looked at one by one.
const MOST_WALKED: u128 = 1_000_000;

impl<M: Machine> Slicer<M> {
    pub(crate) fn finish(&mut self, plan: &Blueprint<M>, extent: Extent, end: End) -> Outcome {
        self.release(plan);
        let merged = self.merged && plan.least_gap > 0;
        let outcome = if plan.prefix.is_empty() {
            let root = self.store.find(0, &[]);
            let mut scratch = self.scratch(plan).clone();
            let mut outcome = plan.machine.finish(self.store.state_mut(root), &mut scratch, extent, end);
            outcome.violations.truncate(self.forgotten.most_listed());
            outcome
        } else if plan.universal {
            self.finish_all(plan, extent, end)
        } else {
            self.finish_prefix(plan, extent, end)
        };
        Outcome { merged_simultaneous: merged, ..outcome }
    }

    /// RULE Q3: every binding is reported for itself.
    fn finish_all(&mut self, plan: &Blueprint<M>, extent: Extent, end: End) -> Outcome {
        let full = plan.shape.full();
        let sizes = if plan.needs_domains { self.class_sizes(plan) } else { FxHashMap::default() };
        let mut sum = std::mem::replace(&mut self.forgotten, Sum::new(0));
        let mut presumably = true;
        let mut scratch = self.scratch(plan).clone();
        for slot in 0..self.store.capacity() as Slot {
            if !self.store.is_live(slot) {
                continue;
            }
            let kind = self.store.kind(slot);
            if kind.mask == full {
                let ids = self.store.binding(slot);
                if !plan.machine.admits(&ids, &self.values) {
                    continue;
                }
                let outcome = plan.machine.finish(self.store.state_mut(slot), &mut scratch, extent, end);
                presumably &= holds_if_complete(&outcome);
                let binding = if outcome.violations.is_empty() { Binding::default() } else { self.name(plan, &ids) };
                sum.add(outcome, 1, &binding);
                continue;
            }
            let size = sizes.get(&slot).copied().unwrap_or(0);
            if size > 0 {
                presumably &= self.finish_class(plan, slot, size, extent, end, &mut sum);
            }
        }
        self.lent.settle(&mut sum);
        let verdict = match end {
            _ if sum.violated > 0 => Verdict::Violated,
            End::Complete => Verdict::Holds,
            End::Prefix => Verdict::Inconclusive,
        };
        sum.outcome(verdict, (verdict == Verdict::Inconclusive).then_some(presumably), extent.positions)
    }

    /// The bindings that one instance stands for, short of all variables; tells whether they would hold if the trace
    /// were complete.
    fn finish_class(
        &mut self,
        plan: &Blueprint<M>,
        slot: Slot,
        size: u128,
        extent: Extent,
        end: End,
        sum: &mut Sum,
    ) -> bool {
        let mut scratch = self.scratch(plan).clone();
        let mut of = |slicer: &Self, named: Option<Named>| {
            let mut state = slicer.store.state(slot).clone();
            if let Some(named) = named {
                plan.machine.name(&mut state, named);
            }
            plan.machine.finish(&mut state, &mut scratch, extent, end)
        };
        let remembers = plan.machine.remembers_all();
        if remembers && (plan.machine.is_choosy() || size <= MOST_WALKED) {
            // When each of them was named only a walk through all of them tells.
            let mut presumably = true;
            for ids in self.members(plan, slot, usize::MAX) {
                let outcome = of(self, self.domains.named(&ids));
                presumably &= holds_if_complete(&outcome);
                let binding = if outcome.violations.is_empty() { Binding::default() } else { self.name(plan, &ids) };
                sum.add(outcome, 1, &binding);
            }
            return presumably;
        }
        let one = of(self, None);
        let presumably = holds_if_complete(&one);
        let is_broken = !one.violations.is_empty();
        let unnamed = if self.is_untouched(plan, slot) { self.unnamed(plan).min(size) } else { 0 };
        let listed = if is_broken { self.members(plan, slot, sum.most_listed()) } else { vec![] };
        for ids in listed {
            let outcome = of(self, self.domains.named(&ids));
            let binding = self.name(plan, &ids);
            sum.list(outcome.violations.into_iter().map(|one| Violation { binding: binding.clone(), ..one }));
        }
        if remembers && unnamed < size {
            // Times are not told: the bindings are too many to look at one by one.
            let somewhere = extent.first.map(|origin| Named { first: At { position: 0, origin }, last: origin.time });
            sum.count(Outcome { durations: None, ..of(self, somewhere) }, size - unnamed);
            sum.count(one, unnamed);
        } else {
            sum.count(one, size);
        }
        presumably
    }

    /// Whether no event that concerned the instance is remembered in it, while those that named its bindings are.
    fn is_untouched(&self, plan: &Blueprint<M>, slot: Slot) -> bool {
        plan.machine.remembers_all() && !plan.machine.has_counted(self.store.state(slot))
    }

    /// How many of the bindings that the root alone stands for no event named.
    fn unnamed(&self, plan: &Blueprint<M>) -> u128 {
        let full = plan.shape.full();
        let own = self.store.slots().filter(|slot| self.store.kind(*slot).mask == full);
        let unmarked = own.filter(|slot| self.domains.named(&self.store.binding(*slot)).is_none()).count();
        self.domains.unmarked(&plan.shape).saturating_sub(unmarked as u128)
    }

    /// How many full bindings each instance that does not bind every variable stands for.
    fn class_sizes(&self, plan: &Blueprint<M>) -> FxHashMap<Slot, u128> {
        let mut slots: Vec<Slot> = self.store.slots().collect();
        slots.sort_by_key(|slot| std::cmp::Reverse(self.store.kind(*slot).mask.count_ones()));
        let mut masks: Vec<u32> = self.store.kinds().map(|(_, kind)| kind.mask).collect();
        masks.sort_unstable();
        masks.dedup();
        let mut covered: FxHashMap<Slot, u128> = FxHashMap::default();
        let mut sizes: FxHashMap<Slot, u128> = FxHashMap::default();
        for slot in slots {
            let mask = self.store.kind(slot).mask;
            let free = (0..plan.shape.variables).filter(|variable| mask >> variable & 1 == 0);
            let all: u128 = free.map(|variable| self.domains.size(variable) as u128).product();
            let size = all - covered.get(&slot).copied().unwrap_or(0);
            let binding = self.store.binding(slot);
            for part in masks.iter().filter(|part| **part != mask && **part & !mask == 0) {
                let wider = self.store.find(*part, &binding);
                if wider != END {
                    *covered.entry(wider).or_default() += size;
                }
            }
            if mask != plan.shape.full() {
                sizes.insert(slot, size);
            }
        }
        if plan.machine.is_choosy() {
            let partial: Vec<Slot> = self.store.slots().filter(|slot| sizes.contains_key(slot)).collect();
            for slot in partial {
                sizes.insert(slot, self.members(plan, slot, usize::MAX).len() as u128);
            }
        }
        sizes
    }

    /// The first full bindings, in the order of reports, that an instance stands for and that are judged.
    fn members(&self, plan: &Blueprint<M>, slot: Slot, most: usize) -> Vec<Vec<Id>> {
        let own = self.store.binding(slot);
        let choices: Vec<Vec<Id>> = (0..plan.shape.variables)
            .map(|variable| if own[variable] == NONE { self.sorted_domain(variable) } else { vec![own[variable]] })
            .collect();
        let mut found = Vec::new();
        let mut binding = vec![NONE; plan.shape.variables];
        self.walk(plan, slot, &choices, &mut binding, 0, most, &mut found);
        found
    }

    #[allow(clippy::too_many_arguments)] // a recursion, private, with all it needs
    fn walk(
        &self,
        plan: &Blueprint<M>,
        slot: Slot,
        choices: &[Vec<Id>],
        binding: &mut Vec<Id>,
        level: usize,
        most: usize,
        found: &mut Vec<Vec<Id>>,
    ) {
        if found.len() >= most {
            return;
        }
        if level == choices.len() {
            let full = plan.shape.full();
            let is_own = self.store.find(full, binding) == END && self.store.parent(full, binding) == slot;
            if is_own && plan.machine.admits(binding, &self.values) {
                found.push(binding.clone());
            }
            return;
        }
        for id in &choices[level] {
            binding[level] = *id;
            self.walk(plan, slot, choices, binding, level + 1, most, found);
        }
        binding[level] = NONE;
    }

    fn sorted_domain(&self, variable: usize) -> Vec<Id> {
        let mut ids = self.domains.of(variable).to_vec();
        ids.sort_by(|left, right| self.values.get(*left).order(&self.values.get(*right)));
        ids
    }

    /// RULE Q4: the property as a whole is true or false.
    fn finish_prefix(&mut self, plan: &Blueprint<M>, extent: Extent, end: End) -> Outcome {
        let mut known: FxHashMap<Slot, Known> = FxHashMap::default();
        let slots: Vec<Slot> = self.store.slots().collect();
        let mut scratch = self.scratch(plan).clone();
        for slot in &slots {
            let outcome = plan.machine.finish(self.store.state_mut(*slot), &mut scratch, extent, end);
            known.insert(*slot, Known::of(&outcome));
        }
        let judge = Judge { slicer: self, plan, known: &known, end };
        let mut binding = vec![NONE; plan.shape.variables];
        let whole = judge.value(0, &slots, &mut binding);
        let verdict = match whole.truth {
            Some(true) => Verdict::Holds,
            Some(false) => Verdict::Violated,
            None => Verdict::Inconclusive,
        };
        let mut outcome = Outcome {
            verdict,
            presumably: (verdict == Verdict::Inconclusive).then_some(whole.if_complete),
            positions: extent.positions,
            activated: 0,
            satisfied: 0,
            violated: 0,
            pending: 0,
            durations: None,
            violations: vec![],
            merged_simultaneous: false,
        };
        if extent.positions == 0 && end == End::Prefix {
            return outcome;
        }
        outcome.activated = 1;
        let (span, takes_time) = plan.machine.whole();
        match verdict {
            Verdict::Holds => {
                outcome.satisfied = 1;
                if let Some(first) = extent.first {
                    let took = if takes_time { extent.last_time - first.time } else { Duration::ZERO };
                    outcome.durations = Some(Durations { min: took, max: took, sum: took.ticks(), count: 1 });
                }
            }
            Verdict::Inconclusive => outcome.pending = 1,
            Verdict::Violated => {
                outcome.violated = 1;
                let listed = self.forgotten.most_listed() > 0;
                if let Some(first) = extent.first.filter(|_| listed) {
                    let mut culprit = vec![NONE; plan.shape.variables];
                    let summary = judge.blame(0, &slots, &mut culprit);
                    outcome.violations.push(Violation {
                        at: At { position: 0, origin: first },
                        until_position: None,
                        decided: Decided::End(extent.last_time),
                        binding: self.name(plan, &culprit),
                        failed: span,
                        summary,
                        because: vec![],
                    });
                }
            }
        }
        outcome
    }
}

fn holds_if_complete(outcome: &Outcome) -> bool {
    outcome.verdict == Verdict::Holds || outcome.presumably == Some(true)
}

/// Reads the prefix over the instances.
struct Judge<'a, M: Machine> {
    slicer: &'a Slicer<M>,
    plan: &'a Blueprint<M>,
    known: &'a FxHashMap<Slot, Known>,
    end: End,
}

/// What the values of a variable say of the rest.
struct Tried {
    /// Values that some instance tells from the others, in the order of reports.
    special: Vec<(Id, Known)>,
    /// What all the others say.
    others: Option<Known>,
    /// How many others there are.
    count: usize,
}

impl<M: Machine> Judge<'_, M> {
    /// The value of the rest of the prefix, over the instances that agree with the values chosen so far.
    fn value(&self, level: usize, slots: &[Slot], binding: &mut Vec<Id>) -> Known {
        if level == self.plan.prefix.len() {
            return self.leaf(slots, binding);
        }
        let tried = self.tried(level, slots, binding);
        let special = tried.special.iter().map(|(_, known)| (1, *known));
        let others = tried.others.map(|known| (tried.count, known));
        let all: Vec<(usize, Known)> = special.chain(others).collect();
        combine(&self.plan.prefix[level], &all, self.end)
    }

    fn leaf(&self, slots: &[Slot], binding: &[Id]) -> Known {
        let is_judged = !self.plan.machine.is_choosy() || self.plan.machine.admits(binding, &self.slicer.values);
        if !is_judged {
            // Neutral for the innermost quantifier.
            let innermost = self.plan.prefix.last().map(|quantifier| quantifier.kind);
            return Known::certain(innermost == Some(QuantifierKind::Forall));
        }
        let most_specific = slots.iter().max_by_key(|slot| self.slicer.store.kind(**slot).mask.count_ones());
        most_specific.and_then(|slot| self.known.get(slot)).copied().unwrap_or(Known::certain(true))
    }

    fn tried(&self, level: usize, slots: &[Slot], binding: &mut Vec<Id>) -> Tried {
        let mut by_value: FxHashMap<Id, Vec<Slot>> = FxHashMap::default();
        let mut unbound: Vec<Slot> = Vec::new();
        for slot in slots {
            match self.slicer.store.id(*slot, level) {
                NONE => unbound.push(*slot),
                id => by_value.entry(id).or_default().push(*slot),
            }
        }
        let domain = self.slicer.sorted_domain(level);
        let choosy = self.plan.machine.is_choosy();
        let (mut special, mut count) = (Vec::new(), 0);
        for id in domain {
            let own = by_value.get(&id);
            if own.is_none() && !choosy {
                count += 1;
                continue;
            }
            let slots: Vec<Slot> = unbound.iter().chain(own.into_iter().flatten()).copied().collect();
            binding[level] = id;
            special.push((id, self.value(level + 1, &slots, binding)));
        }
        binding[level] = NONE;
        let others = (count > 0).then(|| self.value(level + 1, &unbound, binding));
        Tried { special, others, count }
    }

    /// Finds the first values of the leading `forall`s for which the rest fails, and says what was missing there.
    fn blame(&self, level: usize, slots: &[Slot], binding: &mut Vec<Id>) -> String {
        let Some(quantifier) = self.plan.prefix.get(level) else { return String::new() };
        let tried = self.tried(level, slots, binding);
        if !is_plain_forall(quantifier) {
            return missing(quantifier, &tried, self.end);
        }
        let fails = |known: &Known| known.truth == Some(false);
        let others_fail = tried.others.as_ref().is_some_and(fails);
        for id in self.slicer.sorted_domain(level) {
            let own = tried.special.iter().find(|(known, _)| *known == id);
            if own.map_or(others_fail, |(_, known)| fails(known)) {
                let agree = |slot: &&Slot| {
                    matches!(self.slicer.store.id(**slot, level), NONE) || self.slicer.store.id(**slot, level) == id
                };
                let slots: Vec<Slot> = slots.iter().filter(agree).copied().collect();
                binding[level] = id;
                return self.blame(level + 1, &slots, binding);
            }
        }
        String::new()
    }
}

fn is_plain_forall(quantifier: &Quantifier) -> bool {
    quantifier.kind == QuantifierKind::Forall && quantifier.threshold.is_none()
}

/// What a quantifier asked for and did not get.
fn missing(quantifier: &Quantifier, tried: &Tried, end: End) -> String {
    let name = &quantifier.variable;
    let holds = |known: &Known| if end == End::Complete { known.if_complete } else { known.truth == Some(true) };
    let special = tried.special.iter().filter(|(_, known)| holds(known)).count();
    let good = special + if tried.others.as_ref().is_some_and(holds) { tried.count } else { 0 };
    let all = tried.special.len() + tried.count;
    match quantifier.threshold {
        None if all == 0 => format!("no event has a value for `{name}`"),
        None => format!("none of the {all} values of `{name}` satisfies the rest"),
        Some(threshold) => {
            let amount = if threshold.of_all {
                let hundred = threshold.amount.numerator * 100;
                format!("{} %", hundred / threshold.amount.denominator)
            } else {
                format!("{}", threshold.amount.numerator / threshold.amount.denominator)
            };
            format!("{good} of {all} values of `{name}` satisfy the rest, and {} {amount} must", threshold.comparison)
        }
    }
}
