// SPDX-License-Identifier: MIT OR Apache-2.0
//! The assistant. Each request carries all answers so far, so the server keeps no session.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use gnomon::artefact::{self, Refusal};
use gnomon::assist::tree::{AnswerKind, QuestionTree};
use gnomon::assist::{
    AnswerError, FinishedProperty, KnownEvent, KnownField, Prompt, Reply, Session, SessionContext, Transcript,
};
use gnomon::examples::judge_events;
use gnomon::ir::spec::ExampleEvent;
use gnomon::notation;
use gnomon::verdict::Verdict;
use gnomon_live::Live;
use serde::{Deserialize, Serialize};

use super::extract::JsonBody;
use crate::app::App;
use crate::problem::{Problem, run_blocking};

/// Maximum number of answers; no conversation needs as many.
const MOST_ANSWERS: usize = 500;
/// Maximum number of events in addition to those of the watch.
const MOST_EVENTS: usize = 5000;

#[derive(Deserialize)]
pub(super) struct AssistRequest {
    #[serde(default)]
    answers: Vec<Reply>,
    #[serde(default)]
    events: Vec<OfferedEvent>,
}

#[derive(Deserialize)]
struct OfferedEvent {
    name: String,
    #[serde(default)]
    fields: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct AssistAnswer {
    question: Option<QuestionAnswer>,
    answered: Vec<AnsweredQuestion>,
    property: Option<AssistedProperty>,
}

#[derive(Serialize)]
struct QuestionAnswer {
    id: String,
    text: String,
    why: String,
    kind: &'static str,
    options: Vec<OptionAnswer>,
    suggestions: Vec<String>,
    default: Option<String>,
    hint: Option<&'static str>,
}

#[derive(Serialize)]
struct OptionAnswer {
    id: String,
    text: String,
    example: Option<String>,
}

#[derive(Serialize)]
struct AnsweredQuestion {
    question: String,
    topic: String,
    answer: String,
}

#[derive(Serialize)]
struct AssistedProperty {
    name: String,
    text: String,
    english: Option<String>,
    mtl: Option<String>,
    mu: Option<String>,
    svg: Option<String>,
    accepts: Option<String>,
    rejects: Option<String>,
    warnings: Vec<String>,
    why_not: BTreeMap<&'static str, String>,
}

pub(super) async fn assist(
    State(app): State<App>,
    JsonBody(request): JsonBody<AssistRequest>,
) -> Result<Json<AssistAnswer>, Problem> {
    if request.answers.len() > MOST_ANSWERS || request.events.len() > MOST_EVENTS {
        return Err(Problem::too_large(format!("at most {MOST_ANSWERS} answers and {MOST_EVENTS} events")));
    }
    let live = app.live.clone();
    let walked = run_blocking("the assistant failed", move || walk(&live, request)).await?;
    walked.map(Json).map_err(|wrong| {
        let problem = Problem::unfit(wrong.to_string());
        match wrong.question() {
            Some(question) => problem.with("question", question),
            None => problem,
        }
    })
}

fn walk(live: &Live, request: AssistRequest) -> Result<AssistAnswer, AnswerError> {
    let mut answers = request.answers;
    let known = known(live, request.events);
    // An empty reply accepts the default of the question, which only the session knows.
    let mut session = Session::new(known.clone());
    for reply in &mut answers {
        let default = session.question().and_then(|question| question.default);
        if reply.answer.trim().is_empty() {
            reply.answer = default.unwrap_or_default();
        }
        if session.answer(&reply.answer).is_err() {
            break;
        }
    }
    let session = Session::replay(known, &Transcript { answers })?;
    let Transcript { answers } = session.transcript();
    let answered = session.summary().into_iter().zip(answers);
    let answered = answered.map(|(line, reply)| AnsweredQuestion {
        question: reply.question,
        topic: line.topic,
        answer: line.answer,
    });
    Ok(AssistAnswer {
        answered: answered.collect(),
        property: if session.question().is_none() { Some(property(&session.finish()?)) } else { None },
        question: session.question().map(question),
    })
}

fn known(live: &Live, offered: Vec<OfferedEvent>) -> SessionContext {
    let spec = live.compiled().spec.clone();
    let has_dates = live.status().time.kind == Some("datetime");
    let mut known = SessionContext { events: Vec::new(), spec, has_dates };
    let recent = live.catalogue().into_iter().map(|event| OfferedEvent { name: event.name, fields: event.fields });
    for OfferedEvent { name, fields } in recent.chain(offered) {
        if known.event(&name).is_none() {
            let field = |name: String| KnownField { path: vec![name.clone()], name, required: false };
            let fields = fields.into_iter().map(field).collect();
            known.events.push(KnownEvent { name, fields, participants: None, about: None });
        }
    }
    known
}

fn question(question: Prompt) -> QuestionAnswer {
    let kind = QuestionTree::shared().question(&question.id).map_or("text", |question| match question.ask.kind {
        AnswerKind::Choice { .. } | AnswerKind::Which | AnswerKind::Split => "choice",
        AnswerKind::Event { .. } => "event",
        AnswerKind::Field => "field",
        AnswerKind::Value => "value",
        AnswerKind::Variable => "variable",
        AnswerKind::Number => "number",
        AnswerKind::Carriers | AnswerKind::Bound => "text",
        AnswerKind::Time { .. } => "time",
        AnswerKind::Name => "name",
    });
    let options = question.answers.into_iter();
    QuestionAnswer {
        id: question.id,
        text: question.text,
        why: question.why,
        kind,
        options: options
            .map(|offer| OptionAnswer { id: offer.id, text: offer.label, example: offer.example })
            .collect(),
        suggestions: question.suggestions,
        default: question.default,
        hint: question.hint,
    }
}

fn property(finished: &FinishedProperty) -> AssistedProperty {
    let FinishedProperty { spec, property, .. } = finished;
    let mut why_not = BTreeMap::new();
    let mut keep =
        |name, made: Result<String, Refusal>| made.map_err(|refusal| why_not.insert(name, refusal.reason)).ok();
    let english = keep("english", artefact::english(spec, property));
    let mtl = keep("mtl", artefact::mtl(spec, property).map(|formula| notation::mtl(&formula)));
    let mu = keep("mu", artefact::mu(spec, property).map(|mu| mu.text));
    let svg = keep("svg", artefact::svg(spec, property));
    let mut verdict = |events: &[ExampleEvent]| {
        let report = judge_events(spec, &property.name, events).ok();
        let outcome = report.as_ref().and_then(|report| report.outcomes.first());
        outcome.map_or(Verdict::Inconclusive, |outcome| outcome.verdict)
    };
    let (accepts, rejects) = match artefact::examples(spec, property, &mut verdict) {
        Ok(examples) => (Some(notation::example(&examples.accepts)), Some(notation::example(&examples.rejects))),
        Err(refusal) => {
            why_not.insert("examples", refusal.reason);
            (None, None)
        }
    };
    AssistedProperty {
        name: property.name.clone(),
        text: finished.text(),
        english,
        mtl,
        mu,
        svg,
        accepts,
        rejects,
        warnings: finished.warnings.clone(),
        why_not,
    }
}
