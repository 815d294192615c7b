// SPDX-License-Identifier: MIT OR Apache-2.0
//! Drawings as SVG: the frame and the elements that all drawings are made of.

use std::fmt::Write as _;

use crate::escape;

/// Returns the beginning of a drawing of this size, up to its background; `</svg>` ends it.
pub fn open(wide: f64, tall: f64, title: &str, style: &str) -> String {
    let title = escape::xml(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide:.0} {tall:.0}\" width=\"{wide:.0}\" height=\"{tall:.0}\" role=\"img\">\n\
         <title>{title}</title>\n<style>{style}</style>\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n"
    )
}

/// Writes a line of text that begins at a point, or has its middle there.
pub fn text(out: &mut String, class: &str, (x, y): (f64, f64), is_centred: bool, text: &str) {
    let anchor = if is_centred { " text-anchor=\"middle\"" } else { "" };
    let _ = writeln!(out, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\"{anchor}>{}</text>", escape::xml(text));
}

/// Writes a rectangle with round corners.
pub fn rectangle(out: &mut String, class: &str, (x, y): (f64, f64), (width, height): (f64, f64), radius: u32) {
    let _ = writeln!(
        out,
        "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{radius}\"/>"
    );
}

/// Writes a path through points, the first of which it only moves to.
pub fn polyline(out: &mut String, class: &str, points: &[(f64, f64)]) {
    let data: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    path(out, class, &format!("M{}", data.join(" L")));
}

/// Writes a path.
pub fn path(out: &mut String, class: &str, data: &str) {
    let _ = writeln!(out, "<path class=\"{class}\" d=\"{data}\"/>");
}
