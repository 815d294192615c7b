// SPDX-License-Identifier: MIT OR Apache-2.0
//! Maintenance commands: `cargo run -p gnomon-xtask -- COMMAND`.
//!
//! - `tidy` checks that the repository agrees with its documents.
//! - `book FOLDER` writes the pages of the book to a folder, from which mdBook builds it.
//! - `soak` runs a watch under load and disturbs it.

mod book;
mod soak;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["tidy"] => tidy(),
        ["soak"] => soak(),
        ["book", folder] => stage_book(Path::new(folder)),
        _ => {
            say("usage: cargo run -p gnomon-xtask -- tidy | soak | book FOLDER");
            ExitCode::from(2)
        }
    }
}

fn stage_book(folder: &Path) -> ExitCode {
    match book::stage(&root(), folder) {
        Ok(broken) => {
            for link in &broken {
                say(&format!("fault: {link}"));
            }
            ExitCode::from(u8::from(!broken.is_empty()))
        }
        Err(error) => {
            say(&format!("the book cannot be staged: {error}"));
            ExitCode::from(2)
        }
    }
}

fn soak() -> ExitCode {
    match soak::run(&root(), &say) {
        Ok(summary) => {
            say(&format!("soak: passed: {summary}"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            say(&format!("soak: failed: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn tidy() -> ExitCode {
    let findings = match tidy::run(&root()) {
        Ok(findings) => findings,
        Err(error) => {
            say(&format!("tidy could not look: {error}"));
            return ExitCode::from(2);
        }
    };
    for finding in &findings {
        say(&finding.to_string());
    }
    let faults = findings.iter().filter(|finding| finding.is_fault()).count();
    say(&format!("tidy: {faults} faults, {} warnings", findings.len() - faults));
    ExitCode::from(u8::from(faults > 0))
}

/// The repository this program was built in.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask is a folder of the repository").to_path_buf()
}

#[allow(clippy::print_stdout)] // The only place that prints.
fn say(line: &str) {
    println!("{line}");
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_repository_is_tidy() {
        let findings = super::tidy::run(&super::root()).expect("the repository can be read");
        let faults: Vec<String> =
            findings.iter().filter(|finding| finding.is_fault()).map(ToString::to_string).collect();
        assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    }
}
