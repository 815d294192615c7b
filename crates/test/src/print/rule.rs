// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules over messages as text.

use gnomon_core::time::Quantity;
use gnomon_ir::rule::{Correlation, Matching, Rule, RuleAction, RuleContext};

use super::atom_text;

/// `P(start(a) || start(b) | O[0,10] (done(c)) && (done(!d))) / {{a.id, c.id}}`
pub(super) fn text(rule: &Rule) -> String {
    let supposition: Vec<String> = rule.supposition.iter().map(action).collect();
    let bound = |bound: Option<Quantity>| bound.map_or("inf".to_owned(), |bound| bound.to_string());
    let (from, to) = (bound(rule.window.from), bound(rule.window.to));
    let sets: Vec<String> = rule.correlations.iter().map(correlation).collect();
    let sets = if sets.is_empty() { String::new() } else { format!(" / {{{}}}", sets.join(", ")) };
    let (letter, supposition) = (rule.modality.letter(), supposition.join(" || "));
    format!("{letter}({supposition} | O[{from},{to}] ({})){sets}", context(&rule.context))
}

pub(super) fn options(rule: &Rule) -> Vec<&'static str> {
    let any = (rule.matching == Matching::Any).then_some("matching any");
    any.into_iter().chain(rule.strict_end.then_some("strict-end")).collect()
}

fn action(action: &RuleAction) -> String {
    format!("{}({}{})", action.phase.word(), if action.negated { "!" } else { "" }, atom_text(&action.message))
}

fn context(of: &RuleContext) -> String {
    match of {
        RuleContext::Action(of) => action(of),
        RuleContext::And(left, right) => format!("({}) && ({})", context(left), context(right)),
        RuleContext::Or(left, right) => format!("({}) || ({})", context(left), context(right)),
    }
}

fn correlation(set: &Correlation) -> String {
    let members = set.members.iter().map(|member| format!("{}.{}", member.message, member.field));
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}
