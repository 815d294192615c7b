// SPDX-License-Identifier: MIT OR Apache-2.0
//! Keeps account of what a property asked for: obligations that are open, what became of the others, violations.

mod account;
mod book;
mod clause;

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{At, Decided, Origin, Outcome};
use serde::{Deserialize, Serialize};

use crate::fact::Fact;
use crate::network::Part;
use crate::reasons::Evidence;
use account::Account;
use book::Book;
pub(crate) use clause::Clause;

use crate::network::present::Present;

/// Why something became certain just now.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cause {
    /// This position came.
    Position { position: u64, decider: Origin },
    /// This time passed.
    Deadline(Timestamp),
    /// The trace ended, its last position at this time.
    End(Timestamp),
}

impl Cause {
    fn time(self) -> Timestamp {
        match self {
            Cause::Position { decider, .. } => decider.time,
            Cause::Deadline(time) | Cause::End(time) => time,
        }
    }

    /// How a violation at a position was decided.
    fn decided(self, at: At) -> Decided {
        match self {
            Cause::Position { position, .. } if position == at.position => Decided::Event(at.origin),
            Cause::Position { decider, .. } => Decided::Event(decider),
            Cause::Deadline(time) => Decided::Deadline(time),
            Cause::End(time) => Decided::End(time),
        }
    }
}

/// The accounts of one property.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Ledger {
    accounts: Vec<Account>,
    book: Book,
}

impl Ledger {
    pub(crate) fn new(clauses: usize, max_violations: usize) -> Self {
        Ledger { accounts: vec![Account::default(); clauses], book: Book::new(max_violations) }
    }

    pub(crate) fn fits(&self, clauses: usize) -> bool {
        self.accounts.len() == clauses
    }

    /// A new position: opens what it asks for, and marks the waiting nodes whose value is wanted there.
    #[inline]
    pub(crate) fn open(
        &mut self,
        clauses: &[Clause],
        present: &mut Present<'_>,
        wanted: &mut [bool],
    ) {
        for (index, (account, clause)) in self.accounts.iter_mut().zip(clauses).enumerate() {
            account.open(index, clause, present, wanted, &mut self.book);
        }
    }

    /// Takes in the facts of a round.
    #[inline]
    pub(crate) fn settle(
        &mut self,
        clauses: &[Clause],
        facts: &[Vec<Fact>],
        cause: Cause,
        evidence: &mut Evidence<'_, '_>,
    ) {
        for (account, clause) in self.accounts.iter_mut().zip(clauses) {
            if let Part::Later { slot, negated } = clause.antecedent_part {
                for fact in &facts[slot] {
                    account.learn_antecedent(clause, *fact, negated, cause, evidence, &mut self.book);
                }
            }
            if let Part::Later { slot, negated } = clause.consequent_part {
                for fact in &facts[slot] {
                    account.learn_consequent(clause, *fact, negated, cause, evidence, &mut self.book);
                }
            }
            account.compact(clause, self.book.most_listed());
        }
    }

    /// Whether [`Ledger::settled`] is worth asking: nothing is open.
    #[inline]
    pub(crate) fn may_settle(&self) -> bool {
        self.accounts.iter().all(Account::may_settle)
    }

    /// Whether nothing can change any more.
    pub(crate) fn settled(&self, clauses: &[Clause], frontier: Timestamp) -> bool {
        self.accounts.iter().zip(clauses).all(|(account, clause)| account.settled(clause, frontier))
    }

    /// Whether the property is known to be true whatever comes.
    pub(crate) fn decided(&self, clauses: &[Clause], frontier: Timestamp) -> bool {
        self.accounts.iter().zip(clauses).all(|(account, clause)| account.decided(clause, frontier))
    }

    pub(crate) fn violated(&self) -> bool {
        self.accounts.iter().any(|account| account.violated > 0)
    }

    /// A complete trace ended.
    pub(crate) fn end(&mut self, clauses: &[Clause], cause: Cause) {
        for (account, clause) in self.accounts.iter_mut().zip(clauses) {
            account.end(clause, cause, &mut self.book);
        }
    }

    /// A complete trace without positions: what is asked for at the first position has none to be broken at.
    pub(crate) fn empty(&mut self, clauses: &[Clause], holds: bool) {
        for (account, clause) in self.accounts.iter_mut().zip(clauses) {
            account.empty(clause, holds);
        }
    }

    pub(crate) fn outcome(&self) -> Outcome {
        let sum = |of: fn(&Account) -> u64| self.accounts.iter().map(of).sum();
        Outcome {
            verdict: gnomon_core::verdict::Verdict::Inconclusive,
            presumably: None,
            positions: 0,
            activated: sum(|account| account.activated),
            satisfied: sum(|account| account.satisfied),
            violated: sum(|account| account.violated),
            pending: sum(Account::pending),
            durations: self.accounts.iter().filter_map(|account| account.durations).reduce(account::add_durations),
            violations: self.book.violations(),
            merged_simultaneous: false,
        }
    }
}
