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
    assert_eq!(languages, ["mtl", "soloist", "albert", "qea", "nomad", "mu", "pattern", "mop", "ccsl"]);
}

#[test]
fn constants_have_the_declared_unit() {
    let spec = |body: &str| words(&format!("time at in s\n{body}"));
    assert_eq!(
        spec("soloist a { G(off -> C^{600}_{<=3}(withdraw) && F(90,3600] on) }"),
        "Whenever `off` occurs, `withdraw` has occurred at most 3 times in the last 10 minutes, and `on` occurs more than \
         90 and at most 3600 seconds later. The first event of the trace is not checked."
    );
    assert_eq!(
        spec("soloist a { X(gap[7200](f, g) <= 45) }"),
        "At the second event, the average time from `f` in the last 2 hours to the next `g` is at most 45 seconds."
    );
    assert_eq!(
        spec("pattern a { globally: reply responds to request within 120 }"),
        "Every `request` must be followed by `reply` within 2 minutes of the `request`."
    );
    assert_eq!(
        spec("albert a { onEvent(Pay) -> Within(onEvent(Ship), 60ms) }"),
        "Whenever `Pay` occurs, `Ship` occurs within 60 milliseconds."
    );
    assert_eq!(
        spec("nomad a { P(start(a) | O[0,10] done(b)) }"),
        "Whenever `a` starts, `b` must complete within 10 seconds. Each message counts for one requirement only."
    );
}

#[test]
fn operands_with_connectives_are_numbered() {
    assert_eq!(
        words("mtl a { G(a -> (b && (c || (d && e))) || f) }"),
        "Whenever `a` occurs, at least one of the following is true: (A) all of the following are true: (a) `b` occurs; \
         (b) at least one of the following is true: (1) `c` occurs; (2) `d` and `e` occur; (B) `f` occurs."
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
