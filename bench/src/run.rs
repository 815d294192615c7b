// SPDX-License-Identifier: MIT OR Apache-2.0
//! Judges the workloads with the `gnomon` binary, compares the answers and prints the table.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use clap::Args;
use gnomon_trace::Format;
use serde_json::Value;

use crate::workload::Workload;
use crate::{generate, measure, peers, scan};

#[derive(Args)]
pub(crate) struct Options {
    /// The binary to measure; the release build of this workspace if left out
    #[arg(long)]
    gnomon: Option<PathBuf>,
    /// How many events
    #[arg(long, default_value_t = 10_000_000)]
    events: u64,
    /// The same seed gives the same traces
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Of so many runs the best counts
    #[arg(long, default_value_t = 3)]
    runs: u32,
    /// Only these workloads
    #[arg(long)]
    only: Vec<Workload>,
    /// Where traces are kept
    #[arg(long)]
    data: Option<PathBuf>,
    /// Let other tools judge the traces too: those that pip installs, or also those that cargo builds
    #[arg(long, value_enum, num_args = 0..=1, default_missing_value = "python")]
    peers: Option<peers::Which>,
    /// How many events of each trace the peers judge
    #[arg(long, default_value_t = 200_000)]
    peer_events: u64,
}

/// A workload on disk.
struct Files {
    spec: PathBuf,
    trace: PathBuf,
    report: PathBuf,
    expected: u64,
}

/// Prints the table; false if an answer was wrong.
pub(crate) fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = options.data.clone().unwrap_or_else(|| home.join("data"));
    let gnomon = options.gnomon.clone().unwrap_or_else(|| home.join("../target/release/gnomon"));
    if !gnomon.exists() {
        return Err(format!("there is no `{}`: build it with `cargo build --release`", gnomon.display()).into());
    }
    fs::create_dir_all(&data)?;
    let mut out = io::stdout().lock();
    writeln!(out, "| workload | property | M events/s | M events/CPU-s | of a bare scan | peak MB | violations |")?;
    writeln!(out, "|---|---|---:|---:|---:|---:|---|")?;
    let mut all_right = true;
    let mut rows = Vec::new();
    for (name, workload) in Workload::ALL {
        if !options.only.is_empty() && !options.only.contains(&workload) {
            continue;
        }
        let files = prepare(&data, name, workload, options.events, options.seed)?;
        let bare = bare_scan(&files.trace, options.runs)?;
        let mut best: Option<measure::Cost> = None;
        let mut answer = Answer { events: 0, violations: 0 };
        for _ in 0..options.runs.max(1) {
            let mut command = Command::new(&gnomon);
            command.arg("check").arg(&files.spec).arg(&files.trace).args(["--report", "json"]);
            let (cost, status) = measure::run(&mut command, &files.report)?;
            if status > 1 {
                return Err(format!("`gnomon check` failed on {name} with status {status}").into());
            }
            answer = Answer::read(&files.report)?;
            if best.is_none_or(|best| cost.wall < best.wall) {
                best = Some(cost);
            }
        }
        let Some(cost) = best else { continue };
        let right = answer == Answer { events: options.events, violations: files.expected };
        all_right &= right;
        let speed = |time: Duration| options.events as f64 / time.as_secs_f64() / 1e6;
        // A child that is gone within a clock tick was too quick to be measured in this way.
        let known = |known: bool, figure: f64| if known { format!("{figure:.1}") } else { "-".to_owned() };
        writeln!(
            out,
            "| {name} | `{}` | {:.1} | {} | {:.2} | {} | {} |",
            workload.formula().replace('|', "\\|"),
            speed(cost.wall),
            known(!cost.processor.is_zero(), speed(cost.processor)),
            bare.as_secs_f64() / cost.wall.as_secs_f64(),
            known(cost.peak_bytes > 0, cost.peak_bytes as f64 / 1e6),
            if right {
                format!("{} ok", answer.violations)
            } else {
                format!("WRONG: {} in {} events, not {}", answer.violations, answer.events, files.expected)
            }
        )?;
        out.flush()?;
        if options.peers.is_some() {
            let events = options.peer_events.min(options.events);
            let beginning = prepare(&data, name, workload, events, options.seed)?;
            rows.push(peers::Row {
                name,
                workload,
                speed: (!cost.processor.is_zero()).then(|| speed(cost.processor) * 1e6),
                peak_bytes: cost.peak_bytes,
                right,
                trace: beginning.trace,
                events,
                expected: beginning.expected,
            });
        }
    }
    drop(out);
    if let Some(which) = options.peers {
        peers::run(which, &rows, &data, options.runs)?;
    }
    Ok(all_right)
}

/// Generates what is missing.
fn prepare(data: &Path, name: &str, workload: Workload, events: u64, seed: u64) -> Result<Files, Box<dyn Error>> {
    let stem = format!("{name}-{events}-{seed}");
    let path = |extension: &str| data.join(format!("{stem}.{extension}"));
    let (spec, trace, report, count) = (path("rv"), path("csv"), path("report.json"), path("expected"));
    let is_current = fs::read_to_string(&spec).is_ok_and(|text| text == workload.spec());
    let known = if is_current && trace.exists() { fs::read_to_string(&count).ok() } else { None };
    let expected = if let Some(text) = known {
        text.trim().parse()?
    } else {
        let expected = generate::write(workload, events, seed, Format::Csv, File::create(&trace)?)?;
        // The count comes last: it vouches for the rest.
        fs::write(&spec, workload.spec())?;
        fs::write(&count, format!("{expected}\n"))?;
        expected
    };
    Ok(Files { spec, trace, report, expected })
}

/// The best time of a bare scan. The first one also brings the file into memory, for all.
fn bare_scan(trace: &Path, runs: u32) -> Result<Duration, Box<dyn Error>> {
    let mut best = Duration::MAX;
    for _ in 0..=runs.max(1) {
        let start = Instant::now();
        let scanned = scan::scan(File::open(trace)?)?;
        best = best.min(start.elapsed());
        std::hint::black_box(scanned);
    }
    Ok(best)
}

/// What a report says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Answer {
    events: u64,
    violations: u64,
}

impl Answer {
    fn read(report: &Path) -> Result<Answer, Box<dyn Error>> {
        let report: Value = serde_json::from_str(&fs::read_to_string(report)?)?;
        let number = |pointer: &str| {
            report.pointer(pointer).and_then(Value::as_u64).ok_or_else(|| format!("the report has no number {pointer}"))
        };
        Ok(Answer { events: number("/traces/0/events")?, violations: number("/traces/0/properties/0/violated")? })
    }
}
