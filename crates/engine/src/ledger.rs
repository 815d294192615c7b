// SPDX-License-Identifier: MIT OR Apache-2.0
//! Keeps account of what a property asked for: obligations that are open, what became of the others, violations.

mod account;
mod book;
mod clause;
mod doubts;
mod tally;

use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{At, Decided, Origin, Outcome, Violation};
use serde::{Deserialize, Serialize};

use crate::fact::Fact;
use crate::instant::Instant;
use crate::network::Part;
use crate::reasons::Evidence;
use account::Account;
use book::{Book, Desk};
pub(crate) use clause::{Clause, Consequent, Reach};
use tally::Tally;

use crate::network::present::Present;

/// Why something became certain just now.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Trigger {
    /// This position came.
    Position { position: u64, decider: Origin },
    /// This time passed.
    Deadline(Timestamp),
    /// The trace ended, its last position at this time.
    End(Timestamp),
}

impl Trigger {
    /// The position that is just being looked at.
    pub(crate) fn at(instant: &Instant<'_>) -> Self {
        Trigger::Position { position: instant.position, decider: instant.decider() }
    }

    fn time(self) -> Timestamp {
        match self {
            Trigger::Position { decider, .. } => decider.time,
            Trigger::Deadline(time) | Trigger::End(time) => time,
        }
    }

    /// How a violation at a position was decided.
    fn decided(self, at: At) -> Decided {
        match self {
            Trigger::Position { position, .. } if position == at.position => Decided::Event(at.origin),
            Trigger::Position { decider, .. } => Decided::Event(decider),
            Trigger::Deadline(time) => Decided::Deadline(time),
            Trigger::End(time) => Decided::End(time),
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

    /// A new position where no atom is true: opens obligations in the clauses that have one there.
    #[inline]
    pub(crate) fn owe(&mut self, clauses: &[Clause], at: At, wake: &mut Timestamp) {
        for (account, clause) in self.accounts.iter_mut().zip(clauses) {
            if let Consequent::Direct(direct) = &clause.consequent_part
                && clause.owes_when_idle
            {
                account.activated += 1;
                account.owe(direct, at, wake, self.book.most_listed());
            }
        }
    }

    /// So many positions where no atom is true went by, and clauses that ask for something there got it.
    pub(crate) fn pass(&mut self, clauses: &[Clause], positions: u64) {
        for (account, clause) in self.accounts.iter_mut().zip(clauses) {
            if clause.satisfied_when_idle {
                account.pass(positions);
            }
        }
    }

    /// Time has passed, or the trace has ended: settles what the accounts can no longer hope for.
    pub(crate) fn expire(
        &mut self,
        clauses: &[Clause],
        frontier: Timestamp,
        ended: bool,
        trigger: Trigger,
        evidence: &mut Evidence<'_, '_>,
    ) {
        for (account, clause) in self.accounts.iter_mut().zip(clauses) {
            if let Consequent::Direct(direct) = &clause.consequent_part {
                let desk = &mut Desk { clause, trigger, evidence, book: &mut self.book };
                account.expire(direct, frontier, ended, desk);
            }
        }
    }

    /// The earliest deadline of what the accounts wait for themselves, and how it is told.
    pub(crate) fn deadline(&self, clauses: &[Clause]) -> Option<(Timestamp, Timestamp)> {
        let deadlines = self.accounts.iter().zip(clauses).filter_map(|(account, clause)| {
            let Consequent::Direct(direct) = &clause.consequent_part else { return None };
            account.deadline(direct)
        });
        deadlines.min()
    }

    /// A new position: settles what the accounts wait for themselves, opens what it asks for, and marks the waiting nodes whose value is wanted there.
    #[inline]
    pub(crate) fn open(
        &mut self,
        clauses: &[Clause],
        present: &mut Present<'_>,
        wanted: &mut [bool],
        wake: &mut Timestamp,
    ) {
        for (index, (account, clause)) in self.accounts.iter_mut().zip(clauses).enumerate() {
            if let Consequent::Direct(direct) = &clause.consequent_part {
                account.meet(clause, direct, present, &mut self.book);
            }
            account.open(index, clause, present, wanted, wake, &mut self.book);
        }
    }

    /// Takes in the facts of a round.
    pub(crate) fn settle(
        &mut self,
        clauses: &[Clause],
        facts: &[Vec<Fact>],
        trigger: Trigger,
        evidence: &mut Evidence<'_, '_>,
    ) {
        for (account, clause) in self.accounts.iter_mut().zip(clauses) {
            let desk = &mut Desk { clause, trigger, evidence, book: &mut self.book };
            if let Part::Later { slot, negated } = clause.antecedent_part {
                for fact in &facts[slot] {
                    account.learn_antecedent(fact.read(negated), desk);
                }
            }
            if let Consequent::Later { slot, negated } = clause.consequent_part {
                for fact in &facts[slot] {
                    account.learn_consequent(fact.read(negated), desk);
                }
            }
        }
    }

    /// Whether every clause's starting position has come.
    pub(crate) fn has_started(&self) -> bool {
        self.accounts.iter().all(Account::has_started)
    }

    /// Whether nothing can change any more.
    pub(crate) fn settled(&self, clauses: &[Clause], frontier: Timestamp) -> bool {
        self.accounts.iter().zip(clauses).all(|(account, clause)| account.settled(clause, frontier))
    }

    /// Whether the property is known to be true whatever comes.
    pub(crate) fn decided(&self, clauses: &[Clause], frontier: Timestamp) -> bool {
        self.accounts.iter().zip(clauses).all(|(account, clause)| account.decided(clause, frontier))
    }

    /// Whether no obligation is open.
    pub(crate) fn is_quiet(&self) -> bool {
        self.accounts.iter().all(Account::is_quiet)
    }

    pub(crate) fn has_counted(&self) -> bool {
        self.accounts.iter().any(|account| account.activated > 0)
    }

    pub(crate) fn listed(&self) -> &[Violation] {
        self.book.listed()
    }

    /// What the accounts of so many clauses take, in bytes.
    pub(crate) fn weight(clauses: usize) -> usize {
        clauses * (size_of::<Account>() + 4 * size_of::<At>())
    }

    /// How many violations there are.
    pub(crate) fn violated(&self) -> u64 {
        self.accounts.iter().map(|account| account.violated).sum()
    }

    /// See [`Book::news`].
    pub(crate) fn news(&mut self, positions: u64) -> &[Violation] {
        self.book.news(positions)
    }

    /// See [`Book::tell`].
    pub(crate) fn tell(&mut self, keep: usize) -> Vec<Violation> {
        self.book.tell(keep)
    }

    /// See [`Book::trim`].
    pub(crate) fn trim(&mut self, keep: usize) {
        self.book.trim(keep);
    }

    /// A complete trace ended.
    pub(crate) fn end(&mut self, clauses: &[Clause], trigger: Trigger) {
        for (account, clause) in self.accounts.iter_mut().zip(clauses) {
            account.end(clause, trigger, &mut self.book);
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
        let mut durations = Tally::default();
        for account in &self.accounts {
            durations.join(account.durations);
        }
        Outcome {
            verdict: gnomon_core::verdict::Verdict::Inconclusive,
            presumably: None,
            positions: 0,
            activated: sum(|account| account.activated),
            satisfied: sum(|account| account.satisfied),
            violated: sum(|account| account.violated),
            pending: sum(Account::pending),
            durations: durations.durations(),
            violations: self.book.violations(),
            merged_simultaneous: false,
        }
    }
}
