// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shows the finished property, and lets the user try it before keeping it.

use gnomon::verdict::Verdict;

use super::input_form::{InputForm, enter};
use super::menu::{Menu, choose};
use super::pager::show;
use super::screen::Screen;
use super::screen_page::{painted_lines, wrap};
use super::{Interruption, PageResult};
use crate::ask::args::AskArguments;
use crate::ask::artefacts;
use crate::ask::proposal::{Proposal, Trial, check_log};
use crate::paint::Ink;
use crate::render::line::sanitised;

/// An action on the property.
#[derive(Clone, Copy)]
enum ReviewAction {
    Keep,
    Try(usize),
    Add,
    Log,
    Show,
    Back,
}

const TRY_WHY: &str = "Events are separated by full stops, @ gives the time: open@1. write@2. close@9. Without @ they come one after \
                       the other. The verdict is shown while you type.";

/// Lets the user inspect and try the property. Returns it with its examples if the user keeps it.
pub(super) fn review(
    screen: &mut Screen,
    proposal: Proposal,
    arguments: &AskArguments,
) -> PageResult<(Proposal, Vec<Trial>)> {
    let (mut trials, mut wrong) = match proposal.trials() {
        Ok(trials) => (trials, None),
        Err(reason) => (vec![], Some(format!("no examples were found: {reason}"))),
    };
    let mut first = 0;
    loop {
        let (labels, actions) = actions(&trials, arguments);
        let options: Vec<(&str, Option<&str>)> = labels.iter().map(|label| (label.as_str(), None)).collect();
        let menu = Menu {
            top: top(screen, &proposal),
            question: "This is the property. What next?",
            why: None,
            options: &options,
            wrong: wrong.take(),
            first: first.min(options.len().saturating_sub(1)),
        };
        let Some(chosen) = choose(screen, &menu)? else { return Ok(None) };
        first = chosen;
        match actions.get(chosen).copied().unwrap_or(ReviewAction::Back) {
            ReviewAction::Keep => return Ok(Some((proposal, trials))),
            ReviewAction::Try(index) => {
                if let Some(trial) = edit(screen, &proposal, &trials[index].text)? {
                    trials[index] = trial;
                }
            }
            ReviewAction::Add => trials.extend(edit(screen, &proposal, "")?),
            ReviewAction::Log => {
                let path = arguments.log.as_deref().unwrap_or_default();
                match check_log(&proposal, path, arguments.format, screen.paint) {
                    Ok(report) => show(screen, "Its verdict on the log", &report)?,
                    Err(failure) => wrong = Some(failure.in_a_line()),
                }
            }
            ReviewAction::Show => show_artefacts(screen, &proposal, &trials)?,
            ReviewAction::Back => return Ok(None),
        }
    }
}

/// Lists the labels of the menu and their actions.
fn actions(trials: &[Trial], arguments: &AskArguments) -> (Vec<String>, Vec<ReviewAction>) {
    let keep = match (&arguments.output, arguments.append) {
        (Some(path), true) => format!("Keep it: add it to {path}"),
        (Some(path), false) => format!("Keep it: write it to {path}"),
        (None, _) => "Keep it: print it".to_owned(),
    };
    let mut actions = vec![(keep, ReviewAction::Keep)];
    for (index, trial) in trials.iter().enumerate() {
        let word = if trial.verdict == Verdict::Violated { "violates it" } else { "satisfies it" };
        actions.push((
            format!("Try it: change the trace that {word}: {}", sanitised(&trial.text)),
            ReviewAction::Try(index),
        ));
    }
    actions.push(("Try it: type another trace".to_owned(), ReviewAction::Add));
    if let Some(log) = &arguments.log {
        actions.push((format!("Try it: check {log}"), ReviewAction::Log));
    }
    actions.push(("Show translations: formulae, diagrams, processes".to_owned(), ReviewAction::Show));
    actions.push(("Change the last answer".to_owned(), ReviewAction::Back));
    actions.into_iter().unzip()
}

/// Returns the property in English and as text.
fn top(screen: &Screen, proposal: &Proposal) -> Vec<String> {
    let width = screen.size().0 - 1;
    let mut lines = wrap(&sanitised_lines(proposal.words.as_deref().unwrap_or_default()), width);
    if !lines.is_empty() {
        lines.push(String::new());
    }
    for warning in &proposal.finished.warnings {
        lines.extend(painted_lines(&sanitised(&format!("Note: {warning}.")), width, "", Ink::Doubtful, screen.paint));
        lines.push(String::new());
    }
    let text = sanitised_lines(&proposal.finished.text());
    lines.extend(wrap(&text, width).iter().map(|line| screen.paint.ink(Ink::Frame, line)));
    lines
}

fn sanitised_lines(text: &str) -> String {
    text.lines().map(sanitised).collect::<Vec<_>>().join("\n")
}

/// Lets the user edit a trace, and shows the verdict on it while typing.
fn edit(screen: &mut Screen, proposal: &Proposal, text: &str) -> PageResult<Trial> {
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
        let form = InputForm {
            top: top(screen, proposal),
            question: "What if this had happened?",
            why: TRY_WHY,
            hint: "events with a full stop between them: open@1. write@2. close@9".to_owned(),
            suggestions: &[],
            text: &text,
            wrong: None,
            remark: Some(&remark),
        };
        let Some(typed) = enter(screen, &form)? else { return Ok(None) };
        match Trial::of_text(proposal, &typed) {
            Ok(trial) => return Ok(Some(trial)),
            Err(_) => text = typed,
        }
    }
}

/// Lets the user look at everything that is derived from the property.
fn show_artefacts(screen: &mut Screen, proposal: &Proposal, trials: &[Trial]) -> Result<(), Interruption> {
    let artefacts = artefacts::all(proposal, &proposal.text_with(trials));
    let options: Vec<(&str, Option<&str>)> = artefacts.iter().map(|artefact| (artefact.title, None)).collect();
    let mut first = 0;
    loop {
        let question = "What do you want to see?";
        let menu = Menu { top: vec![], question, why: None, options: &options, wrong: None, first };
        let Some(index) = choose(screen, &menu)? else { return Ok(()) };
        first = index;
        let text = match &artefacts[index].made {
            Ok(text) => sanitised_lines(text),
            Err(reason) => format!("There is none: {reason}"),
        };
        show(screen, artefacts[index].title, &text)?;
    }
}
