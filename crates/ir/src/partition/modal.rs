// SPDX-License-Identifier: MIT OR Apache-2.0
//! Formulae of the mu-calculus: every event is a letter, so words must not tell letters that no atom matches.
//!
//! The words that lead to something false are those of an automaton (after Glushkov: a state for each action formula, and
//! the one before the first). What may still come after a word is known from the states that follow. An event of another class
//! must leave that as it is, in every state, and must not itself complete a word. The state before the first is left by the trace's first
//! event, of which a part can be told.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Asking, Carrier, Key, Partition, Reason, ReasonKind, Told, Variable, Without, binds, carrier, reason, unseen,
};
use crate::core::{ActionFormula, AtomId, DataCore, ModalCore, ModalNode, RegularCore};
use crate::pattern::VariableId;

/// More combinations of variables than these are not tried.
const MOST_TRIED: usize = 256;

/// One variable of each part must be the key: parts are by the variables that they are about.
pub(super) fn partition(asking: Asking<'_>, core: &ModalCore) -> Partition {
    let mut partition = Partition { keys: vec![], reasons: vec![] };
    let mut first = false;
    let mut choices: Vec<Vec<(String, Vec<Carrier>)>> = vec![vec![]];
    for part in core.parts() {
        if part.prefix.is_empty() {
            partition.reasons = vec![reason::no_variables(asking.property)];
            return partition;
        }
        let mut found = Vec::new();
        for (number, quantifier) in (0_u32..).zip(&part.prefix) {
            let of = Variable { id: VariableId(number), name: &quantifier.variable };
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
        choices = longer.take(MOST_TRIED).collect();
    }
    for choice in choices.into_iter().filter(|choice| !choice.is_empty()) {
        let (mut names, groups): (Vec<String>, Vec<Vec<Carrier>>) = choice.into_iter().unzip();
        names.sort_unstable();
        names.dedup();
        let Some(carriers) = carrier::joined(groups) else { continue };
        let fields = carrier::fields(&carriers);
        let key = Key {
            variable: names.join(", "),
            carriers,
            fields,
            told: Told { first, last: false },
            without: Without::Ignored,
        };
        if partition.keys.iter().all(|known| known.carriers != key.carriers) {
            partition.reasons.insert(partition.keys.len(), reason::bound(&key, asking.property.body_span));
            partition.keys.push(key);
        }
    }
    if partition.keys.is_empty() && partition.reasons.is_empty() {
        let text = "its parts are about different values: an event has them at different places".to_owned();
        partition.reasons.push(Reason { kind: ReasonKind::RelatesKeys, text, span: asking.property.body_span });
    }
    partition
}

/// Where a part has the variable, and whether it must be told of the trace's first event.
fn carriers(asking: Asking<'_>, part: &ModalCore, of: Variable<'_>) -> Result<(Vec<Carrier>, bool), Reason> {
    let words = Words::of(part);
    let used = words.actions.iter().flat_map(|action| atoms(action)).collect::<BTreeSet<AtomId>>();
    for atom in used.iter().map(|id| &part.atoms[id.0 as usize]) {
        if !binds(atom, of.id) {
            return Err(asking.relates(atom, of));
        }
    }
    if let Some(why) = words.tells_idle() {
        let text = format!("it can tell whether there are events of other values of `{}`: {why}", of.name);
        return Err(Reason { kind: ReasonKind::CountsPositions, text, span: part.span });
    }
    for (number, quantifier) in (0_u32..).zip(&part.prefix).filter(|(number, _)| *number != of.id.0) {
        let other = Variable { id: VariableId(number), name: &quantifier.variable };
        let value = |atom: AtomId| binds(&part.atoms[atom.0 as usize], other.id).then_some(false);
        if words.is_completed(&value) {
            return Err(unseen(of, other, part.span));
        }
    }
    let carriers = carrier::carriers(&part.atoms, of).map_err(|event| asking.two_places(of, event))?;
    Ok((carriers, words.begins()))
}

/// The words that lead to something that may be false, as an automaton over places of action formulae.
#[derive(Default)]
struct Words<'a> {
    actions: Vec<&'a ActionFormula>,
    /// After each of them, and at last in front of all, what may come next.
    next: BTreeMap<Option<usize>, BTreeSet<usize>>,
    /// After which of them a word is complete.
    complete: BTreeSet<Option<usize>>,
}

/// Where a word may stand: behind one of the action formulae, or (`None`) in front of all.
type Ends = BTreeSet<Option<usize>>;

impl<'a> Words<'a> {
    fn of(part: &'a ModalCore) -> Self {
        let mut words = Words::default();
        words.node(&part.body, &Ends::from([None]));
        words
    }

    fn node(&mut self, node: &'a ModalNode, ends: &Ends) {
        match node {
            ModalNode::Data(DataCore::Constant(true), _) => {}
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
            RegularCore::Star(of) => {
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
                after.extend(ends);
                after
            }
        }
    }

    /// Why an event that no atom matches makes a difference behind one of the action formulae, if it may.
    fn tells_idle(&self) -> Option<&'static str> {
        (0..self.actions.len()).find_map(|place| self.tells_idle_at(Some(place)))
    }

    /// Whether the first event of the trace makes a difference, one that no atom matches too.
    fn begins(&self) -> bool {
        self.complete.contains(&None) || self.tells_idle_at(None).is_some()
    }

    fn tells_idle_at(&self, place: Option<usize>) -> Option<&'static str> {
        let idle = |next: &&usize| truth(self.actions[**next], &|_| Some(false));
        let nothing = BTreeSet::new();
        let next = self.next.get(&place).unwrap_or(&nothing);
        if next.iter().any(|next| idle(&next).is_none()) {
            return Some("whether such an event is a letter of a word depends on data");
        }
        let taken: Vec<usize> = next.iter().filter(|next| idle(next) == Some(true)).copied().collect();
        if taken.iter().any(|taken| self.complete.contains(&Some(*taken))) {
            return Some("such an event may complete a word that is forbidden");
        }
        let after: BTreeSet<usize> =
            taken.iter().flat_map(|taken| self.next.get(&Some(*taken)).unwrap_or(&nothing)).copied().collect();
        (after != *next).then_some("such an event in between makes another word; `true*` or `(!a)*` lets it pass")
    }

    /// Whether a word may be completed if atoms have these values.
    fn is_completed(&self, value: &dyn Fn(AtomId) -> Option<bool>) -> bool {
        let may: Vec<bool> = self.actions.iter().map(|action| truth(action, value) != Some(false)).collect();
        let (mut seen, mut pending) = (BTreeSet::new(), vec![None]);
        while let Some(place) = pending.pop() {
            if !seen.insert(place) {
                continue;
            }
            if self.complete.contains(&place) {
                return true;
            }
            let next = self.next.get(&place).into_iter().flatten();
            pending.extend(next.filter(|next| may[**next]).map(|next| Some(*next)));
        }
        false
    }
}

fn atoms(action: &ActionFormula) -> Vec<AtomId> {
    match action {
        ActionFormula::Event(atom) => vec![*atom],
        ActionFormula::Data(_) => vec![],
        ActionFormula::Not(of) | ActionFormula::Quantified(_, _, of) => atoms(of),
        ActionFormula::And(left, right) | ActionFormula::Or(left, right) => [atoms(left), atoms(right)].concat(),
    }
}

/// What an action formula is, given the atoms that are known; of data nothing is known but constants.
fn truth(action: &ActionFormula, atom: &dyn Fn(AtomId) -> Option<bool>) -> Option<bool> {
    let both = |left: Option<bool>, right: Option<bool>| match (left, right) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    };
    let not = |value: Option<bool>| value.map(|value| !value);
    match action {
        ActionFormula::Event(id) => atom(*id),
        ActionFormula::Data(DataCore::Constant(value)) => Some(*value),
        ActionFormula::Data(_) => None,
        ActionFormula::Not(of) => not(truth(of, atom)),
        ActionFormula::And(left, right) => both(truth(left, atom), truth(right, atom)),
        ActionFormula::Or(left, right) => not(both(not(truth(left, atom)), not(truth(right, atom)))),
        // A sort is never empty.
        ActionFormula::Quantified(_, _, of) => truth(of, atom),
    }
}
