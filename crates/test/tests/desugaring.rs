// SPDX-License-Identifier: MIT OR Apache-2.0
//! A formula means the same with its sugar and without: the oracle's two readings agree.

use gnomon_core::verdict::End;
use gnomon_oracle::{Truth, spec, truth};
use gnomon_test::property::for_all;

#[test]
fn both_readings_of_the_oracle_agree_on_every_cut() {
    for_all("sugar", 10_000, |case| {
        let core = case.core()?;
        let property = case.property();
        for cut in 0..=case.events.len() {
            let trace = case.cut(cut).trace();
            for end in [End::Complete, End::Prefix] {
                let kernel = truth(&core, &trace, core.formula, 0, end);
                let sugar = spec::truth(&case.spec, property, &trace, end);
                if kernel != sugar {
                    return Err(format!("{end:?} cut after {cut} events: kernel {kernel:?}, with sugar {sugar:?}"));
                }
            }
            let plain = Truth::from(spec::holds(&case.spec, property, &trace));
            let kernel = truth(&core, &trace, core.formula, 0, End::Complete);
            if kernel != plain {
                return Err(format!("complete after {cut} events: kernel {kernel:?}, two-valued {plain:?}"));
            }
        }
        Ok(())
    });
}
