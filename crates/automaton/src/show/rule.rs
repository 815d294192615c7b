// SPDX-License-Identifier: MIT OR Apache-2.0
//! The life of an instance of a rule over messages, as a graph.

use gnomon_ir::{AtomId, ContextDirection, Matching, Modality, RuleContextCore, RuleCore};

use crate::graph::{Graph, NodeShape};

/// Draws what becomes of an instance of a rule, from the message that makes it to its verdict.
pub fn rule(core: &RuleCore, title: &str) -> Graph {
    let mut graph = Graph { title: title.to_owned(), ..Graph::default() };
    let name = |atom: &AtomId| core.atoms[atom.0 as usize].name.clone();
    let supposition = core.supposition.iter().map(name).collect::<Vec<_>>().join(" || ");
    let context = context(core, &core.context);
    let (lower, upper) =
        (core.clock.print_duration(core.lower), core.upper.map(|upper| core.clock.print_duration(upper)));
    let upper_text = upper.clone().unwrap_or("inf".to_owned());
    let (good, bad) = match core.modality {
        Modality::Permission => ("context true", "context false"),
        Modality::Prohibition => ("context false", "context true"),
    };
    let idle = graph.node(NodeShape::State, "no instance");
    graph.nodes[idle].initial = true;
    match core.direction {
        ContextDirection::Future => {
            let live = graph.node(NodeShape::State, &format!("waiting for\n{context}\nwindow [{lower},{upper_text}]"));
            let satisfied = graph.node(NodeShape::Accepting, "satisfied");
            let violated = graph.node(NodeShape::Rejecting, "violated");
            graph.edge(idle, live, &format!("{supposition}: activated"));
            graph.edge(live, live, "an action of the context that fits");
            graph.edge(live, satisfied, good);
            graph.edge(live, violated, bad);
            if upper.is_some() {
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
            let live =
                graph.node(NodeShape::State, &format!("remembers\n{context}\nwindow [{lower},{upper_text}] back"));
            let satisfied = graph.node(NodeShape::Accepting, "satisfied");
            let violated = graph.node(NodeShape::Rejecting, "violated");
            graph.edge(idle, live, "an action of the context");
            graph.edge(live, live, "another that fits");
            graph.edge(live, satisfied, &format!("{supposition}: {good}"));
            graph.edge(live, violated, &format!("{supposition}: {bad}"));
            if upper.is_some() {
                graph.edge(live, idle, "window closed: forgotten");
            }
            graph.edge(idle, satisfied, &format!("{supposition}: {good}, untouched"));
            graph.edge(idle, violated, &format!("{supposition}: {bad}, untouched"));
        }
    }
    graph.notes.push(match core.matching {
        Matching::Paired => "paired: a message serves the oldest instance that it fits".to_owned(),
        Matching::Any => "any: a message serves every instance that it fits".to_owned(),
    });
    for correlation in &core.correlations {
        let members = correlation.members.iter().map(|member| member.message.as_str());
        graph.notes.push(format!("fits: equal `{}` in {}", correlation.name, members.collect::<Vec<_>>().join(", ")));
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
