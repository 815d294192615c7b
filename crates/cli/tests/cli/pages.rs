// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pages about traces, files and arguments tell the truth: their failing examples fail with the page's code, those
//! that work do. (The pages about specs are held by the tests of the languages.)
//!
//! A block ```` ```csv fails ```` (or of another format) is a trace, judged with the page's ```` ```rv ```` block or with a property that holds
//! of everything; a block ```` ```rv fails ```` is a spec, judged on any trace; a block ```` ```yaml fails ```` is the description of a service.

use std::fs;

use crate::support::{TestFolder, blocks, fenced, root};

const ANY_SPEC: &str = "soloist any { G(true) }\n";
const ANY_TRACE: &str = "event, time\nlogon, 1\n";

#[test]
fn examples_fail_with_their_code_or_work() {
    let mut checked = 0;
    let mut pages: Vec<_> =
        fs::read_dir(root().join("docs/errors")).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    for path in pages {
        let code = path.file_stem().unwrap().to_string_lossy().into_owned();
        if code != "G0115" && code != "G0401" && !code.starts_with("G05") && !code.starts_with("G07") {
            continue;
        }
        let blocks = blocks(&fs::read_to_string(&path).unwrap());
        let spec = blocks.iter().find(|(language, word, _)| language == "rv" && word.is_empty());
        let spec = spec.map_or(ANY_SPEC, |(_, _, body)| body);
        for (language, word, body) in &blocks {
            let (spec, trace, extension) = match language.as_str() {
                "rv" => (body.as_str(), ANY_TRACE, "csv"),
                "yaml" => (spec, ANY_TRACE, "csv"),
                "messages" => (spec, body.as_str(), "ndjson"),
                "otlp" => (spec, body.as_str(), "otlp"),
                "csv" | "ndjson" | "json" | "xml" | "xes" | "monpoly" => (spec, body.as_str(), language.as_str()),
                _ => continue,
            };
            if word != "fails" && word != "works" {
                continue;
            }
            let trace_name = format!("trace.{extension}");
            let folder = TestFolder::with(&[("spec.rv", spec), (&trace_name, trace), ("service.yaml", body)]);
            let mut arguments = vec!["check", "spec.rv", &trace_name];
            arguments.extend(match language.as_str() {
                "yaml" => &["--catalogue", "service.yaml"][..],
                "messages" => &["--format", "messages"],
                _ => &[],
            });
            let output = folder.run(&arguments);
            let complains = output.stderr.contains(&format!("[{code}]"));
            assert_eq!(complains, word == "fails", "{code}, {word}:\n{body}\n{}{}", output.stdout, output.stderr);
            if word == "works" {
                assert_ne!(output.status, 2, "{code}, works:\n{body}\n{}", output.stderr);
            }
            checked += 1;
        }
    }
    assert!(checked >= 20, "only {checked} examples were found");
}

#[test]
fn the_examples_of_the_languages_come_out_as_stated() {
    for (language, least) in [("pattern", 5), ("mu", 4), ("mop", 3), ("ccsl", 3)] {
        let page = fs::read_to_string(root().join(format!("docs/languages/{language}.md"))).unwrap();
        let specs = fenced(&page, "rv");
        assert!(specs.len() >= least, "{language}: {}", specs.len());
        for spec in specs {
            let folder = TestFolder::with(&[("page.rv", &spec)]);
            let output = folder.run(&["test", "page.rv"]);
            assert_eq!(output.status, 0, "{spec}\n{}{}", output.stdout, output.stderr);
            assert!(output.stdout.contains("accepts"), "{spec}");
        }
    }
}
