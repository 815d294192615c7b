// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lowers [`Spec`] to [`Core`]: removes sugar, replaces names by numbers and constants by ticks, reports diagnostics.
//!
//! The rules that remove sugar are numbered `D1` … in `docs/semantics.md`; the code cites them. Example: `G(a -> F b)`
//! becomes `!(true U !(!(a && !(true U b))))`, each `U` with the present included by D13; equal subformulae share one
//! node.

mod atoms;
mod automaton;
mod clocks;
mod constants;
mod element;
mod modal;
mod nodes;
mod pattern;
mod plugin;
mod prefix;
mod reporting;
mod rule;
mod term;

use gnomon_core::list::{index_of, unique};
use gnomon_core::{Clock, Comparison, Diagnostic, Duration, Interval, Severity, Simultaneous, Span};

use crate::{
    Aggregate, Atom, AtomDefinition, Binary, Body, Connective, Core, Edge, EventPattern, Formula, FormulaCore,
    FormulaKind, FormulaNode, Measure, MeasureId, Path, Property, Ratio, Spec, Unary,
};
use element::Each;
pub use rule::PHASE_FIELDS;

/// Checks one property and brings it to kernel form. The core is there unless some diagnostic is an error.
pub fn check(spec: &Spec, property: &Property) -> (Option<Core>, Vec<Diagnostic>) {
    let mut checker = Checker::new(spec, prefix::Variables::of(property));
    let prefix = checker.prefix(property);
    let core = match &property.body {
        Body::Formula(formula) => {
            let whole = checker.formula(formula);
            let reporting = checker.reporting(formula);
            checker.unused_variables(property);
            let (nodes, spans, inclusives) = std::mem::take(&mut checker.nodes).finish();
            let terms = std::mem::take(&mut checker.terms);
            Core::Formula(FormulaCore {
                name: property.name.clone(),
                simultaneous: spec.simultaneous(property),
                clock: checker.clock,
                needs_unit: checker.needs_unit,
                atoms: std::mem::take(&mut checker.atoms),
                prefix,
                measures: std::mem::take(&mut checker.measures),
                variables: terms.variables,
                terms: terms.list,
                starts: terms.starts,
                nodes,
                spans,
                inclusives,
                formula: whole,
                if_empty: formula.holds_of_nothing(),
                reporting,
            })
        }
        Body::Automaton(automaton) => Core::Automaton(checker.automaton(property, automaton, prefix)),
        Body::Rule(rule) => Core::Rule(checker.rule(property, rule)),
        Body::Pattern(pattern) => Core::Pattern(checker.pattern(property, pattern, prefix)),
        Body::Modal(modal) => Core::Modal(checker.modal(property, modal)),
        Body::Plugin(plugin) => Core::Plugin(checker.plugin(property, plugin, prefix)),
        Body::Clocks(clocks) => Core::Clocks(checker.clocks(property, clocks)),
    };
    if spec.simultaneous == Some(Simultaneous::Merge) && core.simultaneous() == Simultaneous::Sequence {
        checker.never_merges(property);
    }
    let failed = checker.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    // A formula that is read twice (as a whole and as an invariant's body) must not be blamed twice.
    ((!failed).then_some(core), unique(checker.diagnostics))
}

/// Checks the events that end a case. Returns the patterns of events of the trace that they stand for.
pub fn check_case_ends(spec: &Spec) -> (Vec<EventPattern>, Vec<Diagnostic>) {
    let mut checker = Checker::new(spec, prefix::Variables::inside(vec![], vec![]));
    let patterns = spec.cases.ends.iter().flat_map(|atom| checker.patterns(atom)).collect();
    (patterns, checker.diagnostics)
}

struct Checker<'a> {
    spec: &'a Spec,
    clock: Clock,
    needs_unit: Option<Span>,
    variables: prefix::Variables,
    atoms: Vec<AtomDefinition>,
    measures: Vec<Measure>,
    terms: term::Terms,
    nodes: nodes::Nodes,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    fn new(spec: &'a Spec, variables: prefix::Variables) -> Self {
        Checker {
            spec,
            clock: Clock::new(spec.time.unit),
            needs_unit: None,
            variables,
            atoms: Vec::new(),
            measures: Vec::new(),
            terms: term::Terms::default(),
            nodes: nodes::Nodes::default(),
            diagnostics: Vec::new(),
        }
    }
}

impl Checker<'_> {
    /// Warns that the events of a property are never merged, whatever the spec declares.
    fn never_merges(&mut self, property: &Property) {
        if property.options.simultaneous.is_some() {
            return;
        }
        let language = property.language.a_property();
        self.diagnostics.push(
            Diagnostic::warning("G0335", property.name_span, format!("`{}` does not merge events", property.name))
                .label(format!("{language} evaluates each event separately, even those of the same time"))
                .help("keep properties that need `simultaneous merge` in a spec of their own"),
        );
    }

    fn formula(&mut self, formula: &Formula) -> Edge {
        let span = formula.span;
        if let Some(assumed) = self.assumed(formula) {
            return assumed;
        }
        match &formula.kind {
            FormulaKind::Constant(value) => self.nodes.constant(*value),
            FormulaKind::Atom(atom) => {
                let id = self.atom(atom);
                self.nodes.add(FormulaNode::Atom(id), span)
            }
            FormulaKind::OnEvent(occurrence) => self.on_event(occurrence, span),
            FormulaKind::Compare(left, comparison, right) => {
                let (left, right) = (self.term(left), self.term(right));
                self.nodes.add(FormulaNode::Compare { left, comparison: *comparison, right }, span)
            }
            FormulaKind::InFuture { reach, of } => {
                let (of, reach) = (self.formula(of), self.duration(*reach, span));
                self.nodes.add(FormulaNode::InFuture { reach, of }, span)
            }
            FormulaKind::Each { kind, variable, list, of } => self.each(Each { kind: *kind, variable, list, of, span }),
            FormulaKind::Not(of) => !self.formula(of),
            FormulaKind::Connective(connective, left, right) => {
                let (left, right) = (self.formula(left), self.formula(right));
                self.connective(*connective, left, right, span)
            }
            FormulaKind::Unary { operator, strict, times, interval, of } => {
                let mut edge = self.formula(of);
                let interval = self.interval(interval);
                // RULE D9: X^n f applies X n times.
                for _ in 0..*times {
                    edge = self.unary(*operator, *strict, interval, edge, span);
                }
                edge
            }
            FormulaKind::Binary { operator, strict, interval, left, right } => {
                let (left, right) = (self.formula(left), self.formula(right));
                let interval = self.interval(interval);
                match operator {
                    Binary::Until => self.until(*strict, interval, left, right, span),
                    Binary::Since => self.since(*strict, interval, left, right, span),
                    // RULE D15
                    Binary::Release => !self.until(*strict, interval, !left, !right, span),
                    // RULE D16
                    Binary::WeakUntil => {
                        let neither = self.nodes.and(vec![!left, !right], span);
                        !self.until(*strict, interval, !right, neither, span)
                    }
                }
            }
            FormulaKind::Aggregate { aggregate, comparison, bound, full_window } => {
                let (window, edge) = self.aggregate(aggregate, *comparison, *bound, span);
                if !full_window {
                    return edge;
                }
                // RULE D12: with full-window the modality is false while the trace is younger than its window.
                let old_enough = self.nodes.add(FormulaNode::TimeAtLeast(window), span);
                self.nodes.and(vec![old_enough, edge], span)
            }
        }
    }

    fn connective(&mut self, connective: Connective, left: Edge, right: Edge, span: Span) -> Edge {
        match connective {
            Connective::And => self.nodes.and(vec![left, right], span),
            // RULE D1
            Connective::Or => !self.nodes.and(vec![!left, !right], span),
            // RULE D2
            Connective::Implies => !self.nodes.and(vec![left, !right], span),
            // RULE D3
            Connective::Iff => {
                let there = !self.nodes.and(vec![left, !right], span);
                let back = !self.nodes.and(vec![!left, right], span);
                self.nodes.and(vec![there, back], span)
            }
        }
    }

    fn unary(&mut self, operator: Unary, strict: bool, interval: Interval, of: Edge, span: Span) -> Edge {
        let (yes, no) = (self.nodes.constant(true), self.nodes.constant(false));
        match operator {
            // RULE D4
            Unary::Eventually => self.until(strict, interval, yes, of, span),
            // RULE D5
            Unary::Always => !self.until(strict, interval, yes, !of, span),
            // RULE D6
            Unary::Once => self.since(strict, interval, yes, of, span),
            // RULE D7
            Unary::Historically => !self.since(strict, interval, yes, !of, span),
            // RULE D8
            Unary::Next => self.nodes.next(interval, no, of, span),
            Unary::Previous => self.nodes.previous(interval, no, of, span),
        }
    }

    // RULE D13
    fn until(&mut self, strict: bool, interval: Interval, left: Edge, right: Edge, span: Span) -> Edge {
        let later = self.nodes.until(interval, left, right, span);
        if strict { later } else { self.nodes.include_present(interval, left, right, later, span) }
    }

    // RULE D14
    fn since(&mut self, strict: bool, interval: Interval, left: Edge, right: Edge, span: Span) -> Edge {
        let earlier = self.nodes.since(interval, left, right, span);
        if strict { earlier } else { self.nodes.include_present(interval, left, right, earlier, span) }
    }

    /// The window K, and the modality.
    fn aggregate(
        &mut self,
        aggregate: &Aggregate,
        comparison: Comparison,
        bound: gnomon_core::time::Quantity,
        span: Span,
    ) -> (Duration, Edge) {
        match aggregate {
            // RULE D10: C counts over (t - K, t], that is at distances below K; mtl's count at distances up to K.
            Aggregate::Count { window, closed, of } => {
                let of = self.formula(of);
                let window = self.duration(*window, span);
                let bound = self.count_bound(bound, span);
                let reach = reach(window, *closed);
                (window, self.nodes.add(FormulaNode::Count { reach, of, comparison, bound, rate_window: None }, span))
            }
            // RULE D22: a rate over K is a count compared with n times the seconds of K.
            Aggregate::Rate { window, closed, of } => {
                let of = self.formula(of);
                let window = self.rate_window(*window, span);
                let bound = self.count_bound(bound, span).times_seconds(window);
                let (reach, rate_window) = (reach(window, *closed), Some(window));
                (window, self.nodes.add(FormulaNode::Count { reach, of, comparison, bound, rate_window }, span))
            }
            // RULE D11: an average over q steps is a count over q·h compared with n·q.
            Aggregate::Average { window, step, of } => {
                let of = self.formula(of);
                let (window, step) = (self.duration(*window, span), self.step(*step, span));
                let mut bound = self.count_bound(bound, span);
                let steps = window.ticks() / step.ticks();
                if steps == 0 {
                    self.diagnostics.push(
                        Diagnostic::error("G0303", span, "the step is longer than the window")
                            .label("no whole step fits, so there is nothing to average over")
                            .help("make the step `h` of `U^{K,h}` at most as long as the window `K`"),
                    );
                }
                bound.numerator = bound.numerator.saturating_mul(steps);
                let reach = less_one_tick(Duration::from_ticks(steps.saturating_mul(step.ticks())));
                (window, self.nodes.add(FormulaNode::Count { reach, of, comparison, bound, rate_window: None }, span))
            }
            Aggregate::Maximum { window, step, of } => {
                let of = self.formula(of);
                let (window, step) = (self.duration(*window, span), self.step(*step, span));
                let bound = self.count_bound(bound, span);
                (window, self.nodes.add(FormulaNode::Maximum { window, step, of, comparison, bound }, span))
            }
            Aggregate::Gap { window, from, to } => {
                let (from, to) = (self.formula(from), self.formula(to));
                let window = self.duration(*window, span);
                let bound = Ratio { numerator: self.duration(bound, span).ticks(), denominator: 1 };
                let reach = less_one_tick(window);
                (window, self.nodes.add(FormulaNode::Gap { reach, from, to, comparison, bound }, span))
            }
            Aggregate::Fold { fold, window, of, field } => {
                let measure = self.measure(of, field);
                let reach = self.duration(*window, span);
                let bound = self.value_bound(bound, span);
                (reach, self.nodes.add(FormulaNode::Fold { fold: *fold, measure, reach, comparison, bound }, span))
            }
            Aggregate::Percentile { percent, window, closed, of, field } => {
                let measure = self.measure(of, field);
                let window = self.duration(*window, span);
                let (percent, reach) = (*percent, reach(window, *closed));
                let bound = self.value_bound(bound, span);
                let node = FormulaNode::Percentile { percent, measure, reach, comparison, bound };
                (window, self.nodes.add(node, span))
            }
            Aggregate::Distinct { window, closed, of, field } => {
                let measure = self.measure(of, field);
                let window = self.duration(*window, span);
                let (reach, bound) = (reach(window, *closed), self.count_bound(bound, span));
                (window, self.nodes.add(FormulaNode::Distinct { measure, reach, comparison, bound }, span))
            }
        }
    }
}

impl Checker<'_> {
    /// The value that a field has in the events of an atom.
    fn measure(&mut self, of: &Atom, field: &Path) -> MeasureId {
        let measure = Measure { fields: self.fields_of(of, field), atom: self.atom(of) };
        MeasureId(intern(&mut self.measures, measure))
    }
}

/// The number of an item in a list, to which it is added unless an equal one is there.
fn intern<T: PartialEq>(list: &mut Vec<T>, item: T) -> u32 {
    u32::try_from(index_of(list, item)).expect("the parser bounds the size of a formula")
}

/// The greatest distance that counts in a window: its length only if its far end belongs to it.
fn reach(window: Duration, closed: bool) -> Duration {
    if closed { window } else { less_one_tick(window) }
}

fn less_one_tick(duration: Duration) -> Duration {
    Duration::from_ticks(duration.ticks() - 1)
}

#[cfg(test)]
mod tests {
    use gnomon_core::time::{Quantity, Unit};

    use super::*;
    use crate::core::Reporting;
    use crate::spec::Language;
    use crate::testing::{atom, binary, bounds, connect, formula, property, unary};

    fn core(of: Formula) -> FormulaCore {
        let (spec, property) = property(Language::Mtl, &[], Body::Formula(of));
        match check(&spec, &property) {
            (Some(Core::Formula(core)), diagnostics) if diagnostics.is_empty() => core,
            other => panic!("{other:?}"),
        }
    }

    fn codes(of: Formula) -> Vec<&'static str> {
        let (spec, property) = property(Language::Mtl, &[], Body::Formula(of));
        check(&spec, &property).1.iter().map(|diagnostic| diagnostic.code).collect()
    }

    #[test]
    fn a_response_is_an_invariant_with_an_antecedent() {
        let core = core(unary(
            Unary::Always,
            connect(Connective::Implies, atom("a", &[]), unary(Unary::Eventually, atom("b", &[]))),
        ));
        let Reporting::Invariants(invariants) = &core.reporting else { panic!("{:?}", core.reporting) };
        assert!(invariants[0].antecedent.is_some() && invariants[0].takes_time && !invariants[0].strict);
        assert!(core.if_empty && core.looks_ahead(core.formula));
        assert_eq!(core.atoms.len(), 2);
    }

    #[test]
    fn equal_parts_are_one_node_and_constants_fold() {
        let a = || atom("a", &[]);
        assert_eq!(core(connect(Connective::And, a(), a())).nodes, core(a()).nodes);
        let never = core(unary(Unary::Eventually, formula(FormulaKind::Constant(false))));
        assert_eq!((never.nodes.as_slice(), never.formula.negated), ([FormulaNode::True].as_slice(), true));
        // RULE D16: a W b is the negation of an until.
        let weak = core(binary(Binary::WeakUntil, a(), atom("b", &[])));
        assert_eq!(weak.nodes.iter().filter(|node| matches!(node, FormulaNode::Until { .. })).count(), 1);
        assert!(weak.if_empty);
        // RULE D9: two steps are two nodes.
        let twice = FormulaKind::Unary {
            operator: Unary::Next,
            strict: true,
            times: 2,
            interval: crate::formula::Bounds::ANY,
            of: Box::new(a()),
        };
        assert_eq!(
            core(formula(twice)).nodes.iter().filter(|node| matches!(node, FormulaNode::Until { .. })).count(),
            2
        );
    }

    #[test]
    fn what_is_wrong_is_said_once() {
        let mut empty = unary(Unary::Always, atom("a", &[]));
        if let FormulaKind::Unary { interval, .. } = &mut empty.kind {
            *interval = bounds(3, 2);
        }
        assert_eq!(codes(empty), ["G0301"]);
        assert_eq!(codes(unary(Unary::Always, atom("a", &["x"]))), ["G0306"]);
        let seconds = Quantity { unit: Some(Unit::Second), ..Quantity::whole(1) };
        let maximum = |step| Aggregate::Maximum { window: Quantity::whole(9), step, of: atom("a", &[]) };
        let compared = |aggregate, bound| {
            let aggregate = Box::new(aggregate);
            formula(FormulaKind::Aggregate { aggregate, comparison: Comparison::AtMost, bound, full_window: false })
        };
        assert_eq!(codes(compared(maximum(Quantity::whole(0)), Quantity::whole(1))), ["G0304"]);
        assert_eq!(codes(compared(maximum(Quantity::whole(1)), seconds)), ["G0305"]);
    }
}
