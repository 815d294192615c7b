// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mistakes in logic plug-ins.

use crate::{edited, found, shown};

/// A block with a good start. Places count from the beginning of the rest.
fn check(rest: &str) -> String {
    const OPENING: &str = "mop p { parameters x, y events a(x), b(x, y), c\n";
    let mut diagnostics = found(&format!("{OPENING}{rest} }}"));
    for diagnostic in &mut diagnostics {
        let span = &mut diagnostic.primary.span;
        (span.start, span.end) =
            (span.start.saturating_sub(OPENING.len() as u32), span.end.saturating_sub(OPENING.len() as u32));
    }
    shown(&diagnostics)
}

#[test]
fn mistakes_in_sections() {
    let mut wrong: Vec<String> = Vec::new();
    for (source, expected) in [
        ("mop p { }", "G0109@8-9"),
        ("mop p { events a }", "G0109@17-18"),
        ("mop p { parameters x ere: a }", "G0109@28-29"),
        ("mop p { event a ere: a }", "G0101@8-13"),
        ("mop p { parameters events a ere: a }", "G0101@19-25"),
        ("mop p { parameters x.y events a ere: a }", "G0116@19-22"),
        ("mop p { parameters x, x events a(x) ere: a }", "G0201@22-23"),
        ("mop p { parameters x, y events a(x) ere: a }", "G0311@22-23"),
        ("mop p { events a(x) ere: a }", "G0306@17-18"),
        ("mop p { events a, a ere: a }", "G0201@18-19"),
        ("mop p { parameters x events a(x), a() ere: a }", "G0213@34-37"),
        ("mop p { events endProgram(1) ere: endProgram }", "G0204@15-28"),
        ("mop p { events endProgram, endProgram as e ere: e }", "G0201@41-42"),
        ("event a(u, v)\nmop p { parameters x events a(x) ere: a }", "G0204@42-46"),
        ("mop p { events a ere: a ere: a }", "G0208@24-27"),
        ("mop p { events a suffix suffix ere: a }", "G0208@24-30"),
        ("mop p { events a sufix ere: a }", "G0101@17-22"),
        ("mop p (full) { events a ere: a }", "G0206@7-11"),
    ] {
        let found = shown(&found(source));
        if found != expected {
            wrong.push(format!("{source}: {found}, not {expected}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn mistakes_in_bodies() {
    let mut wrong: Vec<String> = Vec::new();
    for (rest, expected) in [
        ("ere: a b c", ""),
        ("ere:a b c", ""),
        ("ere: ", "G0109@6-7"),
        ("ere: a | ", "G0101@10-11"),
        ("ere: a || b", "G0105@7-9"),
        ("ere: !a", "G0105@5-6"),
        ("ere: (a b", "G0102@5-6"),
        ("ere: a b)", "G0102@8-9"),
        ("ere: a^b", "G0101@7-8"),
        ("ere: a^1001", "G0308@7-11"),
        ("ere: a^1.5", "G0308@7-10"),
        ("ere: a d", "G0210@7-8"),
        ("ere: a + b", ""),
        ("fsm: s [ a -> s ]", ""),
        ("fsm: s [ a s ]", "G0101@11-12"),
        ("fsm: s { a -> s }", "G0101@7-8"),
        ("fsm: s [ a -> t ]", "G0211@14-15"),
        ("fsm: s [ a -> s a -> s ]", "G0201@16-17"),
        ("fsm: s [ default s default s ]", "G0201@19-26"),
        ("fsm: s [ d -> s ]", "G0210@9-10"),
        ("fsm: s [ ] s [ ]", "G0201@11-12"),
        ("fsm: s [ ] t [ ]", "G0316@11-12"),
        ("fsm: s [ ] alias t = u", "G0211@21-22"),
        ("fsm: s [ ] alias s = s", "G0201@17-18"),
        ("fsm: s [ a -> s", "G0102@7-8"),
        ("fsm: s [ a => s ]", "G0105@11-13"),
        ("cfg: S -> a S b | epsilon", ""),
        ("cfg: S a", "G0101@7-8"),
        ("cfg: S -> a & b", "G0101@12-13"),
        ("cfg: S -> T", "G0210@10-11"),
        ("cfg: a -> b", "G0201@5-6"),
        ("cfg: S -> a, T -> b", "G0316@13-14"),
        ("cfg: S -> a T -> b", "G0101@14-16"),
        ("ltl: [] (a => (*) b)", ""),
        ("ltl: a => b => c", "G0162@12-14"),
        ("ltl: a U b S c", "G0162@11-12"),
        ("ltl: [] a => b and c or a xor !b", ""),
        ("ltl: ~a", "G0101@5-6"),
        ("ltl: o", "G0101@7-8"),
        ("ltl: (a", "G0102@5-6"),
        ("ptltl: (*) <> a", "G0336@14-15"),
        ("ptltl: a U b", "G0336@7-8"),
        ("ere: a creation d", "G0210@16-17"),
        ("ere: a creation a, a", "G0201@19-20"),
        ("ltl: a suffix", "G0336@0-14"),
        ("ere: a forbid fial", "G0212@14-18"),
        ("ere: a forbid fail, FAIL", "G0201@20-24"),
        ("ere: a forbid", "G0101@14-15"),
        ("ere: a forbid fail \"m\" \"n\"", "G0101@23-26"),
    ] {
        let found = check(rest);
        if found != expected {
            wrong.push(format!("{rest}: {found}, not {expected}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn advice_mends() {
    for (source, expected) in [
        ("mop p { events a, b ere: a || b }", "mop p { events a, b ere: a | b }"),
        ("mop p { events open, close ere: opn close }", "mop p { events open, close ere: open close }"),
        ("mop p { events a ere: a forbid mach }", "mop p { events a ere: a forbid match }"),
    ] {
        assert_eq!(edited(source), expected);
        assert_eq!(shown(&found(expected)), "");
    }
}
