// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests for the events that end a case.

use gnomon_core::event::Event;
use gnomon_core::symbols::Name;
use gnomon_ir::atom::EventPattern;

use crate::matcher::{FieldTest, PlanCompiler};

/// The events that end a case.
#[derive(Debug)]
pub(crate) struct CaseEnds {
    pub(crate) patterns: Vec<EventPattern>,
    tests: Vec<(Name, FieldTest)>,
}

impl CaseEnds {
    /// Compiles the tests; the names and fields that they read are added to those of the plan.
    pub(crate) fn new(patterns: Vec<EventPattern>, compiler: &mut PlanCompiler) -> Self {
        let test = |pattern: &EventPattern| {
            let name = compiler.symbols.name(&pattern.event);
            (name, compiler.test(name, pattern))
        };
        let tests = patterns.iter().map(test).collect();
        CaseEnds { patterns, tests }
    }

    /// Returns true if an event ends its case.
    ///
    /// COST: the number of patterns, which is small.
    #[inline]
    pub(crate) fn test(&self, event: &Event<'_>) -> bool {
        self.tests.iter().any(|(known, test)| *known == event.name && test.passes(event))
    }
}
