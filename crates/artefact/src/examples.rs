// SPDX-License-Identifier: MIT OR Apache-2.0
//! Generates two short traces that illustrate a pattern: one that satisfies it and one that violates it.
//!
//! Candidates are generated from the behaviour and the scope, and the caller checks them. Where events overlap in ways that the recipe
//! does not consider, all short traces are tried one after the other.

mod event;
mod recipe;
mod search;
mod solve;

use gnomon_core::verdict::Verdict;
use gnomon_ir::spec::{ExampleEvent, Property, Spec};

use crate::prepared_pattern::PreparedPattern;
use crate::refusal::Refusal;
use event::EventBuilder;
use recipe::{Recipe, TraceStep};

/// Two traces that illustrate a property.
#[derive(Clone, PartialEq, Debug)]
pub struct Examples {
    /// A trace that satisfies the property, not vacuously.
    pub accepts: Vec<ExampleEvent>,
    /// A trace that violates the property.
    pub rejects: Vec<ExampleEvent>,
}

/// Generates two traces for which `judge` returns that they satisfy and violate the property.
pub fn examples(
    spec: &Spec,
    property: &Property,
    judge: &mut dyn FnMut(&[ExampleEvent]) -> Verdict,
) -> Result<Examples, Refusal> {
    let prepared =
        PreparedPattern::of(spec, property, "has no generated examples: write some as `accepts` and `rejects`")?;
    let events = EventBuilder::of(&prepared);
    let recipe = Recipe::of(&prepared, &events)?;
    let mut find = |candidates: Vec<Vec<TraceStep>>, verdict: Verdict| {
        let mut made = candidates.iter().map(|steps| recipe.trace(steps));
        let found = made.find(|trace| judge(trace) == verdict);
        found.or_else(|| search::search(&recipe, verdict, judge))
    };
    let accepts = find(recipe.good(), Verdict::Holds)
        .ok_or_else(|| Refusal::new("no short trace was found that satisfies it and has something to satisfy"))?;
    let rejects = find(recipe.bad(), Verdict::Violated)
        .ok_or_else(|| Refusal::new("no short trace was found that violates it: perhaps none does"))?;
    Ok(Examples { accepts, rejects })
}
