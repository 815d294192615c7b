// SPDX-License-Identifier: MIT OR Apache-2.0
//! A violation as text: the failed part of the property, and the events that explain it.
//!
//! ```text
//! violation[late]: no `answer` within 3 s                       summary, and the binding at the right margin
//!  --> s.rv:2:22
//!   |
//! 2 | mtl late { G (ask -> F[0,3] answer) }                     the failed part of the spec
//!   |                      ^^^^^^^^^^^^^ false at line 2
//!   |
//!  ::: t.csv (line numbers)
//!   |
//! 2 | t=1  ask  requires `answer` within 3 s                    one row for each event that explains it
//!   | t=4       the time has passed: decided here               the moment at which it was certain
//! ```
//!
//! Events are numbered by their lines if the lines of all of them are known, else by their index. Of a long explanation the first and
//! the last rows are shown. Every text from a trace or a spec is cleaned of control characters, so that it cannot control the terminal.

use std::fmt::Write as _;

use gnomon_core::symbols::Symbols;
use gnomon_core::verdict::{DecisionPoint, Origin, Violation};
use gnomon_run::offline::EventLocations;

use super::diagnostic::{header, place, rule};
use super::line::{sanitised, text_width, wrap};
use super::paint::{Ink, Paint};
use super::snippet::{SourceLines, SourceMark, digits, draw, margin};
use crate::numbers::TimeFormat;

/// Rows of a long explanation that are shown: the first and the last ones.
const HEAD_ROWS: usize = 6;
const TAIL_ROWS: usize = 5;

/// The column at which the values of variables end if the width of the terminal is unknown, and the smallest gap before them.
const RIGHT: usize = 96;
const MIN_GAP: usize = 4;
/// The gap between the columns of an explanation, and the least width of the description of an event if it has one.
const GAP: usize = 2;
const MIN_DESCRIPTION: usize = 16;
/// Longer bindings are cut.
const MAX_BINDING_WIDTH: usize = 120;

/// The spec and the trace of a violation that is drawn.
#[derive(Clone, Copy)]
pub struct ViolationContext<'a> {
    /// The name of the spec for the user.
    pub spec_name: &'a str,
    /// The text of the spec.
    pub source: &'a str,
    /// The name of the trace for the user.
    pub trace_name: &'a str,
    /// The notation of times.
    pub time_format: TimeFormat,
    /// The names of events.
    pub symbols: &'a Symbols,
    /// The places of events in the trace, as far as they are known.
    pub locations: &'a EventLocations,
    /// True if the property fails as a whole, not at a position.
    pub fails_as_a_whole: bool,
    /// Colours.
    pub paint: Paint,
    /// Columns of the terminal, if they are known.
    pub width: Option<usize>,
}

/// Draws one violation of a property.
pub fn render(violation: &Violation, property: &str, context: ViolationContext<'_>) -> String {
    let ViolationContext { source: text, paint, .. } = context;
    let source = SourceLines::new(text);
    let rows = explanation(violation, context);
    let numbering = PlaceNumbering::of(&rows, violation, context);
    let mark =
        SourceMark { span: violation.failed, text: label(violation, numbering, context), sign: '^', ink: Ink::Bad };
    let last_index = rows.iter().filter_map(|row| numbering.number(row.index?, context)).max().unwrap_or(0);
    let width = margin(&source, std::slice::from_ref(&mark)).max(digits(last_index));

    let mut out = head(violation, property, context.width, paint);
    place(&mut out, context.spec_name, text, violation.failed, width, paint);
    draw(&mut out, &source, &[mark], width, (paint, context.width));
    rule(&mut out, width, paint);
    let arrow = paint.ink(Ink::Frame, &format!("{:>width$}:::", ""));
    let _ = writeln!(out, "{arrow} {} ({})", sanitised(context.trace_name), numbering.title());
    rule(&mut out, width, paint);
    draw_rows(&mut out, &rows, numbering, width, context);
    out
}

/// Renders the summary, with the binding at the right margin, or below it where the terminal is too narrow for both.
fn head(violation: &Violation, property: &str, width: Option<usize>, paint: Paint) -> String {
    const INDENT: &str = "  ";
    let word = format!("violation[{}]", sanitised(property));
    let line = header(&word, None, summary(violation), Ink::Bad, paint);
    let line = line.trim_end();
    let used = text_width(&word) + ": ".len() + text_width(&sanitised(summary(violation)));
    let values = values(violation);
    let room = width.unwrap_or(RIGHT).saturating_sub(used + values.as_deref().map_or(0, text_width));
    let inked = values.map(|values| paint.ink(Ink::Frame, &values));
    match (inked, width) {
        (None, None) => format!("{line}\n"),
        (None, Some(width)) => format!("{}\n", wrap(line, width, INDENT)),
        (Some(values), Some(width)) if room < MIN_GAP => {
            let values = wrap(&format!("{INDENT}{values}"), width, INDENT);
            format!("{}\n{values}\n", wrap(line, width, INDENT))
        }
        (Some(values), _) => format!("{line}{:1$}{values}\n", "", room.max(MIN_GAP)),
    }
}

/// Renders the summary and the binding on one line.
pub fn in_a_line(violation: &Violation) -> String {
    match values(violation) {
        Some(values) => format!("{} ({values})", summary(violation)),
        None => summary(violation).to_owned(),
    }
}

fn summary(violation: &Violation) -> &str {
    if violation.summary.is_empty() { "the property is false here" } else { &violation.summary }
}

/// Renders a binding such as `c = 1, i = "x"`; `None` if it is empty.
fn values(violation: &Violation) -> Option<String> {
    if violation.binding.is_empty() {
        return None;
    }
    let all = sanitised(&violation.binding.to_string());
    if text_width(&all) <= MAX_BINDING_WIDTH {
        return Some(all);
    }
    Some(all.chars().take(MAX_BINDING_WIDTH - 1).chain(['…']).collect())
}

fn label(violation: &Violation, numbering: PlaceNumbering, context: ViolationContext<'_>) -> String {
    if context.fails_as_a_whole {
        return "it is not true for the required number of values".to_owned();
    }
    if is_about_whole_trace(violation) && violation.until_position.is_none() {
        return "false in this trace".to_owned();
    }
    let event = numbering.label(violation.at.origin.event_index, context);
    match violation.until_position {
        Some(last) if last > violation.at.position => {
            let more = last - violation.at.position;
            let at = if more == 1 { "at the next position" } else { "at the positions up to" };
            let end = if more == 1 { String::new() } else { format!(" {last}") };
            format!("false at {event} (position {}), and {at}{end}", violation.at.position)
        }
        _ => format!("false at {event}"),
    }
}

/// Returns true if the violation is at the first event only because it is about the whole trace, as a pattern without a scope is: the events
/// that explain it are others.
fn is_about_whole_trace(violation: &Violation) -> bool {
    let at = violation.at.origin.event_index;
    at == 0 && !violation.because.is_empty() && violation.because.iter().all(|cause| cause.origin.event_index != at)
}

/// One row of the explanation.
struct ExplanationRow {
    index: Option<u64>,
    time: String,
    event: String,
    /// The fields of the event, or its text.
    description: String,
    notes: Vec<String>,
}

/// The numbers by which the rows of an explanation are found in the trace.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PlaceNumbering {
    Lines,
    Rows,
    /// The indices of events, from 0: the lines of some are not known.
    Events,
}

impl PlaceNumbering {
    fn of(rows: &[ExplanationRow], violation: &Violation, context: ViolationContext<'_>) -> PlaceNumbering {
        let mut indices = rows.iter().filter_map(|row| row.index).chain([violation.at.origin.event_index]);
        match context.locations {
            locations if !indices.all(|index| locations.get(index).is_some()) => PlaceNumbering::Events,
            locations if locations.are_rows => PlaceNumbering::Rows,
            _ => PlaceNumbering::Lines,
        }
    }

    fn number(self, index: u64, context: ViolationContext<'_>) -> Option<u64> {
        match self {
            PlaceNumbering::Events => Some(index),
            PlaceNumbering::Lines | PlaceNumbering::Rows => context.locations.get(index).map(|location| location.line),
        }
    }

    fn title(self) -> &'static str {
        match self {
            PlaceNumbering::Lines => "line numbers",
            PlaceNumbering::Rows => "row numbers",
            PlaceNumbering::Events => "event numbers, from 0",
        }
    }

    fn label(self, index: u64, context: ViolationContext<'_>) -> String {
        let noun = match self {
            PlaceNumbering::Lines => "line",
            PlaceNumbering::Rows => "row",
            PlaceNumbering::Events => "event",
        };
        format!("{noun} {}", self.number(index, context).unwrap_or(index))
    }
}

fn explanation(violation: &Violation, context: ViolationContext<'_>) -> Vec<ExplanationRow> {
    let mut rows: Vec<ExplanationRow> = Vec::new();
    for because in &violation.because {
        add(&mut rows, because.origin, because.note.clone(), context);
    }
    let is_listed =
        |rows: &[ExplanationRow], origin: Origin| rows.iter().any(|row| row.index == Some(origin.event_index));
    let here = violation.at.origin;
    if !is_listed(&rows, here) && !is_about_whole_trace(violation) && !context.fails_as_a_whole {
        add(&mut rows, here, "false here".to_owned(), context);
    }
    if let DecisionPoint::Event(origin) = violation.decided
        && !is_listed(&rows, origin)
    {
        add(&mut rows, origin, "decided here".to_owned(), context);
    }
    rows.sort_by_key(|row| row.index);
    let silent = match violation.decided {
        DecisionPoint::Event(_) => None,
        DecisionPoint::Deadline(time) => Some((time, "the time has passed: decided here")),
        DecisionPoint::End(time) => Some((time, "the trace ends: decided here")),
    };
    if let Some((time, note)) = silent {
        let time = format!("t={}", context.time_format.time(time));
        rows.push(ExplanationRow {
            index: None,
            time,
            event: String::new(),
            description: String::new(),
            notes: vec![note.to_owned()],
        });
    }
    rows
}

fn add(rows: &mut Vec<ExplanationRow>, origin: Origin, note: String, context: ViolationContext<'_>) {
    let index = Some(origin.event_index);
    if let Some(row) = rows.iter_mut().find(|row| row.index == index) {
        if !row.notes.contains(&note) {
            row.notes.push(note);
        }
        return;
    }
    let time = format!("t={}", context.time_format.time(origin.time));
    let event = sanitised(context.symbols.name_text(origin.event));
    let location = context.locations.get(origin.event_index);
    let description = location.map_or(String::new(), |location| {
        let words: Vec<&str> = location.description.split_whitespace().collect();
        sanitised(&words.join(" "))
    });
    rows.push(ExplanationRow { index, time, event, description, notes: vec![note] });
}

fn draw_rows(
    out: &mut String,
    rows: &[ExplanationRow],
    numbering: PlaceNumbering,
    margin: usize,
    context: ViolationContext<'_>,
) {
    let paint = context.paint;
    let widest = |text: fn(&ExplanationRow) -> &str| rows.iter().map(|row| text_width(text(row))).max().unwrap_or(0);
    let (time_width, event_width) = (widest(|row| &row.time), widest(|row| &row.event));
    let notes_width = rows.iter().map(|row| text_width(&sanitised(&row.notes.join("; ")))).max().unwrap_or(0);
    let used = margin + " | ".len() + time_width + event_width + notes_width + 3 * GAP;
    // A terminal that is too narrow for the notes, too, shows each below its event.
    let notes_below = context.width.filter(|width| used > width + GAP);
    let room = match (context.width, context.width.unwrap_or(RIGHT).saturating_sub(used)) {
        // A narrow terminal shows no descriptions.
        (Some(_), room) if room < MIN_DESCRIPTION => 0,
        (_, room) => room.max(MIN_DESCRIPTION),
    };
    let description_width = widest(|row| &row.description).min(room);
    let elided = rows.len() > HEAD_ROWS + TAIL_ROWS + 1;
    for (number, row) in rows.iter().enumerate() {
        if elided && number == HEAD_ROWS {
            let left_out = rows.len() - HEAD_ROWS - TAIL_ROWS;
            let _ = writeln!(out, "{} ({left_out} more events)", paint.ink(Ink::Frame, "..."));
        }
        if elided && (HEAD_ROWS..rows.len() - TAIL_ROWS).contains(&number) {
            continue;
        }
        let index = row.index.and_then(|index| numbering.number(index, context));
        let index = index.map_or(String::new(), |index| index.to_string());
        let gutter = paint.ink(Ink::Frame, &format!("{index:>margin$} |"));
        let pad = |text: &str, width: usize| " ".repeat(width - text_width(text));
        let (time, event) = (&row.time, &row.event);
        let notes = sanitised(&row.notes.join("; "));
        let gap = pad(time, time_width);
        let description = if description_width == 0 {
            String::new()
        } else {
            let shown = shortened(&row.description, description_width);
            let gap = pad(&shown, description_width);
            format!("{}{gap}  ", paint.ink(Ink::Frame, &shown))
        };
        let event_gap = pad(event, event_width);
        if let Some(width) = notes_below {
            let line = format!("{gutter} {time}{gap}  {event}");
            let _ = writeln!(out, "{}", line.trim_end());
            let indent = margin + " |   ".len();
            for line in wrap(&notes, width.saturating_sub(indent), "").lines() {
                let _ = writeln!(
                    out,
                    "{}   {}",
                    paint.ink(Ink::Frame, &format!("{:>margin$} |", "")),
                    paint.ink(Ink::Bad, line)
                );
            }
            continue;
        }
        let line = format!("{gutter} {time}{gap}  {event}{event_gap}  {description}{}", paint.ink(Ink::Bad, &notes));
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

/// Returns the beginning of a text that is not wider than this.
fn shortened(text: &str, width: usize) -> String {
    if text_width(text) <= width {
        return text.to_owned();
    }
    let mut shown = String::new();
    let mut used = 1;
    for sign in text.chars() {
        used += text_width(sign.encode_utf8(&mut [0; 4]));
        if used > width {
            break;
        }
        shown.push(sign);
    }
    shown.push('…');
    shown
}

#[cfg(test)]
mod tests {
    use gnomon_core::diagnostic::Span;
    use gnomon_core::time::{Clock, TimeKind, Timestamp};
    use gnomon_core::value::Value;
    use gnomon_core::verdict::{Binding, Cause, TracePosition};

    use super::*;

    const SPEC: &str = "soloist late {\n  G(request -> F[0,3] reply)\n}\n";

    fn origin(symbols: &mut Symbols, event_index: u64, time: i64, event: &str) -> Origin {
        Origin { event_index, time: Clock::default().whole(time), event: symbols.name(event) }
    }

    fn draw_it(violation: &Violation, symbols: &Symbols) -> String {
        draw_with(violation, symbols, None)
    }

    fn draw_with(violation: &Violation, symbols: &Symbols, width: Option<usize>) -> String {
        let time_format = TimeFormat::new(Clock::default(), TimeKind::Number);
        let context = ViolationContext {
            spec_name: "payments.rv",
            source: SPEC,
            trace_name: "trace.csv",
            time_format,
            symbols,
            locations: &EventLocations::default(),
            fails_as_a_whole: false,
            paint: Paint::PLAIN,
            width,
        };
        render(violation, "late", context)
    }

    fn late(symbols: &mut Symbols) -> Violation {
        let start = SPEC.find("F[").unwrap();
        let opened = origin(symbols, 118, 10, "request");
        Violation {
            at: TracePosition { position: 118, origin: opened },
            until_position: None,
            decided: DecisionPoint::Event(origin(symbols, 1_129, 14, "ping")),
            binding: Binding::default(),
            part: Span::new(start, start + "F[0,3] reply".len()),
            failed: Span::new(start, start + "F[0,3] reply".len()),
            summary: "no `reply` within 3 of `request`".to_owned(),
            because: vec![Cause { origin: opened, note: "opened, due by 13".to_owned() }],
        }
    }

    #[test]
    fn a_late_reply() {
        let mut symbols = Symbols::default();
        let violation = late(&mut symbols);
        let expected = "\
violation[late]: no `reply` within 3 of `request`
    --> payments.rv:2:16
     |
   2 |   G(request -> F[0,3] reply)
     |                ^^^^^^^^^^^^ false at event 118
     |
    ::: trace.csv (event numbers, from 0)
     |
 118 | t=10  request  opened, due by 13
1129 | t=14  ping     decided here
";
        assert_eq!(draw_it(&violation, &symbols), expected);
    }

    #[test]
    fn values_stand_at_the_right() {
        let mut symbols = Symbols::default();
        let mut violation = late(&mut symbols);
        let text = |text: &str| ("who".to_owned(), Value::Text(text.to_owned().into()));
        violation.binding.values = vec![text("a\nb")];
        let drawn = draw_it(&violation, &symbols);
        let (head, _) = drawn.split_once('\n').unwrap();
        assert_eq!(text_width(head), RIGHT, "{head}");
        assert!(head.starts_with("violation[late]: no `reply` within 3 of `request`    "), "{head}");
        assert!(head.ends_with("  who = \"a\\nb\""), "{head}");
        assert_eq!(in_a_line(&violation), "no `reply` within 3 of `request` (who = \"a\\nb\")");
        violation.binding.values = vec![text(&"x".repeat(500))];
        let drawn = draw_it(&violation, &symbols);
        let (head, _) = drawn.split_once('\n').unwrap();
        assert!(head.contains("`request`    who = \"xxx") && head.ends_with('…') && text_width(head) < 200, "{head}");
    }

    #[test]
    fn a_narrow_terminal_shows_values_and_notes_below() {
        let mut symbols = Symbols::default();
        let mut violation = late(&mut symbols);
        violation.binding.values = vec![("who".to_owned(), Value::Text("ann".into()))];
        violation.because[0].note = "requires `reply` within 3 s of the request".to_owned();
        let expected = "\
violation[late]: no `reply` within 3 of
  `request`
  who = \"ann\"
    --> payments.rv:2:16
     |
   2 |   G(request -> F[0,3] reply)
     |                ^^^^^^^^^^^^
     |                |
     |                false at event 118
     |
    ::: trace.csv (event numbers, from 0)
     |
 118 | t=10  request
     |   requires `reply` within 3 s of the
     |   request
1129 | t=14  ping
     |   decided here
";
        assert_eq!(draw_with(&violation, &symbols, Some(44)), expected);
    }

    #[test]
    fn a_passed_deadline_has_no_event() {
        let mut symbols = Symbols::default();
        let mut violation = late(&mut symbols);
        violation.decided = DecisionPoint::Deadline(Timestamp::from_ticks(13_000_000_000));
        violation.until_position = Some(120);
        let drawn = draw_it(&violation, &symbols);
        assert!(drawn.contains("false at event 118 (position 118), and at the positions up to 120\n"), "{drawn}");
        assert!(
            drawn.ends_with(
                "118 | t=10  request  opened, due by 13\n    | t=13           the time has passed: decided here\n"
            ),
            "{drawn}"
        );
    }

    #[test]
    fn a_long_explanation_is_shortened() {
        let mut symbols = Symbols::default();
        let mut violation = late(&mut symbols);
        violation.because = (0..40)
            .map(|index| Cause {
                origin: origin(&mut symbols, index, index as i64, "tick"),
                note: "counted".to_owned(),
            })
            .collect();
        let drawn = draw_it(&violation, &symbols);
        assert!(drawn.contains("... (31 more events)\n"), "{drawn}");
    }
}
