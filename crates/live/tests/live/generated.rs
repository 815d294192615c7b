// SPDX-License-Identifier: MIT OR Apache-2.0
//! Watches of generated properties that are killed and restarted publish each violation that `check` reports, once.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use gnomon_core::random::Random;
use gnomon_core::time::Clock;
use gnomon_core::verdict::{End, Simultaneous};
use gnomon_ir::spec::Language;
use gnomon_live::{Live, Options};
use gnomon_report::json::write::object_text;
use gnomon_report::{SpecContext, json};
use gnomon_run::compile::{CompiledSpec, compile_file};
use gnomon_run::offline::{DivideBy, Listener, NamedInput, Options as Offline, ReportedViolation, judge};
use gnomon_store::history::ViolationQuery;
use gnomon_test::case::Case;
use gnomon_test::property::for_all_in;
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::restart::copy;
use crate::support::{StoreFolder, options, properties, send};

/// Case, position and binding of a violation.
type Place = (Option<String>, u64, String);

/// Lists the positions of a violation in the JSON of reports.
fn places(case: Option<&str>, violation: &str) -> Vec<Place> {
    let violation: Value = serde_json::from_str(violation).unwrap();
    let first = violation["at"]["position"].as_u64().unwrap();
    let last = violation["until_position"].as_u64().unwrap_or(first);
    let binding = violation["binding"].to_string();
    (first..=last).map(|position| (case.map(str::to_owned), position, binding.clone())).collect()
}

/// Collects the violations that `check` reports while it reads.
struct Collector<'a> {
    compiled: &'a CompiledSpec,
    places: Vec<Place>,
}

impl Listener for Collector<'_> {
    fn violation(&mut self, found: &ReportedViolation<'_>) {
        let about = SpecContext { spec_name: "case.rv", compiled: self.compiled };
        let text = object_text(|fields| json::violation(fields, found.violation, None, &about, found.context));
        self.places.extend(places(found.case, &text));
    }
}

/// Returns the violations that `check --prefix` reports, sorted.
fn checked(compiled: &CompiledSpec, lines: &[String], by: Option<&str>) -> Result<Vec<Place>, String> {
    let options = Offline {
        by: by.map_or(DivideBy::Whole, |field| DivideBy::Field(field.to_owned())),
        end: End::Prefix,
        report_violations: true,
        ..Offline::default()
    };
    let input = NamedInput::stream("trace.ndjson".to_owned(), std::io::Cursor::new(lines.concat()));
    let mut collector = Collector { compiled, places: Vec::new() };
    judge(compiled, input, &options, &mut collector).map_err(|error| error.to_string())?;
    collector.places.sort();
    Ok(collector.places)
}

/// Returns the violations that a watch published, sorted.
fn published(live: &Live) -> Vec<Place> {
    let query = ViolationQuery { limit: 100_000, ..ViolationQuery::default() };
    let rows = live.history().violations(&query).unwrap();
    let mut all: Vec<Place> = rows.iter().flat_map(|row| places(row.case.as_deref(), &row.json)).collect();
    all.sort();
    all
}

fn line(event: &gnomon_oracle::OracleEvent) -> String {
    let mut line = format!("{{\"event\":\"{}\",\"time\":{}", event.name, Clock::default().print_number(event.time));
    for (name, value) in &event.fields {
        if let Some(value) = value {
            let _ = write!(line, ",\"{name}\":{value}");
        }
    }
    line + "}\n"
}

/// Returns the newest file of the journal and its length.
fn journal_end(store: &Path) -> (PathBuf, u64) {
    let files = fs::read_dir(store.join("journal")).unwrap().map(|entry| entry.unwrap().path());
    let newest = files.filter(|path| path.extension().is_some_and(|extension| extension == "gnj")).max().unwrap();
    let length = fs::metadata(&newest).unwrap().len();
    (newest, length)
}

/// Leaves the store as a crash would: some records reached the journal but not the history, and the last may be cut.
fn cut_journal(store: &Path, before: &(PathBuf, u64), random: &mut Random) {
    let (newest, length) = journal_end(store);
    if newest.file_name() == before.0.file_name() && length > before.1 {
        let keep = before.1 + random.index((length - before.1 + 1) as usize) as u64;
        OpenOptions::new().write(true).open(newest).unwrap().set_len(keep).unwrap();
    }
}

async fn watch(own: &mut Options, lines: &[String], random: &mut Random) -> Vec<Place> {
    let mut store = StoreFolder::new();
    own.store = Some(store.path().to_owned());
    let mut live = Live::open(own.clone()).unwrap().0;
    let mut sent = 0;
    let mut restarts = 0;
    while sent < lines.len() {
        let end = (sent + 1 + random.index(3)).min(lines.len());
        send(&live, lines[sent..end].concat()).await.unwrap();
        sent = end;
        if restarts >= 4 || random.index(2) == 0 {
            continue;
        }
        restarts += 1;
        let next = StoreFolder::new();
        copy(store.path(), next.path());
        let before = journal_end(next.path());
        if sent < lines.len() {
            send(&live, lines[sent].clone()).await.unwrap();
            copy(&store.path().join("journal"), &next.path().join("journal"));
            cut_journal(next.path(), &before, random);
        }
        live.close();
        store = next;
        own.store = Some(store.path().to_owned());
        live = Live::open(own.clone()).unwrap().0;
        sent = properties(&live.report(false).await)[0].as_u64().unwrap() as usize;
    }
    live.close();
    published(&live)
}

fn is_part_of(part: &[Place], whole: &[Place]) -> bool {
    let mut rest = whole.to_vec();
    part.iter().all(|place| rest.iter().position(|other| other == place).map(|at| rest.remove(at)).is_some())
}

fn is_published_once(case: &Case, by: Option<&str>) -> Result<(), String> {
    let text = case.spec_text();
    let (compiled, diagnostics) = compile_file("case.rv", &text, &[]);
    let compiled = compiled.ok_or_else(|| format!("{text}: {diagnostics:?}"))?;
    let lines: Vec<String> = case.events.iter().map(line).collect();
    let whole = checked(&compiled, &lines, by)?;
    let mut random = Random::new(lines.len() as u64 + text.len() as u64);
    let own = options("case.rv", &text);
    let mut own = Options { by: by.map(str::to_owned), snapshot_every: 1 + random.below(6), ..own };
    let found = Runtime::new().unwrap().block_on(watch(&mut own, &lines, &mut random));
    // Events of the last time may have successors at the same time: where they are one position, it is still open.
    let merges = case.core()?.simultaneous() == Simultaneous::Merge;
    let last = case.events.last().map(|event| event.time);
    let closed = case.events.iter().filter(|event| !merges || Some(event.time) < last).count();
    let certain = checked(&compiled, &lines[..closed], by)?;
    if is_part_of(&found, &whole) && is_part_of(&certain, &found) {
        return Ok(());
    }
    Err(format!("by {by:?}: `check` reports {whole:?}, certain are {certain:?}, the watch published {found:?}"))
}

/// Watches properties of a language, whole and divided by a field of its events.
fn in_language(language: Language, field: &str) {
    for_all_in(language, "watch", 30, |case| is_published_once(case, None));
    for_all_in(language, "watch by a field", 30, |case| is_published_once(case, Some(field)));
}

#[test]
fn soloist() {
    in_language(Language::Soloist, "v");
}

#[test]
fn mtl() {
    in_language(Language::Mtl, "a");
}

#[test]
fn albert() {
    in_language(Language::Albert, "v");
}

#[test]
fn nomad() {
    in_language(Language::Nomad, "id");
}

#[test]
fn qea() {
    in_language(Language::Qea, "a");
}

#[test]
fn mu() {
    in_language(Language::Mu, "a");
}

#[test]
fn ccsl() {
    in_language(Language::Ccsl, "v");
}

#[test]
fn mop() {
    in_language(Language::Mop, "a");
}

#[test]
fn patterns() {
    in_language(Language::Pattern, "a");
}
