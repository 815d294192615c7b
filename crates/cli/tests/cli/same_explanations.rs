// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports as text, HTML and JSON explain a violation by the same sentence, events, notes, values and deadline. The dashboard shows
//! the fields of the JSON.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use gnomon::compile::compile;
use gnomon::offline::{Listener, NamedInput, Options, judge_reopenable};
use gnomon::report::text::human::{self, TextOptions};
use gnomon::report::{SpecContext, html, json};
use serde_json::Value;

use crate::support::TestFolder;

/// The most rows of an explanation that the text shows, and how many of them are the first.
const MOST_ROWS: usize = 12;
const FIRST_ROWS: usize = 6;

struct Quiet;

impl Listener for Quiet {}

/// Languages without files of cases.
const OTHERS: [(&str, &str); 5] = [
    (
        "mu calm { [true* . alarm] false }\nmu once { forall i:Int. [true* . ask(i) . true* . reply(i) . true* . reply(i)] false }",
        "event,time,i\nask,1,1\nask,2,2\nreply,3,2\nalarm,4,\nreply,5,2\n",
    ),
    (
        "mop next {\n  parameters i\n  events check(i), next(i)\n  ltl: [](next => (*) check)\n  forbid violation\n}",
        "event,time,i\ncheck,1,1\nnext,2,1\nnext,3,1\nnext,4,2\n",
    ),
    (
        "mtl low { G(pay -> avg[250](pay.amount) <= 60) }",
        "event,time,amount\npay,1,90\npay,100,50\npay,200,70.2\npay,300,63.4\n",
    ),
    (
        "nomad fast { P(start(ask) | O[0,3] done(reply)) / {{ask.i, reply.i}} }",
        "event,time,i\nask,1,1\nask,2,2\nreply,3,2\nreply,9,1\n",
    ),
    (
        "time in s\nmtl fast { forall i. G(ask(i) -> F[0,3s] reply(i)) }",
        "event,time,i\nask,2026-11-16T11:42:20Z,1\nreply,2026-11-16T11:42:29Z,1\n",
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The specs of the corpus and of the examples, each with its trace.
fn pairs() -> Vec<(PathBuf, PathBuf)> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for parent in ["conformance/cases", "examples"] {
        let entries = fs::read_dir(root().join(parent)).expect("the folder is there");
        folders.extend(entries.map(|entry| entry.expect("it can be listed").path()).filter(|path| path.is_dir()));
    }
    let mut pairs = Vec::new();
    for folder in folders {
        let entries = fs::read_dir(&folder).expect("the folder is there");
        let files: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
        let has_extension = |path: &Path, extension: &str| path.extension().is_some_and(|found| found == extension);
        for spec in files.iter().filter(|path| has_extension(path, "rv")) {
            let own = spec.with_extension("csv");
            let is_example = folder.starts_with(root().join("examples"));
            let traces =
                files.iter().filter(|path| if is_example { has_extension(path, "csv") } else { **path == own });
            pairs.extend(traces.map(|trace| (spec.clone(), trace.clone())));
        }
    }
    pairs
}

/// A row of an explanation as text: number, time, event, notes.
#[derive(PartialEq, Debug)]
struct Row {
    number: String,
    time: String,
    event: String,
    notes: Vec<String>,
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the rows that follow from the fields of a violation.
fn rows(violation: &Value, lines: bool, fails_as_a_whole: bool) -> Vec<Row> {
    let mut rows: Vec<(u64, Row)> = Vec::new();
    let mut add = |place: &Value, note: &str| {
        let Some(index) = place["event_index"].as_u64() else { return };
        let number = if lines { text(&place["line"]) } else { index.to_string() };
        let row =
            Row { number, time: text(&place["time"]), event: text(&place["event"]), notes: vec![note.to_owned()] };
        match rows.iter_mut().find(|(known, _)| *known == index) {
            Some((_, known)) if note != "decided here" && note != "false here" => known.notes.push(note.to_owned()),
            Some(_) => {}
            None => rows.push((index, row)),
        }
    };
    for cause in violation["because"].as_array().expect("a list") {
        add(cause, cause["note"].as_str().expect("a text"));
    }
    let is_cited = violation["because"].as_array().is_some_and(|because| !because.is_empty());
    if !fails_as_a_whole && (violation["at"]["event_index"] != 0 || !is_cited) {
        add(&violation["at"], "false here");
    }
    add(&violation["decided"], "decided here");
    rows.sort_by_key(|(index, _)| *index);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Compares the drawing of a violation with its fields.
fn compare(drawing: &str, violation: &Value) -> Result<(), String> {
    let head: String = drawing.lines().next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let summary = text(&violation["summary"]).split_whitespace().collect::<Vec<_>>().join(" ");
    if !head.contains(&summary) {
        return Err(format!("the sentence: {summary}"));
    }
    for (name, value) in violation["binding"].as_object().expect("an object") {
        if !head.contains(&format!("{name} = ")) || !head.contains(&text(value)) && head.len() < 100 {
            return Err(format!("the value of `{name}`: {value}"));
        }
    }
    let lines = drawing.contains("(line numbers)");
    let expected = rows(violation, lines, drawing.contains("not true for the required number of values"));
    let shown: Vec<&str> = drawing.lines().filter(|line| line.contains(" | t=")).collect();
    let events: Vec<&&str> = shown.iter().filter(|line| !line.trim_start().starts_with('|')).collect();
    let kept: Vec<&Row> = if expected.len() >= MOST_ROWS && drawing.contains("\n... (") {
        let last = events.len().saturating_sub(FIRST_ROWS);
        expected[..FIRST_ROWS].iter().chain(&expected[expected.len() - last..]).collect()
    } else {
        expected.iter().collect()
    };
    if kept.len() != events.len() {
        return Err(format!("{} events in the drawing, {} in the fields", events.len(), kept.len()));
    }
    for (row, line) in kept.iter().zip(events) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_event =
            words.first() == Some(&row.number.as_str()) && words.contains(&format!("t={}", row.time).as_str());
        let normal = words.join(" ");
        let has_name = normal.contains(&row.event.split_whitespace().collect::<Vec<_>>().join(" "));
        let has_notes =
            row.notes.iter().all(|note| normal.contains(&note.split_whitespace().collect::<Vec<_>>().join(" ")));
        if !(is_event && has_name && has_notes) {
            return Err(format!("{row:?} is not in the line {line}"));
        }
    }
    // Decided between events: the text has a row without an event.
    let silent = shown.iter().find(|line| line.trim_start().starts_with('|'));
    match (violation["decided"]["event_index"].is_null(), silent) {
        (true, Some(line)) if line.contains(&format!("t={}", text(&violation["decided"]["time"]))) => Ok(()),
        (false, None) => Ok(()),
        (_, line) => Err(format!("the time of the decision: {} in {line:?}", violation["decided"])),
    }
}

/// Splits the drawings of the violations of a property.
fn drawings(text: &str) -> Vec<String> {
    let parts = text.split("\nviolation[").skip(1);
    parts.map(|part| format!("violation[{}", part.split("\n\n").next().unwrap_or_default())).collect()
}

fn unescaped(page: &str) -> String {
    let marks = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&apos;", "'"), ("&amp;", "&")];
    marks.iter().fold(page.to_owned(), |page, (escaped, mark)| page.replace(escaped, mark))
}

#[test]
fn text_html_and_json_explain_a_violation_alike() {
    let folder = TestFolder::with(&[]);
    let mut pairs = pairs();
    for (number, (spec, trace)) in OTHERS.iter().enumerate() {
        let (spec_name, trace_name) = (format!("{number}.rv"), format!("{number}.csv"));
        folder.write(&spec_name, spec.as_bytes());
        folder.write(&trace_name, trace.as_bytes());
        pairs.push((folder.path(&spec_name), folder.path(&trace_name)));
    }
    let mut compared: BTreeMap<&str, usize> = BTreeMap::new();
    for (spec_path, trace_path) in &pairs {
        let source = fs::read_to_string(spec_path).expect("the spec is there");
        let Some(compiled) = compile(&source, &[]).0 else {
            assert!(!spec_path.starts_with(folder.path("")), "{}", spec_path.display());
            continue;
        };
        let input = NamedInput::file("t.csv".to_owned(), File::open(trace_path).expect("the trace is there"));
        let Ok(report) = judge_reopenable(&compiled, input, &Options::default(), &mut Quiet) else {
            assert!(!spec_path.starts_with(folder.path("")), "{}", spec_path.display());
            continue;
        };
        let spec = SpecContext { spec_name: "s.rv", compiled: &compiled };
        let page = unescaped(&html::fragment(&spec, &report, usize::MAX));
        let fields = json::render(&spec, std::slice::from_ref(&report), &[None], &[]);
        let fields: Value = serde_json::from_str(&fields).expect("JSON");
        for (index, outcome) in report.outcomes.iter().enumerate() {
            let text = human::violations(&spec, &report, index, TextOptions::plain(usize::MAX));
            let violations = fields["traces"][0]["properties"][index]["violations"].as_array().expect("a list");
            let drawings = drawings(&text);
            assert_eq!(drawings.len(), outcome.violations.len(), "{text}");
            assert_eq!(violations.len(), outcome.violations.len());
            for (drawing, violation) in drawings.iter().zip(violations) {
                let place = || format!("{} on {}", spec_path.display(), trace_path.display());
                assert!(page.contains(drawing.trim_end()), "not in HTML, {}\n{drawing}", place());
                if let Err(difference) = compare(drawing, violation) {
                    panic!("{}: {difference}\n{drawing}\n{violation:#}", place());
                }
                *compared.entry(spec.property(index).language.word()).or_default() += 1;
            }
        }
    }
    println!("{compared:?}");
    for language in ["soloist", "albert", "nomad", "qea", "mtl", "pattern", "mu", "mop"] {
        assert!(compared.get(language).is_some_and(|count| *count > 0), "no violation in {language}: {compared:?}");
    }
}
