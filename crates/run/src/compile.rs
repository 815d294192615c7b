// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compiles the text of a spec to a plan: parse, check, plan.
//!
//! `gnomon-lang` parses the text to a `Spec`, `gnomon_ir::check` lowers each property to its `Core`, and `gnomon_engine` plans all of them
//! together. Diagnostics are collected over all steps, so a user sees the errors of every property at once; with an error there is no plan.
//! Example: of a spec with the properties `a` and `b`, where `b` has a type error, `compile(source, &[])` returns no plan and the error.

use std::collections::BTreeSet;

use gnomon_core::diagnostic::{Diagnostic, Severity, Span};
use gnomon_core::time::{Clock, Duration};
use gnomon_engine::{Plan, plan_with_case_ends};
use gnomon_ir::check::{check, check_case_ends};
use gnomon_ir::core::{Core, PluginCore};
use gnomon_ir::literal::take_literally;
use gnomon_ir::partition::{Partition, partition};
use gnomon_ir::spec::{
    Body, ExternDeclaration, LogDeclaration, LogKind, NameDeclaration, Property, Spec, UnmatchedLine,
};
use gnomon_trace::{DateNotation, LogFormat, NameTemplate, PatternError, Preset, TextPattern};

pub use crate::compile_limits::CompileLimits;
pub use gnomon_lang::unknown_events;

/// A spec with the executable plan of its properties.
#[derive(Clone, Debug)]
pub struct CompiledSpec {
    /// The parsed spec.
    pub spec: Spec,
    /// The executable form of the selected properties.
    pub plan: Plan,
    /// The text of the spec.
    pub source: String,
    /// The names of events, if the spec declares them.
    pub name: Option<NameTemplate>,
    /// The notation of date-times that the spec declares.
    pub dates: DateNotation,
    /// The format of logs, if the spec declares one.
    pub log: Option<LogFormat>,
    /// For each property of the plan, its index in `spec.properties`.
    pub properties: Vec<usize>,
    /// The silence after which a case is over, if the spec declares it.
    pub case_expiry: Option<Duration>,
}

impl CompiledSpec {
    /// Returns the clock of traces in the unit that the spec declares.
    pub fn clock(&self) -> Clock {
        Clock::new(self.spec.time.unit)
    }

    /// Lists the properties of the plan, in its order.
    pub fn properties(&self) -> impl Iterator<Item = &Property> {
        self.properties.iter().map(|index| &self.spec.properties[*index])
    }

    /// Lists the names that were parsed as starts of activities because no declaration has them.
    pub fn starts(&self) -> Vec<String> {
        let formulae = self.plan.cores().iter().filter_map(|core| match core {
            Core::Formula(formula) => Some(formula),
            _ => None,
        });
        let names: BTreeSet<&String> = formulae.flat_map(|formula| &formula.starts).collect();
        names.into_iter().cloned().collect()
    }

    /// Returns the fields by which a trace can be partitioned without changing the outcome of a property of the plan.
    pub fn partition(&self, property: usize) -> Partition {
        partition(&self.spec.properties[self.properties[property]], &self.plan.cores()[property])
    }

    /// Returns the partition of each property of the plan.
    pub fn partitions(&self) -> Vec<Partition> {
        (0..self.properties.len()).map(|property| self.partition(property)).collect()
    }

    /// Returns the spec restricted to these properties of the plan.
    #[must_use]
    pub fn only(&self, places: &[usize]) -> CompiledSpec {
        let cores = places.iter().map(|place| self.plan.cores()[*place].clone()).collect();
        let properties = places.iter().map(|place| self.properties[*place]).collect();
        CompiledSpec { plan: self.plan.of_other(cores), properties, ..self.clone() }
    }

    /// Returns the spec for a trace that has events of these names, so that they are no longer starts of activities.
    #[must_use]
    pub fn with_literal(&self, names: &[String]) -> CompiledSpec {
        let spec = with_events(&self.spec, names);
        let cores = self.properties.iter().filter_map(|index| check(&spec, &spec.properties[*index]).0).collect();
        CompiledSpec { plan: self.plan.of_other(cores), spec, ..self.clone() }
    }
}

/// Returns a spec for a trace that has events of these names: a name such as `start_Pay` then means the event.
pub(crate) fn with_events(spec: &Spec, names: &[String]) -> Spec {
    let mut spec = spec.clone();
    for property in &mut spec.properties {
        if let Body::Formula(formula) = &mut property.body {
            take_literally(formula, &|name| names.iter().any(|known| known == name));
        }
    }
    spec
}

/// Compiles the properties of these names, or all if none is given. Returns the diagnostics of the whole spec; if one of them is
/// an error there is no compiled spec.
pub fn compile(source: &str, only: &[String]) -> (Option<CompiledSpec>, Vec<Diagnostic>) {
    prepare(gnomon_lang::parse(source), source, only, &CompileLimits::NONE)
}

/// Compiles the text of a file. If its name ends in `.mcf` it is a single formula of the mu-calculus.
pub fn compile_file(file: &str, source: &str, only: &[String]) -> (Option<CompiledSpec>, Vec<Diagnostic>) {
    prepare(gnomon_lang::parse_file(file, source), source, only, &CompileLimits::NONE)
}

/// Compiles the text of a spec that a client sent, within limits.
pub fn compile_within(file: &str, source: &str, limits: &CompileLimits) -> (Option<CompiledSpec>, Vec<Diagnostic>) {
    match limits.check_text(source) {
        Err(diagnostic) => (None, vec![*diagnostic]),
        Ok(()) => prepare(gnomon_lang::parse_file(file, source), source, &[], limits),
    }
}

fn prepare(
    (mut spec, mut diagnostics): (Spec, Vec<Diagnostic>),
    source: &str,
    only: &[String],
    limits: &CompileLimits,
) -> (Option<CompiledSpec>, Vec<Diagnostic>) {
    let dates = dates(&spec, &mut diagnostics);
    spec.time.offsets = dates.offsets();
    let (mut cores, mut properties) = (Vec::new(), Vec::new());
    let mut used = BTreeSet::new();
    let mut budget = limits.begin();
    for (index, property) in spec.properties.iter().enumerate() {
        let (core, found) = check(&spec, property);
        diagnostics.extend(found);
        if let Err(diagnostic) = budget.spend(core.as_ref(), property) {
            diagnostics.push(*diagnostic);
            return (None, diagnostics);
        }
        match &core {
            Some(Core::Formula(formula)) => used.extend(formula.variables.iter().cloned()),
            Some(Core::Plugin(plugin)) => diagnostics.extend(too_many_states(plugin)),
            _ => {}
        }
        if only.is_empty() || only.contains(&property.name) {
            cores.extend(core);
            properties.push(index);
        }
    }
    externs(&spec, &mut diagnostics, &used);
    let (case_ends, found) = check_case_ends(&spec);
    diagnostics.extend(found);
    let case_expiry = case_expiry(&spec, &mut diagnostics);
    let name = spec.name.as_ref().and_then(|declaration| template(declaration, &mut diagnostics));
    let log = spec
        .log
        .as_ref()
        .and_then(|declaration| log_format(source, declaration, spec.name.is_some(), &mut diagnostics));
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return (None, diagnostics);
    }
    let (plan, source) = (plan_with_case_ends(cores, case_ends), source.to_owned());
    (Some(CompiledSpec { spec, plan, source, name, dates, log, properties, case_expiry }), diagnostics)
}

/// Reports a plug-in whose body has no automaton of a reasonable size.
fn too_many_states(plugin: &PluginCore) -> Option<Diagnostic> {
    let message = gnomon_engine::refusal(plugin)?;
    let help = "write shorter powers `^n` and less under `~` and `&`, use fewer temporal operators, or divide the property into several";
    Some(Diagnostic::error("G0719", plugin.span, message).label("in this body").help(help))
}

/// Reports external variables whose period is not a whole number of nanoseconds, or that no property uses.
fn externs(spec: &Spec, diagnostics: &mut Vec<Diagnostic>, used: &BTreeSet<String>) {
    let clock = Clock::new(spec.time.unit);
    let is_broken = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    for external in &spec.externs {
        if let Some(every) = external.every.filter(|every| clock.duration(*every).is_none()) {
            let message = format!("`{every}` is not a whole number of nanoseconds");
            diagnostics.push(
                Diagnostic::error("G0402", external.span, message)
                    .help("round the period, or write it in a finer unit"),
            );
        }
        // A property with errors may have used it.
        if !is_broken && !used.contains(&external.field()) {
            let ExternDeclaration { name, name_span, .. } = external;
            diagnostics.push(
                Diagnostic::warning("G0739", *name_span, format!("no property uses `${name}`"))
                    .label("no property uses it")
                    .help(format!(
                        "use it in an `albert` property, such as `$amount * ${name} <= 100`, or leave it out"
                    )),
            );
        }
    }
}

/// Returns the silence after which a case expires, if the spec declares it.
fn case_expiry(spec: &Spec, diagnostics: &mut Vec<Diagnostic>) -> Option<Duration> {
    let (expiry, span) = spec.cases.expiry?;
    let duration = Clock::new(spec.time.unit).duration(expiry);
    if duration.is_none() {
        let message = format!("`{expiry}` is not a whole number of nanoseconds");
        diagnostics
            .push(Diagnostic::error("G0402", span, message).help("round the duration, or write it in a finer unit"));
    }
    duration
}

/// Compiles the declaration of event names.
fn template(declaration: &NameDeclaration, diagnostics: &mut Vec<Diagnostic>) -> Option<NameTemplate> {
    let (template, span) = match declaration {
        NameDeclaration::Field(path, _) => return Some(NameTemplate::field(&path.to_string())),
        NameDeclaration::Template(template, span) => (template, *span),
    };
    let compiled = NameTemplate::parse(template);
    compiled
        .map_err(|error| {
            let message = format!("the name cannot be used: {}", error.message());
            let help = "put the fields in braces, as in `name \"{method} {path}\"`; `name \"sample\"` names all events";
            diagnostics.push(Diagnostic::error("G0115", span, message).label("in this name").help(help));
        })
        .ok()
}

/// Checks the declared format and zone of date-times.
fn dates(spec: &Spec, diagnostics: &mut Vec<Diagnostic>) -> DateNotation {
    let mut notation = DateNotation::default();
    if let Some((format, span)) = &spec.time.format {
        match notation.clone().with_format(format) {
            Ok(declared) => notation = declared,
            Err(message) => {
                let message = format!("the format of the time cannot be used: {message}");
                let help = "write the parts as in `strptime`: `%Y-%m-%d %H:%M:%S%.f %z`";
                diagnostics.push(Diagnostic::error("G0161", *span, message).label("in this format").help(help));
            }
        }
    }
    if let Some((zone, span)) = &spec.time.zone {
        match notation.clone().with_zone(zone) {
            Ok(declared) => notation = declared,
            Err(message) => {
                let message = format!("`{zone}` is not a zone: {message}");
                let help = "write a name such as `Europe/Berlin`, `America/New_York` or `UTC`";
                diagnostics.push(Diagnostic::error("G0161", *span, message).label("this zone").help(help));
            }
        }
    }
    notation
}

/// Compiles the declared format of logs. `is_named`: the spec declares the names of events.
fn log_format(
    source: &str,
    declaration: &LogDeclaration,
    is_named: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<LogFormat> {
    let LogDeclaration { kind, pattern, pattern_span, unmatched } = declaration;
    let pattern = pattern.as_deref().unwrap_or_default();
    let strict = *unmatched == UnmatchedLine::Error;
    let compiled = match kind {
        LogKind::Text => TextPattern::holes(pattern).and_then(|pattern| named(pattern, is_named, "{event}")),
        LogKind::Regex => TextPattern::regex(pattern).and_then(|pattern| named(pattern, is_named, "(?<event>…)")),
        LogKind::Nginx => Ok(TextPattern::preset(Preset::Nginx)),
        LogKind::Apache => Ok(TextPattern::preset(Preset::Apache)),
        LogKind::Syslog => Ok(TextPattern::preset(Preset::Syslog)),
        LogKind::Cri => Ok(TextPattern::preset(Preset::Cri)),
        LogKind::Docker => Ok(TextPattern::preset(Preset::Docker)),
        LogKind::Json => Ok(TextPattern::preset(Preset::Json)),
        LogKind::Logfmt => return Some(LogFormat::Logfmt { strict }),
        LogKind::Csv => return columns(pattern, *pattern_span, is_named, diagnostics),
    };
    match compiled {
        Ok(compiled) => Some(LogFormat::Lines(compiled.strict(strict))),
        Err(error) => {
            let written = pattern_span.text(source);
            // Without escapes, an offset in the pattern is an offset in the spec's text after the quote.
            let start = pattern_span.start as usize + 1 + error.at();
            let exact = error.at() > 0 && !written.contains('\\') && start < pattern_span.end as usize;
            let span = if exact { Span::new(start, pattern_span.end as usize - 1) } else { *pattern_span };
            // The error of a regular expression has several lines; the last one is the message.
            let message = error.message().lines().last().unwrap_or_default();
            let message = message.strip_prefix("error: ").unwrap_or(message);
            let help = match kind {
                LogKind::Text => "write the line with a hole for each field: `{time} {event} user={user}`; `{_}` skips",
                _ => "name the groups that are fields: `^(?<time>\\\\S+) (?<event>\\\\w+)`",
            };
            let error = Diagnostic::error("G0115", span, format!("the pattern cannot be used: {message}"));
            diagnostics.push(error.label("in this pattern").help(help));
            None
        }
    }
}

/// Checks that something gives the events of a pattern their names.
fn named(pattern: TextPattern, is_named: bool, example: &str) -> Result<TextPattern, PatternError> {
    if is_named || pattern.names_events() {
        return Ok(pattern);
    }
    let message =
        format!("nothing in the pattern is called `event`, as in `{example}`, or `name`, and no `name` is declared");
    Err(PatternError::new(0, message))
}

/// Compiles the columns of a table without a header.
fn columns(written: &str, span: Span, is_named: bool, diagnostics: &mut Vec<Diagnostic>) -> Option<LogFormat> {
    let columns: Vec<String> = written.split([',', ';', '\t', '|']).map(|name| name.trim().to_owned()).collect();
    let has_name = is_named || columns.iter().any(|column| column == "event" || column == "name");
    let message = if columns.iter().all(String::is_empty) {
        "no column is named"
    } else if !has_name {
        "no column is called `event` or `name`, and no `name` is declared"
    } else {
        return Some(LogFormat::Csv(columns));
    };
    let message = format!("the columns cannot be used: {message}");
    let help = "name the columns in their order, as in `log csv \"event, time, user\"`; `name COLUMN` declares another with the names";
    diagnostics.push(Diagnostic::error("G0115", span, message).label("these columns").help(help));
    None
}
