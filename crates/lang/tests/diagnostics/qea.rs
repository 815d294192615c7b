// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mistakes in quantified event automata.

use crate::{edited, found, shown};

#[test]
fn mistakes_in_automata() {
    for (source, expected) in [
        ("qea p { }", "G0109@8-9"),
        ("qea p", "G0109@4-5"),
        ("qea(p { }", "G0102@3-4 G0109@8-9"),
        ("qea() { accept skip(s) { } }", "G0101@0-3"),
        ("qea { accept skip(s) { } }", "G0101@0-3"),
        ("qea p (full-window) { accept skip(s) { } }", "G0206@7-18"),
        ("qea p (simultaneous merge) { accept skip(s) { } }", "G0206@7-19"),
        ("qea p { Forall(x) }", "G0109@18-19"),
        ("qea p { Forall x, y. accept skip(s) { f(x, y) -> s } }", "G0101@15-16"),
        ("qea p { Forall x.accept skip(s) { f(x) -> s } }", "G0101@15-16"),
        ("qea p { Forall(x y) accept skip(s) { f(x, y) -> s } }", "G0101@17-18"),
        ("qea p { Forall() accept skip(s) { f -> s } }", "G0101@15-16"),
        ("qea p { Forall(x accept skip(s) { f(x) -> s } }", "G0102@14-15"),
        ("qea p { Forall(a.b) accept skip(s) { f -> s } }", "G0116@15-18"),
        ("qea p { FORALL(x) accept skip(s) { f(x) -> s } }", "G0105@8-14"),
        ("qea p { Forall(x) Exists(x) accept skip(s) { f(x) -> s } }", "G0201@25-26"),
        ("qea p { Forall(x) accept skip(s) { f -> s } }", "G0311@15-16"),
        ("qea p { Forall(x) where x = 1 accept skip(s) { f(x) -> s } }", "G0101@24-25"),
        ("qea p { Forall(x) where [ y = 1 ] accept skip(s) { f(x, y) -> s } }", "G0306@26-27"),
        ("qea p { accept skip(s) { f -> s } Forall(x) }", "G0101@34-40"),
        ("qea p { accept skip(s) { f -> s } skip(s) { } }", "G0201@39-40"),
        ("qea p { accept skip(s) { f -> s } skip(t) { } }", "G0316@39-40"),
        ("qea p { acept skip(s) { f -> s } }", "G0101@8-13"),
        ("qea p { state(s) { f -> s } }", "G0101@8-13"),
        ("qea p { foo(s) { f -> s } }", "G0101@8-11"),
        ("qea p { foo bar }", "G0101@8-11"),
        ("qea p { accept(s) { f -> s } }", "G0101@14-15"),
        ("qea p { skip accept(s) { f -> s } }", "G0105@8-19"),
        ("qea p { skip s { f -> s } }", "G0101@13-14"),
        ("qea p { skip() { f -> s } }", "G0101@13-14"),
        ("qea p { skip(s) f -> s }", "G0101@16-17"),
        ("qea p { skip(s) { f -> s }", "G0102@6-7"),
        ("qea p { skip(s) { f -> t\nskip(t) { g -> s } }\nsoloist q { a & b }", "G0102@16-17 G0105@60-61"),
        ("qea p { skip(s) { f -> s } } }", "G0102@29-30"),
        ("qea p { skip(s) { f & b } skip(t) { g | c -> t } }", "G0101@20-21 G0101@38-39"),
        ("event m(x)\nqea p { skip(s) { m(1, 2) -> s } }", "G0204@29-36"),
        ("qea p { skip(s) { f -> s }\naccepts q { f }", "G0102@6-7 G0601@35-36"),
        ("event shipped\nqea p { skip(s) { shiped -> s } }", "G0203@32-38"),
        ("qea p { skip(s) { f -> s } 5 skip(t) { } }", "G0101@27-28"),
    ] {
        assert_eq!(shown(&found(source)), expected, "{source}");
    }
}

/// A transition in an automaton that is otherwise sound. Places count from the beginning of the transition.
fn check(transition: &str) -> String {
    const OPENING: &str = "qea p { Forall(x) accept skip(s) { f(x, y, n) -> s\n";
    let mut diagnostics = found(&format!("{OPENING}{transition}\ng(x) -> s }} }}"));
    for diagnostic in &mut diagnostics {
        let span = &mut diagnostic.primary.span;
        (span.start, span.end) = (span.start - OPENING.len() as u32, span.end - OPENING.len() as u32);
    }
    shown(&diagnostics)
}

#[test]
fn mistakes_in_transitions() {
    for (source, expected) in [
        ("e -> ", "G0101@6-7"),
        ("e", "G0101@2-3"),
        ("-> s", "G0101@0-2"),
        ("e => s", "G0105@2-4"),
        ("e : s", "G0105@2-3"),
        ("e -> if", "G0101@5-7"),
        ("e [ y = 1 ]", "G0101@12-13"),
        ("e [y = x] -> s", "G0108@7-8"),
        ("e if y = 1 -> s", "G0101@5-6"),
        ("e if (y = 1) -> s", "G0101@5-6"),
        ("e if [ y ] -> s", "G0101@7-8"),
        ("e if [ y = 1 -> s", "G0102@5-6"),
        ("e if [ ] -> s", "G0101@7-8"),
        ("e if [ y = ] -> s", "G0101@11-12"),
        ("e if [ y < 1 < n ] -> s", "G0101@13-14"),
        ("e if [ y && 3 ] -> s", "G0101@7-8"),
        ("e if [ !(y = 1) || y = 2 & n = 1 | n == 2 ] -> s", "G0105@7-8 G0105@16-18 G0105@25-26 G0105@33-34"),
        ("e if [ NOT y = 1 AND n = 2 ] -> s", "G0105@7-10 G0105@17-20"),
        ("e if [ y = (n = 1) ] -> s", "G0101@11-18"),
        ("e if [ (y) ] -> s", "G0101@7-10"),
        ("e if [ y / 2 = 1 ] -> s", "G0101@9-10"),
        ("e if [ y =< 1 ] -> s", "G0105@9-11"),
        ("e if [ a.b = 1 ] -> s", "G0116@7-10"),
        ("e if [ y = 1 and ] -> s", "G0101@17-18"),
        ("e if [ z = 1 ] -> s", "G0317@7-8"),
        ("e -> s do n = 1", "G0101@10-11"),
        ("e -> s do [ n := 1 ]", "G0105@14-16"),
        ("e -> s do [ n == 1 ]", "G0105@14-16"),
        ("e -> s do [ n += 1; m *= 2 ]", "G0105@14-16 G0105@22-24"),
        ("e -> s do [ n ]", "G0101@14-15"),
        ("e -> s do [ n = ]", "G0101@16-17"),
        ("e -> s do [ 5 = n ]", "G0101@12-13"),
        ("e -> s do [ n-1 = n ]", "G0116@12-15"),
        ("e -> s do [ x = 1 ]", "G0313@12-13"),
        ("e -> s do [ n = y = 1 ]", "G0102@10-11"),
        ("e -> s do [ n = 1 m = 2 ]", "G0102@10-11"),
        ("e -> s else -> s", "G0316@7-11"),
        ("e if [ y = 1 ] -> s else if -> s", "G0101@28-30"),
        ("else -> s", "G0316@0-4"),
        ("e -> s else", "G0316@7-11 G0101@12-13"),
        ("if -> s", "G0101@0-2"),
        ("e(a-b) -> s", "G0116@2-5"),
        ("e(1, ) -> s", "G0101@5-6"),
        ("5 -> s", "G0101@0-1"),
        ("e -> s, , e -> s", "G0101@8-9"),
        ("e -> 5", "G0101@5-6"),
    ] {
        assert_eq!(check(source), expected, "{source}");
    }
}

#[test]
fn edits_say_what_to_write() {
    for (source, expected) in [
        (
            "qea p { Forall x, y. accept skip(s) { f(x, y) -> s } }",
            "qea p { Forall (x, y) accept skip(s) { f(x, y) -> s } }",
        ),
        (
            "qea p { Forall(x y) accept skip(s) { f(x, y) -> s } }",
            "qea p { Forall(x , y) accept skip(s) { f(x, y) -> s } }",
        ),
        ("qea p { acept skip(s) { f -> s } }", "qea p { accept skip(s) { f -> s } }"),
        ("qea p { state(s) { f -> s } }", "qea p { skip(s) { f -> s } }"),
        ("qea p { skip accept(s) { f -> s } }", "qea p { accept skip(s) { f -> s } }"),
        ("qea p { accept(s) { f -> s } }", "qea p { accept skip(s) { f -> s } }"),
        ("qea p { skip s { f -> s } }", "qea p { skip (s) { f -> s } }"),
        (
            "qea p { skip(s) { f(n) if [ n = 1 && !(n < 3) || n > 2 ] => s } }",
            "qea p { skip(s) { f(n) if [ n = 1 and not (n < 3) or n > 2 ] -> s } }",
        ),
        (
            "qea p { skip(s) { f(n) -> s do [ m := n; m += 1 ] } }",
            "qea p { skip(s) { f(n) -> s do [ m = n; m = m + 1 ] } }",
        ),
        ("qea p { skip(s) { f(a-b) -> s } }", "qea p { skip(s) { f(\"a-b\") -> s } }"),
        ("qea p { skip(s) { if -> s } }", "qea p { skip(s) { \"if\" -> s } }"),
    ] {
        assert_eq!(edited(source), expected, "{source}");
    }
}
