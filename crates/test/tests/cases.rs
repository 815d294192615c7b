// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cases with verdicts from an independent evaluator: CSV files and spec files, on the oracle and on the engine.

use std::fs::{File, read_to_string};
use std::path::{Path, PathBuf};

use gnomon_core::verdict::{End, Verdict};
use gnomon_ir::check::check;
use gnomon_oracle::{OracleEvent, Trace, judge_each, spec};
use gnomon_test::compare::difference;
use gnomon_trace::{Order, Ordered, Reader, Setup, open};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/cases/soloist")
}

fn verdict(word: &str) -> Verdict {
    let verdicts = [Verdict::Holds, Verdict::Violated, Verdict::Inconclusive];
    verdicts.into_iter().find(|verdict| verdict.word() == word).expect("a verdict's word")
}

#[test]
fn oracle_and_engine_give_the_expected_verdicts() {
    let expected = read_to_string(folder().join("expected.tsv")).unwrap();
    let mut wrong = Vec::new();
    for line in expected.lines() {
        let (number, word) = line.split_once('\t').unwrap();
        if let Err(difference) = judge_case(number, verdict(word)) {
            wrong.push(format!("{number}: {difference}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(expected.lines().count(), 60);
}

fn judge_case(number: &str, expected: Verdict) -> Result<(), String> {
    let source = read_to_string(folder().join(format!("{number}.rv"))).map_err(|error| error.to_string())?;
    let (spec, diagnostics) = gnomon_lang::parse(&source);
    assert_eq!(diagnostics, []);
    let property = &spec.properties[0];
    let (core, diagnostics) = check(&spec, property);
    let core = core.ok_or(format!("{diagnostics:?}"))?;
    let plan = gnomon_engine::plan(vec![core.clone()]);

    let name = format!("{number}.csv");
    let file = File::open(folder().join(&name)).map_err(|error| error.to_string())?;
    let setup = Setup {
        symbols: plan.symbols().clone(),
        projection: plan.projection().clone(),
        clock: core.clock,
        ..Setup::default()
    };
    let reader = open(file, &name, None, setup).map_err(|error| error.to_string())?;
    let mut reader = Ordered::new(reader, Order::Strict);
    let mut monitor = plan.start(usize::MAX);
    // These traces have no fields but the time.
    let mut origins = Vec::new();
    while let Some(event) = reader.next().map_err(|error| error.to_string())? {
        monitor.step(&event);
        origins.push((event.name, event.time));
    }
    let text = |name| reader.symbols().name_text(name).to_owned();
    let events = origins.into_iter().map(|(name, time)| OracleEvent::new(text(name), time)).collect();
    let trace = Trace::with_symbols(events, reader.symbols().clone());

    let judged = judge_each(&core, &trace, End::Complete, None);
    if judged.0.verdict != expected {
        return Err(format!("{expected} wanted, the oracle says {}", judged.0.verdict));
    }
    if spec::holds(&spec, property, &trace) != (expected == Verdict::Holds) {
        return Err(format!("{expected} wanted, the reading with sugar says otherwise"));
    }
    difference(&judged, &monitor.finish(End::Complete)[0]).map_or(Ok(()), Err)
}
