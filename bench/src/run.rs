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

use crate::row::{self, Answer, Row};
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
    /// Judge with so many threads too, and compare the reports; 1 leaves that out
    #[arg(long, default_value_t = 2)]
    jobs: u32,
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
    /// The spec that remembers nothing.
    idle: PathBuf,
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
    row::write_head(&mut out, options.jobs)?;
    let mut all_right = true;
    let mut rows = Vec::new();
    for (name, workload) in Workload::ALL {
        if !options.only.is_empty() && !options.only.contains(&workload) {
            continue;
        }
        let mut lengths = workload.lengths(options.events).into_iter().peekable();
        while let Some(events) = lengths.next() {
            let files = prepare(&data, name, workload, events, options.seed)?;
            let row = measure_row(&gnomon, name, workload, events, &files, options)?;
            all_right &= row.is_right();
            row.write(&mut out)?;
            out.flush()?;
            if let (Some(_), Workload::Plain(plain), None) = (options.peers, workload, lengths.peek()) {
                let events = options.peer_events.min(options.events);
                let beginning = prepare(&data, name, workload, events, options.seed)?;
                rows.push(peers::Row {
                    name,
                    workload: plain,
                    speed: row.processor_speed().map(|speed| speed * 1e6),
                    peak_bytes: row.cost.peak_bytes,
                    right: row.is_right(),
                    trace: beginning.trace,
                    events,
                    expected: beginning.expected,
                });
            }
        }
    }
    drop(out);
    if let Some(which) = options.peers {
        peers::run(which, &rows, &data, options.runs)?;
    }
    Ok(all_right)
}

/// Judges one trace, with one thread and with several, and once more with a property that remembers nothing.
fn measure_row(
    gnomon: &Path,
    name: &'static str,
    workload: Workload,
    events: u64,
    files: &Files,
    options: &Options,
) -> Result<Row, Box<dyn Error>> {
    let runs = options.runs;
    let bare = bare_scan(&files.trace, runs)?;
    let judge = Judge { gnomon, trace: &files.trace, runs };
    let cost = judge.best(&files.spec, &files.report, &[])?;
    let answer = Answer::read(&files.report)?;
    let (mut jobs, mut same) = (None, true);
    if options.jobs > 1 {
        let report = files.report.with_extension("jobs.json");
        jobs = Some(judge.best(&files.spec, &report, &["--jobs", &options.jobs.to_string()])?);
        same = fs::read(&files.report)? == fs::read(&report)?;
    }
    let binding_bytes = match workload.live_bindings(answer.activated) {
        Some(bindings) if bindings > 0 => {
            let idle = judge.best(&files.idle, &files.report.with_extension("idle.json"), &[])?;
            Some(cost.peak_bytes.saturating_sub(idle.peak_bytes) / bindings)
        }
        _ => None,
    };
    Ok(Row { name, workload, events, bare, cost, jobs, same, binding_bytes, answer, expected: files.expected })
}

/// What judges a trace.
struct Judge<'a> {
    gnomon: &'a Path,
    trace: &'a Path,
    runs: u32,
}

impl Judge<'_> {
    /// The quickest of some runs.
    fn best(&self, spec: &Path, report: &Path, arguments: &[&str]) -> Result<measure::Cost, Box<dyn Error>> {
        let mut best: Option<measure::Cost> = None;
        for _ in 0..self.runs.max(1) {
            let mut command = Command::new(self.gnomon);
            command.arg("check").arg(spec).arg(self.trace).args(["--report", "json"]).args(arguments);
            let (cost, status) = measure::run(&mut command, report)?;
            if status > 1 {
                return Err(format!("`gnomon check` failed on {} with status {status}", self.trace.display()).into());
            }
            if best.is_none_or(|best| cost.wall < best.wall) {
                best = Some(cost);
            }
        }
        best.ok_or_else(|| "nothing was run".into())
    }
}

/// Generates what is missing.
fn prepare(data: &Path, name: &str, workload: Workload, events: u64, seed: u64) -> Result<Files, Box<dyn Error>> {
    let stem = format!("{name}-{events}-{seed}");
    let path = |extension: &str| data.join(format!("{stem}.{extension}"));
    let (spec, idle, trace) = (path("rv"), path("idle.rv"), path("csv"));
    let (report, count) = (path("report.json"), path("expected"));
    let is_current = fs::read_to_string(&spec).is_ok_and(|text| text == workload.spec(Format::Csv));
    let known = if is_current && trace.exists() { fs::read_to_string(&count).ok() } else { None };
    let expected = if let Some(text) = known {
        text.trim().parse()?
    } else {
        let expected = generate::write(workload, events, seed, Format::Csv, File::create(&trace)?)?;
        // The count comes last: it vouches for the rest.
        fs::write(&idle, workload.idle_spec())?;
        fs::write(&spec, workload.spec(Format::Csv))?;
        fs::write(&count, format!("{expected}\n"))?;
        expected
    };
    Ok(Files { spec, idle, trace, report, expected })
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
