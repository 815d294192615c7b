// SPDX-License-Identifier: MIT OR Apache-2.0
//! A property and a trace to judge it on.

use std::fmt::Write as _;

use gnomon_core::time::{Clock, Timestamp};
use gnomon_core::verdict::{End, Simultaneous};
use gnomon_ir::check::check;
use gnomon_ir::core::{Core, FormulaCore};
use gnomon_ir::formula::Formula;
use gnomon_ir::literal::take_literally;
use gnomon_ir::spec::{Body, Property, Spec};
use gnomon_oracle::{OracleEvent, Trace, judge};

use crate::print;

/// A spec with one property, and a trace.
#[derive(Clone, Debug)]
pub struct Case {
    /// The spec.
    pub spec: Spec,
    /// The trace.
    pub events: Vec<OracleEvent>,
}

impl Case {
    /// The property.
    pub fn property(&self) -> &Property {
        &self.spec.properties[0]
    }

    /// Its formula; panics if it is something else.
    pub fn formula(&self) -> &Formula {
        match &self.property().body {
            Body::Formula(formula) => formula,
            _ => panic!("the property is not a formula"),
        }
    }

    /// Its kernel form; a message if it does not pass the checker. A name like `start_X` that the trace has is an event's
    /// own.
    // RULE B4
    pub fn core(&self) -> Result<Core, String> {
        let checked = |property: &Property| {
            let (core, diagnostics) = check(&self.spec, property);
            core.ok_or_else(|| format!("the checker refuses it: {diagnostics:?}"))
        };
        let mut property = self.property().clone();
        let core = checked(&property)?;
        let is_seen = |name: &str| self.events.iter().any(|event| event.name == name);
        match (&core, &mut property.body) {
            (Core::Formula(core), Body::Formula(formula)) if core.starts.iter().any(|name| is_seen(name)) => {
                take_literally(formula, &|name| core.starts.iter().any(|start| start == name) && is_seen(name));
                checked(&property)
            }
            _ => Ok(core),
        }
    }

    /// Its kernel form, given that it is a formula.
    pub fn formula_core(&self) -> Result<FormulaCore, String> {
        match self.core()? {
            Core::Formula(core) => Ok(core),
            Core::Automaton(_)
            | Core::Rule(_)
            | Core::Pattern(_)
            | Core::Modal(_)
            | Core::Plugin(_)
            | Core::Clocks(_) => Err("the property is not a formula".to_owned()),
        }
    }

    /// The whole trace.
    pub fn trace(&self) -> Trace {
        Trace::new(self.events.clone())
    }

    /// The first events.
    #[must_use]
    pub fn cut(&self, events: usize) -> Case {
        Case { spec: self.spec.clone(), events: self.events[..events].to_vec() }
    }

    /// The text of a spec file with the property, under the name `case`, and the events that it needs declared.
    pub fn spec_text(&self) -> String {
        let (language, options, body) =
            (self.property().language.word(), self.options(), print::property(self.property()));
        let mut lines = self.declarations();
        lines.push(format!("{language} case{options} {{\n{body}\n}}\n"));
        lines.join("\n")
    }

    /// The declarations of the time's unit and of the events that the property uses.
    fn declarations(&self) -> Vec<String> {
        let property = self.property();
        let mut used: Vec<String> = property.body.atoms().into_iter().map(|atom| atom.name.clone()).collect();
        if let Body::Rule(rule) = &property.body {
            let members = rule.correlations.iter().flat_map(|set| &set.members);
            used.extend(members.map(|member| member.message.clone()));
        }
        // A defined clock coincides with the event of its name.
        if let Body::Clocks(clocks) = &property.body {
            used.extend(clocks.definitions.iter().map(|definition| definition.clock.name.clone()));
        }
        let unit = self.spec.time.unit.map(|unit| format!("time in {}", unit.symbol()));
        let events = self.spec.events.iter().filter(|event| used.contains(&event.name)).map(print::declaration);
        unit.into_iter().chain(events).collect()
    }

    /// The case as the corpus writes it, with the oracle's verdict.
    pub fn to_markdown(&self, title: &str) -> String {
        let block = if self.declarations().is_empty() {
            let (language, options) = (self.property().language.word(), self.options());
            format!("{language}{options}\n{}\n", print::property(self.property()))
        } else {
            format!("rv\n{}", self.spec_text())
        };
        let mut text = format!("## {title}\n```{block}```\n");
        let clock = Clock::new(self.spec.time.unit);
        let events: Vec<String> = self.events.iter().map(|event| print_event(clock, event)).collect();
        let _ = write!(text, "```trace\n{}\n```\n", events.join("  "));
        if let Ok(core) = self.core() {
            let verdict = judge(&core, &self.trace(), End::Complete, usize::MAX).verdict;
            let _ = write!(text, "```verdict\n{verdict}\n```\n");
        }
        text
    }

    fn options(&self) -> String {
        let mut options = print::options(self.property());
        match self.spec.simultaneous {
            Some(Simultaneous::Sequence) => options.push("simultaneous sequence"),
            Some(Simultaneous::Merge) => options.push("simultaneous merge"),
            None => {}
        }
        if options.is_empty() { String::new() } else { format!(" ({})", options.join(", ")) }
    }
}

fn print_event(clock: Clock, event: &OracleEvent) -> String {
    let named = event.fields.iter().map(|(name, value)| match value {
        Some(value) => format!("{}: {value}", print_name(name)),
        None => format!("{}: _", print_name(name)),
    });
    let arguments = named.collect::<Vec<_>>().join(", ");
    let arguments = if arguments.is_empty() { arguments } else { format!("({arguments})") };
    format!("{}{arguments}@{}", event.name, clock.print_number(event.time))
}

fn print_name(name: &str) -> String {
    let is_word = name.chars().all(|character| character.is_alphanumeric() || character == '_');
    if is_word { name.to_owned() } else { format!("\"{name}\"") }
}

/// A time in whole units of a trace without a declared unit.
pub fn at(time: i64) -> Timestamp {
    Clock::default().whole(time)
}
