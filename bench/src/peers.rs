// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the workloads with other tools from package registries.
//!
//! Each peer has a driver in `bench/peers`, a small Python program that feeds it and prints its result and its cost.
//! Peers are slow beside a compiled monitor, so they check the beginning of a trace only; the generator knows how many
//! violations that has. A peer that cannot be installed or cannot express a property has its reason in the table.

mod child;
mod install;

use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use clap::ValueEnum;
use serde::Deserialize;
use serde_json::Value;

use crate::workload::{Arrival, PlainWorkload, WINDOW};

/// The set of peers to run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, ValueEnum)]
pub(crate) enum Which {
    /// The tools that pip installs, in seconds.
    Python,
    /// All tools, also those that cargo builds in some minutes.
    All,
}

/// A peer and where it comes from.
struct Peer {
    /// The name of the tool and of its driver.
    name: &'static str,
    source: PackageSource,
}

enum PackageSource {
    /// A package of `PyPI`.
    Pip(&'static str),
    /// A package that cargo installs, with a binary of the same name.
    Cargo(&'static str),
}

const PEERS: [Peer; 4] = [
    Peer { name: "reelay", source: PackageSource::Pip("reelay") },
    Peer { name: "rtamt", source: PackageSource::Pip("rtamt") },
    Peer { name: "rtlola", source: PackageSource::Cargo("rtlola-cli") },
    Peer { name: "r2u2", source: PackageSource::Cargo("r2u2_cli") },
];

/// Time limit of a driver.
const SECONDS: u64 = 120;

/// A workload without data, the cost of Gnomon on it, and the beginning of its trace.
pub(crate) struct PeerRow {
    pub(crate) name: &'static str,
    pub(crate) workload: PlainWorkload,
    /// Events per second of processor time, if that could be measured.
    pub(crate) speed: Option<f64>,
    pub(crate) peak_bytes: u64,
    /// True if Gnomon's result was as expected.
    pub(crate) right: bool,
    pub(crate) trace: PathBuf,
    /// The number of events of the beginning, and of its violations.
    pub(crate) events: u64,
    pub(crate) expected: u64,
}

/// Result and cost of a peer on a trace.
#[derive(Clone, PartialEq, Debug, Deserialize)]
struct PeerResult {
    version: String,
    formula: String,
    events: u64,
    violations: Option<u64>,
    #[serde(rename = "cpu_seconds")]
    seconds: f64,
    #[serde(rename = "peak_mb")]
    peak_megabytes: f64,
}

/// Installs the peers, runs them and prints their table.
pub(crate) fn run(which: Which, rows: &[PeerRow], data: &Path, runs: u32) -> Result<(), Box<dyn Error>> {
    let folder = data.join("peers");
    std::fs::create_dir_all(&folder)?;
    let asked = PEERS.iter().filter(|peer| which == Which::All || matches!(peer.source, PackageSource::Pip(_)));
    let mut columns = Vec::new();
    for peer in asked {
        writeln!(io::stderr(), "{}: installing", peer.name)?;
        let ready = install::install(peer, &folder);
        let mut column = Vec::new();
        for row in rows {
            let judged = ready.as_ref().map_err(Clone::clone).and_then(|ready| {
                let _ = writeln!(io::stderr(), "{}: {}", peer.name, row.name);
                best(peer, ready, row, &folder, runs)
            });
            column.push(judged);
        }
        columns.push((peer.name, column));
    }
    print(&mut io::stdout().lock(), rows, &columns)?;
    Ok(())
}

/// The quickest of some runs.
fn best(
    peer: &Peer,
    ready: &install::InstalledPeer,
    row: &PeerRow,
    folder: &Path,
    runs: u32,
) -> Result<PeerResult, String> {
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(peer.name).with_extension("py");
    let mut best: Option<PeerResult> = None;
    for _ in 0..runs.max(1) {
        let mut command = Command::new(&ready.python);
        // Without `-B` Python would write byte code beside the drivers.
        command.arg("-B").arg(&driver).arg(&row.trace).args(task(row.workload));
        command.arg("--seconds").arg(SECONDS.to_string());
        if let Some(binary) = &ready.binary {
            command.arg("--binary").arg(binary);
        }
        // The driver has a time limit of its own and stops its children; this limit is for a driver that hangs.
        let text = child::output(&mut command, Duration::from_secs(SECONDS + 30), folder)?;
        let judged = PeerResult::read(&text)?;
        if best.as_ref().is_none_or(|best| judged.seconds < best.seconds) {
            best = Some(judged);
        }
    }
    best.ok_or_else(|| "it was not run".to_owned())
}

/// The property, as the drivers take it.
fn task(workload: PlainWorkload) -> Vec<String> {
    let (kind, trigger, answer, bound, limit) = match workload {
        PlainWorkload::Response(Arrival::OneByOne, bound) => ("response", "start", "complete", bound, 0),
        PlainWorkload::Response(Arrival::Overlapping, bound) => ("response", "req", "ack", bound, 0),
        PlainWorkload::Precedence => ("precedence", "logon", "check", 0, 0),
        PlainWorkload::Count { limit, .. } => ("count", "logoff", "withdraw", WINDOW, limit),
        PlainWorkload::Recurrence(bound) => ("recurrence", "", "tick", bound, 0),
    };
    let options = [("--trigger", trigger.to_owned()), ("--answer", answer.to_owned())];
    let numbers = [("--bound", bound.to_string()), ("--limit", limit.to_string())];
    let options = options.into_iter().chain(numbers).flat_map(|(name, value)| [name.to_owned(), value]);
    std::iter::once(kind.to_owned()).chain(options).collect()
}

impl PeerResult {
    /// Reads a driver's line, or the reason in it.
    fn read(text: &str) -> Result<PeerResult, String> {
        let value: Value = serde_json::from_str(text.trim()).map_err(|_| "its driver printed no JSON".to_owned())?;
        if let Some(reason) = value.get("reason").and_then(Value::as_str) {
            return Err(reason.to_owned());
        }
        PeerResult::deserialize(value).map_err(|error| format!("its driver printed something else: {error}"))
    }

    /// Events per second of processor time.
    fn speed(&self) -> f64 {
        self.events as f64 / self.seconds
    }

    /// Returns true if the result is the expected one; `None` where the two cannot be compared.
    fn is_right(&self, row: &PeerRow) -> Option<bool> {
        self.violations.map(|violations| violations == row.expected && self.events == row.events)
    }
}

type Column = (&'static str, Vec<Result<PeerResult, String>>);

fn print(out: &mut impl Write, rows: &[PeerRow], columns: &[Column]) -> io::Result<()> {
    write!(out, "\n| workload | gnomon |")?;
    for (name, column) in columns {
        let version = column.iter().find_map(|judged| judged.as_ref().ok()).map_or("", |judged| &judged.version);
        write!(out, " {} |", format!("{name} {version}").trim_end())?;
    }
    writeln!(out, " gnomon : best peer |")?;
    writeln!(out, "|---|---|{}---:|", "---|".repeat(columns.len()))?;
    for (index, row) in rows.iter().enumerate() {
        let speed = row.speed.map_or("-".to_owned(), |speed| format!("{:.2} M", speed / 1e6));
        let tick = if row.right { "✓" } else { "WRONG" };
        write!(out, "| {} | {speed}, {:.0} MB {tick} |", row.name, row.peak_bytes as f64 / 1e6)?;
        for (_, column) in columns {
            write!(out, " {} |", cell(&column[index], row))?;
        }
        writeln!(out, " {} |", ratio(row, columns, index))?;
    }
    if let Some(row) = rows.first() {
        writeln!(
            out,
            "\nEvents per CPU-second, parsing included, and peak memory. ✓ (n): n violations, as expected; (0): none to be \
             found, which proves little. The peers judged the first {} events of each trace.",
            row.events
        )?;
    }
    if columns.iter().any(|(_, column)| column.iter().any(Result::is_ok)) {
        writeln!(out, "\n| peer | workload | what it judged |\n|---|---|---|")?;
    }
    for (name, column) in columns {
        for (row, judged) in rows.iter().zip(column) {
            if let Ok(judged) = judged {
                writeln!(out, "| {name} | {} | `{}` |", row.name, in_cell(&judged.formula))?;
            }
        }
    }
    Ok(())
}

fn cell(judged: &Result<PeerResult, String>, row: &PeerRow) -> String {
    let judged = match judged {
        Ok(judged) => judged,
        Err(reason) => return format!("- ({})", in_cell(reason)),
    };
    let verdict = match (judged.is_right(row), judged.violations) {
        (Some(true), _) if row.expected == 0 => "(0)".to_owned(),
        (Some(true), _) => format!("✓ ({})", row.expected),
        (Some(false), Some(found)) => format!("WRONG: {found} in {} events, not {}", judged.events, row.expected),
        _ => "not comparable".to_owned(),
    };
    format!("{:.3} M, {:.0} MB {verdict}", judged.speed() / 1e6, judged.peak_megabytes)
}

/// Returns the speed of Gnomon relative to the fastest peer whose result is not wrong.
fn ratio(row: &PeerRow, columns: &[Column], index: usize) -> String {
    let candidates =
        columns.iter().filter_map(|(name, column)| column[index].as_ref().ok().map(|judged| (name, judged)));
    let right = candidates.filter(|(_, judged)| judged.is_right(row) != Some(false));
    let best = right.max_by(|(_, left), (_, right)| left.speed().total_cmp(&right.speed()));
    match (row.speed, best) {
        (Some(speed), Some((name, judged))) => format!("{:.1} ({name})", speed / judged.speed()),
        _ => "-".to_owned(),
    }
}

/// Escapes text for a cell of a Markdown table.
fn in_cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use gnomon_trace::Format;

    use super::*;
    use crate::workload::Workload;

    /// The workloads that peers run.
    fn plain() -> impl Iterator<Item = (&'static str, PlainWorkload)> {
        Workload::ALL.into_iter().filter_map(|(name, workload)| match workload {
            Workload::Plain(plain) => Some((name, plain)),
            Workload::Data(_) | Workload::Plugin(_) | Workload::Rules | Workload::Tasks | Workload::Clocks => None,
        })
    }

    fn row(workload: PlainWorkload) -> PeerRow {
        let (trace, right) = (PathBuf::new(), true);
        let (speed, peak_bytes) = (Some(8e6), 5_000_000);
        PeerRow { name: "W1", workload, speed, peak_bytes, right, trace, events: 100, expected: 2 }
    }

    fn driver(violations: &str) -> Result<PeerResult, String> {
        PeerResult::read(&format!(
            "{{\"version\": \"1.0\", \"formula\": \"a || b\", \"events\": 100, \"violations\": {violations}, \
             \"cpu_seconds\": 0.0001, \"peak_mb\": 12.6}}\n"
        ))
    }

    #[test]
    fn a_table_has_figures_and_reasons() {
        let columns: [Column; 4] = [
            ("one", vec![driver("2")]),
            ("two", vec![driver("3")]),
            ("three", vec![driver("null")]),
            ("four", vec![PeerResult::read("{\"reason\": \"it cannot | count\"}")]),
        ];
        let mut out = Vec::new();
        print(&mut out, &[row(PlainWorkload::Precedence)], &columns[..]).unwrap();
        let text = String::from_utf8(out).unwrap();
        let line = text.lines().find(|line| line.starts_with("| W1")).unwrap();
        let cells = [
            "| W1 | 8.00 M, 5 MB ✓ | 1.000 M, 13 MB ✓ (2) | 1.000 M, 13 MB WRONG: 3 in 100 events, not 2 |",
            " 1.000 M, 13 MB not comparable | - (it cannot \\| count) | 8.0 (three) |",
        ];
        assert_eq!(line, cells.concat());
        assert!(text.contains("| one | W1 | `a \\|\\| b` |"));
    }

    #[test]
    fn bad_answers_are_reasons() {
        assert!(PeerResult::read("").unwrap_err().contains("no JSON"));
        assert!(PeerResult::read("{\"version\": \"1\", \"formula\": \"f\"}").unwrap_err().contains("`events`"));
    }

    #[test]
    fn the_drivers_are_there() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
        assert!(PEERS.iter().all(|peer| folder.join(peer.name).with_extension("py").is_file()));
    }

    /// The traces of the peers are prefixes of those of Gnomon.
    #[test]
    fn a_short_trace_begins_a_long_one() {
        let trace = |workload, events| {
            let mut out = Vec::new();
            crate::generate::write(Workload::Plain(workload), events, 7, Format::Csv, &mut out).unwrap();
            out
        };
        for (name, workload) in plain() {
            assert!(trace(workload, 3000).starts_with(&trace(workload, 1000)), "{name}");
        }
    }

    #[test]
    fn a_task_names_the_events_of_the_property() {
        for (name, workload) in plain() {
            let (task, formula) = (task(workload), Workload::Plain(workload).formula());
            for option in ["--trigger", "--answer", "--bound"] {
                let at = task.iter().position(|word| word == option).unwrap();
                // Precedence has no bound.
                assert!(task[at + 1] == "0" || formula.contains(&task[at + 1]), "{name} {option}");
            }
        }
    }
}
