// SPDX-License-Identifier: MIT OR Apache-2.0
//! Workloads with known answers, and the harness that prints the table of speeds.
//!
//! `generate` writes a trace of any size from a seed, and knows how often its property is violated. `run` checks such
//! traces with the `gnomon` binary, compares the answers, and relates the speed to a bare scan of the same file, so that
//! figures of different machines can be compared; with `--peers` other tools check them too. `count` compares instructions
//! with the previous release, `curves` draws cost against size. `read` and `scan` measure those parts alone.

mod curves;
mod draws;
mod generate;
mod instructions;
mod measure;
mod peers;
mod row;
mod run;
mod scan;
mod workload;

use std::error::Error;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, Subcommand};
use gnomon_trace::{AnyReader, Format, LogFormat, OrderPolicy, OrderedReader, Reader, ReaderSetup, TextPattern, open};

use crate::workload::Workload;

/// Measures Gnomon on workloads with known answers.
#[derive(Parser)]
#[command(name = "gnomon-bench")]
struct BenchArguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Writes the trace of a workload and prints the expected number of violations
    Generate {
        /// W1, W2, W3, W3b, W4, W5, W5b, W7, W8, W6-response-10, W6-recurrence-1000 and the like
        workload: Workload,
        /// Number of events
        #[arg(long, default_value_t = 10_000_000)]
        events: u64,
        /// Seed of the generator; equal seeds give equal traces
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// csv, ndjson, json, xml, xes, monpoly or text
        #[arg(long, default_value = "csv", value_parser = format)]
        format: Format,
        /// Where to write the trace; standard output if left out
        #[arg(long)]
        out: Option<PathBuf>,
        /// Where to write the spec
        #[arg(long)]
        spec: Option<PathBuf>,
    },
    /// Checks the workloads and prints the table
    Run(run::Options),
    /// Counts instructions per event and compares them with a bare scan and the previous release; needs valgrind
    Count(instructions::CountOptions),
    /// Measures and draws the curves of docs/performance.md; needs valgrind
    Curves(curves::CurveOptions),
    /// Reads a trace with Gnomon's reader without checking a property
    Read {
        /// The trace
        file: PathBuf,
        /// Look at the parameters of the events with this name too
        #[arg(long)]
        want: Vec<String>,
        /// The trace's format; found out if left out
        #[arg(long, value_parser = format)]
        format: Option<Format>,
        /// The pattern of a text log
        #[arg(long)]
        text: Option<String>,
    },
    /// Scans a trace for commas, newlines and numbers
    Scan {
        /// The trace
        file: PathBuf,
    },
}

fn main() -> ExitCode {
    match execute(BenchArguments::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Executes a command. Returns true if all reports were as expected.
fn execute(command: Command) -> Result<bool, Box<dyn Error>> {
    match command {
        Command::Generate { workload, events, seed, format, out, spec } => {
            if let Some(spec) = spec {
                std::fs::write(spec, workload.spec(format))?;
            }
            let expected = match out {
                Some(path) => generate::write(workload, events, seed, format, File::create(path)?)?,
                None => generate::write(workload, events, seed, format, io::stdout().lock())?,
            };
            writeln!(io::stderr(), "{workload}: {events} events, {expected} violations of {}", workload.formula())?;
            Ok(true)
        }
        Command::Run(options) => run::run(&options),
        Command::Count(options) => instructions::count(&options),
        Command::Curves(options) => curves::draw(&options),
        Command::Read { file, want, format, text } => read(&file, &want, format, text.as_deref()),
        Command::Scan { file } => {
            let start = Instant::now();
            let rows = scan::scan(File::open(file)?)?.rows;
            print_speed(rows, start)
        }
    }
}

fn read(file: &Path, want: &[String], format: Option<Format>, text: Option<&str>) -> Result<bool, Box<dyn Error>> {
    let log = text.map(TextPattern::holes).transpose()?.map(LogFormat::Lines);
    let mut setup = ReaderSetup { log, ..ReaderSetup::default() };
    for name in want {
        let name = setup.symbols.name(name);
        setup.projection.add_all(name);
    }
    let start = Instant::now();
    // One loop per format, as in `gnomon check`.
    let count = match open(File::open(file)?, &file.to_string_lossy(), format, setup)? {
        AnyReader::Csv(reader) => count(reader)?,
        AnyReader::Ndjson(reader) => count(reader)?,
        AnyReader::Json(reader) => count(reader)?,
        AnyReader::Xml(reader) => count(reader)?,
        AnyReader::Xes(reader) => count(reader)?,
        AnyReader::Monpoly(reader) => count(reader)?,
        AnyReader::Text(reader) => count(reader)?,
        AnyReader::Logfmt(reader) => count(reader)?,
        AnyReader::Messages(reader) => count(reader)?,
        AnyReader::Otlp(reader) => count(reader)?,
        AnyReader::Arrow(reader) => count(reader)?,
        AnyReader::Events(reader) => count(reader)?,
        AnyReader::Chunked(reader) => count(*reader)?,
    };
    print_speed(count, start)
}

/// Reads a trace to its end, including the parameters of projected events.
fn count<R: Reader>(reader: R) -> Result<u64, Box<dyn Error>> {
    let mut reader = OrderedReader::new(reader, OrderPolicy::Strict);
    let mut count = 0;
    while let Some(event) = reader.next()? {
        count += 1;
        for index in 0..event.fields.parameter_count() {
            std::hint::black_box(event.fields.parameter(index));
        }
    }
    Ok(count)
}

fn print_speed(count: u64, start: Instant) -> Result<bool, Box<dyn Error>> {
    let seconds = start.elapsed().as_secs_f64();
    writeln!(io::stdout(), "{count} in {seconds:.3} s: {:.1} M/s", count as f64 / seconds / 1e6)?;
    Ok(true)
}

fn format(word: &str) -> Result<Format, String> {
    let words: Vec<&str> = Format::ALL.iter().map(|format| format.word()).collect();
    Format::parse(word).ok_or_else(|| format!("`{word}` is none of {}", words.join(", ")))
}
