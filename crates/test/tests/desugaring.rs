// SPDX-License-Identifier: MIT OR Apache-2.0
//! A property means the same with its sugar and without: the oracle's two readings agree.

use gnomon_core::verdict::End;
use gnomon_ir::spec::Language;
use gnomon_oracle::{Truth, spec, value};
use gnomon_test::case::Case;
use gnomon_test::property::{for_all_in, for_all_small_mtl};

fn agree_on_every_cut(case: &Case) -> Result<(), String> {
    let property = case.property();
    for cut in 0..=case.events.len() {
        let cut_off = case.cut(cut);
        let (core, trace) = (cut_off.core()?, cut_off.trace());
        for end in [End::Complete, End::Prefix] {
            let kernel = value(&core, &trace, end);
            let sugar = spec::truth(&case.spec, property, &trace, end);
            if kernel != sugar {
                return Err(format!("{end:?} cut after {cut} events: kernel {kernel:?}, with sugar {sugar:?}"));
            }
        }
        let plain = Truth::from(spec::holds(&case.spec, property, &trace));
        let kernel = value(&core, &trace, End::Complete);
        if kernel != plain {
            return Err(format!("complete after {cut} events: kernel {kernel:?}, two-valued {plain:?}"));
        }
    }
    Ok(())
}

#[test]
fn both_readings_of_soloist_agree() {
    for_all_in(Language::Soloist, "sugar", 10_000, agree_on_every_cut);
}

#[test]
fn both_readings_of_mtl_agree() {
    for_all_in(Language::Mtl, "sugar", 4_000, agree_on_every_cut);
}

#[test]
fn both_readings_of_qea_agree() {
    for_all_in(Language::Qea, "sugar", 6_000, agree_on_every_cut);
}

#[test]
fn both_readings_of_nomad_agree() {
    for_all_in(Language::Nomad, "sugar", 10_000, agree_on_every_cut);
}

#[test]
fn both_readings_of_albert_agree() {
    for_all_in(Language::Albert, "sugar", 8_000, agree_on_every_cut);
}

#[test]
fn both_readings_of_patterns_agree() {
    for_all_in(Language::Pattern, "sugar", 8_000, agree_on_every_cut);
}

#[test]
fn both_readings_of_mu_agree() {
    for_all_in(Language::Mu, "sugar", 1_500, agree_on_every_cut);
}

#[test]
fn mop() {
    for_all_in(Language::Mop, "sugar", 3_000, agree_on_every_cut);
}

#[test]
fn ccsl() {
    for_all_in(Language::Ccsl, "sugar", 3_000, agree_on_every_cut);
}

#[test]
fn both_readings_of_small_mtl_agree() {
    for_all_small_mtl(agree_on_every_cut);
}
