// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mistakes in rules.

use crate::{edited, found, shown};

#[test]
fn mistakes_in_rules() {
    for (source, expected) in [
        ("nomad p { P(start(a) | O[0,10]s b) }", "G0117@32-33"),
        ("nomad p { P(a | O[0,10]s !b) }", "G0117@12-13 G0117@26-27"),
        ("nomad p { P(start(a) | O[0,10]s (done(b) && O[0,5] done(c))) }", "G0118@44-50"),
        ("nomad p { P(start(a) | O[0,10] !(done(b) && done(c) || done(!d))) }", "G0119@31-32"),
        ("nomad p { P(!start(a) | O[0,10] done(b)) }", "G0119@12-13"),
        ("nomad p { P(start(!a) | O[0,10] done(b)) }", "G0119@12-21"),
        ("nomad p { P(start(a) && start(b) | O[0,10] done(c)) }", "G0121@21-23"),
        ("nomad p { P(start(a) | done(b)) }", "G0120@23-27"),
        ("nomad p { P(start(a) | O done(b)) }", "G0302@23-24"),
        ("nomad p { P(start(a) | O (done(b) && done(c))) }", "G0302@23-24"),
        ("nomad p { P(start(a) O[0,1] done(b)) }", "G0120@21-22"),
        ("nomad p { P(start(a) || O[0,1] done(b)) }", "G0105@21-23"),
        ("nomad p { P(start(a) -> O[0,1] done(b)) }", "G0105@21-23"),
        ("nomad p { P(start(a) | start(b) | O[0,1] done(b)) }", "G0105@21-22"),
        ("nomad p { start(a) | O[0,1] done(b) }", "G0120@10-15"),
        ("nomad p { start(a) | O[0,1] done(b) / {{a.id,b.id}} }", "G0120@10-15"),
        ("nomad p { (start(a) | O[0,1] done(b)) }", "G0120@10-11"),
        ("nomad p { G(start(a) | O[0,1] done(b)) }", "G0101@10-11"),
        ("nomad p { p(start(a) | o[0,1] done(b)) }", "G0105@10-11 G0105@23-24"),
        ("nomad p { P start(a) | O[0,1] done(b) }", "G0101@12-17"),
        ("nomad p { P(start(a) | O[0,1] done(b) }", "G0102@11-12"),
        ("nomad p { P(start(a) | O[0,1] done(b))) }", "G0102@38-39"),
        ("nomad p { P(start(a) | O(0,1) done(b)) }", "G0302@24-29"),
        ("nomad p { P(start(a) | O[-10,0] done(b)) }", "G0309@25-28"),
        ("nomad p { P(start(a) | O[inf,inf] done(b)) }", "G0320@23-33"),
        ("nomad p { P(start(a) | O[10] done(b)) }", "G0302@27-28"),
        ("nomad p { P(start(a) | O[10s,0]s done(b)) }", "G0302@31-32"),
        ("nomad p { P(start(a) | O[10,0]sec done(b)) }", "G0404@30-33"),
        ("nomad p { P(start(a) | O[0,5] s) }", "G0117@30-31"),
        ("nomad p { P(start(a) | O[0,10] done(a && !b)) }", "G0117@31-44"),
        ("nomad p { P(start(a) | O[0,10] done(a) done(b)) }", "G0101@39-43"),
        (
            "nomad p { P(start(a) | O[0,10] done(a) and not done(b) or done(c) & done(d) | done(e)) }",
            "G0105@39-42 G0105@43-46 G0105@55-57 G0105@66-67 G0105@76-77",
        ),
        ("nomad p { P(begin(a) | O[0,10] finished(b)) }", "G0117@12-17 G0117@31-39"),
        ("nomad p { P(start(a) | O[0,10] !done(!b)) }", "G0119@31-40"),
        ("nomad p { P(start(a) | O[0,10] !!done(b)) }", "G0119@31-33"),
        ("nomad p { P(start(a(x)) | O[0,10] done(b[x = y])) }", "G0306@20-21 G0108@45-46"),
        ("nomad p { P(start(a) | O[0,10] done(b)) / {{a.id, b.id, a.x}} }", "G0321@56-59"),
        ("nomad p { P(start(a) | O[0,10] done(b)) / {{a.id}} }", "G0322@43-49"),
        ("nomad p { P(start(a) | O[0,10] done(b)) / {{a, b.id}} }", "G0122@44-45"),
        ("nomad p { P(start(a) | O[0,10] done(b)) / {} }", "G0122@42-44"),
        ("nomad p { P(start(a) | O[0,10] done(b)) / {{}} }", "G0122@42-46"),
        ("nomad p { P(start(a) | O[0,10] done(b)) / {a.id = b.id} }", "G0105@48-49"),
        ("nomad p { P(start(a) | O[0,10] done(b)) {{a.id, b.id}} }", "G0101@40-41"),
        ("nomad p { P(start(a) | O[0,10] done(b)) / a.id, b.id }", "G0101@42-46"),
        ("nomad p { P(start(a) | O[0,10] done(b)) / {{q.b.id, b.x}} }", "G0122@44-50"),
        ("nomad p { P(start(a) | O[0,10] done(loginRes)) / {{a.id, loginRse.id}} }", "G0203@57-68 G0322@50-69"),
        ("nomad p { P(start(a) | O[0,10] done(b)) P(start(b) | O[0,1] done(a)) }", "G0101@40-41"),
        ("nomad p { P() }", "G0101@12-13"),
        ("nomad p { P(|) }", "G0101@12-13 G0120@13-14"),
        ("nomad p { P(start() | O[0,1] done(b)) }", "G0101@18-19"),
        ("nomad p { P(start(a) | O[0,1]) }", "G0101@29-30"),
        ("nomad p { P(start(a) }", "G0120@21-22"),
        ("nomad p { P(start(a) | }", "G0120@23-24"),
        ("nomad p { P(start(a) | F[0,10] done(b)) }", "G0105@23-24"),
        ("nomad p (matching al) { P(start(a) | O[0,1] done(b)) }", "G0207@18-20"),
        ("nomad p (matching) { P(start(a) | O[0,1] done(b)) }", "G0101@17-18"),
        (
            "nomad p (strictend, matching any, matching paired) { P(start(a) | O[0,1] done(b)) }",
            "G0206@9-18 G0208@34-49",
        ),
        ("nomad p (simultaneous merge) { P(start(a) | O[0,1] done(b)) }", "G0206@9-21"),
        ("nomad p { }", "G0109@10-11"),
        (r#"nomad p { P(start(a[x = "1"]) | O[0,1] done(b[x > 1, y = 2])) }"#, "G0101@51-52"),
        ("nomad p { P(start(a), start(b) | O[0,1] done(b)) }", "G0105@20-21"),
        ("nomad p { P(start(a, b) | O[0,1] done(b)) }", "G0117@12-23"),
        ("nomad p { forall x. P(start(a) | O[0,1] done(b)) }", "G0101@10-16"),
        ("nomad p { P(start(a) | O[0,1] true) }", "G0117@30-34"),
        ("nomad p { P(start(a) | [0,1] done(b)) }", "G0120@23-24"),
        ("nomad p { P(start(a) | O[0..10] done(b)) }", "G0302@26-27"),
    ] {
        assert_eq!(shown(&found(source)), expected, "{source}");
    }
}

#[test]
fn edits_say_what_to_write() {
    for (source, expected) in [
        ("nomad p { P(start(a) | O[0,10]s b) }", "nomad p { P(start(a) | O[0,10]s done(b)) }"),
        ("nomad p { P(a | O[0,10]s !b) }", "nomad p { P(start(a) | O[0,10]s done(!b)) }"),
        (
            "nomad p { P(start(a) | O[0,10] !(done(b) && done(c) || done(!d))) }",
            "nomad p { P(start(a) | O[0,10] (done(!b) || done(!c)) && done(d)) }",
        ),
        ("nomad p { P(!start(a) | O[0,10] done(b)) }", "nomad p { P(start(a) | O[0,10] done(b)) }"),
        ("nomad p { P(start(!a) | O[0,10] done(b)) }", "nomad p { P(start(a) | O[0,10] done(b)) }"),
        (
            "nomad p { P(start(a) && start(b) | O[0,10] done(c)) }",
            "nomad p { P(start(a) || start(b) | O[0,10] done(c)) }",
        ),
        ("nomad p { P(start(a) | done(b)) }", "nomad p { P(start(a) | O[0,inf] done(b)) }"),
        ("nomad p { P(start(a) | O done(b)) }", "nomad p { P(start(a) | O[0,inf] done(b)) }"),
        ("nomad p { P(start(a) | O (done(b) && done(c))) }", "nomad p { P(start(a) | O[0,inf] (done(b) && done(c))) }"),
        ("nomad p { P(start(a) O[0,1] done(b)) }", "nomad p { P(start(a) | O[0,1] done(b)) }"),
        ("nomad p { P(start(a) || O[0,1] done(b)) }", "nomad p { P(start(a) | O[0,1] done(b)) }"),
        ("nomad p { P(start(a) -> O[0,1] done(b)) }", "nomad p { P(start(a) | O[0,1] done(b)) }"),
        ("nomad p { P(start(a) | start(b) | O[0,1] done(b)) }", "nomad p { P(start(a) || start(b) | O[0,1] done(b)) }"),
        ("nomad p { start(a) | O[0,1] done(b) }", "nomad p { P(start(a) | O[0,1] done(b)) }"),
        (
            "nomad p { start(a) | O[0,1] done(b) / {{a.id,b.id}} }",
            "nomad p { P(start(a) | O[0,1] done(b)) / {{a.id,b.id}} }",
        ),
        ("nomad p { (start(a) | O[0,1] done(b)) }", "nomad p { P(start(a) | O[0,1] done(b)) }"),
        ("nomad p { p(start(a) | o[0,1] done(b)) }", "nomad p { P(start(a) | O[0,1] done(b)) }"),
        ("nomad p { P start(a) | O[0,1] done(b) }", "nomad p { P (start(a) | O[0,1] done(b)) }"),
        ("nomad p { P(start(a) | O[0,1] done(b))) }", "nomad p { P(start(a) | O[0,1] done(b)) }"),
        ("nomad p { P(start(a) | O(0,1) done(b)) }", "nomad p { P(start(a) | O[0,1] done(b)) }"),
        ("nomad p { P(start(a) | O[-10,0] done(b)) }", "nomad p { P(start(a) | O[10,0] done(b)) }"),
        ("nomad p { P(start(a) | O[10s,0]s done(b)) }", "nomad p { P(start(a) | O[10s,0] done(b)) }"),
        ("nomad p { P(start(a) | O[10,0]sec done(b)) }", "nomad p { P(start(a) | O[10,0]s done(b)) }"),
        ("nomad p { P(start(a) | O[0,5] s) }", "nomad p { P(start(a) | O[0,5] done(s)) }"),
        ("nomad p { P(start(a) | O[0,10] done(a && !b)) }", "nomad p { P(start(a) | O[0,10] (done(a) && done(!b))) }"),
        ("nomad p { P(start(a) | O[0,10] done(a) done(b)) }", "nomad p { P(start(a) | O[0,10] done(a) && done(b)) }"),
        (
            "nomad p { P(start(a) | O[0,10] done(a) and not done(b) or done(c) & done(d) | done(e)) }",
            "nomad p { P(start(a) | O[0,10] done(a) && ! done(b) || done(c) && done(d) || done(e)) }",
        ),
        ("nomad p { P(begin(a) | O[0,10] finished(b)) }", "nomad p { P(start(a) | O[0,10] done(b)) }"),
        ("nomad p { P(start(a) | O[0,10] !done(!b)) }", "nomad p { P(start(a) | O[0,10] done(b)) }"),
        ("nomad p { P(start(a) | O[0,10] !!done(b)) }", "nomad p { P(start(a) | O[0,10] done(b)) }"),
        (
            "nomad p { P(start(a(x)) | O[0,10] done(b[x = y])) }",
            r#"nomad p { P(start(a("x")) | O[0,10] done(b[x = "y"])) }"#,
        ),
        ("nomad p { P(start(a) | O[0,10] done(b)) / {} }", "nomad p { P(start(a) | O[0,10] done(b))  }"),
        ("nomad p { P(start(a) | O[0,10] done(b)) / {{}} }", "nomad p { P(start(a) | O[0,10] done(b))  }"),
        (
            "nomad p { P(start(a) | O[0,10] done(b)) / {a.id = b.id} }",
            "nomad p { P(start(a) | O[0,10] done(b)) / {a.id , b.id} }",
        ),
        (
            "nomad p { P(start(a) | O[0,10] done(b)) {{a.id, b.id}} }",
            "nomad p { P(start(a) | O[0,10] done(b)) / {{a.id, b.id}} }",
        ),
        (
            "nomad p { P(start(a) | O[0,10] done(loginRes)) / {{a.id, loginRse.id}} }",
            "nomad p { P(start(a) | O[0,10] done(loginRes)) / {{a.id, loginRes.id}} }",
        ),
        ("nomad p { P(start(a) | F[0,10] done(b)) }", "nomad p { P(start(a) | O[0,10] done(b)) }"),
        (
            "nomad p (strictend, matching any, matching paired) { P(start(a) | O[0,1] done(b)) }",
            "nomad p (strict-end, matching any, ) { P(start(a) | O[0,1] done(b)) }",
        ),
        (
            r#"nomad p { P(start(a[x = "1"]) | O[0,1] done(b[x > 1, y = 2])) }"#,
            r#"nomad p { P(start(a[x = "1"]) | O[0,1] done(b[x > 1 && y = 2])) }"#,
        ),
        ("nomad p { P(start(a), start(b) | O[0,1] done(b)) }", "nomad p { P(start(a) || start(b) | O[0,1] done(b)) }"),
        ("nomad p { P(start(a, b) | O[0,1] done(b)) }", "nomad p { P((start(a) || start(b)) | O[0,1] done(b)) }"),
        ("nomad p { P(start(a) | O[0,1] true) }", "nomad p { P(start(a) | O[0,1] done(true)) }"),
        ("nomad p { P(start(a) | [0,1] done(b)) }", "nomad p { P(start(a) | O[0,1] done(b)) }"),
    ] {
        assert_eq!(edited(source), expected, "{source}");
        assert_eq!(found(expected), [], "{expected}");
    }
}
