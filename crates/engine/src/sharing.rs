// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whom an event concerns, where several runs share the bindings of the same events out among themselves.

use gnomon_core::event::Event;
use gnomon_core::number::Number;
use gnomon_core::symbols::{Key, Name};
use gnomon_core::value::Value;

use crate::plan::Plan;
use crate::slice::values::Values;
use crate::slice::{Owner, Share};

/// Which of several runs ([`Plan::start_share`]) must look at an event. The others pass it
/// ([`Monitor::pass`](crate::Monitor::pass)).
#[derive(Clone, Debug)]
pub struct Sharing {
    plan: Plan,
    of: u64,
    /// For each name that the properties mention.
    by_name: Vec<Lot>,
    others: Lot,
}

/// Who must look at an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Audience {
    /// No run.
    Nobody,
    /// This one alone, which need not ask whether the bindings are its own
    /// ([`Monitor::step_alone`](crate::Monitor::step_alone)).
    One(usize),
    /// Each of them.
    All,
}

/// What tells who must look at the events of one name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lot {
    /// The name does.
    Name(Audience),
    /// The value of this field ([`Sharing::of_number`], [`Sharing::of_value`]); without it the event concerns nobody.
    Field(Key),
    /// A closer look ([`Sharing::of_event`]).
    Event,
}

impl Sharing {
    pub(crate) fn new(plan: &Plan, of: usize) -> Self {
        let lot = |name: usize| if of > 1 { lot(plan, Name(name as u32)) } else { Lot::Name(Audience::All) };
        let known = plan.symbols().name_count();
        Sharing { plan: plan.clone(), of: of.max(1) as u64, by_name: (0..known).map(lot).collect(), others: lot(known) }
    }

    /// What tells who must look at the events of a name.
    #[inline]
    pub fn lot(&self, name: Name) -> Lot {
        self.by_name.get(name.0 as usize).copied().unwrap_or(self.others)
    }

    /// Whose a number is.
    #[inline]
    pub fn of_number(&self, number: Number) -> Audience {
        Audience::One(Share::index(Values::share_number(number), self.of) as usize)
    }

    /// Whose a value is.
    pub fn of_value(&self, value: &Value<'_>) -> Audience {
        Audience::One(Share::index(Values::share(value), self.of) as usize)
    }

    /// Who must look at an event, whatever it takes to tell.
    pub fn of_event(&self, event: &Event<'_>) -> Audience {
        match self.lot(event.name) {
            Lot::Name(audience) => audience,
            Lot::Field(key) => event.fields.get(key).map_or(Audience::Nobody, |value| self.of_value(&value)),
            Lot::Event => self.closely(event),
        }
    }

    fn closely(&self, event: &Event<'_>) -> Audience {
        let inner = &self.plan.inner;
        let mut audience = if self.plan.first_must_see(event.name) { Audience::One(0) } else { Audience::Nobody };
        for rule in inner.matcher.rules_of(event.name).1 {
            let own = match inner.slices[rule.slice].owner(rule, event.fields) {
                Owner::Nobody => continue,
                Owner::First => Audience::One(0),
                Owner::Hash(hash) => Audience::One(Share::index(hash, self.of) as usize),
                Owner::All => return Audience::All,
            };
            match audience {
                Audience::Nobody => audience = own,
                known if known == own => {}
                _ => return Audience::All,
            }
        }
        audience
    }
}

/// What tells who must look at the events of a name: the name, where no run shares them, or else one field, where all
/// the rules about them share by it.
fn lot(plan: &Plan, name: Name) -> Lot {
    let rules = plan.inner.matcher.rules_of(name).1;
    let is_first = plan.first_must_see(name);
    if rules.is_empty() {
        return Lot::Name(if is_first { Audience::One(0) } else { Audience::Nobody });
    }
    let mut keys = rules.iter().map(|rule| plan.inner.slices[rule.slice].shared_key(rule));
    match keys.next() {
        Some(Some(key)) if !is_first && keys.all(|other| other == Some(key)) => Lot::Field(key),
        _ => Lot::Event,
    }
}
