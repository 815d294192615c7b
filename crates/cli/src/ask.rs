// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon ask`: questions on a terminal, or the same by flags, and a property at the end.

pub(crate) mod args;
mod artefacts;
mod deliver;
mod known;
mod proposal;
mod target;
mod terminal;
mod trial;

use std::io::{self, IsTerminal};

use gnomon::assist::tree::Tree;
use gnomon::assist::{Finished, Session, Transcript, Words, Wrong};

use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::spec::SpecFile;
use crate::status::Status;
use args::Ask;
use proposal::Proposal;
use target::Target;

pub(crate) fn run(arguments: &Ask, console: &Console) -> Result<Status, Failure> {
    if arguments.tree {
        console.report(&(Tree::new().to_json() + "\n"))?;
        return Ok(Status::Fine);
    }
    let Some(target) = Target::new(arguments, console)? else { return Ok(Status::CouldNotJudge) };
    let known = known::gather(arguments, &target)?;
    let finished = if let Some(behaviour) = &arguments.behaviour {
        let block = words(arguments, behaviour).block();
        match Finished::of_block(&known, &block) {
            Ok(finished) => finished,
            Err(diagnostics) => {
                SpecFile::of_text("<flags>", block).complain(&diagnostics, console);
                return Err(Failure::new("G0933", "the flags do not make a property")
                    .help("`gnomon ask` on a terminal asks for it; docs/languages/pattern.md has the words"));
            }
        }
    } else if let Some(path) = &arguments.answers {
        let transcript = Transcript::from_json(&files::read_text(path, "file of answers")?);
        let session = transcript.and_then(|transcript| Session::replay(known, &transcript));
        let finished = session.and_then(|session| session.finish());
        finished.map_err(|wrong| unfit(path, &wrong))?
    } else if io::stdin().is_terminal() && io::stderr().is_terminal() {
        return terminal::run(arguments, &target, known, console);
    } else {
        return Err(Failure::new("G0931", "there is no terminal to ask on").help(
            "say it by flags, `--scope \"between open and close\" --behaviour \"absence of write\" --name quiet`, or with \
             `--answers FILE.json`; `--tree` prints the questions",
        ));
    };
    if finished.spec.properties.iter().filter(|property| property.name == finished.property.name).count() > 1 {
        return Err(target.has_already(&finished.property.name));
    }
    let proposal = Proposal::new(&target, finished);
    deliver::deliver(arguments, &target, &proposal, None, console)
}

fn words(arguments: &Ask, behaviour: &str) -> Words {
    Words {
        name: arguments.name.clone().unwrap_or_default(),
        for_every: arguments.for_every.clone(),
        scope: arguments.scope.clone(),
        behaviour: behaviour.to_owned(),
        within: arguments.within.clone(),
    }
}

/// Answers in a file that do not fit their questions.
fn unfit(path: &str, wrong: &Wrong) -> Failure {
    let place = wrong.question().map_or(String::new(), |question| format!(" (question `{question}`)"));
    let failure = Failure::new("G0932", wrong.message()).at(format!("{}{place}", files::display_name(path)));
    match wrong.advice() {
        Some(advice) => failure.help(advice),
        None => failure,
    }
}
