// SPDX-License-Identifier: MIT OR Apache-2.0
//! Size, licence line and name of every Rust file.

use super::{Finding, SourceFile};

const LICENCE: &str = "// SPDX-License-Identifier: MIT OR Apache-2.0";
const LONG: usize = 800;
const TOO_LONG: usize = 1_200;

pub(super) fn check(sources: &[SourceFile]) -> Vec<Finding> {
    sources.iter().flat_map(check_file).collect()
}

fn check_file(file: &SourceFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    if file.text.lines().next() != Some(LICENCE) {
        findings.push(Finding::fault(&file.path, format!("the first line must be `{LICENCE}`")));
    }
    let lines = file.text.lines().count();
    if lines > TOO_LONG {
        findings.push(Finding::fault(&file.path, format!("{lines} lines, more than {TOO_LONG}: split it by idea")));
    } else if lines > LONG {
        findings.push(Finding::warning(&file.path, format!("{lines} lines, more than {LONG}")));
    }
    if file.path.ends_with("/mod.rs") {
        findings.push(Finding::fault(&file.path, "name the module `foo.rs` beside its folder `foo`"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_habit_is_watched() {
        let file = |path: &str, text: String| SourceFile { path: path.to_owned(), text };
        let good = file("crates/a/src/b.rs", format!("{LICENCE}\n"));
        let unlicensed = file("crates/a/src/b.rs", String::new());
        let long = file("crates/a/src/b.rs", format!("{LICENCE}\n{}", "x\n".repeat(900)));
        let longer = file("crates/a/src/b.rs", format!("{LICENCE}\n{}", "x\n".repeat(1_300)));
        let misnamed = file("crates/a/src/b/mod.rs", format!("{LICENCE}\n"));
        let faults = |file: &SourceFile| check_file(file).iter().map(Finding::is_fault).collect::<Vec<_>>();
        assert_eq!(faults(&good), [false; 0]);
        assert_eq!(faults(&unlicensed), [true]);
        assert_eq!(faults(&long), [false]);
        assert_eq!(faults(&longer), [true]);
        assert_eq!(faults(&misnamed), [true]);
    }
}
