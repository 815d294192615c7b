// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs the automata of all properties over one trace, and measures copies and time under each semantics and of the engine.

use std::io::Read as _;
use std::time::{Duration, Instant};

use gnomon::automaton::{AlternatingAutomaton, RunOutcome, Semantics, ViolationMode, Word as _, run as run_automaton};
use gnomon::compile::CompiledSpec;
use gnomon::engine::plan;
use gnomon::ir::core::{Core, FormulaCore};
use gnomon::ir::spec::Property;
use gnomon::offline::{self, Listener};
use gnomon::verdict::{End, Verdict};

use super::buffered_trace::BufferedTrace;
use super::invariant;
use crate::args::AutomatonArguments;
use crate::console::Console;
use crate::error_reporter::ErrorReporter;
use crate::failure::Failure;
use crate::files;
use crate::outcome::CommandError;
use crate::render::SpecContext;
use crate::spec::SpecFile;

/// Number of runs of each measurement; the fastest counts.
const REPETITIONS: usize = 3;

/// The semantics that are compared.
pub(super) const SEMANTICS: [(&str, Semantics); 3] = [
    ("asa", Semantics::Standard),
    ("lasa1", Semantics::Merged(ViolationMode::Standard)),
    ("lasa2", Semantics::Merged(ViolationMode::Critical)),
];

/// The measurements of one property.
pub(super) struct Measurement {
    pub(super) name: String,
    /// Number of states of the trace.
    pub(super) states: usize,
    /// The run and its time for each of [`SEMANTICS`].
    pub(super) runs: Vec<(RunOutcome, Duration)>,
    /// Number of operators of the engine, and its time including the reading of the trace.
    pub(super) engine: (usize, Duration),
    pub(super) verdict: Verdict,
    /// The answer of the automaton with flags as the paper prints it, if that answer is wrong.
    pub(super) printed_differs: Option<bool>,
}

struct SilentListener;

impl Listener for SilentListener {}

/// Measures every `albert` property.
pub(super) fn run(
    arguments: &AutomatonArguments,
    path: &str,
    file: &SpecFile,
    compiled: &CompiledSpec,
    console: &Console,
) -> Result<Vec<Measurement>, CommandError> {
    let mut bytes = Vec::new();
    files::open(path)?.0.read_to_end(&mut bytes).map_err(|error| files::cannot_read(path, &error))?;
    let trace = BufferedTrace::new(path, bytes, arguments.format);
    let about = SpecContext { spec_name: &file.name, compiled };
    // A name such as `start_X` refers to an event if the trace has such events.
    let literal = offline::literal_starts(compiled, trace.input(), &trace.options);
    let compiled = &compiled.with_literal(&literal);
    let reporter = ErrorReporter { about: &about, file, console, reorder: None };
    let mut rows = Vec::new();
    for (property, core) in compiled.properties().zip(compiled.plan.cores()) {
        let (Some(formula), Core::Formula(core)) = (invariant(property), core) else { continue };
        let automaton = super::alternating(compiled, property, formula).map_err(|diagnostic| {
            file.print_diagnostics(std::slice::from_ref(&*diagnostic), console);
            CommandError::Reported
        })?;
        let measured = MeasuredProperty { compiled, property, core, max_copies: arguments.max_copies };
        let row = measured.measure(&automaton, &trace).map_err(|error| {
            reporter.report(&error);
            CommandError::Reported
        })?;
        rows.push(row);
    }
    if rows.is_empty() {
        let failure = Failure::new("G0914", "the spec has no `albert` property to run as an automaton");
        return Err(failure.at(&file.name).help("leave the trace out to draw what the engine runs").into());
    }
    Ok(rows)
}

/// A property whose runs are measured.
struct MeasuredProperty<'a> {
    compiled: &'a CompiledSpec,
    property: &'a Property,
    core: &'a FormulaCore,
    /// Limit of simultaneous copies.
    max_copies: usize,
}

impl MeasuredProperty<'_> {
    fn measure(
        &self,
        automaton: &AlternatingAutomaton,
        trace: &BufferedTrace,
    ) -> Result<Measurement, gnomon::run::Error> {
        let word = trace.word(self.compiled, self.property, automaton)?;
        let alone = self.alone();
        let (report, time) = timed(|| offline::judge(&alone, trace.input(), &trace.options, &mut SilentListener));
        let of = |semantics| run_automaton(automaton, &word, End::Complete, semantics, self.max_copies);
        let runs: Vec<(RunOutcome, Duration)> =
            SEMANTICS.iter().map(|(_, semantics)| timed(|| of(*semantics))).collect();
        let right = runs.iter().find_map(|(run, _)| run.accepts);
        let printed = of(Semantics::Printed(ViolationMode::Standard)).accepts;
        Ok(Measurement {
            name: self.property.name.clone(),
            states: word.len(),
            engine: (self.core.nodes.len() - 1, time),
            verdict: report?.outcomes.first().map_or(Verdict::Inconclusive, |outcome| outcome.verdict),
            printed_differs: printed.filter(|printed| right.is_some_and(|right| right != *printed)),
            runs,
        })
    }

    /// Returns a spec with this property only, for the engine.
    fn alone(&self) -> CompiledSpec {
        let mut alone = self.compiled.clone();
        alone.spec.properties = vec![self.property.clone()];
        alone.properties = vec![0];
        alone.plan = plan(vec![Core::Formula(self.core.clone())]);
        alone
    }
}

/// Runs `work` several times. Returns the last result and the shortest time.
fn timed<T>(work: impl Fn() -> T) -> (T, Duration) {
    let mut best = Duration::MAX;
    let mut once = || {
        let start = Instant::now();
        let value = work();
        best = best.min(start.elapsed());
        value
    };
    for _ in 1..REPETITIONS {
        once();
    }
    let value = once();
    (value, best)
}
