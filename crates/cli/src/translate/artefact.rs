// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be made of single properties: words, formulae, diagrams, processes.

use gnomon::artefact::{self, Refusal};
use gnomon::compile::Compiled;
use gnomon::diagnostic::Diagnostic;
use gnomon::ir::spec::{Body, Property, Spec};
use gnomon::notation;

use crate::args::{Notation, Translate};
use crate::console::Console;
use crate::failure::Failure;
use crate::render::line::sanitised;
use crate::spec::SpecFile;
use crate::status::Status;

pub(super) fn run(
    arguments: &Translate,
    file: &SpecFile,
    compiled: &Compiled,
    console: &Console,
) -> Result<Status, Failure> {
    let (spec, to) = (&compiled.spec, arguments.to);
    let properties: Vec<&Property> = compiled.properties().collect();
    if properties.len() > 1 && is_single(to) {
        let names: Vec<&str> = properties.iter().map(|property| property.name.as_str()).collect();
        return Err(Failure::new("G0922", format!("{} properties cannot be {} together", names.len(), what(to)))
            .at(&file.name)
            .help(format!("choose one with `--property`: {}", names.join(", "))));
    }
    let mut refused = Vec::new();
    let mut text = String::new();
    for property in &properties {
        match made(to, spec, property) {
            Ok(made) => {
                text.push_str(if text.is_empty() { "" } else { between(to) });
                let comment = match to {
                    Notation::English => Some('#'),
                    Notation::Mu => Some('%'),
                    _ => None,
                };
                if let Some(comment) = comment {
                    text.extend([format!("{comment} {}\n", sanitised(&property.name))]);
                }
                text.push_str(&made);
            }
            Err(refusal) => refused.push(complaint(to, property, &refusal)),
        }
    }
    if !text.is_empty() {
        let declarations = if is_spec(to) { notation::declarations(spec) } else { String::new() };
        console.report(&format!("{declarations}{text}"))?;
    }
    file.complain(&refused, console);
    Ok(if refused.is_empty() { Status::Fine } else { Status::CouldNotJudge })
}

fn made(to: Notation, spec: &Spec, property: &Property) -> Result<String, Refusal> {
    match to {
        Notation::English => artefact::english(spec, property).map(|words| words + "\n"),
        Notation::Mtl => artefact::mtl(spec, property).map(|property| notation::mtl(&property)),
        Notation::Mu => artefact::mu(spec, property).map(|formula| formula.file()),
        Notation::Mcrl2 => artefact::mcrl2(spec, property),
        Notation::Mermaid => artefact::mermaid(spec, property),
        Notation::Plantuml => artefact::plantuml(spec, property),
        Notation::Svg => artefact::svg(spec, property),
        _ => match &property.body {
            Body::Requirement(_) => Ok(notation::pattern(property)),
            _ => Err(Refusal { reason: format!("a `{}` property is no pattern", property.language.word()) }),
        },
    }
}

/// Whether what is written is a spec again.
fn is_spec(to: Notation) -> bool {
    matches!(to, Notation::Mtl | Notation::Pattern)
}

/// Whether there is room for one property only.
fn is_single(to: Notation) -> bool {
    matches!(to, Notation::Mcrl2 | Notation::Mermaid | Notation::Plantuml | Notation::Svg)
}

fn between(to: Notation) -> &'static str {
    if is_spec(to) { "" } else { "\n" }
}

fn what(to: Notation) -> &'static str {
    match to {
        Notation::English => "plain words",
        Notation::Mtl => "a formula of `mtl`",
        Notation::Mu => "a formula of the mu-calculus",
        Notation::Mcrl2 => "a process of mCRL2",
        Notation::Pattern => "a pattern",
        _ => "a sequence diagram",
    }
}

/// What to say about a property that has no such form.
fn complaint(to: Notation, property: &Property, refusal: &Refusal) -> Diagnostic {
    let message = format!("`{}` cannot be written as {}", property.name, what(to));
    Diagnostic::error("G0921", property.name_span, message)
        .label(refusal.reason.clone())
        .help("choose other properties with `--property NAME`, or another notation with `--to`")
}
