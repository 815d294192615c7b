// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report for people: a line for each property, the violations drawn, what is worth knowing, one line at the end.

use std::fmt::Write as _;

use gnomon_core::symbols::Name;
use gnomon_core::time::TimeKind;
use gnomon_core::verdict::{Decided, Outcome, Verdict};
use gnomon_ir::spec::Property;
use gnomon_run::offline::Report;

use super::diagnostic::header;
use super::line::{sanitised, text_width};
use super::paint::{Ink, Paint};
use super::similar::closest;
use super::violation::{self, Scene};
use super::{counts_values, externs};
use crate::numbers::{Dial, counted};
use crate::{About, FREER, VISITS_ALL, display_name, overall};

/// A trace may have any number of names; so many are compared with a name that it does not have.
const MOST_COMPARED: usize = 10_000;

/// How the report is to look.
#[derive(Clone, Copy)]
pub struct Look {
    /// Colours.
    pub paint: Paint,
    /// How many violations of one property are drawn.
    pub drawn: usize,
}

/// One trace's part of the report.
pub fn trace(about: &About<'_>, report: &Report, look: Look) -> String {
    let dial = Dial { clock: report.clock, kind: report.time_kind };
    let mut out = format!("{}: {}\n\n", sanitised(display_name(&report.source)), extent(report, dial));
    table(&mut out, about, report, dial, look.paint);
    cases(&mut out, about, report);
    for index in 0..report.outcomes.len() {
        out.push_str(&violations(about, report, index, look));
    }
    remarks(&mut out, about, report, look.paint);
    out
}

/// The violations of one property, drawn.
pub fn violations(about: &About<'_>, report: &Report, index: usize, look: Look) -> String {
    let (property, outcome) = (about.property(index), &report.outcomes[index]);
    let mut out = String::new();
    for (number, found) in outcome.violations.iter().take(look.drawn).enumerate() {
        let case = report.cases.as_ref().and_then(|cases| cases.label(index, number));
        let case = case.map_or(String::new(), |case| format!(", case {case}"));
        let trace_name = format!("{}{case}", display_name(&report.source));
        let scene = Scene {
            spec_name: about.spec_name,
            source: &about.compiled.source,
            trace_name: &trace_name,
            dial: Dial { clock: report.clock, kind: report.time_kind },
            symbols: &report.symbols,
            fails_as_a_whole: counts_values(property),
            paint: look.paint,
        };
        let _ = write!(out, "\n{}", violation::render(found, &property.name, scene));
    }
    let drawn: u64 = outcome.violations.iter().take(look.drawn).map(places).sum();
    let left_out = outcome.violated.saturating_sub(drawn);
    if left_out > 0 && drawn > 0 {
        let name = sanitised(&property.name);
        let _ = writeln!(out, "\n… and {left_out} more of `{name}`; `--max-violations N` shows more");
    }
    out
}

/// How many cases violate each property.
fn cases(out: &mut String, about: &About<'_>, report: &Report) {
    let Some(cases) = &report.cases else { return };
    let mut gap = "\n";
    for (index, violating) in cases.violating_each.iter().enumerate().filter(|(_, violating)| **violating > 0) {
        let (total, verb) = (counted(cases.total, "case"), if *violating == 1 { "violates" } else { "violate" });
        let _ = writeln!(out, "{gap}  {violating} of {total} {verb} {}", sanitised(about.property_name(index)));
        gap = "";
    }
}

/// How many violations one entry of the list stands for.
fn places(violation: &gnomon_core::verdict::Violation) -> u64 {
    violation.until_position.map_or(1, |last| last.saturating_sub(violation.at.position) + 1)
}

/// The last line: what came out, over all traces.
pub fn summary(about: &About<'_>, reports: &[Report], paint: Paint) -> String {
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
    let properties = match about.compiled.properties.len() {
        1 => "1 property".to_owned(),
        number => format!("{number} properties"),
    };
    if reports.len() == 1 {
        return format!("\n{properties}: {}\n", parts.join(", "));
    }
    let broken = reports.iter().filter(|report| overall(&report.outcomes) == Verdict::Violated).count();
    let traces = reports.len();
    format!("\n{properties} on {traces} traces: {}; {broken} of {traces} traces violated\n", parts.join(", "))
}

fn judged<'a>(about: &'a About<'_>, report: &'a Report) -> impl Iterator<Item = (&'a Property, &'a Outcome)> {
    about.compiled.properties().zip(&report.outcomes)
}

/// How many events there are, and when.
pub fn extent(report: &Report, dial: Dial) -> String {
    let cases = report.cases.as_ref().map_or(String::new(), |cases| counted(cases.total, "case") + ", ");
    let events = format!("{cases}{}", counted(report.events, "event"));
    match (report.first_time, report.last_time) {
        (Some(_), Some(_)) if report.time_kind == TimeKind::Position => format!("{events}, without times"),
        (Some(first), Some(last)) => {
            let unit = if dial.kind == TimeKind::DateTime { String::new() } else { dial.unit() };
            format!("{events}, from {} to {}{unit}", dial.time(first), dial.time(last))
        }
        _ => events,
    }
}

fn table(out: &mut String, about: &About<'_>, report: &Report, dial: Dial, paint: Paint) {
    let label = |property: &Property| {
        let title = property.title.as_deref().map_or(String::new(), |title| format!("  {title}"));
        sanitised(&format!("{}{title}", property.name))
    };
    let widest = judged(about, report).map(|(property, _)| text_width(&label(property))).max().unwrap_or(0);
    let word_width = judged(about, report).map(|(_, outcome)| outcome.verdict.word().len()).max().unwrap_or(0);
    for (property, outcome) in judged(about, report) {
        let word = outcome.verdict.word();
        let ink = match outcome.verdict {
            Verdict::Holds => Ink::Good,
            Verdict::Violated => Ink::Bad,
            Verdict::Inconclusive => Ink::Doubtful,
        };
        let label = label(property);
        let (pad, gap) = (" ".repeat(word_width - word.len()), " ".repeat(widest - text_width(&label)));
        let _ = writeln!(out, "  {}{pad}  {label}{gap}  {}", paint.ink(ink, word), story(outcome, dial));
    }
}

/// What a property went through, in half a line.
pub fn counts(report: &Report, outcome: &Outcome) -> String {
    story(outcome, Dial { clock: report.clock, kind: report.time_kind })
}

fn story(outcome: &Outcome, dial: Dial) -> String {
    let presumably = match outcome.presumably {
        Some(true) => "presumably true; ",
        Some(false) => "presumably false; ",
        None => "",
    };
    if outcome.activated == 0 && outcome.violated == 0 {
        return format!("{presumably}not exercised: nothing in the trace put it to the test");
    }
    let mut parts = vec![format!("{} activated", outcome.activated)];
    if outcome.satisfied > 0 {
        parts.push(format!("{} satisfied{}", outcome.satisfied, took(outcome, dial)));
    }
    for (number, word) in [(outcome.violated, "violated"), (outcome.pending, "pending")] {
        if number > 0 {
            parts.push(format!("{number} {word}"));
        }
    }
    format!("{presumably}{}", parts.join(", "))
}

/// How long satisfaction took, where it took any time.
fn took(outcome: &Outcome, dial: Dial) -> String {
    let Some(durations) = outcome.durations.filter(|durations| durations.max.ticks() > 0) else {
        return String::new();
    };
    let (min, max, unit) = (dial.duration(durations.min), dial.duration(durations.max), dial.unit());
    if min == max {
        return format!(" in {min}{unit}");
    }
    format!(" in {min} to {max}{unit} (mean {})", rounded(&dial.mean(&durations)))
}

/// Three places are enough on a screen; the JSON report has them all.
pub fn rounded(decimal: &str) -> String {
    match decimal.split_once('.') {
        Some((whole, fraction)) if fraction.len() > 3 => format!("{whole}.{}…", &fraction[..3]),
        _ => decimal.to_owned(),
    }
}

/// What a reader of the verdicts should know about the trace.
pub fn remarks(out: &mut String, about: &About<'_>, report: &Report, paint: Paint) {
    let mut notes = Vec::new();
    if report.events == 0 {
        notes.push("the trace has no events".to_owned());
    } else {
        notes.extend(merged(about, report));
        notes.extend(costly(about, report));
        notes.extend(report.freer.iter().map(|index| format!("`{}`: {FREER}", about.property_name(*index))));
        notes.extend(report.unseen.iter().map(|name| unseen(name, about, report)));
    }
    let (doubtful, fine): (Vec<_>, Vec<_>) =
        report.externs.iter().map(externs::line).partition(|(_, doubtful)| *doubtful);
    notes.extend(fine.into_iter().map(|(line, _)| line));
    let notes = notes.iter().map(|note| header("note", None, note, Ink::Frame, paint));
    let warnings = [without_case(report), unmatched(report), late(report), stopped(about, report)];
    let doubtful = doubtful.iter().map(|(line, _)| line);
    let warnings =
        warnings.iter().flatten().chain(doubtful).map(|text| header("warning", None, text, Ink::Doubtful, paint));
    let remarks: String = notes.chain(warnings).collect();
    if !remarks.is_empty() {
        let _ = write!(out, "\n{remarks}");
    }
}

fn merged(about: &About<'_>, report: &Report) -> Option<String> {
    let properties = judged(about, report).filter(|(_, outcome)| outcome.merged_simultaneous);
    let names: Vec<String> = properties.map(|(property, _)| format!("`{}`", property.name)).collect();
    (!names.is_empty()).then(|| {
        let names = names.join(", ");
        format!(
            "events at the same time were merged into one position for {names}: their order and number do not count"
        )
    })
}

fn costly(about: &About<'_>, report: &Report) -> impl Iterator<Item = String> {
    let properties = (0..report.outcomes.len()).filter(|index| about.compiled.plan.visits_all(*index));
    properties.map(|index| format!("`{}`: {VISITS_ALL}", about.property_name(index)))
}

fn unseen(name: &str, about: &About<'_>, report: &Report) -> String {
    // A spec's own names come first in the table, whether the trace has them or not: of those, only the atoms that
    // were seen are suggested.
    let own = about.compiled.plan.symbols().name_count() as u32..report.symbols.name_count() as u32;
    let own = own.take(MOST_COMPARED).map(|index| report.symbols.name_text(Name(index)));
    let atoms =
        about.compiled.plan.cores().iter().flat_map(gnomon_ir::core::Core::atoms).map(|atom| atom.name.as_str());
    let candidates = own.chain(atoms).filter(|candidate| !report.unseen.iter().any(|unseen| unseen == candidate));
    let hint = closest(name, candidates).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    format!("no event of this trace is `{name}`{hint}")
}

fn without_case(report: &Report) -> Option<String> {
    let cases = report.cases.as_ref().filter(|cases| cases.without > 0)?;
    let (have, were) = if cases.without == 1 { ("has", "was") } else { ("have", "were") };
    let field = cases.field.as_deref().map_or("case".to_owned(), |field| format!("field `{field}`"));
    Some(format!("{} {have} no {field} and {were} not judged", counted(cases.without, "event")))
}

fn unmatched(report: &Report) -> Option<String> {
    let unmatched = &report.unmatched;
    let (line, text) = unmatched.first.first()?;
    let were = if unmatched.count == 1 {
        "does not fit the log's pattern and was"
    } else {
        "do not fit the log's pattern and were"
    };
    let lines = counted(unmatched.count, "line");
    let more: Vec<String> = unmatched.first.iter().skip(1).take(2).map(|(line, _)| line.to_string()).collect();
    let more = if more.is_empty() { String::new() } else { format!(" (then {})", more.join(", ")) };
    Some(format!("{lines} {were} passed over; the first is line {line}{more}: {text}"))
}

/// Where a critical violation ended it all.
pub fn stopped(about: &About<'_>, report: &Report) -> Option<String> {
    let stopped = report.stopped.as_ref()?;
    let dial = Dial { clock: report.clock, kind: report.time_kind };
    let place = match stopped.decided {
        Some(Decided::Event(origin)) => {
            let name = report.symbols.name_text(origin.event);
            format!(" at event {} (`{name}` at {})", origin.event_index, dial.time(origin.time))
        }
        Some(Decided::Deadline(time) | Decided::End(time)) => format!(" when {} had passed", dial.time(time)),
        None => String::new(),
    };
    let case = stopped.case.as_ref().map_or(String::new(), |case| format!(" in case {case}"));
    let property = about.property_name(stopped.property);
    Some(format!("stopped: `{property}` was violated{place}{case}, and that is critical; later events were not judged"))
}

fn late(report: &Report) -> Option<String> {
    let late = &report.late;
    let first = late.first.first()?;
    let dial = Dial { clock: report.clock, kind: report.time_kind };
    let name = report.symbols.name_text(first.origin.event);
    let (time, behind, unit) = (dial.time(first.origin.time), dial.duration(first.behind), dial.unit());
    Some(format!(
        "{} came later than `--reorder` allows and {} not judged; the first is event {} (`{name}` at {time}, line {}), \
         {behind}{unit} late",
        counted(late.count, "event"),
        if late.count == 1 { "was" } else { "were" },
        first.origin.event_index,
        first.place.line,
    ))
}
