// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explains violations of mu-calculus formulae by the events of the forbidden sequence.

use std::collections::BTreeSet;

use gnomon_core::Value;
use gnomon_core::verdict::Violation;
use gnomon_ir::{ModalCore, VariableId};

use super::{Explanation, ExplanationBuilder};
use crate::modal::Claim;

pub(super) fn explain(
    core: &ModalCore,
    mut builder: ExplanationBuilder<'_>,
    at: usize,
    violation: &Violation,
) -> Option<Explanation> {
    let evidence = builder.evidence;
    if evidence.since.is_some() {
        return None;
    }
    let bound = |name: &str| violation.binding.values.iter().find(|(known, _)| known == name);
    let scope: BTreeSet<VariableId> = (0..)
        .map(VariableId)
        .zip(&core.prefix)
        .filter(|(_, quantifier)| bound(&quantifier.variable).is_some())
        .map(|(id, _)| id)
        .collect();
    let value = |name: &str| bound(name).map_or(Value::Null, |(_, value)| value.clone());
    let values: Vec<Value<'static>> = core.prefix.iter().map(|quantifier| value(&quantifier.variable)).collect();
    let claim = Claim::new(core, evidence.trace.events(), &values, &scope);
    // RULE W8: what fails before the first event is a violation at the first event.
    let named = claim.named_events(at + 1).or_else(|| claim.named_events(at).filter(|_| at == 0))?;
    let all = named.len();
    for (place, event) in named.iter().enumerate() {
        let is_last = *event == at;
        let ending = if is_last { ": the sequence is complete" } else { "" };
        let note = match all {
            1 => "forbidden here".to_owned(),
            _ => format!("{} of {all} in the forbidden sequence{ending}", place + 1),
        };
        builder.cite(*event, note);
    }
    builder.cite(at, "completes the forbidden sequence");
    let quoted: Vec<String> = named.iter().map(|event| format!("`{}`", evidence.trace.events()[*event].name)).collect();
    let summary = match quoted.as_slice() {
        [] => "a forbidden sequence of events is complete".to_owned(),
        [only] => format!("{only} occurred, which is forbidden here"),
        _ => format!("the forbidden sequence {} is complete", quoted.join(", then ")),
    };
    Some(builder.finish(summary))
}
