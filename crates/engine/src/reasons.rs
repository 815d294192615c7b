// SPDX-License-Identifier: MIT OR Apache-2.0
//! The story of a violation: which part failed, which events explain it.

use gnomon_core::time::Duration;
use gnomon_core::verdict::{At, Because, Origin};
use gnomon_ir::core::{Edge, Node, NodeId, TermCore, TermId};

use crate::describe;
use crate::ledger::{Clause, Consequent, Trigger};
use crate::network::Network;
use crate::network::present::Present;
use crate::past::Past;
use crate::terms::words::words;

/// The most events that one story cites.
const MOST_CITED: usize = 12;

/// What can still be looked at when a violation is found.
pub(crate) enum Evidence<'e, 'p> {
    /// The present position, and the past as it was before it.
    Present(&'e mut Present<'p>),
    /// Time passed or the trace ended: there is no present position.
    None(&'e Network),
}

type Story = (String, Vec<Because>);

impl Evidence<'_, '_> {
    pub(crate) fn network(&self) -> &Network {
        match self {
            Evidence::Present(present) => present.network,
            Evidence::None(network) => network,
        }
    }

    /// The smallest part that explains why the consequent is false: through conjunctions, to the part that is false.
    pub(crate) fn narrow(&mut self, clause: &Clause, at: At, blame: NodeId) -> NodeId {
        let Evidence::Present(present) = self else { return blame };
        if present.instant.position != at.position {
            return blame;
        }
        if blame == clause.consequent.node && clause.consequent.negated {
            return blame;
        }
        let mut blame = blame;
        while let Node::And(edges) = present.network.core.node(blame) {
            let known = |edge: &&Edge| present.network.later_slots[edge.node.0 as usize].is_none();
            let candidates: Vec<Edge> = edges.iter().filter(known).copied().collect();
            match candidates.into_iter().find(|edge| !present.value(*edge)) {
                Some(edge) if !edge.negated => blame = edge.node,
                _ => break,
            }
        }
        blame
    }

    /// One sentence, and the events behind it in the order of the trace.
    pub(crate) fn story(&mut self, clause: &Clause, at: At, trigger: Trigger, blame: NodeId) -> Story {
        let negated = match clause.consequent_part {
            Consequent::Direct(direct) if direct.node == blame => direct.negated,
            _ => blame == clause.consequent.node && clause.consequent.negated,
        };
        let edge = Edge { node: blame, negated };
        let is_now = matches!(self, Evidence::Present(present) if present.instant.position == at.position);
        let (summary, mut because) = match self.network().core.node(blame).clone() {
            Node::Until { .. } => self.future(edge, at, trigger),
            // The past has moved on since: what the window held then is not kept.
            _ if !is_now => self.plain(edge, at, trigger),
            Node::Since { left, right, .. } => self.since(edge, left, right, at),
            Node::Count { of, .. } => self.count(edge, of, at),
            Node::Maximum { .. } => self.maximum(edge, at),
            Node::Gap { from, to, .. } => self.gap(edge, from, to, at),
            Node::Fold { .. } => self.fold(edge, at),
            Node::Compare { left, right, .. } => self.compared(edge, [left, right], at),
            Node::True
            | Node::Atom(_)
            | Node::And(_)
            | Node::TimeAtLeast(_)
            | Node::InFuture { .. }
            | Node::Each { .. } => self.plain(edge, at, trigger),
        };
        let names_itself = because.iter().any(|because| because.origin == at.origin);
        if clause.antecedent.is_some() && !names_itself && !because.is_empty() {
            because.push(Because { origin: at.origin, note: "asked for here".to_owned() });
        }
        because.sort_by_key(|because| because.origin.event_index);
        (summary, because)
    }

    fn describe(&self, edge: Edge) -> String {
        describe::part(&self.network().core, edge)
    }

    fn future(&self, edge: Edge, at: At, trigger: Trigger) -> Story {
        let core = &self.network().core;
        let Node::Until { interval, left, right } = core.node(edge.node) else { return (String::new(), vec![]) };
        let (goal, distance) = (self.describe(*right), describe::distance(core.clock, *interval));
        let lack = describe::lack(core, *right);
        let opened = |note: String| Because { origin: at.origin, note };
        if edge.negated {
            let summary = format!("{goal} came{distance}");
            let mut because = vec![opened("from here on it must not come".to_owned())];
            if let Trigger::Position { decider, .. } = trigger {
                because.push(Because { origin: decider, note: format!("{goal}: decided here") });
            }
            return (summary, because);
        }
        let opened = opened(format!("asks for {goal}{distance}"));
        match trigger {
            Trigger::Position { decider, position } => {
                let hindered = self.describe(!*left);
                let summary = if position == at.position || *left == always() {
                    format!("{lack}{distance}")
                } else {
                    format!("{hindered} came before {goal}")
                };
                let decided = Because { origin: decider, note: format!("{lack} until here: decided") };
                (summary, if position == at.position { vec![opened] } else { vec![opened, decided] })
            }
            Trigger::Deadline(_) => (format!("{lack}{distance}"), vec![opened]),
            Trigger::End(_) => (format!("{lack}{distance} before the trace ended"), vec![opened]),
        }
    }

    fn since(&mut self, edge: Edge, left: Edge, right: Edge, at: At) -> Story {
        let (goal, hindrance) = (self.describe(right), self.describe(!left));
        let lack = describe::lack(&self.network().core, right);
        let Some(Past::Since(since)) = self.past(edge.node) else { return self.unkept(edge, at) };
        let (last_right, last_break) = (since.last_right(), since.last_break());
        let cite = |origin: Option<Origin>, note: String| origin.map(|origin| Because { origin, note });
        if edge.negated {
            let because = cite(last_right, format!("{goal} was here")).into_iter().collect();
            return (format!("{goal} came before"), because);
        }
        let broken = last_break.filter(|broken| last_right.is_none_or(|right| right.event_index < broken.event_index));
        let summary = match (last_right, broken) {
            // A binding that is forgotten in between forgets what ended it.
            _ if at.position == 0 => "nothing came before".to_owned(),
            // What was before the position just before this one does not matter.
            _ if left == !always() => format!("{lack} just before"),
            (None, _) if left != always() => format!("{lack} before, or {hindrance} after it"),
            (None, _) => format!("{lack} before"),
            (Some(_), Some(_)) => format!("{hindrance} came after the last {goal}"),
            (Some(_), None) => format!("the last {goal} is not at the right distance"),
        };
        let because = cite(last_right, format!("the last {goal}")).into_iter();
        (summary, because.chain(cite(broken, format!("{hindrance} came after it"))).collect())
    }

    fn count(&mut self, edge: Edge, of: Edge, at: At) -> Story {
        let what = self.describe(of);
        let holds = self.present_value(of);
        let Some(Past::Count(count)) = self.past(edge.node) else { return self.unkept(edge, at) };
        let number = count.query(at.origin.time, holds);
        let mut cited: Vec<Origin> = count.occurrences().rev().take(MOST_CITED).copied().collect();
        cited.reverse();
        let Node::Count { reach, .. } = self.network().core.node(edge.node) else { return self.unkept(edge, at) };
        let window = self.window(Duration::from_ticks(reach.ticks() + 1));
        let summary = format!("counted {number} {what} in the last {window}");
        // The newest are cited; with the present one, if it counts, the last is number `number`.
        let first = (number + 1).saturating_sub(u64::from(holds) + cited.len() as u64);
        let cite = |(place, origin): (u64, Origin)| Because {
            origin,
            note: format!("counted: {place} of {number} in the last {window}"),
        };
        (summary, (first..).zip(cited).map(cite).collect())
    }

    fn maximum(&mut self, edge: Edge, at: At) -> Story {
        let Node::Maximum { of, step, .. } = *self.network().core.node(edge.node) else {
            return self.unkept(edge, at);
        };
        let what = self.describe(of);
        let holds = self.present_value(of);
        let Some(Past::Maximum(maximum)) = self.past(edge.node) else { return self.unkept(edge, at) };
        let fullest = maximum.query(at.origin.time, holds);
        let in_step = |origin: &&Origin| maximum.step_of(at.origin.time, origin) == fullest.step;
        let cited: Vec<Origin> = maximum.occurrences().filter(in_step).take(MOST_CITED).copied().collect();
        let step = self.window(step);
        let summary = format!("at most {} {what} in {step}", fullest.count);
        let cite = |origin| Because { origin, note: format!("one of {} in the fullest {step}", fullest.count) };
        (summary, cited.into_iter().map(cite).collect())
    }

    fn gap(&mut self, edge: Edge, from: Edge, to: Edge, at: At) -> Story {
        let (start, end) = (self.describe(from), self.describe(to));
        let ends = self.present_value(to);
        let Some(Past::Gap(gap)) = self.past(edge.node) else { return self.unkept(edge, at) };
        let mean = gap.query(at.origin.time, ends);
        let mut cited: Vec<(Origin, Duration)> = gap.pairs().map(|pair| (pair.start, pair.took)).collect();
        if ends {
            cited.extend(gap.waiting().map(|start| (*start, at.origin.time - start.time)));
        }
        if mean.count == 0 {
            return (format!("no pair of {start} and {end} to measure"), vec![]);
        }
        cited.sort_by_key(|(_, took)| std::cmp::Reverse(*took));
        cited.truncate(MOST_CITED);
        let core = &self.network().core;
        let average = describe::amount(core.clock, Duration::from_ticks(mean.sum / i128::from(mean.count)));
        let summary = format!("from {start} to {end} took {average} on average over {} pairs", mean.count);
        let cite = |(origin, took)| Because { origin, note: format!("took {}", describe::amount(core.clock, took)) };
        (summary, cited.into_iter().map(cite).collect())
    }

    fn fold(&mut self, edge: Edge, at: At) -> Story {
        let what = self.describe(Edge { negated: false, ..edge });
        let Some(Past::Fold(fold)) = self.past(edge.node) else { return self.unkept(edge, at) };
        let mut cited: Vec<(Origin, String)> =
            fold.entries().rev().take(MOST_CITED).map(|entry| (entry.origin, entry.number.to_string())).collect();
        cited.reverse();
        let Node::Fold { reach, .. } = self.network().core.node(edge.node) else { return self.unkept(edge, at) };
        let window = self.window(*reach);
        let cite = |(origin, number)| Because { origin, note: format!("{number}, in the last {window}") };
        (format!("{what} in the last {window} is not as asked for"), cited.into_iter().map(cite).collect())
    }

    /// A comparison, and what its sides are.
    fn compared(&mut self, edge: Edge, sides: [TermId; 2], at: At) -> Story {
        let (summary, mut because) = self.unkept(edge, at);
        let Evidence::Present(present) = self else { return (summary, because) };
        let core = &present.network.core;
        let is_literal =
            |side: &TermId| matches!(core.terms[side.0 as usize], TermCore::Number(_) | TermCore::Value(_));
        let notes = sides.iter().filter(|side| !is_literal(side)).map(|side| {
            let value = present.term(*side).map_or_else(|| "undefined".to_owned(), |reading| reading.to_string());
            format!("`{}` is {value}", words(core, *side))
        });
        let note = notes.collect::<Vec<String>>().join(", ");
        if let Some(here) = because.first_mut().filter(|_| !note.is_empty()) {
            here.note = note;
        }
        (summary, because)
    }

    fn plain(&self, edge: Edge, at: At, trigger: Trigger) -> Story {
        let mut because = vec![Because { origin: at.origin, note: "false here".to_owned() }];
        if let Trigger::Position { position, decider } = trigger
            && position != at.position
        {
            because.push(Because { origin: decider, note: "decided here".to_owned() });
        }
        let summary = if edge.negated {
            format!("{} holds", self.describe(!edge))
        } else {
            format!("{} does not hold", self.describe(edge))
        };
        (summary, because)
    }

    /// An operator whose parts wait keeps no events to cite.
    fn unkept(&self, edge: Edge, at: At) -> Story {
        self.plain(edge, at, Trigger::Deadline(at.origin.time))
    }

    fn window(&self, window: Duration) -> String {
        describe::amount(self.network().core.clock, window)
    }

    fn present_value(&mut self, edge: Edge) -> bool {
        let waits = self.network().later_slots[edge.node.0 as usize].is_some();
        match self {
            Evidence::Present(present) if !waits => present.value(edge),
            _ => false,
        }
    }

    fn past(&mut self, id: NodeId) -> Option<&mut Past> {
        match self {
            Evidence::Present(present) if present.wiring.past_slots[id.0 as usize].is_some() => Some(present.state(id)),
            _ => None,
        }
    }
}

fn always() -> Edge {
    Edge { node: NodeId(0), negated: false }
}
