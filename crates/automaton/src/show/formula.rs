// SPDX-License-Identifier: MIT OR Apache-2.0
//! A formula as the graph of its operators, each as it is written.
//!
//! The text of a node is the text of its formula without that of its operands, so it has the intervals, units and sugar of the
//! spec: `F[0,8h]`, `count[60s](…) <= 3`, `Between(…, …, 10)`. Equal parts are drawn once.

use std::collections::HashMap;

use gnomon_core::Clock;
use gnomon_ir::{Binary, Connective, Formula, FormulaKind, Quantifier};

use crate::graph::{Graph, NodeShape};

/// Stands for an operand in the text of an operator.
const OPERAND: char = '…';

/// Draws a formula; `source` is the text of its spec, `clock` the unit of its bare numbers.
pub fn formula(prefix: &[Quantifier], formula: &Formula, title: &str, source: &str, clock: Clock) -> Graph {
    let mut graph = Graph { title: title.to_owned(), ..Graph::default() };
    for quantifier in prefix {
        graph.notes.push(format!("{}: one evaluation for each value", plain(quantifier.span.text(source))));
    }
    let mut drawing = FormulaDrawing { source, nodes: HashMap::new(), graph };
    drawing.draw(formula);
    let FormulaDrawing { mut graph, .. } = drawing;
    if let Some(root) = graph.nodes.first_mut() {
        root.initial = true;
    }
    if let Some(unit) = clock.unit
        && graph.nodes.iter().any(|node| has_bare_number(&node.lines.concat()))
    {
        graph.notes.push(format!("times without a unit are in {unit}"));
    }
    graph.notes.push("dashed: read from the trace; bold: the whole property".to_owned());
    graph
}

struct FormulaDrawing<'a> {
    source: &'a str,
    /// Drawn formulae by their text.
    nodes: HashMap<String, usize>,
    graph: Graph,
}

impl FormulaDrawing<'_> {
    fn draw(&mut self, root: &Formula) {
        let mut pending = vec![(None, root)];
        while let Some((above, formula)) = pending.pop() {
            let text = plain(formula.span.text(self.source));
            let known = self.nodes.get(&text).copied();
            let operands = operands(formula);
            let drawn = known.unwrap_or_else(|| {
                let shape = if operands.is_empty() { NodeShape::Leaf } else { NodeShape::State };
                self.graph.node(shape, &written(formula, &operands, self.source))
            });
            if let Some((above, role)) = above {
                self.graph.edge(above, drawn, role);
            }
            if known.is_none() {
                self.nodes.insert(text, drawn);
                let roles = roles(formula, operands.len());
                let parts = operands.into_iter().zip(roles).rev();
                pending.extend(parts.map(|(operand, role)| (Some((drawn, role)), operand)));
            }
        }
    }
}

/// Returns the operands as written. A form that is expanded while it is read, such as `Between`, has formulae inside that stand
/// at its own place: their operands are its operands.
fn operands(formula: &Formula) -> Vec<&Formula> {
    let mut found: Vec<&Formula> = Vec::new();
    let mut pending = formula.children();
    while let Some(child) = pending.pop() {
        if child.span == formula.span {
            pending.extend(child.children());
        } else if child.span.start >= formula.span.start && child.span.end <= formula.span.end {
            found.push(child);
        }
    }
    found.sort_by_key(|operand| operand.span.start);
    found.dedup_by_key(|operand| operand.span);
    found
}

/// The text of an operator without that of its operands.
fn written(formula: &Formula, operands: &[&Formula], source: &str) -> String {
    match &formula.kind {
        FormulaKind::Not(_) if operands.len() == 1 => return "!".to_owned(),
        FormulaKind::Connective(connective, ..) if operands.len() == 2 => return symbol(*connective).to_owned(),
        _ => {}
    }
    let mut text = String::new();
    let mut at = formula.span.start;
    for operand in operands {
        text.push_str(source.get(at as usize..operand.span.start as usize).unwrap_or_default());
        text.push(OPERAND);
        at = at.max(operand.span.end);
    }
    text.push_str(source.get(at as usize..formula.span.end as usize).unwrap_or_default());
    let text = plain(&text).replace("( ", "(").replace(" )", ")");
    // An operator in front of its operand, or between its two, is known by its letter and interval.
    match formula.kind {
        FormulaKind::Unary { .. } | FormulaKind::Binary { .. } => bare_operator(&text),
        _ => text,
    }
}

/// Removes the places of operands, with the parentheses around them, from the ends of an operator.
fn bare_operator(text: &str) -> String {
    let places = [format!("({OPERAND})"), OPERAND.to_string()];
    let mut bare = text.trim();
    for place in &places {
        bare = bare.strip_suffix(place.as_str()).unwrap_or(bare).trim();
        bare = bare.strip_prefix(place.as_str()).unwrap_or(bare).trim();
    }
    if bare.is_empty() { text.to_owned() } else { bare.to_owned() }
}

fn symbol(connective: Connective) -> &'static str {
    match connective {
        Connective::And => "&&",
        Connective::Or => "||",
        Connective::Implies => "->",
        Connective::Iff => "<->",
    }
}

/// The part that each operand plays, where it is not obvious.
fn roles(formula: &Formula, operands: usize) -> Vec<&'static str> {
    let roles: &[&str] = match (&formula.kind, operands) {
        (FormulaKind::Connective(Connective::Implies, ..), 2) => &["if", "then"],
        (FormulaKind::Binary { operator: Binary::Until | Binary::WeakUntil, .. }, 2) => &["holds", "until"],
        (FormulaKind::Binary { operator: Binary::Since, .. }, 2) => &["holds", "since"],
        (FormulaKind::Binary { operator: Binary::Release, .. }, 2) => &["releases", "holds"],
        (FormulaKind::Aggregate { .. }, 2) => &["from", "to"],
        _ => &[],
    };
    (0..operands).map(|at| roles.get(at).copied().unwrap_or_default()).collect()
}

/// A text on one line, without comments.
fn plain(text: &str) -> String {
    let lines = text.lines().map(|line| if text.contains('\n') { without_comment(line) } else { line });
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// A line up to its comment.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    for (at, letter) in line.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '#' if !quoted => return &line[..at],
            '/' if !quoted && line[at..].starts_with("//") => return &line[..at],
            _ => {}
        }
    }
    line
}

/// Returns true if the text of an operator has an amount of time without a unit.
fn has_bare_number(text: &str) -> bool {
    let text: Vec<char> = text.chars().filter(|letter| *letter != ' ').collect();
    let is_digit = |letter: char| letter.is_ascii_digit() || letter == '.';
    let mut at = 0;
    while at < text.len() {
        let length = text[at..].iter().take_while(|letter| is_digit(**letter)).count();
        let before = at.checked_sub(1).map(|before| text[before]);
        let after = text.get(at + length).copied();
        if length > 0
            && before.is_some_and(|letter| "[({,".contains(letter))
            && after.is_some_and(|letter| "])},".contains(letter))
            && text[at..at + length] != ['0']
        {
            return true;
        }
        at += length.max(1);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_lose_their_operands() {
        for (text, operator) in [
            ("F[0,8h] …", "F[0,8h]"),
            ("G(…)", "G"),
            ("… U[0,5] …", "U[0,5]"),
            ("(…) S (…)", "S"),
            ("X^6 …", "X^6"),
            ("…U_{(0,10)}…", "U_{(0,10)}"),
            ("F[0,10) (…)", "F[0,10)"),
        ] {
            assert_eq!(bare_operator(text), operator);
        }
    }

    #[test]
    fn amounts_without_a_unit_are_found() {
        for text in ["F[0,10]", "C^{600}_{<=3}(…)", "Within(…, 10)", "U_{(0,10)}", "F[2.5,3s]"] {
            assert!(has_bare_number(text), "{text}");
        }
        for text in ["F[0,8h]", "G", "count[60s](…) <= 3", "C^{10m}_{<=3}(…)", "F[0,inf)"] {
            assert!(!has_bare_number(text), "{text}");
        }
    }

    #[test]
    fn comments_are_left_out() {
        assert_eq!(plain("a # ask\n -> \"#1\" // b\n c"), "a -> \"#1\" c");
    }
}
