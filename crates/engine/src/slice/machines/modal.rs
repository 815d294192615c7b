// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae of the mu-calculus as a machine.
//!
//! A formula describes words of events that must not occur. The state of an instance is a set of partial derivatives
//! (`modal/derivatives.rs`): the expressions for the remaining of those words that may still come. A derivative with a violation
//! condition that holds means that a word is complete. Where no data decide, the sets are numbered (`modal/table.rs`).

mod action;
mod derivatives;
mod table;

use std::collections::BTreeSet;

use gnomon_core::verdict::{Cause, End, Origin, Outcome, TracePosition, Verdict};
use gnomon_ir::core::{ActionFormulaCore, GuardCore, ModalCore};
use serde::{Deserialize, Serialize};

use self::action::{ActionEvaluator, guards_in};
use self::derivatives::{DerivativeId, Derivatives};
use self::table::ModalTable;
use super::guard::{GuardScope, holds, quantified_among};
use super::recorder::{self, Recorder};
use super::subsets::{Set, Subsets};
use crate::accounting::{ObligationRecord, Trigger, ViolationLog};
use crate::slice::machine::{
    Attention, BindingPosition, Capabilities, Extent, Machine, Matches, NewInstance, Schedule, Sink,
};
use crate::slice::storage::index::{Mask, lacks};
use crate::slice::storage::values::{Id, ValueInterner};

pub(crate) use action::has_sort;

/// A formula ready to run.
///
/// COST: a look into a table per event that concerns the binding; with data, O(size of the formula).
#[derive(Clone, Debug)]
pub(crate) struct ModalFormula {
    core: ModalCore,
    derivatives: Derivatives,
    table: Option<ModalTable>,
    /// For each derivative, the letters that may come next.
    letters: Vec<BTreeSet<usize>>,
    initial_letters: BTreeSet<usize>,
    /// The quantified variables that conditions mention.
    guarded: Mask,
    /// Action formulae mention them: values decide where events lead, not only whether that is a violation.
    steps_by_value: bool,
    /// Events that match nothing do nothing, whatever came before.
    ignores_unmatched: bool,
}

/// The state of one binding.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ModalState {
    remainder: Remainder,
    /// An event has occurred. The empty word counts only before the first one.
    begun: bool,
    /// The letters that may come next were once different from the initial ones.
    activated: bool,
    violated: bool,
    /// The events so far, while a variable that conditions read has no value.
    log: Vec<ModalLogEntry>,
    counted: Option<Box<ObligationRecord>>,
    most_listed: usize,
}

/// The derivatives that remain.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
enum Remainder {
    /// A set that the table knows.
    Set(Set),
    /// Sorted numbers of derivatives.
    Derivatives(Vec<DerivativeId>),
}

/// An event of a binding of which not all values were known.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ModalLogEntry {
    position: u64,
    first: Origin,
    effect: LoggedEffect,
}

/// The part of a logged event that a later replay needs.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum LoggedEffect {
    /// The matches: values decide where the event leads.
    Matches(Matches),
    /// The remainders before the first event and after this one: values decide whether they are violations.
    Remainder(Option<Remainder>, Remainder),
}

impl ModalFormula {
    pub(crate) fn new(core: &ModalCore) -> Self {
        let derivatives = Derivatives::new(&core.body);
        let letters = derivatives.letters();
        let table = ModalTable::new(&derivatives, &letters, core.atoms.len());
        let initial_letters = union(&letters, derivatives.initial.iter().copied());
        let ignores_unmatched = match &table {
            Some(table) => table.ignores_unmatched_after_first(),
            None => (0..derivatives.moves.len()).all(|derivative| ignores_unmatched(&derivatives, derivative)),
        };
        let quantified = core.prefix.len();
        let in_actions = mentioned_in_actions(&derivatives, quantified);
        let guarded = in_actions | mentioned_in_conditions(&derivatives, quantified);
        let steps_by_value = in_actions != 0;
        ModalFormula {
            core: core.clone(),
            derivatives,
            table,
            letters,
            initial_letters,
            guarded,
            steps_by_value,
            ignores_unmatched,
        }
    }

    fn initial(&self) -> Remainder {
        if self.table.is_some() {
            Remainder::Set(Subsets::INITIAL)
        } else {
            Remainder::Derivatives(self.derivatives.initial.clone())
        }
    }

    fn after(&self, remainder: &Remainder, at: &BindingPosition<'_>) -> Remainder {
        match (remainder, &self.table) {
            (Remainder::Set(set), Some(table)) => Remainder::Set(table.subsets.step(*set, at.letter() as usize)),
            (Remainder::Derivatives(remaining), _) => {
                let mut evaluator = ActionEvaluator::new(at, &self.core.locals);
                let mut known: Vec<Option<bool>> = vec![None; self.derivatives.actions.len()];
                let mut after: Vec<DerivativeId> = Vec::with_capacity(remaining.len());
                for one in remaining.iter().flat_map(|derivative| &self.derivatives.moves[*derivative]) {
                    let holds = known[one.action];
                    let holds = holds.unwrap_or_else(|| evaluator.holds(&self.derivatives.actions[one.action]));
                    known[one.action] = Some(holds);
                    if holds && !after.contains(&one.to) {
                        after.push(one.to);
                    }
                }
                after.sort_unstable();
                Remainder::Derivatives(after)
            }
            (Remainder::Set(_), None) => remainder.clone(),
        }
    }

    /// Returns true if reaching a remainder is a violation for a binding.
    fn is_violation(&self, remainder: &Remainder, ids: &[Id], values: &ValueInterner) -> bool {
        match (remainder, &self.table) {
            (Remainder::Set(set), Some(table)) => table.is_violation[*set as usize],
            (Remainder::Derivatives(remaining), _) => {
                let scope = GuardScope { ids, values, registers: &[] };
                remaining.iter().flat_map(|derivative| &self.derivatives.violation_conditions[*derivative]).any(
                    |condition| {
                        condition.assumptions.iter().all(|assumption| holds(assumption, &scope))
                            && !holds(&condition.required, &scope)
                    },
                )
            }
            (Remainder::Set(_), None) => false,
        }
    }

    /// Returns true if the letters that may come next are the initial ones.
    #[inline]
    fn allows_initial_letters(&self, remainder: &Remainder) -> bool {
        match (remainder, &self.table) {
            (Remainder::Set(set), Some(table)) => table.like_initial[*set as usize],
            (Remainder::Derivatives(remaining), _) => {
                union(&self.letters, remaining.iter().copied()) == self.initial_letters
            }
            (Remainder::Set(_), None) => true,
        }
    }

    /// Returns true if no letter may come next.
    fn is_over(&self, remainder: &Remainder) -> bool {
        match (remainder, &self.table) {
            (Remainder::Set(set), Some(table)) => table.over[*set as usize],
            (Remainder::Derivatives(remaining), _) => {
                remaining.iter().all(|derivative| self.letters[*derivative].is_empty())
            }
            (Remainder::Set(_), None) => false,
        }
    }

    fn happen(&self, state: &mut ModalState, at: &BindingPosition<'_>, sink: &mut Sink<'_>) {
        let lacks_values = lacks(at.ids, self.guarded);
        if lacks_values && self.steps_by_value {
            let effect = LoggedEffect::Matches(at.matches.extract(at.applying));
            state.log.push(ModalLogEntry { position: at.position, first: *at.first, effect });
            return;
        }
        // RULE W8: the empty word counts for the first event.
        let before = (!state.begun).then(|| state.remainder.clone());
        state.begun = true;
        let after = self.after(&state.remainder, at);
        if after != state.remainder {
            state.remainder = after;
            if !state.activated && !self.allows_initial_letters(&state.remainder) {
                state.activated = true;
                Recorder::with(sink, &mut state.counted, |recorder| recorder.totals.activated += 1);
            }
        }
        let is_violation = |remainder: &Remainder| self.is_violation(remainder, at.ids, at.values);
        if !lacks_values {
            if before.as_ref().is_some_and(is_violation) || is_violation(&state.remainder) {
                self.violate(state, at.position, at.first, sink);
            }
        } else if before.iter().chain([&state.remainder]).any(|remainder| self.may_violate(remainder)) {
            let effect = LoggedEffect::Remainder(before, state.remainder.clone());
            state.log.push(ModalLogEntry { position: at.position, first: *at.first, effect });
        }
    }

    fn violate(&self, state: &mut ModalState, position: u64, first: &Origin, sink: &mut Sink<'_>) {
        state.violated = true;
        let at = TracePosition { position, origin: *first };
        let why = Trigger::Position { position, decider: first, letter: 0 };
        Recorder::with(sink, &mut state.counted, |recorder| {
            recorder.totals.violate(1, why);
            recorder.log.record(at, position, self.core.span, why, || {
                let because = vec![Cause { origin: at.origin, note: "completes the word".to_owned() }];
                (self.core.span, ("this completes a word that must not be seen".to_owned(), because))
            });
        });
    }

    /// Returns true if reaching a remainder is a violation for some values.
    fn may_violate(&self, remainder: &Remainder) -> bool {
        match (remainder, &self.table) {
            (Remainder::Set(set), Some(table)) => table.is_violation[*set as usize],
            (Remainder::Derivatives(remaining), _) => {
                remaining.iter().any(|derivative| !self.derivatives.violation_conditions[*derivative].is_empty())
            }
            (Remainder::Set(_), None) => false,
        }
    }
}

fn union(letters: &[BTreeSet<usize>], remaining: impl Iterator<Item = DerivativeId>) -> BTreeSet<usize> {
    remaining.flat_map(|derivative| letters[derivative].iter().copied()).collect()
}

/// Returns true if an event that matches nothing leaves a derivative unchanged and is not a violation there.
fn ignores_unmatched(derivatives: &Derivatives, rest: DerivativeId) -> bool {
    // A derivative without moves is dropped by the next event, whichever it is.
    if derivatives.moves[rest].is_empty() {
        return true;
    }
    let mut stays = false;
    for one in &derivatives.moves[rest] {
        match without_atoms(&derivatives.actions[one.action]) {
            Some(false) => {}
            // The initial derivative moves to the ones that it stands for.
            Some(true) if one.to == rest || derivatives.initial.contains(&rest) => stays = true,
            Some(true) | None => return false,
        }
    }
    stays && derivatives.violation_conditions[rest].is_empty()
}

/// Evaluates an action formula for an event that matches nothing; `None` if values decide.
fn without_atoms(action: &ActionFormulaCore) -> Option<bool> {
    match action {
        ActionFormulaCore::Event(_) => Some(false),
        ActionFormulaCore::Data(GuardCore::Constant(truth)) => Some(*truth),
        ActionFormulaCore::Data(_) => None,
        ActionFormulaCore::Not(of) => without_atoms(of).map(|truth| !truth),
        ActionFormulaCore::And(left, right) => match (without_atoms(left), without_atoms(right)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        ActionFormulaCore::Or(left, right) => match (without_atoms(left), without_atoms(right)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        // Equal for every value.
        ActionFormulaCore::Quantified(_, _, of) => without_atoms(of),
    }
}

/// Returns the quantified variables that conditions on a binding mention.
fn mentioned_in_conditions(derivatives: &Derivatives, quantified: usize) -> Mask {
    let mut variables = Vec::new();
    for condition in derivatives.violation_conditions.iter().flatten() {
        condition.assumptions.iter().chain([&condition.required]).for_each(|data| data.variables(&mut variables));
    }
    quantified_among(&variables, quantified)
}

/// Returns the quantified variables that conditions in action formulae mention.
fn mentioned_in_actions(derivatives: &Derivatives, quantified: usize) -> Mask {
    let mut variables = Vec::new();
    for action in &derivatives.actions {
        guards_in(action, &mut |data| data.variables(&mut variables));
    }
    quantified_among(&variables, quantified)
}

impl Machine for ModalFormula {
    type State = ModalState;
    type Scratch = ();

    fn capabilities(&self) -> Capabilities {
        let is_table = self.table.is_some();
        Capabilities {
            guarded_variables: self.guarded,
            is_time_invariant: is_table,
            visits_every_position: !self.ignores_unmatched,
            heap_bytes: if is_table { 0 } else { 64 + 8 * self.derivatives.moves.len() },
            span: self.core.span,
            looks_ahead: true,
            ..Capabilities::default()
        }
    }

    fn start(&self, max_violations: usize) -> ModalState {
        ModalState {
            remainder: self.initial(),
            begun: false,
            activated: false,
            violated: false,
            log: vec![],
            counted: None,
            most_listed: max_violations,
        }
    }

    fn visit(&self, state: &mut ModalState, (): &mut (), at: &BindingPosition<'_>, sink: &mut Sink<'_>) {
        self.happen(state, at, sink);
    }

    fn reacts(&self, state: &ModalState, at: &BindingPosition<'_>) -> bool {
        let after = self.after(&state.remainder, at);
        after != state.remainder || self.is_violation(&after, at.ids, at.values)
    }

    fn split(
        &self,
        from: &ModalState,
        &NewInstance { ids, values, binds_guarded, .. }: &NewInstance<'_>,
    ) -> ModalState {
        if !binds_guarded || (!self.steps_by_value && lacks(ids, self.guarded)) {
            return from.clone();
        }
        let mut state =
            if self.steps_by_value { self.start(from.most_listed) } else { ModalState { log: vec![], ..from.clone() } };
        let sink = &mut Sink { totals: None, found: &mut ViolationLog::new(from.most_listed) };
        for ModalLogEntry { position, first, effect } in &from.log {
            match effect {
                LoggedEffect::Matches(matches) => {
                    let applying: Vec<u32> = (0..matches.len() as u32).collect();
                    let at = BindingPosition {
                        position: *position,
                        first,
                        previous: None,
                        matches,
                        applying: &applying,
                        ids,
                        values,
                    };
                    self.happen(&mut state, &at, sink);
                }
                LoggedEffect::Remainder(before, after) => {
                    if before.iter().chain([after]).any(|remainder| self.is_violation(remainder, ids, values)) {
                        self.violate(&mut state, *position, first, sink);
                    }
                }
            }
        }
        state
    }

    fn schedule(&self, state: &ModalState) -> Schedule {
        // An activation is remembered, so the state is not the initial one again.
        let untouched = !state.activated && !state.violated && state.log.is_empty();
        Schedule::untimed(untouched && self.allows_initial_letters(&state.remainder))
    }

    fn attention(&self, state: &ModalState) -> Attention {
        let (is_over, ignores_unmatched) = match (&state.remainder, &self.table) {
            (Remainder::Set(set), Some(table)) => {
                (table.subsets.members[*set as usize] == 0, table.ignores_unmatched[*set as usize])
            }
            (Remainder::Derivatives(remaining), _) => (remaining.is_empty(), self.ignores_unmatched),
            (Remainder::Set(_), None) => (false, self.ignores_unmatched),
        };
        match () {
            () if is_over && state.log.is_empty() => Attention::Nothing,
            // The first event must be visited in any case.
            () if state.begun && ignores_unmatched => Attention::Matches,
            () => Attention::Every,
        }
    }

    #[inline]
    fn record<'s>(&self, state: &'s ModalState) -> Option<&'s ObligationRecord> {
        state.counted.as_deref()
    }

    fn record_mut<'s>(&self, state: &'s mut ModalState) -> Option<&'s mut ObligationRecord> {
        state.counted.as_deref_mut()
    }

    fn finish(&self, state: &mut ModalState, (): &mut (), extent: Extent, end: End) -> Outcome {
        let mut counted = recorder::take(&mut state.counted, extent.most_listed);
        if state.activated && !state.violated {
            match end {
                End::Complete => counted.totals.satisfied = 1,
                End::Prefix => counted.totals.pending = 1,
            }
        }
        let is_over = state.begun && self.is_over(&state.remainder);
        if end == End::Prefix && !state.violated && is_over {
            return counted.outcome(Verdict::Holds, None, extent.positions);
        }
        counted.conclude(end, !state.violated, extent.positions)
    }
}
