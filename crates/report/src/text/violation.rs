// SPDX-License-Identifier: MIT OR Apache-2.0
//! A violation as text: one label in the property, the story in the trace.

use std::fmt::Write as _;

use gnomon_core::symbols::Symbols;
use gnomon_core::verdict::{Decided, Origin, Violation};

use super::diagnostic::{header, place, rule};
use super::line::{sanitised, text_width};
use super::paint::{Ink, Paint};
use super::snippet::{Mark, Source, digits, draw, margin};
use crate::numbers::Dial;

/// A longer story is told by its beginning and its end.
const STORY_HEAD: usize = 6;
const STORY_TAIL: usize = 5;

/// The column at which the values of variables end, and the room that is left before them at least.
const RIGHT: usize = 96;
const LEAST_GAP: usize = 4;
/// Longer ones are cut.
const WIDEST_BINDING: usize = 120;

/// Where a violation is to be shown.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// What the user calls the spec.
    pub spec_name: &'a str,
    /// The spec's text.
    pub source: &'a str,
    /// What the user calls the trace.
    pub trace_name: &'a str,
    /// How the trace tells the time.
    pub dial: Dial,
    /// The trace's event names.
    pub symbols: &'a Symbols,
    /// Whether the property fails as a whole, and not at a place.
    pub fails_as_a_whole: bool,
    /// Colours.
    pub paint: Paint,
}

/// Draws one violation of a property.
pub fn render(violation: &Violation, property: &str, scene: Scene<'_>) -> String {
    let Scene { source: text, paint, .. } = scene;
    let source = Source::new(text);
    let mark = Mark { span: violation.failed, text: label(violation, scene), sign: '^', ink: Ink::Bad };
    let rows = story(violation, scene);
    let last_index = rows.iter().filter_map(|row| row.index).max().unwrap_or(0);
    let width = margin(&source, std::slice::from_ref(&mark)).max(digits(last_index));

    let mut out = head(violation, property, paint);
    place(&mut out, scene.spec_name, text, violation.failed, width, paint);
    draw(&mut out, &source, &[mark], width, paint);
    rule(&mut out, width, paint);
    let arrow = paint.ink(Ink::Frame, &format!("{:>width$}:::", ""));
    let _ = writeln!(out, "{arrow} {}", sanitised(scene.trace_name));
    rule(&mut out, width, paint);
    tell(&mut out, &rows, width, paint);
    out
}

/// What went wrong, and at the right for which values.
fn head(violation: &Violation, property: &str, paint: Paint) -> String {
    let word = format!("violation[{}]", sanitised(property));
    let mut out = header(&word, None, summary(violation), Ink::Bad, paint);
    if let Some(values) = values(violation) {
        let taken = text_width(&word) + ": ".len() + text_width(&sanitised(summary(violation)));
        let gap = RIGHT.saturating_sub(taken + text_width(&values)).max(LEAST_GAP);
        out.truncate(out.trim_end().len());
        let _ = writeln!(out, "{:gap$}{}", "", paint.ink(Ink::Frame, &values));
    }
    out
}

/// What went wrong, and for which values: for where there is no room to draw it.
pub fn in_a_line(violation: &Violation) -> String {
    match values(violation) {
        Some(values) => format!("{} ({values})", summary(violation)),
        None => summary(violation).to_owned(),
    }
}

fn summary(violation: &Violation) -> &str {
    if violation.summary.is_empty() { "the property is false here" } else { &violation.summary }
}

/// `c = 1, i = "x"`, if anything is bound.
fn values(violation: &Violation) -> Option<String> {
    if violation.binding.is_empty() {
        return None;
    }
    let all = sanitised(&violation.binding.to_string());
    if text_width(&all) <= WIDEST_BINDING {
        return Some(all);
    }
    Some(all.chars().take(WIDEST_BINDING - 1).chain(['…']).collect())
}

fn label(violation: &Violation, scene: Scene<'_>) -> String {
    if scene.fails_as_a_whole {
        return "not as many values as it must be true for".to_owned();
    }
    let event = violation.at.origin.event_index;
    match violation.until_position {
        Some(last) if last > violation.at.position => {
            let more = last - violation.at.position;
            let at = if more == 1 { "at the next position" } else { "at the positions up to" };
            let end = if more == 1 { String::new() } else { format!(" {last}") };
            format!("false at event {event} (position {}), and {at}{end}", violation.at.position)
        }
        _ => format!("false at event {event}"),
    }
}

/// One line of the trace section.
struct Row {
    index: Option<u64>,
    time: String,
    event: String,
    notes: Vec<String>,
}

fn story(violation: &Violation, scene: Scene<'_>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for because in &violation.because {
        add(&mut rows, because.origin, because.note.clone(), scene);
    }
    let told = |rows: &[Row], origin: Origin| rows.iter().any(|row| row.index == Some(origin.event_index));
    let here = violation.at.origin;
    if !told(&rows, here) && !scene.fails_as_a_whole {
        add(&mut rows, here, "false here".to_owned(), scene);
    }
    if let Decided::Event(origin) = violation.decided
        && !told(&rows, origin)
    {
        add(&mut rows, origin, "decided here".to_owned(), scene);
    }
    rows.sort_by_key(|row| row.index);
    let silent = match violation.decided {
        Decided::Event(_) => None,
        Decided::Deadline(time) => Some((time, "the time has passed: decided here")),
        Decided::End(time) => Some((time, "the trace ends: decided here")),
    };
    if let Some((time, note)) = silent {
        let time = format!("t={}", scene.dial.time(time));
        rows.push(Row { index: None, time, event: String::new(), notes: vec![note.to_owned()] });
    }
    rows
}

fn add(rows: &mut Vec<Row>, origin: Origin, note: String, scene: Scene<'_>) {
    let index = Some(origin.event_index);
    if let Some(row) = rows.iter_mut().find(|row| row.index == index) {
        if !row.notes.contains(&note) {
            row.notes.push(note);
        }
        return;
    }
    let time = format!("t={}", scene.dial.time(origin.time));
    let event = sanitised(scene.symbols.name_text(origin.event));
    rows.push(Row { index, time, event, notes: vec![note] });
}

fn tell(out: &mut String, rows: &[Row], margin: usize, paint: Paint) {
    let widest = |text: fn(&Row) -> &str| rows.iter().map(|row| text_width(text(row))).max().unwrap_or(0);
    let (time_width, event_width) = (widest(|row| &row.time), widest(|row| &row.event));
    let elided = rows.len() > STORY_HEAD + STORY_TAIL + 1;
    for (number, row) in rows.iter().enumerate() {
        if elided && number == STORY_HEAD {
            let left_out = rows.len() - STORY_HEAD - STORY_TAIL;
            let _ = writeln!(out, "{} ({left_out} more events)", paint.ink(Ink::Frame, "..."));
        }
        if elided && (STORY_HEAD..rows.len() - STORY_TAIL).contains(&number) {
            continue;
        }
        let index = row.index.map_or(String::new(), |index| index.to_string());
        let gutter = paint.ink(Ink::Frame, &format!("{index:>margin$} |"));
        let pad = |text: &str, width: usize| " ".repeat(width - text_width(text));
        let (time, event) = (&row.time, &row.event);
        let notes = sanitised(&row.notes.join("; "));
        let gap = pad(time, time_width);
        let line = format!("{gutter} {time}{gap}  {event}{}  {}", pad(event, event_width), paint.ink(Ink::Bad, &notes));
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

#[cfg(test)]
mod tests {
    use gnomon_core::diagnostic::Span;
    use gnomon_core::time::{Clock, TimeKind, Timestamp};
    use gnomon_core::value::Value;
    use gnomon_core::verdict::{At, Because, Binding};

    use super::*;

    const SPEC: &str = "soloist late {\n  G(request -> F[0,3] reply)\n}\n";

    fn origin(symbols: &mut Symbols, event_index: u64, time: i64, event: &str) -> Origin {
        Origin { event_index, time: Clock::default().whole(time), event: symbols.name(event) }
    }

    fn draw_it(violation: &Violation, symbols: &Symbols) -> String {
        let dial = Dial { clock: Clock::default(), kind: TimeKind::Number };
        let scene = Scene {
            spec_name: "payments.rv",
            source: SPEC,
            trace_name: "trace.csv",
            dial,
            symbols,
            fails_as_a_whole: false,
            paint: Paint::PLAIN,
        };
        render(violation, "late", scene)
    }

    fn late(symbols: &mut Symbols) -> Violation {
        let start = SPEC.find("F[").unwrap();
        let opened = origin(symbols, 118, 10, "request");
        Violation {
            at: At { position: 118, origin: opened },
            until_position: None,
            decided: Decided::Event(origin(symbols, 1_129, 14, "ping")),
            binding: Binding::default(),
            failed: Span::new(start, start + "F[0,3] reply".len()),
            summary: "no `reply` within 3 of `request`".to_owned(),
            because: vec![Because { origin: opened, note: "opened, due by 13".to_owned() }],
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
    ::: trace.csv
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
    fn a_passed_deadline_has_no_event() {
        let mut symbols = Symbols::default();
        let mut violation = late(&mut symbols);
        violation.decided = Decided::Deadline(Timestamp::from_ticks(13_000_000_000));
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
    fn a_long_story_is_shortened() {
        let mut symbols = Symbols::default();
        let mut violation = late(&mut symbols);
        violation.because = (0..40)
            .map(|index| Because {
                origin: origin(&mut symbols, index, index as i64, "tick"),
                note: "counted".to_owned(),
            })
            .collect();
        let drawn = draw_it(&violation, &symbols);
        assert!(drawn.contains("... (31 more events)\n"), "{drawn}");
    }
}
