// SPDX-License-Identifier: MIT OR Apache-2.0
//! The mapping of SOLOIST to LTL, operator by operator.
//!
//! Every part of a formula is only ever asked about at instants that carry a position, so a part needs no guard of its
//! own: whoever looks at it from elsewhere has asked for `e` before.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::{Clock, Duration, Quantity, TICKS_PER_BARE_UNIT};
use gnomon_core::value::Comparison;
use gnomon_core::verdict::Simultaneous;

use super::build::{Builder, Full, Limits};
use super::metric::{self, Direction, Distances};
use super::refusal::{Cause, Reason, Refusal};
use super::{Id, Ltl, count, gap};
use crate::core::Ratio;
use crate::formula::{Aggregate, Binary, Bounds, Connective, Formula, Kind, Unary};
use crate::pattern::Atom;
use crate::spec::{Body, Language, Property, Spec};

/// The LTL form of a property that the checker accepts.
pub fn translate(spec: &Spec, property: &Property, limits: Limits) -> Result<Ltl, Refusal> {
    let (Body::Formula(formula), Language::Soloist) = (&property.body, property.language) else {
        return Err(Refusal { span: property.name_span, reason: Reason::Language(property.language) });
    };
    if spec.simultaneous(property) == Simultaneous::Sequence {
        return Err(Refusal { span: property.name_span, reason: Reason::Sequence });
    }
    let clock = Clock::new(spec.time.unit);
    let mut translator = Translator { clock, builder: Builder::new(limits), propositions: vec![] };
    let at_first = translator.formula(formula)?;
    let whole = first_position(&mut translator.builder, at_first);
    let root = whole.map_err(|Full| translator.too_large(formula.span, "property", Cause::Parts, &[at_first]))?;
    Ok(translator.builder.finish(root, translator.propositions))
}

/// The word begins at time 0, the property at the first position.
// RULE V3
fn first_position(builder: &mut Builder, formula: Id) -> Result<Id, Full> {
    let marker = builder.marker();
    let nothing_yet = builder.not(marker)?;
    let now = builder.and(marker, formula)?;
    builder.until(nothing_yet, now)
}

/// Something that SOLOIST does not have.
fn foreign(span: Span) -> Refusal {
    Refusal { span, reason: Reason::Language(Language::Mtl) }
}

struct Translator {
    clock: Clock,
    builder: Builder,
    propositions: Vec<Atom>,
}

impl Translator {
    fn formula(&mut self, formula: &Formula) -> Result<Id, Refusal> {
        let span = formula.span;
        match &formula.kind {
            Kind::Constant(value) => Ok(self.builder.constant(*value)),
            Kind::Atom(atom) => {
                let index = self.proposition(atom);
                self.builder.proposition(index).map_err(|Full| self.too_large(span, "event", Cause::Parts, &[]))
            }
            Kind::OnEvent(_) | Kind::Compare(..) | Kind::InFuture { .. } | Kind::Each { .. } => {
                Err(Refusal { span, reason: Reason::Language(Language::Albert) })
            }
            Kind::Not(of) => {
                let of = self.formula(of)?;
                self.builder.not(of).map_err(|Full| self.too_large(span, "!", Cause::Parts, &[of]))
            }
            Kind::Connective(connective, left, right) => {
                let (left, right) = (self.formula(left)?, self.formula(right)?);
                let (symbol, made) = self.connective(*connective, left, right);
                made.map_err(|Full| self.too_large(span, symbol, Cause::Parts, &[left, right]))
            }
            Kind::Unary { operator, times, interval, of, .. } => {
                let of = self.formula(of)?;
                self.unary(*operator, *times, interval, of, span)
            }
            Kind::Binary { operator, interval, left, right, .. } => {
                let (left, right) = (self.formula(left)?, self.formula(right)?);
                let (letter, direction) = match operator {
                    Binary::Until => ("U", Direction::Ahead),
                    Binary::Since => ("S", Direction::Back),
                    Binary::WeakUntil | Binary::Release => return Err(foreign(span)),
                };
                let Some(distances) = self.distances(interval, span)? else { return Ok(self.builder.constant(false)) };
                metric::some(&mut self.builder, direction, distances, left, right).map_err(|Full| {
                    self.too_large(span, letter, Cause::Walk { instants: distances.far() }, &[left, right])
                })
            }
            Kind::Aggregate { aggregate, comparison, bound, full_window } => {
                let (window, value) = self.aggregate(aggregate, *comparison, *bound, span)?;
                if !full_window {
                    return Ok(value);
                }
                // RULE S9: there are K instants before this one, so its time is at least K.
                let yes = self.builder.constant(true);
                let old_enough = Direction::Back.steps(&mut self.builder, window, yes);
                old_enough
                    .and_then(|old_enough| self.builder.and(old_enough, value))
                    .map_err(|Full| self.too_large(span, "full-window", Cause::Walk { instants: window }, &[value]))
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

    fn connective(&mut self, connective: Connective, left: Id, right: Id) -> (&'static str, Result<Id, Full>) {
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

    fn unary(&mut self, operator: Unary, times: u32, interval: &Bounds, of: Id, span: Span) -> Result<Id, Refusal> {
        let distances = self.distances(interval, span)?;
        let mut whole = of;
        for _ in 0..times {
            let (letter, made) = self.unary_once(operator, distances, whole);
            let instants = distances.map_or(0, Distances::far);
            let made = made.map_err(|Full| self.too_large(span, letter, Cause::Walk { instants }, &[whole]))?;
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
        of: Id,
    ) -> (&'static str, Result<Id, Full>) {
        let builder = &mut self.builder;
        let (yes, no) = (builder.constant(true), builder.constant(false));
        let mut some = |direction, left| distances.map_or(Ok(no), |at| metric::some(builder, direction, at, left, of));
        match operator {
            Unary::Eventually => ("F", some(Direction::Ahead, yes)),
            Unary::Once => ("P", some(Direction::Back, yes)),
            Unary::Next => ("X", some(Direction::Ahead, no)),
            Unary::Previous => ("Y", some(Direction::Back, no)),
            Unary::Always => ("G", distances.map_or(Ok(yes), |at| metric::every(builder, Direction::Ahead, at, of))),
            Unary::Historically => {
                ("H", distances.map_or(Ok(yes), |at| metric::every(builder, Direction::Back, at, of)))
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
    ) -> Result<(u64, Id), Refusal> {
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
                let mut cause = Cause::Parts;
                let made = self.hit(of).and_then(|hit| {
                    count::compared(&mut self.builder, comparison, number, |builder, take| {
                        cause = Cause::Choice { take, of: step.min(window), steps: window.div_ceil(step.max(1)) };
                        count::at_least_in_a_step(builder, hit, take, window, step)
                    })
                });
                Ok((window, made.map_err(|Full| self.too_large(span, "M", cause, &[of]))?))
            }
            Aggregate::Fold { .. } => Err(foreign(span)),
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
                let cause = Cause::Pairing { instants: window };
                Ok((window, made.map_err(|Full| self.too_large(span, "D", cause, &[from, to]))?))
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
    ) -> Result<Id, Refusal> {
        let of = self.formula(of)?;
        let mut cause = Cause::Parts;
        let made = self.hit(of).and_then(|hit| {
            count::compared(&mut self.builder, comparison, number, |builder, take| {
                cause = Cause::Choice { take, of: window, steps: 1 };
                count::at_least(builder, hit, take, window)
            })
        });
        made.map_err(|Full| self.too_large(span, letter, cause, &[of]))
    }

    /// The instant carries a position where this is true.
    fn hit(&mut self, of: Id) -> Result<Id, Full> {
        let marker = self.builder.marker();
        self.builder.and(marker, of)
    }

    /// The distances of an interval, in instants; `None` if it has no whole number above 0 in it.
    fn distances(&self, bounds: &Bounds, span: Span) -> Result<Option<Distances>, Refusal> {
        let span = bounds.span.unwrap_or(span);
        let lo = self.instants(bounds.lo, span)?.saturating_add(u64::from(!bounds.lo_closed)).max(1);
        let Some(hi) = bounds.hi else { return Ok(Some(Distances { lo, hi: None })) };
        let Some(hi) = self.instants(hi, span)?.checked_sub(u64::from(!bounds.hi_closed)) else { return Ok(None) };
        Ok((lo <= hi).then_some(Distances { lo, hi: Some(hi) }))
    }

    /// An amount of time in instants.
    fn instants(&self, constant: Quantity, span: Span) -> Result<u64, Refusal> {
        self.known_unit(constant, span)?;
        let unit = self.clock.unit;
        let refusal = Refusal { span, reason: Reason::NotWhole { constant, unit } };
        let ticks = self.clock.duration(constant).ok_or(refusal)?.ticks();
        if ticks % self.clock.ticks_per_unit() != 0 {
            return Err(refusal);
        }
        // More instants than 64 bits count are as good as that many: both are too many to write down.
        Ok(u64::try_from((ticks / self.clock.ticks_per_unit()).max(0)).unwrap_or(u64::MAX))
    }

    fn known_unit(&self, constant: Quantity, span: Span) -> Result<(), Refusal> {
        if constant.unit.is_some() && self.clock.unit.is_none() {
            return Err(Refusal { span, reason: Reason::UnknownUnit { constant } });
        }
        Ok(())
    }

    fn too_large(&self, span: Span, modality: &'static str, cause: Cause, inner: &[Id]) -> Refusal {
        let inner = inner.iter().fold(0_u64, |sum, id| sum.saturating_add(self.builder.written(*id)));
        Refusal { span, reason: Reason::TooLarge { modality, cause, inner } }
    }
}
