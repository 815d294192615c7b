// SPDX-License-Identifier: MIT OR Apache-2.0
//! External variables: how they are declared, printed, and what is wrong with a declaration.

use gnomon_core::time::{Quantity, Unit};
use gnomon_ir::check::check;
use gnomon_ir::core::Core;
use gnomon_lang::{parse, print_extern};

#[test]
fn a_declaration_reads_back_as_the_same() {
    for line in [
        r#"extern $rate from "http://rates.example/now" path "/eur" every 60s"#,
        r#"extern $limit from "limits.json" path "/daily/0/a~1b" every 10m"#,
        r#"extern $limit from "limits.csv" path "/limit" every 0.5"#,
        r#"extern $"odd name" from "a \"b\".json""#,
        r#"extern $"time-out" from "https://x/" every 1D"#,
        r#"extern $all from "x.json" path """#,
    ] {
        let (spec, diagnostics) = parse(line);
        assert!(diagnostics.is_empty(), "{line}: {diagnostics:?}");
        let [external] = &spec.externs[..] else { panic!("{line}") };
        let printed = print_extern(external);
        let (again, diagnostics) = parse(&printed);
        assert!(diagnostics.is_empty(), "{printed}: {diagnostics:?}");
        assert_eq!(print_extern(&again.externs[0]), printed);
        assert_eq!(external.span.text(line), line);
    }
}

#[test]
fn the_parts_of_a_declaration() {
    let (spec, diagnostics) =
        parse("extern $a from \"f.json\" every 2h path \"/x\"\nextern $b from \"g.csv\"\nsoloist s { G(x) }");
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let [a, b] = &spec.externs[..] else { panic!("{:?}", spec.externs) };
    assert_eq!((a.name.as_str(), a.source.as_str(), a.path.as_deref()), ("a", "f.json", Some("/x")));
    assert_eq!(a.every, Some(Quantity { unit: Some(Unit::Hour), ..Quantity::whole(2) }));
    assert_eq!((b.path.as_deref(), b.every), (None, None));
    assert_eq!(spec.properties.len(), 1);
}

#[test]
fn an_event_may_be_called_extern() {
    let (spec, diagnostics) = parse("soloist s {\n  x &&\n  extern && y\n}\nextern $a from \"f.json\"");
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!((spec.properties.len(), spec.externs.len()), (1, 1));
}

#[test]
fn a_variable_is_external_where_it_is_declared_so() {
    let variables = |source: &str| {
        let (spec, _) = parse(source);
        let (core, diagnostics) = check(&spec, &spec.properties[0]);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let Some(Core::Formula(core)) = core else { panic!("{source}") };
        core.variables
    };
    assert_eq!(variables("albert p { $rate < $amount }"), ["rate", "amount"]);
    assert_eq!(variables("extern $rate from \"r.json\"\nalbert p { $rate < $amount }"), ["$rate", "amount"]);
    // A quantifier's own variable comes first.
    assert_eq!(variables("extern $x from \"r.json\"\nalbert p { (forall x in $items; $x > 0) }"), ["items"]);
}

#[test]
fn errors_are_reported_where_they_are() {
    for (source, expected) in [
        (r#"extern $a from "ftp://x/y""#, "G0736@15-26"),
        (r#"extern $a from """#, "G0736@15-17"),
        (r#"extern $a from "f.json" path "eur""#, "G0737@29-34"),
        (r#"extern $failed from "f.json""#, "G0738@8-14"),
        (r#"extern $Time from "f.json""#, "G0738@8-12"),
        (r#"time stamp in s extern $stamp from "f.json""#, "G0738@24-29"),
        (r#"extern $a from "f.json" every -5s"#, "G0740@30-33"),
        (r#"extern $a from "f.json" every 5 weeks"#, "G0111@32-37"),
        (r#"extern $a "f.json""#, "G0101@10-18"),
        ("extern $a from f", "G0101@15-16"),
        (r#"extern $ from "f.json""#, "G0101@14-22"),
        (r#"extern rate from "f.json""#, "G0101@7-11"),
        (r#"extern $a from "f.json" path "/a" path "/b""#, "G0111@34-38"),
        ("extern $a from \"f.json\"\nextern $a from \"g.json\"", "G0201@32-33"),
    ] {
        let found: Vec<String> = parse(source)
            .1
            .iter()
            .map(|found| format!("{}@{}-{}", found.code, found.primary.span.start, found.primary.span.end))
            .collect();
        assert_eq!(found.join(" "), expected, "{source}");
    }
}

#[test]
fn edits_mend_what_they_can() {
    for (source, mended) in [
        (r#"extern $a from "f.json" path "eur""#, r#"extern $a from "f.json" path "/eur""#),
        (r#"extern a from "f.json""#, r#"extern $a from "f.json""#),
    ] {
        let mut text = source.to_owned();
        for (span, edit) in parse(source).1.into_iter().filter_map(|found| found.help?.edit) {
            text.replace_range(span.start as usize..span.end as usize, &edit);
        }
        assert_eq!(text, mended);
        assert!(parse(&text).1.is_empty(), "{text}");
    }
}
