// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two short traces that show what a pattern means: one that satisfies it and one that does not.
//!
//! They are made up from the behaviour and the scope. The judge has the last word: where events overlap in ways that the
//! recipe does not see, short traces are tried out one after the other.

mod event;
mod recipe;
mod search;
mod solve;

use gnomon_core::verdict::Verdict;
use gnomon_ir::spec::{ExampleEvent, Property, Spec};

use crate::cell::Cell;
use crate::refusal::Refusal;
use event::Maker;
use recipe::{Recipe, Step};

/// Two traces that show what a property means.
#[derive(Clone, PartialEq, Debug)]
pub struct Examples {
    /// One that satisfies it, and not because nothing happens.
    pub accepts: Vec<ExampleEvent>,
    /// One that violates it.
    pub rejects: Vec<ExampleEvent>,
}

/// Two traces that the judge says satisfy and violate the property.
pub fn examples(
    spec: &Spec,
    property: &Property,
    judge: &mut dyn FnMut(&[ExampleEvent]) -> Verdict,
) -> Result<Examples, Refusal> {
    let cell = Cell::of(spec, property, "has no examples made up for it: write some as `accepts` and `rejects`")?;
    let maker = Maker::of(&cell);
    let recipe = Recipe::of(&cell, &maker)?;
    let mut find = |candidates: Vec<Vec<Step>>, verdict: Verdict| {
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
