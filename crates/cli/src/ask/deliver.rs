// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of it: the spec is written, with examples, and everything else that was asked for.

use std::io::Write as _;

use gnomon::compile::compile;

use super::args::Ask;
use super::artefacts;
use super::proposal::Proposal;
use super::target::Target;
use super::trial::{self, Trial};
use crate::console::Console;
use crate::failure::Failure;
use crate::output::{Output, STDOUT, cannot_write};
use crate::paint::Ink;
use crate::render::diagnostic::header;
use crate::spec::SpecFile;
use crate::status::Status;

/// Writes what was asked for. `trials` are the examples, if somebody has looked at them already.
pub(super) fn deliver(
    arguments: &Ask,
    target: &Target,
    proposal: &Proposal,
    trials: Option<&[Trial]>,
    console: &Console,
) -> Result<Status, Failure> {
    let found;
    let trials = if let Some(trials) = trials {
        trials
    } else {
        found = proposal.trials().unwrap_or_else(|reason| {
            let text = format!("no examples were found: {reason}");
            console.complain(&header("note", None, &text, Ink::Frame, console.err_paint));
            vec![]
        });
        &found
    };
    let text = proposal.text_with(trials);
    let (compiled, diagnostics) = compile(&text, &[]);
    if compiled.is_none() {
        SpecFile::of_text(&target.name, text).complain(&diagnostics, console);
        return Err(Failure::new("G0936", "the spec does not compile with the property added")
            .at(&target.name)
            .help("nothing was written; mend the spec, or write the property to a file of its own"));
    }
    let report = match &arguments.log {
        Some(log) => Some(trial::log(proposal, log, arguments.format, console.err_paint)?),
        None => None,
    };
    let path = arguments.output.as_deref().unwrap_or(STDOUT);
    let mut output = Output::create(path)?;
    output.write_all(text.as_bytes()).map_err(|error| cannot_write(path, &error))?;
    output.finish()?;
    if path != STDOUT {
        let verb = if target.there.is_some() { "added" } else { "written" };
        console.complain(&format!("{path}: `{}` {verb}\n", proposal.name));
    }
    if let Some(folder) = &arguments.artefacts {
        artefacts::write(folder, &proposal.name, &artefacts::all(proposal, &text), console)?;
        console.complain(&format!("{folder}: everything that was made of it\n"));
    }
    if let Some(report) = report {
        console.complain(&format!("\n{report}"));
    }
    Ok(Status::Fine)
}
