// SPDX-License-Identifier: MIT OR Apache-2.0
//! Three-valued quantifiers over the elements of a list. A part that looks at other states and mentions no element is a
//! proposition of the state.
// RULE B6, D21

use gnomon_ir::{Binary, Formula, FormulaKind, Occurrence, QuantifierKind, Reference, Term, TermKind, Unary};

use super::state::{StateContext, States};
use super::unknown_position::{UnknownPosition, connect};
use crate::term_value::TermValue;
use crate::truth::Truth;

/// A quantifier in a state of a trace.
pub(super) struct Elements<'a> {
    pub(super) states: &'a States<'a>,
    /// Truth value, in each state, of a formula that mentions no element.
    pub(super) row: &'a dyn Fn(&Formula) -> Vec<Truth>,
    /// Returns true if a name stands for the state before an event.
    pub(super) starts: &'a dyn Fn(&Occurrence) -> bool,
    pub(super) at_unknown: UnknownPosition,
    /// True if the next state may still come.
    pub(super) is_open: bool,
}

/// Assumed values of propositions of the state.
type Assumptions<'f> = Vec<(&'f Formula, Truth)>;

impl Elements<'_> {
    /// Returns the truth value of a quantifier in a state. It is definite if all values of the unknown propositions
    /// give the same result.
    pub(super) fn truth(&self, each: &Formula, at: usize) -> Truth {
        let mut propositions: Assumptions<'_> = Vec::new();
        self.propositions(each, &[], at, &mut propositions);
        let open: Vec<usize> = (0..propositions.len()).filter(|&index| !propositions[index].1.is_definite()).collect();
        let mut values = (0..1_u64 << open.len()).map(|choice| {
            for (bit, index) in open.iter().enumerate() {
                propositions[*index].1 = Truth::from(choice >> bit & 1 == 1);
            }
            self.part(each, &StateContext::new(at), &propositions)
        });
        let first = values.next().unwrap_or(Truth::Unknown);
        if values.all(|value| value == first) { first } else { Truth::Unknown }
    }

    /// The greatest parts that look at other states and refer to none of the elements, each once, whether negated or not.
    fn propositions<'f>(&self, formula: &'f Formula, elements: &[&str], at: usize, into: &mut Assumptions<'f>) {
        if !self.looks_elsewhere(formula) {
            return;
        }
        if !elements.is_empty() && !speaks_of(formula, elements) {
            let (positive, _) = positive(formula);
            if into.iter().all(|(known, _)| *known != positive) {
                into.push((positive, (self.row)(positive)[at]));
            }
            return;
        }
        match &formula.kind {
            FormulaKind::Each { variable, of, .. } => {
                self.propositions(of, &[elements, &[variable.name.as_str()]].concat(), at, into);
            }
            _ => formula.children().into_iter().for_each(|of| self.propositions(of, elements, at, into)),
        }
    }

    fn part(&self, formula: &Formula, here: &StateContext<'_>, assumed: &Assumptions<'_>) -> Truth {
        let (positive, negated) = positive(formula);
        if let Some((_, value)) = assumed.iter().find(|(known, _)| *known == positive) {
            return if negated { !*value } else { *value };
        }
        match &formula.kind {
            FormulaKind::Not(of) => !self.part(of, here, assumed),
            FormulaKind::Connective(connective, left, right) => {
                connect(*connective, self.part(left, here, assumed), self.part(right, here, assumed))
            }
            FormulaKind::Each { kind, variable, list, of } => {
                let list = self.states.reference(list, here);
                let items = list.as_ref().and_then(TermValue::elements).unwrap_or_default();
                let of_each = items.iter().map(|item| {
                    let mut elements = here.elements.clone();
                    elements.push((variable.name.as_str(), item.clone()));
                    self.part(of, &StateContext { at: here.at, elements }, assumed)
                });
                match kind {
                    QuantifierKind::Forall => of_each.min().unwrap_or(Truth::True),
                    QuantifierKind::Exists => of_each.max().unwrap_or(Truth::False),
                }
            }
            FormulaKind::Compare(..) if self.is_open && self.looks_ahead(formula) => Truth::Unknown,
            _ => self.states.holds(formula, here).into(),
        }
    }

    /// Returns true if a formula, or a formula that it counts, depends on later states. A formula that follows from
    /// constants depends on none.
    pub(super) fn looks_ahead(&self, formula: &Formula) -> bool {
        match &formula.kind {
            _ if self.at_unknown.truth(formula).is_definite() => false,
            FormulaKind::Unary { operator: Unary::Always | Unary::Eventually | Unary::Next, .. }
            | FormulaKind::Binary { operator: Binary::Until | Binary::WeakUntil | Binary::Release, .. }
            | FormulaKind::InFuture { .. } => true,
            FormulaKind::OnEvent(occurrence) => (self.starts)(occurrence),
            FormulaKind::Compare(left, _, right) => counted(left).chain(counted(right)).any(|of| self.looks_ahead(of)),
            _ => formula.children().into_iter().any(|of| self.looks_ahead(of)),
        }
    }

    /// Returns true if a formula depends on other states beyond the past of its values.
    fn looks_elsewhere(&self, formula: &Formula) -> bool {
        match &formula.kind {
            FormulaKind::Unary { .. }
            | FormulaKind::Binary { .. }
            | FormulaKind::Aggregate { .. }
            | FormulaKind::InFuture { .. } => true,
            FormulaKind::OnEvent(occurrence) => (self.starts)(occurrence),
            FormulaKind::Compare(left, _, right) => {
                counted(left).chain(counted(right)).any(|of| self.looks_elsewhere(of))
            }
            _ => formula.children().into_iter().any(|of| self.looks_elsewhere(of)),
        }
    }
}

/// Returns the formula that a term counts, if it counts one.
fn counted(term: &Term) -> Box<dyn Iterator<Item = &Formula> + '_> {
    match &term.kind {
        TermKind::Count { of, .. } => Box::new(std::iter::once(of.as_ref())),
        _ => Box::new(term.children().into_iter().flat_map(counted)),
    }
}

/// A formula without the negations in front of it, and whether they negate it.
fn positive(formula: &Formula) -> (&Formula, bool) {
    match &formula.kind {
        FormulaKind::Not(of) => {
            let (positive, negated) = positive(of);
            (positive, !negated)
        }
        _ => (formula, false),
    }
}

fn speaks_of(formula: &Formula, elements: &[&str]) -> bool {
    match &formula.kind {
        FormulaKind::Compare(left, _, right) => [left, right].into_iter().any(|term| term_speaks_of(term, elements)),
        FormulaKind::Each { variable, list, of, .. } => {
            let outer: Vec<&str> = elements.iter().copied().filter(|element| *element != variable.name).collect();
            is_one_of(list, elements) || speaks_of(of, &outer)
        }
        _ => formula.children().into_iter().any(|of| speaks_of(of, elements)),
    }
}

fn term_speaks_of(term: &Term, elements: &[&str]) -> bool {
    match &term.kind {
        TermKind::Variable(reference) => is_one_of(reference, elements),
        TermKind::Count { of, .. } => speaks_of(of, elements),
        _ => term.children().into_iter().any(|part| term_speaks_of(part, elements)),
    }
}

fn is_one_of(reference: &Reference, elements: &[&str]) -> bool {
    elements.contains(&reference.name.as_str())
}
