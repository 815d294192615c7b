// SPDX-License-Identifier: MIT OR Apache-2.0
//! The example of the first page, as a program.

use gnomon::event::{Event, NoFields};
use gnomon::time::Clock;
use gnomon::verdict::{End, Verdict};

#[test]
fn the_first_page_runs() -> Result<(), String> {
    let (compiled, diagnostics) = gnomon::compile::compile("soloist polite { G(request -> F[0,3] reply) }", &[]);
    let plan = compiled.ok_or_else(|| format!("{diagnostics:?}"))?.plan;
    let (mut monitor, mut symbols) = (plan.start(10), plan.symbols().clone());
    for (index, (name, time)) in (0..).zip([("hello", 0), ("request", 1), ("reply", 3), ("request", 8), ("ping", 20)]) {
        let (name, time) = (symbols.name(name), Clock::default().whole(time));
        monitor.step(&Event { name, index, time, fields: &NoFields });
    }
    let outcome = &monitor.finish(End::Complete)[0];
    println!("polite: {}, {}", outcome.verdict, outcome.violations[0].summary);
    assert_eq!((outcome.verdict, outcome.violated), (Verdict::Violated, 1));
    Ok(())
}

#[test]
fn the_first_page_is_this_program() {
    let page = include_str!("../README.md");
    let program = include_str!("first_page.rs");
    let example = page.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap_or_default();
    let missing = example.lines().filter(|line| !line.starts_with('#') && !program.contains(line.trim()));
    assert_eq!(missing.collect::<Vec<_>>(), [""; 0]);
}
