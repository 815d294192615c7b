// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patterns with more events than a word of memory has bits.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::TestFolder;

/// Returns the verdicts of the engine and of the reference.
fn verdicts(spec: &str, trace: &str) -> [Vec<(String, u64)>; 2] {
    let folder = TestFolder::with(&[("rules.rv", spec), ("day.csv", trace)]);
    [&[][..], &["--reference"]].map(|flags| {
        let output = folder.run(&[&["check", "rules.rv", "day.csv", "--report", "json"], flags].concat());
        let report: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{}", output.stderr));
        let properties = report["traces"][0]["properties"].as_array().expect("a list").iter();
        properties
            .map(|one| {
                (one["verdict"].as_str().expect("a text").to_owned(), one["violated"].as_u64().expect("a number"))
            })
            .collect()
    })
}

#[test]
fn chains_and_sets_of_many_events() {
    for length in [63, 70, 200] {
        let names: Vec<String> = (0..length).map(|index| format!("e{index}")).collect();
        let chain = names.join(", ");
        let last = &names[length - 1];
        let spec = format!(
            "pattern answered {{ globally: {chain} responds to start }}\n\
             pattern preceded {{ globally: {chain} precedes stop }}\n\
             pattern known {{ globally: only start, stop, {chain} }}\n\
             pattern closed {{ between start and {last}: absence of stop }}\n"
        );
        let mut whole = String::from("event,time\nstart,0\n");
        for (time, name) in names.iter().enumerate() {
            writeln!(whole, "{name},{}", time + 1).unwrap();
        }
        let whole = format!("{whole}stop,1000\n");
        let [engine, reference] = verdicts(&spec, &whole);
        assert_eq!(engine, reference);
        assert!(engine.iter().all(|(verdict, _)| verdict == "holds"), "{length}: {engine:?}");
        let broken = whole.replace(&format!("\n{last},"), "\nother,");
        let [engine, reference] = verdicts(&spec, &broken);
        assert_eq!(engine, reference);
        let verdicts: Vec<&str> = engine.iter().map(|(verdict, _)| verdict.as_str()).collect();
        assert_eq!(verdicts, ["violated", "violated", "violated", "holds"], "{length}");
    }
}
