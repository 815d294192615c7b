// SPDX-License-Identifier: MIT OR Apache-2.0
//! Logic plug-ins with parameters: one run of a body for each instance of the parameters.
//!
//! An event that binds parameters is an *instance*; all joins of compatible ones are instances, too. The *slice* of an instance are the letters
//! of the events that it contains. After each event, each instance that contains it has the category of its slice: a forbidden one is a
//! violation of the instance (RULE L4). This differs from the properties of [`slice`](crate::slice), which are about full bindings and
//! combine them by quantifiers: here partial instances report as well, and an instance exists from its first events on.
//!
//! # Example
//!
//! `ere: create next* modify modify* next` over `create(c, i)`, `modify(c)`, `next(i)`. State 0 is before the first letter, 2 after `create`, 3
//! after `modify`; `next` there is a match, and no continuation matches again.
//!
//! | event | what happens | stored afterwards |
//! |---|---|---|
//! | `modify(7)` | (7,_) can never match: not stored, but 7 is remembered for c | |
//! | `create(8, a)` | neither 8 nor a nor (8,a) came before: (8,a) is created from the empty instance | (8,a) in 2 |
//! | `create(7, b)` | 7 came before: the slice of (7,b) begins with `modify`, and nothing is created | (8,a) in 2 |
//! | `modify(8)` | visits (8,a) by the index on c; 8 is remembered for c | (8,a) in 3 |
//! | `next(a)` | visits (8,a) by the index on i: a match. It can never match again: removed, and remembered | |
//!
//! The joins (7,a), (8,b) and so on of unrelated events are instances by definition. They are never stored, because no word that begins
//! with the letters of one side can match.
//!
//! # From slices to states
//!
//! By definition an instance θ that arises at an event e has the letters of all earlier events in θ. The largest instance below θ that
//! existed before e has the same slice, as it is the join of these events. So θ begins with the state of that instance, its *source*, and the step
//! by e. The slicer looks for sources among the stored instances that agree with e ([`engine`]). A source is the largest if no event came that
//! is in θ but not in the source, which [`seen`] and the table of instances know. If the largest is not stored, it can report nothing more, and
//! neither can θ.
//!
//! - INVARIANT: every instance that may still report is stored, with the state of its slice.
//! - INVARIANT: for each set of parameters that matters for new instances ([`creation_rules`]), every binding of which an event came is stored as
//!   an instance or remembered.
//!
//! # Modules
//!
//! - [`engine`]: instances, their sources, reports. Uses the storage of the slicer.
//! - [`creation_rules`]: the sets of parameters of sources. [`seen`]: the bindings of events without an instance.
//! - [`runs`]: body, creation, `suffix`, resets and restrictions of reports as one automaton.
//! - [`drawing`], [`reports`]: automata as data, for drawings and translations.
//! - [`body`]: the automaton of a body; [`table`], [`ere`], [`linear`], [`past`], [`grammar`]: its kinds.
//!
//! COST: an event costs one lookup for each set of parameters of stored instances, and one step for each instance that contains it; a step is
//! one lookup in a table once its state is known. Memory: the instances that may still report, a bit or a few bytes for each remembered
//! binding, and the states in use of bodies without a table.

mod body;
mod creation_rules;
mod drawing;
mod engine;
mod ere;
mod grammar;
mod linear;
mod past;
mod reports;
mod runs;
mod seen;
mod table;

use gnomon_ir::core::{LetterSource, PluginCore};

use self::body::Body;
use self::creation_rules::CreationRules;
pub use self::drawing::{BodyGraph, body_graph};
pub(crate) use self::engine::PluginEngine;
pub use self::reports::{ReportAutomaton, report_automaton};
use self::runs::{INITIAL, LetterRule, RunRules, RunStates};
use self::table::{MOST_STATES, TooManyStates};
use crate::matcher::SliceTest;
use crate::slice::storage::Shape;
use crate::slice::storage::index::Mask;

/// The most states of runs that are computed when the plan is made.
const MOST_SHARED: usize = 4_096;

/// A property with a logic plug-in, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct PluginPlan {
    core: PluginCore,
    /// `None` if the body has too many states.
    machine: Option<Box<PluginMachine>>,
}

/// The compiled body and the facts that decide on instances.
#[derive(Clone, Debug)]
struct PluginMachine {
    rules: RunRules,
    creation_rules: CreationRules,
    shape: Shape,
    /// The states that each run begins with.
    first: RunStates,
    /// True if `first` has all states, so that runs share it.
    is_complete: bool,
    /// Every event binds the only parameter.
    is_keyed: bool,
    /// For each letter, true if it changes the initial state of a full instance.
    begins: Vec<bool>,
    /// The letter of the end of the trace.
    end: Option<usize>,
    /// The parameter that divides instances among shards.
    shared_by: Option<usize>,
}

/// A test for a letter.
#[derive(Clone, Debug)]
pub(crate) struct LetterTest {
    pub(crate) letter: usize,
    /// True if another test of the same name is for the same letter: the first that passes counts.
    pub(crate) is_repeated: bool,
    pub(crate) slice: SliceTest,
}

/// Returns the reason why a property is refused, if its body has no automaton of a reasonable size.
pub fn refusal(core: &PluginCore) -> Option<String> {
    Body::new(core).err().map(|TooManyStates| too_many_states())
}

fn too_many_states() -> String {
    format!("the body needs an automaton with more than {MOST_STATES} states")
}

impl PluginPlan {
    pub(crate) fn new(core: &PluginCore) -> Self {
        let machine = Body::new(core).ok().map(|body| Box::new(PluginMachine::new(core, body)));
        PluginPlan { machine, core: core.clone() }
    }
}

impl PluginMachine {
    fn new(core: &PluginCore, body: Body) -> Self {
        let variables = core.prefix.len();
        let letter = |letter: &gnomon_ir::core::LetterCore| LetterRule {
            mask: letter.parameters.iter().fold(0, |mask, id| mask | 1 << id.0),
            creates: letter.creates,
        };
        let letters: Vec<LetterRule> = core.letters.iter().map(letter).collect();
        let mut masks: Vec<Mask> = letters.iter().map(|letter| letter.mask).collect();
        masks.sort_unstable();
        masks.dedup();
        let shape = Shape::new(variables, masks);
        let rules = RunRules {
            body,
            letters,
            full: shape.full(),
            creation: core.creation,
            suffix: core.suffix,
            full_binding: core.full_binding,
            connected: core.connected,
            resets: core.forbidden.iter().map(|one| one.resets).collect(),
        };
        let mut first = RunStates::new(&rules);
        let has_few_masks = variables <= 8 || !rules.depends_on_mask();
        let is_complete = has_few_masks && matches!(rules.body, Body::Table(_)) && first.explore(&rules, MOST_SHARED);
        let creation_rules = CreationRules::new(&rules, &mut first, is_complete);
        if !is_complete {
            first = RunStates::new(&rules);
        }
        let full = first.with_mask(&rules, INITIAL, shape.full());
        let mut begins = |letter: usize| {
            let step = first.step(&rules, full, letter);
            step.target() != full || step.is_live()
        };
        let begins = (0..core.letters.len()).map(&mut begins).collect();
        let events =
            || core.letters.iter().zip(&rules.letters).filter(|(own, _)| own.source != LetterSource::EndOfTrace);
        let is_bound = |variable: &usize| events().all(|(_, letter)| letter.mask >> variable & 1 == 1);
        PluginMachine {
            is_keyed: variables == 1 && is_bound(&0),
            shared_by: (0..variables).find(is_bound),
            end: core.letters.iter().position(|letter| letter.source == LetterSource::EndOfTrace),
            begins,
            creation_rules,
            shape,
            first,
            is_complete,
            rules,
        }
    }
}

#[cfg(test)]
mod tests;
