// SPDX-License-Identifier: MIT OR Apache-2.0
//! Asks the questions on a terminal.

mod input_form;
mod menu;
mod pager;
mod review;
mod screen;
mod screen_page;

use gnomon::assist::{Prompt, Session, SessionContext, SummaryLine};

use super::args::AskArguments;
use super::proposal::{Proposal, Trial};
use super::{Destination, deliver};
use crate::console::Console;
use crate::failure::Failure;
use crate::outcome::{CommandResult, ExitStatus};
use crate::output::cannot_write;
use crate::paint::{Ink, Paint};
use crate::render::line::sanitised;
use input_form::{InputForm, enter};
use menu::{Menu, choose};
use review::review;
use screen::Screen;
pub(super) use screen_page::wrap;

/// Reason why a page ended without an answer.
enum Interruption {
    /// The user leaves.
    Leave,
    /// The terminal cannot be used.
    Failed(Failure),
}

impl From<Failure> for Interruption {
    fn from(failure: Failure) -> Interruption {
        Interruption::Failed(failure)
    }
}

/// The result of a page; `None` if the user goes back to the previous one.
type PageResult<T> = Result<Option<T>, Interruption>;

/// Asks the questions, shows the property, and writes it.
pub(super) fn run(
    arguments: &AskArguments,
    destination: &Destination,
    context: SessionContext,
    console: &Console,
) -> CommandResult {
    let mut session = Session::new(context);
    let mut screen = Screen::open(console.err_paint)?;
    let result = ask_all(&mut screen, &mut session, arguments, destination);
    drop(screen);
    let (proposal, trials) = match result {
        Ok(kept) => kept,
        Err(Interruption::Leave) => {
            console.inform("nothing was written\n");
            return Ok(ExitStatus::Success);
        }
        Err(Interruption::Failed(failure)) => return Err(failure.into()),
    };
    if let Some(path) = &arguments.save_answers {
        let json = session.transcript().to_json() + "\n";
        std::fs::write(path, json).map_err(|error| cannot_write(path, &error))?;
        console.inform(&format!("{path}: the answers\n"));
    }
    deliver(arguments, destination, &proposal, Some(&trials), console)
}

/// Asks the questions, back and forth, until the user accepts the property.
fn ask_all(
    screen: &mut Screen,
    session: &mut Session,
    arguments: &AskArguments,
    destination: &Destination,
) -> Result<(Proposal, Vec<Trial>), Interruption> {
    let mut wrong = None;
    // The last answer, if it was rejected.
    let mut rejected: Option<String> = None;
    loop {
        let Some(prompt) = session.question() else {
            match session.finish() {
                Ok(finished) => {
                    if let Some(kept) = review(screen, Proposal::new(destination, finished), arguments)? {
                        return Ok(kept);
                    }
                }
                Err(error) => wrong = Some(error.to_string()),
            }
            session.back();
            continue;
        };
        let known = rejected.take().or_else(|| prompt.previous.clone());
        match ask(screen, session, &prompt, known.as_deref(), wrong.take())? {
            Some(answer) => {
                wrong = session.answer(&answer).err().map(|error| error.to_string());
                rejected = wrong.is_some().then_some(answer);
            }
            None => {
                session.back();
            }
        }
    }
}

/// Asks one question. `known` is the answer that was rejected or given before, which is offered again.
fn ask(
    screen: &mut Screen,
    session: &Session,
    prompt: &Prompt,
    known: Option<&str>,
    wrong: Option<String>,
) -> PageResult<String> {
    let top = summary(session, screen.paint);
    if prompt.answers.is_empty() {
        let hint = prompt.hint.unwrap_or_default();
        let form = InputForm {
            top,
            question: &prompt.text,
            why: &prompt.why,
            hint: match &prompt.default {
                Some(default) => format!("{hint}; Enter takes {}", sanitised(default)),
                None => hint.to_owned(),
            },
            suggestions: &prompt.suggestions,
            text: known.unwrap_or_default(),
            wrong,
            remark: None,
        };
        let typed = enter(screen, &form)?;
        return Ok(typed.map(|text| match &prompt.default {
            Some(default) if text.trim().is_empty() => default.clone(),
            _ => text,
        }));
    }
    let options: Vec<(&str, Option<&str>)> =
        prompt.answers.iter().map(|option| (option.label.as_str(), option.example.as_deref())).collect();
    let first = prompt.answers.iter().position(|option| Some(option.id.as_str()) == known).unwrap_or(0);
    let menu = Menu { top, question: &prompt.text, why: Some(&prompt.why), options: &options, wrong, first };
    let chosen = choose(screen, &menu)?;
    Ok(chosen.map(|index| prompt.answers.get(index).map_or(String::new(), |option| option.id.clone())))
}

/// Returns the answers so far, one per line.
fn summary(session: &Session, paint: Paint) -> Vec<String> {
    let line = |line: SummaryLine| {
        let topic = paint.ink(Ink::Frame, &format!("{:>12}", line.topic));
        format!("{topic}  {}", sanitised(&line.answer))
    };
    session.summary().into_iter().map(line).collect()
}
