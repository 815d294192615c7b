// SPDX-License-Identifier: MIT OR Apache-2.0
//! Translates patterns and logic plug-ins to formulae of `mtl` that are true of the same finite traces.
//!
//! Patterns are translated here, plug-ins in [`plugin`].
//!
//! A segment begins after the event that opens it, so its behaviour is asserted at the next position. Operators of the past decide
//! which of several openings count and what happened earlier in a segment: without them a further Q inside a segment could not be
//! distinguished from one that opens it.

mod behaviour;
mod build;
mod chain;
mod pace;
mod past;
mod plugin;

use gnomon_core::verdict::Simultaneous;
use gnomon_ir::walk::{AtomCollector, Walk as _};
use gnomon_ir::{Argument, Atom, Body, Formula, FormulaKind, Language, Property, ScopeKind, Spec};

use crate::prepared_pattern::PreparedPattern;
use crate::refusal::Refusal;
use build::{always, and, atom, eventually, implies, next, not, or, previous, since, until, weak_next, weak_until};

/// The maximum depth and number of parts of a formula, so that it can be parsed again.
const MAX_DEPTH: usize = 150;
const MAX_PARTS: usize = 15_000;

/// Translates a property to `mtl`: a formula that is true of the same traces. A property of `mtl` is returned unchanged.
pub fn mtl(spec: &Spec, property: &Property) -> Result<Property, Refusal> {
    if property.language == Language::Mtl {
        return Ok(property.clone());
    }
    let (prefix, formula) = if let Body::Plugin(plugin) = &property.body {
        (property.prefix.clone(), plugin::formula(spec, property, plugin)?)
    } else {
        let prepared = PreparedPattern::of(spec, property, "has no translation to `mtl`")?;
        (prepared.prefix(), with_all_places(whole(&prepared)?, &prepared))
    };
    let (depth, parts) = size(&formula);
    if depth > MAX_DEPTH || parts > MAX_PARTS {
        return Err(Refusal::new(
            "the formula would be too large: `mtl` has no counting, so each further occurrence is a further level",
        ));
    }
    let mut options = property.options;
    // In a pattern and in a plug-in every event is a position.
    if spec.simultaneous == Some(Simultaneous::Merge) {
        options.simultaneous = Some(Simultaneous::Sequence);
    }
    Ok(Property { language: Language::Mtl, options, prefix, body: Body::Formula(formula), ..property.clone() })
}

/// The scope around the segment for which a behaviour is asserted.
struct SegmentContext<'c, 's> {
    prepared: &'c PreparedPattern<'s>,
    /// R, if the scope has one; the events of the segment are before it.
    closes: Option<Formula>,
    /// True at the event that opened the segment and at no event of the segment; `None` where the trace begins with it.
    opener: Option<Formula>,
}

fn whole(prepared: &PreparedPattern<'_>) -> Result<Formula, Refusal> {
    let closes = prepared.closes.as_ref().map(atom);
    let setting = SegmentContext { prepared, opener: opener(prepared), closes: closes.clone() };
    let answer = behaviour::behaviour(&setting)?;
    let (opens, closes) = (prepared.opens.as_ref().map(atom), closes.unwrap_or_else(build::no));
    let Some(opener) = setting.opener else {
        return Ok(if prepared.scope == ScopeKind::Before { implies(eventually(closes), answer) } else { answer });
    };
    let opens = opens.unwrap_or_else(build::no);
    let counts = match prepared.scope {
        // The opening event is not an R.
        ScopeKind::Between => eventually(closes),
        ScopeKind::BetweenLast => next(until(not(opens), closes)),
        ScopeKind::AfterLastUntil => weak_next(weak_until(not(opens), closes)),
        _ => build::yes(),
    };
    Ok(always(implies(and(opener, counts), answer)))
}

/// Returns the formula of the events that open a segment.
fn opener(prepared: &PreparedPattern<'_>) -> Option<Formula> {
    let opens = atom(prepared.opens.as_ref()?);
    Some(match prepared.scope {
        ScopeKind::After => and(opens.clone(), not(previous(build::once(opens)))),
        ScopeKind::AfterLast => and(opens.clone(), not(next(eventually(opens)))),
        _ => {
            let (Some(open), Some(close)) = (&prepared.opens, &prepared.closes) else { return Some(opens) };
            let closes = atom(close);
            let opens = if prepared.apart(open, close) { opens } else { and(opens, not(closes.clone())) };
            if prepared.scope.restarts() { opens } else { and(opens.clone(), not(previous(since(not(closes), opens)))) }
        }
    })
}

impl SegmentContext<'_, '_> {
    /// Returns a formula that is true where `of` is true before the segment closes.
    fn inside(&self, of: Formula) -> Formula {
        match (&self.closes, &self.prepared.closes) {
            (Some(closes), Some(close)) if !self.is_apart(&of, close) => and(of, not(closes.clone())),
            _ => of,
        }
    }

    /// Returns true if a formula is certainly false of every event that the atom matches.
    fn is_apart(&self, of: &Formula, from: &Atom) -> bool {
        match &of.kind {
            FormulaKind::Atom(atom) => self.prepared.apart(atom, from),
            FormulaKind::Connective(gnomon_ir::formula::Connective::And, left, right) => {
                self.is_apart(left, from) || self.is_apart(right, from)
            }
            FormulaKind::Connective(gnomon_ir::formula::Connective::Or, left, right) => {
                self.is_apart(left, from) && self.is_apart(right, from)
            }
            FormulaKind::Constant(false) => true,
            _ => false,
        }
    }

    /// Returns a formula for: from a position of the segment on, some position of the segment satisfies `of`.
    fn some(&self, of: Formula) -> Formula {
        match &self.closes {
            Some(closes) => until(not(closes.clone()), self.inside(of)),
            None => eventually(of),
        }
    }

    /// Returns a formula for: from a position of the segment on, all positions of the segment satisfy `of`.
    fn all(&self, of: Formula) -> Formula {
        match &self.closes {
            Some(closes) => weak_until(of, closes.clone()),
            None => always(of),
        }
    }

    /// Moves a formula from the first position of the segment to its opening; its value for an empty segment is `empty`.
    fn at_opening(&self, of: Formula, empty: bool) -> Formula {
        match (&self.opener, empty) {
            (None, _) => of,
            (Some(_), true) => weak_next(of),
            (Some(_), false) => next(of),
        }
    }

    /// Excludes the event that opened the segment.
    fn not_opener(&self, of: Formula) -> Formula {
        match &self.opener {
            Some(opener) => and(of, not(opener.clone())),
            None => of,
        }
    }
}

/// Adds the atoms with variables that the translation did not use, because the values of a variable are those at its places in the
/// formula's atoms.
fn with_all_places(formula: Formula, prepared: &PreparedPattern<'_>) -> Formula {
    let mut formula = formula;
    for missing in prepared.atoms() {
        let present = AtomCollector::collect(|atoms| atoms.formula(&formula));
        let has_variables =
            missing.arguments.iter().flatten().any(|argument| matches!(argument, Argument::Variable(_)));
        if has_variables && !present.contains(&missing) {
            formula = and(formula, or(atom(missing), build::raw_not(atom(missing))));
        }
    }
    formula
}

/// Returns the depth and the number of parts of a formula.
fn size(formula: &Formula) -> (usize, usize) {
    let inner = formula.children().into_iter().map(size);
    let (depth, parts) = inner.fold((0, 0), |(depth, parts), (other, more)| (depth.max(other), parts + more));
    (depth + 1, parts + 1)
}
