// SPDX-License-Identifier: MIT OR Apache-2.0
//! No input makes the parsers panic, overflow the stack or run for long.

use gnomon_core::diagnostic::{Diagnostic, Severity};
use gnomon_core::random::Random;
use gnomon_ir::check::check;
use gnomon_ir::formula::Formula;
use gnomon_ir::spec::{Body, Language, Property};
use gnomon_lang::{albert, ccsl, mop, mtl, mu, nomad, parse, parse_formula, pattern, qea, rules, soloist};

const SPEC: &str = r#"# an example of everything
time Timestamp in s
simultaneous merge
event start    = call[EventType = "start"]
event complete = call[EventType = "complete" && (a/b/0 != null || !(x >= 2.5))]
event create(c, i) = "Map.create"[map as c, iter/0 as i, size > 3] | iterator[coll as c, it as i] from a to $b
event next(i)

soloist QP1 "Withdrawal limit {}" (critical, severity high, full-window) {
  G(recvlogoff -> C^{600}_{<=3}(repwithdraw))
}
soloist QP2 { X^6(G(𝔇^{900}_{≤5}{(start, complete)})) }
soloist late-reply (simultaneous sequence) {
  G_{[0,10s]}((pay(_, 3, "x")[amount > 1000] → (¬b)U_{(0,10)} c) ∧ avg[60,10](d) < 2 || max[6 m,10s](e) = 1)
}
mtl answered (severity low) {
  forall >= 95.5% u. forall c, i. exists y.G(ask(u, c)[x/0 > 1] -> once F[0,10s] next(i) W_{[1,2)} release(y) R H ¬b)
    && sum[24h](pay(u, _).amount/net) <= -5.5 && □ max[3](pay.amount) > 1 && count[5 m](a) = 2
}
qea(unsafeIter) {
  Forall(c, i) Exists(x)
  where [ c != i or not (x = "a" and i >= 2) ]
  accept skip(start) {
    create(c, i) if [ n = 9 ] -> Failure else if [ s1 != c and n-1 < 9 * (2 - k) ] -> Two do [ n = n + 1; k = -c ] else -> start
    done -> "odd state"; next(x)[f = 1] -> start, "if"(s1) -> start
  }
  next(Two) { }
}
nomad auth "Log in first" (matching any, strict-end, severity low) {
  P(start(create(1, _)[a/b/0 > 1]) || start("odd message") | O^{d∈[1,0]D} done(loginRes) ∧ (done(¬logoutReq) ∨ NOT done(c)))
    / {{create.c/@id, "odd message".sid, loginRes.order/0/sid}, {loginRes."user.id", create.i}}
}
nomad never { F(start(a) | O[inf,1.5] (done(b) && done(!c[x = 1] ) || done(d))) / (a.id, b.id) }
albert ships "On time" (critical, simultaneous sequence) {
  onEvent(start_Pay(_, 3)[a/0 > 1]) -> Between(Becomes($stock/0/@id-1 > -2.5), InFuture(!$"odd name" = "x", 5 s), 1.5) &&
    (forall x in $order/items; $x/price >= 0 ∧ (∃ y ∈ $x; $y != null)) || Until(Within(count($x < 3, 60) + max($y, 2) * 2 > 10s - 5, 3), true)
    && past($x / $y, onEvent(end_Pay), 2) = elapsed(onEvent(a)) && Always(Eventually(avg($x-1, 1h) = false))
}
pattern popped "All tasks" (critical) {
  for every t, u: for each v:after last "last"(t, *)[n > 1] until r:pop(u, _, 3), q(*) without z(v) respond to push(t, *) within [2s, inf)
}
pattern rare { between q and r: at most 2 p in 10 s }
pattern first { before concept:name: a(1) precedes b, c within 5, a(1) required }
mu tasks (severity low) {
  forall t,n:Int, b:Bool. val(t + 1 < n - -2 || !b && Open != 3) => [true*.push(Job, t, *, t+1)[x/0 > 1] . % all of it
    (not (pop(n, b) or exists d:Nat. done(d, *) && val(d >= t)))+ . ("late-reply" + nil*)] (false && [a]val(t == n))
}
accepts late-reply { create(1,2). create(3,"4")@10.5s. pay(user: "ann", amount: 5)@100 }
rejects QP1 { next(2). a@3. b }
expect QP1 violated on "b4.xml"
"#;

const RULES: &str = r##"<?xml version="1.0"?><!-- rules -->
<r:rules xmlns:r='urn:gnomon:rules:1'>
<r:time field="t" unit="s"/>
<r:event name="pay" from="client" to="$bank"><r:parameter name="user"/>
<r:message name="payment"><r:field query="#/uid" as="user"/><r:condition query="state" is="not-equal" value="dr&amp;ft"/></r:message></r:event>
<r:rule id="p" verdict="false" matching="any" strict-end="1" critical="false" severity="low" title="&#x41;">
<r:supposition><r:or><r:message name="pay" phase="done"><r:arguments><r:argument value="1" type="text"/></r:arguments></r:message>
<r:message name="b"><r:or><r:condition query="y" type="null"/><r:not><r:condition query="z" value="true"/></r:not></r:or></r:message></r:or></r:supposition>
<r:window from="inf" to="2.5s"/>
<r:context><r:and><r:message name="c"/><r:not><r:message name="d"/></r:not></r:and></r:context>
<r:correlation><r:query message="b">/x:b/item[2]/@é/text()</r:query><r:query message="c"><![CDATA["a:b"/c]]></r:query></r:correlation>
</r:rule></r:rules>"##;

/// Everything that is done with a spec.
fn try_all(source: &str) {
    let (spec, diagnostics) = parse(source);
    sound(source, &diagnostics);
    for property in &spec.properties {
        let (core, found) = check(&spec, property);
        sound(source, &found);
        assert_eq!(core.is_none(), found.iter().any(|one| one.severity == Severity::Error));
        match property.language {
            Language::Soloist => {}
            Language::Mtl => reads_back(&mtl::print(property)),
            Language::Qea => reads_back(&qea::print(property)),
            Language::Nomad => reads_back(&nomad::print(property)),
            Language::Albert => reads_back(&albert::print(property)),
            Language::Pattern => reads_back(&pattern::print(property)),
            Language::Mu => reads_back(&mu::print(property)),
            Language::Mop => reads_back(&mop::print(property)),
            Language::Ccsl => reads_back(&ccsl::print(property)),
        }
        if let Body::Formula(formula) = &property.body {
            soloist::print(formula);
            inside(source, formula);
        }
    }
    let rules: Vec<&Property> =
        spec.properties.iter().filter(|property| property.language == Language::Nomad).collect();
    if diagnostics.iter().all(|found| found.severity != Severity::Error) && !rules.is_empty() {
        let text = nomad::print_spec(&spec, &rules);
        let xml = rules::print(&spec, &rules);
        for written in xml.iter().chain([&text]) {
            let (read, found) = parse(written);
            let infinite = found.iter().any(|found| found.code == "G0320");
            assert!(infinite || read.properties.len() == rules.len(), "{source:?}: {written}: {found:?}");
        }
    }
    let (_, diagnostics) = parse_formula(source);
    sound(source, &diagnostics);
    let (spec, diagnostics) = mu::parse_bare("file", source);
    sound(source, &diagnostics);
    spec.properties.iter().for_each(|property| reads_back(&mu::print(property)));
}

/// Checks that a printed property is understood, though some warnings may remain.
fn reads_back(printed: &str) {
    let (spec, diagnostics) = parse(printed);
    assert!(diagnostics.iter().all(|found| found.severity != Severity::Error), "{printed}: {diagnostics:?}");
    assert_eq!(spec.properties.len(), 1, "{printed}");
}

/// Every place lies in the source, between characters.
fn sound(source: &str, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        let places = diagnostic.secondary.iter().map(|label| label.span).chain([diagnostic.primary.span]);
        let edit = diagnostic.help.iter().flat_map(|help| &help.edit).map(|(span, _)| *span);
        for span in places.chain(edit) {
            assert!(
                source.get(span.start as usize..span.end as usize).is_some(),
                "{span:?} of {source:?}: {diagnostic:?}"
            );
        }
        assert!(!diagnostic.message.is_empty() && !diagnostic.message.ends_with('.'), "{diagnostic:?}");
    }
}

fn inside(source: &str, formula: &Formula) {
    assert!(!formula.span.text(source).is_empty(), "{:?} of {source:?}", formula.span);
    for child in formula.children() {
        assert!(formula.span.start <= child.span.start && child.span.end <= formula.span.end, "{source:?}");
        inside(source, child);
    }
}

#[test]
fn the_example_is_sound() {
    let (spec, diagnostics) = parse(SPEC);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!((spec.events.len(), spec.properties.len(), spec.examples.len()), (4, 12, 3));
    try_all(SPEC);
}

#[test]
fn the_rules_in_xml_are_sound() {
    let (spec, diagnostics) = parse(RULES);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!((spec.events.len(), spec.properties.len()), (1, 1));
    try_all(RULES);
}

#[test]
fn every_beginning_and_every_end_is_read() {
    for source in [SPEC, RULES] {
        for (at, _) in source.char_indices() {
            try_all(&source[..at]);
            try_all(&source[at..]);
        }
    }
}

#[test]
fn every_gap_is_read() {
    for source in [SPEC, RULES] {
        let places: Vec<usize> = source.char_indices().map(|(at, _)| at).chain([source.len()]).collect();
        for pair in places.windows(2) {
            try_all(&format!("{}{}", &source[..pair[0]], &source[pair[1]..]));
        }
    }
}

#[test]
fn mutations_are_read() {
    let pieces = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "\"",
        "\\",
        "_",
        "^",
        "G",
        "U",
        "S",
        "C",
        "=",
        "==",
        "->",
        "=>",
        "&&",
        "&",
        "!",
        ",",
        ".",
        "@",
        ":",
        "-",
        "9",
        "1e9",
        "inf",
        "∞",
        "¬",
        "event",
        "soloist",
        "accepts",
        "expect",
        "time",
        "\n",
        "forall x.",
        "exists",
        "mtl",
        "qea(q){",
        "Forall(x)",
        "nomad n {",
        "P(",
        "F(start(",
        "done(",
        "|",
        "O[0,5]",
        "O^{d∈[",
        "NOT",
        "AND",
        "/ {{",
        "a.id",
        "matching any",
        "albert a {",
        "onEvent(",
        "Within(",
        "Becomes(",
        "past(",
        "$x",
        "$x/y",
        "$x-1",
        " / ",
        "(forall x in",
        "in $l;",
        "max(1, 2)",
        "<",
        ">=",
        "<rules>",
        "<rule id=\"p\" verdict=\"true\">",
        "</message>",
        "<message name=\"",
        "/>",
        "<and>",
        "</and>",
        "&lt;",
        "<!--",
        "<![CDATA[",
        "accept",
        "skip(s){",
        "next(",
        "if [",
        "do [",
        "else",
        "n-1",
        "x.G",
        "%",
        "sum[5](",
        "a.b",
        "+",
        "*",
        ";",
        "∀",
        "□",
        "#",
        "//",
        "'",
        "true",
        "count[5]",
        "X^",
        "s",
        "ms",
        "$",
        "𝒞",
        "\u{0}",
        "\r",
        "and",
        "as",
        "pattern p {",
        "for every x:",
        "globally:",
        "after last q",
        "between",
        "until r:",
        "p(*)",
        "precedes",
        "responds to",
        "without z",
        "within 3",
        ", p required",
        "at most 2",
        "absence of",
        "mu m {",
        "[true* . ",
        "] false",
        "forall x:Int.",
        "exists d:Nat.",
        "val(",
        "nil",
        "mu X.",
        "||",
    ];
    let sources: [Vec<char>; 3] = [SPEC, SPEC, RULES].map(|source| source.chars().collect());
    let mut random = Random::new(7);
    let mut below = |bound: usize| random.index(bound);
    for _ in 0..4_000 {
        let mut mutant = sources[below(3)].clone();
        for _ in 0..=below(6) {
            let at = below(mutant.len());
            match below(3) {
                0 => drop(mutant.drain(at..(at + below(8)).min(mutant.len()))),
                1 => drop(mutant.splice(at..at, pieces[below(pieces.len())].chars())),
                _ => {
                    let from = below(mutant.len());
                    let copied: Vec<char> = mutant[from..(from + below(30)).min(mutant.len())].to_vec();
                    drop(mutant.splice(at..at, copied));
                }
            }
        }
        try_all(&mutant.into_iter().collect::<String>());
        let soup: Vec<&str> = (0..below(40)).map(|_| pieces[below(pieces.len())]).collect();
        try_all(&soup.join(if below(2) == 0 { " " } else { "" }));
        let bytes: Vec<u8> = (0..below(200)).map(|_| below(256) as u8).collect();
        try_all(&String::from_utf8_lossy(&bytes));
    }
}

/// Runs with the small stack of a thread, and finds this code.
fn refuses(source: &str, code: &str) {
    let (_, diagnostics) = parse_formula(source);
    assert!(diagnostics.iter().any(|found| found.code == code), "{:?}: {:?}", &source[..20], diagnostics.first());
    let (_, in_a_block) = parse(&format!("soloist deep {{ {source} }}\nsoloist fine {{ a }}"));
    assert!(in_a_block.iter().any(|found| found.code == code), "{:?}", &source[..20]);
}

#[test]
fn deep_and_large_inputs_are_refused() {
    const MEGA: usize = 1 << 20;
    refuses(&"(".repeat(MEGA), "G0113");
    refuses(&"!".repeat(MEGA), "G0113");
    refuses(&"G".repeat(MEGA / 2).replace('G', "G "), "G0113");
    refuses(&"a -> ".repeat(MEGA / 5), "G0113");
    refuses(&"a U ".repeat(MEGA / 4), "G0113");
    refuses(&"a <-> ".repeat(MEGA / 6), "G0113");
    refuses(&"C^{1}_{<1}(".repeat(MEGA / 11), "G0113");
    refuses(&format!("a[{}", "(".repeat(MEGA)), "G0113");
    refuses(&format!("a[{}", "!".repeat(MEGA)), "G0113");
    refuses(&"a && ".repeat(MEGA / 5), "G0114");
    refuses(&"a || b && ".repeat(MEGA / 10), "G0114");
    refuses(&format!("a[{}", "x = 1 && ".repeat(MEGA / 9)), "G0114");
    refuses(&"a ".repeat(5 * MEGA), "G0114");
}

/// Likewise for a block in another language.
fn refuses_block(source: &str, code: &str) {
    let (_, diagnostics) = parse(&format!("{source}\n}}\nsoloist fine {{ a }}"));
    assert!(diagnostics.iter().any(|found| found.code == code), "{:?}: {:?}", &source[..30], diagnostics.first());
}

#[test]
fn deep_and_large_properties_over_data_are_refused() {
    const MEGA: usize = 1 << 20;
    let guard = |piece: &str, count: usize| format!("qea p {{ skip(s) {{ e(n) if [ {}", piece.repeat(count));
    refuses_block(&guard("(", MEGA), "G0113");
    refuses_block(&guard("not ", MEGA / 4), "G0113");
    refuses_block(&guard("- ", MEGA / 2), "G0113");
    refuses_block(&guard("n + ", MEGA / 4), "G0113");
    refuses_block(&guard("n * ", MEGA / 4), "G0113");
    refuses_block(&guard("n-1-", MEGA / 4), "G0113");
    refuses_block(&guard("n = 1 and ", MEGA / 10), "G0114");
    refuses_block(&guard("n = 1 or n = 2 and ", MEGA / 19), "G0114");
    refuses_block(&format!("qea p {{ skip(s) {{ {}", "e -> s\n".repeat(MEGA / 7)), "G0114");
    refuses_block(&format!("qea p {{ {}", "skip(s) { }\n".repeat(MEGA / 12)), "G0114");
    refuses_block(&format!("qea p {{ {}", "Forall(x) ".repeat(MEGA / 10)), "G0114");
    refuses_block(&format!("qea p {{ skip(s) {{ e -> s {}", "else -> s ".repeat(MEGA / 10)), "G0114");
    let context = |piece: &str, count: usize| format!("nomad p {{ P(start(a) | O[0,1] {}", piece.repeat(count));
    refuses_block(&context("(", MEGA), "G0113");
    refuses_block(&context("!(", MEGA / 2), "G0113");
    refuses_block(&context("(done(a) && ", MEGA / 12), "G0113");
    refuses_block(&context("done(a) && ", MEGA / 11), "G0114");
    refuses_block(&context("done(a) || done(b) && ", MEGA / 22), "G0114");
    refuses_block(&format!("nomad p {{ P({}", "start(a) | ".repeat(MEGA / 11)), "G0120");
    refuses_block(&format!("nomad p {{ P({}", "start(a) || ".repeat(MEGA / 12)), "G0114");
    refuses_block(&format!("nomad p {{ P(start(a) | O[0,1] done(b)) / {{{{ {}", "a.id, ".repeat(MEGA / 6)), "G0114");
    let state = |piece: &str, count: usize| format!("albert p {{ {}", piece.repeat(count));
    refuses_block(&state("(", MEGA), "G0113");
    refuses_block(&state("!", MEGA), "G0113");
    refuses_block(&state("- ", MEGA / 2), "G0113");
    refuses_block(&state("$x + ", MEGA / 5), "G0113");
    refuses_block(&state("$x * ", MEGA / 5), "G0113");
    refuses_block(&format!("albert p {{ $x{}", "-1".repeat(MEGA / 2)), "G0113");
    refuses_block(&state("Within(", MEGA / 7), "G0113");
    refuses_block(&state("past(max(", MEGA / 9), "G0113");
    refuses_block(&state("(forall x in $x; ", MEGA / 17), "G0113");
    refuses_block(&state("forall x in $x; ", MEGA / 16), "G0113");
    refuses_block(&state("foo(bar() && ", MEGA / 13), "G0133");
    refuses_block(&state("G[0,5] ", MEGA / 7), "G0113");
    refuses_block(&state("onEvent(a) U ", MEGA / 13), "G0113");
    refuses_block(&state("true -> ", MEGA / 8), "G0113");
    refuses_block(&state("$x > 1 && ", MEGA / 10), "G0114");
    refuses_block(&state("onEvent(a) || $x = 3 && ", MEGA / 24), "G0114");
    refuses_block(&state("Always ", MEGA / 7), "G0113");
    // What it stands for is twice as large as what is inside.
    let doubled = |word: &str, end: &str| format!("albert p {{ {}$x > 1{}", word.repeat(60), end.repeat(60));
    refuses_block(&doubled("Becomes(", ")"), "G0114");
    refuses_block(&doubled("Between(", ", true, 5)"), "G0114");
    let modal = |piece: &str, count: usize| format!("mu p {{ {}", piece.repeat(count));
    refuses_block(&modal("(", MEGA), "G0113");
    refuses_block(&modal("!", MEGA), "G0113");
    refuses_block(&modal("[", MEGA), "G0101");
    refuses_block(&modal("[a]", MEGA / 3), "G0113");
    refuses_block(&modal("<a>", MEGA / 3), "G0156");
    refuses_block(&modal("val(1 < 2) => ", MEGA / 14), "G0113");
    refuses_block(&modal("forall x:Int. ", MEGA / 14), "G0113");
    refuses_block(&format!("mu p {{ forall {}", "x, ".repeat(MEGA / 3)), "G0101");
    refuses_block(&format!("mu p {{ forall {}y:Int. [a]false", "x, ".repeat(MEGA / 3)), "G0114");
    refuses_block(&format!("mu p {{ forall x:{}", "List(".repeat(MEGA / 5)), "G0102");
    refuses_block(&modal("[a]false && ", MEGA / 12), "G0114");
    refuses_block(&modal("[(", MEGA / 2), "G0101");
    refuses_block(&format!("mu p {{ [{}", "(".repeat(MEGA)), "G0113");
    refuses_block(&format!("mu p {{ [{}", "!".repeat(MEGA)), "G0113");
    refuses_block(&format!("mu p {{ [a{}", "*".repeat(MEGA)), "G0113");
    refuses_block(&format!("mu p {{ [{}", "a . ".repeat(MEGA / 4)), "G0114");
    refuses_block(&format!("mu p {{ [{}", "a . b || c + ".repeat(MEGA / 13)), "G0114");
    refuses_block(&format!("mu p {{ [{}", "a => ".repeat(MEGA / 5)), "G0113");
    refuses_block(&format!("mu p {{ [{}", "exists x:D. ".repeat(MEGA / 12)), "G0113");
    refuses_block(&format!("mu p {{ [a({}", "1 + ".repeat(MEGA / 4)), "G0113");
    refuses_block(&format!("mu p {{ [a({}", "*, ".repeat(MEGA / 3)), "G0114");
    refuses_block(&format!("mu p {{ [a({}1)]false", "1 + 1, ".repeat(MEGA / 7)), "G0114");
    refuses_block(&format!("mu p {{ [a({}1)]false", "1 + 1, ".repeat(300)), "G0113");
    refuses_block(&format!("mu p {{ val({}", "(".repeat(MEGA)), "G0113");
    refuses_block(&format!("mu p {{ val({}", "1 < 2 && ".repeat(MEGA / 9)), "G0114");
    refuses_block(&format!("pattern p {{ globally: {}", "a, ".repeat(MEGA / 3)), "G0114");
    refuses_block(&format!("pattern p {{ {}", "for every x: ".repeat(MEGA / 13)), "G0114");
    refuses_block(&format!("pattern p {{ globally: absence of p({}", "*, ".repeat(MEGA / 3)), "G0114");
    refuses_block(&format!("mtl p {{ {}", "forall x. ".repeat(MEGA / 10)), "G0114");
    refuses_block(&format!("mtl p {{ a && {}", "forall x. ".repeat(MEGA / 10)), "G0114");
    refuses_block(&format!("mtl p {{ a && {}", "forall x. !".repeat(MEGA / 11)), "G0314");
    refuses_block(&format!("mtl p {{ {}", "next ".repeat(MEGA / 5)), "G0113");
    refuses_block(&format!("mtl p {{ {}", "□".repeat(MEGA / 3)), "G0113");
    refuses_block(&format!("mtl p {{ {}", "a weakuntil ".repeat(MEGA / 12)), "G0113");
    refuses_block(&format!("mtl p {{ {}", "count[1](".repeat(MEGA / 9)), "G0113");
    refuses_block(&format!("mtl p {{ {}", "(a release ".repeat(MEGA / 11)), "G0113");
}

#[test]
fn deep_and_large_files_of_rules_are_refused() {
    const MEGA: usize = 1 << 20;
    for (source, code) in [
        ("<and>".repeat(MEGA / 5), "G0113"),
        (format!("<rules>{}</rules>", "<rule/>".repeat(MEGA)), "G0114"),
        (format!("<rules>{}</rules>", "<rule/>".repeat(MEGA / 8)), "G0124"),
        (format!("<rules {}", "a='1' ".repeat(MEGA / 6)), "G0123"),
        (format!("<rules>{}</rules>", "&amp;".repeat(MEGA / 5)), "G0124"),
        ("<!---->".repeat(MEGA / 7), "G0123"),
        ((0..MEGA / 20).fold("<rules".to_owned(), |tag, index| tag + &format!(" a{index}='1'")), "G0114"),
        (format!("<rules><rule><context>{}", "<message name='a'/>".repeat(MEGA / 19)), "G0114"),
    ] {
        let (_, found) = parse(&source);
        assert!(found.len() <= 100, "{}", found.len());
        assert!(found.iter().any(|found| found.code == code), "{:?}: {:?}", &source[..30], found.first());
    }
}

#[test]
fn rules_below_the_limits_are_read() {
    let deep = |piece: &str, end: &str| {
        let (opening, closing) = (piece.repeat(390), end.repeat(390));
        format!(
            "<rules><rule id='p' verdict='true'><supposition><message name='a'/></supposition><window from='0' to='1'/><context>{opening}<message name='b'/>{closing}</context></rule></rules>"
        )
    };
    for source in [
        format!("nomad p {{ P(start(a) | O[0,1] {}done(b){}) }}", "(".repeat(390), ")".repeat(390)),
        format!(
            "nomad p {{ P(start(a) | O[0,1] {}done(b){}) }}",
            "(done(c) && (done(d) || ".repeat(30),
            "))".repeat(30)
        ),
        format!("nomad p {{ P({}start(a) | O[0,1] done(b)) }}", "start(a) || ".repeat(1_000)),
        format!("nomad p {{ P(start(a[{}x = 1{}]) | O[0,1] done(b)) }}", "(x = 1 && ".repeat(190), ")".repeat(190)),
        deep("<and>", "</and>"),
    ] {
        let (spec, diagnostics) = parse(&source);
        assert!(diagnostics.is_empty() && spec.properties.len() == 1, "{:?}: {:?}", &source[..40], diagnostics.first());
        try_all(&source);
    }
}

#[test]
fn properties_over_data_below_the_limits_are_read() {
    for source in [
        format!("albert p {{ {}$x > 1{} }}", "(".repeat(390), ")".repeat(390)),
        format!("albert p {{ {}$x > 1 }}", "!".repeat(195)),
        format!("albert p {{ {}$x > 1{} }}", "Within(".repeat(190), ", 3)".repeat(190)),
        format!("albert p {{ 1 > {}$x{} }}", "max(".repeat(190), ", 3)".repeat(190)),
        format!("albert p {{ {}$x > 1{} }}", "0 < count(".repeat(95), ", 3)".repeat(95)),
        format!("albert p {{ {}$x > 1{} }}", "(forall x in $x; ".repeat(190), ")".repeat(190)),
        format!("albert p {{ {}$x > 1{} }}", "Becomes(".repeat(10), ")".repeat(10)),
        format!("albert p {{ $x{} > 1 }}", "-1+$y*2".repeat(90)),
        format!("albert p {{ $x > 1{} }}", " || $x > 2 && onEvent(a)".repeat(1_500)),
        format!("mu p {{ {}[a]false{} }}", "(".repeat(390), ")".repeat(390)),
        format!("mu p {{ {}[a]false }}", "[a]".repeat(190)),
        format!("mu p {{ [{}a{}] false }}", "(".repeat(390), ")".repeat(390)),
        format!("mu p {{ [{}a{}] false }}", "!(".repeat(190), ")".repeat(190)),
        format!("mu p {{ [a{}] false }}", "*".repeat(190)),
        format!("mu p {{ [a{}] false }}", " . b || c".repeat(3_000)),
        format!("mu p {{ [a({}1)] false }}", "1 + 1, ".repeat(90)),
        format!("mu p {{ val(1{} < 2) }}", " + 1".repeat(190)),
        format!("mu p {{ val({}1 < 2{}) }}", "!(".repeat(190), ")".repeat(190)),
        format!("pattern p {{ globally: {}a precede b }}", "a, ".repeat(3_000)),
        format!("mtl p {{ {}a }}", "next ".repeat(195)),
        format!("mtl p {{ {}a{} }}", "always(".repeat(195), ")".repeat(195)),
        format!("mtl p {{ {}a{} }}", "count[1](".repeat(195), ") > 0".repeat(195)),
        format!("mtl p {{ forall x. {}p(x) }}", "p(x) W ".repeat(195)),
        format!("qea p {{ skip(s) {{ e(n) if [ {}n = 1{} ] -> s }} }}", "not (".repeat(190), ")".repeat(190)),
        format!("qea p {{ skip(s) {{ e(n) if [ {}n{} = 1 ] -> s }} }}", "(".repeat(195), ")".repeat(195)),
        format!("qea p {{ skip(s) {{ e(n) if [ n{} = 1 ] -> s }} }}", "-1+n*2".repeat(90)),
        format!("qea p {{ skip(s) {{ e(n) if [ n = 1{} ] -> s }} }}", " or n = 2 and n < 3".repeat(1_500)),
    ] {
        let (spec, diagnostics) = parse(&source);
        assert!(diagnostics.is_empty() && spec.properties.len() == 1, "{:?}: {:?}", &source[..40], diagnostics.first());
        try_all(&source);
    }
}

#[test]
fn what_is_below_the_limits_is_read() {
    for source in [
        format!("{}a{}", "(".repeat(390), ")".repeat(390)),
        format!("{}a", "!".repeat(195)),
        format!("{}a", "X ".repeat(195)),
        format!("{}a{}", "G(".repeat(195), ")".repeat(195)),
        format!("{}a{}", "C^{1}_{<1}(".repeat(195), ")".repeat(195)),
        format!("{}a", "a -> ".repeat(195)),
        format!("{}a", "a <-> ".repeat(195)),
        format!("{}a", "a || b && c || ".repeat(1_500)),
        format!("a[{}x = 1{}]", "!(".repeat(195), ")".repeat(195)),
    ] {
        let (formula, diagnostics) = parse_formula(&source);
        assert!(diagnostics.is_empty() && formula.is_some(), "{:?}", diagnostics.first());
        try_all(&format!("soloist deep {{ {source} }}"));
    }
}

#[test]
fn large_broken_files_are_read_quickly() {
    for piece in [
        "soloist a {\n",
        "event a(",
        "accepts a { b",
        "{",
        "}",
        "soloist a { a(b",
        "\"",
        "a.",
        "event a = b[",
        "x as y, ",
        "mtl a { forall x",
        "mtl a { sum[5](a.b",
        "qea(a) {\n",
        "nomad a { P(start(b) | ",
        "P(start(b) | start(c) | ",
        "albert a { onEvent(",
        "albert a { $x/",
        "albert a { (forall x in $x; ",
        "albert a { Within(foo(",
        "albert a { 1 < 2 < 3 < ",
        "albert a { past(",
        "nomad a { P(start(b) | O[0,1] done(",
        "P(start(a) | O[0,1] done(b)) / {{a.",
        "<rules><rule id='",
        "pattern a { globally: b(",
        "pattern a { after b:c, ",
        "pattern a {\n",
        "for every x",
        "mu a { [b(",
        "mu a { forall x:",
        "mu a { [b + (",
        "mu a { val(1 < ",
        "mu a {\n",
        "qea a { skip(s) { e -> ",
        "qea a { skip(s) { e if [ n-1",
        "skip(s) {\n",
    ] {
        let (_, diagnostics) = parse(&piece.repeat((1 << 20) / piece.len()));
        assert!(!diagnostics.is_empty() && diagnostics.len() <= 100, "{piece:?}: {}", diagnostics.len());
    }
    for piece in ["event e%\n", "soloist p% { a% }\n", "event e%\nsoloist p% { a% }\nexpect x% holds on \"f\"\n"] {
        let file: String = (0..20_000).map(|index| piece.replace('%', &index.to_string())).collect();
        parse(&file);
    }
}
