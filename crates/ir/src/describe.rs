// SPDX-License-Identifier: MIT OR Apache-2.0
//! Short descriptions of parts and terms of a formula, for explanations of violations.

pub mod rule;

use gnomon_core::Span;
use gnomon_core::fraction::Fraction;
use gnomon_core::interval::Interval;
use gnomon_core::rounding::{rounded, rounded_beside};
use gnomon_core::time::{Clock, Duration, Unit};
use gnomon_core::value::Comparison;

use crate::core::{Edge, FormulaCore, FormulaNode, MeasureId, NodeId, OccurrenceCore, Ratio, TermCore, TermId};

/// The most events and operators without operands that a description names. Nodes are shared, so the text of a formula may
/// be exponentially longer than the formula.
const MAX_LEAVES: usize = 16;

/// Describes a part in a few words: an event by its name, an operator by its kind. A long part ends in "…".
pub fn part(core: &FormulaCore, edge: Edge) -> String {
    PartDescriber { core, leaves_left: MAX_LEAVES }.describe(edge)
}

struct PartDescriber<'a> {
    core: &'a FormulaCore,
    leaves_left: usize,
}

impl PartDescriber<'_> {
    fn describe(&mut self, edge: Edge) -> String {
        if self.leaves_left == 0 {
            return "…".to_owned();
        }
        let core = self.core;
        // A simplified part can be its own strict form. The strict form of any other was numbered before it.
        let is_inclusive =
            |(inclusive, strict): &&(Edge, NodeId)| inclusive.node == edge.node && *strict < inclusive.node;
        if let Some((inclusive, strict)) = core.inclusives.iter().find(is_inclusive) {
            return self.describe(Edge { node: *strict, negated: edge.negated != inclusive.negated });
        }
        let text = match core.node(edge.node) {
            FormulaNode::True => return if edge.negated { "false".to_owned() } else { "true".to_owned() },
            FormulaNode::Atom(atom) => {
                self.leaves_left -= 1;
                format!("`{}`", core.atoms[atom.0 as usize].name)
            }
            FormulaNode::And(edges) => {
                let mut parts = Vec::new();
                for of in edges {
                    let is_full = self.leaves_left == 0;
                    parts.push(self.describe(if edge.negated { !*of } else { *of }));
                    if is_full {
                        break;
                    }
                }
                return parts.join(if edge.negated { " or " } else { " and " });
            }
            FormulaNode::Until { left, right, .. } if edge.negated && right.negated && *left == Edge::TRUE => {
                return format!("always {}", self.describe(!*right));
            }
            FormulaNode::Until { right, .. } if edge.negated => return format!("never {}", self.describe(*right)),
            // Nothing may come in between: the next position.
            FormulaNode::Until { left, right, .. } if *left == !Edge::TRUE => format!("{} next", self.describe(*right)),
            FormulaNode::Until { right, .. } => format!("{} later", self.describe(*right)),
            FormulaNode::Since { right, .. } => format!("{} before", self.describe(*right)),
            FormulaNode::Count { of, .. } => format!("the number of {}", self.describe(*of)),
            FormulaNode::Maximum { of, .. } => format!("the most {} in a step", self.describe(*of)),
            FormulaNode::Gap { from, to, .. } => {
                format!("the time from {} to {}", self.describe(*from), self.describe(*to))
            }
            FormulaNode::TimeAtLeast(_) => "a full window".to_owned(),
            FormulaNode::Compare { left, comparison, right } => {
                self.leaves_left -= 1;
                let text = format!("{} {comparison} {}", words(core, *left), words(core, *right));
                return if edge.negated { format!("`!({text})`") } else { format!("`{text}`") };
            }
            FormulaNode::InFuture { of, .. } => format!("{} at its end", self.describe(*of)),
            FormulaNode::Each { of, .. } => format!("{} of every element", self.describe(*of)),
            FormulaNode::Fold { fold, measure, .. } => {
                self.leaves_left -= 1;
                let atom = core.measures[measure.0 as usize].atom;
                format!("the {} over `{}`", fold.word(), core.atoms[atom.0 as usize].name)
            }
            FormulaNode::Percentile { percent, measure, .. } => {
                self.leaves_left -= 1;
                format!("p{percent} of {}", measured(core, *measure))
            }
            FormulaNode::Distinct { measure, .. } => {
                self.leaves_left -= 1;
                format!("the number of different values of {}", measured(core, *measure))
            }
        };
        if edge.negated { format!("no {text}") } else { text }
    }
}

/// Names the field of a measure and its event: "`amount` in `pay`".
pub fn measured(core: &FormulaCore, id: MeasureId) -> String {
    let measure = &core.measures[id.0 as usize];
    let event = &core.atoms[measure.atom.0 as usize].name;
    measure.fields.first().map_or_else(|| format!("`{event}`"), |field| format!("`{field}` in `{event}`"))
}

/// Describes a comparison with a bound, as what was asked for: "<= 5".
pub fn compared(comparison: Comparison, bound: Ratio) -> String {
    format!("{comparison} {}", Fraction::new(bound.numerator, bound.denominator))
}

/// Describes the absence of a part.
pub fn lack(core: &FormulaCore, edge: Edge) -> String {
    match core.node(edge.node) {
        FormulaNode::True => "nothing".to_owned(),
        // A disjunction is a negated conjunction.
        _ if edge.negated && !matches!(core.node(edge.node), FormulaNode::And(_)) => {
            format!("nothing but {}", part(core, !edge))
        }
        _ => format!("no {}", part(core, edge)),
    }
}

/// Writes amounts of time in explanations.
#[derive(Clone, Copy)]
pub struct AmountPrinter {
    clock: Clock,
    /// True for constants with units in a spec without a declared unit: the trace has date-times.
    is_dated: bool,
}

impl AmountPrinter {
    /// Creates the printer of a property; `needs_unit` is the place of its first constant with a unit over a trace without one.
    pub fn new(clock: Clock, needs_unit: Option<Span>) -> AmountPrinter {
        AmountPrinter { clock, is_dated: clock.unit.is_none() && needs_unit.is_some() }
    }

    /// Writes an amount in the unit of the trace, over date-times as "1 h" or "96 s". Long decimals are rounded.
    pub fn amount(self, duration: Duration) -> String {
        in_unit(&self.exact(duration), rounded)
    }

    /// Writes an amount that exceeds a limit, or falls short of it, with digits enough to tell them apart.
    pub fn amount_beside(self, duration: Duration, limit: Duration) -> String {
        let (text, limit) = (self.exact(duration), self.exact(limit));
        match (text.split_once(' '), limit.split_once(' ')) {
            (None, None) => rounded_beside(&text, &limit),
            (Some((_, unit)), Some((number, other))) if unit == other => {
                in_unit(&text, |text| rounded_beside(text, number))
            }
            _ => in_unit(&text, rounded),
        }
    }

    /// Writes a distance that is not in an interval.
    pub fn amount_outside(self, duration: Duration, interval: Interval) -> String {
        let limit = interval.written_hi().filter(|_| interval.is_past(duration)).unwrap_or(interval.lo);
        self.amount_beside(duration, limit)
    }

    /// Writes an amount with all digits.
    fn exact(self, duration: Duration) -> String {
        if self.is_dated { duration.print_whole() } else { self.clock.print_amount(duration) }
    }

    /// Writes the mean of amounts with this sum of ticks, beside the limit that it exceeds or falls short of.
    pub fn mean_beside(self, sum: i128, count: u64, limit: Duration) -> String {
        let whole = sum / i128::from(count.max(1));
        if whole * i128::from(count) == sum {
            return self.amount_beside(Duration::from_ticks(whole), limit);
        }
        let clock = if self.is_dated { Clock::new(Some(Unit::Second)) } else { self.clock };
        let mean = rounded_beside(&clock.print_mean(sum, count), &clock.print_duration(limit));
        clock.unit.map_or(mean.clone(), |unit| format!("{mean} {unit}"))
    }

    /// Writes a constant of the spec. An open end is one tick off the number in the text, which is the shortest of the three.
    pub fn constant(self, duration: Duration) -> String {
        let near = [0, 1, -1].into_iter().map(|by| Duration::from_ticks(duration.ticks() + by));
        let texts: Vec<String> = near.map(|duration| self.exact(duration)).collect();
        texts.into_iter().min_by_key(String::len).unwrap_or_default()
    }

    /// Describes an interval: " within 10", " between 3 and 10"; empty if it contains every distance.
    pub fn distance(self, interval: Interval) -> String {
        let near = interval.lo <= Duration::from_ticks(1);
        match (near, interval.hi) {
            (true, None) => String::new(),
            (true, Some(hi)) if interval.open_above => {
                format!(" in less than {}", self.constant(Duration::from_ticks(hi.ticks() + 1)))
            }
            (true, Some(hi)) => format!(" within {}", self.constant(hi)),
            (false, None) => format!(" after {} or more", self.constant(interval.lo)),
            (false, Some(hi)) => format!(" between {} and {}", self.constant(interval.lo), self.constant(hi)),
        }
    }
}

/// Applies a function to the number of an amount with a unit.
fn in_unit(amount: &str, round: impl Fn(&str) -> String) -> String {
    amount.split_once(' ').map_or_else(|| round(amount), |(number, unit)| format!("{} {unit}", round(number)))
}

/// Describes a term. The variable of a quantifier over a list has no name here.
pub fn words(core: &FormulaCore, id: TermId) -> String {
    let word = |id: &TermId| words(core, *id);
    let event = |event: &OccurrenceCore| {
        let name = &core.atoms[event.atom.0 as usize].name;
        format!("onEvent({}{name})", if event.starts { "start_" } else { "" })
    };
    let window = |reach| AmountPrinter::new(core.clock, core.needs_unit).constant(reach);
    match &core.terms[id.0 as usize] {
        TermCore::Number(number) => number.to_string(),
        TermCore::Value(value) => value.to_string(),
        TermCore::Variable { variable, steps } => format!("${}", path(&core.variables[*variable], steps)),
        TermCore::Element { steps, .. } => path("element", steps),
        TermCore::Operation(operation, left, right) => {
            let side = |id: &TermId| match core.terms[id.0 as usize] {
                TermCore::Operation(..) => format!("({})", word(id)),
                _ => word(id),
            };
            format!("{} {} {}", side(left), operation.symbol(), side(right))
        }
        TermCore::Past { of, event: at, back } => format!("past({}, {}, {back})", word(of), event(at)),
        TermCore::Count { of, reach } => {
            format!("count({}, {})", part(core, *of).replace('`', ""), window(*reach))
        }
        TermCore::Fold { fold, of, reach } => format!("{}({}, {})", fold.word(), word(of), window(*reach)),
        TermCore::Elapsed { event: at, .. } => format!("elapsed({})", event(at)),
    }
}

fn path(name: &str, steps: &[String]) -> String {
    std::iter::once(name).chain(steps.iter().map(String::as_str)).collect::<Vec<&str>>().join("/")
}
