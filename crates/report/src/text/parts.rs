// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parts of a formula with their values at a violation, as an indented list.

use std::fmt::Write as _;

use gnomon_core::verdict::Violation;
use gnomon_run::offline::{PartValue, Truth};

use super::line::{sanitised, text_width};
use super::paint::Ink;
use super::violation::ViolationContext;

/// Longer parts are cut.
const WIDEST_PART: usize = 60;

/// Draws the parts of the formula of a violation: text, value, and the first places at which the part is true.
pub(super) fn draw(parts: &[PartValue], violation: &Violation, context: ViolationContext<'_>) -> String {
    let mut out = String::new();
    let place = |index: u64| context.locations.get(index).map_or(index, |location| location.line);
    let noun = match context.locations.get(violation.at.origin.event_index) {
        None => "event",
        Some(_) if context.locations.are_rows => "row",
        Some(_) => "line",
    };
    let here = place(violation.at.origin.event_index);
    let _ = writeln!(out, "{} values at {noun} {here}:", context.paint.ink(Ink::Frame, "="));
    let texts: Vec<String> = parts.iter().map(|part| text(part, context)).collect();
    let width = texts.iter().map(|text| text_width(text)).max().unwrap_or(0);
    for (part, text) in parts.iter().zip(&texts) {
        let places: Vec<String> = part.true_at.iter().map(|origin| place(origin.event_index).to_string()).collect();
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
    let shown = if text_width(&text) <= WIDEST_PART {
        text
    } else {
        text.chars().take(WIDEST_PART - 1).chain(['…']).collect()
    };
    format!("{}{shown}", "  ".repeat(part.depth))
}
