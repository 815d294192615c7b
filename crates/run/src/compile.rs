// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a spec's text to a plan: parse, check, plan.

use std::collections::BTreeSet;

use gnomon_core::diagnostic::{Diagnostic, Severity, Span};
use gnomon_core::time::Clock;
use gnomon_engine::{Plan, plan};
use gnomon_ir::check::check;
use gnomon_ir::core::Core;
use gnomon_ir::literal::take_literally;
use gnomon_ir::partition::{Partition, partition};
use gnomon_ir::spec::{Body, ExternDeclaration, LogDeclaration, LogKind, Property, Spec, Unmatched};
use gnomon_trace::TextPattern;

/// A spec that is ready to run.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// What the spec says.
    pub spec: Spec,
    /// Its properties, ready to run.
    pub plan: Plan,
    /// Its text.
    pub source: String,
    /// How the lines of a plain text log are events, if it says so.
    pub log: Option<TextPattern>,
    /// For each property of the plan, its place in `spec.properties`.
    pub properties: Vec<usize>,
}

impl Compiled {
    /// The properties of the plan, in its order.
    pub fn properties(&self) -> impl Iterator<Item = &Property> {
        self.properties.iter().map(|index| &self.spec.properties[*index])
    }

    /// Names that were read as the starts of activities, because no declaration has them.
    pub fn starts(&self) -> Vec<String> {
        let formulae = self.plan.cores().iter().filter_map(|core| match core {
            Core::Formula(formula) => Some(formula),
            _ => None,
        });
        let names: BTreeSet<&String> = formulae.flat_map(|formula| &formula.starts).collect();
        names.into_iter().cloned().collect()
    }

    /// By which fields a trace may be taken apart without changing what is said of a property of the plan.
    pub fn partition(&self, property: usize) -> Partition {
        partition(&self.spec.properties[self.properties[property]], &self.plan.cores()[property])
    }

    /// The same of each property of the plan.
    pub fn partitions(&self) -> Vec<Partition> {
        (0..self.properties.len()).map(|property| self.partition(property)).collect()
    }

    /// The same with these properties of the plan alone.
    #[must_use]
    pub fn only(&self, places: &[usize]) -> Compiled {
        let cores = places.iter().map(|place| self.plan.cores()[*place].clone()).collect();
        let properties = places.iter().map(|place| self.properties[*place]).collect();
        Compiled { plan: plan(cores), properties, ..self.clone() }
    }

    /// The same, for a trace that has events of these very names.
    #[must_use]
    pub fn with_literal(&self, names: &[String]) -> Compiled {
        let spec = with_events(&self.spec, names);
        let cores = self.properties.iter().filter_map(|index| check(&spec, &spec.properties[*index]).0).collect();
        Compiled { plan: plan(cores), spec, ..self.clone() }
    }
}

/// A spec for a trace that has events of these names.
pub(crate) fn with_events(spec: &Spec, names: &[String]) -> Spec {
    let mut spec = spec.clone();
    for property in &mut spec.properties {
        if let Body::Formula(formula) = &mut property.body {
            take_literally(formula, &|name| names.iter().any(|known| known == name));
        }
    }
    spec
}

/// Compiles the properties of these names, or all if none is given. Every diagnostic of the whole spec is told; there
/// is nothing to run if one of them is an error.
pub fn compile(source: &str, only: &[String]) -> (Option<Compiled>, Vec<Diagnostic>) {
    prepare(gnomon_lang::parse(source), source, only)
}

/// Likewise, the text of a file of this name: one that ends in `.mcf` is a formula of the mu-calculus and nothing else.
pub fn compile_file(file: &str, source: &str, only: &[String]) -> (Option<Compiled>, Vec<Diagnostic>) {
    prepare(gnomon_lang::parse_file(file, source), source, only)
}

fn prepare(
    (spec, mut diagnostics): (Spec, Vec<Diagnostic>),
    source: &str,
    only: &[String],
) -> (Option<Compiled>, Vec<Diagnostic>) {
    let (mut cores, mut properties) = (Vec::new(), Vec::new());
    let mut used = BTreeSet::new();
    for (index, property) in spec.properties.iter().enumerate() {
        let (core, found) = check(&spec, property);
        diagnostics.extend(found);
        if let Some(Core::Formula(formula)) = &core {
            used.extend(formula.variables.iter().cloned());
        }
        if only.is_empty() || only.contains(&property.name) {
            cores.extend(core);
            properties.push(index);
        }
    }
    externs(&spec, &mut diagnostics, &used);
    let log = spec.log.as_ref().and_then(|declaration| pattern(source, declaration, &mut diagnostics));
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return (None, diagnostics);
    }
    (Some(Compiled { plan: plan(cores), source: source.to_owned(), log, properties, spec }), diagnostics)
}

/// External variables whose period cannot be kept, or that no property uses.
fn externs(spec: &Spec, diagnostics: &mut Vec<Diagnostic>, used: &BTreeSet<String>) {
    let clock = Clock::new(spec.time.unit);
    let is_broken = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    for external in &spec.externs {
        if let Some(every) = external.every.filter(|every| clock.duration(*every).is_none()) {
            let message = format!("`{every}` is no whole number of nanoseconds");
            diagnostics.push(
                Diagnostic::error("G0402", external.span, message)
                    .help("round the period, or write it in a finer unit"),
            );
        }
        // A property that cannot be understood may have used it.
        if !is_broken && !used.contains(&external.field()) {
            let ExternDeclaration { name, name_span, .. } = external;
            diagnostics.push(
                Diagnostic::warning("G0739", *name_span, format!("no property uses `${name}`"))
                    .label("it is never asked for")
                    .help(format!(
                        "use it in an `albert` property, such as `$amount * ${name} <= 100`, or leave it out"
                    )),
            );
        }
    }
}

/// Warns of every event that a property mentions and that is neither declared nor among the messages of a service.
pub fn unknown_events(spec: &Spec, messages: &[&str]) -> Vec<Diagnostic> {
    gnomon_lang::unknown_events(spec, messages)
}

/// The pattern of a text log, ready to use.
fn pattern(source: &str, declaration: &LogDeclaration, diagnostics: &mut Vec<Diagnostic>) -> Option<TextPattern> {
    let LogDeclaration { kind, pattern, pattern_span, unmatched } = declaration;
    let made = match kind {
        LogKind::Text => TextPattern::holes(pattern),
        LogKind::Regex => TextPattern::regex(pattern),
    };
    match made {
        Ok(made) => Some(made.strict(*unmatched == Unmatched::Error)),
        Err(error) => {
            let written = pattern_span.text(source);
            // Where nothing is escaped, places in the pattern are places in the text after its quote.
            let start = pattern_span.start as usize + 1 + error.at();
            let exact = error.at() > 0 && !written.contains('\\') && start < pattern_span.end as usize;
            let span = if exact { Span::new(start, pattern_span.end as usize - 1) } else { *pattern_span };
            // A regular expression's error draws itself over several lines; the last one says what it is.
            let message = error.message().lines().last().unwrap_or_default();
            let message = message.strip_prefix("error: ").unwrap_or(message);
            let help = match kind {
                LogKind::Text => "write the line with a hole for each field: `{time} {event} user={user}`; `{_}` skips",
                LogKind::Regex => "name the groups that are fields: `^(?<time>\\\\S+) (?<event>\\\\w+)`",
            };
            let error = Diagnostic::error("G0115", span, format!("the pattern cannot be used: {message}"));
            diagnostics.push(error.label("in this pattern").help(help));
            None
        }
    }
}
