// SPDX-License-Identifier: MIT OR Apache-2.0
//! Partition analysis: finds the fields by which a trace can be divided without changing any verdict.
//!
//! A *key* is a variable whose value every event of the property carries. All events with one value of the key form a
//! *class*. If a property has a key, its classes can be checked independently, on any number of machines and with any
//! number of classes per part: verdicts and violations of the parts together are those of the whole trace. A part may
//! need to know two events of the whole trace ([`RequiredBounds`]): the first, because some violations are reported
//! there, and the last, because deadlines pass until then.
//!
//! # Example
//!
//! `forall id. G(request(id) -> F[0,10] response(id))` has the key `id`:
//!
//! ```text
//! time   event         class
//!    1   request(7)    7
//!    2   request(8)    8
//!    5   response(7)   7
//!   20   tick          none
//! ```
//!
//! A monitor for class 8 that reads only `request(8)` and knows that the trace lasts until 20 reports the same
//! violation as a monitor for the whole trace. Two small changes remove the key:
//!
//! - `G(request(id) -> X response(id))`: the event after `request(7)` in the whole trace is `request(8)`, in class 7 it
//!   is `response(7)`. The property observes positions of other classes ([`PartitionReasonKind::CountsPositions`]).
//! - `G(request(id) -> F alarm)`: `alarm` has no parameter for `id` and concerns all classes
//!   ([`PartitionReasonKind::RelatesKeys`]).
//!
//! # Argument
//!
//! A property that quantifies universally over `x` and whose atoms all bind `x` reads, for one value of `x`, only
//! events of that class. All other events are *idle* positions: none of its atoms is true there. The classes are
//! independent if the property cannot distinguish traces that differ only in idle positions; each language has its own
//! check in a submodule. With further variables `y`, rule Q1 also checks combinations of values of `x` and `y` that
//! never occur together in one event. A part does not see them, so the property must hold vacuously for them
//! ([`PartitionReasonKind::Unseen`] otherwise).

mod automaton;
mod carrier;
mod formula;
mod modal;
mod pattern;
mod plugin;
mod reason;
mod rule;

use gnomon_core::diagnostic::Span;

use crate::{Argument, Atom, AtomDefinition, Core, Property, QuantifierCore, QuantifierKind, VariableId};

pub use carrier::Carrier;
pub use reason::{PartitionReason, PartitionReasonKind};

/// The keys of a property, and why there are none, or no others.
#[derive(Clone, PartialEq, Debug)]
pub struct Partition {
    /// Each of them suffices.
    pub keys: Vec<PartitionKey>,
    /// Reason for each key, and for each variable that is not a key.
    pub reasons: Vec<PartitionReason>,
}

/// Key by which a trace can be partitioned.
#[derive(Clone, PartialEq, Debug)]
pub struct PartitionKey {
    /// The variable, or the correlation set, that it is the value of.
    pub variable: String,
    /// Location of the key in each event of the property.
    pub carriers: Vec<Carrier>,
    /// The fields that have it in every event of the property: what `--by` can be given.
    pub fields: Vec<String>,
    /// Events of the whole trace that a part needs.
    pub required_bounds: RequiredBounds,
    /// Effect of an event without the key.
    pub if_missing: MissingKey,
}

/// Events of the whole trace that a part needs to reproduce verdict, violations and decision points of the whole trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RequiredBounds {
    /// The first event: the property is asked there, or its violations are reported there.
    pub first: bool,
    /// The last event: deadlines pass until then, and what the end decides is decided then.
    pub last: bool,
}

gnomon_core::words! {
    /// Effect of an event without the key.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum MissingKey as word {
        /// The event concerns no class. (Null is a value and has a class.)
        Ignored = "ignored",
        /// The event concerns all classes if the property mentions it. A trace with such an event cannot be partitioned.
        Refused = "refused",
    }
}

impl PartitionKey {
    fn new(
        variable: String,
        carriers: Vec<Carrier>,
        required_bounds: RequiredBounds,
        if_missing: MissingKey,
    ) -> PartitionKey {
        let fields = carrier::fields(&carriers);
        PartitionKey { variable, carriers, fields, required_bounds, if_missing }
    }
}

impl Partition {
    /// Without a key, for one reason.
    fn refused(reason: PartitionReason) -> Partition {
        Partition { keys: vec![], reasons: vec![reason] }
    }

    /// Each key with its reason, and the reasons against the others.
    fn of(keys: impl Iterator<Item = Result<PartitionKey, PartitionReason>>, property: &Property) -> Partition {
        let mut partition = Partition { keys: vec![], reasons: vec![] };
        for key in keys {
            match key {
                Ok(key) => {
                    partition.reasons.push(reason::bound(&key, property.body_span));
                    partition.keys.push(key);
                }
                Err(reason) => partition.reasons.push(reason),
            }
        }
        partition
    }

    /// The fields that can be given to `--by`, in order.
    pub fn fields(&self) -> Vec<&str> {
        let mut fields: Vec<&str> = self.keys.iter().flat_map(|key| &key.fields).map(String::as_str).collect();
        fields.sort_unstable();
        fields.dedup();
        fields
    }

    /// Returns the key that permits partitioning by this field, or the reason why there is none.
    pub fn allows(&self, field: &str) -> Result<&PartitionKey, PartitionReason> {
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
    let asking = PartitionAnalysis { property };
    if let Core::Rule(rule) = core {
        return rule::partition(asking, rule);
    }
    if core.prefix().is_empty() {
        return Partition::refused(reason::no_variables(property));
    }
    let other = core.prefix().iter().position(|it| it.kind != QuantifierKind::Forall || it.threshold.is_some());
    if let Some(place) = other {
        return Partition::refused(asking.not_universal(place, &core.prefix()[place].variable));
    }
    if let Core::Modal(core) = core {
        return modal::partition(asking, core);
    }
    Partition::of(candidates(core.prefix()).map(|of| asking.key(core, of)), property)
}

/// Returns the fields by which a trace can be partitioned for all of these properties.
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
struct KeyCandidate<'a> {
    id: VariableId,
    name: &'a str,
}

/// The variables of a prefix.
fn candidates(prefix: &[QuantifierCore]) -> impl Iterator<Item = KeyCandidate<'_>> {
    (0..).map(VariableId).zip(prefix).map(|(id, quantifier)| KeyCandidate { id, name: &quantifier.variable })
}

/// The property that is analysed, for the source locations of its parts.
#[derive(Clone, Copy)]
struct PartitionAnalysis<'a> {
    property: &'a Property,
}

impl PartitionAnalysis<'_> {
    fn key(self, core: &Core, of: KeyCandidate<'_>) -> Result<PartitionKey, PartitionReason> {
        self.all_bind(core.atoms(), of)?;
        let carriers = carrier::carriers(core.atoms(), of).map_err(|event| self.two_places(of, &event))?;
        let others: Vec<KeyCandidate<'_>> = candidates(core.prefix()).filter(|other| other.id != of.id).collect();
        let required_bounds = match core {
            Core::Formula(core) => formula::required_bounds(core, of, &others)?,
            Core::Automaton(core) => automaton::required_bounds(core, of, &others)?,
            Core::Pattern(core) => pattern::required_bounds(core, of, &others)?,
            // `rule::partition` and `modal::partition` analyse these; clocks have no variables.
            Core::Rule(_) | Core::Modal(_) | Core::Clocks(_) => RequiredBounds::default(),
            Core::Plugin(core) => plugin::required_bounds(core, of)?,
        };
        Ok(PartitionKey::new(of.name.to_owned(), carriers, required_bounds, MissingKey::Ignored))
    }

    /// An atom without the variable is about events that concern every value.
    fn all_bind(self, atoms: &[AtomDefinition], of: KeyCandidate<'_>) -> Result<(), PartitionReason> {
        match atoms.iter().find(|atom| !binds(atom, of.id)) {
            Some(atom) => Err(self.relates(atom, of)),
            None => Ok(()),
        }
    }

    fn relates(self, atom: &AtomDefinition, of: KeyCandidate<'_>) -> PartitionReason {
        let lacks = |one: &&Atom| {
            let arguments = one.arguments.as_deref().unwrap_or_default();
            let has =
                |argument: &Argument| matches!(argument, Argument::Variable(variable) if variable.name == of.name);
            one.name == atom.name && !arguments.iter().any(has)
        };
        let span = self.atoms().into_iter().find(lacks).map_or(self.property.body_span, |atom| atom.span);
        let KeyCandidate { name, .. } = of;
        let text = format!(
            "it relates different values of `{name}`: `{}` has no place for `{name}`, so such an event concerns them all",
            atom.name
        );
        PartitionReason { kind: PartitionReasonKind::RelatesKeys, text, span }
    }

    fn two_places(self, of: KeyCandidate<'_>, event: &str) -> PartitionReason {
        let text = format!(
            "it relates different values of `{}`: `{event}` has the value at different places, so one event may concern two",
            of.name
        );
        PartitionReason { kind: PartitionReasonKind::RelatesKeys, text, span: self.property.body_span }
    }

    fn not_universal(self, place: usize, variable: &str) -> PartitionReason {
        let mut variables = self.property.prefix.iter().flat_map(|it| it.variables.iter().map(move |_| it.span));
        let span = variables.nth(place).unwrap_or(self.property.body_span);
        let text = format!(
            "its verdict depends on all values of `{variable}` together: only `forall` checks each value separately"
        );
        PartitionReason { kind: PartitionReasonKind::NotUniversal, text, span }
    }

    /// The atoms as they are written.
    fn atoms(&self) -> Vec<&Atom> {
        self.property.body.atoms()
    }
}

fn binds(atom: &AtomDefinition, id: VariableId) -> bool {
    atom.patterns.iter().all(|pattern| pattern.variables.iter().any(|(_, known)| *known == id))
}

/// Values of `other` that no event of a class has.
fn unseen_combination(of: KeyCandidate<'_>, other: KeyCandidate<'_>, span: Span) -> PartitionReason {
    let text = format!(
        "it relates different values of `{}`: each of them is checked with every value of `{other}` in the \
         trace, even if no event has both",
        of.name,
        other = other.name
    );
    PartitionReason { kind: PartitionReasonKind::Unseen, text, span }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::formula::{Binary, Connective, Formula, Unary};
    use crate::spec::{Body, Language};
    use crate::testing::{atom, binary, connect, property, unary};

    fn partition_of(variables: &[&str], formula: Formula) -> Partition {
        let (spec, property) = property(Language::Mtl, variables, Body::Formula(formula));
        let (core, diagnostics) = check(&spec, &property);
        partition(&property, &core.unwrap_or_else(|| panic!("{diagnostics:?}")))
    }

    fn response(answer: Formula) -> Formula {
        unary(Unary::Always, connect(Connective::Implies, atom("a", &["x"]), answer))
    }

    fn kinds(partition: &Partition) -> Vec<PartitionReasonKind> {
        partition.reasons.iter().map(|reason| reason.kind).collect()
    }

    #[test]
    fn a_variable_of_every_event_is_a_key() {
        let found = partition_of(&["x"], response(unary(Unary::Eventually, atom("b", &["x"]))));
        assert_eq!(kinds(&found), [PartitionReasonKind::Bound]);
        assert_eq!((found.keys[0].variable.as_str(), found.keys[0].carriers.len()), ("x", 2));
        assert_eq!(found.keys[0].required_bounds, RequiredBounds { first: false, last: true });
        // The events are not declared, so that only the places of their parameters are known.
        assert!(found.fields().is_empty());
        assert_eq!(found.allows("id").unwrap_err().kind, PartitionReasonKind::Positional);
    }

    #[test]
    fn what_relates_values_or_counts_positions_is_none() {
        let others = partition_of(&["x"], response(unary(Unary::Eventually, atom("b", &[]))));
        assert_eq!(kinds(&others), [PartitionReasonKind::RelatesKeys]);
        let next = partition_of(&["x"], response(unary(Unary::Next, atom("b", &["x"]))));
        assert_eq!(kinds(&next), [PartitionReasonKind::CountsPositions]);
        let until = partition_of(&["x"], response(binary(Binary::Until, atom("c", &["x"]), atom("b", &["x"]))));
        assert_eq!(kinds(&until), [PartitionReasonKind::CountsPositions]);
        assert_eq!(kinds(&partition_of(&[], unary(Unary::Always, atom("a", &[])))), [PartitionReasonKind::NoVariables]);
    }
}
