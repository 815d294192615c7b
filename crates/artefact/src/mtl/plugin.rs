// SPDX-License-Identifier: MIT OR Apache-2.0
//! Translates logic plug-ins with a formula to `mtl`.
//!
//! A formula of `ltl` is first rewritten to requirements of the [past](super::past), which hold after every event of the slice. In `mtl` a position is any
//! event of the trace, so the operators skip the events outside the slice: with `any` for the events of the property with these values,
//! `(*) f` is `Y(!any S any && f)`, and `f S g` is `(any -> f) S any && g`.
//!
//! Example: `[] (next => (*) hasnext)` with the parameter i is
//! `forall i. G(next(i) -> Y(!(hasnext(i) || next(i)) S hasnext(i)))`.

use std::collections::BTreeSet;

use gnomon_engine::report_automaton;
use gnomon_ir::core::Creation;
use gnomon_ir::{
    Argument, Body, ForbiddenCategory, Formula, Linear, LinearBinary, LinearUnary, Logic, Plugin, PluginEvent,
    Property, Spec, Variable,
};

use super::build::{always, and, atom, iff, implies, next, no, not, once, or, previous, since, yes};
use super::past::{self, requirements};
use crate::prepared_plugin::{PreparedPlugin, kernel};
use crate::refusal::Refusal;

/// Returns a formula that is false of the complete traces that violate a plug-in.
pub(super) fn formula(spec: &Spec, property: &Property, plugin: &Plugin) -> Result<Formula, Refusal> {
    let prepared = PreparedPlugin::of(spec, property, plugin)?;
    let requirements = all_requirements(plugin)?;
    if with_requirements(spec, property, plugin, &requirements)? != Some(prepared.automaton.clone()) {
        return Err(Refusal::new("no formula of the past is violated by the same beginnings: `qea` has its automaton"));
    }
    let slices = Slices::new(spec, property, &prepared)?;
    let parts = requirements.iter().map(|requirement| slices.requirement(requirement));
    Ok(parts.reduce(and).unwrap_or_else(yes))
}

/// Returns the formulae of the past that a plug-in requires after every event.
fn all_requirements(plugin: &Plugin) -> Result<Vec<Linear>, Refusal> {
    let kind = plugin.logic.kind();
    let (Logic::Ltl(formula) | Logic::PastLtl(formula)) = &plugin.logic else {
        let word = kind.word();
        return Err(Refusal::new(format!("`{word}` is not a formula: `--to qea` writes its automaton")));
    };
    let names: BTreeSet<String> = match plugin.forbidden.as_slice() {
        [] => BTreeSet::from([kind.default_category().to_owned()]),
        forbidden => forbidden.iter().map(|one| one.name.name.to_lowercase()).collect(),
    };
    let mut all = Vec::new();
    for name in names {
        let is_positive = name == "violation";
        all.extend(match &plugin.logic {
            Logic::PastLtl(_) if is_positive => vec![formula.clone()],
            Logic::PastLtl(_) => vec![past::not(formula.clone())],
            _ => requirements(formula, is_positive)?,
        });
    }
    Ok(all)
}

/// Returns the automaton of the property with these requirements instead of its body.
fn with_requirements(
    spec: &Spec,
    property: &Property,
    plugin: &Plugin,
    requirements: &[Linear],
) -> Result<Option<gnomon_engine::ReportAutomaton>, Refusal> {
    let both = |left, right| past::binary(LinearBinary::And, left, right);
    let formula = requirements.iter().cloned().reduce(both).unwrap_or(Linear::Constant(true));
    let category = Variable { name: "violation".to_owned(), span: property.body_span };
    let plugin = Plugin {
        logic: Logic::PastLtl(formula),
        forbidden: vec![ForbiddenCategory { name: category, message: None, resets: false }],
        suffix: false,
        connected: false,
        ..plugin.clone()
    };
    let core = kernel(spec, &Property { body: Body::Plugin(plugin), ..property.clone() })?;
    Ok(report_automaton(&core))
}

/// The positions of a slice within the trace.
struct Slices<'p> {
    plugin: &'p Plugin,
    /// True at the events of the slice.
    any: Formula,
    /// True if every event of the slice may be its first one, so that a letter is in the slice.
    begins_with_any: bool,
    /// True where the slice has begun.
    has_begun: Formula,
    /// True where the slice is one that counts.
    counts: Formula,
}

impl<'p> Slices<'p> {
    fn new(spec: &Spec, property: &Property, prepared: &PreparedPlugin<'p>) -> Result<Self, Refusal> {
        let plugin = prepared.plugin;
        let all = events(plugin, |_| true);
        let is_creation = |event: &&PluginEvent| plugin.creation.iter().any(|name| name.name == event.atom.name);
        if plugin.events.iter().any(|event| event.is_end && is_creation(&event)) {
            return Err(Refusal::new("the end of the trace is a creation event"));
        }
        let creating = || events(plugin, |one| is_creation(&one));
        let mut slices = Slices {
            plugin,
            any: all.clone(),
            begins_with_any: prepared.core.creation != Creation::DropBefore,
            has_begun: yes(),
            counts: yes(),
        };
        match prepared.core.creation {
            Creation::Any => {}
            Creation::DropBefore => {
                slices.has_begun = once(creating());
                slices.any = and(all.clone(), once(creating()));
            }
            Creation::MustBeFirst => slices.counts = once(and(creating(), not(previous(once(all.clone()))))),
        }
        if plugin.full_binding && is_partial_without_restriction(spec, property, plugin)? {
            for parameter in property.prefix.iter().flat_map(|quantifier| &quantifier.variables) {
                let binds = |one: &PluginEvent| {
                    let is_it =
                        |argument: &Argument| matches!(argument, Argument::Variable(of) if of.name == parameter.name);
                    one.atom.arguments.iter().flatten().any(is_it)
                };
                slices.counts = and(slices.counts, once(events(plugin, binds)));
            }
        }
        Ok(slices)
    }

    /// Returns the formula of a requirement, at every event of the slice and at the end of the trace.
    fn requirement(&self, requirement: &Linear) -> Formula {
        let begins = |at: &Formula| and(at.clone(), self.counts.clone());
        let then = |left, right| if right == no() { not(left) } else { implies(left, right) };
        let now = match requirement {
            Linear::Binary(LinearBinary::Implies, left, right) if self.is_in_slice(left) => {
                then(begins(&self.at(left)), self.at(right))
            }
            _ => then(begins(&self.any), self.at(requirement)),
        };
        let has_end = self.plugin.events.iter().any(|one| one.is_end);
        let at_end = and(not(next(yes())), self.has_begun.clone());
        let end = if has_end { then(begins(&at_end), self.at_end(requirement)) } else { yes() };
        [now, end].into_iter().filter(|part| *part != yes()).map(always).reduce(and).unwrap_or_else(yes)
    }

    /// Returns true if a formula is true at events of the slice only.
    fn is_in_slice(&self, formula: &Linear) -> bool {
        let is_event = |name: &Variable| self.plugin.events.iter().any(|one| !one.is_end && one.atom.name == name.name);
        self.begins_with_any
            && match formula {
                Linear::Event(name) => is_event(name),
                Linear::Binary(LinearBinary::And, left, right) => self.is_in_slice(left) || self.is_in_slice(right),
                Linear::Binary(LinearBinary::Or, left, right) => self.is_in_slice(left) && self.is_in_slice(right),
                _ => false,
            }
    }

    /// Returns the formula for: an event of the slice, at which a formula is true.
    fn in_slice(&self, formula: &Linear) -> Formula {
        let value = self.at(formula);
        if self.is_in_slice(formula) { value } else { and(self.any.clone(), value) }
    }

    /// Returns the formula for: the last event of the slice up to the present position exists, and a formula is true there.
    fn at_last(&self, formula: &Linear) -> Formula {
        if *formula == Linear::Constant(true) {
            return once(self.any.clone());
        }
        since(not(self.any.clone()), self.in_slice(formula))
    }

    fn since(&self, left: &Linear, right: &Linear) -> Formula {
        since(implies(self.any.clone(), self.at(left)), self.in_slice(right))
    }

    /// Returns a formula of the past at an event of the slice.
    fn at(&self, formula: &Linear) -> Formula {
        match formula {
            Linear::Constant(value) => constant(*value),
            Linear::Event(name) => events(self.plugin, |one| one.atom.name == name.name),
            Linear::Not(of) => not(self.at(of)),
            Linear::Unary(LinearUnary::Previous, of) => previous(self.at_last(of)),
            Linear::Unary(LinearUnary::WeakPrevious, of) => not(previous(self.at_last(&past::not((**of).clone())))),
            Linear::Unary(LinearUnary::Once, of) => once(self.in_slice(of)),
            Linear::Unary(LinearUnary::Historically, of) => not(once(self.in_slice(&past::not((**of).clone())))),
            Linear::Binary(LinearBinary::Since, left, right) => self.since(left, right),
            Linear::Binary(LinearBinary::DualSince, left, right) => {
                not(self.since(&past::not((**left).clone()), &past::not((**right).clone())))
            }
            Linear::Binary(operator, left, right) => connective(*operator, self.at(left), self.at(right)),
            Linear::Unary(..) => unreachable!("it is a formula of the past"),
        }
    }

    /// Returns a formula of the past at the letter of the end of the trace, which follows the present position.
    fn at_end(&self, formula: &Linear) -> Formula {
        match formula {
            Linear::Constant(value) => constant(*value),
            Linear::Event(name) => {
                constant(self.plugin.events.iter().any(|one| one.is_end && one.atom.name == name.name))
            }
            Linear::Not(of) => not(self.at_end(of)),
            Linear::Unary(LinearUnary::Previous, of) => self.at_last(of),
            Linear::Unary(LinearUnary::WeakPrevious, of) => not(self.at_last(&past::not((**of).clone()))),
            Linear::Unary(LinearUnary::Once, of) => or(self.at_end(of), once(self.in_slice(of))),
            Linear::Unary(LinearUnary::Historically, of) => {
                and(self.at_end(of), not(once(self.in_slice(&past::not((**of).clone())))))
            }
            Linear::Binary(LinearBinary::Since, left, right) => {
                or(self.at_end(right), and(self.at_end(left), self.since(left, right)))
            }
            Linear::Binary(LinearBinary::DualSince, left, right) => {
                let (left, right) = (past::not((**left).clone()), past::not((**right).clone()));
                not(self.at_end(&past::binary(LinearBinary::Since, left, right)))
            }
            Linear::Binary(operator, left, right) => connective(*operator, self.at_end(left), self.at_end(right)),
            Linear::Unary(..) => unreachable!("it is a formula of the past"),
        }
    }
}

/// Returns true if an instance that leaves a parameter open is violated where `full-binding` does not exclude it.
fn is_partial_without_restriction(spec: &Spec, property: &Property, plugin: &Plugin) -> Result<bool, Refusal> {
    let open = Plugin { full_binding: false, ..plugin.clone() };
    let core = kernel(spec, &Property { body: Body::Plugin(open), ..property.clone() })?;
    Ok(report_automaton(&core).is_none_or(|found| found.reports_partial))
}

/// Returns a formula that is true at these events of the trace.
fn events(plugin: &Plugin, is_meant: impl Fn(&PluginEvent) -> bool) -> Formula {
    let meant = plugin.events.iter().filter(|one| !one.is_end && is_meant(one));
    meant.map(|one| atom(&one.atom)).reduce(or).unwrap_or_else(no)
}

fn constant(value: bool) -> Formula {
    if value { yes() } else { no() }
}

/// Returns a formula for a connective of two formulae.
fn connective(operator: LinearBinary, left: Formula, right: Formula) -> Formula {
    match operator {
        LinearBinary::And => and(left, right),
        LinearBinary::Or => or(left, right),
        LinearBinary::Implies if right == no() => not(left),
        LinearBinary::Implies => implies(left, right),
        LinearBinary::Xor => not(iff(left, right)),
        LinearBinary::Iff => iff(left, right),
        _ => unreachable!("it is a connective"),
    }
}
