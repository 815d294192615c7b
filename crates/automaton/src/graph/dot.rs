// SPDX-License-Identifier: MIT OR Apache-2.0
//! Graphs in the language of Graphviz.

use std::fmt::Write as _;

use super::{Graph, NodeShape};

/// The graph as DOT.
pub fn dot(graph: &Graph) -> String {
    let mut out = String::from(
        "digraph {\n  rankdir=TB;\n  node [fontname=\"monospace\", fontsize=11, shape=box, style=rounded];\n",
    );
    out.push_str("  edge [fontname=\"monospace\", fontsize=10];\n");
    let label: Vec<String> = std::iter::once(&graph.title).chain(&graph.notes).cloned().collect();
    let _ = writeln!(out, "  label={};\n  labelloc=t;", quoted(&label));
    for (index, node) in graph.nodes.iter().enumerate() {
        let look = match node.shape {
            NodeShape::State => "",
            NodeShape::Accepting => ", peripheries=2, color=\"#2e7d32\"",
            NodeShape::Rejecting => ", color=\"#c62828\"",
            NodeShape::Diamond => ", shape=diamond, style=filled, fillcolor=black, width=0.2, height=0.2",
            NodeShape::Choice => ", shape=circle, style=solid, width=0.2, height=0.2",
            NodeShape::Leaf => ", style=\"rounded,dashed\"",
        };
        let bold = if node.initial { ", penwidth=2.5" } else { "" };
        let _ = writeln!(out, "  n{index} [label={}{look}{bold}];", quoted(&node.lines));
    }
    for edge in &graph.edges {
        let _ = writeln!(out, "  n{} -> n{} [label={}];", edge.from, edge.to, quoted(&edge.lines));
    }
    out.push_str("}\n");
    out
}

/// Lines as a quoted string.
fn quoted(lines: &[String]) -> String {
    let mut out = String::from("\"");
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            out.push_str("\\n");
        }
        for letter in line.chars() {
            match letter {
                '"' | '\\' => out.extend(['\\', letter]),
                letter if letter.is_control() => out.push('\u{fffd}'),
                letter => out.push(letter),
            }
        }
    }
    out.push('"');
    out
}
