// SPDX-License-Identifier: MIT OR Apache-2.0
//! The text report: a line for each property, drawings of violations, remarks, and a summary line.
//!
//! ```text
//! t.csv: 2 events, from 1 to 9 s                                [`trace`]
//!
//!   violated  late  1 activated  1 violated                     `property_table`
//!
//! violation[late]: no `answer` within 3 s                       [`violations`]
//!  --> s.rv:2:22 ...                                            `text::violation`
//!
//! note: no event of this trace is `answer`                      [`remarks`]
//!
//! 1 property: 1 violated                                        [`summary`], once for all traces
//! ```
//!
//! The HTML report and the Python package use the same parts, without colours and of any width ([`TextOptions::plain`]).

use std::fmt::Write as _;

use gnomon_core::symbols::Name;
use gnomon_core::time::{TimeKind, Timestamp};
use gnomon_core::verdict::{DecisionPoint, Outcome, Verdict};
use gnomon_ir::spec::Property;
use gnomon_run::offline::{EmptyRange, FieldMismatch, Report, UnmetExpectation};
use gnomon_trace::LineSample;

use super::counts_values;
use super::line::{sanitised, wrap};
use super::paint::{Ink, Paint};
use super::parts;
use super::property_table;
use super::similar::closest;
use super::violation::{self, ViolationContext};
use crate::numbers::{TimeFormat, counted};
use crate::{RELAXED_NOTE, SpecContext, VISITS_ALL_NOTE, display_name, externs, overall};

/// Greatest number of names of a trace that are compared with a name that it does not have.
const MAX_COMPARED: usize = 10_000;

/// Options of the text report.
#[derive(Clone, Copy)]
pub struct TextOptions {
    /// Colours.
    pub paint: Paint,
    /// Greatest number of drawings of one property.
    pub drawn: usize,
    /// Columns of the terminal; `None` if they are unknown. Then the table of properties is at most [`DEFAULT_WIDTH`] wide, and
    /// remarks are not wrapped.
    pub width: Option<usize>,
}

impl TextOptions {
    /// Returns the options of a text without colours, of any width.
    pub const fn plain(drawn: usize) -> TextOptions {
        TextOptions { paint: Paint::PLAIN, drawn, width: None }
    }

    /// Wraps a paragraph if the width is known.
    pub fn wrapped(&self, text: &str) -> String {
        self.width.map_or_else(|| text.to_owned(), |width| wrap(text, width, "  "))
    }
}

/// The least and the most columns that a report is laid out for.
pub const MIN_WIDTH: usize = 44;
/// Lines longer than this are hard to read.
pub const MAX_WIDTH: usize = 200;
/// Columns of a table if those of the terminal are unknown.
pub const DEFAULT_WIDTH: usize = 100;

/// Renders the report of one trace.
pub fn trace(spec: &SpecContext<'_>, report: &Report, look: TextOptions) -> String {
    let time_format = TimeFormat::for_people(report);
    let head = format!("{}: {}", sanitised(display_name(&report.source)), extent(report, time_format));
    let mut out = look.wrapped(&head) + "\n\n";
    property_table::draw(&mut out, spec, report, look);
    cases(&mut out, spec, report);
    for index in 0..report.outcomes.len() {
        out.push_str(&violations(spec, report, index, look));
    }
    remarks(&mut out, spec, report, look);
    out
}

/// Draws the violations of one property.
pub fn violations(spec: &SpecContext<'_>, report: &Report, index: usize, look: TextOptions) -> String {
    let (property, outcome) = (spec.property(index), &report.outcomes[index]);
    let mut out = String::new();
    for (number, found) in outcome.violations.iter().take(look.drawn).enumerate() {
        let case = report.cases.as_ref().and_then(|cases| cases.label(index, number));
        let case = case.map_or(String::new(), |case| format!(", case {case}"));
        let trace_name = format!("{}{case}", display_name(&report.source));
        let scene = ViolationContext {
            spec_name: spec.spec_name,
            source: &spec.compiled.source,
            trace_name: &trace_name,
            time_format: TimeFormat::for_people(report),
            symbols: &report.symbols,
            locations: &report.locations,
            fails_as_a_whole: counts_values(property),
            paint: look.paint,
            width: look.width,
        };
        let _ = write!(out, "\n{}", violation::render(found, &property.name, scene));
        if let Some(parts) = report.parts.get(&(index, number)) {
            out.push_str(&parts::draw(parts, found, scene));
        }
    }
    let drawn: u64 = outcome.violations.iter().take(look.drawn).map(places).sum();
    let left_out = outcome.violated.saturating_sub(drawn);
    if left_out > 0 && drawn > 0 {
        let name = sanitised(&property.name);
        let more = format!("… and {left_out} more of `{name}`; `--max-violations N` shows more");
        let _ = writeln!(out, "\n{}", look.wrapped(&more));
    }
    out
}

/// Writes the number of cases that violate each property.
fn cases(out: &mut String, spec: &SpecContext<'_>, report: &Report) {
    let Some(cases) = &report.cases else { return };
    let mut gap = "\n";
    for (index, violating) in cases.violating_each.iter().enumerate().filter(|(_, violating)| **violating > 0) {
        let (total, verb) = (counted(cases.total, "case"), if *violating == 1 { "violates" } else { "violate" });
        let _ = writeln!(out, "{gap}  {violating} of {total} {verb} {}", sanitised(spec.property_name(index)));
        gap = "";
    }
}

/// Returns the number of violated positions that one entry of the list stands for.
fn places(violation: &gnomon_core::verdict::Violation) -> u64 {
    violation.until_position.map_or(1, |last| last.saturating_sub(violation.at.position) + 1)
}

/// Renders the summary line over all traces; `failed` is the number of those that could not be checked.
pub fn summary(spec: &SpecContext<'_>, reports: &[Report], failed: usize, look: TextOptions) -> String {
    let paint = look.paint;
    let mut parts = Vec::new();
    for (verdict, ink) in
        [(Verdict::Violated, Ink::Bad), (Verdict::Inconclusive, Ink::Doubtful), (Verdict::Holds, Ink::Good)]
    {
        let outcomes = reports.iter().flat_map(|report| &report.outcomes);
        let number = outcomes.filter(|outcome| outcome.verdict == verdict).count();
        let word = if verdict == Verdict::Holds && number > 1 { "hold" } else { verdict.word() };
        if number > 0 {
            parts.push(paint.ink(ink, &format!("{number} {word}")));
        }
    }
    let idle = reports.iter().flat_map(|report| &report.outcomes).filter(|outcome| !is_exercised(outcome)).count();
    if idle > 0 {
        parts.push(paint.ink(Ink::Doubtful, &format!("{idle} not exercised")));
    }
    let properties = match spec.compiled.properties.len() {
        1 => "1 property".to_owned(),
        number => format!("{number} properties"),
    };
    let unchecked = match failed {
        0 => String::new(),
        1 => format!("; {}", paint.ink(Ink::Bad, "1 trace could not be checked")),
        failed => format!("; {}", paint.ink(Ink::Bad, &format!("{failed} traces could not be checked"))),
    };
    if reports.len() == 1 {
        return format!("\n{}\n", look.wrapped(&format!("{properties}: {}{unchecked}", parts.join(", "))));
    }
    let broken = reports.iter().filter(|report| overall(&report.outcomes) == Verdict::Violated).count();
    let traces = reports.len();
    let parts = parts.join(", ");
    let text = format!("{properties} on {traces} traces: {parts}; {broken} of {traces} traces violated{unchecked}");
    format!("\n{}\n", look.wrapped(&text))
}

fn judged<'a>(spec: &'a SpecContext<'_>, report: &'a Report) -> impl Iterator<Item = (&'a Property, &'a Outcome)> {
    spec.compiled.properties().zip(&report.outcomes)
}

/// Describes the number of events and their times.
pub fn extent(report: &Report, time_format: TimeFormat) -> String {
    let cases = report.cases.as_ref().map(|cases| cases.total);
    extent_of(cases, report.events, report.first_time.zip(report.last_time), time_format)
}

/// Describes the numbers of cases and events, and the first and the last time.
pub fn extent_of(
    cases: Option<u64>,
    events: u64,
    span: Option<(Timestamp, Timestamp)>,
    time_format: TimeFormat,
) -> String {
    let cases = cases.map_or(String::new(), |cases| counted(cases, "case") + ", ");
    let events = format!("{cases}{}", counted(events, "event"));
    match span {
        None => events,
        Some(_) if time_format.kind == TimeKind::Position => format!("{events}, without times"),
        Some((first, last)) => {
            let unit = if time_format.kind == TimeKind::DateTime { String::new() } else { time_format.unit() };
            format!("{events}, from {} to {}{unit}", time_format.time(first), time_format.time(last))
        }
    }
}

/// The remark on a property that nothing activated.
pub const NOT_EXERCISED: &str = "not exercised: nothing in the trace activated it";

/// Returns true if something activated or violated the property.
pub fn is_exercised(outcome: &Outcome) -> bool {
    outcome.activated > 0 || outcome.violated > 0
}

/// Describes the counts of an outcome in half a line.
pub fn describe_counts(report: &Report, outcome: &Outcome) -> String {
    if let Some(fault) = &outcome.fault {
        return format!("not checked, internal error: {}; please report it", sanitised(fault));
    }
    let time_format = TimeFormat::for_people(report);
    let presumably = match outcome.presumably {
        Some(true) => "presumably true; ",
        Some(false) => "presumably false; ",
        None => "",
    };
    if !is_exercised(outcome) {
        return format!("{presumably}{NOT_EXERCISED}");
    }
    let mut parts = vec![format!("{} activated", outcome.activated)];
    if outcome.satisfied > 0 {
        let time = satisfaction_time(outcome, time_format).map_or(String::new(), |time| format!(" in {time}"));
        parts.push(format!("{} satisfied{time}", outcome.satisfied));
    }
    for (number, word) in [(outcome.violated, "violated"), (outcome.pending, "pending")] {
        if number > 0 {
            parts.push(format!("{number} {word}"));
        }
    }
    format!("{presumably}{}", parts.join(", "))
}

/// Describes the times from activation to satisfaction; `None` if they are all zero.
pub(super) fn satisfaction_time(outcome: &Outcome, time_format: TimeFormat) -> Option<String> {
    let durations = outcome.durations.filter(|durations| durations.max.ticks() > 0)?;
    let (min, max) = (time_format.human_duration(durations.min), time_format.human_duration(durations.max));
    if min == max {
        return Some(min);
    }
    Some(format!("{min} to {max} (mean {})", time_format.human_mean(&durations)))
}

/// Writes notes and warnings about the trace.
pub fn remarks(out: &mut String, spec: &SpecContext<'_>, report: &Report, look: TextOptions) {
    let mut notes = report.notes.clone();
    if report.events > 0 {
        notes.extend(open_at_end(spec, report));
        notes.extend(merged(spec, report));
        notes.extend(costly(spec, report));
        notes.extend(report.relaxed.iter().map(|index| format!("`{}`: {RELAXED_NOTE}", spec.property_name(*index))));
        notes.extend(report.unseen.iter().map(|name| unseen(name, spec, report)));
        notes.extend(report.empty_ranges.iter().map(|range| empty_range(range, spec)));
    }
    let (doubtful, fine): (Vec<_>, Vec<_>) =
        report.externs.iter().map(externs::line).partition(|(_, doubtful)| *doubtful);
    notes.extend(fine.into_iter().map(|(line, _)| line));
    let notes = notes.iter().map(|note| remark_line("note", note, Ink::Frame, look));
    let empty = (report.events == 0).then(|| "the trace has no events, so nothing was checked".to_owned());
    let warnings =
        [empty, without_case(report), skipped(report), unmatched(report), late(report), stopped(spec, report)];
    let warnings: Vec<String> = report.unmet.iter().map(unmet).chain(warnings.into_iter().flatten()).collect();
    let doubtful = doubtful.iter().map(|(line, _)| line);
    let warnings = warnings.iter().chain(doubtful).map(|text| remark_line("warning", text, Ink::Doubtful, look));
    let remarks: String = notes.chain(warnings).collect();
    if !remarks.is_empty() {
        let _ = write!(out, "\n{remarks}");
    }
}

/// Renders `note: text`, wrapped if the width is known.
fn remark_line(word: &str, text: &str, ink: Ink, look: TextOptions) -> String {
    let text = format!("{word}: {}", sanitised(text));
    let text = look.wrapped(&text);
    let (word, rest) = text.split_at(word.len());
    format!("{}{}\n", look.paint.ink(ink, word), look.paint.ink(Ink::Strong, rest))
}

/// Describes the violations of each property that only the end of the log decides.
fn open_at_end(spec: &SpecContext<'_>, report: &Report) -> Vec<String> {
    let properties = judged(spec, report).filter(|(_, outcome)| outcome.open_at_end > 0);
    properties.map(|(property, outcome)| format!("`{}`: {}", property.name, describe_open(report, outcome))).collect()
}

/// Describes how many violations are obligations that the end of the log leaves open, and what `--prefix` would answer.
pub fn describe_open(report: &Report, outcome: &Outcome) -> String {
    let (open, all) = (outcome.open_at_end, outcome.violated);
    let ends = match (report.cases.is_some(), open) {
        (false, _) => "the log ends",
        (true, 1) => "its case ends",
        (true, _) => "their cases end",
    };
    let are = if open == 1 { "is an obligation" } else { "are obligations" };
    let they = if open == 1 { "it" } else { "they" };
    let answer = if open == all { "the property" } else { they };
    format!(
        "{open} of {} {are} still open when {ends}; with `--prefix` {answer} would be inconclusive",
        counted(all, "violation")
    )
}

fn merged(spec: &SpecContext<'_>, report: &Report) -> Option<String> {
    let properties = judged(spec, report).filter(|(_, outcome)| outcome.merged_simultaneous);
    let names: Vec<String> = properties.map(|(property, _)| format!("`{}`", property.name)).collect();
    (!names.is_empty()).then(|| {
        let names = names.join(", ");
        format!(
            "events at the same time were merged into one position for {names}: their order and number do not count"
        )
    })
}

fn costly(spec: &SpecContext<'_>, report: &Report) -> impl Iterator<Item = String> {
    let properties = (0..report.outcomes.len()).filter(|index| spec.compiled.plan.visits_all_bindings(*index));
    properties.map(|index| format!("`{}`: {VISITS_ALL_NOTE}", spec.property_name(index)))
}

fn unseen(name: &str, spec: &SpecContext<'_>, report: &Report) -> String {
    // The names of the spec come first in the table, whether they occur or not: of those, only atoms that occur are
    // suggested.
    let own = spec.compiled.plan.symbols().name_count() as u32..report.symbols.name_count() as u32;
    let own = own.take(MAX_COMPARED).map(|index| report.symbols.name_text(Name(index)));
    let atoms = spec.compiled.plan.cores().iter().flat_map(gnomon_ir::core::Core::atoms).map(|atom| atom.name.as_str());
    let candidates = own.chain(atoms).filter(|candidate| !report.unseen.iter().any(|unseen| unseen == candidate));
    let hint = closest(name, candidates).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    format!("no event of this trace is `{name}`{hint}")
}

/// The most fields that a warning lists.
const MAX_FIELDS_LISTED: usize = 8;

fn unmet(unmet: &UnmetExpectation) -> String {
    let event = || unmet.event.as_ref().map_or(String::new(), |event| format!(" `{event}`"));
    match &unmet.mismatch {
        FieldMismatch::Absent { field, fields } => {
            let owner = if unmet.event.is_some() { "it has" } else { "the events have" };
            let hint = match closest(field, fields.iter().map(String::as_str)) {
                Some(near) => format!("; did you mean `{near}`?"),
                None if fields.is_empty() => String::new(),
                None => format!("; {owner} {}", quoted_list(fields)),
            };
            format!("no event{} has the field `{field}`{hint}", event())
        }
        FieldMismatch::Kind { field, found, compared } => {
            let (found, compared) = (found.word(), compared.word());
            format!("the field `{field}` of{} is a {found}, and is compared with a {compared}", event())
        }
        FieldMismatch::Arity { expected, found } => {
            let fields = vec!["FIELD"; *expected].join(", ");
            let expected = counted(*expected as u64, "parameter");
            let event = unmet.event.as_deref().unwrap_or_default();
            format!(
                "no event `{event}` has {expected}; the first has {found}; `event {event}({fields})` in the spec declares its parameters"
            )
        }
    }
}

fn quoted_list(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(MAX_FIELDS_LISTED).map(|name| format!("`{name}`")).collect();
    format!("{}{}", shown.join(", "), if names.len() > MAX_FIELDS_LISTED { ", …" } else { "" })
}

fn empty_range(range: &EmptyRange, spec: &SpecContext<'_>) -> String {
    let property = spec.property_name(range.property);
    let atoms: Vec<String> = range.atoms.iter().map(|atom| format!("`{atom}`")).collect();
    format!(
        "`{property}`: the variable `{}` has no values, because no event matched {}",
        range.variable,
        atoms.join(" or ")
    )
}

fn skipped(report: &Report) -> Option<String> {
    let numbers = [(report.skipped.unnamed, "name"), (report.skipped.untimed, "time")];
    let parts = numbers.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> =
        parts.map(|(count, missing)| format!("{} without a {missing}", counted(*count, "event"))).collect();
    (!parts.is_empty()).then(|| format!("the log has {}, which were skipped", parts.join(" and ")))
}

fn without_case(report: &Report) -> Option<String> {
    let cases = report.cases.as_ref().filter(|cases| cases.without > 0)?;
    let (have, were) = if cases.without == 1 { ("has", "was") } else { ("have", "were") };
    let field = cases.field.as_deref().map_or("case".to_owned(), |field| format!("field `{field}`"));
    Some(format!("{} {have} no {field} and {were} not checked", counted(cases.without, "event")))
}

fn unmatched(report: &Report) -> Option<String> {
    let unmatched = &report.unmatched;
    let LineSample { line, text, .. } = unmatched.first.first()?;
    let were = if unmatched.count == 1 {
        "does not match the format of the log and was"
    } else {
        "do not match the format of the log and were"
    };
    let lines = counted(unmatched.count, "line");
    let more: Vec<String> = unmatched.first.iter().skip(1).take(2).map(|sample| sample.line.to_string()).collect();
    let more = if more.is_empty() { String::new() } else { format!(" (then {})", more.join(", ")) };
    Some(format!("{lines} {were} skipped; the first is line {line}{more}: {text}"))
}

/// Describes the critical violation that stopped the verification.
pub fn stopped(spec: &SpecContext<'_>, report: &Report) -> Option<String> {
    let stopped = report.stopped.as_ref()?;
    let time_format = TimeFormat::for_people(report);
    let place = match stopped.decided {
        Some(DecisionPoint::Event(origin)) => {
            let name = report.symbols.name_text(origin.event);
            format!(" at event {} (`{name}` at {})", origin.event_index, time_format.time(origin.time))
        }
        Some(DecisionPoint::Deadline(time) | DecisionPoint::End(time)) => {
            format!(" when {} had passed", time_format.time(time))
        }
        None => String::new(),
    };
    let case = stopped.case.as_ref().map_or(String::new(), |case| format!(" in case {case}"));
    let property = spec.property_name(stopped.property);
    Some(format!(
        "stopped: `{property}` was violated{place}{case}, and that is critical; later events were not checked"
    ))
}

fn late(report: &Report) -> Option<String> {
    let late = &report.late;
    let first = late.first.first()?;
    let time_format = TimeFormat::for_people(report);
    let name = report.symbols.name_text(first.origin.event);
    let (time, behind) = (time_format.time(first.origin.time), time_format.human_duration(first.behind));
    Some(format!(
        "{} came later than `--reorder` allows and {} not checked; the first is event {} (`{name}` at {time}, line {}), \
         {behind} late",
        counted(late.count, "event"),
        if late.count == 1 { "was" } else { "were" },
        first.origin.event_index,
        first.location.line,
    ))
}
