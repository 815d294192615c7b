// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties in English.

use gnomon_ir::spec::Spec;

use crate::cells::{property, timed, untimed};
use gnomon_ir::pattern::ScopeKind;

fn words(text: &str) -> String {
    let (spec, diagnostics) = gnomon_lang::parse(text);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    gnomon_artefact::english(&spec, &spec.properties[0]).unwrap_or_else(|refusal| format!("refused: {refusal}"))
}

/// `english.txt` has properties, each on a line, with their sentences on the next one.
#[test]
fn properties_of_every_language_have_sentences() {
    let file = include_str!("english.txt");
    let mut languages = Vec::new();
    for entry in file.trim_end().split("\n\n") {
        let (text, expected) = entry.split_once('\n').expect("a property and its sentences");
        assert_eq!(words(text), expected, "{text}");
        languages.extend(text.split([' ', '(']).next());
    }
    languages.dedup();
    assert_eq!(languages, ["mtl", "soloist", "albert", "qea", "nomad", "mu", "pattern"]);
}

#[test]
fn operands_with_connectives_are_numbered() {
    assert_eq!(
        words("mtl a { G(a -> (b && (c || (d && e))) || f) }"),
        "Whenever `a` occurs, at least one of the following is true: (A) all of the following are true: (a) `b` occurs; \
         (b) at least one of the following is true: (1) `c` occurs; (2) `d` occurs and `e` occurs; (B) `f` occurs."
    );
}

#[test]
fn every_cell_has_words_of_its_own() {
    let mut all: Vec<String> = Vec::new();
    for scope in ScopeKind::ALL {
        for asked in untimed().into_iter().chain(timed()) {
            let words = gnomon_artefact::english(&Spec::default(), &property(scope, &asked)).expect("it has words");
            assert!(words.ends_with('.') && !words.contains("  "), "{words}");
            all.push(words);
        }
    }
    let number = all.len();
    all.sort();
    all.dedup();
    // `at most 0` and `absence` say the same.
    assert_eq!(all.len(), number - ScopeKind::ALL.len(), "two cells have the same words");
}
