// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mistakes in the mu-calculus, and what it can say but no trace can show. Places count from the beginning of the body.

use gnomon_core::diagnostic::Diagnostic;

use crate::{edited_inside, found, shown, shown_inside};

const OPENING: &str = "mu p { ";

fn check(body: &str) -> String {
    shown_inside(OPENING, body)
}

#[test]
fn what_cannot_be_monitored_is_refused_with_the_reason() {
    for (source, expected, reason) in [
        ("<a> true", "G0156@0-3", "not what could have"),
        ("[true* . a] <true* . b> true", "G0156@12-23", "not what could have"),
        ("mu X. <true>true && [!p]X", "G0156@0-4", "no finite trace can violate"),
        ("nu X. [true]X && [a]false", "G0156@0-4", "only sequences of events"),
        ("[a]false || [b]false", "G0156@9-11", "two different runs"),
        ("val(1 < 2) || [b]false", "G0156@11-13", "two different runs"),
        ("![a]false", "G0156@0-9", "not what could have"),
        ("exists x:Int. [a(x)]false", "G0156@0-6", "never shows that all others"),
        ("[a]false => [b]false", "G0156@0-8", "never shows that it holds"),
        ("[a] delay", "G0156@4-9", "how long a process may wait"),
        ("yaled@3", "G0156@0-5", "how long a process may wait"),
        ("[tau] false", "G0156@1-4", "hidden action"),
        ("[a|b] false", "G0156@2-3", "one after the other"),
        ("[a@3] false", "G0156@2-3", "absolute time"),
        ("forall x:Int. val(x * 2 > 3) => [a(x)]false", "G0158@20-21", "`+` and `-`"),
        ("val(max(1, 2) > 3)", "G0158@4-7", "`+` and `-`"),
        ("val(1 mod 2 = 3)", "G0158@6-9", "`+` and `-`"),
        ("val(exists n:Nat. n > 3)", "G0158@4-10", "`+` and `-`"),
        ("val([1] = 3)", "G0158@4-5", "`+` and `-`"),
        ("[a(1 / 2)] false", "G0158@5-6", "`+` and `-`"),
    ] {
        assert_eq!(check(source), expected, "{source}");
        let reported: Vec<Diagnostic> = found(&format!("{OPENING}{source} }}"));
        assert!(reported[0].primary.text.contains(reason), "{source}: {:?}", reported[0]);
        assert!(reported[0].help.is_some(), "{source}");
    }
}

#[test]
fn mistakes_in_formulae() {
    for (source, expected) in [
        ("", "G0109@1-1"),
        ("[a]", "G0101@4-4"),
        ("[a", "G0102@0-1"),
        ("[] false", "G0101@1-2"),
        ("[a b] false", "G0101@3-4"),
        ("[a . ] false", "G0101@5-6"),
        ("[a * b] false", "G0101@3-4"),
        ("[* a] false", "G0101@1-2"),
        ("[late-reply] false", "G0101@5-6"),
        ("[a - b] false", "G0101@3-4"),
        ("[a; b] false", "G0105@2-3"),
        ("[~a & b] ~true", "G0105@1-2 G0105@4-5 G0105@9-10"),
        ("[!(a + b)] false", "G0160@2-9"),
        ("[(a . b) || c] false", "G0160@1-8"),
        ("[a* && c] false", "G0160@1-3"),
        ("[(a*) && c] false", "G0160@1-5"),
        ("[nil || c] false", "G0160@1-4"),
        ("[exists x:Int. a(x)* . b] false", ""),
        ("[(a] false", "G0102@1-2"),
        ("[a)] false", "G0101@2-3"),
        ("[a] false)", "G0102@9-10"),
        ("([a] false", "G0102@0-1"),
        ("[a] false [b] false", "G0101@10-11"),
        ("[a] -> false", "G0101@4-6"),
        ("val(1 < 2) -> [a] false", "G0105@11-13"),
        ("[a] false & [b] false", "G0105@10-11"),
        ("a => b", "G0159@0-1 G0159@5-6"),
        ("push(1, (2)) && [b c] false", "G0159@0-4 G0101@19-20"),
        ("\"a\"", "G0159@0-3"),
        ("forall d:Int. (d != 3) => [a(d)] false", "G0159@15-21"),
        ("forall d:Int. d + 1 > 3 && d < 9 => [a(d)] false", "G0159@14-23 G0159@27-32"),
        ("1 < 2 < 3", "G0101@0-5"),
        ("5", "G0101@0-1"),
        ("forall x. [a(x)] false", "G0157@7-8"),
        ("forall x, y. [a(x)] false", "G0157@10-11"),
        ("forall x:Int [a(x)] false", "G0101@13-14"),
        ("forall x:Int: [a(x)] false", "G0105@12-13"),
        ("forall x:. [a(x)] false", "G0101@9-10"),
        ("forall :Int. [a(x)] false", "G0101@7-8"),
        ("forall x:List(Nat. [a(x)] false", "G0102@13-14"),
        ("forall true:Int. [a] false", "G0116@7-11"),
        ("forall val:Int. [a(val)] false", "G0116@7-10"),
        ("forall x:Int. [a] false", "G0311@7-8"),
        ("forall x:Int. [a[n = x]] false", "G0108@21-22"),
        ("val(1)", "G0101@4-5"),
        ("val(Open)", "G0101@4-8"),
        ("val(1 < 2 < 3)", "G0101@4-9"),
        ("val(1 < 2 3)", "G0101@10-11"),
        ("val(1 < (2 = 3))", "G0101@8-15"),
        ("val(1 < )", "G0101@8-9"),
        ("val(1 < 2", "G0102@3-4"),
        ("val(1 =< 2 & 3 < 4 | true)", "G0105@6-8 G0105@11-12 G0105@19-20"),
        ("val(!1)", "G0101@5-6"),
        ("[a(1, ] false", "G0101@6-7"),
        ("[a(1 2)] false", "G0101@5-6"),
        ("[a(x = 1)] false", "G0101@5-6"),
        ("[a(1 < 2 < 3)] false", "G0101@5-6"),
        ("[forall] false", "G0101@7-8"),
        ("[div] false", "G0101@1-4"),
        ("[a[x]] false", "G0101@4-5"),
        ("<a true", "G0156@0-1 G0101@3-7"),
        ("[a](mu X. [!b]X) && [c] fals", "G0156@4-8 G0159@24-28"),
    ] {
        assert_eq!(check(source), expected, "{source}");
    }
}

#[test]
fn edits_say_what_to_write() {
    for (source, expected) in [
        ("[a]", "[a] false"),
        ("[late-reply] false", "[\"late-reply\"] false"),
        ("[ns:reply] false", "[\"ns:reply\"] false"),
        ("[a; b] false", "[a. b] false"),
        ("forall x. [a(x)] false", "forall x:Any. [a(x)] false"),
        ("forall x:Int [a(x)] false", "forall x:Int. [a(x)] false"),
        ("val(1 < 2) -> [a] false", "val(1 < 2) => [a] false"),
        ("[div] false", "[\"div\"] false"),
        ("forall d:Int. (d != 3) => [a(d)] false", "forall d:Int. (val(d != 3)) => [a(d)] false"),
    ] {
        assert_eq!(edited_inside(OPENING, source), expected, "{source}");
    }
}

#[test]
fn a_fixpoint_on_a_line_of_its_own_begins_no_statement() {
    assert_eq!(shown(&found("mu p {\n  mu X. <true>true\n}\nmtl q { G a }")), "G0156@9-13");
}
