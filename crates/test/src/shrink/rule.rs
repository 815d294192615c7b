// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules with one thing less.

use gnomon_core::time::Quantity;
use gnomon_ir::rule::{Action, Context, Matching, Phase, Rule, Window};

use super::less;
use crate::build::each_action;

/// Every rule that lacks an alternative, an action, a condition, a correlation set or member, or whose window is smaller.
pub(super) fn smaller(rule: &Rule) -> Vec<Rule> {
    let mut found = Vec::new();
    let mut with = |change: &dyn Fn(&mut Rule)| {
        let mut changed = rule.clone();
        change(&mut changed);
        if changed != *rule {
            found.push(changed);
        }
    };
    with(&|rule| rule.matching = Matching::Paired);
    with(&|rule| rule.strict_end = false);
    if rule.supposition.len() > 1 {
        for place in 0..rule.supposition.len() {
            with(&|rule| {
                rule.supposition.remove(place);
            });
        }
    }
    for context in smaller_contexts(&rule.context) {
        with(&|rule| rule.context.clone_from(&context));
    }
    for (place, set) in rule.correlations.iter().enumerate() {
        with(&|rule| {
            rule.correlations.remove(place);
        });
        for member in 0..set.members.len() {
            with(&|rule| {
                let members = &mut rule.correlations[place].members;
                members.remove(member);
                if members.is_empty() {
                    rule.correlations.remove(place);
                }
            });
        }
    }
    let plainer: [&dyn Fn(&mut Action); 4] = [
        &|action| action.message.condition = None,
        &|action| action.message.arguments = None,
        &|action| action.negated = false,
        &|action| action.phase = Phase::Done,
    ];
    let mut actions = 0;
    each_action(&mut rule.clone(), &mut |_| actions += 1);
    for (number, plainer) in (0..actions).flat_map(|number| plainer.map(|plainer| (number, plainer))) {
        with(&|rule| {
            let mut next = 0;
            each_action(rule, &mut |action| {
                if next == number {
                    plainer(action);
                }
                next += 1;
            });
        });
    }
    for window in smaller_windows(rule.window) {
        with(&|rule| rule.window = window);
    }
    found
}

fn smaller_contexts(context: &Context) -> Vec<Context> {
    let (left, right) = match context {
        Context::Action(_) => return vec![],
        Context::And(left, right) | Context::Or(left, right) => (left, right),
    };
    let join = |left: Context, right: Context| match context {
        Context::Or(..) => Context::Or(Box::new(left), Box::new(right)),
        _ => Context::And(Box::new(left), Box::new(right)),
    };
    let mut found = vec![left.as_ref().clone(), right.as_ref().clone()];
    found.extend(smaller_contexts(left).into_iter().map(|left| join(left, right.as_ref().clone())));
    found.extend(smaller_contexts(right).into_iter().map(|right| join(left.as_ref().clone(), right)));
    found
}

/// Of the same direction, as long as one end is not infinite.
fn smaller_windows(window: Window) -> Vec<Window> {
    let looks_back = |window: Window| match (window.from, window.to) {
        (Some(from), Some(to)) => from.billionths > to.billionths,
        (from, _) => from.is_none(),
    };
    let zero = Quantity::whole(0);
    let candidates = [
        Window { from: window.from.map(less), ..window },
        Window { to: window.to.map(less), ..window },
        Window { from: window.from.map(|_| zero), ..window },
        Window { to: window.to.map(|_| zero), ..window },
    ];
    candidates.into_iter().filter(|smaller| looks_back(*smaller) == looks_back(window)).collect()
}
