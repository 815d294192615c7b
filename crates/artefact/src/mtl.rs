// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns as formulae of `mtl` that are true of the same finite traces.
//!
//! A segment begins after the event that opens it, so what is asked of it is asked at the next position. Which of several
//! openings count, and what a segment remembers of its own past, is told by operators of the past: `mtl` has them, and
//! without them a further Q inside a segment could not be told from one that opens.

mod behaviour;
mod build;
mod chain;
mod pace;

use gnomon_core::diagnostic::Span;
use gnomon_core::verdict::Simultaneous;
use gnomon_ir::formula::{Formula, Kind};
use gnomon_ir::pattern::{Argument, Atom};
use gnomon_ir::requirement::ScopeKind;
use gnomon_ir::spec::{Body, Language, Property, Quantifier, QuantifierKind, Spec};

use crate::cell::Cell;
use crate::refusal::Refusal;
use build::{always, and, atom, eventually, implies, next, not, or, previous, since, until, weak_next, weak_until};

/// How deep a formula may be nested, and of how many parts it may be, so that it can be read again.
const MAX_DEPTH: usize = 150;
const MAX_PARTS: usize = 15_000;

/// The property in `mtl`: a formula that is true of the same traces. A property of `mtl` is itself.
pub fn mtl(spec: &Spec, property: &Property) -> Result<Property, Refusal> {
    if property.language == Language::Mtl {
        return Ok(property.clone());
    }
    let cell = Cell::of(spec, property, "has no translation to `mtl`")?;
    let formula = whole(&cell)?;
    let (depth, parts) = size(&formula);
    if depth > MAX_DEPTH || parts > MAX_PARTS {
        return Err(Refusal::new(
            "the formula would be too large: `mtl` has no counting along a segment, so each further occurrence is a further level",
        ));
    }
    let mut options = property.options;
    // Of a pattern every event is a position.
    if spec.simultaneous == Some(Simultaneous::Merge) {
        options.simultaneous = Some(Simultaneous::Sequence);
    }
    let quantifier =
        |variables| Quantifier { kind: QuantifierKind::Forall, threshold: None, variables, span: Span::default() };
    let prefix = if cell.variables.is_empty() { vec![] } else { vec![quantifier(cell.variables.clone())] };
    let body = Body::Formula(with_all_places(formula, &cell));
    Ok(Property { language: Language::Mtl, options, prefix, body, ..property.clone() })
}

/// What surrounds the segment that a behaviour is asked of.
struct Setting<'c, 's> {
    cell: &'c Cell<'s>,
    /// R, if the scope has one: an event of the segment is before it.
    closes: Option<Formula>,
    /// True at the event that opened the segment and at no event of the segment; `None` where the trace begins with it.
    opener: Option<Formula>,
}

fn whole(cell: &Cell<'_>) -> Result<Formula, Refusal> {
    let closes = cell.closes.as_ref().map(atom);
    let setting = Setting { cell, opener: opener(cell), closes: closes.clone() };
    let answer = behaviour::behaviour(&setting)?;
    let (opens, closes) = (cell.opens.as_ref().map(atom), closes.unwrap_or_else(build::no));
    let Some(opener) = setting.opener else {
        return Ok(if cell.scope == ScopeKind::Before { implies(eventually(closes), answer) } else { answer });
    };
    let opens = opens.unwrap_or_else(build::no);
    let counts = match cell.scope {
        // The opening event is no R.
        ScopeKind::Between => eventually(closes),
        ScopeKind::BetweenLast => next(until(not(opens), closes)),
        ScopeKind::AfterLastUntil => weak_next(weak_until(not(opens), closes)),
        _ => build::yes(),
    };
    Ok(always(implies(and(opener, counts), answer)))
}

/// Which events open a segment.
fn opener(cell: &Cell<'_>) -> Option<Formula> {
    let opens = atom(cell.opens.as_ref()?);
    Some(match cell.scope {
        ScopeKind::After => and(opens.clone(), not(previous(build::once(opens)))),
        ScopeKind::AfterLast => and(opens.clone(), not(next(eventually(opens)))),
        _ => {
            let (Some(open), Some(close)) = (&cell.opens, &cell.closes) else { return Some(opens) };
            let closes = atom(close);
            let opens = if cell.apart(open, close) { opens } else { and(opens, not(closes.clone())) };
            if cell.scope.restarts() { opens } else { and(opens.clone(), not(previous(since(not(closes), opens)))) }
        }
    })
}

impl Setting<'_, '_> {
    /// What is true before the segment closes and where this is true.
    fn inside(&self, of: Formula) -> Formula {
        match (&self.closes, &self.cell.closes) {
            (Some(closes), Some(close)) if !self.is_apart(&of, close) => and(of, not(closes.clone())),
            _ => of,
        }
    }

    /// Whether a formula is plainly false of every event that the atom matches.
    fn is_apart(&self, of: &Formula, from: &Atom) -> bool {
        match &of.kind {
            Kind::Atom(atom) => self.cell.apart(atom, from),
            Kind::Connective(gnomon_ir::formula::Connective::And, left, right) => {
                self.is_apart(left, from) || self.is_apart(right, from)
            }
            Kind::Connective(gnomon_ir::formula::Connective::Or, left, right) => {
                self.is_apart(left, from) && self.is_apart(right, from)
            }
            Kind::Constant(false) => true,
            _ => false,
        }
    }

    /// From a position of the segment on, this included, some position of the segment satisfies it.
    fn some(&self, of: Formula) -> Formula {
        match &self.closes {
            Some(closes) => until(not(closes.clone()), self.inside(of)),
            None => eventually(of),
        }
    }

    /// From a position of the segment on, this included, all positions of the segment satisfy it.
    fn all(&self, of: Formula) -> Formula {
        match &self.closes {
            Some(closes) => weak_until(of, closes.clone()),
            None => always(of),
        }
    }

    /// What is asked at the segment's first position, asked at its opening; an empty segment answers `empty`.
    fn at_opening(&self, of: Formula, empty: bool) -> Formula {
        match (&self.opener, empty) {
            (None, _) => of,
            (Some(_), true) => weak_next(of),
            (Some(_), false) => next(of),
        }
    }

    /// Not the event that opened the segment.
    fn not_opener(&self, of: Formula) -> Formula {
        match &self.opener {
            Some(opener) => and(of, not(opener.clone())),
            None => of,
        }
    }
}

/// A variable's values are those at its places in the formula's atoms: an atom that the translation had no use for stands in
/// it all the same.
fn with_all_places(formula: Formula, cell: &Cell<'_>) -> Formula {
    let mut formula = formula;
    for missing in cell.atoms() {
        let mut present = Vec::new();
        atoms(&formula, &mut present);
        let has_variables =
            missing.arguments.iter().flatten().any(|argument| matches!(argument, Argument::Variable(_)));
        if has_variables && !present.contains(&missing) {
            formula = and(formula, or(atom(missing), build::raw_not(atom(missing))));
        }
    }
    formula
}

fn atoms<'f>(formula: &'f Formula, found: &mut Vec<&'f Atom>) {
    if let Kind::Atom(atom) = &formula.kind {
        found.push(atom);
    }
    formula.children().into_iter().for_each(|child| atoms(child, found));
}

/// How deep, and of how many parts.
fn size(formula: &Formula) -> (usize, usize) {
    let inner = formula.children().into_iter().map(size);
    let (depth, parts) = inner.fold((0, 0), |(depth, parts), (other, more)| (depth.max(other), parts + more));
    (depth + 1, parts + 1)
}
