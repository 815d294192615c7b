// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run without an end, told of events and of time.

use std::sync::Arc;

use gnomon_core::number::Number;
use gnomon_core::time::Clock;
use gnomon_core::value::Value;
use gnomon_run::compile::compile;
use gnomon_run::online::{NamedFields, Online};

struct One(i64);

impl NamedFields for One {
    fn named(&self, name: &str) -> Option<Value<'_>> {
        (name == "i").then_some(Value::Number(Number::Int(self.0)))
    }
    fn count(&self) -> usize {
        1
    }
    fn nth(&self, _: usize) -> Value<'_> {
        Value::Number(Number::Int(self.0))
    }
}

fn online(spec: &str) -> Online {
    Online::new(Arc::new(compile(spec, &[]).0.expect("the spec is right")), None)
}

#[test]
fn a_deadline_of_a_binding_passes_by_a_tick() {
    let mut online = online("time in s\nmtl m { forall i. G(ask(i) -> F[0,5] answer(i)) }");
    let at = |time| Clock::new(Some(gnomon_core::time::Unit::Second)).whole(time);
    online.step("ask", at(1), &One(7));
    online.step("other", at(2), &One(7));
    assert_eq!(online.next_deadline(), Some(at(6)));
    online.tick(at(6));
    assert!(online.take_found().is_empty());
    online.tick(at(7));
    let found = online.take_found();
    assert_eq!((found.len(), found[0].number, found[0].grew), (1, 1, false));
    assert_eq!(found[0].violation.binding.to_string(), "i = 7");
    assert_eq!(online.next_deadline(), None);
}
