// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decision records are numbered from 1 without gaps and have their four parts; the tests that contracts name exist.

use std::path::Path;
use std::{fs, io};

use super::{Finding, SourceFile};

const PARTS: [&str; 4] = ["## Context", "## Choice", "## Cost", "## What would change our mind"];

pub(super) fn check_decisions(root: &Path) -> io::Result<Vec<Finding>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root.join("docs/adr"))? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    let mut findings = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let place = format!("docs/adr/{name}");
        let number = format!("{:04}", index + 1);
        if !name.starts_with(&format!("{number}-")) {
            findings.push(Finding::fault(&place, format!("the next number is {number}")));
        }
        let text = fs::read_to_string(root.join(&place))?;
        if !text.starts_with(&format!("# {number}: ")) {
            findings.push(Finding::fault(&place, format!("the heading must be `# {number}: title`")));
        }
        let missing = PARTS.iter().filter(|part| !text.lines().any(|line| line == **part));
        findings.extend(missing.map(|part| Finding::fault(&place, format!("the part `{part}` is missing"))));
    }
    Ok(findings)
}

/// Every test that a contract names, as in ``(test `name`)``, is a function of the sources.
pub(super) fn check_contracts(root: &Path, sources: &[SourceFile]) -> io::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for entry in fs::read_dir(root.join("docs/contracts"))? {
        let path = entry?.path();
        let place = format!("docs/contracts/{}", path.file_name().unwrap_or_default().to_string_lossy());
        for name in named_tests(&fs::read_to_string(&path)?) {
            let declaration = format!("fn {name}(");
            if !sources.iter().any(|file| file.text.contains(&declaration)) {
                findings.push(Finding::fault(&place, format!("there is no test `{name}`")));
            }
        }
    }
    findings.sort_by(|left, right| left.place.cmp(&right.place));
    Ok(findings)
}

/// The names in backquotes between `(test` and the next `)`.
fn named_tests(text: &str) -> Vec<&str> {
    let groups = text.split("(test").skip(1).filter_map(|rest| rest.split(')').next());
    groups.flat_map(|group| group.split('`').skip(1).step_by(2)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_found_in_prose() {
        assert_eq!(named_tests("x (test `a`) y (tests `b`,\n`c`). (testing)"), ["a", "b", "c"]);
    }
}
