// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether an action formula is true of an event, for one binding.
// RULE W3, W4, W5

use gnomon_core::number::Number;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::core::{ActionFormula, DataCore, ExpressionCore};
use gnomon_ir::modal::Sort;
use gnomon_ir::pattern::VariableId;
use gnomon_ir::spec::QuantifierKind;

use crate::automata::guard::{Scope, value};
use crate::slice::machine::Moment;

/// An event as one binding sees it, and the values that variables of action formulae have meanwhile.
pub(super) struct Sight<'a> {
    pub(super) moment: &'a Moment<'a>,
    pub(super) locals: Vec<Option<Value<'static>>>,
    pub(super) sorts: &'a [(String, Sort)],
}

impl Sight<'_> {
    pub(super) fn holds(&mut self, action: &ActionFormula) -> bool {
        match action {
            ActionFormula::Event(atom) => {
                let own = self.moment.matches().filter(|one| one.atom() == *atom);
                own.map(|one| self.moment.matches.registers(one)).any(|registers| self.agrees(registers))
            }
            ActionFormula::Data(data) => self.is_true(data),
            ActionFormula::Not(of) => !self.holds(of),
            ActionFormula::And(left, right) => self.holds(left) && self.holds(right),
            ActionFormula::Or(left, right) => self.holds(left) || self.holds(right),
            ActionFormula::Quantified(kind, id, of) => {
                let local = self.local(*id);
                let before = self.locals[local].take();
                let telling = self.telling(*id, of);
                let mut of = |value: Value<'static>| {
                    self.locals[local] = Some(value);
                    self.holds(of)
                };
                let answer = match kind {
                    QuantifierKind::Exists => telling.into_iter().any(&mut of),
                    QuantifierKind::Forall => telling.into_iter().all(&mut of),
                };
                self.locals[local] = before;
                answer
            }
        }
    }

    /// Whether the event carries what the variables have as values.
    fn agrees(&self, registers: &[(u32, Value<'static>)]) -> bool {
        registers.iter().all(|(id, carried)| {
            let known = self.locals[self.local(VariableId(*id))].as_ref();
            known.is_none_or(|known| Comparison::Equal.holds(known, carried))
        })
    }

    fn local(&self, id: VariableId) -> usize {
        id.0 as usize - self.moment.ids.len()
    }

    fn scope(&self) -> Scope<'_> {
        Scope { ids: self.moment.ids, values: self.moment.values, registers: &self.locals }
    }

    pub(super) fn is_true(&self, data: &DataCore) -> bool {
        is_true(data, &self.scope())
    }

    /// Values of a variable that can be told apart: those that the event carries, those at which a comparison turns, and their
    /// neighbours, which stand for all others.
    fn telling(&mut self, id: VariableId, of: &ActionFormula) -> Vec<Value<'static>> {
        let sort = self.sorts[self.local(id)].1;
        if sort == Sort::Boolean {
            return vec![Value::Bool(true), Value::Bool(false)];
        }
        let mut points: Vec<Value<'static>> = self
            .moment
            .matches()
            .flat_map(|one| self.moment.matches.registers(one))
            .filter(|(register, _)| *register == id.0)
            .map(|(_, value)| value.clone())
            .collect();
        let mut comparisons = Vec::new();
        comparisons_in(of, &mut comparisons);
        for (left, right) in comparisons {
            self.turning(id, left, right, &mut points);
        }
        let mut telling = between(&points);
        // One that nothing compares with, of either kind.
        telling.extend([Value::Text("\u{0}".into()), Value::Number(Number::Int(1))]);
        for point in points {
            if let Value::Number(number) = point {
                let whole = match number {
                    Number::Int(whole) => whole,
                    other => other.to_f64().floor() as i64,
                };
                let near = [whole.saturating_sub(1), whole, whole.saturating_add(1), whole.saturating_add(2)];
                telling.extend(near.map(|near| Value::Number(Number::Int(near))));
            }
            telling.push(point);
        }
        telling.retain(|value| is_of(value, sort));
        telling
    }

    /// Where a comparison may turn from true to false.
    fn turning(
        &mut self,
        id: VariableId,
        left: &ExpressionCore,
        right: &ExpressionCore,
        points: &mut Vec<Value<'static>>,
    ) {
        let local = self.local(id);
        let mut difference = |at: i64| {
            self.locals[local] = Some(Value::Number(Number::Int(at)));
            let scope = self.scope();
            match (value(left, &scope)?.into_owned(), value(right, &scope)?.into_owned()) {
                (Value::Number(left), Value::Number(right)) => Some(left.minus(right)),
                _ => None,
            }
        };
        let ends = difference(0).zip(difference(1));
        self.locals[local] = None;
        if let Some((at_zero, at_one)) = ends {
            let slope = at_one.minus(at_zero);
            if slope == Number::Int(1) {
                points.push(Value::Number(Number::Int(0).minus(at_zero)));
            } else if slope == Number::Int(-1) {
                points.push(Value::Number(at_zero));
            } else if slope != Number::Int(0) {
                points.push(Value::Number(Number::Float(-at_zero.to_f64() / slope.to_f64())));
            }
            return;
        }
        // What is no number is compared as it is.
        for side in [left, right] {
            let scope = self.scope();
            points.extend(value(side, &scope).map(std::borrow::Cow::into_owned));
        }
    }
}

/// A number between each two neighbours: whole ones are not all that a sort may have there.
fn between(points: &[Value<'static>]) -> Vec<Value<'static>> {
    let number = |point: &Value<'static>| if let Value::Number(number) = point { Some(*number) } else { None };
    let mut numbers: Vec<Number> = points.iter().filter_map(number).collect();
    numbers.sort_by(|one, other| one.compare(*other));
    let half = Number::Decimal { mantissa: 5, scale: 1 };
    numbers.windows(2).map(|pair| Value::Number(pair[0].plus(pair[1]).times(half))).collect()
}

pub(super) fn is_true(data: &DataCore, scope: &Scope<'_>) -> bool {
    match data {
        DataCore::Constant(truth) => *truth,
        DataCore::Compare(left, comparison, right) => match (value(left, scope), value(right, scope)) {
            (Some(left), Some(right)) => comparison.holds(&left, &right),
            _ => false,
        },
        DataCore::Not(of) => !is_true(of, scope),
        DataCore::And(left, right) => is_true(left, scope) && is_true(right, scope),
        DataCore::Or(left, right) => is_true(left, scope) || is_true(right, scope),
    }
}

/// Whether a value is of a sort.
pub(crate) fn is_of(value: &Value<'_>, sort: Sort) -> bool {
    let at_least = |least: i64| match value {
        Value::Number(number) => {
            number.to_f64().fract() == 0.0 && number.compare(Number::Int(least)) != std::cmp::Ordering::Less
        }
        _ => false,
    };
    match sort {
        Sort::Boolean => matches!(value, Value::Bool(_)),
        Sort::Positive => at_least(1),
        Sort::Natural => at_least(0),
        Sort::Integer => at_least(i64::MIN),
        Sort::Real => matches!(value, Value::Number(_)),
        Sort::Any => true,
    }
}

fn comparisons_in<'a>(action: &'a ActionFormula, found: &mut Vec<(&'a ExpressionCore, &'a ExpressionCore)>) {
    match action {
        ActionFormula::Event(_) => {}
        ActionFormula::Data(data) => compared_in(data, found),
        ActionFormula::Not(of) | ActionFormula::Quantified(_, _, of) => comparisons_in(of, found),
        ActionFormula::And(left, right) | ActionFormula::Or(left, right) => {
            comparisons_in(left, found);
            comparisons_in(right, found);
        }
    }
}

fn compared_in<'a>(data: &'a DataCore, found: &mut Vec<(&'a ExpressionCore, &'a ExpressionCore)>) {
    match data {
        DataCore::Constant(_) => {}
        DataCore::Compare(left, _, right) => found.push((left, right)),
        DataCore::Not(of) => compared_in(of, found),
        DataCore::And(left, right) | DataCore::Or(left, right) => {
            compared_in(left, found);
            compared_in(right, found);
        }
    }
}
