// SPDX-License-Identifier: MIT OR Apache-2.0
//! Translates rules over messages from blocks of a spec file to XML and back.

use gnomon::compile::CompiledSpec;
use gnomon::diagnostic::Diagnostic;
use gnomon::ir::spec::{Body, Property};
use gnomon::notation;

use crate::args::{NotationName, TranslateArguments};
use crate::console::Console;
use crate::outcome::{CommandError, CommandResult, ExitStatus};
use crate::spec::SpecFile;

pub(super) fn run(
    arguments: &TranslateArguments,
    file: &SpecFile,
    compiled: &CompiledSpec,
    console: &Console,
) -> CommandResult {
    let is_rule = |property: &&Property| matches!(property.body, Body::Rule(_));
    let (rules, others): (Vec<&Property>, Vec<&Property>) = compiled.properties().partition(is_rule);
    // Leaving out a property is an error if it was selected by name, or if no rule remains.
    let fatal = !others.is_empty() && (rules.is_empty() || !arguments.properties.is_empty());
    let mut diagnostics: Vec<Diagnostic> = others.into_iter().map(|property| left_out(property, fatal)).collect();
    diagnostics.extend(lost(compiled));
    let written = match arguments.to {
        NotationName::RulesXml => notation::rules_xml(&compiled.spec, &rules).map_err(|wrong| {
            Diagnostic::error("G0127", wrong.span, wrong.to_string())
                .label("in this")
                .help("write the name or text without it, or keep the rule in a spec file")
        }),
        _ => Ok(notation::nomad(&compiled.spec, &rules)),
    };
    let text = written.map_err(|diagnostic| diagnostics.push(diagnostic)).ok().filter(|_| !fatal);
    file.print_diagnostics(&diagnostics, console);
    console.print(&text.ok_or(CommandError::Reported)?)?;
    Ok(ExitStatus::Success)
}

/// Returns the diagnostic of a property that is not a rule.
fn left_out(property: &Property, fatal: bool) -> Diagnostic {
    let (span, message) =
        (property.name_span, format!("{} cannot be written as a rule", property.language.a_property()));
    if fatal {
        Diagnostic::error("G0127", span, message)
            .label("not a `nomad` property")
            .help("choose the rules with `--property NAME`")
    } else {
        Diagnostic::warning("G0127", span, message).label("left out").help("it stays in the spec")
    }
}

/// Returns the diagnostic of a log declaration, which a file of rules cannot express.
fn lost(compiled: &CompiledSpec) -> Option<Diagnostic> {
    let log = compiled.spec.log.as_ref()?;
    Some(
        Diagnostic::warning("G0127", log.pattern_span, "rules on their own do not say what the lines of a log mean")
            .label("left out")
            .help("convert the log first: `gnomon convert IN OUT --spec SPEC`"),
    )
}
