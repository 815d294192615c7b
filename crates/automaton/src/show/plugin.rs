// SPDX-License-Identifier: MIT OR Apache-2.0
//! Logic plug-ins: state machines and the automata of bodies as graphs, grammars as diagrams of their productions.

use gnomon_core::list::reachable;
use gnomon_ir::{Ere, Fsm, GrammarRule};

use crate::graph::{Graph, NodeShape};

/// An automaton over letters, as it runs.
pub struct BodyAutomaton {
    /// For each state and letter, the next state. State 0 is initial.
    pub targets: Vec<Vec<usize>>,
    /// For each state, the name of the forbidden category of the words that lead there.
    pub categories: Vec<Option<String>>,
}

/// Draws a state machine as it is written. `forbidden` tells the states whose words are violations, `fails` if failure is one.
pub fn machine(fsm: &Fsm, title: &str, forbidden: &dyn Fn(&str) -> bool, fails: bool) -> Graph {
    let mut graph = Graph { title: title.to_owned(), ..Graph::default() };
    for state in &fsm.states {
        let shape = if forbidden(&state.name.name) { NodeShape::Rejecting } else { NodeShape::State };
        graph.node(shape, &state.name.name);
    }
    if let Some(first) = graph.nodes.first_mut() {
        first.initial = true;
    }
    let number = |name: &str| fsm.states.iter().position(|state| state.name.name == name);
    let fail = if fsm.states.iter().all(|state| state.default.is_some()) {
        None
    } else {
        Some(graph.node(if fails { NodeShape::Rejecting } else { NodeShape::State }, "fail"))
    };
    for (from, state) in fsm.states.iter().enumerate() {
        for (event, target) in &state.transitions {
            if let Some(to) = number(&target.name) {
                graph.edge(from, to, &event.name);
            }
        }
        let other = if state.transitions.is_empty() { "any event" } else { "other events" };
        let default = state.default.as_ref().map_or(fail, |target| number(&target.name));
        if let Some(to) = default {
            graph.edge(from, to, other);
        }
    }
    for alias in &fsm.aliases {
        let names: Vec<&str> = alias.states.iter().map(|state| state.name.as_str()).collect();
        graph.notes.push(format!("{} is {}", alias.name.name, names.join(" or ")));
    }
    graph.notes.push("marked states are violations".to_owned());
    graph
}

/// Draws the automaton of a body over these letters. States from which nothing forbidden can be reached are one.
pub fn automaton(automaton: &BodyAutomaton, letters: &[&str], title: &str) -> Graph {
    let mut graph = Graph { title: title.to_owned(), ..Graph::default() };
    let is_over = |state: usize| {
        let reached = reachable([state], |state| automaton.targets[state].iter().copied());
        reached.into_iter().all(|state| automaton.categories[state].is_none())
    };
    let mut places: Vec<usize> = Vec::new();
    let mut over: Option<usize> = None;
    for (state, category) in automaton.categories.iter().enumerate() {
        places.push(match category {
            _ if is_over(state) => *over.get_or_insert_with(|| graph.node(NodeShape::Accepting, "over")),
            Some(category) if state > 0 => graph.node(NodeShape::Rejecting, &format!("{state}\n{category}")),
            _ => graph.node(NodeShape::State, &state.to_string()),
        });
    }
    let place = |state: usize| places[state];
    if let Some(first) = graph.nodes.get_mut(place(0)) {
        first.initial = true;
    }
    for (state, targets) in automaton.targets.iter().enumerate().filter(|(state, _)| !is_over(*state)) {
        for (letter, target) in letters.iter().zip(targets) {
            graph.edge(place(state), place(*target), letter);
        }
    }
    graph.notes.push("marked states are violations; over: no violation can follow".to_owned());
    graph
}

/// Draws the rules of a grammar: a way from each nonterminal through the symbols of its right sides.
pub fn grammar(rules: &[GrammarRule], title: &str) -> Graph {
    let mut graph = Graph { title: title.to_owned(), ..Graph::default() };
    for (index, rule) in rules.iter().enumerate() {
        let start = graph.node(NodeShape::State, &rule.name.name);
        graph.nodes[start].initial = index == 0;
        let end = graph.node(NodeShape::Accepting, &format!("end of {}", rule.name.name));
        let mut drawing = Production { graph: &mut graph, rules };
        let last = drawing.part(&rule.right, vec![start]);
        for from in last {
            graph.edge(from, end, "");
        }
    }
    graph
        .notes
        .push("a way from a rule to its end is a right side; dashed boxes are events, other boxes rules".to_owned());
    graph
}

struct Production<'a> {
    graph: &'a mut Graph,
    rules: &'a [GrammarRule],
}

impl Production<'_> {
    /// Draws a part behind these nodes. Returns the nodes where it ends.
    fn part(&mut self, of: &Ere, from: Vec<usize>) -> Vec<usize> {
        match of {
            Ere::Epsilon => from,
            Ere::Empty | Ere::And(..) | Ere::Not(_) | Ere::Power(..) => vec![],
            Ere::Letter(name) => {
                let is_rule = self.rules.iter().any(|rule| rule.name.name == name.name);
                let node = self.graph.node(if is_rule { NodeShape::State } else { NodeShape::Leaf }, &name.name);
                for from in from {
                    self.graph.edge(from, node, "");
                }
                vec![node]
            }
            Ere::Then(left, right) => {
                let middle = self.part(left, from);
                self.part(right, middle)
            }
            Ere::Or(left, right) => {
                let mut ends = self.part(left, from.clone());
                ends.extend(self.part(right, from));
                ends.sort_unstable();
                ends.dedup();
                ends
            }
            Ere::Optional(inner) => {
                let mut ends = self.part(inner, from.clone());
                ends.extend(from);
                ends
            }
            Ere::Star(inner) | Ere::Plus(inner) => {
                let begin = self.graph.node(NodeShape::Choice, "");
                for from in from {
                    self.graph.edge(from, begin, "");
                }
                let ends = self.part(inner, vec![begin]);
                for end in &ends {
                    self.graph.edge(*end, begin, "");
                }
                if matches!(of, Ere::Star(_)) { vec![begin] } else { ends }
            }
        }
    }
}
