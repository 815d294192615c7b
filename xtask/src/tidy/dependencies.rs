// SPDX-License-Identifier: MIT OR Apache-2.0
//! The dependency table of ARCHITECTURE.md against what cargo says.
//!
//! The table stands between two comments. A row is `| package | ours | others | in tests |`, names separated by
//! blanks, `-` for none, `*` for any. What is listed must be used, what is used must be listed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::{fs, io};

use serde_json::Value;

use super::Finding;

const PLACE: &str = "ARCHITECTURE.md";
const BEGIN: &str = "<!-- dependencies -->";
const END: &str = "<!-- end of dependencies -->";

/// The dependencies of one package: ours, those of others, and those that only its tests use.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Uses {
    ours: BTreeSet<String>,
    others: BTreeSet<String>,
    tests: BTreeSet<String>,
}

pub(super) fn check(root: &Path) -> io::Result<Vec<Finding>> {
    let text = fs::read_to_string(root.join(PLACE))?;
    let Some(written) = table(&text) else {
        return Ok(vec![Finding::fault(PLACE, format!("no table between `{BEGIN}` and `{END}`"))]);
    };
    Ok(compare(&written, &metadata(root)?))
}

fn compare(written: &BTreeMap<String, Uses>, found: &BTreeMap<String, Uses>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (package, found) in found {
        let Some(written) = written.get(package) else {
            findings.push(Finding::fault(PLACE, format!("the table lacks `{package}`")));
            continue;
        };
        for (kind, written, found) in [
            ("uses", &written.ours, &found.ours),
            ("uses", &written.others, &found.others),
            ("uses in tests", &written.tests, &found.tests),
        ] {
            if written.contains("*") {
                continue;
            }
            let extra = found.difference(written);
            findings
                .extend(extra.map(|name| {
                    Finding::fault(PLACE, format!("`{package}` {kind} `{name}`, which the table forbids"))
                }));
            let stale = written.difference(found);
            findings.extend(
                stale.map(|name| {
                    Finding::fault(PLACE, format!("the table says `{package}` {kind} `{name}`; it does not"))
                }),
            );
        }
    }
    let gone = written.keys().filter(|package| !found.contains_key(*package));
    findings.extend(gone.map(|package| Finding::fault(PLACE, format!("there is no package `{package}`"))));
    findings
}

fn table(text: &str) -> Option<BTreeMap<String, Uses>> {
    let (_, rest) = text.split_once(BEGIN)?;
    let (body, _) = rest.split_once(END)?;
    let rows = body.lines().map(str::trim).filter(|line| line.starts_with('|')).skip(2);
    let mut packages = BTreeMap::new();
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let &[package, ours, others, tests] = cells.as_slice() else { return None };
        let names = |cell: &str| -> BTreeSet<String> {
            cell.split_whitespace().map(|name| name.trim_matches('`').to_owned()).filter(|name| name != "-").collect()
        };
        let uses = Uses { ours: names(ours), others: names(others), tests: names(tests) };
        packages.insert(package.trim_matches('`').to_owned(), uses);
    }
    Some(packages)
}

fn metadata(root: &Path) -> io::Result<BTreeMap<String, Uses>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root)
        .output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let json: Value = serde_json::from_slice(&output.stdout)?;
    Ok(read_metadata(&json))
}

fn read_metadata(json: &Value) -> BTreeMap<String, Uses> {
    let packages = || json["packages"].as_array().into_iter().flatten();
    let name = |value: &Value| value["name"].as_str().unwrap_or_default().to_owned();
    let ours: BTreeSet<String> = packages().map(name).collect();
    let mut found = BTreeMap::new();
    for package in packages() {
        let mut uses = Uses::default();
        let mut tests = BTreeSet::new();
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let name = name(dependency);
            match dependency["kind"].as_str() {
                Some("dev") => tests.insert(name),
                _ if ours.contains(&name) => uses.ours.insert(name),
                _ => uses.others.insert(name),
            };
        }
        uses.tests =
            tests.into_iter().filter(|name| !uses.ours.contains(name) && !uses.others.contains(name)).collect();
        found.insert(name(package), uses);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(row: &str) -> BTreeMap<String, Uses> {
        table(&format!("{BEGIN}\n| package | ours | others | in tests |\n|---|---|---|---|\n{row}\n{END}")).unwrap()
    }

    fn found() -> BTreeMap<String, Uses> {
        let json = serde_json::json!({"packages": [{"name": "a", "dependencies": [
            {"name": "serde", "kind": null}, {"name": "a-core", "kind": null}, {"name": "json", "kind": "dev"}
        ]}, {"name": "a-core", "dependencies": []}]});
        let mut found = read_metadata(&json);
        found.remove("a-core");
        found
    }

    #[test]
    fn a_true_table_passes() {
        assert_eq!(compare(&written("| `a` | `a-core` | `serde` | json |"), &found()), []);
        assert_eq!(compare(&written("| a | * | * | * |"), &found()), []);
    }

    #[test]
    fn a_false_table_does_not() {
        assert_eq!(compare(&written("| a | - | serde | json |"), &found()).len(), 1);
        assert_eq!(compare(&written("| a | a-core a-more | serde | json |"), &found()).len(), 1);
        assert_eq!(compare(&written("| b | - | - | - |"), &found()).len(), 2);
        assert!(table("nothing").is_none());
    }
}
