// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws scenarios as SVG, for light and dark pages.

use std::fmt::Write as _;

use gnomon_core::svg;

use super::scenario::{MessageRole, Scenario, ScenarioItem, ScenarioMessage};

const STYLE: &str = "\
svg{--ink:#1f2328;--soft:#59636e;--back:#fff;--good:#1a7f37;--bad:#cf222e;--edge:#0969da;--fill:#f6f8fa}\
@media(prefers-color-scheme:dark){svg{--ink:#e6edf3;--soft:#9198a1;--back:#0d1117;--good:#3fb950;--bad:#f85149;--edge:#4493f8;--fill:#161b22}}\
.back{fill:var(--back)}text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:var(--ink);white-space:pre}\
.title{font-weight:bold}.soft{fill:var(--soft)}.head{fill:var(--fill);stroke:var(--ink);stroke-width:1.2}\
.life{stroke:var(--soft);stroke-dasharray:3 4}.frame{fill:none;stroke:var(--soft)}.note{fill:var(--fill);stroke:var(--soft)}\
.line{fill:none;stroke-width:1.5}.scope{stroke:var(--edge);stroke-width:2.2}.may{stroke:var(--ink);stroke-dasharray:6 3}\
.must{stroke:var(--good)}.mustnot{stroke:var(--bad)}.t-scope{fill:var(--edge)}.t-must{fill:var(--good)}.t-mustnot{fill:var(--bad)}";

/// The width of a letter, the height of a row.
const LETTER: f64 = 7.3;
const ROW: f64 = 38.0;
const HEAD: f64 = 30.0;
const MARGIN: f64 = 24.0;
/// The maximum length of a label; longer ones are truncated.
const MAX_LENGTH: usize = 70;

pub(super) fn draw(scenario: &Scenario) -> String {
    let mut drawing =
        SvgDrawing { columns: columns(scenario), depth: depth(&scenario.items), body: String::new(), y: 0.0 };
    let right = drawing.columns.last().copied().unwrap_or(MARGIN);
    let last = scenario.participants.last().map_or(0.0, |name| width(name) / 2.0 + 12.0);
    let loops = to_itself(&scenario.items);
    let title = cut(&scenario.title);
    let wide =
        (right + last.max(loops) + MARGIN + drawing.inset(0)).max(width(&title) + 2.0 * MARGIN).max(LEGEND_WIDTH);
    let top = 34.0;
    drawing.y = top + HEAD + 22.0;
    drawing.items(&scenario.items, 0, wide);
    let bottom = drawing.y;
    let tall = bottom + 34.0;
    let mut out = svg::open(wide, tall, &title, STYLE);
    svg::text(&mut out, "title", (MARGIN, 20.0), false, &title);
    for (name, x) in scenario.participants.iter().zip(&drawing.columns) {
        let (name, half) = (cut(name), width(&cut(name)) / 2.0 + 10.0);
        let _ = writeln!(
            out,
            "<line class=\"life\" x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\"/>",
            top + HEAD
        );
        svg::rectangle(&mut out, "head", (x - half, top), (2.0 * half, HEAD), 4);
        svg::text(&mut out, "", (*x, top + 19.0), true, &name);
    }
    out.push_str(&drawing.body);
    let legend =
        [("t-scope", "scope"), ("t-must", "must happen"), ("t-mustnot", "must not happen"), ("", "may happen")];
    let mut x = MARGIN;
    for (class, words) in legend {
        svg::text(&mut out, class, (x, tall - 12.0), false, words);
        x += width(words) + 20.0;
    }
    out.push_str("</svg>\n");
    out
}

const LEGEND_WIDTH: f64 = 430.0;

/// Returns the depth of nested frames.
fn depth(items: &[ScenarioItem]) -> usize {
    let inner = items.iter().map(|item| match item {
        ScenarioItem::Block(_, inner) => 1 + depth(inner),
        _ => 0,
    });
    inner.max().unwrap_or(0)
}

fn messages<'i>(items: &'i [ScenarioItem], found: &mut Vec<&'i ScenarioMessage>) {
    for item in items {
        match item {
            ScenarioItem::Message(message) => found.push(message),
            ScenarioItem::Block(_, inner) => messages(inner, found),
            ScenarioItem::Note(_) => {}
        }
    }
}

fn label(message: &ScenarioMessage) -> String {
    cut(&format!("{}{}", message.role.word(), message.label))
}

/// Returns the width that messages from a participant to itself need.
fn to_itself(items: &[ScenarioItem]) -> f64 {
    let mut found = Vec::new();
    messages(items, &mut found);
    let own = found.into_iter().filter(|message| message.from == message.to);
    own.map(|message| width(&label(message)) + 50.0).fold(0.0, f64::max)
}

/// Returns the positions of the lifelines, far enough apart for the labels between them.
fn columns(scenario: &Scenario) -> Vec<f64> {
    let names: Vec<f64> = scenario.participants.iter().map(|name| width(&cut(name)) / 2.0 + 12.0).collect();
    let mut found = Vec::new();
    messages(&scenario.items, &mut found);
    let inset = 12.0 * depth(&scenario.items) as f64;
    let mut columns: Vec<f64> = Vec::new();
    for (index, half) in names.iter().enumerate() {
        let Some(before) = columns.last().copied() else {
            columns.push(MARGIN + inset + half.max(40.0));
            continue;
        };
        let mut at = before + names[index - 1] + half + 16.0;
        for message in &found {
            let (left, right) = (message.from.min(message.to), message.from.max(message.to));
            if right == index && left < right {
                at = at.max(columns[left] + width(&label(message)) + 28.0);
            } else if left == right && left + 1 == index {
                at = at.max(before + width(&label(message)) + 60.0);
            }
        }
        columns.push(at);
    }
    columns
}

struct SvgDrawing {
    columns: Vec<f64>,
    depth: usize,
    body: String,
    y: f64,
}

impl SvgDrawing {
    /// Returns the distance of a frame at this depth from the side.
    fn inset(&self, depth: usize) -> f64 {
        12.0 * self.depth.saturating_sub(depth) as f64
    }

    fn items(&mut self, items: &[ScenarioItem], depth: usize, wide: f64) {
        for item in items {
            match item {
                ScenarioItem::Message(message) => self.message(message),
                ScenarioItem::Note(words) => self.note(words, wide),
                ScenarioItem::Block(block, inner) => {
                    let left = MARGIN / 2.0 + 12.0 * depth as f64;
                    let top = self.y;
                    self.y += 34.0;
                    self.items(inner, depth + 1, wide);
                    let size = (wide - 2.0 * left, self.y - top);
                    svg::rectangle(&mut self.body, "frame", (left, top), size, 3);
                    let words = cut(&format!("{} [{}]", block.word(), block.title()));
                    svg::text(&mut self.body, "soft", (left + 6.0, top + 15.0), false, &words);
                    self.y += 10.0;
                }
            }
        }
    }

    fn note(&mut self, words: &str, wide: f64) {
        let words = cut(words);
        let half = width(&words) / 2.0 + 10.0;
        let middle = wide / 2.0;
        svg::rectangle(&mut self.body, "note", (middle - half, self.y), (2.0 * half, 22.0), 3);
        svg::text(&mut self.body, "soft", (middle, self.y + 15.0), true, &words);
        self.y += 34.0;
    }

    fn message(&mut self, message: &ScenarioMessage) {
        let (from, to) = (self.columns[message.from], self.columns[message.to]);
        let (class, tone) = match message.role {
            MessageRole::Delimits => ("scope", "t-scope"),
            MessageRole::May => ("may", ""),
            MessageRole::Must => ("must", "t-must"),
            MessageRole::MustNot => ("mustnot", "t-mustnot"),
        };
        let y = self.y + 18.0;
        let words = label(message);
        let (tip, direction) = if message.from == message.to {
            let far = from + 30.0;
            let (out, back) = (y - 8.0, y + 4.0);
            let path = format!("M{from:.1},{out:.1} H{far:.1} V{back:.1} H{from:.1}");
            svg::path(&mut self.body, &format!("line {class}"), &path);
            svg::text(&mut self.body, tone, (far + 6.0, y + 2.0), false, &words);
            ((from, y + 4.0), -1.0)
        } else {
            svg::polyline(&mut self.body, &format!("line {class}"), &[(from, y), (to, y)]);
            svg::text(&mut self.body, tone, (f64::midpoint(from, to), y - 6.0), true, &words);
            ((to, y), if from < to { 1.0 } else { -1.0 })
        };
        self.tip(class, tip, direction, message.role == MessageRole::MustNot);
        self.y += ROW;
    }

    /// Draws an arrow head, or a cross for a message that must not occur.
    fn tip(&mut self, class: &str, (x, y): (f64, f64), direction: f64, cross: bool) {
        let path = if cross {
            let middle = x - direction * 12.0;
            let (left, right, top, bottom) = (middle - 6.0, middle + 6.0, y - 6.0, y + 6.0);
            format!("M{left:.1},{top:.1} L{right:.1},{bottom:.1} M{left:.1},{bottom:.1} L{right:.1},{top:.1}")
        } else {
            let back = x - direction * 8.0;
            format!("M{back:.1},{:.1} L{x:.1},{y:.1} L{back:.1},{:.1}", y - 5.0, y + 5.0)
        };
        let _ = writeln!(self.body, "<path class=\"line {class}\" style=\"stroke-dasharray:none\" d=\"{path}\"/>");
    }
}

/// Returns the width of a text.
fn width(text: &str) -> f64 {
    let letters: u32 = text.chars().map(|letter| if letter >= '\u{1100}' { 2 } else { 1 }).sum();
    f64::from(letters) * LETTER
}

/// Truncates a text to the maximum length.
fn cut(text: &str) -> String {
    if text.chars().count() <= MAX_LENGTH {
        return text.to_owned();
    }
    text.chars().take(MAX_LENGTH - 1).chain(['…']).collect()
}
