// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs of an automaton over a word: the result of each instance of the invariant, and the number of copies needed.
//!
//! An invariant begins an instance at every state of the process. Reading a symbol replaces each copy by a positive formula over copies, and
//! an instance has a result when the formula that is left of it is a constant. Example: `Always(a -> Eventually(b))` on `a, a, b` begins three
//! instances; after two symbols, the first two wait for the same copy of `Eventually(b)`, which merging semantics make once, and `b` accepts both.
//!
//! COST: per symbol, the copies that are running. Their number is bounded by `limit`.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_core::verdict::End;

use crate::automaton::{AlternatingAutomaton, StateId};
use crate::pool::{CopyPool, MergePolicy, PoolValue};
use crate::positive::{PositiveFormula, StateCopy};
use crate::step::SymbolStep;
use crate::word::Word;

/// Policies for making copies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Semantics {
    /// ASA, the standard semantics: every branch is a copy of its own.
    Standard,
    /// LASA with merging: if a copy that a transition requires is already running, that copy is shared.
    Merged(ViolationMode),
    /// LASA as the paper prints it: while a flag shows that a copy is running, no other copy is made, and the requirement for it is
    /// dropped. Not equivalent to the standard semantics.
    Printed(ViolationMode),
}

/// Effect of a violation: the paper's optimised semantics 1 and 2.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ViolationMode {
    /// The violation is recorded and the run continues. An `Until` needs one copy.
    Standard,
    /// The violation ends the run. A `Within` needs one copy too.
    Critical,
}

impl Semantics {
    fn merging(self) -> MergePolicy {
        match self {
            Semantics::Standard | Semantics::Printed(_) => MergePolicy::Nothing,
            Semantics::Merged(ViolationMode::Standard) => MergePolicy::Equal,
            Semantics::Merged(ViolationMode::Critical) => MergePolicy::Implied,
        }
    }

    fn mode(self) -> ViolationMode {
        match self {
            Semantics::Standard => ViolationMode::Standard,
            Semantics::Merged(mode) | Semantics::Printed(mode) => mode,
        }
    }
}

/// Outcome of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunOutcome {
    /// For each state of the process, true if the instance of the invariant that begins there accepts; `None` if
    /// unknown. In critical mode only values known when the run ended; under [`Semantics::Printed`] a copy that was not
    /// made rejects nothing.
    pub instances: Vec<Option<bool>>,
    /// True if the invariant accepts the word, that is, if no instance rejects.
    pub accepts: Option<bool>,
    /// The place of the symbol at which a rejection was certain first; the length of the word: at its end.
    pub rejected_at: Option<usize>,
    /// Number of copies made: each branch beyond the one in which a copy continues itself.
    pub made: u64,
    /// The most copies that ran at the same time, besides the invariant.
    pub most: usize,
    /// The most copies in each state at the same time.
    pub most_in_state: Vec<usize>,
    /// Number of symbols read by all copies together.
    pub read: u64,
    /// Position where the run was abandoned because it needed more copies than allowed.
    pub gave_up: Option<usize>,
}

/// Runs an automaton over a word that is complete or the beginning of a longer one. With more copies than `limit` at the same
/// time it gives up.
pub fn run(
    automaton: &AlternatingAutomaton,
    word: &dyn Word,
    end: End,
    semantics: Semantics,
    limit: usize,
) -> RunOutcome {
    let mut runner = Runner::new(automaton, word, semantics);
    for now in 0..word.len() {
        runner.symbol(now);
        if runner.pool.copies().take(limit.saturating_add(1)).count() > limit {
            runner.run.gave_up = Some(now);
            return runner.run;
        }
        if semantics.mode() == ViolationMode::Critical && runner.run.rejected_at.is_some() {
            runner.run.accepts = Some(false);
            return runner.run;
        }
    }
    runner.finish(end)
}

/// Returns, for each state of the process, true if it satisfies the body of the invariant. The number of copies is
/// unlimited.
pub fn truth(automaton: &AlternatingAutomaton, word: &dyn Word, end: End, semantics: Semantics) -> Vec<Option<bool>> {
    run(automaton, word, end, semantics, usize::MAX).instances
}

/// Instances that wait for the same.
struct InstanceGroup {
    pending: PoolValue,
    instances: Vec<usize>,
}

struct Runner<'a> {
    automaton: &'a AlternatingAutomaton,
    word: &'a dyn Word,
    semantics: Semantics,
    pool: CopyPool<'a>,
    groups: Vec<InstanceGroup>,
    run: RunOutcome,
}

impl<'a> Runner<'a> {
    fn new(automaton: &'a AlternatingAutomaton, word: &'a dyn Word, semantics: Semantics) -> Self {
        let run = RunOutcome {
            instances: vec![None; word.len()],
            accepts: None,
            rejected_at: None,
            made: 0,
            most: 0,
            most_in_state: vec![0; automaton.states.len()],
            read: 0,
            gave_up: None,
        };
        Runner { automaton, word, semantics, pool: CopyPool::new(automaton, semantics.merging()), groups: vec![], run }
    }

    fn symbol(&mut self, now: usize) {
        let step = SymbolStep { automaton: self.automaton, word: self.word, now };
        let read: Vec<(usize, StateCopy, PositiveFormula)> =
            self.pool.copies().map(|(node, copy)| (node, copy, step.read(copy))).collect();
        self.run.read += read.len() as u64;
        let mut gate = Gate::new(self.automaton, self.semantics, &read);
        let mut next = CopyPool::new(self.automaton, self.semantics.merging());
        let mut successors = vec![PoolValue::Nothing; self.pool.len()];
        for (node, copy, formula) in &read {
            gate.open(Some(*copy), formula);
            successors[*node] = next.insert(formula, &mut |copy| gate.admit(copy));
        }
        self.pool.translate(&mut successors, &mut next);
        for group in &mut self.groups {
            group.pending = follow(group.pending, &successors);
        }
        let body = step.body();
        gate.open(None, &body);
        let pending = next.insert(&body, &mut |copy| gate.admit(copy));
        self.groups.push(InstanceGroup { pending, instances: vec![now] });
        self.pool = next;
        self.settle(now);
        self.merge();
        self.pool.keep(self.groups.iter().map(|group| group.pending));
        self.count();
    }

    /// Notes what is known.
    fn settle(&mut self, now: usize) {
        let run = &mut self.run;
        let is_critical = self.semantics.mode() == ViolationMode::Critical;
        self.groups.retain(|group| {
            let value = match group.pending {
                PoolValue::Node(_) => return true,
                PoolValue::Constant(value) => value,
                PoolValue::Nothing => true,
            };
            // Where all wait together, it is not known which of them it was that failed.
            if value || !is_critical || group.instances.len() == 1 {
                group.instances.iter().for_each(|instance| run.instances[*instance] = Some(value));
            }
            if !value {
                run.rejected_at.get_or_insert(now);
            }
            false
        });
    }

    /// Puts instances together that wait for the same; where the first violation ends the run, all of them.
    fn merge(&mut self) {
        if self.semantics == Semantics::Merged(ViolationMode::Critical) {
            let pending = self.pool.join(self.groups.iter().map(|group| group.pending).collect(), false);
            let mut groups = self.groups.drain(..);
            if let Some(mut all) = groups.next() {
                groups.for_each(|group| all.instances.extend(group.instances));
                self.groups = vec![InstanceGroup { pending, instances: all.instances }];
            }
        } else if self.semantics.merging() != MergePolicy::Nothing {
            let mut merged: BTreeMap<PoolValue, InstanceGroup> = BTreeMap::new();
            for mut group in self.groups.drain(..) {
                match merged.get_mut(&group.pending) {
                    // The shorter list goes to the longer one.
                    Some(other) => {
                        if other.instances.len() < group.instances.len() {
                            std::mem::swap(&mut other.instances, &mut group.instances);
                        }
                        other.instances.append(&mut group.instances);
                    }
                    None => drop(merged.insert(group.pending, group)),
                }
            }
            self.groups = merged.into_values().collect();
        }
    }

    fn count(&mut self) {
        let mut in_state = vec![0; self.automaton.states.len()];
        let mut all = 0;
        for (node, copy) in self.pool.copies() {
            all += 1;
            in_state[copy.state.0 as usize] += 1;
            self.run.made += u64::from(self.pool.is_fresh(node));
        }
        self.run.most = self.run.most.max(all);
        for (most, now) in self.run.most_in_state.iter_mut().zip(in_state) {
            *most = now.max(*most);
        }
    }

    fn finish(mut self, end: End) -> RunOutcome {
        if end == End::Complete && !self.word.is_empty() {
            let now = self.word.len() - 1;
            let step = SymbolStep { automaton: self.automaton, word: self.word, now };
            let values = self.pool.values(&|copy| step.finish(copy));
            for group in &mut self.groups {
                if let PoolValue::Node(node) = group.pending {
                    group.pending = PoolValue::Constant(values[node as usize]);
                }
            }
            self.settle(now + 1);
        }
        self.run.accepts = match self.run.rejected_at {
            Some(_) => Some(false),
            None => (end == End::Complete).then_some(true),
        };
        self.run
    }
}

fn follow(pending: PoolValue, successors: &[PoolValue]) -> PoolValue {
    match pending {
        PoolValue::Node(node) => successors[node as usize],
        settled => settled,
    }
}

/// Decides for each copy that a symbol requires if it may be made, and if it is an additional one.
struct Gate<'a> {
    automaton: &'a AlternatingAutomaton,
    semantics: Semantics,
    /// True if the reading copy itself can still continue, in any state.
    known: BTreeSet<StateCopy>,
    /// States whose flag is set.
    flagged: Vec<bool>,
    /// The state of the copy that reads, until it has gone on.
    reader: Option<StateId>,
    /// True if the reading copy itself can still continue, in any state.
    is_free: bool,
}

impl<'a> Gate<'a> {
    fn new(
        automaton: &'a AlternatingAutomaton,
        semantics: Semantics,
        read: &[(usize, StateCopy, PositiveFormula)],
    ) -> Self {
        let mut flagged = vec![false; automaton.states.len()];
        let mut known = BTreeSet::new();
        for (_, copy, formula) in read {
            flagged[copy.state.0 as usize] = true;
            formula.copies(&mut |next| {
                if next.state == copy.state {
                    known.insert(next);
                }
            });
        }
        Gate { automaton, semantics, known, flagged, reader: None, is_free: false }
    }

    /// Begins with the formula of a copy, or of the invariant, that has read the symbol.
    fn open(&mut self, reader: Option<StateCopy>, formula: &PositiveFormula) {
        self.reader = reader.map(|copy| copy.state);
        let mut stays = false;
        formula.copies(&mut |copy| stays |= Some(copy.state) == self.reader);
        self.is_free = reader.is_some() && !stays;
    }

    fn admit(&mut self, copy: StateCopy) -> Option<bool> {
        if Some(copy.state) == self.reader {
            self.reader = None;
            return Some(false);
        }
        match self.semantics {
            Semantics::Merged(_) => {
                if !self.known.insert(copy) {
                    return Some(false);
                }
            }
            Semantics::Printed(mode) if crate::flag::has_flag(self.automaton.state(copy.state), mode) => {
                if std::mem::replace(&mut self.flagged[copy.state.0 as usize], true) {
                    return None;
                }
            }
            Semantics::Printed(_) | Semantics::Standard => {}
        }
        Some(!std::mem::take(&mut self.is_free))
    }
}
