// SPDX-License-Identifier: MIT OR Apache-2.0
//! Logic plug-ins: all joins of compatible instances, the slice of each, and the categories of its words.
// RULE L1, L2, L3, L4, L12, L13, L14, L15, L16

mod expression;
mod grammar;
mod linear;
mod word;

use gnomon_core::{Binding, Value};
use gnomon_ir::{Creation, LetterId, PluginCore, QuantifierCore};

use word::{Word, Words};

/// Values of parameters; `None` for a parameter that is left open.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ParameterInstance(pub(crate) Vec<Option<Value<'static>>>);

/// An event of a letter.
pub(crate) struct Occurrence {
    /// Index of the event of the trace.
    pub(crate) event: usize,
    /// True if it is the end of the trace, after that event.
    pub(crate) is_end: bool,
    /// The letter.
    pub(crate) letter: LetterId,
    /// The values that it binds.
    pub(crate) instance: ParameterInstance,
}

/// The events of one instance and what they did.
pub(crate) struct InstanceRun {
    /// The instance.
    pub(crate) instance: ParameterInstance,
    /// True once a forbidden category could be reached.
    pub(crate) is_activated: bool,
    /// The occurrences that were violations, by their places, each with the place of the category in `forbid`.
    pub(crate) violations: Vec<(usize, usize)>,
    /// The occurrences of the slice, by their places, each with the names of the categories after it.
    pub(crate) steps: Vec<(usize, Vec<String>)>,
}

impl ParameterInstance {
    /// Returns the join; `None` if a parameter has two values.
    // RULE L2
    pub(crate) fn join(&self, other: &ParameterInstance) -> Option<ParameterInstance> {
        let both = self.0.iter().zip(&other.0);
        let joined = both.map(|(left, right)| match (left, right) {
            (Some(left), Some(right)) if left.order(right).is_ne() => None,
            (Some(value), _) | (None, Some(value)) => Some(Some(value.clone())),
            (None, None) => Some(None),
        });
        joined.collect::<Option<Vec<_>>>().map(ParameterInstance)
    }

    /// Returns true if the other instance binds what this one binds, to equal values.
    pub(crate) fn is_part_of(&self, other: &ParameterInstance) -> bool {
        self.0.iter().zip(&other.0).all(|pair| match pair {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(left), Some(right)) => left.order(right).is_eq(),
        })
    }

    fn is_equal(&self, other: &ParameterInstance) -> bool {
        self.is_part_of(other) && other.is_part_of(self)
    }

    fn is_full(&self) -> bool {
        self.0.iter().all(Option::is_some)
    }

    /// Returns the values with the names of their parameters.
    pub(crate) fn binding(&self, prefix: &[QuantifierCore]) -> Binding {
        let named = prefix.iter().zip(&self.0);
        Binding { values: named.filter_map(|(one, value)| Some((one.variable.clone(), value.clone()?))).collect() }
    }
}

/// Returns all joins of one or more instances of these events.
// RULE L2
fn instances(occurrences: &[Occurrence]) -> Vec<ParameterInstance> {
    let mut all: Vec<ParameterInstance> = Vec::new();
    for occurrence in occurrences {
        let joins = all.iter().filter_map(|known| known.join(&occurrence.instance));
        for join in joins.chain([occurrence.instance.clone()]).collect::<Vec<_>>() {
            if !all.iter().any(|known| known.is_equal(&join)) {
                all.push(join);
            }
        }
    }
    all
}

/// Runs all instances of these events, in the order of reports.
pub(crate) fn runs(core: &PluginCore, occurrences: &[Occurrence]) -> Vec<InstanceRun> {
    let words = Words::new(core);
    let mut instances = instances(occurrences);
    // RULE L17
    instances.sort_by(|left, right| left.binding(&core.prefix).compare(&right.binding(&core.prefix)));
    instances.into_iter().map(|instance| run(core, &words, occurrences, instance)).collect()
}

/// Runs one instance on these events.
pub(crate) fn run_of(core: &PluginCore, occurrences: &[Occurrence], instance: ParameterInstance) -> InstanceRun {
    run(core, &Words::new(core), occurrences, instance)
}

/// Follows one instance. Before it appears its events are those of its parts, the greatest of which is `current`.
fn run(core: &PluginCore, words: &Words<'_>, occurrences: &[Occurrence], instance: ParameterInstance) -> InstanceRun {
    let mut outcome = InstanceRun { instance, is_activated: false, violations: vec![], steps: vec![] };
    let mut current = ParameterInstance(vec![None; core.prefix.len()]);
    let mut runs: Vec<Word> = Vec::new();
    let mut links: Vec<&ParameterInstance> = Vec::new();
    let mut has_begun = false;
    for (place, occurrence) in occurrences.iter().enumerate() {
        if !occurrence.instance.is_part_of(&outcome.instance) {
            continue;
        }
        current = current.join(&occurrence.instance).expect("both are parts of one instance");
        let creates = core.letters[occurrence.letter.0 as usize].creates;
        // RULE L12
        match core.creation {
            _ if has_begun || creates => {}
            Creation::DropBefore => continue,
            Creation::Any | Creation::MustBeFirst => break,
        }
        links.push(&occurrence.instance);
        if !core.suffix && !has_begun {
            runs = vec![words.empty()];
        }
        has_begun = true;
        // RULE L13
        if core.suffix && creates {
            runs.push(words.empty());
        }
        runs = runs.iter().map(|run| words.next(run, occurrence.letter)).collect();
        let holds = |run: &Word| core.forbidden.iter().any(|one| words.has(run, &one.category));
        let holding = core.forbidden.iter().position(|one| runs.iter().any(|run| words.has(run, &one.category)));
        let has_appeared = current.is_equal(&outcome.instance);
        // RULE L16
        outcome.is_activated |= has_appeared && runs.iter().any(|run| words.can_violate(run));
        outcome.steps.push((place, words.categories(&runs)));
        // RULE L14
        let is_reported =
            (!core.full_binding || current.is_full()) && (!core.connected || are_linked(&current, &links));
        let Some(holding) = holding.filter(|_| is_reported) else { continue };
        if has_appeared {
            outcome.violations.push((place, holding));
        }
        if core.suffix {
            runs.retain(|run| !holds(run));
        }
        // RULE L15
        if core.forbidden[holding].resets {
            runs = if core.suffix { vec![] } else { vec![words.empty()] };
        }
    }
    outcome
}

/// Returns true if the parameters of an instance are linked by the parameters that events bind together.
// RULE L14
fn are_linked(instance: &ParameterInstance, events: &[&ParameterInstance]) -> bool {
    let bound: Vec<usize> = (0..instance.0.len()).filter(|parameter| instance.0[*parameter].is_some()).collect();
    let Some(first) = bound.first() else { return true };
    let mut linked = vec![*first];
    loop {
        let joins = |parameter: &&usize| {
            let has = |event: &&&ParameterInstance, one: usize| event.0[one].is_some();
            events.iter().any(|event| has(&event, **parameter) && linked.iter().any(|one| has(&event, *one)))
        };
        let new: Vec<usize> = bound.iter().filter(|one| !linked.contains(one)).filter(joins).copied().collect();
        if new.is_empty() {
            return linked.len() == bound.len();
        }
        linked.extend(new);
    }
}
