// SPDX-License-Identifier: MIT OR Apache-2.0
//! Routes events to the shards of a parallel run.
//!
//! With `--jobs N` the bindings of a property are divided among N monitors by the hash of one variable's value. Only the monitor
//! that owns a binding has to read its events; the others skip them in bulk ([`Monitor::skip`](crate::Monitor::skip)). A
//! [`Partitioner`] decides who reads an event, as cheaply as it can: by the event's name where no property divides its bindings,
//! by one field in the common case, by matching the whole event otherwise.
//!
//! Example: for `forall id. G(request(id) -> F[0,10] response(id))` and four shards, `request` and `response` are routed by the field
//! `id`; events of all other names go to no shard.

use gnomon_core::event::{Event, Fields};
use gnomon_core::number::Number;
use gnomon_core::symbols::{Key, Name};
use gnomon_core::value::Value;

use crate::engine::{Engine, PropertyState};
use crate::matcher::UnitTest;
use crate::plan::Plan;
use crate::slice::storage::values::ValueInterner;

/// Decides which shards ([`Plan::start_shard`]) must read an event.
#[derive(Clone, Debug)]
pub struct Partitioner {
    plan: Plan,
    shard_count: u64,
    /// Routing of each name that a property mentions, indexed by name.
    routes: Vec<RouteBy>,
    /// Routing of all other names.
    default_route: RouteBy,
}

/// The shards that must read an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recipients {
    /// No shard.
    None,
    /// The shard that owns the bindings; it need not check ownership again ([`Monitor::step_routed`](crate::Monitor::step_routed)).
    One(usize),
    /// Every shard.
    All,
}

/// The part of an event that determines its recipients.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RouteBy {
    /// The name: its events all have the same recipients.
    Name(Recipients),
    /// The value of this field ([`Partitioner::shard_of_number`], [`Partitioner::shard_of_value`]). An event without it concerns no
    /// property.
    Field(Key),
    /// Several fields: the event has to be matched ([`Partitioner::recipients`]).
    Event,
}

/// One of several monitors that divide the bindings of a property among themselves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shard {
    pub(crate) index: u64,
    /// Number of shards.
    pub(crate) of: u64,
}

impl Shard {
    /// The only shard, which owns all bindings.
    pub(crate) const WHOLE: Shard = Shard { index: 0, of: 1 };

    /// Returns the index of the shard, out of `of`, that owns the bindings with this hash.
    #[inline]
    pub(crate) fn index(hash: u64, of: u64) -> u64 {
        // Scales the hash down without a division.
        ((u128::from(hash) * u128::from(of)) >> 64) as u64
    }

    /// Returns true if the shard owns the bindings with this hash.
    #[inline]
    pub(crate) fn owns(self, hash: u64) -> bool {
        self.of == 1 || Self::index(hash, self.of) == self.index
    }
}

/// The shards that one property needs to read an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    /// No shard: the test asks for a value that the event does not have.
    None,
    /// The first shard, which runs the property for all.
    First,
    /// The shard that owns bindings with this hash.
    Hash(u64),
    /// Every shard: the event may affect any binding.
    All,
}

impl Partitioner {
    pub(crate) fn new(plan: &Plan, shard_count: usize) -> Self {
        let is_divided = shard_count > 1;
        let route =
            |name: usize| if is_divided { route(plan, Name(name as u32)) } else { RouteBy::Name(Recipients::All) };
        let name_count = plan.symbols().name_count();
        let routes = (0..name_count).map(route).collect();
        Partitioner {
            plan: plan.clone(),
            shard_count: shard_count.max(1) as u64,
            routes,
            default_route: route(name_count),
        }
    }

    /// Returns the part of an event of this name that determines its recipients.
    #[inline]
    pub fn route(&self, name: Name) -> RouteBy {
        self.routes.get(name.0 as usize).copied().unwrap_or(self.default_route)
    }

    /// Returns the shard that owns bindings with this number as key.
    #[inline]
    pub fn shard_of_number(&self, number: Number) -> Recipients {
        self.shard_of_hash(ValueInterner::shard_hash_of_number(number))
    }

    /// Returns the shard that owns bindings with this value as key.
    pub fn shard_of_value(&self, value: &Value<'_>) -> Recipients {
        self.shard_of_hash(ValueInterner::shard_hash(value))
    }

    #[inline]
    fn shard_of_hash(&self, hash: u64) -> Recipients {
        Recipients::One(Shard::index(hash, self.shard_count) as usize)
    }

    /// Returns the shards that must read an event, matching it where its name and one field do not decide.
    pub fn recipients(&self, event: &Event<'_>) -> Recipients {
        match self.route(event.name) {
            RouteBy::Name(recipients) => recipients,
            RouteBy::Field(key) => event.fields.get(key).map_or(Recipients::None, |value| self.shard_of_value(&value)),
            RouteBy::Event => self.match_event(event),
        }
    }

    fn match_event(&self, event: &Event<'_>) -> Recipients {
        let inner = &self.plan.inner;
        let fields: &dyn Fields = if inner.tests_time { event } else { event.fields };
        let mut recipients = if inner.fields.is_empty() { Recipients::None } else { Recipients::One(0) };
        for test in tests(&self.plan, event.name) {
            let of_unit = match PropertyState::owner(&inner.units[test.unit], &test.test, fields) {
                Owner::None => continue,
                Owner::First => Recipients::One(0),
                Owner::Hash(hash) => self.shard_of_hash(hash),
                Owner::All => return Recipients::All,
            };
            match recipients {
                Recipients::None => recipients = of_unit,
                known if known == of_unit => {}
                _ => return Recipients::All,
            }
        }
        recipients
    }
}

fn tests(plan: &Plan, name: Name) -> &[UnitTest] {
    plan.inner.matcher.tests(name).map_or(&[], |tests| &tests.tests)
}

/// Returns the part of the events of a name that determines their recipients: the name where no property divides its bindings, one
/// field where all properties divide them by it. Every event may change a variable of the state, which the first shard keeps.
fn route(plan: &Plan, name: Name) -> RouteBy {
    let (inner, tests) = (&plan.inner, tests(plan, name));
    if !tests.iter().any(|test| PropertyState::can_partition(&inner.units[test.unit])) {
        let is_first = !tests.is_empty() || !inner.fields.is_empty();
        return RouteBy::Name(if is_first { Recipients::One(0) } else { Recipients::None });
    }
    let mut keys = tests.iter().map(|test| PropertyState::partition_key(&inner.units[test.unit], &test.test));
    match keys.next() {
        Some(Some(key)) if inner.fields.is_empty() && keys.all(|other| other == Some(key)) => RouteBy::Field(key),
        _ => RouteBy::Event,
    }
}
