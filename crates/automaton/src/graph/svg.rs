// SPDX-License-Identifier: MIT OR Apache-2.0
//! Graphs as SVG, for light and dark pages alike.

use std::fmt::Write as _;

use super::layout::{LOOP, Layout, Place, Route, TooLarge, layout};
use super::{Edge, Graph, Node, Shape, width};

const STYLE: &str = "\
svg{--ink:#1f2328;--soft:#59636e;--back:#fff;--good:#1a7f37;--bad:#cf222e;--fill:#f6f8fa}\
@media(prefers-color-scheme:dark){svg{--ink:#e6edf3;--soft:#9198a1;--back:#0d1117;--good:#3fb950;--bad:#f85149;--fill:#161b22}}\
.back{fill:var(--back)}text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:var(--ink);white-space:pre}\
.title{font-weight:bold}.note,.label{fill:var(--soft)}\
.shape{fill:var(--fill);stroke:var(--ink);stroke-width:1.2}.initial{stroke-width:2.6}\
.good{stroke:var(--good)}.bad{stroke:var(--bad)}.leaf{stroke-dasharray:4 3}.all{fill:var(--ink)}\
.edge{fill:none;stroke:var(--soft);stroke-width:1.2;marker-end:url(#tip)}#tip path{fill:var(--soft)}";

/// The height of a line of text.
const LINE: f64 = 15.0;

/// The graph as SVG.
pub fn svg(graph: &Graph) -> Result<String, TooLarge> {
    let layout = layout(graph)?;
    let head = LINE * 2.0;
    let foot = LINE * graph.notes.len() as f64 + 12.0;
    let texts = std::iter::once(&graph.title).chain(&graph.notes);
    let wide = texts.map(|text| width(text) as f64 * 7.3 + 32.0).fold(layout.width, f64::max);
    let tall = layout.height + head + foot;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide:.0} {tall:.0}\" width=\"{wide:.0}\" height=\"{tall:.0}\" role=\"img\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto-start-reverse\">\
         <path d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n",
        escaped(&graph.title)
    );
    text(&mut out, "title", 16.0, LINE + 6.0, &graph.title);
    let _ = writeln!(out, "<g transform=\"translate(0 {head:.0})\">");
    for (edge, route) in graph.edges.iter().zip(&layout.routes) {
        match route {
            Some(route) => draw_edge(&mut out, &layout, edge, route),
            None => draw_loop(&mut out, &layout.places[edge.from], edge),
        }
    }
    for (node, place) in graph.nodes.iter().zip(&layout.places) {
        draw_node(&mut out, node, place);
    }
    out.push_str("</g>\n");
    for (index, note) in graph.notes.iter().enumerate() {
        text(&mut out, "note", 16.0, layout.height + head + LINE * (index as f64 + 0.6), note);
    }
    out.push_str("</svg>\n");
    Ok(out)
}

fn draw_edge(out: &mut String, layout: &Layout, edge: &Edge, route: &Route) {
    let places: Vec<&Place> = route.through.iter().map(|index| &layout.places[*index]).collect();
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (index, place) in places.iter().enumerate() {
        // An edge leaves its upper node below and meets its lower node above; what is between is passed straight down.
        if index > 0 {
            points.push((place.line(), place.top()));
        }
        if index + 1 < places.len() {
            points.push((place.line(), place.bottom()));
        }
    }
    if route.upwards {
        points.reverse();
    }
    let mut path = String::new();
    for (index, (x, y)) in points.iter().enumerate() {
        let _ = match index.checked_sub(1).map(|before| points[before]) {
            None => write!(path, "M{x:.1},{y:.1}"),
            Some((before, _)) if (before - x).abs() < 0.5 => write!(path, " L{x:.1},{y:.1}"),
            Some((before_x, before_y)) => {
                let middle = f64::midpoint(before_y, *y);
                write!(path, " C{before_x:.1},{middle:.1} {x:.1},{middle:.1} {x:.1},{y:.1}")
            }
        };
    }
    let _ = writeln!(out, "<path class=\"edge\" d=\"{path}\"/>");
    if let Some(place) = route.text.map(|index| &layout.places[index]) {
        lines(out, "label", place.line() + 7.0, place.y + 3.0, &edge.lines);
    }
}

fn draw_loop(out: &mut String, place: &Place, edge: &Edge) {
    let right = place.x + 2.0 * place.anchor;
    let middle = place.y + place.height / 2.0;
    let (up, down, far) = (middle - 8.0, middle + 8.0, right + LOOP);
    let _ = writeln!(
        out,
        "<path class=\"edge\" d=\"M{right:.1},{up:.1} C{far:.1},{:.1} {far:.1},{:.1} {right:.1},{down:.1}\"/>",
        up - 8.0,
        down + 8.0
    );
    lines(out, "label", far, middle - LINE * edge.lines.len() as f64 / 2.0, &edge.lines);
}

fn draw_node(out: &mut String, node: &Node, place: &Place) {
    let (width, height) = (2.0 * place.anchor, place.body);
    let (x, y) = (place.x, place.top());
    let (middle_x, middle_y) = (x + width / 2.0, y + height / 2.0);
    let initial = if node.initial { " initial" } else { "" };
    out.push_str("<g class=\"node\">");
    let rectangle = |out: &mut String, class: &str, inset: f64| {
        let _ = write!(
            out,
            "<rect class=\"shape{class}{initial}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"8\"/>",
            x + inset,
            y + inset,
            width - 2.0 * inset,
            height - 2.0 * inset
        );
    };
    match node.shape {
        Shape::State => rectangle(out, "", 0.0),
        Shape::Accepting => {
            rectangle(out, " good", 0.0);
            rectangle(out, " good", 3.0);
        }
        Shape::Rejecting => rectangle(out, " bad", 0.0),
        Shape::Leaf => rectangle(out, " leaf", 0.0),
        Shape::Diamond => {
            let (right, bottom) = (x + width, y + height);
            let _ = write!(
                out,
                "<path class=\"shape all\" d=\"M{middle_x:.1},{y:.1} L{right:.1},{middle_y:.1} L{middle_x:.1},{bottom:.1} L{x:.1},{middle_y:.1} z\"/>"
            );
        }
        Shape::Choice => {
            let _ = write!(
                out,
                "<circle class=\"shape\" cx=\"{middle_x:.1}\" cy=\"{middle_y:.1}\" r=\"{:.1}\"/>",
                width / 2.0
            );
        }
    }
    let top = middle_y - LINE * node.lines.len() as f64 / 2.0;
    if !matches!(node.shape, Shape::Diamond | Shape::Choice) {
        for (index, line) in node.lines.iter().enumerate() {
            let y = top + LINE * (index as f64 + 0.75);
            let _ =
                write!(out, "<text x=\"{middle_x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>", escaped(line));
        }
    }
    out.push_str("</g>\n");
}

fn lines(out: &mut String, class: &str, x: f64, top: f64, lines: &[String]) {
    for (index, line) in lines.iter().enumerate() {
        text(out, class, x, top + LINE * (index as f64 + 0.75), line);
    }
}

fn text(out: &mut String, class: &str, x: f64, y: f64, text: &str) {
    let _ = writeln!(out, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(text));
}

/// A text as XML may carry it.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}
