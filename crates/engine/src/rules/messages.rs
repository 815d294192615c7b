// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the events of each name are to the rules. What several rules ask of an event is asked once.

use gnomon_core::event::{Event, Fields, NoFields, Projection};
use gnomon_core::symbols::{Key, Name, Symbols};
use gnomon_ir::core::{AtomId, RuleCore};
use gnomon_ir::pattern::{Path, Pattern};

use super::context::Actions;
use crate::matcher::{Source, Test, compile, field, passes};
use crate::slice::values::{Id, NONE, Values};

/// COST: O(1) for an event that no rule names; else the distinct tests and fields that the rules ask for, once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Messages {
    by_name: Vec<Option<Box<Named>>>,
}

/// What the events of one name are asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Named {
    tests: Vec<Test>,
    /// The fields that the tests look at, if they are few, and what the tests say where none of these is there: most traces
    /// tell nothing of the phases of a message.
    looked_at: Option<Vec<Key>>,
    without: Vec<bool>,
    /// Places of values, with the test that an event must pass for its value to be meant.
    sources: Vec<(usize, Source)>,
    pub(super) uses: Vec<Use>,
}

/// What the events of one name may be to one rule.
#[derive(Clone, Debug, Default)]
pub(super) struct Use {
    pub(super) rule: usize,
    /// Tests of which one must be passed to be the supposition.
    suppositions: Vec<usize>,
    /// Tests that must be passed to be actions of the context.
    actions: Vec<(usize, Actions)>,
    /// For each correlation set, the sources of its value; the first that has one counts.
    keys: Vec<Vec<usize>>,
}

/// The answers of one event.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    passed: Vec<bool>,
    /// The value of each source, once someone asked.
    values: Vec<Option<Id>>,
    /// The value in each correlation set of the rule that asked last.
    pub(super) ids: Vec<Id>,
}

impl Messages {
    /// Adds a rule.
    pub(crate) fn add(&mut self, rule: usize, core: &RuleCore, symbols: &mut Symbols, projection: &mut Projection) {
        for atom in &core.supposition {
            for (named, test) in self.atom(core, *atom, symbols, projection) {
                self.use_of(named, rule, core).suppositions.push(test);
            }
        }
        for (number, action) in core.actions.iter().enumerate() {
            for (named, test) in self.atom(core, action.atom, symbols, projection) {
                self.use_of(named, rule, core).actions.push((test, 1 << number));
            }
        }
        for (set, correlation) in core.correlations.iter().enumerate() {
            for (pattern, path) in correlation.members.iter().flat_map(|member| &member.places) {
                self.key(rule, set, pattern, path, symbols, projection);
            }
        }
    }

    /// The tests of an atom's patterns, each with the name of its events.
    fn atom(
        &mut self,
        core: &RuleCore,
        atom: AtomId,
        symbols: &mut Symbols,
        projection: &mut Projection,
    ) -> Vec<(Name, usize)> {
        let patterns = core.atoms[atom.0 as usize].patterns.iter();
        patterns.map(|pattern| self.test(pattern, symbols, projection)).collect()
    }

    fn test(&mut self, pattern: &Pattern, symbols: &mut Symbols, projection: &mut Projection) -> (Name, usize) {
        let name = symbols.name(&pattern.event);
        let test = compile(name, pattern, symbols, projection);
        let named = self.named(name);
        let number = number(&mut named.tests, test);
        named.prepare();
        (name, number)
    }

    fn named(&mut self, name: Name) -> &mut Named {
        let index = name.0 as usize;
        if self.by_name.len() <= index {
            self.by_name.resize(index + 1, None);
        }
        self.by_name[index].get_or_insert_default()
    }

    fn use_of(&mut self, name: Name, rule: usize, core: &RuleCore) -> &mut Use {
        let uses = &mut self.named(name).uses;
        let at = uses.iter().position(|known| known.rule == rule).unwrap_or_else(|| {
            uses.push(Use { rule, keys: vec![vec![]; core.correlations.len()], ..Use::default() });
            uses.len() - 1
        });
        &mut uses[at]
    }

    /// A correlation set of a rule takes a field of these events, if they are its messages at all.
    fn key(
        &mut self,
        rule: usize,
        set: usize,
        pattern: &Pattern,
        path: &Path,
        symbols: &mut Symbols,
        projection: &mut Projection,
    ) {
        let name = symbols.name(&pattern.event);
        let is_used = self.named(name).uses.iter().any(|known| known.rule == rule);
        if !is_used {
            return;
        }
        let (_, test) = self.test(pattern, symbols, projection);
        let source = (test, field(name, path, symbols, projection));
        let named = self.named(name);
        let source = number(&mut named.sources, source);
        if let Some(own) = named.uses.iter_mut().find(|known| known.rule == rule) {
            own.keys[set].push(source);
        }
    }

    /// What the events of a name are asked for, if anything.
    #[inline]
    pub(super) fn of(&self, name: Name) -> Option<&Named> {
        self.by_name.get(name.0 as usize)?.as_deref()
    }

    /// Whether some rule is about events of this name.
    pub(crate) fn mentions(&self, name: Name) -> bool {
        self.of(name).is_some_and(|named| !named.uses.is_empty())
    }
}

/// The place of an item in a list, where it is put if it is new.
fn number<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    list.iter().position(|known| *known == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}

/// With more fields than this to look at, each test looks for itself.
const FEW: usize = 2;

impl Named {
    fn prepare(&mut self) {
        let mut keys = Vec::new();
        let only_fields = self.tests.iter().all(|test| test.keys(&mut keys));
        keys.sort_unstable();
        keys.dedup();
        self.looked_at = (only_fields && keys.len() <= FEW).then_some(keys);
        self.without = self.tests.iter().map(|test| passes(test, &NoFields)).collect();
    }

    /// Asks an event.
    #[inline]
    pub(super) fn ask(&self, event: &Event<'_>, answers: &mut Answers) {
        answers.passed.clear();
        let is_absent = |key: &Key| event.fields.get(*key).is_none();
        if self.looked_at.as_ref().is_some_and(|keys| keys.iter().all(is_absent)) {
            answers.passed.extend_from_slice(&self.without);
        } else {
            answers.passed.extend(self.tests.iter().map(|test| passes(test, event.fields)));
        }
        answers.values.clear();
        answers.values.resize(self.sources.len(), None);
    }

    /// The values of an event in the correlation sets of a rule.
    #[inline]
    pub(super) fn correlate(&self, own: &Use, fields: &dyn Fields, answers: &mut Answers, values: &mut Values) {
        answers.ids.clear();
        for sources in &own.keys {
            let mut id = NONE;
            for source in sources {
                id = match answers.values[*source] {
                    Some(known) => known,
                    None => self.read(*source, fields, answers, values),
                };
                if id != NONE {
                    break;
                }
            }
            answers.ids.push(id);
        }
    }

    fn read(&self, source: usize, fields: &dyn Fields, answers: &mut Answers, values: &mut Values) -> Id {
        let (test, place) = &self.sources[source];
        let found = if answers.passed[*test] { place.with(fields, |value| Some(values.number(value))) } else { None };
        let id = found.unwrap_or(NONE);
        answers.values[source] = Some(id);
        id
    }
}

impl Use {
    /// Whether an event with these answers is the supposition, and which actions it is.
    #[inline]
    pub(super) fn is(&self, answers: &Answers) -> (bool, Actions) {
        let supposes = self.suppositions.iter().any(|test| answers.passed[*test]);
        let passed = self.actions.iter().filter(|(test, _)| answers.passed[*test]);
        (supposes, passed.fold(0, |all, (_, action)| all | action))
    }
}
