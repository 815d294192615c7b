// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace in memory, and the word that an automaton reads from it: its states with the propositions that hold in them.
//!
//! The engine evaluates the propositions, each as a property of its own; the automaton evaluates the temporal operators.

use std::sync::Arc;

use gnomon::automaton::{AlternatingAutomaton, TableWord};
use gnomon::compile::CompiledSpec;
use gnomon::engine::{Monitor, plan};
use gnomon::event::Event;
use gnomon::ir::check::check;
use gnomon::ir::formula::{Bounds, Formula, FormulaKind, Unary};
use gnomon::ir::spec::{Body, Property};
use gnomon::offline::{DivideBy, Driver, EventSource, NamedInput, Options, Visitor, open_stream};
use gnomon::time::Timestamp;
use gnomon::trace::never_cancelled;
use gnomon::verdict::{End, Simultaneous};

/// A trace in memory, which is read several times.
pub(super) struct BufferedTrace {
    pub(super) name: String,
    pub(super) bytes: Arc<[u8]>,
    pub(super) options: Options,
}

impl BufferedTrace {
    pub(super) fn new(name: &str, bytes: Vec<u8>, format: Option<gnomon::trace::Format>) -> BufferedTrace {
        let options = Options { format, by: DivideBy::Whole, max_violations: usize::MAX, ..Options::default() };
        BufferedTrace { name: name.to_owned(), bytes: bytes.into(), options }
    }

    pub(super) fn input(&self) -> NamedInput {
        NamedInput::memory(self.name.clone(), self.bytes.clone(), never_cancelled())
    }

    /// Returns the word that the automaton of a property reads.
    pub(super) fn word(
        &self,
        compiled: &CompiledSpec,
        property: &Property,
        automaton: &AlternatingAutomaton,
    ) -> Result<TableWord, gnomon::run::Error> {
        let mut spec = compiled.spec.clone();
        spec.properties = automaton.propositions.iter().map(|of| always(property, of)).collect();
        let cores: Vec<_> = spec.properties.iter().filter_map(|property| check(&spec, property).0).collect();
        let properties = (0..cores.len()).collect();
        let parts = CompiledSpec { spec, plan: plan(cores), properties, ..compiled.clone() };
        let (mut stream, _) = open_stream(&parts, self.input(), &self.options)?;
        let mut states = StateRecorder {
            monitor: parts.plan.start(usize::MAX),
            simultaneous: automaton.simultaneous,
            times: Vec::new(),
        };
        // The units are those of the property, because its propositions have none.
        let _ = Driver::new(compiled, &self.name, &self.options).run(&mut stream, &mut states)?;
        let StateRecorder { monitor, times, .. } = states;
        let mut truth = vec![vec![true; times.len()]; automaton.propositions.len()];
        for (row, outcome) in truth.iter_mut().zip(monitor.finish(End::Complete)) {
            for violation in outcome.violations {
                let (from, to) = (violation.at.position, violation.until_position.unwrap_or(violation.at.position));
                for position in from..=to {
                    if let Some(value) = row.get_mut(position as usize) {
                        *value = false;
                    }
                }
            }
        }
        Ok(TableWord { times, truth })
    }
}

/// Records the times of states, and evaluates the propositions in them.
struct StateRecorder {
    monitor: Monitor,
    simultaneous: Simultaneous,
    times: Vec<Timestamp>,
}

impl Visitor for StateRecorder {
    fn event<S: EventSource>(&mut self, event: &Event<'_>, _: &S) -> Result<bool, gnomon::run::Error> {
        if self.simultaneous == Simultaneous::Sequence || self.times.last() != Some(&event.time) {
            self.times.push(event.time);
        }
        self.monitor.step(event);
        Ok(true)
    }

    fn progress<S: EventSource>(&mut self, to: Timestamp, _: &S) -> Result<(), gnomon::run::Error> {
        self.monitor.advance(to);
        Ok(())
    }
}

/// Returns a property that is violated wherever a proposition does not hold.
fn always(property: &Property, of: &Formula) -> Property {
    let (operator, interval, span) = (Unary::Always, Bounds::ANY, of.span);
    let kind = FormulaKind::Unary { operator, strict: false, times: 1, interval, of: Box::new(of.clone()) };
    Property { body: Body::Formula(Formula { kind, span }), ..property.clone() }
}
