// SPDX-License-Identifier: MIT OR Apache-2.0
//! A property whose evaluation fails inside is given up; the others are checked as if it were not there.

use gnomon_core::event::{Event, Fields};
use gnomon_core::symbols::{Key, Symbols};
use gnomon_core::value::Value;
use gnomon_core::verdict::{End, Outcome, Verdict};
use gnomon_engine::{Monitor, Plan};
use gnomon_ir::check::check;
use gnomon_test::case::at;

/// Fields of which one cannot be read.
struct Broken(Key);

impl Fields for Broken {
    fn get(&self, key: Key) -> Option<Value<'_>> {
        assert!(key != self.0, "this field cannot be read");
        None
    }
    fn parameter_count(&self) -> usize {
        0
    }
    fn parameter(&self, _: usize) -> Value<'_> {
        Value::Null
    }
}

const OTHERS: &str =
    "mtl first { G (a -> F[0,3] b) }\nsoloist second { G (!b) }\nnomad third { P(start(a) | O[0,2] done(b)) }\n";

fn plan(spec: &str) -> Plan {
    let (spec, _) = gnomon_lang::parse(spec);
    let core = |property| check(&spec, property).0.expect("the property passes the checker");
    gnomon_engine::plan(spec.properties.iter().map(core).collect())
}

fn run(plan: &Plan, fails: bool) -> Vec<Outcome> {
    let mut symbols: Symbols = plan.symbols().clone();
    let key = symbols.key("bad");
    let mut monitor: Monitor = plan.start(10);
    monitor.count_violations();
    for (index, (name, time)) in [("a", 1), ("b", 2), ("a", 4), ("c", 9), ("b", 9), ("a", 9)].into_iter().enumerate() {
        let fields = Broken(if fails { key } else { Key::OTHER });
        let name = symbols.name(name);
        monitor.step(&Event { name, index: index as u64, time: at(time), fields: &fields });
    }
    monitor.advance(at(30));
    monitor.finish(End::Complete)
}

#[test]
fn a_fault_of_one_property_leaves_the_others_alone() {
    std::panic::set_hook(Box::new(|_| {}));
    let alone = run(&plan(OTHERS), false);
    for faulty in ["mtl bad { G (b[bad > 1] -> F c) }\n", "mtl bad { forall u. G (a[bad > 1] -> F p(u)) }\n"] {
        for spec in [format!("{faulty}{OTHERS}"), format!("{OTHERS}{faulty}")] {
            let mut outcomes = run(&plan(&spec), true);
            let place = if spec.starts_with(faulty) { 0 } else { 3 };
            let failed = outcomes.remove(place);
            assert_eq!(failed.verdict, Verdict::Inconclusive);
            assert_eq!(failed.fault.as_deref(), Some("this field cannot be read"));
            // Names of the plans are numbered apart.
            let counts = |outcomes: &[Outcome]| {
                let each = outcomes.iter().map(|one| (one.verdict, one.activated, one.violated, one.positions));
                each.collect::<Vec<_>>()
            };
            assert_eq!(counts(&outcomes), counts(&alone), "{spec}");
        }
    }
}
