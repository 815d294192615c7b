// SPDX-License-Identifier: MIT OR Apache-2.0
//! Translation of SOLOIST to LTL, operator by operator.
//!
//! Invariant: every subformula is evaluated only at instants that carry a position, so it needs no guard of its own.
//! The operator that looks at it from another instant has tested `e` before.

use gnomon_core::{Clock, Comparison, Duration, Quantity, Simultaneous, Span, TICKS_PER_BARE_UNIT};

use super::build::{Builder, LimitExceeded, Limits};
use super::metric::{self, Distances, WalkDirection};
use super::refusal::{GrowthCause, LtlRefusal, RefusalReason};
use super::{LtlFormula, LtlId, count, gap};
use crate::{
    Aggregate, Atom, Binary, Body, Bounds, Connective, Formula, FormulaKind, Language, Property, Ratio, Spec, Unary,
};

/// The LTL form of a property that the checker accepts.
pub fn translate(spec: &Spec, property: &Property, limits: Limits) -> Result<LtlFormula, LtlRefusal> {
    let (Body::Formula(formula), Language::Soloist) = (&property.body, property.language) else {
        return Err(LtlRefusal { span: property.name_span, reason: RefusalReason::Language(property.language) });
    };
    if spec.simultaneous(property) == Simultaneous::Sequence {
        return Err(LtlRefusal { span: property.name_span, reason: RefusalReason::Sequence });
    }
    let clock = Clock::new(spec.time.unit);
    let mut translator = Translator { clock, builder: Builder::new(limits), propositions: vec![] };
    let at_first = translator.formula(formula)?;
    let whole = first_position(&mut translator.builder, at_first);
    let root = whole
        .map_err(|LimitExceeded| translator.too_large(formula.span, "property", GrowthCause::Parts, &[at_first]))?;
    Ok(translator.builder.finish(root, translator.propositions))
}

/// The word begins at time 0, the property at the first position.
// RULE V3
fn first_position(builder: &mut Builder, formula: LtlId) -> Result<LtlId, LimitExceeded> {
    let marker = builder.marker();
    let nothing_yet = builder.not(marker)?;
    let now = builder.and(marker, formula)?;
    builder.until(nothing_yet, now)
}

/// Something that SOLOIST does not have.
fn foreign(span: Span) -> LtlRefusal {
    LtlRefusal { span, reason: RefusalReason::Language(Language::Mtl) }
}

struct Translator {
    clock: Clock,
    builder: Builder,
    propositions: Vec<Atom>,
}

impl Translator {
    fn formula(&mut self, formula: &Formula) -> Result<LtlId, LtlRefusal> {
        let span = formula.span;
        match &formula.kind {
            FormulaKind::Constant(value) => Ok(self.builder.constant(*value)),
            FormulaKind::Atom(atom) => {
                let index = self.proposition(atom);
                self.builder
                    .proposition(index)
                    .map_err(|LimitExceeded| self.too_large(span, "event", GrowthCause::Parts, &[]))
            }
            FormulaKind::OnEvent(_)
            | FormulaKind::Compare(..)
            | FormulaKind::InFuture { .. }
            | FormulaKind::Each { .. } => Err(LtlRefusal { span, reason: RefusalReason::Language(Language::Albert) }),
            FormulaKind::Not(of) => {
                let of = self.formula(of)?;
                self.builder.not(of).map_err(|LimitExceeded| self.too_large(span, "!", GrowthCause::Parts, &[of]))
            }
            FormulaKind::Connective(connective, left, right) => {
                let (left, right) = (self.formula(left)?, self.formula(right)?);
                let (symbol, made) = self.connective(*connective, left, right);
                made.map_err(|LimitExceeded| self.too_large(span, symbol, GrowthCause::Parts, &[left, right]))
            }
            FormulaKind::Unary { operator, times, interval, of, .. } => {
                let of = self.formula(of)?;
                self.unary(*operator, *times, interval, of, span)
            }
            FormulaKind::Binary { operator, interval, left, right, .. } => {
                let (left, right) = (self.formula(left)?, self.formula(right)?);
                let (letter, direction) = match operator {
                    Binary::Until => ("U", WalkDirection::Ahead),
                    Binary::Since => ("S", WalkDirection::Back),
                    Binary::WeakUntil | Binary::Release => return Err(foreign(span)),
                };
                let Some(distances) = self.distances(interval, span)? else { return Ok(self.builder.constant(false)) };
                metric::some(&mut self.builder, direction, distances, left, right).map_err(|LimitExceeded| {
                    self.too_large(span, letter, GrowthCause::Walk { instants: distances.far() }, &[left, right])
                })
            }
            FormulaKind::Aggregate { aggregate, comparison, bound, full_window } => {
                let (window, value) = self.aggregate(aggregate, *comparison, *bound, span)?;
                if !full_window {
                    return Ok(value);
                }
                // RULE S9: there are K instants before this one, so its time is at least K.
                let yes = self.builder.constant(true);
                let old_enough = WalkDirection::Back.steps(&mut self.builder, window, yes);
                old_enough.and_then(|old_enough| self.builder.and(old_enough, value)).map_err(|LimitExceeded| {
                    self.too_large(span, "full-window", GrowthCause::Walk { instants: window }, &[value])
                })
            }
        }
    }

    /// An atom's place. Where it is written does not matter.
    fn proposition(&mut self, atom: &Atom) -> usize {
        let same = |known: &Atom| {
            (&known.name, &known.arguments, &known.condition) == (&atom.name, &atom.arguments, &atom.condition)
        };
        self.propositions.iter().position(same).unwrap_or_else(|| {
            self.propositions.push(atom.clone());
            self.propositions.len() - 1
        })
    }

    fn connective(
        &mut self,
        connective: Connective,
        left: LtlId,
        right: LtlId,
    ) -> (&'static str, Result<LtlId, LimitExceeded>) {
        let builder = &mut self.builder;
        match connective {
            Connective::And => ("&&", builder.and(left, right)),
            Connective::Or => ("||", builder.or(left, right)),
            Connective::Implies => ("->", builder.implies(left, right)),
            Connective::Iff => {
                let there = builder.implies(left, right);
                let back = builder.implies(right, left);
                ("<->", there.and_then(|there| back.and_then(|back| builder.and(there, back))))
            }
        }
    }

    fn unary(
        &mut self,
        operator: Unary,
        times: u32,
        interval: &Bounds,
        of: LtlId,
        span: Span,
    ) -> Result<LtlId, LtlRefusal> {
        let distances = self.distances(interval, span)?;
        let mut whole = of;
        for _ in 0..times {
            let (letter, made) = self.unary_once(operator, distances, whole);
            let instants = distances.map_or(0, Distances::far);
            let made =
                made.map_err(|LimitExceeded| self.too_large(span, letter, GrowthCause::Walk { instants }, &[whole]))?;
            if made == whole {
                break;
            }
            whole = made;
        }
        Ok(whole)
    }

    fn unary_once(
        &mut self,
        operator: Unary,
        distances: Option<Distances>,
        of: LtlId,
    ) -> (&'static str, Result<LtlId, LimitExceeded>) {
        let builder = &mut self.builder;
        let (yes, no) = (builder.constant(true), builder.constant(false));
        let mut some = |direction, left| distances.map_or(Ok(no), |at| metric::some(builder, direction, at, left, of));
        match operator {
            Unary::Eventually => ("F", some(WalkDirection::Ahead, yes)),
            Unary::Once => ("P", some(WalkDirection::Back, yes)),
            Unary::Next => ("X", some(WalkDirection::Ahead, no)),
            Unary::Previous => ("Y", some(WalkDirection::Back, no)),
            Unary::Always => {
                ("G", distances.map_or(Ok(yes), |at| metric::every(builder, WalkDirection::Ahead, at, of)))
            }
            Unary::Historically => {
                ("H", distances.map_or(Ok(yes), |at| metric::every(builder, WalkDirection::Back, at, of)))
            }
        }
    }

    /// The window in instants, and the modality.
    fn aggregate(
        &mut self,
        aggregate: &Aggregate,
        comparison: Comparison,
        bound: Quantity,
        span: Span,
    ) -> Result<(u64, LtlId), LtlRefusal> {
        let number = Ratio { numerator: bound.billionths, denominator: TICKS_PER_BARE_UNIT };
        match aggregate {
            Aggregate::Count { window, of, .. } => {
                let window = self.instants(*window, span)?;
                Ok((window, self.count("C", window, of, comparison, number, span)?))
            }
            // RULE S6: the average over q steps is a count over q·h compared with n·q.
            Aggregate::Average { window, step, of } => {
                let (window, step) = (self.instants(*window, span)?, self.instants(*step, span)?);
                let steps = window.checked_div(step).unwrap_or(0);
                let total = number.numerator.saturating_mul(i128::from(steps));
                let number = Ratio { numerator: total, ..number };
                Ok((window, self.count("U", steps.saturating_mul(step), of, comparison, number, span)?))
            }
            Aggregate::Maximum { window, step, of } => {
                let (window, step) = (self.instants(*window, span)?, self.instants(*step, span)?);
                let of = self.formula(of)?;
                let mut cause = GrowthCause::Parts;
                let made = self.hit(of).and_then(|hit| {
                    count::compared(&mut self.builder, comparison, number, |builder, take| {
                        cause = GrowthCause::Choice { take, of: step.min(window), steps: window.div_ceil(step.max(1)) };
                        count::at_least_in_a_step(builder, hit, take, window, step)
                    })
                });
                Ok((window, made.map_err(|LimitExceeded| self.too_large(span, "M", cause, &[of]))?))
            }
            // RULE D22
            Aggregate::Rate { window, of, .. } => {
                let instants = self.instants(*window, span)?;
                let number = number.times_seconds(self.clock.duration(*window).unwrap_or(Duration::ZERO));
                Ok((instants, self.count("rate", instants, of, comparison, number, span)?))
            }
            Aggregate::Fold { .. } => Err(foreign(span)),
            Aggregate::Percentile { .. } | Aggregate::Distinct { .. } => {
                Err(LtlRefusal { span, reason: RefusalReason::Values })
            }
            Aggregate::Gap { window, from, to } => {
                let window = self.instants(*window, span)?;
                let (from, to) = (self.formula(from)?, self.formula(to)?);
                // The bound is compared with a mean and need not be whole.
                self.known_unit(bound, span)?;
                let ticks = self.clock.duration(bound).map_or(0, Duration::ticks);
                let bound = Ratio { numerator: ticks, denominator: self.clock.ticks_per_unit() };
                let made = self.hit(from).and_then(|start| {
                    let end = self.hit(to)?;
                    gap::mean(&mut self.builder, start, end, window, comparison, bound)
                });
                let cause = GrowthCause::Pairing { instants: window };
                Ok((window, made.map_err(|LimitExceeded| self.too_large(span, "D", cause, &[from, to]))?))
            }
        }
    }

    fn count(
        &mut self,
        letter: &'static str,
        window: u64,
        of: &Formula,
        comparison: Comparison,
        number: Ratio,
        span: Span,
    ) -> Result<LtlId, LtlRefusal> {
        let of = self.formula(of)?;
        let mut cause = GrowthCause::Parts;
        let made = self.hit(of).and_then(|hit| {
            count::compared(&mut self.builder, comparison, number, |builder, take| {
                cause = GrowthCause::Choice { take, of: window, steps: 1 };
                count::at_least(builder, hit, take, window)
            })
        });
        made.map_err(|LimitExceeded| self.too_large(span, letter, cause, &[of]))
    }

    /// The instant carries a position where this is true.
    fn hit(&mut self, of: LtlId) -> Result<LtlId, LimitExceeded> {
        let marker = self.builder.marker();
        self.builder.and(marker, of)
    }

    /// The distances of an interval, in instants; `None` if it has no whole number above 0 in it.
    fn distances(&self, bounds: &Bounds, span: Span) -> Result<Option<Distances>, LtlRefusal> {
        let span = bounds.span.unwrap_or(span);
        let lo = self.instants(bounds.lo, span)?.saturating_add(u64::from(!bounds.lo_closed)).max(1);
        let Some(hi) = bounds.hi else { return Ok(Some(Distances { lo, hi: None })) };
        let Some(hi) = self.instants(hi, span)?.checked_sub(u64::from(!bounds.hi_closed)) else { return Ok(None) };
        Ok((lo <= hi).then_some(Distances { lo, hi: Some(hi) }))
    }

    /// An amount of time in instants.
    fn instants(&self, constant: Quantity, span: Span) -> Result<u64, LtlRefusal> {
        self.known_unit(constant, span)?;
        let unit = self.clock.unit;
        let refusal = LtlRefusal { span, reason: RefusalReason::NotWhole { constant, unit } };
        let ticks = self.clock.duration(constant).ok_or(refusal)?.ticks();
        if ticks % self.clock.ticks_per_unit() != 0 {
            return Err(refusal);
        }
        // More instants than 64 bits count are as good as that many: both are too many to write down.
        Ok(u64::try_from((ticks / self.clock.ticks_per_unit()).max(0)).unwrap_or(u64::MAX))
    }

    fn known_unit(&self, constant: Quantity, span: Span) -> Result<(), LtlRefusal> {
        if constant.unit.is_some() && self.clock.unit.is_none() {
            return Err(LtlRefusal { span, reason: RefusalReason::UnknownUnit { constant } });
        }
        Ok(())
    }

    fn too_large(&self, span: Span, modality: &'static str, cause: GrowthCause, inner: &[LtlId]) -> LtlRefusal {
        let inner = inner.iter().fold(0_u64, |sum, id| sum.saturating_add(self.builder.written(*id)));
        LtlRefusal { span, reason: RefusalReason::TooLarge { modality, cause, inner } }
    }
}
