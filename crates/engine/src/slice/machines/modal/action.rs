// SPDX-License-Identifier: MIT OR Apache-2.0
//! Evaluates action formulae for an event and one binding.
//!
//! A quantifier ranges over all values of its sort. If no condition mentions a quantified variable, only the values that the event carries
//! matter, and one other value. Otherwise numbers stay variables, and the rest of the formula is decided by linear arithmetic.
// RULE W3, W4, W5

use gnomon_core::linear::{LinearFormula, LinearTerm, NumberRange};
use gnomon_core::number::Number;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::atom::VariableId;
use gnomon_ir::automaton::Arithmetic;
use gnomon_ir::core::{ActionFormulaCore, AtomId, ExpressionCore, GuardCore};
use gnomon_ir::modal::Sort;
use gnomon_ir::spec::QuantifierKind;

use crate::slice::machine::BindingPosition;
use crate::slice::machines::guard::{GuardScope, holds, value};

/// Evaluates action formulae for an event. Variables that they quantify have their current values here.
pub(super) struct ActionEvaluator<'a> {
    at: &'a BindingPosition<'a>,
    locals: Vec<LocalValue>,
    sorts: &'a [(String, Sort)],
}

/// The current value of a variable that an action formula quantifies.
#[derive(Clone, Debug)]
enum LocalValue {
    /// Outside of its quantifier.
    None,
    Known(Value<'static>),
    /// Any number, under a quantifier of linear arithmetic.
    Number,
}

/// A side of a comparison.
#[expect(clippy::large_enum_variant, reason = "it lives for one comparison")]
enum Side {
    Number(LinearTerm),
    Other(Value<'static>),
}

impl<'a> ActionEvaluator<'a> {
    pub(super) fn new(at: &'a BindingPosition<'a>, sorts: &'a [(String, Sort)]) -> Self {
        ActionEvaluator { at, locals: vec![LocalValue::None; sorts.len()], sorts }
    }

    pub(super) fn holds(&mut self, action: &ActionFormulaCore) -> bool {
        match action {
            ActionFormulaCore::Event(atom) => self.registers(*atom).any(|registers| self.agrees(registers)),
            // No condition that is evaluated here mentions a quantified variable.
            ActionFormulaCore::Data(data) => holds(data, &self.scope()),
            ActionFormulaCore::Not(of) => !self.holds(of),
            ActionFormulaCore::And(left, right) => self.holds(left) && self.holds(right),
            ActionFormulaCore::Or(left, right) => self.holds(left) || self.holds(right),
            ActionFormulaCore::Quantified(..) if self.has_conditions(action) => self.formula(action).is_true(),
            ActionFormulaCore::Quantified(kind, id, of) => {
                let representatives = self.representatives(*id);
                let local = self.local(*id);
                let mut of = |value: Value<'static>| {
                    self.locals[local] = LocalValue::Known(value);
                    self.holds(of)
                };
                let answer = match kind {
                    QuantifierKind::Exists => representatives.into_iter().any(&mut of),
                    QuantifierKind::Forall => representatives.into_iter().all(&mut of),
                };
                self.locals[local] = LocalValue::None;
                answer
            }
        }
    }

    /// Returns the values that each match of an atom gives to quantified variables.
    fn registers(&self, atom: AtomId) -> impl Iterator<Item = &'a [(u32, Value<'static>)]> + use<'a> {
        let at = self.at;
        at.matches().filter(move |one| one.atom() == atom).map(|one| at.matches.registers(one))
    }

    /// Returns true if the event carries the current values of the variables.
    fn agrees(&self, registers: &[(u32, Value<'static>)]) -> bool {
        registers.iter().all(|(id, carried)| match &self.locals[self.local(VariableId(*id))] {
            LocalValue::Known(known) => known == carried,
            LocalValue::None | LocalValue::Number => true,
        })
    }

    fn local(&self, id: VariableId) -> usize {
        id.0 as usize - self.at.ids.len()
    }

    fn scope(&self) -> GuardScope<'_> {
        GuardScope { ids: self.at.ids, values: self.at.values, registers: &[] }
    }

    /// Returns true if a condition mentions a variable that an action formula quantifies.
    fn has_conditions(&self, action: &ActionFormulaCore) -> bool {
        let mut found = false;
        guards_in(action, &mut |data| {
            data.expressions(&mut |expression| {
                found |= matches!(expression, ExpressionCore::Variable(id) if id.0 as usize >= self.at.ids.len());
            });
        });
        found
    }

    /// Returns values of a variable that represent all others where only atoms mention it: those that the event carries, and another.
    fn representatives(&self, id: VariableId) -> Vec<Value<'static>> {
        let sort = self.sorts[self.local(id)].1;
        if sort == Sort::Boolean {
            return vec![Value::Bool(true), Value::Bool(false)];
        }
        let registers = self.at.matches().flat_map(|one| self.at.matches.registers(one));
        let mut found: Vec<Value<'static>> =
            registers.filter(|(register, _)| *register == id.0).map(|(_, value)| value.clone()).collect();
        // There is one more candidate than values found, so at least one candidate differs from all of them.
        let mut others = (1..=found.len() as i64 + 1).map(|whole| Value::Number(Number::Int(whole)));
        let other = others.find(|other| !found.contains(other));
        found.retain(|value| has_sort(value, sort));
        found.extend(other);
        found
    }

    /// Returns a formula of linear arithmetic that is true if the action formula is.
    fn formula(&mut self, action: &ActionFormulaCore) -> LinearFormula {
        match action {
            ActionFormulaCore::Event(atom) => {
                let equal = |(id, carried): &(u32, Value<'static>)| {
                    compare(self.variable(VariableId(*id)), Comparison::Equal, Some(Side::of(carried)))
                };
                let registers = self.registers(*atom);
                LinearFormula::some(registers.map(|registers| LinearFormula::all(registers.iter().map(equal))))
            }
            ActionFormulaCore::Data(data) => self.condition(data),
            ActionFormulaCore::Not(of) => self.formula(of).negated(),
            ActionFormulaCore::And(left, right) => {
                LinearFormula::all([left, right].into_iter().map(|part| self.formula(part)))
            }
            ActionFormulaCore::Or(left, right) => {
                LinearFormula::some([left, right].into_iter().map(|part| self.formula(part)))
            }
            ActionFormulaCore::Quantified(QuantifierKind::Exists, id, of) => self.exists(*id, of, false),
            ActionFormulaCore::Quantified(QuantifierKind::Forall, id, of) => self.exists(*id, of, true).negated(),
        }
    }

    /// Returns a formula that is true if a value of a variable makes the action formula true, or its negation. It has a part for the numbers,
    /// and one for each value that represents others.
    fn exists(&mut self, id: VariableId, of: &ActionFormulaCore, is_negated: bool) -> LinearFormula {
        let local = self.local(id);
        let sort = self.sorts[local].1;
        let others = match sort {
            Sort::Boolean => vec![Value::Bool(false), Value::Bool(true)],
            Sort::Any => self.others(of),
            Sort::Positive | Sort::Natural | Sort::Integer | Sort::Real => vec![],
        };
        let numbers = (sort != Sort::Boolean).then_some(LocalValue::Number);
        let formula = LinearFormula::some(others.into_iter().map(LocalValue::Known).chain(numbers).map(|value| {
            let is_number = matches!(value, LocalValue::Number);
            self.locals[local] = value;
            let formula = self.formula(of);
            let formula = if is_negated { formula.negated() } else { formula };
            if is_number { some_number(local as u32, sort, formula) } else { formula }
        }));
        self.locals[local] = LocalValue::None;
        formula
    }

    /// Returns values that represent all but the finite numbers. Other values than texts are only equal or different; texts have an order, in
    /// which `a` is followed by `a\0` and nothing stands right before `b`.
    fn others(&self, of: &ActionFormulaCore) -> Vec<Value<'static>> {
        let mut known: Vec<Value<'static>> = vec![Value::Null, Value::Bool(false), Value::Bool(true)];
        known.extend([f64::INFINITY, f64::NEG_INFINITY].into_iter().filter_map(Number::from_f64).map(Value::Number));
        known.extend(self.at.matches().flat_map(|one| self.at.matches.registers(one)).map(|(_, value)| value.clone()));
        known.extend(self.locals.iter().filter_map(|local| match local {
            LocalValue::Known(value) => Some(value.clone()),
            LocalValue::None | LocalValue::Number => None,
        }));
        let mut is_ordered = false;
        guards_in(of, &mut |data| {
            is_ordered |= has_order(data);
            data.expressions(&mut |expression| {
                if let Some(Side::Other(value)) = self.side(expression) {
                    known.push(value);
                }
            });
        });
        let length = known.iter().map(|value| if let Value::List(items) = value { items.len() } else { 0 }).max();
        known.push(Value::List(vec![Value::Null; length.unwrap_or(0) + 1]));
        known.push(Value::Text("".into()));
        let texts: Vec<String> = known
            .iter()
            .filter_map(|value| if let Value::Text(text) = value { Some(text.to_string()) } else { None })
            .collect();
        let longest = texts.iter().map(String::len).max().unwrap_or(0);
        let zeros = |count: usize| "\0".repeat(count);
        let inner = if is_ordered { self.inner_quantifiers(of) } else { 0 };
        if inner == 0 {
            // Each gap between texts that is not empty has one of these.
            known.extend(texts.iter().map(|text| Value::Text(format!("{text}\0").into())));
            known.push(Value::Text(format!("{}\u{1}", zeros(longest + 1)).into()));
        } else {
            // The formula has `inner` quantifiers, so it cannot distinguish distances greater than 2^inner.
            let far = 1 << inner.min(5);
            for text in &texts {
                let after = format!("{text}{}\u{1}", zeros(longest + 1));
                let behind = (1..=far).map(|count| format!("{text}{}", zeros(count)));
                let before = (1..=far).filter_map(|count| text.strip_suffix(&zeros(count)).map(str::to_owned));
                let beyond = (0..=far).map(|count| format!("{after}{}", zeros(count)));
                known.extend(behind.chain(before).chain(beyond).map(|text| Value::Text(text.into())));
            }
        }
        known.retain(|value| !matches!(value, Value::Number(number) if number.is_finite()));
        known.sort_by(Value::order);
        known.dedup();
        known
    }

    /// Counts the quantifiers over all values inside an action formula.
    fn inner_quantifiers(&self, of: &ActionFormulaCore) -> usize {
        let mut count = 0;
        of.each(&mut |part| {
            if let ActionFormulaCore::Quantified(_, id, _) = part {
                count += usize::from(self.sorts[self.local(*id)].1 == Sort::Any);
            }
        });
        count
    }

    fn condition(&self, data: &GuardCore) -> LinearFormula {
        match data {
            GuardCore::Constant(value) => LinearFormula::Constant(*value),
            GuardCore::Compare(left, comparison, right) => compare(self.side(left), *comparison, self.side(right)),
            GuardCore::Not(of) => self.condition(of).negated(),
            GuardCore::And(left, right) => {
                LinearFormula::all([left, right].into_iter().map(|part| self.condition(part)))
            }
            GuardCore::Or(left, right) => {
                LinearFormula::some([left, right].into_iter().map(|part| self.condition(part)))
            }
        }
    }

    /// Returns a side of a comparison; `None` if it has no value.
    fn side(&self, expression: &ExpressionCore) -> Option<Side> {
        match expression {
            ExpressionCore::Variable(id) => self.variable(*id),
            ExpressionCore::Literal(value) => Some(Side::of(value)),
            ExpressionCore::Arithmetic(arithmetic, left, right) => {
                match (self.side(left)?, arithmetic, self.side(right)?) {
                    (Side::Number(left), Arithmetic::Add, Side::Number(right)) => Some(Side::Number(left.plus(&right))),
                    (Side::Number(left), Arithmetic::Subtract, Side::Number(right)) => {
                        Some(Side::Number(left.minus(&right)))
                    }
                    // Other values, and products, which the language does not have.
                    _ => None,
                }
            }
        }
    }

    fn variable(&self, id: VariableId) -> Option<Side> {
        if (id.0 as usize) < self.at.ids.len() {
            return value(&ExpressionCore::Variable(id), &self.scope()).map(|known| Side::of(&known));
        }
        match &self.locals[self.local(id)] {
            LocalValue::None => None,
            LocalValue::Known(value) => Some(Side::of(value)),
            LocalValue::Number => Some(Side::Number(LinearTerm::variable(self.local(id) as u32))),
        }
    }
}

impl Side {
    fn of(value: &Value<'static>) -> Side {
        let number = if let Value::Number(number) = value { LinearTerm::constant(*number) } else { None };
        number.map_or_else(|| Side::Other(value.clone()), Side::Number)
    }
}

/// Compares two sides; one that has no value makes the comparison false.
fn compare(left: Option<Side>, comparison: Comparison, right: Option<Side>) -> LinearFormula {
    // Compared with infinity or another kind of value, all finite numbers are alike.
    let finite = Value::Number(Number::Int(0));
    match (left, right) {
        (Some(Side::Number(left)), Some(Side::Number(right))) => LinearFormula::Compare(left.minus(&right), comparison),
        (Some(left), Some(right)) => {
            let [left, right] = [&left, &right].map(|side| if let Side::Other(value) = side { value } else { &finite });
            LinearFormula::Constant(comparison.holds(left, right))
        }
        (None, _) | (_, None) => LinearFormula::Constant(false),
    }
}

fn has_order(data: &GuardCore) -> bool {
    match data {
        GuardCore::Constant(_) => false,
        GuardCore::Compare(_, comparison, _) => !matches!(comparison, Comparison::Equal | Comparison::NotEqual),
        GuardCore::Not(of) => has_order(of),
        GuardCore::And(left, right) | GuardCore::Or(left, right) => has_order(left) || has_order(right),
    }
}

/// Returns a formula that is true if some number of a sort in the place of a variable makes another true.
fn some_number(variable: u32, sort: Sort, formula: LinearFormula) -> LinearFormula {
    let (range, least) = match sort {
        Sort::Positive => (NumberRange::Whole, Some(1)),
        Sort::Natural => (NumberRange::Whole, Some(0)),
        Sort::Integer => (NumberRange::Whole, None),
        Sort::Real | Sort::Any | Sort::Boolean => (NumberRange::Real, None),
    };
    let least = least.and_then(|least| LinearTerm::constant(Number::Int(least)));
    let term = LinearTerm::variable(variable);
    let bound = least.map(|least| LinearFormula::Compare(term.minus(&least), Comparison::AtLeast));
    // Every sort has numbers: where the formula does not depend on the variable, neither does the result.
    match formula {
        LinearFormula::Constant(_) => formula,
        formula => LinearFormula::all(bound.into_iter().chain([formula])).exists(variable, range),
    }
}

/// Returns true if a value belongs to a sort.
pub(crate) fn has_sort(value: &Value<'_>, sort: Sort) -> bool {
    let at_least = |least: i64| match value {
        Value::Number(number) => number.is_whole() && *number >= Number::Int(least),
        _ => false,
    };
    match sort {
        Sort::Boolean => matches!(value, Value::Bool(_)),
        Sort::Positive => at_least(1),
        Sort::Natural => at_least(0),
        Sort::Integer => matches!(value, Value::Number(number) if number.is_whole()),
        Sort::Real => matches!(value, Value::Number(number) if number.is_finite()),
        Sort::Any => true,
    }
}

/// Calls `visit` on each guard in an action formula.
pub(super) fn guards_in<'a>(action: &'a ActionFormulaCore, visit: &mut dyn FnMut(&'a GuardCore)) {
    match action {
        ActionFormulaCore::Event(_) => {}
        ActionFormulaCore::Data(data) => visit(data),
        ActionFormulaCore::Not(of) | ActionFormulaCore::Quantified(_, _, of) => guards_in(of, visit),
        ActionFormulaCore::And(left, right) | ActionFormulaCore::Or(left, right) => {
            guards_in(left, visit);
            guards_in(right, visit);
        }
    }
}
