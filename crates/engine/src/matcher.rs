// SPDX-License-Identifier: MIT OR Apache-2.0
//! From an event of the trace to the atoms that are true of it.

use std::mem::ManuallyDrop;

use gnomon_core::event::{Event, Fields, Projection};
use gnomon_core::symbols::{Key, Name, Symbols};
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::core::{AtomId, MeasureId};
use gnomon_ir::modal::Sort;
use gnomon_ir::pattern::{self, Condition, Path, Pattern, VariableId};

use crate::automata::is_of;
use crate::slice::values::Values;

/// For each event name of the spec, what to test. Other names are not even looked up.
///
/// COST: O(1) for an event that no atom names; else O(patterns that name it).
#[derive(Clone, Debug, Default)]
pub(crate) struct Matcher {
    by_name: Vec<Rules>,
}

/// What the events of one name are tested for.
#[derive(Clone, Debug, Default)]
struct Rules {
    plain: Vec<Rule>,
    sliced: Vec<SliceRule>,
}

/// If the test is passed, an atom of a sliced property is true for the values that stand at these places.
#[derive(Clone, Debug)]
pub(crate) struct SliceRule {
    pub(crate) slice: usize,
    pub(crate) atom: AtomId,
    /// Whether the events of the name are tested for no other atom of the property.
    pub(crate) is_only: bool,
    /// The variable and the field with its value, if nothing else of an event matters: mostly so.
    pub(crate) sole: Option<(VariableId, Key)>,
    test: Test,
    pub(crate) variables: Vec<(Source, VariableId)>,
    pub(crate) measures: Vec<(Source, MeasureId)>,
}

impl SliceRule {
    #[inline]
    pub(crate) fn passes(&self, fields: &dyn Fields) -> bool {
        matches!(self.test, Test::Always) || passes(&self.test, fields)
    }
}

/// Where an event carries a value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Source {
    Parameter(usize),
    Field(Place),
}

impl Source {
    /// Gives the value to `use_it`; if there is none, the default is the answer.
    #[inline]
    pub(crate) fn with<T: Default>(&self, fields: &dyn Fields, use_it: impl FnOnce(&Value<'_>) -> T) -> T {
        match self {
            Source::Parameter(index) => use_it(&fields.parameter(*index)),
            Source::Field(place) => match fields.get(place.key) {
                // What owns nothing need not be dropped: most values are whole numbers.
                Some(Value::Number(number)) if place.steps.is_empty() => {
                    use_it(&ManuallyDrop::new(Value::Number(number)))
                }
                Some(value) => place.within(&value).map_or_else(T::default, use_it),
                None => T::default(),
            },
        }
    }
}

impl Source {
    /// The field that it is, where it is a whole one.
    pub(crate) fn key(&self) -> Option<Key> {
        match self {
            Source::Field(place) if place.steps.is_empty() => Some(place.key),
            Source::Field(_) | Source::Parameter(_) => None,
        }
    }

    /// The number by which work on its value is shared out; `None` if there is no value. A whole number is not made into
    /// a value first: this is asked of every event.
    #[inline]
    pub(crate) fn share(&self, fields: &dyn Fields) -> Option<u64> {
        match self {
            Source::Field(place) if place.steps.is_empty() => match fields.get(place.key)? {
                Value::Number(number) => Some(Values::share_number(number)),
                other => Some(Values::share(&other)),
            },
            _ => self.with(fields, |value| Some(Values::share(value))),
        }
    }
}

/// If the test is passed, these atoms are true.
#[derive(Clone, Debug)]
struct Rule {
    property: usize,
    word: usize,
    bits: u64,
    test: Test,
}

/// What an event must be like.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Test {
    Always,
    Compare(Place, Comparison, Value<'static>),
    /// It equals one of these.
    OneOf(Place, Vec<Value<'static>>),
    Present(Place),
    Arity(usize),
    Positional(usize, Value<'static>),
    /// The value there is of the sort.
    Sorted(Source, Sort),
    Not(Box<Test>),
    All(Vec<Test>),
    Or(Box<Test>, Box<Test>),
}

impl Test {
    /// Adds the fields that it looks at; `false` if it looks at anything else.
    pub(crate) fn keys(&self, keys: &mut Vec<Key>) -> bool {
        match self {
            Test::Always => true,
            Test::Compare(place, ..) | Test::OneOf(place, _) | Test::Present(place) => {
                keys.push(place.key);
                true
            }
            Test::Arity(_) | Test::Positional(..) | Test::Sorted(..) => false,
            Test::Not(of) => of.keys(keys),
            Test::All(parts) => parts.iter().all(|part| part.keys(keys)),
            Test::Or(left, right) => left.keys(keys) && right.keys(keys),
        }
    }
}

/// A field, and the steps into its value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Place {
    key: Key,
    steps: Vec<String>,
}

impl Place {
    /// What is there inside the value of the field.
    fn within<'v>(&self, value: &'v Value<'v>) -> Option<&'v Value<'v>> {
        self.steps.iter().try_fold(value, |value, step| value.step(step))
    }
}

impl Matcher {
    /// Adds one atom of a property.
    pub(crate) fn add(
        &mut self,
        property: usize,
        atom: usize,
        pattern: &Pattern,
        symbols: &mut Symbols,
        projection: &mut Projection,
    ) {
        let name = symbols.name(&pattern.event);
        let test = compile(name, pattern, symbols, projection);
        let (word, bits) = (atom / 64, 1 << (atom % 64));
        let rules = &mut self.rules(name).plain;
        // Atoms that need no test are set together.
        let joined = rules.iter_mut().find(|rule| {
            (rule.property, rule.word) == (property, word)
                && matches!((&rule.test, &test), (Test::Always, Test::Always))
        });
        match joined {
            Some(rule) => rule.bits |= bits,
            None => rules.push(Rule { property, word, bits, test }),
        }
    }

    fn rules(&mut self, name: Name) -> &mut Rules {
        let index = name.0 as usize;
        if self.by_name.len() <= index {
            self.by_name.resize(index + 1, Rules::default());
        }
        &mut self.by_name[index]
    }

    /// Adds one pattern of an atom of a sliced property; `measures`: the numbers that its events may carry; `sorts`: the sort
    /// of each variable, if they have one.
    #[allow(clippy::too_many_arguments)] // all that an atom of a sliced property is
    pub(crate) fn add_sliced(
        &mut self,
        slice: usize,
        atom: AtomId,
        pattern: &Pattern,
        measures: &[(MeasureId, Path)],
        sorts: &[Sort],
        symbols: &mut Symbols,
        projection: &mut Projection,
    ) {
        let name = symbols.name(&pattern.event);
        // Where a variable finds no value there is no match: its places need no test of their own.
        let is_variable =
            |path: &Path| pattern.variables.iter().any(|(place, _)| *place == pattern::Place::Field(path.clone()));
        let present = pattern.present.iter().filter(|path| !is_variable(path)).cloned().collect();
        let test = compile(name, &Pattern { present, ..pattern.clone() }, symbols, projection);
        let mut field = |path: &Path| field(name, path, symbols, projection);
        let variables = pattern.variables.iter().map(|(place, id)| match place {
            pattern::Place::Parameter(index) => (Source::Parameter(*index), *id),
            pattern::Place::Field(path) => (field(path), *id),
        });
        let variables: Vec<(Source, VariableId)> = variables.collect();
        let sorted = variables.iter().filter_map(|(source, id)| match sorts.get(id.0 as usize) {
            None | Some(Sort::Any) => None,
            Some(sort) => Some(Test::Sorted(source.clone(), *sort)),
        });
        let mut tests: Vec<Test> = sorted.collect();
        let test = if tests.is_empty() {
            test
        } else {
            tests.insert(0, test);
            Test::All(tests)
        };
        let measures: Vec<(Source, MeasureId)> =
            measures.iter().map(|(measure, path)| (field(path), *measure)).collect();
        let rules = &mut self.rules(name).sliced;
        let mut is_only = true;
        for other in rules.iter_mut().filter(|other| other.slice == slice) {
            (other.is_only, is_only) = (false, false);
        }
        let sole = match (&test, variables.as_slice()) {
            (Test::Always, [(Source::Field(place), id)]) if place.steps.is_empty() && measures.is_empty() => {
                Some((*id, place.key))
            }
            _ => None,
        };
        rules.push(SliceRule { slice, atom, is_only, sole, test, variables, measures });
    }

    /// Whether the events of a name are tested for formulae without variables, and what for the others.
    #[inline]
    pub(crate) fn rules_of(&self, name: Name) -> (bool, &[SliceRule]) {
        match self.by_name.get(name.0 as usize) {
            Some(rules) => (!rules.plain.is_empty(), &rules.sliced),
            None => (false, &[]),
        }
    }

    /// Calls `found` with the property, the word and the bits of the atoms that are true of the event, and `sliced` with
    /// what else must be tested.
    #[inline]
    pub(crate) fn each<'m>(
        &'m self,
        event: &Event<'_>,
        mut found: impl FnMut(usize, usize, u64),
        mut sliced: impl FnMut(&'m SliceRule),
    ) {
        if let Some(rules) = self.by_name.get(event.name.0 as usize) {
            for rule in &rules.plain {
                if passes(&rule.test, event.fields) {
                    found(rule.property, rule.word, rule.bits);
                }
            }
            for rule in &rules.sliced {
                sliced(rule);
            }
        }
    }
}

/// The test of a pattern.
pub(crate) fn compile(name: Name, pattern: &Pattern, symbols: &mut Symbols, projection: &mut Projection) -> Test {
    let mut tests: Vec<Test> = Vec::new();
    if let Some(arity) = pattern.arity {
        projection.add_all(name);
        tests.push(Test::Arity(arity));
        tests.extend(pattern.positional.iter().map(|(index, value)| Test::Positional(*index, value.clone())));
    }
    let mut place = |path: &Path| {
        let key = symbols.key(&path.field);
        projection.add_field(name, key);
        Place { key, steps: path.steps.clone() }
    };
    tests.extend(pattern.present.iter().map(|path| Test::Present(place(path))));
    tests.extend(pattern.condition.as_ref().map(|condition| compile_condition(condition, &mut place)));
    match tests.len() {
        0 => Test::Always,
        1 => tests.remove(0),
        _ => Test::All(tests),
    }
}

fn compile_condition(condition: &Condition, place: &mut impl FnMut(&Path) -> Place) -> Test {
    match condition {
        Condition::Compare(path, comparison, value) => Test::Compare(place(path), *comparison, value.clone()),
        Condition::Not(of) => Test::Not(Box::new(compile_condition(of, place))),
        Condition::And(left, right) => Test::All(vec![compile_condition(left, place), compile_condition(right, place)]),
        Condition::Or(left, right) => either(compile_condition(left, place), compile_condition(right, place)),
    }
}

/// One of two tests. Values that one field is compared with are gathered, so that it is looked up once.
fn either(left: Test, right: Test) -> Test {
    let values = |test: &Test| match test {
        Test::Compare(place, Comparison::Equal, value) => Some((place.clone(), vec![value.clone()])),
        Test::OneOf(place, values) => Some((place.clone(), values.clone())),
        _ => None,
    };
    match (values(&left), values(&right)) {
        (Some((place, mut all)), Some((other, more))) if place == other => {
            all.extend(more);
            Test::OneOf(place, all)
        }
        _ => Test::Or(Box::new(left), Box::new(right)),
    }
}

/// Where an event has a field, which readers are asked for.
pub(crate) fn field(name: Name, path: &Path, symbols: &mut Symbols, projection: &mut Projection) -> Source {
    let key = symbols.key(&path.field);
    projection.add_field(name, key);
    Source::Field(Place { key, steps: path.steps.clone() })
}

/// Whether an event with these fields passes.
#[inline]
pub(crate) fn passes(test: &Test, fields: &dyn Fields) -> bool {
    match test {
        Test::Always => true,
        Test::Compare(place, comparison, value) => look(place, fields, |found| comparison.holds(found, value)),
        Test::OneOf(place, values) => {
            look(place, fields, |found| values.iter().any(|value| Comparison::Equal.holds(found, value)))
        }
        Test::Present(place) => look(place, fields, |_| true),
        Test::Arity(arity) => fields.parameter_count() == *arity,
        Test::Positional(index, value) => Comparison::Equal.holds(&fields.parameter(*index), value),
        Test::Sorted(source, sort) => source.with(fields, |value: &Value<'_>| is_of(value, *sort)),
        Test::Not(of) => !passes(of, fields),
        Test::All(parts) => parts.iter().all(|part| passes(part, fields)),
        Test::Or(left, right) => passes(left, fields) || passes(right, fields),
    }
}

/// Applies a test to the value at a place; an absent one passes none.
fn look(place: &Place, fields: &dyn Fields, test: impl FnOnce(&Value<'_>) -> bool) -> bool {
    fields.get(place.key).is_some_and(|value| place.within(&value).is_some_and(test))
}
