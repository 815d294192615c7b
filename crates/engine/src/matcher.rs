// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the properties that an event concerns, and the atoms that are true of it.
//!
//! The tests of all properties are in one table, indexed by the number of the event's name. An event whose name no property mentions costs
//! one lookup ([`Matcher::mentions`]). For other events each test of the name runs. Example: with the properties `G(pay[amount > 100] -> F audit)`
//! and `forall u. G(pay(u) -> F ship(u))`, the entry of `pay` has two tests: an [`AtomTest`], which compares `amount` and sets the bit of the
//! atom in the first property, and a [`SliceTest`], which finds the value of `u` for the second.
//!
//! The compilation of the tests also collects the [`Projection`], so every field that a test reads is one that the reader decodes.

use std::mem::ManuallyDrop;

use gnomon_core::event::{self, Projection};
use gnomon_core::event_block::BlockRow;
use gnomon_core::symbols::{Key, Name, Symbols};
use gnomon_core::value::{Comparison, Value};
use gnomon_core::verdict::Simultaneous;
use gnomon_ir::atom::{self, Condition, EventPattern, Path, TimeComparison, VariableId};
use gnomon_ir::core::{
    AtomDefinition, AtomId, ClocksCore, Core, FormulaCore, FormulaNode, LetterSource, MeasureId, PluginCore,
};
use gnomon_ir::modal::Sort;

use crate::engine::PropertyTest;
use crate::partitioner::Shard;
use crate::plugin::LetterTest;
use crate::rules::MessageTests;
use crate::slice::machines::has_sort;
use crate::slice::storage::values::ValueInterner;
use crate::terms::variables::VariableFields;

/// The tests of all properties, indexed by the name of the event.
///
/// COST: O(1) for an event that no property mentions; otherwise O(patterns with its name).
#[derive(Clone, Debug, Default)]
pub(crate) struct Matcher {
    by_name: Vec<NameTests>,
    /// True for each name whose events are tested. Read at every event, so it is a table of its own that stays in the cache.
    mentioned: Vec<bool>,
}

/// Tests of the events of one name.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameTests {
    pub(crate) tests: Vec<UnitTest>,
    /// Tests that rules share.
    pub(crate) messages: Option<Box<MessageTests>>,
}

/// A test for one unit of a plan.
#[derive(Clone, Debug)]
pub(crate) struct UnitTest {
    pub(crate) unit: usize,
    /// True if the unit merges simultaneous events.
    pub(crate) merges: bool,
    pub(crate) test: PropertyTest,
}

impl Matcher {
    /// Returns the tests of the events of a name.
    #[inline]
    pub(crate) fn tests(&self, name: Name) -> Option<&NameTests> {
        self.by_name.get(name.0 as usize)
    }

    /// Returns true if events of a name are tested.
    #[inline]
    pub(crate) fn mentions(&self, name: Name) -> bool {
        self.mentioned.get(name.0 as usize).copied().unwrap_or(false)
    }

    /// Completes the matcher when all tests have been added.
    pub(crate) fn complete(&mut self) {
        let is_tested = |tests: &NameTests| !tests.tests.is_empty() || tests.messages.is_some();
        self.mentioned = self.by_name.iter().map(is_tested).collect();
    }

    pub(crate) fn tests_mut(&mut self, name: Name) -> &mut NameTests {
        let index = name.0 as usize;
        if self.by_name.len() <= index {
            self.by_name.resize(index + 1, NameTests::default());
        }
        &mut self.by_name[index]
    }
}

/// A test for a formula without variables or for clocks: the atoms that are true of an event that passes.
#[derive(Clone, Debug)]
pub(crate) struct AtomTest {
    pub(crate) word: usize,
    pub(crate) bits: u64,
    pub(crate) test: FieldTest,
}

/// A test for a sliced property: the atom that is true of an event that passes, and the sources of its variables' values.
#[derive(Clone, Debug)]
pub(crate) struct SliceTest {
    pub(crate) atom: AtomId,
    /// True if the events of the name are tested for no other atom of the property.
    pub(crate) is_only: bool,
    /// The variable and the field with its value, if nothing else of the event matters, as is usual.
    pub(crate) sole: Option<(VariableId, Key)>,
    test: FieldTest,
    pub(crate) variables: Vec<(ValueSource, VariableId)>,
    pub(crate) measures: Vec<MeasureSource>,
}

/// The place of the value that an event has for a measure.
#[derive(Clone, Debug)]
pub(crate) struct MeasureSource {
    pub(crate) id: MeasureId,
    pub(crate) source: ValueSource,
    /// True if other values than numbers do not matter.
    pub(crate) numbers_only: bool,
}

impl SliceTest {
    #[inline]
    pub(crate) fn passes(&self, fields: &dyn event::Fields) -> bool {
        matches!(self.test, FieldTest::Always) || self.test.passes(fields)
    }

    /// Returns true if every variable has a value, and the same one at all its places.
    #[inline]
    pub(crate) fn fits(&self, fields: &dyn event::Fields) -> bool {
        self.variables.iter().enumerate().all(|(place, (source, id))| {
            let mut before = self.variables[..place].iter().filter(|(_, other)| other == id);
            source.with(fields, |value: &Value<'_>| {
                before.all(|(other, _)| other.with(fields, |known: &Value<'_>| Comparison::Equal.holds(known, value)))
            })
        })
    }

    /// Returns true if a shard owns the bindings of an event. Bindings are divided by the value of the variable `shared_by`; an event without
    /// it is one of every shard.
    pub(crate) fn is_owned(&self, shared_by: Option<usize>, fields: &dyn event::Fields, shard: Shard) -> bool {
        let place = self.variables.iter().find(|(_, id)| Some(id.0 as usize) == shared_by);
        place.is_none_or(|(source, _)| source.shard_hash(fields).is_some_and(|hash| shard.owns(hash)))
    }
}

/// The place of a value in an event.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum ValueSource {
    Parameter(usize),
    Field(FieldPath),
}

impl ValueSource {
    /// Calls `use_it` with the value and returns its result; the default if there is no value.
    #[inline]
    pub(crate) fn with<T: Default>(&self, fields: &dyn event::Fields, use_it: impl FnOnce(&Value<'_>) -> T) -> T {
        match self {
            ValueSource::Parameter(index) => use_it(&fields.parameter(*index)),
            ValueSource::Field(place) => place.find(fields).map_or_else(T::default, |value| pass(value, use_it)),
        }
    }

    /// Returns the number that an event of a block has there.
    #[inline]
    pub(crate) fn number(&self, row: &BlockRow<'_>) -> Option<i64> {
        match self {
            ValueSource::Parameter(index) => row.parameter_number(*index),
            ValueSource::Field(place) if place.steps.is_empty() => row.number(place.key),
            ValueSource::Field(_) => None,
        }
    }

    /// Returns the field, if the source is the whole value of one.
    pub(crate) fn key(&self) -> Option<Key> {
        match self {
            ValueSource::Field(place) if place.steps.is_empty() => Some(place.key),
            ValueSource::Field(_) | ValueSource::Parameter(_) => None,
        }
    }

    /// Returns the hash by which bindings with the value are assigned to a shard; `None` if there is no value.
    #[inline]
    pub(crate) fn shard_hash(&self, fields: &dyn event::Fields) -> Option<u64> {
        self.with(fields, |value| Some(ValueInterner::shard_hash(value)))
    }
}

/// Passes a value to a function and drops it. A number owns nothing: the call that drops it is saved, because most values are
/// numbers.
#[inline]
pub(crate) fn pass<T>(value: Value<'_>, then: impl FnOnce(&Value<'_>) -> T) -> T {
    let value = ManuallyDrop::new(value);
    let result = then(&value);
    if !matches!(*value, Value::Number(_)) {
        drop(ManuallyDrop::into_inner(value));
    }
    result
}

/// A condition on the fields of an event.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum FieldTest {
    Always,
    Compare(FieldPath, Comparison, Value<'static>),
    /// A comparison of the time of the event.
    Time(Box<TimeComparison>),
    /// The value equals one of these.
    OneOf(FieldPath, Vec<Value<'static>>),
    Present(FieldPath),
    Arity(usize),
    Positional(usize, Value<'static>),
    /// The value has the sort.
    Sorted(ValueSource, Sort),
    Not(Box<FieldTest>),
    All(Vec<FieldTest>),
    Or(Box<FieldTest>, Box<FieldTest>),
}

impl FieldTest {
    /// Returns true if an event with these fields passes.
    #[inline]
    pub(crate) fn passes(&self, fields: &dyn event::Fields) -> bool {
        match self {
            FieldTest::Always => true,
            FieldTest::Compare(place, comparison, value) => {
                test_value(place, fields, |found| comparison.holds(found, value))
            }
            FieldTest::OneOf(place, values) => {
                test_value(place, fields, |found| values.iter().any(|value| Comparison::Equal.holds(found, value)))
            }
            FieldTest::Time(comparison) => fields.time().is_some_and(|time| comparison.holds(time)),
            FieldTest::Present(place) => test_value(place, fields, |_| true),
            FieldTest::Arity(arity) => fields.parameter_count() == *arity,
            FieldTest::Positional(index, value) => Comparison::Equal.holds(&fields.parameter(*index), value),
            FieldTest::Sorted(source, sort) => source.with(fields, |value: &Value<'_>| has_sort(value, *sort)),
            FieldTest::Not(of) => !of.passes(fields),
            FieldTest::All(parts) => parts.iter().all(|part| part.passes(fields)),
            FieldTest::Or(left, right) => left.passes(fields) || right.passes(fields),
        }
    }

    /// Adds the fields that the test reads to `keys`. Returns false if it reads anything else.
    pub(crate) fn keys(&self, keys: &mut Vec<Key>) -> bool {
        match self {
            FieldTest::Always => true,
            FieldTest::Compare(place, ..) | FieldTest::OneOf(place, _) | FieldTest::Present(place) => {
                keys.push(place.key);
                true
            }
            FieldTest::Time(_) | FieldTest::Arity(_) | FieldTest::Positional(..) | FieldTest::Sorted(..) => false,
            FieldTest::Not(of) => of.keys(keys),
            FieldTest::All(parts) => parts.iter().all(|part| part.keys(keys)),
            FieldTest::Or(left, right) => left.keys(keys) && right.keys(keys),
        }
    }
}

/// A field, and a path into its value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FieldPath {
    key: Key,
    steps: Vec<String>,
}

impl FieldPath {
    /// Returns the value at the end of the path.
    #[inline]
    fn find<'f>(&self, fields: &'f dyn event::Fields) -> Option<Value<'f>> {
        if self.steps.is_empty() { fields.get(self.key) } else { fields.get_path(self.key, &self.steps) }
    }
}

/// Collects the tests of a plan's properties, and the names and fields that they mention.
#[derive(Debug, Default)]
pub(crate) struct PlanCompiler {
    pub(crate) symbols: Symbols,
    pub(crate) projection: Projection,
    pub(crate) matcher: Matcher,
    pub(crate) fields: VariableFields,
    /// True if a condition compares the times of events.
    pub(crate) tests_time: bool,
}

impl PlanCompiler {
    fn add(&mut self, name: Name, unit: usize, merges: bool, test: PropertyTest) {
        self.matcher.tests_mut(name).tests.push(UnitTest { unit, merges, test });
    }

    /// Adds the atoms of a formula without variables, and the fields that its terms read. Returns the indices of these fields among the
    /// variables of all properties.
    pub(crate) fn add_formula(&mut self, unit: usize, core: &FormulaCore) -> Vec<usize> {
        self.add_atoms(unit, &core.atoms, core.simultaneous == Simultaneous::Merge, PropertyTest::Network);
        let PlanCompiler { symbols, projection, fields, .. } = self;
        core.variables.iter().map(|name| fields.index(name, symbols, projection)).collect()
    }

    /// Adds the events that are clocks.
    pub(crate) fn add_clocks(&mut self, unit: usize, core: &ClocksCore) {
        self.add_atoms(unit, &core.atoms, true, PropertyTest::Clocks);
    }

    /// Adds the atoms of a unit that takes them as bits.
    fn add_atoms(&mut self, unit: usize, atoms: &[AtomDefinition], merges: bool, wrap: fn(AtomTest) -> PropertyTest) {
        for (atom, definition) in atoms.iter().enumerate() {
            for pattern in &definition.patterns {
                let name = self.symbols.name(&pattern.event);
                let test = self.test(name, pattern);
                let (word, bits) = (atom / 64, 1 << (atom % 64));
                // Atoms without a test are set together.
                let known = self.matcher.tests_mut(name).tests.iter_mut().filter(|known| known.unit == unit);
                let joined = known.filter_map(|known| match &mut known.test {
                    PropertyTest::Network(known) | PropertyTest::Clocks(known) => Some(known),
                    _ => None,
                });
                let is_always = matches!(test, FieldTest::Always);
                let is_like = |known: &&mut AtomTest| known.word == word && matches!(known.test, FieldTest::Always);
                if let Some(known) = joined.filter(|_| is_always).find(is_like) {
                    known.bits |= bits;
                } else {
                    self.add(name, unit, merges, wrap(AtomTest { word, bits, test }));
                }
            }
        }
    }

    /// Adds the atoms of a sliced property.
    pub(crate) fn add_sliced(&mut self, unit: usize, core: &Core) {
        let sorts: Vec<Sort> = match core {
            Core::Modal(modal) => {
                modal.sorts.iter().copied().chain(modal.locals.iter().map(|(_, sort)| *sort)).collect()
            }
            _ => vec![],
        };
        for (atom, definition) in core.atoms().iter().enumerate() {
            let atom = AtomId(atom as u32);
            for (number, pattern) in definition.patterns.iter().enumerate() {
                let name = self.symbols.name(&pattern.event);
                let mut test = self.slice_test(name, atom, pattern, &sorts);
                for (id, path) in measures(core, atom, definition, number) {
                    let (source, numbers_only) = (self.field(name, &path), takes_numbers_only(core, id));
                    test.measures.push(MeasureSource { id, source, numbers_only });
                    test.sole = None;
                }
                for other in &mut self.matcher.tests_mut(name).tests {
                    if let PropertyTest::Sliced(known) = &mut other.test
                        && other.unit == unit
                    {
                        (known.is_only, test.is_only) = (false, false);
                    }
                }
                self.add(name, unit, core.simultaneous() == Simultaneous::Merge, PropertyTest::Sliced(test));
            }
        }
    }

    /// Adds the letters of a logic plug-in, in their order: an event is one of each that it matches.
    pub(crate) fn add_plugin(&mut self, unit: usize, core: &PluginCore) {
        for (letter, own) in core.letters.iter().enumerate() {
            let LetterSource::Atom(atom) = own.source else { continue };
            let patterns = &core.atoms[atom.0 as usize].patterns;
            for pattern in patterns {
                let name = self.symbols.name(&pattern.event);
                let slice = self.slice_test(name, atom, pattern, &[]);
                let is_repeated = patterns.iter().filter(|other| other.event == pattern.event).count() > 1;
                self.add(name, unit, false, PropertyTest::Plugin(LetterTest { letter, is_repeated, slice }));
            }
        }
    }

    /// Compiles the test of one pattern of an atom. `sorts` has the sort of each variable, if variables have sorts.
    fn slice_test(&mut self, name: Name, atom: AtomId, pattern: &EventPattern, sorts: &[Sort]) -> SliceTest {
        // Without a value for a variable there is no match, so its field need not be tested for presence.
        let is_variable =
            |path: &Path| pattern.variables.iter().any(|(place, _)| *place == atom::ValueLocation::Field(path.clone()));
        let present = pattern.present.iter().filter(|path| !is_variable(path)).cloned().collect();
        let mut test = self.test(name, &EventPattern { present, ..pattern.clone() });
        let variables = pattern.variables.iter().map(|(place, id)| match place {
            atom::ValueLocation::Parameter(index) => (ValueSource::Parameter(*index), *id),
            atom::ValueLocation::Field(path) => (self.field(name, path), *id),
        });
        let variables: Vec<(ValueSource, VariableId)> = variables.collect();
        let sorted = variables.iter().filter_map(|(source, id)| match sorts.get(id.0 as usize) {
            None | Some(Sort::Any) => None,
            Some(sort) => Some(FieldTest::Sorted(source.clone(), *sort)),
        });
        let sorted: Vec<FieldTest> = sorted.collect();
        if !sorted.is_empty() {
            test = FieldTest::All(std::iter::once(test).chain(sorted).collect());
        }
        let sole = match (&test, variables.as_slice()) {
            (FieldTest::Always, [(source, id)]) => source.key().map(|key| (*id, key)),
            _ => None,
        };
        SliceTest { atom, is_only: true, sole, test, variables, measures: vec![] }
    }

    /// Compiles the test of a pattern.
    pub(crate) fn test(&mut self, name: Name, pattern: &EventPattern) -> FieldTest {
        let mut tests: Vec<FieldTest> = Vec::new();
        if let Some(arity) = pattern.arity {
            self.projection.add_all(name);
            tests.push(FieldTest::Arity(arity));
            tests.extend(pattern.positional.iter().map(|(index, value)| FieldTest::Positional(*index, value.clone())));
        }
        tests.extend(pattern.present.iter().map(|path| FieldTest::Present(self.place(name, path))));
        if let Some(condition) = &pattern.condition {
            condition.times(&mut |_| self.tests_time = true);
        }
        let mut place = |path: &Path| self.place(name, path);
        tests.extend(pattern.condition.as_ref().map(|condition| compile_condition(condition, &mut place)));
        match tests.len() {
            0 => FieldTest::Always,
            1 => tests.remove(0),
            _ => FieldTest::All(tests),
        }
    }

    /// Returns the path of a field and adds the field to the projection.
    fn place(&mut self, name: Name, path: &Path) -> FieldPath {
        let key = self.symbols.key(&path.field);
        self.projection.add_field(name, key);
        FieldPath { key, steps: path.steps.clone() }
    }

    pub(crate) fn field(&mut self, name: Name, path: &Path) -> ValueSource {
        ValueSource::Field(self.place(name, path))
    }
}

/// Returns the measures that events of one pattern of an atom may carry, each with its field.
fn measures(core: &Core, atom: AtomId, definition: &AtomDefinition, pattern: usize) -> Vec<(MeasureId, Path)> {
    let Core::Formula(formula) = core else { return vec![] };
    let own = (0_u32..).zip(&formula.measures).filter(|(_, measure)| measure.atom == atom);
    own.filter_map(|(id, measure)| {
        // An event that is not declared has one pattern and one field.
        let field = measure.fields.get(pattern.min(definition.patterns.len() - 1))?;
        Some((MeasureId(id), field.clone()))
    })
    .collect()
}

/// Returns true if only numbers of a measure matter.
fn takes_numbers_only(core: &Core, id: MeasureId) -> bool {
    let takes_all = |node: &FormulaNode| matches!(node, FormulaNode::Distinct { measure, .. } if *measure == id);
    !matches!(core, Core::Formula(formula) if formula.nodes.iter().any(takes_all))
}

fn compile_condition(condition: &Condition, place: &mut impl FnMut(&Path) -> FieldPath) -> FieldTest {
    match condition {
        Condition::Compare(path, comparison, value) => FieldTest::Compare(place(path), *comparison, value.clone()),
        Condition::Time(comparison) => FieldTest::Time(comparison.clone()),
        Condition::Not(of) => FieldTest::Not(Box::new(compile_condition(of, place))),
        Condition::And(left, right) => {
            FieldTest::All(vec![compile_condition(left, place), compile_condition(right, place)])
        }
        Condition::Or(left, right) => either(compile_condition(left, place), compile_condition(right, place)),
    }
}

/// Returns the disjunction of two tests. Values that one field is compared with are collected, so that it is read once.
fn either(left: FieldTest, right: FieldTest) -> FieldTest {
    let values = |test: &FieldTest| match test {
        FieldTest::Compare(place, Comparison::Equal, value) => Some((place.clone(), vec![value.clone()])),
        FieldTest::OneOf(place, values) => Some((place.clone(), values.clone())),
        _ => None,
    };
    match (values(&left), values(&right)) {
        (Some((place, mut all)), Some((other, more))) if place == other => {
            all.extend(more);
            FieldTest::OneOf(place, all)
        }
        _ => FieldTest::Or(Box::new(left), Box::new(right)),
    }
}

/// Applies a test to the value at a path; an absent value fails.
fn test_value(place: &FieldPath, fields: &dyn event::Fields, test: impl FnOnce(&Value<'_>) -> bool) -> bool {
    place.find(fields).is_some_and(|value| test(&value))
}

#[cfg(test)]
mod tests {
    use gnomon_core::event::{Fields, NoFields, OwnedFields};
    use gnomon_core::number::Number;

    use super::*;

    fn pattern() -> EventPattern {
        let (event, positional, present, variables) = ("a".to_owned(), vec![], vec![], vec![]);
        EventPattern { event, arity: None, positional, present, condition: None, variables }
    }

    fn path(field: &str, steps: &[&str]) -> Path {
        Path { field: field.to_owned(), steps: steps.iter().map(|step| (*step).to_owned()).collect() }
    }

    fn int(number: i64) -> Value<'static> {
        Value::Number(Number::Int(number))
    }

    fn compare(field: &str, comparison: Comparison, number: i64) -> Condition {
        Condition::Compare(path(field, &[]), comparison, int(number))
    }

    /// Returns true if events with these fields pass the test of a pattern.
    fn passes(pattern: &EventPattern, fields: &[(&str, Value<'static>)]) -> bool {
        let mut compiler = PlanCompiler::default();
        let test = compiler.test(Name(0), pattern);
        let entries = fields.iter().map(|(name, value)| (compiler.symbols.key(name), value.clone())).collect();
        test.passes(&OwnedFields { entries })
    }

    #[test]
    fn conditions_are_tested() {
        let with = |condition| EventPattern { condition: Some(condition), ..pattern() };
        let less = with(compare("n", Comparison::Less, 5));
        assert!(passes(&less, &[("n", int(4))]));
        assert!(!passes(&less, &[("n", int(5))]));
        assert!(!passes(&less, &[]), "a field that is absent compares with nothing");
        let not = with(Condition::Not(Box::new(compare("n", Comparison::Less, 5))));
        assert!(passes(&not, &[]));
        let both = Condition::And(
            Box::new(compare("n", Comparison::AtLeast, 1)),
            Box::new(compare("m", Comparison::Equal, 2)),
        );
        assert!(passes(&with(both.clone()), &[("n", int(1)), ("m", int(2))]));
        assert!(!passes(&with(both), &[("n", int(1)), ("m", int(3))]));
        assert!(passes(&pattern(), &[]), "without a condition all pass");
    }

    #[test]
    fn values_that_one_field_may_have_are_looked_up_once() {
        let is = |field, number| Box::new(compare(field, Comparison::Equal, number));
        let mut compiler = PlanCompiler::default();
        let three = Condition::Or(Box::new(Condition::Or(is("n", 1), is("n", 2))), is("n", 3));
        let test = compiler.test(Name(0), &EventPattern { condition: Some(three), ..pattern() });
        assert!(matches!(&test, FieldTest::OneOf(_, values) if values.len() == 3));
        let key = compiler.symbols.key("n");
        let having = |number| OwnedFields { entries: vec![(key, int(number))] };
        assert!(test.passes(&having(2)) && !test.passes(&having(4)) && !test.passes(&NoFields));
        let two = compiler
            .test(Name(0), &EventPattern { condition: Some(Condition::Or(is("n", 1), is("m", 1))), ..pattern() });
        assert!(matches!(two, FieldTest::Or(..)), "two fields are two look-ups");
    }

    #[test]
    fn parameters_and_presence_are_tested() {
        let two = EventPattern { arity: Some(2), positional: vec![(1, int(7))], ..pattern() };
        assert!(passes(&two, &[("x", int(1)), ("y", int(7))]));
        assert!(!passes(&two, &[("x", int(1)), ("y", int(8))]));
        assert!(!passes(&two, &[("x", int(7))]));
        let inside = EventPattern { present: vec![path("x", &["a"])], ..pattern() };
        let map = Value::Map(vec![("a".into(), int(1))]);
        assert!(passes(&inside, &[("x", map)]));
        assert!(!passes(&inside, &[("x", int(1))]));
    }

    #[test]
    fn a_rule_with_one_field_and_no_test_takes_the_short_way() {
        let mut compiler = PlanCompiler::default();
        let field = |name: &str| atom::ValueLocation::Field(path(name, &[]));
        // The field of a variable need not be tested: without a value there is no match.
        let one =
            EventPattern { present: vec![path("i", &[])], variables: vec![(field("i"), VariableId(0))], ..pattern() };
        let rule = compiler.slice_test(Name(0), AtomId(0), &one, &[]);
        assert_eq!(rule.sole, Some((VariableId(0), compiler.symbols.key("i"))));
        assert!(rule.passes(&NoFields));
        let sorted = compiler.slice_test(Name(0), AtomId(0), &one, &[Sort::Boolean]);
        assert_eq!(sorted.sole, None);
        let fields = OwnedFields { entries: vec![(compiler.symbols.key("i"), int(1))] };
        assert!(!sorted.passes(&fields), "the value is of another sort");
        let parameter =
            EventPattern { variables: vec![(atom::ValueLocation::Parameter(0), VariableId(0))], ..pattern() };
        assert_eq!(compiler.slice_test(Name(0), AtomId(0), &parameter, &[]).sole, None);
    }

    #[test]
    fn sources_share_equal_numbers_alike() {
        let mut compiler = PlanCompiler::default();
        let source = compiler.field(Name(0), &path("i", &[]));
        let key = compiler.symbols.key("i");
        assert_eq!(source.key(), Some(key));
        let hash = |value| source.shard_hash(&OwnedFields { entries: vec![(key, value)] } as &dyn Fields);
        assert_eq!(hash(int(3)), hash(Value::Number(Number::parse("30e-1").unwrap())));
        assert_ne!(hash(int(3)), hash(int(4)));
        assert_eq!(source.shard_hash(&NoFields), None);
        let inner = compiler.field(Name(0), &path("i", &["a"]));
        assert_eq!(inner.key(), None);
    }
}
