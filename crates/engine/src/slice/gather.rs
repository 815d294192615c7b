// SPDX-License-Identifier: MIT OR Apache-2.0
//! For which values an event matches an atom.

use std::mem::ManuallyDrop;

use gnomon_core::event::{Event, Fields};
use gnomon_core::number::Number;
use gnomon_core::value::{Comparison, Value};
use gnomon_core::verdict::Origin;

use super::machine::Machine;
use super::share::Share;
use super::slicer::{Blueprint, Slicer};
use crate::matcher::SliceRule;

impl<M: Machine> Slicer<M> {
    /// Notes for which values an event matches an atom, if any.
    pub(crate) fn gather(
        &mut self,
        plan: &Blueprint<M>,
        shared_by: Option<usize>,
        rule: &SliceRule,
        event: &Event<'_>,
        origin: &Origin,
        share: Share,
    ) -> bool {
        if !rule.passes(event.fields) {
            return false;
        }
        if share != Share::WHOLE && !is_own(rule, shared_by, event.fields, share) {
            if plan.least_gap > 0 && fits(rule, event.fields) {
                self.notice(origin);
            }
            return false;
        }
        let variables = plan.shape.variables;
        let mut draft = self.matches.begin(variables);
        for (source, id) in &rule.variables {
            let number = id.0 as usize;
            let fits = source.with(event.fields, |value: &Value<'_>| {
                if number >= variables {
                    return self.matches.register(&draft, id.0, value.clone().into_owned());
                }
                let id = self.values.number(value);
                self.matches.bind(&mut draft, number, id)
            });
            if !fits {
                self.matches.abandon(&draft);
                return false;
            }
        }
        if plan.least_gap > 0 {
            self.notice(origin);
        }
        for (source, measure) in &rule.measures {
            let number = source.with(event.fields, |value| match value {
                Value::Number(number) => Some(*number),
                _ => None,
            });
            if let Some(number) = number {
                self.matches.measure(*measure, number as Number);
            }
        }
        self.matches.commit(draft, rule.atom, origin);
        true
    }

    /// The same, where nothing else matches at the position, and positions are single events.
    #[inline]
    pub(crate) fn gather_only(
        &mut self,
        plan: &Blueprint<M>,
        shared_by: Option<usize>,
        rule: &SliceRule,
        event: &Event<'_>,
        origin: &Origin,
        share: Share,
    ) -> bool {
        // One variable, and the event has its value: the short way.
        let Some((_, key)) =
            rule.sole.filter(|(id, _)| id.0 == 0 && plan.shape.variables == 1 && share == Share::WHOLE)
        else {
            return self.gather(plan, shared_by, rule, event, origin, share);
        };
        let id = match event.fields.get(key) {
            None => return false,
            // What owns nothing need not be dropped.
            Some(Value::Number(number)) => self.values.number(&ManuallyDrop::new(Value::Number(number))),
            Some(value) => self.values.number(&value),
        };
        self.matches.set(rule.atom, origin, id);
        true
    }
}

/// Whether the bindings that an event speaks of are this share's.
#[inline]
fn is_own(rule: &SliceRule, shared_by: Option<usize>, fields: &dyn Fields, share: Share) -> bool {
    let place = rule.variables.iter().find(|(_, id)| Some(id.0 as usize) == shared_by);
    place.is_none_or(|(source, _)| source.share(fields).is_some_and(|hash| share.has(hash)))
}

/// Whether every variable has a value, and the same one at all its places.
#[inline]
fn fits(rule: &SliceRule, fields: &dyn Fields) -> bool {
    rule.variables.iter().enumerate().all(|(place, (source, id))| {
        let mut before = rule.variables[..place].iter().filter(|(_, other)| other == id);
        source.with(fields, |value: &Value<'_>| {
            before.all(|(other, _)| other.with(fields, |known: &Value<'_>| Comparison::Equal.holds(known, value)))
        })
    })
}
