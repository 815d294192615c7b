// SPDX-License-Identifier: MIT OR Apache-2.0
//! A pattern as a deterministic automaton: the phase of its scope, and how far its behaviour has come.
//!
//! Distances in time are not kept: whether an event is in time is a question about it, and the passing of a deadline a step of
//! its own. One binding is looked at; where several stimuli wait at once, they are one.

mod progress;

use gnomon_ir::pattern::Atom;
use gnomon_ir::requirement::{Requirement, ScopeKind};

use crate::deterministic::{Asked, Question, Reader};
use crate::graph::Shape;

pub use progress::Progress;

/// Where a trace stands with a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Phase {
    /// No segment is open, one may come.
    Outside,
    /// In a segment.
    Inside(Progress),
    /// No segment will come.
    Over,
    /// Some segment answered no.
    Violated,
}

/// Reads events for one pattern.
pub struct Watch<'r> {
    requirement: &'r Requirement,
}

impl<'r> Watch<'r> {
    /// Reads events for this pattern.
    pub fn new(requirement: &'r Requirement) -> Self {
        Watch { requirement }
    }

    fn scope(&self) -> ScopeKind {
        self.requirement.scope.kind
    }

    /// Whether a trace that ends here violates the pattern.
    pub fn ends_badly(&self, phase: &Phase) -> bool {
        match phase {
            Phase::Outside | Phase::Over => false,
            Phase::Inside(progress) => !self.scope().needs_end() && !progress.answer(&self.requirement.behaviour),
            Phase::Violated => true,
        }
    }

    /// What a segment that has come so far means for the whole.
    fn inside(&self, progress: Progress) -> Phase {
        let scope = self.scope();
        match progress {
            Progress::No if !scope.needs_end() && !scope.restarts() => Phase::Violated,
            Progress::Yes
                if matches!(scope, ScopeKind::Globally | ScopeKind::After | ScopeKind::Until | ScopeKind::Before) =>
            {
                Phase::Over
            }
            progress => Phase::Inside(progress),
        }
    }
}

impl Reader for Watch<'_> {
    type State = Phase;

    fn initial(&self) -> Phase {
        if self.scope().opens() { Phase::Outside } else { self.inside(Progress::begin(&self.requirement.behaviour)) }
    }

    fn next(&self, phase: &Phase, asked: &mut Asked<'_>) -> Phase {
        let Requirement { scope, behaviour, .. } = self.requirement;
        let mut is = |atom: &Option<Atom>| atom.as_ref().is_some_and(|atom| asked(Question::event(atom)));
        match phase {
            Phase::Over | Phase::Violated => phase.clone(),
            Phase::Outside => {
                // What opens and closes opens nothing.
                if is(&scope.opens) && !is(&scope.closes) {
                    self.inside(Progress::begin(behaviour))
                } else {
                    Phase::Outside
                }
            }
            Phase::Inside(progress) => {
                if is(&scope.closes) {
                    match (progress.answer(behaviour), scope.kind.repeats()) {
                        (false, _) => Phase::Violated,
                        (true, true) => Phase::Outside,
                        (true, false) => Phase::Over,
                    }
                } else if scope.kind.restarts() && is(&scope.opens) {
                    self.inside(Progress::begin(behaviour))
                } else {
                    self.inside(progress.next(behaviour, asked))
                }
            }
        }
    }

    fn passing(&self, phase: &Phase) -> Option<(String, Phase)> {
        let Phase::Inside(progress) = phase else { return None };
        progress.passing(&self.requirement.behaviour).map(|time| (time, self.inside(Progress::No)))
    }

    fn is_final(&self, phase: &Phase) -> bool {
        matches!(phase, Phase::Over | Phase::Violated)
    }

    fn shown(&self, phase: &Phase) -> (Shape, String) {
        let shape = if self.ends_badly(phase) { Shape::Rejecting } else { Shape::Accepting };
        let words = match phase {
            Phase::Outside => "outside".to_owned(),
            Phase::Inside(progress) => format!("inside\n{}", progress.words(&self.requirement.behaviour)),
            Phase::Over => "over: nothing is asked any more".to_owned(),
            Phase::Violated => "violated".to_owned(),
        };
        (shape, words)
    }
}
