// SPDX-License-Identifier: MIT OR Apache-2.0
//! A walk through the tree: the question at hand, answers, the way back, and the property at the end.

use serde::{Deserialize, Serialize};

use crate::draft::Draft;
use crate::event::first_error;
use crate::finished::{Finished, declarations};
use crate::known::Known;
use crate::tree::{Ask, END, Part, Question, Tree};
use crate::wrong::Wrong;

/// A conversation.
#[derive(Clone, Debug)]
pub struct Session {
    tree: Tree,
    known: Known,
    draft: Draft,
    /// The question at hand; [`END`] when there is none.
    at: &'static str,
    past: Vec<Step>,
}

/// What was answered, and how things stood before.
#[derive(Clone, Debug)]
struct Step {
    reply: Reply,
    /// Its line in a summary.
    line: Line,
    draft: Draft,
    at: &'static str,
}

/// An answer to a question.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reply {
    /// The question's name.
    pub question: String,
    /// The name of the chosen answer, or what was typed.
    pub answer: String,
}

/// All answers of a conversation: enough to have it again.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Transcript {
    /// The answers, in their order.
    pub answers: Vec<Reply>,
}

/// A line of a summary.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Line {
    /// What it is about.
    pub topic: String,
    /// What was answered, in words.
    pub answer: String,
}

/// A question as it is put now.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Asked {
    /// The question's name.
    pub id: String,
    /// The question.
    pub text: String,
    /// Why it is asked.
    pub why: String,
    /// The answers to choose from; none where something is to be typed.
    pub answers: Vec<Offer>,
    /// What could be typed, most likely first.
    pub suggestions: Vec<String>,
    /// What is taken if nothing is typed.
    pub default: Option<String>,
    /// How to type it.
    pub hint: Option<&'static str>,
}

/// An answer that can be chosen.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Offer {
    /// What a reply calls it.
    pub id: String,
    /// The answer.
    pub label: String,
    /// The same from everyday life.
    pub example: Option<String>,
}

impl Session {
    /// Begins a conversation.
    pub fn new(known: Known) -> Session {
        let tree = Tree::new();
        let at = tree.first;
        Session { tree, known, draft: Draft::default(), at, past: vec![] }
    }

    /// Has a conversation again.
    pub fn replay(known: Known, transcript: &Transcript) -> Result<Session, Wrong> {
        let mut session = Session::new(known);
        for Reply { question, answer } in &transcript.answers {
            if session.at == END {
                return Err(Wrong::new("the property is whole before this answer").help("leave it out").at(question));
            }
            if session.at != question {
                let help = format!("the question at this place is `{}`", session.at);
                return Err(Wrong::new(format!("`{question}` is not asked here")).help(help).at(question));
            }
            session.answer(answer).map_err(|wrong| wrong.at(question))?;
        }
        Ok(session)
    }

    /// What is known besides the answers.
    pub fn known(&self) -> &Known {
        &self.known
    }

    /// The question at hand; `None` when the property is whole.
    pub fn question(&self) -> Option<Asked> {
        let question = self.tree.question(self.at)?;
        let mut asked = Asked {
            id: question.id.to_owned(),
            text: question.text.to_owned(),
            why: question.why.to_owned(),
            answers: vec![],
            suggestions: vec![],
            default: None,
            hint: None,
        };
        let texts = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        match question.ask {
            Ask::Choice { answers } => {
                let offer = |id: &str, label: &str, example: &str| Offer {
                    id: id.to_owned(),
                    label: label.to_owned(),
                    example: Some(example.to_owned()),
                };
                asked.answers = answers.iter().map(|answer| offer(answer.id, answer.label, answer.example)).collect();
            }
            Ask::Which { .. } => asked.answers = self.events(),
            Ask::Event { .. } => {
                asked.suggestions = texts(self.known.names());
                asked.hint = Some("a name, or with its data: pay(user, 3, _)[amount > 100]");
            }
            Ask::Field { .. } => {
                asked.text = question.text.replace("its data", &format!("the data of `{}`", self.draft.current()));
                asked.suggestions = texts(self.known.fields(self.draft.current()));
                asked.hint = Some("the name of a column or field; order/id for one inside another");
            }
            Ask::Value { .. } => asked.hint = Some("3, 2.5, true, or a text"),
            Ask::Variable { .. } => {
                asked.suggestions = self.draft.variables();
                asked.default = asked.suggestions.first().cloned().or_else(|| self.variable());
                asked.hint = Some("a short word, such as id");
            }
            Ask::Number { .. } => asked.hint = Some("a whole number, such as 3"),
            Ask::Time { .. } => asked.hint = Some("10s, 500ms, 2h, 1D, or a bare number in the log's own unit"),
            Ask::Name { .. } => {
                asked.default = Some(self.draft.suggested_name(&self.known));
                asked.hint = Some("a word or two");
            }
        }
        Some(asked)
    }

    /// The field's own name, if it can be a variable.
    fn variable(&self) -> Option<String> {
        let name = self.draft.current_field().rsplit('/').next().unwrap_or_default().to_owned();
        Some(name).filter(|name| crate::event::is_variable(name))
    }

    /// The events whose data can be asked for.
    fn events(&self) -> Vec<Offer> {
        let part = |part| match part {
            Part::Start => "starts the rule",
            Part::End => "ends the rule",
            Part::Event => "the event",
            Part::First => "comes first",
            Part::Then => "comes after",
            Part::Exception => "must not come between",
        };
        let offer = |(index, name, role): (usize, &str, Part)| Offer {
            id: (index + 1).to_string(),
            label: format!("{name} ({})", part(role)),
            example: None,
        };
        self.draft.plain().into_iter().map(|(index, atom, role)| offer((index, &atom.name, role))).collect()
    }

    /// Answers the question at hand, by the name of an answer or with what was typed. If it does not fit, nothing changes.
    pub fn answer(&mut self, answer: &str) -> Result<(), Wrong> {
        let Some(question) = self.tree.question(self.at).copied() else {
            return Err(Wrong::new("there is no further question"));
        };
        let before = self.draft.clone();
        let (leads_to, shown) = self.take(&question, answer).inspect_err(|_| self.draft = before.clone())?;
        self.past.push(Step {
            reply: Reply { question: question.id.to_owned(), answer: answer.trim().to_owned() },
            line: Line { topic: question.topic.to_owned(), answer: shown },
            draft: before,
            at: self.at,
        });
        self.at = self.settle(leads_to);
        Ok(())
    }

    /// Takes an answer down; says where it leads, and how a summary puts it.
    fn take(&mut self, question: &Question, answer: &str) -> Result<(&'static str, String), Wrong> {
        let typed = answer.trim().to_owned();
        let Session { draft, known, .. } = self;
        match question.ask {
            Ask::Choice { answers } => {
                let chosen = answers.iter().find(|offered| offered.id == typed).ok_or_else(|| {
                    let ids: Vec<&str> = answers.iter().map(|answer| answer.id).collect();
                    Wrong::new(format!("`{typed}` is none of the answers")).help(format!("choose {}", ids.join(", ")))
                })?;
                draft.fill(chosen.fills);
                return Ok((chosen.leads_to, chosen.label.to_owned()));
            }
            Ask::Which { leads_to } => {
                let offers = self.events();
                let chosen = offers.iter().find(|offer| offer.id == typed).ok_or_else(|| {
                    let ids: Vec<String> =
                        offers.iter().map(|offer| format!("{} for {}", offer.id, offer.label)).collect();
                    Wrong::new(format!("`{typed}` is none of the events")).help(format!("choose {}", ids.join(", ")))
                })?;
                self.draft.turn_to(typed.parse::<usize>().map_or(0, |number| number.saturating_sub(1)));
                return Ok((leads_to, chosen.label.clone()));
            }
            Ask::Event { part, leads_to } => draft.event(part, &typed, known).map(|()| leads_to),
            Ask::Field { leads_to } => draft.field(&typed, known).map(|()| leads_to),
            Ask::Value { leads_to } => draft.value(&typed).map(|()| leads_to),
            Ask::Variable { leads_to } => draft.variable(&typed).map(|()| leads_to),
            Ask::Number { leads_to } => draft.number(&typed).map(|()| leads_to),
            Ask::Time { bound, leads_to } => draft.time(bound, &typed).map(|()| leads_to),
            Ask::Name { leads_to } => draft.name(&typed, known).map(|()| leads_to),
        }
        .map(|leads_to| (leads_to, typed))
    }

    /// The first question from here that has a meaning.
    fn settle(&self, mut id: &'static str) -> &'static str {
        while let Some(skip) = self.tree.question(id).and_then(|question| question.skip) {
            if self.draft.is(skip.unless, &self.known) {
                break;
            }
            id = skip.leads_to;
        }
        id
    }

    /// Takes the last answer back; `false` if there is none.
    pub fn back(&mut self) -> bool {
        let Some(step) = self.past.pop() else { return false };
        (self.draft, self.at) = (step.draft, step.at);
        true
    }

    /// What was answered so far, in words.
    pub fn summary(&self) -> Vec<Line> {
        self.past.iter().map(|step| step.line.clone()).collect()
    }

    /// What was answered so far, for [`Session::replay`].
    pub fn transcript(&self) -> Transcript {
        Transcript { answers: self.past.iter().map(|step| step.reply.clone()).collect() }
    }

    /// The property, if it is whole.
    pub fn finish(&self) -> Result<Finished, Wrong> {
        if let Some(question) = self.tree.question(self.at) {
            return Err(Wrong::new("the property is not whole yet")
                .help(format!("answer `{}`: {}", question.id, question.text))
                .at(question.id));
        }
        let built = self.draft.build(&self.known);
        let built =
            built.ok_or_else(|| Wrong::new("the answers do not make a property").help("go back and answer anew"))?;
        let declarations = declarations(built.unit, &built.events);
        let block = gnomon_lang::pattern::print(&built.property);
        Finished::read(&self.known, declarations, block)
            .map_err(|wrong| first_error(&wrong).unwrap_or_else(no_property))
    }
}

fn no_property() -> Wrong {
    Wrong::new("the answers do not make a property").help("go back and answer anew")
}

impl Transcript {
    /// Reads answers as [`Transcript::to_json`] writes them.
    pub fn from_json(text: &str) -> Result<Transcript, Wrong> {
        serde_json::from_str(text).map_err(|error| {
            Wrong::new(format!("these are no answers: {error}"))
                .help(r#"write {"answers": [{"question": "interval", "answer": "always"}, …]}"#)
        })
    }

    /// The answers for programs.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("texts can always be written")
    }
}
