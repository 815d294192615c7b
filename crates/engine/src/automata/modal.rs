// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae of the mu-calculus as the machine of a binding: what is left of the words that must not be seen.

mod action;
mod table;
mod words;

use std::collections::BTreeSet;

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Timestamp;
use gnomon_core::verdict::{At, Because, End, Origin, Outcome, Verdict, Violation};
use gnomon_ir::core::{ActionFormula, DataCore, ModalCore};
use gnomon_ir::pattern::VariableId;
use serde::{Deserialize, Serialize};

use self::action::{Sight, is_true};
use self::table::{Set, Table};
use self::words::{Rest, Words};
use super::desk::{Cause, Counted, Desk};
use super::guard::{Scope, in_expression};
use crate::slice::Named;
use crate::slice::machine::{Extent, Machine, Moment, Sink};
use crate::slice::matches::{Mask, Matches};
use crate::slice::values::{Id, NONE, Values};

pub(crate) use action::is_of;

/// A formula ready to run.
///
/// COST: a look into a table per event that concerns the binding; with data, O(size of the formula).
#[derive(Clone, Debug)]
pub(crate) struct Modal {
    core: ModalCore,
    words: Words,
    table: Option<Table>,
    /// For each rest, the letters that may come next.
    letters: Vec<BTreeSet<usize>>,
    initial_letters: BTreeSet<usize>,
    /// The quantified variables that data speak of.
    splits: Mask,
    /// Whether action formulae speak of them: then values decide where events lead, not only whether that is a violation.
    steps_by_value: bool,
    /// Whether events that match nothing do nothing, whatever came before.
    rests: bool,
}

/// The state of one binding.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Reading {
    left: Left,
    /// Whether an event has been seen: only before the first one may the empty word count.
    begun: bool,
    /// Whether what may come next was ever different from the beginning.
    activated: bool,
    violated: bool,
    /// What has happened, while a variable that data speak of has no value.
    log: Vec<Entry>,
    counted: Option<Box<Counted>>,
    most_listed: usize,
}

/// What is left of the words.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
enum Left {
    /// A set that the table knows.
    Set(Set),
    /// These, in order.
    Rests(Vec<Rest>),
}

/// An event that concerned a binding of which not all values were known.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    position: u64,
    first: Origin,
    kept: Kept,
}

/// What is kept of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Kept {
    /// What it was, because values decide where it leads.
    Matches(Matches),
    /// Where it led, because values decide whether that is a violation: what was left before the first event, and after it.
    Left(Option<Left>, Left),
}

impl Modal {
    pub(crate) fn new(core: &ModalCore) -> Self {
        let words = Words::new(&core.body);
        let letters = words.letters();
        let table = Table::new(&words, &letters, core.atoms.len());
        let initial_letters = union(&letters, words.initial.iter().copied());
        let rests = match &table {
            Some(table) => table.rests_after_first(),
            None => (0..words.moves.len()).all(|rest| rests_alone(&words, rest)),
        };
        let quantified = core.prefix.len();
        let in_actions = mentioned_in_actions(&words, quantified);
        let splits = in_actions | mentioned_in_breaches(&words, quantified);
        let steps_by_value = in_actions != 0;
        Modal { core: core.clone(), words, table, letters, initial_letters, splits, steps_by_value, rests }
    }

    /// Whether events that it does not name matter.
    pub(crate) fn looks_at_all(&self) -> bool {
        !self.rests
    }

    fn beginning(&self) -> Left {
        if self.table.is_some() { Left::Set(Table::INITIAL) } else { Left::Rests(self.words.initial.clone()) }
    }

    fn after(&self, left: &Left, moment: &Moment<'_>) -> Left {
        match (left, &self.table) {
            (Left::Set(set), Some(table)) => Left::Set(table.step(*set, moment.letter() as usize)),
            (Left::Rests(rests), _) => {
                let mut sight = Sight { moment, locals: vec![None; self.core.locals.len()], sorts: &self.core.locals };
                let mut known: Vec<Option<bool>> = vec![None; self.words.actions.len()];
                let mut after: Vec<Rest> = Vec::with_capacity(rests.len());
                for one in rests.iter().flat_map(|rest| &self.words.moves[*rest]) {
                    let holds = known[one.action];
                    let holds = holds.unwrap_or_else(|| sight.holds(&self.words.actions[one.action]));
                    known[one.action] = Some(holds);
                    if holds && !after.contains(&one.to) {
                        after.push(one.to);
                    }
                }
                after.sort_unstable();
                Left::Rests(after)
            }
            (Left::Set(_), None) => left.clone(),
        }
    }

    /// Whether it is a violation to have come here.
    fn breaks(&self, left: &Left, ids: &[Id], values: &Values) -> bool {
        match (left, &self.table) {
            (Left::Set(set), Some(table)) => table.breaks[*set as usize],
            (Left::Rests(rests), _) => {
                let scope = Scope { ids, values, registers: &[] };
                rests.iter().flat_map(|rest| &self.words.breaches[*rest]).any(|breach| {
                    breach.given.iter().all(|given| is_true(given, &scope)) && !is_true(&breach.broken, &scope)
                })
            }
            (Left::Set(_), None) => false,
        }
    }

    /// Whether the same letters may come next as at the beginning.
    #[inline]
    fn is_like_first(&self, left: &Left) -> bool {
        match (left, &self.table) {
            (Left::Set(set), Some(table)) => table.like_first[*set as usize],
            (Left::Rests(rests), _) => union(&self.letters, rests.iter().copied()) == self.initial_letters,
            (Left::Set(_), None) => true,
        }
    }

    /// Whether no letter may come next.
    fn is_over(&self, left: &Left) -> bool {
        match (left, &self.table) {
            (Left::Set(set), Some(table)) => table.over[*set as usize],
            (Left::Rests(rests), _) => rests.iter().all(|rest| self.letters[*rest].is_empty()),
            (Left::Set(_), None) => false,
        }
    }

    /// Whether a variable that data speak of has no value.
    fn is_split(&self, ids: &[Id]) -> bool {
        (0..ids.len()).any(|at| self.splits >> at & 1 == 1 && ids[at] == NONE)
    }

    fn happen(&self, state: &mut Reading, moment: &Moment<'_>, sink: &mut Sink<'_>) {
        let is_split = self.is_split(moment.ids);
        if is_split && self.steps_by_value {
            let kept = Kept::Matches(moment.matches.extract(moment.applying));
            state.log.push(Entry { position: moment.position, first: *moment.first, kept });
            return;
        }
        // RULE W8: the empty word counts for the first event.
        let before = (!state.begun).then(|| state.left.clone());
        state.begun = true;
        let after = self.after(&state.left, moment);
        if after != state.left {
            state.left = after;
            if !state.activated && !self.is_like_first(&state.left) {
                state.activated = true;
                Desk::with(sink, &mut state.counted, |desk| desk.sum.activated += 1);
            }
        }
        let breaks = |left: &Left| self.breaks(left, moment.ids, moment.values);
        if !is_split {
            if before.as_ref().is_some_and(breaks) || breaks(&state.left) {
                self.violate(state, moment.position, moment.first, sink);
            }
        } else if before.iter().chain([&state.left]).any(|left| self.may_break(left)) {
            let kept = Kept::Left(before, state.left.clone());
            state.log.push(Entry { position: moment.position, first: *moment.first, kept });
        }
    }

    fn violate(&self, state: &mut Reading, position: u64, first: &Origin, sink: &mut Sink<'_>) {
        state.violated = true;
        let at = At { position, origin: *first };
        let why = Cause::Position { position, decider: first, letter: 0 };
        Desk::with(sink, &mut state.counted, |desk| {
            desk.sum.violated += 1;
            desk.list(at, position, self.core.span, why, || {
                let because = vec![Because { origin: at.origin, note: "completes the word".to_owned() }];
                ("this completes a word that must not be seen".to_owned(), because)
            });
        });
    }

    /// Whether some values make it a violation to have come here.
    fn may_break(&self, left: &Left) -> bool {
        match (left, &self.table) {
            (Left::Set(set), Some(table)) => table.breaks[*set as usize],
            (Left::Rests(rests), _) => rests.iter().any(|rest| !self.words.breaches[*rest].is_empty()),
            (Left::Set(_), None) => false,
        }
    }
}

fn union(letters: &[BTreeSet<usize>], rests: impl Iterator<Item = Rest>) -> BTreeSet<usize> {
    rests.flat_map(|rest| letters[rest].iter().copied()).collect()
}

/// Whether an event that matches nothing leaves a rest as it is, and breaks nothing there.
fn rests_alone(words: &Words, rest: Rest) -> bool {
    // What nothing can follow is gone with the next event, whichever it is.
    if words.moves[rest].is_empty() {
        return true;
    }
    let mut stays = false;
    for one in &words.moves[rest] {
        match without_atoms(&words.actions[one.action]) {
            Some(false) => {}
            // The beginning is left for what it stands for.
            Some(true) if one.to == rest || words.initial.contains(&rest) => stays = true,
            Some(true) | None => return false,
        }
    }
    stays && words.breaches[rest].is_empty()
}

/// What an action formula is of an event that matches nothing; `None` if values decide.
fn without_atoms(action: &ActionFormula) -> Option<bool> {
    match action {
        ActionFormula::Event(_) => Some(false),
        ActionFormula::Data(DataCore::Constant(truth)) => Some(*truth),
        ActionFormula::Data(_) => None,
        ActionFormula::Not(of) => without_atoms(of).map(|truth| !truth),
        ActionFormula::And(left, right) => match (without_atoms(left), without_atoms(right)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        ActionFormula::Or(left, right) => match (without_atoms(left), without_atoms(right)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        // Whatever the value is.
        ActionFormula::Quantified(_, _, of) => without_atoms(of),
    }
}

/// The quantified variables that conditions on a binding speak of.
fn mentioned_in_breaches(words: &Words, quantified: usize) -> Mask {
    let breaches = words.breaches.iter().flatten();
    let conditions = breaches.flat_map(|breach| breach.given.iter().chain([&breach.broken]));
    noted(quantified, |note| conditions.for_each(|data| in_data(data, note)))
}

/// The quantified variables that conditions in action formulae speak of.
fn mentioned_in_actions(words: &Words, quantified: usize) -> Mask {
    noted(quantified, |note| words.actions.iter().for_each(|action| in_action(action, note)))
}

fn noted(quantified: usize, tell: impl FnOnce(&mut dyn FnMut(VariableId))) -> Mask {
    let mut mask = 0;
    tell(&mut |id: VariableId| {
        if (id.0 as usize) < quantified {
            mask |= 1 << id.0;
        }
    });
    mask
}

fn in_action(action: &ActionFormula, note: &mut dyn FnMut(VariableId)) {
    match action {
        ActionFormula::Event(_) => {}
        ActionFormula::Data(data) => in_data(data, note),
        ActionFormula::Not(of) | ActionFormula::Quantified(_, _, of) => in_action(of, note),
        ActionFormula::And(left, right) | ActionFormula::Or(left, right) => {
            in_action(left, note);
            in_action(right, note);
        }
    }
}

fn in_data(data: &DataCore, note: &mut dyn FnMut(VariableId)) {
    match data {
        DataCore::Constant(_) => {}
        DataCore::Compare(left, _, right) => {
            in_expression(left, note);
            in_expression(right, note);
        }
        DataCore::Not(of) => in_data(of, note),
        DataCore::And(left, right) | DataCore::Or(left, right) => {
            in_data(left, note);
            in_data(right, note);
        }
    }
}

impl Machine for Modal {
    type State = Reading;
    type Scratch = ();
    const COUNTS_IN_SINK: bool = true;

    fn scratch(&self) {}

    fn start(&self, max_violations: usize) -> Reading {
        Reading {
            left: self.beginning(),
            begun: false,
            activated: false,
            violated: false,
            log: vec![],
            counted: None,
            most_listed: max_violations,
        }
    }

    fn visit(&self, state: &mut Reading, (): &mut (), moment: &Moment<'_>, sink: &mut Sink<'_>) {
        self.happen(state, moment, sink);
    }

    fn reacts(&self, state: &Reading, moment: &Moment<'_>) -> bool {
        let after = self.after(&state.left, moment);
        after != state.left || self.breaks(&after, moment.ids, moment.values)
    }

    fn splits(&self) -> Mask {
        self.splits
    }

    fn replay(&self, from: &Reading, ids: &[Id], values: &Values) -> Reading {
        if !self.steps_by_value && self.is_split(ids) {
            return from.clone();
        }
        let mut state = if self.steps_by_value {
            Machine::start(self, from.most_listed)
        } else {
            Reading { log: vec![], ..from.clone() }
        };
        let sink = &mut Sink { sum: None, found: &mut vec![], most_listed: from.most_listed };
        for Entry { position, first, kept } in &from.log {
            match kept {
                Kept::Matches(matches) => {
                    let applying: Vec<u32> = (0..matches.len() as u32).collect();
                    let moment = Moment { position: *position, first, matches, applying: &applying, ids, values };
                    self.happen(&mut state, &moment, sink);
                }
                Kept::Left(before, after) => {
                    if before.iter().chain([after]).any(|left| self.breaks(left, ids, values)) {
                        self.violate(&mut state, *position, first, sink);
                    }
                }
            }
        }
        state
    }

    fn advance(&self, _: &mut Reading, (): &mut (), _: Timestamp, _: usize) {}

    fn skips_idle(&self, state: &Reading) -> bool {
        // The first event is looked at in any case.
        state.begun
            && match (&state.left, &self.table) {
                (Left::Set(set), Some(table)) => table.rests[*set as usize],
                _ => self.rests,
            }
            || self.is_settled(state)
    }

    fn deadline(&self, _: &Reading) -> Timestamp {
        Timestamp::MAX
    }

    fn busy_until(&self, state: &Reading) -> Timestamp {
        // Whether it was ever activated is remembered.
        let untouched = !state.activated && !state.violated && state.log.is_empty();
        if untouched && self.is_like_first(&state.left) { Timestamp::MIN } else { Timestamp::MAX }
    }

    fn is_settled(&self, state: &Reading) -> bool {
        let is_over = match (&state.left, &self.table) {
            (Left::Set(set), Some(table)) => table.members[*set as usize] == 0,
            (Left::Rests(rests), _) => rests.is_empty(),
            (Left::Set(_), None) => false,
        };
        is_over && state.log.is_empty()
    }

    fn has_counted(&self, state: &Reading) -> bool {
        state.counted.is_some()
    }

    fn violations<'s>(&self, state: &'s Reading) -> (u64, &'s [Violation]) {
        state.counted.as_ref().map_or((0, &[]), |counted| counted.violations())
    }

    fn trim(&self, state: &mut Reading, keep: usize) {
        Counted::trim(&mut state.counted, keep);
    }

    fn outcome(&self, state: &Reading) -> Outcome {
        let counted = state.counted.as_ref().map_or_else(|| Counted::new(0), |counted| (**counted).clone());
        counted.outcome(Verdict::Inconclusive, None, 0)
    }

    fn finish(&self, state: &mut Reading, (): &mut (), extent: Extent, end: End) -> Outcome {
        let mut counted = state.counted.take().map_or_else(|| Counted::new(extent.most_listed), |counted| *counted);
        if state.activated && !state.violated {
            match end {
                End::Complete => counted.sum.satisfied = 1,
                End::Prefix => counted.sum.pending = 1,
            }
        }
        let is_over = state.begun && self.is_over(&state.left);
        if end == End::Prefix && !state.violated && is_over {
            return counted.outcome(Verdict::Holds, None, extent.positions);
        }
        counted.conclude(end, !state.violated, extent.positions)
    }

    fn name(&self, _: &mut Reading, _: Named) {}

    fn admits(&self, _: &[Id], _: &Values) -> bool {
        true
    }

    fn is_choosy(&self) -> bool {
        false
    }

    fn whole(&self) -> (Span, bool) {
        (self.core.span, true)
    }

    fn remembers_all(&self) -> bool {
        false
    }

    fn is_steady(&self) -> bool {
        self.table.is_some()
    }

    fn weight(&self) -> usize {
        if self.table.is_some() { 0 } else { 64 + 8 * self.words.moves.len() }
    }
}
