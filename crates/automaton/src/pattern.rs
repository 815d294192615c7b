// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns as deterministic machines: the phase of the scope and the progress of the behaviour.
//!
//! The machine keeps no distances in time: being in time is a question about an event, and the passing of a deadline a
//! transition of its own. It follows one binding; several stimuli that wait at the same time count as one.

mod progress;

use gnomon_ir::{Atom, Pattern, ScopeKind};

use crate::deterministic::{Answerer, EventMachine, EventQuestion};
use crate::graph::NodeShape;

pub use progress::SegmentProgress;

/// Phase of a trace with respect to a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PatternPhase {
    /// No segment is open, one may come.
    Outside,
    /// Inside a segment.
    Inside(SegmentProgress),
    /// No segment will come.
    Over,
    /// Some segment answered no.
    Violated,
}

/// Reads events for one pattern.
pub struct PatternMachine<'r> {
    pattern: &'r Pattern,
}

impl<'r> PatternMachine<'r> {
    /// Reads events for this pattern.
    pub fn new(pattern: &'r Pattern) -> Self {
        PatternMachine { pattern }
    }

    fn scope(&self) -> ScopeKind {
        self.pattern.scope.kind
    }

    /// Returns true if a trace that ends here violates the pattern.
    pub fn ends_badly(&self, phase: &PatternPhase) -> bool {
        match phase {
            PatternPhase::Outside | PatternPhase::Over => false,
            PatternPhase::Inside(progress) => !self.scope().needs_end() && !progress.answer(&self.pattern.behaviour),
            PatternPhase::Violated => true,
        }
    }

    /// Returns the phase that follows from the progress of a segment.
    fn inside(&self, progress: SegmentProgress) -> PatternPhase {
        let scope = self.scope();
        match progress {
            SegmentProgress::No if !scope.needs_end() && !scope.restarts() => PatternPhase::Violated,
            SegmentProgress::Yes
                if matches!(scope, ScopeKind::Globally | ScopeKind::After | ScopeKind::Until | ScopeKind::Before) =>
            {
                PatternPhase::Over
            }
            progress => PatternPhase::Inside(progress),
        }
    }
}

impl EventMachine for PatternMachine<'_> {
    type State = PatternPhase;

    fn initial(&self) -> PatternPhase {
        if self.scope().opens() {
            PatternPhase::Outside
        } else {
            self.inside(SegmentProgress::begin(&self.pattern.behaviour))
        }
    }

    fn next(&self, phase: &PatternPhase, answerer: &mut Answerer<'_>) -> PatternPhase {
        let Pattern { scope, behaviour, .. } = self.pattern;
        let mut is = |atom: &Option<Atom>| atom.as_ref().is_some_and(|atom| answerer(EventQuestion::event(atom)));
        match phase {
            PatternPhase::Over | PatternPhase::Violated => phase.clone(),
            PatternPhase::Outside => {
                // An event that opens and closes a segment opens nothing.
                if is(&scope.opens) && !is(&scope.closes) {
                    self.inside(SegmentProgress::begin(behaviour))
                } else {
                    PatternPhase::Outside
                }
            }
            PatternPhase::Inside(progress) => {
                if is(&scope.closes) {
                    match (progress.answer(behaviour), scope.kind.repeats()) {
                        (false, _) => PatternPhase::Violated,
                        (true, true) => PatternPhase::Outside,
                        (true, false) => PatternPhase::Over,
                    }
                } else if scope.kind.restarts() && is(&scope.opens) {
                    self.inside(SegmentProgress::begin(behaviour))
                } else {
                    self.inside(progress.next(behaviour, answerer))
                }
            }
        }
    }

    fn after_deadline(&self, phase: &PatternPhase) -> Option<(String, PatternPhase)> {
        let PatternPhase::Inside(progress) = phase else { return None };
        progress.after_deadline(&self.pattern.behaviour).map(|time| (time, self.inside(SegmentProgress::No)))
    }

    fn is_final(&self, phase: &PatternPhase) -> bool {
        matches!(phase, PatternPhase::Over | PatternPhase::Violated)
    }

    fn shown(&self, phase: &PatternPhase) -> (NodeShape, String) {
        let shape = if self.ends_badly(phase) { NodeShape::Rejecting } else { NodeShape::Accepting };
        let words = match phase {
            PatternPhase::Outside => "outside".to_owned(),
            PatternPhase::Inside(progress) => format!("inside\n{}", progress.words(&self.pattern.behaviour)),
            PatternPhase::Over => "done: nothing more is required".to_owned(),
            PatternPhase::Violated => "violated".to_owned(),
        };
        (shape, words)
    }
}
