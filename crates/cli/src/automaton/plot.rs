// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws copies and times of several properties as an SVG plot, for light and dark pages.

use std::fmt::Write as _;

use gnomon::escape;

use super::measure::{Measurement, SEMANTICS};
use crate::files::file_name;

const STYLE: &str = "\
svg{--ink:#1f2328;--soft:#59636e;--grid:#d1d9e0;--back:#fff;--c0:#cf222e;--c1:#0969da;--c2:#8250df;--c3:#1a7f37}\
@media(prefers-color-scheme:dark){svg{--ink:#e6edf3;--soft:#9198a1;--grid:#30363d;--back:#0d1117;--c0:#f85149;--c1:#58a6ff;--c2:#bc8cff;--c3:#3fb950}}\
text{font:12px system-ui,sans-serif;fill:var(--ink)}.soft{fill:var(--soft)}.back{fill:var(--back)}.grid{stroke:var(--grid)}\
path{fill:none;stroke-width:2}.s0{stroke:var(--c0)}.s1{stroke:var(--c1);stroke-dasharray:7 4}.s2{stroke:var(--c2);stroke-dasharray:2 4}.s3{stroke:var(--c3)}";

const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 56.0;
/// Distance between the left edges of two panels.
const PANEL: f64 = WIDTH + 90.0;

/// A line of a panel: its name, and a value for each property that has one.
type Series = (String, Vec<Option<f64>>);

pub(super) fn render(path: &str, rows: &[Measurement]) -> String {
    let of = |value: &dyn Fn(&Measurement, usize) -> Option<f64>| -> Vec<Series> {
        let series = SEMANTICS.iter().enumerate();
        series.map(|(at, (name, _))| ((*name).to_owned(), rows.iter().map(|row| value(row, at)).collect())).collect()
    };
    let kept = |row: &Measurement, at: usize, value: f64| row.runs[at].0.gave_up.is_none().then_some(value);
    let mut copies = of(&|row, at| kept(row, at, row.runs[at].0.made as f64));
    copies.push(("engine (operators)".to_owned(), rows.iter().map(|row| Some(row.engine.0 as f64)).collect()));
    let mut times = of(&|row, at| kept(row, at, row.runs[at].1.as_secs_f64() * 1000.0));
    times.push(("engine".to_owned(), rows.iter().map(|row| Some(row.engine.1.as_secs_f64() * 1000.0)).collect()));
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    let (wide, tall) = (LEFT + PANEL + WIDTH + 24.0, TOP + HEIGHT + 96.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {tall}\" width=\"{wide}\" height=\"{tall}\" role=\"img\">\n\
         <title>Copies and time over {}</title>\n<style>{STYLE}</style>\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n",
        escape::xml(&file_name(path))
    );
    panel(&mut out, LEFT, "copies made", &names, &copies);
    panel(&mut out, LEFT + PANEL, "milliseconds", &names, &times);
    for (at, (name, _)) in copies.iter().enumerate() {
        let (x, y) = (LEFT + 200.0 * at as f64, TOP + HEIGHT + 64.0);
        let _ = writeln!(out, "<path class=\"s{at}\" d=\"M{x},{y} h28\"/>");
        let _ = writeln!(out, "<text x=\"{}\" y=\"{}\">{}</text>", x + 36.0, y + 4.0, escape::xml(name));
    }
    out.push_str("</svg>\n");
    out
}

/// Draws one panel with a logarithmic scale.
fn panel(out: &mut String, left: f64, title: &str, names: &[&str], series: &[Series]) {
    let known = || series.iter().flat_map(|(_, values)| values.iter().flatten()).copied().filter(|value| *value > 0.0);
    let low = known().fold(f64::INFINITY, f64::min).log10().floor();
    let (low, high) = (if low.is_finite() { low } else { 0.0 }, known().fold(1.0, f64::max).log10().ceil());
    let high = high.max(low + 1.0);
    let x = |at: usize| left + WIDTH * at as f64 / (names.len().max(2) - 1) as f64;
    // Zero is drawn at the lower end.
    let y = |value: f64| TOP + HEIGHT * (1.0 - (value.log10().max(low) - low) / (high - low));
    let _ = writeln!(out, "<text x=\"{left}\" y=\"{}\">{title}</text>", TOP - 18.0);
    for decade in low as i32..=high as i32 {
        let (value, at) = (10_f64.powi(decade), y(10_f64.powi(decade)));
        let _ =
            writeln!(out, "<line class=\"grid\" x1=\"{left}\" y1=\"{at:.1}\" x2=\"{}\" y2=\"{at:.1}\"/>", left + WIDTH);
        let (text_x, text_y) = (left - 8.0, at + 4.0);
        let _ =
            writeln!(out, "<text class=\"soft\" x=\"{text_x}\" y=\"{text_y:.1}\" text-anchor=\"end\">{value}</text>");
    }
    // Only about a dozen names fit.
    for (at, name) in names.iter().enumerate().step_by(names.len().div_ceil(12).max(1)) {
        let short: String = name.chars().take(8).collect();
        let (text_x, text_y) = (x(at), TOP + HEIGHT + 20.0);
        let _ = writeln!(
            out,
            "<text class=\"soft\" x=\"{text_x:.1}\" y=\"{text_y}\" text-anchor=\"middle\">{}</text>",
            escape::xml(&short)
        );
    }
    for (number, (_, values)) in series.iter().enumerate() {
        let mut path = String::new();
        for (at, value) in values.iter().enumerate() {
            if let Some(value) = value {
                let is_first = at == 0 || values[at - 1].is_none();
                let _ = write!(path, "{}{:.1},{:.1} ", if is_first { 'M' } else { 'L' }, x(at), y(*value));
            }
        }
        let _ = writeln!(out, "<path class=\"s{number}\" d=\"{}\"/>", path.trim_end());
    }
}
