// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cases with verdicts from an independent evaluator: CSV files and spec files, on the oracle and on the engine.

use std::fs::{File, read_to_string};
use std::path::{Path, PathBuf};

use gnomon_core::diagnostic::Severity;
use gnomon_core::time::Clock;
use gnomon_core::value::Value;
use gnomon_core::verdict::{End, Outcome, Verdict};
use gnomon_ir::check::check;
use gnomon_oracle::{OracleEvent, Trace, judge_each, spec};
use gnomon_test::compare::difference;
use gnomon_trace::{OrderPolicy, OrderedReader, Reader, ReaderSetup, open};

fn folder(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/cases").join(language)
}

fn verdict(word: &str) -> Verdict {
    let verdicts = [Verdict::Holds, Verdict::Violated, Verdict::Inconclusive];
    verdicts.into_iter().find(|verdict| verdict.word() == word).expect("a verdict's word")
}

/// The expected verdict, and the numbers of activated, satisfied, violated and pending obligations where given.
struct Expected {
    verdict: Verdict,
    counts: Option<[u64; 4]>,
}

impl Expected {
    /// `violated`, or `violated 3 1 1 1` with tabs between.
    fn parse(line: &str) -> Expected {
        let mut words = line.split('\t');
        let verdict = verdict(words.next().expect("a verdict"));
        let counts: Vec<u64> = words.map(|word| word.parse().expect("a count")).collect();
        assert!(counts.is_empty() || counts.len() == 4, "{line}");
        Expected { verdict, counts: counts.try_into().ok() }
    }

    fn difference(&self, outcome: &Outcome) -> Result<(), String> {
        let Outcome { activated, satisfied, violated, pending, .. } = *outcome;
        let counts = [activated, satisfied, violated, pending];
        let wanted = self.counts.unwrap_or(counts);
        if (self.verdict, wanted) == (outcome.verdict, counts) {
            return Ok(());
        }
        Err(format!("{} {wanted:?} wanted, the oracle says {} {counts:?}", self.verdict, outcome.verdict))
    }
}

/// The language's folder, how its specs' names end, how many cases there are.
fn judge_all(language: &str, ending: &str, count: usize) {
    let folder = folder(language);
    let expected = read_to_string(folder.join("expected.tsv")).expect("the verdicts are there");
    let mut wrong = Vec::new();
    for line in expected.lines() {
        let (number, expected) = line.split_once('\t').expect("a number and a verdict");
        let spec = folder.join(format!("{number}.{ending}"));
        if let Err(difference) = judge_case(&spec, &folder.join(format!("{number}.csv")), &Expected::parse(expected)) {
            wrong.push(format!("{number}: {difference}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(expected.lines().count(), count);
}

#[test]
fn soloist_gets_the_expected_verdicts() {
    judge_all("soloist", "rv", 60);
}

#[test]
fn mtl_gets_the_expected_verdicts() {
    judge_all("mtl", "rv", 60);
}

#[test]
fn nomad_gets_the_expected_verdicts_and_counts() {
    judge_all("nomad", "rv", 60);
}

#[test]
fn albert_gets_the_expected_verdicts() {
    judge_all("albert", "rv", 60);
}

#[test]
fn qea_gets_the_expected_verdicts() {
    judge_all("qea", "qea", 60);
}

#[test]
fn patterns_get_the_expected_verdicts() {
    judge_all("pattern", "rv", 288);
}

fn judge_case(spec: &Path, csv: &Path, expected: &Expected) -> Result<(), String> {
    let source = read_to_string(spec).map_err(|error| error.to_string())?;
    let (spec, diagnostics) = gnomon_lang::parse(&source);
    if let Some(wrong) = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(format!("{}: {}", wrong.code, wrong.message));
    }
    let property = &spec.properties[0];
    let (core, diagnostics) = check(&spec, property);
    let core = core.ok_or(format!("{diagnostics:?}"))?;
    let plan = gnomon_engine::plan(vec![core.clone()]);

    let name = csv.display().to_string();
    let clock = Clock::new(spec.time.unit);
    let setup = ReaderSetup {
        symbols: plan.symbols().clone(),
        projection: plan.projection().clone(),
        clock,
        ..ReaderSetup::default()
    };
    let file = File::open(csv).map_err(|error| error.to_string())?;
    let reader = open(file, &name, None, setup).map_err(|error| error.to_string())?;
    let mut reader = OrderedReader::new(reader, OrderPolicy::Strict);
    let mut monitor = plan.start(usize::MAX);
    while let Some(event) = reader.next().map_err(|error| error.to_string())? {
        monitor.step(&event);
    }
    // The oracle gets the same file without the reader's help.
    let text = read_to_string(csv).map_err(|error| error.to_string())?;
    let trace = Trace::with_symbols(events(&text, clock)?, reader.symbols().clone());

    let judged = judge_each(&core, &trace, End::Complete, None);
    expected.difference(&judged.0)?;
    if spec::holds(&spec, property, &trace) != (expected.verdict == Verdict::Holds) {
        return Err(format!("{} wanted, the reading with sugar says otherwise", expected.verdict));
    }
    difference(&judged, &monitor.finish(End::Complete)[0]).map_or(Ok(()), Err)
}

/// The events of a table without quotes: `event`, perhaps `time`, then fields. Without times the place is the time.
fn events(text: &str, clock: Clock) -> Result<Vec<OracleEvent>, String> {
    let mut rows = text.lines().map(|line| line.split(',').map(str::trim).collect::<Vec<&str>>());
    let header = rows.next().ok_or("no header")?;
    let mut events = Vec::new();
    for (place, row) in rows.enumerate() {
        let mut event = OracleEvent::new("", clock.whole(place as i64));
        for (name, cell) in header.iter().zip(row) {
            match *name {
                "event" => cell.clone_into(&mut event.name),
                "time" => event.time = clock.parse_number(cell).map_err(|error| error.to_string())?,
                _ if cell.is_empty() => event.fields.push(((*name).to_owned(), None)),
                _ => event.fields.push(((*name).to_owned(), Some(Value::from_cell(cell.to_owned().into())))),
            }
        }
        events.push(event);
    }
    Ok(events)
}
