// SPDX-License-Identifier: MIT OR Apache-2.0
//! The automata of all properties over one trace: copies and time under each semantics, beside the engine.

use std::io::Read as _;
use std::time::{Duration, Instant};

use gnomon::automaton::{Mode, Run, Semantics, Word as _, run as run_automaton};
use gnomon::compile::Compiled;
use gnomon::diagnostic::Diagnostic;
use gnomon::ir::core::{Core, FormulaCore};
use gnomon::ir::formula::Formula;
use gnomon::ir::spec::Property;
use gnomon::offline::{self, Listener};
use gnomon::plan;
use gnomon::verdict::{End, Verdict};

use super::invariant;
use super::word::Recording;
use crate::args::Automaton;
use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::render::About;
use crate::spec::SpecFile;
use crate::trouble::Trouble;

/// How often each run is timed; the quickest counts.
const TIMES: usize = 3;

/// The semantics that are compared.
pub(super) const SEMANTICS: [(&str, Semantics); 3] = [
    ("asa", Semantics::Standard),
    ("lasa1", Semantics::Merged(Mode::Standard)),
    ("lasa2", Semantics::Merged(Mode::Critical)),
];

/// What was found of one property.
pub(super) struct Row {
    pub(super) name: String,
    /// How many states the process goes through.
    pub(super) states: usize,
    /// For each of [`SEMANTICS`], its run and the time that it took.
    pub(super) runs: Vec<(Run, Duration)>,
    /// How many operators the engine runs, and how long it takes, the reading of the trace included.
    pub(super) engine: (usize, Duration),
    pub(super) verdict: Verdict,
    /// Whether flags as the paper prints them accept what should be rejected, or the other way round.
    pub(super) printed_differs: Option<bool>,
}

struct Silent;

impl Listener for Silent {}

/// Runs the automata of every `albert` property. `None` if the trace or a property does not allow it; that has been said.
pub(super) fn run(
    arguments: &Automaton,
    path: &str,
    file: &SpecFile,
    compiled: &Compiled,
    console: &Console,
) -> Result<Option<Vec<Row>>, Failure> {
    let mut bytes = Vec::new();
    files::open(path)?.0.read_to_end(&mut bytes).map_err(|error| files::cannot_read(path, &error))?;
    let recording = Recording::new(path, bytes, arguments.format);
    let about = About { spec_name: &file.name, compiled };
    // A name like `start_X` is that of an event where the trace has such events.
    let literal = offline::literal_starts(compiled, recording.input(), &recording.options);
    let compiled = &compiled.with_literal(&literal);
    let trouble = Trouble { about: &about, file, console, reorder: None };
    let mut rows = Vec::new();
    for (property, core) in compiled.properties().zip(compiled.plan.cores()) {
        let (Some(formula), Core::Formula(core)) = (invariant(property), core) else { continue };
        let subject = Subject { compiled, property, formula, core, most: arguments.max_copies };
        match subject.row(&recording) {
            Ok(row) => rows.push(row),
            Err(Obstacle::Trace(error)) => {
                trouble.tell(&error);
                return Ok(None);
            }
            Err(Obstacle::Property(diagnostic)) => {
                file.complain(std::slice::from_ref(&*diagnostic), console);
                return Ok(None);
            }
        }
    }
    if rows.is_empty() {
        return Err(Failure::new("G0914", "the spec has no `albert` property to run as an automaton")
            .at(&file.name)
            .help("leave the trace out to draw what the engine runs"));
    }
    Ok(Some(rows))
}

/// Why there is no row.
enum Obstacle {
    Trace(gnomon::Error),
    Property(Box<Diagnostic>),
}

impl From<gnomon::Error> for Obstacle {
    fn from(error: gnomon::Error) -> Obstacle {
        Obstacle::Trace(error)
    }
}

/// What is run.
struct Subject<'a> {
    compiled: &'a Compiled,
    property: &'a Property,
    formula: &'a Formula,
    core: &'a FormulaCore,
    /// The most copies that are allowed.
    most: usize,
}

impl Subject<'_> {
    fn row(&self, recording: &Recording) -> Result<Row, Obstacle> {
        let automaton = super::alternating(self.compiled, self.property, self.formula).map_err(Obstacle::Property)?;
        let word = recording.word(self.compiled, self.property, &automaton)?;
        let alone = self.alone();
        let (report, time) = timed(|| offline::judge(&alone, recording.input(), &recording.options, &mut Silent));
        let of = |semantics| run_automaton(&automaton, &word, End::Complete, semantics, self.most);
        let runs: Vec<(Run, Duration)> = SEMANTICS.iter().map(|(_, semantics)| timed(|| of(*semantics))).collect();
        let right = runs.iter().find_map(|(run, _)| run.accepts);
        let printed = of(Semantics::Printed(Mode::Standard)).accepts;
        Ok(Row {
            name: self.property.name.clone(),
            states: word.len(),
            engine: (self.core.nodes.len() - 1, time),
            verdict: report?.outcomes.first().map_or(Verdict::Inconclusive, |outcome| outcome.verdict),
            printed_differs: printed.filter(|printed| right.is_some_and(|right| right != *printed)),
            runs,
        })
    }

    /// The property by itself, for the engine.
    fn alone(&self) -> Compiled {
        let mut alone = self.compiled.clone();
        alone.spec.properties = vec![self.property.clone()];
        alone.properties = vec![0];
        alone.plan = plan(vec![Core::Formula(self.core.clone())]);
        alone
    }
}

/// What came of the last of a few times, and how long the quickest took.
fn timed<T>(work: impl Fn() -> T) -> (T, Duration) {
    let mut best = Duration::MAX;
    let mut once = || {
        let start = Instant::now();
        let value = work();
        best = best.min(start.elapsed());
        value
    };
    for _ in 1..TIMES {
        once();
    }
    let value = once();
    (value, best)
}
