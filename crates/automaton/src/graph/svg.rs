// SPDX-License-Identifier: MIT OR Apache-2.0
//! Graphs as SVG, for light and dark pages alike.

use std::fmt::Write as _;

use gnomon_core::svg;

use super::layout::{EdgeRoute, GraphLayout, LOOP, LayoutSlot, TooLarge, layout};
use super::{Graph, GraphEdge, GraphNode, NodeShape, width};

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
    let mut out = svg::open(wide, tall, &graph.title, STYLE);
    out.push_str(
        "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto-start-reverse\">\
         <path d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>\n",
    );
    svg::text(&mut out, "title", (16.0, LINE + 6.0), false, &graph.title);
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
        let y = layout.height + head + LINE * (index as f64 + 0.6);
        svg::text(&mut out, "note", (16.0, y), false, note);
    }
    out.push_str("</svg>\n");
    Ok(out)
}

fn draw_edge(out: &mut String, layout: &GraphLayout, edge: &GraphEdge, route: &EdgeRoute) {
    let places: Vec<&LayoutSlot> = route.through.iter().map(|index| &layout.places[*index]).collect();
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
    svg::path(out, "edge", &path);
    if let Some(place) = route.text.map(|index| &layout.places[index]) {
        lines(out, "label", (place.line() + 7.0, place.y + 3.0), false, &edge.lines);
    }
}

fn draw_loop(out: &mut String, place: &LayoutSlot, edge: &GraphEdge) {
    let right = place.x + 2.0 * place.anchor;
    let middle = place.y + place.height / 2.0;
    let (up, down, far) = (middle - 8.0, middle + 8.0, right + LOOP);
    let (above, below) = (up - 8.0, down + 8.0);
    let curve = format!("M{right:.1},{up:.1} C{far:.1},{above:.1} {far:.1},{below:.1} {right:.1},{down:.1}");
    svg::path(out, "edge", &curve);
    lines(out, "label", (far, middle - LINE * edge.lines.len() as f64 / 2.0), false, &edge.lines);
}

fn draw_node(out: &mut String, node: &GraphNode, place: &LayoutSlot) {
    let (width, height) = (2.0 * place.anchor, place.body);
    let (x, y) = (place.x, place.top());
    let (middle_x, middle_y) = (x + width / 2.0, y + height / 2.0);
    let initial = if node.initial { " initial" } else { "" };
    out.push_str("<g class=\"node\">");
    let mut rectangle = |class: &str, inset: f64| {
        let size = (width - 2.0 * inset, height - 2.0 * inset);
        svg::rectangle(out, &format!("shape{class}{initial}"), (x + inset, y + inset), size, 8);
    };
    match node.shape {
        NodeShape::State => rectangle("", 0.0),
        NodeShape::Accepting => {
            rectangle(" good", 0.0);
            rectangle(" good", 3.0);
        }
        NodeShape::Rejecting => rectangle(" bad", 0.0),
        NodeShape::Leaf => rectangle(" leaf", 0.0),
        NodeShape::Diamond => {
            let (right, bottom) = (x + width, y + height);
            let corners = [(middle_x, y), (right, middle_y), (middle_x, bottom), (x, middle_y), (middle_x, y)];
            svg::polyline(out, "shape all", &corners);
        }
        NodeShape::Choice => {
            let radius = width / 2.0;
            let _ =
                writeln!(out, "<circle class=\"shape\" cx=\"{middle_x:.1}\" cy=\"{middle_y:.1}\" r=\"{radius:.1}\"/>");
        }
    }
    if !matches!(node.shape, NodeShape::Diamond | NodeShape::Choice) {
        lines(out, "", (middle_x, middle_y - LINE * node.lines.len() as f64 / 2.0), true, &node.lines);
    }
    out.push_str("</g>\n");
}

fn lines(out: &mut String, class: &str, (x, top): (f64, f64), is_centred: bool, lines: &[String]) {
    for (index, line) in lines.iter().enumerate() {
        svg::text(out, class, (x, top + LINE * (index as f64 + 0.75)), is_centred, line);
    }
}
