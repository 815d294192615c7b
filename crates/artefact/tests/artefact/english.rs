// SPDX-License-Identifier: MIT OR Apache-2.0
//! Properties in plain words.

use gnomon_ir::spec::Spec;

use crate::cells::{property, timed, untimed};
use gnomon_ir::pattern::ScopeKind;

fn words(text: &str) -> String {
    let (spec, diagnostics) = gnomon_lang::parse(text);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    gnomon_artefact::english(&spec, &spec.properties[0]).unwrap_or_else(|refusal| format!("refused: {refusal}"))
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

#[test]
fn formulae_are_described_from_the_outside_in() {
    for (text, expected) in [
        (
            "mtl a { forall c, i. G(create(c,i) -> G(modify(c) -> G !next(i))) }",
            "For all values of `c` and `i`, each combination taken by itself: always: if `create(c, i)` happens, then at every moment \
             from now on (if `modify(c)` happens, then at every moment from now on `next(i)` does not happen).",
        ),
        (
            "mtl a { G(ask -> F[0,3s] reply) }",
            "Always: if `ask` happens, then at some moment at most 3 seconds from now `reply` happens.",
        ),
        (
            "mtl a { forall >= 95% u. G(count[10m](pay(u)) <= 3) }",
            "For at least 95 % of the values of `u`: always: in the last 10 minutes there are at most 3 moments at which `pay(u)` happens.",
        ),
        (
            "mtl a { exists s. (p(s) U[2s,10s] q) || H[1m,inf) !r }",
            "For some value of `s`: (at some moment at least 2 seconds and at most 10 seconds from now `q` happens, and until then \
             `p(s)` happens), or at every moment at least 1 minute ago `r` does not happen.",
        ),
        ("mtl a { !X !(p W q) }", "At the next event, if there is one, (`p` happens, unless and until `q` happens)."),
        (
            "mtl a { sum[24h](withdraw.amount) <= 5000 }",
            "The sum of `amount` over the `withdraw` of the last 24 hours is at most 5000.",
        ),
        (
            "soloist a { G(off -> C^{600}_{<=3}(on)) }",
            "At every moment some time from now (if `off` happens, then in the last 600 time units there are at most 3 moments at which \
             `on` happens).",
        ),
        (
            "qea(a) { Forall(c) accept skip(s){ e(c) -> s } }",
            "refused: a `qea` property is not put into words: only patterns, `mtl` and `soloist` are",
        ),
    ] {
        assert_eq!(words(text), expected);
    }
}
