// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quantifiers over the elements of a list, three-valued: what looks at other states and speaks of no element is a
//! proposition of the state.
// RULE B6, D21

use gnomon_ir::formula::{Binary, Formula, Kind, Unary};
use gnomon_ir::spec::QuantifierKind;
use gnomon_ir::term::{Occurrence, Reference, Term, TermKind};

use super::state::{Here, States};
use super::unseen::{Unseen, connect};
use crate::datum::Datum;
use crate::truth::Truth;

/// A quantifier in a state of a trace.
pub(super) struct Elements<'a> {
    pub(super) states: &'a States<'a>,
    /// What a formula about no element is worth in each state.
    pub(super) row: &'a dyn Fn(&Formula) -> Vec<Truth>,
    /// Whether a name stands for the state before an event.
    pub(super) starts: &'a dyn Fn(&Occurrence) -> bool,
    pub(super) unseen: Unseen,
    /// Whether the next state may still come.
    pub(super) is_open: bool,
}

/// Propositions of the state, and what they are taken for.
type Assumed<'f> = Vec<(&'f Formula, Truth)>;

impl Elements<'_> {
    /// What a quantifier is worth in a state: definite if it is the same whatever becomes of the propositions that are
    /// not known.
    pub(super) fn truth(&self, each: &Formula, at: usize) -> Truth {
        let mut propositions: Assumed<'_> = Vec::new();
        self.propositions(each, &[], at, &mut propositions);
        let open: Vec<usize> = (0..propositions.len()).filter(|&index| !propositions[index].1.is_definite()).collect();
        let mut values = (0..1_u64 << open.len()).map(|choice| {
            for (bit, index) in open.iter().enumerate() {
                propositions[*index].1 = Truth::from(choice >> bit & 1 == 1);
            }
            self.part(each, &Here::new(at), &propositions)
        });
        let first = values.next().unwrap_or(Truth::Unknown);
        if values.all(|value| value == first) { first } else { Truth::Unknown }
    }

    /// The greatest parts that look at other states and speak of none of the elements, each once, whether negated or not.
    fn propositions<'f>(&self, formula: &'f Formula, elements: &[&str], at: usize, into: &mut Assumed<'f>) {
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
            Kind::Each { variable, of, .. } => {
                self.propositions(of, &[elements, &[variable.name.as_str()]].concat(), at, into);
            }
            _ => formula.children().into_iter().for_each(|of| self.propositions(of, elements, at, into)),
        }
    }

    fn part(&self, formula: &Formula, here: &Here<'_>, assumed: &Assumed<'_>) -> Truth {
        let (positive, negated) = positive(formula);
        if let Some((_, value)) = assumed.iter().find(|(known, _)| *known == positive) {
            return if negated { !*value } else { *value };
        }
        match &formula.kind {
            Kind::Not(of) => !self.part(of, here, assumed),
            Kind::Connective(connective, left, right) => {
                connect(*connective, self.part(left, here, assumed), self.part(right, here, assumed))
            }
            Kind::Each { kind, variable, list, of } => {
                let list = self.states.reference(list, here);
                let items = list.as_ref().and_then(Datum::elements).unwrap_or_default();
                let of_each = items.iter().map(|item| {
                    let mut elements = here.elements.clone();
                    elements.push((variable.name.as_str(), item.clone()));
                    self.part(of, &Here { at: here.at, elements }, assumed)
                });
                match kind {
                    QuantifierKind::Forall => of_each.min().unwrap_or(Truth::True),
                    QuantifierKind::Exists => of_each.max().unwrap_or(Truth::False),
                }
            }
            Kind::Compare(..) if self.is_open && self.looks_ahead(formula) => Truth::Unknown,
            _ => self.states.holds(formula, here).into(),
        }
    }

    /// Whether later states matter to a formula, or to what it counts. What follows from constants does not look anywhere.
    pub(super) fn looks_ahead(&self, formula: &Formula) -> bool {
        match &formula.kind {
            _ if self.unseen.truth(formula).is_definite() => false,
            Kind::Unary { operator: Unary::Always | Unary::Eventually | Unary::Next, .. }
            | Kind::Binary { operator: Binary::Until | Binary::WeakUntil | Binary::Release, .. }
            | Kind::InFuture { .. } => true,
            Kind::OnEvent(occurrence) => (self.starts)(occurrence),
            Kind::Compare(left, _, right) => counted(left).chain(counted(right)).any(|of| self.looks_ahead(of)),
            _ => formula.children().into_iter().any(|of| self.looks_ahead(of)),
        }
    }

    /// Whether a formula says something of other states, beyond the past of its values.
    fn looks_elsewhere(&self, formula: &Formula) -> bool {
        match &formula.kind {
            Kind::Unary { .. } | Kind::Binary { .. } | Kind::Aggregate { .. } | Kind::InFuture { .. } => true,
            Kind::OnEvent(occurrence) => (self.starts)(occurrence),
            Kind::Compare(left, _, right) => counted(left).chain(counted(right)).any(|of| self.looks_elsewhere(of)),
            _ => formula.children().into_iter().any(|of| self.looks_elsewhere(of)),
        }
    }
}

/// What a term counts.
fn counted(term: &Term) -> Box<dyn Iterator<Item = &Formula> + '_> {
    match &term.kind {
        TermKind::Count { of, .. } => Box::new(std::iter::once(of.as_ref())),
        _ => Box::new(inside(term).into_iter().flat_map(counted)),
    }
}

/// A formula without the negations in front of it, and whether they negate it.
fn positive(formula: &Formula) -> (&Formula, bool) {
    match &formula.kind {
        Kind::Not(of) => {
            let (positive, negated) = positive(of);
            (positive, !negated)
        }
        _ => (formula, false),
    }
}

/// The terms directly inside a term.
fn inside(term: &Term) -> Vec<&Term> {
    match &term.kind {
        TermKind::Operation(_, left, right) => vec![left, right],
        TermKind::Past { of, .. } | TermKind::Fold { of, .. } => vec![of],
        _ => vec![],
    }
}

fn speaks_of(formula: &Formula, elements: &[&str]) -> bool {
    match &formula.kind {
        Kind::Compare(left, _, right) => [left, right].into_iter().any(|term| term_speaks_of(term, elements)),
        Kind::Each { variable, list, of, .. } => {
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
        _ => inside(term).into_iter().any(|part| term_speaks_of(part, elements)),
    }
}

fn is_one_of(reference: &Reference, elements: &[&str]) -> bool {
    elements.contains(&reference.name.as_str())
}
