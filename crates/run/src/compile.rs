// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a spec's text to a plan: parse, check, plan.

use gnomon_core::diagnostic::{Diagnostic, Severity, Span};
use gnomon_engine::{Plan, plan};
use gnomon_ir::check::check;
use gnomon_ir::spec::{LogDeclaration, LogKind, Property, Spec, Unmatched};
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
}

/// Compiles the properties of these names, or all if none is given. Every diagnostic of the whole spec is told; there
/// is nothing to run if one of them is an error.
pub fn compile(source: &str, only: &[String]) -> (Option<Compiled>, Vec<Diagnostic>) {
    let (spec, mut diagnostics) = gnomon_lang::parse(source);
    let (mut cores, mut properties) = (Vec::new(), Vec::new());
    for (index, property) in spec.properties.iter().enumerate() {
        let (core, found) = check(&spec, property);
        diagnostics.extend(found);
        if only.is_empty() || only.contains(&property.name) {
            cores.extend(core);
            properties.push(index);
        }
    }
    let log = spec.log.as_ref().and_then(|declaration| pattern(source, declaration, &mut diagnostics));
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return (None, diagnostics);
    }
    (Some(Compiled { plan: plan(cores), source: source.to_owned(), log, properties, spec }), diagnostics)
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
