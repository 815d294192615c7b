// SPDX-License-Identifier: MIT OR Apache-2.0
//! Error codes have pages, pages have codes; rules that code cites exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

use super::{Finding, SourceFile};

/// Every code in the sources has a page in `docs/errors`, and the other way round.
pub(super) fn check_pages(root: &Path, sources: &[SourceFile]) -> io::Result<Vec<Finding>> {
    let mut used: BTreeMap<String, &str> = BTreeMap::new();
    for file in product(sources) {
        for code in codes(file.without_tests()) {
            used.entry(code).or_insert(&file.path);
        }
    }
    let mut pages = BTreeSet::new();
    for entry in fs::read_dir(root.join("docs/errors"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            pages.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    let missing = used.iter().filter(|(code, _)| !pages.contains(*code));
    let missing =
        missing.map(|(code, place)| Finding::fault(*place, format!("`{code}` has no page docs/errors/{code}.md")));
    let idle = pages.iter().filter(|page| !used.contains_key(*page));
    let idle =
        idle.map(|page| Finding::fault(format!("docs/errors/{page}.md"), "no code of the sources has this page"));
    Ok(missing.chain(idle).collect())
}

/// Every `RULE X7` in the sources is a rule of `docs/semantics.md`.
pub(super) fn check_rules(root: &Path, sources: &[SourceFile]) -> io::Result<Vec<Finding>> {
    let semantics = fs::read_to_string(root.join("docs/semantics.md"))?;
    let known: BTreeSet<&str> = words(&semantics).filter(|word| is_rule(word)).collect();
    let mut findings = Vec::new();
    for file in product(sources) {
        for (number, line) in file.text.lines().enumerate() {
            for rule in cited_rules(line).filter(|rule| !known.contains(rule)) {
                let place = format!("{}:{}", file.path, number + 1);
                findings.push(Finding::fault(place, format!("rule {rule} is not in docs/semantics.md")));
            }
        }
    }
    Ok(findings)
}

fn product(sources: &[SourceFile]) -> impl Iterator<Item = &SourceFile> {
    sources.iter().filter(|file| file.path.starts_with("crates/") && file.path.contains("/src/"))
}

/// String literals such as `"G0203"`.
fn codes(text: &str) -> impl Iterator<Item = String> {
    text.split('"').filter(|part| is_code(part)).map(str::to_owned)
}

fn is_code(text: &str) -> bool {
    text.len() == 5 && text.starts_with('G') && text[1..].bytes().all(|byte| byte.is_ascii_digit())
}

/// The rules after the word `RULE` in a line: `RULE D1`, `RULE S7:`, `RULE D4, D5`.
fn cited_rules(line: &str) -> impl Iterator<Item = &str> {
    let cited = line
        .split("RULE ")
        .skip(1)
        .flat_map(|rest| rest.split([',', ' ']).take_while(|part| part.is_empty() || is_rule(bare(part))));
    cited.map(bare).filter(|rule| is_rule(rule))
}

fn bare(word: &str) -> &str {
    word.trim_matches(|letter: char| !letter.is_ascii_alphanumeric())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric())
}

/// One or two capital letters and a number.
fn is_rule(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    (1..=2).contains(&letters) && word.len() > letters && word[letters..].bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_rules_are_found_in_text() {
        assert_eq!(codes(r#"error("G0203", span, "G12 no")"#).collect::<Vec<_>>(), ["G0203"]);
        assert_eq!(cited_rules("// RULE D9: X^n f").collect::<Vec<_>>(), ["D9"]);
        assert_eq!(cited_rules("// RULE D4, D5 and more").collect::<Vec<_>>(), ["D4", "D5"]);
        assert_eq!(cited_rules("// no rule D4").count(), 0);
    }
}
