// SPDX-License-Identifier: MIT OR Apache-2.0
//! Generated formulae with everything in them that is hard to print.

use gnomon_core::diagnostic::Span;
use gnomon_core::number::Number;
use gnomon_core::random;
use gnomon_core::time::{Quantity, Unit as TimeUnit};
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::atom::{Argument, Atom, Condition, Path};
use gnomon_ir::formula::{Aggregate, Binary, Bounds, Connective, Fold, Formula, FormulaKind, Percent, Unary};
use gnomon_ir::spec::Variable;

/// The operators and variables that the generator may use.
#[derive(Clone, Copy)]
pub(crate) struct Flavour {
    strict: bool,
    binary: &'static [Binary],
    variables: &'static [&'static str],
}

pub(crate) const SOLOIST: Flavour = Flavour { strict: true, binary: &[Binary::Until, Binary::Since], variables: &[] };
pub(crate) const MTL: Flavour = Flavour {
    strict: false,
    binary: &[Binary::Until, Binary::Since, Binary::WeakUntil, Binary::Release],
    variables: &["x", "y", "user_id", "s", "G"],
};

/// A seeded generator of formulae, so that every run checks the same ones.
pub(crate) struct FormulaGenerator {
    numbers: random::Random,
    flavour: Flavour,
}

impl FormulaGenerator {
    pub(crate) fn new(flavour: Flavour) -> Self {
        FormulaGenerator { numbers: random::Random::new(0x5eed), flavour }
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.numbers.below(bound)
    }

    pub(crate) fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize].clone()
    }

    pub(crate) fn formula(&mut self, depth: u32) -> Formula {
        let kind = if depth == 0 { self.below(5) } else { 3 + self.below(12) };
        let part = |random: &mut FormulaGenerator| Box::new(random.formula(depth.saturating_sub(1)));
        let kind = match kind {
            0 => FormulaKind::Constant(self.below(2) == 0),
            1..=4 => FormulaKind::Atom(self.atom()),
            5 => FormulaKind::Not(part(self)),
            6..=8 => {
                let connective = self.pick(&[Connective::And, Connective::Or, Connective::Implies, Connective::Iff]);
                FormulaKind::Connective(connective, part(self), part(self))
            }
            9 | 10 => {
                let operator = self.pick(&[
                    Unary::Always,
                    Unary::Eventually,
                    Unary::Historically,
                    Unary::Once,
                    Unary::Next,
                    Unary::Previous,
                ]);
                let repeated = matches!(operator, Unary::Next | Unary::Previous) && self.below(3) == 0;
                let times = if repeated { 1 + self.below(1_000) as u32 } else { 1 };
                FormulaKind::Unary {
                    operator,
                    strict: self.flavour.strict,
                    times,
                    interval: self.interval(),
                    of: part(self),
                }
            }
            11 | 12 => {
                let operator = self.pick(self.flavour.binary);
                FormulaKind::Binary {
                    operator,
                    strict: self.flavour.strict,
                    interval: self.interval(),
                    left: part(self),
                    right: part(self),
                }
            }
            _ => self.aggregate(depth),
        };
        Formula { kind, span: Span::default() }
    }

    fn aggregate(&mut self, depth: u32) -> FormulaKind {
        let (window, step) = (self.quantity(), self.quantity());
        let (aggregate, bound) = if self.flavour.strict {
            let of = self.formula(depth.saturating_sub(1));
            let aggregate = match self.below(7) {
                4 => Aggregate::Rate { window, closed: false, of },
                5 | 6 => return self.of_values(window),
                0 => Aggregate::Count { window, closed: false, of },
                1 => Aggregate::Average { window, step, of },
                2 => Aggregate::Maximum { window, step, of },
                _ => Aggregate::Gap { window, from: of, to: self.formula(depth.saturating_sub(1)) },
            };
            (aggregate, self.quantity())
        } else {
            match self.below(4) {
                0 => (
                    Aggregate::Count { window, closed: true, of: self.formula(depth.saturating_sub(1)) },
                    self.quantity(),
                ),
                1 => (
                    Aggregate::Rate { window, closed: true, of: self.formula(depth.saturating_sub(1)) },
                    self.quantity(),
                ),
                2 => return self.of_values(window),
                _ => {
                    let fold = self.pick(&[Fold::Sum, Fold::Mean, Fold::Least, Fold::Greatest]);
                    let mut bound = self.quantity();
                    bound.billionths -= 500_000_000_000;
                    (Aggregate::Fold { fold, window, of: self.atom(), field: self.path() }, bound)
                }
            }
        };
        let comparison = self.comparison(false);
        FormulaKind::Aggregate { aggregate: Box::new(aggregate), comparison, bound, full_window: false }
    }

    fn of_values(&mut self, window: Quantity) -> FormulaKind {
        let (of, field, closed) = (self.atom(), self.path(), !self.flavour.strict);
        let mut bound = self.quantity();
        let aggregate = if self.below(2) == 0 {
            let percent = self.pick(&[1, 50_000_000_000, 99_900_000_000, 100_000_000_000]);
            bound.billionths -= 500_000_000_000;
            Aggregate::Percentile {
                percent: Percent::new(percent).unwrap_or(Percent::WHOLE),
                window,
                closed,
                of,
                field,
            }
        } else {
            Aggregate::Distinct { window, closed, of, field }
        };
        let comparison = self.comparison(false);
        FormulaKind::Aggregate { aggregate: Box::new(aggregate), comparison, bound, full_window: false }
    }

    pub(crate) fn comparison(&mut self, unequal: bool) -> Comparison {
        let comparisons = [
            Comparison::Equal,
            Comparison::Less,
            Comparison::AtMost,
            Comparison::Greater,
            Comparison::AtLeast,
            Comparison::NotEqual,
        ];
        self.pick(&comparisons[..if unequal { 6 } else { 5 }])
    }

    pub(crate) fn path(&mut self) -> Path {
        let steps = (0..self.below(3)).map(|_| if self.below(2) == 0 { "0".to_owned() } else { self.name() });
        let steps = steps.collect();
        Path { field: self.name(), steps }
    }

    pub(crate) fn quantity(&mut self) -> Quantity {
        let billionths = match self.below(4) {
            0 => i128::from(self.below(1 << 40)),
            _ => i128::from(self.below(1_000)) * 1_000_000_000,
        };
        let unit = if self.below(2) == 0 { None } else { Some(self.pick(&TimeUnit::ALL)) };
        Quantity { billionths, unit }
    }

    fn interval(&mut self) -> Bounds {
        if self.below(3) == 0 {
            return if self.flavour.strict { Bounds::POSITIVE } else { Bounds::ANY };
        }
        let hi = if self.below(3) == 0 { None } else { Some(self.quantity()) };
        Bounds {
            lo: self.quantity(),
            lo_closed: self.below(2) == 0,
            hi,
            hi_closed: hi.is_some() && self.below(2) == 0,
            span: Some(Span::default()),
        }
    }

    pub(crate) fn name(&mut self) -> String {
        let names = [
            "a",
            "b",
            "recvlogoff",
            "late-reply",
            "concept:name",
            "A.b",
            "G",
            "U",
            "C",
            "count",
            "gap",
            "not",
            "and",
            "s",
            "true",
            "_",
            "a b",
            "",
            "\"",
            "\\",
            "a\nb",
            "µs",
            "ℂ",
            "x_",
            "U_",
            "A_",
            "𝒰_",
            "_x",
            "1a",
            "{",
            "#",
            "inf",
            "next",
            "release",
            "until",
            "W",
            "R_",
            "forall",
            "AG",
            "event",
            "if",
            "else",
        ];
        self.pick(&names).to_owned()
    }

    pub(crate) fn atom(&mut self) -> Atom {
        let arguments = match self.below(3) {
            0 => Some((0..self.below(4)).map(|_| self.argument()).collect()),
            _ => None,
        };
        let condition = (self.below(3) == 0).then(|| self.condition(3));
        Atom { name: self.name(), name_span: Span::default(), arguments, condition, span: Span::default() }
    }

    fn argument(&mut self) -> Argument {
        match self.below(3) {
            0 => Argument::Any,
            1 if !self.flavour.variables.is_empty() => Argument::Variable(self.variable()),
            _ => Argument::Literal(self.value()),
        }
    }

    pub(crate) fn variable(&mut self) -> Variable {
        let name = self.pick(self.flavour.variables);
        Variable { name: name.to_owned(), span: Span::default() }
    }

    pub(crate) fn value(&mut self) -> Value<'static> {
        match self.below(6) {
            0 => Value::Null,
            1 => Value::Bool(self.below(2) == 0),
            2 => Value::Number(Number::Int(self.below(2_000) as i64 - 1_000)),
            3 => Value::Number(Number::from_parts(i128::from(self.below(2_000)) * 10 - 9_999, 3).expect("it fits")),
            4 => Value::Number(Number::from_f64(1e300).expect("a float")),
            _ => Value::Text(self.name().into()),
        }
    }

    fn condition(&mut self, depth: u32) -> Condition {
        let part = |random: &mut FormulaGenerator| Box::new(random.condition(depth - 1));
        match if depth == 0 { 0 } else { self.below(6) } {
            0..=2 => {
                let field = self.path();
                Condition::Compare(field, self.comparison(true), self.value())
            }
            3 => Condition::Not(part(self)),
            4 => Condition::And(part(self), part(self)),
            _ => Condition::Or(part(self), part(self)),
        }
    }
}
