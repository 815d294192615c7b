// SPDX-License-Identifier: MIT OR Apache-2.0
//! Expectations of the properties about the events of a trace: that names occur, that events have the fields that are used of
//! them, that fields are of the kind that they are compared with, and that some event sets each variable of the state (ALBERT).
//!
//! An atom with a misspelt field is false everywhere, and the property then holds or fails for the wrong reason. Nothing is
//! wrong with the spec as such, so this is found only after the run.
//!
//! COST: two comparisons for an event whose name has met every expectation. Most names meet them with their first event. While a
//! variable of the state has no value yet, its field is looked up in every event.

use std::collections::BTreeSet;

use gnomon_core::event::{Event, Fields};
use gnomon_core::symbols::{Key, Name, Symbols};
use gnomon_core::value::Value;
use gnomon_ir::atom::{EventPattern, Path, ValueLocation, VariableId};
use gnomon_ir::check::PHASE_FIELDS;
use gnomon_ir::core::{Core, FormulaNode};
use gnomon_ir::spec::ExternDeclaration;
use serde::{Deserialize, Serialize};

use crate::compile::CompiledSpec;
use crate::driver::EventSource;

/// The most names of events whose fields are listed beside a variable that no event sets.
const MAX_LISTED_NAMES: usize = 64;

/// An expectation that no event of a trace met, although events of the name occurred.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnmetExpectation {
    /// The name of the events; `None` for a variable of the state, which any event may set.
    pub event: Option<String>,
    /// The difference.
    pub mismatch: FieldMismatch,
}

/// The difference between what the properties use of an event and what its events have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FieldMismatch {
    /// No event has the field.
    Absent {
        /// The field, or the path into its value.
        field: String,
        /// The fields of the first event of the name, as far as they are known.
        fields: Vec<String>,
    },
    /// The field has values of another kind than it is compared with.
    Kind {
        /// The field, or the path into its value.
        field: String,
        /// The kind of its first value.
        found: ValueKind,
        /// The kind of the literal.
        compared: ValueKind,
    },
    /// No event has this number of parameters.
    Arity {
        /// The number of parameters in the spec.
        expected: usize,
        /// The number of parameters of the first event.
        found: usize,
    },
}

gnomon_core::words! {
    /// The kinds of values that are not comparable with each other.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
    pub enum ValueKind as word {
        /// Numbers.
        Number = "number",
        /// Texts.
        Text = "text",
    }
}

impl ValueKind {
    fn of(value: &Value<'_>) -> Option<ValueKind> {
        match value {
            Value::Number(_) => Some(ValueKind::Number),
            Value::Text(_) => Some(ValueKind::Text),
            Value::Null | Value::Bool(_) | Value::List(_) | Value::Map(_) => None,
        }
    }
}

/// A variable without values: no event matched an atom that has it, so the property is vacuous.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmptyRange {
    /// The property of the plan.
    pub property: usize,
    /// The variable.
    pub variable: String,
    /// The atoms that have it.
    pub atoms: Vec<String>,
}

/// The expectations of a plan, and what was found of them so far.
pub(crate) struct Expectations {
    /// For each name of the plan, how far its expectations are met.
    progress: Vec<Progress>,
    by_name: Vec<NameExpectations>,
    variables: StateVariables,
}

/// The variables of the state that no event has set.
#[derive(Default)]
struct StateVariables {
    missing: Vec<StateVariable>,
    /// The names of events whose fields are in `field_names`.
    listed: Vec<Name>,
    /// The fields of the first event of each name.
    field_names: BTreeSet<String>,
}

struct StateVariable {
    field: String,
    key: Key,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// No event of the name occurred.
    Unseen,
    /// Events occurred, but did not meet all expectations.
    Partial,
    Met,
}

/// Results of the comparison of the events of a part of a trace with the expectations, by name of the plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ExpectationFindings {
    by_name: Vec<NameFindings>,
    missing_variables: Vec<String>,
    field_names: BTreeSet<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct NameFindings {
    occurs: bool,
    fields: Vec<Finding>,
    /// The number of parameters of the first event, and if an event has the expected number.
    arities: Vec<(Option<usize>, bool)>,
    field_names: Option<Vec<String>>,
}

/// The expectations about the events of one name.
#[derive(Clone, Default)]
struct NameExpectations {
    fields: Vec<ExpectedField>,
    arities: Vec<ExpectedArity>,
    /// The fields of the first event that lacks one.
    field_names: Option<Vec<String>>,
}

#[derive(Clone, PartialEq)]
struct ExpectedField {
    path: Path,
    key: Key,
    /// The kind of the literal that it is compared with.
    compared: Option<ValueKind>,
    found: Finding,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
enum Finding {
    Nothing,
    Kind(ValueKind),
    Expected,
}

#[derive(Clone, PartialEq)]
struct ExpectedArity {
    expected: usize,
    /// The number of parameters of the first event.
    found: Option<usize>,
    is_met: bool,
}

impl Expectations {
    pub(crate) fn new(compiled: &CompiledSpec) -> Self {
        let symbols = compiled.plan.symbols();
        let names = symbols.name_count();
        let mut by_name = vec![NameExpectations::default(); names];
        for pattern in patterns(compiled) {
            if let Some(name) = symbols.find_name(&pattern.event) {
                by_name[name.0 as usize].add(pattern, symbols);
            }
        }
        for (pattern, path, compared) in compiled.plan.cores().iter().flat_map(evaluated_fields) {
            if let Some(name) = symbols.find_name(&pattern.event) {
                by_name[name.0 as usize].add_field(path, compared, symbols);
            }
        }
        Expectations { progress: vec![Progress::Unseen; names], by_name, variables: StateVariables::new(compiled) }
    }

    /// Returns true if events of this name have met all expectations, or there are none.
    #[inline]
    pub(crate) fn are_met(&self, name: Name) -> bool {
        self.variables.missing.is_empty()
            && self.progress.get(name.0 as usize).is_none_or(|progress| *progress == Progress::Met)
    }

    /// Compares an event with the expectations about its name that are not met.
    #[cold]
    pub(crate) fn compare<S: EventSource>(&mut self, event: &Event<'_>, source: &S) {
        self.variables.compare(event, source);
        let name = event.name.0 as usize;
        if let Some(progress) = self.progress.get_mut(name).filter(|progress| **progress != Progress::Met) {
            let is_met = self.by_name[name].compare(event.fields, source);
            *progress = if is_met { Progress::Met } else { Progress::Partial };
        }
    }

    /// Takes over the names of fields from expectations that were compared with the same events where they were read.
    pub(crate) fn take_field_names(&mut self, read: Expectations) {
        for (own, read) in self.by_name.iter_mut().zip(read.by_name) {
            own.field_names = read.field_names;
        }
        self.variables.field_names = read.variables.field_names;
    }

    /// Returns the results so far.
    pub(crate) fn findings(&self) -> ExpectationFindings {
        let of_name = |(index, own): (usize, &NameExpectations)| NameFindings {
            occurs: self.progress[index] != Progress::Unseen,
            fields: own.fields.iter().map(|field| field.found).collect(),
            arities: own.arities.iter().map(|arity| (arity.found, arity.is_met)).collect(),
            field_names: own.field_names.clone(),
        };
        ExpectationFindings {
            by_name: self.by_name.iter().enumerate().map(of_name).collect(),
            missing_variables: self.variables.missing.iter().map(|variable| variable.field.clone()).collect(),
            field_names: self.variables.field_names.clone(),
        }
    }

    /// Adds the results of another part of the trace. Returns false if they are not of these expectations.
    pub(crate) fn join(&mut self, findings: ExpectationFindings) -> bool {
        let ExpectationFindings { by_name, missing_variables, field_names } = findings;
        if by_name.len() != self.by_name.len() {
            return false;
        }
        self.variables.missing.retain(|variable| missing_variables.contains(&variable.field));
        self.variables.field_names.extend(field_names);
        let names = self.progress.iter_mut().zip(&mut self.by_name).zip(by_name);
        for ((progress, own), findings) in names.filter(|(_, findings)| findings.occurs) {
            let Some(is_met) = own.join(findings) else { return false };
            *progress = if is_met { Progress::Met } else { Progress::Partial };
        }
        true
    }

    fn occurs(&self, name: Name) -> bool {
        self.progress.get(name.0 as usize).is_some_and(|progress| *progress != Progress::Unseen)
    }

    /// Lists, sorted, the atoms of the properties of which no event has the name.
    pub(crate) fn unseen(&self, compiled: &CompiledSpec) -> Vec<String> {
        let symbols = compiled.plan.symbols();
        let occurs = |event: &String| symbols.find_name(event).is_some_and(|name| self.occurs(name));
        let atoms = compiled.plan.cores().iter().flat_map(Core::expected_atoms);
        let unseen = atoms.filter(|atom| !atom.patterns.iter().any(|pattern| occurs(&pattern.event)));
        let names: BTreeSet<&String> = unseen.map(|atom| &atom.name).collect();
        names.into_iter().cloned().collect()
    }

    /// Lists the expectations that no event met, of names that occurred, in the order of the spec.
    pub(crate) fn unmet(&self, compiled: &CompiledSpec) -> Vec<UnmetExpectation> {
        let symbols = compiled.plan.symbols();
        let mut unmet = Vec::new();
        for (index, of_name) in self.by_name.iter().enumerate() {
            if self.progress[index] == Progress::Partial {
                let event = symbols.name_text(Name(index as u32));
                let mismatches = of_name.mismatches();
                unmet.extend(mismatches.map(|mismatch| UnmetExpectation { event: Some(event.to_owned()), mismatch }));
            }
        }
        unmet.extend(self.variables.missing.iter().map(|variable| {
            let fields = self.variables.field_names.iter().cloned().collect();
            UnmetExpectation { event: None, mismatch: FieldMismatch::Absent { field: variable.field.clone(), fields } }
        }));
        unmet
    }

    /// Lists the variables for which no event has a value.
    pub(crate) fn empty_ranges(&self, compiled: &CompiledSpec) -> Vec<EmptyRange> {
        let mut ranges = Vec::new();
        for (property, core) in compiled.plan.cores().iter().enumerate() {
            for (number, quantifier) in core.prefix().iter().enumerate() {
                let id = VariableId(number as u32);
                let binds = |pattern: &&EventPattern| pattern.variables.iter().any(|(_, bound)| *bound == id);
                let has_values = |pattern: &EventPattern| self.has_values(pattern, compiled.plan.symbols());
                let atoms = core.atoms().iter();
                let atoms: Vec<_> = atoms.filter(|atom| atom.patterns.iter().any(|one| binds(&one))).collect();
                if !atoms.iter().flat_map(|atom| &atom.patterns).filter(binds).any(has_values) {
                    let names: BTreeSet<&String> = atoms.iter().map(|atom| &atom.name).collect();
                    let (variable, atoms) = (quantifier.variable.clone(), names.into_iter().cloned().collect());
                    ranges.push(EmptyRange { property, variable, atoms });
                }
            }
        }
        ranges
    }

    /// Returns false if no event can have matched a pattern: the name did not occur, or a field or the number of parameters
    /// did not.
    fn has_values(&self, pattern: &EventPattern, symbols: &Symbols) -> bool {
        let Some(name) = symbols.find_name(&pattern.event).filter(|name| self.occurs(*name)) else { return false };
        let of_name = &self.by_name[name.0 as usize];
        let located = pattern.variables.iter().filter_map(|(location, _)| match location {
            ValueLocation::Field(path) => Some(path),
            ValueLocation::Parameter(_) => None,
        });
        let is_absent =
            |path: &Path| of_name.fields.iter().any(|field| field.path == *path && field.found == Finding::Nothing);
        let has_arity = pattern
            .arity
            .is_none_or(|expected| of_name.arities.iter().any(|arity| arity.expected == expected && arity.is_met));
        has_arity && !located.chain(&pattern.present).any(is_absent)
    }
}

/// Lists the patterns of all properties.
fn patterns(compiled: &CompiledSpec) -> impl Iterator<Item = &EventPattern> {
    compiled.plan.cores().iter().flat_map(Core::atoms).flat_map(|atom| &atom.patterns)
}

/// Lists the fields that a property evaluates apart from its atoms: those of aggregates, which take numbers unless different values are
/// counted, and those of correlation sets.
fn evaluated_fields(core: &Core) -> Vec<(&EventPattern, &Path, Option<ValueKind>)> {
    match core {
        Core::Formula(core) => {
            let measured = core.nodes.iter().filter_map(|node| match node {
                FormulaNode::Fold { measure, .. } | FormulaNode::Percentile { measure, .. } => {
                    Some((measure, Some(ValueKind::Number)))
                }
                FormulaNode::Distinct { measure, .. } => Some((measure, None)),
                _ => None,
            });
            let fields = measured.flat_map(|(measure, kind)| {
                let measure = &core.measures[measure.0 as usize];
                let patterns = &core.atoms[measure.atom.0 as usize].patterns;
                patterns.iter().zip(&measure.fields).map(move |(pattern, path)| (pattern, path, kind))
            });
            fields.collect()
        }
        Core::Rule(core) => {
            // Of other events the fields are not read.
            let is_used = |event: &str| core.atoms.iter().flat_map(|atom| &atom.patterns).any(|one| one.event == event);
            let places = core.correlations.iter().flat_map(|set| &set.members).flat_map(|member| &member.places);
            places.filter(|(pattern, _)| is_used(&pattern.event)).map(|(pattern, path)| (pattern, path, None)).collect()
        }
        Core::Automaton(_) | Core::Pattern(_) | Core::Modal(_) | Core::Plugin(_) | Core::Clocks(_) => Vec::new(),
    }
}

impl StateVariables {
    /// The variables of all properties, without those that have their values from outside of the trace.
    fn new(compiled: &CompiledSpec) -> Self {
        let external: BTreeSet<String> = compiled.spec.externs.iter().map(ExternDeclaration::field).collect();
        let fields = compiled.plan.cores().iter().flat_map(|core| match core {
            Core::Formula(core) => &core.variables[..],
            Core::Automaton(_)
            | Core::Rule(_)
            | Core::Pattern(_)
            | Core::Modal(_)
            | Core::Plugin(_)
            | Core::Clocks(_) => &[],
        });
        let fields: BTreeSet<&String> = fields.filter(|field| !external.contains(*field)).collect();
        let variable = |field: &String| {
            let key = compiled.plan.symbols().find_key(field)?;
            Some(StateVariable { field: field.clone(), key })
        };
        StateVariables { missing: fields.into_iter().filter_map(variable).collect(), ..StateVariables::default() }
    }

    fn compare<S: EventSource>(&mut self, event: &Event<'_>, source: &S) {
        self.missing.retain(|variable| event.fields.get(variable.key).is_none());
        if !self.missing.is_empty() && self.listed.len() < MAX_LISTED_NAMES && !self.listed.contains(&event.name) {
            self.listed.push(event.name);
            self.field_names.extend(source.field_names());
        }
    }
}

impl NameExpectations {
    fn add(&mut self, pattern: &EventPattern, symbols: &Symbols) {
        pattern.present.iter().for_each(|path| self.add_field(path, None, symbols));
        for (location, _) in &pattern.variables {
            if let ValueLocation::Field(path) = location {
                self.add_field(path, None, symbols);
            }
        }
        if let Some(condition) = &pattern.condition {
            condition.compared(&mut |path, literal| self.add_field(path, ValueKind::of(literal), symbols));
        }
        if let Some(expected) = pattern.arity
            && self.arities.iter().all(|arity| arity.expected != expected)
        {
            self.arities.push(ExpectedArity { expected, found: None, is_met: false });
        }
    }

    fn add_field(&mut self, path: &Path, compared: Option<ValueKind>, symbols: &Symbols) {
        if PHASE_FIELDS.contains(&path.field.as_str()) {
            return;
        }
        let Some(key) = symbols.find_key(&path.field) else { return };
        let field = ExpectedField { path: path.clone(), key, compared, found: Finding::Nothing };
        if !self.fields.contains(&field) {
            self.fields.push(field);
        }
    }

    /// Compares an event with the expectations. Returns true if all of them are met by now.
    fn compare<S: EventSource>(&mut self, fields: &dyn Fields, source: &S) -> bool {
        let mut is_met = true;
        let mut is_absent = false;
        for field in self.fields.iter_mut().filter(|field| field.found != Finding::Expected) {
            field.compare(fields);
            is_met &= field.found == Finding::Expected;
            is_absent |= field.found == Finding::Nothing;
        }
        for arity in self.arities.iter_mut().filter(|arity| !arity.is_met) {
            let count = fields.parameter_count();
            arity.found.get_or_insert(count);
            arity.is_met = count == arity.expected;
            is_met &= arity.is_met;
        }
        if is_absent {
            self.field_names.get_or_insert_with(|| source.field_names());
        }
        is_met
    }

    /// Adds the results of another part of the trace. Returns true if all expectations are met by now, and `None` if the results are of
    /// other expectations.
    fn join(&mut self, findings: NameFindings) -> Option<bool> {
        let NameFindings { fields, arities, field_names, .. } = findings;
        if fields.len() != self.fields.len() || arities.len() != self.arities.len() {
            return None;
        }
        for (field, found) in self.fields.iter_mut().zip(fields) {
            if field.found != Finding::Expected && found != Finding::Nothing {
                field.found = found;
            }
        }
        for (arity, (found, is_met)) in self.arities.iter_mut().zip(arities) {
            arity.found = arity.found.or(found);
            arity.is_met |= is_met;
        }
        self.field_names = self.field_names.take().or(field_names);
        let has_fields = self.fields.iter().all(|field| field.found == Finding::Expected);
        Some(has_fields && self.arities.iter().all(|arity| arity.is_met))
    }

    fn mismatches(&self) -> impl Iterator<Item = FieldMismatch> {
        let names = self.field_names.as_deref().unwrap_or_default();
        let mut absent = BTreeSet::new();
        let fields = self.fields.iter().filter_map(move |expected| {
            let field = expected.path.to_string();
            match (expected.found, expected.compared) {
                (Finding::Nothing, _) if absent.insert(field.clone()) => {
                    Some(FieldMismatch::Absent { field, fields: names.to_vec() })
                }
                (Finding::Kind(found), Some(compared)) => Some(FieldMismatch::Kind { field, found, compared }),
                _ => None,
            }
        });
        let arities = self.arities.iter().filter(|arity| !arity.is_met).filter_map(|arity| {
            let found = arity.found?;
            Some(FieldMismatch::Arity { expected: arity.expected, found })
        });
        fields.chain(arities)
    }
}

impl ExpectedField {
    fn compare(&mut self, fields: &dyn Fields) {
        let Some(value) = fields.get(self.key) else { return };
        let mut value = &value;
        for step in &self.path.steps {
            let Some(inner) = value.step(step) else { return };
            value = inner;
        }
        self.found = match (self.compared, ValueKind::of(value)) {
            (Some(compared), Some(found)) if compared != found => Finding::Kind(found),
            _ => Finding::Expected,
        };
    }
}
