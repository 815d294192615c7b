// SPDX-License-Identifier: MIT OR Apache-2.0
//! The list of violations: the first of them with their stories, consecutive positions as ranges.

use gnomon_core::diagnostic::Span;
use gnomon_core::verdict::{At, Binding, Violation};
use gnomon_ir::core::NodeId;
use serde::{Deserialize, Serialize};

use super::Trigger;
use super::clause::Clause;
use crate::reasons::Evidence;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Book {
    most_listed: usize,
    violations: Vec<Violation>,
    /// How many of them were told by [`Book::news`]; those do not grow any more.
    told: usize,
    /// How many were told by [`Book::tell`], and up to where the last of them went.
    seen: usize,
    seen_to: u64,
}

/// Where obligations are settled: all that a violation's entry is made from.
pub(super) struct Desk<'d, 'e, 'p> {
    pub(super) clause: &'d Clause,
    pub(super) trigger: Trigger,
    pub(super) evidence: &'d mut Evidence<'e, 'p>,
    pub(super) book: &'d mut Book,
}

impl Desk<'_, '_, '_> {
    /// The positions from `at` to `to` break the clause.
    pub(super) fn violation(&mut self, at: At, to: u64, blame: NodeId) {
        let Desk { clause, trigger, evidence, book } = self;
        let full = book.violations.len() >= book.most_listed;
        let growing = book.violations.len() > book.told;
        let goes_on = |last: &Violation| growing && end_of(last) + 1 == at.position;
        if full && !book.violations.last().is_some_and(goes_on) {
            return;
        }
        let blame = evidence.narrow(clause, at, blame);
        let failed =
            if blame == clause.consequent.node { clause.consequent_span } else { evidence.network().core.span(blame) };
        if let Some(last) = book.violations.last_mut()
            && goes_on(last)
            && last.failed == failed
        {
            last.until_position = Some(to);
        } else if !full {
            let (summary, because) = evidence.story(clause, at, *trigger, blame);
            book.add(at, to, *trigger, failed, summary, because);
        }
    }
}

impl Book {
    pub(super) fn new(most_listed: usize) -> Self {
        Book { most_listed, violations: Vec::new(), told: 0, seen: 0, seen_to: 0 }
    }

    /// Violations that were not told yet and that the next position cannot continue, `positions` having been seen.
    pub(super) fn news(&mut self, positions: u64) -> &[Violation] {
        let from = self.told;
        let waits = self.violations.last().is_some_and(|last| end_of(last) + 1 >= positions);
        self.told = from.max(self.violations.len() - usize::from(waits));
        &self.violations[from..self.told]
    }

    /// Violations that are new, and the last one before them if it grew. Of those that were told the first `keep` stay
    /// listed, and the last, which may grow.
    pub(super) fn tell(&mut self, keep: usize) -> Vec<Violation> {
        let has_grown = |last: usize| end_of(&self.violations[last]) > self.seen_to;
        let from = self.seen.checked_sub(1).filter(|last| has_grown(*last)).unwrap_or(self.seen);
        let fresh = self.violations[from..].to_vec();
        self.trim(keep);
        self.seen = self.violations.len();
        self.seen_to = self.violations.last().map_or(0, end_of);
        fresh
    }

    /// Forgets listed ones beyond so many; the last, which may grow, stays.
    pub(super) fn trim(&mut self, keep: usize) {
        let length = self.violations.len();
        if length > keep + 1 {
            self.violations.drain(keep..length - 1);
        }
    }

    pub(super) fn listed(&self) -> &[Violation] {
        &self.violations
    }

    pub(super) fn most_listed(&self) -> usize {
        self.most_listed
    }

    /// An `X` finds no position.
    pub(super) fn next_missing(&mut self, clause: &Clause, at: At, trigger: Trigger) {
        if self.violations.len() < self.most_listed {
            let summary = "the trace has no such next position".to_owned();
            self.add(at, at.position, trigger, clause.span, summary, vec![]);
        }
    }

    fn add(
        &mut self,
        at: At,
        to: u64,
        trigger: Trigger,
        failed: Span,
        summary: String,
        because: Vec<gnomon_core::verdict::Because>,
    ) {
        let until_position = (to > at.position).then_some(to);
        self.violations.push(Violation {
            at,
            until_position,
            decided: trigger.decided(at),
            binding: Binding::default(),
            failed,
            summary,
            because,
        });
    }

    /// In the order of the trace. What was found out of order may turn out to be consecutive; what was told stays as it
    /// was told.
    pub(super) fn violations(&self) -> Vec<Violation> {
        let mut sorted: Vec<(bool, Violation)> =
            self.violations.iter().enumerate().map(|(index, one)| (index < self.told, one.clone())).collect();
        sorted.sort_by_key(|(_, violation)| (violation.failed, violation.at.position));
        sorted.dedup_by(|(_, later), (told, earlier)| {
            let joined = !*told && earlier.failed == later.failed && end_of(earlier) + 1 == later.at.position;
            if joined {
                earlier.until_position = Some(end_of(later));
            }
            joined
        });
        sorted.sort_by_key(|(_, violation)| (violation.at.position, violation.failed));
        sorted.into_iter().map(|(_, violation)| violation).collect()
    }
}

fn end_of(violation: &Violation) -> u64 {
    violation.until_position.unwrap_or(violation.at.position)
}
