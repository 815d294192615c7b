// SPDX-License-Identifier: MIT OR Apache-2.0
//! A walk through the question tree: the current question, answers, undo, and the property at the end.
//!
//! INVARIANT: the context and the answers determine the state. Each accepted answer is stored with the draft before it, so undo restores that draft,
//! and a [`Transcript`] that is answered again leads to the same property.

use gnomon_ir::Language;
use serde::{Deserialize, Serialize};

use crate::answer_error::AnswerError;
use crate::context::{SessionContext, last_step};
use crate::draft::Draft;
use crate::finished_property::{FinishedProperty, declarations};
use crate::tree::{AnswerKind, END, EventRole, Question, QuestionTree};
use crate::typed_event::{first_error, is_variable};

/// A session of questions and answers.
#[derive(Clone, Debug)]
pub struct Session {
    context: SessionContext,
    draft: Draft,
    /// Id of the current question; [`END`] when there is none.
    at: &'static str,
    past: Vec<PastAnswer>,
    /// Answers that were undone, the last one first to come again.
    undone: Vec<Reply>,
}

/// An accepted answer, with the state before it for undo.
#[derive(Clone, Debug)]
struct PastAnswer {
    reply: Reply,
    summary: SummaryLine,
    draft: Draft,
    at: &'static str,
}

/// An answer to a question.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reply {
    /// The question's id.
    pub question: String,
    /// The id of the chosen answer, or the typed text.
    pub answer: String,
}

/// All answers of a session, sufficient to repeat it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Transcript {
    /// The answers in their order.
    pub answers: Vec<Reply>,
}

/// A line of the summary of answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SummaryLine {
    /// The topic of the question.
    pub topic: String,
    /// The answer in words.
    pub answer: String,
}

/// The current question, with everything that a user interface shows.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Prompt {
    /// The question's id.
    pub id: String,
    /// The question.
    pub text: String,
    /// The reason why it is asked.
    pub why: String,
    /// The answers to choose from; empty if the answer is typed.
    pub answers: Vec<AnswerOption>,
    /// Suggestions for a typed answer, most likely first.
    pub suggestions: Vec<String>,
    /// The answer that an empty text stands for.
    pub default: Option<String>,
    /// The format of a typed answer.
    pub hint: Option<&'static str>,
    /// The answer that was given before the user went back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
}

/// An answer that can be chosen.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AnswerOption {
    /// The id that a reply gives.
    pub id: String,
    /// The answer.
    pub label: String,
    /// An example from everyday life.
    pub example: Option<String>,
}

impl Session {
    /// Begins a session.
    pub fn new(context: SessionContext) -> Session {
        Session { context, draft: Draft::default(), at: &QuestionTree::shared().first, past: vec![], undone: vec![] }
    }

    /// Repeats a session from its answers.
    pub fn replay(context: SessionContext, transcript: &Transcript) -> Result<Session, AnswerError> {
        let mut session = Session::new(context);
        for Reply { question, answer } in &transcript.answers {
            if session.at == END {
                let error = AnswerError::new("the property is complete before this answer");
                return Err(error.help("leave it out").at(question));
            }
            if session.at != question {
                let help = format!("the question at this place is `{}`", session.at);
                return Err(AnswerError::new(format!("`{question}` is not asked here")).help(help).at(question));
            }
            session.answer(answer).map_err(|error| error.at(question))?;
        }
        Ok(session)
    }

    /// Returns the current question; `None` when the property is complete.
    pub fn question(&self) -> Option<Prompt> {
        let question = QuestionTree::shared().question(self.at)?;
        let mut prompt = Prompt {
            id: question.id.clone(),
            text: self.draft.worded(&question.text),
            why: self.draft.worded(&question.why),
            hint: question.ask.kind.hint(),
            previous: self
                .undone
                .iter()
                .rev()
                .find(|reply| reply.question == question.id)
                .map(|reply| reply.answer.clone()),
            ..Prompt::default()
        };
        let texts = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        match &question.ask.kind {
            AnswerKind::Choice { answers } => {
                prompt.answers = answers
                    .iter()
                    .map(|answer| AnswerOption {
                        id: answer.id.clone(),
                        label: self.draft.worded(&answer.label),
                        example: Some(answer.example.clone()),
                    })
                    .collect();
            }
            AnswerKind::Which => prompt.answers = self.plain_event_options(),
            AnswerKind::Split => prompt.answers = self.split_options(),
            AnswerKind::Event { .. } => prompt.suggestions = texts(self.context.names()),
            AnswerKind::Field => {
                let event = self.draft.current_event();
                prompt.text = question.text.replace("its data", &format!("the data of `{event}`"));
                prompt.suggestions = texts(self.context.fields(event));
            }
            AnswerKind::Variable => {
                prompt.suggestions = self.draft.variables();
                let field = Some(last_step(&self.draft.field)).filter(|name| is_variable(name));
                prompt.default = prompt.suggestions.first().cloned().or_else(|| field.map(str::to_owned));
            }
            AnswerKind::Name => prompt.default = Some(self.draft.suggested_name(&self.context)),
            AnswerKind::Carriers => {
                prompt.suggestions = texts(self.draft.other_events());
                prompt.default = Some(self.draft.likely_carriers(&self.context));
            }
            AnswerKind::Value | AnswerKind::Number | AnswerKind::Bound | AnswerKind::Time { .. } => {}
        }
        Some(prompt)
    }

    /// Lists the events whose data can be asked for.
    fn plain_event_options(&self) -> Vec<AnswerOption> {
        let describe = |role| match role {
            EventRole::Start => "starts the rule",
            EventRole::End => "ends the rule",
            EventRole::Event => "the event",
            EventRole::First => "comes first",
            EventRole::Then => "comes after",
            EventRole::Exception => "must not come between",
        };
        let events = self.draft.plain_events().into_iter().map(|(index, atom, role)| AnswerOption {
            id: (index + 1).to_string(),
            label: format!("{} ({})", atom.name, describe(role)),
            example: None,
        });
        events.collect()
    }

    /// Lists the ways to divide a chain of events.
    fn split_options(&self) -> Vec<AnswerOption> {
        let option = |(number, label): (usize, String)| AnswerOption { id: number.to_string(), label, example: None };
        (1..).zip(self.draft.splits()).map(option).collect()
    }

    /// Answers the current question, by the id of an answer or with typed text. An answer that does not fit changes nothing.
    pub fn answer(&mut self, answer: &str) -> Result<(), AnswerError> {
        let Some(question) = QuestionTree::shared().question(self.at) else {
            return Err(AnswerError::new("there is no further question"));
        };
        let before = self.draft.clone();
        let (leads_to, shown) = self.apply(question, answer.trim()).inspect_err(|_| self.draft = before.clone())?;
        self.past.push(PastAnswer {
            reply: Reply { question: question.id.clone(), answer: answer.trim().to_owned() },
            summary: SummaryLine { topic: question.topic.clone(), answer: shown },
            draft: before,
            at: self.at,
        });
        if let Some(known) = self.undone.iter().rposition(|reply| reply.question == question.id) {
            self.undone.remove(known);
        }
        self.at = self.skip_inapplicable(leads_to);
        Ok(())
    }

    /// Records an answer in the draft. Returns the next question and the answer's text for the summary.
    fn apply(&mut self, question: &'static Question, typed: &str) -> Result<(&'static str, String), AnswerError> {
        let leads_to = question.ask.leads_to.as_deref().unwrap_or(END);
        let Session { draft, context, .. } = self;
        match &question.ask.kind {
            AnswerKind::Choice { answers } => {
                let chosen = answers.iter().find(|answer| answer.id == typed).ok_or_else(|| {
                    let ids: Vec<&str> = answers.iter().map(|answer| answer.id.as_str()).collect();
                    not_offered(typed, "answers", &ids.join(", "))
                })?;
                draft.apply_effects(&chosen.fills);
                return Ok((&chosen.leads_to, draft.worded(&chosen.label)));
            }
            AnswerKind::Split => {
                let labels = draft.splits();
                draft.split(typed)?;
                let label = typed.parse::<usize>().ok().and_then(|number| labels.get(number.checked_sub(1)?).cloned());
                return Ok((leads_to, label.unwrap_or_default()));
            }
            AnswerKind::Which => {
                let options = self.plain_event_options();
                let chosen = options.iter().find(|option| option.id == typed).ok_or_else(|| {
                    let ids: Vec<String> =
                        options.iter().map(|option| format!("{} for {}", option.id, option.label)).collect();
                    not_offered(typed, "events", &ids.join(", "))
                })?;
                self.draft.current = typed.parse::<usize>().map_or(0, |number| number.saturating_sub(1));
                return Ok((leads_to, chosen.label.clone()));
            }
            AnswerKind::Event { part } => draft.add_event(*part, typed, context),
            AnswerKind::Field => draft.select_field(typed, context),
            AnswerKind::Value => draft.set_value(typed),
            AnswerKind::Variable => draft.set_variable(typed),
            AnswerKind::Carriers => draft.set_carriers(typed, context),
            AnswerKind::Number => draft.set_number(typed),
            AnswerKind::Bound => draft.set_bound(typed),
            AnswerKind::Time { bound } => draft.set_time(*bound, typed),
            AnswerKind::Name => draft.set_name(typed, context),
        }?;
        Ok((leads_to, typed.to_owned()))
    }

    /// Returns the first question from here on whose condition is met.
    fn skip_inapplicable(&self, mut id: &'static str) -> &'static str {
        while let Some(skip) = QuestionTree::shared().question(id).and_then(|question| question.skip.as_ref()) {
            if self.draft.meets(skip.unless, &self.context) {
                break;
            }
            id = &skip.leads_to;
        }
        id
    }

    /// Undoes the last answer; returns false if there is none.
    pub fn back(&mut self) -> bool {
        let Some(past) = self.past.pop() else { return false };
        (self.draft, self.at) = (past.draft, past.at);
        self.undone.push(past.reply);
        true
    }

    /// Returns the answers so far in words.
    pub fn summary(&self) -> Vec<SummaryLine> {
        self.past.iter().map(|past| past.summary.clone()).collect()
    }

    /// Returns the answers so far, for [`Session::replay`].
    pub fn transcript(&self) -> Transcript {
        Transcript { answers: self.past.iter().map(|past| past.reply.clone()).collect() }
    }

    /// Builds the property, if all questions are answered.
    pub fn finish(&self) -> Result<FinishedProperty, AnswerError> {
        if let Some(question) = QuestionTree::shared().question(self.at) {
            return Err(AnswerError::new("the property is not complete yet")
                .help(format!("answer `{}`: {}", question.id, self.draft.worded(&question.text)))
                .at(&question.id));
        }
        let no_property =
            || AnswerError::new("the answers do not describe a property").help("go back and change an answer");
        let built = self.draft.build(&self.context).ok_or_else(no_property)?;
        let declarations = declarations(built.unit, &built.events);
        let block = match built.property.language {
            Language::Mtl => gnomon_lang::mtl::print(&built.property),
            _ => gnomon_lang::pattern::print(&built.property),
        };
        let mut warnings = self.draft.warnings();
        FinishedProperty::read(&self.context, declarations, block)
            .map(|finished| {
                warnings.extend(finished.warnings);
                FinishedProperty { warnings, ..finished }
            })
            .map_err(|diagnostics| first_error(&diagnostics).unwrap_or_else(no_property))
    }
}

fn not_offered(typed: &str, what: &str, options: &str) -> AnswerError {
    AnswerError::new(format!("`{typed}` is not one of the {what}")).help(format!("choose {options}"))
}

impl Transcript {
    /// Reads answers as [`Transcript::to_json`] writes them.
    pub fn from_json(text: &str) -> Result<Transcript, AnswerError> {
        serde_json::from_str(text).map_err(|error| {
            AnswerError::new(format!("these are not answers: {error}"))
                .help(r#"write {"answers": [{"question": "interval", "answer": "always"}, …]}"#)
        })
    }

    /// Returns the answers as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("texts can always be written")
    }
}
