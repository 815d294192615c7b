// SPDX-License-Identifier: MIT OR Apache-2.0
//! Builds the alternating automaton of a formula: negations move down to the propositions, every temporal operator
//! becomes a state.
//!
//! After Baresi, Bianculli, Guinea and Spoletini, "Keep It Small, Keep It Real", section 3.2. Departures: the start of
//! an activity looks at the next state, not one unit of time ahead; operators under a negation are states of their own.

use gnomon_core::list::index_of;
use gnomon_core::{Clock, Duration, Quantity, Simultaneous, Span};
use gnomon_ir::walk::{SpanEraser, WalkMut as _};
use gnomon_ir::{ActivityPhase, Binary, Bounds, Connective, Formula, FormulaKind, Occurrence, Unary};

use crate::automaton::{AlternatingAutomaton, Expression, PropositionId, State, StateId};

/// Context of a formula on which its automaton depends.
#[derive(Clone, Copy)]
pub struct BuildContext<'a> {
    /// The trace's unit.
    pub clock: Clock,
    /// Treatment of events with equal times.
    pub simultaneous: Simultaneous,
    /// Returns true if a name that begins with `start_` is an event of the trace or declared, and not the start of an
    /// activity.
    pub is_literal: &'a dyn Fn(&Occurrence) -> bool,
}

impl Default for BuildContext<'_> {
    /// No unit, states of different times, and `start_X` always the start of X.
    fn default() -> Self {
        BuildContext { clock: Clock::default(), simultaneous: Simultaneous::Merge, is_literal: &|_| false }
    }
}

/// Part of a formula that has no automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AutomatonRefusal {
    /// The part that stands in the way.
    pub span: Span,
    /// Name of the unsupported construct.
    pub what: &'static str,
}

impl AlternatingAutomaton {
    /// The automaton of an invariant: of the value of its outermost `Always`, or of the formula as it is.
    pub fn of(invariant: &Formula, setting: BuildContext<'_>) -> Result<AlternatingAutomaton, AutomatonRefusal> {
        let body = match &invariant.kind {
            FormulaKind::Unary { operator: Unary::Always, strict: false, times: 1, interval, of }
                if interval.is_any() =>
            {
                of
            }
            _ => invariant,
        };
        let mut builder = Builder {
            setting,
            propositions: Vec::new(),
            unplaced: Vec::new(),
            states: Vec::new(),
            lengths: Vec::new(),
        };
        let body = builder.expression(body, false)?;
        let Builder { setting: BuildContext { clock, simultaneous, .. }, propositions, states, lengths, .. } = builder;
        Ok(AlternatingAutomaton { propositions, states, body, simultaneous, clock, lengths })
    }
}

struct Builder<'a> {
    setting: BuildContext<'a>,
    propositions: Vec<Formula>,
    /// Propositions without their source locations.
    unplaced: Vec<Formula>,
    states: Vec<State>,
    lengths: Vec<(Duration, Quantity)>,
}

impl Builder<'_> {
    /// Builds the demand of a formula or of its negation.
    fn expression(&mut self, formula: &Formula, negated: bool) -> Result<Expression, AutomatonRefusal> {
        let span = formula.span;
        Ok(match &formula.kind {
            FormulaKind::Constant(value) => Expression::Constant(*value != negated),
            FormulaKind::Not(of) => self.expression(of, !negated)?,
            FormulaKind::Connective(connective, left, right) => self.connective(*connective, left, right, negated)?,
            FormulaKind::Atom(_) | FormulaKind::Compare(..) | FormulaKind::Each { .. } => {
                self.literal(formula, negated)
            }
            FormulaKind::OnEvent(occurrence) => match &occurrence.activity {
                Some((ActivityPhase::Start, event)) if !(self.setting.is_literal)(occurrence) => {
                    let event = Formula { kind: FormulaKind::Atom(event.clone()), span };
                    let of = self.literal(&event, negated);
                    self.state(State::Next { of, weak: negated })
                }
                _ => self.literal(formula, negated),
            },
            FormulaKind::Unary { operator, strict, times, interval, of } => {
                let reach = self.reach(*operator, *strict, interval, span)?;
                let mut expression = self.expression(of, negated)?;
                for _ in 0..*times {
                    expression = self.unary(*operator, reach, expression, negated);
                }
                expression
            }
            FormulaKind::Binary { operator: Binary::Until, strict: false, interval, left, right }
                if interval.is_any() =>
            {
                let (left, right) = (self.expression(left, negated)?, self.expression(right, negated)?);
                self.until(left, right, negated)
            }
            FormulaKind::Binary { .. } => {
                return Err(AutomatonRefusal { span, what: "an operator with distances, or of the past" });
            }
            FormulaKind::InFuture { reach, of } => {
                let (of, reach) = (self.expression(of, negated)?, self.duration(*reach, span)?);
                self.state(State::InFuture { reach, of, weak: negated })
            }
            FormulaKind::Aggregate { .. } => return Err(AutomatonRefusal { span, what: "a quantity over a window" }),
        })
    }

    fn connective(
        &mut self,
        connective: Connective,
        left: &Formula,
        right: &Formula,
        negated: bool,
    ) -> Result<Expression, AutomatonRefusal> {
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
        // Equal texts at two places are one proposition.
        let mut own = formula.clone();
        SpanEraser.formula(&mut own);
        let index = index_of(&mut self.unplaced, own);
        if index == self.propositions.len() {
            self.propositions.push(formula.clone());
        }
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
        let index = index_of(&mut self.states, state);
        Expression::Temporal(StateId(u32::try_from(index).expect("the parser bounds the size of a formula")))
    }

    /// Returns the reach of a bounded operator; `None` if it is unbounded.
    fn reach(
        &mut self,
        operator: Unary,
        strict: bool,
        interval: &Bounds,
        span: Span,
    ) -> Result<Option<Duration>, AutomatonRefusal> {
        match operator {
            Unary::Next | Unary::Previous if interval.is_any() => Ok(None),
            Unary::Always | Unary::Eventually if !strict && interval.is_any() => Ok(None),
            Unary::Always | Unary::Eventually if !strict && interval.lo.billionths == 0 && interval.lo_closed => {
                match interval.hi {
                    Some(hi) if interval.hi_closed => self.duration(hi, span).map(Some),
                    _ => Err(AutomatonRefusal { span, what: "an operator with an open bound" }),
                }
            }
            _ => Err(AutomatonRefusal { span, what: "an operator with distances, or of the past" }),
        }
    }

    fn duration(&mut self, quantity: Quantity, span: Span) -> Result<Duration, AutomatonRefusal> {
        let length = self.setting.clock.duration(quantity);
        let length = length.ok_or(AutomatonRefusal { span, what: "a constant finer than a nanosecond" })?;
        self.lengths.push((length, quantity));
        Ok(length)
    }
}
