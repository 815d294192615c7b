// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a check over many seeded cases; a case that fails is made small and shown as the corpus writes it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gnomon_ir::spec::{Body, Language, QuantifierKind};

use crate::build;
use crate::case::Case;
use crate::exhaustive;
use crate::generate;
use crate::shrink::{Recipe, shrink};

/// Checks the generated SOLOIST cases `0 .. count`, scaled by `GNOMON_CASES` ([`scaled`]), and panics with the smallest
/// failing case.
pub fn for_all(name: &str, count: u64, check: impl Fn(&Case) -> Result<(), String>) {
    for_all_in(Language::Soloist, name, count, check);
}

/// Checks generated cases of one language, as [`for_all`] does for SOLOIST.
pub fn for_all_in(language: Language, name: &str, count: u64, check: impl Fn(&Case) -> Result<(), String>) {
    for seed in first_seed()..first_seed() + scaled(count) {
        let own = seed.wrapping_mul(0x9E37_79B9).wrapping_add(name.len() as u64);
        let (case, choices) = generate::recorded(language, own);
        judge_recorded(&format!("{name}, seed {seed}"), case, Some(Recipe { language, choices }), &check);
    }
}

/// Checks every small MTL formula with one variable on every short trace; a nightly run takes longer ones.
pub fn for_all_small_mtl(check: impl Fn(&Case) -> Result<(), String>) {
    let traces = exhaustive::traces_with_data(scaled_length(2));
    for kind in [QuantifierKind::Forall, QuantifierKind::Exists] {
        for formula in exhaustive::mtl_formulae() {
            let prefix = vec![exhaustive::quantifier(kind)];
            let spec = build::spec_of(Language::Mtl, prefix, Body::Formula(formula));
            for events in &traces {
                judge_case("exhaustive", Case { spec: spec.clone(), events: events.clone() }, &check);
            }
        }
    }
}

/// Checks one case; panics with the smallest case that fails.
pub fn judge_case(title: &str, case: Case, check: &impl Fn(&Case) -> Result<(), String>) {
    judge_recorded(title, case, None, check);
}

fn judge_recorded(title: &str, case: Case, recipe: Option<Recipe>, check: &impl Fn(&Case) -> Result<(), String>) {
    if guarded(&case, check).is_ok() {
        return;
    }
    let small = shrink(case, recipe, &|candidate| candidate.core().is_ok() && guarded(candidate, check).is_err());
    let message = guarded(&small, check).err().unwrap_or_default();
    panic!("{message}\n\n{}", small.to_markdown(title));
}

/// Runs a check and treats a panic as a failure, so that it is shrunk too.
fn guarded(case: &Case, check: &impl Fn(&Case) -> Result<(), String>) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| check(case))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(format!("panic: {}", text.unwrap_or("without a message")))
    })
}

/// Scales a number of generated cases by `GNOMON_CASES`, a decimal number that is 1 by default: a nightly run sets 20,
/// `make quick` sets 0.02. At least one case is left.
pub fn scaled(count: u64) -> u64 {
    ((count as f64 * factor()) as u64).max(1)
}

/// Scales the length of the traces of an exhaustive test, whose cost grows exponentially: one event more where
/// `GNOMON_CASES` is above 1, one fewer where it is below.
pub fn scaled_length(usual: usize) -> usize {
    match factor() {
        factor if factor > 1.0 => usual + 1,
        factor if factor < 1.0 => usual - 1,
        _ => usual,
    }
}

fn factor() -> f64 {
    match std::env::var("GNOMON_CASES") {
        Ok(text) => text.parse().expect("GNOMON_CASES is a decimal number such as 20 or 0.02"),
        Err(_) => 1.0,
    }
}

fn first_seed() -> u64 {
    std::env::var("GNOMON_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}
