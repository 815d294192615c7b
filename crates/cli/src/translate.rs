// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon translate`: prints properties in another notation.

mod ltl;
mod rules;

use gnomon::artefact::{self, Refusal};
use gnomon::compile::CompiledSpec;
use gnomon::diagnostic::Diagnostic;
use gnomon::ir::spec::{Body, Property, Spec};
use gnomon::notation::{self, MopDialect};

use crate::args::{NotationName, TranslateArguments};
use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::outcome::{CommandResult, ExitStatus};
use crate::render::line::sanitised;
use crate::spec::SpecFile;

pub(crate) fn run(arguments: &TranslateArguments, console: &Console) -> CommandResult {
    files::at_most_one_stdin(std::iter::once(&arguments.spec).chain(&arguments.known.catalogues))?;
    let file = SpecFile::read(&arguments.spec)?.with(&arguments.known)?;
    let compiled = file.compile(&arguments.properties, console)?;
    match arguments.to {
        NotationName::Nomad | NotationName::RulesXml => rules::run(arguments, &file, &compiled, console),
        _ => translate_each(arguments, &file, &compiled, console),
    }
}

/// Translates each property on its own. Properties without such a form are reported as diagnostics.
fn translate_each(
    arguments: &TranslateArguments,
    file: &SpecFile,
    compiled: &CompiledSpec,
    console: &Console,
) -> CommandResult {
    let to = arguments.to;
    let properties: Vec<&Property> = compiled.properties().collect();
    if properties.len() > 1 && is_single(to) {
        let names: Vec<&str> = properties.iter().map(|property| property.name.as_str()).collect();
        return Err(Failure::new("G0922", format!("{} properties cannot be {} together", names.len(), describe(to)))
            .at(&file.name)
            .help(format!("choose one with `--property`: {}", names.join(", ")))
            .into());
    }
    let (comment, separator) = match to {
        NotationName::English => (Some('#'), "\n"),
        NotationName::Ltl => (Some('#'), ""),
        NotationName::Mu => (Some('%'), "\n"),
        NotationName::Mtl | NotationName::Pattern | NotationName::Qea => (None, ""),
        _ => (None, "\n"),
    };
    let (mut texts, mut refused) = (Vec::new(), Vec::new());
    for property in properties {
        let translated = match to {
            NotationName::Ltl => ltl::translate(property, file, compiled, arguments.max_size),
            _ => translate(to, &compiled.spec, property)
                .map_err(|refusal| Box::new(untranslatable(to, property, refusal))),
        };
        match translated {
            Ok(text) => {
                let title = comment.map_or(String::new(), |sign| format!("{sign} {}\n", sanitised(&property.name)));
                texts.push(title + &text);
            }
            Err(diagnostic) => refused.push(*diagnostic),
        }
    }
    if !texts.is_empty() {
        let is_spec = matches!(to, NotationName::Mtl | NotationName::Pattern | NotationName::Qea);
        let declarations = if is_spec { notation::declarations(&compiled.spec) } else { String::new() };
        console.print(&format!("{declarations}{}", texts.join(separator)))?;
    }
    file.print_diagnostics(&refused, console);
    Ok(if refused.is_empty() { ExitStatus::Success } else { ExitStatus::CouldNotCheck })
}

fn translate(to: NotationName, spec: &Spec, property: &Property) -> Result<String, Refusal> {
    match to {
        NotationName::English => artefact::english(spec, property).map(|words| words + "\n"),
        NotationName::Mtl => artefact::mtl(spec, property).map(|property| notation::mtl(&property)),
        NotationName::Qea => artefact::qea(spec, property).map(|property| notation::qea(&property)),
        NotationName::Mu => artefact::mu(spec, property).map(|formula| formula.file()),
        NotationName::Mcrl2 => artefact::mcrl2(spec, property),
        NotationName::Mermaid => artefact::mermaid(spec, property),
        NotationName::Plantuml => artefact::plantuml(spec, property),
        NotationName::Svg => artefact::svg(spec, property),
        NotationName::Mop => specification(spec, property, MopDialect::JavaMop),
        NotationName::Rvm => specification(spec, property, MopDialect::RvMonitor),
        _ => match &property.body {
            Body::Pattern(_) => Ok(notation::pattern(property)),
            _ => Err(Refusal { reason: format!("{} is not a pattern", property.language.a_property()) }),
        },
    }
}

fn specification(spec: &Spec, property: &Property, dialect: MopDialect) -> Result<String, Refusal> {
    notation::specification(spec, property, dialect).map_err(|reason| Refusal { reason })
}

/// Returns true if the notation can hold only one property.
fn is_single(to: NotationName) -> bool {
    matches!(to, NotationName::Mcrl2 | NotationName::Mermaid | NotationName::Plantuml | NotationName::Svg)
}

fn describe(to: NotationName) -> &'static str {
    match to {
        NotationName::English => "sentences",
        NotationName::Mtl => "a formula of `mtl`",
        NotationName::Qea => "an automaton of `qea`",
        NotationName::Mu => "a formula of the mu-calculus",
        NotationName::Mcrl2 => "a process of mCRL2",
        NotationName::Pattern => "a pattern",
        NotationName::Mop => "a specification of JavaMOP",
        NotationName::Rvm => "a specification of RV-Monitor",
        _ => "a sequence diagram",
    }
}

/// Returns the diagnostic of a property that has no form in the notation.
fn untranslatable(to: NotationName, property: &Property, refusal: Refusal) -> Diagnostic {
    let message = format!("`{}` cannot be written as {}", property.name, describe(to));
    Diagnostic::error("G0921", property.name_span, message)
        .label(refusal.reason)
        .help("choose other properties with `--property NAME`, or another notation with `--to`")
}
