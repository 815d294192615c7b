// SPDX-License-Identifier: MIT OR Apache-2.0
//! A monitor inside a program whose state survives a restart: each run handles one job and leaves one open.
//!
//! Run it several times: `cargo run -p gnomon --example resume`. From the second run on, the job that the run before left open
//! is reported.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::time::SystemTime;
use std::{env, fs};

use gnomon::{Spec, fields};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let spec = Spec::parse(
        "event start(job) event done(job) mtl finished { forall job. G(start(job) -> F[0,10ms] done(job)) }",
    )?;
    let path = env::args().nth(1).map_or(env::temp_dir().join("gnomon-resume.state"), Into::into);
    let mut monitor = match fs::read(&path) {
        Ok(state) => spec.restore(&state)?,
        Err(_) => spec.monitor(),
    };

    // Time has passed since the last run.
    for violation in monitor.advance(SystemTime::now())? {
        println!("since the last run: {violation}\n");
    }
    let job = monitor.event_count();
    monitor.event("start", SystemTime::now(), fields! { job: job, user: "ann" })?;
    monitor.event("done", SystemTime::now(), fields! { job: job })?;
    monitor.event("start", SystemTime::now(), fields! { job: job + 1 })?;

    fs::write(&path, monitor.save())?;
    println!("{} events so far; the state is in {}", monitor.event_count(), path.display());
    Ok(())
}
