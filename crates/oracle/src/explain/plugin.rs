// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explains violations of logic plug-ins by the slice of the instance: its events, and the word or the state after each of them.
//!
//! Example: `create next modify next` is a match. The explanation cites the four events with the notes `create`, `create next` and so on.

use gnomon_core::verdict::{DecisionPoint, Violation};
use gnomon_core::{End, Value};
use gnomon_ir::{Category, PluginBody, PluginCore};

use super::{Explanation, ExplanationBuilder};
use crate::judge::plugin::occurrences;
use crate::plugin::{ParameterInstance, run_of};

/// The most events that an explanation cites, and letters of a word that it shows: the last ones.
const MAX_STEPS: usize = 12;

pub(super) fn explain(
    core: &PluginCore,
    mut builder: ExplanationBuilder<'_>,
    at: usize,
    violation: &Violation,
) -> Option<Explanation> {
    let evidence = builder.evidence;
    if evidence.since.is_some() || evidence.values.len() != core.prefix.len() {
        return None;
    }
    let is_end = matches!(violation.decided, DecisionPoint::End(_));
    let end = if is_end { End::Complete } else { End::Prefix };
    let occurrences = occurrences(core, evidence.trace, end);
    let instance =
        ParameterInstance(evidence.values.iter().cloned().map(Some).collect::<Vec<Option<Value<'static>>>>());
    let run = run_of(core, &occurrences, instance);
    let is_it = |place: usize| occurrences[place].event == at && occurrences[place].is_end == is_end;
    let (place, category) = *run.violations.iter().find(|(place, _)| is_it(*place))?;
    let last = run.steps.iter().position(|(step, _)| *step == place)?;
    // With a reset, the word begins behind the violation before.
    let resets = |(before, category): &&(usize, usize)| core.forbidden[*category].resets && *before < place;
    let before = run.violations.iter().filter(resets).map(|(before, _)| *before).max();
    let first = before.map_or(0, |before| run.steps.iter().take_while(|(step, _)| *step <= before).count());
    let letters: Vec<&str> = run.steps[first..=last]
        .iter()
        .map(|(step, _)| core.letters[occurrences[*step].letter.0 as usize].name.as_str())
        .collect();
    let shown = (last + 1 - first).saturating_sub(MAX_STEPS);
    for (number, (step, categories)) in run.steps[first..=last].iter().enumerate().skip(shown) {
        let note = match (&core.body, categories.as_slice()) {
            (PluginBody::Fsm(_), [state, ..]) => format!("state `{state}`"),
            (_, categories) if number + 1 == letters.len() && !categories.is_empty() => {
                format!("{}: {}", word(&letters[..=number]), categories.join(", "))
            }
            _ => word(&letters[..=number]),
        };
        builder.cite(occurrences[*step].event, note);
    }
    let forbidden = &core.forbidden[category];
    let reason = reason(core, &forbidden.category, &letters);
    let summary = forbidden.message.as_ref().map_or(reason.clone(), |message| format!("{message}: {reason}"));
    Some(builder.finish(summary))
}

fn reason(core: &PluginCore, category: &Category, letters: &[&str]) -> String {
    let word = word(letters);
    match (category, &core.body) {
        (Category::Match, _) => format!("{word} is a match"),
        (Category::Fail, _) => format!("nothing that begins with {word} matches"),
        (Category::States { name, fail: true, .. }, _) if name.eq_ignore_ascii_case("fail") => {
            format!("`{}` has no transition after {word}", letters.last().copied().unwrap_or_default())
        }
        (Category::States { name, .. }, _) => format!("{word} leads to `{name}`"),
        (Category::Violation, PluginBody::PastLtl(_)) => format!("the formula is false after {word}"),
        (Category::Validation, PluginBody::PastLtl(_)) => format!("the formula is true after {word}"),
        (Category::Violation, _) => format!("nothing that begins with {word} satisfies the formula"),
        (Category::Validation, _) => format!("everything that begins with {word} satisfies the formula"),
    }
}

/// Writes the letters of a word, of a long one the last.
fn word(letters: &[&str]) -> String {
    let skipped = letters.len().saturating_sub(MAX_STEPS);
    let dots = if skipped > 0 { "… " } else { "" };
    format!("`{dots}{}`", letters[skipped..].join(" "))
}
