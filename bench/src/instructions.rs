// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instructions per event, counted by callgrind: figures that neither other programs nor the clock of the machine disturb.
//!
//! A workload is checked at two lengths; the difference is the cost of the further events, without that of the start. No violation is
//! listed, because explanations cost once for each and there are few. The same is done with the bare scan. `bench/baseline.tsv` has the
//! figures of the previous release.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;

use crate::run;
use crate::workload::Workload;

/// The lengths of the two traces. A workload with 100,000 open tasks is in its steady state between them.
const LENGTHS: [u64; 2] = [200_000, 400_000];

#[derive(Args)]
pub(crate) struct CountOptions {
    /// The program to measure, called as `PROGRAM check SPEC TRACE`; the release build of this workspace if left out
    #[arg(long)]
    gnomon: Option<PathBuf>,
    /// Only these workloads
    #[arg(long)]
    only: Vec<Workload>,
    /// Make the figures the baseline of the next release
    #[arg(long)]
    save: bool,
    /// Folder of the generated traces
    #[arg(long)]
    data: Option<PathBuf>,
}

/// Prints the table; false if a workload takes more than 1.1 times the instructions of the previous release.
pub(crate) fn count(options: &CountOptions) -> Result<bool, Box<dyn Error>> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = options.data.clone().unwrap_or_else(|| home.join("data"));
    let gnomon = options.gnomon.clone().unwrap_or_else(|| home.join("../target/release/gnomon"));
    fs::create_dir_all(&data)?;
    let path = home.join("baseline.tsv");
    let mut baseline = Baseline::parse(&fs::read_to_string(&path).unwrap_or_default())?;
    let scan = std::env::current_exe()?;
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "| workload | instructions per event | of a bare scan | of the previous release |\n|---|---:|---:|---:|"
    )?;
    let mut all_right = true;
    for (name, workload) in Workload::ALL {
        if !options.only.is_empty() && !options.only.contains(&workload) {
            continue;
        }
        let (mut checks, mut scans) = ([0; 2], [0; 2]);
        for (number, events) in LENGTHS.into_iter().enumerate() {
            let files = run::prepare(&data, name, workload, events, 1)?;
            let arguments = ["--jobs", "1", "--max-violations", "0"];
            checks[number] =
                instructions(Command::new(&gnomon).arg("check").arg(&files.spec).arg(&files.trace).args(arguments))?;
            scans[number] = instructions(Command::new(&scan).arg("scan").arg(&files.trace))?;
        }
        let of_event = |counts: [u64; 2]| counts[1].saturating_sub(counts[0]) as f64 / (LENGTHS[1] - LENGTHS[0]) as f64;
        let (check, scan) = (of_event(checks), of_event(scans));
        let before = baseline.0.get(name).copied();
        all_right &= before.is_none_or(|before| check <= before * 1.1);
        let ratio = before.map_or("-".to_owned(), |before| format!("{:.2}", check / before));
        writeln!(out, "| {name} | {check:.0} | {:.1} | {ratio} |", check / scan)?;
        out.flush()?;
        baseline.0.insert(name.to_owned(), check.round());
    }
    if options.save {
        fs::write(&path, baseline.print())?;
    }
    Ok(all_right || options.save)
}

/// Runs a command under callgrind and returns the number of its instructions.
pub(crate) fn instructions(command: &mut Command) -> Result<u64, Box<dyn Error>> {
    let mut callgrind = Command::new("valgrind");
    callgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    callgrind.arg(command.get_program()).args(command.get_args()).stdin(Stdio::null()).stdout(Stdio::null());
    let output = callgrind.output().map_err(|error| format!("`valgrind` cannot be run: {error}; install it"))?;
    if output.status.code().is_none_or(|status| status > 1) {
        return Err(format!(
            "`{}` failed: {}",
            command.get_program().display(),
            String::from_utf8_lossy(&output.stderr)
        )
        .into());
    }
    collected(&String::from_utf8_lossy(&output.stderr))
        .ok_or_else(|| "callgrind printed no number of instructions".into())
}

/// Finds the number of instructions in what callgrind prints.
fn collected(text: &str) -> Option<u64> {
    let (_, number) = text.lines().find_map(|line| line.split_once("Collected :"))?;
    number.trim().parse().ok()
}

/// Instructions per event of the previous release, by workload.
#[derive(PartialEq, Debug)]
struct Baseline(BTreeMap<String, f64>);

impl Baseline {
    fn parse(text: &str) -> Result<Baseline, Box<dyn Error>> {
        let rows = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let row = |line: &str| -> Result<(String, f64), Box<dyn Error>> {
            let (name, figure) = line.split_once('\t').ok_or_else(|| format!("`{line}` is no row of the baseline"))?;
            Ok((name.to_owned(), figure.trim().parse()?))
        };
        Ok(Baseline(rows.map(row).collect::<Result<_, _>>()?))
    }

    fn print(&self) -> String {
        let head =
            "# Instructions per event of the previous release: `make bench-baseline` writes this file.\n".to_owned();
        self.0.iter().fold(head, |text, (name, figure)| text + &format!("{name}\t{figure}\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_found() {
        let text = "==1== Events    : Ir\n==1== Collected : 8123456\n==1== \n";
        assert_eq!((collected(text), collected("==1== done\n")), (Some(8_123_456), None));
    }

    #[test]
    fn the_baseline_is_read_back() {
        let baseline = Baseline([("W1".to_owned(), 446.0), ("W2".to_owned(), 500.0)].into());
        assert_eq!(Baseline::parse(&baseline.print()).unwrap(), baseline);
        assert!(Baseline::parse("W1 446\n").is_err());
    }
}
