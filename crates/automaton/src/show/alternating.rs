// SPDX-License-Identifier: MIT OR Apache-2.0
//! The alternating automaton of an invariant, as a graph.

use std::fmt::Write as _;

use crate::automaton::{AlternatingAutomaton, State, StateId};
use crate::flag::has_flag;
use crate::graph::{Graph, NodeShape};
use crate::print::{PropositionNames, literal};
use crate::run::ViolationMode;
use crate::transition::{CounterRange, SymbolTest, TransitionBranch, TransitionPath, TransitionTarget};

/// Semantics whose treatment of copies is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CopyView {
    /// ASA: every branch makes a copy.
    Asa,
    /// LASA: in some states copies are merged.
    Lasa(ViolationMode),
}

/// A state from which more ways lead than this is drawn with its connectives instead.
const WAYS: usize = 24;

/// Draws an automaton. Conjunctive branching is a diamond, a choice inside of one a circle.
pub fn alternating(
    automaton: &AlternatingAutomaton,
    title: &str,
    names: PropositionNames<'_>,
    view: CopyView,
) -> Graph {
    let mut graph = Graph { title: title.to_owned(), ..Graph::default() };
    let invariant = graph.node(NodeShape::Accepting, &automaton.print_invariant(names));
    graph.nodes[invariant].initial = true;
    for (id, state) in automaton.numbered() {
        let mut text = automaton.print_state(id, names);
        if bound(state).is_some() {
            let _ = write!(text, "\ncounter v{}", id.0 + 1);
        }
        if is_merged(state, view) {
            let _ = write!(text, "\nflag f{}: one copy", id.0 + 1);
        }
        graph.node(if is_final(state) { NodeShape::Accepting } else { NodeShape::State }, &text);
    }
    let accept = graph.node(NodeShape::Accepting, "accept");
    let reject = graph.node(NodeShape::Rejecting, "reject");
    let mut drawing = AlternatingDrawing { automaton, names, view, graph, accept, reject };
    drawing.transition(invariant, None, CounterRange::Any, &automaton.invariant_transition());
    for (id, _) in automaton.numbered() {
        for (range, branch) in automaton.transitions(id) {
            drawing.transition(node_of(id), Some(id), range, &branch);
        }
    }
    drawing.notes();
    drawing.graph.keep_reachable();
    drawing.graph
}

/// The node of a state: the invariant stands before all.
fn node_of(id: StateId) -> usize {
    id.0 as usize + 1
}

fn place(target: TransitionTarget) -> usize {
    match target {
        TransitionTarget::Invariant => 0,
        TransitionTarget::Begin(id) | TransitionTarget::Stay(id) | TransitionTarget::Late(id) => node_of(id),
    }
}

/// Returns true if a copy in this state accepts at the end of the trace.
fn is_final(state: &State) -> bool {
    match state {
        State::Until { .. } | State::Within { .. } => false,
        State::Release { .. } | State::Throughout { .. } => true,
        State::InFuture { weak, .. } | State::Next { weak, .. } => *weak,
    }
}

/// The bound of a state's counter.
fn bound(state: &State) -> Option<gnomon_core::time::Duration> {
    match state {
        State::Within { reach, .. } | State::Throughout { reach, .. } | State::InFuture { reach, .. } => Some(*reach),
        State::Until { .. } | State::Release { .. } | State::Next { .. } => None,
    }
}

fn is_merged(state: &State, view: CopyView) -> bool {
    matches!(view, CopyView::Lasa(mode) if has_flag(state, mode))
}

struct AlternatingDrawing<'a> {
    automaton: &'a AlternatingAutomaton,
    names: PropositionNames<'a>,
    view: CopyView,
    graph: Graph,
    accept: usize,
    reject: usize,
}

impl AlternatingDrawing<'_> {
    fn transition(&mut self, from: usize, state: Option<StateId>, range: CounterRange, branch: &TransitionBranch) {
        let range = self.range(state, range);
        let Some(ways) = branch.ways(WAYS) else {
            self.structure(from, &range, branch);
            return;
        };
        for TransitionPath { answers, targets } in ways {
            let answers: Vec<String> =
                answers.iter().map(|(question, answer)| self.answer(*question, *answer)).collect();
            let condition = all(std::iter::once(range.clone()).chain(answers));
            match targets.as_deref() {
                None => self.graph.edge(from, self.reject, &condition),
                Some([]) => self.graph.edge(from, self.accept, &condition),
                Some([only]) => self.go(from, *only, &condition),
                Some(several) => {
                    let diamond = self.diamond(from, several, &condition);
                    for target in several {
                        self.go(diamond, *target, "");
                    }
                }
            }
        }
    }

    /// The diamond that this state already has for the same states, or a new one.
    fn diamond(&mut self, from: usize, targets: &[TransitionTarget], condition: &str) -> usize {
        let wanted: Vec<usize> = targets.iter().map(|target| place(*target)).collect();
        let leads = |node: usize| -> Vec<usize> {
            self.graph.edges.iter().filter(|edge| edge.from == node).map(|edge| edge.to).collect()
        };
        let own = self.graph.edges.iter().filter(|edge| edge.from == from).map(|edge| edge.to);
        let is_diamond = |node: &usize| self.graph.nodes[*node].shape == NodeShape::Diamond;
        let known = own.filter(is_diamond).find(|node| leads(*node) == wanted);
        let diamond = known.unwrap_or_else(|| self.graph.node(NodeShape::Diamond, ""));
        self.graph.edge(from, diamond, condition);
        diamond
    }

    /// The connectives themselves, where the ways through them are too many.
    fn structure(&mut self, from: usize, condition: &str, branch: &TransitionBranch) {
        match branch {
            TransitionBranch::Constant(true) => self.graph.edge(from, self.accept, condition),
            TransitionBranch::Constant(false) => self.graph.edge(from, self.reject, condition),
            TransitionBranch::Go(target) => self.go(from, *target, condition),
            TransitionBranch::Ask(question, answer) => {
                let condition = all([condition.to_owned(), self.answer(*question, *answer)]);
                self.graph.edge(from, self.accept, &condition);
            }
            TransitionBranch::Or(parts) => {
                let circle = self.graph.node(NodeShape::Choice, "");
                self.graph.edge(from, circle, condition);
                for part in parts {
                    self.structure(circle, "", part);
                }
            }
            TransitionBranch::And(parts) => {
                let mut asked = vec![condition.to_owned()];
                let mut rest = Vec::new();
                for part in parts {
                    match part {
                        TransitionBranch::Ask(question, answer) => asked.push(self.answer(*question, *answer)),
                        part => rest.push(part),
                    }
                }
                let condition = all(asked);
                if let [only] = rest.as_slice() {
                    return self.structure(from, &condition, only);
                }
                if rest.is_empty() {
                    return self.graph.edge(from, self.accept, &condition);
                }
                let diamond = self.graph.node(NodeShape::Diamond, "");
                self.graph.edge(from, diamond, &condition);
                for part in rest {
                    self.structure(diamond, "", part);
                }
            }
        }
    }

    fn go(&mut self, from: usize, target: TransitionTarget, condition: &str) {
        let action = match target {
            TransitionTarget::Invariant => String::new(),
            TransitionTarget::Late(_) => "began one state earlier".to_owned(),
            TransitionTarget::Begin(id) | TransitionTarget::Stay(id) => {
                let (state, number) = (self.automaton.state(id), id.0 + 1);
                let begins = matches!(target, TransitionTarget::Begin(_));
                match (bound(state).is_some(), is_merged(state, self.view) && begins) {
                    (true, true) => format!("v{number} ← 0, f{number} ← 1; joins if f{number} = 1"),
                    (false, true) => format!("f{number} ← 1; joins if f{number} = 1"),
                    (true, false) if begins => format!("v{number} ← 0"),
                    (true, false) => format!("v{number} ← v{number} + t"),
                    (false, false) => String::new(),
                }
            }
        };
        let text = match (condition.is_empty(), action.is_empty()) {
            (_, true) => condition.to_owned(),
            (true, false) => action,
            (false, false) => format!("{condition} / {action}"),
        };
        self.graph.edge(from, place(target), &text);
    }

    fn range(&self, state: Option<StateId>, range: CounterRange) -> String {
        let Some((id, bound)) = state.and_then(|id| Some((id, bound(self.automaton.state(id))?))) else {
            return String::new();
        };
        let sign = match range {
            CounterRange::Any => return String::new(),
            CounterRange::Below => "<",
            CounterRange::At => "=",
            CounterRange::UpTo => "<=",
            CounterRange::Beyond => ">",
        };
        format!("v{} + t {sign} {}", id.0 + 1, self.automaton.print_length(bound))
    }

    fn answer(&self, question: SymbolTest, answer: bool) -> String {
        match question {
            SymbolTest::Holds { proposition, back } => {
                let name = literal(&(self.names)(proposition), !answer);
                (0..back).fold(name, |name, _| format!("Previous({name})"))
            }
            SymbolTest::Exists { back } if answer => format!("{back} before"),
            SymbolTest::Exists { back } => format!("not {back} before"),
        }
    }

    fn notes(&mut self) {
        let shapes: Vec<NodeShape> = self.graph.nodes.iter().map(|node| node.shape).collect();
        if shapes.contains(&NodeShape::Diamond) {
            self.graph.notes.push("\u{25c6} all edges at the same time: one copy for each".to_owned());
        }
        if shapes.contains(&NodeShape::Choice) {
            self.graph.notes.push("\u{25cb} one of the edges is enough; if none is enabled: reject".to_owned());
        }
        if self.automaton.states.iter().any(|state| bound(state).is_some()) {
            self.graph.notes.push("v: time since the copy began; t: time since the previous state".to_owned());
        }
        if self.automaton.states.iter().any(|state| is_merged(state, self.view)) {
            self.graph.notes.push("f: a copy exists; a second one is merged with it".to_owned());
        }
    }
}

/// A conjunction of what there is.
fn all(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" && ")
}
