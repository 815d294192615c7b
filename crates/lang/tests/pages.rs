// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pages: every error code of the parsers and of the checker has one, its examples do what they say, and so do
//! those of the languages.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use gnomon_core::diagnostic::Diagnostic;
use gnomon_ir::check::check;
use gnomon_lang::{albert, mtl, nomad, parse, parse_file, parse_formula, pattern, soloist};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The codes that a folder's sources mention.
fn codes_in(folder: &Path, codes: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            codes_in(&path, codes);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("sources are text");
            let quoted = text.split('"').filter(|piece| {
                piece.len() == 5 && piece.starts_with("G0") && piece[1..].bytes().all(|byte| byte.is_ascii_digit())
            });
            codes.extend(quoted.map(str::to_owned));
        }
    }
}

fn codes() -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    codes_in(&root().join("crates/lang/src"), &mut codes);
    codes_in(&root().join("crates/ir/src"), &mut codes);
    // What is found by looking at more than the spec cannot be shown by a spec alone.
    codes.retain(|code| !code.starts_with("G07"));
    assert!(codes.len() > 30, "{codes:?}");
    codes
}

/// All that parsing and checking find.
fn judge(source: &str) -> Vec<Diagnostic> {
    judge_file("page.rv", source)
}

fn judge_file(file: &str, source: &str) -> Vec<Diagnostic> {
    let (spec, mut found) = parse_file(file, source);
    for property in &spec.properties {
        found.extend(check(&spec, property).1);
    }
    found
}

/// The first block with this label.
fn example<'a>(page: &'a str, label: &str) -> Option<&'a str> {
    let opening = format!("```{label}\n");
    let start = page.find(&opening)? + opening.len();
    let length = page[start..].find("```")?;
    Some(&page[start..start + length])
}

/// The failing and the mended example of a page about an error, each with the name of its file.
fn examples<'a>(page: &'a str, kind: &str) -> Option<(&'static str, &'a str)> {
    let files = [("rv", "page.rv"), ("xml", "page.xml"), ("mop", "page.mop")];
    files.into_iter().find_map(|(label, file)| Some((file, example(page, &format!("{label} {kind}"))?)))
}

/// Returns the text that `...` stands for on the pages about limits.
fn and_so_on(code: &str, source: &str) -> String {
    match code {
        "G0113" => source.replace("...", &"!".repeat(200)),
        "G0114" => source.replace("...", &vec!["c"; 20_000].join(" || ")),
        _ => source.to_owned(),
    }
}

#[test]
fn every_code_has_a_page_with_a_failing_and_a_mended_example() {
    for code in codes() {
        let path = root().join(format!("docs/errors/{code}.md"));
        let page = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(page.starts_with(&format!("# {code}: ")), "{code}: the title names the code");

        let (file, fails) = examples(&page, "fails").unwrap_or_else(|| panic!("{code}: no failing example"));
        let found = judge_file(file, &and_so_on(&code, fails));
        let codes: BTreeSet<&str> = found.iter().map(|found| found.code).collect();
        assert_eq!(codes, BTreeSet::from([code.as_str()]), "{code}: {found:?}");

        let (file, works) = examples(&page, "works").unwrap_or_else(|| panic!("{code}: no mended example"));
        assert_eq!(judge_file(file, works), [], "{code}");
    }
}

#[test]
fn edits_mend_the_failing_examples() {
    for code in codes() {
        let page = fs::read_to_string(root().join(format!("docs/errors/{code}.md"))).unwrap();
        let (file, source) = examples(&page, "fails").unwrap();
        let mut source = and_so_on(&code, source);
        let found = judge_file(file, &source);
        let edits: Vec<_> = found.iter().filter_map(|found| found.help.as_ref()?.edit.clone()).collect();
        if edits.len() < found.len() {
            continue;
        }
        for (span, replacement) in edits.into_iter().rev() {
            source.replace_range(span.start as usize..span.end as usize, &replacement);
        }
        assert_eq!(judge_file(file, &source), [], "{code}: {source}");
    }
}

fn language_page(language: &str) -> String {
    fs::read_to_string(root().join(format!("docs/languages/{language}.md"))).expect("the page is there")
}

#[test]
fn the_language_pages_have_specs_that_work() {
    let counts = [
        ("soloist", 4),
        ("mtl", 8),
        ("qea", 6),
        ("nomad", 7),
        ("albert", 9),
        ("pattern", 5),
        ("mu", 4),
        ("mop", 5),
        ("ccsl", 3),
    ];
    for (language, expected) in counts {
        let page = language_page(language);
        let mut rest = page.as_str();
        let mut count = 0;
        while let Some(source) = example(rest, "rv") {
            assert_eq!(judge(source), [], "{source}");
            rest = &rest[rest.find(source).unwrap() + source.len()..];
            count += 1;
        }
        assert_eq!(count, expected, "{language}");
    }
}

/// The cells of a table's rows.
fn rows(page: &str) -> impl Iterator<Item = Vec<String>> {
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let row = row.replace("\\|", "\u{0}");
        row.trim_matches('|').split('|').map(|cell| cell.replace('\u{0}', "|").trim().to_owned()).collect()
    })
}

/// Returns the text between backquotes, if it is the whole cell.
fn code(cell: &str) -> Option<&str> {
    cell.strip_prefix('`')?.strip_suffix('`').filter(|code| !code.contains('`'))
}

/// A SOLOIST formula, read and printed.
fn printed_soloist(formula: &str) -> String {
    let (read, found) = parse_formula(formula);
    assert_eq!(found, [], "{formula}");
    soloist::print(&read.unwrap_or_else(|| panic!("{formula}")))
}

/// The body of an MTL property, read and printed.
fn printed_mtl(body: &str) -> String {
    let (spec, found) = parse(&format!("mtl page {{ {body} }}"));
    assert_eq!(found, [], "{body}");
    mtl::print(&spec.properties[0])
}

/// Reads every formula in the tables of a page; how many rows have an operator with an example.
fn operators(page: &str, print: fn(&str) -> String) -> usize {
    let mut operators = 0;
    for row in rows(page) {
        let formulae: Vec<&str> = row.iter().filter_map(|cell| code(cell)).collect();
        let plain = formulae.iter().filter(|formula| !formula.contains("{K") && !formula.contains("[K]"));
        let printed: Vec<String> = plain.map(|formula| print(formula)).collect();
        if row[1].starts_with('`') {
            // A row of the table of spellings: all mean the same.
            assert!(printed.windows(2).all(|pair| pair[0] == pair[1]), "{printed:?}");
        } else if row.len() == 3 {
            assert!(code(&row[2]).is_some(), "{row:?}");
            operators += 1;
        }
    }
    operators
}

/// Returns the texts between backquotes in a row.
fn codes_of(row: &[String]) -> Vec<&str> {
    row.iter().flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

/// The body of an ALBERT property, read and printed; `None` if something is wrong with it.
fn printed_albert(body: &str) -> Option<String> {
    let source = format!("time in s\nalbert page {{ {body} }}");
    let (spec, _) = parse(&source);
    judge(&source).is_empty().then(|| albert::print(&spec.properties[0]))
}

#[test]
fn what_the_page_on_states_says_is_read_is_read_and_what_it_refuses_is_refused() {
    let page = language_page("albert");
    let (said, refused) = page.split_once("## Unsupported formulae").expect("the page has this part");
    let read = |written: &str| printed_albert(written).or_else(|| printed_albert(&format!("{written} = 1")));
    let (mut examples, mut refusals) = (0, 0);
    for row in rows(said) {
        match row.as_slice() {
            [_, _, example] => {
                let example = code(example).unwrap_or_else(|| panic!("{row:?}"));
                assert!(
                    printed_albert(example).is_some(),
                    "{example}: {:?}",
                    judge(&format!("albert p {{ {example} }}"))
                );
                examples += 1;
            }
            _ => {
                for written in codes_of(&row[..1]) {
                    assert!(read(written).is_some(), "{written}");
                }
            }
        }
    }
    for row in rows(refused) {
        let [wrong, _, right] = row.as_slice() else { panic!("{row:?}") };
        for written in codes_of(std::slice::from_ref(wrong)) {
            assert_eq!(read(written), None);
            refusals += 1;
        }
        for written in codes_of(std::slice::from_ref(right)) {
            assert!(read(written).is_some(), "{written}");
        }
    }
    assert!((examples, refusals) >= (28, 7), "{examples}, {refusals}");
}

/// The part of a page under a heading.
fn section<'p>(page: &'p str, heading: &str) -> &'p str {
    let start = page.find(&format!("## {heading}\n")).unwrap_or_else(|| panic!("no part `{heading}`"));
    let rest = &page[start + 3..];
    &rest[..rest.find("\n## ").unwrap_or(rest.len())]
}

/// The body of a pattern, read and printed.
fn printed_pattern(body: &str) -> String {
    let (spec, found) = parse(&format!("pattern page {{ {body} }}"));
    assert_eq!(found, [], "{body}");
    pattern::print(&spec.properties[0])
}

#[test]
fn the_scopes_behaviours_and_bounds_of_the_page_go_together() {
    let page = language_page("pattern");
    let column = |heading: &str| -> Vec<String> {
        let rows: Vec<Vec<String>> = rows(section(&page, heading)).collect();
        rows.iter().flat_map(|row| codes_of(&row[..1])).map(str::to_owned).collect()
    };
    let (scopes, behaviours) = (column("Scopes"), column("Behaviours"));
    let mut cells = BTreeSet::new();
    for scope in &scopes {
        cells.extend(behaviours.iter().map(|behaviour| printed_pattern(&format!("{scope}: {behaviour}"))));
    }
    assert_eq!((scopes.len(), behaviours.len(), cells.len()), (9, 18, 9 * 18));
    let bounds = rows(section(&page, "Time")).map(|row| {
        let codes = codes_of(&row[..2]);
        printed_pattern(&format!("globally: {} {}", codes[1], codes[0]))
    });
    assert_eq!(bounds.count(), 5);
    let spellings = rows(section(&page, "Spellings")).map(|row| {
        let printed: BTreeSet<String> = codes_of(&row).into_iter().map(printed_pattern).collect();
        assert_eq!(printed.len(), 1, "{printed:?}");
    });
    assert_eq!(spellings.count(), 5);
}

#[test]
fn what_the_page_on_the_mu_calculus_says_is_read_and_what_it_refuses_is_refused() {
    let page = language_page("mu");
    let is_read = |formula: &str| {
        let (spec, found) = parse(&format!("mu page {{ {formula} }}"));
        assert_eq!(spec.properties.is_empty(), !found.is_empty(), "{formula}: {found:?}");
        found.is_empty()
    };
    let names =
        [("rho", "a"), ("sigma", "b"), ("phi", "[c] false"), ("psi", "[d] false"), ("alpha", "e"), ("beta", "f")];
    let (mut read, mut refused) = (0, 0);
    for row in rows(section(&page, "Formulae")) {
        for written in codes_of(&row[..1]) {
            let filled = names.iter().fold(written.to_owned(), |filled, (name, of)| filled.replace(name, of));
            assert!(is_read(&filled) || is_read(&format!("[{filled}] false")), "{written}");
            read += 1;
        }
    }
    for row in rows(section(&page, "Unsupported formulae")) {
        let [wrong, _, right] = row.as_slice() else { panic!("{row:?}") };
        let (wrong, right) = (code(wrong).expect("a formula"), code(right).expect("a formula"));
        assert!(!is_read(wrong) && is_read(right), "{wrong} | {right}");
        refused += 1;
    }
    assert!((read, refused) >= (22, 9), "{read}, {refused}");
}

#[test]
fn the_windows_and_spellings_of_rules_work() {
    let page = language_page("nomad");
    let (mut windows, mut spellings) = (0, 0);
    for row in rows(&page) {
        let codes = codes_of(&row);
        let rule = match codes[0] {
            window if window.starts_with("O[") => |written: &str| format!("P(start(a) | {written} done(b))"),
            context if context.starts_with("done(") => |written: &str| format!("P(start(a) | O[0,1] {written})"),
            _ => continue,
        };
        let printed = codes.iter().map(|written| {
            let (spec, found) = parse(&format!("nomad page {{ {} }}", rule(written)));
            assert_eq!(found, [], "{written}");
            nomad::print(&spec.properties[0])
        });
        let printed: BTreeSet<String> = printed.collect();
        assert_eq!(printed.len(), 1, "{printed:?}");
        windows += usize::from(codes.len() == 1);
        spellings += usize::from(codes.len() > 1);
    }
    assert!((windows, spellings) >= (8, 4), "{windows}, {spellings}");
}

#[test]
fn the_rules_in_xml_say_what_the_blocks_beside_them_say() {
    let page = fs::read_to_string(root().join("docs/rules-xml.md")).expect("the page is there");
    let printed = |source: &str| {
        let (spec, _) = parse(source);
        assert_eq!(judge(source), [], "{source}");
        nomad::print_spec(&spec, &spec.properties.iter().collect::<Vec<_>>())
    };
    let mut rest = page.as_str();
    let (mut files, mut pairs) = (0, 0);
    while let Some(xml) = example(rest, "xml") {
        rest = &rest[rest.find(xml).unwrap() + xml.len()..];
        let read = printed(xml);
        files += 1;
        let next = rest.find("```xml").unwrap_or(rest.len());
        if let Some(text) = example(&rest[..next], "rv") {
            assert_eq!(read, printed(text));
            pairs += 1;
        }
    }
    assert_eq!((files, pairs), (3, 2));
}

#[test]
fn the_queries_of_the_page_are_the_paths_beside_them() {
    let page = fs::read_to_string(root().join("docs/rules-xml.md")).expect("the page is there");
    let mut queries = 0;
    for row in rows(&page).filter(|row| row.len() == 3) {
        let (Some(query), Some(path)) = (code(&row[0]), code(&row[1])) else { continue };
        let xml = format!(
            "<rules><rule id='p' verdict='true'><supposition><message name='login'/></supposition><window from='0' to='1'/>\
             <context><message name='b'/></context><correlation><query message='login'>{query}</query>\
             <query message='b'>x</query></correlation></rule></rules>"
        );
        let (spec, found) = parse(&xml);
        assert_eq!(found, [], "{query}");
        let expected = format!("nomad p {{ P(start(login) | O[0,1] done(b)) / {{{{login.{path}, b.x}}}} }}\n");
        assert_eq!(nomad::print(&spec.properties[0]), expected, "{query}");
        queries += 1;
    }
    assert!(queries >= 9, "{queries}");
}

#[test]
fn the_language_pages_have_formulae_that_work() {
    for (language, print) in [("soloist", printed_soloist as fn(&str) -> String), ("mtl", printed_mtl)] {
        let operators = operators(&language_page(language), print);
        assert!(operators > 15, "{language}: {operators}");
    }
}
