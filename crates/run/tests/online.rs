// SPDX-License-Identifier: MIT OR Apache-2.0
//! A monitor without an end receives events and advances of time.

use std::sync::Arc;

use gnomon_core::number::Number;
use gnomon_core::time::Clock;
use gnomon_core::value::Value;
use gnomon_run::compile::compile;
use gnomon_run::online::{NamedFields, OnlineMonitor};
use gnomon_run::push::PushMonitor;

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

fn online(spec: &str) -> OnlineMonitor {
    OnlineMonitor::new(Arc::new(compile(spec, &[]).0.expect("the spec is right")), None)
}

#[test]
fn advancing_passes_the_deadline_of_a_binding() {
    let mut online = online("time in s\nmtl m { forall i. G(ask(i) -> F[0,5] answer(i)) }");
    let at = |time| Clock::new(Some(gnomon_core::time::Unit::Second)).whole(time);
    online.step("ask", at(1), &One(7));
    online.step("other", at(2), &One(7));
    assert_eq!(online.next_deadline(), Some(at(6)));
    online.advance(at(6));
    assert!(online.drain_violations().is_empty());
    online.advance(at(7));
    let found = online.drain_violations();
    assert_eq!((found.len(), found[0].number, found[0].grew), (1, 1, false));
    assert_eq!(found[0].violation.binding.to_string(), "i = 7");
    assert_eq!(online.next_deadline(), None);
}

#[test]
fn state_of_another_version_is_refused() {
    let compiled = Arc::new(compile("mtl quiet { G !alarm }", &[]).0.expect("the spec is right"));
    let monitor = PushMonitor::new(compiled.clone(), None);
    let saved = monitor.save();
    assert!(PushMonitor::restore(&saved, &compiled).is_ok());
    for at in [0, 4] {
        let mut other = saved.clone();
        other[at] ^= 2;
        let error = PushMonitor::restore(&other, &compiled).err().unwrap().to_string();
        assert!(error.contains("not in the format of this version"), "{error}");
    }
    let cut = &saved[..saved.len() - 1];
    assert!(PushMonitor::restore(cut, &compiled).err().unwrap().to_string().contains("damaged"));
}
