// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs of an automaton over a word: what becomes of each instance of the invariant, and what copies it took.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_core::verdict::End;

use crate::automaton::{Automaton, StateId};
use crate::pool::{Merging, Pending, Pool};
use crate::positive::{Copy, Positive};
use crate::step::Step;
use crate::word::Word;

/// Which copies are made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Semantics {
    /// ASA, the standard semantics: every branch is a copy of its own.
    Standard,
    /// LASA with merging: where a copy is asked for that runs already, that one serves both.
    Merged(Mode),
    /// LASA as the paper prints it: while a flag says that a copy runs, no other one is made, and where it would stand there
    /// is nothing. Not equivalent to the standard semantics.
    Printed(Mode),
}

/// What a violation does: the paper's optimised semantics 1 and 2.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// It is noted, and the run goes on. Of an `Until` one copy is needed.
    Standard,
    /// It ends the run. Of a `Within` one copy is needed too.
    Critical,
}

impl Semantics {
    fn merging(self) -> Merging {
        match self {
            Semantics::Standard | Semantics::Printed(_) => Merging::Nothing,
            Semantics::Merged(Mode::Standard) => Merging::Equal,
            Semantics::Merged(Mode::Critical) => Merging::Implied,
        }
    }

    fn mode(self) -> Mode {
        match self {
            Semantics::Standard => Mode::Standard,
            Semantics::Merged(mode) | Semantics::Printed(mode) => mode,
        }
    }
}

/// What came of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// For each state of the process, whether the instance of the invariant that begins there accepts; `None` where that is
    /// not known. In critical mode only what was known when the run ended; under [`Semantics::Printed`] a copy that was not
    /// made rejects nothing.
    pub instances: Vec<Option<bool>>,
    /// Whether the invariant accepts the word: not if an instance rejects.
    pub accepts: Option<bool>,
    /// The place of the symbol at which a rejection was certain first; the length of the word: at its end.
    pub rejected_at: Option<usize>,
    /// How many copies were made: each branch beyond the one that a copy goes on with itself.
    pub made: u64,
    /// The most copies that ran at the same time, besides the invariant.
    pub most: usize,
    /// The most copies in each state at the same time.
    pub most_in_state: Vec<usize>,
    /// How many symbols all copies read together.
    pub read: u64,
    /// Where the run was given up, because more copies were needed than allowed.
    pub gave_up: Option<usize>,
}

/// Runs an automaton over a word that is complete or the beginning of a longer one. With more copies than `limit` at the same
/// time it gives up.
pub fn run(automaton: &Automaton, word: &dyn Word, end: End, semantics: Semantics, limit: usize) -> Run {
    let mut runner = Runner::new(automaton, word, semantics);
    for now in 0..word.len() {
        runner.symbol(now);
        if runner.pool.copies().take(limit.saturating_add(1)).count() > limit {
            runner.run.gave_up = Some(now);
            return runner.run;
        }
        if semantics.mode() == Mode::Critical && runner.run.rejected_at.is_some() {
            runner.run.accepts = Some(false);
            return runner.run;
        }
    }
    runner.finish(end)
}

/// Whether each state of the process satisfies the invariant's body, by the given semantics, with any number of copies.
pub fn truth(automaton: &Automaton, word: &dyn Word, end: End, semantics: Semantics) -> Vec<Option<bool>> {
    run(automaton, word, end, semantics, usize::MAX).instances
}

/// Instances that wait for the same.
struct Group {
    pending: Pending,
    instances: Vec<usize>,
}

struct Runner<'a> {
    automaton: &'a Automaton,
    word: &'a dyn Word,
    semantics: Semantics,
    pool: Pool<'a>,
    groups: Vec<Group>,
    run: Run,
}

impl<'a> Runner<'a> {
    fn new(automaton: &'a Automaton, word: &'a dyn Word, semantics: Semantics) -> Self {
        let run = Run {
            instances: vec![None; word.len()],
            accepts: None,
            rejected_at: None,
            made: 0,
            most: 0,
            most_in_state: vec![0; automaton.states.len()],
            read: 0,
            gave_up: None,
        };
        Runner { automaton, word, semantics, pool: Pool::new(automaton, semantics.merging()), groups: vec![], run }
    }

    fn symbol(&mut self, now: usize) {
        let step = Step { automaton: self.automaton, word: self.word, now };
        let read: Vec<(usize, Copy, Positive)> =
            self.pool.copies().map(|(node, copy)| (node, copy, step.read(copy))).collect();
        self.run.read += read.len() as u64;
        let mut gate = Gate::new(self.automaton, self.semantics, &read);
        let mut next = self.pool.successor();
        let mut successors = vec![Pending::Nothing; self.pool.len()];
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
        self.groups.push(Group { pending, instances: vec![now] });
        self.pool = next;
        self.settle(now);
        self.merge();
        self.pool.keep(self.groups.iter().map(|group| group.pending));
        self.count();
    }

    /// Notes what is known.
    fn settle(&mut self, now: usize) {
        let run = &mut self.run;
        let is_critical = self.semantics.mode() == Mode::Critical;
        self.groups.retain(|group| {
            let value = match group.pending {
                Pending::Node(_) => return true,
                Pending::Constant(value) => value,
                Pending::Nothing => true,
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
        if self.semantics == Semantics::Merged(Mode::Critical) {
            let pending = self.pool.join(self.groups.iter().map(|group| group.pending).collect(), false);
            let mut groups = self.groups.drain(..);
            if let Some(mut all) = groups.next() {
                groups.for_each(|group| all.instances.extend(group.instances));
                self.groups = vec![Group { pending, instances: all.instances }];
            }
        } else if self.semantics.merging() != Merging::Nothing {
            let mut merged: BTreeMap<Pending, Group> = BTreeMap::new();
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

    fn finish(mut self, end: End) -> Run {
        if end == End::Complete && !self.word.is_empty() {
            let now = self.word.len() - 1;
            let step = Step { automaton: self.automaton, word: self.word, now };
            let values = self.pool.values(&|copy| step.finish(copy));
            for group in &mut self.groups {
                if let Pending::Node(node) = group.pending {
                    group.pending = Pending::Constant(values[node as usize]);
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

fn follow(pending: Pending, successors: &[Pending]) -> Pending {
    match pending {
        Pending::Node(node) => successors[node as usize],
        settled => settled,
    }
}

/// Says of each copy that a symbol asks for whether it may be made, and whether it is one more.
struct Gate<'a> {
    automaton: &'a Automaton,
    semantics: Semantics,
    /// Copies that go on, or have been made, where equal copies are one.
    known: BTreeSet<Copy>,
    /// States whose flag is set.
    flagged: Vec<bool>,
    /// The state of the copy that reads, until it has gone on.
    reader: Option<StateId>,
    /// Whether the reader itself can still go on, in whatever state.
    is_free: bool,
}

impl<'a> Gate<'a> {
    fn new(automaton: &'a Automaton, semantics: Semantics, read: &[(usize, Copy, Positive)]) -> Self {
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

    /// A copy, or the invariant, has read the symbol, and this is what it asks for.
    fn open(&mut self, reader: Option<Copy>, formula: &Positive) {
        self.reader = reader.map(|copy| copy.state);
        let mut stays = false;
        formula.copies(&mut |copy| stays |= Some(copy.state) == self.reader);
        self.is_free = reader.is_some() && !stays;
    }

    fn admit(&mut self, copy: Copy) -> Option<bool> {
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
