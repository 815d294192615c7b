// SPDX-License-Identifier: MIT OR Apache-2.0
//! The deterministic automaton of every untimed cell, and the process that is written of it.

use gnomon_automaton::deterministic::{EventMachine as _, EventQuestion};
use gnomon_automaton::graph::NodeShape;
use gnomon_automaton::pattern::PatternMachine;
use gnomon_automaton::show;
use gnomon_ir::pattern::{CountBound, ScopeKind};
use gnomon_ir::spec::{Body, Spec};

use crate::cells::{alphabet, property, timed, untimed};
use crate::mtl::length;
use crate::segments::{Asked, Event, NAMES, P, S, holds};
use crate::traces::{each, some};

#[test]
fn it_ends_badly_exactly_where_the_cell_is_violated() {
    for scope in ScopeKind::ALL {
        for asked in untimed() {
            let property = property(scope, &asked);
            let Body::Pattern(pattern) = &property.body else { unreachable!("cells are patterns") };
            let watch = PatternMachine::new(pattern);
            let mut compare = |events: &[Event]| {
                let mut state = watch.initial();
                for (letter, _) in events {
                    state = watch.next(&state, &mut |question| match question {
                        EventQuestion::Event(atom) if atom.name == "u" => letter & P != 0,
                        EventQuestion::Event(atom) => {
                            let bit = NAMES.iter().position(|name| *name == atom.name).expect("an atom of the cells");
                            letter >> bit & 1 == 1
                        }
                        EventQuestion::Other(_) => letter & (S | P) != 0,
                    });
                }
                assert_eq!(!watch.ends_badly(&state), holds(scope, &asked, events), "{scope:?} {asked:?} {events:?}");
            };
            let letters = alphabet(scope, &asked);
            each(&letters, &[1], length(letters.len(), 4_000), &mut compare);
            some(&letters, &[1], 12, 300, &mut compare);
        }
    }
}

#[test]
fn a_formula_is_drawn_with_one_question_for_an_event_that_it_names_twice() {
    let (spec, diagnostics) =
        gnomon_lang::parse("mu safe { forall t:Int. [true* . push(t) . (!(pop(t) || done))* . done] false }");
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let Body::Modal(formula) = &spec.properties[0].body else { unreachable!("it is a formula") };
    let graph = show::modal(&spec, formula, "safe", &|atom| gnomon_lang::print_atom(atom, &[]));
    let edges: Vec<(usize, usize, String)> =
        graph.edges.iter().map(|edge| (edge.from, edge.to, edge.lines.join("; "))).collect();
    let edge = |from, to, lines: &str| (from, to, lines.to_owned());
    assert_eq!(
        edges,
        [
            edge(0, 1, "push(t)"),
            edge(0, 0, "any other event"),
            edge(1, 1, "push(t); any other event"),
            edge(1, 0, "pop(t)"),
            edge(1, 2, "done"),
        ]
    );
    assert_eq!(graph.nodes[2].shape, NodeShape::Rejecting);
}

#[test]
fn every_cell_is_drawn_with_a_way_to_violate_it() {
    for scope in ScopeKind::ALL {
        for asked in untimed().into_iter().chain(timed()) {
            let property = property(scope, &asked);
            let Body::Pattern(pattern) = &property.body else { unreachable!("cells are patterns") };
            let graph = show::pattern(&Spec::default(), pattern, "cell", &|atom| atom.name.clone());
            let can_end_badly = graph.nodes.iter().any(|node| node.shape == NodeShape::Rejecting);
            let always_holds = matches!(asked, Asked::Count(CountBound::AtLeast, 0, _));
            assert_eq!(can_end_badly, !always_holds, "{scope:?} {asked:?}");
            assert_eq!(graph.nodes.iter().filter(|node| node.initial).count(), 1);
        }
    }
}
