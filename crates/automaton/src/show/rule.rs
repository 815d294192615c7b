// SPDX-License-Identifier: MIT OR Apache-2.0
//! The life of an instance of a rule over messages, as a graph.

use gnomon_ir::{AtomId, ContextDirection, Matching, Modality, RuleContextCore, RuleCore, RuleWindow};

use crate::graph::{Graph, NodeShape};

/// Draws the life cycle of an instance of a rule, from the message that creates it to its verdict. The window is shown as it
/// is written.
pub fn rule(core: &RuleCore, window: &RuleWindow, title: &str) -> Graph {
    let mut graph = Graph { title: title.to_owned(), ..Graph::default() };
    let name = |atom: &AtomId| core.atoms[atom.0 as usize].name.clone();
    let supposition = core.supposition.iter().map(name).collect::<Vec<_>>().join(" || ");
    let context = context(core, &core.context);
    let (from, to, unit) = window.written();
    let unit = unit.or(core.clock.unit.filter(|_| !from.ends_with(char::is_alphabetic)));
    let window = format!("[{from},{to}]{}", unit.map_or("", |unit| unit.symbol()));
    let (good, bad) = match core.modality {
        Modality::Permission => ("context true", "context false"),
        Modality::Prohibition => ("context false", "context true"),
    };
    let idle = graph.node(NodeShape::State, "no instance");
    graph.nodes[idle].initial = true;
    match core.direction {
        ContextDirection::Future => {
            let live = graph.node(NodeShape::State, &format!("waiting for\n{context}\nwindow {window}"));
            let satisfied = graph.node(NodeShape::Accepting, "satisfied");
            let violated = graph.node(NodeShape::Rejecting, "violated");
            graph.edge(idle, live, &format!("{supposition}: activated"));
            graph.edge(live, live, "a matching action of the context");
            graph.edge(live, satisfied, good);
            graph.edge(live, violated, bad);
            if core.upper.is_some() {
                let (left, right) = match core.modality {
                    Modality::Permission => {
                        ("window closed, only negative actions open", "window closed, context open")
                    }
                    Modality::Prohibition => {
                        ("window closed, context open", "window closed, only negative actions open")
                    }
                };
                graph.edge(live, satisfied, left);
                graph.edge(live, violated, right);
            }
            let pending = graph.node(if core.strict_end { NodeShape::Rejecting } else { NodeShape::State }, "pending");
            graph.edge(live, pending, "the trace ends");
        }
        ContextDirection::Past => {
            let live = graph.node(NodeShape::State, &format!("remembers\n{context}\nwindow {window}"));
            let satisfied = graph.node(NodeShape::Accepting, "satisfied");
            let violated = graph.node(NodeShape::Rejecting, "violated");
            graph.edge(idle, live, "an action of the context");
            graph.edge(live, live, "another matching action");
            graph.edge(live, satisfied, &format!("{supposition}: {good}"));
            graph.edge(live, violated, &format!("{supposition}: {bad}"));
            if core.upper.is_some() {
                graph.edge(live, idle, "window closed: discarded");
            }
            graph.edge(idle, satisfied, &format!("{supposition}: {good}, no action before"));
            graph.edge(idle, violated, &format!("{supposition}: {bad}, no action before"));
        }
    }
    graph.notes.push(match core.matching {
        Matching::Paired => "paired: a message applies to the oldest instance that it matches".to_owned(),
        Matching::Any => "any: a message applies to every instance that it matches".to_owned(),
    });
    for correlation in &core.correlations {
        let members = correlation.members.iter().map(|member| member.message.as_str());
        graph.notes.push(format!(
            "matches: equal `{}` in {}",
            correlation.name,
            members.collect::<Vec<_>>().join(", ")
        ));
    }
    graph
}

fn context(core: &RuleCore, of: &RuleContextCore) -> String {
    let joined = |parts: &[RuleContextCore], sign: &str| {
        format!("({})", parts.iter().map(|part| context(core, part)).collect::<Vec<_>>().join(sign))
    };
    match of {
        RuleContextCore::Action(index) => {
            let action = &core.actions[*index];
            format!("{}{}", if action.negated { "!" } else { "" }, core.atoms[action.atom.0 as usize].name)
        }
        RuleContextCore::And(parts) => joined(parts, " && "),
        RuleContextCore::Or(parts) => joined(parts, " || "),
    }
}
