// SPDX-License-Identifier: MIT OR Apache-2.0
//! Diagnostics with their exact positions, and no others: one row per mistake that people make.

mod albert;
mod ccsl;
mod mop;
mod mtl;
mod mu;
mod nomad;
mod pattern;
mod qea;
mod rules;
mod unknown_names;

use gnomon_core::diagnostic::Diagnostic;
use gnomon_ir::check::check;
use gnomon_lang::{parse, parse_formula};

/// Codes and places, in the order of the source: `G0105@2-3`.
fn shown(diagnostics: &[Diagnostic]) -> String {
    let place = |found: &Diagnostic| format!("{}@{}-{}", found.code, found.primary.span.start, found.primary.span.end);
    diagnostics.iter().map(place).collect::<Vec<_>>().join(" ")
}

/// All that is found in a file by parsing and checking it.
fn found(source: &str) -> Vec<Diagnostic> {
    let (spec, mut diagnostics) = parse(source);
    for property in &spec.properties {
        diagnostics.extend(check(&spec, property).1);
    }
    diagnostics
}

/// The file after all suggested edits.
fn edited(source: &str) -> String {
    let mut text = source.to_owned();
    let mut edits: Vec<_> = found(source).into_iter().filter_map(|found| found.help?.edit).collect();
    edits.sort_by_key(|(span, _)| span.start);
    for (span, replacement) in edits.into_iter().rev() {
        text.replace_range(span.start as usize..span.end as usize, &replacement);
    }
    text
}

/// Returns the diagnostics about the body of a block. Positions count from the beginning of the body.
fn shown_inside(opening: &str, body: &str) -> String {
    let mut diagnostics = found(&format!("{opening}{body} }}"));
    for diagnostic in &mut diagnostics {
        let span = &mut diagnostic.primary.span;
        (span.start, span.end) = (span.start - opening.len() as u32, span.end - opening.len() as u32);
    }
    shown(&diagnostics)
}

/// The body of a block after all suggested edits.
fn edited_inside(opening: &str, body: &str) -> String {
    let whole = edited(&format!("{opening}{body} }}"));
    let inside = whole.strip_prefix(opening).and_then(|rest| rest.strip_suffix(" }"));
    inside.unwrap_or_else(|| panic!("{whole}")).to_owned()
}

#[test]
fn mistakes_in_formulae() {
    for (source, expected) in [
        (
            "a & b | c => d and not e or always(x -> y) until z == w <=> v",
            "G0105@2-3 G0105@6-7 G0105@10-12 G0105@15-18 G0105@19-22 G0105@25-27 G0105@28-34 G0105@43-48 G0105@51-53 G0105@56-59",
        ),
        (
            "not(a) && always(a) && ~b && g(a -> b) && g(a) && next(1)",
            "G0105@0-3 G0105@10-16 G0105@23-24 G0105@29-30 G0306@44-45",
        ),
        ("a b", "G0106@2-3"),
        ("(a)Sb", "G0106@3-5"),
        ("G", "G0107@0-1"),
        ("G && a", "G0107@0-1"),
        ("G -> b", "G0107@0-1"),
        ("a && (G)", "G0107@6-7"),
        ("C(a)", "G0107@0-1"),
        ("M^{10}_{<3}(a)", "G0307@0-1"),
        ("C^{10,5}_{<3}(a)", "G0307@0-1"),
        ("D^{10}_{<3}(a)", "G0307@11-14"),
        ("C^{10}_{<3}(a, b)", "G0307@11-17"),
        ("C^{10}(a) <= 3 && b", "G0307@10-14"),
        ("C^{10}(a)", "G0307@0-1"),
        ("C_{<=3}(a)", "G0307@0-1"),
        ("count[10](a)", "G0307@0-5"),
        ("G(a -> (b && c)", "G0102@1-2"),
        ("((((", "G0101@4-4"),
        ("a)) && b", "G0102@1-2 G0102@2-3"),
        ("G[](a)", "G0302@1-3"),
        ("G[5](a)", "G0302@3-4"),
        ("G[5,](a)", "G0302@4-5"),
        ("G[,5](a)", "G0302@2-3"),
        ("G[0 5](a)", "G0302@4-5"),
        ("G(5)(a)", "G0302@3-4"),
        ("G[0,5 a", "G0102@1-2"),
        ("G[-1,5] a", "G0309@2-4"),
        ("G[inf,5] a", "G0302@2-5"),
        ("X^1001 a && X^0 b && G^2 c && X^1.5 d && Y^3 e && X^ f", "G0308@1-6 G0308@22-24 G0308@31-35 G0101@53-54"),
        ("C^{600_{<=3}(a)", "G0102@2-3"),
        ("C^{600}_{<=3(a)", "G0102@8-9"),
        ("C^{600}_{<=}(a)", "G0101@11-12"),
        ("C^{600}_{!=3}(a)", "G0310@9-11"),
        ("C^{600}_{3}(a)", "G0101@9-10"),
        (
            "a[x = start] && b[5 < x] && c[x => 3] && d[x =< 3] && e[x 3] && f[x > 3",
            "G0108@6-11 G0101@18-19 G0105@32-34 G0105@45-47 G0101@58-59 G0102@65-66",
        ),
        ("a = 5", "G0101@2-3"),
        ("a == b", "G0105@2-4"),
        ("a != b", "G0101@2-4"),
        ("pay(ann)", "G0306@4-7"),
        ("a[x and y]", "G0101@4-7"),
        ("a && && b", "G0101@5-7"),
        ("5", "G0101@0-1"),
        ("-> a", "G0101@0-2"),
        ("a;", "G0101@1-2"),
        ("'x' && b", "G0110@0-1"),
        (r#"a[x = "open] && b"#, "G0103@6-7"),
        (
            "G[0,10min] a && G[0,10 sec] b && G[0,99999999999999999999] c && G[0,0.0000000001] d",
            "G0404@6-9 G0404@23-26 G0403@37-57 G0402@68-80",
        ),
        ("P(1,2)", "G0101@6-6"),
        ("G[x > 1]", "G0107@0-1"),
        ("a(b && c)", "G0106@1-2"),
        ("a (b && c)", "G0106@2-3"),
        ("S && a", "G0107@0-1"),
        ("a S", "G0101@3-3"),
        ("_ && a", "G0107@0-1"),
        (r#""a\qb" && "\u0041\u{1F600}""#, "G0104@2-4"),
        ("a[x=1, y=2]", "G0101@5-6"),
        ("G_{5} a", "G0302@1-2"),
        ("a S_I b", "G0106@2-5"),
        ("{a}", "G0101@0-1"),
        ("G(a -> b))", "G0102@9-10"),
        ("a && (b || c", "G0102@5-6"),
        ("a <- b", "G0101@2-3"),
        ("a -> -> b", "G0101@5-7"),
        ("G[0,5](a && b", "G0102@6-7"),
        ("count[600](a, b) <= 3", "G0307@10-16"),
        ("gap[900](a) <= 3", "G0307@8-11"),
        ("max[60](a) < 3", "G0307@0-3"),
        ("count[](a) < 3", "G0101@6-7"),
        ("count[5,](a) < 3", "G0101@8-9"),
        ("count[5(a) < 3", "G0102@5-6"),
        ("C^{}_{<3}(a)", "G0101@3-4"),
        ("C^_{<3}(a)", "G0101@2-3"),
        ("C^{5}_{<3} a", "G0101@11-12"),
        ("C^{5}_{<3}()", "G0101@11-12"),
        ("D^{5}_{<3}{(a b)}", "G0106@14-15"),
        ("a U[0,5) (b", "G0102@9-10"),
        ("a S[5,2,3] b", "G0102@3-4"),
        ("G[0;5] a", "G0302@3-4"),
        ("X^{} a", "G0101@3-4"),
        ("X^{2 a", "G0102@2-3"),
        ("X_{[0,5} a", "G0102@3-4"),
        (r#""a"#, "G0103@0-1"),
        (r#""a" "b""#, "G0106@4-7"),
        ("a.", "G0101@1-2"),
        ("a,b", "G0101@1-2"),
        ("(a,b)", "G0101@2-3"),
        ("a andb", "G0106@2-6"),
        ("AND a", "G0106@4-5"),
        ("U a", "G0107@0-1"),
        ("U^{5}_{<3}(a)", "G0307@0-1"),
        ("M(a) < 3", "G0107@0-1"),
        ("D(a, b)", "G0107@0-1"),
        ("P && Q", "G0107@0-1"),
        ("a[", "G0101@2-2"),
        ("a[]", "G0101@2-3"),
        ("a[x]", "G0101@3-4"),
        ("a[x =]", "G0101@5-6"),
        ("a[= 3]", "G0101@2-3"),
        ("a[x = 1 y = 2]", "G0102@1-2"),
        ("a[x/ = 1]", "G0101@5-6"),
        ("a[x = 1 && ]", "G0101@11-12"),
        ("a[(x = 1]", "G0102@2-3"),
        ("a[x = 1e999]", "G0403@6-11"),
        ("p50[5](a.x) < 100000000000000000000000000001", "G0403@14-44"),
        ("C^{5}_{<9223372036854775808}(a)", "G0403@8-27"),
        ("a(1, 2", "G0102@1-2"),
        ("a(1,)", "G0101@4-5"),
        ("a(,)", "G0101@2-3"),
        ("a(1 2)", "G0101@4-5"),
        ("a(x, _, y)", "G0306@2-3 G0306@8-9"),
        ("G[0,1.5.2] a", "G0102@1-2"),
        ("F=-5 a", "G0309@2-4"),
        ("F= a", "G0101@3-4"),
        ("F=inf a", "G0101@2-5"),
        ("G[0,10parsecs] a", "G0404@6-13"),
        ("G(0,5)", "G0101@6-6"),
        ("always [0,5] a", "G0105@0-6"),
        ("eventually a", "G0105@0-10"),
        ("a implies b iff c", "G0105@2-9 G0105@12-15"),
        ("a since b", "G0105@2-7"),
        ("𝒞(a)", "G0107@0-4"),
        ("a ∪ b", "G0110@2-5"),
        ("□a", "G0110@0-3"),
    ] {
        assert_eq!(shown(&parse_formula(source).1), expected, "{source}");
    }
}

#[test]
fn mistakes_in_files() {
    for (source, expected) in [
        ("time Timestamp in sec", "G0404@18-21"),
        ("time", "G0101@4-4"),
        ("time in", "G0101@7-7"),
        ("time in 5", "G0101@8-9"),
        ("time a in s time b", "G0208@12-18"),
        ("log lines \"{event}\"", "G0207@4-9"),
        ("log text event", "G0101@9-14"),
        ("log text \"a\"\nlog text \"b\"", "G0208@13-25"),
        ("log text \"a\" (unmatched drop)", "G0207@24-28"),
        ("log text \"a\" (strict)", "G0206@14-20"),
        ("simultaneous both", "G0207@13-17"),
        ("simultaneous", "G0101@12-12"),
        ("simultaneous merge\nsimultaneous merge", "G0208@19-37"),
        ("event", "G0101@5-5"),
        ("event = x", "G0101@6-7"),
        ("event a(b, b)", "G0202@11-12"),
        ("event a(b", "G0102@7-8"),
        ("event a(5)", "G0101@8-9"),
        ("event a(b) = x[f as c]", "G0205@20-21"),
        ("event a(b) = x[f as b, g as b]", "G0202@28-29"),
        ("event a = x(b)", "G0101@11-12"),
        ("event a = x[f = 1, g > ]", "G0101@23-24"),
        ("event a = x[f = start]", "G0108@16-21"),
        ("event a = x[f = 1", "G0102@11-12"),
        ("event a = x |", "G0101@13-13"),
        ("event a from b", "G0101@14-14"),
        ("event a from b to", "G0101@17-17"),
        ("event a from $ to b", "G0101@18-19"),
        ("event a\nevent a", "G0201@14-15"),
        ("solist p { a }", "G0111@0-6"),
        ("foo bar { a }", "G0111@0-3"),
        ("G(a -> b)", "G0111@0-1"),
        ("5", "G0101@0-1"),
        ("}", "G0102@0-1"),
        ("soloist", "G0101@0-7"),
        ("soloist p", "G0109@8-9"),
        ("soloist { a }", "G0101@0-7"),
        (r#"soloist p "title""#, "G0109@8-9"),
        ("soloist p {}", "G0109@11-12"),
        ("soloist p { a", "G0102@10-11"),
        ("soloist p { G(a }", "G0102@13-14"),
        ("soloist p { a } }", "G0102@16-17"),
        ("soloist p (crtical) { a }", "G0206@11-18"),
        ("soloist p (matching any) { a }", "G0206@11-19"),
        ("soloist p (severity) { a }", "G0101@19-20"),
        ("soloist p (severity huge) { a }", "G0207@20-24"),
        ("soloist p (simultaneous merged) { a }", "G0207@24-30"),
        ("soloist p (critical critical) { a }", "G0101@20-28 G0208@20-28"),
        ("soloist p (critical, critical) { a }", "G0208@21-29"),
        ("soloist p (critical { a }", "G0102@10-11"),
        ("soloist p (5) { a }", "G0101@11-12"),
        ("soloist p { a }\nsoloist p { b }", "G0201@24-25"),
        ("soloist p { \"a }\nsoloist q { b & c }", "G0103@12-13 G0105@31-32"),
        ("soloist p { C^{5_{<3}(a) }\nsoloist q { b & c }", "G0102@14-15 G0105@41-42"),
        ("soloist p { a\nsoloist q { b & c }", "G0102@10-11 G0105@28-29"),
        ("soloist p { a }\naccepts q { a }", "G0601@24-25"),
        ("soloist late { a }\naccepts lat { a }", "G0601@27-30"),
        ("accepts { a }", "G0101@8-9"),
        ("accepts p a", "G0101@10-11"),
        ("soloist p { a }\naccepts p { a, b; c d }", "G0101@29-30 G0101@32-33 G0101@36-37"),
        ("soloist p { a }\naccepts p { a@5. b@3 }", "G0603@33-36"),
        ("soloist p { a }\naccepts p { a@x. b@ }", "G0101@30-31 G0101@36-37"),
        ("soloist p { a }\naccepts p { a@5min }", "G0404@31-34"),
        ("soloist p { a }\naccepts p { a@0.5ns }", "G0402@28-35"),
        (
            "soloist p { a }\naccepts p { a(x). b(_). c(1 2). d(x: y) }",
            "G0108@30-31 G0108@36-37 G0102@41-42 G0108@53-54",
        ),
        ("soloist p { a }\naccepts p { a(1, x: 2). b(x: 1, 2). c(x: 1, x: 2) }", "G0604@33-34 G0604@48-49 G0202@60-61"),
        ("soloist p { a }\naccepts p { a(x=1). b(x:ann) }", "G0105@31-32 G0108@38-43"),
        ("soloist p { a }\naccepts p { a(1 }", "G0102@29-30"),
        ("soloist p { a }\naccepts p { a", "G0102@26-27"),
        ("event e(x, y)\nsoloist p { e }\naccepts p { e. e(1, 2). e(1). e(x: 1) }", "G0605@54-58"),
        ("soloist p { a && b }\naccepts p { a.b }", "G0606@33-36"),
        ("soloist p { a }\nexpect p hold on \"f\"", "G0602@25-29"),
        ("soloist p { a }\nexpect p", "G0101@24-24"),
        ("soloist p { a }\nexpect p holds", "G0101@30-30"),
        ("soloist p { a }\nexpect p holds on f.csv", "G0101@34-39"),
        ("soloist p { a }\nexpect q holds on \"f\"", "G0601@23-24"),
        ("event shipped\nsoloist p { G(paid -> F shiped) }", "G0203@38-44"),
        ("event open\nsoloist p { \"op\\en\" }", "G0104@26-28"),
    ] {
        assert_eq!(shown(&parse(source).1), expected, "{source}");
    }
}

/// The text after the first suggested edit.
fn mended(source: &str) -> String {
    let (_, diagnostics) = parse_formula(source);
    let edit = diagnostics.iter().find_map(|found| found.help.as_ref()?.edit.clone());
    let (span, replacement) = edit.unwrap_or_else(|| panic!("{source}: {diagnostics:?}"));
    let mut text = source.to_owned();
    text.replace_range(span.start as usize..span.end as usize, &replacement);
    text
}

#[test]
fn edits_say_what_to_write() {
    for (source, expected) in [
        ("a & b", "a && b"),
        ("a => b", "a -> b"),
        ("not a", "! a"),
        ("always(a -> b)", "G(a -> b)"),
        ("g(a)", "G(a)"),
        ("pay(ann)", "pay(\"ann\")"),
        ("a && G", "a && \"G\""),
        ("a b", "a && b"),
        ("(a)Sb", "(a)S b"),
        ("a[x = start]", "a[x = \"start\"]"),
        ("a[5 < x]", "a[x > 5]"),
        ("a[x=1, y=2]", "a[x=1 && y=2]"),
        ("C^{10}(a) <= 3 -> b", "C^{10}_{<=3}(a) -> b"),
        ("G[0,10min] a", "G[0,10m] a"),
        ("a))", "a)"),
        ("X⁶ a", "X^6 a"),
        ("a[x = \"open]", "a[x = \"open\"]"),
    ] {
        assert_eq!(mended(source), expected, "{source}");
    }
}

#[test]
fn what_can_be_understood_is_kept() {
    let source = "time t in s\nevent\nsoloist a { x & y }\nsoloist b { G( }\nsoloist c { z }\naccepts b { e. f }\n";
    let (spec, diagnostics) = parse(source);
    let names: Vec<&str> = spec.properties.iter().map(|property| property.name.as_str()).collect();
    assert_eq!(names, ["a", "c"]);
    assert_eq!((spec.time.field.as_deref(), spec.examples.len()), (Some("t"), 1));
    assert!(diagnostics.len() >= 3, "{diagnostics:?}");
}

#[test]
fn an_error_is_drawn_with_all_its_parts() {
    let (_, diagnostics) = parse("soloist late { G(request -> (reply || refusal) }");
    let [found] = diagnostics.as_slice() else { panic!("{diagnostics:?}") };
    assert_eq!(found.message, "no closing `)` for this `(`");
    assert_eq!(found.primary.text, "opened here");
    assert_eq!(found.secondary[0].text, "`)` expected before the end of the block");
    assert_eq!(
        found.help.as_ref().map(|help| help.text.as_str()),
        Some("write `)` at the end of the part that `(` opens")
    );
}
