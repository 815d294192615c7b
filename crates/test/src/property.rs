// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a check over many seeded cases; a case that fails is made small and shown as the corpus writes it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gnomon_ir::spec::{Body, Language, QuantifierKind};

use crate::build;
use crate::case::Case;
use crate::exhaustive;
use crate::generate;
use crate::shrink::shrink;

/// Checks the generated SOLOIST cases `0 .. count`, where `GNOMON_CASES` multiplies the number (a nightly run sets it), and
/// panics with the smallest failing case.
pub fn for_all(name: &str, count: u64, check: impl Fn(&Case) -> Result<(), String>) {
    for_all_in(Language::Soloist, name, count, check);
}

/// The same with cases in a language.
pub fn for_all_in(language: Language, name: &str, count: u64, check: impl Fn(&Case) -> Result<(), String>) {
    for seed in first_seed()..first_seed() + count * factor() {
        let case = generate::case_in(language, seed.wrapping_mul(0x9E37_79B9).wrapping_add(name.len() as u64));
        judge_case(&format!("{name}, seed {seed}"), case, &check);
    }
}

/// Checks every small MTL formula with one variable on every short trace; a nightly run takes longer ones.
pub fn for_all_small_mtl(check: impl Fn(&Case) -> Result<(), String>) {
    let traces = exhaustive::traces_with_data(if factor() > 1 { 3 } else { 2 });
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
    if guarded(&case, check).is_ok() {
        return;
    }
    let small = shrink(case, &|candidate| candidate.core().is_ok() && guarded(candidate, check).is_err());
    let message = guarded(&small, check).err().unwrap_or_default();
    panic!("{message}\n\n{}", small.to_markdown(title));
}

/// A panic is a failure like any other: it is worth a small case too.
fn guarded(case: &Case, check: &impl Fn(&Case) -> Result<(), String>) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| check(case))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(format!("panic: {}", text.unwrap_or("without a message")))
    })
}

/// How many times more cases than usual are wanted.
pub fn factor() -> u64 {
    number("GNOMON_CASES").unwrap_or(1)
}

fn first_seed() -> u64 {
    number("GNOMON_SEED").unwrap_or(0)
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}
