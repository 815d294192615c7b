// SPDX-License-Identifier: MIT OR Apache-2.0
//! A watch reports the same as `check` for the traces of the examples.

use std::fs;
use std::path::PathBuf;

use gnomon_core::random::Random;
use gnomon_live::{Live, Options};
use gnomon_run::compile::compile_file;

use crate::support::{StoreFolder, assert_same, check, export, ndjson, options, properties, root, send, status_after};

/// Returns every spec of the examples with each of its traces.
fn examples() -> Vec<(PathBuf, PathBuf)> {
    let mut pairs = Vec::new();
    for folder in fs::read_dir(root().join("examples")).unwrap() {
        let files: Vec<PathBuf> =
            fs::read_dir(folder.unwrap().path()).unwrap().map(|file| file.unwrap().path()).collect();
        let with = |ends: &[&str]| {
            let fits =
                |path: &&PathBuf| ends.iter().any(|end| path.extension().is_some_and(|extension| extension == *end));
            files.iter().filter(fits).cloned().collect::<Vec<_>>()
        };
        for spec in with(&["rv", "qea"]) {
            pairs.extend(with(&["csv", "ndjson", "xml"]).into_iter().map(|trace| (spec.clone(), trace)));
        }
    }
    pairs.sort();
    pairs
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn examples_are_judged_alike() {
    let mut judged = 0;
    for (spec_path, trace_path) in examples() {
        let spec = fs::read_to_string(&spec_path).unwrap();
        let spec_name = spec_path.file_name().unwrap().to_string_lossy().into_owned();
        let (compiled, diagnostics) = compile_file(&spec_name, &spec, &[]);
        let compiled = compiled.unwrap_or_else(|| panic!("{diagnostics:?}"));
        if !compiled.spec.externs.is_empty() || trace_path.to_string_lossy().ends_with("printed-order.ndjson") {
            continue;
        }
        let trace = ndjson(&trace_path, compiled.spec.time.field.clone());
        let lines: Vec<&str> = trace.split_inclusive('\n').collect();
        let folder = StoreFolder::new();
        let own = Options { store: Some(folder.path().to_owned()), ..options(&spec_name, &spec) };
        let (live, _) = Live::open(own).unwrap();
        let mut random = Random::new(judged + 1);
        let mut rest = &lines[..];
        while !rest.is_empty() {
            let (now, later) = rest.split_at((1 + random.index(40)).min(rest.len()));
            send(&live, now.concat()).await.unwrap_or_else(|error| panic!("{}: {error}", trace_path.display()));
            rest = later;
        }
        for prefix in [false, true] {
            let expected = check(&spec_name, &spec, &trace, None, prefix);
            let found = properties(&live.report(!prefix).await);
            assert_same(&found, &expected, &format!("{} on {}", spec_path.display(), trace_path.display()));
        }
        // The export evaluates like the original.
        let again = check(&spec_name, &spec, &export(&live), None, false);
        assert_same(&again, &check(&spec_name, &spec, &trace, None, false), &spec_path.display().to_string());
        live.close();
        judged += 1;
    }
    assert!(judged > 15, "{judged}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cases_are_judged_alike() {
    let spec = "time in s\nmtl answered { forall i. G(ask(i) -> F[0,5] answer(i)) }\nsoloist calm { G(ask -> F[0,5] answer) }\n";
    let mut random = Random::new(7);
    let event_at = |time: u32| {
        let event = ["ask", "answer", "other"][random.index(3)];
        let (case, id) = (random.index(5), random.index(3));
        format!("{{\"event\":\"{event}\",\"time\":{time},\"i\":{id},\"session\":\"s{case}\"}}\n")
    };
    let trace: String = (0..400).map(event_at).collect();
    let own = Options { by: Some("session".to_owned()), ..options("cases.rv", spec) };
    let (live, _) = Live::open(own).unwrap();
    for part in trace.split_inclusive('\n').collect::<Vec<_>>().chunks(17) {
        send(&live, part.concat()).await.unwrap();
    }
    for prefix in [false, true] {
        let expected = check("cases.rv", spec, &trace, Some("session"), prefix);
        assert_same(&properties(&live.report(!prefix).await), &expected, "cases");
    }
    let status = status_after(&live, 400).await;
    assert_eq!((status.events.judged, status.cases.map(|cases| cases.field)), (400, Some("session".to_owned())));
    live.close();
}
