// SPDX-License-Identifier: MIT OR Apache-2.0
//! What came out, to be looked at and tried before it is kept.

use gnomon::verdict::Verdict;

use super::Said;
use super::choose::{Menu, choose};
use super::enter::{Form, enter};
use super::page::wrap;
use super::pager::show;
use super::screen::Screen;
use crate::ask::args::Ask;
use crate::ask::artefacts;
use crate::ask::proposal::Proposal;
use crate::ask::trial::{self, Trial};
use crate::failure::Failure;
use crate::paint::Ink;
use crate::render::line::sanitised;

/// What becomes of the property.
pub(super) enum Review {
    /// It is kept, with these examples.
    Keep(Box<Proposal>, Vec<Trial>),
    /// The last answer is asked for again.
    Back,
    /// It is thrown away.
    Leave,
}

/// What can be done with it.
#[derive(Clone, Copy)]
enum Item {
    Keep,
    Try(usize),
    Add,
    Log,
    Show,
    Back,
}

const TRY_WHY: &str = "Events are separated by full stops, @ gives the time: open@1. write@2. close@9. Without @ they come one after \
                       the other. What the property says of the trace is told while you type.";

pub(super) fn review(screen: &mut Screen, proposal: Proposal, arguments: &Ask) -> Result<Review, Failure> {
    let (mut trials, mut wrong) = match proposal.trials() {
        Ok(trials) => (trials, None),
        Err(reason) => (vec![], Some(format!("no examples were found: {reason}"))),
    };
    let mut first = 0;
    loop {
        let (labels, items) = offers(&trials, arguments);
        let offers: Vec<(&str, Option<&str>)> = labels.iter().map(|label| (label.as_str(), None)).collect();
        let menu = Menu {
            top: top(screen, &proposal),
            question: "This is what you asked for. What next?",
            why: None,
            offers: &offers,
            wrong: wrong.take(),
            first: first.min(offers.len().saturating_sub(1)),
        };
        let chosen = match choose(screen, &menu)? {
            Said::Answer(index) => index,
            Said::Back => return Ok(Review::Back),
            Said::Leave => return Ok(Review::Leave),
        };
        first = chosen;
        match items.get(chosen).copied().unwrap_or(Item::Back) {
            Item::Keep => return Ok(Review::Keep(Box::new(proposal), trials)),
            Item::Try(index) => match edit(screen, &proposal, &trials[index].text)? {
                Said::Answer(trial) => trials[index] = trial,
                Said::Back => {}
                Said::Leave => return Ok(Review::Leave),
            },
            Item::Add => match edit(screen, &proposal, "")? {
                Said::Answer(trial) => trials.push(trial),
                Said::Back => {}
                Said::Leave => return Ok(Review::Leave),
            },
            Item::Log => {
                let path = arguments.log.as_deref().unwrap_or_default();
                match trial::log(&proposal, path, arguments.format, screen.paint) {
                    Ok(report) if !show(screen, "What it says of the log", &report)? => return Ok(Review::Leave),
                    Ok(_) => {}
                    Err(failure) => wrong = Some(failure.in_a_line()),
                }
            }
            Item::Show => {
                if !look(screen, &proposal, &trials)? {
                    return Ok(Review::Leave);
                }
            }
            Item::Back => return Ok(Review::Back),
        }
    }
}

fn offers(trials: &[Trial], arguments: &Ask) -> (Vec<String>, Vec<Item>) {
    let keep = match (&arguments.output, arguments.append) {
        (Some(path), true) => format!("Keep it: add it to {path}"),
        (Some(path), false) => format!("Keep it: write it to {path}"),
        (None, _) => "Keep it: print it".to_owned(),
    };
    let mut offers = vec![(keep, Item::Keep)];
    for (index, trial) in trials.iter().enumerate() {
        let word = if trial.verdict == Verdict::Violated { "violates it" } else { "satisfies it" };
        offers.push((format!("Try it: change the trace that {word}: {}", sanitised(&trial.text)), Item::Try(index)));
    }
    offers.push(("Try it: type another trace".to_owned(), Item::Add));
    if let Some(log) = &arguments.log {
        offers.push((format!("Try it: judge {log}"), Item::Log));
    }
    offers.push(("Show what was made of it: formulae, diagrams, processes".to_owned(), Item::Show));
    offers.push(("Change the last answer".to_owned(), Item::Back));
    offers.into_iter().unzip()
}

/// The property in plain words and as text.
fn top(screen: &Screen, proposal: &Proposal) -> Vec<String> {
    let width = screen.size().0 - 1;
    let mut lines = wrap(&sanitised_lines(proposal.words.as_deref().unwrap_or_default()), width);
    if !lines.is_empty() {
        lines.push(String::new());
    }
    let text = sanitised_lines(&proposal.finished.text());
    lines.extend(wrap(&text, width).iter().map(|line| screen.paint.ink(Ink::Frame, line)));
    lines
}

fn sanitised_lines(text: &str) -> String {
    text.lines().map(sanitised).collect::<Vec<_>>().join("\n")
}

/// Lets somebody change a trace, and says at once what the property says of it.
fn edit(screen: &mut Screen, proposal: &Proposal, text: &str) -> Result<Said<Trial>, Failure> {
    let remark = |text: &str| match Trial::of_text(proposal, text) {
        Ok(trial) => {
            let ink = match (trial.verdict, trial.exercised) {
                (Verdict::Violated, _) => Ink::Bad,
                (_, true) => Ink::Good,
                (_, false) => Ink::Doubtful,
            };
            (ink, trial.remark())
        }
        Err(reason) => (Ink::Doubtful, reason),
    };
    let mut text = text.to_owned();
    loop {
        let form = Form {
            top: top(screen, proposal),
            question: "What if this had happened?",
            why: TRY_WHY,
            hint: "events with a full stop between them: open@1. write@2. close@9".to_owned(),
            suggestions: &[],
            text: &text,
            wrong: None,
            remark: Some(&remark),
        };
        match enter(screen, &form)? {
            Said::Answer(typed) => match Trial::of_text(proposal, &typed) {
                Ok(trial) => return Ok(Said::Answer(trial)),
                Err(_) => text = typed,
            },
            Said::Back => return Ok(Said::Back),
            Said::Leave => return Ok(Said::Leave),
        }
    }
}

/// Lets somebody look at what was made of the property; `false` if they want to leave altogether.
fn look(screen: &mut Screen, proposal: &Proposal, trials: &[Trial]) -> Result<bool, Failure> {
    let artefacts = artefacts::all(proposal, &proposal.text_with(trials));
    let offers: Vec<(&str, Option<&str>)> = artefacts.iter().map(|artefact| (artefact.title, None)).collect();
    let mut first = 0;
    loop {
        let menu =
            Menu { top: vec![], question: "What do you want to see?", why: None, offers: &offers, wrong: None, first };
        match choose(screen, &menu)? {
            Said::Answer(index) => {
                first = index;
                let text = match &artefacts[index].made {
                    Ok(text) => sanitised_lines(text),
                    Err(reason) => format!("There is none: {reason}"),
                };
                if !show(screen, artefacts[index].title, &text)? {
                    return Ok(false);
                }
            }
            Said::Back => return Ok(true),
            Said::Leave => return Ok(false),
        }
    }
}
