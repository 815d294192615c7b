// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lowers clock constraints: clocks become numbers, definitions are put in an order in which each comes after those that it mentions.

use gnomon_core::{Diagnostic, Simultaneous, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Checker;
use crate::{
    Atom, AtomDefinition, ClockDefinition, ClockExpression, ClockId, ClockRelation, ClockRelationCore,
    ClockRelationKind, ClockRelationOrigin, Clocks, ClocksCore, DefinedClock, EventPattern, Property,
};

/// Limit on the number of clocks, those of events included.
const MAX_CLOCKS: usize = 4_096;

impl Checker<'_> {
    pub(super) fn clocks(&mut self, property: &Property, clocks: &Clocks) -> ClocksCore {
        self.one_definition_each(clocks);
        for definition in &clocks.definitions {
            self.amounts(definition);
            self.must_die(definition, clocks);
        }
        for relation in &clocks.relations {
            if let ClockRelationKind::PrecedesWithin(0) = relation.kind {
                self.at_least_one(relation.span, "a bound of 0 ticks", "`a` could never tick");
            }
        }
        self.must_merge(property);
        let order = self.definitions_in_order(clocks);
        let mut lowering = ClockLowering::new(&order);
        let used = clocks.relations.iter().flat_map(|relation| [&relation.left, &relation.right]);
        let names: FxHashSet<&str> =
            clocks.definitions.iter().map(|definition| definition.clock.name.as_str()).collect();
        for atom in clocks.definitions.iter().flat_map(|definition| definition.expression.operands()).chain(used) {
            if !names.contains(atom.name.as_str()) && !lowering.events.contains_key(atom.name.as_str()) {
                let patterns = self.patterns(atom);
                lowering.add_event(&atom.name, patterns);
            }
        }
        // The events of the names of defined clocks follow those that are mentioned.
        let event_count = lowering.atoms.len() + order.len();
        let mut relations: Vec<ClockRelationCore> = clocks
            .relations
            .iter()
            .map(|relation| ClockRelationCore {
                relation: ClockRelation {
                    kind: relation.kind,
                    left: lowering.number(&relation.left.name, event_count),
                    right: lowering.number(&relation.right.name, event_count),
                    span: relation.span,
                },
                origin: ClockRelationOrigin::Written,
            })
            .collect();
        let defined: Vec<DefinedClock> = order
            .iter()
            .map(|definition| DefinedClock {
                name: definition.clock.name.clone(),
                expression: with_default(definition.expression.map(|atom| lowering.number(&atom.name, event_count))),
            })
            .collect();
        // RULE C5
        for (place, definition) in order.iter().enumerate() {
            let name = &definition.clock.name;
            let is_declared = self.spec.event(name).is_some();
            let atom = event_atom(name, definition.clock.span);
            let patterns = self.patterns(&atom);
            let right = ClockId(lowering.atoms.len() as u32);
            lowering.atoms.push(AtomDefinition { name: name.clone(), patterns });
            relations.push(ClockRelationCore {
                relation: ClockRelation {
                    kind: ClockRelationKind::Coincides,
                    left: ClockId((event_count + place) as u32),
                    right,
                    span: definition.span,
                },
                origin: if is_declared {
                    ClockRelationOrigin::DeclaredEvent
                } else {
                    ClockRelationOrigin::PossibleEvent
                },
            });
        }
        let count = lowering.atoms.len() + defined.len();
        if count > MAX_CLOCKS {
            self.diagnostics.push(
                Diagnostic::error(
                    "G0114",
                    property.body_span,
                    format!("{count} clocks exceed the limit of {MAX_CLOCKS}"),
                )
                .help("split the property"),
            );
        }
        ClocksCore { name: property.name.clone(), atoms: lowering.atoms, defined, relations, span: property.body_span }
    }

    /// Checks that events of equal times form one instant.
    fn must_merge(&mut self, property: &Property) {
        if self.spec.simultaneous(property) == Simultaneous::Sequence {
            self.diagnostics.push(
                Diagnostic::error("G0337", property.name_span, "clock constraints need `simultaneous merge`")
                    .label("all events of one time are one instant")
                    .help(format!(
                        "write `ccsl {} (simultaneous merge)`, or leave out `simultaneous sequence`",
                        property.name
                    )),
            );
        }
    }

    fn one_definition_each(&mut self, clocks: &Clocks) {
        let mut known: FxHashMap<&str, Span> = FxHashMap::default();
        for definition in &clocks.definitions {
            if let Some(before) = known.get(definition.clock.name.as_str()) {
                let message = format!("`{}` is defined twice", definition.clock.name);
                self.diagnostics.push(
                    Diagnostic::error("G0201", definition.clock.span, message)
                        .also(*before, "here for the first time")
                        .help("leave the second definition out, or give the clock another name"),
                );
            } else {
                known.insert(&definition.clock.name, definition.clock.span);
            }
        }
    }

    /// Checks the numbers of ticks.
    fn amounts(&mut self, definition: &ClockDefinition) {
        match &definition.expression {
            ClockExpression::DelayOn { by: 0, .. } => {
                self.at_least_one(
                    definition.span,
                    "a delay of 0 ticks of another clock",
                    "no tick is strictly later and the 0th",
                );
            }
            ClockExpression::Every { period: 0, .. } => {
                self.at_least_one(definition.span, "every 0th tick", "the least is 1, all ticks");
            }
            ClockExpression::Every { from: Some(0), .. } => {
                self.at_least_one(definition.span, "a first tick of number 0", "ticks are counted from 1");
            }
            ClockExpression::Wait(_, 0) => {
                self.at_least_one(definition.span, "the 0th tick", "ticks are counted from 1");
            }
            _ => {}
        }
    }

    fn at_least_one(&mut self, span: Span, message: &str, label: &str) {
        self.diagnostics
            .push(Diagnostic::error("G0338", span, message).label(label).help("write a number of at least 1"));
    }

    /// Checks that the left side of `;` ends.
    fn must_die(&mut self, definition: &ClockDefinition, clocks: &Clocks) {
        let ClockExpression::Then(left, _) = &definition.expression else { return };
        let of = clocks.definitions.iter().find(|other| other.clock.name == left.name);
        if of.is_some_and(|of| of.expression.can_die()) {
            return;
        }
        let error = Diagnostic::error("G0339", left.span, format!("`{}` never dies", left.name))
            .label("so the clock after `;` would never begin");
        let error = match of {
            Some(of) => error.also(of.span, "its definition"),
            None => error,
        };
        self.diagnostics.push(error.help(format!(
            "define a clock that dies, by `upto`, `wait` or a finite `filter`: `clock first := {} wait 1`",
            left.name
        )));
    }

    /// Returns the definitions, each after those that it mentions. Reports definitions that depend on themselves.
    fn definitions_in_order<'c>(&mut self, clocks: &'c Clocks) -> Vec<&'c ClockDefinition> {
        let names = clocks.definitions.iter().enumerate();
        let places: FxHashMap<&str, usize> =
            names.map(|(place, definition)| (definition.clock.name.as_str(), place)).collect();
        let mut states = vec![Visit::New; clocks.definitions.len()];
        let mut order = Vec::new();
        for first in 0..clocks.definitions.len() {
            // Depth first, with the path as a stack of definitions and the number of operands that were visited of each.
            let mut path: Vec<(usize, usize)> = if states[first] == Visit::New { vec![(first, 0)] } else { vec![] };
            while let Some((at, visited)) = path.last_mut() {
                let at = *at;
                states[at] = Visit::OnPath;
                let definition = &clocks.definitions[at];
                let Some(operand) = definition.expression.operands().nth(*visited) else {
                    states[at] = Visit::Done;
                    order.push(definition);
                    path.pop();
                    continue;
                };
                *visited += 1;
                match places.get(operand.name.as_str()).map(|other| (*other, states[*other])) {
                    Some((other, Visit::New)) => path.push((other, 0)),
                    Some((other, Visit::OnPath)) => {
                        let start = path.iter().position(|(on_path, _)| *on_path == other).unwrap_or(0);
                        let cycle = path[start..].iter().map(|(on_path, _)| &clocks.definitions[*on_path]);
                        self.cyclic(&cycle.collect::<Vec<&ClockDefinition>>(), operand);
                    }
                    Some((_, Visit::Done)) | None => {}
                }
            }
        }
        order
    }

    fn cyclic(&mut self, cycle: &[&ClockDefinition], operand: &Atom) {
        let names: Vec<String> = cycle
            .iter()
            .map(|definition| &definition.clock.name)
            .chain([&operand.name])
            .map(|name| format!("`{name}`"))
            .collect();
        let error = Diagnostic::error("G0214", operand.span, format!("`{}` is defined by itself", operand.name))
            .label(format!("the definitions go round: {}", names.join(" uses ")));
        let error = match cycle {
            [first, _, ..] => error.also(first.clock.span, "defined here"),
            _ => error,
        };
        self.diagnostics.push(error.help("define one of them by events, or state a relation instead"));
    }
}

/// The state of a definition in the search for an order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    OnPath,
    Done,
}

/// The numbers of clocks while a property is lowered.
struct ClockLowering<'c> {
    /// The events that are clocks and have no definition.
    events: FxHashMap<&'c str, usize>,
    atoms: Vec<AtomDefinition>,
    /// The defined clocks, by their places in the order.
    defined: FxHashMap<&'c str, usize>,
}

impl<'c> ClockLowering<'c> {
    fn new(order: &[&'c ClockDefinition]) -> Self {
        let defined =
            order.iter().enumerate().map(|(place, definition)| (definition.clock.name.as_str(), place)).collect();
        ClockLowering { events: FxHashMap::default(), atoms: vec![], defined }
    }

    fn add_event(&mut self, name: &'c str, patterns: Vec<EventPattern>) {
        self.events.insert(name, self.atoms.len());
        self.atoms.push(AtomDefinition { name: name.to_owned(), patterns });
    }

    /// Returns the number of a clock. `event_count` is the number of all events; defined clocks are numbered behind them.
    fn number(&self, name: &str, event_count: usize) -> ClockId {
        let defined = self.defined.get(name).map(|place| event_count + place);
        // A definition on a cycle may have no number; that is an error, and the core is not used.
        ClockId(defined.or_else(|| self.events.get(name).copied()).unwrap_or(0) as u32)
    }
}

/// Returns an expression with the default of `from`.
fn with_default(expression: ClockExpression<ClockId>) -> ClockExpression<ClockId> {
    match expression {
        ClockExpression::Every { of, period, from: None } => ClockExpression::Every { of, period, from: Some(period) },
        other => other,
    }
}

/// Returns the event of a name.
fn event_atom(name: &str, span: Span) -> Atom {
    Atom { name: name.to_owned(), name_span: span, arguments: None, condition: None, span }
}
