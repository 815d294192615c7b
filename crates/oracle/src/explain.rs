// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explains violations: which events of a binding matter, and why.
//!
//! An explanation is computed after a violation was found, from the events that concern its binding ([`Evidence`]), by the same
//! functions that define the meaning of properties. The monitors therefore need not keep events for it. If the evidence does not show
//! the violation, because a part of it had to be left out, there is no explanation, and the monitor's own one stays.
//!
//! Example: `G(fail -> count[10](fail) <= 2)` with `fail` at 1, 12, 15 and 18. The violation at 18 cites the events at 12, 15 and 18, which are in
//! the window, and says that three were counted where two are allowed. The event at 1 is not cited.

mod automaton;
mod clocks;
mod formula;
mod modal;
mod parts;
mod pattern;
mod plugin;
mod rule;
mod term;

use gnomon_core::list::all_true;
use gnomon_core::verdict::{Binding, Cause, Origin, Violation};
use gnomon_core::{Timestamp, Value};
use gnomon_ir::Edge;
use gnomon_ir::core::{BehaviourCore, Core, FormulaCore, FormulaNode, Reporting, TermCore};

use crate::atom;
use crate::trace::{OracleEvent, Trace};

pub use formula::past_reach;
pub use parts::{PartValue, part_values};

/// The most events that an explanation cites.
const MAX_CITED: usize = 50;

/// The most consecutive events without a matching atom that are kept: the first ones, and the last one in place of those after them.
const FEW_OTHERS: usize = 3;

/// Notes and sentences about an event that comes close to a missing one, with `#` for its distance.
const TOO_EARLY: [&str; 2] = ["too early: # later", "; one came too early, after #"];
const TOO_LATE: [&str; 2] = ["too late: # later", "; the next one came too late, after #"];
const TOO_LONG_AGO: [&str; 2] = ["too long ago: # earlier", "; the last one came # earlier"];
const ONLY_AFTERWARDS: [&str; 2] = ["too late: # later", "; one came only # later"];
const TOO_RECENT: [&str; 2] = ["too recent: # earlier", "; one came only # earlier"];

/// The events of a trace that concern a violation.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The events in the order of evaluation: those that are [relevant](is_relevant), and the one at which the violation is.
    pub trace: &'a Trace,
    /// For each event its identity in the whole trace.
    pub origins: &'a [Origin],
    /// The values of the binding, in the order of the prefix.
    pub values: &'a [Value<'static>],
    /// The time up to which relevant events may have been left out; `None` if there are none before these.
    pub since: Option<Timestamp>,
}

/// Explanation of a violation.
#[derive(Clone, PartialEq, Debug)]
pub struct Explanation {
    /// One sentence without a full stop.
    pub summary: String,
    /// The events that matter, in the order of the trace.
    pub because: Vec<Cause>,
}

/// Returns true if an event concerns a binding: it matches an atom under the binding, or has a variable of the state. `values` are those
/// of the binding in the order of the prefix. A rule has none; its messages have to agree with the binding by name.
pub fn is_relevant(core: &Core, event: &OracleEvent, values: &[Value<'static>], binding: &Binding) -> bool {
    let has_variable = || match core {
        Core::Formula(formula) => formula.variables.iter().any(|name| event.fields.iter().any(|(key, _)| key == name)),
        _ => false,
    };
    let is_correlated = || match core {
        Core::Rule(rule) => rule::is_correlated(rule, event, binding),
        _ => true,
    };
    core.atoms().iter().any(|atom| atom::matches(atom, event, values)) && is_correlated() || has_variable()
}

/// Returns how many events in succession that match no atom can matter to a property. It is 0 if they never matter, a few if only the
/// next one or the last one does, and has no limit if positions are counted.
pub fn most_others(core: &Core) -> usize {
    match core {
        Core::Formula(core) => {
            let may_be = |edge: Edge, value: bool| without_atoms(core, edge) != Some(!value);
            let counts_terms =
                core.terms.iter().any(|term| matches!(term, TermCore::Count { .. } | TermCore::Fold { .. }));
            let counts_nexts = match &core.reporting {
                Reporting::Invariants(all) => all.iter().any(|one| !one.nexts.is_empty()),
                Reporting::Whole(_) => false,
            };
            let counts_nodes = core.nodes.iter().any(|node| match node {
                FormulaNode::Count { of, .. } | FormulaNode::Maximum { of, .. } => may_be(*of, true),
                FormulaNode::Gap { from, to, .. } => may_be(*from, true) || may_be(*to, true),
                _ => false,
            });
            let starts = |term: &TermCore| match term {
                TermCore::Past { event, .. } | TermCore::Elapsed { event, .. } => event.starts,
                _ => false,
            };
            let looks_at_others = || {
                core.terms.iter().any(starts)
                    || core.nodes.iter().any(|node| match node {
                        FormulaNode::Until { left, right, .. } | FormulaNode::Since { left, right, .. } => {
                            may_be(*left, false) || may_be(*right, true)
                        }
                        FormulaNode::InFuture { .. } => true,
                        _ => false,
                    })
            };
            match () {
                () if counts_terms || counts_nexts || counts_nodes => usize::MAX,
                () if looks_at_others() => FEW_OTHERS,
                () => 0,
            }
        }
        Core::Pattern(pattern) if matches!(pattern.behaviour, BehaviourCore::Only(_)) => usize::MAX,
        Core::Modal(_) => FEW_OTHERS,
        Core::Pattern(_) | Core::Automaton(_) | Core::Rule(_) | Core::Plugin(_) | Core::Clocks(_) => 0,
    }
}

/// Returns the value of a part at a position where no atom is true; `None` if that depends on other positions.
fn without_atoms(core: &FormulaCore, edge: Edge) -> Option<bool> {
    let value = match core.node(edge.node) {
        FormulaNode::True => Some(true),
        FormulaNode::Atom(_) => Some(false),
        FormulaNode::And(parts) => all_true(parts.iter().map(|part| without_atoms(core, *part))),
        _ => None,
    };
    value.map(|value| value != edge.negated)
}

/// Explains a violation; `None` if the evidence does not show it.
pub fn explain(core: &Core, evidence: Evidence<'_>, violation: &Violation) -> Option<Explanation> {
    let at = evidence.origins.iter().position(|origin| origin.event_index == violation.at.origin.event_index)?;
    let builder = ExplanationBuilder { evidence, because: Vec::new() };
    match core {
        Core::Formula(core) => formula::explain(core, builder, at, violation),
        Core::Automaton(core) => automaton::explain(core, builder, violation),
        Core::Pattern(core) => pattern::explain(core, builder, at, violation),
        Core::Modal(core) => modal::explain(core, builder, at, violation),
        Core::Plugin(core) => plugin::explain(core, builder, at, violation),
        Core::Rule(core) => rule::explain(core, builder, at, violation),
        Core::Clocks(core) => clocks::explain(core, builder, at, violation),
    }
}

/// An explanation under construction.
struct ExplanationBuilder<'a> {
    evidence: Evidence<'a>,
    because: Vec<Cause>,
}

impl ExplanationBuilder<'_> {
    /// Cites an event. An event that is cited already keeps its first note.
    fn cite(&mut self, event: usize, note: impl Into<String>) {
        let origin = self.evidence.origins[event];
        let is_known = self.because.iter().any(|cause| cause.origin.event_index == origin.event_index);
        if !is_known && self.because.len() < MAX_CITED {
            self.because.push(Cause { origin, note: note.into() });
        }
    }

    /// Cites events that were counted; of many the last ones.
    fn cite_counted(&mut self, events: &[usize], note: impl Fn(usize, usize) -> String) {
        let skipped = events.len().saturating_sub(MAX_CITED);
        for (place, event) in events.iter().enumerate().skip(skipped) {
            self.cite(*event, note(place + 1, events.len()));
        }
    }

    /// Cites an event that comes close to a missing one, at this distance from the violation. Returns the sentence.
    fn near_miss(&mut self, event: usize, distance: &str, [note, sentence]: [&str; 2]) -> String {
        self.cite(event, note.replace('#', distance));
        sentence.replace('#', distance)
    }

    fn finish(mut self, summary: String) -> Explanation {
        self.because.sort_by_key(|cause| cause.origin.event_index);
        Explanation { summary, because: self.because }
    }
}

/// Formats a bound on a number of events, such as "at most 3 allowed".
fn limit(amount: gnomon_ir::CountBound, number: u64) -> String {
    match amount {
        gnomon_ir::CountBound::AtMost => format!("at most {number} allowed"),
        gnomon_ir::CountBound::AtLeast => format!("at least {number} required"),
        gnomon_ir::CountBound::Exactly => format!("exactly {number} required"),
    }
}
