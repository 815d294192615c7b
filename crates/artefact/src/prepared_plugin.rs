// SPDX-License-Identifier: MIT OR Apache-2.0
//! A logic plug-in prepared for translation to languages in which a property is about bindings of all its variables.
//!
//! A plug-in is violated by instances, also by those that leave a parameter open; `mtl` and `qea` quantify over full bindings. The two agree if only
//! instances are violated that bind every parameter: the slice of any other binding contains the events of its greatest instance and no
//! more, and this instance reports nothing. Then the words of slices decide, and [`ReportAutomaton`] says how.

use std::collections::BTreeSet;

use gnomon_engine::{ReportAutomaton, report_automaton};
use gnomon_ir::check::check;
use gnomon_ir::{Body, Core, Plugin, PluginCore, Property, Spec};

use crate::refusal::Refusal;

/// A plug-in whose violations are those of full bindings.
pub(crate) struct PreparedPlugin<'s> {
    pub(crate) plugin: &'s Plugin,
    pub(crate) core: PluginCore,
    pub(crate) automaton: ReportAutomaton,
}

impl<'s> PreparedPlugin<'s> {
    pub(crate) fn of(spec: &Spec, property: &'s Property, plugin: &'s Plugin) -> Result<Self, Refusal> {
        let core = kernel(spec, property)?;
        if has_overlapping_letters(&core) {
            return Err(Refusal::new("an event of the trace may be several of its events"));
        }
        let Some(automaton) = report_automaton(&core) else {
            return Err(Refusal::new("its body has no finite automaton, or too large a one"));
        };
        if automaton.reports_partial {
            return Err(Refusal::new(
                "an instance that leaves a parameter open may be a violation, and a quantifier ranges over all of them: with `full-binding` only \
                 full instances count",
            ));
        }
        let is_violated = automaton.targets.iter().flatten().any(Option::is_none);
        if !is_violated && !automaton.violated_at_end.contains(&true) {
            return Err(Refusal::new("no sequence of events violates it"));
        }
        Ok(PreparedPlugin { plugin, core, automaton })
    }
}

/// Returns the kernel form of a property with a plug-in.
pub(crate) fn kernel(spec: &Spec, property: &Property) -> Result<PluginCore, Refusal> {
    match (&property.body, check(spec, property).0) {
        (Body::Plugin(_), Some(Core::Plugin(core))) => Ok(core),
        _ => Err(Refusal::new("it has errors")),
    }
}

/// Returns true if an event of the trace can match two patterns.
fn has_overlapping_letters(core: &PluginCore) -> bool {
    let mut known: BTreeSet<(&str, Option<usize>)> = BTreeSet::new();
    let patterns = || core.atoms.iter().flat_map(|atom| &atom.patterns);
    patterns().any(|pattern| {
        let name = pattern.event.as_str();
        // An atom that does not fix the number of its parameters matches all events of its name.
        let is_open = |arity: &Option<usize>| arity.is_none();
        let overlaps = known.iter().any(|(other, arity)| {
            *other == name && (is_open(arity) || is_open(&pattern.arity) || *arity == pattern.arity)
        });
        known.insert((name, pattern.arity));
        overlaps
    })
}
