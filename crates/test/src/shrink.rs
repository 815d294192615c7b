// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shrinks a failing case: removes everything that can be removed while it still fails.
//!
//! A property is shrunk through the choices that its generator made: with fewer or smaller choices the generator produces a
//! simpler property, in every language alike. Traces are shrunk event by event.

use gnomon_core::time::{Duration, TICKS_PER_BARE_UNIT, Timestamp};
use gnomon_ir::spec::Language;

use crate::case::Case;
use crate::generate;

/// The choices that made a property.
pub struct Recipe {
    /// The language of the property.
    pub language: Language,
    /// The choices of its generator.
    pub choices: Vec<u64>,
}

/// Returns the smallest case found that still fails. Without a recipe the property stays.
pub fn shrink(mut case: Case, mut recipe: Option<Recipe>, fails: &dyn Fn(&Case) -> bool) -> Case {
    // Every step makes the case smaller by some measure, but not by one and the same: the bound keeps it finite.
    for _ in 0..2_000 {
        if let Some(smaller) = shorter_traces(&case).into_iter().find(fails) {
            case = smaller;
        } else if let Some((smaller, choices)) = recipe.as_ref().and_then(|recipe| simpler(&case, recipe, fails)) {
            case = smaller;
            recipe = recipe.map(|recipe| Recipe { choices, ..recipe });
        } else {
            break;
        }
    }
    case
}

/// Returns the case with a property of fewer choices, or of as many and smaller ones, and the choices that it used.
fn simpler(case: &Case, recipe: &Recipe, fails: &dyn Fn(&Case) -> bool) -> Option<(Case, Vec<u64>)> {
    let rank = |choices: &[u64]| (choices.len(), choices.to_vec());
    changed(&recipe.choices).find_map(|choices| {
        let (spec, choices) = generate::spec_from(recipe.language, choices);
        let smaller = Case { spec, events: case.events.clone() };
        (rank(&choices) < rank(&recipe.choices) && fails(&smaller)).then_some((smaller, choices))
    })
}

/// Returns candidates: runs of choices removed, long runs first, then each choice made smaller.
fn changed(choices: &[u64]) -> impl Iterator<Item = Vec<u64>> {
    let length = choices.len();
    let sizes = [length / 2, length / 4, length / 8, 4, 2, 1].into_iter().filter(|size| *size > 0);
    let without = sizes.flat_map(move |size| {
        (0..length).step_by(size).map(move |start| [&choices[..start], &choices[(start + size).min(length)..]].concat())
    });
    let smaller = (0..length).flat_map(move |at| {
        let values = [0, choices[at] / 2, choices[at].saturating_sub(1)].into_iter();
        values.filter(move |value| *value < choices[at]).map(move |value| {
            let mut choices = choices.to_vec();
            choices[at] = value;
            choices
        })
    });
    without.chain(smaller)
}

fn shorter_traces(case: &Case) -> Vec<Case> {
    let mut found: Vec<Case> = Vec::new();
    let length = case.events.len();
    for size in [length / 2, length / 4, 1] {
        for start in (0..length).step_by(size.max(1)) {
            let mut events = case.events.clone();
            events.drain(start..(start + size.max(1)).min(length));
            found.push(Case { events, ..case.clone() });
        }
    }
    for at in 0..length {
        found.extend(closer(case, at));
        for field in 0..case.events[at].fields.len() {
            let mut simpler = case.clone();
            simpler.events[at].fields.remove(field);
            found.push(simpler);
        }
    }
    found
}

/// The events from `at` on a unit, or half the way, nearer to the one before.
fn closer(case: &Case, at: usize) -> Vec<Case> {
    let before = if at == 0 { Timestamp::from_ticks(0) } else { case.events[at - 1].time };
    let gap = (case.events[at].time - before).ticks();
    let whole = gap / TICKS_PER_BARE_UNIT * TICKS_PER_BARE_UNIT;
    let steps = [gap - whole, TICKS_PER_BARE_UNIT, gap / 2 / TICKS_PER_BARE_UNIT * TICKS_PER_BARE_UNIT];
    let steps = steps.into_iter().filter(|step| *step > 0 && *step < gap + i128::from(at == 0));
    steps
        .map(|step| {
            let mut moved = case.clone();
            for event in &mut moved.events[at..] {
                event.time = event.time + Duration::from_ticks(-step);
            }
            moved
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A case fails where its property and its trace both refer to a name: two events at most are left, and a short text.
    #[test]
    fn cases_of_every_language_become_small() {
        let languages = [
            (Language::Soloist, "a"),
            (Language::Mtl, "p"),
            (Language::Qea, "p"),
            (Language::Nomad, "a"),
            (Language::Albert, "a"),
            (Language::Pattern, "p"),
            (Language::Mu, "p"),
            (Language::Mop, "p"),
            (Language::Ccsl, "a"),
        ];
        for (language, name) in languages {
            let fails = |case: &Case| {
                case.core().is_ok()
                    && case.events.iter().filter(|event| event.name == name).count() > 1
                    && case.property().body.atoms().iter().any(|atom| atom.name == name)
            };
            let (case, choices) =
                (0..100_000).map(|seed| generate::recorded(language, seed)).find(|it| fails(&it.0)).unwrap();
            let small = shrink(case, Some(Recipe { language, choices }), &fails);
            let text = crate::print::property(small.property());
            assert_eq!(small.events.len(), 2, "{language:?}: {text}");
            assert!(text.len() < 120, "{language:?}: {text}");
            assert!(small.events.iter().all(|event| event.fields.is_empty()), "{language:?}: {:?}", small.events);
        }
    }
}
