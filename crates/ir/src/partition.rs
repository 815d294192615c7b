// SPDX-License-Identifier: MIT OR Apache-2.0
//! By which fields a trace may be taken apart without changing what is said of a property.
//!
//! The events that have one value of a *key* are a *class*. If a property has a key, its classes can be judged apart, in any
//! number of parts and on any number of machines: the verdicts and violations of the parts together are those of the whole.
//! A part may have the events of any number of classes. Two things about the whole trace a part may have to be told
//! ([`Told`]): its first event, where a violation is reported there, and its last, because deadlines pass until then.
//!
//! The argument, once for all languages. A property that says something for every value of `x`, in which every event has a
//! place for `x`, sees of each value the events of its class and nothing else; all others are positions at which none of its
//! atoms is true. It must not matter whether there are such positions. With more variables than `x`,
//! values that never meet in a class must not matter either (Q1 has every combination judged).

mod automaton;
mod carrier;
mod formula;
mod modal;
mod reason;
mod requirement;
mod rule;
mod written;

use gnomon_core::diagnostic::Span;

use crate::core::{AtomDefinition, Core};
use crate::pattern::{Argument, Atom, VariableId};
use crate::spec::{Body, Property, QuantifierKind};

pub use carrier::Carrier;
pub use reason::{Reason, ReasonKind};

/// The keys of a property, and why there are none, or no others.
#[derive(Clone, PartialEq, Debug)]
pub struct Partition {
    /// Each of them suffices.
    pub keys: Vec<Key>,
    /// For each key why it is one, and for each variable that is none why not.
    pub reasons: Vec<Reason>,
}

/// What the events of a class have in common.
#[derive(Clone, PartialEq, Debug)]
pub struct Key {
    /// The variable, or the correlation set, that it is the value of.
    pub variable: String,
    /// Where each event of the property has it.
    pub carriers: Vec<Carrier>,
    /// The fields that have it in every event of the property: what `--by` can be given.
    pub fields: Vec<String>,
    /// What a part must be told of the whole trace.
    pub told: Told,
    /// What an event means that lacks it.
    pub without: Without,
}

/// What a part must be told of the whole trace, for its verdict, its violations and the moments at which they were decided
/// to be those of the whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Told {
    /// The first event: the property is asked there, or its violations are reported there.
    pub first: bool,
    /// The last event: deadlines pass until then, and what the end decides is decided then.
    pub last: bool,
}

/// What an event without the key means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Without {
    /// It concerns nobody. (A null is a value, and has a class.)
    Ignored,
    /// It concerns all classes, if it is one that the property speaks of: a trace with such an event must not be taken apart.
    Refused,
}

impl Without {
    /// The word used in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Without::Ignored => "ignored",
            Without::Refused => "refused",
        }
    }
}

impl Partition {
    /// The fields that can be given to `--by`, in order.
    pub fn fields(&self) -> Vec<&str> {
        let mut fields: Vec<&str> = self.keys.iter().flat_map(|key| &key.fields).map(String::as_str).collect();
        fields.sort_unstable();
        fields.dedup();
        fields
    }

    /// Whether a trace may be taken apart by the values of this field.
    pub fn allows(&self, field: &str) -> Result<&Key, Reason> {
        if let Some(key) = self.keys.iter().find(|key| key.fields.iter().any(|known| known == field)) {
            return Ok(key);
        }
        Err(match self.keys.first() {
            Some(key) => reason::not_that_field(key, &self.fields(), field, self.reasons.first()),
            None => self.reasons.first().cloned().unwrap_or_else(reason::unknown),
        })
    }
}

/// The keys of a property. `core` is its kernel form.
pub fn partition(property: &Property, core: &Core) -> Partition {
    let asking = Asking { property };
    if let Core::Rule(rule) = core {
        return rule::partition(asking, rule);
    }
    if core.prefix().is_empty() {
        return Partition { keys: vec![], reasons: vec![reason::no_variables(property)] };
    }
    let other = core.prefix().iter().position(|it| it.kind != QuantifierKind::Forall || it.threshold.is_some());
    if let Some(place) = other {
        return Partition { keys: vec![], reasons: vec![asking.not_universal(place, &core.prefix()[place].variable)] };
    }
    if let Core::Modal(core) = core {
        return modal::partition(asking, core);
    }
    let mut partition = Partition { keys: vec![], reasons: vec![] };
    for (number, quantifier) in (0_u32..).zip(core.prefix()) {
        let of = Variable { id: VariableId(number), name: &quantifier.variable };
        match asking.key(core, of) {
            Ok(key) => {
                partition.reasons.push(reason::bound(&key, property.body_span));
                partition.keys.push(key);
            }
            Err(reason) => partition.reasons.push(reason),
        }
    }
    partition
}

/// The fields that every one of these may be taken apart by.
pub fn common<'a>(partitions: impl IntoIterator<Item = &'a Partition>) -> Vec<&'a str> {
    let mut partitions = partitions.into_iter();
    let mut fields = partitions.next().map_or(vec![], Partition::fields);
    for other in partitions {
        fields.retain(|field| other.allows(field).is_ok());
    }
    fields
}

/// A variable that may be a key.
#[derive(Clone, Copy)]
struct Variable<'a> {
    id: VariableId,
    name: &'a str,
}

/// The property that is looked at, for the places of its parts.
#[derive(Clone, Copy)]
struct Asking<'a> {
    property: &'a Property,
}

impl Asking<'_> {
    fn key(self, core: &Core, of: Variable<'_>) -> Result<Key, Reason> {
        self.all_bind(core.atoms(), of)?;
        let carriers = carrier::carriers(core.atoms(), of).map_err(|event| self.two_places(of, event))?;
        let others: Vec<Variable<'_>> = (0_u32..)
            .zip(core.prefix())
            .map(|(number, it)| Variable { id: VariableId(number), name: &it.variable })
            .filter(|other| other.id != of.id)
            .collect();
        let told = match core {
            Core::Formula(core) => formula::told(core, of, &others)?,
            Core::Automaton(core) => automaton::told(core, of, &others)?,
            Core::Requirement(core) => requirement::told(core, of, &others)?,
            // Asked elsewhere.
            Core::Rule(_) | Core::Modal(_) => Told::default(),
        };
        let fields = carrier::fields(&carriers);
        Ok(Key { variable: of.name.to_owned(), carriers, fields, told, without: Without::Ignored })
    }

    /// An atom without the variable is about events that concern every value.
    fn all_bind(self, atoms: &[AtomDefinition], of: Variable<'_>) -> Result<(), Reason> {
        match atoms.iter().find(|atom| !binds(atom, of.id)) {
            Some(atom) => Err(self.relates(atom, of)),
            None => Ok(()),
        }
    }

    fn relates(self, atom: &AtomDefinition, of: Variable<'_>) -> Reason {
        let lacks = |one: &&Atom| {
            let arguments = one.arguments.as_deref().unwrap_or_default();
            let has =
                |argument: &Argument| matches!(argument, Argument::Variable(variable) if variable.name == of.name);
            one.name == atom.name && !arguments.iter().any(has)
        };
        let span = self.atoms().into_iter().find(lacks).map_or(self.property.body_span, |atom| atom.span);
        let Variable { name, .. } = of;
        let text = format!(
            "it relates different values of `{name}`: `{}` has no place for `{name}`, so such an event concerns them all",
            atom.name
        );
        Reason { kind: ReasonKind::RelatesKeys, text, span }
    }

    fn two_places(self, of: Variable<'_>, event: &str) -> Reason {
        let text = format!(
            "it relates different values of `{}`: `{event}` has the value at different places, so one event may concern two",
            of.name
        );
        Reason { kind: ReasonKind::RelatesKeys, text, span: self.property.body_span }
    }

    fn not_universal(self, place: usize, variable: &str) -> Reason {
        let mut variables = self.property.prefix.iter().flat_map(|it| it.variables.iter().map(move |_| it.span));
        let span = variables.nth(place).unwrap_or(self.property.body_span);
        let text = format!(
            "whether it holds depends on all values of `{variable}` together: only `forall` asks each value by itself"
        );
        Reason { kind: ReasonKind::NotUniversal, text, span }
    }

    /// The atoms as they are written.
    fn atoms(&self) -> Vec<&Atom> {
        match &self.property.body {
            Body::Formula(formula) => written::atoms_of(formula),
            Body::Automaton(automaton) => automaton.atoms(),
            Body::Rule(rule) => rule.atoms(),
            Body::Requirement(requirement) => requirement.atoms(),
            Body::Modal(modal) => modal.atoms(),
        }
    }
}

fn binds(atom: &AtomDefinition, id: VariableId) -> bool {
    atom.patterns.iter().all(|pattern| pattern.variables.iter().any(|(_, known)| *known == id))
}

/// Values of `other` that no event of a class has.
fn unseen(of: Variable<'_>, other: Variable<'_>, span: Span) -> Reason {
    let text = format!(
        "it relates different values of `{}`: every value of `{other}` in the trace is asked for with each of them, \
         also where no event has both",
        of.name,
        other = other.name
    );
    Reason { kind: ReasonKind::Unseen, text, span }
}
