// SPDX-License-Identifier: MIT OR Apache-2.0
//! Drawings are well formed, whatever the names, and show as much as there is.

use gnomon_automaton::automaton::PropositionId;
use gnomon_automaton::graph::{Graph, NodeShape, dot, svg};
use gnomon_automaton::show::{CopyView, alternating};
use gnomon_automaton::{AlternatingAutomaton, ViolationMode};
use gnomon_ir::formula::{Formula, FormulaKind};

use crate::formulae::{and, automaton, between, event, implies, in_future, previous, start, until, within};

const HOSTILE: &str = "a\"b\\c<d>&'e\u{1}\u{fffe}]]>--> n0 [label=x]; {}";

fn draw(automaton: &AlternatingAutomaton, view: CopyView) -> Graph {
    let name = |id: PropositionId| match &automaton.propositions[id.0 as usize].kind {
        FormulaKind::Atom(atom) => atom.name.clone(),
        _ => "?".to_owned(),
    };
    alternating(automaton, HOSTILE, &name, view)
}

fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

/// Every tag is closed in order, and no text has a bare `<` or `&`.
fn assert_well_formed(xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = xml;
    while let Some(at) = rest.find('<') {
        let text = &rest[..at];
        assert!(text.chars().all(|letter| letter == '\n' || !letter.is_control()), "{text:?}");
        for entity in text.split('&').skip(1) {
            let entity = entity.split(';').next().unwrap_or_default();
            assert!(["amp", "lt", "gt", "quot", "#39"].contains(&entity), "{entity:?}");
        }
        let end = rest.find('>').expect("a tag ends");
        let tag = &rest[at + 1..end];
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        let name = tag.split([' ', '/']).find(|part| !part.is_empty()).unwrap_or_default();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest:?}");
}

/// Every line of DOT is a statement whose quotes are closed.
fn assert_dot(text: &str, graph: &Graph) {
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines[lines.len() - 1]), ("digraph {", "}"));
    for line in &lines[1..lines.len() - 1] {
        let (mut quotes, mut escaped) = (0, false);
        for letter in line.chars() {
            match letter {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => quotes += 1,
                letter => assert!(!letter.is_control()),
            }
        }
        assert!(quotes % 2 == 0 && line.ends_with(';'), "{line}");
    }
    let statements = |mark: &str| lines.iter().filter(|line| line.starts_with("  n") && line.contains(mark)).count();
    assert!(statements(" -> n") >= graph.edges.len());
    assert!(lines.iter().filter(|line| line.trim_start().starts_with('n')).count() > graph.nodes.len());
}

fn check(formula: Formula) -> Graph {
    let automaton = automaton(formula);
    for view in [CopyView::Asa, CopyView::Lasa(ViolationMode::Standard), CopyView::Lasa(ViolationMode::Critical)] {
        let graph = draw(&automaton, view);
        let is_entered = |node: usize| graph.edges.iter().any(|edge| edge.to == node && edge.from != node);
        assert!((1..graph.nodes.len()).all(is_entered), "all nodes are connected");
        let svg = svg(&graph).expect("it is small");
        assert_well_formed(&svg);
        assert_eq!(count(&svg, "<g class=\"node\">"), graph.nodes.len());
        assert_eq!(count(&svg, "<path class=\"edge\""), graph.edges.len());
        assert_dot(&dot(&graph), &graph);
    }
    draw(&automaton, CopyView::Asa)
}

#[test]
fn figure_1_is_drawn_as_in_the_paper() {
    let graph = check(implies(event("A"), between(&event("B"), event("C"), 10)));
    let states = graph.nodes.iter().filter(|node| node.shape != NodeShape::Diamond).count();
    assert_eq!(states, 5);
    let has = |from: usize, to: usize, text: &str| {
        let found = graph.edges.iter().find(|edge| (edge.from, edge.to) == (from, to));
        assert_eq!(found.map(|edge| edge.lines.join(" ")), Some(text.to_owned()), "{from} -> {to}");
    };
    let [invariant, in_future, until, accept, reject] = [0, 1, 2, 3, 4];
    has(invariant, invariant, "!A");
    has(until, until, "!B");
    has(until, in_future, "B / v1 ← 0");
    has(in_future, in_future, "v1 + t < 10 / v1 ← v1 + t");
    has(in_future, accept, "v1 + t = 10 && C v1 + t > 10 && Previous(C)");
    has(in_future, reject, "v1 + t = 10 && !C v1 + t > 10 && Previous(!C)");
    // With A the invariant stays and makes a copy, which waits for B, or has seen it.
    let diamonds: Vec<usize> =
        (0..graph.nodes.len()).filter(|node| graph.nodes[*node].shape == NodeShape::Diamond).collect();
    assert_eq!(diamonds.len(), 2);
    has(invariant, diamonds[0], "A && B");
    has(diamonds[0], in_future, "v1 ← 0");
    has(invariant, diamonds[1], "A && !B");
    has(diamonds[1], invariant, "");
    has(diamonds[1], until, "");
}

#[test]
fn hostile_names_are_only_text() {
    let graph = check(implies(event(HOSTILE), until(event(HOSTILE), within(event("]]>"), 3))));
    assert_eq!(graph.title, HOSTILE);
}

#[test]
fn all_operators_are_drawn() {
    let deep = in_future(until(event("a"), within(event("b"), 2)), 5);
    check(and(deep, and(start("c"), previous(until(event("a"), start("b"))))));
}

#[test]
fn many_parts_are_drawn_with_their_connectives() {
    let parts = (1..=10).map(|number| until(event(&format!("d{number}")), start("done")));
    let graph = check(parts.reduce(and).expect("there are ten"));
    let of = |shape: NodeShape| graph.nodes.iter().filter(|node| node.shape == shape).count();
    assert_eq!((of(NodeShape::Diamond), of(NodeShape::Choice)), (1, 10));
}

#[test]
fn texts_do_not_overlap() {
    let graph = draw(&automaton(implies(event("A"), between(&event("B"), event("C"), 10))), CopyView::Asa);
    let svg = svg(&graph).expect("it is small");
    let number = |line: &str, name: &str| -> f64 {
        let rest = &line[line.find(&format!(" {name}=\"")).expect("it is there") + name.len() + 3..];
        rest[..rest.find('"').expect("it ends")].parse().expect("a number")
    };
    let labels = svg.lines().filter(|line| line.starts_with("<text class=\"label\""));
    let boxes: Vec<(f64, f64, f64)> = labels
        .map(|line| {
            let text = &line[line.find('>').expect("the tag ends") + 1..line.rfind("</").expect("it is closed")];
            (number(line, "x"), number(line, "y"), text.chars().count() as f64 * 6.0)
        })
        .collect();
    for (at, left) in boxes.iter().enumerate() {
        for right in &boxes[at + 1..] {
            let apart = (left.1 - right.1).abs() >= 14.0 || left.0 + left.2 <= right.0 || right.0 + right.2 <= left.0;
            assert!(apart, "{left:?} {right:?}");
        }
    }
}

#[test]
fn what_does_not_matter_is_not_asked() {
    // Whether `a` holds or not, the start of `b` may be next: one edge, without a condition.
    let graph = check(until(event("a"), start("b")));
    let to_next = graph.edges.iter().find(|edge| (edge.from, edge.to) == (2, 1));
    assert_eq!(to_next.map(|edge| edge.lines.as_slice()), Some(&[][..]));
}
