// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenarios drawn as SVG, for light and dark pages alike.

use std::fmt::Write as _;

use super::scenario::{Item, Message, Role, Scenario};

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
/// A label longer than this is cut.
const LONGEST: usize = 70;

pub(super) fn draw(scenario: &Scenario) -> String {
    let mut drawing =
        Drawing { columns: columns(scenario), depth: depth(&scenario.items), body: String::new(), y: 0.0 };
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
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide:.0} {tall:.0}\" width=\"{wide:.0}\" height=\"{tall:.0}\" role=\"img\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n",
        title = escaped(&title)
    );
    text(&mut out, "title", MARGIN, 20.0, &title, false);
    for (name, x) in scenario.participants.iter().zip(&drawing.columns) {
        let (name, half) = (cut(name), width(&cut(name)) / 2.0 + 10.0);
        let _ = writeln!(
            out,
            "<line class=\"life\" x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\"/>",
            top + HEAD
        );
        let _ = writeln!(
            out,
            "<rect class=\"head\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{HEAD:.1}\" rx=\"4\"/>",
            x - half,
            2.0 * half
        );
        text(&mut out, "", *x, top + 19.0, &name, true);
    }
    out.push_str(&drawing.body);
    let legend =
        [("t-scope", "scope"), ("t-must", "must happen"), ("t-mustnot", "must not happen"), ("", "may happen")];
    let mut x = MARGIN;
    for (class, words) in legend {
        text(&mut out, class, x, tall - 12.0, words, false);
        x += width(words) + 20.0;
    }
    out.push_str("</svg>\n");
    out
}

const LEGEND_WIDTH: f64 = 430.0;

/// How deep frames are nested.
fn depth(items: &[Item]) -> usize {
    let inner = items.iter().map(|item| match item {
        Item::Block(_, inner) => 1 + depth(inner),
        _ => 0,
    });
    inner.max().unwrap_or(0)
}

fn messages<'i>(items: &'i [Item], found: &mut Vec<&'i Message>) {
    for item in items {
        match item {
            Item::Message(message) => found.push(message),
            Item::Block(_, inner) => messages(inner, found),
            Item::Note(_) => {}
        }
    }
}

fn label(message: &Message) -> String {
    cut(&format!("{}{}", message.role.word(), message.label))
}

/// How much room messages need that go from a participant to itself.
fn to_itself(items: &[Item]) -> f64 {
    let mut found = Vec::new();
    messages(items, &mut found);
    let own = found.into_iter().filter(|message| message.from == message.to);
    own.map(|message| width(&label(message)) + 50.0).fold(0.0, f64::max)
}

/// Where the lifelines stand: far enough apart for what is written between them.
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

struct Drawing {
    columns: Vec<f64>,
    depth: usize,
    body: String,
    y: f64,
}

impl Drawing {
    /// How far a frame at this depth is from the side.
    fn inset(&self, depth: usize) -> f64 {
        12.0 * self.depth.saturating_sub(depth) as f64
    }

    fn items(&mut self, items: &[Item], depth: usize, wide: f64) {
        for item in items {
            match item {
                Item::Message(message) => self.message(message),
                Item::Note(words) => self.note(words, wide),
                Item::Block(block, inner) => {
                    let left = MARGIN / 2.0 + 12.0 * depth as f64;
                    let top = self.y;
                    self.y += 34.0;
                    self.items(inner, depth + 1, wide);
                    let _ = writeln!(
                        self.body,
                        "<rect class=\"frame\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"3\"/>",
                        wide - 2.0 * left,
                        self.y - top
                    );
                    let words = cut(&format!("{} [{}]", block.word(), block.title()));
                    text(&mut self.body, "soft", left + 6.0, top + 15.0, &words, false);
                    self.y += 10.0;
                }
            }
        }
    }

    fn note(&mut self, words: &str, wide: f64) {
        let words = cut(words);
        let half = width(&words) / 2.0 + 10.0;
        let middle = wide / 2.0;
        let _ = writeln!(
            self.body,
            "<rect class=\"note\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"22\" rx=\"3\"/>",
            middle - half,
            self.y,
            2.0 * half
        );
        text(&mut self.body, "soft", middle, self.y + 15.0, &words, true);
        self.y += 34.0;
    }

    fn message(&mut self, message: &Message) {
        let (from, to) = (self.columns[message.from], self.columns[message.to]);
        let (class, tone) = match message.role {
            Role::Delimits => ("scope", "t-scope"),
            Role::May => ("may", ""),
            Role::Must => ("must", "t-must"),
            Role::MustNot => ("mustnot", "t-mustnot"),
        };
        let y = self.y + 18.0;
        let words = label(message);
        let (tip, direction) = if message.from == message.to {
            let far = from + 30.0;
            let _ = writeln!(
                self.body,
                "<path class=\"line {class}\" d=\"M{from:.1},{:.1} H{far:.1} V{:.1} H{from:.1}\"/>",
                y - 8.0,
                y + 4.0
            );
            text(&mut self.body, tone, far + 6.0, y + 2.0, &words, false);
            ((from, y + 4.0), -1.0)
        } else {
            let _ = writeln!(self.body, "<path class=\"line {class}\" d=\"M{from:.1},{y:.1} H{to:.1}\"/>");
            text(&mut self.body, tone, f64::midpoint(from, to), y - 6.0, &words, true);
            ((to, y), if from < to { 1.0 } else { -1.0 })
        };
        self.tip(class, tip, direction, message.role == Role::MustNot);
        self.y += ROW;
    }

    /// An arrow head, or a cross where nothing may arrive.
    fn tip(&mut self, class: &str, (x, y): (f64, f64), direction: f64, cross: bool) {
        let path = if cross {
            let middle = x - direction * 12.0;
            format!(
                "M{:.1},{:.1} L{:.1},{:.1} M{:.1},{:.1} L{:.1},{:.1}",
                middle - 6.0,
                y - 6.0,
                middle + 6.0,
                y + 6.0,
                middle - 6.0,
                y + 6.0,
                middle + 6.0,
                y - 6.0
            )
        } else {
            let back = x - direction * 8.0;
            format!("M{back:.1},{:.1} L{x:.1},{y:.1} L{back:.1},{:.1}", y - 5.0, y + 5.0)
        };
        let _ = writeln!(self.body, "<path class=\"line {class}\" style=\"stroke-dasharray:none\" d=\"{path}\"/>");
    }
}

fn text(out: &mut String, class: &str, x: f64, y: f64, words: &str, middle: bool) {
    let anchor = if middle { " text-anchor=\"middle\"" } else { "" };
    let _ = writeln!(out, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\"{anchor}>{}</text>", escaped(words));
}

/// How wide a text is.
fn width(text: &str) -> f64 {
    let letters: u32 = text.chars().map(|letter| if letter >= '\u{1100}' { 2 } else { 1 }).sum();
    f64::from(letters) * LETTER
}

/// A text that is not too long.
fn cut(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST - 1).chain(['…']).collect()
}

/// A text as XML may carry it.
fn escaped(text: &str) -> String {
    gnomon_automaton::graph::escaped(text)
}
