// SPDX-License-Identifier: MIT OR Apache-2.0
//! Describes rules over messages.

use gnomon_core::Quantity;
use gnomon_ir::Bounds;
use gnomon_ir::rule::{ActionPhase, Correlation, Matching, Modality, Rule, RuleAction, RuleContext, RuleWindow};

use super::words::{capital, enumeration, event, range, unit_time, within};

pub(super) fn sentences(rule: &Rule) -> String {
    let suppositions: Vec<String> = rule.supposition.iter().map(happens).collect();
    let window = Window::of(rule.window);
    let not = if rule.modality == Modality::Prohibition { "not " } else { "" };
    let required = match &rule.context {
        RuleContext::Action(action) => {
            // A prohibition of an absence is an obligation.
            let not = if action.negated == not.is_empty() { "not " } else { "" };
            format!(
                "{} must {not}{} {}",
                event(&action.message),
                window.verb(action.phase),
                window.when(!not.is_empty())
            )
        }
        context => {
            let be = if window.is_past { "have been" } else { "be" };
            let contained = contained(context, window.is_past);
            format!("the following must {not}{be} true {}: {contained}", window.when(!not.is_empty()))
        }
    };
    let mut out = vec![format!("Whenever {}, {required}.", enumeration(&suppositions, "or"))];
    if !rule.correlations.is_empty() {
        let sets: Vec<String> = rule.correlations.iter().map(correlated).collect();
        out.push(format!("Messages belong together if {}.", enumeration(&sets, "and")));
    }
    out.push(match rule.matching {
        Matching::Paired => "Each message counts for one requirement only.".to_owned(),
        Matching::Any => "A message may count for several requirements.".to_owned(),
    });
    if rule.strict_end {
        out.push("A requirement that is still open at the end of the trace is violated.".to_owned());
    }
    capital(&out.join(" "))
}

fn happens(action: &RuleAction) -> String {
    let verb = match action.phase {
        ActionPhase::Start => "starts",
        ActionPhase::Done => "completes",
    };
    format!("{} {verb}", event(&action.message))
}

fn contained(context: &RuleContext, is_past: bool) -> String {
    let (mut parts, word) = (Vec::new(), if matches!(context, RuleContext::Or(..)) { "or" } else { "and" });
    operands(context, context, &mut parts);
    let texts: Vec<String> = parts
        .into_iter()
        .map(|part| match part {
            RuleContext::Action(action) => completed(action, is_past),
            _ => format!("({})", contained(part, is_past)),
        })
        .collect();
    enumeration(&texts, word)
}

/// Lists the operands of nested connectives of the kind of `outer`.
fn operands<'c>(outer: &RuleContext, context: &'c RuleContext, into: &mut Vec<&'c RuleContext>) {
    match (outer, context) {
        (RuleContext::And(..), RuleContext::And(left, right)) | (RuleContext::Or(..), RuleContext::Or(left, right)) => {
            operands(outer, left, into);
            operands(outer, right, into);
        }
        _ => into.push(context),
    }
}

fn completed(action: &RuleAction, is_past: bool) -> String {
    let (past, present, base) = match action.phase {
        ActionPhase::Start => ("started", "starts", "start"),
        ActionPhase::Done => ("completed", "completes", "complete"),
    };
    let message = event(&action.message);
    match (action.negated, is_past) {
        (false, false) => format!("{message} {present}"),
        (false, true) => format!("{message} {past}"),
        (true, false) => format!("{message} does not {base}"),
        (true, true) => format!("{message} did not {base}"),
    }
}

fn correlated(set: &Correlation) -> String {
    let members: Vec<String> =
        set.members.iter().map(|member| format!("`{}.{}`", member.message, member.field)).collect();
    match members.as_slice() {
        [only] => format!("{only} is the same in all of them"),
        _ => format!("{} are equal", enumeration(&members, "and")),
    }
}

/// The window of a rule.
struct Window {
    is_past: bool,
    /// The nearer bound and the farther one; `None`: unlimited.
    near: Option<Quantity>,
    far: Option<Quantity>,
}

impl Window {
    fn of(RuleWindow { from, to, .. }: RuleWindow) -> Window {
        let nanoseconds = |bound: Quantity| bound.unit.map_or(1, gnomon_core::Unit::nanoseconds) * bound.billionths;
        let is_past = match (from, to) {
            (None, Some(_)) => true,
            (Some(from), Some(to)) => nanoseconds(from) > nanoseconds(to),
            (_, None) => false,
        };
        let (near, far) = if is_past { (to, from) } else { (from, to) };
        Window { is_past, near, far }
    }

    /// The verb after "must".
    fn verb(&self, phase: ActionPhase) -> &'static str {
        match (self.is_past, phase) {
            (false, ActionPhase::Start) => "start",
            (false, ActionPhase::Done) => "complete",
            (true, ActionPhase::Start) => "have started",
            (true, ActionPhase::Done) => "have completed",
        }
    }

    /// Returns "within 3 seconds"; `any` where nothing may happen at any time.
    fn when(&self, any: bool) -> String {
        let away = if self.is_past { "earlier" } else { "later" };
        let lo = self.near.unwrap_or(Quantity::whole(0));
        let bounds = Bounds { lo, hi: self.far, hi_closed: self.far.is_some(), ..Bounds::ANY };
        match (range(&bounds), within(&bounds), self.far) {
            (Some(range), ..) => format!("{range} {away}"),
            (_, Some(_), Some(far)) if self.is_past && far.billionths > 0 => {
                format!("in the previous {}", unit_time(far))
            }
            (_, Some(within), _) => within,
            _ => format!(
                "at {} {} time",
                if any { "any" } else { "some" },
                if self.is_past { "earlier" } else { "later" }
            ),
        }
    }
}
