// SPDX-License-Identifier: MIT OR Apache-2.0
//! The states of a trace with the propositions that hold in them. The propositions are judged by the engine, each as a
//! property of its own; the automaton adds what is temporal.

use gnomon::automaton::{Automaton, Table};
use gnomon::compile::Compiled;
use gnomon::ir::check::check;
use gnomon::ir::formula::{Bounds, Formula, Kind, Unary};
use gnomon::ir::spec::{Body, Property};
use gnomon::offline::{self, By, Input, Options, units_are_known};
use gnomon::plan;
use gnomon::trace::Reader as _;
use gnomon::verdict::{End, Simultaneous};

/// A trace in memory, to be read more than once.
pub(super) struct Recording {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) options: Options,
}

impl Recording {
    pub(super) fn new(name: &str, bytes: Vec<u8>, format: Option<gnomon::trace::Format>) -> Recording {
        let options = Options { format, by: By::Whole, max_violations: usize::MAX, ..Options::default() };
        Recording { name: name.to_owned(), bytes, options }
    }

    pub(super) fn input(&self) -> Input {
        Input::stream(self.name.clone(), std::io::Cursor::new(self.bytes.clone()))
    }

    /// The word that the automaton of a property reads.
    pub(super) fn word(
        &self,
        compiled: &Compiled,
        property: &Property,
        automaton: &Automaton,
    ) -> Result<Table, gnomon::Error> {
        let mut spec = compiled.spec.clone();
        spec.properties = automaton.propositions.iter().map(|of| always(property, of)).collect();
        let cores: Vec<_> = spec.properties.iter().filter_map(|property| check(&spec, property).0).collect();
        let properties = (0..cores.len()).collect();
        let parts = Compiled { spec, plan: plan(cores), properties, ..compiled.clone() };
        let (mut reader, _) = offline::reader(&parts, self.input(), &self.options)?;
        let mut monitor = parts.plan.start(usize::MAX);
        let mut times = Vec::new();
        while let Some(origin) = reader.advance()? {
            if times.is_empty() {
                units_are_known(compiled, reader.time_kind(), None)?;
            }
            if automaton.simultaneous == Simultaneous::Sequence || times.last() != Some(&origin.time) {
                times.push(origin.time);
            }
            let (name, index, time) = (origin.event, origin.event_index, origin.time);
            monitor.step(&gnomon::event::Event { name, index, time, fields: reader.fields() });
        }
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
        Ok(Table { times, truth })
    }
}

/// A property that is violated wherever a proposition does not hold.
fn always(property: &Property, of: &Formula) -> Property {
    let (operator, interval, span) = (Unary::Always, Bounds::ANY, of.span);
    let kind = Kind::Unary { operator, strict: false, times: 1, interval, of: Box::new(of.clone()) };
    Property { body: Body::Formula(Formula { kind, span }), ..property.clone() }
}
