// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks a log against a spec file: `cargo run -p gnomon --example check_file [SPEC LOG [--json]]`.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::process::ExitCode;

use gnomon::{Spec, check};

const SPEC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/atm/atm.rv");
const LOG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/atm/b4.xml");

fn main() -> Result<ExitCode, gnomon::Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |index: usize, default| arguments.get(index).map_or(default, String::as_str);

    let spec = Spec::from_file(argument(0, SPEC))?;
    let report = check(&spec, argument(1, LOG))?;
    if argument(2, "") == "--json" {
        println!("{}", report.to_json());
    } else {
        println!("{report}");
    }
    Ok(if report.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
