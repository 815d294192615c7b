// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon translate`: properties in another notation.

mod artefact;
mod ltl;
mod rules;

use crate::args::{Notation, Translate};
use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::spec::SpecFile;
use crate::status::Status;

pub(crate) fn run(arguments: &Translate, console: &Console) -> Result<Status, Failure> {
    files::at_most_one_stdin(std::iter::once(&arguments.spec).chain(&arguments.known.catalogues))?;
    let file = SpecFile::read(&arguments.spec)?.with(&arguments.known)?;
    let Some(compiled) = file.compile(&arguments.properties, console)? else {
        return Ok(Status::CouldNotJudge);
    };
    match arguments.to {
        Notation::Ltl => ltl::run(arguments, &file, &compiled, console),
        Notation::English
        | Notation::Mtl
        | Notation::Pattern
        | Notation::Mu
        | Notation::Mcrl2
        | Notation::Mermaid
        | Notation::Plantuml
        | Notation::Svg => artefact::run(arguments, &file, &compiled, console),
        Notation::Nomad | Notation::RulesXml => rules::run(arguments, &file, &compiled, console),
    }
}
