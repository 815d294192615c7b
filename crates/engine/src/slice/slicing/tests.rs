// SPDX-License-Identifier: MIT OR Apache-2.0
//! The worked examples of the chapter in `slice.rs`, with a machine of four states.

use gnomon_core::symbols::Name;
use gnomon_core::verdict::{Binding, Verdict};
use gnomon_ir::core::{AtomId, QuantifierCore};
use gnomon_ir::spec::QuantifierKind;

use super::*;
use crate::slice::machine::{Capabilities, Schedule, StateCounts};
use crate::slice::storage::Shape;

/// `create(c, i)` leads from 0 to 1, `modify(c)` from 1 to 2, `next(i)` from 2 to 3, which is a violation. `close(c, i)` leads back to
/// 0, except from 3.
#[derive(Clone, Debug)]
struct Iterators;

const CREATE: u32 = 0;
const MODIFY: u32 = 1;
const NEXT: u32 = 2;
const CLOSE: u32 = 3;

fn next(state: u8, letter: u64) -> u8 {
    match (state, letter.trailing_zeros()) {
        (0, CREATE) => 1,
        (1, MODIFY) => 2,
        (2, NEXT) => 3,
        (1 | 2, CLOSE) => 0,
        _ => state,
    }
}

impl Machine for Iterators {
    type State = u8;
    type Scratch = ();
    const COUNTS_IN_SINK: bool = false;

    fn capabilities(&self) -> Capabilities {
        Capabilities { initial_is_quiescent: true, is_time_invariant: true, ..Capabilities::default() }
    }

    fn start(&self, _: usize) -> u8 {
        0
    }

    fn visit(&self, state: &mut u8, (): &mut (), at: &BindingPosition<'_>, _: &mut Sink<'_>) {
        *state = next(*state, at.letter());
    }

    fn reacts(&self, state: &u8, at: &BindingPosition<'_>) -> bool {
        next(*state, at.letter()) != *state
    }

    fn schedule(&self, state: &u8) -> Schedule {
        Schedule::untimed(*state == 0)
    }

    fn counts(&self, state: &u8) -> StateCounts {
        StateCounts { any: *state == 3, violated: u64::from(*state == 3), ..StateCounts::default() }
    }

    fn outcome(&self, state: &u8) -> Outcome {
        let mut record = ObligationRecord::new(0);
        record.totals.violated = u64::from(*state == 3);
        record.outcome(Verdict::Inconclusive, None, 0)
    }

    fn finish(&self, state: &mut u8, (): &mut (), extent: Extent, end: End) -> Outcome {
        let mut record = ObligationRecord::new(0);
        record.totals.violated = u64::from(*state == 3);
        record.conclude(end, *state != 3, extent.positions)
    }
}

fn plan() -> SlicePlan<Iterators> {
    let quantifier =
        |name: &str| QuantifierCore { variable: name.to_owned(), kind: QuantifierKind::Forall, threshold: None };
    SlicePlan {
        machine: Iterators,
        capabilities: Iterators.capabilities(),
        shape: Shape::new(2, vec![0b01, 0b10, 0b11]),
        prefix: vec![quantifier("c"), quantifier("i")],
        universal: true,
        parts: None,
        reports_full: true,
        finds_full: true,
        evicts: true,
        needs_domains: false,
        least_gap: 0,
        fails_early: false,
        shared_by: None,
        keyed: None,
    }
}

/// Closes a position with one event, for the values that are given.
fn happen(slicer: &mut Slicer<Iterators>, plan: &SlicePlan<Iterators>, atom: u32, values: [Option<&str>; 2]) {
    let origin = Origin { event_index: 0, time: Timestamp::from_ticks(0), event: Name(0) };
    let mut draft = slicer.matches.begin(2);
    for (variable, value) in values.into_iter().enumerate() {
        if let Some(value) = value {
            let id = slicer.storage.values.number(&Value::Text(value.into()));
            assert!(slicer.matches.bind(&mut draft, variable, id));
        }
    }
    slicer.matches.commit(draft, AtomId(atom), &origin);
    slicer.close(plan, &CompletePosition { index: 0, first: &origin, previous: None });
}

/// The bindings and states of all instances but the root, in order.
fn instances(slicer: &Slicer<Iterators>, plan: &SlicePlan<Iterators>) -> Vec<(String, u8)> {
    let table = &slicer.storage.table;
    let own = table.slots().filter(|slot| *slot != ROOT);
    let text = |slot: Slot| {
        let Binding { values } = slicer.storage.values.binding(&plan.prefix, table.ids(slot));
        values.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    };
    let mut all: Vec<(String, u8)> = own.map(|slot| (text(slot), *table.state(slot))).collect();
    all.sort();
    all
}

fn binding(c: &str, i: &str) -> String {
    let quoted = |text: &str| Value::Text(text.to_owned().into()).to_string();
    format!("c={} i={}", quoted(c), quoted(i))
}

#[test]
fn instances_split_where_an_event_changes_them() {
    let (plan, c, a, b) = (plan(), Some("7"), Some("a"), Some("b"));
    let mut slicer = Slicer::new(&plan, 10);
    slicer.watch_violations();
    happen(&mut slicer, &plan, MODIFY, [c, None]);
    assert_eq!(instances(&slicer, &plan), [], "a no-op splits nothing");
    happen(&mut slicer, &plan, CREATE, [c, a]);
    happen(&mut slicer, &plan, CREATE, [c, b]);
    assert_eq!(instances(&slicer, &plan), [(binding("7", "a"), 1), (binding("7", "b"), 1)]);
    happen(&mut slicer, &plan, MODIFY, [Some("8"), None]);
    happen(&mut slicer, &plan, MODIFY, [c, None]);
    assert_eq!(instances(&slicer, &plan), [(binding("7", "a"), 2), (binding("7", "b"), 2)]);
    happen(&mut slicer, &plan, NEXT, [None, a]);
    assert_eq!(instances(&slicer, &plan), [(binding("7", "a"), 3), (binding("7", "b"), 2)]);
    assert_eq!(slicer.violation_count(), 1);
}

#[test]
fn an_instance_like_the_initial_state_is_evicted_one_event_later() {
    let (plan, c, a, b) = (plan(), Some("7"), Some("a"), Some("b"));
    let mut slicer = Slicer::new(&plan, 10);
    happen(&mut slicer, &plan, CREATE, [c, a]);
    happen(&mut slicer, &plan, CLOSE, [c, a]);
    assert_ne!(slicer.storage.last_evictable, END);
    assert_eq!(slicer.bindings(), 0);
    happen(&mut slicer, &plan, CREATE, [c, a]);
    assert_eq!(slicer.storage.last_evictable, END, "the next event is about the same binding");
    assert_eq!(slicer.bindings(), 1);
    happen(&mut slicer, &plan, CLOSE, [c, a]);
    happen(&mut slicer, &plan, CREATE, [c, b]);
    assert_eq!(instances(&slicer, &plan), [(binding("7", "b"), 1)]);
    let free = slicer.storage.values.number(&Value::Text("new".into()));
    assert!((free as usize) < 3, "the number of an evicted value is used again");
}

#[test]
fn quantifiers_combine_instances_and_evicted_ones() {
    let (plan, c, a) = (plan(), Some("7"), Some("a"));
    let extent = Extent {
        positions: 4,
        last_time: Timestamp::from_ticks(0),
        frontier: Timestamp::from_ticks(0),
        first: None,
        last: None,
        most_listed: 10,
    };
    for (events, verdict) in [(vec![CREATE, MODIFY, NEXT], Verdict::Violated), (vec![CREATE, CLOSE], Verdict::Holds)] {
        let mut slicer = Slicer::new(&plan, 10);
        for atom in events {
            let values = match atom {
                MODIFY => [c, None],
                NEXT => [None, a],
                _ => [c, a],
            };
            happen(&mut slicer, &plan, atom, values);
        }
        let outcome = slicer.finish(&plan, extent, End::Complete);
        assert_eq!((outcome.verdict, outcome.violated), (verdict, u64::from(verdict == Verdict::Violated)));
    }
}

#[test]
fn a_restored_run_goes_on_where_it_was() {
    let (plan, c, a) = (plan(), Some("7"), Some("a"));
    let mut slicer = Slicer::new(&plan, 10);
    happen(&mut slicer, &plan, CREATE, [c, a]);
    happen(&mut slicer, &plan, MODIFY, [c, None]);
    let saved = postcard::to_stdvec(&slicer).unwrap();
    let mut back: Slicer<Iterators> = postcard::from_bytes(&saved).unwrap();
    assert!(back.rebuild(&plan));
    happen(&mut back, &plan, NEXT, [None, a]);
    assert_eq!(instances(&back, &plan), [(binding("7", "a"), 3)]);
}
