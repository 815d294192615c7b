// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clocks over time as SVG: a row for each clock with its ticks, a row for each relation with its violations, a column for each instant.

use gnomon_core::svg;

/// A drawing of clocks over time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClockTimeline {
    /// Title.
    pub title: String,
    /// The time of each instant.
    pub times: Vec<String>,
    /// The rows of the clocks.
    pub clocks: Vec<ClockRow>,
    /// The rows of the relations.
    pub relations: Vec<RelationRow>,
    /// Remarks, drawn below.
    pub notes: Vec<String>,
}

/// The ticks of a clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockRow {
    /// Its name, with its definition if it has one.
    pub name: String,
    /// True if it has a definition.
    pub is_defined: bool,
    /// For each instant, the number of the tick there.
    pub ticks: Vec<Option<u64>>,
}

/// The violations of a relation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RelationRow {
    /// The relation as it is written.
    pub text: String,
    /// For each instant, true if it is violated there.
    pub violated: Vec<bool>,
}

const STYLE: &str = "\
svg{--ink:#1f2328;--soft:#59636e;--back:#fff;--rule:#d1d9e0;--tick:#0969da;--own:#8250df;--bad:#cf222e}\
@media(prefers-color-scheme:dark){svg{--ink:#e6edf3;--soft:#9198a1;--back:#0d1117;--rule:#3d444d;--tick:#4493f8;--own:#ab7df8;--bad:#f85149}}\
.back{fill:var(--back)}text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:var(--ink);white-space:pre}\
.title{font-weight:bold}.note,.time{fill:var(--soft)}.number{font-size:10px;fill:var(--soft)}.broken{fill:var(--bad)}\
.rule{fill:none;stroke:var(--rule);stroke-width:1}.tick{fill:none;stroke:var(--tick);stroke-width:3}.own{fill:none;stroke:var(--own);stroke-width:3}\
.bad{fill:none;stroke:var(--bad);stroke-width:2.4}.column{fill:var(--bad);fill-opacity:.12}";

/// The height of a row.
const ROW: f64 = 30.0;
/// The width of a character.
const CHARACTER: f64 = 7.3;
/// The distance of two instants.
const STEP: f64 = 26.0;
const LEFT: f64 = 16.0;

/// Returns the drawing as SVG.
pub fn svg(timeline: &ClockTimeline) -> String {
    let ClockTimeline { title, times, clocks, relations, notes } = timeline;
    let names = clocks.iter().map(|row| &row.name).chain(relations.iter().map(|row| &row.text));
    let longest = names.map(|name| name.chars().count()).max().unwrap_or(0);
    let start = LEFT + longest as f64 * CHARACTER + 20.0;
    // Times are written so far apart that they do not overlap.
    let time_width = times.iter().map(|time| time.chars().count()).max().unwrap_or(0) as f64 * CHARACTER;
    let stride = ((time_width + 10.0) / STEP).ceil().max(1.0) as usize;
    let end = start + times.len() as f64 * STEP;
    let wide = std::iter::once(title).chain(notes).map(|text| text.chars().count() as f64 * CHARACTER + 2.0 * LEFT);
    let wide = wide.fold(end + LEFT + time_width / 2.0, f64::max);
    let (top, rows) = (44.0, (clocks.len() + relations.len()) as f64);
    let bottom = top + rows * ROW + 12.0;
    let tall = bottom + 24.0 + notes.len() as f64 * 16.0 + 8.0;
    let mut out = svg::open(wide, tall, title, STYLE);
    svg::text(&mut out, "title", (LEFT, 22.0), false, title);
    let x = |instant: usize| start + (instant as f64 + 0.5) * STEP;
    for instant in 0..times.len() {
        if relations.iter().any(|row| row.violated[instant]) {
            svg::rectangle(&mut out, "column", (x(instant) - STEP / 2.0, top - 8.0), (STEP, bottom - top + 4.0), 3);
        }
    }
    for (number, row) in clocks.iter().enumerate() {
        let y = top + (number as f64 + 0.7) * ROW;
        svg::text(&mut out, "name", (LEFT, y), false, &row.name);
        svg::polyline(&mut out, "rule", &[(start, y), (end, y)]);
        for (instant, tick) in row.ticks.iter().enumerate() {
            let Some(tick) = tick else { continue };
            let class = if row.is_defined { "own" } else { "tick" };
            svg::polyline(&mut out, class, &[(x(instant), y), (x(instant), y - 13.0)]);
            svg::text(&mut out, "number", (x(instant) + 3.0, y - 4.0), false, &tick.to_string());
        }
    }
    for (number, row) in relations.iter().enumerate() {
        let y = top + ((clocks.len() + number) as f64 + 0.7) * ROW;
        let class = if row.violated.contains(&true) { "broken" } else { "name" };
        svg::text(&mut out, class, (LEFT, y), false, &row.text);
        svg::polyline(&mut out, "rule", &[(start, y), (end, y)]);
        for instant in (0..times.len()).filter(|instant| row.violated[*instant]) {
            let (x, y) = (x(instant), y - 5.0);
            svg::polyline(&mut out, "bad", &[(x - 5.0, y - 5.0), (x + 5.0, y + 5.0)]);
            svg::polyline(&mut out, "bad", &[(x - 5.0, y + 5.0), (x + 5.0, y - 5.0)]);
        }
    }
    for (instant, time) in times.iter().enumerate().step_by(stride) {
        svg::text(&mut out, "time", (x(instant), bottom + 12.0), true, time);
    }
    for (number, note) in notes.iter().enumerate() {
        svg::text(&mut out, "note", (LEFT, bottom + 32.0 + number as f64 * 16.0), false, note);
    }
    out.push_str("</svg>\n");
    out
}
