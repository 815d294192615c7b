// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random formulae with variables: what people write, and what they might.

use gnomon_core::number::Number;
use gnomon_core::time::{Quantity, TICKS_PER_BARE_UNIT};
use gnomon_core::value::Value;
use gnomon_ir::atom::{Argument, Atom, Condition};
use gnomon_ir::formula::{Aggregate, Binary, Bounds, Connective, Fold, Formula, FormulaKind, Unary};
use gnomon_ir::spec::{Body, Quantifier};

use super::formula::{self, Style};
use super::prefix::{COMPARISONS, names, parameter, quantifiers};
use crate::build::{
    self, aggregate, and, binary, connective, constant, event, inclusive, not, or, path, unary, variables,
};
use crate::choices::Choices;

/// A prefix and a body in which each of its variables stands.
pub(super) fn property(choices: &mut Choices) -> (Vec<Quantifier>, Body) {
    let names = names(choices);
    let style =
        Style { full_window: false, depth: *choices.pick(&[1, 1, 2, 2]), halves: choices.one_in(8), data: true };
    let mut writer = MtlGenerator { choices, names: &names, style };
    let body = Body::Formula(writer.body());
    let used = variables(&body);
    let names: Vec<&str> = names.into_iter().filter(|name| used.iter().any(|used| used == name)).collect();
    (quantifiers(choices, &names, true), body)
}

struct MtlGenerator<'a> {
    choices: &'a mut Choices,
    names: &'a [&'a str],
    style: Style,
}

impl MtlGenerator<'_> {
    fn body(&mut self) -> Formula {
        if self.choices.one_in(3) {
            let depth = self.style.depth + 1;
            return self.any(depth);
        }
        let one = self.invariant();
        if self.choices.one_in(6) { and(one, self.invariant()) } else { one }
    }

    fn invariant(&mut self) -> Formula {
        let (asked, given) = match self.choices.below(9) {
            0 => (self.named("p"), self.future(Unary::Eventually, "q")),
            1 => (self.named("q"), self.future(Unary::Once, "p")),
            // Nothing of y after something of x, once the two have met.
            2 => {
                let never = self.always(|writer| not(writer.named("q")));
                let inner = build::connective(Connective::Implies, self.named("p"), never);
                (self.named("r"), inclusive(unary(Unary::Always, 1, Bounds::ANY, inner)))
            }
            3 | 4 => {
                let which = *self.choices.pick(&[Binary::Until, Binary::WeakUntil, Binary::Since]);
                let (left, right, bounds) = (not(self.named("q")), self.named("r"), self.bounds());
                (self.named("p"), inclusive(binary(which, bounds, left, right)))
            }
            5 => (self.named("p"), self.count(|writer| writer.named("p"))),
            6 => (self.named("w"), self.fold()),
            7 => return self.always(|writer| writer.any(writer.style.depth)),
            _ => (self.atom(), self.any(self.style.depth)),
        };
        let body = connective(Connective::Implies, asked, given);
        let reach = if self.choices.one_in(5) { self.bounds() } else { Bounds::ANY };
        let always = inclusive(unary(Unary::Always, 1, reach, body));
        if self.choices.one_in(8) { inclusive(unary(Unary::Next, 1, Bounds::ANY, always)) } else { always }
    }

    fn always(&mut self, of: impl FnOnce(&mut Self) -> Formula) -> Formula {
        inclusive(unary(Unary::Always, 1, Bounds::ANY, of(self)))
    }

    fn future(&mut self, operator: Unary, name: &str) -> Formula {
        let (bounds, of) = (self.bounds(), self.named(name));
        inclusive(unary(operator, 1, bounds, of))
    }

    fn any(&mut self, depth: usize) -> Formula {
        if depth == 0 {
            return self.atom();
        }
        let next = if self.choices.one_in(4) { 0 } else { depth - 1 };
        match self.choices.below(20) {
            0 => self.atom(),
            1 | 2 => not(self.any(next)),
            3..=6 => {
                let connectives = [Connective::And, Connective::Or, Connective::Implies, Connective::Iff];
                let which = *self.choices.pick(&connectives);
                connective(which, self.any(next), self.any(next))
            }
            7..=11 => {
                let operators =
                    [Unary::Always, Unary::Eventually, Unary::Historically, Unary::Once, Unary::Next, Unary::Previous];
                let operator = *self.choices.pick(&operators);
                inclusive(unary(operator, 1, self.bounds(), self.any(next)))
            }
            12..=15 => {
                let operators = [Binary::Until, Binary::Since, Binary::WeakUntil, Binary::Release];
                let operator = *self.choices.pick(&operators);
                inclusive(binary(operator, self.bounds(), self.any(next), self.any(next)))
            }
            16 | 17 => self.count(|writer| writer.any(next)),
            _ => self.fold(),
        }
    }

    fn count(&mut self, of: impl FnOnce(&mut Self) -> Formula) -> Formula {
        let window = Quantity::whole(self.choices.between(0, 7));
        let of = of(self);
        let comparison = *self.choices.pick(&COMPARISONS);
        if self.choices.one_in(5) {
            return formula::rate(self.choices, true, of, false);
        }
        let bound = Quantity::whole(self.choices.between(0, 3));
        aggregate(Aggregate::Count { window, closed: true, of }, comparison, bound, false)
    }

    fn fold(&mut self) -> Formula {
        let fold = *self.choices.pick(&[Fold::Sum, Fold::Sum, Fold::Mean, Fold::Least, Fold::Greatest]);
        let of = match self.choices.below(4) {
            0 => Atom { arguments: None, ..event("w", vec![]) },
            _ => event("w", vec![parameter(self.choices, "x", self.names), Argument::Any]),
        };
        let field = if self.choices.one_in(6) { "a" } else { "amount" };
        let window = Quantity::whole(self.choices.between(0, 8));
        let halves = i128::from(self.choices.between(-2, 14));
        let bound = Quantity { billionths: halves * TICKS_PER_BARE_UNIT / 2, unit: None };
        let comparison = *self.choices.pick(&COMPARISONS);
        let field = path(field);
        match self.choices.below(10) {
            0..=4 => aggregate(Aggregate::Fold { fold, window, of, field }, comparison, bound, false),
            5..=7 => {
                let percent = formula::percent(self.choices);
                aggregate(Aggregate::Percentile { percent, window, closed: true, of, field }, comparison, bound, false)
            }
            _ => {
                let bound = Quantity::whole(self.choices.between(0, 3));
                aggregate(Aggregate::Distinct { window, closed: true, of, field }, comparison, bound, false)
            }
        }
    }

    /// Without an interval the present and all that is beyond it.
    fn bounds(&mut self) -> Bounds {
        let bounds = formula::bounds(self.choices, self.style);
        if bounds == Bounds::POSITIVE { Bounds::ANY } else { bounds }
    }

    fn atom(&mut self) -> Formula {
        match self.choices.below(30) {
            0 => constant(self.choices.one_in(2)),
            1 => build::atom("idle"),
            2 => build::atom(self.choices.pick::<&str>(&["p", "q", "r"])),
            3 => or(self.named("p"), self.named("q")),
            4..=6 => self.named("d"),
            7 | 8 => self.named("w"),
            9..=15 => self.named("q"),
            16..=22 => self.named("r"),
            _ => self.named("p"),
        }
    }

    /// `p(x) q(y) r(x, y) w(x, _) d(x)`, mostly.
    fn named(&mut self, name: &str) -> Formula {
        let choices = &mut *self.choices;
        let arguments = match name {
            "r" => vec![parameter(choices, "x", self.names), parameter(choices, "y", self.names)],
            "w" => vec![parameter(choices, "x", self.names), Argument::Any],
            "q" => {
                // One variable is as good as another; with two of them the second is wanted, mostly.
                let wanted = if self.names.contains(&"y") && !choices.one_in(3) { "y" } else { "x" };
                vec![parameter(choices, wanted, self.names)]
            }
            _ => {
                let wanted = if self.names.contains(&"z") && choices.one_in(2) { "z" } else { "x" };
                vec![parameter(choices, wanted, self.names)]
            }
        };
        let mut atom = event(name, arguments);
        if choices.one_in(8) {
            // A declared name knows its field as `x`.
            let field = if name == "d" { "x" } else { *choices.pick(&["a", "b"]) };
            let number = Value::Number(Number::Int(choices.between(1, 3)));
            let condition = Condition::Compare(path(field), *choices.pick(&COMPARISONS), number);
            atom.condition = Some(if choices.one_in(4) { Condition::Not(Box::new(condition)) } else { condition });
        }
        build::formula(FormulaKind::Atom(atom))
    }
}
