// SPDX-License-Identifier: MIT OR Apache-2.0
//! Partition analysis of mu-calculus formulae: events that no atom matches must not change which words can follow.
//!
//! The words that lead to `false` form a regular language. Its Glushkov automaton has a state for each action formula
//! and an initial state. The states that follow a state determine the possible continuations. An event of another class
//! must leave them unchanged in every state and must not complete a word. The initial state is left with the first
//! event of the whole trace, which a part may have to know ([`RequiredBounds`]).

use std::collections::{BTreeMap, BTreeSet};

use gnomon_core::list::{all_true, reachable};

use super::{
    Carrier, KeyCandidate, MissingKey, Partition, PartitionAnalysis, PartitionKey, PartitionReason,
    PartitionReasonKind, RequiredBounds, binds, candidates, carrier, reason, unseen_combination,
};
use crate::core::{ActionFormulaCore, AtomId, GuardCore, ModalCore, ModalNode, RegularCore};

/// More combinations of variables than these are not tried.
const MAX_TRIED: usize = 256;

/// One variable of each part must be the key: parts are by the variables that they are about.
pub(super) fn partition(asking: PartitionAnalysis<'_>, core: &ModalCore) -> Partition {
    let mut partition = Partition { keys: vec![], reasons: vec![] };
    let mut first = false;
    let mut choices: Vec<Vec<(String, Vec<Carrier>)>> = vec![vec![]];
    for part in core.parts() {
        if part.prefix.is_empty() {
            return Partition::refused(reason::no_variables(asking.property));
        }
        let mut found = Vec::new();
        for of in candidates(&part.prefix) {
            match carriers(asking, &part, of) {
                Ok((carriers, begins)) => {
                    first |= begins;
                    found.push((of.name.to_owned(), carriers));
                }
                Err(reason) if !partition.reasons.contains(&reason) => partition.reasons.push(reason),
                Err(_) => {}
            }
        }
        let longer = choices
            .iter()
            .flat_map(|choice| found.iter().map(move |one| choice.iter().chain([one]).cloned().collect::<Vec<_>>()));
        choices = longer.take(MAX_TRIED).collect();
    }
    for choice in choices.into_iter().filter(|choice| !choice.is_empty()) {
        let (mut names, groups): (Vec<String>, Vec<Vec<Carrier>>) = choice.into_iter().unzip();
        names.sort_unstable();
        names.dedup();
        let Ok(carriers) = carrier::joined(groups.into_iter().flatten()) else { continue };
        let required_bounds = RequiredBounds { first, last: false };
        let key = PartitionKey::new(names.join(", "), carriers, required_bounds, MissingKey::Ignored);
        if partition.keys.iter().all(|known| known.carriers != key.carriers) {
            partition.reasons.insert(partition.keys.len(), reason::bound(&key, asking.property.body_span));
            partition.keys.push(key);
        }
    }
    if partition.keys.is_empty() && partition.reasons.is_empty() {
        let text = "its parts are about different values: an event has them at different places".to_owned();
        let span = asking.property.body_span;
        partition.reasons.push(PartitionReason { kind: PartitionReasonKind::RelatesKeys, text, span });
    }
    partition
}

/// Returns the locations of the variable in one part of the formula, and true if the part needs the first event of the
/// trace.
fn carriers(
    asking: PartitionAnalysis<'_>,
    part: &ModalCore,
    of: KeyCandidate<'_>,
) -> Result<(Vec<Carrier>, bool), PartitionReason> {
    let words = GlushkovAutomaton::of(part);
    let mut used = BTreeSet::new();
    for action in &words.actions {
        action
            .each(&mut |part| used.extend(if let ActionFormulaCore::Event(atom) = part { Some(*atom) } else { None }));
    }
    for atom in used.iter().map(|id| &part.atoms[id.0 as usize]) {
        if !binds(atom, of.id) {
            return Err(asking.relates(atom, of));
        }
    }
    if let Some(why) = words.idle_difference() {
        let text = format!("its verdict depends on events of other values of `{}`: {why}", of.name);
        return Err(PartitionReason { kind: PartitionReasonKind::CountsPositions, text, span: part.span });
    }
    for other in candidates(&part.prefix).filter(|other| other.id != of.id) {
        let value = |atom: AtomId| binds(&part.atoms[atom.0 as usize], other.id).then_some(false);
        if words.is_completed(&value) {
            return Err(unseen_combination(of, other, part.span));
        }
    }
    let carriers = carrier::carriers(&part.atoms, of).map_err(|event| asking.two_places(of, &event))?;
    Ok((carriers, words.begins()))
}

/// The words that lead to something that may be false, as an automaton over places of action formulae.
#[derive(Default)]
struct GlushkovAutomaton<'a> {
    actions: Vec<&'a ActionFormulaCore>,
    /// After each of them, and at last in front of all, what may come next.
    next: BTreeMap<Option<usize>, BTreeSet<usize>>,
    /// After which of them a word is complete.
    complete: BTreeSet<Option<usize>>,
}

/// Positions inside a regular formula: behind one of its action formulae, or (`None`) in front of all.
type Ends = BTreeSet<Option<usize>>;

impl<'a> GlushkovAutomaton<'a> {
    fn of(part: &'a ModalCore) -> Self {
        let mut words = GlushkovAutomaton::default();
        words.node(&part.body, &Ends::from([None]));
        words
    }

    fn node(&mut self, node: &'a ModalNode, ends: &Ends) {
        match node {
            ModalNode::Data(GuardCore::Constant(true), _) => {}
            ModalNode::Data(..) => self.complete.extend(ends),
            ModalNode::And(parts) => parts.iter().for_each(|part| self.node(part, ends)),
            ModalNode::Forall(_, of) | ModalNode::Implies(_, of) => self.node(of, ends),
            ModalNode::Box(regular, of) => {
                let ends = self.regular(regular, ends);
                self.node(of, &ends);
            }
        }
    }

    fn regular(&mut self, regular: &'a RegularCore, ends: &Ends) -> Ends {
        match regular {
            RegularCore::Action(action) => {
                let place = self.actions.len();
                self.actions.push(action);
                for end in ends {
                    self.next.entry(*end).or_default().insert(place);
                }
                Ends::from([Some(place)])
            }
            RegularCore::Nil => ends.clone(),
            RegularCore::Then(left, right) => {
                let between = self.regular(left, ends);
                self.regular(right, &between)
            }
            RegularCore::Or(left, right) => {
                let mut after = self.regular(left, ends);
                after.extend(self.regular(right, ends));
                after
            }
            RegularCore::Star(of) | RegularCore::Plus(of) => {
                let first = self.actions.len();
                let mut after = self.regular(of, ends);
                // Whatever may begin it may come after it.
                let begins: BTreeSet<usize> = ends
                    .iter()
                    .filter_map(|end| self.next.get(end))
                    .flatten()
                    .copied()
                    .filter(|place| *place >= first)
                    .collect();
                for end in &after {
                    self.next.entry(*end).or_default().extend(&begins);
                }
                if let RegularCore::Star(_) = regular {
                    after.extend(ends);
                }
                after
            }
        }
    }

    /// Returns the reason why an event that no atom matches can make a difference, if it can.
    fn idle_difference(&self) -> Option<&'static str> {
        (0..self.actions.len()).find_map(|place| self.idle_difference_at(Some(place)))
    }

    /// Returns true if the first event of the trace makes a difference, even one that no atom matches.
    fn begins(&self) -> bool {
        self.complete.contains(&None) || self.idle_difference_at(None).is_some()
    }

    fn idle_difference_at(&self, place: Option<usize>) -> Option<&'static str> {
        let idle = |next: &&usize| truth(self.actions[**next], &|_| Some(false));
        let nothing = BTreeSet::new();
        let next = self.next.get(&place).unwrap_or(&nothing);
        if next.iter().any(|next| idle(&next).is_none()) {
            return Some("whether such an event is a letter of a word depends on data");
        }
        let chosen: Vec<usize> = next.iter().filter(|next| idle(next) == Some(true)).copied().collect();
        if chosen.iter().any(|chosen| self.complete.contains(&Some(*chosen))) {
            return Some("such an event may complete a word that is forbidden");
        }
        let after: BTreeSet<usize> =
            chosen.iter().flat_map(|chosen| self.next.get(&Some(*chosen)).unwrap_or(&nothing)).copied().collect();
        (after != *next).then_some("such an event in between makes a different word; `true*` or `(!a)*` permits it")
    }

    /// Returns true if a word can be completed when atoms have these values.
    fn is_completed(&self, value: &dyn Fn(AtomId) -> Option<bool>) -> bool {
        let may: Vec<bool> = self.actions.iter().map(|action| truth(action, value) != Some(false)).collect();
        let next = |place| {
            let all = self.next.get(&place).into_iter().flatten();
            all.filter(|next| may[**next]).map(|next| Some(*next))
        };
        !reachable([None], next).is_disjoint(&self.complete)
    }
}

/// Returns the value of an action formula, given the known atoms. Of data only constants are known.
fn truth(action: &ActionFormulaCore, atom: &dyn Fn(AtomId) -> Option<bool>) -> Option<bool> {
    let not = |value: Option<bool>| value.map(|value| !value);
    match action {
        ActionFormulaCore::Event(id) => atom(*id),
        ActionFormulaCore::Data(GuardCore::Constant(value)) => Some(*value),
        ActionFormulaCore::Data(_) => None,
        ActionFormulaCore::Not(of) => not(truth(of, atom)),
        ActionFormulaCore::And(left, right) => all_true([left, right].map(|of| truth(of, atom))),
        ActionFormulaCore::Or(left, right) => not(all_true([left, right].map(|of| not(truth(of, atom))))),
        // A sort is never empty.
        ActionFormulaCore::Quantified(_, _, of) => truth(of, atom),
    }
}
