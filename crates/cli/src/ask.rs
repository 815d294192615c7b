// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon ask`: builds a property from questions on a terminal, from a file of answers, or from options.

pub(crate) mod args;
mod artefacts;
mod context;
mod proposal;
mod terminal;

use std::io::{self, IsTerminal};
use std::path::Path;

use gnomon::assist::tree::QuestionTree;
use gnomon::assist::{AnswerError, FinishedProperty, PatternParts, Session, Transcript};
use gnomon::compile::{CompiledSpec, compile};

use crate::console::Console;
use crate::failure::Failure;
use crate::files::{self, STDIN};
use crate::outcome::{CommandError, CommandResult, ExitStatus};
use crate::output::{STDOUT, write_text};
use crate::spec::SpecFile;
use args::AskArguments;
use proposal::{Proposal, Trial, check_log};

pub(crate) fn run(arguments: &AskArguments, console: &Console) -> CommandResult {
    if arguments.tree {
        console.print(&(QuestionTree::shared().to_json() + "\n"))?;
        return Ok(ExitStatus::Success);
    }
    let destination = Destination::new(arguments, console)?;
    let context = context::gather(arguments, &destination)?;
    let finished = if let Some(behaviour) = &arguments.behaviour {
        let block = pattern_parts(arguments, behaviour).block();
        FinishedProperty::from_block(&context, &block).map_err(|diagnostics| {
            SpecFile::of_text("<flags>", block).print_diagnostics(&diagnostics, console);
            Failure::new("G0933", "the flags do not describe a property")
                .help("`gnomon ask` on a terminal asks for it; docs/languages/pattern.md has the words")
        })?
    } else if let Some(path) = &arguments.answers {
        let transcript = Transcript::from_json(&files::read_text(path, "file of answers")?);
        let session = transcript.and_then(|transcript| Session::replay(context, &transcript));
        session.and_then(|session| session.finish()).map_err(|error| bad_answer(path, &error))?
    } else if io::stdin().is_terminal() && io::stderr().is_terminal() {
        return terminal::run(arguments, &destination, context, console);
    } else {
        let failure = Failure::new("G0931", "there is no terminal for the questions").help(
            "use flags, `--scope \"between open and close\" --behaviour \"absence of write\" --name quiet`, or with \
             `--answers FILE.json`; `--tree` prints the questions",
        );
        return Err(failure.into());
    };
    if finished.spec.properties.iter().filter(|property| property.name == finished.property.name).count() > 1 {
        return Err(destination.has_already(&finished.property.name).into());
    }
    let proposal = Proposal::new(&destination, finished);
    deliver(arguments, &destination, &proposal, None, console)
}

fn pattern_parts(arguments: &AskArguments, behaviour: &str) -> PatternParts {
    PatternParts {
        name: arguments.name.clone().unwrap_or_default(),
        for_every: arguments.for_every.clone(),
        scope: arguments.scope.clone(),
        behaviour: behaviour.to_owned(),
        within: arguments.within.clone(),
    }
}

/// Describes an answer of a file that does not fit its question.
fn bad_answer(path: &str, error: &AnswerError) -> Failure {
    let place = error.question().map_or(String::new(), |question| format!(" (question `{question}`)"));
    let place = format!("{}{place}", files::display_name(path));
    Failure::new("G0932", error.message()).at(place).maybe_help(error.advice())
}

/// The spec that the property is written to.
struct Destination {
    /// The spec's name in messages.
    name: String,
    /// The spec that the property is added to, if it is not a new one.
    existing: Option<(SpecFile, CompiledSpec)>,
}

impl Destination {
    fn new(arguments: &AskArguments, console: &Console) -> Result<Destination, CommandError> {
        let name = arguments.output.clone().unwrap_or_else(|| "<new>".to_owned());
        let output = arguments.output.as_deref().filter(|path| *path != STDIN);
        if let Some(path) = output.filter(|path| !arguments.append && Path::new(path).is_file()) {
            let failure = Failure::new("G0934", format!("the file `{path}` already exists"));
            return Err(failure.help("add the property to it with `--append`, or choose another name").into());
        }
        let base = arguments.spec.as_deref().or(output.filter(|_| arguments.append));
        let mut file = base.map(SpecFile::read).transpose()?;
        if let Some(time) = &arguments.time {
            let base = file.get_or_insert_with(|| SpecFile::of_text("--time", String::new()));
            let gap = if base.text.is_empty() || base.text.ends_with('\n') { "" } else { "\n" };
            base.text.extend([gap, "time ", time.trim(), "\n"]);
        }
        let compiled = file.as_ref().map(|file| file.compile_any(console)).transpose()?;
        Ok(Destination { name, existing: file.zip(compiled) })
    }

    /// Returns the existing text.
    fn text(&self) -> &str {
        self.existing.as_ref().map_or("", |(file, _)| &file.text)
    }

    /// Returns the failure of a name that another property has.
    fn has_already(&self, name: &str) -> Failure {
        Failure::new("G0935", format!("the spec already has a property `{name}`"))
            .at(&self.name)
            .help("choose another name")
    }
}

/// Writes all requested output. `trials` are the examples, if the user has reviewed them.
fn deliver(
    arguments: &AskArguments,
    destination: &Destination,
    proposal: &Proposal,
    trials: Option<&[Trial]>,
    console: &Console,
) -> CommandResult {
    let found;
    let trials = if let Some(trials) = trials {
        trials
    } else {
        found = proposal.trials().unwrap_or_else(|reason| {
            console.note(&format!("no examples were found: {reason}"));
            vec![]
        });
        &found
    };
    for warning in &proposal.finished.warnings {
        console.note(warning);
    }
    let text = proposal.text_with(trials);
    let (compiled, diagnostics) = compile(&text, &[]);
    if compiled.is_none() {
        SpecFile::of_text(&destination.name, text).print_diagnostics(&diagnostics, console);
        let failure = Failure::new("G0936", "the spec does not compile with the property added").at(&destination.name);
        return Err(failure
            .help("nothing was written; correct the spec, or write the property to a file of its own")
            .into());
    }
    let log = arguments.log.as_ref();
    let report = log.map(|log| check_log(proposal, log, arguments.format, console.err_paint)).transpose()?;
    let path = arguments.output.as_deref().unwrap_or(STDOUT);
    write_text(path, &text)?;
    if path != STDOUT {
        let verb = if arguments.append { "added" } else { "written" };
        console.inform(&format!("{path}: `{}` {verb}\n", proposal.name));
    }
    if let Some(folder) = &arguments.artefacts {
        artefacts::write(folder, &proposal.name, &artefacts::all(proposal, &text), console)?;
        console.inform(&format!("{folder}: all generated files\n"));
    }
    if let Some(report) = report {
        console.inform(&format!("\n{report}"));
    }
    Ok(ExitStatus::Success)
}
