// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a formula to its automaton: negation goes down to the propositions, every temporal operator becomes a state.
//!
//! After Baresi, Bianculli, Guinea and Spoletini, "Keep It Small, Keep It Real", section 3.2. Departures: the start of an
//! activity looks at the next state, not one unit of time ahead; operators under a negation are states of their own.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::{Clock, Duration, Quantity};
use gnomon_core::verdict::Simultaneous;
use gnomon_ir::formula::{Binary, Bounds, Connective, Formula, Kind, Unary};
use gnomon_ir::term::{Moment, Occurrence};

use crate::automaton::{Automaton, Expression, PropositionId, State, StateId};
use crate::unplaced::unplaced;

/// What the automaton of a formula depends on beside the formula.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The trace's unit.
    pub clock: Clock,
    /// How events of equal times become states.
    pub simultaneous: Simultaneous,
    /// Whether an event whose name begins with `start_` is one of the trace's own or declared, and not the start of an
    /// activity.
    pub is_literal: &'a dyn Fn(&Occurrence) -> bool,
}

impl Default for Setting<'_> {
    /// No unit, states of different times, and `start_X` always the start of X.
    fn default() -> Self {
        Setting { clock: Clock::default(), simultaneous: Simultaneous::Merge, is_literal: &|_| false }
    }
}

/// Why a formula has no automaton here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The part that stands in the way.
    pub span: Span,
    /// What it is.
    pub what: &'static str,
}

impl Automaton {
    /// The automaton of an invariant: of what stands under its outermost `Always`, or of the formula as it is.
    pub fn of(invariant: &Formula, setting: Setting<'_>) -> Result<Automaton, Refusal> {
        let body = match &invariant.kind {
            Kind::Unary { operator: Unary::Always, strict: false, times: 1, interval, of } if is_any(interval) => of,
            _ => invariant,
        };
        let mut builder = Builder { setting, propositions: Vec::new(), unplaced: Vec::new(), states: Vec::new() };
        let body = builder.expression(body, false)?;
        let Builder { setting: Setting { clock, simultaneous, .. }, propositions, states, .. } = builder;
        Ok(Automaton { propositions, states, body, simultaneous, clock })
    }
}

struct Builder<'a> {
    setting: Setting<'a>,
    propositions: Vec<Formula>,
    /// The same, without their places in the text.
    unplaced: Vec<Formula>,
    states: Vec<State>,
}

impl Builder<'_> {
    /// What a formula, or its negation, demands.
    fn expression(&mut self, formula: &Formula, negated: bool) -> Result<Expression, Refusal> {
        let span = formula.span;
        Ok(match &formula.kind {
            Kind::Constant(value) => Expression::Constant(*value != negated),
            Kind::Not(of) => self.expression(of, !negated)?,
            Kind::Connective(connective, left, right) => self.connective(*connective, left, right, negated)?,
            Kind::Atom(_) | Kind::Compare(..) | Kind::Each { .. } => self.literal(formula, negated),
            Kind::OnEvent(occurrence) => match &occurrence.activity {
                Some((Moment::Start, event)) if !(self.setting.is_literal)(occurrence) => {
                    let event = Formula { kind: Kind::Atom(event.clone()), span };
                    let of = self.literal(&event, negated);
                    self.state(State::Next { of, weak: negated })
                }
                _ => self.literal(formula, negated),
            },
            Kind::Unary { operator, strict, times, interval, of } => {
                let reach = self.reach(*operator, *strict, interval, span)?;
                let mut expression = self.expression(of, negated)?;
                for _ in 0..*times {
                    expression = self.unary(*operator, reach, expression, negated);
                }
                expression
            }
            Kind::Binary { operator: Binary::Until, strict: false, interval, left, right } if is_any(interval) => {
                let (left, right) = (self.expression(left, negated)?, self.expression(right, negated)?);
                self.until(left, right, negated)
            }
            Kind::Binary { .. } => return Err(Refusal { span, what: "an operator with distances, or of the past" }),
            Kind::InFuture { reach, of } => {
                let (of, reach) = (self.expression(of, negated)?, self.duration(*reach, span)?);
                self.state(State::InFuture { reach, of, weak: negated })
            }
            Kind::Aggregate { .. } => return Err(Refusal { span, what: "a quantity over a window" }),
        })
    }

    fn connective(
        &mut self,
        connective: Connective,
        left: &Formula,
        right: &Formula,
        negated: bool,
    ) -> Result<Expression, Refusal> {
        let (left_negated, is_and) = match connective {
            Connective::And => (negated, !negated),
            Connective::Or => (negated, negated),
            Connective::Implies => (!negated, negated),
            Connective::Iff => {
                let there = self.connective(Connective::Implies, left, right, negated)?;
                let back = self.connective(Connective::Implies, right, left, negated)?;
                return Ok(if negated { Expression::or([there, back]) } else { Expression::and([there, back]) });
            }
        };
        let parts = [self.expression(left, left_negated)?, self.expression(right, negated)?];
        Ok(if is_and { Expression::and(parts) } else { Expression::or(parts) })
    }

    fn literal(&mut self, formula: &Formula, negated: bool) -> Expression {
        let own = unplaced(formula);
        let index = self.unplaced.iter().position(|known| *known == own).unwrap_or_else(|| {
            self.unplaced.push(own);
            self.propositions.push(formula.clone());
            self.propositions.len() - 1
        });
        let proposition = PropositionId(u32::try_from(index).expect("the parser bounds the size of a formula"));
        Expression::Literal { proposition, negated }
    }

    fn unary(&mut self, operator: Unary, reach: Option<Duration>, of: Expression, negated: bool) -> Expression {
        match (operator, reach) {
            (Unary::Next, _) => self.next(of, negated),
            (Unary::Previous, _) => match of {
                Expression::Constant(value) if value == negated => Expression::Constant(value),
                of => Expression::Previous { of: Box::new(of), weak: negated },
            },
            // Under a negation these are each other's dual.
            (Unary::Always, None) if !negated => self.until(Expression::Constant(false), of, true),
            (_, None) if negated && operator != Unary::Always => self.until(Expression::Constant(false), of, true),
            (_, None) => self.until(Expression::Constant(true), of, false),
            (operator, Some(reach)) => match (of, (operator == Unary::Eventually) != negated) {
                (Expression::Constant(value), _) => Expression::Constant(value),
                (of, true) => self.state(State::Within { reach, of }),
                (of, false) => self.state(State::Throughout { reach, of }),
            },
        }
    }

    fn next(&mut self, of: Expression, weak: bool) -> Expression {
        match of {
            Expression::Constant(value) if value == weak => Expression::Constant(value),
            of => self.state(State::Next { of, weak }),
        }
    }

    /// `left` and `right` are negated already where the dual is meant.
    fn until(&mut self, left: Expression, right: Expression, dual: bool) -> Expression {
        match right {
            Expression::Constant(value) => Expression::Constant(value),
            right if dual => self.state(State::Release { left, right }),
            right => self.state(State::Until { left, right }),
        }
    }

    fn state(&mut self, state: State) -> Expression {
        let index = self.states.iter().position(|known| *known == state).unwrap_or_else(|| {
            self.states.push(state);
            self.states.len() - 1
        });
        Expression::Temporal(StateId(u32::try_from(index).expect("the parser bounds the size of a formula")))
    }

    /// How far an operator reaches, if it is bounded.
    fn reach(&self, operator: Unary, strict: bool, interval: &Bounds, span: Span) -> Result<Option<Duration>, Refusal> {
        match operator {
            Unary::Next | Unary::Previous if is_any(interval) => Ok(None),
            Unary::Always | Unary::Eventually if !strict && is_any(interval) => Ok(None),
            Unary::Always | Unary::Eventually if !strict && interval.lo.billionths == 0 && interval.lo_closed => {
                match interval.hi {
                    Some(hi) if interval.hi_closed => self.duration(hi, span).map(Some),
                    _ => Err(Refusal { span, what: "an operator with an open bound" }),
                }
            }
            _ => Err(Refusal { span, what: "an operator with distances, or of the past" }),
        }
    }

    fn duration(&self, quantity: Quantity, span: Span) -> Result<Duration, Refusal> {
        self.setting.clock.duration(quantity).ok_or(Refusal { span, what: "a constant finer than a nanosecond" })
    }
}

/// Whether every distance will do, the present included.
fn is_any(interval: &Bounds) -> bool {
    interval.lo.billionths == 0 && interval.lo_closed && interval.hi.is_none()
}
