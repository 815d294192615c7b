// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mistakes in MTL. Places count from the beginning of the body.

use crate::{edited_inside, shown_inside};

const OPENING: &str = "mtl p { ";

fn check(body: &str) -> String {
    shown_inside(OPENING, body)
}

#[test]
fn mistakes_in_the_prefix() {
    for (source, expected) in [
        ("forall x G p(x)", "G0101@9-10"),
        ("forall x y. p(x, y)", "G0101@9-10"),
        ("forall x in Users. G p(x)", "G0101@9-11"),
        ("forall x in Users.G p(x)", "G0101@9-11"),
        ("forall x ∈ {1, 2}. p(x)", "G0101@9-12"),
        ("forall x: G p(x)", "G0105@8-9"),
        ("forall x:G(p(x))", "G0105@8-9"),
        ("forall x:Int. p(x)", "G0116@7-12"),
        ("forall x | p(x)", "G0105@9-10"),
        ("forall (x, y). p(x, y)", "G0101@7-13"),
        ("forall 95% x. p(x)", "G0101@7-9"),
        ("forall >= x. p(x)", "G0101@10-11"),
        ("forall >= 95% . p", "G0101@14-15"),
        ("forall >= -3 x. p(x)", "G0101@10-11"),
        ("forall >= 3 x, y. p(x, y)", "G0315@12-16"),
        ("exists != 3 x. p(x)", "G0310@7-9"),
        ("forall . p", "G0101@7-8"),
        ("forall x,. p(x)", "G0101@9-10"),
        ("forall x exists y. p(x, y)", "G0101@9-15"),
        ("Forall x. EXISTS y. p(x, y)", "G0105@0-6 G0105@10-16"),
        ("forall a-b. p(a)", "G0116@7-10"),
        ("forall x.y. p(x)", "G0101@10-11 G0311@7-8"),
        ("forall true. p", "G0116@7-11"),
        ("forall x", "G0101@9-10"),
        ("forall x.", "G0109@10-11"),
        ("forall x. forall x. p(x)", "G0201@17-18"),
        ("forall x. p", "G0311@7-8"),
        ("forall x. p[x = 1]", "G0311@7-8"),
        ("G(forall x. p(x))", "G0314@2-8"),
        ("a && ∃x.p(x) & b", "G0314@5-8 G0105@15-16"),
        ("p(x)", "G0306@2-3"),
        ("forall x. p(y)", "G0306@12-13 G0311@7-8"),
        ("forall x. p(x)[y = x]", "G0108@19-20"),
        ("forall x. p(x.y)", "G0116@12-15"),
        ("forall x. G(Q(x) -> P(x))", "G0209@20-21"),
        ("forall x, y. G(a(x, y) -> F(x, y))", "G0209@26-27"),
        ("forall x. G(a(x) -> F x)", "G0209@22-23"),
        ("forall x. G(a(x) -> b U (x))", "G0209@25-26"),
        ("forall x. count[5](x) < 3 && a(x)", "G0209@19-20"),
        ("forall x. G(a(x) -> \"x\" && x(x))", ""),
        ("forall x. exists p(x)", "G0101@18-19 G0209@19-20"),
    ] {
        assert_eq!(check(source), expected, "{source}");
    }
}

#[test]
fn mistakes_in_formulae() {
    for (source, expected) in [
        ("AG (a => b)", "G0105@0-2 G0105@6-8"),
        ("G[0 10] a", "G0302@4-6"),
        ("[](a -> <>b)", "G0105@0-2 G0105@8-10"),
        ("a and not b or c implies d", "G0105@2-5 G0105@6-9 G0105@12-14 G0105@17-24"),
        ("a W", "G0101@4-5"),
        ("W a", "G0107@0-1"),
        ("until b", "G0107@0-5"),
        ("always", ""),
        ("a until", "G0101@8-9"),
        ("next U", "G0101@7-8"),
        ("a R[5] b", "G0302@5-6"),
        ("globally a", "G0105@0-8"),
        ("C^{600}_{<=3}(a) & b", "G0105@0-1 G0105@17-18"),
        ("count[10](a)", "G0307@0-5"),
        ("sum[10](a) <= 3", "G0307@0-3"),
        ("sum[10](a.x)", "G0307@0-3"),
        ("sum[10](a.x && b) < 3 & c", "G0101@12-14 G0105@22-23"),
        ("sum[10]() < 3", "G0101@8-9"),
        ("sum[10](5) < 3", "G0101@8-9"),
        ("sum[10] a.x < 3", "G0101@8-11"),
        ("sum[10,5](a.x) < 3", "G0307@0-3"),
        ("sum(a.x) < 3", "G0307@0-3"),
        ("p95(a.x) < 3", "G0307@0-3"),
        ("rate(a) < 3", "G0307@0-4"),
        ("p95[10](a) < 3", "G0307@0-3"),
        ("distinct[10,5](a.x) < 3", "G0307@0-8"),
        ("distinct[10](a.x) < -3", "G0309@20-22"),
        ("p95[10](a.x) < -3 && p99.999999999[9](a.x) > 1 && p100[9](a.x) = 1", ""),
        ("p0[10](a.x) < 3", "G0325@0-2"),
        ("p100.1[10](a.x) < 3", "G0325@0-6"),
        ("p99.9999999999[10](a.x) < 3", "G0325@0-14"),
        ("rate[0s](a) < 3", "G0323@0-15"),
        ("rate[5](a) < 3", "G0324@0-14"),
        ("p95[10](a.x) < 3s", "G0305@0-17"),
        ("p95^{10}_{<3}(a.x)", "G0105@0-3"),
        ("median[10](a.x) < 3", "G0133@0-6"),
        ("p95[x > 3] && rate && p95 && distinct[x = 1]", ""),
        ("sum[10](a.x) != 3", "G0310@13-15"),
        ("sum[10](a.x/) < 3", "G0101@12-13"),
        ("sum[10](a().) < 3", "G0101@12-13"),
        ("sum[10](a.x < 3", "G0102@7-8"),
        ("count[10](a) < -3", "G0309@15-17"),
        ("count[10](a, b) < 3", "G0307@9-15"),
        ("avg[10](a.x) < 3s", "G0305@0-17"),
        ("F[5,2] a", "G0301@1-6"),
        ("G^2 a", "G0308@1-3"),
        ("∪ a", "G0110@0-3"),
        ("a ∈ b", "G0110@2-5"),
        ("p(a-b)", "G0116@2-5"),
        ("a(x", "G0102@1-2"),
        ("a(x + 1)", "G0148@4-5"),
        ("a(1, 2 * 3) & b", "G0148@7-8 G0105@12-13"),
        ("always(\"b\")", "G0149@0-6"),
    ] {
        assert_eq!(check(source), expected, "{source}");
    }
}

#[test]
fn edits_say_what_to_write() {
    for (source, expected) in [
        ("forall x G p(x)", "forall x. G p(x)"),
        ("forall x y. G p(x, y)", "forall x, y. G p(x, y)"),
        ("forall x in Users. G p(x)", "forall x. G p(x)"),
        ("forall x: G p(x)", "forall x. G p(x)"),
        ("forall x:Int. G p(x)", "forall x. G p(x)"),
        ("forall (x, y). p(x, y)", "forall x, y. p(x, y)"),
        ("forall 95% x. p(x)", "forall >= 95% x. p(x)"),
        ("Forall x. p(x)", "forall x. p(x)"),
        ("forall a-b. p", "forall a_b. p"),
        ("AG (a => b)", "G (a -> b)"),
        ("[](a -> <> b)", "G(a -> F b)"),
        ("a and not b", "a && ! b"),
        ("globally a", "G a"),
        ("pay(ann)", "pay(\"ann\")"),
        ("until b", "\"until\" b"),
    ] {
        assert_eq!(edited_inside(OPENING, source), expected, "{source}");
    }
}
