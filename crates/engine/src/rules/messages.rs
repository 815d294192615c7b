// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests and reads each event once for all rules, since several rules may need the same tests and fields.

use gnomon_core::event::{Event, Fields, NoFields};
use gnomon_core::event_block::BlockRow;
use gnomon_core::symbols::{Key, Name};
use gnomon_ir::atom::EventPattern;
use gnomon_ir::core::{AtomId, RuleCore};
use serde::{Deserialize, Serialize};

use super::RuleMessage;
use super::actions::ActionSet;
use crate::engine::{Observation, PropertyTest};
use crate::matcher::{FieldTest, PlanCompiler, UnitTest, ValueSource};
use crate::slice::storage::values::{Id, NONE, ValueInterner};

/// The tests and fields that rules need of the events of one name, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessageTests {
    tests: Vec<FieldTest>,
    /// The fields that the tests read, if they are few.
    read_fields: Option<Vec<Key>>,
    /// The results of the tests for an event without these fields, as most are: few traces have phases of messages.
    results_without: Vec<bool>,
    /// Sources of correlation values, each with the test that an event must pass for it.
    sources: Vec<(usize, ValueSource)>,
}

/// The roles that the events of one name may have as messages of one rule.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessageRoles {
    /// Tests of which an event must pass one to be the supposition.
    suppositions: Vec<usize>,
    /// Tests that an event must pass to be an action of the context, each with the number of the action.
    actions: Vec<(usize, usize)>,
    /// Correlation sets with sources of their values; the first source of a set that has a value counts.
    keys: Vec<(usize, usize)>,
    /// The number of correlation sets of the rule.
    sets: usize,
}

/// The values that correlate messages, for all rules.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Correlations {
    pub(super) values: ValueInterner,
    #[serde(skip)]
    pub(super) cache: EventCache,
}

/// The test results and correlation values of the present event.
#[derive(Clone, Debug, Default)]
pub(super) struct EventCache {
    passed: Vec<bool>,
    /// The value of each source, once it was read.
    values: Vec<Option<Id>>,
    /// The value in each correlation set of the rule that reads the event at present.
    ids: Vec<Id>,
    /// The actions of that rule's context that the event is.
    actions: ActionSet,
}

impl MessageRoles {
    /// Returns the number of a value that an event of a block has, with its correlation set.
    #[inline]
    pub(super) fn find(
        &self,
        tests: &MessageTests,
        row: &BlockRow<'_>,
        correlations: &Correlations,
    ) -> Option<(usize, Id)> {
        let mut sources = self.keys.iter().map(|(set, source)| (*set, &tests.sources[*source].1));
        sources.find_map(|(set, source)| Some((set, correlations.values.find_whole(source.number(row)?)?)))
    }
}

impl PlanCompiler {
    /// Adds the tests of a rule.
    pub(crate) fn add_rule(&mut self, unit: usize, core: &RuleCore) {
        for atom in &core.supposition {
            for (name, test) in self.message_tests(core, *atom) {
                self.add_use(name, unit, core).suppositions.push(test);
            }
        }
        for (number, action) in core.actions.iter().enumerate() {
            for (name, test) in self.message_tests(core, action.atom) {
                self.add_use(name, unit, core).actions.push((test, number));
            }
        }
        for (set, correlation) in core.correlations.iter().enumerate() {
            for (pattern, path) in correlation.members.iter().flat_map(|member| &member.places) {
                let name = self.symbols.name(&pattern.event);
                // Events that are not messages of the rule are not read.
                if self.use_of(name, unit).is_some() {
                    let (_, test) = self.message_test(pattern);
                    let source = (test, self.field(name, path));
                    let source = index_of(&mut self.messages(name).sources, source);
                    self.add_use(name, unit, core).keys.push((set, source));
                }
            }
        }
    }

    /// Returns the tests of an atom's patterns, each with the name of its events.
    fn message_tests(&mut self, core: &RuleCore, atom: AtomId) -> Vec<(Name, usize)> {
        core.atoms[atom.0 as usize].patterns.iter().map(|pattern| self.message_test(pattern)).collect()
    }

    fn message_test(&mut self, pattern: &EventPattern) -> (Name, usize) {
        let name = self.symbols.name(&pattern.event);
        let test = self.test(name, pattern);
        let messages = self.messages(name);
        let test = index_of(&mut messages.tests, test);
        messages.prepare();
        (name, test)
    }

    fn messages(&mut self, name: Name) -> &mut MessageTests {
        self.matcher.tests_mut(name).messages.get_or_insert_default()
    }

    fn use_of(&mut self, name: Name, unit: usize) -> Option<&mut MessageRoles> {
        let own = self.matcher.tests_mut(name).tests.iter_mut().find(|test| test.unit == unit)?;
        match &mut own.test {
            PropertyTest::Rule(own) => Some(own),
            _ => None,
        }
    }

    fn add_use(&mut self, name: Name, unit: usize, core: &RuleCore) -> &mut MessageRoles {
        if self.use_of(name, unit).is_none() {
            let own = MessageRoles { sets: core.correlations.len(), ..MessageRoles::default() };
            let test = UnitTest { unit, merges: false, test: PropertyTest::Rule(own) };
            self.matcher.tests_mut(name).tests.push(test);
        }
        self.use_of(name, unit).expect("it has just been added")
    }
}

/// Returns the index of an item in a list, adding it if it is new.
fn index_of<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    list.iter().position(|known| *known == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}

/// The greatest number of fields for which the absence of all is tested first.
const FEW: usize = 2;

impl MessageTests {
    fn prepare(&mut self) {
        let mut keys = Vec::new();
        let only_fields = self.tests.iter().all(|test| test.keys(&mut keys));
        keys.sort_unstable();
        keys.dedup();
        self.read_fields = (only_fields && keys.len() <= FEW).then_some(keys);
        self.results_without = self.tests.iter().map(|test| test.passes(&NoFields)).collect();
    }
}

impl Correlations {
    /// Tests an event once for all rules. Drops values of the previous event that no rule holds.
    #[inline]
    pub(crate) fn test_event(&mut self, tests: &MessageTests, event: &Event<'_>) {
        self.values.settle();
        let EventCache { passed, values, .. } = &mut self.cache;
        passed.clear();
        let is_absent = |key: &Key| event.fields.get(*key).is_none();
        if tests.read_fields.as_ref().is_some_and(|keys| keys.iter().all(is_absent)) {
            passed.extend_from_slice(&tests.results_without);
        } else {
            passed.extend(tests.tests.iter().map(|test| test.passes(event.fields)));
        }
        values.clear();
        values.resize(tests.sources.len(), None);
    }

    pub(crate) fn restart(&mut self) {
        self.values.clear();
    }

    /// Completes restored values. Returns false if they are damaged.
    pub(crate) fn rebuild(&mut self) -> bool {
        self.values.rebuild()
    }
}

impl EventCache {
    /// Returns the event as a message of a rule, if it is one.
    #[inline]
    pub(super) fn message<'m>(
        &'m mut self,
        own: &MessageRoles,
        observation: &Observation<'m>,
        position: u64,
        values: &mut ValueInterner,
    ) -> Option<RuleMessage<'m>> {
        let is_supposition = own.suppositions.iter().any(|test| self.passed[*test]);
        self.actions.clear();
        for (_, action) in own.actions.iter().filter(|(test, _)| self.passed[*test]) {
            self.actions.insert(*action);
        }
        let tests = observation.messages.filter(|_| is_supposition || !self.actions.is_empty())?;
        self.ids.clear();
        self.ids.resize(own.sets, NONE);
        for (set, source) in &own.keys {
            if self.ids[*set] == NONE {
                self.ids[*set] = match self.values[*source] {
                    Some(known) => known,
                    None => self.read(tests, *source, observation.event.fields, values),
                };
            }
        }
        let EventCache { ids, actions, .. } = self;
        Some(RuleMessage { position, origin: observation.origin, ids, actions, is_supposition })
    }

    fn read(&mut self, tests: &MessageTests, source: usize, fields: &dyn Fields, values: &mut ValueInterner) -> Id {
        let (test, place) = &tests.sources[source];
        let found = if self.passed[*test] { place.with(fields, |value| Some(values.number(value))) } else { None };
        let id = found.unwrap_or(NONE);
        self.values[source] = Some(id);
        id
    }
}
