// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rules over messages, from blocks to XML and back.

use gnomon::compile::Compiled;
use gnomon::diagnostic::Diagnostic;
use gnomon::ir::spec::{Body, Property};
use gnomon::notation;

use crate::args::{Notation, Translate};
use crate::console::Console;
use crate::failure::Failure;
use crate::spec::SpecFile;
use crate::status::Status;

pub(super) fn run(
    arguments: &Translate,
    file: &SpecFile,
    compiled: &Compiled,
    console: &Console,
) -> Result<Status, Failure> {
    let is_rule = |property: &&Property| matches!(property.body, Body::Rule(_));
    let (rules, others): (Vec<&Property>, Vec<&Property>) = compiled.properties().partition(is_rule);
    // What was asked for by name must not be left out quietly; nor must all there is.
    let fatal = !others.is_empty() && (rules.is_empty() || !arguments.properties.is_empty());
    let mut complaints: Vec<Diagnostic> = others.into_iter().map(|property| left_out(property, fatal)).collect();
    complaints.extend(lost(compiled));
    let written = match arguments.to {
        Notation::RulesXml => notation::rules_xml(&compiled.spec, &rules).map_err(|wrong| {
            Diagnostic::error("G0127", wrong.span, wrong.to_string())
                .label("in this")
                .help("write the name or text without it, or keep the rule in a spec file")
        }),
        _ => Ok(notation::nomad(&compiled.spec, &rules)),
    };
    let (text, wrong) = written.map_or_else(|wrong| (None, Some(wrong)), |text| (Some(text), None));
    let failed = fatal || wrong.is_some();
    complaints.extend(wrong);
    file.complain(&complaints, console);
    match text {
        Some(text) if !failed => console.report(&text).map(|()| Status::Fine),
        _ => Ok(Status::CouldNotJudge),
    }
}

/// A property that is no rule.
fn left_out(property: &Property, fatal: bool) -> Diagnostic {
    let language = property.language.word();
    let (span, message) = (property.name_span, format!("a `{language}` property cannot be written as a rule"));
    if fatal {
        Diagnostic::error("G0127", span, message)
            .label("not a `nomad` property")
            .help("choose the rules with `--property NAME`")
    } else {
        Diagnostic::warning("G0127", span, message).label("left out").help("it stays in the spec")
    }
}

/// What a file of rules has no place for.
fn lost(compiled: &Compiled) -> Option<Diagnostic> {
    let log = compiled.spec.log.as_ref()?;
    Some(
        Diagnostic::warning("G0127", log.pattern_span, "rules on their own do not say how lines of text are events")
            .label("left out")
            .help("convert the log first: `gnomon convert IN OUT --spec SPEC`"),
    )
}
