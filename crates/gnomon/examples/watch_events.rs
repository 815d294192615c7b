// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks a vector of events one by one.

#![expect(clippy::print_stdout, reason = "an example prints")]

use gnomon::{Spec, Value, fields};

const RULES: &str = r#"
time in ms
event request(id)
event reply(id)
event approve(order)
event ship(order)

mtl answered "Every request is answered within two seconds" {
  forall id. G(request(id) -> F[0,2s] reply(id))
}

mtl authorised "Only orders that were approved are shipped" {
  forall order. G(ship(order) -> P approve(order))
}
"#;

type Fields = Vec<(&'static str, Value<'static>)>;

fn main() -> Result<(), gnomon::Error> {
    let spec = Spec::parse(RULES)?;
    let events: Vec<(&str, i64, Fields)> = vec![
        ("request", 0, fields! { id: 1, user: "ann" }.into()),
        ("reply", 350, fields! { id: 1 }.into()),
        ("request", 900, fields! { id: 2, user: "bob" }.into()),
        ("approve", 1_000, fields! { order: "A-17" }.into()),
        ("ship", 1_500, fields! { order: "A-18" }.into()),
        ("ship", 4_000, fields! { order: "A-17" }.into()),
    ];
    let mut monitor = spec.monitor();
    for (name, time, fields) in events {
        for violation in monitor.event(name, time, fields)? {
            println!("{violation}\n");
        }
    }
    let report = monitor.finish();
    for outcome in report.outcomes() {
        println!(
            "{}: {}, {} of {} satisfied",
            outcome.property(),
            outcome.verdict(),
            outcome.satisfied(),
            outcome.activated()
        );
    }
    Ok(())
}
