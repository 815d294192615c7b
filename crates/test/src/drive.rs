// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pushes a trace in memory through the engine.

use gnomon_core::event::{Event, OwnedFields};
use gnomon_core::symbols::Symbols;
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::{End, Origin, Outcome};
use gnomon_engine::{Monitor, Plan, Recipients};
use gnomon_ir::core::Core;
use gnomon_oracle::{OracleEvent, Trace};

/// More than any generated case has: the whole list is wanted.
pub const ALL_VIOLATIONS: usize = 1_000;

/// A plan for one property, with a trace numbered by the plan's own symbols, for engine and oracle alike.
pub struct Drive {
    /// The plan.
    pub plan: Plan,
    /// The trace.
    pub trace: Trace,
    fields: Vec<OwnedFields>,
}

impl Drive {
    /// Plans the property and prepares the events.
    pub fn new(core: &Core, events: &[OracleEvent]) -> Drive {
        let plan = gnomon_engine::plan(vec![core.clone()]);
        let mut symbols: Symbols = plan.symbols().clone();
        let fields = events.iter().map(|event| owned_fields(event, &mut symbols)).collect();
        Drive { trace: Trace::with_symbols(events.to_vec(), symbols), plan, fields }
    }

    /// A monitor that has seen nothing.
    pub fn start(&self) -> Monitor {
        self.plan.start(ALL_VIOLATIONS)
    }

    /// Pushes one event.
    pub fn step(&self, monitor: &mut Monitor, index: usize) {
        self.step_at(monitor, index, index as u64, self.time(index));
    }

    /// One of several monitors that share the work, fed with the events that concern it, the others passed over.
    pub fn share(&self, share: usize, of: usize) -> Monitor {
        let (mut monitor, partitioner) = (self.plan.start_shard(ALL_VIOLATIONS, share, of), self.plan.partitioner(of));
        let mut passed = Vec::new();
        for index in 0..self.fields.len() {
            let event = self.event(index, index as u64, self.time(index));
            let recipients = partitioner.recipients(&event);
            if recipients != Recipients::All && recipients != Recipients::One(share) {
                passed.push(Origin { event_index: event.index, time: event.time, event: event.name });
                continue;
            }
            monitor.skip(&passed);
            passed.clear();
            if recipients == Recipients::All { monitor.step(&event) } else { monitor.step_routed(&event) }
        }
        monitor.skip(&passed);
        monitor
    }

    /// Pushes one event, as the one of this number in a trace and at this time.
    pub fn step_at(&self, monitor: &mut Monitor, index: usize, number: u64, time: Timestamp) {
        monitor.step(&self.event(index, number, time));
    }

    /// One event, as the one of this number in a trace and at this time.
    pub fn event(&self, index: usize, number: u64, time: Timestamp) -> Event<'_> {
        let name = &self.trace.events()[index].name;
        let name = self.trace.symbols().find_name(name).expect("the trace's names are numbered");
        Event { name, index: number, time, fields: &self.fields[index] }
    }

    /// The time of an event.
    pub fn time(&self, index: usize) -> Timestamp {
        self.trace.events()[index].time
    }

    /// The outcome of the one property.
    pub fn finish(monitor: Monitor, end: End) -> Outcome {
        let mut outcomes = monitor.finish(end);
        assert_eq!(outcomes.len(), 1, "one property, one outcome");
        outcomes.remove(0)
    }
}

/// An inner empty cell is a null among the parameters but no field: it gets a key that no property uses.
fn owned_fields(event: &OracleEvent, symbols: &mut Symbols) -> OwnedFields {
    let count = event.parameters().len();
    let entries = event.fields[..count].iter().map(|(name, value)| match value {
        Some(value) => (symbols.key(name), value.clone()),
        None => (gnomon_core::symbols::Key::OTHER, Value::Null),
    });
    OwnedFields { entries: entries.collect() }
}
