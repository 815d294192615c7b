// SPDX-License-Identifier: MIT OR Apache-2.0
//! Layered layout: every edge leads down to a later layer.
//!
//! After Sugiyama, Tagawa and Toda: cycles are broken, nodes are assigned to layers, edges that span several layers get
//! a slot in each, layers are ordered by the mean of their neighbours. Departure: the label of an edge has a slot of
//! its own in an intermediate layer, so that texts never overlap.

use std::fmt;

use super::{Graph, GraphEdge, NodeShape, width};

/// The most places that a drawing may have.
const MAX_PLACES: usize = 30_000;
/// The width of a letter and the height of a line.
const LETTER: f64 = 7.0;
const LINE: f64 = 15.0;
/// Room between places of a layer, and between layers.
const GAP: f64 = 26.0;
const LAYER_GAP: f64 = 20.0;

/// A graph that is too large to be drawn readably.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge {
    /// Number of slots that the drawing would need.
    pub places: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the drawing would have {} places, more than {MAX_PLACES}", self.places)
    }
}

/// Something with a place: a node, a text beside an edge, or a bend of an edge.
#[derive(Clone, Debug)]
pub(super) struct LayoutSlot {
    /// The left end.
    pub(super) x: f64,
    /// The upper end.
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    /// The height of what edges meet, in the middle of it.
    pub(super) body: f64,
    /// Offset of the point where edges attach, from the left end.
    pub(super) anchor: f64,
    layer: usize,
}

impl LayoutSlot {
    pub(super) fn line(&self) -> f64 {
        self.x + self.anchor
    }

    pub(super) fn top(&self) -> f64 {
        self.y + (self.height - self.body) / 2.0
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top() + self.body
    }
}

/// A drawing: the nodes' places first, then those of edges.
#[derive(Debug)]
pub(super) struct GraphLayout {
    pub(super) places: Vec<LayoutSlot>,
    /// Route of each edge that is not a loop: slots from top to bottom, its nodes included; direction; slot of its
    /// label.
    pub(super) routes: Vec<Option<EdgeRoute>>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// The way of an edge.
#[derive(Clone, Debug)]
pub(super) struct EdgeRoute {
    pub(super) through: Vec<usize>,
    pub(super) upwards: bool,
    pub(super) text: Option<usize>,
}

pub(super) fn layout(graph: &Graph) -> Result<GraphLayout, TooLarge> {
    let reversed = back_edges(graph);
    let ends = |index: usize| {
        let GraphEdge { from, to, .. } = graph.edges[index];
        if reversed[index] { (to, from) } else { (from, to) }
    };
    let layers = layers(graph, &ends);
    let spans = (0..graph.edges.len()).map(&ends).filter(|(top, bottom)| top != bottom);
    let bends: usize = spans.map(|(top, bottom)| 2 * (layers[bottom] - layers[top]) - 1).sum();
    let places = graph.nodes.len() + bends;
    if places > MAX_PLACES {
        return Err(TooLarge { places });
    }
    let mut places: Vec<LayoutSlot> =
        (0..graph.nodes.len()).map(|node| of_node(graph, node, 2 * layers[node])).collect();
    let mut routes = Vec::with_capacity(graph.edges.len());
    for (index, edge) in graph.edges.iter().enumerate() {
        let (top, bottom) = ends(index);
        if top == bottom {
            routes.push(None);
            continue;
        }
        let (mut through, mut text) = (vec![top], None);
        // The text stands next to where the edge begins.
        let text_layer = if reversed[index] { 2 * layers[bottom] - 1 } else { 2 * layers[top] + 1 };
        for layer in 2 * layers[top] + 1..2 * layers[bottom] {
            if layer == text_layer && !edge.lines.is_empty() {
                text = Some(places.len());
                places.push(of_text(&edge.lines, layer));
            } else {
                places.push(LayoutSlot { x: 0.0, y: 0.0, width: 6.0, height: 0.0, body: 0.0, anchor: 3.0, layer });
            }
            through.push(places.len() - 1);
        }
        through.push(bottom);
        routes.push(Some(EdgeRoute { through, upwards: reversed[index], text }));
    }
    Ok(arrange(places, routes))
}

/// The edges that close a cycle, loops left out.
fn back_edges(graph: &Graph) -> Vec<bool> {
    let mut outgoing: Vec<Vec<usize>> = vec![vec![]; graph.nodes.len()];
    for (index, edge) in graph.edges.iter().enumerate().filter(|(_, edge)| edge.from != edge.to) {
        outgoing[edge.from].push(index);
    }
    let mut back = vec![false; graph.edges.len()];
    let (mut entered, mut left) = (vec![false; graph.nodes.len()], vec![false; graph.nodes.len()]);
    for start in 0..graph.nodes.len() {
        let mut path = vec![(start, 0)];
        if std::mem::replace(&mut entered[start], true) {
            continue;
        }
        while let Some((node, next)) = path.last_mut() {
            let Some(edge) = outgoing[*node].get(*next).copied() else {
                left[*node] = true;
                path.pop();
                continue;
            };
            *next += 1;
            let to = graph.edges[edge].to;
            if !entered[to] {
                entered[to] = true;
                path.push((to, 0));
            } else if !left[to] {
                back[edge] = true;
            }
        }
    }
    back
}

/// The longest way from above.
fn layers(graph: &Graph, ends: &dyn Fn(usize) -> (usize, usize)) -> Vec<usize> {
    let mut outgoing: Vec<Vec<usize>> = vec![vec![]; graph.nodes.len()];
    let mut missing = vec![0_usize; graph.nodes.len()];
    for (top, bottom) in (0..graph.edges.len()).map(ends).filter(|(top, bottom)| top != bottom) {
        outgoing[top].push(bottom);
        missing[bottom] += 1;
    }
    let mut layers = vec![0; graph.nodes.len()];
    let mut ready: Vec<usize> = (0..graph.nodes.len()).filter(|node| missing[*node] == 0).collect();
    while let Some(node) = ready.pop() {
        for below in std::mem::take(&mut outgoing[node]) {
            layers[below] = layers[below].max(layers[node] + 1);
            missing[below] -= 1;
            if missing[below] == 0 {
                ready.push(below);
            }
        }
    }
    layers
}

fn extent(lines: &[String]) -> (f64, f64) {
    let widest = lines.iter().map(|line| width(line)).max().unwrap_or(0);
    (widest as f64 * LETTER, lines.len() as f64 * LINE)
}

fn of_node(graph: &Graph, index: usize, layer: usize) -> LayoutSlot {
    let node = &graph.nodes[index];
    let (text_width, text_height) = extent(&node.lines);
    let (box_width, body) = match node.shape {
        NodeShape::Diamond | NodeShape::Choice => (16.0, 16.0),
        _ => (text_width.max(24.0) + 22.0, text_height.max(LINE) + 14.0),
    };
    // A loop and its text stand to the right of their node.
    let looped = graph.edges.iter().find(|edge| edge.from == index && edge.to == index);
    let (loop_width, loop_height) = looped.map_or((0.0, 0.0), |edge| {
        let (width, height) = extent(&edge.lines);
        (LOOP + 6.0 + width, height)
    });
    let (width, height) = (box_width + loop_width, body.max(loop_height));
    LayoutSlot { x: 0.0, y: 0.0, width, height, body, anchor: box_width / 2.0, layer }
}

/// Extent of a loop to the right of its node.
pub(super) const LOOP: f64 = 26.0;

fn of_text(lines: &[String], layer: usize) -> LayoutSlot {
    let (width, height) = extent(lines);
    LayoutSlot { x: 0.0, y: 0.0, width: width + 14.0, height: height + 6.0, body: height + 6.0, anchor: 4.0, layer }
}

/// Orders the layers and finds every place.
fn arrange(mut places: Vec<LayoutSlot>, routes: Vec<Option<EdgeRoute>>) -> GraphLayout {
    let depth = places.iter().map(|place| place.layer + 1).max().unwrap_or(0);
    let mut rows: Vec<Vec<usize>> = vec![vec![]; depth];
    for (index, place) in places.iter().enumerate() {
        rows[place.layer].push(index);
    }
    let (mut above, mut below) = (vec![vec![]; places.len()], vec![vec![]; places.len()]);
    for route in routes.iter().flatten() {
        for pair in route.through.windows(2) {
            below[pair[0]].push(pair[1]);
            above[pair[1]].push(pair[0]);
        }
    }
    order(&mut rows, &above, &below);
    spread(&mut places, &rows, &above, &below);
    let mut y = GAP;
    for row in &rows {
        let height = row.iter().map(|index| places[*index].height).fold(0.0, f64::max);
        for index in row {
            let place = &mut places[*index];
            if place.body == 0.0 {
                // A bend goes straight past whatever stands beside it.
                (place.height, place.body) = (height, height);
            }
            place.y = y + (height - place.height) / 2.0;
        }
        y += height + LAYER_GAP;
    }
    let left = places.iter().map(|place| place.x).fold(f64::INFINITY, f64::min).min(0.0);
    for place in &mut places {
        place.x += GAP - left;
    }
    let width = places.iter().map(|place| place.x + place.width).fold(0.0, f64::max) + GAP;
    GraphLayout { places, routes, width, height: y }
}

fn order(rows: &mut [Vec<usize>], above: &[Vec<usize>], below: &[Vec<usize>]) {
    let mut rank = vec![0.0; above.len()];
    let number = |row: &[usize], rank: &mut Vec<f64>| {
        for (place, index) in row.iter().enumerate() {
            rank[*index] = place as f64;
        }
    };
    for row in rows.iter() {
        number(row, &mut rank);
    }
    for sweep in 0..12 {
        let down = sweep % 2 == 0;
        let neighbours = if down { above } else { below };
        for step in 0..rows.len() {
            let row = if down { step } else { rows.len() - 1 - step };
            let mean = |index: usize| {
                let known = &neighbours[index];
                if known.is_empty() {
                    rank[index]
                } else {
                    known.iter().map(|other| rank[*other]).sum::<f64>() / known.len() as f64
                }
            };
            let mut keyed: Vec<(f64, usize)> = rows[row].iter().map(|index| (mean(*index), *index)).collect();
            keyed.sort_by(|left, right| left.0.total_cmp(&right.0));
            rows[row] = keyed.into_iter().map(|(_, index)| index).collect();
            number(&rows[row], &mut rank);
        }
    }
}

/// Moves every place towards its neighbours, as far as those beside it allow.
fn spread(places: &mut [LayoutSlot], rows: &[Vec<usize>], above: &[Vec<usize>], below: &[Vec<usize>]) {
    for row in rows {
        let mut x = 0.0;
        for index in row {
            places[*index].x = x;
            x += places[*index].width + GAP;
        }
    }
    for sweep in 0..24 {
        let down = sweep % 2 == 0;
        let neighbours = if down { above } else { below };
        for step in 0..rows.len() {
            let row = &rows[if down { step } else { rows.len() - 1 - step }];
            let wanted: Vec<f64> = row.iter().map(|index| desired_x(places, *index, &neighbours[*index])).collect();
            // As far left and as far right as the others allow; the middle of both suits everyone.
            let mut from_left = wanted.clone();
            for place in 1..row.len() {
                from_left[place] = from_left[place].max(from_left[place - 1] + places[row[place - 1]].width + GAP);
            }
            let mut from_right = wanted;
            for place in (1..row.len()).rev() {
                let room = places[row[place - 1]].width + GAP;
                from_right[place - 1] = from_right[place - 1].min(from_right[place] - room);
            }
            for (place, index) in row.iter().enumerate() {
                places[*index].x = f64::midpoint(from_left[place], from_right[place]);
            }
        }
    }
}

/// Returns the position of a slot centred under (or over) its neighbours.
fn desired_x(places: &[LayoutSlot], index: usize, neighbours: &[usize]) -> f64 {
    if neighbours.is_empty() {
        return places[index].x;
    }
    let mean = neighbours.iter().map(|other| places[*other].line()).sum::<f64>() / neighbours.len() as f64;
    mean - places[index].anchor
}
