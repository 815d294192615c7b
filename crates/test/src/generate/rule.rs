// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random rules: few messages, so that one is often in the supposition and in the context, with windows both ways.

use gnomon_core::diagnostic::Span;
use gnomon_core::number::Number;
use gnomon_core::time::Quantity;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::pattern::{Argument, Atom, Condition};
use gnomon_ir::rule::{Action, Context, Correlation, Matching, Member, Modality, Phase, Rule, Window};

use super::prefix::COMPARISONS;
use crate::build::path;
use crate::random::Random;

/// The names that rules use: the trace's own, and the declared one.
const MESSAGES: [&str; 8] = ["a", "a", "b", "b", "c", "c", "e", "d"];

/// A rule for traces whose messages tell their beginnings from their ends, or do not.
pub(super) fn rule(random: &mut Random, with_life: bool) -> Rule {
    let mut writer = Writer { random, with_life };
    let alternatives = *writer.random.pick(&[1, 1, 1, 2, 2, 3]);
    let supposition = (0..alternatives).map(|_| writer.action(false)).collect();
    let actions = *writer.random.pick(&[1, 1, 1, 2, 2, 2, 3, 4]);
    Rule {
        modality: if writer.random.one_in(2) { Modality::Permission } else { Modality::Prohibition },
        supposition,
        window: writer.window(),
        context: writer.context(actions),
        correlations: writer.correlations(),
        matching: if writer.random.one_in(2) { Matching::Paired } else { Matching::Any },
        strict_end: writer.random.one_in(5),
    }
}

struct Writer<'a> {
    random: &'a mut Random,
    with_life: bool,
}

impl Writer<'_> {
    fn action(&mut self, may_be_negated: bool) -> Action {
        Action {
            phase: if self.random.one_in(2) { Phase::Start } else { Phase::Done },
            negated: may_be_negated && self.random.one_in(3),
            message: self.message(),
            span: Span::default(),
        }
    }

    fn message(&mut self) -> Atom {
        let random = &mut *self.random;
        let (name, span) = ((*random.pick(&MESSAGES)).to_owned(), Span::default());
        let arguments = random.one_in(12).then(|| {
            let places = if name == "d" { 1 } else { 3 };
            let argument = |random: &mut Random| match random.below(4) {
                0 => Argument::Literal(number(random.between(1, 2))),
                _ => Argument::Any,
            };
            (0..places).map(|_| argument(random)).collect()
        });
        let condition = random.one_in(4).then(|| {
            if self.with_life && random.one_in(3) {
                let word = Value::Text((*random.pick(&["start", "Complete", "send"])).into());
                let field = *random.pick(&["lifecycle:transition", "EventType"]);
                return Condition::Compare(path(field), *random.pick(&[Comparison::Equal, Comparison::NotEqual]), word);
            }
            let field = if name == "d" && random.one_in(2) { "x" } else { "v" };
            Condition::Compare(path(field), *random.pick(&COMPARISONS), number(random.between(0, 3)))
        });
        Atom { name, name_span: span, arguments, condition, span }
    }

    /// A context of so many actions.
    fn context(&mut self, actions: usize) -> Context {
        if actions == 1 {
            return Context::Action(self.action(true));
        }
        let left = self.random.between(1, actions as i64 - 1) as usize;
        let (left, right) = (Box::new(self.context(left)), Box::new(self.context(actions - left)));
        if self.random.one_in(2) { Context::And(left, right) } else { Context::Or(left, right) }
    }

    fn window(&mut self) -> Window {
        let random = &mut *self.random;
        let near = *random.pick(&[0, 0, 0, 0, 1, 1, 2, 3]);
        let whole = |number| Some(Quantity::whole(number));
        let (from, to) = match random.below(10) {
            0 => (whole(near), None),
            1 => (None, whole(near)),
            2 => (whole(near), whole(near)),
            3..=5 => (whole(near + random.between(1, 8)), whole(near)),
            _ => (whole(near), whole(near + random.between(1, 8))),
        };
        Window { from, to, span: Span::default() }
    }

    fn correlations(&mut self) -> Vec<Correlation> {
        let sets = *self.random.pick(&[0, 0, 1, 1, 1, 1, 2, 2]);
        let set = |number: usize| {
            let mut members: Vec<Member> = Vec::new();
            for name in ["a", "b", "c", "d", "e"] {
                if self.random.one_in(4) {
                    continue;
                }
                let usual = if number == 0 { "id" } else { "k" };
                let field = match name {
                    "d" => *self.random.pick(&["x", "x", usual]),
                    _ => *self.random.pick(&[usual, usual, usual, usual, "k", "v"]),
                };
                members.push(Member { message: name.to_owned(), field: path(field), span: Span::default() });
            }
            // Which member comes first matters where a message is of several.
            if self.random.one_in(3) {
                members.reverse();
            }
            Correlation { members, span: Span::default() }
        };
        (0..sets).map(set).filter(|set| set.members.len() > 1).collect()
    }
}

fn number(number: i64) -> Value<'static> {
    Value::Number(Number::Int(number))
}
