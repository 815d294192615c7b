// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mistakes in clock constraints.

use crate::{edited, found, shown};

fn check(rest: &str) -> String {
    const OPENING: &str = "ccsl p {\n";
    let mut diagnostics = found(&format!("{OPENING}{rest} }}"));
    for diagnostic in &mut diagnostics {
        let span = &mut diagnostic.primary.span;
        (span.start, span.end) =
            (span.start.saturating_sub(OPENING.len() as u32), span.end.saturating_sub(OPENING.len() as u32));
    }
    shown(&diagnostics)
}

#[test]
fn mistakes() {
    let mut wrong: Vec<String> = Vec::new();
    for (rest, expected) in [
        ("a < b", ""),
        ("", "G0109@1-2"),
        ("a", "G0101@2-3"),
        ("a <", "G0101@4-5"),
        ("a > b", "G0101@2-3"),
        ("a == b", "G0101@2-4"),
        ("a sublock b", "G0101@2-9"),
        ("a < b < c", "G0101@6-7"),
        ("a < b $ 1", "G0101@6-7"),
        ("a(x) < b", "G0101@1-2"),
        ("a[x > 1] < b", "G0101@1-2"),
        ("on < b", "G0101@0-2"),
        ("a <[0] b", "G0338@0-8"),
        ("a <[x] b", "G0101@4-5"),
        ("a <[1 b", "G0102@3-4"),
        ("clock c = a $ 1", "G0101@8-9"),
        ("clock c := a", "G0101@13-14"),
        ("clock c := a b", "G0101@13-14"),
        ("clock c := a evry 3", "G0101@13-17"),
        ("clock c := a every 0", "G0338@0-20"),
        ("clock c := a every 2 from 0", "G0338@0-27"),
        ("clock c := a wait 0", "G0338@0-19"),
        ("clock c := a $ 0", ""),
        ("clock c := a $ 0 on b", "G0338@0-21"),
        ("clock c := a $ 1.5", "G0101@15-18"),
        ("clock c := a $ 99999999999999999999", "G0403@15-35"),
        ("clock c := a filter 012", "G0101@20-23"),
        ("clock c := a filter 0()", "G0101@22-23"),
        ("clock c := a filter b", "G0101@20-21"),
        ("clock c := a strictly b", "G0101@22-23"),
        ("clock c := inf(a b)", "G0101@17-18"),
        ("clock c := a + b + d", "G0101@17-18"),
        ("clock c := c $ 1", "G0214@11-12"),
        ("clock c := d + b\nclock d := c * a", "G0214@28-29"),
        ("clock c := a + b\nclock c := a * b", "G0201@23-24"),
        ("clock c := a ; b", "G0339@11-12"),
        ("clock d := a filter (1)\nclock c := d ; b", "G0339@35-36"),
        ("clock d := a filter 1\nclock c := d ; b", ""),
    ] {
        let found = check(rest);
        if found != expected {
            wrong.push(format!("{rest}: {found}, not {expected}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn instants_have_all_events_of_one_time() {
    assert_eq!(shown(&found("ccsl p (simultaneous sequence) { a < b }")), "G0337@5-6");
    assert_eq!(shown(&found("simultaneous sequence\nccsl p { a < b }")), "G0337@27-28");
    assert_eq!(shown(&found("simultaneous sequence\nccsl p (simultaneous merge) { a < b }")), "");
}

#[test]
fn words_are_quoted_by_an_edit() {
    assert_eq!(edited("ccsl p { on < b }"), "ccsl p { \"on\" < b }");
}
