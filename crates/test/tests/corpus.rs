// SPDX-License-Identifier: MIT OR Apache-2.0
//! The conformance corpus on every row, and how well it covers the rules and the operators.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gnomon_core::verdict::Verdict;
use gnomon_test::corpus::{CaseEvaluator, Suite, load, run};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn suites() -> Vec<Suite> {
    load(&root().join("conformance")).expect("the corpus is well formed")
}

#[test]
fn every_case_with_every_evaluator() {
    let (mut run_count, mut skips, mut wrong) = (0, Vec::new(), Vec::new());
    for case in suites().iter().flat_map(|suite| &suite.cases) {
        for evaluator in CaseEvaluator::ALL {
            if let Some((_, reason)) = case.skips.iter().find(|(skipped, _)| skipped == evaluator.word()) {
                skips.push(format!("{} on {}: {reason}", case.title, evaluator.word()));
                continue;
            }
            run_count += 1;
            if let Err(difference) = run(case, evaluator) {
                wrong.push(format!("{}\n  {}\n  on {}: {difference}", case.place, case.title, evaluator.word()));
            }
        }
    }
    println!("{run_count} judged, {} skipped\n{}", skips.len(), skips.join("\n"));
    assert!(run_count > 500, "the corpus is not found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The numbers of the rules, as `**K5**` begins one.
fn rules() -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join("docs/semantics.md")).expect("the rules are there");
    let rule = |line: &str| line.strip_prefix("- **")?.split_once("**").map(|(number, _)| number.to_owned());
    text.lines().filter_map(rule).collect()
}

#[test]
fn every_rule_has_a_case_and_every_citation_a_rule() {
    let cited: BTreeSet<String> =
        suites().iter().flat_map(|suite| &suite.cases).flat_map(|case| case.rules.clone()).collect();
    let rules = rules();
    assert!(rules.len() > 40, "the rules are not found");
    let without_case: Vec<&String> = rules.difference(&cited).collect();
    assert!(without_case.is_empty(), "rules without a case: {without_case:?}");
    let unknown: Vec<&String> = cited.difference(&rules).collect();
    assert!(unknown.is_empty(), "cases cite rules that are not there: {unknown:?}");
}

#[test]
fn code_cites_only_rules_that_are_there() {
    let rules = rules();
    for folder in ["crates/oracle/src", "crates/ir/src", "crates/engine/src"] {
        let mut files = Vec::new();
        rust_files(&root().join(folder), &mut files);
        assert!(!files.is_empty());
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            for cited in text.lines().filter_map(|line| line.split_once("// RULE ")).map(|(_, cited)| cited) {
                // `K5, V2: why` or `K5, for reasons`: as many numbers as there are, at least one.
                let first_words = cited.split(',').map(|part| part.trim().split(|end: char| !end.is_alphanumeric()));
                let numbers = first_words.filter_map(|mut words| words.next()).enumerate();
                for (place, rule) in numbers.take_while(|(place, rule)| *place == 0 || is_number(rule)) {
                    let known = rules.contains(rule);
                    assert!(known, "{}: citation {place}: no rule `{rule}` in docs/semantics.md", file.display());
                }
            }
        }
    }
}

fn is_number(word: &str) -> bool {
    word.len() > 1 && word.starts_with(char::is_uppercase) && word[1..].bytes().all(|byte| byte.is_ascii_digit())
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_construct_has_a_true_a_false_and_an_undecided_case() {
    let soloist = [
        "always",
        "average",
        "connectives",
        "count",
        "eventually",
        "full-window",
        "gap",
        "historically",
        "maximum",
        "next",
        "once",
        "previous",
        "since",
        "until",
    ];
    let mtl = [
        "always",
        "count",
        "eventually",
        "fold",
        "historically",
        "next",
        "once",
        "previous",
        "quantifiers",
        "release",
        "since",
        "until",
        "variables",
        "weakuntil",
    ];
    let qea = ["nondeterminism", "quantifiers", "states", "transitions", "verdicts"];
    let nomad = ["any", "contexts", "correlation", "modalities", "paired", "phases", "verdicts", "windows"];
    let albert = ["comparison", "each", "events", "folds", "future", "states", "terms"];
    let pattern = [
        "delimiters",
        "numbers",
        "occurrence",
        "precedence",
        "recurrence",
        "response",
        "scopes",
        "variables",
        "verdicts",
    ];
    let mu = ["actions", "variables", "verdicts", "words"];
    let mop = ["bodies", "instances"];
    let ccsl = ["relations", "definitions"];
    let names = |folder: &'static str, files: &[&'static str]| -> Vec<String> {
        files.iter().map(|file| format!("{folder}/{file}")).collect()
    };
    let suites = suites();
    let all = [
        names("soloist", &soloist),
        names("mtl", &mtl),
        names("qea", &qea),
        names("nomad", &nomad),
        names("albert", &albert),
        names("pattern", &pattern),
        names("mu", &mu),
        names("mop", &mop),
        names("ccsl", &ccsl),
    ];
    for name in all.concat() {
        let suite = suites.iter().find(|suite| suite.name == name);
        let suite = suite.unwrap_or_else(|| panic!("no suite {name}"));
        for verdict in [Verdict::Holds, Verdict::Violated, Verdict::Inconclusive] {
            let has = suite.cases.iter().any(|case| case.expectation.verdict == verdict);
            assert!(has, "{name} has no case that is {verdict}");
        }
    }
}
