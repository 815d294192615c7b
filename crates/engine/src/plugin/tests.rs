// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs of many events, with answers that a few lines of code give.

use gnomon_core::event::{Event, OwnedFields};
use gnomon_core::number::Number;
use gnomon_core::random::Random;
use gnomon_core::symbols::{Key, Symbols};
use gnomon_core::time::Timestamp;
use gnomon_core::value::Value;
use gnomon_core::verdict::{End, Outcome};
use gnomon_ir::check::check;

use crate::Monitor;

/// A monitor with the names of events, which takes events with parameters by place.
struct Run {
    symbols: Symbols,
    monitor: Monitor,
    events: u64,
}

impl Run {
    fn new(property: &str) -> Self {
        let (spec, diagnostics) = gnomon_lang::parse(property);
        assert!(diagnostics.is_empty(), "{property}: {diagnostics:?}");
        let (core, _) = check(&spec, &spec.properties[0]);
        let plan = crate::plan(vec![core.expect("the property passes the checker")]);
        Run { symbols: plan.symbols().clone(), monitor: plan.start(10), events: 0 }
    }

    fn step(&mut self, name: &str, parameters: &[u64]) {
        let entry = |number: &u64| (Key::OTHER, Value::Number(Number::Int(*number as i64)));
        let fields = OwnedFields { entries: parameters.iter().map(entry).collect() };
        let time = Timestamp::from_ticks(0);
        self.monitor.step(&Event { name: self.symbols.name(name), index: self.events, time, fields: &fields });
        self.events += 1;
    }

    fn bytes(&self) -> usize {
        self.monitor.memory_use(0).bytes
    }

    fn finish(self) -> Outcome {
        self.monitor.finish(End::Complete).remove(0)
    }
}

/// Threads take and release two kinds of locks. There are far more stacks than are in use at a time.
#[test]
fn states_that_no_instance_is_in_are_collected() {
    let grammar = "cfg: S -> S a S b | S c S d | epsilon\n forbid fail reset";
    let property = format!("mop p {{ parameters t\n events a(t), b(t), c(t), d(t)\n {grammar} }}");
    let mut run = Run::new(&property);
    let mut random = Random::new(1);
    let mut stacks: Vec<Vec<&str>> = vec![vec![]; 4];
    let (mut violations, mut most) = (0, 0);
    for _ in 0..60_000 {
        let thread = random.below(4);
        let stack = &mut stacks[thread as usize];
        let name = match stack.last() {
            Some(_) if random.below(50) == 0 => ["b", "d"][random.below(2) as usize],
            Some(closing) if random.below(20) as usize + 4 < stack.len() => *closing,
            _ => ["a", "c"][random.below(2) as usize],
        };
        match name {
            "a" => stack.push("b"),
            "c" => stack.push("d"),
            closing if stack.last() == Some(&closing) => drop(stack.pop()),
            _ => {
                violations += 1;
                stack.clear();
            }
        }
        run.step(name, &[thread]);
        most = most.max(run.bytes());
    }
    assert!(run.bytes() < most, "something was collected");
    assert_eq!(run.finish().violated, violations);
    assert!(violations > 100, "{violations}");
}

#[test]
fn unrelated_events_create_no_instances() {
    let body = "parameters c, i\n events create(c, i), modify(c), next(i)\n ere: create next* modify modify* next";
    let mut run = Run::new(&format!("mop p {{ {body} }}"));
    for number in 0..200 {
        run.step("modify", &[number]);
        run.step("next", &[number]);
    }
    assert_eq!(run.monitor.memory_use(0).bindings, 0);
    run.step("create", &[1_000, 1_001]);
    run.step("create", &[5, 1_002]);
    run.step("create", &[1_000, 6]);
    assert_eq!(run.monitor.memory_use(0).bindings, 1, "5 and 6 have events before");
    run.step("modify", &[1_000]);
    run.step("next", &[1_001]);
    assert_eq!(run.monitor.memory_use(0).bindings, 0, "it matched, and cannot again");
    run.step("create", &[1_000, 1_001]);
    assert_eq!(run.monitor.memory_use(0).bindings, 0);
    let outcome = run.finish();
    assert_eq!((outcome.activated, outcome.violated), (1, 1));
}
