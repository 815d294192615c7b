// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random rules: few messages, so that one is often in the supposition and in the context, with windows ahead and behind.

use gnomon_core::diagnostic::Span;
use gnomon_core::time::Quantity;
use gnomon_core::value::{Comparison, Value};
use gnomon_ir::atom::{Argument, Atom, Condition};
use gnomon_ir::rule::{
    ActionPhase, Correlation, CorrelationMember, Matching, Modality, Rule, RuleAction, RuleContext, RuleWindow,
};

use super::data::number;
use super::prefix::COMPARISONS;
use crate::build::path;
use crate::choices::Choices;

/// The names that rules use: the trace's own, and the declared one.
const MESSAGES: [&str; 8] = ["a", "a", "b", "b", "c", "c", "e", "d"];

/// Generates a rule for traces with or without phases of messages.
pub(super) fn rule(choices: &mut Choices, with_life: bool) -> Rule {
    let mut writer = RuleGenerator { choices, with_life };
    let alternatives = *writer.choices.pick(&[1, 1, 1, 2, 2, 3]);
    let supposition = (0..alternatives).map(|_| writer.action(false)).collect();
    // Now and then more than the engine keeps in one word.
    let actions = if writer.choices.one_in(50) {
        writer.choices.between(60, 140) as usize
    } else {
        *writer.choices.pick(&[1, 1, 1, 2, 2, 2, 3, 4])
    };
    Rule {
        modality: if writer.choices.one_in(2) { Modality::Permission } else { Modality::Prohibition },
        supposition,
        window: writer.window(),
        context: writer.context(actions),
        correlations: writer.correlations(),
        matching: if writer.choices.one_in(2) { Matching::Paired } else { Matching::Any },
        strict_end: writer.choices.one_in(5),
    }
}

struct RuleGenerator<'a> {
    choices: &'a mut Choices,
    with_life: bool,
}

impl RuleGenerator<'_> {
    fn action(&mut self, may_be_negated: bool) -> RuleAction {
        RuleAction {
            phase: if self.choices.one_in(2) { ActionPhase::Start } else { ActionPhase::Done },
            negated: may_be_negated && self.choices.one_in(3),
            message: self.message(),
            span: Span::default(),
        }
    }

    fn message(&mut self) -> Atom {
        let choices = &mut *self.choices;
        let (name, span) = ((*choices.pick(&MESSAGES)).to_owned(), Span::default());
        let arguments = choices.one_in(12).then(|| {
            let places = if name == "d" { 1 } else { 3 };
            let argument = |choices: &mut Choices| match choices.below(4) {
                0 => Argument::Literal(number(choices.between(1, 2))),
                _ => Argument::Any,
            };
            (0..places).map(|_| argument(choices)).collect()
        });
        let condition = choices.one_in(4).then(|| {
            if self.with_life && choices.one_in(3) {
                let word = Value::Text((*choices.pick(&["start", "Complete", "send"])).into());
                let field = *choices.pick(&["lifecycle:transition", "EventType"]);
                return Condition::Compare(
                    path(field),
                    *choices.pick(&[Comparison::Equal, Comparison::NotEqual]),
                    word,
                );
            }
            let field = if name == "d" && choices.one_in(2) { "x" } else { "v" };
            Condition::Compare(path(field), *choices.pick(&COMPARISONS), number(choices.between(0, 3)))
        });
        Atom { name, name_span: span, arguments, condition, span }
    }

    /// Generates a context with this many actions.
    fn context(&mut self, actions: usize) -> RuleContext {
        if actions == 1 {
            return RuleContext::Action(self.action(true));
        }
        let left = self.choices.between(1, actions as i64 - 1) as usize;
        let (left, right) = (Box::new(self.context(left)), Box::new(self.context(actions - left)));
        if self.choices.one_in(2) { RuleContext::And(left, right) } else { RuleContext::Or(left, right) }
    }

    fn window(&mut self) -> RuleWindow {
        let choices = &mut *self.choices;
        let near = *choices.pick(&[0, 0, 0, 0, 1, 1, 2, 3]);
        let whole = |number| Some(Quantity::whole(number));
        let (from, to) = match choices.below(10) {
            0 => (whole(near), None),
            1 => (None, whole(near)),
            2 => (whole(near), whole(near)),
            3..=5 => (whole(near + choices.between(1, 8)), whole(near)),
            _ => (whole(near), whole(near + choices.between(1, 8))),
        };
        RuleWindow { from, to, span: Span::default() }
    }

    fn correlations(&mut self) -> Vec<Correlation> {
        let sets = *self.choices.pick(&[0, 0, 1, 1, 1, 1, 2, 2]);
        let set = |number: usize| {
            let mut members: Vec<CorrelationMember> = Vec::new();
            for name in ["a", "b", "c", "d", "e"] {
                if self.choices.one_in(4) {
                    continue;
                }
                let usual = if number == 0 { "id" } else { "k" };
                let field = match name {
                    "d" => *self.choices.pick(&["x", "x", usual]),
                    _ => *self.choices.pick(&[usual, usual, usual, usual, "k", "v"]),
                };
                members.push(CorrelationMember { message: name.to_owned(), field: path(field), span: Span::default() });
            }
            // Which member comes first matters where a message is of several.
            if self.choices.one_in(3) {
                members.reverse();
            }
            Correlation { members, span: Span::default() }
        };
        (0..sets).map(set).filter(|set| set.members.len() > 1).collect()
    }
}
