// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws the clocks of a `ccsl` property over a trace.

use std::io::Read as _;

use gnomon::automaton::timeline::{ClockRow, ClockTimeline, RelationRow, svg};
use gnomon::compile::CompiledSpec;
use gnomon::event::Event;
use gnomon::ir::core::{ClockId, ClockRelationOrigin, ClocksCore, Core};
use gnomon::ir::spec::{Body, Property};
use gnomon::notation;
use gnomon::offline::{Driver, EventSource, Visitor, open_stream, oracle_event};
use gnomon::time::Timestamp;
use gnomon::verdict::Binding;
use gnomon_oracle::explain::is_relevant;
use gnomon_oracle::{ClockHistory, OracleEvent, Trace};

use super::buffered_trace::BufferedTrace;
use crate::args::{AutomatonArguments, DrawingFormat};
use crate::console::Console;
use crate::error_reporter::ErrorReporter;
use crate::failure::Failure;
use crate::files;
use crate::outcome::{CommandError, CommandResult, ExitStatus};
use crate::output::{STDOUT, write_text};
use crate::render::SpecContext;
use crate::render::numbers::TimeFormat;
use crate::spec::SpecFile;

/// The most instants of a drawing, and how many of them are before the first violation.
const MOST_INSTANTS: usize = 60;
const BEFORE_VIOLATION: usize = 40;

pub(super) fn run(
    arguments: &AutomatonArguments,
    path: &str,
    file: &SpecFile,
    compiled: &CompiledSpec,
    (property, whole, core): (&Property, &Core, &ClocksCore),
    console: &Console,
) -> CommandResult {
    if arguments.to == Some(DrawingFormat::Dot) {
        let failure = Failure::new("G0915", "clocks over time are drawn as SVG only").at(&file.name);
        return Err(failure
            .help("write `--to svg`, or leave the trace out to draw clocks and relations as a graph")
            .into());
    }
    let mut bytes = Vec::new();
    files::open(path)?.0.read_to_end(&mut bytes).map_err(|error| files::cannot_read(path, &error))?;
    let trace = BufferedTrace::new(path, bytes, arguments.format);
    let about = SpecContext { spec_name: &file.name, compiled };
    let reporter = ErrorReporter { about: &about, file, console, reorder: None };
    let drawing = timeline(compiled, property, (whole, core), &trace).map_err(|error| {
        reporter.report(&error);
        CommandError::Reported
    })?;
    match arguments.out.as_deref().unwrap_or(STDOUT) {
        STDOUT => console.print(&svg(&drawing))?,
        path => write_text(path, &svg(&drawing))?,
    }
    Ok(ExitStatus::Success)
}

fn timeline(
    compiled: &CompiledSpec,
    property: &Property,
    (whole, core): (&Core, &ClocksCore),
    trace: &BufferedTrace,
) -> Result<ClockTimeline, gnomon::run::Error> {
    let (mut stream, _) = open_stream(compiled, trace.input(), &trace.options)?;
    let mut recorder = EventRecorder { compiled, core: whole, events: Vec::new() };
    let mut driver = Driver::new(compiled, &trace.name, &trace.options);
    let _ = driver.run(&mut stream, &mut recorder)?;
    let events = Trace::new(recorder.events);
    let report = driver.report(&stream, vec![]);
    let times = TimeFormat::for_people(&report);
    let history = ClockHistory::new(core, &events);
    Ok(drawn(property, core, &history, |time| times.time(time)))
}

fn drawn(
    property: &Property,
    core: &ClocksCore,
    history: &ClockHistory<'_>,
    time: impl Fn(Timestamp) -> String,
) -> ClockTimeline {
    let count = history.instants.len();
    let is_violated = |place: usize, instant: usize| {
        let relation = &core.relations[place];
        history.applies(relation, instant) && history.is_broken(relation, instant)
    };
    let relations = || 0..core.relations.len();
    let first = (0..count).find(|instant| relations().any(|place| is_violated(place, *instant)));
    let from = first.map_or(0, |first| first.saturating_sub(BEFORE_VIOLATION));
    let shown = from..count.min(from + MOST_INSTANTS);
    let definition = |name: &str| match &property.body {
        Body::Clocks(clocks) => clocks.definitions.iter().find(|definition| definition.clock.name == name),
        _ => None,
    };
    let has_event = |clock: ClockId| count > 0 && history.count(clock, count - 1) > 0;
    let of_definition = |clock: ClockId| {
        core.relations.iter().any(|one| one.origin == ClockRelationOrigin::PossibleEvent && one.relation.right == clock)
    };
    let clocks =
        (0..core.clock_count() as u32).map(ClockId).filter(|clock| !of_definition(*clock) || has_event(*clock));
    let clocks = clocks.map(|clock| {
        let name = core.clock_name(clock);
        let defined = core.definition(clock).and_then(|_| definition(name));
        let is_event = core.definition(clock).is_none() && definition(name).is_some();
        ClockRow {
            name: match defined {
                Some(definition) => notation::clock_definition(definition),
                None if is_event => format!("event {name}"),
                None => name.to_owned(),
            },
            is_defined: defined.is_some(),
            ticks: shown.clone().map(|i| history.ticks(clock, i).then(|| history.count(clock, i))).collect(),
        }
    });
    let rows = relations().filter(|place| {
        core.relations[*place].origin != ClockRelationOrigin::PossibleEvent
            || has_event(core.relations[*place].relation.right)
    });
    let rows = rows.map(|place| RelationRow {
        text: core.relation_text(&core.relations[place]),
        violated: shown.clone().map(|instant| is_violated(place, instant)).collect(),
    });
    let mut notes =
        vec!["a mark is a tick, with its number; a cross is an instant at which the relation is violated".to_owned()];
    if shown.len() < count {
        notes.push(format!("instants {} to {} of {count}", shown.start + 1, shown.end));
    }
    for relation in core.relations.iter().filter(|relation| history.unserved(relation) > 0) {
        let left = core.clock_name(relation.relation.left);
        let right = core.clock_name(relation.relation.right);
        notes.push(match history.unserved(relation) {
            1 => format!("at the end, the last tick of {left} is not used up by {right}"),
            count => format!("at the end, the last {count} ticks of {left} are not used up by {right}"),
        });
    }
    ClockTimeline {
        title: property.title.as_ref().map_or(property.name.clone(), |title| format!("{}: {title}", property.name)),
        times: shown.clone().map(|instant| time(history.instants[instant].time)).collect(),
        clocks: clocks.collect(),
        relations: rows.collect(),
        notes,
    }
}

/// Records the events that concern a property.
struct EventRecorder<'a> {
    compiled: &'a CompiledSpec,
    core: &'a Core,
    events: Vec<OracleEvent>,
}

impl Visitor for EventRecorder<'_> {
    fn event<S: EventSource>(&mut self, event: &Event<'_>, source: &S) -> Result<bool, gnomon::run::Error> {
        let want = self.compiled.plan.projection().selection(event.name);
        let event = oracle_event(event, want, source.context().symbols);
        if is_relevant(self.core, &event, &[], &Binding::default()) {
            self.events.push(event);
        }
        Ok(true)
    }

    fn progress<S: EventSource>(&mut self, _: Timestamp, _: &S) -> Result<(), gnomon::run::Error> {
        Ok(())
    }
}
