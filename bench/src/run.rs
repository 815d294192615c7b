// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the workloads with the `gnomon` binary, compares the answers and prints the table.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use clap::Args;
use gnomon_trace::Format;

use crate::row::{self, BenchRow, ReportNumbers};
use crate::workload::Workload;
use crate::{generate, measure, peers, scan};

#[derive(Args)]
pub(crate) struct Options {
    /// The binary to measure; the release build of this workspace if left out
    #[arg(long)]
    gnomon: Option<PathBuf>,
    /// Number of events
    #[arg(long, default_value_t = 10_000_000)]
    events: u64,
    /// Seed of the generator; equal seeds give equal traces
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of runs, of which the best counts
    #[arg(long, default_value_t = 3)]
    runs: u32,
    /// Number of threads of a second run whose report is compared; 1 omits it
    #[arg(long, default_value_t = 2)]
    jobs: u32,
    /// Only these workloads
    #[arg(long)]
    only: Vec<Workload>,
    /// Folder of the generated traces
    #[arg(long)]
    data: Option<PathBuf>,
    /// Run other tools too: those that pip installs, or also those that cargo builds
    #[arg(long, value_enum, num_args = 0..=1, default_missing_value = "python")]
    peers: Option<peers::Which>,
    /// Number of events of each trace that the peers check
    #[arg(long, default_value_t = 200_000)]
    peer_events: u64,
}

/// A workload on disk.
pub(crate) struct Files {
    pub(crate) spec: PathBuf,
    /// The spec whose property keeps no state.
    idle: PathBuf,
    pub(crate) trace: PathBuf,
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
                rows.push(peers::PeerRow {
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

/// Checks one trace, with one thread and with several, and again with a property that keeps no state.
fn measure_row(
    gnomon: &Path,
    name: &'static str,
    workload: Workload,
    events: u64,
    files: &Files,
    options: &Options,
) -> Result<BenchRow, Box<dyn Error>> {
    let runs = options.runs;
    let bare = bare_scan(&files.trace, runs)?;
    let runner = CheckRunner { gnomon, trace: &files.trace, runs };
    let cost = runner.best(&files.spec, &files.report, &[])?;
    let answer = ReportNumbers::read(&files.report)?;
    let (mut jobs, mut same) = (None, true);
    if options.jobs > 1 {
        let report = files.report.with_extension("jobs.json");
        jobs = Some(runner.best(&files.spec, &report, &["--jobs", &options.jobs.to_string()])?);
        same = fs::read(&files.report)? == fs::read(&report)?;
    }
    let binding_bytes = match workload.live_bindings(answer.activated) {
        Some(bindings) if bindings > 0 => {
            let idle = runner.best(&files.idle, &files.report.with_extension("idle.json"), &[])?;
            Some(cost.peak_bytes.saturating_sub(idle.peak_bytes) / bindings)
        }
        _ => None,
    };
    Ok(BenchRow { name, workload, events, bare, cost, jobs, same, binding_bytes, answer, expected: files.expected })
}

/// Runs `gnomon check` on a trace.
struct CheckRunner<'a> {
    gnomon: &'a Path,
    trace: &'a Path,
    runs: u32,
}

impl CheckRunner<'_> {
    /// Returns the cost of the fastest run.
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

/// Generates the files that are missing.
pub(crate) fn prepare(
    data: &Path,
    name: &str,
    workload: Workload,
    events: u64,
    seed: u64,
) -> Result<Files, Box<dyn Error>> {
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
        // The count is written last: it shows that the other files are complete.
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
