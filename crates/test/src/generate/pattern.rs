// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random patterns: every scope with every behaviour, few events, so that one is often a delimiter and counts as well.

use gnomon_core::diagnostic::Span;
use gnomon_core::number::Number;
use gnomon_core::time::Quantity;
use gnomon_core::value::Value;
use gnomon_ir::atom::{Argument, Atom, Condition};
use gnomon_ir::formula::Bounds;
use gnomon_ir::pattern::{Behaviour, CountBound, Pattern, ScopeKind};
use gnomon_ir::spec::{Body, Quantifier, QuantifierKind};

use super::data;
use super::prefix::COMPARISONS;
use crate::build::pattern::{pattern, scope};
use crate::build::{argument, interval, path, variable, variables};
use crate::choices::Choices;

/// Variables and a pattern in which each of them stands.
pub(super) fn property(choices: &mut Choices) -> (Vec<Quantifier>, Body) {
    let names: &[&str] = choices.pick::<&[&str]>(&[&[], &[], &[], &["x"], &["x"], &["x", "y"], &["y", "x"]]);
    let mut writer = PatternGenerator { choices, names, wildcards: 0 };
    let body = Body::Pattern(writer.pattern());
    let wildcards = writer.wildcards;
    let body = renamed(body, wildcards);
    let stand = variables(&body);
    let plain: Vec<String> = names.iter().map(|name| (*name).to_owned()).filter(|name| stand.contains(name)).collect();
    let wild: Vec<String> = (1..=wildcards).map(|number| wildcard(number, wildcards)).collect();
    let quantifier = |names: Vec<String>| Quantifier {
        kind: QuantifierKind::Forall,
        threshold: None,
        variables: names.iter().map(|name| variable(name)).collect(),
        span: Span::default(),
    };
    let prefix = [plain, wild].into_iter().filter(|names| !names.is_empty()).map(quantifier).collect();
    (prefix, body)
}

/// One that stands alone needs no number.
fn renamed(body: Body, wildcards: usize) -> Body {
    if wildcards == 1 { crate::build::substitute(&body, "*1", &argument("*")) } else { body }
}

fn wildcard(number: usize, of: usize) -> String {
    if of == 1 { "*".to_owned() } else { format!("*{number}") }
}

struct PatternGenerator<'a> {
    choices: &'a mut Choices,
    names: &'a [&'a str],
    wildcards: usize,
}

impl PatternGenerator<'_> {
    fn pattern(&mut self) -> Pattern {
        let kind = *self.choices.pick(&ScopeKind::ALL);
        // Only delimiters that are there may have wildcards.
        let opens = if kind.opens() { self.event("q") } else { data::plain("q") };
        let closes = if kind.closes() { self.event("r") } else { data::plain("r") };
        pattern(scope(kind, opens, closes), self.behaviour())
    }

    fn behaviour(&mut self) -> Behaviour {
        match self.choices.below(14) {
            0 => Behaviour::Absence(self.event("p")),
            1 => Behaviour::Existence { event: self.event("p"), within: self.within(5, 6) },
            2 => Behaviour::Count {
                amount: *self.choices.pick(&[CountBound::AtMost, CountBound::AtLeast, CountBound::Exactly]),
                number: *self.choices.pick(&[0, 1, 1, 2, 2, 3]),
                event: self.event("p"),
            },
            3 => Behaviour::Rate {
                number: *self.choices.pick(&[0, 1, 1, 1, 2]),
                event: self.event("p"),
                window: self.period(),
            },
            4 => Behaviour::Universality(Atom { arguments: Some(vec![self.value()]), ..data::plain("p") }),
            5 => Behaviour::Only(self.chain(&["p", "s", "t"])),
            6..=8 => {
                // Wildcards are numbered as a reader meets them, exceptions last.
                let causes = self.chain(&["p", "s", "t"]);
                let effects = self.chain(&["s", "p", "t"]);
                let required = causes.len() == 1 && self.choices.one_in(3);
                Behaviour::Precedence { causes, effects, required, within: self.within(1, 3) }
            }
            9..=11 => {
                let responses = self.chain(&["s", "t", "p"]);
                let stimuli = self.chain(&["p", "s", "t"]);
                let without = (responses.len() > 1 && self.choices.one_in(2)).then(|| self.event("z"));
                let required = stimuli.len() == 1 && self.choices.one_in(3);
                Behaviour::Response { stimuli, responses, without, required, within: self.within(5, 6) }
            }
            _ => Behaviour::Recurrence { event: self.event("p"), every: self.period(), every_span: Span::default() },
        }
    }

    /// One event, two or three.
    fn chain(&mut self, names: &[&str]) -> Vec<Atom> {
        let length = *self.choices.pick(&[1, 1, 1, 2, 2, 3]);
        names.iter().take(length).map(|name| self.event(name)).collect()
    }

    /// A bound in so many cases of so many.
    fn within(&mut self, cases: u64, of: u64) -> Option<Bounds> {
        if self.choices.below(of) >= cases {
            return None;
        }
        let lo = *self.choices.pick(&[0, 0, 0, 0, 1, 2]);
        let hi = lo + *self.choices.pick(&[1, 1, 2, 3, 5]);
        let [lo_closed, hi_closed] = [(); 2].map(|()| !self.choices.one_in(5));
        let hi = (!self.choices.one_in(8)).then_some((hi, hi_closed));
        Some(interval((lo, lo_closed), hi))
    }

    fn period(&mut self) -> Quantity {
        Quantity::whole(*self.choices.pick(&[1, 2, 2, 3, 3, 5]))
    }

    /// Mostly an event of this name.
    fn event(&mut self, usual: &str) -> Atom {
        let name = match self.choices.below(12) {
            0 => *self.choices.pick(&["p", "s", "q", "r"]),
            1 => "d",
            _ => usual,
        };
        let mut atom = data::plain(name);
        // An event of this name carries two values, any other one.
        let places = if name == "r" { 2 } else { 1 };
        if !self.names.is_empty() && !self.choices.one_in(4) || self.choices.one_in(6) {
            atom.arguments = Some((0..places).map(|place| self.parameter(place)).collect());
        }
        if self.choices.one_in(12) {
            let field = if name == "d" { "x" } else { "a" };
            let literal = Value::Number(Number::Int(self.choices.between(1, 3)));
            atom.condition = Some(Condition::Compare(path(field), *self.choices.pick(&COMPARISONS), literal));
        }
        atom
    }

    fn parameter(&mut self, place: usize) -> Argument {
        match self.choices.below(10) {
            0 => self.value(),
            1 => {
                self.wildcards += 1;
                argument(&format!("*{}", self.wildcards))
            }
            2 | 3 => Argument::Any,
            number => match self.names {
                [] if number < 7 => self.value(),
                [] => Argument::Any,
                [name] => argument(name),
                names => argument(names[(place + usize::from(number == 4)) % names.len()]),
            },
        }
    }

    fn value(&mut self) -> Argument {
        Argument::Literal(data::value(self.choices))
    }
}
