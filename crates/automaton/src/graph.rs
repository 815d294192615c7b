// SPDX-License-Identifier: MIT OR Apache-2.0
//! Graphs to be drawn, as DOT or as SVG.

mod dot;
mod layout;
mod svg;

pub use dot::dot;
pub use layout::TooLarge;
pub use svg::svg;

/// A graph with a title.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// Title.
    pub title: String,
    /// Remarks, drawn under it.
    pub notes: Vec<String>,
    /// Its nodes.
    pub nodes: Vec<GraphNode>,
    /// Its edges; at most one from a node to another.
    pub edges: Vec<GraphEdge>,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphNode {
    /// Shape.
    pub shape: NodeShape,
    /// Text, line by line.
    pub lines: Vec<String>,
    /// True for an initial node.
    pub initial: bool,
}

/// Shape of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NodeShape {
    /// A state, or an operator.
    State,
    /// A state that is good to end in.
    Accepting,
    /// A state that is bad to end in.
    Rejecting,
    /// Universal branching: all edges are taken together.
    Diamond,
    /// Existential branching: one of the ways is enough.
    Choice,
    /// A leaf: something that is read from the trace.
    Leaf,
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphEdge {
    /// Source node, an index into [`Graph::nodes`].
    pub from: usize,
    /// Target node.
    pub to: usize,
    /// Label, line by line.
    pub lines: Vec<String>,
}

/// A line longer than this is broken.
const LINE: usize = 44;
/// A label of more lines than this is cut.
const LINES: usize = 8;

impl Graph {
    /// Adds a node; its text is broken into lines.
    pub fn node(&mut self, shape: NodeShape, text: &str) -> usize {
        self.nodes.push(GraphNode { shape, lines: lines(text), initial: false });
        self.nodes.len() - 1
    }

    /// Adds an edge, or what is written beside it to the edge that there is already.
    pub fn edge(&mut self, from: usize, to: usize, text: &str) {
        let lines = lines(text);
        let Some(known) = self.edges.iter_mut().find(|edge| (edge.from, edge.to) == (from, to)) else {
            self.edges.push(GraphEdge { from, to, lines });
            return;
        };
        if known.lines.is_empty() || lines.is_empty() {
            // One of them is always open.
            known.lines = vec![];
        } else if !known.lines.windows(lines.len()).any(|window| window == lines) {
            let full = known.lines.len() + lines.len() > LINES;
            if !full {
                known.lines.extend(lines);
            } else if known.lines.last().is_none_or(|line| line != "…") {
                known.lines.push("…".to_owned());
            }
        }
    }
}

impl Graph {
    /// Removes the nodes that no edges connect with an initial node, and returns the first line of each.
    pub fn keep_reachable(&mut self) -> Vec<String> {
        let mut reached: Vec<bool> = self.nodes.iter().map(|node| node.initial).collect();
        let mut pending: Vec<usize> = (0..self.nodes.len()).filter(|node| reached[*node]).collect();
        while let Some(node) = pending.pop() {
            for edge in self.edges.iter().filter(|edge| edge.from == node) {
                if !std::mem::replace(&mut reached[edge.to], true) {
                    pending.push(edge.to);
                }
            }
        }
        let number = |next: &mut usize, kept: &bool| Some(std::mem::replace(next, *next + usize::from(*kept)));
        let numbers: Vec<usize> = reached.iter().scan(0, number).collect();
        self.edges.retain(|edge| reached[edge.from] && reached[edge.to]);
        for edge in &mut self.edges {
            (edge.from, edge.to) = (numbers[edge.from], numbers[edge.to]);
        }
        let mut dropped = Vec::new();
        let mut kept = reached.into_iter();
        self.nodes.retain(|node| {
            let is_kept = kept.next().unwrap_or(false);
            if !is_kept {
                dropped.extend(node.lines.first().cloned());
            }
            is_kept
        });
        dropped
    }
}

/// Breaks a text into lines at spaces; what does not fit is cut.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in text.lines() {
        let mut line = String::new();
        for word in piece.split_inclusive(' ') {
            if !line.is_empty() && width(&line) + width(word.trim_end()) > LINE {
                lines.push(line.trim_end().to_owned());
                line.clear();
            }
            line.push_str(&short(word));
        }
        lines.push(line.trim_end().to_owned());
    }
    lines.retain(|line| !line.is_empty());
    if lines.len() > LINES {
        lines.truncate(LINES - 1);
        lines.push("…".to_owned());
    }
    lines
}

/// A word that fits on a line.
fn short(word: &str) -> String {
    if width(word) <= LINE {
        return word.to_owned();
    }
    let mut cut: String = word.chars().take(LINE - 1).collect();
    cut.push('…');
    cut
}

/// Returns the width of a text in characters.
fn width(text: &str) -> usize {
    text.chars().map(|letter| if letter >= '\u{1100}' { 2 } else { 1 }).sum()
}
