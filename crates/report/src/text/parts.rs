// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parts of a formula with their values at a violation, as an indented list.

use std::fmt::Write as _;

use gnomon_core::verdict::Violation;
use gnomon_run::offline::{PartValue, Truth};

use super::line::{sanitised, text_width};
use super::paint::Ink;
use super::violation::ViolationContext;

/// Longer parts are cut.
const MAX_PART_WIDTH: usize = 60;

/// Draws the parts of the formula of a violation: text, value, and the first places at which the part is true.
pub(super) fn draw(parts: &[PartValue], violation: &Violation, context: ViolationContext<'_>) -> String {
    let mut out = String::new();
    let at = violation.at.origin.event_index;
    let is_located = context.locations.get(at).is_some();
    let noun = match (is_located, context.locations.are_rows) {
        (false, _) => "event",
        (true, true) => "row",
        (true, false) => "line",
    };
    let place = |index: u64| match context.locations.get(index) {
        Some(location) => Some(location.line),
        None => (!is_located).then_some(index),
    };
    let here = place(at).unwrap_or(at);
    let _ = writeln!(out, "{} values at {noun} {here}:", context.paint.ink(Ink::Frame, "="));
    let texts: Vec<String> = parts.iter().map(|part| text(part, context)).collect();
    let width = texts.iter().map(|text| text_width(text)).max().unwrap_or(0);
    for (part, text) in parts.iter().zip(&texts) {
        let places: Vec<String> =
            part.true_at.iter().filter_map(|origin| place(origin.event_index)).map(|line| line.to_string()).collect();
        let elsewhere =
            if places.is_empty() { String::new() } else { format!("; true at {noun} {}", places.join(", ")) };
        let gap = " ".repeat(width - text_width(text));
        let value = match part.value {
            Truth::True => "true".to_owned(),
            Truth::False => context.paint.ink(Ink::Bad, "false"),
            Truth::Unknown => "unknown".to_owned(),
        };
        let _ = writeln!(out, "    {text}{gap}  {value}{elsewhere}");
    }
    out
}

/// Returns the indented text of a part on one line.
fn text(part: &PartValue, context: ViolationContext<'_>) -> String {
    let words: Vec<&str> = part.span.text(context.source).split_whitespace().collect();
    let text = sanitised(&words.join(" "));
    let shown = if text_width(&text) <= MAX_PART_WIDTH {
        text
    } else {
        text.chars().take(MAX_PART_WIDTH - 1).chain(['…']).collect()
    };
    format!("{}{shown}", "  ".repeat(part.depth))
}
