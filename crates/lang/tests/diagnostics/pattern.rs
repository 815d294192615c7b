// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mistakes in patterns. Places count from the beginning of the body.

use crate::{edited_inside, found, shown, shown_inside};

const OPENING: &str = "pattern p { ";

fn check(body: &str) -> String {
    shown_inside(OPENING, body)
}

#[test]
fn mistakes_in_scopes() {
    for (source, expected) in [
        ("", "G0109@1-2"),
        ("absence of p", "G0139@0-7"),
        ("p responds to q", "G0139@0-1"),
        ("5", "G0139@0-1"),
        ("globally", "G0101@9-10"),
        ("globally:", "G0101@10-11"),
        ("globaly: absence of p", "G0140@0-7"),
        ("foo: absence of p", "G0140@0-3"),
        ("foo: absence of p within 3", "G0140@0-3 G0142@18-26"),
        (": absence of p", "G0140@0-1"),
        ("always: absence of p", "G0105@0-6"),
        ("globally, absence of p", "G0105@8-9"),
        ("globally absence of p", "G0101@9-16"),
        ("after q absence of p", "G0101@8-15"),
        ("before: absence of p", "G0101@6-7"),
        ("until until: absence of p", "G0101@6-11"),
        ("after q until: absence of p", "G0101@13-14"),
        ("after q before r: absence of p", "G0140@0-14"),
        ("after last q before r: absense of p", "G0140@0-19 G0141@23-30"),
        ("between q, r: absence of p", "G0105@9-10"),
        ("between q until r: absence of p", "G0105@10-15"),
        ("between q: absence of p", "G0101@9-10"),
        ("between q and: absence of p", "G0101@13-14"),
        ("after q(x): absence of p", "G0306@8-9"),
        ("after q(1: absence of p", "G0101@9-10"),
        ("after q[x]: absence of p", "G0101@9-10"),
    ] {
        assert_eq!(check(source), expected, "{source}");
    }
}

#[test]
fn mistakes_in_the_prefix() {
    for (source, expected) in [
        ("for every x globally: absence of p(x)", "G0101@12-20"),
        ("for every x and y: globally: absence of p(x, y)", "G0105@12-15"),
        ("forall x. globally: absence of p(x)", "G0105@0-6 G0105@8-9"),
        ("forall x.globally: absence of p(x)", "G0105@0-6 G0105@8-9"),
        ("for every : globally: absence of p", "G0101@10-11"),
        ("for every a-b: globally: absence of p", "G0116@10-13"),
        ("for every x: for every x: globally: absence of p(x)", "G0201@23-24"),
        ("for every x: globally: absence of p", "G0311@10-11"),
        ("for every x: globally: absence of p(y)", "G0306@36-37"),
        ("globally: absence of p(x, JobPath)", "G0306@23-24 G0306@26-33"),
        ("for every x: globally: absence of p[a = x]", "G0108@40-41"),
        ("for every x: absence of p(x)", "G0139@13-20"),
    ] {
        assert_eq!(check(source), expected, "{source}");
    }
}

#[test]
fn mistakes_in_behaviours() {
    for (source, expected) in [
        ("absense of p", "G0141@0-7"),
        ("foo of p", "G0141@0-3"),
        ("absence p", "G0141@8-9"),
        ("p", "G0141@2-3"),
        ("p q", "G0141@2-3"),
        ("p occurs", "G0141@2-8"),
        ("p preceeds q", "G0141@2-10"),
        ("p leads to q", "G0141@2-7"),
        ("p precedes", "G0101@11-12"),
        ("precedes q", "G0101@0-8"),
        ("p, precedes q", "G0101@3-11"),
        ("p and q precede r", "G0105@2-5"),
        ("p then q precede r", "G0105@2-6"),
        ("p responds q", "G0101@11-12"),
        ("p, q exist", "G0141@3-4"),
        ("p recurs", "G0142@2-8"),
        ("p recurs within 10s", "G0105@9-15"),
        ("p recurs every [1,2]", "G0142@9-20"),
        ("at most p", "G0101@8-9"),
        ("at most two p", "G0105@8-11"),
        ("at most 2 times p", "G0101@10-15"),
        ("at most 2 occurrences of p in 10s", "G0101@10-24"),
        ("at most 2 times in 10s", ""),
        ("at most 2.5 p", "G0146@8-11"),
        ("at least 99999999999999999999 p", "G0146@9-29"),
        ("exactly -1 p", "G0101@8-9"),
        ("at most 2 p in [1,2]", "G0142@12-20"),
        ("at most 2 p within 10s", "G0105@12-18"),
        ("at least 2 p in 10s", "G0142@13-19"),
        ("exactly 2 p within 10s", "G0142@12-22"),
        ("absence of p within 10s", "G0142@13-23"),
        ("universality of p(1) within 10s", "G0142@21-31"),
        ("only p, q within 10s", "G0142@10-20"),
        ("only", "G0141@5-6"),
        ("p responds to q in 10s", "G0105@16-18"),
        ("p responds to q within", "G0101@23-24"),
        ("p responds to q within -3", "G0309@23-25"),
        ("p responds to q within 10sec", "G0404@25-28"),
        ("p responds to q within [10s]", "G0302@27-28"),
        ("p responds to q within [5,2]", "G0301@23-28"),
        ("p responds to q within 3 within 4", "G0101@25-31"),
        ("p responds to q within 10s r", "G0101@27-28"),
        ("p responds to q within 10s, r", "G0101@30-31"),
        ("p responds to q without r", "G0101@16-23"),
        ("p precedes q, q required", "G0143@14-15"),
        ("p(1) precedes q, p required", "G0143@17-18"),
        ("p responds to q, p required", "G0143@17-18"),
        ("p precedes q, required", "G0143@14-22"),
        ("p precedes q within 3, required", "G0143@23-31"),
        ("p, q precede r, p required", "G0144@16-26"),
        ("p responds to q, r, q required", "G0144@20-30"),
        ("absence of p, p required", "G0147@14-24"),
        ("p, q required", "G0141@3-13"),
        ("only p, q, p required", "G0147@11-21"),
        ("p without z responds to q", "G0145@2-11"),
        ("p, t without z precede q", "G0145@5-14"),
        ("p, t without respond to q", "G0101@13-20"),
        ("p( responds to q", "G0101@12-14"),
        ("p responds to q)", "G0102@15-16"),
        ("p responds to q & r", "G0101@16-17"),
    ] {
        assert_eq!(shown_inside(&format!("{OPENING}globally: "), source), expected, "{source}");
    }
}

#[test]
fn edits_say_what_to_write() {
    for (source, expected) in [
        ("absence of p", "globally: absence of p"),
        ("globaly: absence of p", "globally: absence of p"),
        ("always: absence of p", "globally: absence of p"),
        ("globally absence of p", "globally: absence of p"),
        ("between q, r: absence of p", "between q and r: absence of p"),
        ("forall x. globally: absence of p(x)", "for every x: globally: absence of p(x)"),
        ("for every x globally: absence of p(x)", "for every x: globally: absence of p(x)"),
        ("globally: absence of p(JobPath)", "globally: absence of p(\"JobPath\")"),
        ("globally: p responds q", "globally: p responds to q"),
        ("globally: p leads to q", "globally: q responds to p"),
        ("globally: p occurs", "globally: p exists"),
        ("globally: p and q precede r", "globally: p , q precede r"),
        ("globally: at most 2 p within 10s", "globally: at most 2 p in 10s"),
        ("globally: at most two p", "globally: at most 2 p"),
        ("globally: at most 2 times p", "globally: at most 2 p"),
        ("globally: at most 2 occurrences of p", "globally: at most 2 p"),
        ("globally: p responds to q, p required", "globally: p responds to q, q required"),
        ("globally: p recurs", "globally: p recurs every 10"),
        ("globally: p, precedes q", "globally: p, \"precedes\" q"),
    ] {
        assert_eq!(edited_inside(OPENING, source), expected, "{source}");
    }
}

#[test]
fn options_of_other_languages_are_refused() {
    assert_eq!(shown(&found("pattern p (simultaneous merge) { globally: absence of p }")), "G0206@11-23");
    assert_eq!(shown(&found("pattern p (critical, severity low) { globally: absence of p }")), "");
    assert_eq!(shown(&found("pattern(p) { globally: absence of p }")), "G0101@0-7 G0206@8-9");
}
