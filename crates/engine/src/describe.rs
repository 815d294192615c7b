// SPDX-License-Identifier: MIT OR Apache-2.0
//! Short names for parts of a property, for the sentences of a violation's story.

use gnomon_core::interval::Interval;
use gnomon_core::time::{Clock, Duration};
use gnomon_ir::core::{Edge, FormulaCore, Node, NodeId};

use crate::terms::words::words;

/// Where nothing may come in between, the next position is meant.
const NEVER: Edge = Edge { node: NodeId(0), negated: true };

/// A part in a few words: an event by its name, more than that by its shape.
pub(crate) fn part(core: &FormulaCore, edge: Edge) -> String {
    let text = match core.node(edge.node) {
        Node::True => return if edge.negated { "false".to_owned() } else { "true".to_owned() },
        Node::Atom(atom) => format!("`{}`", core.atoms[atom.0 as usize].name),
        Node::And(edges) if edge.negated => {
            let parts: Vec<String> = edges.iter().map(|edge| part(core, !*edge)).collect();
            return parts.join(" or ");
        }
        Node::And(edges) => {
            let parts: Vec<String> = edges.iter().map(|edge| part(core, *edge)).collect();
            return parts.join(" and ");
        }
        Node::Until { right, .. } if edge.negated => return format!("never {}", part(core, *right)),
        Node::Until { left, right, .. } if *left == NEVER => format!("{} next", part(core, *right)),
        Node::Until { right, .. } => format!("{} later", part(core, *right)),
        Node::Since { right, .. } => format!("{} before", part(core, *right)),
        Node::Count { of, .. } => format!("the number of {}", part(core, *of)),
        Node::Maximum { of, .. } => format!("the most {} in a step", part(core, *of)),
        Node::Gap { from, to, .. } => format!("the time from {} to {}", part(core, *from), part(core, *to)),
        Node::TimeAtLeast(_) => "a full window".to_owned(),
        Node::Compare { left, comparison, right } => {
            let text = format!("{} {comparison} {}", words(core, *left), words(core, *right));
            return if edge.negated { format!("`!({text})`") } else { format!("`{text}`") };
        }
        Node::InFuture { of, .. } => format!("{} at its end", part(core, *of)),
        Node::Each { of, .. } => format!("{} of every element", part(core, *of)),
        Node::Fold { fold, measure, .. } => {
            let atom = core.measures[measure.0 as usize].atom;
            format!("the {} over `{}`", fold.word(), core.atoms[atom.0 as usize].name)
        }
    };
    if edge.negated { format!("no {text}") } else { text }
}

/// How to say that a part is not there.
pub(crate) fn lack(core: &FormulaCore, edge: Edge) -> String {
    match core.node(edge.node) {
        Node::True => "nothing".to_owned(),
        _ if edge.negated => format!("nothing but {}", part(core, !edge)),
        _ => format!("no {}", part(core, edge)),
    }
}

/// "within 10", "before 10", "between 3 and 10" of an interval; empty where any distance will do.
pub(crate) fn distance(clock: Clock, interval: Interval) -> String {
    let amount = |duration| self::amount(clock, duration);
    let near = interval.lo <= Duration::from_ticks(1);
    match (near, interval.hi) {
        (true, None) => String::new(),
        (true, Some(hi)) if interval.open_above => {
            format!(" in less than {}", amount(Duration::from_ticks(hi.ticks() + 1)))
        }
        (true, Some(hi)) => format!(" within {}", amount(hi)),
        (false, None) => format!(" after {} or more", amount(interval.lo)),
        (false, Some(hi)) => format!(" between {} and {}", amount(interval.lo), amount(hi)),
    }
}

/// An amount of time in the trace's unit.
pub(crate) fn amount(clock: Clock, duration: Duration) -> String {
    // An open end is one tick off what was written: say the number that the reader knows.
    let rounded = [0, 1, -1].into_iter().map(|by| Duration::from_ticks(duration.ticks() + by));
    let texts: Vec<String> = rounded.map(|duration| clock.print_duration(duration)).collect();
    let text = texts.iter().min_by_key(|text| text.len()).cloned().unwrap_or_default();
    match clock.unit {
        Some(unit) => format!("{text} {unit}"),
        None => text,
    }
}
