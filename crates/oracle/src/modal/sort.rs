// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sorts, and quantifiers over all values of a sort.
// RULE W4, W5

use std::collections::BTreeMap;

use gnomon_core::linear::{LinearFormula, LinearTerm, NumberRange};
use gnomon_core::{Comparison, Number, Value};
use gnomon_ir::{ActionFormula, Arithmetic, Expression, Guard, QuantifierKind, Sort};

/// Returns true if a value belongs to a sort.
// RULE W5
pub(crate) fn has(sort: Sort, value: &Value<'static>) -> bool {
    let number =
        if let Value::Number(number) = value { Some(*number).filter(|number| number.is_finite()) } else { None };
    let whole = number.filter(|number| number.is_whole());
    match sort {
        Sort::Any => true,
        Sort::Boolean => matches!(value, Value::Bool(_)),
        Sort::Real => number.is_some(),
        Sort::Integer => whole.is_some(),
        Sort::Natural => whole.is_some_and(|number| number >= Number::Int(0)),
        Sort::Positive => whole.is_some_and(|number| number >= Number::Int(1)),
    }
}

/// The values that a match gives to variables.
pub(crate) type MatchValues<K> = Vec<(K, Value<'static>)>;

/// One event, as action formulae of one form see it. Variables are identified by keys `K`.
pub(crate) struct ActionReading<'a, E, V, Q, K> {
    /// The ways in which the event matches an atom, with the values that it gives to variables.
    pub(crate) matches: &'a dyn Fn(&E) -> Vec<MatchValues<K>>,
    pub(crate) variable: &'a dyn Fn(&V) -> K,
    pub(crate) quantified: &'a dyn Fn(&Q) -> (K, Sort),
}

/// A variable in the scope of its quantifier: a value, or any number under a quantifier of linear arithmetic.
#[derive(Clone)]
enum Instance {
    Value(Value<'static>),
    Number(u32),
}

type Scope<K> = BTreeMap<K, Instance>;

/// A side of a comparison.
#[expect(clippy::large_enum_variant, reason = "it lives for one comparison")]
enum Side {
    Number(LinearTerm),
    Other(Value<'static>),
}

impl<E, V, Q, K: Ord + Clone> ActionReading<'_, E, V, Q, K> {
    /// Returns true if the formula is true of the event under a binding.
    ///
    /// Numbers stay variables, and what remains is a formula of linear arithmetic. Of all other values finitely many represent the rest:
    /// only comparisons tell them apart.
    // RULE W4
    pub(crate) fn holds(
        &self,
        formula: &ActionFormula<E, V, Q>,
        binding: impl Iterator<Item = (K, Value<'static>)>,
    ) -> bool {
        let scope: Scope<K> = binding.map(|(key, value)| (key, Instance::Value(value))).collect();
        self.formula(formula, &scope).is_true()
    }

    fn formula(&self, formula: &ActionFormula<E, V, Q>, scope: &Scope<K>) -> LinearFormula {
        match formula {
            ActionFormula::Event(atom) => {
                let agrees = |(key, value): &(K, Value<'static>)| match scope.get(key) {
                    None => LinearFormula::Constant(true),
                    Some(instance) => compare(Some(side(instance)), Comparison::Equal, Some(known(value))),
                };
                let matches = (self.matches)(atom);
                LinearFormula::some(matches.iter().map(|values| LinearFormula::all(values.iter().map(agrees))))
            }
            ActionFormula::Data(data) => self.data(data, scope),
            ActionFormula::Not(of) => self.formula(of, scope).negated(),
            ActionFormula::And(left, right) => {
                LinearFormula::all([left, right].into_iter().map(|part| self.formula(part, scope)))
            }
            ActionFormula::Or(left, right) => {
                LinearFormula::some([left, right].into_iter().map(|part| self.formula(part, scope)))
            }
            ActionFormula::Quantified(QuantifierKind::Exists, sorted, of) => self.exists(sorted, of, scope, false),
            ActionFormula::Quantified(QuantifierKind::Forall, sorted, of) => {
                self.exists(sorted, of, scope, true).negated()
            }
        }
    }

    /// Some value of the sort makes the formula true, or false if `is_negated`.
    fn exists(&self, sorted: &Q, of: &ActionFormula<E, V, Q>, scope: &Scope<K>, is_negated: bool) -> LinearFormula {
        let (key, sort) = (self.quantified)(sorted);
        let of_instance = |instance: Instance| {
            let mut inner = scope.clone();
            inner.insert(key.clone(), instance);
            let formula = self.formula(of, &inner);
            if is_negated { formula.negated() } else { formula }
        };
        let number = |range: NumberRange, least: Option<i64>| {
            let used = scope
                .values()
                .filter_map(|instance| if let Instance::Number(used) = instance { Some(*used) } else { None });
            let variable = used.max().map_or(0, |used| used + 1);
            let bound = least.and_then(|least| LinearTerm::constant(Number::Int(least)));
            let bound = bound
                .map(|least| LinearFormula::Compare(LinearTerm::variable(variable).minus(&least), Comparison::AtLeast));
            let inside = LinearFormula::all(bound.into_iter().chain([of_instance(Instance::Number(variable))]));
            // Every range has numbers.
            inside.exists(variable, range)
        };
        match sort {
            Sort::Boolean => LinearFormula::some(
                [false, true].into_iter().map(|value| of_instance(Instance::Value(Value::Bool(value)))),
            ),
            Sort::Real => number(NumberRange::Real, None),
            Sort::Integer => number(NumberRange::Whole, None),
            Sort::Natural => number(NumberRange::Whole, Some(0)),
            Sort::Positive => number(NumberRange::Whole, Some(1)),
            Sort::Any => {
                let others = self.others(of, scope).into_iter().map(|value| of_instance(Instance::Value(value)));
                LinearFormula::some(others.chain([number(NumberRange::Real, None)]))
            }
        }
    }

    /// Returns values that represent all but the finite numbers.
    fn others(&self, of: &ActionFormula<E, V, Q>, scope: &Scope<K>) -> Vec<Value<'static>> {
        let mut known: Vec<Value<'static>> = vec![Value::Null, Value::Bool(false), Value::Bool(true)];
        known.extend([f64::INFINITY, f64::NEG_INFINITY].into_iter().filter_map(Number::from_f64).map(Value::Number));
        known.extend(
            scope
                .values()
                .filter_map(|instance| if let Instance::Value(value) = instance { Some(value.clone()) } else { None }),
        );
        let (mut quantifiers, mut is_ordered) = (0, false);
        of.each(&mut |part| match part {
            ActionFormula::Event(atom) => {
                known.extend((self.matches)(atom).into_iter().flatten().map(|(_, value)| value));
            }
            ActionFormula::Data(data) => {
                data.expressions(&mut |expression| {
                    known.extend(if let Expression::Literal(value) = expression { Some(value.clone()) } else { None });
                });
                is_ordered |= has_order(data);
            }
            ActionFormula::Quantified(_, sorted, _) => {
                quantifiers += u32::from((self.quantified)(sorted).1 == Sort::Any);
            }
            ActionFormula::Not(_) | ActionFormula::And(..) | ActionFormula::Or(..) => {}
        });
        let longest = known.iter().map(|value| if let Value::List(items) = value { items.len() } else { 0 }).max();
        known.push(Value::List(vec![Value::Null; longest.unwrap_or(0) + 1]));
        let texts: Vec<String> = known
            .iter()
            .filter_map(|value| if let Value::Text(text) = value { Some(text.to_string()) } else { None })
            .chain([String::new()])
            .collect();
        let found = if is_ordered { around(&texts, quantifiers) } else { vec![beyond(&texts, "")] };
        known.extend(found.into_iter().chain(texts).map(|text| Value::Text(text.into())));
        known.retain(|value| !matches!(value, Value::Number(number) if number.is_finite()));
        known.sort_by(Value::order);
        known.dedup();
        known
    }

    fn data(&self, data: &Guard<V>, scope: &Scope<K>) -> LinearFormula {
        match data {
            Guard::Constant(value) => LinearFormula::Constant(*value),
            Guard::Compare(left, comparison, right) => {
                compare(self.side(left, scope), *comparison, self.side(right, scope))
            }
            Guard::Not(of) => self.data(of, scope).negated(),
            Guard::And(left, right) => LinearFormula::all([left, right].into_iter().map(|part| self.data(part, scope))),
            Guard::Or(left, right) => LinearFormula::some([left, right].into_iter().map(|part| self.data(part, scope))),
        }
    }

    /// Returns what a side of a comparison is; `None` if it has no value.
    // RULE W7
    fn side(&self, expression: &Expression<V>, scope: &Scope<K>) -> Option<Side> {
        match expression {
            Expression::Literal(value) => Some(known(value)),
            Expression::Variable(variable) => scope.get(&(self.variable)(variable)).map(side),
            Expression::Arithmetic(arithmetic, left, right) => {
                let (Side::Number(left), Side::Number(right)) = (self.side(left, scope)?, self.side(right, scope)?)
                else {
                    return None;
                };
                match arithmetic {
                    Arithmetic::Add => Some(Side::Number(left.plus(&right))),
                    Arithmetic::Subtract => Some(Side::Number(left.minus(&right))),
                    // The language has no products.
                    Arithmetic::Multiply => None,
                }
            }
        }
    }
}

fn side(instance: &Instance) -> Side {
    match instance {
        Instance::Value(value) => known(value),
        Instance::Number(variable) => Side::Number(LinearTerm::variable(*variable)),
    }
}

fn known(value: &Value<'static>) -> Side {
    let number = if let Value::Number(number) = value { LinearTerm::constant(*number) } else { None };
    number.map_or_else(|| Side::Other(value.clone()), Side::Number)
}

/// Compares two sides; one that has no value makes it false.
fn compare(left: Option<Side>, comparison: Comparison, right: Option<Side>) -> LinearFormula {
    match (left, right) {
        (None, _) | (_, None) => LinearFormula::Constant(false),
        (Some(Side::Number(left)), Some(Side::Number(right))) => LinearFormula::Compare(left.minus(&right), comparison),
        (Some(Side::Other(left)), Some(Side::Other(right))) => LinearFormula::Constant(comparison.holds(&left, &right)),
        // Infinity, or no number: any finite number will do for this one.
        (Some(Side::Number(_)), Some(Side::Other(other))) => {
            LinearFormula::Constant(comparison.holds(&Value::Number(Number::Int(0)), &other))
        }
        (Some(Side::Other(other)), Some(Side::Number(_))) => {
            LinearFormula::Constant(comparison.holds(&other, &Value::Number(Number::Int(0))))
        }
    }
}

fn has_order<V>(data: &Guard<V>) -> bool {
    match data {
        Guard::Constant(_) => false,
        Guard::Compare(_, comparison, _) => !matches!(comparison, Comparison::Equal | Comparison::NotEqual),
        Guard::Not(of) => has_order(of),
        Guard::And(left, right) | Guard::Or(left, right) => has_order(left) || has_order(right),
    }
}

/// Returns a text after this one and all that only add zeros to it, but before any other known text that is greater.
fn beyond(texts: &[String], text: &str) -> String {
    let longest = texts.iter().map(String::len).max().unwrap_or(0);
    format!("{text}{}\u{1}", "\0".repeat(longest + 1))
}

/// Returns texts at all distances from known ones that formulae with some more quantifiers distinguish. The next text after `a` is `a\0`; `b`
/// has none right before it.
fn around(texts: &[String], quantifiers: u32) -> Vec<String> {
    if quantifiers == 0 {
        return texts.iter().map(|text| format!("{text}\0")).collect();
    }
    let far = 1_usize << quantifiers.min(5);
    let mut found = Vec::new();
    for text in texts {
        let after = beyond(texts, text);
        found.extend((1..=far).map(|count| format!("{text}{}", "\0".repeat(count))));
        found.extend((1..=far).filter_map(|count| text.strip_suffix(&"\0".repeat(count)).map(str::to_owned)));
        found.extend((0..=far).map(|count| format!("{after}{}", "\0".repeat(count))));
    }
    found
}
