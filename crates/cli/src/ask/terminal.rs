// SPDX-License-Identifier: MIT OR Apache-2.0
//! The questions on a terminal.

mod choose;
mod enter;
mod page;
mod pager;
mod review;
mod screen;

use gnomon::assist::{Asked, Known, Session};

use super::args::Ask;
use super::deliver::deliver;
use super::proposal::Proposal;
use super::target::Target;
use super::trial::Trial;
use crate::console::Console;
use crate::failure::Failure;
use crate::output::cannot_write;
use crate::paint::{Ink, Paint};
use crate::render::line::sanitised;
use crate::status::Status;
use choose::{Menu, choose};
use enter::{Form, enter};
pub(super) use page::wrap;
use review::{Review, review};
use screen::Screen;

/// What somebody did with a page.
enum Said<T> {
    /// They answered.
    Answer(T),
    /// They want to go back.
    Back,
    /// They want to leave.
    Leave,
}

/// Asks, shows what came out, and writes it.
pub(super) fn run(arguments: &Ask, target: &Target, known: Known, console: &Console) -> Result<Status, Failure> {
    let mut session = Session::new(known);
    let mut screen = Screen::open(console.err_paint)?;
    let kept = talk(&mut screen, &mut session, arguments, target)?;
    drop(screen);
    let Some((proposal, trials)) = kept else {
        console.complain("nothing was written\n");
        return Ok(Status::Fine);
    };
    if let Some(path) = &arguments.save_answers {
        let json = session.transcript().to_json() + "\n";
        std::fs::write(path, json).map_err(|error| cannot_write(path, &error))?;
        console.complain(&format!("{path}: the answers\n"));
    }
    deliver(arguments, target, &proposal, Some(&trials), console)
}

/// Goes through the questions, back and forth, until somebody keeps the property or leaves.
fn talk(
    screen: &mut Screen,
    session: &mut Session,
    arguments: &Ask,
    target: &Target,
) -> Result<Option<(Proposal, Vec<Trial>)>, Failure> {
    let mut wrong = None;
    loop {
        let Some(asked) = session.question() else {
            match session.finish() {
                Ok(finished) => match review(screen, Proposal::new(target, finished), arguments)? {
                    Review::Keep(proposal, trials) => return Ok(Some((*proposal, trials))),
                    Review::Back => {}
                    Review::Leave => return Ok(None),
                },
                Err(error) => wrong = Some(error.to_string()),
            }
            session.back();
            continue;
        };
        match ask(screen, session, &asked, wrong.take())? {
            Said::Answer(answer) => wrong = session.answer(&answer).err().map(|error| error.to_string()),
            Said::Back => {
                session.back();
            }
            Said::Leave => return Ok(None),
        }
    }
}

/// Puts one question.
fn ask(screen: &mut Screen, session: &Session, asked: &Asked, wrong: Option<String>) -> Result<Said<String>, Failure> {
    let top = summary(session, screen.paint);
    if asked.answers.is_empty() {
        let hint = asked.hint.unwrap_or_default();
        let form = Form {
            top,
            question: &asked.text,
            why: &asked.why,
            hint: match &asked.default {
                Some(default) => format!("{hint}; Enter takes {}", sanitised(default)),
                None => hint.to_owned(),
            },
            suggestions: &asked.suggestions,
            text: "",
            wrong,
            remark: None,
        };
        let said = enter(screen, &form)?;
        return Ok(match (said, &asked.default) {
            (Said::Answer(text), Some(default)) if text.trim().is_empty() => Said::Answer(default.clone()),
            (said, _) => said,
        });
    }
    let offers: Vec<(&str, Option<&str>)> =
        asked.answers.iter().map(|offer| (offer.label.as_str(), offer.example.as_deref())).collect();
    let menu = Menu { top, question: &asked.text, why: Some(&asked.why), offers: &offers, wrong, first: 0 };
    Ok(match choose(screen, &menu)? {
        Said::Answer(index) => Said::Answer(asked.answers.get(index).map_or(String::new(), |offer| offer.id.clone())),
        Said::Back => Said::Back,
        Said::Leave => Said::Leave,
    })
}

/// What was answered so far, a line each.
fn summary(session: &Session, paint: Paint) -> Vec<String> {
    let line = |line: gnomon::assist::Line| {
        let topic = paint.ink(Ink::Frame, &format!("{:>12}", line.topic));
        format!("{topic}  {}", sanitised(&line.answer))
    };
    session.summary().into_iter().map(line).collect()
}
